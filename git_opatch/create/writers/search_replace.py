r"""Write search-and-replace blocks; a line that would be a marker gets a `\` before it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from git_opatch.model.patch import FilePatch, Line, Operation
from git_opatch.parse.search_replace import PathCertainty, classify, looks_like_path

_MARKER = re.compile(
    rb"(?:^|(?<=\\))(?=(?:(?:<{5,9}|-{5,9})[ \t]+(?i:SEARCH)|={7}[ \t\r]*$"
    rb"|(?:>{5,9}|\+{5,9})[ \t]+(?i:REPLACE)|:(?:start|end)_line:))"
    rb"|(?<=\\)(?=(?:<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9})(?:\s|$))"
)
"""Where a line needs a backslash, also because it has one that would be taken off."""


def write(sections: Sequence[FilePatch]) -> bytes:
    """Write the blocks of all sections, each with its path above it."""
    return b"\n".join(block for section in sections for block in _blocks(section))


def _blocks(section: FilePatch) -> Iterator[bytes]:
    if section.operation is Operation.ADD:
        added = section.hunks[0].lines if section.hunks else ()
        yield _block(section, (), added)
        return
    for hunk in section.hunks:
        yield _block(section, hunk.preimage, hunk.postimage)


def _block(section: FilePatch, old: Sequence[Line], new: Sequence[Line]) -> bytes:
    return b"".join(
        (
            _path_line(section),
            b"<<<<<<< SEARCH\n",
            *_escaped(old),
            b"=======\n",
            *_escaped(new),
            b">>>>>>> REPLACE\n",
        )
    )


def _path_line(section: FilePatch) -> bytes:
    """Write the path, in backticks where it could be a word of prose."""
    path = os.fsencode(section.path)
    is_clear = looks_like_path(path) and classify(path) == (PathCertainty.PATH, path)
    return path + b"\n" if is_clear else b"`" + path + b"`\n"


def _escaped(lines: Sequence[Line]) -> Iterator[bytes]:
    return (_MARKER.sub(rb"\\", line.text) + b"\n" for line in lines)
