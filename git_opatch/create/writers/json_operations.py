"""Write operations in JSON; a move is a deletion and a new file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from git_opatch.create.writers.hunk_lines import write_hunks, write_lines
from git_opatch.create.writers.json_text import text_of, write_list
from git_opatch.model.patch import FilePatch, Operation


def write(sections: Sequence[FilePatch]) -> bytes:
    """Write one list of operations."""
    return write_list(map(_operation, sections))


def _operation(section: FilePatch) -> Mapping[str, str]:
    if section.operation is Operation.DELETE:
        return {"type": "delete_file", "path": section.path}
    if section.operation is Operation.ADD:
        return {"type": "create_file", "path": section.path, "diff": text_of(_new_file(section))}
    return {"type": "update_file", "path": section.path, "diff": text_of(write_hunks(section))}


def _new_file(section: FilePatch) -> bytes:
    r"""Write the lines of a new file.

    Where all end with `\r`, a header without one shows that it is content, and not how the text
    ends its lines.
    """
    lines = [line for hunk in section.hunks for line in hunk.lines]
    is_crlf = bool(lines) and all(line.text.endswith(b"\r") for line in lines)
    return (b"@@\n" if is_crlf else b"") + write_lines(lines)
