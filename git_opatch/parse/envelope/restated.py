"""A diff's header inside an envelope: what the section's marker says, said once more.

    header := ["diff --git " names extended*] ["index " ids] ["--- " name "+++ " name]

Models that know both forms write it right after `*** Update File:`. It must name the section's
file, with or without `a/` and `b/`; what else it says is the mode. Rule: the project's decisions.
"""

from __future__ import annotations

import os
import re

from git_opatch.blob import Mode
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.header import Names, agrees, mode_of, names_at, read_extended
from git_opatch.text import visible

Modes = tuple[Mode | None, Mode | None]
"""The old and the new mode that a header states; None where it states none."""

_GIT = b"diff --git "
_IDS = re.compile(rb"index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?\s*")


def pass_header(cursor: Cursor, old: str | None, new: str | None) -> Modes:
    """Take a diff's header, if one is next, and give the modes that it states.

    `old` and `new` are the section's paths. Another file's name in it is a fault, unless an
    update's lines can be the first of a hunk without `@@`.
    """
    paths = _encoded(old), _encoded(new)
    extended = _pass_extended(cursor, paths)
    if not cursor.at_end and _IDS.fullmatch(cursor.line) and names_at(cursor, 1) is not None:
        cursor.take()
    names = names_at(cursor)
    if names is not None and (_are_of(names, paths) or old is None or _goes_on(cursor)):
        if not _are_of(names, paths):
            _other_file(cursor, paths, cursor.number)
        cursor.at += 2
    return mode_of(extended, "old mode"), mode_of(extended, "new mode")


def _goes_on(cursor: Cursor) -> bool:
    """Whether a hunk begins after the names here, so that they are no lines of a first one."""
    return (cursor.ahead(2) or b"").startswith(b"@@")


def _pass_extended(cursor: Cursor, paths: Names) -> dict[str, bytes]:
    if cursor.at_end or not cursor.line.startswith(_GIT):
        return {}
    number, extended = cursor.number, read_extended(cursor)
    if "binary" in extended or "differ" in extended:
        cursor.fault("a binary patch has no lines to find; use `git apply` for this file", number)
    elif not agrees(paths, extended):
        _other_file(cursor, paths, number)
    return extended


def _are_of(names: Names, paths: Names) -> bool:
    """Whether the names in `---` and `+++` are the section's paths, or /dev/null for none."""
    known = {prefix + path for path in paths if path for prefix in (b"", b"a/", b"b/")}
    return all(
        name in known if name else path is None for name, path in zip(names, paths, strict=True)
    )


def _other_file(cursor: Cursor, paths: Names, number: int) -> None:
    path = visible(paths[0] or paths[1] or b"")
    cursor.fault(
        f"this header names another file than the marker before it, `{path}`; "
        "give each file a section of its own (lines to remove and to add that look so need `@@` "
        "before them)",
        number,
    )


def _encoded(path: str | None) -> bytes | None:
    return None if path is None else os.fsencode(path)
