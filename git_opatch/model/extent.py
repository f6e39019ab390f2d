"""A hunk that is refused, laid over the file at its best place. Values only.

Positions count from 0. What of it is said is decided in `report`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import NamedTuple

from git_opatch.model.patch import Line
from git_opatch.model.sentences import Difference

Value = str | bytes | int
Values = Mapping[str, Value]
NO_VALUES: Values = {}


class Mark(Enum):
    """What a line is where a hunk is laid over the file."""

    THERE = "there"
    OTHER = "other"
    IN_PATCH = "only_in_patch"
    IN_FILE = "only_in_file"
    AROUND = "around"
    OMITTED = "omitted"


class ExtentLine(NamedTuple):
    """A line of the patch, and of the file at `position`; one of them may be missing.

    One that is omitted stands for `size` lines, from `position`, or from `line`, on.
    """

    mark: Mark
    position: int | None = None
    text: bytes | None = None
    """What the file has."""
    line: Line | None = None
    """What the patch has."""
    difference: Difference | None = None
    values: Values = NO_VALUES
    """The words that the sentence of the difference needs."""
    is_near: bool = False
    """Whether it is removed, or next to what is removed or added."""
    size: int = 1
    omits: Mark | None = None
    """What the omitted ones are; `OMITTED` if they are of several kinds."""

    @property
    def described(self) -> str:
        """The difference in words, fit for a terminal; empty if there is none."""
        return self.difference.fill(**self.values) if self.difference else ""


class Elsewhere(NamedTuple):
    """A line of the patch, and where the file has it, or, if there is a `text`, one like it."""

    line: Line
    positions: tuple[int, ...]
    text: bytes | None = None
    around: tuple[ExtentLine, ...] = ()
    """The lines of the file there, if it is one place."""


class Enclosing(NamedTuple):
    """What a candidate is in: `text` is the line of a definition, or a section, at `line`."""

    candidate: int
    line: int
    text: bytes


class Named(NamedTuple):
    """What the patch names after `@@`, and where the file has that."""

    text: bytes
    positions: tuple[int, ...]
    around: tuple[ExtentLine, ...] = ()
    """The lines of the file from there on, if it is one place."""


class Extent(NamedTuple):
    """A hunk laid over the file at its best place, and where else its lines are.

    `lines` are those of both, in order; there are none if the file has nothing of the hunk that
    says where it goes. `total` is how many of its old lines are not blank, and `nowhere` are those
    of them that the file does not have.
    """

    lines: tuple[ExtentLine, ...] = ()
    first: ExtentLine | None = None
    """The first difference: the line of the patch, and the position in the file."""
    inside: Enclosing | None = None
    nowhere: tuple[Line, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    named: Named | None = None
    """What the patch names, if the lines are not in it."""
    added: tuple[Elsewhere, ...] = ()
    """The added lines, the first of several, that the file has already."""
    total: int = 0

    @property
    def positions(self) -> tuple[int, ...]:
        """The lines of the file that the hunk is laid over, without those around them."""
        own = (each for each in self.lines if each.mark is not Mark.AROUND)
        return tuple(each.position for each in own if each.position is not None)

    @property
    def reread(self) -> tuple[int, int] | None:
        """The first and the last line to read again, from 1; None if there are none."""
        there = [each.position + 1 for each in self.lines if each.position is not None]
        return (there[0], there[-1]) if there else None

    def most(self, count: int) -> list[ExtentLine]:
        """Return at most `count` of its lines: what differs or changes, else those around the first
        such line."""
        lines = [*self.lines]
        if len(lines) > count:
            lines = [each for each in lines if each.mark is not Mark.AROUND]
        for edge in _EDGES:
            lines = [*_without_runs(lines, edge)] if len(lines) > count else lines
        if len(lines) <= count:
            return lines
        first = next((at for at, each in enumerate(lines) if each.is_near), 0)
        start = min(max(first - count // 2, 0), len(lines) - count)
        above, shown, below = lines[:start], lines[start : start + count], lines[start + count :]
        if count < _LEAST_TO_SAY:
            return shown
        if above:
            shown[0] = _omitted([*above, shown[0]], Mark.OMITTED)
        if below:
            shown[-1] = _omitted([shown[-1], *below], Mark.OMITTED)
        return shown


_LEAST_OMITTED = 3
"""Fewer lines in a row are not worth a line that says so."""
_LEAST_TO_SAY = 7
"""Where fewer lines are shown, none of them is one that says what is left out."""
_EDGES = (3, 1)
"""So many lines are shown on each side of many that the file has between two of the hunk's."""


def _without_runs(lines: Sequence[ExtentLine], edge: int) -> Iterator[ExtentLine]:
    """Leave out runs of lines that are the same, with no change or difference next to them, or that
    are only on one side, but for `edge` lines on each side of what only the file has."""
    plain = [each.mark is Mark.THERE and not each.is_near for each in lines]
    kept = [
        each.mark is Mark.OTHER
        or (each.mark is Mark.THERE and not all(plain[max(at - 1, 0) : at + 2]))
        for at, each in enumerate(lines)
    ]
    for (is_kept, mark), run in groupby(
        zip(kept, lines, strict=True), lambda pair: (pair[0], None if pair[0] else pair[1].mark)
    ):
        group = [each for _, each in run]
        ends = edge if mark is Mark.IN_FILE else 0
        middle = group[ends : len(group) - ends]
        if is_kept or mark in (None, Mark.OMITTED) or len(middle) < _LEAST_OMITTED:
            yield from group
        else:
            yield from (*group[:ends], _omitted(middle, mark), *group[len(group) - ends :])


def _omitted(lines: Sequence[ExtentLine], mark: Mark) -> ExtentLine:
    """Return one that stands for several lines."""
    first = next((each.position for each in lines if each.position is not None), None)
    there = [each for each in lines if first is None or each.position is not None]
    size = sum(each.size for each in there)
    return ExtentLine(Mark.OMITTED, first, size=size, omits=mark)


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
