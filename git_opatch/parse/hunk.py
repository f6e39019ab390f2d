r"""The hunks of all formats: `@@` headers and lines with a prefix.

    header := "@@" | "@@ " text [" @@"] | "@@ ... @@" | "@@ -a,b [+c,d] [@@]" [" " heading]
    line   := (" " | "-" | "+") text | "" | "\ No newline at end of file"

An empty line is an empty context line: editors and models strip the space. Some strip it from
every context line; then a line without a prefix is context as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from git_opatch.model.common_lines import common_runs
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.model.text import without_cr
from git_opatch.parse.scanner import Scanner

_PREFIXES = {b"": Prefix.CONTEXT, **{prefix.value.encode(): prefix for prefix in Prefix}}
_RANGE = rb"(\d{1,12})(?:, ?(\d{1,12}))?"
_HEADING = rb"(?:(?<=@@)[ \t](.*))?"
_NUMBERED = rb"(?s)@@ ?-" + _RANGE + rb"(?: \+" + _RANGE + rb"(?: ?@@)?| ?@@)" + _HEADING
_TRIPLE = re.compile(rb"(?s)@@@ (-\d[^@-]*)@@@(.*)")
"""Some tools write three signs around the numbers; a merge has one range more."""
_ELIDED = rb"(?s)@@(?:[ \t.]++|(?:\xe2\x80\xa6)++)*+@@" + _HEADING
_UNSPACED = rb"(?s)@@([^\s@.+-].*)"
PREFIXED_LINES = re.compile(rb"(?:[ +-][^\n]*+\n?+|\n)*+")
CERTAIN_LINES = re.compile(rb"(?: [^\n]*+\n?+|\+[^+\n][^\n]*+\n?+|-[^-\n][^\n]*+\n?+|\+\n|-\n)*+")
"""Lines with a prefix that can be neither part of a diff's header nor the signature of a mail."""
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
    if triple := _TRIPLE.fullmatch(header):
        header = b"@@ " + triple[1] + b"@@" + triple[2]
    if numbered := re.fullmatch(_NUMBERED, header):
        old, old_count, new, new_count, heading = numbered.groups()
        start, old_lines = _parse_range(old, old_count)
        new_start, new_lines = _parse_range(new, new_count) if new else (None, None)
        return Header(_weak_anchor(heading), start, new_start, old_lines, new_lines)
    if elided := re.fullmatch(_ELIDED, header):
        return Header(_weak_anchor(elided[1]))
    return Header(Anchor(_strip_closing(line[3:]))) if line.startswith(b"@@ ") else None


def _weak_anchor(text: bytes | None) -> Anchor | None:
    return Anchor(text.strip(), weak=True) if text and text.strip() else None


def _strip_closing(text: bytes) -> bytes:
    """Remove the ` @@` that may close an anchor's text."""
    ended = text.rstrip()
    closed = ended.endswith((b" @@", b"\t@@"))
    return ended[:-2].rstrip() if closed else text.rstrip(b"\r")


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

    def extend(self, lines: Sequence[Line]) -> None:
        """Add lines."""
        self.lines += lines
        prefixes = [line.prefix for line in lines]
        self.old_count += len(lines) - prefixes.count(Prefix.ADDED)
        self.new_count += len(lines) - prefixes.count(Prefix.REMOVED)

    def find_misplaced_no_newline(self) -> int | None:
        r"""Return the position of a `\ No newline…` above lines of the same side, or None."""
        left = size_of_solid(self.lines)
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

    @property
    def _stated(self) -> Header:
        return self.headers[-1] if self.headers else _BARE

    @property
    def is_complete(self) -> bool:
        """Whether the hunk has exactly the lines that its header announced."""
        stated = self._stated
        return (self.old_count, self.new_count) == (stated.old_count, stated.new_count)

    @property
    def is_incomplete(self) -> bool:
        """Whether the hunk has fewer lines than its header announced."""
        stated = self._stated
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


@dataclass(slots=True, eq=False)
class HunkReader:
    """Reads the hunks of one file from a scanner, line by line."""

    _scanner: Scanner
    _pattern: re.Pattern[bytes]
    """The lines of a hunk."""
    bare: bool = False
    """Whether the first hunk may be without a header."""
    may_be_cut: bool = False
    """Whether the last one may be cut off, since no marker ends it."""
    current: HunkBuilder | None = None
    _found: list[HunkBuilder] = field(default_factory=list)

    def _begin(self) -> HunkBuilder:
        self.current = HunkBuilder(self._scanner.number, self._scanner.uniform_endings)
        return self.current

    def read(self, take: Callable[[HunkReader], bool | None]) -> tuple[Hunk, ...]:
        """Read the hunks of one file, up to a line for which `take` returns None, or to the end.

        `take` may take what only its format has, and returns whether it did.
        """
        scanner = self._scanner
        while not scanner.at_end and (taken := take(self)) is not None:
            if taken:
                continue
            if scanner.line.startswith(b"@@"):
                self._take_header()
            elif self.current is None and not scanner.line.strip(b"\r" if self.bare else None):
                scanner.at += 1
            elif not is_hunk_line(scanner.line):
                self._take_unprefixed()
            elif not self.take_lines(self._pattern):
                self._take_line()
        self._close()
        found = self._found
        return tuple(
            builder.finish(ordinal, is_last=ordinal == len(found))
            for ordinal, builder in enumerate(found, start=1)
        )

    def _take_header(self) -> None:
        """Take a `@@` line, which ends the hunk before it; consecutive ones belong to one hunk."""
        scanner, line = self._scanner, self._scanner.line
        header = parse_header(line)
        if header is None and (self.current is None or not self.current.lines):
            # Models write `@@section1`; among lines that may be one that lost its prefix.
            match = re.fullmatch(_UNSPACED, line)
            header = Header(Anchor(_strip_closing(match[1]))) if match else None
        if header is None and line.startswith(b"@@@ -"):
            scanner.error(Malformed.COMBINED_DIFF)
        elif header is None:
            meant = (b"@@ " + line.strip(b" \t\r@")).rstrip()
            scanner.error(Malformed.NOT_A_HEADER, corrected=meant)
        current = self.current
        if current is None or current.lines:
            self._close()
            current = self._begin()
        current.headers.append(header or _BARE)
        scanner.at += 1
        if len(current.headers) > _MAX_HEADERS:
            scanner.error(Malformed.MANY_HEADERS, scanner.previous_number, most=_MAX_HEADERS)
            scanner.skip_until(lambda line: not line.startswith(b"@@"))

    def _take_line(self) -> None:
        """Take a line of a hunk, with its prefix."""
        scanner, line, current = self._scanner, self._scanner.line, self.current
        if is_no_newline(line):
            if current is None or not current.lines:
                scanner.error(Malformed.NO_LINE_ABOVE)
            else:
                current.lines[-1] = current.lines[-1]._replace(newline=False)
                current.no_newline_positions.append((len(current.lines) - 1, scanner.at))
                current.at_end_of_file = True
        else:
            prefix = _PREFIXES.get(line[:1])
            text = line if prefix is None else line[1:]
            made = Line(prefix or Prefix.CONTEXT, text, True, scanner.number)
            (current or self._begin()).extend((made,))
        scanner.at += 1

    def take_lines(self, pattern: re.Pattern[bytes]) -> bool:
        """Take the lines here that `pattern` matches; False if there is none, or no hunk."""
        if self.current is None:
            return False
        lines = take_lines(self._scanner, pattern)
        self.current.extend(lines)
        return bool(lines)

    def _take_unprefixed(self) -> None:
        """Take a line without a prefix as context; before any hunk, it is an error."""
        scanner, first = self._scanner, self._scanner.at
        number, line = scanner.number, scanner.take()
        if self.current is not None:
            self.current.extend((Line(Prefix.CONTEXT, line, number=number, has_prefix=False),))
            return
        scanner.skip_until(lambda line: line.startswith((b" ", b"-", b"+", b"@@", b"*")))
        report_lines_without_prefix(scanner, Malformed.NO_PREFIX, first, b" ")

    def _close(self) -> None:
        """End the current hunk, if any."""
        scanner, current = self._scanner, self.current
        if current is not None and not current.lines:
            if not current.is_complete:
                scanner.error(Malformed.NO_LINES, current.number)
        elif current is not None:
            if self.may_be_cut and scanner.at_end:
                self._judge_last(current)
            if (at := current.find_misplaced_no_newline()) is not None:
                scanner.error(Malformed.MISPLACED_NO_NEWLINE, scanner.lines.number(at))
            if number := current.find_unprefixed_line():
                scanner.error(Malformed.NO_CHANGED_LINE, number)
            if not current.is_complete:
                current.separators = self._count_separators(current.lines)
            self._found.append(current)

    def _judge_last(self, hunk: HunkBuilder) -> None:
        """Refuse the last hunk of a text that was cut off, if it is short of the lines that its
        header announces.

        The text ends in a fence that is open, or without a newline. Without a fence, a line of
        context at the end is noise, if the file has it (D365).
        """
        scanner, last = self._scanner, hunk.lines[-1]
        is_context = last.prefix is Prefix.CONTEXT and bool(last.text.strip())
        is_cut = bool(scanner.fence) or not scanner.ends_with_newline
        hunk.unfinished = is_cut and hunk.is_incomplete
        if hunk.unfinished and (scanner.fence or not is_context):
            scanner.error(Malformed.CUT_HUNK, scanner.previous_number)

    def _count_separators(self, lines: Sequence[Line]) -> int:
        """Count the empty lines right above that end the hunk of `lines` (D464)."""
        scanner, at = self._scanner, self._scanner.at - 1
        for count, line in enumerate(reversed(lines)):
            is_here = scanner.lines.number(at - count) == line.number
            if not is_here or scanner.line_at(at - count) not in (b"", b"\r"):
                return count
        return len(lines)


def is_no_newline(line: bytes) -> bool:
    r"""Return whether `line` can be `\ No newline at end of file`, in any language.

    As in git (`apply.c`, "adjust_incomplete"): at least 12 bytes that begin with `\ `.
    """
    return line.startswith(b"\\ ") and len(line) >= _MIN_NO_NEWLINE


def is_hunk_line(line: bytes) -> bool:
    """Return whether `line` can be one of a hunk that has not lost its prefix."""
    return line[:1] in _PREFIXES or line == b"\r" or is_no_newline(line)


def size_of_solid(lines: Sequence[Line]) -> int:
    """Return how many lines there are without the blank context at the end, which may separate."""
    size = len(lines)
    while size and lines[size - 1].prefix is Prefix.CONTEXT and not lines[size - 1].text.strip():
        size -= 1
    return size


def report_lines_without_prefix(
    scanner: Scanner, fault: Malformed, first: int, prefix: bytes
) -> None:
    """Report the lines from position `first` up to here, which have lost their `prefix`."""
    last = scanner.previous_number if scanner.at - first > 1 else 0
    wrong = replace(scanner, at=first)
    wrong.error(fault, corrected=prefix + wrong.line, last=last)


def take_lines(scanner: Scanner, pattern: re.Pattern[bytes]) -> list[Line]:
    """Take and parse the lines that `pattern` matches: whole lines, empty or with a prefix.

    None is taken where something was put before each line.
    """
    if scanner.dedent is not None:
        return []
    lines, start, end = scanner.lines, scanner.at, scanner.lines.offset(scanner.end)
    match = pattern.match(lines.raw, lines.offset(start), end)
    texts = match[0].split(b"\n")[:-1] if match else []
    if lines.crlf:
        texts = list(map(without_cr, texts))
    scanner.at += len(texts)
    # `Line(…)` takes twice as long, and no other step is done for each line.
    make, numbers = tuple.__new__, lines.numbers(start, scanner.at)
    return [
        make(Line, (_PREFIXES[text[:1]], text[1:], True, number, True))
        for text, number in zip(texts, numbers, strict=True)
    ]


def make_lines(scanner: Scanner, at: int, stop: int, prefix: Prefix) -> list[Line]:
    """Make lines with `prefix` from those at the positions from `at` up to `stop`."""
    make, texts = tuple.__new__, map(scanner.line_at, range(at, stop))
    numbers = scanner.lines.numbers(at, stop)
    return [
        make(Line, (prefix, text, True, number, True))
        for text, number in zip(texts, numbers, strict=True)
    ]


def line_diff(old: Sequence[Line], new: Sequence[Line]) -> list[Line]:
    """Return the lines of the hunk that turns the removed lines `old` into the added lines `new`.

    Lines on both sides become context, which has the line numbers of `old`. Which lines are paired
    is decided in `model.common_lines`.
    """
    texts = ([line.text for line in side] for side in (old, new))
    lines: list[Line] = []
    at = at_new = 0
    for same, same_new, size in common_runs(*texts):
        lines += (*old[at:same], *new[at_new:same_new])
        lines += (line._replace(prefix=Prefix.CONTEXT) for line in old[same : same + size])
        at, at_new = same + size, same_new + size
    return lines
