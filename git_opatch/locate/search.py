"""One hunk's search: the strictest tier with a place decides; repairs come after all tiers.

The places of a hunk are listed here; which of several is meant is decided in `evidence`
and `order`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from git_opatch.locate.anchor import Anchored, belonging, find_anchors
from git_opatch.locate.applied import standing
from git_opatch.locate.blanks import Fit, fit, shapes
from git_opatch.locate.haystack import Haystack
from git_opatch.locate.repairs import (
    cut_in_front,
    with_fuzz,
    with_single_marks,
    without_overhang,
)
from git_opatch.locate.rivals import is_coherent, rivals, says_something
from git_opatch.locate.seek import MOST_PLACES
from git_opatch.locate.view import View
from git_opatch.options import Matching, Tier
from git_opatch.patch import Hunk, changed_span
from git_opatch.text import visible

UNIQUE = "unique"
_MOST_ALIGNED = 100
"""More places than this are not aligned with a hunk's blank lines; they could not be told apart."""


@dataclass
class Search:
    """What is known of one hunk; `places` are positions of its preimage, in order."""

    hunk: Hunk
    anchored: Anchored
    shape: Hunk
    """The hunk as it was sought: repaired, if it had to be."""
    tier: Tier = Tier.STRICT
    places: list[int] = field(default_factory=list)
    fits: dict[int, Fit] = field(default_factory=dict)
    """Where the shape differs from place to place: those shapes, by place."""
    repairs: tuple[str, ...] = ()
    alone: bool = False
    """Whether the match is so loose that it must be the only one."""
    rivals: frozenset[int] = frozenset()
    """Those of the places where the shape stands with another indentation than it is sought.
    They keep others from being certain, and are never taken themselves."""
    evidence: str = UNIQUE
    refused: str = ""
    """Why a hunk without a preimage has no place at all."""
    applied: int | None = None
    """Where the lines after the change stand, while those before it are nowhere."""

    @property
    def found(self) -> bool:
        """Whether exactly one place is left."""
        return len(self.places) == 1

    @property
    def unique(self) -> bool:
        """Whether the hunk had one place from the beginning, so that nothing had to tell."""
        return self.found and self.evidence == UNIQUE

    @property
    def countless(self) -> bool:
        """Whether there are more places than were listed, so that none can be chosen."""
        return len(self.places) > MOST_PLACES

    @property
    def open(self) -> bool:
        """Whether evidence may choose among several places."""
        return len(self.places) > 1 and not self.countless and not self.alone

    def narrow(self, places: list[int], evidence: str) -> None:
        """Keep `places`, if they are some but not all, and note what decided."""
        if len(places) == 1 and places[0] in self.rivals:
            return
        if self.open and 0 < len(places) < len(self.places):
            self.places = places
            if len(places) == 1:
                self.evidence = evidence

    def hunk_at(self, place: int) -> Hunk:
        """The hunk as the file has it at `place`."""
        return self.fits[place].hunk if place in self.fits else self.shape

    def span(self, place: int) -> tuple[int, int]:
        """From where to where the file changes, if the hunk stands at `place`."""
        return changed_span(self.hunk_at(place), place)


def search(hunk: Hunk, haystack: Haystack, matching: Matching) -> Search:
    """List the places of `hunk` at the strictest tier, and in the fullest shape, that has any."""
    attempt = Search(hunk, find_anchors(hunk.anchors, haystack), hunk)
    for found in _attempts(attempt, haystack, matching):
        if found.places or found.applied is not None:
            return _with_rivals(found, haystack, matching)
    return attempt


def _with_rivals(found: Search, haystack: Haystack, matching: Matching) -> Search:
    strict = found.tier is Tier.STRICT and not found.repairs
    if not strict or matching.tier is Tier.STRICT or found.countless or not found.places:
        return found
    others = rivals(found.shape, found.places, haystack)
    if not others:
        return found
    return replace(found, places=sorted([*found.places, *others]), rivals=frozenset(others))


def _attempts(attempt: Search, haystack: Haystack, matching: Matching) -> Iterator[Search]:
    yield from _strict(attempt, haystack)
    if not attempt.hunk.preimage:
        return
    tiers = matching.tier.upto[1:]
    yield _applied(attempt, haystack, Tier.STRICT)
    for tier in tiers:
        yield _at_tier(attempt, haystack, tier)
        yield _applied(attempt, haystack, tier)
    for tier in tiers:
        yield _cut_in_front(attempt, haystack.view(tier))
    for tier in tiers:
        yield _without_overhang(attempt, haystack, tier)
    for fuzz in range(1, matching.fuzz + 1):
        yield from _with_fuzz(attempt, haystack, tiers, fuzz)
    yield _with_single_marks(attempt, haystack)


def _applied(attempt: Search, haystack: Haystack, tier: Tier) -> Search:
    """Whether the change is there already: not where the hunk's own anchor says otherwise."""
    there = standing(attempt.hunk, haystack, tier)
    anchors = attempt.anchored.positions
    weak = all(anchor.weak for anchor in attempt.hunk.anchors)
    if there is not None and anchors and not weak and not belonging([there], anchors, haystack):
        there = None
    return replace(attempt, tier=tier, applied=there)


def _strict(attempt: Search, haystack: Haystack) -> Iterator[Search]:
    for shape in shapes(attempt.hunk, haystack):
        found = attempt if shape is attempt.hunk else replace(attempt, shape=shape, places=[])
        if shape.preimage:
            found.places = haystack.places(shape.preimage)
            if found.places and shape is not attempt.hunk:
                _add_the_end(found, haystack)
        else:
            _place_addition(found, haystack)
            attempt.refused = found.refused
        yield found


def _add_the_end(found: Search, haystack: Haystack) -> None:
    """Where not all blank lines at a hunk's end stand, the end of the file, which has none, is
    as good a place as one that has some of them."""
    *_, last = shapes(found.hunk, haystack)
    end = len(haystack.lines) - len(last.preimage)
    if not last.preimage or end < 0 or end in found.places:
        return
    if haystack.first_of([end], last.preimage) is not None:
        found.places = [*found.places, end]
        found.fits = {end: Fit(last, end)}


def _at_tier(attempt: Search, haystack: Haystack, tier: Tier) -> Search:
    view = haystack.view(tier)
    found = replace(attempt, tier=view.tier, alone=view.tier is Tier.FUZZY, places=[], fits={})
    found.places = view.rigid(attempt.shape.preimage)
    if not found.places:
        _align(found, view, view.loose(attempt.shape.preimage))
    if found.places and not says_something(attempt.shape):
        found.places = [
            place for place in found.places if is_coherent(found.hunk_at(place), place, haystack)
        ]
    return found


def _align(found: Search, view: View, starts: Sequence[int]) -> None:
    """Take the places where the fewest blank lines don't fit; `starts` counts in `view.solid`."""
    size = sum(bool(view.key(line)) for line in found.shape.preimage)
    fits = [
        one
        for start in starts[: _MOST_ALIGNED + 1]
        if (one := fit(found.shape, view.solid[start : start + size], view))
    ]
    if fits:
        best = min(one.misfits for one in fits)
        found.fits = {one.start: one for one in fits if one.misfits == best}
        found.places = sorted(found.fits)
        found.alone = found.alone or len(starts) > _MOST_ALIGNED


def _cut_in_front(attempt: Search, view: View) -> Search:
    alone = view.tier is Tier.FUZZY
    found = replace(attempt, tier=view.tier, alone=alone, places=[], fits={})
    _align(found, view, cut_in_front(attempt.hunk, view))
    return found


def _without_overhang(attempt: Search, haystack: Haystack, tier: Tier) -> Search:
    view = haystack.view(tier)
    shape = without_overhang(attempt.hunk, view, haystack.lines)
    found = replace(attempt, tier=view.tier, alone=True, places=[], fits={})
    if shape is not None:
        found.shape = shape
        size = sum(bool(view.key(line)) for line in shape.preimage)
        _align(found, view, [len(view.solid) - size])
        count = len(attempt.hunk.lines) - len(shape.lines)
        what = "a context line lies" if count == 1 else f"{count} context lines lie"
        found.repairs = (f"{what} past the end of the file",)
    return found


def _with_fuzz(
    attempt: Search, haystack: Haystack, tiers: Sequence[Tier], fuzz: int
) -> Iterator[Search]:
    cut = with_fuzz(attempt.hunk, fuzz)
    if cut is None:
        return
    ignored = len(attempt.hunk.lines) - len(cut.lines)
    repairs = (f"{ignored} outer context line{'s' * (ignored > 1)} ignored (fuzz {fuzz})",)
    attempt = replace(attempt, shape=cut, repairs=repairs, alone=True)
    yield replace(attempt, places=haystack.places(cut.preimage))
    for tier in tiers:
        yield replace(_at_tier(attempt, haystack, tier), alone=True)


def _with_single_marks(attempt: Search, haystack: Haystack) -> Search:
    """The other reading of doubled marks, if it stands once, and the literal one nowhere at all."""
    found, shape = replace(attempt, places=[]), with_single_marks(attempt.hunk)
    loose = (haystack.view(tier).loose(attempt.hunk.preimage) for tier in tuple(Tier)[1:])
    if shape is None or any(loose):
        return found
    places = haystack.places(shape.preimage)
    if not places:
        return _applied(replace(found, hunk=shape), haystack, Tier.STRICT)
    if len(places) == 1:
        found.places, found.shape = places, shape
        found.repairs = ("its marks were doubled: `--` was read as `-` and `++` as `+`",)
    return found


def _place_addition(attempt: Search, haystack: Haystack) -> None:
    """Where a hunk of added lines alone goes.

    Rule: OpenCode's line matching, "Handle pure additions", and its format, "Context
    Seeking": after the anchor; without one, or with `*** End of File`, at the end.
    """
    hunk, end = attempt.hunk, len(haystack.lines)
    strong = [anchor for anchor in hunk.anchors if not anchor.weak]
    if end == 0 or hunk.at_end_of_file:
        attempt.places, attempt.evidence = [end], "end of file"
    elif hunk.start is not None and not strong:
        attempt.refused = "has only added lines and numbers, and numbers are not trusted"
    elif hunk.anchors and not strong:
        attempt.refused = "has only added lines, and a heading alone does not say where they go"
    elif not strong and not hunk.is_last:
        attempt.refused = "has only added lines, which go to the end of the file, but is not last"
    elif not strong:
        attempt.places, attempt.evidence = [end], "end of file"
    elif attempt.anchored.missing or not attempt.anchored.full:
        anchor = visible(strong[-1].text.strip())
        attempt.refused = f"has only added lines, and its anchor `{anchor}` is no line of the file"
    else:
        attempt.places = [at + 1 for at in attempt.anchored.positions]
        attempt.evidence = "after its anchor"
