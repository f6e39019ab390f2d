"""Operations in JSON, and any patch that stands in a string of JSON.

    operation := {"type": "create_file" | "update_file", "path": string, "diff": string}
               | {"type": "delete_file", "path": string}

Rules: OpenAI's guide "Apply patch" and the types of its Responses API: `diff` is the body of an
envelope's section. Operations come alone, in a list, one on each line, or within what the API and
agents put round them; a patch in a string, as the arguments of a call. It is a family for the
operations and a frame for the strings; JSON that holds neither is prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_opatch.parse import envelope
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.operations.json_text import Broken, end_of
from git_opatch.parse.operations.reader import OperationLines, Reader
from git_opatch.patch import FilePatch

# A string alone has an escape, since a patch has more than one line.
HINT = rb'\{\s*+"|\[\s*+["{]|"(?:\*\*\* |[^"\\\r\n]*+\\)'
_LIKELY = re.compile(rb"[ \t]*+(?=([^ \t]))(?:" + HINT + rb")")
_ENDS_LINE = re.compile(rb"[ \t\r]*(?:\n|\Z)")
# What is broken, and holds this, was meant as a patch.
_PATCH = re.compile(
    rb"[\"'](?:create|update|delete)_file[\"']|[\"']apply_?patch|\*\*\* ?Begin Patch"
)


def starts(cursor: Cursor) -> bool:
    """Whether the cursor is over an operation."""
    return isinstance(cursor.lines, OperationLines)


def parse(cursor: Cursor) -> list[FilePatch]:
    """Take an operation and give its section."""
    files = envelope.sections(cursor)
    if len(files) > 1:
        cursor.fault("an operation is for one file; put this into one of its own", files[1].number)
    return files[:1]


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
    """Take what is no JSON, up to where that shows: a fault if it was meant as a patch."""
    lines = cursor.lines
    at = lines.at_offset(broken.at)
    if lines.raw[start] == ord('"'):
        meant = broken.at == start and lines.raw.startswith(b'"*** ', start)
    else:
        in_string = lines.raw[broken.at : broken.at + 1] == b'"'
        stop = lines.offset(at + 1) if in_string else broken.at
        meant = _PATCH.search(lines.raw, start, stop) is not None
    if meant:
        cursor.fault(str(broken), lines.number(at))
        at += 1
    cursor.at = max(cursor.at + 1, at)
    return iter(())


def is_operation(line: bytes) -> bool:
    """Whether `line` begins an operation, or what holds one or a patch."""
    return _LIKELY.match(line) is not None and _PATCH.search(line) is not None
