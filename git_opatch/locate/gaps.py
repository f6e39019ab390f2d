"""Lay a hunk over the file with lines of the file left out, marked by a line of dots or not.

     import os                  import os
     # ...              over    import sys       left out, and kept
    -start()                    start()

The pieces must each be exactly there, in order; of all ways, those with the fewest gaps count.
That is loose, so each piece that changes something must be the only one that reads so, or the only
one in the block of the heading that the hunk shows above it; a gap leads out of no block that the
hunk shows; and without a marker it is between two lines of context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from git_opatch.locate.alignment import CONTEXT, OldLines, lay, old_lines
from git_opatch.locate.anchors import find, is_below, scoped
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import OutlineKind, heading, heading_at, is_certain
from git_opatch.model.failure import Problem
from git_opatch.model.limits import FEW, MANY
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.reading import TOLERATED, Reading
from git_opatch.model.sentences import Fault
from git_opatch.model.text import indentation, opens

_DOTS = rb"(?:\.\.\.|\xe2\x80\xa6)"
_MARKS = rb"\s*(?:[^\w\s]{1,4}\s*){0,2}"
_MARKER = re.compile(_MARKS + _DOTS + rb"(?:[\w ,']*" + _DOTS + rb"| [\w ,']+)?" + _MARKS)
_MOST_STATES = 20_000
"""So many positions of all lines are tried; a hunk with more is not laid with gaps."""


class _Piece(NamedTuple):
    """Old lines without a gap between: their range in the hunk's lines that are not blank."""

    first: int
    stop: int


def gap_readings(hunk: Hunk, file: FileIndex) -> list[Reading]:
    """Lay a hunk over the file in pieces that are each exactly there, with the fewest gaps."""
    old = old_lines(hunk, file)
    shown = [
        at
        for at, index in enumerate(old.at)
        if not stands_for_lines(hunk.lines[index]) or file.rows_of(old.texts[at])
    ]
    where = [file.rows_of(old.texts[at]) for at in shown]
    if not shown or not all(where) or sum(map(len, where)) > _MOST_STATES:
        return []
    if not _is_attached(hunk, old, shown):
        return []
    strong = replace(hunk, anchors=tuple(anchor for anchor in hunk.anchors if not anchor.weak))
    is_named = any(find(anchor, file).rows for anchor in strong.anchors)
    may_gap = [_may_gap(hunk, old, a, b) for a, b in pairwise(shown)]
    paths = _fewest_gaps(where, may_gap, file)
    readings: list[Reading] = []
    for path in paths:
        rows: list[int | None] = [None] * len(old.at)
        for at, row in zip(shown, path, strict=True):
            rows[at] = row
        pieces = list(_pieces(shown, rows, file))
        changing = [each for each in pieces if _changes(each, hunk, old)]
        if is_named and not all(
            scoped([row for row in rows[each.first : each.stop] if row is not None], strong, file)
            for each in changing
        ):
            continue
        if len(pieces) == 1 or not all(_is_only(piece, hunk, old, rows, file) for piece in pieces):
            return []
        is_doubtful = _is_doubtful(hunk, old, rows, pieces, file)
        for reading in lay(hunk, rows, file):
            if not (lines := left_out(reading)):
                return []
            doubt = Problem.of(Fault.GAP, left_out=lines) if is_doubtful else reading.doubt
            repairs = (*reading.repairs, f"{lines} of the file left out")
            readings.append(reading._replace(level=TOLERATED, doubt=doubt, repairs=repairs))
    return readings


def left_out(reading: Reading) -> str:
    """Name the lines of the file that a hunk does not show, from 1; empty if there are none."""
    rows = [step.row + 1 for step in reading.steps if step.row is not None and not step.is_shown]
    every = set(rows)
    first = [row for row in rows if row - 1 not in every]
    last = [row for row in rows if row + 1 not in every]
    shown = [f"{a}-{b}" if b > a else str(a) for a, b in zip(first, last, strict=True)]
    return f"line{'s' * (len(rows) > 1)} {', '.join(shown)}" if rows else ""


def stands_for_lines(line: Line) -> bool:
    """Return whether a line of context stands for lines that are left out."""
    return line.prefix is CONTEXT and _MARKER.fullmatch(line.text) is not None


def _is_attached(hunk: Hunk, old: OldLines, shown: Sequence[int]) -> bool:
    """Return whether the lines added above the first line that is shown, or below the last, are
    next to it, and not beyond a marker."""
    start, stop = old.at[shown[0]], old.at[shown[-1]]
    return _is_next(hunk.lines[stop + 1 :]) and _is_next(hunk.lines[:start][::-1])


def _is_next(lines: Sequence[Line]) -> bool:
    texts = [line for line in lines if line.text.strip()]
    marker = next((at for at, line in enumerate(texts) if line.prefix is CONTEXT), len(texts))
    return all(line.prefix is not Prefix.ADDED for line in texts[marker:])


def _may_gap(hunk: Hunk, old: OldLines, first: int, second: int) -> bool:
    """Return whether lines may be left out between two: at a marker, but not between two removed
    lines, else between two of context, with nothing added there."""
    between = hunk.lines[old.at[first] + 1 : old.at[second]]
    if second - first > 1:
        return (old.is_context[first] or old.is_context[second]) and _is_beside(between)
    is_context = old.is_context[first] and old.is_context[second]
    return is_context and all(line.prefix is CONTEXT for line in between)


def _is_beside(between: Sequence[Line]) -> bool:
    """Return whether all added lines in a marked gap are next to one of its sides."""
    runs = "".join(
        line.prefix.value if line.prefix is Prefix.ADDED else "."
        for line in between
        if line.text.strip()
    )
    return "+" not in runs.strip("+")


def _fewest_gaps(
    where: Sequence[Sequence[int]], may_gap: Sequence[bool], file: FileIndex
) -> list[tuple[int, ...]]:
    """Return the ways to choose a row for each line, in order, that have the fewest gaps.

    A dynamic program: of each row, the fewest gaps so far, and the rows before it that have them.
    """
    best: list[dict[int, tuple[int, list[int]]]] = [{row: (0, []) for row in where[0]}]
    for rows, may in zip(where[1:], may_gap, strict=True):
        best.append(_next_layer(best[-1], rows, file, may_gap=may))
    fewest = min((cost for cost, _ in best[-1].values()), default=None)
    found: list[tuple[int, ...]] = []
    last = [row for row, (cost, _) in best[-1].items() if cost == fewest]
    stack: list[tuple[int, tuple[int, ...]]] = [(len(best) - 1, (row,)) for row in last]
    while stack and len(found) <= FEW:
        at, path = stack.pop()
        if at == 0:
            found.append(path)
        else:
            stack += [(at - 1, (row, *path)) for row in best[at][path[0]][1]]
    return found


def _next_layer(
    before: dict[int, tuple[int, list[int]]], rows: Sequence[int], file: FileIndex, *, may_gap: bool
) -> dict[int, tuple[int, list[int]]]:
    layer: dict[int, tuple[int, list[int]]] = {}
    by_place = {file.place_of(row): row for row in before}
    earlier = sorted(before)
    least, ways, at = _MOST_STATES, list[int](), 0
    for row in rows:
        while at < len(earlier) and earlier[at] < row:
            cost = before[earlier[at]][0]
            if cost < least:
                least, ways = cost, []
            if cost == least and len(ways) < FEW:
                ways.append(earlier[at])
            at += 1
        straight = by_place.get(file.place_of(row) - 1)
        cost = _MOST_STATES if straight is None else before[straight][0]
        if straight is not None and (not may_gap or cost <= least):
            layer[row] = (cost, [straight])
        elif may_gap and ways:
            layer[row] = (
                least + 1,
                [*ways, *([straight] if straight is not None and cost == least + 1 else [])],
            )
    return layer


# ---------------------------------------------------------------- what is certain


def _pieces(shown: Sequence[int], rows: Sequence[int | None], file: FileIndex) -> Iterator[_Piece]:
    first = shown[0]
    for a, b in pairwise(shown):
        start, stop = rows[a], rows[b]
        assert start is not None
        assert stop is not None
        if b - a > 1 or any(file.keys[start + 1 : stop]):
            yield _Piece(first, a + 1)
            first = b
    yield _Piece(first, shown[-1] + 1)


def _is_only(
    piece: _Piece, hunk: Hunk, old: OldLines, rows: Sequence[int | None], file: FileIndex
) -> bool:
    """Return whether a piece that changes something is the only one that reads so, or the only one
    in the scope of the hunk's anchors, or in the block of a heading above it in the hunk."""
    if not _changes(piece, hunk, old):
        return True
    found = file.by_key.runs(old.keys[piece.first : piece.stop])
    if len(found) <= 1 or len(found) > MANY:
        return len(found) <= 1
    starts = [file.solid[place] for place in found]
    if hunk.anchors and len(scoped(starts, hunk, file)) == 1:
        return True
    for at in range(piece.first - 1, -1, -1):
        row = rows[at]
        if row is not None and heading(file.lines[row].strip()) is not None:
            is_one = len(file.by_key.runs([old.keys[at]])) == 1
            return is_one and sum(is_below(start, row, file) for start in starts) == 1
    return False


def _changes(piece: _Piece, hunk: Hunk, old: OldLines) -> bool:
    """Return whether lines are removed in a piece, or added in it or at its ends."""
    if not all(old.is_context[piece.first : piece.stop]):
        return True
    at, stop = old.at[piece.first], old.at[piece.stop - 1]
    around = hunk.lines[max(at - 1, 0) : stop + 2]
    return any(line.prefix is Prefix.ADDED for line in around)


def _is_doubtful(
    hunk: Hunk,
    old: OldLines,
    rows: Sequence[int | None],
    pieces: Sequence[_Piece],
    file: FileIndex,
) -> bool:
    """Return whether what becomes of the lines that a hunk leaves out is not clear."""
    added = {line.text for line in hunk.lines if line.prefix is Prefix.ADDED and line.text.strip()}
    for before, after in pairwise(pieces):
        above, below = rows[before.stop - 1], rows[after.first]
        assert above is not None
        assert below is not None
        left_out = [file.lines[row] for row in range(above + 1, below) if file.keys[row]]
        if not left_out:
            continue
        if added and added.issubset(left_out):
            return True  # what it adds is there already
        is_marked = after.first > before.stop
        if is_marked and any(_MARKER.fullmatch(line) for line in left_out):
            return True  # one of them reads like the marker
        sides = (_Piece(at, at + 1) for at in (before.stop - 1, after.first))
        is_beside_change = any(_changes(side, hunk, old) for side in sides)
        if not is_marked and is_beside_change and _may_slide(above, below, file):
            return True
        places = range(before.first, before.stop)
        removed = [old.texts[at] for at in places if not old.is_context[at]]
        if not old.is_context[before.stop - 1] and any(map(opens, removed)):
            return True  # they are in a block whose first line is removed
        if _leaves_block(above, below, file, is_marked):
            return True
    return False


def _may_slide(above: int, below: int, file: FileIndex) -> bool:
    """Return whether the line above a gap, or that below it, could be at its other end."""
    keys = file.keys
    return keys[above + 1] == keys[below] or keys[below - 1] == keys[above]


def _leaves_block(above: int, below: int, file: FileIndex, is_marked: bool) -> bool:
    """Return whether the line below a gap is not in the block that the one above opens."""
    first, second = file.lines[above], file.lines[below]
    kind = heading_at(file.lines, above) or heading(first.strip())
    if kind is not OutlineKind.DEFINITION and kind and not is_certain(file.lines, above, kind):
        kind = None
    if kind is not None and (kind is not OutlineKind.DEFINITION or not indentation(second)):
        return not indentation(first) and not is_below(below, above, file)
    if len(indentation(second)) <= len(indentation(first)):
        return False
    is_opener = opens(first) and not first.rstrip().endswith(b",") and not is_marked
    return (is_opener or kind is not None) and below >= file.block_end(above)
