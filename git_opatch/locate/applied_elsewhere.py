"""Refuse a hunk that has a position, but may already be applied at a twin of it (D38).

    file        hunk, for line 3
    1  x = 1    -x = 1
    2  ...      +x = 2
    3  x = 2                 line 3 has the new line already; line 1 is a twin

Only checked where something else suggests it. New lines that occur elsewhere are not evidence by
themselves: on real history 15 of 10,000 hunks have them before the change, 50 with one line of
context.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import NamedTuple

from git_opatch.locate.already_applied import (
    first_new_line,
    only_deletes,
    postimage_at,
    postimage_positions,
    unique_gap,
)
from git_opatch.locate.anchor import in_scope_of
from git_opatch.locate.candidates import Candidates
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.failure import Failure, HunkResult, Problem, failure_of
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault

_Bounds = tuple[float, float]
"""The positions of the hunks before and after one, between which it is in order."""


_ALONE: _Bounds = (-1, inf)
"""Those of a hunk beside which no other is placed."""


class _Suspicion(NamedTuple):
    """What suggests that a hunk is already applied, and where: `twin` is where its postimage is.

    None if only the order of the hunks suggests it.
    """

    twin: int | None = None
    tier: Tier = Tier.STRICT


def refuse_applied_twins(
    results: Sequence[HunkResult],
    all_candidates: Sequence[Candidates],
    file_index: FileIndex,
    *,
    partly_applied: bool,
) -> list[HunkResult]:
    """Refuse a hunk whose new lines are elsewhere, too, if more suggests that it is applied there.

    That is: its line number or its anchor is for that position; or the file has a part of the
    patch already (`partly_applied`); or its only candidate is out of the order of the hunks and
    that position is not; or its old lines match only loosely, so that both readings are as good
    (D316). Without this, 44 of 7,965 patches that were sent again to a file with a part of them
    changed a twin.
    """
    checked = list(results)
    rows = zip(results, all_candidates, _bounds_of(results), strict=True)
    for index, (result, candidates, bounds) in enumerate(rows):
        if isinstance(result, Placement):
            suspicion = _suspicion(
                result.start, candidates, file_index, bounds, partly_applied=partly_applied
            )
            if suspicion:
                checked[index] = _refuse(result, suspicion, candidates, file_index)
    return checked


def _suspicion(
    position: int,
    candidates: Candidates,
    file_index: FileIndex,
    bounds: _Bounds,
    *,
    partly_applied: bool,
) -> _Suspicion | None:
    """Find what suggests another position than `position`, if anything does."""
    hunk = candidates.hunk_at(position)
    if hunk.stated_start == position and not partly_applied:
        return None
    stated = (hunk.new_start, hunk.stated_start)
    starts = [start for start in stated if start is not None and start != position]
    at_number = postimage_at(hunk, starts, file_index) if starts else None
    if at_number is not None:
        return _Suspicion(at_number)
    anchors = _strong_anchors(candidates)
    in_scope = bool(anchors and in_scope_of([position], anchors, file_index))
    in_order = bounds[0] <= position <= bounds[1]
    tier = candidates.tier
    exact = tier is Tier.STRICT and not candidates.repairs
    if bounds == _ALONE and not in_scope:
        gap = unique_gap(hunk, file_index)
        if gap is not None and not position <= gap < position + len(hunk.preimage):
            return _Suspicion(gap)
    if exact and in_order and not partly_applied and (in_scope or not anchors):
        return None
    twins = [twin for twin in _twins(hunk, candidates, file_index) if twin != position]
    under_anchor = in_scope_of(twins, anchors, file_index)
    if under_anchor and not in_scope:
        return _Suspicion(under_anchor[0], tier)
    if in_scope and not under_anchor:
        return None
    suspicion = _suspicion_of_others(position, twins, bounds, partly_applied=partly_applied)
    if suspicion:
        return suspicion._replace(tier=tier)
    return None if exact or not twins else _Suspicion(twins[0], tier)


def _suspicion_of_others(
    position: int, twins: Sequence[int], bounds: _Bounds, *, partly_applied: bool
) -> _Suspicion | None:
    """Find what the other hunks suggest against `position`, if they do."""
    low, high = bounds
    in_order = low <= position <= high
    if partly_applied and twins:
        return _Suspicion(twins[0])
    if partly_applied and not in_order:
        return _Suspicion()
    between = [twin for twin in twins if low < twin < high]
    if between and not in_order:
        return _Suspicion(between[0])
    return None


def _strong_anchors(candidates: Candidates) -> Sequence[int]:
    strong = any(not anchor.weak for anchor in candidates.hunk.anchors)
    return candidates.anchors.positions if strong and candidates.anchors.full else ()


def _twins(hunk: Hunk, candidates: Candidates, file_index: FileIndex) -> Sequence[int]:
    """List where the hunk's postimage is; for one that only deletes, where what it keeps is."""
    return postimage_positions(hunk, file_index, candidates.tier) or (
        file_index.find(hunk.postimage) if only_deletes(hunk) else ()
    )


def _refuse(
    placement: Placement, suspicion: _Suspicion, candidates: Candidates, file_index: FileIndex
) -> Failure:
    twin, tier = suspicion
    problem = Problem(Fault.OUT_OF_ORDER)
    if twin is not None:
        new = first_new_line(candidates.hunk_at(placement.start), twin, file_index, tier)
        old = _first_old_line(placement)
        problem = Problem.of(Fault.TWIN_APPLIED, at=new + 1, old=old + 1)
    return failure_of(placement.hunk, problem, positions=(placement.start,), shown=placement.found)


def _first_old_line(placement: Placement) -> int:
    """Return the first line that the hunk removes; if it removes none, the first that it shows."""
    prefixes = [line.prefix for line in placement.hunk.preimage]
    removed = prefixes.index(Prefix.REMOVED) if Prefix.REMOVED in prefixes else 0
    return placement.start + removed


def _bounds_of(results: Sequence[HunkResult]) -> Iterator[_Bounds]:
    """Yield, for each hunk, the greatest position before it and the least after it."""
    positions = list(map(_position_of, results))
    forward = (-1 if position is None else position for position in positions)
    backward = (inf if position is None else position for position in reversed(positions))
    lows = list(accumulate(forward, max, initial=-1))
    highs = list(accumulate(backward, min, initial=inf))
    return zip(lows, reversed(highs[:-1]), strict=False)


def _position_of(result: HunkResult) -> int | None:
    """Return where the lines of a hunk that is placed, or already applied, begin."""
    return result.start
