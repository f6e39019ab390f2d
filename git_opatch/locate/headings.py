"""The headings of one file, each part of it read when it is asked for.

A heading costs several patterns for each line, and most hunks ask only about the lines near them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.locate.outline import OutlineKind, heading_at

_BLOCK = 32
"""So many lines are read at once: what is read is kept, so that none is read twice."""


class Headings:
    """The positions of headings in `lines`, but for those in `changed`, which other hunks wrote."""

    def __init__(self, lines: Sequence[bytes], changed: Sequence[range]) -> None:
        self._lines = lines
        self._changed = {position for written in changed for position in written}
        self._blocks: dict[int, list[tuple[int, OutlineKind]]] = {}
        self._first: dict[tuple[OutlineKind, int], int] = {}

    def between(self, kind: OutlineKind, start: int, stop: int) -> Iterator[int]:
        """Yield those of one kind from `start` to `stop`, in order."""
        stop = min(stop, len(self._lines))
        for block in range(start // _BLOCK, -(-stop // _BLOCK)):
            for position, found in self._block(block):
                if found is kind and start <= position < stop:
                    yield position

    def of(self, kind: OutlineKind) -> Iterator[int]:
        """Yield all of one kind, in order."""
        return self.between(kind, 0, len(self._lines))

    def first(self, kind: OutlineKind, start: int) -> int:
        """Return the first of one kind that is not before `start`; else the end of the file."""
        key = kind, start
        if key not in self._first:
            end = len(self._lines)
            self._first[key] = next(self.between(kind, start, end), end)
        return self._first[key]

    def _block(self, number: int) -> list[tuple[int, OutlineKind]]:
        if number not in self._blocks:
            start = number * _BLOCK
            self._blocks[number] = [
                (position, kind)
                for position in range(start, min(start + _BLOCK, len(self._lines)))
                if position not in self._changed and (kind := heading_at(self._lines, position))
            ]
        return self._blocks[number]
