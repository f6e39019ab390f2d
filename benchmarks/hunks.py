"""A commit's edits to the hunks of a patch, and questions about where hunks occur."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from model import (
    ADDED,
    CONTEXT,
    REMOVED,
    Commit,
    Draft,
    Edit,
    FileChange,
    Hunk,
    Line,
    Section,
    to_bytes,
)

_CONTROL = r"(?!\s*(?:if|for|while|switch|return|else|catch|with|do|function)\b)"
_DEFINITION = re.compile(
    r"\s*(?:(?:export|async|pub|static|public|private|default|unsafe|const)\s+)*"
    r"(?:def|class|function|func|fn|struct|enum|impl|trait|module)\s+[\w(]"
    rf"|{_CONTROL}\s*(?:(?:static|async|get|set|public|private)\s+)*[\w$]+\([^()]*\)\s*\{{$"
    rf"|{_CONTROL}[A-Za-z_][\w* ]*[ *][\w*]+\([^;]*$"
)
_HEADING = re.compile(r"#{1,6} \S")


def plain_draft(commit: Commit, context: int) -> Draft:
    """The commit as it is, with so many lines of context."""
    return draft_of(commit.files, [hunks_of(change, context) for change in commit.files])


def draft_of(files: Sequence[FileChange], hunks: Sequence[Sequence[Hunk]]) -> Draft:
    """The true change of `files`, as these hunks of each."""
    sections = zip(files, hunks, strict=True)
    return Draft(
        {change.path: to_bytes(change.old) for change in files},
        tuple(Section(change.path, tuple(some)) for change, some in sections),
        {change.path: to_bytes(change.new) for change in files},
    )


def hunks_of(change: FileChange, context: int) -> tuple[Hunk, ...]:
    """The hunks that git would write: edits that are near each other share one."""
    groups: list[list[Edit]] = []
    for edit in change.edits:
        if groups and edit.old_start - groups[-1][-1].old_stop <= 2 * context:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return tuple(hunk_of(change, group, context, context) for group in groups)


def hunk_of(change: FileChange, edits: Sequence[Edit], above: int, below: int) -> Hunk:
    """One hunk of neighbouring edits, with context above and below as far as there is any."""
    start = at = max(edits[0].old_start - above, 0)
    lines: list[Line] = []
    for edit in edits:
        lines += _prefixed(CONTEXT, change.old[at : edit.old_start])
        lines += _prefixed(REMOVED, change.old[edit.old_start : edit.old_stop])
        lines += _prefixed(ADDED, change.new[edit.new_start : edit.new_stop])
        at = edit.old_stop
    lines += _prefixed(CONTEXT, change.old[at : at + below])
    return Hunk(tuple(lines), start, nearest_heading(change, start))


def _prefixed(prefix: str, texts: Sequence[str]) -> Iterator[Line]:
    return (Line(prefix, text) for text in texts)


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


def numbers(start: int, count: int, new_start: int, new_count: int) -> str:
    """The numbers that begin a hunk, for positions from 0."""
    return (
        f"@@ -{start + (count > 0)},{count} +{max(new_start, 0) + (new_count > 0)},{new_count} @@"
    )


def indent_of(text: str) -> str:
    """Return the leading whitespace of `text`."""
    return text[: len(text) - len(text.lstrip(" \t"))]
