"""Evidence removes readings: the file's end, anchors, the order of the hunks, their line numbers.

It must not invent a reading, nor choose one of a class that must be alone.

Strongest first. A number decides where the file's numbers are credible, and never by being near.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from git_opatch.locate.anchors import scoped
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.reading import EQUAL
from git_opatch.locate.sought import Sought
from git_opatch.model.limits import MANY
from git_opatch.model.options import Ambiguous, Matching
from git_opatch.model.placement import Evidence

_NEAR, _MOST_NEAR = 20, 5
"""A number that nothing confirms does not choose among more positions so near to it."""
_FARTHEST = 100
"""`--ambiguous nearest` takes no loose match that is farther away (FILE_PATCH)."""


def narrow(all_sought: Sequence[Sought], file: FileIndex, matching: Matching) -> None:
    """Remove the readings that the evidence is against."""
    for sought in all_sought:
        _by_own_claims(sought, file)
    if matching.ordered:
        _by_order(all_sought)
    if not matching.partly_applied:
        _by_number(all_sought, file)
    if matching.ambiguous is Ambiguous.NEAREST:
        _choose_nearest(all_sought)


def _by_own_claims(sought: Sought, file: FileIndex) -> None:
    """Keep what ends where the file does, if the hunk says so, and what is under its anchors."""
    hunk = sought.hunk
    if hunk.at_end_of_file:
        end = len(file.lines)
        at_end = [at for at in sought.starts if sought.stop(at) == end]
        sought.keep(at_end, Evidence.END_OF_FILE)
    if sought.is_open and hunk.anchors and hunk.preimage:
        kept = scoped(sought.starts, hunk.anchors, file)
        is_weak = all(anchor.weak for anchor in hunk.anchors)
        is_numbered = hunk.stated_start in sought.starts and hunk.stated_start not in kept
        if not (is_weak and is_numbered):
            sought.keep(kept, Evidence.ANCHOR)


def _by_order(all_sought: Sequence[Sought]) -> None:
    """Take the only position that the order of the hunks leaves: as early as the others allow, and
    as late."""
    found = [sought for sought in all_sought if sought.starts and sought.hunk.preimage]
    if not any(sought.is_open for sought in found) or not _is_in_order(found):
        return
    early, late = _as_early(found), _as_late(found)
    if early is None or late is None:
        return
    for sought, first, last in zip(found, early, late, strict=True):
        if first == last:
            sought.keep([first], Evidence.HUNK_ORDER)


def _is_in_order(found: Sequence[Sought]) -> bool:
    """Return whether the hunks that have one position are in order, and the numbers are."""
    decided = [(sought.only, sought) for sought in found if sought.only is not None]
    for (a, first), (b, second) in pairwise(decided):
        if first.span(a)[1] > second.span(b)[0] or a == b:
            return False
    stated = [s.hunk.stated_start for s in found if s.hunk.stated_start is not None]
    return stated == sorted(stated)


def _as_early(found: Sequence[Sought]) -> list[int] | None:
    """Choose the first position of each hunk that is after the one before; None if none."""
    chosen: list[int] = []
    limit = -1
    for sought in found:
        starts = sought.starts
        at = bisect_left(starts, limit, key=lambda start: sought.span(start)[0])
        if starts[at : at + 1] == chosen[-1:]:
            at += 1
        if at >= len(starts):
            return None
        chosen.append(starts[at])
        limit = sought.span(starts[at])[1]
    return chosen


def _as_late(found: Sequence[Sought]) -> list[int] | None:
    """Choose the last position of each hunk that is before the one after; None if there is none."""
    chosen: list[int] = []
    limit: float = inf
    for sought in reversed(found):
        starts = sought.starts
        at = bisect_right(starts, limit, key=lambda start: sought.span(start)[1]) - 1
        if at >= 0 and [starts[at]] == chosen[-1:]:
            at -= 1
        if at < 0:
            return None
        chosen.append(starts[at])
        limit = sought.span(starts[at])[0]
    return chosen[::-1]


def _by_number(all_sought: Sequence[Sought], file: FileIndex) -> None:
    """Take the stated line where the file's numbers are credible, and no heading is against it;
    among many candidates near it only if a heading or another hunk confirms it."""
    if not any(sought.is_open for sought in all_sought):
        return
    confirmed = _confirmed(all_sought)
    for sought in all_sought if confirmed is not None else ():
        stated = sought.hunk.stated_start
        if stated is None or stated not in sought.starts or not sought.is_open:
            continue
        near = sum(abs(start - stated) <= _NEAR for start in sought.starts)
        under = scoped(sought.starts, sought.hunk.anchors, file)
        if stated in under or (not under and (near <= _MOST_NEAR or confirmed)):
            sought.keep([stated], Evidence.STATED_LINE)


def _confirmed(all_sought: Sequence[Sought]) -> bool | None:
    """Return whether a hunk with one position is where its number says; None if one is not, or if
    the numbers in the new file do not follow from those in the old one."""
    grown, confirmed = 0, False
    for sought in all_sought:
        hunk = sought.hunk
        stated = hunk.stated_start
        if stated is not None and hunk.preimage:
            follows = hunk.new_start in (None, stated + grown) or not hunk.postimage
            if not follows or sought.only not in (None, stated):
                return None
            is_there = sought.only == stated and sought.evidence is Evidence.UNIQUE
            confirmed = confirmed or is_there
        grown += len(hunk.postimage) - len(hunk.preimage)
    return confirmed


def _choose_nearest(all_sought: Sequence[Sought]) -> None:
    """Of several positions, take the nearest to where the hunk says, or to the end of the one
    before (FILE_PATCH): a later one of two that are as near."""
    expected = 0
    for sought in all_sought:
        starts = sought.readings.starts
        if 1 < len(sought.starts) <= MANY:
            stated = sought.hunk.stated_start
            aim = expected if stated is None else stated
            if sought.readings.level > EQUAL:
                starts = [at for at in starts if abs(at - aim) <= _FARTHEST]
            if starts:
                best = min(starts, key=lambda at: (abs(at - aim), at < aim))
                sought.count = len(sought.starts)
                sought.readings = sought.readings.among({best})
                sought.others, sought.disagrees = (), False
                sought.evidence = Evidence.NEAREST
        if sought.only is not None:
            expected = sought.stop(sought.only)
