"""Track the lines that hunks wrote, while more hunks are applied to the same file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from git_opatch.complete.edits import Edit, written_lines


class ChangedRange(NamedTuple):
    """Lines that a hunk wrote; where it only deleted some, an empty range says where."""

    hunk: int
    """The hunk's ordinal."""
    lines: range


def changed_ranges_of(hunks: Sequence[int], edits: Sequence[Edit]) -> list[ChangedRange]:
    """Return the lines that `edits`, which are in order, wrote; `hunks` has the hunk of each."""
    return list(map(ChangedRange, hunks, written_lines(edits)))


def shift(ranges: Sequence[ChangedRange], edits: Sequence[Edit]) -> list[ChangedRange]:
    """Move `ranges`, which `edits` do not touch, to where they are after `edits`."""
    stops = [edit.stop for edit in edits]
    growths = list(accumulate((edit.growth for edit in edits), initial=0))
    offsets = (growths[bisect_right(stops, changed.lines.start)] for changed in ranges)
    return [
        ChangedRange(hunk, range(lines.start + offset, lines.stop + offset))
        for (hunk, lines), offset in zip(ranges, offsets, strict=True)
    ]


def changes_any(span: tuple[int, int], ranges: Sequence[ChangedRange]) -> bool:
    """Return whether a change of the lines of `span` changes, or splits, what another hunk
    wrote."""
    first, last = span
    return any(
        _intersect(span, lines) or lines.start < first == last < lines.stop for _, lines in ranges
    )


def in_order(hunk: int, position: int, ranges: Sequence[ChangedRange]) -> bool:
    """Return whether a hunk that changes the line at `position` is in the order of the hunks."""
    return all(
        lines.start <= position if other < hunk else position <= lines.start
        for other, lines in ranges
    )


def shows_later(hunk: int, span: tuple[int, int], ranges: Sequence[ChangedRange]) -> bool:
    """Return whether a later hunk than `hunk` wrote any of the lines of `span`."""
    return any(other > hunk and _intersect(span, lines) for other, lines in ranges)


def _intersect(span: tuple[int, int], lines: range) -> bool:
    return max(span[0], lines.start) < min(span[1], lines.stop)
