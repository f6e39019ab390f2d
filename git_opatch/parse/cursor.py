"""The text of a patch as a run of lines, and a place in it to read from."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from git_opatch.errors import Fault, Fix
from git_opatch.parse.lines import Lines
from git_opatch.parse.reread import Room, Sections
from git_opatch.patch import Mail
from git_opatch.text import BYTE_ORDER_MARK

_MOST_FAULTS = 10
_MOST_MADE_AGAIN = 4096
"""Bytes of framed lines that are made again for each of their sections."""


class Move(NamedTuple):
    """A change of directory in shell text, which may hold for the calls that follow.

    It was made for a call that begins in line `number`; the last one after it ends at `end`.
    """

    directory: str
    number: int
    end: int
    alone: bool
    """Whether it stands on a line of its own, as in a script."""


class Origin(NamedTuple):
    """Where lines were framed in others: `again` makes them once more, of those and that place."""

    lines: Lines
    again: Callable[[Lines, int], Lines]
    at: int


class Source(NamedTuple):
    """What reads some values again, and how a cursor over them reads a line.

    `lines` are those that they stand in, or, with `makes`, those that it makes these of.
    """

    again: Callable[[Cursor], object]
    lines: Lines
    makes: Callable[[Lines, int], Lines] | None
    dedent: Callable[[bytes], bytes] | None
    fence: bytes
    file: str
    directory: str


@dataclass(slots=True, eq=False)
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
    sections: Sections = field(default_factory=lambda: Sections(Room()))
    """What was read of the whole text so far."""
    room: Room = field(default_factory=Room)
    """For the hunks of the whole text."""
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
    origin: Origin | None = None
    """Where the lines come from, if they are so few that they need not be kept."""

    def __post_init__(self) -> None:
        """Read to the end, if nothing else is said."""
        if self.end < 0:
            self.end = len(self.lines)

    @classmethod
    def over(cls, raw: bytes, source: str = "") -> Cursor:
        r"""Split `raw`; a `\r` at the end of every line is framing and is taken off."""
        lines = Lines(raw.removeprefix(BYTE_ORDER_MARK))
        return cls(lines, source, sections=Sections(Room(len(raw))), room=Room(len(raw)))

    def within(self, end: int) -> Cursor:
        """A cursor over the same lines up to `end`, which notes its faults here."""
        return replace(self, end=end)

    def inside(self, lines: Lines, origin: Origin | None = None) -> Cursor:
        """A cursor over `lines`, which were framed in these; what it finds is noted here."""
        return Cursor(
            *(lines, self.source),
            faults=self.faults,
            sections=self.sections,
            room=self.room,
            mails=self.mails,
            directory=self.directory,
            origin=origin if len(lines.raw) <= _MOST_MADE_AGAIN else None,
        )

    def read_by(self, again: Callable[[Cursor], object]) -> Source:
        """What is to be known to read values like here, by `again`."""
        lines, makes = self.origin[:2] if self.origin else (self.lines, None)
        return Source(again, lines, makes, self.dedent, self.fence, self.file, self.directory)

    def at_place(self, source: Source, lines: Lines, at: int, end: int = -1) -> Cursor:
        """A cursor over the line `at` of `lines`, from that source; up to `end`, if it is given."""
        return replace(
            self,
            lines=lines,
            dedent=source.dedent,
            fence=source.fence,
            file=source.file,
            directory=source.directory,
            at=at,
            end=self.end if end < 0 else end,
            faults=[],
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
