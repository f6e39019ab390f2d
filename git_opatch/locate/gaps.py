"""Lay a hunk over the file with lines of the file left out, marked by a line of dots.

It must not leave a line out without a marker, nor choose between readings that are left.

     import os                  import os
     # ...              over    import sys       left out, and kept
    -start()                    start()

The pieces must each be exactly there, in order, and a marker stands for one line at least.
That is loose, so each piece that changes something must be the only one that reads so, or the only
one in the block of the heading that the hunk shows above it. No gap leads out of the scope of the
heading above it, nor out of the block that the hunk shows around what is below it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence, Set
from itertools import chain, groupby, islice, pairwise, takewhile
from typing import NamedTuple

from git_opatch.locate.anchors import find, scoped
from git_opatch.locate.between import CONTEXT, OldLines, lay, old_lines
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import is_certain
from git_opatch.locate.reading import TOLERATED, Reading, Step
from git_opatch.locate.scope import in_scope, inside
from git_opatch.model.failure import Problem
from git_opatch.model.limits import FEW, MANY, NEAR
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import indentation

_DOTS = rb"(?:\.\.\.|\xe2\x80\xa6)"
_MARKS = rb"\s*(?:[^\w\s]{1,4}\s*){0,2}"
_MARKER = re.compile(_MARKS + _DOTS + rb"(?:[\w ,']*" + _DOTS + rb"| [\w ,']+)?" + _MARKS)


def gap_readings(hunk: Hunk, file: FileIndex) -> list[Reading]:
    """Lay a hunk over the file in pieces that are each exactly there, with lines left out at its
    markers."""
    old = old_lines(hunk, file)
    shown = [
        at
        for at, index in enumerate(old.at)
        if not stands_for_lines(hunk.lines[index]) or file.rows_of(old.texts[at])
    ]
    if len(shown) == len(old.at) or _is_adrift(hunk, {old.at[at] for at in shown}):
        return []
    runs = groupby(enumerate(shown), key=lambda each: each[1] - each[0])
    pieces = [[at for _, at in run] for _, run in runs]
    if not all(old.is_context[a[-1]] or old.is_context[b[0]] for a, b in pairwise(pieces)):
        return []
    is_named = any(find(anchor, file).rows for anchor in hunk.strong)
    readings: list[Reading] = []
    for rows in _ways(pieces, hunk, old, file):
        reading = lay(hunk, [rows.get(at) for at in range(len(old.at))], file)
        changed = [run for run in _runs(reading, file)[::2] if _changes(run)] if reading else []
        if reading is None or (
            is_named and not all(scoped(run.rows, hunk.strong, file) for run in changed)
        ):
            continue
        if not all(_is_only(run, hunk, file) for run in changed):
            return []
        is_doubtful = _leaves_doubt(_runs(reading, file), file)
        doubt = Problem.of(Fault.GAP, left_out=left_out(reading)) if is_doubtful else reading.doubt
        readings.append(reading._replace(level=TOLERATED, doubt=doubt, is_elided=True))
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


def _is_adrift(hunk: Hunk, shown: Set[int]) -> bool:
    """Return whether lines are added that are next to none that is shown: between two markers, or
    between one and an end of the hunk."""
    signs = "".join(
        "+" if line.prefix is Prefix.ADDED else "=" if at in shown else "."
        for at, line in enumerate(hunk.lines)
        if line.text.strip()
    )
    return re.search(r"(?:^|\.)\++(?:\.|$)", signs) is not None


def _ways(
    pieces: Sequence[Sequence[int]], hunk: Hunk, old: OldLines, file: FileIndex
) -> list[dict[int, int]]:
    """Return the ways to lay pieces of the old lines over the file, each exactly and a line or more
    below the one before, as the row of each line; none if they have too many lines to look at.

    A piece below all changes is where it is nearest.
    """
    laid = [_laid(piece, old, file) for piece in pieces]
    for at in range(len(laid) - 2, -1, -1):
        lowest = laid[at + 1][-1][0] if laid[at + 1] else 0
        laid[at] = [rows for rows in laid[at] if rows[-1] + 1 < lowest]
    changes = (at for at, line in enumerate(hunk.lines) if line.prefix is not CONTEXT)
    last_change = max(changes, default=-1)
    ways: list[tuple[int, ...]] = [()] if pieces else []
    for piece, places in zip(pieces, laid, strict=True):
        starts = [rows[0] for rows in places]
        most = 1 if old.at[piece[0]] > last_change else FEW + 1
        further = ((way, bisect_right(starts, way[-1] + 1) if way else 0) for way in ways)
        every = ((*way, *rows) for way, at in further for rows in places[at : at + most])
        ways = [*islice(every, FEW + 1)]
        if len(ways) > 1 and sum(way[-1] - way[0] for way in ways) > FEW * NEAR:
            return []
    return [dict(zip(chain(*pieces), way, strict=True)) for way in ways]


def _laid(piece: Sequence[int], old: OldLines, file: FileIndex) -> list[list[int]]:
    """Return the rows of a piece of the old lines wherever it is exactly, in order."""
    texts, size = [old.texts[at] for at in piece], len(piece)
    return [
        file.solid[place : place + size]
        for place in file.by_key.runs([old.keys[at] for at in piece])
        if file.solid_lines[place : place + size] == texts
    ]


# ---------------------------------------------------------------- what is certain


class _Run(NamedTuple):
    """Steps of a reading that the hunk shows, a piece, or that it leaves out, a gap.

    `head` is the row of the last heading that the hunk shows above it, if any, and `above` are the
    last rows that it shows there, the nearest first.
    """

    steps: Sequence[Step]
    rows: Sequence[int]
    above: Sequence[int]
    head: int | None


def _runs(reading: Reading, file: FileIndex) -> list[_Run]:
    """Return the pieces of a reading, and the gaps between them."""
    runs: list[_Run] = []
    above: list[int] = []
    head: int | None = None
    for is_shown, group in groupby(reading.steps, key=lambda step: step.is_shown):
        steps = list(group)
        rows = [step.row for step in steps if step.row is not None]
        runs.append(_Run(steps, rows, above, head))
        if is_shown:
            above = [*rows[::-1], *above][:FEW]
            head = next((row for row in rows[::-1] if _is_heading(row, file)), head)
    return runs


def _changes(run: _Run) -> bool:
    return any(map(_is_change, run.steps))


def _is_change(step: Step) -> bool:
    return step.line.prefix is not CONTEXT


def _is_heading(row: int, file: FileIndex) -> bool:
    kind = file.heading_at(row)
    return kind is not None and is_certain(file.lines, row, kind)


def _is_only(piece: _Run, hunk: Hunk, file: FileIndex) -> bool:
    """Return whether a piece is the only one that reads so, or the only one in the scope of the
    hunk's anchors, or in the block of the heading above it in the hunk, which the file has once."""
    found = file.by_key.runs([key for row in piece.rows if (key := file.keys[row])])
    if len(found) <= 1 or len(found) > MANY:
        return len(found) <= 1
    starts = [file.solid[place] for place in found]
    if hunk.anchors and len(scoped(starts, hunk.anchors, file)) == 1:
        return True
    head = piece.head
    if head is None or len(file.by_key.rows(file.keys[head])) > 1:
        return False
    return len(inside(starts, [head], file)) == 1


def _leaves_doubt(runs: Sequence[_Run], file: FileIndex) -> bool:
    """Return whether what becomes of the lines of a gap is not clear: the gap before the last piece
    that changes something may not lead out of a scope."""
    pieces = runs[::2]
    last = max((at for at, piece in enumerate(pieces) if _changes(piece)), default=0)
    around = enumerate(zip(pieces, runs[1::2], pieces[1:], strict=False))
    return any(
        _is_doubtful(*each) or (at < last and _leads_out(*each[1:], file)) for at, each in around
    )


def _is_doubtful(above: _Run, gap: _Run, below: _Run) -> bool:
    """Return whether what is added beside a gap is in it, or a line of it reads like a marker."""
    left_out = {text for step in gap.steps if (text := step.line.text).strip()}
    beside = (*takewhile(_is_change, above.steps[::-1]), *takewhile(_is_change, below.steps))
    added = {step.line.text for step in beside if step.row is None} - {b""}
    return (bool(added) and added <= left_out) or any(map(_MARKER.fullmatch, left_out))


def _leads_out(gap: _Run, below: _Run, file: FileIndex) -> bool:
    """Return whether lines are left out between two scopes, or two blocks."""
    left_out = [text for step in gap.steps if (text := step.line.text).strip()]
    first = below.rows[0]
    if left_out and gap.head is not None and not in_scope(first + 1, gap.head, file):
        return True
    return not _is_heading(first, file) and _leaves_block(left_out, below, file)


def _leaves_block(left_out: Sequence[bytes], below: _Run, file: FileIndex) -> bool:
    """Return whether a line left out ends the block that the hunk shows around what is below it.

    Where no head of one is shown, none may be less deep, unless there is context on both sides of
    what changes below.
    """
    depth = len(indentation(file.lines[below.rows[0]]))
    outer = _depth_of_head(below.above, depth, file)
    if outer is None:
        outer = depth - 1
        solid = [step for step in below.steps if step.line.text.strip()]
        if not _is_change(solid[0]) and not _is_change(solid[-1]):
            return False
    return any(len(indentation(line)) <= outer for line in left_out if not _GOES_ON.match(line))


def _depth_of_head(above: Sequence[int], depth: int, file: FileIndex) -> int | None:
    """Return how deep the nearest of the rows `above` is that is the head of a block around lines
    of `depth`: less deep, with deeper lines right below it, and not closed by another of the rows.
    """
    for row in (row for row in above if file.keys[row]):
        own, following = len(indentation(file.lines[row])), file.place_of(row) + 1
        deeper = (len(indentation(x)) > own for x in file.solid_lines[following : following + 1])
        if own < depth and any(deeper):
            return own
        if _CLOSES.match(file.lines[row]):
            depth = min(depth, own)
    return None


_CLOSES = re.compile(rb"[ \t]*(?:[\])}]|</|(?:end|fi|done|esac)\b)")
_GOES_ON = re.compile(rb"[ \t]*(?:\{[ \t]*$|\))")
"""The second part of the head of a block: a brace on a line of its own, or `) {`."""
