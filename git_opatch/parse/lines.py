"""The lines of a text, and the number that each has in the text as it was given."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from typing import Protocol

from git_opatch.text import without_cr

_LARGE = 1 << 32  # from here on a position needs more than four bytes
_NEWLINE = re.compile(rb"\n")


def code_for(size: int) -> str:
    """The code of an array that can hold any position in a text of `size` bytes."""
    return "I" if size < _LARGE else "Q"


class Place(int):
    """A line's number that also says which line of a string on that line is meant.

    `offset` tells the string from others on the same line, `inner` is the line in it, from 1
    (0 for the string as a whole), and `name` what it is called.
    """

    offset: int
    inner: int
    name: str

    def __new__(cls, number: int, offset: int, inner: int, name: str) -> Place:
        """The place in line `number`."""
        place = super().__new__(cls, number)
        place.offset, place.inner, place.name = offset, inner, name
        return place

    def __str__(self) -> str:
        """As messages have it."""
        number = int.__repr__(self)
        return f"{number} (line {self.inner} of {self.name})" if self.inner else number

    def __eq__(self, other: object) -> bool:
        """Whether both are the same line of the same string."""
        if isinstance(other, Place):
            return (int(self), self.offset, self.inner) == (int(other), other.offset, other.inner)
        return int(self) == other

    def __hash__(self) -> int:
        """That of the number, since a place can equal one."""
        return int.__hash__(self)


class Numbers(Protocol):
    """The number of each line, by its position."""

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""


class Lines:
    r"""The lines of a text, without their `\n`, each cut out when it is asked for.

    Of a large text that is no patch most lines never are, and none is kept. `first` is the
    number of the first line in the text as it was given; with `numbers`, those of each line.
    `code` is that of an array that can hold any position in the text.
    """

    __slots__ = (
        "__weakref__",
        "_first",
        "_numbers",
        "_starts",
        "code",
        "crlf",
        "framed",
        "raw",
        "whole",
    )

    def __init__(self, raw: bytes, *, first: int = 1, numbers: Numbers = ()) -> None:
        self.raw = raw
        self._first, self._numbers = first, numbers
        self.code = code_for(len(raw))
        self._starts = array(self.code, [0])
        self._starts.extend(map(re.Match.end, _NEWLINE.finditer(raw)))
        self.whole = self._starts[-1] == len(raw)
        if not self.whole:
            self._starts.append(len(raw) + 1)
        ended, framed = len(self) - (not self.whole), raw.count(b"\r\n")
        self.crlf = 0 < ended == framed
        self.framed = self.crlf or not (framed or raw.endswith(b"\r"))

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self._starts) - 1

    def __getitem__(self, at: int) -> bytes:
        r"""The line at `at`, from 0; without its `\r` if all lines have one."""
        line = self.raw[self._starts[at] : self._starts[at + 1] - 1]
        return without_cr(line) if self.crlf else line

    def between(self, start: int, stop: int) -> bytes:
        r"""The lines from `start` to `stop` as they stand in the text, without the last `\n`."""
        return self.raw[self._starts[start] : max(self._starts[stop] - 1, 0)]

    def number(self, at: int) -> int:
        """The number of the line at `at` in the text as it was given, from 1."""
        return self._numbers[at] if self._numbers else self._first + at

    def offset(self, at: int) -> int:
        """Where in the text the line at `at` begins."""
        return self._starts[at]

    def at_offset(self, offset: int) -> int:
        """The line in which that byte of the text stands; the last one past the end."""
        return min(bisect_right(self._starts, offset), len(self)) - 1

    def find(self, pattern: re.Pattern[bytes], at: int) -> int:
        """The line at or after `at` where `pattern`, which begins at a line's start, matches."""
        match = pattern.search(self.raw, self._starts[at])
        return bisect_left(self._starts, match.start()) if match else len(self)
