r"""Suggestions of a review: comments of GitHub's API, and notes of GitLab's, with such a fence.

    ```suggestion            or  ```suggestion:-1+2          lines around the commented one
    the new lines
    ```

The old lines are the last ones of `diff_hunk`, which ends at the commented line; the plan takes
them, and what is around them, from the file at the comment's commit where that is here (`Quote`).
Source: GitHub's "List review comments on a pull request", GitLab's "Discussions API" and "Suggest
changes". Comments that are resolved or outdated, or have no suggestion, are noted.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix, Quote
from git_opatch.model.sentences import Malformed
from git_opatch.model.text_position import TextPosition
from git_opatch.parse.hunk import line_diff
from git_opatch.parse.json_object import JsonObject

_FENCE = re.compile(
    rb"(?ms)^ {0,3}(?P<fence>`{3,}|~{3,})suggestion(?::-(?P<above>\d{1,3})\+(?P<below>\d{1,3}))?"
    rb"[ \t]*\n(?P<text>.*?)^ {0,3}(?P=fence)[`~]*[ \t]*$"
)
_OPENS = re.compile(rb"(?m)^ {0,3}(?:`{3,}|~{3,})suggestion\b")
_HEADER = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_MAX_DIGITS = 9
_CONTEXT = 6
"""Lines of context that a hunk has above the old lines; none is shown below them."""
_DONE = ("resolved", "is_resolved", "isResolved", "outdated", "is_outdated", "isOutdated")


def is_comment(own: JsonObject) -> bool:
    """Return whether an object is a comment of a review, or has a suggestion without a place."""
    if not own.holds("body", '"'):
        return False
    is_placed = own.holds("path", '"') and {"diffhunk", "originalline", "line"} & own.members.keys()
    return bool(is_placed) or own.holds("position", "{") or "```suggestion" in own.text("body")


def read(own: JsonObject) -> None:
    """Add the suggestions of a comment to the section of its file."""
    raw = own.json.raw[own.at : own.end] + b"}"
    text = raw.decode("utf-8", "surrogateescape")
    comment = json.loads(text, strict=False, parse_int=_line_number)
    value, position = own.string(("body",), "body"), own.members.get("position")
    body = value.value.replace(b"\r\n", b"\n") + b"\n" if value else b""
    place = JsonObject(own.json, position.start) if own.holds("position", "{") and position else own
    found = [*_FENCE.finditer(body)]
    is_done = any(comment.get(name) is True for name in _DONE)
    if is_done or not _OPENS.search(body) or (place is own and comment.get("line", 0) is None):
        why = "is resolved or outdated" if found else "has no suggestion"
        own.json.scanner.found.notes.append(f"the comment at line {own.line:d} {why}")
    elif len(found) < len(_OPENS.findall(body)):
        own.error(Malformed.OPEN_SUGGESTION)
    elif not place.members.keys() & {"path", "newpath"}:
        own.error(Malformed.SUGGESTION_WITHOUT_PLACE)
    elif path := place.path(("path",) if place is own else ("newpath",), "new_path"):
        where = _place_of(own, comment)
        if where is None:
            return
        for match in found:
            _add(own, os.fsdecode(path), where, match)


def _line_number(digits: str) -> int:
    """Return a number of a comment; 0 for one that is no line of a file, such as a long id."""
    return int(digits) if len(digits) <= _MAX_DIGITS else 0


class _Place(NamedTuple):
    """The lines that a comment is about, from 1, in the file at a commit.

    `stated` is the first of them in the file as it is, and `shown` has the lines of `diff_hunk`.
    """

    first: int
    last: int
    stated: int
    commit: str
    shown: Mapping[int, bytes]


def _place_of(own: JsonObject, comment: Mapping[str, Any]) -> _Place | None:
    """Return the place of a comment; None after an error."""
    position, shown, is_left = comment.get("position"), dict[int, bytes](), False
    if isinstance(position, dict):
        first = last = stated = position.get("new_line")
        commit = position.get("head_sha")
    else:
        version = "original_" if comment.get("original_line") else ""
        last, commit = comment.get(f"{version}line"), comment.get(f"{version}commit_id")
        first = comment.get(f"{version}start_line") or last
        stated = comment.get("start_line") or comment.get("line") or first
        is_left = "LEFT" in (comment.get("side"), comment.get("start_side"))
        if own.holds("diffhunk", '"') and (hunk := own.string(("diffhunk",), "diff_hunk")):
            shown = dict(_new_side(hunk.value))
    if is_left or not (
        isinstance(first, int) and isinstance(last, int) and isinstance(stated, int)
    ):
        own.error(Malformed.SUGGESTION_OF_REMOVED)
        return None
    is_known = re.fullmatch(r"[0-9a-f]{7,64}", str(commit)) is not None
    return _Place(first, last, stated, str(commit) if is_known else "", shown)


def _add(own: JsonObject, path: str, place: _Place, match: re.Match[bytes]) -> None:
    """Add the hunk of one suggestion."""
    shown = place.shown
    first = place.first - int(match["above"] or 0)
    last = place.last + int(match["below"] or 0)
    if not 0 < first <= last or (shown and (max(shown) != last or first not in shown)):
        own.error(Malformed.OTHER_LINES, first=first, last=last)
        return
    above = [row for row in range(first - _CONTEXT, first) if row in shown]
    number = TextPosition(own.line, own.at, 0, "")
    context, old, new = (
        [Line(prefix, text, number=number) for text in texts]
        for prefix, texts in (
            (Prefix.CONTEXT, [shown[row] for row in above]),
            (Prefix.REMOVED, [shown[row] for row in range(first, last + 1) if row in shown]),
            (Prefix.ADDED, match["text"].split(b"\n")[:-1]),
        )
    )
    hunk = Hunk(
        (*context, *line_diff(old, new)),
        stated_start=place.stated - place.first + first - 1 - len(above),
        number=number,
        quote=Quote(place.commit, first - 1, last, bool(shown)),
    )
    _add_hunk(own, path, hunk)


def _new_side(diff_hunk: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a `diff_hunk` that the new file has, each with its number."""
    header, _, body = diff_hunk.partition(b"\n")
    match = _HEADER.match(header)
    row = int(match[1]) if match else 0
    for line in body.split(b"\n") if match else ():
        if line[:1] not in (b"-", b"\\"):
            yield row, line[1:].removesuffix(b"\r")
            row += 1


def _add_hunk(own: JsonObject, path: str, hunk: Hunk) -> None:
    """Add a hunk to the section of its file, so that all are located in the file as it is."""
    scanner, found = own.json.scanner, own.json.scanner.found
    at = found.reviewed.setdefault(path, len(found.sections))
    if at == len(found.sections):
        scanner.section(
            FilePatch(Operation.UPDATE, path, path, (hunk,), number=hunk.number, ordered=False)
        )
        return
    before = found.sections[at]
    hunks = [*before.hunks, replace(hunk, ordinal=len(before.hunks) + 1)]
    hunks[-2] = replace(hunks[-2], is_last=False)
    found.sections[at] = before._replace(hunks=tuple(hunks))
