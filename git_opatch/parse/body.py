"""The lines of a hunk as the places in the text where they stand, each made when it is asked for.

A line of two bytes is two hundred as a value, and of most hunks that are only parsed no line is
ever looked at. What is kept is runs of lines that stand one below the other.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from git_opatch.parse.lines import Lines
from git_opatch.parse.reread import Made
from git_opatch.patch import Line, Mark
from git_opatch.text import without_cr

_MARKS = {mark.value.encode(): mark for mark in Mark}
_KINDS = (None, *Mark)
_RUN = 3
_PIECE = 1000
"""So many lines are cut out of the text at a time."""
_MOST_KEPT = 10_000
"""The lines of a hunk that has no more are kept once they are made; they are asked for often."""


def mark_of(line: bytes) -> Mark | None:
    """The mark that `line` begins with; None if it has none. One that is empty is context."""
    return Mark.CONTEXT if line in (b"", b"\r") else _MARKS.get(line[:1])


class Body(Made[Line]):
    """Lines of `lines`, of which `cut` leaves what counts."""

    __slots__ = ("_cut", "_kept", "_lines", "_runs", "_size", "unended")

    def __init__(self, lines: Lines, cut: Callable[[bytes], bytes] | None = None) -> None:
        self._lines, self._cut = lines, cut
        self._runs = array(lines.code)
        """For each run: how many lines are before it, where it begins in the text, its kind."""
        self._size = 0
        self.unended: Sequence[int] = ()
        """Those of the lines that are said to have no newline, in order."""
        self._kept: tuple[Line, ...] | None = None

    def add(self, at: int, count: int = 1, mark: Mark | None = None) -> None:
        """Add so many lines from `at` on, which are all `mark`; without it, each says its own."""
        if not count:
            return
        runs, kind = self._runs, _KINDS.index(mark) if mark else 0
        if not runs or runs[-1] != kind or at != runs[-2] + self._size - runs[-3]:
            runs.extend((self._size, at, kind))
        self._size += count

    @property
    def number(self) -> int:
        """The number of the first line, of which there is one."""
        return self._lines.number(self._runs[1])

    def pop(self) -> None:
        """Take the last line away."""
        self._size -= 1
        if self._size == self._runs[-_RUN]:
            del self._runs[-_RUN:]

    def end_without_newline(self) -> None:
        """Let the last line have no newline."""
        if not isinstance(self.unended, array):
            self.unended = array(self._lines.code)
        self.unended.append(self._size - 1)

    def _has_newline(self, index: int) -> bool:
        if not self.unended:
            return True
        found = bisect_left(self.unended, index)
        return found == len(self.unended) or self.unended[found] != index

    def __len__(self) -> int:
        """How many lines there are."""
        return self._size

    def __iter__(self) -> Iterator[Line]:
        """The lines."""
        if self._size > _MOST_KEPT:
            return self._made()
        if self._kept is None:
            self._kept = tuple(self._made())
        return iter(self._kept)

    def _at(self, index: int) -> Line:
        if self._kept is not None:
            return self._kept[index]
        run = bisect_right(range(0, len(self._runs), _RUN), index, key=self._runs.__getitem__) - 1
        first, at, kind = self._runs[_RUN * run : _RUN * (run + 1)]
        at += index - first
        return self._line(index, at, self._lines[at], _KINDS[kind])

    def _made(self) -> Iterator[Line]:
        runs = self._runs
        for start in range(0, len(runs), _RUN):
            first, at, kind = runs[start : start + _RUN]
            stop = runs[start + _RUN] if start + _RUN < len(runs) else self._size
            for piece in range(first, stop, _PIECE):
                count = min(stop - piece, _PIECE)
                for index, text in enumerate(self._texts(at, at + count)):
                    yield self._line(piece + index, at + index, text, _KINDS[kind])
                at += count

    def _texts(self, start: int, stop: int) -> Iterable[bytes]:
        texts = self._lines.between(start, stop).split(b"\n")
        return map(without_cr, texts) if self._lines.crlf else texts

    def _line(self, index: int, at: int, text: bytes, mark: Mark | None) -> Line:
        text = self._cut(text) if self._cut else text
        newline, number = self._has_newline(index), self._lines.number(at)
        if mark is not None:
            return Line(mark, text, newline, number)
        said = mark_of(text)
        marked = said is not None
        text = text[1:] if marked and text != b"\r" else text
        return Line(said or Mark.CONTEXT, text, newline, number, marked)
