"""Where the lines that hunks made stand in a file that more hunks are applied to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from git_opatch.complete.edits import Edit


def new_lines(edits: Sequence[Edit]) -> list[range]:
    """Where the lines of `edits`, which are in order, stand in the text after them."""
    found, shift = [], 0
    for one in edits:
        start = one.start + shift
        found.append(range(start, start + len(one.lines)))
        shift += _growth(one)
    return found


def moved(ranges: Sequence[range], edits: Sequence[Edit]) -> list[range]:
    """Where lines that stood at `ranges`, and are not edited, stand after `edits` in order."""
    stops = [edit.stop for edit in edits]
    grown = list(accumulate(map(_growth, edits), initial=0))
    shifts = (grown[bisect_right(stops, one.start)] for one in ranges)
    return [
        range(one.start + shift, one.stop + shift)
        for one, shift in zip(ranges, shifts, strict=True)
    ]


def _growth(edit: Edit) -> int:
    return len(edit.lines) - (edit.stop - edit.start)


def changes_any(span: tuple[int, int], new: Sequence[range]) -> bool:
    """Whether lines from `span` on are changed, or added between, that another hunk made."""
    first, last = span
    return any(
        max(first, one.start) < min(last, one.stop) or one.start < first == last < one.stop
        for one in new
    )
