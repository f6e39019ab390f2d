"""Write `<FILE_CHANGES>`; content that has such tags, or begins with a fence, is put in a fence."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from git_opatch.create.writers.hunk_lines import write_hunks
from git_opatch.model.patch import FilePatch, Operation

_NEEDS_FENCE = re.compile(rb"(?m)\A\s*(?:```|~~~)|^[ \t]*</?FILE_")
_FENCE = re.compile(rb"(?m)^[ \t]*(`{3,})")


def write(sections: Sequence[FilePatch]) -> bytes:
    """Write the directives of all sections in one container."""
    written = b"".join(part for section in sections for part in _directives(section))
    return b"<FILE_CHANGES>\n" + written + b"</FILE_CHANGES>\n"


def _directives(section: FilePatch) -> Iterator[bytes]:
    path = os.fsencode(section.path)
    if section.operation is Operation.ADD:
        lines = section.hunks[0].lines if section.hunks else ()
        content = b"".join(line.text + b"\n" for line in lines)
        yield _element(b"FILE_NEW", path, _fenced(content))
    elif section.operation is Operation.DELETE:
        yield b'<FILE_DELETE file_path="%s" />\n' % path
    else:
        if section.operation is Operation.MOVE:
            new_path = os.fsencode(section.new_path or "")
            yield b'<FILE_RENAME from_path="%s" to_path="%s" />\n' % (path, new_path)
            path = new_path
        if section.hunks:
            yield _element(b"FILE_PATCH", path, write_hunks(section))


def _element(name: bytes, path: bytes, content: bytes) -> bytes:
    return b'<%s file_path="%s">\n%s</%s>\n' % (name, path, content, name)


def _fenced(content: bytes) -> bytes:
    if not _NEEDS_FENCE.search(content):
        return content
    longest = max((len(found) for found in _FENCE.findall(content)), default=2)
    fence = b"`" * (longest + 1) + b"\n"
    return fence + content + fence
