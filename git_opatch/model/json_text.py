r"""Where the values of JSON are in its text, which `json` does not say, and the lines of a string.

The text is one that `json` reads. For offsets in bytes, it is decoded as Latin-1. All numbers of
lines in a patch's text are plain numbers, except for lines of such a string: there, one line of the
text holds many lines of a patch.

    {"patch": "*** Begin Patch\n*** Updat File: a"}     →  line 1 (line 2 of `patch`)
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


class TextPosition(int):
    """The number of a line in the text, which also says which line of a string on it is meant.

    `offset` distinguishes the strings on one line, `string_line` is the line in the string, from 1
    (0 for the whole string), and `string_name` is what messages call the string.
    """

    offset: int
    string_line: int
    string_name: str

    def __new__(cls, number: int, offset: int, string_line: int, string_name: str) -> TextPosition:
        """Make the position in line `number`."""
        position = super().__new__(cls, number)
        position.offset = offset
        position.string_line, position.string_name = string_line, string_name
        return position

    def __str__(self) -> str:
        number = int.__repr__(self)
        if not self.string_line:
            return number
        return f"{number} (line {self.string_line} of {self.string_name})"

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same line of the same string; a plain number equals any on
        it.

        So programs may compare with a number, and hunks on one line are still distinguished.
        """
        if isinstance(other, TextPosition):
            return self._key == other._key
        return int(self) == other

    def __hash__(self) -> int:
        return int.__hash__(self)  # as the plain number that it may equal

    @property
    def _key(self) -> tuple[int, int, int]:
        return int(self), self.offset, self.string_line


def string_line_of(number: int) -> int:
    """Return the line in a string of JSON that `number` means, from 1; 0 if it means none."""
    return number.string_line if isinstance(number, TextPosition) else 0
