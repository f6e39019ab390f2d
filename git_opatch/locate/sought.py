"""A hunk that is sought: the readings of it that are left, or where it is there already.

It must not decide anything: `search` makes it, and evidence takes readings away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from git_opatch.locate.alignment import CONTEXT
from git_opatch.locate.reading import EQUAL, NO_READINGS, Grade, Reading, Readings
from git_opatch.model.failure import Problem
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Evidence, Repair


@dataclass(eq=False)
class Sought:
    """A hunk, and the readings of it that are left, all of one class.

    `loose` is whether the class must be alone, so that evidence cannot choose, `others` are the
    rows of other places that are nearly as much alike, and `disagrees` is whether several slips
    explain it, each otherwise. `applied_at` is where the hunk is there already, at the grade
    `applied_level`, and `is_said` is whether the hunk says that this is its place; `problem` is why
    a hunk of added lines has no position at all.
    """

    hunk: Hunk
    readings: Readings = NO_READINGS
    repairs: tuple[Repair, ...] = ()
    loose: bool = False
    others: tuple[int, ...] = ()
    disagrees: bool = False
    evidence: Evidence = Evidence.UNIQUE
    count: int = 1
    applied_at: int | None = None
    applied_level: Grade = EQUAL
    is_said: bool = True
    problem: Problem | None = None
    notes: tuple[str, ...] = ()

    @property
    def starts(self) -> Sequence[int]:
        """The rows at which its readings begin, in order."""
        return self.readings.starts

    @property
    def is_exact(self) -> bool:
        """Whether its readings are as written."""
        return self.readings.level == EQUAL and not self.repairs

    @property
    def is_open(self) -> bool:
        """Whether evidence may choose among several positions."""
        return 1 < len(self.starts) <= MANY and not self.loose

    @property
    def only(self) -> int | None:
        """The only position; None if there are several, or none."""
        starts = self.starts
        return starts[0] if len(starts) == 1 else None

    def keep(self, starts: Sequence[int], evidence: Evidence) -> None:
        """Keep the readings at `starts`, if these are some of several but not all."""
        kept = set(starts).intersection(self.starts) if self.is_open else ()
        if not kept or len(kept) == len(self.starts):
            return
        self.readings = self.readings.among(kept)
        self.evidence = evidence if len(self.starts) == 1 else self.evidence

    def stop(self, start: int) -> int:
        """The row after what the reading at `start` shows."""
        return max(reading.stop for reading in self.readings.lay(start))

    def span(self, start: int) -> tuple[int, int]:
        """The rows that change in the reading at `start`."""
        return changed_span(self.readings.lay(start)[0])


def changed_span(reading: Reading) -> tuple[int, int]:
    """Return the first row that a reading changes, and that after the last."""
    row, first, last = reading.start, None, reading.start
    for step in reading.steps:
        if step.line.prefix is not CONTEXT:
            first = row if first is None else first
            last = row if step.row is None else step.row + 1
        if step.row is not None:
            row = step.row + 1
    return (reading.start, reading.stop) if first is None else (first, max(first, last))
