"""A scanner over the lines of a patch's text: position, look-ahead, errors.

    text ──Scanner.from_bytes──▶ scanner ──wrapper──▶ nested scanners ──format──▶ sections

All scanners of one text share its diagnostics, sections and mails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from git_opatch.model.errors import Diagnostic, FixIt
from git_opatch.model.patch import FilePatch, Mail
from git_opatch.model.text import BYTE_ORDER_MARK
from git_opatch.parse.bounds import Bounds
from git_opatch.parse.lines import Lines

_MAX_DIAGNOSTICS = 10


class DirectoryChange(NamedTuple):
    """A change of directory in shell text, which may hold for the calls that follow.

    It was made for the call at line `number`; the last call that it may hold for ends at `end`.
    """

    directory: str
    number: int
    end: int
    alone: bool
    """Whether it is on a line of its own, as in a script."""


@dataclass(slots=True, eq=False)
class Scanner:
    """The lines of a text and the position of the next one.

    Positions (`at`, `end`) count from 0. Line numbers count from 1 and are those of the text as
    it was given, whatever wrappers were removed.
    """

    lines: Lines
    source: str = ""
    """The name of the patch file, for messages."""
    at: int = 0
    end: int = -1
    """The position to stop at; the end of `lines` if negative."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sections: list[FilePatch] = field(default_factory=list)
    """The sections of the whole text so far."""
    bounds: Bounds = field(default_factory=Bounds)
    """What the whole text has so far."""
    mails: list[Mail] = field(default_factory=list)
    """The mails of the whole text so far."""
    directory: str = ""
    """The directory that the text gives for its paths."""
    dedent: Callable[[bytes], bytes] | None = None
    """Removes from a line what the wrapper put before it."""
    fence: bytes = b""
    """The characters that opened the Markdown fence around this line, if any."""
    previous_path: str = ""
    """The path of the search-and-replace block before this line."""
    recorded: bool = False
    """Whether the blobs of the text are known from elsewhere."""
    unindented_until: int = 0
    """The position before which no indented block is looked for again."""
    directory_change: DirectoryChange | None = None
    """The last change of directory in the script around this line."""

    def __post_init__(self) -> None:
        if self.end < 0:
            self.end = len(self.lines)

    @classmethod
    def from_bytes(cls, raw: bytes, source: str = "", *, recorded: bool = False) -> Scanner:
        """Return a scanner over `raw`, without its byte-order mark.

        Raises `ParseError` if it is too large, unless it is `recorded`.
        """
        bounds = Bounds(source, checked=not recorded)
        bounds.add_bytes(len(raw))
        lines = Lines(raw.removeprefix(BYTE_ORDER_MARK))
        bounds.add_lines(len(lines))
        return cls(lines, source, bounds=bounds, recorded=recorded)

    def limited_to(self, end: int) -> Scanner:
        """Return a scanner over the same lines, from here up to `end`."""
        return replace(self, end=end)

    def nested(self, lines: Lines) -> Scanner:
        """Return a scanner over `lines`, which were wrapped in these."""
        self.bounds.add_lines(len(lines))
        return Scanner(
            *(lines, self.source),
            diagnostics=self.diagnostics,
            sections=self.sections,
            bounds=self.bounds,
            mails=self.mails,
            directory=self.directory,
        )

    def add_section(self, section: FilePatch) -> None:
        """Add a section."""
        self.bounds.add_section(len(section.hunks))
        self.sections.append(section)

    @property
    def at_end(self) -> bool:
        """Whether no line is left."""
        return self.at >= self.end

    @property
    def uniform_endings(self) -> bool:
        r"""Whether all lines end alike, so that a `\r` is not content."""
        return self.lines.uniform_endings

    @property
    def ends_with_newline(self) -> bool:
        """Whether the last line has its newline: a text that was cut off does not."""
        return self.lines.ends_with_newline or self.end < len(self.lines)

    @property
    def number(self) -> int:
        """The number of the next line."""
        return self.lines.number(self.at) if self.at < len(self.lines) else self.previous_number + 1

    @property
    def previous_number(self) -> int:
        """The number of the line before; 0 at the beginning."""
        return self.lines.number(self.at - 1) if self.at else 0

    @property
    def line(self) -> bytes:
        """The next line."""
        line = self.lines[self.at]
        return self.dedent(line) if self.dedent else line

    def line_at(self, at: int) -> bytes:
        """Return the line at position `at`."""
        line = self.lines[at]
        return self.dedent(line) if self.dedent else line

    @property
    def text(self) -> bytes:
        """The lines that are left, joined by newlines."""
        if self.dedent or self.lines.crlf:
            return b"\n".join(map(self.line_at, range(self.at, self.end)))
        return self.lines.between(self.at, self.end)

    def peek(self, distance: int = 1) -> bytes | None:
        """Return the line `distance` after the next one; None past the end."""
        at = self.at + distance
        return self.line_at(at) if at < self.end else None

    def take(self) -> bytes:
        """Return the next line and move past it."""
        self.at += 1
        return self.line_at(self.at - 1)

    def error(
        self,
        message: str,
        number: int | None = None,
        *,
        corrected: bytes = b"",
        fix: FixIt = FixIt.REPLACE,
        at: int | None = None,
    ) -> None:
        """Add a diagnostic for line `number`, by default the next one.

        `corrected` is the line to write, if there is one, and `fix` where to write it: in place
        of, before or after line `at`, by default the wrong one.
        """
        if len(self.diagnostics) < _MAX_DIAGNOSTICS:
            line, wrong = corrected.decode("utf-8", "backslashreplace"), number or self.number
            self.diagnostics.append(Diagnostic(wrong, message, self.source, line, fix, at or wrong))

    def skip_blank_lines(self) -> None:
        """Skip to a line that is not blank."""
        self.skip_until(lambda line: bool(line.strip()))

    def skip_until(self, stop: Callable[[bytes], bool]) -> None:
        """Skip to a line for which `stop` holds, or to the end."""
        while self.at < self.end and not stop(self.line_at(self.at)):
            self.at += 1

    def skip_to(self, pattern: re.Pattern[bytes]) -> None:
        """Skip to a line that `pattern`, one of `line_start`, matches, or to the end."""
        self.at = self.lines.find(pattern, self.at, self.end)
