"""Anchors: which places belong to the lines that `@@` names?

Rule: "Anchor" in the project's decisions. An anchor is found as a whole line, else
trimmed, else as part of a line. A place belongs to it when it stands at or after it with
no heading between, or in the block that is indented below it: one such place decides.
To ask for the block only where nothing stands nearer was wrong in 7 of 195 decisions on
real history: what stands near may be the first member of a class, and meant is the third.
Several anchors narrow one after another. Being merely the first after one decides nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.locate.haystack import Haystack
from git_opatch.locate.heading import Heading, depth, heading, word_of
from git_opatch.patch import Anchor
from git_opatch.text import indentation

_MOST_BLOCKS = 100
"""An anchor that stands more often than this names no block worth looking at."""


class Anchored(NamedTuple):
    """Where a hunk's anchors stand: the lines of the last one, in order.

    `full` is whether it was found as a whole line. `missing` holds the anchors that are
    nowhere, which then play no part.
    """

    positions: tuple[int, ...] = ()
    full: bool = False
    missing: tuple[Anchor, ...] = ()


_NOWHERE = Anchored()


def find_anchors(anchors: Sequence[Anchor], haystack: Haystack) -> Anchored:
    """Where the last of `anchors` stands, narrowed by those before it.

    Anchors of which one does not belong to the one before lead nowhere.
    """
    if not anchors:
        return _NOWHERE
    found, missing = _NOWHERE, []
    for anchor in anchors:
        positions, full = occurrences(anchor, haystack)
        if not positions:
            missing.append(anchor)
            continue
        if found.positions:
            below = [at for at in positions if at > found.positions[0]]
            positions = belonging(below, found.positions, haystack)
            if not positions:
                return Anchored(missing=tuple(missing))
        found = Anchored(tuple(positions), full)
    return Anchored(found.positions, found.full, tuple(missing))


def occurrences(anchor: Anchor, haystack: Haystack) -> tuple[Sequence[int], bool]:
    """Where an anchor's text stands, and whether it is a whole line there."""
    whole = haystack.positions(anchor.text)
    if whole:
        return whole, True
    text = anchor.text.strip()
    trimmed = haystack.trimmed.get(text, []) if text else []
    if trimmed:
        return trimmed, True
    return haystack.containing(text) if text else [], False


def belonging(places: Sequence[int], anchors: Sequence[int], haystack: Haystack) -> list[int]:
    """The places that belong to one of `anchors`, or stand in its block."""
    blocks = _blocks(anchors, haystack) if len(anchors) <= _MOST_BLOCKS else []
    return [
        place for place in places if _is_near(place, anchors, haystack) or _is_inside(place, blocks)
    ]


def _is_near(place: int, anchors: Sequence[int], haystack: Haystack) -> bool:
    """Whether `place` is at or after an anchor, with no heading of its kind between the two."""
    nearest = bisect_right(anchors, place) - 1
    kind = heading(haystack.lines[anchors[nearest]]) if nearest >= 0 else None
    if kind is None:
        return False
    headings = haystack.headings[kind]
    between = bisect_left(headings, anchors[nearest] + 1)
    return between == len(headings) or headings[between] >= place


def heading_between(place: int, anchors: Sequence[int], haystack: Haystack) -> int | None:
    """The last heading that ends the block of the anchor at or before `place`; None if it is open.

    Only a heading of just the anchor's kind ends it, with the same keyword and no deeper: on
    real history none stood between a hunk and what git names as its heading (10,016 hunks).
    A definition of one line has no block that a place could be outside of.
    """
    nearest = bisect_right(anchors, place) - 1
    end = haystack.block_end(anchors[nearest]) if nearest >= 0 else place + 1
    if place < end or end == len(haystack.lines):
        return None
    anchor, after = haystack.lines[anchors[nearest]], haystack.lines[end]
    if _is_label(anchor):
        return end if _is_label(after) and indentation(after) == indentation(anchor) else None
    kind = heading(anchor)
    if kind is None or (kind is Heading.DEFINITION and not _encloses(anchors[nearest], haystack)):
        return None
    headings = haystack.headings[kind]
    first, last = bisect_right(headings, anchors[nearest]), bisect_left(headings, place)
    for at in reversed(range(first, last)):
        line = haystack.lines[headings[at]]
        if depth(line, kind) <= depth(anchor, kind) and word_of(line) == word_of(anchor):
            return headings[at]
    return None


def _encloses(definition: int, haystack: Haystack) -> bool:
    """Whether it has a keyword, and lines of its own below it, or their brace."""
    lines, end = haystack.lines, haystack.block_end(definition)
    below = any(line.strip() for line in lines[definition + 1 : end])
    return bool(word_of(lines[definition])) and (below or lines[end].strip() == b"{")


def _is_label(line: bytes) -> bool:
    return heading(line.strip()) is Heading.LABEL


def _blocks(anchors: Sequence[int], haystack: Haystack) -> list[tuple[int, int]]:
    """The blocks below the anchors, in order, those inside another left out."""
    found: list[tuple[int, int]] = []
    for anchor in anchors:
        if not found or anchor >= found[-1][1]:
            found.append((anchor, haystack.block_end(anchor)))
    return found


def _is_inside(place: int, blocks: Sequence[tuple[int, int]]) -> bool:
    at = bisect_left(blocks, (place, 0)) - 1
    return at >= 0 and place < blocks[at][1]
