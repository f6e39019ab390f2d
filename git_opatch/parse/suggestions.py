r"""Suggestions of a review: comments of GitHub's API, and notes of GitLab's, with such a fence.

    ```suggestion            or  ```suggestion:-1+2          lines around the commented one
    the new lines
    ```

The old lines are the last ones of `diff_hunk`, which ends at the commented line; the plan takes
them, and what is around them, from the file at the comment's commit where that is here (`Quote`).
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix, Quote
from git_opatch.model.sentences import Malformed
from git_opatch.parse.hunks import line_diff
from git_opatch.parse.tree import Node

_FENCE = re.compile(
    rb"(?ms)^(?P<indent>[ \t]*)(?:(?P<item>[-*+][ \t]+|\d{1,9}[.)][ \t]+))?(?P<fence>`{3,}|~{3,})"
    rb"suggestion(?::-(?P<above>\d{1,3})\+(?P<below>\d{1,3}))?[ \t]*\n(?P<text>.*?)"
    rb"^[ \t]*(?P=fence)[`~]*[ \t]*$"
)
_OPENS = re.compile(rb"(?m)^[ \t]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{3,}|~{3,})suggestion\b")
_HEADER = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class _Commented(NamedTuple):
    """The lines that a comment is about. Lines count from 1."""

    first: int
    last: int
    stated: int
    """Where its first line is in the newest version."""
    commit: str
    shown: dict[int, bytes]
    """The lines of the new version that the comment shows, by their numbers."""


def is_comment(own: Node) -> bool:
    """Return whether an object is a comment of a review, or has a suggestion without a place."""
    if not own.holds("body", '"'):
        return False
    is_placed = own.holds("path", '"') and own.present("diff_hunk original_line line")
    has_fence = b"```suggestion" in own.members["body"].raw
    return bool(is_placed or has_fence) or own.holds("position", "{")


def read_comment(own: Node) -> None:
    """Add the suggestions of a comment to the section of its file."""
    body, contents = own.string("body").value.replace(b"\r\n", b"\n") + b"\n", own.scanner.contents
    position = own.members["position"] if own.holds("position", "{") else own
    fences, opened = [*_FENCE.finditer(body)], _OPENS.findall(body)
    is_outdated = position is own and "originalline" in own.members and "line" not in own.members
    if not opened or is_outdated or own.boolean("resolved is_resolved outdated is_outdated"):
        why = "is resolved or outdated" if fences else "has no suggestion"
        contents.notes.append(f"the comment at line {own.number:d} {why}")
        return
    if len(fences) < len(opened):
        own.error(Malformed.OPEN_SUGGESTION)
        return
    if not position.present("path new_path"):
        own.error(Malformed.SUGGESTION_WITHOUT_PLACE)
        return
    path = os.fsdecode(position.path("path" if position is own else "new_path"))
    if not path:
        return
    place = _place(own, position)
    if place is None:
        own.error(Malformed.SUGGESTION_OF_REMOVED)
        return
    for match in fences:
        hunk = _hunk(own, place, match)
        if hunk is None:
            continue
        at = contents.reviewed.setdefault(path, len(contents.sections))
        if at == len(contents.sections):
            section = FilePatch(Operation.UPDATE, path, path, (hunk,), number=own.number)
            own.scanner.section(section._replace(ordered=False))
        else:  # all are located in the file as it is
            before = contents.sections[at].hunks
            hunk = replace(hunk, ordinal=len(before) + 1)
            hunks = (*before[:-1], replace(before[-1], is_last=False), hunk)
            contents.sections[at] = contents.sections[at]._replace(hunks=hunks)


def _place(own: Node, position: Node) -> _Commented | None:
    """Return the place of a comment, which `position` has, or itself; None if it is on removed
    lines, or has none."""
    shown = dict[int, bytes]()
    if position is not own:
        first = last = stated = position.count("new_line")
        commit = position.word("head_sha")
    else:
        version = "original_" if own.present("original_line") else ""
        last, commit = own.count(f"{version}line"), own.word(f"{version}commit_id")
        first = own.count(f"{version}start_line") or last
        stated = own.count("start_line") or own.count("line") or first
        if own.holds("diffhunk", '"'):
            header, *lines = own.string("diff_hunk").value.split(b"\n")
            match = _HEADER.match(header)
            new = [line[1:].removesuffix(b"\r") for line in lines if line[:1] not in (b"-", b"\\")]
            shown = dict(enumerate(new, int(match[1]))) if match else {}
    if not (first and last and stated) or b"LEFT" in (own.word("side"), own.word("start_side")):
        return None
    commit = commit if re.fullmatch(rb"[0-9a-f]{7,64}", commit) else b""
    return _Commented(first, last, stated, commit.decode(), shown)


def _hunk(own: Node, place: _Commented, match: re.Match[bytes]) -> Hunk | None:
    """Return the hunk of one suggestion; None, with an error, if it is for lines not shown."""
    start, stop = place.first - int(match["above"] or 0), place.last + int(match["below"] or 0)
    shown = place.shown
    if not 0 < start <= stop or (shown and (max(shown) != stop or start not in shown)):
        own.error(Malformed.OTHER_LINES, first=start, last=stop)
        return None
    above, rows = (
        [shown[row] for row in range(*ends) if row in shown]
        for ends in ((start - 6, start), (start, stop + 1))
    )
    context, old, new = (
        [Line(prefix, text, number=own.number) for text in texts]
        for prefix, texts in (
            (Prefix.CONTEXT, above),
            (Prefix.REMOVED, rows),
            (Prefix.ADDED, _without_indent(match)),
        )
    )
    return Hunk(
        (*context, *line_diff(old, new)),
        stated_start=place.stated - place.first + start - 1 - len(above),
        number=own.number,
        quote=Quote(place.commit, start - 1, stop, bool(shown)),
    )


def _without_indent(match: re.Match[bytes]) -> list[bytes]:
    """Return the lines in a fence without as much of their indentation as the fence has, as in
    CommonMark."""
    most = len(match["indent"]) + len(match["item"] or b"")
    lines = match["text"].split(b"\n")[:-1]
    return [re.sub(rb"\A[ \t]{0,%d}" % most, b"", line) for line in lines]
