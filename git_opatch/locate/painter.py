"""Pictures of a file: a hunk laid over it, what is around that, and what it is in.

It must not choose a place: of several it only says what tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from git_opatch.locate.difference import difference
from git_opatch.locate.file import File
from git_opatch.locate.heads import closes, is_definition
from git_opatch.locate.reading import Reading
from git_opatch.model.limits import MANY, NEAR, SHOWN
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.picture import Enclosing, Mark, Means, Picture, Row, Suggestion
from git_opatch.model.sentences import Detail, Difference
from git_opatch.model.text import indentation

_AROUND, BLOCK, _REACH = 2, 10, 12
"""Lines above and below a hunk; so many of a definition; how far what tells apart may be."""


class Painter:
    """Draws pictures of a file; `loosely` is whether whitespace may differ."""

    def __init__(self, file: File, *, loosely: bool) -> None:
        self.file, self._loosely = file, loosely

    def row(self, line: Line | None, at: int | None) -> Row:
        """Pair a line of the patch with one of the file; one of them may be missing."""
        if at is None:
            return Row(Mark.IN_PATCH, line=line)
        text = self.file.lines[at]
        if line is None:
            return Row(Mark.IN_FILE, at, text)
        if self._is_same(line, text):
            return Row(Mark.THERE, at, text, line)
        what, values = difference(self.file.texts([line])[0], text)
        note = "" if what is Difference.TEXT else what.fill(**values)
        return Row(Mark.OTHER, at, text, line, note)

    def _is_same(self, line: Line, text: bytes) -> bool:
        (written,) = self.file.texts([line])
        return written == text or (self._loosely and written.split() == text.split())

    def around(self, first: int, stop: int, mark: Mark = Mark.AROUND) -> list[Row]:
        """Return rows of the file alone."""
        rows = range(max(first, 0), min(stop, len(self.file.lines)))
        return [Row(mark, at, self.file.lines[at]) for at in rows]

    def those(self, rows: Iterable[int]) -> tuple[Row, ...]:
        """Return single rows of the file."""
        return tuple(Row(Mark.AROUND, at, self.file.lines[at]) for at in rows)

    def frame(self, title: str, rows: Sequence[Row], below: int = _AROUND) -> Picture:
        """Return a picture of rows with those around them, and what they are in."""
        shown = [row.position for row in rows if row.position is not None]
        inside = next(iter(enclosing(shown[:1], self.file)), None)
        if shown:
            above, under = self.around(shown[0] - _AROUND, shown[0]), shown[-1] + 1
            rows = [*above, *rows, *self.around(under, under + below)]
        return Picture(title, (*rows[:MANY],), inside)

    def laid(self, hunk: Hunk, pairs: Iterable[tuple[int, int | None]]) -> list[Row]:
        """Lay `hunk` over the file as `pairs` of its old lines say."""
        there = {at: row for at, row in pairs if row is not None}
        rows: list[Row] = []
        at, below = 0, min(there.values(), default=0)
        for line in hunk.lines:
            if line.prefix is Prefix.ADDED:
                rows.append(Row(Mark.ADDED, line=line))
                continue
            if (place := there.get(at)) is not None:
                rows += self.around(below, place, Mark.IN_FILE)
                below = place + 1
            rows.append(self.row(line, place))
            at += 1
        return rows

    def of_reading(self, title: str, reading: Reading, below: int = _AROUND) -> Picture:
        """Draw a hunk that has a place."""
        lines = self.file.lines
        return self.frame(
            title,
            [
                Row(Mark.THERE, row, lines[row], line)
                for line, row in reading.steps
                if row is not None
            ],
            below,
        )

    def block(self, first: int) -> range:
        """Return the lines of the definition at `first`: those that are deeper, and its end."""
        lines = self.file.lines
        depth = len(indentation(lines[first]))
        end = first + 1
        while end < len(lines) and end - first < MANY:
            is_outside = len(indentation(lines[end])) <= depth and not closes(lines[end])
            if lines[end].strip() and is_outside and not lines[end].startswith(b"{"):
                break
            end += 1
        while end > first + 1 and not lines[end - 1].strip():
            end -= 1
        return range(first, end)


def enclosing(positions: Sequence[int], file: File) -> tuple[Enclosing, ...]:
    """Name the head that the first of `positions` are below and in."""
    inside = ((at, next(heads_around(at, file), None)) for at in positions[:SHOWN])
    return tuple(Enclosing(at, row, file.lines[row]) for at, row in inside if row is not None)


def heads_around(position: int, file: File) -> Iterator[int]:
    """Yield the heads around a line, the innermost first; at the margin, the title above it."""
    depth = len(indentation(file.lines[position])) if position < len(file.lines) else 0
    for row in range(position - 1, max(position - MANY, 0) - 1, -1):
        line = file.lines[row]
        if not line.strip() or (depth and len(indentation(line)) >= depth):
            continue
        rank = file.heads.rank(row)
        if rank and (rank[0] or rank[1] < depth):
            yield row
            if rank[0]:
                return
            depth = rank[1]


# ---------------------------------------------------------------- what tells places apart


def candidates(
    positions: Sequence[int],
    told: Sequence[Suggestion],
    file: File,
    size: int,
    hunk: Hunk | None = None,
    leave_out: str = "",
) -> list[Picture]:
    """Draw the first places that a hunk, or a string, could go to, and what tells them apart."""
    painter, by_place = Painter(file, loosely=True), {each.candidate: each for each in told}
    pictures = []
    for at in positions[:SHOWN]:
        each = by_place.get(at)
        above = each.distance if each and each.means is Means.ABOVE else 0
        below = each.distance if each and each.means is Means.BELOW else 0
        pairs = ((n, at + n if at + n < len(file.lines) else None) for n in range(size))
        rows = [
            *painter.around(at - above, at, Mark.DECIDES),
            *(painter.laid(hunk, pairs) if hunk else painter.around(at, at + size, Mark.THERE)),
            *painter.around(at + size, at + size + below, Mark.DECIDES),
        ]
        rows = [row for row in rows if row.mark is not Mark.ADDED]
        advice = said_of(each) + leave_out * (each.means is not Means.ANCHOR) if each else ""
        pictures.append(painter.frame("", rows)._replace(advice=advice))
    return pictures


def definition_of(picture: Picture, file: File) -> tuple[Suggestion, ...]:
    """Suggest the definition that a hunk shows above its first change, or that it is in."""
    rows = takewhile(lambda row: not row.changes, picture.rows)
    shown = [row.position for row in rows if row.line and row.position is not None]
    texts = [file.lines[at] for at in shown if is_definition(file.lines[at])][-1:]
    texts = texts or [each.text for each in (picture.inside,) if each]
    return tuple(Suggestion(Means.ANCHOR, text.strip()) for text in texts)


def said_of(each: Suggestion) -> str:
    """Say what to write for a candidate."""
    many = each.distance > 1
    detail = {
        Means.ANCHOR: Detail.ANCHOR,
        Means.ABOVE: Detail.LINES_ABOVE if many else Detail.LINE_ABOVE,
        Means.BELOW: Detail.LINES_BELOW if many else Detail.LINE_BELOW,
    }[each.means]
    return detail.fill(at=(each.candidate or 0) + 1, line=each.text.strip(), count=each.distance)


def tell_apart(
    positions: Sequence[int], size: int, file: File, *, has_anchors: bool
) -> Iterator[Suggestion]:
    """Suggest for each position the nearest head that no other is in, else the nearest line."""
    if len(positions) > NEAR:
        return
    names = {
        at: [file.lines[row].strip() for row in heads_around(at, file)] for at in positions[:SHOWN]
    }
    for at in names:
        others = {name for other in names if other != at for name in names[other]}
        name = next((name for name in names[at] if name not in others), None)
        if name and has_anchors and len(positions) <= SHOWN:
            yield Suggestion(Means.ANCHOR, name, at)
        else:
            yield from _nearest_line(at, positions, size, file)


def _nearest_line(at: int, positions: Sequence[int], size: int, file: File) -> Iterator[Suggestion]:
    """Yield the nearest line above or below that no other position has there."""
    for distance in range(1, _REACH):
        for means, by in ((Means.ABOVE, -distance), (Means.BELOW, size + distance - 1)):
            others = (x + by for x in positions if x != at)
            beside = [file.lines[x].split() for x in others if 0 <= x < len(file.lines)]
            line = file.lines[at + by] if 0 <= at + by < len(file.lines) else b""
            if line.strip() and line.split() not in beside:
                yield Suggestion(means, line, at, distance)
                return
