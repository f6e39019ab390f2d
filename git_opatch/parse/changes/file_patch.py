r"""The hunks inside a FILE_PATCH directive.

    content := [fence] [wrapper] [names] hunk* [wrapper] [fence]
    hunk    := "@@"… (line | "~")+                            (see `parse.hunk`)

Rules: the FILE_PATCH strategy, "Simplified Unified Diff Format", "Wrapper Meta Line
Sanitization", "Hunk Cleanup" and "Tilde Range-Remove". The tag alone says which file it is:
names that a diff or an envelope would have are passed over if they say the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial

from git_opatch.parse.cursor import Cursor
from git_opatch.parse.header import parse_names, read_extended
from git_opatch.parse.hunk import Draft, Hunks, hunks_of
from git_opatch.patch import Hunk

_BEGIN = re.compile(rb"\*\*\* Begin Patch[ \t\r]*")
_UPDATE = re.compile(rb"\*\*\* Update File: *(.+)", re.DOTALL)
_END = re.compile(rb"\*\*\* End Patch[ \t\r]*")
_END_OF_FILE = b"*** End of File"
_NAMES = "this names another file than the tag does; one FILE_PATCH changes one file"


def read_hunks(content: Cursor, path: str) -> Sequence[Hunk]:
    """Read the hunks for the file at `path`; `content` has no fence round it."""
    name = os.fsencode(path)
    _take_wrapper(content, name)
    return hunks_of(content, partial(_hunks, name=name))


def _hunks(content: Cursor, name: bytes) -> Iterator[Draft]:
    hunks = Hunks(content)
    while not content.at_end:
        line = content.line
        if line.startswith(b"@@"):
            _drop_separator(content, hunks)
            yield from hunks.header()
        elif line.rstrip() == b"~":
            _elide(content, hunks)
        elif _begins_file(content, hunks, name):
            _take_names(content, name)
        elif hunks.open is None and not line.strip():
            content.take()
        elif hunks.open is not None and line.rstrip() == _END_OF_FILE:
            hunks.open.at_end_of_file = True
            content.take()
            content.skip_blank()
        elif not hunks.line():
            hunks.unmarked()
    yield from hunks.close()


def _take_wrapper(content: Cursor, name: bytes) -> None:
    """Take what is left of an envelope round the hunks."""
    if not content.at_end and _BEGIN.fullmatch(content.line):
        content.take()
        content.skip_blank()
    update = None if content.at_end else _UPDATE.fullmatch(content.line)
    if update:
        if not _is_same(update[1].strip(), name):
            content.fault(_NAMES)
        content.take()
    if content.end > content.at and _END.fullmatch(content.line_at(content.end - 1)):
        content.end -= 1
        while content.end > content.at and not content.line_at(content.end - 1).strip():
            content.end -= 1


def _drop_separator(content: Cursor, hunks: Hunks) -> None:
    """Blank lines before `@@` separate two hunks, as the format's own examples have it."""
    at = content.at - 1
    while hunks.open and hunks.open.lines and content.line_at(at) in (b"", b"\r"):
        hunks.open.lines.pop()
        at -= 1


def _elide(content: Cursor, hunks: Hunks) -> None:
    """Take a `~`, which stands between removed lines."""
    before = bool(hunks.open and hunks.open.lines) and content.line_at(content.at - 1)[:1] == b"-"
    after = (content.ahead() or b"")[:1] == b"-"
    if hunks.open and before and after:
        hunks.open.elisions.append(len(hunks.open.lines))
    else:
        side = "after" if before else "before"
        which = "last" if before else "first"
        content.fault(
            "`~` stands for all lines between two removed ones: write the "
            f"{which} line to be removed, as `-…`, right {side} it"
        )
    content.take()


def _begins_file(content: Cursor, hunks: Hunks, name: bytes) -> bool:
    """Whether names of a file stand here, and no lines of a hunk."""
    line = content.line
    if hunks.open is None and line.startswith(b"diff --git "):
        return True
    if not line.startswith(b"--- ") or not (content.ahead() or b"").startswith(b"+++ "):
        return False
    return hunks.open is None or (
        (content.ahead(2) or b"").startswith(b"@@") and _agree(content, name)
    )


def _take_names(content: Cursor, name: bytes) -> None:
    if content.line.startswith(b"diff --git "):
        number = content.number
        said = set(read_extended(content)) - {"names", "index"}
        if said:
            content.fault(f"`{min(said)}`: a FILE_PATCH changes lines, and nothing else", number)
        return
    if not _agree(content, name):
        content.fault(_NAMES)
    content.at += 2


def _agree(content: Cursor, name: bytes) -> bool:
    """Whether the `---` and `+++` here are those of the file `name`."""
    names = parse_names(content.line[4:], (content.ahead() or b"")[4:])
    return names is not None and all(one is not None and _is_same(one, name) for one in names)


def _is_same(one: bytes, other: bytes) -> bool:
    """Whether two paths may be of one file: the same, or one of them cut off in front."""
    return (b"/" + one).endswith(b"/" + other) or (b"/" + other).endswith(b"/" + one)
