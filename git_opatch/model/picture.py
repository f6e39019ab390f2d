"""A picture of a hunk: rows of the file and of the patch, side by side. Values only.

Positions count from 0. All renderers take these; none lays out anything again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import NamedTuple

from git_opatch.model.patch import Line, Prefix

Value = str | bytes | int
Values = Mapping[str, Value]
NO_VALUES: Values = {}
WORD = re.compile(rb"[\w\x80-\xff]+")


class Mark(Enum):
    """What a row is."""

    THERE = "there"
    TOLERATED = "tolerated"
    OTHER = "other"
    IN_PATCH = "only_in_patch"
    IN_FILE = "only_in_file"
    AROUND = "around"
    DECIDES = "decides"
    LEFT_OUT = "left_out"
    GOES = "goes"
    ADDED = "added"
    OMITTED = "omitted"


AGREES = (Mark.THERE, Mark.AROUND, Mark.LEFT_OUT, Mark.TOLERATED, Mark.ADDED)
"""What may be left out where there is no room: nothing differs."""


class Row(NamedTuple):
    """A line of the file, at `position`, and of the patch; one of them may be missing.

    One that is omitted stands for `size` rows. `at` is where else the file has the patch's line.
    """

    mark: Mark
    position: int | None = None
    text: bytes | None = None
    """What the file has, or will have."""
    line: Line | None = None
    """What the patch has."""
    note: str = ""
    """How they differ, or where the line is; fit for a terminal."""
    at: tuple[int, ...] = ()
    size: int = 1

    @property
    def changes(self) -> bool:
        """Whether the patch removes or adds it."""
        return self.line is not None and self.line.prefix is not Prefix.CONTEXT


class Enclosing(NamedTuple):
    """What a candidate is in: `text` is the line of a definition, or a section, at `line`."""

    candidate: int
    line: int
    text: bytes


class Means(Enum):
    """What a suggestion is to be used as."""

    ANCHOR = "anchor"
    ABOVE = "line_above"
    BELOW = "line_below"


class Suggestion(NamedTuple):
    """What to write: for the candidate at a position, or in place of what is wrong."""

    means: Means
    text: bytes
    candidate: int | None = None
    distance: int = 1
    """How far the line is from the hunk, in lines; those between are to be added, too."""


class Shows(Enum):
    """What a picture shows: a hunk at a place, a block of the file, or lines here and there."""

    PLACE = "place"
    BLOCK = "block"
    LIST = "list"


class Picture(NamedTuple):
    """Rows under a title; `inside` is the definition that they are in."""

    title: str = ""
    rows: tuple[Row, ...] = ()
    inside: Enclosing | None = None
    advice: str = ""
    shows: Shows = Shows.PLACE

    @property
    def own(self) -> list[int]:
        """The lines of the file that the hunk is laid over, without those around them."""
        own = [row for row in self.rows if row.mark not in (Mark.AROUND, Mark.DECIDES)]
        return [row.position for row in own or self.rows if row.position is not None]

    @property
    def telling(self) -> Sequence[Row]:
        """The rows, but of a list those of which something is known; the first if nothing is."""
        if self.shows is not Shows.LIST:
            return self.rows
        known = [row for row in self.rows if row.mark is not Mark.IN_PATCH or row.at or row.note]
        return known or self.rows[:_LEAST]

    @property
    def reread(self) -> tuple[int, int] | None:
        """The first and the last line that the hunk is laid over, from 1; None if there is none."""
        own = self.own
        return (own[0] + 1, own[-1] + 1) if own else None

    @property
    def first(self) -> Row | None:
        """The first row in which they differ, with the line of the patch, and of the file, there.

        For a line that only one has, the other is that below.
        """
        at = next((at for at, row in enumerate(self.rows) if row.mark not in AGREES), None)
        if at is None:
            return None
        rest = self.rows[at:]
        line = next((row.line for row in rest if row.line), None)
        after = self.own[-1] + 1 if self.own else next(iter(rest[0].at), None)
        below = next((row for row in rest if row.position is not None), Row(Mark.AROUND, after))
        return rest[0]._replace(line=line, position=below.position, text=below.text)


_LEAST = 3
"""Fewer rows are not worth one that says so."""
_STEPS: Sequence[tuple[Mark | None, int]] = (
    *((None, edge) for edge in (6, 3, 2, 1)),
    *((Mark.IN_PATCH, 3), (Mark.THERE, 3), (Mark.IN_FILE, 6), (Mark.IN_FILE, 2)),
)
"""How many rows at each end of a run of one kind are shown; those that agree are of one kind."""


def elide(rows: Sequence[Row], most: int) -> list[Row]:
    """Return at most `most` rows: first the middle of those that agree is left out; then that of
    those of the patch, which its author has; then that of those of the file."""
    kept, edges = [*rows], dict[Mark | None, int]()
    for kind, edge in _STEPS:
        if len(kept) > most:
            edges[kind] = edge
            kept = _without_middles(rows, edges)
    return [*kept[: most - 1], _omitted(kept[most - 1 :])] if len(kept) > most else kept


def _without_middles(rows: Sequence[Row], edges: Mapping[Mark | None, int]) -> list[Row]:
    kept: list[Row] = []
    for kind, run in groupby(rows, _kind):
        group = [*run]
        edge = edges.get(kind, len(group))
        middle = group[edge : len(group) - edge]
        is_short = len(middle) < _LEAST
        kept += group if is_short else [*group[:edge], _omitted(middle), *group[-edge:]]
    return kept


def _kind(row: Row) -> Mark | None:
    return None if row.mark in AGREES and not row.changes else row.mark


def _omitted(rows: Sequence[Row]) -> Row:
    """Return one that stands for several; the note says what they are, if all are alike."""
    mark, *others = {row.mark for row in rows}
    note = "left out" if others else _NOTES.get(mark, "left out")
    place = None if any(row.position is None for row in rows) else rows[0].position
    return Row(Mark.OMITTED, place, note=note, size=sum(row.size for row in rows))


_NOTES = {
    Mark.THERE: "as in the hunk",
    Mark.IN_FILE: "not in the hunk",
    Mark.IN_PATCH: "of the patch, not here",
}
"""What is said of rows of one kind that are left out."""
