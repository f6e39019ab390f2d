"""Where a shell script is when it comes to a call: what the commands before it say.

Rules: POSIX `cd` holds for the rest of a script. One Markdown fence is one script; without a fence,
only what follows at once is. A call that moves for itself (`cd DIR && apply_patch …`) may be one of
several that were each made from the top, as agents make them: where the next one of the script does
not say where it is, or says so relatively, the two readings differ, and nothing is guessed.
"""

from __future__ import annotations

import posixpath
import re

from git_opatch.parse.cursor import Cursor, Move
from git_opatch.parse.frames.fence import is_fence
from git_opatch.text import visible

MENTIONS = re.compile(rb"apply[_-]?patch\b|\bapply\b|\bpatch\s")
"""What only a line has that may apply a patch."""
_DIRECTORY = rb"(?:[^\s'\"&|;]+|'[^']*'|\"[^\"]*\")"
CHANGES = re.compile(rb"[ \t]*(?:[$#%][ \t]+)?cd[ \t]+" + _DIRECTORY + rb"[ \t\r]*")
"""A line that changes the directory, and no more."""
_STEPS = re.compile(rb"&&|\|\||[;(){}]|\b(?:then|do)\b")
_MOVES = re.compile(
    rb"\s*(?:[$#%]\s+)?(?:cd|pushd|popd)(?:[ \t]+(?:-\w+[ \t]+)*" + _DIRECTORY + rb")?[\s\\]*"
)
_NO_SCRIPT = re.compile(rb"[ \t]*(?:[-+@*<>]|[A-Z_]+[ \t\r]*$)")
_NOTHING = re.compile(rb"[ \t\r]*(?:#.*)?", re.DOTALL)
_MOST_BEFORE, _LONGEST = 32, 400


def joined(directory: str, own: str) -> str:
    """Where `own` is from `directory`; a shell, too, takes `..` by the directory's name."""
    return posixpath.normpath(posixpath.join(directory, own)) if own else directory


def place(cursor: Cursor, content: Cursor, first: int, own: str) -> None:
    """Have `content` count from where the script is in the call just taken.

    The call begins at the line `first` and goes to `own` by itself. That it is not clear where
    the script is, is a fault.
    """
    _refuse_unread(cursor, first)
    before = _before(cursor, first)
    if before is not None and not posixpath.isabs(own):
        if not before.alone or (own and not own.startswith("..")):
            _refuse_unclear(cursor, first, before)
        else:
            content.directory = joined(before.directory, own)
    alone = CHANGES.fullmatch(cursor.line_at(first)) is not None
    if own:
        before = Move(content.directory, cursor.lines.number(first), cursor.at, alone)
    cursor.move = before._replace(end=cursor.at) if before else None


def _before(cursor: Cursor, first: int) -> Move | None:
    """The last move in the script that the line `first` is in; None if there was none."""
    move = cursor.move
    if move is None or cursor.fence:
        return move
    at_once = all(map(_NOTHING.fullmatch, map(cursor.line_at, range(move.end, first))))
    return move._replace(alone=move.alone and at_once) if move.alone or at_once else None


def _refuse_unclear(cursor: Cursor, first: int, before: Move) -> None:
    line = visible(cursor.line_at(first), 80)
    cursor.fault(
        f"`{line}` may count from the top or from `{visible(before.directory, 80)}`, where the "
        f"call in line {before.number} went; put each call in a fence of its own, with "
        "`cd DIR && ` before it if need be",
        cursor.lines.number(first),
    )


def _refuse_unread(cursor: Cursor, first: int) -> None:
    """Note a change of directory before the call at `first`, which a script would keep."""
    for at in range(first - 1, max(first - _MOST_BEFORE, 0) - 1, -1):
        line = cursor.line_at(at)
        if is_fence(cursor, line) or MENTIONS.search(line) or _NO_SCRIPT.match(line):
            return
        if any(map(_MOVES.fullmatch, _STEPS.split(line[:_LONGEST]))):
            cursor.fault(
                f"`{visible(line, 80)}` before the call in line {cursor.lines.number(first)} may "
                "be for it or not; write `cd DIR && ` on the line of the call, or take it out",
                cursor.lines.number(at),
            )
            return
