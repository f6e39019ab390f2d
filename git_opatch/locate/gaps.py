"""Lay a hunk over the file with lines of the file left out, at a marker: a line of dots (D35).

It must not leave out a line where nothing says so. The pieces must each be there, in order, and
what changes be the only ones; no gap leads out of the block that the hunk shows around what is
below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product, takewhile
from math import prod

from git_opatch.locate.claims import in_anchors
from git_opatch.locate.file import File
from git_opatch.locate.heads import closes
from git_opatch.locate.loose import Nearby, loose
from git_opatch.locate.reading import CONTEXT, Level, Reading, Readings, Sought, Step, is_blank
from git_opatch.model.limits import FEW, MANY
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.placement import Repair
from git_opatch.model.text import indentation

_DOTS = rb"(?:\.\.\.|\xe2\x80\xa6)"
_MARKS = rb"\s*(?:[^\w\s]{1,4}\s*){0,2}"
_MARKER = re.compile(_MARKS + _DOTS + rb"(?:[\w ,']*" + _DOTS + rb"| [\w ,']+)?" + _MARKS)
_PLAIN = re.compile(rb"\s*" + _DOTS)
_MOST_WAYS = 20
"""So many places of each piece are tried."""
_GOES_ON = re.compile(rb"[ \t]*(?:\{[ \t]*$|\))")


def stands_for_lines(line: Line) -> bool:
    """Return whether a line of context is a marker."""
    return line.prefix is CONTEXT and _MARKER.fullmatch(line.text) is not None


def with_gaps(hunk: Hunk, file: File) -> Sought:
    """Return the readings of a hunk with lines left out at its markers."""
    pieces = _pieces(hunk, file)
    places = [*takewhile(bool, (_places(piece, file) for piece in pieces))]
    if not places or len(places) < len(pieces) or prod(map(len, places)) > MANY:
        return Sought(hunk)
    ways = [way for way in product(*places) if _is_way(way, file)]
    changing = [at for at, each in enumerate(places) if _changes(each[0])]
    changed = {tuple(way[at].start for at in changing) for way in ways}
    exact = [way for way in ways if _leaves_out(way) and all(_is_exact(x, file) for x in way)]
    if len(changed) != 1 or not exact:
        return Sought(hunk)
    return Sought(hunk, Readings.of([_joined(exact[0], file)]), alone=True)


def _pieces(hunk: Hunk, file: File) -> list[Hunk]:
    """Return the parts of a hunk between markers, which are not lines of the file; none if it has
    no marker."""
    parts: list[list[Line]] = [[]]
    for line in hunk.lines:
        if stands_for_lines(line) and not _is_content(line, file):
            parts.append([])
        else:
            parts[-1].append(line)
    solid = (part for part in parts if any(not is_blank(line) for line in part))
    if len(parts) < 2:
        return []
    return [replace(hunk, lines=tuple(part), separators=0) for part in solid]


def _is_content(line: Line, file: File) -> bool:
    """Return whether the file has a line of dots, or lines that begin with them, as prompts do."""
    begins = _PLAIN.match(line.text) and line.text.strip(b" \t.\xe2\x80\xa6")
    return line.text in file.exact or bool(begins and b"\n" + line.text[:4] in file.joined)


def _places(piece: Hunk, file: File) -> list[Reading]:
    """Return where a piece is, whatever its whitespace, in what the anchors name. One that only
    adds is next to nothing."""
    nearby = Nearby(piece, file)
    if nearby.is_cut:
        return []
    readings = [*loose(nearby, Level.SPACE).readings] if piece.preimage else []
    if piece.anchors:
        held = [each for each in readings if in_anchors(each, piece.anchors, file)]
        readings = held or readings
    return readings if len(readings) <= _MOST_WAYS else []


def _is_exact(reading: Reading, file: File) -> bool:
    steps = (step for step in reading.steps if step.row is not None and step.line.text.strip())
    return all(file.lines[step.row or 0] == step.line.text for step in steps)


def _changes(reading: Reading) -> bool:
    return any(line.prefix is not CONTEXT for line, _ in reading.steps)


def _is_way(way: Sequence[Reading], file: File) -> bool:
    """Return whether pieces are in order, and what is between them stays in their block."""
    return all(a.stop <= b.start and _stays(a, b, way, file) for a, b in pairwise(way))


def _leaves_out(way: Sequence[Reading]) -> bool:
    """Return whether lines are between all pieces."""
    return all(a.stop < b.start for a, b in pairwise(way))


def _stays(above: Reading, below: Reading, way: Sequence[Reading], file: File) -> bool:
    """Return whether the lines between two pieces stay in the block around the lower one: of the
    nearest line shown above that is less deep, and has deeper lines below; if it shows none, none
    may be less deep. No title is between them."""
    if not any(_changes(each) for each in way if each.start >= below.start):
        return True
    between = [row for row in range(above.stop, below.start) if file.is_solid(row)]
    if any(map(file.heads.is_title, between)):
        return False
    outer = _outer_depth(below, way, file)
    if outer is None:
        return False
    if outer < 0 and _begins_and_ends_with_context(below):
        return True
    least = _depth(below.start, file) - 1 if outer < 0 else outer
    return not any(_depth(row, file) <= least and not _goes_on(row, file) for row in between)


def _outer_depth(below: Reading, way: Sequence[Reading], file: File) -> int | None:
    """Return how deep the head is that a piece is in, of the lines shown above it; -1 if none is
    shown near it, None if a shown one has ended before."""
    depth = _depth(below.start, file)
    shown = [row for each in way for _, row in each.steps if row is not None and row < below.start]
    closed = depth + 1
    for row in sorted(shown, reverse=True)[:FEW]:
        if not file.is_solid(row):
            continue
        rank, at = file.heads.rank(row), _depth(row, file)
        if rank and not rank[0] and rank[1] < closed and file.heads.end(row) <= below.start:
            return None
        if closes(file.lines[row]):
            closed = min(closed, at)
        if at < closed and at < depth and file.heads.opens(row):
            return at
    return -1


def _begins_and_ends_with_context(reading: Reading) -> bool:
    solid = [step.line for step in reading.steps if not is_blank(step.line)]
    return solid[0].prefix is CONTEXT and solid[-1].prefix is CONTEXT


def _goes_on(row: int, file: File) -> bool:
    return _GOES_ON.match(file.lines[row]) is not None


def _depth(row: int, file: File) -> int:
    return len(indentation(file.lines[row]))


def _joined(way: Sequence[Reading], file: File) -> Reading:
    """Return one reading of all pieces, with the lines between them as context."""
    steps, left_out = [*way[0].steps], set[int]()
    for above, below in pairwise(way):
        rows = range(above.stop, below.start)
        left_out.update(rows)
        steps += [Step(Line(CONTEXT, file.lines[row]), row) for row in rows]
        steps += below.steps
    repairs = (Repair.MARKER,)
    return Reading(tuple(steps), way[0].start, Level.GAP, repairs, left_out=frozenset(left_out))
