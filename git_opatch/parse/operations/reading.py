"""Operations in JSON, and any patch that stands in a string of JSON.

    operation := {"type": "create_file" | "update_file", "path": string, "diff": string}
               | {"type": "delete_file", "path": string}

Rules: OpenAI's guide "Apply patch" and the types of its Responses API: `diff` is the body of an
envelope's section. Operations come alone, in a list, one on each line, or within what the API and
agents put round them; a patch in a string, as the arguments of a call. It is a family for the
operations and a frame for the strings; JSON that holds neither is prose.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope import reading as envelope
from git_opatch.parse.envelope.marker import Marker, marker_of
from git_opatch.parse.envelope.section import read_sections
from git_opatch.parse.operations import JSON
from git_opatch.parse.operations.broken import is_meant, refusal
from git_opatch.parse.operations.json_text import Broken, end_of
from git_opatch.parse.operations.reader import OperationLines, Reader
from git_opatch.patch import Operation

_MARKERS = {
    Operation.ADD: Marker.ADD,
    Operation.DELETE: Marker.DELETE,
    Operation.UPDATE: Marker.UPDATE,
}
_LIKELY = re.compile(rb"[ \t]*+(?=([^ \t]))(?:" + JSON + rb")")
_ENDS_LINE = re.compile(rb"[ \t\r]*(?:\n|\Z)")


def starts(cursor: Cursor) -> bool:
    """Whether the cursor is over an operation."""
    return isinstance(cursor.lines, OperationLines)


def parse(cursor: Cursor) -> None:
    """Take an operation and note its section."""
    if _holds_envelope(cursor):
        _enveloped(cursor)
        return
    before = len(cursor.sections)
    read_sections(cursor)
    if len(cursor.sections) > before + 1:
        number = cursor.sections[before + 1].number
        cursor.fault("an operation is for one file; put this into one of its own", number)


def _holds_envelope(cursor: Cursor) -> bool:
    """Whether the first line of `diff` that is not blank begins an envelope, at the margin."""
    ahead = replace(cursor, at=cursor.at + 1)
    ahead.skip_blank()
    return not ahead.at_end and ahead.line.startswith(b"*") and envelope.starts(ahead)


def _enveloped(cursor: Cursor) -> None:
    """Take an operation whose `diff` is an envelope: of its section, and of no other.

    Rule: the project's decision; the API has the section's body alone, models often write more.
    """
    asked, faults = marker_of(cursor.take()), len(cursor.faults)
    cursor.skip_blank()
    number, before = cursor.number, len(cursor.sections)
    envelope.parse(cursor)
    cursor.skip_blank()
    found = (cursor.sections[at] for at in range(before, len(cursor.sections)))
    given = [(_MARKERS.get(one.operation), os.fsencode(one.path)) for one in islice(found, 2)]
    if len(cursor.faults) == faults and (given != [asked] or not cursor.at_end):
        cursor.fault(
            "this `diff` is an envelope that is not for the operation's `path` and `type` alone; "
            "leave the envelope out, and write an operation for each file",
            number,
        )
    cursor.at = cursor.end


def opened(cursor: Cursor) -> Iterator[Cursor] | None:
    """Take the JSON value that begins at the cursor's line, and give the patches in it."""
    raw = cursor.lines.raw
    match = _LIKELY.match(raw, cursor.lines.offset(cursor.at))
    if match is None:
        return None
    start = match.start(1)
    try:
        end = end_of(raw, start)
        if not _ENDS_LINE.match(raw, end):
            raise Broken(end, "the line goes on after the JSON value that ends here")
    except Broken as broken:
        return _refused(cursor, start, broken)
    cursor.at = cursor.lines.at_offset(end - 1) + 1
    return Reader(cursor).value(start, end, "")


def _refused(cursor: Cursor, start: int, broken: Broken) -> Iterator[Cursor]:
    """Take what is no JSON, up to where that shows; to its end, and a fault, if it was meant."""
    lines = cursor.lines
    at = lines.at_offset(broken.at)
    refused = refusal(lines.raw, start, broken)
    if refused is not None:
        message, end = refused
        cursor.fault(message, lines.number(at))
        at = max(at, lines.at_offset(end)) + 1
    cursor.at = max(cursor.at + 1, at)
    return iter(())


def is_operation(line: bytes) -> bool:
    """Whether `line` begins an operation, or what holds one or a patch."""
    return _LIKELY.match(line) is not None and is_meant(line)
