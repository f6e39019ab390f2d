"""The text of a patch as a run of lines, and a place in it to read from."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from git_opatch.errors import Fault, Fix
from git_opatch.patch import FilePatch, Mail
from git_opatch.text import BYTE_ORDER_MARK, without_cr

_MOST_FAULTS = 10
_LARGE = 1 << 32  # from here on a position needs more than four bytes
_NEWLINE = re.compile(rb"\n")


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
        self.code = "I" if len(raw) < _LARGE else "Q"
        self._starts = array(self.code, [0])
        self._starts.extend(match.end() for match in _NEWLINE.finditer(raw))
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


@dataclass(frozen=True, slots=True)
class Move:
    """A change of directory in shell text, which may hold for the calls that follow.

    It was made for a call that begins in line `number`; the last one after it ends at `end`.
    """

    directory: str
    number: int
    end: int
    alone: bool
    """Whether it stands on a line of its own, as in a script."""


@dataclass(frozen=True, slots=True)
class NumbersIn:
    """The numbers of lines that were written in `lines`, so many lines below that at `first`."""

    lines: Lines
    first: int
    offsets: array[int]

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""
        return self.lines.number(self.first + self.offsets[at])


@dataclass(slots=True)
class Cursor:
    """The lines of a patch's text and the one to be read next.

    Positions count from 0; line numbers count from 1 and are those of the text as it was
    given, whatever was taken off it.
    """

    lines: Lines
    source: str = ""
    at: int = 0
    end: int = -1
    """Where reading stops; the end of `lines` if negative."""
    faults: list[Fault] = field(default_factory=list)
    sections: list[FilePatch] = field(default_factory=list)
    """What was read of the whole text so far."""
    mails: list[Mail] = field(default_factory=list)
    """The mails that were read of the whole text so far."""
    directory: str = ""
    """The directory that the text says its paths count from."""
    dedent: Callable[[bytes], bytes] | None = None
    """Takes off what the framing puts before each line."""
    fence: bytes = b""
    """The marks that opened the Markdown fence round this line, if any."""
    file: str = ""
    """The file that the search-and-replace block before this line was for."""
    recorded: bool = False
    """Whether the blobs of the text are known from elsewhere."""
    move: Move | None = None
    """The last change of directory in the script that this line is in."""

    def __post_init__(self) -> None:
        """Read to the end, if nothing else is said."""
        if self.end < 0:
            self.end = len(self.lines)

    @classmethod
    def over(cls, raw: bytes, source: str = "") -> Cursor:
        r"""Split `raw`; a `\r` at the end of every line is framing and is taken off."""
        return cls(Lines(raw.removeprefix(BYTE_ORDER_MARK)), source)

    def within(self, end: int) -> Cursor:
        """A cursor over the same lines up to `end`, which notes its faults here."""
        return replace(self, end=end)

    def inside(self, lines: Lines) -> Cursor:
        """A cursor over `lines`, which were framed in these; what it finds is noted here."""
        return Cursor(
            *(lines, self.source),
            faults=self.faults,
            sections=self.sections,
            mails=self.mails,
            directory=self.directory,
        )

    @property
    def at_end(self) -> bool:
        """Whether all lines are read."""
        return self.at >= self.end

    @property
    def framed(self) -> bool:
        r"""Whether the lines all end alike, so that a `\r` is no content."""
        return self.lines.framed

    @property
    def whole(self) -> bool:
        """Whether what is read ends with a newline, as a text that was not cut off does."""
        return self.lines.whole or self.end < len(self.lines)

    @property
    def number(self) -> int:
        """The number of the line to be read next."""
        return self.lines.number(self.at) if self.at < len(self.lines) else self.previous + 1

    @property
    def previous(self) -> int:
        """The number of the line that was read last; 0 before the first."""
        return self.lines.number(self.at - 1) if self.at else 0

    @property
    def line(self) -> bytes:
        """The line to be read next."""
        return self.line_at(self.at)

    def line_at(self, at: int) -> bytes:
        """The line at that position."""
        line = self.lines[at]
        return self.dedent(line) if self.dedent else line

    @property
    def text(self) -> bytes:
        """The lines that are left, with a newline between them."""
        if self.dedent or self.lines.crlf:
            return b"\n".join(map(self.line_at, range(self.at, self.end)))
        return self.lines.between(self.at, self.end)

    def ahead(self, distance: int = 1) -> bytes | None:
        """The line that many lines on, or None past the end."""
        at = self.at + distance
        return self.line_at(at) if at < self.end else None

    def take(self) -> bytes:
        """Read a line."""
        self.at += 1
        return self.line_at(self.at - 1)

    def fault(
        self,
        message: str,
        number: int | None = None,
        *,
        corrected: bytes = b"",
        fix: Fix = Fix.REPLACE,
        at: int | None = None,
    ) -> None:
        """Note that a line is wrong: the one to be read next, or that of `number`.

        `corrected` is the line to write, if there is one, and `fix` where, counted from the
        line `at`: the one that is wrong, if nothing else is said.
        """
        if len(self.faults) < _MOST_FAULTS:
            line, wrong = corrected.decode("utf-8", "backslashreplace"), number or self.number
            self.faults.append(Fault(wrong, message, self.source, line, fix, at or wrong))

    def skip_blank(self) -> None:
        """Read on to a line that is not blank."""
        self.skip_until(lambda line: bool(line.strip()))

    def skip_until(self, stop: Callable[[bytes], bool]) -> None:
        """Read on to a line for which `stop` holds, or to the end."""
        while self.at < self.end and not stop(self.line_at(self.at)):
            self.at += 1

    def skip_to(self, pattern: re.Pattern[bytes]) -> None:
        """Read on to a line where `pattern`, which begins at a line's start, matches."""
        self.at = min(self.lines.find(pattern, self.at), self.end)
