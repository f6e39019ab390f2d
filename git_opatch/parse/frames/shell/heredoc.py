"""Heredocs of any command: which line opens one, where it ends, and whether a patch is in it.

Rules: POSIX Shell Command Language, 2.7.4 "Here-Document". What stands in a heredoc is for
its command, which may well write it to a file, and is no patch for us.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import replace
from weakref import WeakKeyDictionary

from git_opatch.parse.cursor import Cursor
from git_opatch.parse.frames.fence import is_fence
from git_opatch.parse.lines import Lines

_WORD = rb"(?:'([^'\n`]+)'|\"([^\"\n`]+)\"|\\?([\w.-]+))"
_OPENS = re.compile(rb"(?<!<)<<-?[ \t]*" + _WORD)
# Words after the delimiter are a sentence's; a command has them before it.
_LAST = re.compile(rb"(?<!<)<<-?[ \t]*" + _WORD + rb"[ \t\r\\]*(?:$|[|&;<>)]|\d>)")
_ALONE = re.compile(rb"(?m)^[ \t]*+(\S[^\n]*?)[ \t\r]*+$")
_FENCE = re.compile(rb"(?m)^[ \t]*+(?:```|~~~)")
_BEGINNING = re.compile(
    rb"\*{2,}[ \t]*(?:begin|update|add|delete|move)\b|^[ \t]*(?:\*\*\* |diff --git |--- \S|@@"
    rb"|<{5,9} ?SEARCH|</?FILE_CHANGES|[\[{].*[\"']\w*(?:patch|diff|operation|path)\w*[\"'])",
    re.IGNORECASE,
)


class _Index:
    """Where in a text heredocs open and may end, by delimiter, and where fences are."""

    def __init__(self, raw: bytes) -> None:
        self.opens: dict[bytes, array[int]] = {}
        for match in _OPENS.finditer(raw):
            self.opens.setdefault(_delimiter(match), array("Q")).append(match.start())
        self.ends: dict[bytes, array[int]] = {word: array("Q") for word in self.opens}
        for match in _ALONE.finditer(raw) if self.opens else ():
            if match[1] in self.ends:
                self.ends[match[1]].append(match.start())
        self.fences = array("Q", (match.start() for match in _FENCE.finditer(raw)))


_INDEXES: WeakKeyDictionary[Lines, _Index] = WeakKeyDictionary()


def opened_by(line: bytes) -> bytes | None:
    """The delimiter of the heredoc that `line` opens; None if it is no command that opens one."""
    match = _LAST.search(line)
    return _delimiter(match) if match else None


def end_of(cursor: Cursor, delimiter: bytes) -> int | None:
    """Where the heredoc that opens at the cursor's line has its last line; None if nowhere.

    A document may hold fences of its own, so that none ends it, unless what follows opens
    another heredoc with that delimiter before it ends.
    """
    lines = cursor.lines
    index = _INDEXES.get(lines)
    if index is None:
        index = _INDEXES[lines] = _Index(lines.raw)
    start = lines.offset(cursor.at + 1) if cursor.at + 1 < len(lines) else len(lines.raw)
    end = _next(index.ends.get(delimiter), start)
    if end is None or lines.at_offset(end) >= cursor.end:
        return None
    fence, again = _next(index.fences, start), _next(index.opens.get(delimiter), start)
    if fence is not None and again is not None and fence < again < end:
        return None
    return lines.at_offset(end)


def terminator(body: Cursor, delimiter: bytes) -> tuple[int, bool]:
    """Where the lines from `body` on end, and whether the delimiter says so.

    The fence that they stand in ends them, too, unless the delimiter still comes.
    """
    for at in range(body.at, body.end):
        line = body.line_at(at)
        if line == delimiter:
            return at, True
        if body.fence and is_fence(body, line):
            end = end_of(replace(body, at=at), delimiter)
            if end is None or body.line_at(end) != delimiter:
                return at, False
    return body.end, False


def is_beginning(line: bytes) -> bool:
    """Whether a patch, or a part of one, seems to begin in `line`."""
    return _BEGINNING.search(line) is not None


def _delimiter(match: re.Match[bytes]) -> bytes:
    single, double, bare = match.groups()
    word: bytes = single or double or bare
    return word


def _next(places: array[int] | None, start: int) -> int | None:
    at = bisect_left(places, start) if places else 0
    return places[at] if places and at < len(places) else None
