"""The `<FILE_CHANGES>` container of udiffx, and its directives where the container was forgotten.

    container := "<FILE_CHANGES>" (directive | prose)* "</FILE_CHANGES>"
    directive := "<FILE_NEW file_path=…>" content "</FILE_NEW>"        or FILE_PATCH, FILE_APPEND
               | "<FILE_DELETE file_path=… />"
               | "<FILE_COPY from_path=… to_path=… />"                 or FILE_RENAME

Rules: the FILE_CHANGES format, "Structure" and "Directives"; tags are read in `tag`, what stands
between them in `content` and `file_patch`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from git_opatch.parse import blocks, changes, operations
from git_opatch.parse.changes.content import added_lines, no_end, take_content, without_fence
from git_opatch.parse.changes.file_patch import read_hunks
from git_opatch.parse.changes.tag import KNOWN, WITHOUT_CONTENT, Tag, check, path_of, read_tag
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope import reading as envelope
from git_opatch.parse.header import names_at
from git_opatch.parse.operations.reading import is_operation
from git_opatch.patch import FilePatch, Hunk, Operation
from git_opatch.text import visible

_STARTS = re.compile(rb"[ \t]*" + changes.HINT)
_LOST = rb"@@|[+-](?![\s+-])"
_OTHERS = rb"|".join([rb"diff --git |--- ", blocks.HINT, operations.JSON])
_BETWEEN = re.compile(rb"(?m)^[ \t]*(?:</?[ \t]*[A-Za-z_]|\*|" + _OTHERS + rb"|" + _LOST + rb")")
_BLOCK = re.compile(blocks.HINT)
_MOST_JSON = 8
_IS_LOST = re.compile(_LOST)


def starts(cursor: Cursor) -> bool:
    """Whether a tag of this format begins the cursor's line."""
    return _STARTS.match(cursor.line) is not None


def parse(cursor: Cursor) -> None:
    """Take one container, or one directive outside of any, and note its sections."""
    tag = read_tag(cursor.line) or Tag(b"")
    if tag.name == changes.CONTAINER and not tag.closing:
        _container(cursor, tag)
    else:
        _note(cursor, tag)


def _note(cursor: Cursor, tag: Tag) -> None:
    at, section = cursor.at, _directive(cursor, tag)
    if section is not None:
        cursor.sections.note(section, cursor, at, _directive)


def _container(cursor: Cursor, opening: Tag) -> None:
    begin, faults, before = cursor.number, len(cursor.faults), len(cursor.sections)
    cursor.take()
    check(cursor, opening, begin)
    last = begin
    while True:
        cursor.skip_to(_BETWEEN)
        tag = None if cursor.at_end else read_tag(cursor.line)
        if cursor.at_end or (tag and tag.name == changes.CONTAINER):
            break
        if tag:
            _note(cursor, tag)
        else:
            _between(cursor)
        last = cursor.previous
    if tag and tag.closing:
        cursor.take()
        check(cursor, tag, cursor.previous)
    else:
        cursor.fault(no_end(opening, last), begin)
    if len(cursor.sections) == before and len(cursor.faults) == faults:
        cursor.fault("the container has no directive: it changes nothing", begin)


def _between(cursor: Cursor) -> None:
    """Take a line between directives: prose and its bullets, unless it looks like a patch's."""
    line, is_other = cursor.line, _begins_other(cursor)
    cursor.take()
    if is_other or _IS_LOST.match(line) or envelope.is_marker(line):
        cursor.fault(
            f"`{visible(line)}` stands in no directive; put it in a "
            '`<FILE_PATCH file_path="PATH">`',
            cursor.previous,
        )
        cursor.skip_to(KNOWN)


def _begins_other(cursor: Cursor) -> bool:
    """Whether a patch of another family begins here, which would be dropped."""
    line = cursor.line
    return (
        envelope.starts_with(line)
        or line.startswith(b"diff --git ")
        or names_at(cursor) is not None
        or _BLOCK.match(line.lstrip()) is not None
        or is_operation(_first_of_json(cursor))
    )


def _first_of_json(cursor: Cursor) -> bytes:
    """The line here with those after it on which an operation may say what it is."""
    end = min(cursor.at + _MOST_JSON, cursor.end) if cursor.line.lstrip()[:1] in b"[{" else 0
    return b"\n".join([cursor.line, *map(cursor.line_at, range(cursor.at + 1, end))])


def _directive(cursor: Cursor, tag: Tag | None = None) -> FilePatch | None:
    """Take one directive, which begins with `tag`, and give its section; None after a fault."""
    tag = tag or read_tag(cursor.line) or Tag(b"")
    number, faults = cursor.number, len(cursor.faults)
    cursor.take()
    if not check(cursor, tag, number):
        _pass_over(cursor, tag)
        return None
    if tag.closing:
        name = visible(tag.name)
        cursor.fault(
            f"`</{name}>` ends nothing: there is no `<{name}…>` that it belongs to", number
        )
        return None
    section = _READERS[tag.name](cursor, tag, number)
    return section if len(cursor.faults) == faults else None


def _pass_over(cursor: Cursor, tag: Tag) -> None:
    """Take what a tag that is wrong was probably meant to hold, so that it is one fault."""
    if tag.closing or tag.empty or tag.meant in WITHOUT_CONTENT:
        return
    cursor.skip_to(KNOWN)
    found = None if cursor.at_end else read_tag(cursor.line)
    if found and found.closing and found.name == tag.meant:
        cursor.take()


def _section(
    cursor: Cursor,
    operation: Operation,
    number: int,
    old_path: str | None,
    new_path: str | None,
    hunks: Sequence[Hunk] = (),
) -> FilePatch:
    return FilePatch(
        operation,
        old_path,
        new_path,
        hunks,
        states_content=operation is not Operation.DELETE,
        number=number,
        source=cursor.source,
        directory=cursor.directory,
    )


def _new(cursor: Cursor, tag: Tag, number: int) -> FilePatch:
    lines = added_lines(take_content(cursor, tag, number), tag)
    hunks = (Hunk(lines, number=lines[0].number, framed=cursor.framed),) if lines else ()
    return _section(cursor, Operation.ADD, number, None, path_of(tag), hunks)


def _append(cursor: Cursor, tag: Tag, number: int) -> FilePatch:
    faults = len(cursor.faults)
    lines = added_lines(take_content(cursor, tag, number), tag)
    if not lines and len(cursor.faults) == faults:
        cursor.fault("there is nothing to append; put the lines between the tags", number)
    first = lines[0].number if lines else number
    hunk = Hunk(lines, at_end_of_file=True, number=first, framed=cursor.framed)
    path = path_of(tag)
    return _section(cursor, Operation.APPEND, number, path, path, (hunk,))


def _patch(cursor: Cursor, tag: Tag, number: int) -> FilePatch:
    faults, path = len(cursor.faults), path_of(tag)
    hunks = read_hunks(without_fence(take_content(cursor, tag, number)), path)
    if not hunks and len(cursor.faults) == faults:
        cursor.fault("the patch has no hunk; add `@@` and the lines to change", number)
    return _section(cursor, Operation.UPDATE, number, path, path, hunks)


def _delete(cursor: Cursor, tag: Tag, number: int) -> FilePatch:
    _take_end(cursor, tag, number)
    return _section(cursor, Operation.DELETE, number, path_of(tag), None)


def _copy(cursor: Cursor, tag: Tag, number: int) -> FilePatch:
    _take_end(cursor, tag, number)
    operation = Operation.COPY if tag.name == changes.COPY else Operation.MOVE
    old, new = path_of(tag, b"from_path"), path_of(tag, b"to_path")
    if old == new:
        cursor.fault("`from_path` and `to_path` are the same: nothing would change", number)
    return _section(cursor, operation, number, old, new)


def _take_end(cursor: Cursor, tag: Tag, number: int) -> None:
    """Take the end of a tag that has no content and was not ended by `/>`."""
    if tag.empty:
        return
    ahead = cursor.within(cursor.end)
    ahead.skip_blank()
    found = None if ahead.at_end else read_tag(ahead.line)
    if found is None or not found.closing or found.name != tag.name or found.rest:
        cursor.fault(f"the tag is not ended; did you mean `{visible(tag.corrected())}`?", number)
        return
    cursor.at = ahead.at + 1


_READERS: dict[bytes, Callable[[Cursor, Tag, int], FilePatch]] = {
    changes.NEW: _new,
    changes.PATCH: _patch,
    changes.APPEND: _append,
    changes.COPY: _copy,
    changes.RENAME: _copy,
    changes.DELETE: _delete,
}
