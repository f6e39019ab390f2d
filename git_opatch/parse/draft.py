"""Drafts: what a reasoning model writes before its answer, in tags. They are no part of the answer.

    draft := "<think>" … "</think>" | … "</think>" | "<think>" … to the end of the text

The tags are at the beginning of a line, the last one also at the end of a sentence; servers keep
one of them, or both. In the lines of a patch they are content. A patch in a draft is skipped with a
note, and refused if there is no other one, or if the draft does not end. Source: the templates of
chats of DeepSeek R1, QwQ and others.
"""

from __future__ import annotations

import re

from git_opatch.model.sentences import Malformed
from git_opatch.parse import json_calls
from git_opatch.parse.formats import DRAFT, DRAFT_END, PATCH, find_patch
from git_opatch.parse.scanner import Lines, Scanner

_TAG = re.compile(rb"[ \t]*(?:<(" + DRAFT + rb")>|" + DRAFT_END + rb")")
_CALL = re.compile(rb"(?m)^[ \t]*[\[{].*")


def unwrap(scanner: Scanner) -> list[Scanner] | None:
    """Take the draft that begins or ends here; None if there is no tag.

    A patch may begin behind its last tag: then a scanner over that and all below it is returned.
    """
    lines, raw, found = scanner.lines, scanner.lines.raw, scanner.found
    start, stop = lines.offset(scanner.at), lines.offset(scanner.end)
    match = _TAG.match(raw, start, stop)
    if match is None:
        return None
    number, end = scanner.number, match.end()
    drafted = bool(found.sections or found.diagnostics)
    if match[1]:
        closing = rb"(?m)(?:\A|^(?![+-]\S|[ \t]))[^\n]*?</" + match[1] + rb">"
        text = raw[end:stop]
        last = re.search(closing, text)
        drafted = _has_patch(text[: last.start() if last else None])
        if last is None and drafted:
            scanner.error(Malformed.OPEN_DRAFT, tag=match[1])
        end = end + last.end() if last else stop
    else:  # all above it was the draft
        found.forget()
    if drafted:
        found.drafts.append(number)
    at = lines.at_offset(max(end - 1, start))
    rest = raw[end : lines.offset(at + 1) - 1].lstrip()
    scanner.at, scanner.fence = min(at + 1, scanner.end), b""
    if not re.match(PATCH, rest):
        return []
    end, scanner.at = lines.offset(at + 1) - 1 - len(rest), scanner.end
    return [scanner.nested(Lines(raw[end:stop], lines.numbers_from(at)))]


def _has_patch(text: bytes) -> bool:
    """Return whether a patch of any format begins in `text`."""
    is_call = any(json_calls.is_call(line[0]) for line in _CALL.finditer(text))
    return is_call or find_patch(Scanner(Lines(text))) is not None
