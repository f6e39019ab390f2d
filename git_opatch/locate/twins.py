"""Refuse a hunk that may be applied already, at another place that reads like its own.

It must not move a hunk to its twin: it only refuses.

Its new lines are there, and more suggests that it was meant for that place (D38):

    its line number, in the old or the new file, or that it ends the file
    other hunks of the patch are applied
    its old lines match only loosely
    it has no anchor, which holds, and no other hunk is beside it: nothing else says where it is
    it is out of order here, and in order there; beside applied hunks, it is out of order at all

Where its anchor holds, what is not below that too is not a twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf
from typing import NamedTuple

from git_opatch.locate.anchors import find
from git_opatch.locate.applied import new_positions, position_by_number
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.likeness import has_word
from git_opatch.locate.reading import EQUAL, FORM
from git_opatch.locate.scope import inside
from git_opatch.locate.sought import Sought
from git_opatch.model.failure import HunkResult
from git_opatch.model.limits import FEW
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.placement import Placement

Bounds = tuple[float, float]
"""The greatest position of the hunks before one, and the least of those after it."""
_ALONE: Bounds = (-1, inf)


class Suspicion(NamedTuple):
    """Where a hunk may be applied already; None if only the order suggests it."""

    twin: int | None = None


def suspicion(
    placement: Placement, sought: Sought, bounds: Bounds, file: FileIndex, matching: Matching
) -> Suspicion | None:
    """Return what suggests that a hunk is applied elsewhere; None if nothing does."""
    hunk, start, partly_applied = sought.hunk, placement.start, matching.partly_applied
    if hunk.stated_start == start and not partly_applied:
        return None
    rows = _rows_of_anchor(sought, file)
    in_anchor = bool(inside([start], rows, file))
    in_order = bounds[0] <= start <= bounds[1]
    is_alone = bounds == _ALONE and not file.placed and not in_anchor and _shows_context(hunk)
    ends_file = hunk.at_end_of_file or not all(line.newline for line in hunk.lines)
    end = len(file.lines) - len(hunk.postimage) if ends_file else None
    meant = {hunk.new_start, hunk.stated_start, end} - {None}
    is_doubted = is_alone or partly_applied or not sought.is_exact
    if not meant and not is_doubted and in_order:
        return None
    twins = _outside(placement, new_positions(hunk, file))
    if not sought.is_exact and not twins:
        level = sought.readings.level if sought.readings.level <= FORM else EQUAL
        twins = _outside(placement, new_positions(placement.hunk, file, level))
    near = inside(twins, rows, file) if in_anchor else twins
    rules: tuple[tuple[bool, Sequence[int | None]], ...] = (
        (True, [at for at in (position_by_number(hunk, file),) if at is not None]),
        (True, [at for at in twins if at in meant]),
        (is_doubted, near),
        (not in_order, [at for at in near if bounds[0] < at < bounds[1]]),
        (not in_order and partly_applied and not in_anchor, [None]),
    )
    return next((Suspicion(found[0]) for holds, found in rules if holds and found), None)


def _shows_context(hunk: Hunk) -> bool:
    """Return whether a hunk shows context that says something, and so where its new lines are."""
    return has_word([line.text for line in hunk.lines if line.prefix is Prefix.CONTEXT])


def _outside(placement: Placement, positions: Sequence[int]) -> list[int]:
    """Return the positions that are not in the hunk's own place: what it keeps proves nothing."""
    return [at for at in positions if not placement.start <= at < placement.stop]


def _rows_of_anchor(sought: Sought, file: FileIndex) -> Sequence[int]:
    """Return where the last anchor is that the file has as a whole line, in few places."""
    found = [find(anchor, file) for anchor in sought.hunk.anchors if not anchor.weak]
    whole = [each.rows for each in found if each.whole and len(each.rows) <= FEW]
    return whole[-1] if whole else ()


def bounds_of(results: Sequence[HunkResult]) -> list[Bounds]:
    """Return, for each hunk, the greatest position before it and the least after it."""
    rows = [result.start for result in results]
    forward = (-1 if row is None else row for row in rows)
    backward = (inf if row is None else row for row in reversed(rows))
    lows = accumulate(forward, max, initial=-1)
    highs = list(accumulate(backward, min, initial=inf))
    return list(zip(lows, reversed(highs[:-1]), strict=False))
