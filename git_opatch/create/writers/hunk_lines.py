"""Write the lines of hunks with their prefixes, as all formats with `@@` have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_opatch.model.patch import NO_NEWLINE, FilePatch, Hunk, Line


def write_hunks(section: FilePatch) -> bytes:
    """Write the hunks of a section, each with a header."""
    return b"".join(_header(hunk) + write_lines(hunk.lines) for hunk in section.hunks)


def write_lines(lines: Iterable[Line]) -> bytes:
    """Write lines, each with its prefix."""
    return b"".join(_pieces(lines))


def _header(hunk: Hunk) -> bytes:
    return b"@@" + b"".join(b" " + anchor.text for anchor in hunk.anchors) + b"\n"


def _pieces(lines: Iterable[Line]) -> Iterator[bytes]:
    for line in lines:
        yield line.prefix.value.encode() + line.text + b"\n"
        if not line.newline:
            yield NO_NEWLINE
