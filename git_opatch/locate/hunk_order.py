"""The order of the hunks: evidence that only all hunks of a file have together (D20).

Each hunk is placed as early, then as late, as its candidates allow with all hunks in order. Where
both agree, no other position is possible, and that one is taken:

    hunk   candidates   earliest   latest
    1      2, 9         2          2          taken: 2
    2      5            5          5
    3      2, 9         9          9          taken: 9

Two hunks begin at the same line only if both state the same number: else they would be one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from git_opatch.locate.candidates import Candidates
from git_opatch.model.placement import Evidence


def narrow_by_order(all_candidates: Sequence[Candidates]) -> None:
    """Take the only position that the order leaves to a hunk with several candidates.

    Decides nothing while uniquely placed hunks, or the stated numbers, are out of order. Skips pure
    additions after an anchor (right for 1 of 15).
    """
    located = [found for found in all_candidates if found.positions and found.searched.preimage]
    if not any(found.open for found in located) or any(found.truncated for found in located):
        return
    decided = [found for found in located if found.decided]
    if not (_in_order(decided) and _are_numbered_up(located)):
        return
    earliest, latest = _earliest(located), _latest(located)
    if earliest is None or latest is None:
        return
    for candidates, first, last in zip(located, earliest, latest, strict=True):
        if first == last:
            candidates.keep_only([first], Evidence.HUNK_ORDER)


def _in_order(decided: Sequence[Candidates]) -> bool:
    return all(_follows(later, earlier) for earlier, later in pairwise(decided))


def _are_numbered_up(located: Sequence[Candidates]) -> bool:
    """Return whether no hunk states a smaller line number than one before it."""
    stated = [found.hunk.stated_start for found in located]
    numbers = [number for number in stated if number is not None]
    return numbers == sorted(numbers)


def _follows(later: Candidates, earlier: Candidates) -> bool:
    """Return whether one hunk comes after another; both have one position."""
    if later.positions == earlier.positions and _cannot_coincide(later, earlier):
        return False
    return earlier.span(earlier.positions[0])[1] <= later.span(later.positions[0])[0]


def _earliest(located: Sequence[Candidates]) -> list[int] | None:
    """Place each hunk as early as the hunks before it allow; None if one has no position left."""
    chosen: list[int] = []
    end, before = 0, located[0]
    for candidates in located:
        positions = candidates.positions
        index = bisect_left(positions, end, key=lambda start: candidates.span(start)[0])
        taken = bool(chosen) and positions[index : index + 1] == chosen[-1:]
        index += taken and _cannot_coincide(candidates, before)
        if index == len(positions):
            return None
        chosen.append(positions[index])
        end, before = candidates.span(positions[index])[1], candidates
    return chosen


def _latest(located: Sequence[Candidates]) -> list[int] | None:
    """Place each hunk as late as the hunks after it allow; None if one has no position left."""
    chosen: list[int] = []
    limit: float = inf
    after = located[-1]
    for candidates in reversed(located):
        positions = candidates.positions
        index = bisect_right(positions, limit, key=lambda start: candidates.span(start)[1]) - 1
        taken = index >= 0 and positions[index : index + 1] == chosen[-1:]
        index -= taken and _cannot_coincide(candidates, after)
        if index < 0:
            return None
        chosen.append(positions[index])
        limit, after = candidates.span(positions[index])[0], candidates
    return chosen[::-1]


def _cannot_coincide(first: Candidates, second: Candidates) -> bool:
    """Return whether two hunks cannot begin at the same line."""
    return first.hunk.stated_start is None or first.hunk.stated_start != second.hunk.stated_start
