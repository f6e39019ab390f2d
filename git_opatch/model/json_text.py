"""Where the values of JSON are in its text, which `json` does not say.

The text is one that `json` reads. For offsets in bytes, it is decoded as Latin-1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

DECODER = json.JSONDecoder(strict=False, parse_int=str)
"""Reads strings with raw line breaks and tabs, too, and numbers of any length, as text."""
_SPACE = re.compile(r"[ \t\r\n]*")


def items(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield the key, start and end of each value in the object or list at offset `at`.

    The key is empty in a list. Raises `ValueError` or `IndexError` if that is not valid JSON.
    """
    closing, at = chr(ord(text[at]) + 2), skip_space(text, at + 1)
    while text[at] != closing:
        key = ""
        if closing == "}":
            key, at = DECODER.raw_decode(text, at)
            at = skip_space(text, skip_space(text, at) + 1)
        start, (_, at) = at, DECODER.raw_decode(text, at)
        yield key, start, at
        at = skip_space(text, at)
        at = skip_space(text, at + 1) if text[at] == "," else at


def skip_space(text: str, at: int) -> int:
    """Return the offset of what follows the whitespace at `at`."""
    match = _SPACE.match(text, at)
    return match.end() if match else at
