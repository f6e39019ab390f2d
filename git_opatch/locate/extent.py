"""Lay a hunk that is refused over the file, line by line, for the one who corrects it.

It must not decide anything, nor word it: these are values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from git_opatch.locate.anchors import find
from git_opatch.locate.closest_match import ClosestMatches, Pair
from git_opatch.locate.difference import difference
from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.reading import EQUAL
from git_opatch.locate.scope import encloses
from git_opatch.model.extent import Elsewhere, Extent, ExtentLine, Mark, Named
from git_opatch.model.limits import FEW, MANY, SHOWN
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.sentences import Difference

_AROUND, _OPENING = 2, 5
"""Lines of the file that are shown above and below; and below what a patch names."""
_WORD = re.compile(rb"[\w\x80-\xff]")


def extent_of(steps: Iterable[tuple[Line, int | None, bool]], file: FileIndex) -> Extent:
    """Return the extent of a hunk that has a place: of each line its row, if it has one, and
    whether the hunk shows it."""
    all_steps = [*steps]
    changes = [False, *(line.prefix is not Prefix.CONTEXT for line, _, _ in all_steps), False]
    laid = [
        ExtentLine(
            Mark.THERE if is_shown else Mark.IN_FILE,
            row,
            file.lines[row],
            line if is_shown else None,
            is_near=any(changes[at : at + 3]),
        )
        for at, (line, row, is_shown) in enumerate(all_steps)
        if row is not None
    ]
    return Overlay(file).framed(laid)


class Overlay:
    """Lays hunks over `file`, with the differences that the grade `most` does not tolerate."""

    def __init__(self, file: FileIndex, most: int = EQUAL) -> None:
        self._file = file
        self._lines = file.lines
        self._most = most

    def extent(self, hunk: Hunk, pairs: Sequence[Pair], absent: Prefix = Prefix.ADDED) -> Extent:
        """Lay the lines of `hunk`, but for the `absent` ones, over the file as `pairs` say."""
        shown = [line for line in hunk.lines if line.prefix is not absent]
        near = _near_changes(hunk, absent)
        laid = [*self._laid(shown, near, pairs, self._most)]
        first = self._first(laid)
        if first is None and self._most > EQUAL:  # all is tolerated: it is shown where it differs
            first = self._first([*self._laid(shown, near, pairs, EQUAL)])
        return self.framed(laid)._replace(first=first)

    def framed(self, laid: Sequence[ExtentLine]) -> Extent:
        """Return the extent of lines that are laid, with those around them, and what it is in."""
        own = [each.position for each in laid if each.position is not None]
        inside = name_enclosing(own[:1], self._file)
        lines = (*self._around(own, -1), *laid, *self._around(own, 1))
        return Extent(lines[:MANY], inside=next(iter(inside), None))

    def _laid(
        self, shown: Sequence[Line], near: Sequence[bool], pairs: Sequence[Pair], most: int
    ) -> Iterator[ExtentLine]:
        at, row = pairs[0]
        for to, stop in pairs:
            yield from (
                ExtentLine(Mark.IN_FILE, each, self._lines[each]) for each in self._rows(row, stop)
            )
            missing = zip(shown[at:to], near[at:to], strict=True)
            yield from (
                ExtentLine(Mark.IN_PATCH, line=line, is_near=is_near) for line, is_near in missing
            )
            yield self._pair(shown[to], stop, most)._replace(is_near=near[to])
            at, row = to + 1, stop + 1

    def _rows(self, first: int, stop: int) -> range:
        return range(max(first, 0), min(stop, len(self._lines)))

    def _pair(self, line: Line, row: int, most: int) -> ExtentLine:
        if not 0 <= row < len(self._lines):
            what = Difference.FILE_BEGINS if row < 0 else Difference.FILE_ENDS
            return ExtentLine(Mark.IN_PATCH, line=line, difference=what)
        file, is_context, found = self._file, line.prefix is Prefix.CONTEXT, self._lines[row]
        text = file.normal(line.text)
        match = file.match(is_context, text, found, file.prose.includes(row))
        if match is not None and match.grade <= most:
            return ExtentLine(Mark.THERE, row, found, line)
        return ExtentLine(Mark.OTHER, row, found, line, *difference(text, found))

    def _first(self, laid: Sequence[ExtentLine]) -> ExtentLine | None:
        """Return the first difference: with the line of the patch, and the position, beside it."""
        at = next((at for at, each in enumerate(laid) if each.mark is not Mark.THERE), None)
        if at is None or laid[at].mark is Mark.OTHER:
            return None if at is None else laid[at]
        rest, first = laid[at:], laid[at]
        run = next((n for n, each in enumerate(rest) if each.mark is not first.mark), len(rest))
        if first.position is not None:
            last = f"-{first.position + run}" * (run > 1)
            between = {"between": f"line{'s' * (run > 1)} {first.position + 1}{last}"}
            return first._replace(
                line=rest[run].line, difference=Difference.LEFT_OUT, values=between
            )
        below = next((each.position for each in rest if each.position is not None), None)
        position = len(self._lines) if below is None else below
        text = None if below is None else self._lines[below]
        if first.difference:
            return first._replace(position=position, text=text)
        surplus = {"count": run}
        return ExtentLine(first.mark, position, text, first.line, Difference.SURPLUS, surplus)

    def _around(self, own: Sequence[int], step: int) -> Iterator[ExtentLine]:
        if own:
            first = own[0] - _AROUND if step < 0 else own[-1] + 1
            for row in self._rows(first, first + _AROUND):
                yield ExtentLine(Mark.AROUND, row, self._lines[row])


def _near_changes(hunk: Hunk, absent: Prefix) -> list[bool]:
    """Return of each line, but the `absent` ones, whether it changes, or is next to what does."""
    changes = [False, *(line.prefix is not Prefix.CONTEXT for line in hunk.lines), False]
    return [
        any(changes[at : at + 3]) for at, line in enumerate(hunk.lines) if line.prefix is not absent
    ]


def with_places(extent: Extent, hunk: Hunk, matches: ClosestMatches, file: FileIndex) -> Extent:
    """Add which old lines of `hunk` are nowhere, where those that change are, and its anchor."""
    old = [line for line in hunk.preimage if line.text.strip()]
    there = {id(each.line) for each in extent.lines if each.mark is Mark.THERE}
    nowhere = [line for line in old if id(line) not in there and not matches.rows(line)]
    near = [
        line
        for line, is_near in zip(hunk.preimage, _near_changes(hunk, Prefix.ADDED), strict=True)
        if is_near or not extent.lines
    ]
    wanted = [line for line in near if _WORD.search(line.text) and id(line) not in there]
    shown = {*extent.positions}
    named = _named(extent, hunk, file)
    if named and len(named.positions) == 1:
        named = named._replace(around=_unseen(named.positions[0], (0, _OPENING), file, shown))
    found = _elsewhere(wanted, extent, matches, file)
    elsewhere = [
        each._replace(around=_unseen(each.positions[0], (_AROUND, _AROUND), file, shown))
        if len(each.positions) == 1
        else each
        for each in islice(found, SHOWN)
    ]
    return extent._replace(
        nowhere=tuple(nowhere),
        elsewhere=tuple(elsewhere),
        named=named,
        added=tuple(_already_there(hunk, file)),
        total=len(old),
    )


def _already_there(hunk: Hunk, file: FileIndex) -> Iterator[Elsewhere]:
    """Yield the blocks of lines that `hunk` adds, two with words at least, that the file has."""
    for prefix, run in groupby(hunk.lines, lambda line: line.prefix):
        lines = [line for line in run if prefix is Prefix.ADDED]
        while lines and not lines[-1].text.strip():
            del lines[-1]
        if len([line for line in lines if _WORD.search(line.text)]) > 1:
            rows = file.runs([file.normal(line.text) for line in lines])
            if len(rows) == 1:
                yield Elsewhere(lines[0], tuple(range(rows[0], rows[0] + len(lines))))


def _unseen(
    row: int, around: tuple[int, int], file: FileIndex, shown: set[int]
) -> tuple[ExtentLine, ...]:
    """Return the lines around `row` that are not `shown`, and note that they are."""
    rows = range(max(row - around[0], 0), min(row + around[1] + 1, len(file.lines)))
    found = tuple(ExtentLine(Mark.AROUND, at, file.lines[at]) for at in rows if at not in shown)
    shown.update(rows)
    return found


def _elsewhere(
    wanted: Sequence[Line], extent: Extent, matches: ClosestMatches, file: FileIndex
) -> Iterator[Elsewhere]:
    """Yield where those lines are, or a line like one of them."""
    shown = {*extent.positions}
    for line in wanted:
        rows = matches.rows(line)
        if rows:
            if len(rows) <= FEW:
                yield Elsewhere(line, tuple(rows[: SHOWN + 1]))
            continue
        row = next(iter(matches.rows_like(line)), None)
        if row is not None and shown.isdisjoint(matches.rows_like(line)):
            yield Elsewhere(line, (row,), file.lines[row])


def _named(extent: Extent, hunk: Hunk, file: FileIndex) -> Named | None:
    """Return where the last of the anchors of `hunk` is that the lines are not in."""
    first, stop = min(extent.positions, default=-1), max(extent.positions, default=-1) + 1
    for anchor in reversed(hunk.anchors):
        each = find(anchor, file)
        if (each.rows or each.named) and not encloses(each.rows, first, stop, file):
            return Named(anchor.text, tuple(each.rows[: SHOWN + 1]))
    return None
