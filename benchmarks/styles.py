"""Write hunks as the text of a patch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hunks import hunks_of
from model import REMOVED, FileChange, Format, Header, Piece, Row, Section, Written


class Form(NamedTuple):
    """A way to write a change."""

    name: str
    context: int
    patch_format: Format = Format.UNIFIED
    header: Header = Header.BARE

    def write(self, change: FileChange) -> str:
        """The text of a patch."""
        pieces = hunks_of(change, self.context, self.patch_format, self.header)
        lines = write_lines([(change.path, pieces)], self.patch_format)
        return "".join(line + "\n" for line in lines)


def write_lines(sections: Sequence[Section], patch_format: Format) -> Sequence[str]:
    """Return the lines of a patch."""
    return list(_FORMATS[patch_format](sections))


def _envelope(sections: Sequence[Section]) -> Iterator[str]:
    yield "*** Begin Patch"
    for path, pieces in sections:
        yield f"*** Update File: {path}"
        for piece in pieces:
            yield from [f"@@ {name}" for name in piece.head.names] or ["@@"]
            yield from _body(piece)
            if piece.at_end:
                yield "*** End of File"
    yield "*** End Patch"


def _unified(sections: Sequence[Section]) -> Iterator[str]:
    for path, pieces in sections:
        if any(piece.head.numbers for piece in pieces):  # as git itself writes it
            yield f"diff --git a/{path} b/{path}"
        yield from (f"--- a/{path}", f"+++ b/{path}")
        for piece in pieces:
            yield from (_header(piece), *_body(piece))


def _header(piece: Piece) -> str:
    """Return the line that begins a hunk of a diff."""
    head = piece.head
    if head.numbers is None:
        return f"@@ {''.join(head.names[-1:])}".rstrip()
    old = sum(row.is_old for row in piece.rows)
    new = sum(row.prefix != REMOVED for row in piece.rows)
    start, new_start = head.numbers[0] + (old > 0), max(head.numbers[1], 0) + (new > 0)
    return f"@@ -{start},{old} +{new_start},{new} @@ {head.heading}".rstrip()


def _body(piece: Piece) -> Iterator[str]:
    number = piece.start
    for row in piece.rows:
        number += row.is_old
        yield _line(row, number, piece.written)
        if not row.newline:
            yield "\\ No newline at end of file"


def _line(row: Row, number: int, written: Written) -> str:
    if written is Written.DOUBLED:
        return row.prefix * (1 if row.is_context else 2) + row.text
    if written is Written.NUMBERED or (written is Written.OLD_NUMBERED and row.is_old):
        shown = number if row.is_old else number + 1
        return f"{row.prefix}{shown:4}| {row.text}"
    return row.prefix + row.text


def _blocks(sections: Sequence[Section]) -> Iterator[str]:
    """Write a search-and-replace block for each hunk, below its path, as for aider."""
    for path, pieces in sections:
        for piece in pieces:
            yield from (path, "<<<<<<< SEARCH", *piece.old, "=======")
            yield from (*piece.after, ">>>>>>> REPLACE", "")


def _strings(sections: Sequence[Section]) -> Iterator[str]:
    """Write a call of Claude Code's Edit for each hunk, each on a line."""
    for path, pieces in sections:
        for piece in pieces:
            old, new = "\n".join(piece.old), "\n".join(piece.after)
            yield json.dumps({"file_path": path, "old_string": old, "new_string": new})


_FORMATS: dict[Format, Callable[[Sequence[Section]], Iterator[str]]] = {
    Format.ENVELOPE: _envelope,
    Format.UNIFIED: _unified,
    Format.BLOCKS: _blocks,
    Format.STRINGS: _strings,
}
