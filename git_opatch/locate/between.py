"""The blank and added lines of a hunk between two others, laid over the file.

It must not compare lines that are not blank: their rows are given.

    skip blank   of the file, or of the hunk
    skip lines   of the file, at a marker such as `# ...` (a gap)

What the hunk does not show is kept. Where that could be on either side of what is added, the
reading says so (`moved`, `doubt`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.reading import EQUAL, SAME, SPACE, Match, Reading, Step
from git_opatch.model.failure import Problem
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.sentences import Fault

CONTEXT, REMOVED, ADDED = Prefix.CONTEXT, Prefix.REMOVED, Prefix.ADDED
_OMITTED = Line(CONTEXT, b"")
"""A blank line of the file that the hunk does not show."""


class OldLines(NamedTuple):
    """The old lines of a hunk that are not blank, in columns: where they are in the hunk, their
    texts as they are compared, their keys, and whether they are context, which is never written."""

    at: list[int]
    texts: list[bytes]
    keys: list[bytes]
    is_context: list[bool]


def old_lines(hunk: Hunk, file: FileIndex) -> OldLines:
    """Return the old lines of a hunk that are not blank."""
    at = [
        at for at, line in enumerate(hunk.lines) if line.prefix is not ADDED and line.text.strip()
    ]
    texts = [file.normal(hunk.lines[each].text) for each in at]
    is_context = [hunk.lines[each].prefix is CONTEXT for each in at]
    return OldLines(at, texts, [*map(file.key, texts)], is_context)


class _Filled(NamedTuple):
    """The steps between two lines that are not blank, and how many blank lines the hunk has more
    than the file (`surplus`), or the file more than the hunk (`omitted`).

    `moved` is the row of one of these where an added block could be on its other side, and `doubt`
    is why what it becomes is not clear at all.
    """

    steps: list[Step]
    surplus: int = 0
    omitted: int = 0
    moved: int | None = None
    doubt: Problem | None = None


class _Gap(NamedTuple):
    """The blank and added lines of a hunk between two others, and the rows of those: None beyond
    the ends of the hunk.

    `replaced` counts the removed lines right above, `adds` is whether lines are added in it, or
    in the run of changes that it is in, and `separators` counts the empty lines at its end that may
    only separate the hunk from what follows.
    """

    lines: Sequence[Line]
    above: Line | None
    below: Line | None
    before: int | None
    after: int | None
    replaced: int = 0
    adds: bool = False
    separators: int = 0

    @property
    def is_inside(self) -> bool:
        """Whether there are lines on both sides."""
        return self.before is not None and self.after is not None

    @property
    def stays(self) -> bool:
        """Whether the line below it stays."""
        return self.below is not None and self.below.prefix is CONTEXT


def lay(
    hunk: Hunk, rows: Sequence[int | None], file: FileIndex, matches: Sequence[Match] = ()
) -> Reading | None:
    """Lay a hunk whose lines that are not blank are at `rows` over the file, gap by gap; None if a
    gap cannot be filled.

    Where the file has more blank lines than the hunk, added lines stay next to what is above them,
    unless they bring the blank line below them themselves. A line that has no row is a marker.
    """
    lines = hunk.lines
    run_adds = list(_run_adds(lines))
    steps: list[Step] = []
    fills: list[_Filled] = []
    shown = zip(old_lines(hunk, file).at, rows, matches or itertools.repeat(SAME), strict=False)
    placed = [(at, row, match) for at, row, match in shown if row is not None]
    beyond = (-1, None, SAME), (len(lines), None, SAME)
    replaced = 0
    for (first, before, _), (last, after, match) in pairwise((beyond[0], *placed, beyond[1])):
        between = lines[first + 1 : last]
        above = None if before is None else lines[first]
        below = None if after is None else lines[last]
        is_in_run = above and below and above.prefix is below.prefix is REMOVED
        adds = any(line.prefix is ADDED for line in between) or (is_in_run and run_adds[last])
        separators = 0 if below else hunk.separators
        gap = _Gap(between, above, below, before, after, replaced, bool(adds), separators)
        filled = _fill(gap, file)
        if filled is None:
            return None
        fills.append(filled)
        steps += filled.steps
        if below:
            steps.append(Step(below, after, match.grade, match.differs))
            replaced = (0 if between else replaced) + 1 if below.prefix is REMOVED else 0
    start = next((step.row for step in steps if step.row is not None), 0)
    surplus = sum(each.surplus for each in fills)
    omitted = sum(each.omitted for each in fills)
    moved = next((each.moved for each in fills if each.moved is not None), None)
    doubt = next((each.doubt for each in fills if each.doubt), None)
    level = SPACE if surplus or omitted else EQUAL
    return Reading(tuple(steps), start, level, surplus, omitted, moved, doubt)


def _run_adds(lines: Sequence[Line]) -> Iterator[bool]:
    """Yield of each line whether a line is added in the run of changes, or of context, it is in."""
    for _, group in groupby(lines, key=lambda line: line.prefix is CONTEXT):
        run = list(group)
        yield from itertools.repeat(any(line.prefix is ADDED for line in run), len(run))


def _fill(gap: _Gap, file: FileIndex) -> _Filled | None:
    """Lay the blank and added lines of `gap` over the file's lines between two rows."""
    if gap.before is None and gap.after is None:
        return None
    if any(line.prefix is CONTEXT and line.text.strip() for line in gap.lines):
        if gap.is_inside:
            return _leave_out(gap, file)
        gap = gap._replace(lines=[line for line in gap.lines if line.prefix is ADDED])
    there = _blanks_there(gap, file)
    if there is None:
        return None
    surplus = sum(line.prefix is not ADDED for line in gap.lines) - len(there)
    if surplus == 0:
        return _Filled(_paired(gap.lines, there))
    if surplus < 0:
        return _with_omitted(gap, there)
    if _contradicts(gap, there, surplus, file):
        return None
    return _with_surplus(gap, there, surplus)


def _contradicts(gap: _Gap, there: Sequence[int], surplus: int, file: FileIndex) -> bool:
    """Return whether a blank line at the beginning of the hunk, or at its end beside what it adds
    there, says that a block ends or begins where the file has no blank line, and goes on."""
    if gap.is_inside or there or surplus <= gap.separators:
        return False
    if gap.before is None:
        return gap.after != 0
    adds = any(line.prefix is ADDED for line in gap.lines)
    return adds and gap.before + 1 < len(file.lines)


def _blanks_there(gap: _Gap, file: FileIndex) -> list[int] | None:
    """Return the rows of the blank lines that a gap may be laid over; None if there are others."""
    count = sum(line.prefix is not ADDED for line in gap.lines)
    if gap.before is None or gap.after is None:
        start, step = (gap.before, 1) if gap.before is not None else (gap.after, -1)
        assert start is not None
        return _blanks_from(start + step, step, count, file)
    there = [row for row in range(gap.before + 1, gap.after) if not file.keys[row]]
    return there if len(there) == gap.after - gap.before - 1 else None


def _blanks_from(row: int, step: int, most: int, file: FileIndex) -> list[int]:
    found: list[int] = []
    while 0 <= row < len(file.lines) and not file.lines[row].strip() and len(found) < most:
        found.append(row)
        row += step
    return sorted(found)


def _with_omitted(gap: _Gap, there: Sequence[int]) -> _Filled:
    """Keep the file's blank lines that the hunk does not show: below what is added, or above it if
    it begins the gap and ends with a blank line of its own.

    `moved` is the row beside which the added lines might as well be on the other side: in code they
    stay, and a document refuses. `doubt` says that neither side is certain.
    """
    lines = gap.lines
    omitted = [_OMITTED] * (len(there) - sum(line.prefix is not ADDED for line in lines))
    added = [line for line in lines if line.prefix is ADDED]
    filled = _Filled(_paired([*lines, *omitted], there), omitted=len(omitted))
    doubt = Problem.of(Fault.BLANK_LINE_OMITTED, at=there[0] + 1)
    if any(line.prefix is REMOVED for line in lines) or (gap.adds and not gap.stays):
        return filled._replace(doubt=doubt)
    replaces = bool(added) and gap.replaced > 0 and lines[0] is added[0]
    is_same = replaces and gap.above is not None and gap.above.text in [x.text for x in added]
    if not added or (replaces and not is_same and len(added) == gap.replaced == 1):
        return filled
    if not any(line.text.strip() for line in added):
        return filled._replace(doubt=doubt if len(added) == len(omitted) else None)
    if is_same:
        return filled._replace(doubt=doubt)
    brings_own = lines[0] is added[0] and not added[-1].text.strip()
    laid = [*omitted, *lines] if brings_own else [*lines, *omitted]
    return filled._replace(steps=_paired(laid, there), moved=there[0])


def _with_surplus(gap: _Gap, there: Sequence[int], surplus: int) -> _Filled | None:
    """Drop blank lines of context that the file lacks; among added lines they are added, too."""
    lines = gap.lines
    free = [at for at, line in enumerate(lines) if line.prefix is CONTEXT]
    if len(free) < sum(line.prefix is not ADDED for line in lines):
        return None  # the file has no line that is to be removed
    adds = [at for at, line in enumerate(lines) if line.prefix is ADDED]
    inside = [at for at in free if adds and adds[0] < at < adds[-1]]
    order = free if gap.before is None else free[::-1]
    outside = [at for at in order if at not in inside]
    if gap.is_inside and adds:
        chosen, dropped = {*[*inside, *outside][:surplus]}, set[int]()
    else:
        chosen = {*inside[: max(surplus - len(outside), 0)]}
        dropped = {*outside[:surplus]}
    laid = [
        line._replace(prefix=ADDED) if at in chosen else line
        for at, line in enumerate(lines)
        if at not in dropped
    ]
    is_unclear = bool(inside) and not gap.is_inside and len(outside) > surplus
    beside = gap.before if gap.before is not None else gap.after
    doubt = Problem.of(Fault.BLANK_LINE_SURPLUS, at=(beside or 0) + 1) if is_unclear else None
    return _Filled(_paired(laid, there), surplus, doubt=doubt)


def _paired(lines: Sequence[Line], there: Sequence[int]) -> list[Step]:
    rows = iter(there)
    return [Step(line, None if line.prefix is ADDED else next(rows)) for line in lines]


def _leave_out(gap: _Gap, file: FileIndex) -> _Filled | None:
    """Keep the lines of the file at a marker between two rows; blank lines of the hunk there are
    part of it."""
    if gap.before is None or gap.after is None:
        return None
    if any(line.prefix is REMOVED for line in gap.lines):
        return None
    rows = range(gap.before + 1, gap.after)
    kept = map(file.left_out, rows)
    is_marker = [line.prefix is CONTEXT and bool(line.text.strip()) for line in gap.lines]
    marker = is_marker.index(True)
    sides = gap.lines[:marker], gap.lines[marker:]
    first, last = ([Step(line, None) for line in side if line.prefix is ADDED] for side in sides)
    return _Filled([*first, *kept, *last])
