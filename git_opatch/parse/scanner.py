r"""A scanner over the lines of a patch's text: position, look-ahead, errors, bounds.

    text ──Scanner.from_bytes──▶ scanner ──wrapper──▶ nested scanners ──format──▶ sections

All scanners of one text share what was found in it. Lines end at `\n` alone, as in git. Positions
count from 0; line numbers count from 1 and are those of the text as it was given, whatever was
peeled off around a patch.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from posixpath import join, normpath

from git_opatch.model.errors import Diagnostic, FixIt, ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Mail, Operation
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import BYTE_ORDER_MARK, without_cr
from git_opatch.model.text_position import TextPosition

# How large a patch may be, far beyond what a person or a model writes (D180). Within the bounds, a
# patch is read in linear time and in less than 1.5 GB of memory.
MAX_BYTES = 64 << 20
MAX_LINES = 2_000_000
"""Lines of the text; those of strings in it are counted, too."""
MAX_FILES = 50_000
"""Sections. To write twice as many takes more than 20 seconds of a processor (D300)."""
MAX_HUNKS = 200_000
_MAX_DIAGNOSTICS = 10
_WINDOWS = re.compile(r"(?:[A-Za-z]:[\\/])?[^\\\"]++(?:\\[^\\\"]++)+|[A-Za-z]:/.+")
_OF_A_FILE = (Operation.UPDATE, Operation.DELETE)
_LARGE = 1 << 32  # from here on, a position needs more than four bytes
_NEWLINE = re.compile(rb"\n")


def line_start(pattern: bytes) -> re.Pattern[bytes]:
    r"""Compile what `Lines.find` looks for: lines that begin with `pattern`, indented or not.

    A search for `\n` and what follows is several times faster than one for `(?m)^`.
    """
    return re.compile(rb"\n[ \t]*+(?:" + pattern + rb")")


LineNumbers = Callable[[int], int]
"""Maps positions of lines, from 0, to line numbers of the text as it was given, from 1."""


def numbers_in_string(
    number: int, offset: int, name: str, header: int = 0, above: int = 0
) -> LineNumbers:
    """Return the numbers of the lines of a string, which is written on line `number` of the text.

    So many lines `above` it are not in the string; each has the number `header`.
    """
    return lambda at: TextPosition(
        number if at >= above else header, offset, max(at - above + 1, 0), name
    )


class Lines:
    r"""The lines of a text, without their `\n`; each is cut out on access, and none is kept.

    `numbers` has the number of each line in the text as it was given; by default they count from 1.
    """

    def __init__(self, raw: bytes, numbers: LineNumbers | None = None) -> None:
        self.raw, self._numbers, self._latin_1 = raw, numbers, ""
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

    @property
    def latin_1(self) -> str:
        """The text with one character for each byte, so that offsets are the same."""
        self._latin_1 = self._latin_1 or self.raw.decode("latin-1")
        return self._latin_1

    def number(self, at: int) -> int:
        """Return the number of the line at position `at` in the text as it was given, from 1."""
        return self._numbers(at) if self._numbers else at + 1

    def numbers(self, start: int, stop: int) -> Iterable[int]:
        """Return the numbers of the lines at the positions from `start` up to `stop`."""
        positions = range(start, stop)
        return map(self._numbers, positions) if self._numbers else range(start + 1, stop + 1)

    def numbers_from(self, first: int) -> LineNumbers:
        """Return the numbers of lines that begin at position `first`, and may go on past the
        end."""
        return lambda at: self.number(min(first + at, len(self) - 1))

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


@dataclass(slots=True, eq=False)
class Found:
    """What the scanners of one text have found, counted; beyond a bound it raises `ParseError`.

    A text that is `recorded`, such as a diff that was made here, may have any size, and its blobs
    are known from elsewhere.
    """

    source: str = ""
    """The name of the patch file, for messages."""
    recorded: bool = False
    formats: Collection[Format] = tuple(Format)
    """The formats that are looked for."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    errors: int = 0
    """How many errors there are, also beyond those that are reported."""
    sections: list[FilePatch] = field(default_factory=list)
    mails: list[Mail] = field(default_factory=list)
    drafts: list[int] = field(default_factory=list)
    """The lines of the drafts that have a patch, which was skipped."""
    rows: int = 0
    """How many rows of a benchmark, or predictions for one, the text has."""
    notes: list[str] = field(default_factory=list)
    reviewed: dict[str, int] = field(default_factory=dict)
    """The index of the section of each path that a review has a suggestion for."""
    moved: set[bytes] = field(default_factory=set)
    """The paths of which an edit of a string changes the number of lines."""
    open_heredocs: int = 0
    """How many heredocs of shell text were found to have no end."""
    _lines: int = 0
    _hunks: int = 0

    def add_lines(self, count: int) -> None:
        """Count lines of the text, or of a string in it."""
        self._lines += count
        self.check(self._lines, MAX_LINES, "lines")

    def add_section(self, section: FilePatch) -> None:
        """Add a section."""
        self._hunks += len(section.hunks)
        self.sections.append(section)
        self.check(len(self.sections), MAX_FILES, "files")
        self.check(self._hunks, MAX_HUNKS, "hunks")

    def forget(self) -> None:
        """Forget what was found so far: it was not part of the answer."""
        self.diagnostics.clear()
        self.sections.clear()
        self.mails.clear()
        self.errors = 0

    def check(self, count: int, bound: int, unit: str) -> None:
        """Raise `ParseError` if there are more than `bound` of a unit."""
        if not self.recorded and count > bound:
            values = {"bound": f"{bound:,}", "unit": unit}
            raise ParseError([Diagnostic(0, Malformed.TOO_LARGE, values, self.source)])


def _with_slashes(section: FilePatch) -> FilePatch:
    r"""Return `section` with the path that a Windows program means: `src\\a.py`, `C:\\src\\a.py`.

    A name may have a backslash in git, so the file that exists counts; none has a drive letter.
    """
    path = section.path
    if section.alternate or section.operation not in _OF_A_FILE or not _WINDOWS.fullmatch(path):
        return section
    plain = path.replace("\\", "/")
    if path[1] == ":":
        plain = plain[2:]
        return section._replace(
            old_path=section.old_path and plain, new_path=section.new_path and plain
        )
    return section._replace(alternate=plain)


@dataclass(slots=True, eq=False)
class Scanner:
    """The lines of a text and the position of the next one."""

    lines: Lines
    found: Found = field(default_factory=Found)
    at: int = 0
    end: int = -1
    """The position to stop at; the end of `lines` if negative."""
    directory: str = ""
    """The directory that the text gives for its paths."""
    dedent: Callable[[bytes], bytes] | None = None
    """Removes from a line what the wrapper put before it."""
    fence: bytes = b""
    """The characters that opened the Markdown fence around this line, if any."""
    unindented_until: int = 0
    """The position before which no indented block is looked for again."""
    directory_change: tuple[str, int, int, bool] | None = None
    """The directory of the shell call before, its line number, the position after it, and whether
    its `cd` is on a line of its own, as in a script."""

    def __post_init__(self) -> None:
        if self.end < 0:
            self.end = len(self.lines)

    @classmethod
    def from_bytes(cls, raw: bytes, source: str = "", *, recorded: bool = False) -> Scanner:
        """Return a scanner over `raw`, without its byte-order mark.

        Raises `ParseError` if it is too large, unless it is `recorded`.
        """
        found = Found(source, recorded)
        found.check(len(raw), MAX_BYTES, "bytes (64 MiB)")
        lines = Lines(raw.removeprefix(BYTE_ORDER_MARK))
        found.add_lines(len(lines))
        return cls(lines, found)

    def limited_to(self, end: int) -> Scanner:
        """Return a scanner over the same lines, from here up to `end`."""
        return replace(self, end=end)

    def below(self, directory: str) -> Scanner:
        """Return a scanner over the same lines, whose paths are in a directory of this one's."""
        joined = normpath(join(self.directory, directory)) if directory else self.directory
        return replace(self, directory=joined)

    def dedented(self, strip: Callable[[bytes], bytes]) -> Scanner:
        """Return a scanner over the same lines, from each of which `strip` removes something."""
        before = self.dedent
        return replace(self, dedent=lambda line: strip(before(line) if before else line))

    def nested(self, lines: Lines) -> Scanner:
        """Return a scanner over `lines`, which were wrapped in these."""
        self.found.add_lines(len(lines))
        return Scanner(lines, self.found, directory=self.directory)

    def section(self, section: FilePatch) -> None:
        """Add a section, which is in this scanner's directory."""
        section = section._replace(source=self.found.source, directory=self.directory)
        self.found.add_section(_with_slashes(section))

    @property
    def errors(self) -> int:
        """How many errors were found in the whole text so far."""
        return self.found.errors

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
        """The next line; empty past the end."""
        return self.line_at(self.at) if self.at < self.end else b""

    def line_at(self, at: int) -> bytes:
        """Return the line at position `at`."""
        line = self.lines[at]
        return self.dedent(line) if self.dedent else line

    @property
    def text(self) -> bytes:
        """The lines that are left, joined by newlines."""
        return b"\n".join(map(self.line_at, range(self.at, self.end)))

    def peek(self, distance: int = 1) -> bytes:
        """Return the line `distance` after the next one; empty past the end."""
        at = self.at + distance
        return self.line_at(at) if at < self.end else b""

    def take(self) -> bytes:
        """Return the next line and move past it."""
        self.at += 1
        return self.line_at(self.at - 1)

    def error(
        self,
        fault: Malformed,
        number: int | None = None,
        *,
        corrected: bytes = b"",
        fix: FixIt = FixIt.REPLACE,
        at: int | None = None,
        **values: bytes | str | int,
    ) -> None:
        """Add a diagnostic for line `number`, by default the next one.

        `corrected` is the line to write, if there is one, and `fix` where to write it: in place
        of, before or after line `at`, by default the wrong one. `values` are those of the sentence,
        beside `text`, the next line unless another is given, and `meant`, the corrected one.
        """
        values = {"text": self.line, "meant": corrected, **values}
        wrong, line = number or self.number, corrected.decode("utf-8", "backslashreplace")
        correction, found = (line, fix, at or wrong), self.found
        found.errors += 1
        if len(found.diagnostics) < _MAX_DIAGNOSTICS:
            found.diagnostics.append(Diagnostic(wrong, fault, values, found.source, *correction))

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

    def seek(self, pattern: re.Pattern[bytes]) -> Iterator[bytes]:
        """Move to each line that `pattern`, one of `line_start`, matches, in turn, and yield it.

        Lines that are taken meanwhile are not looked at.
        """
        self.skip_to(pattern)
        while not self.at_end:
            at = self.at
            yield self.line
            self.at += self.at == at
            self.skip_to(pattern)
