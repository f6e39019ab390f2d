"""The sections of an envelope, and of an operation: what becomes of one file.

    section := "*** Add File: " path [header] ("+" text)*
             | "*** Delete File: " path [header]
             | "*** Update File: " path ["*** Move to: " path] [header] hunk*
    hunk    := ("@@" [" " anchor])* line+ ["*** End of File"]
    header  := that of a diff, of the same file                            (see `restated`)

Rules: OpenCode's patch format ("Operation Types", "End of File Marker") and Codex's parser.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from git_opatch.errors import Fix
from git_opatch.parse.body import Body
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope import marker
from git_opatch.parse.envelope.marker import Marker, marker_of
from git_opatch.parse.envelope.mistaken import fault_no_marker
from git_opatch.parse.envelope.restated import pass_header
from git_opatch.parse.hunk import Draft, Hunks, hunks_of, is_no_newline, parse_header
from git_opatch.patch import FilePatch, Hunk, Operation
from git_opatch.paths import why_unsafe
from git_opatch.text import visible

_ENVIRONMENT = b"*** Environment ID: "
_LATE_MOVE = "`*** Move to:` stands right after `*** Update File:`, before any hunk"


def read_sections(cursor: Cursor) -> None:
    """Take all lines that are left, which stand in an envelope, and note their sections."""
    cursor.skip_blank()
    if not cursor.at_end and cursor.line.lstrip().startswith(_ENVIRONMENT):
        cursor.take()
    cursor.skip_blank()
    while not cursor.at_end:
        at, section = cursor.at, _section(cursor)
        if section is not None:
            cursor.sections.note(section, cursor, at, _section)
        cursor.skip_blank()


def _section(cursor: Cursor) -> FilePatch | None:
    """Take one section and give it; None after a fault."""
    found = marker_of(cursor.line)
    if found is not None and found[0] in _READERS:
        kind, path = found
        if not path:
            cursor.fault(f"this marker names no file; write `{kind.value}PATH`")
        return _READERS[kind](cursor, os.fsdecode(path))
    if found is not None:
        cursor.fault(_LATE_MOVE)
    else:
        fault_no_marker(cursor)
    cursor.take()
    cursor.skip_until(_is_section)
    return None


def _is_section(line: bytes) -> bool:
    """Whether a section begins at `line`, for sure: it stands at the margin."""
    found = marker_of(line) if line.startswith(b"***") else None
    return found is not None and found[0] in _READERS


def _add(cursor: Cursor, path: str) -> FilePatch:
    number = cursor.number
    _refuse_folder(cursor, Marker.ADD, path)
    cursor.take()
    _, mode = pass_header(cursor, None, path)
    if not cursor.at_end and _says_no_line(cursor.line):
        cursor.take()
    lines = Body(cursor.lines, cursor.dedent)
    while not _section_follows(cursor):
        line = cursor.line
        if line.startswith(b"+"):
            lines.add(cursor.at)
        elif lines:
            lines.end_without_newline()
        else:
            cursor.fault("there is no line before this one that could lack its newline")
        cursor.take()
    hunks = (Hunk(lines, number=lines[0].number, framed=cursor.framed),) if lines else ()
    return FilePatch(
        *(Operation.ADD, None, path, hunks),
        new_mode=mode,
        number=number,
        source=cursor.source,
        directory=cursor.directory,
    )


def _says_no_line(line: bytes) -> bool:
    """Whether `line` is a hunk's header without text: a new file has no line to name."""
    header = parse_header(line)
    return header is not None and header.anchor is None


def _section_follows(cursor: Cursor) -> bool:
    """Whether a section or the end is next; else an added line is, or a backslash.

    Blank lines before a section are taken. All else has lost its `+`: it is taken, and is one
    fault a run.
    """
    while not cursor.at_end and not cursor.line.startswith(b"+") and not _is_no_newline(cursor):
        first, number, line = cursor.at, cursor.number, cursor.line
        cursor.skip_blank()
        if cursor.at_end or marker_of(cursor.line) is not None:
            return True
        if line.startswith(b"***"):
            fault_no_marker(cursor)
            cursor.take()
            continue
        cursor.skip_until(lambda line: line.startswith((b"+", b"***")))
        more = cursor.at - first > 1
        cursor.fault(
            f"every line of a new file begins with `+`; write `+{visible(line)}`"
            + (f", and so on up to line {cursor.previous}" if more else ""),
            number,
            corrected=b"+" + line,
        )
    return cursor.at_end


def _is_no_newline(cursor: Cursor) -> bool:
    """Whether the cursor's line says that the one before has no newline: no added one follows."""
    return is_no_newline(cursor.line) and not (cursor.ahead() or b"").startswith(b"+")


def _delete(cursor: Cursor, path: str) -> FilePatch:
    number = cursor.number
    cursor.take()
    pass_header(cursor, path, None)
    cursor.skip_blank()
    if not cursor.at_end and not cursor.line.lstrip().startswith(b"***"):
        cursor.fault("a deletion has no lines; only the next `***` marker can follow it")
        cursor.skip_until(lambda line: line.startswith(b"***"))
    return FilePatch(
        *(Operation.DELETE, path, None),
        states_content=False,
        number=number,
        source=cursor.source,
        directory=cursor.directory,
    )


def _update(cursor: Cursor, path: str) -> FilePatch:
    number, before = cursor.number, len(cursor.faults)
    cursor.take()
    moved = _moved(cursor)
    modes = pass_header(cursor, path, moved or path)
    hunks = hunks_of(cursor, _hunks)
    if not hunks and not moved and len(cursor.faults) == before:
        cursor.fault(
            "the update has no hunk; add `@@` and the lines to change, or leave the section out",
            number,
        )
    operation = Operation.UPDATE if not moved or moved == path else Operation.MOVE
    return FilePatch(
        *(operation, path, moved or path, hunks, *modes),
        number=number,
        source=cursor.source,
        directory=cursor.directory,
    )


def _moved(cursor: Cursor) -> str:
    """Take `*** Move to:` and give its path; a padded line must have it as it is, or is context."""
    found = None if cursor.at_end else marker_of(cursor.line)
    if found is None or found[0] is not Marker.MOVE:
        return ""
    if not cursor.line.startswith(b"***") and not marker.is_exact(cursor.line):
        return ""
    if not found[1]:
        cursor.fault("this marker names no file; write `*** Move to: PATH`")
    _refuse_folder(cursor, Marker.MOVE, os.fsdecode(found[1]))
    cursor.take()
    return os.fsdecode(found[1])


def _refuse_folder(cursor: Cursor, kind: Marker, path: str) -> None:
    """A new file's path that ends with `/`, or has a backslash where folders are meant.

    Git has `/` alone between folders, on any system (gitglossary, "path"); a name with a
    backslash can be checked out on no Windows.
    """
    if path.endswith("/"):
        marker = visible(kind.value + path)
        cursor.fault(f"`{marker}` names a folder; write the name of the file, too")
    elif "\\" in path and not why_unsafe(path):
        meant = (kind.value + path.replace("\\", "/")).encode("utf-8", "surrogateescape")
        message = f"git has `/` between folders; did you mean `{visible(meant)}`?"
        cursor.fault(message, corrected=meant)


def _hunks(cursor: Cursor) -> Iterator[Draft]:
    hunks = Hunks(cursor)
    while not cursor.at_end:
        line = cursor.line
        if line.startswith(b"***"):
            if not _marker_in_update(cursor, hunks):
                break
        elif line.startswith(b"@@"):
            yield from hunks.header()
        elif hunks.open is None and line in (b"", b"\r"):
            cursor.take()
        elif hunks.open is not None and hunks.open.closed:
            message = "a hunk after `*** End of File` begins with `@@`; add a line `@@`"
            cursor.fault(message, corrected=b"@@", fix=Fix.INSERT_BEFORE)
            cursor.skip_until(lambda line: line.startswith((b"@@", b"***")))
        elif not hunks.body():
            hunks.unmarked()
    yield from hunks.close()


def _marker_in_update(cursor: Cursor, hunks: Hunks) -> bool:
    """Take a line at the margin that begins with `***`; False at the next section."""
    line = cursor.line
    if _is_section(line):
        return False
    if marker.is_end_of_file(line) and hunks.open is not None:
        hunks.open.at_end_of_file = hunks.open.closed = True
        cursor.take()
        cursor.skip_blank()
        return True
    if marker_of(line) is not None:
        cursor.fault(_LATE_MOVE)
    else:
        fault_no_marker(cursor, " (a context line begins with a blank)")
    cursor.take()
    return True


_READERS: dict[Marker, Callable[[Cursor, str], FilePatch]] = {
    Marker.ADD: _add,
    Marker.DELETE: _delete,
    Marker.UPDATE: _update,
}
