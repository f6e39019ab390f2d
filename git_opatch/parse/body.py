"""The lines of a hunk, stored as positions in the text; each `Line` is made on access.

A line of two bytes takes two hundred as a value, and most hunks are only parsed. Consecutive lines
are stored as one run.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from git_opatch.model.patch import Line, Prefix
from git_opatch.model.text import without_cr
from git_opatch.parse.lines import Lines
from git_opatch.parse.reread import LazySequence

_PREFIXES = {prefix.value.encode(): prefix for prefix in Prefix}
_KINDS = (None, *Prefix)
"""What the lines of a run are; None: each line has a prefix of its own."""
_RUN = 3
"""How many numbers are stored for a run."""
_SLICE = 1000
"""How many lines are split at a time."""
_MAX_KEPT = 10_000
"""The lines of a hunk with no more are kept once they are made: they are asked for often."""


def prefix_of(line: bytes) -> Prefix | None:
    """Return the prefix of `line`; None if it has none. An empty line is context."""
    return Prefix.CONTEXT if line in (b"", b"\r") else _PREFIXES.get(line[:1])


class Body(LazySequence[Line]):
    """Lines of a hunk that are in `lines`, each after `dedent`."""

    __slots__ = ("_dedent", "_kept", "_lines", "_runs", "_size", "unended")

    def __init__(self, lines: Lines, dedent: Callable[[bytes], bytes] | None = None) -> None:
        self._lines, self._dedent = lines, dedent
        self._runs = array(lines.typecode)
        """For each run: its index in the hunk, its position in the text, its kind."""
        self._size = 0
        self.unended: Sequence[int] = ()
        """The indexes of the lines that have no newline, in order."""
        self._kept: tuple[Line, ...] | None = None

    def add(self, at: int, count: int = 1, prefix: Prefix | None = None) -> None:
        """Add `count` lines from position `at` on; with `prefix`, the text has no prefixes."""
        if not count:
            return
        runs, kind = self._runs, _KINDS.index(prefix) if prefix else 0
        if not runs or runs[-1] != kind or at != runs[-2] + self._size - runs[-3]:
            runs.extend((self._size, at, kind))
        self._size += count

    @property
    def number(self) -> int:
        """The number of the first line; there must be one."""
        return self._lines.number(self._runs[1])

    def pop(self) -> None:
        """Remove the last line."""
        self._size -= 1
        if self._size == self._runs[-_RUN]:
            del self._runs[-_RUN:]

    def end_without_newline(self) -> None:
        """Record that the last line has no newline."""
        if not isinstance(self.unended, array):
            self.unended = array(self._lines.typecode)
        self.unended.append(self._size - 1)

    def _has_newline(self, index: int) -> bool:
        if not self.unended:
            return True
        found = bisect_left(self.unended, index)
        return found == len(self.unended) or self.unended[found] != index

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Line]:
        if self._size > _MAX_KEPT:
            return self._make_all()
        if self._kept is None:
            self._kept = tuple(self._make_all())
        return iter(self._kept)

    def _get(self, index: int) -> Line:
        if self._kept is not None:
            return self._kept[index]
        run = bisect_right(range(0, len(self._runs), _RUN), index, key=self._runs.__getitem__) - 1
        first, at, kind = self._runs[_RUN * run : _RUN * (run + 1)]
        at += index - first
        return self._make(index, at, self._lines[at], _KINDS[kind])

    def _make_all(self) -> Iterator[Line]:
        runs = self._runs
        for start in range(0, len(runs), _RUN):
            first, at, kind = runs[start : start + _RUN]
            stop = runs[start + _RUN] if start + _RUN < len(runs) else self._size
            for index in range(first, stop, _SLICE):
                count = min(stop - index, _SLICE)
                for offset, text in enumerate(self._split(at, at + count)):
                    yield self._make(index + offset, at + offset, text, _KINDS[kind])
                at += count

    def _split(self, start: int, stop: int) -> Iterable[bytes]:
        texts = self._lines.between(start, stop).split(b"\n")
        return map(without_cr, texts) if self._lines.crlf else texts

    def _make(self, index: int, at: int, text: bytes, prefix: Prefix | None) -> Line:
        text = self._dedent(text) if self._dedent else text
        newline, number = self._has_newline(index), self._lines.number(at)
        if prefix is not None:
            return Line(prefix, text, newline, number)
        own = prefix_of(text)
        has_prefix = own is not None
        text = text[1:] if has_prefix and text != b"\r" else text
        return Line(own or Prefix.CONTEXT, text, newline, number, has_prefix)
