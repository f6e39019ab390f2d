"""Refuse a hunk that may be applied already, at another place that reads like its own.

Its new lines are there, and more suggests that it was meant for that place: its line number, its
anchor, that it ends the file, the order of the hunks, or that its old lines match only loosely. A
hunk without a number and an anchor, which no other hunk is beside, is refused if what it shows is
there with its change.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf
from typing import NamedTuple

from git_opatch.locate.anchors import find, is_below
from git_opatch.locate.applied import new_positions, position_by_number
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.likeness import has_word
from git_opatch.locate.search import Sought
from git_opatch.model.failure import HunkResult
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.reading import EQUAL, FORM

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
    in_anchor = any(is_below(start, row, file) for row in rows)
    in_order = bounds[0] <= start <= bounds[1]
    is_certain = sought.is_exact and in_order and not partly_applied and (in_anchor or not rows)
    has_number = hunk.new_start is not None or hunk.stated_start is not None
    is_alone = bounds == _ALONE and not file.placed and not in_anchor and _shows_context(hunk)
    ends_file = hunk.at_end_of_file or not all(line.newline for line in hunk.lines)
    if is_certain and not (has_number or ends_file or is_alone):
        return None
    twins = _outside(placement, new_positions(hunk, file))
    end = len(file.lines) - len(hunk.postimage) if ends_file else None
    meant = (hunk.new_start, hunk.stated_start, end)
    stated = [at for at in meant if at is not None and at in twins]
    if (at := position_by_number(hunk, file)) is not None:
        return Suspicion(at)
    if stated:
        return Suspicion(stated[0])
    if is_alone and twins:
        return Suspicion(twins[0])
    if is_certain:
        return None
    if not sought.is_exact and not twins:
        level = sought.readings.level if sought.readings.level <= FORM else EQUAL
        twins = _outside(placement, new_positions(placement.hunk, file, level))
    under = [at for at in twins if any(is_below(at, row, file) for row in rows)]
    if under and not in_anchor:
        return Suspicion(under[0])
    if in_anchor and not under:
        return None
    return _by_other_hunks(sought, twins, bounds, in_order, partly_applied=partly_applied)


def _shows_context(hunk: Hunk) -> bool:
    """Return whether a hunk shows context that says something, and so where its new lines are."""
    return has_word([line.text for line in hunk.lines if line.prefix is Prefix.CONTEXT])


def _by_other_hunks(
    sought: Sought, twins: Sequence[int], bounds: Bounds, in_order: bool, *, partly_applied: bool
) -> Suspicion | None:
    if partly_applied and twins:
        return Suspicion(twins[0])
    if partly_applied and not in_order:
        return Suspicion()
    between = [at for at in twins if bounds[0] < at < bounds[1]]
    if between and not in_order:
        return Suspicion(between[0])
    if twins and not sought.is_exact:
        return Suspicion(twins[0])
    return None


def _outside(placement: Placement, positions: Sequence[int]) -> list[int]:
    """Return the positions that are not in the hunk's own place: what it keeps proves nothing."""
    return [at for at in positions if not placement.start <= at < placement.stop]


def _rows_of_anchor(sought: Sought, file: FileIndex) -> Sequence[int]:
    """Return where the last anchor is that the file has as a whole line."""
    found = [find(anchor, file) for anchor in sought.hunk.anchors if not anchor.weak]
    whole = [each.rows for each in found if each.whole]
    return whole[-1] if whole else ()


def bounds_of(results: Sequence[HunkResult]) -> list[Bounds]:
    """Return, for each hunk, the greatest position before it and the least after it."""
    rows = [result.start for result in results]
    forward = (-1 if row is None else row for row in rows)
    backward = (inf if row is None else row for row in reversed(rows))
    lows = accumulate(forward, max, initial=-1)
    highs = list(accumulate(backward, min, initial=inf))
    return list(zip(lows, reversed(highs[:-1]), strict=False))
