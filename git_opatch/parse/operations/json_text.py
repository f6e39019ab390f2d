r"""JSON as spans of text: where each value ends, and what stands in an object or an array.

Nothing is built of what nobody asks for, and every value knows its place. Rule: RFC 8259, but
that control characters in a string are taken; a line break is not: it is where models end a
string that they forgot to close.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from git_opatch.parse.lines import Place

_DEEPEST = 100
_BLANK = rb"[ \t\r\n]*+"
_STRING = rb'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_NUMBER = rb"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?"
_KEY = _BLANK + _STRING + _BLANK + rb":"
_VALUE = re.compile(
    _BLANK + rb"(?:(?P<whole>" + _STRING + rb"|" + _NUMBER + rb"|true|false|null"
    rb"|\[" + _BLANK + rb"\]|\{" + _BLANK + rb"\})|(?P<open>\[|\{(?=" + _KEY + rb")))"
)
_AFTER_OPEN = {ord("["): re.compile(rb""), ord("{"): re.compile(_KEY)}
_AFTER_VALUE = {
    ord("["): re.compile(_BLANK + rb"(?:(?P<more>,)|\])"),
    ord("{"): re.compile(_BLANK + rb"(?:(?P<more>,)" + _KEY + rb"|\})"),
}
_ITEM = {
    ord("["): re.compile(_BLANK + rb",?" + _BLANK + rb"(?:(?P<end>\])|(?P<key>))"),
    ord("{"): re.compile(
        _BLANK
        + rb",?"
        + _BLANK
        + rb"(?:(?P<end>\})|(?P<key>"
        + _STRING
        + rb")"
        + _BLANK
        + rb":)"
        + _BLANK
    ),
}
_WHOLE_STRING = re.compile(_STRING)
_BLANKS = re.compile(_BLANK)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PIECE = re.compile(
    rb"(?:[^\\]{1,200}+[\x80-\xbf]*+|\\u[dD][89abAB]..(?:\\u....)?+|\\u....|\\.){1,40}+",
    re.DOTALL,
)
"""A part of a string that means something by itself: decoded, the whole may take much memory."""


class Broken(Exception):  # noqa: N818 - whether this is an error is for others to say
    """The text at `at` is no JSON."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


def end_of(raw: bytes, at: int) -> int:
    """Where the value ends that begins at `at`; raises `Broken` where it is none."""
    opened = bytearray()
    while True:
        match = _VALUE.match(raw, at)
        if match is None:
            raise _broken(raw, at, "a value")
        at = match.end()
        if match.lastgroup == "open":
            opened.append(raw[at - 1])
            if len(opened) > _DEEPEST:
                raise Broken(at, f"the JSON is nested more than {_DEEPEST} deep")
            at = _matched(_AFTER_OPEN[opened[-1]], raw, at)
            continue
        while opened:
            match = _AFTER_VALUE[opened[-1]].match(raw, at)
            if match is None:
                raise _broken(raw, at, f"`,` or `{']' if opened[-1] == ord('[') else '}'}`")
            at = match.end()
            if match["more"]:
                break
            opened.pop()
        else:
            return at


def _matched(pattern: re.Pattern[bytes], raw: bytes, at: int) -> int:
    match = pattern.match(raw, at)
    return match.end() if match else at


def _broken(raw: bytes, at: int, expected: str) -> Broken:
    at = _matched(_BLANKS, raw, at)
    if at == len(raw):
        return Broken(at, "the text ends in the middle of the JSON")
    unclosed = raw[at] == ord('"') and not _WHOLE_STRING.match(raw, at)
    if unclosed and raw.find(b"\n", at) < 0:
        return Broken(at, "the text ends in the middle of a string of JSON")
    if unclosed:
        return Broken(
            at, 'a string in JSON ends with `"` on its line; write a line break in it as `\\n`'
        )
    return Broken(at, f"this is no JSON: expected {expected}")


def items(raw: bytes, at: int) -> Iterator[tuple[bytes, int, int]]:
    """What stands in the valid object or array at `at`: the key, if any, and from where to where.

    A key comes as it is written, with its quotes.
    """
    pattern = _ITEM[raw[at]]
    at += 1
    while (match := pattern.match(raw, at)) is not None and match["end"] is None:
        start = match.end()
        at = end_of(raw, start)
        yield match["key"], start, at


def string(raw: bytes, start: int, end: int) -> bytes:
    """What the string means that stands there, in UTF-8; raises `Broken` where it means nothing."""
    said = bytearray()
    for piece in _PIECE.finditer(raw, start + 1, end - 1):
        said += _meant(piece[0], start)
    return bytes(said)


def _meant(piece: bytes, start: int) -> bytes:
    token = b'"' + piece + b'"'
    try:
        value: str = json.loads(token.decode("utf-8", "surrogateescape"), strict=False)
    except json.JSONDecodeError:
        message = 'a `\\` in a string stands before one of `"\\/bfnrtu` alone; write `\\\\`'
        raise Broken(start, message) from None
    try:
        return value.encode()
    except UnicodeEncodeError:
        if _SURROGATE.search(token):
            raise Broken(start, "the string holds half a surrogate pair, no character") from None
        return value.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class NumbersOfString:
    """Which line of a string each line is; with `header`, all after a first one, which is put
    before them and has that number.
    """

    number: int
    offset: int
    name: str
    header: int = 0

    def __getitem__(self, at: int, /) -> int:
        """The number of the line at `at`."""
        if self.header:
            return Place(self.number if at else self.header, self.offset, at, self.name)
        return Place(self.number, self.offset, at + 1, self.name)
