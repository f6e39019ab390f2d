"""Lay a hunk over rows of the file: solid lines are given, blank and added ones are between them.

It must not compare lines: only how many blank ones the hunk and the file have.

    the file has more blank lines     they stay, below what the hunk adds there
    the hunk has more                 they are dropped; among lines that it adds, they are added
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from git_opatch.locate.file import File
from git_opatch.locate.reading import (
    ADDED,
    CONTEXT,
    REMOVED,
    Level,
    Reading,
    Step,
    is_blank,
    one_for_one,
)
from git_opatch.model.failure import Problem
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.placement import Repair
from git_opatch.model.sentences import Fault


class _Gap(NamedTuple):
    """Blank and added lines between two rows of solid ones; None at an end of the hunk."""

    lines: Sequence[Line]
    above: int | None
    below: int | None
    is_changed: bool
    """Whether a solid line beside it is removed, in a run of changes that adds lines."""
    separators: int = 0

    @property
    def blank(self) -> int:
        """How many blank old lines it has."""
        return sum(line.prefix is not ADDED for line in self.lines)

    @property
    def is_end(self) -> bool:
        """Whether it is at an end of the hunk."""
        return self.above is None or self.below is None


class _Filled(NamedTuple):
    """The lines of a gap over the blank rows of the file, and what was overlooked."""

    steps: list[Step]
    repair: Repair | None = None
    doubt: Problem | None = None


def lay(hunk: Hunk, rows: Sequence[int], file: File, level: Level) -> Reading | None:
    """Lay the solid old lines of a hunk over `rows`, one for one; None if a blank line contradicts.

    A reading that needs no repair has a row for each old line, in a row.
    """
    solid = [not is_blank(line) for line in hunk.lines if line.prefix is not ADDED]
    start = rows[0] - solid.index(True)
    beside = file.lines[max(start, 0) : max(start, 0) + len(solid)]
    if start >= 0 and [bool(line.strip()) for line in beside] == solid:
        return one_for_one(hunk, start, level)
    steps: list[Step] = []
    repairs: list[Repair] = []
    doubt = None
    following = iter(rows)
    for part in _parts(hunk, rows):
        if isinstance(part, Line):
            steps.append(Step(part, next(following)))
            continue
        filled = _fill(part, file)
        if filled is None:
            return None
        steps += filled.steps
        repairs += [filled.repair] if filled.repair else []
        doubt = doubt or filled.doubt
    first = next(step.row for step in steps if step.row is not None)
    overlooked = tuple(dict.fromkeys(repairs))
    return Reading(tuple(steps), first, max(level, Level.SPACE), overlooked, doubt)


def _parts(hunk: Hunk, rows: Sequence[int]) -> Iterator[_Gap | Line]:
    """Yield the gaps of a hunk, in front of the first solid old line, between them, and below the
    last, with these lines."""
    changes = [*_runs_that_add(hunk)]
    pending: list[Line] = []
    above, above_changes, taken = None, False, 0
    for line, adds in zip(hunk.lines, changes, strict=True):
        if line.prefix is ADDED or is_blank(line):
            pending.append(line)
            continue
        row = rows[taken]
        is_removed = line.prefix is REMOVED
        has_added = any(other.prefix is ADDED for other in pending)
        is_changed = is_removed and (has_added or above_changes)
        yield _Gap(pending, above, row, is_changed)
        yield line
        pending, above, above_changes, taken = [], row, is_removed and adds, taken + 1
    yield _Gap(pending, above, None, False, hunk.separators)


def _runs_that_add(hunk: Hunk) -> Iterator[bool]:
    """Yield for each line whether it is in a run of changes that adds lines."""
    for is_context, group in groupby(hunk.lines, lambda line: line.prefix is CONTEXT):
        run = list(group)
        adds = not is_context and any(line.prefix is ADDED for line in run)
        yield from (adds for _ in run)


def _fill(gap: _Gap, file: File) -> _Filled | None:
    """Lay the lines of a gap over the blank rows of the file that are there."""
    rows = _blank_rows(gap, file)
    if gap.blank == len(rows):
        return _Filled(_paired(gap.lines, rows))
    if gap.blank < len(rows):
        return _omitting(gap, rows, file)
    return _without_surplus(gap, rows, file)


def _blank_rows(gap: _Gap, file: File) -> list[int]:
    """List the rows between the two solid ones; at an end of the hunk as many blank ones as it has,
    if they are there."""
    if gap.above is not None and gap.below is not None:
        return list(range(gap.above + 1, gap.below))
    step = -1 if gap.above is None else 1
    row = (gap.below or 0) - 1 if gap.above is None else gap.above + 1
    rows: list[int] = []
    while len(rows) < gap.blank and 0 <= row < len(file.lines) and not file.is_solid(row):
        rows.append(row)
        row += step
    return sorted(rows)


def _omitting(gap: _Gap, rows: Sequence[int], file: File) -> _Filled:
    """Keep the blank lines of the file that the hunk omits: below what it adds, or above, if that
    ends with a blank line. It is doubtful where the hunk changes lines around, or where a blank
    line is syntax."""
    lines = gap.lines
    kept = [Line(CONTEXT, b"")] * (len(rows) - gap.blank)
    added = [line for line in lines if line.prefix is ADDED]
    ends_blank = bool(added) and lines[-1].prefix is ADDED and is_blank(lines[-1])
    is_syntax = bool(added) and (file.is_document or all(map(is_blank, added)))
    doubt = None
    if gap.is_changed or is_syntax or any(line.prefix is REMOVED for line in lines):
        doubt = Problem.of(Fault.BLANK_LINE_OMITTED, at=rows[0] + 1)
    laid = [*kept, *lines] if ends_blank else [*lines, *kept]
    return _Filled(_paired(laid, rows), Repair.OMITTED, doubt)


def _without_surplus(gap: _Gap, rows: Sequence[int], file: File) -> _Filled | None:
    """Leave out blank lines of context that the file does not have: outside of what is added
    first; those inside are added, too. At an end of the hunk, beside added lines, a blank line says
    where a block ends, and must be there, or the file begins or ends there."""
    lines, surplus = gap.lines, gap.blank - len(rows)
    added = [at for at, line in enumerate(lines) if line.prefix is ADDED]
    free = [at for at, line in enumerate(lines) if line.prefix is CONTEXT]
    if any(line.prefix is REMOVED for line in lines):
        return None
    is_claim = gap.is_end and added and not rows and surplus > gap.separators
    if is_claim and not _is_at_edge(gap, file):
        return None
    inside = [at for at in free if added and added[0] < at < added[-1]]
    outside = [at for at in free if at not in inside]
    if added and not gap.is_end:
        come, gone = {*[*inside, *outside][:surplus]}, set[int]()
    else:
        come = {*inside[: max(surplus - len(outside), 0)]}
        gone = {*(outside if gap.above is None else outside[::-1])[:surplus]}
    laid = [
        line._replace(prefix=ADDED) if at in come else line
        for at, line in enumerate(lines)
        if at not in gone
    ]
    doubt = None
    if inside and gap.is_end and len(outside) > surplus:
        beside = rows[0] if rows else gap.above or 0
        doubt = Problem.of(Fault.BLANK_LINE_SURPLUS, at=beside + 1)
    return _Filled(_paired(laid, rows), Repair.SURPLUS, doubt)


def _is_at_edge(gap: _Gap, file: File) -> bool:
    """Return whether the file begins, or ends, at a gap that is an end of the hunk."""
    return gap.above == len(file.lines) - 1 if gap.below is None else gap.below == 0


def _paired(lines: Iterable[Line], rows: Iterable[int]) -> list[Step]:
    following = iter(rows)
    return [Step(line, None if line.prefix is ADDED else next(following)) for line in lines]
