"""Heads: lines that begin a block, which are lines with a deeper line below them, and titles.

It must not know a hunk, nor a language: a head is known by the depth of the lines below it. A few
words tell a definition from a call, and what an anchor says from prose.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache

from git_opatch.locate.forms import is_comment
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Anchor
from git_opatch.model.text import indentation

_CLOSES = re.compile(
    rb"\s*(?:[\])}{>]|#\s*(?:if|el|end|def|inc|und|pragma)"
    rb"|(?:else|elif|except|finally|catch|rescue|ensure|end)\b)"
)
_TITLE = re.compile(rb"(#{1,6}|={2,6})\s+\S|(\[+)[A-Za-z][^\]]*\]+\s*$")
_UNDERLINE = re.compile(rb"(=|-|~|\^)\1{2,}\s*$")
_KEYWORD = (
    rb"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|unsafe"
    rb"|const|extern|inline|virtual|override)\s+)*"
    rb"(?:def|class|fn|func|function|struct|enum|trait|impl|interface|module|namespace)\b"
)
_SIGNATURE = (
    rb"(?!(?:if|for|while|switch|return|else|catch|with|elif)\b)"
    rb"(?:[\w<>\[\],*&:~]+\s+){0,3}[*&]*[\w:~]+\([^;=]*\)[^;=()]*[{:]?\s*$"
)
_DEFINES = re.compile(
    rb"\s*(?:%b\s+[\w<(*]|(?:const|let)\s+\w+ = .*=>|%b)" % (_KEYWORD, _SIGNATURE)
)
_PARTS = tuple(
    re.compile(part, re.MULTILINE)
    for part in (rb"^#{1,6} \S", rb"^\[+[A-Za-z][^\]\n]*\]+[ \t]*$", rb"^[ \t]*[\w.-]+:[ \t]*$")
)
"""A title, a table, or a key with a block below it."""
_CLAIMS = re.compile(
    rb"\s*(?:%b\s+(?:(?=\S*[A-Z_])[\w*<]|\(|\S+\s*[(<:{*])|(?:const|let)\s+\w+ = .*=>|%b)"
    % (_KEYWORD, _SIGNATURE)
)
"""What reads as a definition, and not as prose: `class attributes` may be either."""
_SPLIT = re.compile(rb"(?<=\w):\s+(?=\w)|\s+(?:>|for)\s+")
"""Between a class and what is in it, in one anchor."""
_OF_KEYWORD = re.compile(rb"\s*%b\s+(\([^()]*\)\s*)?([A-Za-z_$][\w$]*)" % _KEYWORD)
_OF_CALL = re.compile(rb"((?:\w+::)*)([A-Za-z_$~][\w$]*)\s*\(")
_SEVERAL_WORDS = re.compile(rb"\s*[^\s(]+\s")
_NAME = re.compile(rb"[A-Za-z_$][\w$]*[?!]?")
_KINDS = frozenset(b"class function struct enum trait interface type module method section".split())
"""Words behind a name, or in front of it, for what it is."""
_BEFORE = _KINDS | frozenset(b"def fn func fun impl in inside within".split())
"""Words in front of a name that say so, or that the place is in it."""
_FILLERS = _BEFORE | frozenset(b"the a async public private protected static pub void".split())
"""Words that are not a name."""
_CUT = 76
"""git cuts a heading; so long a text may end inside a word."""
_MOST_NAMES = 5
_LONG = 1 << 12
"""So long a line is not a definition."""


class Heads:
    """The heads of a file. Rows count from 0; lines that others wrote are not heads."""

    def __init__(
        self, lines: Sequence[bytes], joined: bytes, written: frozenset[int], *, is_document: bool
    ) -> None:
        self._lines, self._joined, self._written = lines, joined, written
        self._is_document = is_document
        self.rank = cache(self._rank)
        self.end = cache(self._end)
        self._ends = cache(self._find_ends)
        self.named = cache(self._named)
        self.scopes = cache(self._scopes)
        self._defining = cache(self._find_defining)

    def _rank(self, row: int) -> tuple[bytes, int] | None:
        """Return the kind of head that is at `row`, and how deep it is: a title, or a line with a
        block of deeper lines below it; None if it is not one."""
        line = self._lines[row]
        title = _TITLE.match(line)
        if title and (title[1] != b"#" or self._is_document):  # else a comment
            is_table = title[2] is not None
            return (title[2] or title[1])[:1], line.count(b".") if is_table else len(title[1])
        below = self._lines[row + 1] if row + 1 < len(self._lines) else b""
        rule = _UNDERLINE.match(below)
        if rule and line[:1].strip() and line[:1] != rule[1]:
            return rule[1] * 3, 0
        return (b"", len(indentation(line))) if self.opens(row) else None

    def is_title(self, row: int) -> bool:
        """Return whether a title is at `row`."""
        rank = self.rank(row)
        return rank is not None and bool(rank[0])

    def opens(self, row: int) -> bool:
        """Return whether a block is below the line at `row`: a deeper line, or a brace."""
        line = self._lines[row]
        if not line.strip() or _CLOSES.match(line) or is_comment(line):
            return False
        ending = line.rstrip()[-1:]
        if ending == b"{" or (ending == b":" and is_definition(line)):
            return True
        depth = len(indentation(line))
        for at in range(row + 1, len(self._lines)):
            if below := self._lines[at].strip():
                return len(indentation(self._lines[at])) > depth or below == b"{"
        return False

    def _end(self, row: int) -> int:
        """Return where what the line at `row` names ends: at the next head of its kind, as high;
        of a definition, at the next definition. A line that is not a head holds up to the next head
        that is less deep."""
        kind, depth = self.rank(row) or (None, len(indentation(self._lines[row])))
        ends = self._ends(kind, depth, kind == b"" and defines_something(self._lines[row]))
        return ends[bisect(ends, row)]

    def _find_ends(self, kind: bytes | None, depth: int, defines: bool) -> list[int]:
        """List the rows at which what has this kind and depth may end, and the end of the file."""
        return [
            *(at for at in range(len(self._lines)) if self._is_end(at, kind, depth, defines)),
            len(self._lines),
        ]

    def _is_end(self, at: int, kind: bytes | None, depth: int, defines: bool) -> bool:
        line = self._lines[at]
        if not kind and len(indentation(line)) > depth:
            return False
        other = self.rank(at) if at not in self._written else None
        if other is None or other[0] != (kind or b""):
            return False
        # neither a call with its arguments below it ends a definition, nor a line of prose
        is_inside = kind == b"" and not defines_something(line)
        if is_inside and self._is_document:
            return False
        is_lower = (kind is None and depth > 0) or (is_inside and defines)
        return other[1] <= depth - is_lower

    def _named(self, anchor: Anchor) -> list[int]:
        """List the rows that an anchor names: the definition of a single name, a whole line, the
        beginning of one, the definitions that its names refer to, or lines that it is a part of."""
        text = b" ".join(anchor.text.split())
        lines = list(self._lines_with(anchor.text.strip()))
        is_name = _NAME.fullmatch(text.removesuffix(b"()")) is not None
        if is_name and (rows := self._defining(text.removesuffix(b"()"))):
            return rows
        whole = [row for row, line in lines if line == text]
        same = [row for row in whole if self._lines[row] == anchor.text]
        if whole:
            return same or whole
        if begun := [row for row, line in lines if _begins(line, text)]:
            return begun
        names = self._names(text)
        known = {name: rows for name in names if (rows := self._defining(name))}
        if known:
            return list(self._together(names, known))
        if defines_something(text):
            return []
        return [row for row, line in lines if _is_part(text, line)]

    def referred(self, anchor: Anchor) -> list[int]:
        """List definitions of the names that an anchor refers to; empty if it refers to none, or if
        one is not defined."""
        rows = [self._defining(name) for name in self._names(b" ".join(anchor.text.split()))]
        return [row for defining in rows for row in defining] if all(rows) else []

    def _names(self, text: bytes) -> list[bytes]:
        """Return the names that an anchor refers to; of a sentence those that the file defines."""
        names = names_in(text)
        return [name for name in names if self._defining(name)] if is_prose(text) else names

    def has_parts_like(self, text: bytes) -> bool:
        """Return whether an anchor reads as a title, a table or a key, and the file has such."""
        kinds = (kind for kind in _PARTS if kind.match(text))
        return any(kind.search(self._joined) for kind in kinds)

    def _together(self, names: Sequence[bytes], known: dict[bytes, list[int]]) -> Iterator[int]:
        """Yield the rows of the heads that define one of the names, and have each other one in
        their line, or are in a definition of it."""
        for name, rows in known.items():
            for row in rows:
                others = (other for other in names if other != name)
                if all(self._has(row, other, known.get(other, ())) for other in others):
                    yield row

    def _has(self, row: int, name: bytes, rows: Sequence[int]) -> bool:
        line = self._lines[row]
        return _is_part(name, line) or any(head < row < self.end(head) for head in rows)

    def _find_defining(self, name: bytes) -> list[int]:
        """List the heads that define a name."""
        rows = (row for row, line in self._lines_with(name) if _defines(line, name))
        return [row for row in rows if self.rank(row)]

    def _lines_with(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of the lines that have `text`, and the lines with single spaces."""
        for row in rows_with(text, self._joined):
            if row not in self._written:
                yield row, b" ".join(self._lines[row].split())

    def _scopes(self, anchors: tuple[Anchor, ...]) -> list[tuple[int, int]]:
        """Return the rows and the ends of what the last anchor names in what those before name;
        nothing if none of them names a line."""
        found = [(0, len(self._lines))]
        named = [rows for rows in map(self.named, anchors) if rows]
        for rows in named:
            inside = {row: stop for row in rows for start, stop in found if start <= row < stop}
            found = [(row, min(self.end(row), stop)) for row, stop in inside.items()]
        return found if named else []


def rows_with(text: bytes, joined: bytes) -> list[int]:
    """List the rows of the lines that have `text`; none if there are more than `MANY`."""
    rows: list[int] = []
    row, done, at = 0, 0, joined.find(text) if text else -1
    while at >= 0:
        row += joined.count(b"\n", done, at)
        rows.append(row)
        if len(rows) > MANY:
            return []
        done = joined.find(b"\n", at)
        at = joined.find(text, done) if done >= 0 else -1
    return rows


def defines_something(line: bytes) -> bool:
    """Return whether a line reads as a definition, a title or a key."""
    return is_definition(line) or any(part.match(line[:_LONG]) for part in _PARTS)


def is_definition(line: bytes) -> bool:
    """Return whether a line reads as a definition of code."""
    return _DEFINES.match(line[:_LONG]) is not None


def declares(line: bytes) -> bool:
    """Return whether a line reads as a definition, and not as a call."""
    return is_definition(line) and _SEVERAL_WORDS.match(line) is not None


def claims_definition(text: bytes) -> bool:
    """Return whether an anchor reads as a definition of code, and not as prose."""
    return _CLAIMS.match(text[:_LONG]) is not None


def is_prose(text: bytes) -> bool:
    """Return whether an anchor is a sentence: several words that do not read as a definition."""
    return len(text.split()) > 1 and not is_definition(text)


def closes(line: bytes) -> bool:
    """Return whether a line closes, or goes on with, the block above it."""
    return _CLOSES.match(line) is not None


def names_in(text: bytes) -> list[bytes]:
    """Return the names that an anchor refers to: of a definition its own, and the receiver's."""
    names: list[bytes] = []
    for part in _SPLIT.split(text):
        if keyword := _OF_KEYWORD.match(part):
            receiver = _NAME.findall(keyword[1] or b"")[-1:]
            names += [keyword[2], *receiver]
        elif is_definition(part) and (call := _OF_CALL.search(part)):
            names += [call[2], *re.findall(rb"\w+", call[1])]
        else:
            names += _references(part)
    return list(dict.fromkeys(names)) if len(names) <= _MOST_NAMES else []


def _references(text: bytes) -> list[bytes]:
    """Return the names in an anchor that does not read as a definition: all of one word such as
    `Store.load`; in prose those beside a word for what they are, or behind `in`."""
    words = _without_arguments(text).split()
    if len(words) == 1:
        return _NAME.findall(words[0])
    clean = [word.strip(b"`'\",.:;") for word in words]
    names: list[bytes] = []
    for before, word, after in zip((b"", *clean), clean, (*clean[1:], b""), strict=False):
        is_name = _NAME.fullmatch(word) and word not in _FILLERS
        if is_name and (before in _BEFORE or after in _KINDS):
            names.append(word)
        elif b"." in word and before in _BEFORE:
            names += _NAME.findall(word)
    return names


def _without_arguments(text: bytes) -> bytes:
    return re.sub(rb"(?<=\w)\([^()]*\)", b"", text)


def _begins(line: bytes, text: bytes) -> bool:
    is_whole = re.match(rb"\w\w", text[-1:] + line[len(text) :][:1]) is None
    return line.startswith(text) and (is_whole or len(text) >= _CUT)


def _is_part(text: bytes, line: bytes) -> bool:
    """Return whether a line has `text`, not inside a word."""
    return re.search(rb"(?<!\w)%b(?!\w)" % re.escape(text), line) is not None


def _defines(line: bytes, name: bytes) -> bool:
    """Return whether a line may define `name`: it is before any bracket, behind words alone."""
    if len(line) > _LONG:
        return False
    before = rb"[^\s\w]*\s*(?:[\w<>&*:,~.\[\]]+\s+|\([^()]*\)\s*)*(?:\w+(?:\.|::))*[*&]*"
    return re.match(before + re.escape(name) + rb"(?!\w)", line) is not None
