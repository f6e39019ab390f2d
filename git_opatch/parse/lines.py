r"""The lines of a text, and the number of each in the text as it was given.

    Lines(b"a\nb\n")[1] == b"b"        positions count from 0
    Lines(b"a\nb\n").number(1) == 2     numbers count from 1

Lines end at `\n` alone, as in git.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import ClassVar, Protocol

from git_opatch.model.options import Format
from git_opatch.model.text import without_cr

_LARGE = 1 << 32  # from here on, a position needs more than four bytes
_NEWLINE = re.compile(rb"\n")


def line_start(pattern: bytes) -> re.Pattern[bytes]:
    r"""Compile what `Lines.find` looks for: lines that begin with `pattern`, indented or not.

    A search for `\n` and what follows is several times faster than one for `(?m)^`.
    """
    return re.compile(rb"\n[ \t]*+(?:" + pattern + rb")")


class LineNumbers(Protocol):
    """Maps positions of lines, from 0, to line numbers of the text as it was given, from 1."""

    def __getitem__(self, at: int, /) -> int: ...


class Lines:
    r"""The lines of a text, without their `\n`; each is cut out on access, and none is kept.

    `first` is the number of the first line in the text as it was given; `numbers`, if given,
    has the number of each line.
    """

    __slots__ = (
        "__weakref__",
        "_first",
        "_numbers",
        "_starts",
        "crlf",
        "ends_with_newline",
        "raw",
        "uniform_endings",
    )

    made_for: ClassVar[Format | None] = None
    """The format that these lines were made for, from an object of JSON; no other reads them."""

    def __init__(self, raw: bytes, *, first: int = 1, numbers: LineNumbers = ()) -> None:
        self.raw = raw
        self._first, self._numbers = first, numbers
        self._starts = array("I" if len(raw) < _LARGE else "Q", [0])
        self._starts.extend(map(re.Match.end, _NEWLINE.finditer(raw)))
        self.ends_with_newline = self._starts[-1] == len(raw)
        if not self.ends_with_newline:
            self._starts.append(len(raw) + 1)
        newlines, crlfs = len(self) - (not self.ends_with_newline), raw.count(b"\r\n")
        self.crlf = 0 < newlines == crlfs
        self.uniform_endings = self.crlf or not (crlfs or raw.endswith(b"\r"))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, at: int) -> bytes:
        r"""Return the line at position `at`; without its `\r` if all lines have one."""
        line = self.raw[self._starts[at] : self._starts[at + 1] - 1]
        return without_cr(line) if self.crlf else line

    def between(self, start: int, stop: int) -> bytes:
        r"""Return the text of the lines from `start` up to `stop`, without the last `\n`."""
        return self.raw[self._starts[start] : max(self._starts[stop] - 1, 0)]

    def number(self, at: int) -> int:
        """Return the number of the line at position `at` in the text as it was given, from 1."""
        return self._numbers[at] if self._numbers else self._first + at

    def numbers(self, start: int, stop: int) -> Iterable[int]:
        """Return the numbers of the lines at the positions from `start` up to `stop`."""
        if self._numbers:
            return map(self._numbers.__getitem__, range(start, stop))
        return range(self._first + start, self._first + stop)

    def offset(self, at: int) -> int:
        """Return the offset in bytes at which the line at position `at` begins."""
        return self._starts[at]

    def at_offset(self, offset: int) -> int:
        """Return the position of the line with the byte at `offset`; of the last past the end."""
        return min(bisect_right(self._starts, offset), len(self)) - 1

    def find(self, pattern: re.Pattern[bytes], at: int, stop: int) -> int:
        """Return the position of the first line from `at` up to `stop` that `pattern` matches.

        The pattern is one of `line_start`. Returns `stop` if none matches.
        """
        if at >= stop:
            return stop
        end = self._starts[stop]
        if not at and pattern.match(b"\n" + self.raw[:end]):
            return 0
        match = pattern.search(self.raw, max(self._starts[at] - 1, 0), end)
        return bisect_left(self._starts, match.start() + 1) if match else stop
