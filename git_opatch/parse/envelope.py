"""The `*** Begin Patch` envelope of OpenCode and Codex.

    envelope := "*** Begin Patch" ["*** Environment ID: " id] section* "*** End Patch"
    section  := "*** Add File: " path ("+" text)*
              | "*** Delete File: " path
              | "*** Update File: " path ["*** Move to: " path] hunk*
    hunk     := ("@@" [" " anchor])* line+ ["*** End of File"]

Rules: OpenCode's patch format ("Patch Structure", "Operation Types", "End of File
Marker") and Codex's parser for what it leaves open: padded markers, blank lines between
hunks, a first hunk without `@@`. A marker is one only where a hunk's line cannot stand:
a padded one inside an update is context.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace

from git_opatch.parse.cursor import Cursor
from git_opatch.parse.hunk import Hunks
from git_opatch.patch import FilePatch, Hunk, Line, Mark, Operation
from git_opatch.text import visible

HINT = rb"\*+[ \t]*[A-Za-z]"
_BEGIN = re.compile(rb"\s*\*+\s*begin\s+patch\s*\**\s*", re.IGNORECASE)
_END = re.compile(rb"\s*\*+\s*end\s+patch\s*\**\s*", re.IGNORECASE)
_END_OF_FILE = b"*** End of File"
_ADD, _DELETE, _UPDATE = b"*** Add File: ", b"*** Delete File: ", b"*** Update File: "
_MOVE = b"*** Move to: "
_ENVIRONMENT = b"*** Environment ID: "
_KNOWN = "`*** Add File: PATH`, `*** Update File: PATH`, `*** Delete File: PATH` or `*** End Patch`"


def starts(cursor: Cursor) -> bool:
    """Whether an envelope begins at the cursor."""
    return starts_with(cursor.line)


def starts_with(line: bytes) -> bool:
    """Whether `line` begins an envelope."""
    return _BEGIN.fullmatch(line) is not None


def is_marker(line: bytes) -> bool:
    """Whether `line` can only be part of an envelope."""
    return _END.fullmatch(line) is not None or line.lstrip().startswith(
        (_ADD, _DELETE, _UPDATE, _MOVE)
    )


def parse(cursor: Cursor) -> list[FilePatch]:
    """Take one envelope and give its sections."""
    begin, first = cursor.number, cursor.at
    cursor.take()
    end, found = _end_of(cursor)
    if not found:
        _no_end(cursor, begin, end)
    faults = len(cursor.faults)
    _refuse_quotation(cursor, first, end + found)
    files = _sections(cursor.within(end))
    cursor.at = end + found
    if not files and len(cursor.faults) == faults:
        cursor.fault("the patch has no section: it changes nothing", begin)
    return files


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
    one is a line of context.
    """
    padded = None
    for at in range(cursor.at, cursor.end):
        line = cursor.line_at(at)
        if not line.startswith((b"*", b" ", b"\t")):
            continue
        padding = line[:1] in b" \t"
        if _END.fullmatch(line):
            if not padding:
                return at, True
            padded = at
        elif not padding and starts_with(line):
            break
    else:
        at = cursor.end
    return (at, False) if padded is None else (padded, True)


def _no_end(cursor: Cursor, begin: int, end: int) -> None:
    cursor.fault(
        f"the patch that begins here has no end; if it is whole, add a line `*** End Patch` "
        f"after line {cursor.lines.number(end - 1)} (a text that was cut off looks the same)",
        begin,
    )


def _sections(cursor: Cursor) -> list[FilePatch]:
    cursor.skip_blank()
    if not cursor.at_end and cursor.line.lstrip().startswith(_ENVIRONMENT):
        cursor.take()
    files: list[FilePatch] = []
    while True:
        cursor.skip_blank()
        if cursor.at_end:
            return files
        files += _section(cursor)


def _section(cursor: Cursor) -> list[FilePatch]:
    header = cursor.line.lstrip()
    for marker, read in _READERS.items():
        if header.startswith(marker):
            return [read(cursor)]
    cursor.fault(f"`{visible(cursor.line)}` is no marker of a patch; expected {_KNOWN}")
    cursor.take()
    cursor.skip_until(lambda line: line.startswith((_ADD, _DELETE, _UPDATE)))
    return []


def _path(cursor: Cursor, marker: bytes) -> str:
    return os.fsdecode(cursor.take().lstrip()[len(marker) :].strip())


def _add(cursor: Cursor) -> FilePatch:
    number = cursor.number
    path = _path(cursor, _ADD)
    lines: list[Line] = []
    while not _section_follows(cursor):
        line = cursor.line
        if line.startswith(b"+"):
            lines.append(Line(Mark.ADDED, line[1:], number=cursor.number))
        elif line.startswith(b"\\ ") and lines:
            lines[-1] = replace(lines[-1], newline=False)
        else:
            cursor.fault(_unmarked_in_add(line))
        cursor.take()
    hunks = (Hunk(tuple(lines), number=number + 1, framed=cursor.framed),) if lines else ()
    return FilePatch(Operation.ADD, None, path, hunks, number=number, source=cursor.source)


def _section_follows(cursor: Cursor) -> bool:
    """Whether a section or the end is next; blank lines before it are taken.

    Before anything else they are lines that lost their `+`, which is one fault a run.
    """
    number = cursor.number
    cursor.skip_blank()
    if cursor.at_end or _is_section(cursor.line.lstrip()):
        return True
    if cursor.number > number:
        cursor.fault(_unmarked_in_add(b""), number)
    return False


def _unmarked_in_add(line: bytes) -> str:
    if line.startswith(b"***"):
        return f"`{visible(line)}` is no marker of a patch; expected {_KNOWN}"
    return f"every line of a new file begins with `+`; write `+{visible(line)}`"


def _delete(cursor: Cursor) -> FilePatch:
    number = cursor.number
    path = _path(cursor, _DELETE)
    cursor.skip_blank()
    if not cursor.at_end and not cursor.line.lstrip().startswith(b"***"):
        cursor.fault("a deletion has no lines; only the next `***` marker can follow it")
        cursor.skip_until(lambda line: line.startswith(b"***"))
    return FilePatch(
        Operation.DELETE, path, None, states_content=False, number=number, source=cursor.source
    )


def _update(cursor: Cursor) -> FilePatch:
    number, before = cursor.number, len(cursor.faults)
    path = _path(cursor, _UPDATE)
    moved = None
    if not cursor.at_end and cursor.line.lstrip().startswith(_MOVE):
        moved = _path(cursor, _MOVE)
    hunks = _hunks(cursor)
    if not hunks and moved is None and len(cursor.faults) == before:
        cursor.fault(
            "the update has no hunk; add `@@` and the lines to change, or leave the section out",
            number,
        )
    operation = Operation.UPDATE if moved is None or moved == path else Operation.MOVE
    return FilePatch(operation, path, moved or path, hunks, number=number, source=cursor.source)


def _hunks(cursor: Cursor) -> tuple[Hunk, ...]:
    hunks = Hunks(cursor)

    def take() -> bool:
        line = cursor.line
        if line.startswith(b"***"):
            return _marker_in_update(cursor, hunks)
        if line.startswith(b"@@"):
            hunks.header()
        elif hunks.open is None and line in (b"", b"\r"):
            cursor.take()
        elif hunks.open is not None and hunks.open.closed:
            cursor.fault("a hunk after `*** End of File` begins with `@@`; add a line `@@`")
            cursor.take()
        elif not hunks.line() and hunks.open is not None:
            hunks.unmarked()
        elif hunks.open is None:
            cursor.fault(unmarked(line))
            cursor.take()
        return True

    while not cursor.at_end and take():
        pass
    return hunks.finish()


def _marker_in_update(cursor: Cursor, hunks: Hunks) -> bool:
    """Take a line at the margin that begins with `***`; False at the next section."""
    line = cursor.line
    if _is_section(line):
        return False
    if line.rstrip() == _END_OF_FILE and hunks.open is not None:
        hunks.open.at_end_of_file = hunks.open.closed = True
        cursor.take()
        cursor.skip_blank()
        return True
    if line.startswith(_MOVE):
        cursor.fault("`*** Move to:` stands right after `*** Update File:`, before any hunk")
    else:
        cursor.fault(
            f"`{visible(line)}` is no marker of a patch; expected {_KNOWN} (a context line "
            "begins with a blank)"
        )
    cursor.take()
    return True


def unmarked(line: bytes) -> str:
    """What to say of a line in a hunk that has no mark."""
    return (
        f"`{visible(line)}` begins with neither ` `, `-`, `+` nor `@@`; "
        f"if it is context, write ` {visible(line)}`"
    )


def _is_section(line: bytes) -> bool:
    return line.startswith((_ADD, _DELETE, _UPDATE))


_READERS: dict[bytes, Callable[[Cursor], FilePatch]] = {
    _ADD: _add,
    _DELETE: _delete,
    _UPDATE: _update,
}
