"""A commit's edits to the hunks of a patch, and what begins each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from model import (
    ADDED,
    CONTEXT,
    REMOVED,
    Edit,
    FileChange,
    Format,
    Head,
    Header,
    Piece,
    Row,
    true_rows,
)

_CONTROL = r"(?!\s*(?:if|for|while|switch|return|else|catch|with|do|function)\b)"
_DEFINITION = re.compile(
    r"\s*(?:(?:export|async|pub|static|public|private|default|unsafe|const)\s+)*"
    r"(?:def|class|function|func|fn|struct|enum|impl|trait|module)\s+[\w(]"
    rf"|{_CONTROL}\s*(?:(?:static|async|get|set|public|private)\s+)*[\w$]+\([^()]*\)\s*\{{$"
    rf"|{_CONTROL}[A-Za-z_][\w* ]*[ *][\w*]+\([^;]*$"
)
_HEADING = re.compile(r"#{1,6} \S")


def hunks_of(
    change: FileChange, context: int, patch_format: Format, header: Header
) -> tuple[Piece, ...]:
    """The hunks that git would write: edits that are near each other share one."""
    groups: list[list[Edit]] = []
    for edit in change.edits:
        if groups and edit.old_start - groups[-1][-1].old_stop <= 2 * context:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    drift, pieces = 0, []
    for group in groups:
        piece = hunk_of(change, group, context, context)
        pieces.append(replace(piece, head=_head(change, piece.start, drift, patch_format, header)))
        drift += sum(edit.growth for edit in group)
    return tuple(pieces)


def hunk_of(change: FileChange, edits: Sequence[Edit], above: int, below: int) -> Piece:
    """One hunk of neighbouring edits, with context above and below as far as there is any."""
    start = at = max(edits[0].old_start - above, 0)
    rows: list[Row] = []
    for edit in edits:
        rows += true_rows(CONTEXT, change.old[at : edit.old_start])
        rows += true_rows(REMOVED, change.old[edit.old_start : edit.old_stop])
        rows += true_rows(ADDED, change.new[edit.new_start : edit.new_stop])
        at = edit.old_stop
    return Piece((*rows, *true_rows(CONTEXT, change.old[at : at + below])), start)


def _head(change: FileChange, start: int, drift: int, patch_format: Format, header: Header) -> Head:
    name = nearest_heading(change, start)
    if header is Header.NAMED and patch_format is Format.ENVELOPE:
        return Head(anchors=(name,) if name else ())
    if header in (Header.NAMED, Header.RIGHT):
        heading = name if header is Header.NAMED else ""
        return Head(numbers=(start, start + drift), heading=heading)
    if header is Header.INVENTED:
        invented = (start * 7 + 13) % 400
        return Head(numbers=(invented, invented + 1))
    return Head()


def nearest_heading(change: FileChange, start: int) -> str:
    """The last line before `start` that looks like a definition or a heading, if any."""
    for line in reversed(change.old[:start]):
        if is_definition(change.path, line):
            return line.strip()
    return ""


def is_definition(path: str, line: str) -> bool:
    """Return whether a line of this file looks like a definition, or in Markdown like a heading."""
    pattern = _HEADING if path.lower().endswith((".md", ".markdown")) else _DEFINITION
    return len(line) < 200 and pattern.match(line) is not None


def indent_of(text: str) -> str:
    """Return the leading whitespace of `text`."""
    return text[: len(text) - len(text.lstrip(" \t"))]
