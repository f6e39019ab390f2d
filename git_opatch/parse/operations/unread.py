"""Whether JSON that is not read holds a patch all the same, which would be dropped."""

from __future__ import annotations

import re

from git_opatch.parse.operations.json_text import items

BEGINS = rb"(?:\\[nrt]|\s)*(?:\*\*\* ?Begin Patch|--- a/|diff --git |<FILE_CHANGES|<{5,9} SEARCH)"
"""How a patch begins in a string of JSON, after its quote."""
_STRING = re.compile(rb'(?<!\\)"' + BEGINS)
_KIND = re.compile(rb'"(?:create|update|delete)_file"')
_CONTAINERS = (b"[", b"{")


def holds_patch(raw: bytes, start: int, end: int) -> bool:
    """Whether the valid value there has a string that begins a patch, or an operation, in it."""
    return _STRING.search(raw, start, end) is not None or _holds_operation(raw, start, end)


def _holds_operation(raw: bytes, start: int, end: int) -> bool:
    if raw[start : start + 1] not in _CONTAINERS or raw.find(b'"path"', start, end) < 0:
        return False
    has_path = tells = False
    for key, one, one_end in items(raw, start):
        has_path |= key == b'"path"'
        tells |= key == b'"diff"' or (key == b'"type"' and bool(_KIND.match(raw, one)))
        if _holds_operation(raw, one, one_end):
            return True
    return has_path and tells
