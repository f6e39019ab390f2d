"""Diffs in a form that is not read, or without half of their header: what to write instead.

Rules: GNU diff's manual, "Detailed Context" and "Detailed Unified".
"""

from __future__ import annotations

import re

from git_opatch.errors import Fix
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope import reading as envelope
from git_opatch.parse.header import parse_names
from git_opatch.text import indentation, visible

_DEV_NULL = b"/dev/null"
_RULE = b"*" * 15
_RANGE = re.compile(rb"\*\*\* \d+(?:,\d+)? \*{4}\s*")


def refuse(cursor: Cursor) -> bool:
    """Take such a diff and note what is wrong with it; False, and nothing taken, if it is none."""
    if is_half(cursor):
        _refuse_half(cursor)
        return True
    if _is_indented(cursor):
        indent = len(indentation(cursor.line))
        cursor.fault(f"the whole diff is indented by {indent}; send it without")
        cursor.at += 3
        return True
    after = cursor.ahead()
    if not cursor.line.startswith(_RULE) or after is None or not _RANGE.fullmatch(after):
        return False
    cursor.fault(
        "this is a context diff, which is not read; send a unified one (`diff -u`): `--- a/PATH`, "
        "`+++ b/PATH`, and hunks that begin with `@@`"
    )
    cursor.skip_until(lambda line: line.startswith(b"diff --git ") or envelope.starts_with(line))
    return True


def is_half(cursor: Cursor) -> bool:
    """Whether the cursor's line is a diff's `---` or `+++` line, and its hunk follows at once."""
    line = cursor.line
    return (
        line.startswith((b"--- ", b"+++ "))
        and (cursor.ahead() or b"").startswith(b"@@")
        and _other_half(line) is not None
    )


def _is_indented(cursor: Cursor) -> bool:
    """Whether a diff's names and first header stand here, all of them with the same indent."""
    indent = indentation(cursor.line)
    if not indent or not cursor.line.startswith(indent + b"--- "):
        return False
    lines = [(cursor.ahead(distance) or b"").removeprefix(indent) for distance in range(3)]
    names = lines[1].startswith(b"+++ ") and parse_names(lines[0][4:], lines[1][4:])
    return bool(names) and lines[2].startswith(b"@@")


def _other_half(line: bytes) -> bytes | None:
    """The line to write before or after `line`; None if that names no file."""
    name, old = line[4:], line.startswith(b"---")
    names = parse_names(name, _DEV_NULL) if old else parse_names(_DEV_NULL, name)
    path = (names[0] or names[1]) if names else None
    return None if path is None else (b"+++ b/" if old else b"--- a/") + path


def _refuse_half(cursor: Cursor) -> None:
    missing = _other_half(cursor.line) or b""
    where, null = ("before", "--- ") if missing.startswith(b"---") else ("after", "+++ ")
    what = "is new" if where == "before" else "is deleted"
    cursor.fault(
        f"a diff names its file twice; write `{visible(missing)}` {where} this line "
        f"(`{null}/dev/null` if the file {what})",
        corrected=missing,
        fix=Fix.INSERT_BEFORE if where == "before" else Fix.INSERT_AFTER,
    )
    cursor.take()
    cursor.skip_until(lambda line: line.startswith((b"diff --git ", b"--- ", b"+++ ", b"***")))
