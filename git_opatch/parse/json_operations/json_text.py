"""A JSON scanner that yields spans of the text instead of values.

    {"path": "a.py", "diff": "@@…"}
            ^start^end

Members are decoded only on request, so that a large text needs little memory, and each has an
offset for messages. Source: RFC 8259, but control characters in a string are accepted. A raw line
break is not: it is where a string ends that a model forgot to close (D63).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from git_opatch.model.text_position import TextPosition

_MAX_DEPTH = 100
_SPACE = rb"[ \t\r\n]*+"
_STRING = rb'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_NUMBER = rb"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?"
_KEY = _SPACE + _STRING + _SPACE + rb":"
_VALUE = re.compile(
    _SPACE + rb"(?:(?P<whole>" + _STRING + rb"|" + _NUMBER + rb"|true|false|null"
    rb"|\[" + _SPACE + rb"\]|\{" + _SPACE + rb"\})|(?P<open>\[|\{(?=" + _KEY + rb")))"
)
_AFTER_OPEN = {ord("["): re.compile(rb""), ord("{"): re.compile(_KEY)}
_AFTER_VALUE = {
    ord("["): re.compile(_SPACE + rb"(?:(?P<more>,)|\])"),
    ord("{"): re.compile(_SPACE + rb"(?:(?P<more>,)" + _KEY + rb"|\})"),
}
_ITEM = {
    ord("["): re.compile(_SPACE + rb",?" + _SPACE + rb"(?:(?P<end>\])|(?P<key>))"),
    ord("{"): re.compile(
        _SPACE
        + rb",?"
        + _SPACE
        + rb"(?:(?P<end>\})|(?P<key>"
        + _STRING
        + rb")"
        + _SPACE
        + rb":)"
        + _SPACE
    ),
}
_LAST_LINE = re.compile(rb"[^\n]*+\s*+\Z")
_WHOLE_STRING = re.compile(_STRING)
_SPACES = re.compile(_SPACE)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PIECE = re.compile(
    rb"(?:[^\\]{1,200}+[\x80-\xbf]*+|\\u[dD][89abAB]..(?:\\u....)?+|\\u....|\\.){1,40}+",
    re.DOTALL,
)
"""A part of a string that can be decoded by itself: the whole, decoded, may take much memory."""


class InvalidJson(Exception):  # noqa: N818 - whether this is an error is for others to say
    """The text at `at` is not valid JSON."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


def find_end(raw: bytes, at: int) -> int:
    """Return the offset at which the value that begins at `at` ends. Raises `InvalidJson`."""
    opened = bytearray()
    while True:
        match = _VALUE.match(raw, at)
        if match is None:
            raise _describe_error(raw, at, "a value")
        at = match.end()
        if match.lastgroup == "open":
            opened.append(raw[at - 1])
            if len(opened) > _MAX_DEPTH:
                raise InvalidJson(at, f"the JSON is nested more than {_MAX_DEPTH} deep")
            at = _match_end(_AFTER_OPEN[opened[-1]], raw, at)
            continue
        while opened:
            match = _AFTER_VALUE[opened[-1]].match(raw, at)
            if match is None:
                raise _describe_error(raw, at, f"`,` or `{']' if opened[-1] == ord('[') else '}'}`")
            at = match.end()
            if match["more"]:
                break
            opened.pop()
        else:
            return at


def _match_end(pattern: re.Pattern[bytes], raw: bytes, at: int) -> int:
    match = pattern.match(raw, at)
    return match.end() if match else at


def _describe_error(raw: bytes, at: int, expected: str) -> InvalidJson:
    at = _match_end(_SPACES, raw, at)
    if at == len(raw):
        return InvalidJson(at, "the text ends in the middle of the JSON")
    unclosed = raw[at] == ord('"') and not _WHOLE_STRING.match(raw, at)
    if unclosed and is_on_last_line(raw, at):
        return InvalidJson(at, "the text ends in the middle of a JSON string")
    if unclosed:
        return InvalidJson(
            at, 'a JSON string must end with `"` on its line; write a line break in it as `\\n`'
        )
    return InvalidJson(at, f"this is not valid JSON: expected {expected}")


def is_on_last_line(raw: bytes, at: int) -> bool:
    """Whether the text ends with the line at `at`, but for blank ones."""
    return _LAST_LINE.match(raw, at) is not None


def iter_items(raw: bytes, at: int) -> Iterator[tuple[bytes, int, int]]:
    """Iterate over the valid object or array at `at`: (key, start, end) of each value.

    A key has its quotes and escapes; it is None in an array.
    """
    pattern = _ITEM[raw[at]]
    at += 1
    while (match := pattern.match(raw, at)) is not None and match["end"] is None:
        start = match.end()
        at = find_end(raw, start)
        yield match["key"], start, at


def decode_string(raw: bytes, start: int, end: int) -> bytes:
    """Decode the string at `start` to UTF-8. Raises `InvalidJson` for an invalid escape."""
    decoded = bytearray()
    for piece in _PIECE.finditer(raw, start + 1, end - 1):
        decoded += _decode_piece(piece[0], start)
    return bytes(decoded)


def _decode_piece(piece: bytes, start: int) -> bytes:
    token = b'"' + piece + b'"'
    try:
        value: str = json.loads(token.decode("utf-8", "surrogateescape"), strict=False)
    except json.JSONDecodeError:
        message = 'invalid escape: a `\\` must be before one of `"\\/bfnrtu`; write `\\\\`'
        raise InvalidJson(start, message) from None
    try:
        return value.encode()
    except UnicodeEncodeError:
        if _SURROGATE.search(token):
            raise InvalidJson(
                start, "the string has half a surrogate pair, which is not a character"
            ) from None
        return value.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class StringLineNumbers:
    """The line numbers of the lines of a string.

    With `header`, a line that is not in the string comes first, and has that number.
    """

    number: int
    offset: int
    name: str
    header: int = 0

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""
        if self.header:
            return TextPosition(self.number if at else self.header, self.offset, at, self.name)
        return TextPosition(self.number, self.offset, at + 1, self.name)
