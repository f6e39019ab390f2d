"""Recognize the lines that begin a definition or a section: their kind and their name (D18, D80).

An anchor's scope ends at the next heading of its kind. A line that is wrongly taken for a heading
costs a refusal, or a wrong position (the true one may be beyond it); a heading that is missed costs
a claim that is not checked. So only what is certainly a heading counts, and a call never does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from git_opatch.model.text import indentation

_MODIFIERS = (
    rb"(?P<modifiers>(?:(?:export|default|public|private|protected|internal|static|final|abstract|"
    rb"async|override|virtual|inline|extern|unsafe|const|constexpr|pub(?:\([^)]*\))?|declare|open|"
    rb"sealed|partial|local|suspend|data|case|implicit|friend)\s+)*)"
)
_NAMED = (
    rb"(?:<[^>]*>)?\s+(?:\((?P<receiver>[^)]*)\)\s*)?[*&<]*(?P<name>[\w.$:]+[?!]?)(?P<after>\s*)"
)
_REST = (
    rb"(?P<rest>$|[^\w\s].*|"
    rb"(?:extends|implements|for|struct|interface|where|with|func|map|enum|do)\b.*)"
)
_DEFINITION = (
    rb"\s*" + _MODIFIERS + rb"(?!(?:struct|enum|union)\s+\w+\s*[*&])"  # the type of something else
    rb"(?P<word>def|class|function|func|fn|fun|interface|struct|enum|union|"
    rb"impl|trait|type|module|namespace|package|object|record|sub|proc|procedure|macro|"
    rb"template|defmodule|defp|defmacrop?|defimpl|defprotocol)" + _NAMED + _REST
)
_ASSIGNED = (
    rb"\s*(?:export\s+(?:default\s+)?)?(?:(?:const|let|var)\s+)?(?P<name>[\w$.]+)\s*[:=]\s*"
    rb"(?:async\s+)?(?:function\b|(?:\([^()]*\)|[\w$]+)\s*=>).*$"
)
_BLOCK = (
    rb"\s*(?>(?:[\w<>*&\[\]]+\s+)*)[*&]*(?P<name>[\w$~]+(?:::[\w~]+)*)\((?:[^;'\"`=]|=(?!>))*\)"
    rb"[\w\s:<>,*&|?\[\]-]*\{\s*$"
)
_SIGNATURE = (
    rb"\s*(?P<type>(?:[A-Za-z_][\w:<>,.\[\]~?]*(?:\s+|\s*[*&]+\s*))+)(?P<name>[\w:~]+)\s*"
    rb"\((?P<parameters>[^;'\"`=]*)$"
)
_MARGIN_NAME = rb"(?P<name>[A-Za-z_][\w:~]*)\s*\([^;'\"`={]*$"
"""A name at the margin, and its parameters: the type may be on the line above."""
_INITIALIZED = (
    rb"(?:[A-Za-z_]\w*(?:\s+|\s*[*&]+\s*))+(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*=\s*\{\s*$"
)
"""A table at the margin, such as `static const struct key keys[] = {`."""
_CONTROL = (
    rb"\s*(?:\}\s*)?(?:if|else|elif|for|foreach|while|switch|case|catch|do|try|return|with|"
    rb"except|finally|until|unless|when|match|synchronized|using|lock|default|new|await|throw|"
    rb"raise|yield|assert|not|go|defer|delete|print|echo|puts)\b"
)


class OutlineKind(Enum):
    """The kinds of heading: one ends only where another of its kind begins."""

    DEFINITION = "definition"
    MARKDOWN = "#"
    WIKI = "="
    TABLE = "[table]"
    LABEL = "label:"
    UNDERLINED = "==="


class Name(NamedTuple):
    """What a heading names: its kind, the name, and what the name is qualified by, if anything."""

    kind: OutlineKind
    name: bytes
    qualifier: bytes = b""

    def matches(self, other: Name) -> bool:
        """Return whether both may name the same: an unqualified name may be any qualified one."""
        qualified = self.qualifier and other.qualifier
        same = self.kind is other.kind and self.name == other.name
        return same and not (qualified and self.qualifier != other.qualifier)


_SECTIONS = {
    OutlineKind.MARKDOWN: rb"#{1,6}\s+(?P<name>\S.*)",
    OutlineKind.WIKI: rb"={2,6}\s+(?P<name>\S.*)",
    OutlineKind.TABLE: rb"\[\[?(?P<name>[A-Za-z][\w.:\"' /-]*)\]\]?\s*$",
    OutlineKind.LABEL: rb"(?P<name>[A-Za-z][\w.-]*):\s*$",
}
_RULE = rb"(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$"
_OF_RULES = (b"===", b"---", b"~~~", b"^^^")
_MAX_LENGTH = 200  # a longer line is not a heading, and would make the patterns slow
_MAX_REMEMBERED = 16_384  # lines, in about 10 MB


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Compile `pattern` on first use: that takes a millisecond, and many patches need none."""
    return re.compile(pattern)


def heading(line: bytes) -> OutlineKind | None:
    """Return the kind of heading that `line` looks like, in any common language, or None."""
    found = _match(line)
    return found[0] if found else None


def heading_at(lines: Sequence[bytes], position: int) -> OutlineKind | None:
    """Return the kind of heading that is at `position`, where the lines below may tell it.

    That is a definition whose brace is on a line of its own, and a title that is underlined.
    """
    line = lines[position]
    if kind := heading(line):
        return kind
    below = lines[position + 1] if position + 1 < len(lines) else b""
    if b"{" in below and below.strip() == b"{" and heading(line.strip()) is OutlineKind.DEFINITION:
        return OutlineKind.DEFINITION
    if _is_below_its_type(lines, position):
        return OutlineKind.DEFINITION
    return OutlineKind.UNDERLINED if underline(lines, position) else None


def _is_below_its_type(lines: Sequence[bytes], position: int) -> bool:
    """Return whether a definition begins at `position` whose type is on the line above (D315).

    static int                      the type
    compare(struct item *a,         the definition
        struct item *b)
    {                               its brace
    """
    line = lines[position]
    if b"(" not in line or len(line) > _MAX_LENGTH or not _compiled(_MARGIN_NAME).match(line):
        return False
    if _compiled(_CONTROL).match(line):
        return False
    at = position + 1
    while at < len(lines) and lines[at][:1] in (b" ", b"\t"):
        at += 1
    is_closed = lines[at - 1].rstrip().endswith(b")")
    return is_closed and at < len(lines) and lines[at].rstrip() == b"{"


def underline(lines: Sequence[bytes], position: int) -> bytes:
    """Return the character that underlines the title at `position`; empty if it is not one."""
    if position + 1 >= len(lines) or not lines[position + 1].startswith(_OF_RULES):
        return b""
    if not _compiled(_RULE).match(lines[position + 1]):
        return b""
    line, rule = lines[position], lines[position + 1].rstrip()
    is_title = line[:1].strip() and line[:1] != rule[:1] and len(line.rstrip()) <= len(rule)
    return rule[:1] if is_title else b""


def _match(line: bytes) -> tuple[OutlineKind, re.Match[bytes]] | None:
    """Return the kind of heading that `line` looks like, with what its pattern matched."""
    return _match_short(line) if len(line) <= _MAX_LENGTH else None


@lru_cache(_MAX_REMEMBERED)
def _match_short(line: bytes) -> tuple[OutlineKind, re.Match[bytes]] | None:
    """The same for a line that is not too long. Many patches are for files with the same lines."""
    if _compiled(_CONTROL).match(line):
        return None
    for pattern in _definitions_that_may_match(line):
        if match := _compiled(pattern).match(line):
            return OutlineKind.DEFINITION, match
    for kind, pattern in _SECTIONS.items():
        if match := _compiled(pattern).match(line):
            return kind, match
    return None


def _definitions_that_may_match(line: bytes) -> Iterator[bytes]:
    """Yield the patterns of definitions but for those that need a character which is not there."""
    yield _DEFINITION
    has_parenthesis = b"(" in line
    if has_parenthesis and line.rstrip().endswith(b"{"):
        yield _BLOCK
    if b"=>" in line or b"function" in line:
        yield _ASSIGNED
    if b"=" in line and not line[:1].isspace():
        yield _INITIALIZED
    if has_parenthesis and not line[:1].isspace():
        yield _SIGNATURE


def name_of(line: bytes) -> Name | None:
    """Return what `line` names, if it is a heading, however it is indented; else None."""
    found = _match(line.strip()[:_MAX_LENGTH])
    return _name(*found) if found else None


def _name(kind: OutlineKind, match: re.Match[bytes]) -> Name:
    name, groups = match["name"].strip(), match.groupdict()
    if kind is not OutlineKind.DEFINITION:
        return Name(kind, name.rstrip(b"#= "))
    if groups.get("word") == b"impl" and (target := _IMPLEMENTED.match(groups["rest"] or b"")):
        return Name(kind, target[1], name)
    *qualifiers, last = re.split(rb"::|\.", name.rstrip(b":")) or [b""]
    receiver = re.findall(rb"\w+", groups.get("receiver") or b"")
    return Name(kind, last, receiver[-1] if receiver else b".".join(qualifiers))


_IMPLEMENTED = re.compile(rb"(?:<[^>]*>\s*)?for\s+&?(?:mut\s+)?([\w:]+)")


_PARTS = frozenset(
    b"definition definitions declaration declarations body header signature imports methods "
    b"attributes fields members level variables constants section block docs docstring comment "
    b"comments annotation annotations arguments parameters call calls name names".split()
)
"""What a text such as `class attributes` speaks of: a part of the code, which has no name."""
_BUILT_IN = (
    rb"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|"
    rb"override|virtual|inline|extern|unsafe|const|constexpr|void|int|char|bool|boolean|byte|"
    rb"short|long|float|double|unsigned|signed|string|String|\w+_t|struct\s+\w+|enum\s+\w+|"
    rb"\w+<[\w<>,\s]*>|\w+\[\])(?:\s+|\s*[*&]+\s*)|\w+\s*\*+\s*)+"
)


def named_by(text: bytes) -> Name | None:
    """Return what the text of an anchor certainly names, whatever the file has; None for prose.

    `def start(self):` and `private int size()` do; `class attributes`, `update the calls of f()`
    and `x = 1` do not.
    """
    found = _match(text.strip())
    if found is None:
        return None
    kind, match = found
    if kind is not OutlineKind.DEFINITION:
        return _name(kind, match)
    groups = match.groupdict()
    if "type" in groups and not _compiled(_BUILT_IN).fullmatch(groups["type"]):
        return None
    if groups.get("word"):
        ends = not groups["rest"] and not match["name"].endswith(b":")
        if ends and not groups["modifiers"] and match["name"].lower() in _PARTS:
            return None
        goes_on = groups["rest"][:1].isalpha() and groups["rest"].strip() != b"do"
        is_phrase = goes_on and match["name"].islower()
        if groups["rest"][:1] in (b"`", b"'", b'"', b"!", b"?", b"."):
            return None
        if is_phrase and groups["word"] not in (b"impl", b"type"):
            return None
    return _name(kind, match)


def keyword_of(line: bytes) -> bytes:
    """Return the keyword that makes `line` a definition, such as `class`; empty if none does."""
    is_control = _compiled(_CONTROL).match(line)
    match = None if is_control else _compiled(_DEFINITION).match(line[:_MAX_LENGTH])
    return match["word"] if match else b""


def is_certain(lines: Sequence[bytes], position: int, kind: OutlineKind) -> bool:
    """Return whether the line at `position` is certainly a heading of that kind.

    `# text` may be a comment: it is a section where it is alone between blank lines.
    """
    if heading_at(lines, position) is not kind:
        return False
    if kind is not OutlineKind.MARKDOWN or lines[position].startswith(b"##"):
        return True
    near = (*lines[max(position - 1, 0) : position], *lines[position + 1 : position + 2])
    return not any(line.strip() for line in near)


def is_for_the_file(line: bytes) -> bool:
    """Return whether `line` is a statement such as `package main`: all of the file is below it."""
    match = _compiled(_DEFINITION).match(line[:_MAX_LENGTH])
    if match is None or line.rstrip().endswith((b"{", b":")):
        return False
    return match["word"] in (b"package", b"namespace", b"module")


def depth(line: bytes, kind: OutlineKind) -> int:
    """Return how deep a heading of that kind is; one that is not deeper ends what is below it."""
    if kind in (OutlineKind.MARKDOWN, OutlineKind.WIKI):
        return len(line) - len(line.lstrip(kind.value.encode()))
    return line.count(b".") if kind is OutlineKind.TABLE else len(indentation(line))
