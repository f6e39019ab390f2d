r"""What all formats of lines share: hunks.

    header := "@@" | "@@ " text [" @@"] | "@@ ... @@" | "@@ -a,b [+c,d] [@@]" [" " heading]
    line   := (" " | "-" | "+") text | "" | "\ No newline at end of file"

An empty line is an empty context line. A line without a prefix is context that lost its space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from git_opatch.model.common_lines import common_runs
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.sentences import Malformed
from git_opatch.parse.text import Scanner

_PREFIXES = {b"": Prefix.CONTEXT, **{prefix.value.encode(): prefix for prefix in Prefix}}
_TRIPLE = re.compile(rb"(?s)\A@@@ (-\d[^@-]*)@@@(.*)\Z")
_HEADER = re.compile(
    rb"""(?xs) @@
    (?: [ ]?-(\d{1,12})(?:,[ ]?(\d{1,12}))?
        (?: [ ]\+(\d{1,12})(?:,[ ]?(\d{1,12}))?(?:[ ]?@@)? | [ ]?@@ )
      | (?: [ \t.]++ | (?:\xe2\x80\xa6)++ )*+ @@ )
    (?: (?<=@@)[ \t](.*) )?"""
)
_MAX_HEADERS = 100


class Header(NamedTuple):
    """A `@@` line. Positions count from 0."""

    anchor: Anchor | None = None
    start: int | None = None
    new_start: int | None = None
    old: int | None = None
    new: int | None = None


def parse_header(line: bytes) -> Header | None:
    """Parse a hunk header; None if `line` is not one."""
    header = _TRIPLE.sub(rb"@@ \1@@\2", line.rstrip())
    if header == b"@@":
        return Header()
    match = _HEADER.fullmatch(header)
    if match is None:
        return Header(Anchor(_open(line[3:]))) if line.startswith(b"@@ ") else None
    start, old = _range(match[1], match[2])
    new_start, new = _range(match[3], match[4])
    heading = (match[5] or b"").strip()
    return Header(Anchor(heading, weak=True) if heading else None, start, new_start, old, new)


def _open(text: bytes) -> bytes:
    """Remove the ` @@` that may close an anchor's text."""
    ended = text.rstrip()
    return ended[:-2].rstrip() if ended.endswith((b" @@", b"\t@@")) else text.rstrip(b"\r")


def _range(first: bytes | None, count: bytes | None) -> tuple[int | None, int | None]:
    if first is None:
        return None, None
    lines = int(count or 1)  # an empty range names the line before it
    return max(int(first) - (lines > 0), 0), lines


@dataclass(slots=True, eq=False)
class OpenHunk:
    """A hunk that is being read."""

    number: int
    lines: list[Line] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    old: int = 0
    new: int = 0
    ranges: list[int] = field(default_factory=list)
    bare_ends: list[tuple[int, int]] = field(default_factory=list)
    r"""The index of each line without a newline, and the position of the `\ No newline…` below."""
    at_end: bool = False
    closed: bool = False
    """True after `*** End of File`: no line of this hunk can follow."""
    unfinished: bool = False
    separators: int = 0

    def add(self, line: Line) -> None:
        """Add a line."""
        self.lines.append(line)
        self.old += line.prefix is not Prefix.ADDED
        self.new += line.prefix is not Prefix.REMOVED

    @property
    def _stated(self) -> tuple[int | None, int | None]:
        return (self.headers or [Header()])[-1][3:]

    @property
    def is_complete(self) -> bool:
        """Whether it has exactly the lines that its header announced."""
        return (self.old, self.new) == self._stated

    @property
    def is_incomplete(self) -> bool:
        """Whether it has fewer lines than its header announced."""
        old, new = self._stated
        return old is not None and new is not None and (self.old < old or self.new < new)


@dataclass(slots=True, eq=False)
class Hunks:
    """Reads the hunks of one file, line by line."""

    scanner: Scanner
    is_diff: bool = True
    """Whether `--` and `++` may begin the header of a next file, or a signature."""
    bare: bool = False
    """Whether the first hunk may be without a header."""
    may_be_cut: bool = False
    """Whether the last one may be cut off, since no marker ends it."""
    current: OpenHunk | None = None
    finished: list[OpenHunk] = field(default_factory=list)

    def read(self, take: Callable[[Hunks], bool | None]) -> tuple[Hunk, ...]:
        """Read the hunks up to a line for which `take` returns None, or to the end.

        `take` may take what only its format has, and returns whether it did.
        """
        scanner = self.scanner
        while scanner.more and (taken := take(self)) is not None:
            line = scanner.line
            if taken or self.take_lines():
                continue
            if line.startswith(b"@@"):
                self._take_header(line)
            elif not (self.current or line.strip(b"\r" if self.bare else None)):
                scanner.at += 1
            elif is_hunk_line(line):
                self._take_line(line)
            elif self.current:
                self.current.add(Line(Prefix.CONTEXT, line, True, scanner.number, False))
                scanner.at += 1
            else:
                report_unprefixed(scanner, Malformed.NO_PREFIX, b" ", b" ", b"-", b"+", b"@@", b"*")
        self._close()
        return tuple(self._hunk(*pair) for pair in enumerate(self.finished, start=1))

    def take_lines(self) -> bool:
        """Take the lines here that are certain; False if there is none, or no hunk."""
        scanner, current = self.scanner, self.current
        if current is None:
            return False
        first, make, number = scanner.at, tuple.__new__, scanner.text.number
        unsure = (b"--", b"++") if self.is_diff else ()
        for at in range(first, scanner.end):
            line = scanner.lines[at]
            prefix = _PREFIXES.get(line[:1])
            if prefix is None or (self.is_diff and not line) or line[:2] in unsure:
                break
            current.lines.append(make(Line, (prefix, line[1:], True, number(at), True)))
            current.old += prefix is not Prefix.ADDED
            current.new += prefix is not Prefix.REMOVED
            scanner.at += 1
        return scanner.at > first

    def _take_header(self, line: bytes) -> None:
        """Take a `@@` line, which ends the hunk before it; consecutive ones belong to one hunk."""
        scanner, header, current = self.scanner, parse_header(line), self.current
        if header is None and not (current and current.lines) and re.match(rb"@@[^\s@.+-]", line):
            header = Header(Anchor(_open(line[2:])))  # `@@section1`
        if header is None and line.startswith(b"@@@ -"):
            scanner.error(Malformed.COMBINED_DIFF)
        elif header is None:
            meant = (b"@@ " + line.strip(b" \t\r@")).rstrip()
            scanner.error(Malformed.NOT_A_HEADER, corrected=meant)
        if current is None or current.lines:
            self._close()
            self.current = current = OpenHunk(scanner.number)
        current.headers.append(header or Header())
        scanner.at += 1
        if len(current.headers) > _MAX_HEADERS:
            scanner.error(
                Malformed.MANY_HEADERS, scanner.number_at(scanner.at - 1), most=_MAX_HEADERS
            )
            scanner.skip_until(lambda line: not line.startswith(b"@@"))

    def _take_line(self, line: bytes) -> None:
        scanner, current = self.scanner, self.current
        if not is_no_newline(line):
            self.current = current = current or OpenHunk(scanner.number)
            prefix = _PREFIXES.get(line[:1])
            text = line if prefix is None else line[1:]
            current.add(Line(prefix or Prefix.CONTEXT, text, True, scanner.number))
        elif current and current.lines:
            current.lines[-1] = current.lines[-1]._replace(newline=False)
            current.bare_ends.append((len(current.lines) - 1, scanner.at))
            current.at_end = True
        else:
            scanner.error(Malformed.NO_LINE_ABOVE)
        scanner.at += 1

    def _close(self) -> None:
        """End the current hunk, if any."""
        scanner, current = self.scanner, self.current
        if current is None:
            return
        if not current.lines:
            if not current.is_complete:
                scanner.error(Malformed.NO_LINES, current.number)
            return
        if self.may_be_cut and not scanner.more:
            last, is_cut = current.lines[-1], bool(scanner.fence) or not scanner.is_ended
            current.unfinished = is_cut and current.is_incomplete
            is_context = last.prefix is Prefix.CONTEXT and last.text.strip()
            if current.unfinished and (scanner.fence or not is_context):
                scanner.error(Malformed.CUT_HUNK, scanner.number_at(scanner.at - 1))
        self._check(current)
        if not current.is_complete:
            for count, line in enumerate(reversed(current.lines), start=1):
                at = scanner.at - count
                if scanner.number_at(at) != line.number or scanner.lines[at] not in (b"", b"\r"):
                    break
                current.separators = count
        self.finished.append(current)

    def _check(self, part: OpenHunk) -> None:
        """Report a misplaced end of the file, and lines that may be of another format."""
        scanner, solid = self.scanner, size_of_solid(part.lines)
        lasts = {
            max((at for at in range(solid) if part.lines[at].prefix is not prefix), default=-1)
            for prefix in (Prefix.ADDED, Prefix.REMOVED)
        }
        for index, at in part.bare_ends:
            if index < solid and index not in lasts:  # above lines of the same side
                scanner.error(Malformed.MISPLACED_NO_NEWLINE, scanner.number_at(at))
                break
        if part.old == part.new == len(part.lines):
            lost = next((line.number for line in part.lines if not line.has_prefix), 0)
            if lost:  # it was not meant as context
                scanner.error(Malformed.NO_CHANGED_LINE, lost)

    def _hunk(self, ordinal: int, part: OpenHunk) -> Hunk:
        numbered = [header for header in part.headers if header.start is not None]
        stated = (numbered or [Header()])[-1]
        return Hunk(
            tuple(part.lines),
            tuple([header.anchor for header in part.headers if header.anchor]),
            stated.start,
            stated.new_start,
            part.at_end,
            number=part.lines[0].number,
            ordinal=ordinal,
            is_last=ordinal == len(self.finished),
            uniform_endings=self.scanner.text.uniform,
            removed_ranges=tuple(part.ranges),
            of_new_file=(stated.start, stated.old) == (0, 0),
            unfinished=part.unfinished,
            separators=part.separators,
        )


def is_no_newline(line: bytes) -> bool:
    r"""Return whether `line` can be `\ No newline at end of file`, in any language, as in git."""
    return line.startswith(b"\\ ") and len(line) >= 12


def is_hunk_line(line: bytes) -> bool:
    """Return whether `line` can be one of a hunk that has not lost its prefix."""
    return line[:1] in _PREFIXES or line == b"\r" or is_no_newline(line)


def size_of_solid(lines: Sequence[Line]) -> int:
    """Return how many lines there are without the blank context at the end, which may separate."""
    size = len(lines)
    while size and lines[size - 1].prefix is Prefix.CONTEXT and not lines[size - 1].text.strip():
        size -= 1
    return size


def report_unprefixed(scanner: Scanner, fault: Malformed, prefix: bytes, *stops: bytes) -> None:
    """Take lines that have lost their `prefix`, up to one that begins so, with one error."""
    wrong = scanner.copy()
    scanner.at += 1
    scanner.skip_until(lambda line: line.startswith(stops))
    last = scanner.number_at(scanner.at - 1) if scanner.at - wrong.at > 1 else 0
    wrong.error(fault, corrected=prefix + wrong.line, last=last)


def make_lines(scanner: Scanner, at: int, stop: int, prefix: Prefix) -> list[Line]:
    """Make lines with `prefix` from those at the positions from `at` up to `stop`."""
    make, number, lines = tuple.__new__, scanner.text.number, scanner.lines
    return [make(Line, (prefix, lines[k], True, number(k), True)) for k in range(at, stop)]


def line_diff(old: Sequence[Line], new: Sequence[Line]) -> list[Line]:
    """Return the lines of the hunk that turns the removed lines `old` into the added ones `new`."""
    lines: list[Line] = []
    at = at_new = 0
    for same, same_new, size in common_runs(*([line.text for line in side] for side in (old, new))):
        lines += (*old[at:same], *new[at_new:same_new])
        lines += (line._replace(prefix=Prefix.CONTEXT) for line in old[same : same + size])
        at, at_new = same + size, same_new + size
    return lines
