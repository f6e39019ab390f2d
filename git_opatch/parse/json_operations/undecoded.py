"""Detect patches in JSON that is not read, since they would be dropped."""

from __future__ import annotations

import re

from git_opatch.parse.formats import OPENING
from git_opatch.parse.json_operations.json_text import iter_items

PATCH_START = rb"(?:\\[nrt]|\s)*" + OPENING
"""How a patch begins in a JSON string, after the quote."""
_STRING = re.compile(rb'(?<!\\)"' + PATCH_START)
_KIND = re.compile(rb'"(?:create|update|delete)_file"')
_CONTAINERS = (b"[", b"{")


def holds_patch(raw: bytes, start: int, end: int) -> bool:
    """Whether the valid value is or contains an operation, or a string with a patch."""
    return _STRING.search(raw, start, end) is not None or _holds_operation(raw, start, end)


def _holds_operation(raw: bytes, start: int, end: int) -> bool:
    if raw[start : start + 1] not in _CONTAINERS or raw.find(b'"path"', start, end) < 0:
        return False
    has_path = has_content = False
    for key, value_start, value_end in iter_items(raw, start):
        has_path |= key == b'"path"'
        has_content |= key == b'"diff"' or (
            key == b'"type"' and bool(_KIND.match(raw, value_start))
        )
        if _holds_operation(raw, value_start, value_end):
            return True
    return has_path and has_content
