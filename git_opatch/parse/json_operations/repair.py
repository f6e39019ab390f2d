r"""What would make nearly valid JSON valid, where there is one such change (D142).

    {'path': 'a.py'}         strings are in double quotes
    [1, 2,]                  a comma before the end
    {"a": "one               a raw line break in a string
    two"}
    {"a": True}              `true`
    {"a": 1 // why           a comment
    {"a": [1                 the text was cut off

Nothing is repaired in silence: the correction is shown, and the text refused (D63).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from git_opatch.model.errors import FixIt
from git_opatch.model.text import visible
from git_opatch.parse.json_operations.json_text import is_on_last_line, skip_spaces

_COMMA_AT_END = re.compile(rb",[ \t\r\n]*+[\]}]")
_SINGLE_QUOTED = re.compile(rb"'([^'\"\\\n]*+(?:\\[^'\n][^'\"\\\n]*+)*+)'")
_WORD = re.compile(rb"(True|False|None)\b")
_JSON_WORDS = {b"True": b"true", b"False": b"false", b"None": b"null"}
_COMMENT = re.compile(rb"[ \t]*(?:/\*.*?\*/|//.*|#.*)")
_STRING_REST = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<close>"?)|[\[\]{}]', re.DOTALL)
_CLOSERS = {ord("["): b"]", ord("{"): b"}"}
_MAX_JOINED = 2000
"""A string of more bytes than this is not shown again with its line breaks escaped."""


class Repair(NamedTuple):
    """A correction: what to do, in words, and the line to write in place of the wrong one."""

    advice: str
    corrected: bytes = b""
    fix: FixIt = FixIt.REPLACE


def find_repair(raw: bytes, start: int, at: int) -> Repair | None:
    """Return the repair of the JSON that begins at `start` and is invalid at offset `at`."""
    at = skip_spaces(raw, at)
    is_cut_off = at == len(raw) or (raw[at] == ord('"') and is_on_last_line(raw, at))
    if is_cut_off and (closing := _close(raw, start)):
        return closing
    if raw[at : at + 1] == b"," and _COMMENT.match(raw, at + 1):
        at = skip_spaces(raw, at + 1)
    first, line_end = raw.rfind(b"\n", 0, at) + 1, raw.find(b"\n", at)
    line = raw[first : len(raw) if line_end < 0 else line_end].rstrip(b"\r")
    before, after = line[: at - first], line[at - first :]
    character = raw[at : at + 1]
    if character == b"'":
        fixed = _SINGLE_QUOTED.sub(rb'"\1"', line)
        corrected = b"" if b"'" in fixed else fixed
        return Repair("JSON has strings in double quotes", corrected)
    if character == b"," and _COMMA_AT_END.match(raw, at):
        return Repair("leave out the comma before the end", before + after[1:])
    if comment := _COMMENT.match(after):
        return Repair(
            "JSON has no comments; leave it out", before.rstrip() + after[comment.end() :]
        )
    if word := _WORD.match(after):
        meant = _JSON_WORDS[word[1]]
        return Repair(f"write `{meant.decode()}`", before + meant + after[word.end() :])
    return _join_lines(raw, first, at) if character == b'"' else None


def _join_lines(raw: bytes, first: int, at: int) -> Repair | None:
    r"""Return the line with the raw line breaks of the string at `at` written as `\n`."""
    string = _STRING_REST.match(raw, at, at + _MAX_JOINED)
    if string is None or b"\n" not in string[0]:
        return None
    end = raw.find(b"\n", string.end())
    rest = raw[string.end() : len(raw) if end < 0 else end]
    escaped = string[0].replace(b"\r\n", b"\n").replace(b"\n", b"\\n").replace(b"\t", b"\\t")
    count = string[0].count(b"\n") + 1
    advice = f"write these {count} lines as one, with `\\n` for each line break"
    return Repair(advice, raw[first:at] + escaped + rest.rstrip(b"\r"))


def _close(raw: bytes, start: int) -> Repair | None:
    """Return what would close all that is open at the end of the text; None if nothing is."""
    opened: list[bytes] = []
    closing = b""
    for token in _TOKEN.finditer(raw, start):
        if token[0].startswith(b'"'):
            closing = b"" if token["close"] else b'"'
        elif token[0] in (b"[", b"{"):
            opened.append(_CLOSERS[token[0][0]])
        elif opened:
            opened.pop()
    missing = closing + b"".join(reversed(opened))
    if not missing:
        return None
    advice = f"if it is complete, add `{visible(missing, 40)}` (it may have been cut off)"
    return Repair(advice, missing, FixIt.INSERT_AFTER)
