"""Refuse added lines in another encoding than the file's (D93).

Bytes are never converted (D48), so a line in UTF-8 that is added to a file in Latin-1, or the
reverse, would leave a file that no program can read. A file of ASCII alone takes either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from git_opatch.model.patch import Prefix, added_lines
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text


class RemainingLines:
    """The lines that stay in a file, `text`, when hunks are applied at `placements`.

    These are of all its hunks, which may change the file's encoding together.
    """

    def __init__(self, placements: Sequence[Placement], text: Text) -> None:
        self._placements = placements
        self._text = text

    @cached_property
    def encodings(self) -> set[bool]:
        """Tell, for all of the lines that are not ASCII, whether they are UTF-8."""
        gone = {position for placement in self._placements for position in _removed(placement)}
        return _encodings(line for at, line in enumerate(self._text.lines) if at not in gone)


def foreign_encoding(placement: Placement, remaining: RemainingLines) -> Fault | None:
    """Return that a line that a hunk adds is in UTF-8 and the file is not, or the reverse.

    None if its encoding is that of some line that stays in the file, or all of those are ASCII.
    """
    come = _encodings(added_lines(placement.hunk.lines))
    if not come:
        return None
    stay = remaining.encodings
    if not stay or come <= stay:
        return None
    if stay == {True}:
        return Fault.NOT_UTF8
    return Fault.UTF8_IN_OTHER


def _removed(placement: Placement) -> Iterable[int]:
    """Return the positions of the lines that a hunk removes."""
    rows = enumerate(placement.hunk.preimage, placement.start)
    return (position for position, line in rows if line.prefix is Prefix.REMOVED)


def _encodings(lines: Iterable[bytes]) -> set[bool]:
    """Tell, for all of `lines` that are not ASCII, whether they are UTF-8."""
    return {_is_utf8(line) for line in lines if not line.isascii()}


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
