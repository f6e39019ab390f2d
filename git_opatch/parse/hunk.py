r"""The hunks of all formats: `@@` headers and lines with a prefix.

    header := "@@" | "@@ " text [" @@"] | "@@ ... @@" | "@@ -a,b [+c,d] [@@]" [" " heading]
    line   := (" " | "-" | "+") text | "" | "\ No newline at end of file"

An empty line is an empty context line: editors and models strip the space. Some strip it from
every context line; then a line without a prefix is context as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.parse.diagnose import (
    diagnose_header,
    diagnose_misplaced_no_newline,
    diagnose_missing_prefix,
)
from git_opatch.parse.hunk_line import (
    context_without_prefix,
    parse_line,
    take_lines,
    without_newline,
)
from git_opatch.parse.scanner import Scanner

_RANGE = rb"(\d{1,12})(?:,(\d{1,12}))?"
_HEADING = rb"(?:(?<=@@)[ \t](.*))?"
_NUMBERED = rb"(?s)@@ ?-" + _RANGE + rb"(?: \+" + _RANGE + rb"(?: ?@@)?| ?@@)" + _HEADING
_ELIDED = rb"(?s)@@(?:[ \t.]++|(?:\xe2\x80\xa6)++)*+@@" + _HEADING
_UNSPACED = rb"(?s)@@([^\s@.+-].*)"
PREFIXED_LINES = re.compile(rb"(?:[ +-][^\n]*+\n?+|\n)*+")
CERTAIN_LINES = re.compile(rb"(?: [^\n]*+\n?+|\+[^+\n][^\n]*+\n?+|-[^-\n][^\n]*+\n?+|\+\n|-\n)*+")
"""Lines with a prefix that can be neither part of a diff's header nor the signature of a mail."""
_RULE = re.compile(rb"-{2,}")
_MIN_NO_NEWLINE = 12
_MAX_HEADERS = 100


class Header(NamedTuple):
    """A `@@` line. Positions count from 0, as in the file."""

    anchor: Anchor | None = None
    start: int | None = None
    new_start: int | None = None
    old_count: int | None = None
    new_count: int | None = None


_BARE = Header()


def parse_header(line: bytes) -> Header | None:
    """Parse a hunk header; None if `line` is not one."""
    header = line.rstrip()
    if header == b"@@":
        return _BARE
    if numbered := re.fullmatch(_NUMBERED, header):
        return _numbered_header(numbered)
    if elided := re.fullmatch(_ELIDED, header):
        return Header(_weak_anchor(elided[1]))
    if line.startswith(b"@@ "):
        return Header(Anchor(_strip_closing(line[3:])))
    return None


def _parse_unspaced(line: bytes) -> Header | None:
    """Parse an anchor without the space before it, as models write `@@section1`; or None.

    Only above the lines of a hunk: among them `@@count = 0` may be a line that lost its prefix.
    """
    match = re.fullmatch(_UNSPACED, line)
    return Header(Anchor(_strip_closing(match[1]))) if match else None


def _weak_anchor(text: bytes | None) -> Anchor | None:
    return Anchor(text.strip(), weak=True) if text and text.strip() else None


def _strip_closing(text: bytes) -> bytes:
    """Remove the ` @@` that may close an anchor's text."""
    ended = text.rstrip()
    closed = ended.endswith((b" @@", b"\t@@"))
    return ended[:-2].rstrip() if closed else text.rstrip(b"\r")


def _numbered_header(match: re.Match[bytes]) -> Header:
    old, old_count, new, new_count, heading = match.groups()
    start, old_lines = _parse_range(old, old_count)
    new_start, new_lines = _parse_range(new, new_count) if new else (None, None)
    return Header(_weak_anchor(heading), start, new_start, old_lines, new_lines)


def _parse_range(first: bytes, count: bytes | None) -> tuple[int, int]:
    """Return the position of a range, from 0, and its number of lines."""
    lines = 1 if count is None else int(count)
    # An empty range names the line before it (GNU diff, "Detailed Unified").
    return max(int(first) - (lines > 0), 0), lines


@dataclass(slots=True, eq=False)
class HunkBuilder:
    """A hunk that is being read."""

    number: int
    uniform_endings: bool
    lines: list[Line] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    old_count: int = 0
    new_count: int = 0
    removed_ranges: list[int] = field(default_factory=list)
    at_end_of_file: bool = False
    no_newline_positions: list[tuple[int, int]] = field(default_factory=list)
    r"""The index of each line without a newline, and the position of the `\ No newline…` below."""
    unfinished: bool = False
    """Whether the text ends in it, without a newline, and its header announces more lines."""
    separators: int = 0
    """How many of the last lines are empty, without a prefix, and announced by no header."""
    closed: bool = False
    """True after `*** End of File`: no line of this hunk can follow."""

    @classmethod
    def at(cls, scanner: Scanner) -> HunkBuilder:
        """Begin a hunk at the scanner's next line."""
        return cls(scanner.number, scanner.uniform_endings)

    def add(self, line: Line) -> None:
        """Add a line."""
        self.lines.append(line)
        self.old_count += line.prefix is not Prefix.ADDED
        self.new_count += line.prefix is not Prefix.REMOVED

    def extend(self, lines: Sequence[Line]) -> None:
        """Add lines."""
        self.lines += lines
        prefixes = [line.prefix for line in lines]
        self.old_count += len(lines) - prefixes.count(Prefix.ADDED)
        self.new_count += len(lines) - prefixes.count(Prefix.REMOVED)

    def mark_no_newline(self, at: int) -> None:
        r"""Take the `\ No newline at end of file` at position `at`: the last line has none."""
        self.lines[-1] = without_newline(self.lines[-1])
        self.no_newline_positions.append((len(self.lines) - 1, at))
        self.at_end_of_file = True

    def find_misplaced_no_newline(self) -> int | None:
        r"""Return the position of a `\ No newline…` above lines of the same side, or None."""
        if not self.no_newline_positions:
            return None
        left = len(self.lines)
        while (
            left
            and self.lines[left - 1].prefix is Prefix.CONTEXT
            and not self.lines[left - 1].text.strip()
        ):
            left -= 1
        lasts = {
            next((at for at in range(left - 1, -1, -1) if self.lines[at].prefix is not prefix), -1)
            for prefix in (Prefix.ADDED, Prefix.REMOVED)
        }
        found = self.no_newline_positions
        return next((at for index, at in found if index < left and index not in lasts), None)

    def find_unprefixed_line(self) -> int:
        """Return the number of a line without a prefix in a hunk that changes nothing, or 0.

        Such a hunk was not meant as context: it may be a patch of another format.
        """
        if not self.old_count == self.new_count == len(self.lines):
            return 0
        return next((line.number for line in self.lines if not line.has_prefix), 0)

    def read_rules_as_context(self) -> None:
        """Read lines of dashes alone as context without a prefix, where the hunk proves it.

        `---` looks like a removed `--`. It is context if the hunk has the lines that its header
        announces under that reading, and not under the other; or if its header announces none, and
        all of its context lost the prefix (D183).
        """
        rules = [
            at
            for at, line in enumerate(self.lines)
            if line.prefix is Prefix.REMOVED and _RULE.fullmatch(line.text)
        ]
        if not rules or not self._proves_context(len(rules)):
            return
        for at in rules:
            line = self.lines[at]
            self.lines[at] = context_without_prefix(b"-" + line.text, line.number)
        self.new_count += len(rules)

    def _proves_context(self, rules: int) -> bool:
        """Return whether so many lines that look removed must be context."""
        stated = self.headers[-1] if self.headers else _BARE
        if stated.old_count is None or stated.new_count is None:
            context = [line for line in self.lines if line.prefix is Prefix.CONTEXT]
            written = [line for line in context if line.text.strip()]
            return bool(written) and not any(line.has_prefix for line in written)
        if self.is_complete:
            return False
        blank = next((n for n, line in enumerate(reversed(self.lines)) if line.text.strip()), 0)
        beyond = self.old_count - stated.old_count
        return 0 <= beyond <= blank and self.new_count + rules - beyond == stated.new_count

    @property
    def is_complete(self) -> bool:
        """Whether the hunk has exactly the lines that its header announced."""
        stated = self.headers[-1] if self.headers else _BARE
        return (self.old_count, self.new_count) == (stated.old_count, stated.new_count)

    @property
    def ends_with_context(self) -> bool:
        """Whether its last line is context that is not blank, so that all changes are whole."""
        last = self.lines[-1] if self.lines else None
        return last is not None and last.prefix is Prefix.CONTEXT and bool(last.text.strip())

    @property
    def is_incomplete(self) -> bool:
        """Whether the hunk has fewer lines than its header announced."""
        stated = self.headers[-1] if self.headers else _BARE
        if stated.old_count is None or stated.new_count is None:
            return False
        return self.old_count < stated.old_count or self.new_count < stated.new_count

    def finish(self, ordinal: int, *, is_last: bool) -> Hunk:
        """Make the hunk, with its ordinal in the section."""
        numbered = [header for header in self.headers if header.start is not None]
        stated = numbered[-1] if numbered else _BARE
        anchors = tuple([header.anchor for header in self.headers if header.anchor])
        return Hunk(
            *(tuple(self.lines), anchors, stated.start, stated.new_start, self.at_end_of_file),
            number=self.lines[0].number,
            ordinal=ordinal,
            is_last=is_last,
            uniform_endings=self.uniform_endings,
            removed_ranges=tuple(self.removed_ranges),
            of_new_file=(stated.start, stated.old_count) == (0, 0),
            unfinished=self.unfinished,
            separators=self.separators,
        )


def is_no_newline(line: bytes) -> bool:
    r"""Return whether `line` can be `\ No newline at end of file`, in any language.

    As in git (`apply.c`, "adjust_incomplete"): at least 12 bytes that begin with `\ `.
    """
    return line.startswith(b"\\ ") and len(line) >= _MIN_NO_NEWLINE


def finish_hunks(builders: Iterable[HunkBuilder]) -> tuple[Hunk, ...]:
    """Make the hunks of one section."""
    found = tuple(builders)
    return tuple(
        builder.finish(ordinal, is_last=ordinal == len(found))
        for ordinal, builder in enumerate(found, start=1)
    )


class HunkReader:
    """Reads the hunks of one file from a scanner, line by line."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self.current: HunkBuilder | None = None

    def take_header(self) -> Iterator[HunkBuilder]:
        """Take a `@@` line and yield the hunk before it; consecutive headers belong to one hunk."""
        scanner = self._scanner
        line = scanner.line
        header = parse_header(line)
        if header is None and (self.current is None or not self.current.lines):
            header = _parse_unspaced(line)
        if header is None:
            diagnose_header(scanner)
            header = _BARE
        if self.current is None or self.current.lines:
            yield from self.close()
            self.current = HunkBuilder.at(scanner)
        self.current.headers.append(header)
        scanner.at += 1
        if len(self.current.headers) > _MAX_HEADERS:
            message = f"more than {_MAX_HEADERS} `@@` lines before one hunk; leave some out"
            scanner.error(message, scanner.previous_number)
            scanner.skip_until(lambda line: not line.startswith(b"@@"))

    def take_line(self) -> bool:
        """Take a line of the hunk; False, with nothing taken, if it has no prefix."""
        scanner, line = self._scanner, self._scanner.line
        if is_no_newline(line):
            return self._take_no_newline()
        if (parsed := parse_line(line, scanner.number)) is None:
            return False
        if self.current is None:
            self.current = HunkBuilder.at(scanner)
        self.current.add(parsed)
        scanner.at += 1
        return True

    def take_lines(self, pattern: re.Pattern[bytes]) -> bool:
        """Take the lines here that `pattern` matches; False if there is none, or no hunk."""
        if self.current is None:
            return False
        lines = take_lines(self._scanner, pattern)
        self.current.extend(lines)
        return bool(lines)

    def take_unprefixed(self) -> None:
        """Take a line without a prefix as context; before any hunk, it is an error."""
        if self.current is None:
            diagnose_missing_prefix(self._scanner)
            return
        number = self._scanner.number
        self.current.add(context_without_prefix(self._scanner.take(), number))

    def _take_no_newline(self) -> bool:
        scanner = self._scanner
        if self.current is None or not self.current.lines:
            scanner.error("there is no line above this one that could lack its newline")
        else:
            self.current.mark_no_newline(scanner.at)
        scanner.take()
        return True

    def close(self) -> Iterator[HunkBuilder]:
        """End the current hunk, if any, and yield it."""
        if self.current is not None and not self.current.lines:
            message = "the hunk has no lines; write context, removed and added lines below its `@@`"
            self._scanner.error(message, self.current.number)
        elif self.current is not None:
            if (at := self.current.find_misplaced_no_newline()) is not None:
                diagnose_misplaced_no_newline(self._scanner, self._scanner.lines.number(at))
            if number := self.current.find_unprefixed_line():
                message = (
                    "no line of this hunk begins with `-` or `+`, and this one does not begin with "
                    "a space; write `-` and `+` before the lines to remove and to add"
                )
                self._scanner.error(message, number)
            self.current.read_rules_as_context()
            if not self.current.is_complete:
                self.current.separators = self._count_separators(self.current.lines)
            yield self.current
        self.current = None

    def _count_separators(self, lines: Sequence[Line]) -> int:
        """Count the empty lines right above that end the hunk of `lines` (D464)."""
        scanner, at = self._scanner, self._scanner.at - 1
        for count, line in enumerate(reversed(lines)):
            is_empty = line.prefix is Prefix.CONTEXT and line.text in (b"", b"\r")
            if not is_empty or scanner.lines.number(at - count) != line.number:
                return count
            if scanner.line_at(at - count) not in (b"", b"\r"):
                return count
        return len(lines)
