r"""The unified diff, with numbers right, invented or left out.

    patch   := ["diff --git " names extended*] ["--- " name "+++ " name] hunk*
    hunk    := "@@"… line+                                    (see `parse.hunk`)

Rules: git's diff format ("Generating patch text with -p") and the FILE_PATCH hunks of the
matching strategy ("Simplified Unified Diff Format"). Counts are never trusted: a hunk
ends where its lines end. `--- x` inside a hunk is a removed line; it begins a new file only
with `+++` and `@@` after it, where both name one file or one is /dev/null. What `diff -r` and
Subversion write between files (GNU diff's manual, "Comparing Directories") is no content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope import reading as envelope
from git_opatch.parse.frames.fence import is_fence, refuse_left_over
from git_opatch.parse.frames.mail import reading as mail
from git_opatch.parse.header import (
    Names,
    agrees,
    blobs_of,
    mode_of,
    names_at,
    names_of,
    path_of,
    read_extended,
)
from git_opatch.parse.hunk import Draft, Hunks, hunks_of
from git_opatch.parse.unified import another
from git_opatch.parse.unified.unread import is_half
from git_opatch.patch import FilePatch, Hunk, Mark, Operation
from git_opatch.text import visible

_GIT = b"diff --git "
_BETWEEN_FILES = (b"diff -", b"Index: ", b"Only in ")
"""What `diff -r` and Subversion write between files."""
_VERSION = re.compile(rb"\d+\.\d[\w.() -]*\r?")


def starts(cursor: Cursor) -> bool:
    """Whether a file's diff begins at the cursor."""
    return starts_with(cursor.line) or names_at(cursor) is not None


def starts_with(line: bytes) -> bool:
    """Whether `line` alone shows that a file's diff begins."""
    return line.startswith(_GIT)


def parse(cursor: Cursor) -> None:
    """Take the diff of one file and note it as a section."""
    at, section = cursor.at, _section(cursor)
    if section is not None:
        cursor.sections.note(section, cursor, at, _section)


def _section(cursor: Cursor) -> FilePatch | None:
    """Take the diff of one file and give it; None after a fault."""
    first, number, faults = cursor.at, cursor.number, len(cursor.faults)
    git = starts_with(cursor.line)
    extended = read_extended(cursor) if git else {}
    names = names_at(cursor)
    if names is not None:
        if git and not agrees(names, extended):
            message = (
                "this names another file than the `diff --git` lines before it; write one path"
            )
            cursor.fault(message)
        cursor.at += 2
    told = cursor.recorded or "deleted file" in extended
    if "binary" in extended or ("differ" in extended and not told):
        cursor.fault("a binary patch has no lines to find; use `git apply` for this file", number)
    hunks = hunks_of(cursor, _hunks)
    refuse_left_over(cursor)
    names = _whole_names(names, extended)
    _check_sides(cursor, names, hunks)
    if len(cursor.faults) > faults:
        return None
    asked = _asked(names or names_of(extended), extended, hunks)
    if asked is None:
        cursor.fault(_no_change_stated(cursor.line_at(first)), number)
        return None
    operation, old, new, alternate = asked
    return FilePatch(
        operation,
        old,
        new,
        hunks,
        mode_of(extended, "old mode"),
        mode_of(extended, "new mode"),
        alternate,
        states_content=bool(hunks) or (names is None and "differ" not in extended),
        number=number,
        source=cursor.source,
        directory=cursor.directory,
        blobs=blobs_of(extended),
    )


def _whole_names(names: Names | None, extended: dict[str, bytes]) -> Names | None:
    """The names, told from `diff --git` where one side is /dev/null: it shows the prefixes."""
    if names is None or None not in names:
        return names
    path = path_of(extended)
    return names if path is None else (names[0] and path, names[1] and path)


def _check_sides(cursor: Cursor, names: Names | None, hunks: Sequence[Hunk]) -> None:
    """A new file has added lines alone, a deleted one removed lines."""
    if names is None or None not in names:
        return
    mark = Mark.ADDED if names[0] is None else Mark.REMOVED
    what = "a new file" if names[0] is None else "a deleted file"
    for hunk in hunks:
        lines, end = hunk.lines, len(hunk.lines)
        while end and lines[end - 1].mark is Mark.CONTEXT and not lines[end - 1].text.strip():
            end -= 1  # what separates the hunk from what follows it
        wrong = next((lines[at] for at in range(end) if lines[at].mark is not mark), None)
        if wrong is not None:
            text = visible(wrong.text)
            message = (
                f"{what} has lines that begin with `{mark.value}` alone; write "
                f"`{mark.value}{text}`, or is this an update?"
            )
            cursor.fault(message, wrong.number)


def _no_change_stated(header: bytes) -> str:
    return f"`{visible(header)}` has no hunk after it; add `@@` and the lines to change"


def _asked(
    names: Names | None, extended: dict[str, bytes], hunks: Sequence[Hunk]
) -> tuple[Operation, str | None, str | None, str | None] | None:
    """The operation, its two paths and a second name; None if nothing is asked for."""
    for operation, verb in ((Operation.MOVE, "rename"), (Operation.COPY, "copy")):
        if f"{verb} from" in extended and f"{verb} to" in extended:
            old, new = extended[f"{verb} from"], extended[f"{verb} to"]
            return operation, os.fsdecode(old), os.fsdecode(new), None
    if names is None:
        return None
    old_name, new_name = map(_decoded, names)
    if old_name is None or "new file" in extended:
        return Operation.ADD, None, new_name or old_name, None
    if new_name is None or "deleted file" in extended:
        return Operation.DELETE, old_name, None, None
    if not hunks and "new mode" not in extended:
        return None
    return Operation.UPDATE, old_name, old_name, new_name if new_name != old_name else None


def _decoded(name: bytes | None) -> str | None:
    return None if name is None else os.fsdecode(name)


def _hunks(cursor: Cursor) -> Iterator[Draft]:
    hunks, ahead = Hunks(cursor), replace(cursor)
    while not cursor.at_end and not _ends(cursor, hunks):
        if cursor.line.startswith(b"@@"):
            yield from hunks.header()
        elif _is_separator(cursor, hunks):
            cursor.skip_blank()
        elif not hunks.line():
            if _is_prose(cursor, hunks, ahead):
                break
            hunks.unmarked()
    if cursor.at_end and not cursor.whole and hunks.open is not None and hunks.open.short:
        cursor.fault(
            "the text ends here, in the middle of a hunk: its header announces more lines",
            cursor.previous,
        )
    yield from hunks.close()


def _is_separator(cursor: Cursor, hunks: Hunks) -> bool:
    """Whether a blank line stands outside any hunk: nothing of the last one follows it."""
    if hunks.open is None or not hunks.open.full:
        return hunks.open is None and not cursor.line.strip()
    if cursor.line not in (b"", b"\r"):
        return False
    ahead = replace(cursor)
    ahead.skip_blank()
    return ahead.at_end or not _is_marked(ahead.line) or _is_header(ahead)


def _is_marked(line: bytes) -> bool:
    return line.startswith((b" ", b"-", b"+"))


def _ends(cursor: Cursor, hunks: Hunks) -> bool:
    """Whether the cursor's line, by itself or by what follows, is no more of this file."""
    line = cursor.line
    if line.startswith(_GIT) or another.begins(cursor):
        return True
    if hunks.open is None:
        return not line.startswith(b"@@") and bool(line.strip())
    full = hunks.open.full
    return (
        _is_signature(cursor, full=full)
        or _is_header(cursor, any_names=full)
        or ((full or _may_be_named(line, hunks.open)) and is_half(cursor))
        or (line.startswith(b"From ") and mail.begins(cursor))
    )


def _may_be_named(line: bytes, hunk: Draft) -> bool:
    """Whether `line` looks more like a name than like what a hunk adds that announces no more."""
    return line.startswith(b"+++ b/") and not hunk.short


def _is_signature(cursor: Cursor, *, full: bool) -> bool:
    """Whether a mail made by git ends here: `-- ` and git's version, and no more.

    After a hunk that is `full` it may be any line without a mark (`format.signature`).
    """
    if cursor.line.rstrip() != b"--":
        return False
    version, after = cursor.ahead(), cursor.ahead(2)
    if version is None:
        return False
    if full and cursor.line.startswith(b"-- ") and not _is_marked(version):
        return not version.startswith(b"@@")
    ended = after is None or not after.strip() or after.startswith((b"From ", _GIT))
    return ended and _VERSION.fullmatch(version) is not None


def _is_header(cursor: Cursor, *, any_names: bool = False) -> bool:
    """Whether `---` here begins another file and is no removed line.

    Two names that differ are taken for names only where the hunk before is full.
    """
    names = names_at(cursor)
    if names is None or not (cursor.ahead(2) or b"").startswith(b"@@"):
        return False
    return any_names or names[0] == names[1] or None in names


def _is_prose(cursor: Cursor, hunks: Hunks, ahead: Cursor) -> bool:
    """Whether a line without a mark ends the patch, and is no context that lost its blank.

    The end of the fence that is open does, unless a marked line follows it at once; where none
    is, a fence is a line like others. So does a line after a full hunk, or one that `diff` writes,
    if no marked line is left before the next patch, which would otherwise be dropped; and a line
    after a blank one, but not within a fence, nor where the hunk's header announces more lines.
    `ahead` is moved on to such a line, so that no line is looked at twice.
    """
    if cursor.fence and is_fence(cursor, cursor.line):
        after = cursor.ahead()
        return after is None or not _is_marked(after)
    below_blank = not cursor.line_at(cursor.at - 1).strip()
    outside = (
        hunks.open is None
        or hunks.open.full
        or (below_blank and not cursor.fence and not hunks.open.short)
        or cursor.line.startswith(_BETWEEN_FILES)
    )
    if not outside:
        return False
    if ahead.at <= cursor.at:
        ahead.at = cursor.at
        ahead.skip_until(
            lambda line: line.startswith((b"+", b"-", b"@@", _GIT)) or envelope.starts_with(line)
        )
    return ahead.at_end or starts(ahead) or envelope.starts(ahead)
