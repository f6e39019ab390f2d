"""Readings: the ways in which the old lines of a hunk are lines of the file, strictest class first.

It must not choose between readings.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from enum import IntEnum
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple, overload

from git_opatch.locate.file import File
from git_opatch.model.failure import Problem
from git_opatch.model.limits import MANY
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Evidence, Repair

CONTEXT, REMOVED, ADDED = Prefix.CONTEXT, Prefix.REMOVED, Prefix.ADDED


class Level(IntEnum):
    """How loosely lines are compared: the classes of readings, strictest first."""

    EXACT = 0
    SPACE = 1
    FORM = 2
    TOLERATED = 3
    GAP = 4

    @property
    def tier(self) -> Tier:
        """The tier that it is reported as."""
        return Tier.STRICT if not self else Tier.RESILIENT if self == Level.SPACE else Tier.FUZZY


class Step(NamedTuple):
    """A line of a hunk and its row in the file; one that is added has none."""

    line: Line
    row: int | None


class Reading(NamedTuple):
    """A hunk laid over the file from the row `start` on."""

    steps: tuple[Step, ...]
    start: int
    level: Level = Level.EXACT
    repairs: tuple[Repair, ...] = ()
    doubt: Problem | None = None
    left_out: frozenset[int] = frozenset()
    """The rows of steps that the hunk does not show: a marker stands for them."""

    @property
    def stop(self) -> int:
        """The row after the last one that it shows."""
        rows = (step.row for step in reversed(self.steps) if step.row is not None)
        last = next(rows, None)
        return self.start if last is None else last + 1

    @property
    def changed(self) -> tuple[int, int]:
        """The rows that change, as start and stop; empty for an addition, all if none does."""
        row, first, last = self.start, None, self.start
        for line, at in self.steps:
            after = row if at is None else at + 1
            if line.prefix is not CONTEXT:
                first, last = row if first is None else first, after
            row = after
        return (self.start, self.stop) if first is None else (first, last)

    @property
    def added(self) -> list[Line]:
        """The lines that it adds and that are not blank."""
        return [line for line, row in self.steps if row is None and line.text.strip()]


Span = tuple[int, int, int]
"""The rows that a reading changes, as start and stop, and where it begins."""


class Readings(Sequence[Reading]):
    """Readings of one class, by where they begin.

    Those of lines as written are laid when they are asked for: a hunk of lines that are everywhere
    has thousands.
    """

    def __init__(
        self,
        starts: Sequence[int],
        lay: Callable[[int], Reading],
        size: int,
        is_cut: bool = False,
    ) -> None:
        self.starts, self._lay, self.size = starts, lay, size
        """`size` is how many rows one has at most."""
        self.is_cut = is_cut or len(starts) > MANY
        """Whether there are more than are listed: nothing can choose among them."""

    @classmethod
    def of(cls, readings: Iterable[Reading], *, is_cut: bool = False) -> Readings:
        """Make it of readings that are laid."""
        laid = {reading.start: reading for reading in readings}
        size = max((reading.stop - start for start, reading in laid.items()), default=0)
        return cls(sorted(laid), laid.__getitem__, size, is_cut)

    @classmethod
    def as_written(cls, hunk: Hunk, starts: Sequence[int]) -> Readings:
        """Make it of a hunk that is as written where it begins."""
        return cls(starts, cache(partial(one_for_one, hunk)), len(hunk.preimage))

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, at: int) -> Reading: ...
    @overload
    def __getitem__(self, at: slice) -> list[Reading]: ...
    def __getitem__(self, at: int | slice) -> Reading | list[Reading]:
        if isinstance(at, slice):
            return [*map(self._lay, self.starts[at])]
        return self._lay(self.starts[at])

    def only(self, indexes: Sequence[int]) -> Readings:
        """Return some of them."""
        return Readings([self.starts[at] for at in indexes], self._lay, self.size, self.is_cut)

    def starting_at(self, start: int | None) -> list[int]:
        """List the index of the one that begins there."""
        at = bisect_left(self.starts, -1 if start is None else start)
        return [at] if self.starts[at : at + 1] == [start] else []

    def starting_in(self, first: int, last: int) -> range:
        """Return the indexes of those that begin at a row from `first` to `last`."""
        return range(bisect_left(self.starts, first), bisect_right(self.starts, last))

    def span(self, at: int) -> Span:
        """Return the rows that one changes, and where it begins."""
        return (*self[at].changed, self.starts[at])


class Applied(NamedTuple):
    """Where the new lines of a hunk are already, and how loosely they match."""

    start: int
    level: Level = Level.EXACT
    is_said: bool = True
    """Whether the hunk says that this is its place."""


@dataclass(eq=False)
class Sought:
    """A hunk, and its readings that are left, all of one class."""

    hunk: Hunk
    readings: Readings = field(default_factory=lambda: Readings.of(()))
    alone: bool = False
    """Whether the reading must be the only one: no evidence may choose."""
    rivals: Sequence[int] = ()
    """The rows of other places that have nearly all its lines: whoever is there was first."""
    repairs: tuple[Repair, ...] = ()
    evidence: Evidence = Evidence.UNIQUE
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
    applied: Applied | None = None
    count: int = 1
    """How many readings `Evidence.NEAREST` chose from."""

    @property
    def only(self) -> Reading | None:
        """The reading that is left; None if there are several, or none."""
        is_only = len(self.readings) == 1 and not self.readings.is_cut
        return self.readings[0] if is_only else None

    @property
    def is_decided(self) -> bool:
        """Whether the search for it may end."""
        return bool(self.readings or self.applied or self.problem)

    def keep(self, indexes: Sequence[int], evidence: Evidence) -> None:
        """Keep some of several readings, by their indexes, if evidence may choose."""
        may_choose = not (self.alone or self.readings.is_cut)
        if may_choose and indexes and len(indexes) < len(self.readings):
            self.readings, self.evidence = self.readings.only(indexes), evidence


def one_for_one(hunk: Hunk, start: int, level: Level = Level.EXACT) -> Reading:
    """Lay a hunk over the lines from `start` on."""
    steps, row = [], start
    for line in hunk.lines:
        if line.prefix is ADDED:
            steps.append(Step(line, None))
        else:
            steps.append(Step(line, row))
            row += 1
    return Reading(tuple(steps), start, level)


_EVERYWHERE = frozenset((b"begin", b"do", b"done", b"else", b"end", b"esac", b"fi", b"then"))
_WORD = re.compile(rb"[\w\x80-\xff]+")


def has_word(texts: Iterable[bytes]) -> bool:
    """Return whether lines say something: brackets, `end` and `else` are anywhere."""
    return any(word not in _EVERYWHERE for text in texts for word in _WORD.findall(text))


def is_blank(line: Line) -> bool:
    """Return whether a line of a hunk has nothing but whitespace."""
    return not line.text.strip()


def solid_lines(hunk: Hunk) -> list[Line]:
    """Return the old lines of a hunk that are not blank."""
    return [line for line in hunk.lines if line.prefix is not ADDED and line.text.strip()]


def shows_context(hunk: Hunk) -> bool:
    """Return whether a hunk shows a line that stays and is not blank."""
    return any(line.prefix is CONTEXT and line.text.strip() for line in hunk.lines)


def settled(hunk: Hunk) -> Hunk:
    """Return `hunk` with the lines that it removes and adds again as context; not blank ones, which
    are anywhere."""
    gone = {line.text for line in hunk.lines if line.prefix is REMOVED and line.text.strip()}
    if not any(line.prefix is ADDED and line.text in gone for line in hunk.lines):
        return hunk
    lines: list[Line] = []
    for is_context, group in groupby(hunk.lines, lambda line: line.prefix is CONTEXT):
        run = list(group)
        lines += run if is_context or len(run) > MANY else _settled_run(run)
    return hunk if lines == list(hunk.lines) else replace(hunk, lines=tuple(lines))


def _settled_run(run: Sequence[Line]) -> list[Line]:
    old, new = ([line for line in run if line.prefix is side] for side in (REMOVED, ADDED))
    a, b = ([(line.text, line.newline) for line in side] for side in (old, new))
    lines: list[Line] = []
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    for tag, start, stop, first, last in matcher.get_opcodes():
        if tag == "equal" and any(line.text.strip() for line in old[start:stop]):
            lines += [line._replace(prefix=CONTEXT) for line in old[start:stop]]
        else:
            lines += [*old[start:stop], *new[first:last]]
    return lines


def exact(hunk: Hunk, file: File) -> Readings:
    """Lay a hunk where it is as written.

    Empty lines at its end that may only separate it from what follows need not be there, nor blank
    ones of context past the end of the file (D464).
    """
    starts = file.runs(hunk.preimage)
    if hunk.lines[-1].prefix is not CONTEXT or not is_blank(hunk.lines[-1]):
        return Readings.as_written(hunk, starts)
    found = {at: one_for_one(hunk, at) for at in starts}
    lines, end = list(hunk.lines), len(file.lines)
    dropped = 0
    while lines[-1].prefix is CONTEXT and is_blank(lines.pop()) and _shows(lines):
        dropped += 1
        part = replace(hunk, lines=tuple(lines))
        for at in file.runs(part.preimage):
            is_end = at + len(part.preimage) == end
            if dropped <= hunk.separators or (is_end and found):
                found.setdefault(at, one_for_one(part, at))
    return Readings.of(found.values())


def _shows(lines: Iterable[Line]) -> bool:
    return any(line.prefix is not ADDED and line.text.strip() for line in lines)
