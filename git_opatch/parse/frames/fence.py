"""Markdown fences, which chats and documents put round a patch.

Rules: CommonMark, "Fenced code blocks": three or more backticks or tildes, indented by
anything up to what a list needs; what closes a fence is of the same character, at least as
long, and alone on its line; the lines inside lose as much indentation as the fence has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from git_opatch.parse.cursor import Cursor

HINT = rb"```|~~~"
_FENCE = re.compile(rb"([ \t]*)(`{3,}|~{3,})(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fence:
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
    cursor.dedent = (lambda line: line.removeprefix(indent)) if indent else None
    return True


def _all_indented(cursor: Cursor, indent: bytes) -> bool:
    """Whether every line of the fence that begins here is indented as the fence is."""
    for at in range(cursor.at, cursor.end) if indent else ():
        line = cursor.lines[at]
        if line.strip() and not line.startswith(indent):
            return False
        if is_fence(cursor, line.removeprefix(indent)):
            break
    return bool(indent)
