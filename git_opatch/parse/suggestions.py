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

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix, Quote
from git_opatch.model.sentences import Malformed
from git_opatch.parse.hunk import line_diff
from git_opatch.parse.json_object import JsonObject

_FENCE = re.compile(
    rb"(?ms)^ {0,3}(?P<fence>`{3,}|~{3,})suggestion(?::-(?P<above>\d{1,3})\+(?P<below>\d{1,3}))?"
    rb"[ \t]*\n(?P<text>.*?)^ {0,3}(?P=fence)[`~]*[ \t]*$"
)
_OPENS = re.compile(rb"(?m)^ {0,3}(?:`{3,}|~{3,})suggestion\b")
_HEADER = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_CONTEXT = 6
"""Lines of context that a hunk has above the old lines; none is shown below them."""
_DONE = "resolved is_resolved outdated is_outdated"


def is_comment(own: JsonObject) -> bool:
    """Return whether an object is a comment of a review, or has a suggestion without a place."""
    if not own.holds("body", '"'):
        return False
    is_placed = own.holds("path", '"') and own.present("diff_hunk original_line line")
    has_fence = b"```suggestion" in own.members["body"].raw
    return bool(is_placed or has_fence) or own.holds("position", "{")


def read(own: JsonObject) -> None:
    """Add the suggestions of a comment to the section of its file."""
    body = own.string("body").value.replace(b"\r\n", b"\n") + b"\n"
    position = own.members.get("position")
    place = JsonObject(own.json, position.start) if position and position.opening == "{" else own
    found, opened = [*_FENCE.finditer(body)], _OPENS.findall(body)
    is_outdated = place is own and "originalline" in own.members and "line" not in own.members
    if not opened or is_outdated or own.boolean(_DONE):
        why = "is resolved or outdated" if found else "has no suggestion"
        own.json.scanner.found.notes.append(f"the comment at line {own.position:d} {why}")
    elif len(found) < len(opened):
        own.error(Malformed.OPEN_SUGGESTION)
    elif not place.present("path new_path"):
        own.error(Malformed.SUGGESTION_WITHOUT_PLACE)
    elif path := place.path("path" if place is own else "new_path"):
        where = _place_of(own, place)
        if where is None:
            own.error(Malformed.SUGGESTION_OF_REMOVED)
            return
        for match in found:
            _add(own, os.fsdecode(path), where, match)


class _Place(NamedTuple):
    """The lines that a comment is about, from 1, in the file at a commit.

    `stated` is the first of them in the file as it is, and `shown` has the lines of `diff_hunk`.
    """

    first: int
    last: int
    stated: int
    commit: bytes
    shown: Mapping[int, bytes]


def _place_of(own: JsonObject, place: JsonObject) -> _Place | None:
    """Return the place of a comment; None if it is about a removed line."""
    version, shown = "", dict[int, bytes]()
    if place is not own:
        first = last = stated = place.number("new_line")
        commit = place.word("head_sha")
    else:
        version = "original_" if own.present("original_line") else ""
        last, commit = own.number(f"{version}line"), own.word(f"{version}commit_id")
        first = own.number(f"{version}start_line") or last
        stated = own.number("start_line") or own.number("line") or first
        if own.holds("diffhunk", '"'):
            shown = dict(_new_side(own.string("diff_hunk").value))
    if not (first and last and stated) or b"LEFT" in (own.word("side"), own.word("start_side")):
        return None
    is_known = re.fullmatch(rb"[0-9a-f]{7,64}", commit) is not None
    return _Place(first, last, stated, commit if is_known else b"", shown)


def _add(own: JsonObject, path: str, place: _Place, match: re.Match[bytes]) -> None:
    """Add the hunk of one suggestion."""
    shown = place.shown
    first = place.first - int(match["above"] or 0)
    last = place.last + int(match["below"] or 0)
    if not 0 < first <= last or (shown and (max(shown) != last or first not in shown)):
        own.error(Malformed.OTHER_LINES, first=first, last=last)
        return
    above = [row for row in range(first - _CONTEXT, first) if row in shown]
    rows = [row for row in range(first, last + 1) if row in shown]
    context, old, new = (
        [Line(prefix, text, number=own.position) for text in texts]
        for prefix, texts in (
            (Prefix.CONTEXT, map(shown.__getitem__, above)),
            (Prefix.REMOVED, map(shown.__getitem__, rows)),
            (Prefix.ADDED, match["text"].split(b"\n")[:-1]),
        )
    )
    hunk = Hunk(
        (*context, *line_diff(old, new)),
        stated_start=place.stated - place.first + first - 1 - len(above),
        number=own.position,
        quote=Quote(place.commit.decode(), first - 1, last, bool(shown)),
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
