"""Recognize the lines that begin a definition or a section, and their kind (D18).

An anchor's scope ends at the next heading of its kind. A line that is wrongly taken for a heading
costs a wrong position (the true one may be beyond it), a heading that is missed only a refusal: so
only what is certainly a heading counts, and a call never does.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from git_opatch.model.text import indentation

_MODIFIERS = (
    rb"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|"
    rb"override|virtual|inline|extern|unsafe|const|constexpr|pub(?:\([^)]*\))?|declare|open|"
    rb"sealed|partial|local|suspend|data|case|implicit|friend)\s+)*"
)
_NAMED = rb"\s+(?:\([^)]*\)\s*)?[*&<]*[\w.$:]+\s*"
_REST = rb"(?:$|[^\w\s].*|(?:extends|implements|for|struct|interface|where|with|func|map|enum)\b.*)"
_DEFINITION = (
    rb"\s*" + _MODIFIERS + rb"(?P<word>def|class|function|func|fn|fun|interface|struct|enum|union|"
    rb"impl|trait|type|module|namespace|package|object|record|sub|proc|procedure|macro|"
    rb"template)" + _NAMED + _REST
)
_BLOCK = rb"\s*(?:[\w<>*&\[\]]+\s+)*[\w$~]+(?:::[\w~]+)*\([^;'\"`=]*\)[\w\s:<>,*&|?\[\]-]*\{\s*$"
_AT_MARGIN = rb"[A-Za-z_][\w*&:<>,\[\]~]*[\s*&]+[\w*&:<>~]+\s*\([^;'\"`=]*$"
_CONTROL = (
    rb"\s*(?:\}\s*)?(?:if|else|elif|for|foreach|while|switch|case|catch|do|try|return|with|"
    rb"except|finally|until|unless|when|match|synchronized|using|lock|default)\b"
)


class Heading(Enum):
    """The kinds of heading: one ends only where another of its kind begins."""

    DEFINITION = "definition"
    MARKDOWN = "#"
    WIKI = "="
    TABLE = "[table]"
    LABEL = "label:"


_SECTIONS = {
    Heading.MARKDOWN: rb"#{1,6}\s+\S",
    Heading.WIKI: rb"={2,6}\s+\S",
    Heading.TABLE: rb"\[\[?[A-Za-z][\w.:\"' /-]*\]\]?\s*$",
    Heading.LABEL: rb"[A-Za-z][\w.-]*:\s*$",
}
_DEFINITIONS = (_DEFINITION, _BLOCK, _AT_MARGIN)
_MAX_LENGTH = 200  # a longer line is not a heading, and would make the patterns slow


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Compile `pattern` on first use: that takes a millisecond, and many patches need none."""
    return re.compile(pattern)


def heading(line: bytes) -> Heading | None:
    """Return the kind of heading that `line` looks like, in any common language, or None."""
    if len(line) > _MAX_LENGTH or _compiled(_CONTROL).match(line):
        return None
    if any(_compiled(pattern).match(line) for pattern in _DEFINITIONS):
        return Heading.DEFINITION
    kinds = (kind for kind, pattern in _SECTIONS.items() if _compiled(pattern).match(line))
    return next(kinds, None)


def keyword_of(line: bytes) -> bytes:
    """Return the keyword that makes `line` a definition, such as `class`; empty if none does."""
    is_control = _compiled(_CONTROL).match(line)
    match = None if is_control else _compiled(_DEFINITION).match(line[:_MAX_LENGTH])
    return match["word"] if match else b""


def depth(line: bytes, kind: Heading) -> int:
    """Return how deep a heading of that kind is; one that is not deeper ends what is below it."""
    if kind in (Heading.MARKDOWN, Heading.WIKI):
        return len(line) - len(line.lstrip(kind.value.encode()))
    return line.count(b".") if kind is Heading.TABLE else len(indentation(line))
