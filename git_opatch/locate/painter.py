"""Pictures of a file: a hunk laid over it, what is around that, and what it is in.

It must not choose a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from git_opatch.locate.difference import difference
from git_opatch.locate.file import File
from git_opatch.locate.heads import closes
from git_opatch.locate.reading import Reading
from git_opatch.model.limits import MANY, SHOWN
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.picture import Enclosing, Mark, Picture, Row
from git_opatch.model.sentences import Difference
from git_opatch.model.text import indentation

_AROUND, BLOCK = 2, 10
"""Lines above and below a hunk; so many of a definition."""


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
