"""Sections of a patch in the formats other than envelope and unified diff."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from model import Hunk, Section


def changes(sections: Sequence[Section]) -> Iterator[str]:
    """Write the container of udiffx, with a directive for each file."""
    yield "<FILE_CHANGES>"
    for section in sections:
        yield f'<FILE_PATCH file_path="{section.path}">'
        for hunk in section.hunks:
            yield from _lines(hunk)
        yield "</FILE_PATCH>"
    yield "</FILE_CHANGES>"


def blocks(sections: Sequence[Section]) -> Iterator[str]:
    """Write a search-and-replace block for each hunk, below its path, as for aider."""
    for section in sections:
        for hunk in section.hunks:
            yield section.path
            yield "<<<<<<< SEARCH"
            yield from hunk.before
            yield "======="
            yield from hunk.after
            yield ">>>>>>> REPLACE"
            yield ""


def operations(sections: Sequence[Section]) -> Iterator[str]:
    """Write the operations of the Responses API, a line of JSON for each file."""
    for section in sections:
        diff = "".join(line + "\n" for hunk in section.hunks for line in _lines(hunk))
        yield json.dumps({"type": "update_file", "path": section.path, "diff": diff})


def strings(sections: Sequence[Section]) -> Iterator[str]:
    """Write a call of Claude Code's Edit for each hunk, each on a line."""
    for section in sections:
        for hunk in section.hunks:
            old, new = ("\n".join(lines) for lines in (hunk.before, hunk.after))
            yield json.dumps({"file_path": section.path, "old_string": old, "new_string": new})


def _lines(hunk: Hunk) -> Iterator[str]:
    yield "@@"
    yield from (line.prefix + line.text for line in hunk.lines)
