"""Write string replacements in JSON, as whole lines; each sees the result of those before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from git_opatch.create.writers.json_text import text_of, write_list
from git_opatch.model.patch import FilePatch, Line, Operation


def write(sections: Sequence[FilePatch]) -> bytes:
    """Write one list of edits."""
    return write_list(edit for section in sections for edit in _edits(section))


def _edits(section: FilePatch) -> Iterator[Mapping[str, str]]:
    if section.operation is Operation.ADD:
        lines = section.hunks[0].lines if section.hunks else ()
        yield _edit(section, "", _string(lines))
        return
    for hunk in section.hunks:
        yield _edit(section, _string(hunk.preimage), _string(hunk.postimage))


def _edit(section: FilePatch, old: str, new: str) -> Mapping[str, str]:
    return {"file_path": section.path, "old_string": old, "new_string": new}


def _string(lines: Iterable[Line]) -> str:
    return text_of(b"".join(line.text + b"\n" * line.newline for line in lines))
