"""Name the definition, or the section, that a line is in, as the heading of git's hunks does.

It must not decide anything: it is for a reader.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import OutlineKind, is_certain
from git_opatch.model.extent import Enclosing
from git_opatch.model.limits import MANY, SHOWN
from git_opatch.model.text import indentation

_IN_THE_MARGIN = (b"{", b")", b"]", b"#", b"public", b"protected", b"private")
"""What begins a line that may be indented as the definition which it belongs to."""


def name_enclosing(positions: Sequence[int], file: FileIndex) -> tuple[Enclosing, ...]:
    """Name what the lines at the first of `positions` are in, where that can be told.

    A blank line is in what the one below it is in. The file keeps what was found: many hunks may be
    found at the same positions.
    """
    known, lines = file.enclosing, file.lines
    found = []
    for position in positions[:SHOWN]:
        if position not in known:
            at = next((at for at in range(position, len(lines)) if lines[at].strip()), None)
            known[position] = None if at is None else _heading_above(at, file)
        heading = known[position]
        if heading is not None:
            found.append(Enclosing(position, heading, lines[heading]))
    return tuple(found)


def _heading_above(position: int, file: FileIndex) -> int | None:
    """Return the line of the definition that `position` is in, else that of the section, or None.

    All lines between a definition and what is in it are indented more. No section is indented.
    """
    section, lines = None, file.lines
    margin = len(indentation(lines[position]))
    for at in range(position - 1, max(position - MANY, 0) - 1, -1):
        line, own = lines[at], len(indentation(lines[at]))
        if own and own >= margin:
            continue
        kind = file.heading_at(at)
        if kind is OutlineKind.DEFINITION and own < margin:
            return at
        if kind and kind is not OutlineKind.DEFINITION and section is None:
            section = at if is_certain(lines, at, kind) else None
        if margin and line.strip() and not line.lstrip().startswith(_IN_THE_MARGIN):
            margin = own
    return section
