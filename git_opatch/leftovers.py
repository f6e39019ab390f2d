"""What patches leave in other files: their marks, and the files that git and patch(1) write.

In Markdown the marks inside of fences are examples (CommonMark, "Fenced code blocks").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_opatch.parse.frames.fence import Fence, fence_in
from git_opatch.text import is_binary

_MARKS = re.compile(
    rb"(\*\*\* (?:Begin|End) Patch|</?FILE_CHANGES>|<{7} SEARCH|>{7} REPLACE)[ \t\r]*"
)
_PATCH = re.compile(r"\.(?:opatch|patch|diff)$", re.IGNORECASE)
_WRITTEN = re.compile(r"\.(?:rej|orig)$")
_MARKDOWN = re.compile(r"\.(?:md|markdown|mdx|qmd|rmd)$", re.IGNORECASE)


def is_patch_file(path: str) -> bool:
    """Whether the file is a patch by its name, which may have all marks."""
    return bool(_PATCH.search(path))


def is_written_beside(path: str) -> bool:
    """Whether it is what an apply that failed in part leaves beside the file."""
    return bool(_WRITTEN.search(path))


def marks_in(path: str, data: bytes) -> Iterator[tuple[int, bytes]]:
    """The marks of patches that stand alone on a line of a file, and the line's number from 1."""
    if is_binary(data) or not _MARKS.search(data):
        return
    opening: Fence | None = None
    in_markdown = bool(_MARKDOWN.search(path))
    for number, line in enumerate(data.split(b"\n"), 1):
        fence = fence_in(line.rstrip(b"\r")) if in_markdown else None
        if fence and opening is None:
            opening = fence
        elif fence and opening and fence.closes(opening):
            opening = None
        elif opening is None and (found := _MARKS.fullmatch(line)):
            yield number, found[1]
