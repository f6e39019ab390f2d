"""Find what patches leave behind: their markers in files, and files of rejected hunks.

In Markdown, markers in a fence are examples (CommonMark, "Fenced code blocks").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat

from git_opatch.model.text import is_binary
from git_opatch.parse import glued_end
from git_opatch.parse.grammar import MARKS, opening_fences

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
    """Find the markers that have a line of their own, and what is glued to the last line, each with
    its line number from 1."""
    lines = data.split(b"\n")
    last = len(lines) - (not lines[-1])
    glued = glued_end(lines[last - 1]) if last else None
    if is_binary(data) or not (glued or _MARKERS.search(data)):
        return
    plain = (line.rstrip(b"\r") for line in lines)
    fences = opening_fences(plain) if _MARKDOWN.search(path) else repeat(None)
    for number, (line, fence) in enumerate(zip(lines, fences, strict=False), 1):
        if fence is None and (marker := _MARKERS.fullmatch(line)):
            yield number, marker[1]
        elif fence is None and glued and number == last:
            yield number, glued[1]
