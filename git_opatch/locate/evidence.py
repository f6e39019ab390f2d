"""Which of several places? One function for each kind of evidence that a hunk carries.

Each is a question that keeps the places for which the answer is yes; none is a score. A
kind that speaks for no place says nothing. They are asked in the order of `OF_ONE_HUNK`;
the order of the hunks (`order`) comes next, the stated number (`stated_number`) last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from git_opatch.locate.anchor import belonging, occurrences
from git_opatch.locate.haystack import Haystack
from git_opatch.locate.search import Search
from git_opatch.text import visible


def at_end_of_file(search: Search, haystack: Haystack) -> list[int]:
    """Places whose preimage ends where the file ends, for a hunk that says it does."""
    if not search.hunk.at_end_of_file:
        return []
    last = len(haystack.lines) - len(search.shape.preimage)
    return [place for place in search.places if place == last]


def anchor(search: Search, haystack: Haystack) -> list[int]:
    """Places that belong to the hunk's anchors. A weak one does not outdo a number."""
    if len(search.places) < 2 or not search.anchored.positions or not search.shape.preimage:
        return []
    places = belonging(search.places, search.anchored.positions, haystack)
    weak = all(anchor.weak for anchor in search.hunk.anchors)
    if weak and search.hunk.start in search.places and search.hunk.start not in places:
        return []
    return places


def stated_number(search: Search) -> list[int]:
    """The place that is exactly where the header says; never the nearest to it."""
    start = search.hunk.start
    if start is None:
        return []
    at = bisect_left(search.places, start)
    return search.places[at : at + 1] if search.places[at : at + 1] == [start] else []


OF_ONE_HUNK: tuple[tuple[str, Callable[[Search, Haystack], list[int]]], ...] = (
    ("end of file", at_end_of_file),
    ("anchor", anchor),
)
"""What a hunk says by itself, strongest first."""


def contradiction(search: Search, place: int, haystack: Haystack) -> str | None:
    """What the hunk says against the only place that is left for it, or None.

    Rules: "Anchor" in the project's decisions; git apply, which also refuses a hunk that
    claims the end of the file and stands elsewhere.
    """
    stop = place + len(search.shape.preimage)
    if search.hunk.at_end_of_file and stop != len(haystack.lines):
        return (
            f"says that it ends where the file ends, but its only place ends at line {stop} of "
            f"{len(haystack.lines)}"
        )
    for one in search.hunk.anchors:
        positions, full = occurrences(one, haystack)
        if full and not one.weak and positions[0] >= max(stop, place + 1):
            return (
                f"has its anchor `{visible(one.text.strip())}` at line {positions[0] + 1}, after "
                f"the only place of its lines, line {place + 1}"
            )
    return None
