"""The order of the hunks: evidence that only the whole file has.

Each hunk is placed as early, then as late, as its candidates allow with all hunks in
order; where both agree, no other place is possible, and that one is taken. Rule: "Order of
hunks" in the project's decisions. No two hunks begin at the same line: they would be one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from git_opatch.locate.search import Search
from git_opatch.patch import context_around


def narrow_by_order(searches: Sequence[Search], size: int) -> None:
    """Take the only place that the order leaves to each hunk that has several.

    Says nothing while the hunks that have one place are themselves out of order, and
    nothing of hunks that only add lines after an anchor (right for 1 of 15), nor of those that
    show nothing after their change and could end the file, of `size` lines: diffs show it so.
    """
    placed = [search for search in searches if search.places and search.shape.preimage]
    if not any(search.open for search in placed) or any(search.countless for search in placed):
        return
    if not _in_order([search for search in placed if search.found]):
        return
    earliest, latest = _earliest(placed), _latest(placed)
    if earliest is None or latest is None:
        return
    for search, first, last in zip(placed, earliest, latest, strict=True):
        if first == last and not _may_end_file(search, size):
            search.narrow([first], "order of the hunks")


_CONTEXT = 2
"""A hunk that shows so many lines before its change would show one after it, too."""


def _may_end_file(search: Search, size: int) -> bool:
    last = search.places[-1]
    shown = search.hunk_at(last)
    before, after = context_around(shown.lines)
    ends = last + len(shown.preimage) == size
    return ends and len(search.places) > 1 and before >= _CONTEXT and not after


def _in_order(placed: Sequence[Search]) -> bool:
    return all(_follows(two, one) for one, two in pairwise(placed))


def _follows(one: Search, before: Search) -> bool:
    """Whether a hunk stands after another one; each has one place."""
    if one.places == before.places and _apart(one, before):
        return False
    return before.span(before.places[0])[1] <= one.span(one.places[0])[0]


def _earliest(placed: Sequence[Search]) -> list[int] | None:
    chosen: list[int] = []
    free, before = 0, placed[0]
    for search in placed:
        at = bisect_left(search.places, free, key=lambda place: search.span(place)[0])
        at += bool(chosen) and search.places[at : at + 1] == chosen[-1:] and _apart(search, before)
        if at == len(search.places):
            return None
        chosen.append(search.places[at])
        free, before = search.span(search.places[at])[1], search
    return chosen


def _latest(placed: Sequence[Search]) -> list[int] | None:
    chosen: list[int] = []
    taken: float = inf
    after = placed[-1]
    for search in reversed(placed):
        at = bisect_right(search.places, taken, key=lambda place: search.span(place)[1]) - 1
        at -= at >= 0 and search.places[at : at + 1] == chosen[-1:] and _apart(search, after)
        if at < 0:
            return None
        chosen.append(search.places[at])
        taken, after = search.span(search.places[at])[0], search
    return chosen[::-1]


def _apart(one: Search, two: Search) -> bool:
    """Whether two hunks cannot begin at the same line."""
    return one.hunk.start is None or one.hunk.start != two.hunk.start
