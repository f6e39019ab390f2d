"""What is plainly meant as a search-and-replace block, but has other markers.

    <<<<<<< ORIGINAL
    old line*
    =======
    new line*
    >>>>>>> UPDATED

Rules: the project's decisions. Beside a patch it is a fault; alone it is a file with conflict
markers (git-merge, "How conflicts are presented"), and no patch.
"""

from __future__ import annotations

import re

from git_opatch.errors import Fault
from git_opatch.parse.blocks.pathline import above, looks_like_path
from git_opatch.parse.cursor import Cursor
from git_opatch.text import visible

_OPEN = re.compile(rb"<{4,}[ \t]*\w.*", re.DOTALL)
_DIVIDER = re.compile(rb"={4,}[ \t\r]*")
_PATH = re.compile(rb"[\w./@+-]+")
_RULE = re.compile(rb"[ \t]*={2,}[ \t\r]*")
_CLOSE = re.compile(rb">{4,}(?!>).*", re.DOTALL)
_PATCH = re.compile(
    rb"(?m)^[ \t]*(?:\*\*\* |diff --git |--- |@@|<FILE_CHANGES|[{\[]"
    rb"|(?:<{5,9}|-{5,9})[ \t]*(?i:SEARCH)\b)"
)


def closing(cursor: Cursor) -> int:
    """Where such a block that begins at the cursor's line ends; -1 if none does."""
    if not _OPEN.fullmatch(cursor.line):
        return -1
    divided = False
    for at in range(cursor.at + 1, cursor.end):
        line = cursor.line_at(at)
        if _OPEN.fullmatch(line):
            break
        if divided and _CLOSE.fullmatch(line):
            return at
        divided = divided or _DIVIDER.fullmatch(line) is not None
    return -1


def refuse_unended(cursor: Cursor, first: int, marker: str) -> None:
    """A fault for the block whose lines begin at `first` and reach, without end, to the cursor."""
    wrong = end(cursor, first)
    if wrong >= 0:
        line = visible(cursor.line_at(wrong).strip())
        message = f"`{line}` ends no block; did you mean `{marker}`?"
        cursor.fault(message, cursor.lines.number(wrong))
        cursor.at = wrong + 1
    elif cursor.at_end:
        cursor.fault(
            f"the block has no end; if it is whole, add a line `{marker}` after its last line "
            "(a text that was cut off looks the same)",
            cursor.previous,
        )
    else:
        heading = above(cursor, _CLOSE)
        is_named = heading.at >= first and _PATH.fullmatch(heading.path)
        at = heading.at if is_named and looks_like_path(heading.path) else cursor.at
        line = visible(cursor.line.strip())
        cursor.fault(
            f"a block begins before the last one has ended; add a line `{marker}` before it"
            f"{' and this, its path' if at < cursor.at else ''}, or write `\\{line}` if this is "
            "text to find or to put",
            cursor.lines.number(at),
        )


def end(cursor: Cursor, first: int) -> int:
    """Which line from `first` to the cursor's, below a divider, is meant to end a block; or -1.

    Below an opening that is none it may end what that began, and says nothing.
    """
    divided = False
    for at in range(first, cursor.at):
        line = cursor.line_at(at)
        if _OPEN.fullmatch(line):
            break
        if divided and _CLOSE.fullmatch(line):
            return at
        divided = divided or _DIVIDER.fullmatch(line) is not None
    return -1


def dividers(cursor: Cursor, first: int, end: int) -> list[int]:
    """The lines of a block that has no divider which may be meant as one."""
    return [at for at in range(first, end) if _RULE.fullmatch(cursor.line_at(at))]


def refuse(cursor: Cursor, end: int) -> None:
    """Take such a block, which ends at `end`, with a fault."""
    marker = visible(cursor.line.strip())
    if cursor.sections or cursor.faults or _PATCH.search(cursor.lines.raw):
        cursor.fault(
            f"`{marker}` begins no block; did you mean `<<<<<<< SEARCH`? (and `>>>>>>> REPLACE` "
            f"in line {cursor.lines.number(end)}; leave out a conflict that is only shown)"
        )
        cursor.at = end + 1
    else:
        message = (
            f"no patch found: `{marker}` in line {cursor.number} is a conflict marker; a block "
            "begins with `<<<<<<< SEARCH` below a path, and ends with `>>>>>>> REPLACE`"
        )
        cursor.faults.append(Fault(0, message, cursor.source))
        cursor.at = cursor.end


def refuse_other(cursor: Cursor, path: bytes) -> None:
    """Note that the marker here names another file than `path`, for which the block is."""
    cursor.fault(
        f"`{visible(cursor.line.strip())}` names another file than `{visible(path)}`, which the "
        "block is for; write one path, above the block"
    )


def refuse_quotation(cursor: Cursor, first: int, end: int, indent: bytes) -> None:
    """A block whose every line is indented is quoted, and its lines are not what they seem."""
    inside = (cursor.line_at(at) for at in range(first, end))
    if indent and all(line.startswith(indent) for line in inside if line.strip()):
        message = f"the whole block is indented by {len(indent)}; send it without"
        cursor.fault(message, cursor.lines.number(first))
