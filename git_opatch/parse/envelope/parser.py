"""The `*** Begin Patch` envelope of OpenCode and Codex.

    envelope := "*** Begin Patch" ["*** Environment ID: " id] section* "*** End Patch"

Sections are in `section`, markers in `marker`. A line is a marker only where no line of a hunk can
be: an indented one inside an update is context. Source: OpenCode's patch format ("Patch
Structure"); Codex's parser for indented markers, blank lines between hunks and a first hunk
without `@@`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_opatch.model.options import Format
from git_opatch.model.text import visible
from git_opatch.parse.diagnose import report_indented, report_missing_end
from git_opatch.parse.envelope.marker import is_begin, is_end, parse_marker
from git_opatch.parse.envelope.section import read_sections
from git_opatch.parse.formats import FORMATS
from git_opatch.parse.scanner import Scanner
from git_opatch.parse.wrappers.fence import is_fence, report_lines_below

_LAST = FORMATS[Format.ENVELOPE].marks[-1]
_HUNK_LINE = rb"-(?!-)|\+(?!\+\+ )"


def starts(scanner: Scanner) -> bool:
    """Return whether an envelope begins at the next line."""
    return starts_with(scanner.line)


def starts_with(line: bytes) -> bool:
    """Return whether `line` begins an envelope."""
    return is_begin(line)


def is_marker(line: bytes) -> bool:
    """Return whether `line` can only be part of an envelope."""
    return is_end(line) or parse_marker(line) is not None


def parse(scanner: Scanner) -> None:
    """Take one envelope and add its sections."""
    begin, first = scanner.number, scanner.at
    scanner.take()
    end, has_marker = _find_end(scanner)
    if not has_marker:
        report_missing_end(scanner, "patch", _LAST, end, begin)
    errors, sections = len(scanner.diagnostics), len(scanner.sections)
    report_indented(scanner, "patch", first, end + has_marker)
    read_sections(scanner.limited_to(end))
    scanner.at = end + has_marker
    if has_marker:
        _report_lines_after_end(scanner)
        report_lines_below(scanner)
    if len(scanner.sections) == sections and len(scanner.diagnostics) == errors:
        scanner.error("the patch has no section, so it changes nothing", begin)


def _report_lines_after_end(scanner: Scanner) -> None:
    """Report lines with a prefix right after the end marker: they would be dropped."""
    if scanner.at_end or not re.match(_HUNK_LINE, scanner.line):
        return
    scanner.error(
        f"`{visible(scanner.line)}` is below `{visible(_LAST)}`; move that marker below the last "
        "line of the patch, or write a blank line after it if prose follows"
    )
    scanner.skip_until(lambda line: not re.match(_HUNK_LINE, line))


def _find_end(scanner: Scanner) -> tuple[int, bool]:
    """Find the position of the envelope's end, and whether an end marker is there.

    The first unindented end marker ends it, else the last indented one (any other indented one is
    context). Without either it ends at the end of its fence, if it is in one.
    """
    padded = fence = None
    for at in _candidate_ends(scanner):
        line = scanner.line_at(at)
        if fence is None and scanner.fence and line.startswith(scanner.fence):
            fence = at if is_fence(scanner, line) else None
        if b"**" not in line or not line.startswith((b"*", b" ", b"\t")):
            continue
        padding = line[:1] in b" \t"
        if is_end(line):
            if not padding:
                return at, True
            padded = at
        elif not padding and is_begin(line):
            break
    else:
        at = scanner.end
    if padded is not None:
        return padded, True
    return at if fence is None else fence, False


def _candidate_ends(scanner: Scanner) -> Iterator[int]:
    """Find the lines that contain `**` or the characters of the fence around the scanner."""
    pattern = re.compile(rb"\*\*" + (b"|" + re.escape(scanner.fence) if scanner.fence else b""))
    lines, at = scanner.lines, scanner.at
    end = lines.offset(scanner.end)
    while match := pattern.search(lines.raw, lines.offset(at), end):
        at = lines.at_offset(match.start())
        yield at
        at += 1
