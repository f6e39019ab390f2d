"""Anchors: which candidates are in the scope of the line that `@@` names (D18)?

An anchor is found as a whole line, else trimmed, else as part of a line. A position is in its
scope if it is at or after it with no heading of its kind between, or in the block that is indented
below it:

    class Reader:           the anchor
        size = 1            in scope: nothing is between
        def close(self):
            self.open = 0   in scope: in the block
    class Writer:
        size = 1            not in scope: `class Writer:` is between

To ask for the block only where nothing is nearer was wrong in 7 of 195 decisions on real history:
what is near may be the first member of a class where the third is meant. Several anchors narrow
one after another. Being merely the first position after an anchor decides nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import Heading, depth, heading, keyword_of
from git_opatch.model.patch import Anchor
from git_opatch.model.text import indentation

_MAX_BLOCKS = 100
"""The blocks below an anchor that occurs more often than this are not looked at."""


class AnchorMatch(NamedTuple):
    """Where a hunk's last anchor occurs, in order.

    `full` is whether it was found as a whole line. `missing` holds the anchors that are nowhere;
    they decide nothing.
    """

    positions: tuple[int, ...] = ()
    full: bool = False
    missing: tuple[Anchor, ...] = ()


_NOWHERE = AnchorMatch()


def find_anchors(anchors: Sequence[Anchor], file_index: FileIndex) -> AnchorMatch:
    """Find the last of `anchors`, narrowed by those before it.

    If one of them is not in the scope of the one before, none is found.
    """
    if not anchors:
        return _NOWHERE
    found, missing = _NOWHERE, []
    for anchor in anchors:
        positions, full = occurrences(anchor, file_index)
        if not positions:
            missing.append(anchor)
            continue
        if found.positions:
            below = [position for position in positions if position > found.positions[0]]
            positions = in_scope_of(below, found.positions, file_index)
            if not positions:
                return AnchorMatch(missing=tuple(missing))
        found = AnchorMatch(tuple(positions), full)
    return AnchorMatch(found.positions, found.full, tuple(missing))


def occurrences(anchor: Anchor, file_index: FileIndex) -> tuple[Sequence[int], bool]:
    """List where an anchor's text occurs, and tell whether as a whole line."""
    whole = file_index.positions(anchor.text)
    if whole:
        return whole, True
    text = anchor.text.strip()
    trimmed = file_index.trimmed.get(text, []) if text else []
    if trimmed:
        return trimmed, True
    return file_index.containing(text) if text else [], False


def in_scope_of(
    positions: Sequence[int], anchors: Sequence[int], file_index: FileIndex
) -> list[int]:
    """Keep the positions that are in the scope of one of the anchors at `anchors`."""
    blocks = _blocks(anchors, file_index) if len(anchors) <= _MAX_BLOCKS else []
    return [
        position
        for position in positions
        if _directly_follows(position, anchors, file_index) or _is_inside(position, blocks)
    ]


def _directly_follows(position: int, anchors: Sequence[int], file_index: FileIndex) -> bool:
    """Tell whether `position` is at or after an anchor, with no heading of its kind between."""
    index = bisect_right(anchors, position) - 1
    kind = heading(file_index.lines[anchors[index]]) if index >= 0 else None
    if kind is None:
        return False
    headings = file_index.headings[kind]
    following = bisect_left(headings, anchors[index] + 1)
    return following == len(headings) or headings[following] >= position


def heading_between(position: int, anchors: Sequence[int], file_index: FileIndex) -> int | None:
    """Return the last heading that closes the block of the anchor before `position`, or None.

    Only a heading of just the anchor's kind closes it, with the same keyword and not deeper: on
    real history none was between a hunk and what git names as its heading (10,016 hunks). A
    definition of one line has no block that a position could be outside of.
    """
    index = bisect_right(anchors, position) - 1
    end = file_index.block_end(anchors[index]) if index >= 0 else position + 1
    if position < end or end == len(file_index.lines):
        return None
    anchor, after = file_index.lines[anchors[index]], file_index.lines[end]
    if _is_label(anchor):
        return end if _is_label(after) and indentation(after) == indentation(anchor) else None
    kind = heading(anchor)
    if kind is None or (kind is Heading.DEFINITION and not _has_block(anchors[index], file_index)):
        return None
    headings = file_index.headings[kind]
    first, last = bisect_right(headings, anchors[index]), bisect_left(headings, position)
    for candidate in reversed(headings[first:last]):
        line = file_index.lines[candidate]
        if depth(line, kind) <= depth(anchor, kind) and keyword_of(line) == keyword_of(anchor):
            return candidate
    return None


def _has_block(definition: int, file_index: FileIndex) -> bool:
    """Tell whether the definition has a keyword, and lines of its own below it, or their brace."""
    lines, end = file_index.lines, file_index.block_end(definition)
    has_lines = any(line.strip() for line in lines[definition + 1 : end])
    return bool(keyword_of(lines[definition])) and (has_lines or lines[end].strip() == b"{")


def _is_label(line: bytes) -> bool:
    return heading(line.strip()) is Heading.LABEL


def _blocks(anchors: Sequence[int], file_index: FileIndex) -> list[tuple[int, int]]:
    """List the blocks below the anchors, in order, without those inside another."""
    blocks: list[tuple[int, int]] = []
    for anchor in anchors:
        if not blocks or anchor >= blocks[-1][1]:
            blocks.append((anchor, file_index.block_end(anchor)))
    return blocks


def _is_inside(position: int, blocks: Sequence[tuple[int, int]]) -> bool:
    index = bisect_left(blocks, (position, 0)) - 1
    return index >= 0 and position < blocks[index][1]
