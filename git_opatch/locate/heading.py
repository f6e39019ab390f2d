"""Which lines look like the beginning of a definition or of a section, and of which kind?

An anchor belongs to what follows it up to the next heading of its kind. A line too many
counted as a heading costs a wrong place (the true one may lie beyond it), a line too few only
a refusal: so only what is a heading beyond doubt is one, and no call is.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from git_opatch.text import indentation

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
_LONGEST = 200  # what is longer is no heading, and would make the patterns slow


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Compiled with the first anchor: that takes a millisecond, and many patches have none."""
    return re.compile(pattern)


def heading(line: bytes) -> Heading | None:
    """What kind of heading `line` looks like, in any common language; None if it is none."""
    if len(line) > _LONGEST or _compiled(_CONTROL).match(line):
        return None
    if any(_compiled(pattern).match(line) for pattern in _DEFINITIONS):
        return Heading.DEFINITION
    kinds = (kind for kind, pattern in _SECTIONS.items() if _compiled(pattern).match(line))
    return next(kinds, None)


def word_of(line: bytes) -> bytes:
    """The keyword that makes `line` a definition; empty if it has none."""
    is_control = _compiled(_CONTROL).match(line)
    match = None if is_control else _compiled(_DEFINITION).match(line[:_LONGEST])
    return match["word"] if match else b""


def depth(line: bytes, kind: Heading) -> int:
    """How deep a heading of that kind stands: one that is no deeper ends what is below it."""
    if kind in (Heading.MARKDOWN, Heading.WIKI):
        return len(line) - len(line.lstrip(kind.value.encode()))
    return line.count(b".") if kind is Heading.TABLE else len(indentation(line))
