"""Where a patch of another family begins, to end one that has no end of its own: a diff."""

from __future__ import annotations

import re

from git_opatch.parse import blocks, changes
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.envelope import marker
from git_opatch.parse.frames.fence import is_fence

_TAG = re.compile(changes.HINT)
_BLOCK = re.compile(blocks.HINT)
_MARKED = (b" ", b"-", b"+", b"@", b"\\")


def begins(cursor: Cursor) -> bool:
    """Whether the cursor's line, which could be context without its blank, begins one.

    Only what no file has by chance counts: a container's tag, a path above the marker of a
    block, an operation.
    """
    line = cursor.line
    if not line or line.startswith(_MARKED):
        return False
    if line.startswith(b"*"):
        return marker.is_begin(line)
    if line.startswith(b"<"):
        return _TAG.match(line) is not None or _BLOCK.match(line) is not None
    if line.startswith(b"{"):
        from git_opatch.parse.operations.reading import is_operation  # few lines come so far

        return is_operation(line)
    return _is_above_block(cursor)


def _is_above_block(cursor: Cursor) -> bool:
    """Whether the line above a block, or above the fence that holds it, is here: its path."""
    distance = 1
    after = cursor.ahead(distance)
    if after is not None and is_fence(cursor, after):
        after = cursor.ahead(distance + 1)
    return after is not None and _BLOCK.match(after) is not None
