"""Find what patches leave behind: their markers in files, and files of rejected hunks.

In Markdown, markers in a fence are examples (CommonMark, "Fenced code blocks").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_opatch.model.text import is_binary
from git_opatch.parse.formats import MARKS
from git_opatch.parse.prose import Fence, fence_in

_MARKERS = re.compile(rb"(" + MARKS + rb")[ \t\r]*")
_PATCH = re.compile(r"\.(?:opatch|patch|diff)$", re.IGNORECASE)
_REJECTS = re.compile(r"\.(?:rej|orig)$")
_MARKDOWN = re.compile(r"\.(?:md|markdown|mdx|qmd|rmd)$", re.IGNORECASE)


def is_patch_file(path: str) -> bool:
    """Return whether the file is a patch, by its name; it may have any markers."""
    return bool(_PATCH.search(path))


def is_reject_file(path: str) -> bool:
    """Return whether git or patch(1) writes such a file beside one that it could not patch."""
    return bool(_REJECTS.search(path))


def find_markers(path: str, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Find the markers that have a line of their own, each with its line number from 1."""
    if is_binary(data) or not _MARKERS.search(data):
        return
    opening: Fence | None = None
    in_markdown = bool(_MARKDOWN.search(path))
    for number, line in enumerate(data.split(b"\n"), 1):
        fence = fence_in(line.rstrip(b"\r")) if in_markdown else None
        if fence and opening is None:
            opening = fence
        elif fence and opening and fence.closes(opening):
            opening = None
        elif opening is None and (marker := _MARKERS.fullmatch(line)):
            yield number, marker[1]
