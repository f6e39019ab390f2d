"""The context of hunks: the fewest lines with which each can be at one position only (D290).

    file        hunk                The changed line occurs twice, and so does each line beside it.
    a           @@                  A hunk needs as many lines as tell its position from every
    x           -x                  other one, its rivals: of each rival is counted how many lines
    b           +y                  above it and below it are the same as here. So many lines and
    x            b                  one more, on either side, exclude it.
    c

Whether the engine finds such a hunk is for the proof to say; where it does not, the next larger
context is taken (`wider`), up to the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from git_opatch.model.common_lines import common_runs
from git_opatch.model.text import Text, indentation

_FIRST_CHOICES = 12
"""So many contexts are tried in the order of their size; then each is twice as large."""
_REACH = 200
"""Rivals with more equal lines on one side are not told apart there."""
_MAX_ENCLOSING = 3
"""So many enclosing lines are considered as an anchor."""


class LineChange(NamedTuple):
    """The old lines from `start` to `stop` become the new ones from `new_start` to `new_stop`."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def line_changes(old: Text, new: Text) -> list[LineChange]:
    """List what differs, in order. A last line without its newline differs from one with it."""
    before, after = _terminated(old), _terminated(new)
    changes = []
    at = at_new = 0
    for start, start_new, size in common_runs(before, after):
        if size or start == len(before):
            if at < start or at_new < start_new:
                changes.append(LineChange(at, start, at_new, start_new))
            at, at_new = start + size, start_new + size
    return changes


def _terminated(text: Text) -> list[bytes]:
    lines = [line + b"\n" for line in text.lines]
    if lines and not text.final_newline:
        lines[-1] = lines[-1][:-1]
    return lines


def _common(one: Sequence[bytes], other: Sequence[bytes], positions: range, shift: int = 0) -> int:
    """Return how many lines are equal, of the first at `positions`; in `other` `shift` further."""
    unequal = (n for n, at in enumerate(positions) if one[at] != other[at + shift])
    return next(unequal, len(positions))


class Context(NamedTuple):
    """Lines above and below a change, and the position of the line that is its anchor."""

    before: int
    after: int
    anchor: int | None = None

    @property
    def cost(self) -> int:
        """How many lines it adds to the hunk."""
        return self.before + self.after + (self.anchor is not None)


@dataclass(frozen=True, slots=True)
class HunkRange:
    """Changes of one hunk, in order, with the contexts to try; the first of them is the present."""

    changes: tuple[LineChange, ...]
    contexts: tuple[Context, ...]

    @property
    def start(self) -> int:
        """The first changed line."""
        return self.changes[0].start

    @property
    def stop(self) -> int:
        """The position after the last changed line."""
        return self.changes[-1].stop

    @property
    def context(self) -> Context:
        """The present context."""
        return self.contexts[0]

    @property
    def first(self) -> int:
        """The first line that the hunk shows."""
        return self.start - self.context.before

    @property
    def last(self) -> int:
        """The position after the last line that the hunk shows."""
        return self.stop + self.context.after

    @property
    def size(self) -> int:
        """How many lines the hunk has that are not added, and its header."""
        return self.stop - self.start + self.context.cost + 1

    def wider(self) -> HunkRange:
        """The same with the next context; itself if there is none."""
        return HunkRange(self.changes, self.contexts[1:] or self.contexts)


class OldFile:
    """The lines of the old version, indexed, and whether hunks may have anchors."""

    def __init__(self, text: Text, *, anchors: bool) -> None:
        self.lines, self._anchors = text.lines, anchors
        self._positions: dict[bytes, list[int]] = {}
        for at, line in enumerate(self.lines):
            self._positions.setdefault(line, []).append(at)

    def hunks(self, changes: Sequence[LineChange], count: int | None = None) -> list[HunkRange]:
        """Group `changes` into hunks with `count` lines of context, as git does.

        Without a count, with as little context as may do.
        """
        if count is None:
            return self.merged([self._range((change,)) for change in changes])
        ranges: list[HunkRange] = []
        for change in changes:
            group = [change]
            if ranges and change.start - ranges[-1].stop <= 2 * count:
                group[:0] = ranges.pop().changes
            before = min(count, group[0].start)
            after = min(count, len(self.lines) - change.stop)
            ranges.append(HunkRange(tuple(group), (Context(before, after),)))
        return ranges

    def merged(self, ranges: Sequence[HunkRange]) -> list[HunkRange]:
        """Merge neighbouring hunks where they share lines, or have fewer as one."""
        merged: list[HunkRange] = []
        for each in ranges:
            merged.append(each)
            while len(merged) > 1:
                earlier, later = merged[-2:]
                overlap = earlier.last > later.first
                gap, most = later.start - earlier.stop, earlier.context.cost + later.context.cost
                if not overlap and gap > most + 1:
                    break
                joined = self._range((*earlier.changes, *later.changes))
                if not overlap and joined.size > earlier.size + later.size:
                    break
                merged[-2:] = [joined]
        return merged

    def _range(self, changes: tuple[LineChange, ...]) -> HunkRange:
        start, stop = changes[0].start, changes[-1].stop
        rivals = self._rivals(start, stop)
        contexts = list(islice(self._contexts(start, stop, rivals), _FIRST_CHOICES))
        if self._anchors:
            contexts = self._with_anchors(contexts, start, stop, rivals)
        return HunkRange(changes, (*contexts, *self._doubled(contexts, start, stop)))

    def _contexts(self, start: int, stop: int, rivals: Sequence[_Rival]) -> Iterator[Context]:
        """Yield the contexts that exclude all rivals, smallest first, and balanced ones first."""
        above, below = start, len(self.lines) - stop
        edge = _edge(rivals)
        for total in range(int(start == stop), min(above + below, 2 * _REACH) + 1):
            sides = range(max(0, total - below), min(above, total) + 1)
            for before in sorted(sides, key=lambda before: (abs(2 * before - total), -before)):
                after = total - before
                if all(before > rival.above or after > rival.below for rival in edge):
                    yield Context(before, after)

    def _doubled(self, contexts: Sequence[Context], start: int, stop: int) -> Iterator[Context]:
        """Yield contexts that are twice as large each time, up to the whole file."""
        above, below = start, len(self.lines) - stop
        size = max((context.cost for context in contexts), default=_REACH)
        while size < max(above, below):
            yield Context(min(size, above), min(size, below))
            size *= 2
        yield Context(above, below)

    def _with_anchors(
        self, contexts: list[Context], start: int, stop: int, rivals: Sequence[_Rival]
    ) -> list[Context]:
        """Add contexts with an anchor where that saves lines, in the order of their size."""
        least = contexts[0].cost if contexts else 2 * _REACH
        found = list(contexts)
        for anchor in islice(self._enclosing(start), _MAX_ENCLOSING):
            end = self._block_end(anchor)
            inside = [rival for rival in rivals if anchor < rival.at < end]
            for context in islice(self._contexts(start, stop, inside), 3):
                anchored = context._replace(anchor=anchor)
                if anchored.cost < least and start - context.before > anchor:
                    found.append(anchored)
        return sorted(found, key=lambda context: context.cost)

    def _enclosing(self, start: int) -> Iterator[int]:
        """Yield the lines around `start` that are indented less and less, if they occur once."""
        here = next((line for line in self.lines[start:] if line.strip()), b"")
        most = len(indentation(here))
        for at in range(start - 1, -1, -1):
            line = self.lines[at]
            if most == 0:
                return
            if line.strip() and len(indentation(line)) < most:
                most = len(indentation(line))
                if len(self._positions[line]) == 1:
                    yield at

    def _block_end(self, anchor: int) -> int:
        """Return where the lines end that are indented deeper than the line at `anchor`."""
        depth = len(indentation(self.lines[anchor]))
        below = enumerate(self.lines[anchor + 1 :], anchor + 1)
        outside = (at for at, line in below if line.strip() and len(indentation(line)) <= depth)
        return next(outside, len(self.lines))

    def _rivals(self, start: int, stop: int) -> list[_Rival]:
        """List the other positions that the changed lines could have, with what is equal there."""
        rivals, lines = [], self.lines
        for at in self._same(start, stop):
            shift = at - start
            above = range(start - 1, start - 1 - min(start, at, _REACH), -1)
            below = range(stop, min(len(lines) - max(shift, 0), stop + _REACH))
            sides = [_common(lines, lines, each, shift) for each in (above, below) if shift]
            rivals += [_Rival(at, *sides)] if sides else []
        return rivals

    def _same(self, start: int, stop: int) -> Iterator[int]:
        """Yield where the old lines from `start` to `stop` occur.

        Between lines, that is anywhere; positions beside lines that differ from those here are
        excluded by any context, and left out.
        """
        if start == stop:
            above = self._positions[self.lines[start - 1]] if start else ()
            below = self._positions[self.lines[start]] if start < len(self.lines) else ()
            yield from sorted({*(at + 1 for at in above), *below})
            return
        lines = self.lines[start:stop]
        rarest = min(range(len(lines)), key=lambda at: len(self._positions[lines[at]]))
        for position in self._positions[lines[rarest]]:
            first = position - rarest
            if first >= 0 and self.lines[first : first + len(lines)] == lines:
                yield first


class _Rival(NamedTuple):
    """Another position, and how many lines above and below it are equal."""

    at: int
    above: int
    below: int


def _edge(rivals: Sequence[_Rival]) -> list[_Rival]:
    """Keep the rivals that no other one surpasses on both sides."""
    edge: list[_Rival] = []
    for rival in sorted(rivals, key=lambda rival: (-rival.above, -rival.below)):
        if not edge or rival.below > edge[-1].below:
            edge.append(rival)
    return edge
