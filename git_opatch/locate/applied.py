"""Is the change there already? Asked at every tier, the strict one too.

Rule: "The change is there already" in the project's decisions. At least one added line that
is not blank must say so, or a blank one at the hunk's end or the file's beginning; a pure
deletion leaves nothing to see.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

from git_opatch.locate.haystack import Haystack
from git_opatch.options import Tier
from git_opatch.patch import Hunk, Line, Mark, context_around


def standing(hunk: Hunk, haystack: Haystack, tier: Tier) -> int | None:
    """The only place where the lines after the change stand, as `tier` compares them."""
    places = stand(hunk, haystack, tier)
    return places[0] if len(places) == 1 else None


def stand(hunk: Hunk, haystack: Haystack, tier: Tier) -> Sequence[int]:
    """All places where the lines after the change stand, as `tier` compares them."""
    if not _tells(hunk, haystack, tier):
        return ()
    if tier is Tier.STRICT:
        return haystack.places(_without_last_blanks(hunk.postimage))
    view = haystack.view(tier)
    return [view.solid[start] for start in view.loose(hunk.postimage)]


def where_already(
    hunk: Hunk, place: int, haystack: Haystack, tier: Tier
) -> tuple[int, Tier] | None:
    """Where the lines after the change stand over `place`, if it was applied before, and how.

    `hunk` is as the file has it at `place`, found at `tier`. At that tier the new lines must
    be more than the old ones: else they may be those very lines, and say nothing.
    """
    for one in tier.upto:
        if one is tier and len(hunk.postimage) <= len(hunk.preimage):
            continue
        there = _over(hunk, place, haystack, one)
        if there is not None and (_tells(hunk, haystack, one) or _begins(hunk, there, one)):
            return there, one
    return None


def stands_at(hunk: Hunk, starts: Sequence[int], haystack: Haystack) -> int | None:
    """The first of `starts` where the lines after the change stand, strictly."""
    found = haystack.first_of(starts, hunk.postimage) if hunk.postimage else None
    tells = found is not None and (deletes(hunk) or _tells(hunk, haystack, Tier.STRICT))
    return found if tells else None


def deletes(hunk: Hunk) -> bool:
    """Whether it does nothing else, and keeps lines that say where: two that are not blank."""
    kept = hunk.postimage
    adds = any(line.mark is Mark.ADDED for line in kept)
    return not adds and sum(bool(line.text.strip()) for line in kept) > 1


def where_in_part(hunk: Hunk, place: int, haystack: Haystack) -> int | None:
    """Where lines that the hunk adds stand already: right above or below where they would go.

    They say so as far as the hunk does not show them itself. On real history nothing of 38,459
    hunks stood so that was not applied.
    """
    at, stop = place, place + len(hunk.preimage)
    if len(hunk.lines) - len(hunk.preimage) <= min(context_around(hunk.lines)):
        return None
    for is_added, run in groupby(hunk.lines, key=lambda line: line.mark is Mark.ADDED):
        lines = list(run)
        if not is_added:
            at += len(lines)
            continue
        starts = [at - len(lines)] if at - len(lines) < place else []
        starts += [at] if at + len(lines) > stop else []
        if starts and any(line.text.strip() for line in lines):
            found = haystack.first_of(starts, lines)
            if found is not None:
                return found
    return None


def _over(hunk: Hunk, place: int, haystack: Haystack, tier: Tier) -> int | None:
    after, size = hunk.postimage, len(hunk.preimage)
    begins, ends = hunk.lines[0].mark, hunk.lines[-1].mark
    first = _leading(hunk.lines) if size and begins is Mark.ADDED else 0
    shows_end = ends is Mark.CONTEXT or begins is not Mark.CONTEXT
    if tier is Tier.STRICT:
        starts = [place, place - first] if first else [place]
        if shows_end:
            starts.append(place + size - len(after))
        return haystack.first_of(starts, after) if after else None
    view = haystack.view(tier)
    keys = [key for line in after if (key := view.key(line))]
    if not keys:
        return None
    solid = bisect_left(view.solid, place)
    solids = [solid, solid - sum(bool(view.key(line)) for line in hunk.lines[:first])]
    if shows_end:
        solids.append(bisect_left(view.solid, place + size) - len(keys))
    return next(
        (
            view.solid[at]
            for at in solids
            if at >= 0 and view.solid_keys[at : at + len(keys)] == keys
        ),
        None,
    )


def _leading(lines: Sequence[Line]) -> int:
    """How many added lines stand before all others."""
    return next(at for at, line in enumerate(lines) if line.mark is not Mark.ADDED)


def _tells(hunk: Hunk, haystack: Haystack, tier: Tier) -> bool:
    """Whether the hunk adds a line that is not blank and that it does not also remove.

    Blank lines alone tell only at the hunk's end, where no line after them was left out.
    """
    normal = haystack.normal if tier is Tier.STRICT else haystack.view(tier).normal
    removed = {normal(line.text) for line in hunk.lines if line.mark is Mark.REMOVED}
    added = [line for line in hunk.lines if line.mark is Mark.ADDED]
    if any(line.text.strip() and normal(line.text) not in removed for line in added):
        return True
    return tier is Tier.STRICT and hunk.lines[-1].mark is Mark.ADDED and _adds_alone(hunk)


def _begins(hunk: Hunk, there: int, tier: Tier) -> bool:
    """Whether the first of its lines, which it adds, begins the file: it may be blank."""
    begins = there == 0 and hunk.lines[0].mark is Mark.ADDED
    return tier is Tier.STRICT and begins and _adds_alone(hunk)


def _adds_alone(hunk: Hunk) -> bool:
    """Whether a hunk that adds lines has context, and removes none."""
    kept = hunk.preimage
    return bool(kept) and all(line.mark is Mark.CONTEXT for line in kept)


def _without_last_blanks(lines: Sequence[Line]) -> Sequence[Line]:
    end = len(lines)
    while end and lines[end - 1].mark is Mark.CONTEXT and not lines[end - 1].text.strip():
        end -= 1
    return lines[:end]
