"""Where do these lines stand? The only place that knows how it is made fast.

Only lines that some pattern asks for are indexed, so a file costs one pass whatever the
number of patterns, and a pattern with one line that is nowhere costs nothing. A pattern
is looked up by its rarest line; where even that one is frequent, lines become characters
and the pattern a substring, searched for in C.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

MOST_PLACES = 10_000
"""Listing stops here; what has more places is ambiguous whatever else is said."""

_FEW = 64
_FIRST_CODE = 0xE000  # above the surrogates
_MOST_CODES = 0x110000 - _FIRST_CODE


class Seeker:
    """Finds runs of lines in the lines of one file."""

    def __init__(self, lines: Sequence[bytes], wanted: Iterable[bytes]) -> None:
        self._lines = lines
        self._positions: dict[bytes, list[int]] = {line: [] for line in wanted}
        hits = [at for at, line in enumerate(lines) if line in self._positions]
        for at in hits:
            self._positions[lines[at]].append(at)
        self._places: dict[tuple[bytes, ...], list[int]] = {}

    def positions(self, line: bytes) -> Sequence[int]:
        """Every position of one wanted line."""
        return self._positions[line]

    def places(self, pattern: Sequence[bytes]) -> list[int]:
        """Every position where `pattern`, which is not empty, begins; the first
        `MOST_PLACES` + 1 if there are more.

        Equal patterns share one list, so that patterns of one length list no more places
        together than the file has lines.
        """
        key = tuple(pattern)
        if key not in self._places:
            self._places[key] = self._find(key)
        return self._places[key]

    def _find(self, pattern: tuple[bytes, ...]) -> list[int]:
        positions = [self._positions[line] for line in pattern]
        candidates = min(positions, key=len)
        if len(candidates) > _FEW and len(self._positions) < _MOST_CODES:
            return self._places_of_many(pattern)
        rarest = positions.index(candidates)
        return [at - rarest for at in candidates if stands(pattern, self._lines, at - rarest)]

    @cached_property
    def _codes(self) -> dict[bytes, str]:
        found = (line for line, positions in self._positions.items() if positions)
        return {line: chr(_FIRST_CODE + number) for number, line in enumerate(found)}

    @cached_property
    def _coded(self) -> str:
        coded = ["\0"] * len(self._lines)
        for line, code in self._codes.items():
            for at in self._positions[line]:
                coded[at] = code
        return "".join(coded)

    def _places_of_many(self, pattern: Sequence[bytes]) -> list[int]:
        needle = "".join(self._codes[line] for line in pattern)
        places: list[int] = []
        at = self._coded.find(needle)
        while at >= 0 and len(places) <= MOST_PLACES:
            places.append(at)
            at = self._coded.find(needle, at + 1)
        return places


def stands(pattern: Sequence[bytes], lines: Sequence[bytes], start: int) -> bool:
    """Whether `pattern`, which is not empty, stands in `lines` at `start`."""
    end = start + len(pattern)
    return (
        0 <= start <= end <= len(lines)
        and lines[start] == pattern[0]
        and tuple(lines[start:end]) == tuple(pattern)
    )
