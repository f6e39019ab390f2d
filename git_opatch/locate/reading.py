"""A reading of a hunk: one way in which it and a file agree.

It must not decide: these are values.

Rows count from 0. A tolerance is a value: the grade of a line, and in what it differs, are made
once, where the line is compared, and kept by its step.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import NamedTuple

from git_opatch.locate.outline import Name
from git_opatch.model.extent import Value
from git_opatch.model.failure import Problem
from git_opatch.model.patch import Anchor, Line
from git_opatch.model.placement import Likeness
from git_opatch.model.sentences import Fault


class Grade(IntEnum):
    """How a line of the patch is a line of the file, strictest first."""

    EQUAL = 0
    """Every byte."""
    SPACE = 1
    """But for whitespace, and the level of a heading of Markdown."""
    FORM = 2
    """But for typography and backticks; in prose, for letter case and the signs of a sentence."""
    TOLERATED = 3
    """But for what is never written anyway, of a line of context."""
    ALIKE = 4
    """The same by its loosest key, or too little is for sure: it is no reading, but another one is
    not alone beside it."""


EQUAL, SPACE, FORM, TOLERATED, ALIKE = Grade


class Differs(Enum):
    """In what a line of the patch differs from the file's; the value is what the report says.

    What an added line must then not repeat is said for each in `doubt`.
    """

    WHITESPACE = Likeness.WHITESPACE
    FORM = Likeness.TEXT
    LETTERS = Likeness.LETTERS
    QUOTES = Likeness.QUOTES
    COMMENT = Likeness.COMMENT
    END = Likeness.END


class Match(NamedTuple):
    """How a line of the patch is a line of the file."""

    grade: Grade = EQUAL
    differs: Differs | None = None


SAME = Match()


class Step(NamedTuple):
    """A line, and its row in the file; an added one has none."""

    line: Line
    row: int | None
    grade: Grade = EQUAL
    differs: Differs | None = None
    is_shown: bool = True
    """Whether the hunk shows that line; else the file has it, and keeps it."""


class Reading(NamedTuple):
    """A hunk laid over the file.

    `level` is the loosest grade that it needs, `surplus` counts the blank lines that the file
    lacks, `omitted` those that the hunk lacks, `is_elided` is whether a marker stands for lines of
    the file, `moved` is the row of a blank line on whose other side an added line could be, and
    `doubt` is why it is not to be trusted, although nothing else fits.
    """

    steps: tuple[Step, ...]
    start: int
    level: Grade = EQUAL
    surplus: int = 0
    omitted: int = 0
    moved: int | None = None
    doubt: Problem | None = None
    is_elided: bool = False

    @property
    def stop(self) -> int:
        """The row after the last line that the hunk shows."""
        return max(
            (step.row + 1 for step in self.steps if step.row is not None), default=self.start
        )


class Fit(NamedTuple):
    """Old lines laid over as many lines of the file, one for one, without the blank ones.

    `place` counts the lines of the file that are not blank; `differ` are the indexes of the old
    lines that have another key than the file's.
    """

    place: int
    level: Grade
    differ: frozenset[int] = frozenset()


class Fits(NamedTuple):
    """Where a hunk fits at a grade: with all of its blank lines and no others, by the row at which
    it begins, and where blank lines differ; `others` are the rows of other places that are alike.
    """

    straight: Mapping[int, Fit] = MappingProxyType({})
    bent: Sequence[Fit] = ()
    others: tuple[int, ...] = ()


class Found(NamedTuple):
    """Where what an anchor names is; `whole` if as a line; `named` if it surely names something."""

    anchor: Anchor
    rows: Sequence[int]
    whole: bool = False
    named: Name | None = None

    def problem(self, fault: Fault, **values: Value) -> Problem:
        """Return what is wrong with the anchor."""
        kind = "heading" if self.anchor.weak else "anchor"
        return Problem.of(fault, kind=kind, anchor=self.anchor.text, **values)


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of a hunk in one class, by the rows at which they begin, in order.

    `lay` makes those at one of the rows: only what evidence leaves is laid. `level` is the loosest
    grade that one of them needs, and `others` are the rows of other places that are alike.
    """

    starts: Sequence[int] = ()
    lay: Callable[[int], Sequence[Reading]] = lambda _: ()
    level: Grade = EQUAL
    others: tuple[int, ...] = ()

    def __iter__(self) -> Iterator[Reading]:
        return (reading for start in self.starts for reading in self.lay(start))

    def __bool__(self) -> bool:
        return bool(self.starts)

    def among(self, starts: Container[int]) -> Readings:
        """Keep those that begin at one of `starts`."""
        return replace(self, starts=[start for start in self.starts if start in starts])


NO_READINGS = Readings()


def readings_of(laid: Iterable[Reading]) -> Readings:
    """Return readings that are laid already."""
    by_start: dict[int, list[Reading]] = {}
    for reading in laid:
        by_start.setdefault(reading.start, []).append(reading)
    level = max((reading.level for each in by_start.values() for reading in each), default=EQUAL)
    return Readings(sorted(by_start), by_start.__getitem__, level)
