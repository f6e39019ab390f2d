"""Write an envelope: `*** Begin Patch` … `*** End Patch`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from git_opatch.create.writers.hunk_lines import write_hunks, write_lines
from git_opatch.model.patch import FilePatch, Operation


def write(sections: Sequence[FilePatch]) -> bytes:
    """Write all sections in one envelope."""
    written = b"".join(part for section in sections for part in _section(section))
    return b"*** Begin Patch\n" + written + b"*** End Patch\n"


def _section(section: FilePatch) -> Iterator[bytes]:
    name = os.fsencode(section.path)
    if section.operation is Operation.ADD:
        yield b"*** Add File: " + name + b"\n"
        yield from (write_lines(hunk.lines) for hunk in section.hunks)
    elif section.operation is Operation.DELETE:
        yield b"*** Delete File: " + name + b"\n"
    else:
        yield b"*** Update File: " + name + b"\n"
        if section.operation is Operation.MOVE:
            yield b"*** Move to: " + os.fsencode(section.new_path or "") + b"\n"
        yield write_hunks(section)
