"""Drafts: what a reasoning model writes before its answer, in tags. They are no part of the answer.

    draft := "<think>" … "</think>" | … "</think>" | "<think>" … to the end of the text

The tags are at the beginning of a line, the last one also at the end of a sentence; servers keep
one of them, or both. In the lines of a patch they are content. A patch in a draft is skipped with a
note, and refused if there is no other one, or if the draft does not end. Source: the templates of
chats of DeepSeek R1, QwQ and others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from git_opatch.model.options import Format
from git_opatch.model.sentences import Malformed
from git_opatch.parse import json_calls
from git_opatch.parse.formats import DRAFT, DRAFT_END, find_patch
from git_opatch.parse.scanner import Lines, Scanner

_TAG = re.compile(rb"[ \t]*(?:<(" + DRAFT + rb")>|" + DRAFT_END + rb")")
_CALL = re.compile(rb"(?m)^[ \t]*[\[{].*")


def unwrap(scanner: Scanner, _formats: Iterable[Format]) -> list[Scanner] | None:
    """Take the draft that begins or ends here; return a scanner over what its last line has
    behind it, and over all that follows. None if there is no tag here."""
    match = _TAG.match(scanner.line)
    if match is None:
        return None
    number, text, found = scanner.number, scanner.text, scanner.found
    end, drafted = match.end(), bool(found.sections or found.diagnostics)
    if match[1]:
        inside = text[end:]
        last = re.search(rb"(?m)^(?![+-]\S|[ \t])[^\n]*?</" + match[1] + rb">", inside)
        drafted = _has_patch(inside[: last.start() if last else None])
        if last is None and drafted:
            scanner.error(Malformed.OPEN_DRAFT, tag=match[1])
        end += last.end() if last else len(inside)
    else:  # all above it was the draft
        found.forget()
    if drafted:
        found.drafts.append(number)
    below, first = text[end:], scanner.at + text.count(b"\n", 0, end)
    numbers = scanner.lines.numbers_from(first)
    newline = b"\n" if scanner.ends_with_newline else b""
    scanner.at, scanner.fence = scanner.end, b""
    return [scanner.nested(Lines(below + newline, numbers))] if below.strip() else []


def _has_patch(text: bytes) -> bool:
    """Return whether a patch of any format begins in `text`."""
    is_call = any(json_calls.is_call(line[0]) for line in _CALL.finditer(text))
    return is_call or find_patch(Scanner(Lines(text))) is not None
