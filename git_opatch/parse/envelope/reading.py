"""The `*** Begin Patch` envelope of OpenCode and Codex.

    envelope := "*** Begin Patch" ["*** Environment ID: " id] section* "*** End Patch"

Its sections are read in `section`, how loosely its markers are in `marker`. A marker is one only
where a hunk's line cannot stand: a padded one inside an update is context.

Rules: OpenCode's patch format ("Patch Structure") and Codex's parser for what it leaves open:
padded markers, blank lines between hunks, a first hunk without `@@`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_opatch.errors import Fix
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope.marker import is_begin, is_end, marker_of
from git_opatch.parse.envelope.section import read_sections
from git_opatch.parse.frames.fence import is_fence, refuse_left_over
from git_opatch.text import visible

_LEFT_OVER = re.compile(rb"-(?!-)|\+(?!\+\+ )")


def starts(cursor: Cursor) -> bool:
    """Whether an envelope begins at the cursor."""
    return starts_with(cursor.line)


def starts_with(line: bytes) -> bool:
    """Whether `line` begins an envelope."""
    return is_begin(line)


def is_marker(line: bytes) -> bool:
    """Whether `line` can only be part of an envelope."""
    return is_end(line) or marker_of(line) is not None


def parse(cursor: Cursor) -> None:
    """Take one envelope and note its sections."""
    begin, first = cursor.number, cursor.at
    cursor.take()
    end, found = _end_of(cursor)
    if not found:
        _no_end(cursor, begin, end)
    faults, before = len(cursor.faults), len(cursor.sections)
    _refuse_quotation(cursor, first, end + found)
    read_sections(cursor.within(end))
    cursor.at = end + found
    if found:
        _refuse_left_over(cursor)
        refuse_left_over(cursor)
    if len(cursor.sections) == before and len(cursor.faults) == faults:
        cursor.fault("the patch has no section: it changes nothing", begin)


def _refuse_left_over(cursor: Cursor) -> None:
    """Lines with a mark right after the end belong to the envelope, and would be dropped."""
    if cursor.at_end or not _LEFT_OVER.match(cursor.line):
        return
    cursor.fault(
        f"`{visible(cursor.line)}` stands after `*** End Patch`; move that marker below the last "
        "line of the patch, or leave a blank line after it if prose follows"
    )
    cursor.skip_until(lambda line: not _LEFT_OVER.match(line))


def _refuse_quotation(cursor: Cursor, first: int, end: int) -> None:
    """An envelope whose every line is indented is quoted, and its lines are not what they seem."""
    begin = cursor.line_at(first)
    indent = begin[: len(begin) - len(begin.lstrip())]
    inside = (cursor.line_at(at) for at in range(first + 1, end))
    if indent and all(line.startswith(indent) for line in inside if line.strip()):
        message = f"the whole patch is indented by {len(indent)}; send it without"
        cursor.fault(message, cursor.lines.number(first))


def _end_of(cursor: Cursor) -> tuple[int, bool]:
    """Where the envelope ends, and whether a marker says so.

    The first end marker at the margin ends it, else the last padded one: any other padded
    one is a line of context. Where none does, it ends with the fence that it stands in.
    """
    padded = fence = None
    for at in _with_stars(cursor):
        line = cursor.line_at(at)
        if fence is None and cursor.fence and line.startswith(cursor.fence):
            fence = at if is_fence(cursor, line) else None
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
        at = cursor.end
    if padded is not None:
        return padded, True
    return at if fence is None else fence, False


def _with_stars(cursor: Cursor) -> Iterator[int]:
    """The lines that hold what a marker does, or the fence that the cursor is in."""
    held = re.compile(rb"\*\*" + (b"|" + re.escape(cursor.fence) if cursor.fence else b""))
    lines, at = cursor.lines, cursor.at
    end = lines.offset(cursor.end)
    while match := held.search(lines.raw, lines.offset(at), end):
        at = lines.at_offset(match.start())
        yield at
        at += 1


def _no_end(cursor: Cursor, begin: int, end: int) -> None:
    cursor.fault(
        f"the patch that begins here has no end; if it is whole, add a line `*** End Patch` "
        f"after line {cursor.lines.number(end - 1)} (a text that was cut off looks the same)",
        begin,
        corrected=b"*** End Patch",
        fix=Fix.INSERT_AFTER,
        at=cursor.lines.number(end - 1),
    )
