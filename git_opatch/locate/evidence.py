"""Which of several places? One function for each kind of evidence that a hunk carries.

Each is a question that keeps the places for which the answer is yes; none is a score. A
kind that speaks for no place says nothing. They are asked in the order of `OF_ONE_HUNK`;
the order of the hunks (`order`) comes next, the stated number (`stated_number`) last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from git_opatch.locate.anchor import belonging, heading_between, occurrences
from git_opatch.locate.applied import where_in_part
from git_opatch.locate.haystack import Haystack
from git_opatch.locate.rivals import is_reindented
from git_opatch.locate.search import Search
from git_opatch.options import Tier
from git_opatch.patch import Hunk, Line, Mark
from git_opatch.text import visible

_MOST_COMPARED = 1000
_NEAR = 20
_MOST_NEAR = 5


def at_end_of_file(search: Search, haystack: Haystack) -> list[int]:
    """Places whose preimage ends where the file ends, for a hunk that says it does."""
    if not search.hunk.at_end_of_file:
        return []
    end = len(haystack.lines)
    return [place for place in search.places if place + len(search.hunk_at(place).preimage) == end]


def exact_lines(search: Search, haystack: Haystack) -> list[int]:
    """The one place where most lines match exactly, blank ones counted.

    It says nothing where another place has all lines, only indented otherwise by one rule: a
    hunk that lost its indentation matches some line exactly where it does not belong (the true
    place was another one for 49 of 208 spoiled hunks; with this condition for 0 of 127).
    """
    if search.tier is Tier.STRICT or not 1 < len(search.places) <= _MOST_COMPARED:
        return []
    exact = {place: count_exact(search.hunk_at(place), place, haystack) for place in search.places}
    best = max(exact, key=exact.__getitem__)
    others = [place for place in search.places if place != best]
    tied = any(exact[place] == exact[best] for place in others)
    if tied or any(is_reindented(search.hunk_at(place), place, haystack) for place in others):
        return []
    return [best]


def count_exact(hunk: Hunk, place: int, haystack: Haystack) -> int:
    """How many lines of a hunk stand at `place` just as they are written."""
    return sum(
        haystack.normal(line.text) == haystack.lines[place + at]
        for at, line in enumerate(hunk.preimage)
    )


def is_exact(line: Line, found: bytes, haystack: Haystack) -> bool:
    """Whether a line stands in the file as it is written, its mark taken for a blank or not.

    Rule: "Context lines without their leading marker" in the project's decisions.
    """
    text = haystack.normal(line.text)
    return text == found or (line.mark is Mark.CONTEXT and b" " + text == found)


def anchor(search: Search, haystack: Haystack) -> list[int]:
    """Places that belong to the hunk's anchors. A weak one does not outdo a number."""
    places = _under_anchor(search, haystack)
    return [] if _outdone(search, places) else places


def _under_anchor(search: Search, haystack: Haystack) -> list[int]:
    if len(search.places) < 2 or not search.anchored.positions or not search.shape.preimage:
        return []
    return belonging(search.places, search.anchored.positions, haystack)


def _outdone(search: Search, places: Sequence[int]) -> bool:
    """Whether a stated number speaks for one of the places, and a weak anchor for others."""
    weak = all(anchor.weak for anchor in search.hunk.anchors)
    return weak and search.hunk.start in search.places and search.hunk.start not in places


def are_credible(searches: Sequence[Search]) -> bool:
    """Whether the numbers of a file's hunks look counted, not invented.

    Those in the new file must follow from those in the old one and the lines in between, and
    each hunk that has one place must be where its number says.
    """
    grown = 0
    for search in searches:
        hunk = search.hunk
        if hunk.start is not None and hunk.preimage:
            counted = hunk.new_start in (None, hunk.start + grown) or not hunk.postimage
            if not counted or (search.found and search.places[0] != hunk.start):
                return False
        grown += len(hunk.postimage) - len(hunk.preimage)
    return True


def are_confirmed(searches: Sequence[Search]) -> bool:
    """Whether some hunk of the file that has one place stands where its number says."""
    return any(one.unique and one.places[0] == one.hunk.start for one in searches)


def stated_number(search: Search, haystack: Haystack, *, confirmed: bool) -> list[int]:
    """The place that is exactly where the header says; never the nearest to it.

    A heading that speaks for other places leaves it open: with right numbers it did so for 3
    of 690 hunks that stood at several places. So do many places near by, where neither a heading
    nor another hunk has `confirmed` the numbers: models state them right for 86 of 100 hunks
    that are alone, and for 9 they are off by 20 lines and less, which may be such a place.
    """
    start, under = search.hunk.start, _under_anchor(search, haystack)
    if start is None or (under and _outdone(search, under)):
        return []
    at = bisect_left(search.places, start)
    if search.places[at : at + 1] != [start]:
        return []
    first, stop = (bisect_left(search.places, start + by) for by in (-_NEAR, _NEAR + 1))
    return [] if stop - first > _MOST_NEAR and not (confirmed or under) else [start]


OF_ONE_HUNK: tuple[tuple[str, Callable[[Search, Haystack], list[int]]], ...] = (
    ("end of file", at_end_of_file),
    ("lines that match exactly", exact_lines),
    ("anchor", anchor),
)
"""What a hunk says by itself, strongest first."""


def contradiction(search: Search, place: int, haystack: Haystack) -> str | None:
    """What the hunk says against the only place that is left for it, or None.

    Rules: "Anchor" in the project's decisions; git apply, which also refuses a hunk that
    claims the end of the file and stands elsewhere. What is added twice says so, too.
    """
    stop = place + len(search.hunk_at(place).preimage)
    if search.hunk.at_end_of_file and stop != len(haystack.lines):
        return (
            f"says that it ends where the file ends, but its only place ends at line {stop} of "
            f"{len(haystack.lines)}"
        )
    in_part = where_in_part(search.hunk_at(place), place, haystack)
    if in_part is not None:
        return (
            "may be applied in part: lines that it adds stand right beside their place already, "
            f"at line {in_part + 1}"
        )
    for one in search.hunk.anchors:
        positions, full = occurrences(one, haystack)
        if not full or one.weak:
            continue
        where = f"has its anchor `{visible(one.text.strip())}` at line {positions[0] + 1}"
        if positions[0] >= max(stop, place + 1):
            return f"{where}, after the only place of its lines, line {place + 1}"
        other = heading_between(place, positions, haystack)
        if other is not None and search.unique:
            under = visible(haystack.lines[other].strip())
            return f"{where}, but its only place, line {place + 1}, is under `{under}`"
    return None
