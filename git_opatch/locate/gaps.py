"""Lay a hunk over the file with lines of the file left out, marked by a line of dots or not.

     import os                  import os
     # ...              over    import sys       left out, and kept
    -start()                    start()

The pieces must each be exactly there, in order; of all ways, those with the fewest gaps count.
That is loose, so each piece that changes something must be the only one that reads so, or the only
one in the block of the heading that the hunk shows above it. Without a marker a gap is between two
lines of context. None leads out of the scope of the heading above it nor, unless context is all
around it, out of the block of what is below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from git_opatch.locate.alignment import CONTEXT, OldLines, lay, old_lines
from git_opatch.locate.anchors import find, in_scope, is_below, scoped
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import heading, heading_at, is_certain
from git_opatch.model.failure import Problem
from git_opatch.model.limits import FEW, MANY
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.reading import TOLERATED, Reading, Step
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
        if not all(_is_only(piece, hunk, old, rows, file) for piece in pieces):
            return []
        marked = {rows[at] for at in shown[1:] if rows[at - 1] is None}
        for reading in lay(hunk, rows, file):
            lines = left_out(reading)
            if not lines and shown[-1] - shown[0] + 1 == len(old.at):
                return []
            is_doubtful = any(_is_doubtful(gap, file) for gap in _gaps(reading, marked, file))
            doubt = Problem.of(Fault.GAP, left_out=lines) if is_doubtful else reading.doubt
            repair = f"{lines} of the file left out" if lines else "a marker stands for more lines"
            repairs = (*reading.repairs, repair)
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


class _Gap(NamedTuple):
    """Lines of the file that a hunk leaves out, and the lines that it shows above them, the last
    first, and below them, up to the next gap.

    `head` is the row of the last heading that the hunk shows above it, if any, `around` are the
    nearest lines shown above it, the last first, and `is_last` is whether nothing changes below it.
    """

    left_out: Sequence[bytes]
    above: Sequence[Step]
    below: Sequence[Step]
    head: int | None
    around: Sequence[Step]
    is_marked: bool
    is_last: bool

    @property
    def rows(self) -> tuple[int, int]:
        """The rows right above and right below it."""
        above, below = (
            next(step.row for step in side if step.row is not None)
            for side in (self.above, self.below)
        )
        return above, below


def _gaps(reading: Reading, marked: Set[int | None], file: FileIndex) -> Iterator[_Gap]:
    """Yield the gaps of a reading that leave out more than blank lines; `marked` are the rows right
    below those with a marker."""
    groups = groupby(reading.steps, key=lambda step: step.is_shown)
    runs = [list(group) for _, group in groups]
    last = max((at for at, run in enumerate(runs) if any(map(_is_change, run))), default=0)
    head: int | None = None
    around: list[Step] = []
    for at in range(1, len(runs) - 1, 2):
        above, below = runs[at - 1][::-1], runs[at + 1]
        rows = [step.row for step in above if step.row is not None]
        head = next((row for row in rows if _is_heading(row, file)), head)
        around = [*above, *around][:FEW]
        is_marked = any(step.row in marked for step in below)
        if left_out := [step.line.text for step in runs[at] if step.line.text.strip()]:
            yield _Gap(left_out, above, below, head, around, is_marked, at > last)


def _is_heading(row: int, file: FileIndex) -> bool:
    kind = heading_at(file.lines, row)
    return kind is not None and is_certain(file.lines, row, kind)


def _is_doubtful(gap: _Gap, file: FileIndex) -> bool:
    """Return whether what becomes of the lines of a gap is not clear."""
    sides = gap.above, gap.below
    runs = [list(takewhile(_is_change, side)) for side in sides]
    added = {step.line.text for run in runs for step in run if step.row is None} - {b""}
    if added and added.issubset(gap.left_out):
        return True  # what it adds is there already
    if gap.is_marked and any(_MARKER.fullmatch(line) for line in gap.left_out):
        return True  # one of them reads like the marker
    is_beside = any(_is_change(step) for side in sides for step in side[:2])
    if is_beside and not gap.is_marked and _may_slide(*gap.rows, file):
        return True
    if _is_in_removed_block(gap.left_out, runs[0]):
        return True
    is_whole = all(map(_is_whole, sides))
    if gap.is_last and (gap.is_marked or is_whole):
        return False
    below = gap.rows[1]
    if gap.head is not None and not in_scope(below + 1, gap.head, file):
        return True
    return not is_whole and not _is_heading(below, file) and _leaves_block(gap, file)


def _is_change(step: Step) -> bool:
    return step.line.prefix is not CONTEXT


def _may_slide(above: int, below: int, file: FileIndex) -> bool:
    """Return whether the line above a gap, or that below it, could be at its other end."""
    keys = file.keys
    return keys[above + 1] == keys[below] or keys[below - 1] == keys[above]


def _is_in_removed_block(left_out: Sequence[bytes], run: Sequence[Step]) -> bool:
    """Return whether lines are left out of a block of which the run of changes above them changes a
    part: it may change what is as deep as they are, or put another head in place of theirs."""
    depth = len(indentation(left_out[0]))
    texts = [step.line.text for step in run if step.line.text.strip()]
    deep = [len(indentation(text)) >= depth for text in texts]
    replaces_head = not any(deep) and any(step.row is None for step in run)
    return not all(deep) and not replaces_head


def _is_whole(piece: Sequence[Step]) -> bool:
    """Return whether a piece begins and ends with context."""
    solid = [step for step in piece if step.line.text.strip()]
    return not _is_change(solid[0]) and not _is_change(solid[-1])


def _leaves_block(gap: _Gap, file: FileIndex) -> bool:
    """Return whether a line left out ends the block that the hunk shows around what is below it.

    That is the block of the last line above that is less deep, and above a marker opens one; where
    there is none, no line may be less deep.
    """
    depth = len(indentation(file.lines[gap.rows[1]]))
    least = min((len(indentation(x)) for x in gap.left_out if not _GOES_ON.match(x)), default=depth)
    shown = (file.lines[step.row] for step in gap.around if step.row is not None)
    solid = (line for line in shown if line.strip() and len(indentation(line)) < depth)
    head = next((line for line in solid if opens(line) or not gap.is_marked), None)
    return least < depth if head is None else least <= len(indentation(head))


_GOES_ON = re.compile(rb"[ \t]*(?:\{[ \t]*$|\))")
"""The second part of the head of a block: a brace on a line of its own, or `) {`."""
