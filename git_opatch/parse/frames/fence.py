"""Markdown fences, which chats and documents put round a patch.

Rules: CommonMark, "Fenced code blocks": three or more backticks or tildes, indented by
anything up to what a list needs; what closes a fence is of the same character, at least as
long, and alone on its line; the lines inside lose as much indentation as the fence has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from git_opatch.parse.cursor import Cursor
from git_opatch.text import visible

HINT = rb"```|~~~"
_FENCE = re.compile(rb"([ \t]*)(`{3,}|~{3,})(.*)", re.DOTALL)

# What a hunk has, and neither a list nor a rule of a document.
_OF_A_HUNK = re.compile(rb"\+(?:[^\s+]|\t| {4})|-(?:[^\s-]|\t| {4})")
_BEGINS_MORE = (b"@@", b"---", b"diff ", b"From ", b"***", b"<FILE_", b"<<<<<")
"""What begins another patch, whose lines are its own."""


class Fence(NamedTuple):
    """A line that is a fence: its marks, and what stands after them."""

    marks: bytes
    info: bytes

    def closes(self, opening: Fence) -> bool:
        """Whether it ends what `opening` begins."""
        return not self.info and self.marks.startswith(opening.marks)


def fence_in(line: bytes) -> Fence | None:
    """The fence in `line`, or None if it is none."""
    match = _FENCE.fullmatch(line)
    return Fence(match[2], match[3].strip()) if match else None


def are_closed(lines: Iterable[bytes]) -> bool:
    """Whether every fence that opens in `lines` is closed there."""
    opening = None
    for line in lines:
        fence = fence_in(line)
        if fence and opening is None:
            opening = fence
        elif fence and opening and fence.closes(opening):
            opening = None
    return opening is None


def is_fence(cursor: Cursor, line: bytes) -> bool:
    """Whether `line` closes the fence that the cursor is in, or, outside of any, is one."""
    match = _FENCE.fullmatch(line)
    if match is None or not cursor.fence:
        return match is not None
    return match[2].startswith(cursor.fence) and not match[3].strip()


def pass_fence(cursor: Cursor) -> bool:
    """Take a line that opens or closes a fence; False, and nothing taken, if it is none."""
    line = cursor.lines[cursor.at]
    match = _FENCE.fullmatch(line)
    if match is None or (cursor.fence and not is_fence(cursor, line)):
        return False
    cursor.take()
    cursor.fence, cursor.move = b"" if cursor.fence else match[2], None
    indent = match[1] if cursor.fence and _all_indented(cursor, match[1]) else b""
    cursor.dedent = _without(indent) if indent else None
    return True


@lru_cache(maxsize=16)
def _without(indent: bytes) -> Callable[[bytes], bytes]:
    # The same one each time, so that what is read with it is known to be read alike.
    return lambda line: line.removeprefix(indent)


def refuse_left_over(cursor: Cursor) -> None:
    """Note a line of a hunk below the fence that closes here, right after a patch.

    The fence was content then, and what is below would be passed over as prose. Prose itself has
    such a line at most below a blank one, and not two that replace one another.
    """
    if cursor.at_end or not cursor.fence or not is_fence(cursor, cursor.line):
        return
    near = True
    for at in range(cursor.at + 1, cursor.end):
        line = cursor.line_at(at)
        fence = fence_in(line)
        if (fence and fence.info) or line.startswith(_BEGINS_MORE):
            return
        near = near and bool(line.strip())
        if _OF_A_HUNK.match(line) and (near or _is_replaced(cursor, at)):
            cursor.fault(
                f"`{visible(line)}` stands below the fence that closes in line {cursor.number} and "
                "in no patch; write a blank before that fence if it is context, or leave a blank "
                "line after it if prose follows",
                cursor.lines.number(at),
            )
            return


def _is_replaced(cursor: Cursor, at: int) -> bool:
    after = cursor.line_at(at + 1) if at + 1 < cursor.end else b""
    return cursor.line_at(at).startswith(b"-") and after.startswith(b"+")


def _all_indented(cursor: Cursor, indent: bytes) -> bool:
    """Whether every line of the fence that begins here is indented as the fence is."""
    for at in range(cursor.at, cursor.end) if indent else ():
        line = cursor.lines[at]
        if line.strip() and not line.startswith(indent):
            return False
        if is_fence(cursor, line.removeprefix(indent)):
            break
    return bool(indent)
