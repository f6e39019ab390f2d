"""What hunks made of a file that more hunks are applied to, and where it stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from git_opatch.complete.edits import Edit


class Made(NamedTuple):
    """Lines that a hunk made; where it only deleted some, an empty range says where."""

    hunk: int
    """Its ordinal."""
    lines: range


def made_by(hunks: Sequence[int], edits: Sequence[Edit]) -> list[Made]:
    """What `edits`, which are in order, and each of that one of `hunks`, made of the text."""
    found, shift = [], 0
    for hunk, one in zip(hunks, edits, strict=True):
        start = one.start + shift
        found.append(Made(hunk, range(start, start + len(one.lines))))
        shift += _growth(one)
    return found


def moved(made: Sequence[Made], edits: Sequence[Edit]) -> list[Made]:
    """Where what was `made` before, and is not edited, stands after `edits`, in order."""
    stops = [edit.stop for edit in edits]
    grown = list(accumulate(map(_growth, edits), initial=0))
    shifts = (grown[bisect_right(stops, one.lines.start)] for one in made)
    return [
        Made(one.hunk, range(one.lines.start + shift, one.lines.stop + shift))
        for one, shift in zip(made, shifts, strict=True)
    ]


def _growth(edit: Edit) -> int:
    return len(edit.lines) - (edit.stop - edit.start)


def changes_any(span: tuple[int, int], made: Sequence[Made]) -> bool:
    """Whether lines from `span` on are changed, or added between, that another hunk made."""
    first, last = span
    return any(_meet(span, lines) or lines.start < first == last < lines.stop for _, lines in made)


def in_order(hunk: int, at: int, made: Sequence[Made]) -> bool:
    """Whether a hunk that changes the line `at` stands after those before it, before the others."""
    return all(one.lines.start <= at if one.hunk < hunk else at <= one.lines.start for one in made)


def shows_later(hunk: int, span: tuple[int, int], made: Sequence[Made]) -> bool:
    """Whether lines that a later hunk made stand from where to where `span` says."""
    return any(one.hunk > hunk and _meet(span, one.lines) for one in made)


def _meet(span: tuple[int, int], lines: range) -> bool:
    return max(span[0], lines.start) < min(span[1], lines.stop)
