"""Find where runs of lines occur in a file, fast.

Only the lines that some pattern asks for are indexed, so a file costs one pass whatever the
number of patterns, and a pattern with a line that is nowhere costs nothing. A pattern is looked
up by its rarest line. Where even that line is frequent, each line becomes one character and the
pattern a substring, which `str.find` searches for in C.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from git_opatch.model.limits import FEW

MAX_POSITIONS = 10_000
"""Listing stops here; what has more positions is ambiguous whatever the evidence."""

_FIRST_CODE = 0xE000  # above the surrogates
_MAX_CODES = 0x110000 - _FIRST_CODE


class LineIndex:
    """Finds runs of lines in the lines of one file."""

    def __init__(self, lines: Sequence[bytes], wanted: Iterable[bytes]) -> None:
        self._lines = lines
        self._positions: dict[bytes, list[int]] = {line: [] for line in wanted}
        hits = [position for position, line in enumerate(lines) if line in self._positions]
        for position in hits:
            self._positions[lines[position]].append(position)
        self._found: dict[tuple[bytes, ...], list[int]] = {}

    def has_all(self, lines: Iterable[bytes]) -> bool:
        """Return whether all of `lines` were wanted."""
        return self._positions.keys() >= set(lines)

    def positions(self, line: bytes) -> Sequence[int]:
        """List every position of one of the wanted lines."""
        return self._positions[line]

    def find(self, pattern: Sequence[bytes]) -> list[int]:
        """List every position where `pattern` begins, of which some line was wanted.

        If there are more than `MAX_POSITIONS`, the first `MAX_POSITIONS` + 1. Equal patterns
        share one list, so that patterns of one length list no more positions together than the
        file has lines.
        """
        key = tuple(pattern)
        if key not in self._found:
            self._found[key] = self._find(key)
        return self._found[key]

    def _find(self, pattern: tuple[bytes, ...]) -> list[int]:
        indexed = [offset for offset, line in enumerate(pattern) if line in self._positions]
        offset = min(indexed, key=lambda offset: len(self._positions[pattern[offset]]))
        of_rarest = self._positions[pattern[offset]]
        all_coded = len(indexed) == len(pattern) and len(self._positions) < _MAX_CODES
        if len(of_rarest) > FEW and all_coded:
            return self._find_as_substring(pattern)
        starts = (position - offset for position in of_rarest)
        return [start for start in starts if matches_at(pattern, self._lines, start)]

    @cached_property
    def _codes(self) -> dict[bytes, str]:
        found = (line for line, positions in self._positions.items() if positions)
        return {line: chr(_FIRST_CODE + number) for number, line in enumerate(found)}

    @cached_property
    def _coded_file(self) -> str:
        coded = ["\0"] * len(self._lines)
        for line, code in self._codes.items():
            for position in self._positions[line]:
                coded[position] = code
        return "".join(coded)

    def _find_as_substring(self, pattern: Sequence[bytes]) -> list[int]:
        needle = "".join(self._codes[line] for line in pattern)
        starts: list[int] = []
        start = self._coded_file.find(needle)
        while start >= 0 and len(starts) <= MAX_POSITIONS:
            starts.append(start)
            start = self._coded_file.find(needle, start + 1)
        return starts


def matches_at(pattern: Sequence[bytes], lines: Sequence[bytes], start: int) -> bool:
    """Return whether `pattern`, which is not empty, occurs in `lines` at `start`."""
    end = start + len(pattern)
    return (
        0 <= start <= end <= len(lines)
        and lines[start] == pattern[0]
        and tuple(lines[start:end]) == tuple(pattern)
    )
