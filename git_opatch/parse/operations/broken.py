"""JSON that breaks: where it would have ended, and whether it was meant as a patch.

Rules: the project's decisions. Models write comments, single quotes and raw line breaks into
JSON; what they meant is not guessed, but nor is it dropped beside what is good.
"""

from __future__ import annotations

import re

from git_opatch.parse.operations.json_text import Broken
from git_opatch.parse.operations.unread import BEGINS

_DEEPEST = 16
_TELLING = re.compile(
    rb"[\"'](?:create|update|delete)_file[\"']|[\"']apply_?patch|(?<!\\)[\"']" + BEGINS
)
_BEFORE = re.compile(_TELLING.pattern + rb"|\*\*\* ?Begin Patch")
_UNCLOSED = re.compile(
    rb"[\"'](?:patch|patchText|input|arguments|command|diff)[\"']\s*+:\s*+(?:\[\s*+)?\Z"
)
_LONGEST_MEMBER = 64
_TOKEN = re.compile(
    rb"(?ms)(?P<stop>^[ \t]*(?:```|~~~|\*\*\* ?Begin Patch|diff --git |--- \S|<FILE_CHANGES))"
    rb"|(?P<open>[\[{])|(?P<close>[\]}])"
    rb'|\\.|"(?:[^"\\]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'|//[^\n]*+|/\*.{0,2000}?\*/'
)
_RAW = "the string is not closed on its line; if it has raw line breaks, write them as `\\n`"


def refusal(raw: bytes, start: int, broken: Broken) -> tuple[str, int] | None:
    """What to say of the JSON that begins at `start` and breaks, and up to where to pass over it.

    None if it was not meant as a patch: it is prose.
    """
    if raw[start] == ord('"'):
        meant = _TELLING.match(raw, start) or (
            broken.at == start and raw.startswith(b'"*** ', start)
        )
        return (str(broken), broken.at) if meant else None
    if _is_unclosed(raw, start, broken.at):
        return _RAW, _end_of(raw, start, broken.at)
    if _BEFORE.search(raw, start, broken.at):
        return str(broken), _end_of(raw, start, broken.at)
    end = _end_of(raw, start, broken.at)
    return (str(broken), end) if _TELLING.search(raw, start, end) else None


def is_meant(line: bytes) -> bool:
    """Whether `line`, which may be JSON, is to change a file."""
    return _BEFORE.search(line) is not None


def _is_unclosed(raw: bytes, start: int, at: int) -> bool:
    """Whether a string breaks at `at` that is the patch, and the text goes on below it."""
    member = raw[max(start, at - _LONGEST_MEMBER) : at]
    below = raw.find(b"\n", at) >= 0
    return raw[at : at + 1] == b'"' and below and _UNCLOSED.search(member) is not None


def _end_of(raw: bytes, start: int, broken: int) -> int:
    """Where the value would end, whatever stands in it; or where another patch begins.

    What is nested deeper than any patch is, is not looked through, so that a text of nothing
    but brackets is read in time.
    """
    depth = 0
    for token in _TOKEN.finditer(raw, start):
        if token["stop"] is not None and token.start() > start:
            return max(broken, token.start() - 1)
        depth += (token["open"] is not None) - (token["close"] is not None)
        if not 0 < depth <= _DEEPEST:
            return max(broken, token.end() - 1)
    return len(raw)
