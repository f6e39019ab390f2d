"""Sequences of sections and hunks that keep a bounded number of values and parse the others again.

A hunk of five bytes takes six hundred as a value, and a patch is mostly read value by value. All
values are kept unless they are tiny and many; of the others only their positions are kept.

    kept values ── positions: (source, at …) ──Source.parse──▶ value
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import eq
from typing import Protocol, TypeVar, overload

from git_opatch.model.patch import FilePatch, Hunk
from git_opatch.parse.lines import Lines, typecode_for

T = TypeVar("T")

_MIN_KEPT = 1000
_BYTES_PER_VALUE = 320
"""A value takes two to four times as much memory; most hunks and sections are as long."""
_MAX_SOURCES = 64
"""How many sources are remembered, so that each is stored once; most texts have one."""


class Budget:
    """The number of values of one kind that may be kept for a text of `size` bytes.

    `typecode` is that of an array which can hold any position in the text.
    """

    __slots__ = ("_left", "typecode")

    def __init__(self, size: int = 0) -> None:
        self._left = _MIN_KEPT + size // _BYTES_PER_VALUE
        self.typecode = typecode_for(size)

    def spend(self) -> bool:
        """Spend the budget for one value; False if none is left."""
        self._left -= 1
        return self._left >= 0


class Source(Protocol):
    """Parses values again in the state in which they were parsed first. Hashable."""

    def derive_lines(self, origin: int) -> Lines:
        """Return the lines that hold the values; `origin` is their position in the outer text."""

    def parse(self, lines: Lines, at: int, end: int) -> object:
        """Parse the value at position `at` of `lines`, which are read up to `end`."""


class LazySequence(Sequence[T]):
    """A sequence whose values are made on access; equal to a tuple of them."""

    __slots__ = ()

    @abstractmethod
    def _get(self, index: int) -> T:
        """Return the value at `index`, which is not negative."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        chosen = range(len(self))[index]
        return self._get(chosen) if isinstance(chosen, int) else tuple(map(self._get, chosen))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LazySequence | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))  # as the tuple that it may equal

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        """Copy and pickle as a tuple."""
        return tuple, (tuple(self),)

    def __repr__(self) -> str:
        return repr(tuple(self))


class RereadSequence(LazySequence[T]):
    """Parsed values, as many of them kept as the budget allows."""

    __slots__ = ("_budget", "_kept", "_numbers", "_positions", "_sources")
    _WIDTH: int
    """How many numbers are stored for a value that is not kept: its source and its position."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._kept: list[T] = []
        self._positions = array(budget.typecode)
        self._sources: list[Source] = []
        self._numbers: dict[Source, int] = {}

    def add(self, value: T, source: Source, *position: int) -> None:
        """Add `value`, which `source` can parse again at `position`."""
        if not self._positions and self._budget.spend():
            self._kept.append(value)
            return
        number = self._numbers.get(source)
        if number is None:
            if len(self._numbers) == _MAX_SOURCES:
                self._numbers.clear()
            number = self._numbers[source] = len(self._sources)
            self._sources.append(source)
        self._positions.extend((number, *position))

    def values(self) -> Sequence[T]:
        """Return all values: a tuple if all of them are kept."""
        return self if self._positions else tuple(self._kept)

    def __len__(self) -> int:
        return len(self._kept) + len(self._positions) // self._WIDTH

    def __iter__(self) -> Iterator[T]:
        return chain(self._kept, map(self._parse_again, range(len(self._kept), len(self))))

    def _get(self, index: int) -> T:
        return self._kept[index] if index < len(self._kept) else self._parse_again(index)

    def _parse_again(self, index: int) -> T:
        start = self._WIDTH * (index - len(self._kept))
        number, *position = self._positions[start : start + self._WIDTH]
        value: T = self._parse(self._sources[number], *position)  # type: ignore[assignment]
        return value

    @abstractmethod
    def _parse(self, source: Source, *position: int) -> object:
        """Let `source` parse the value at `position`."""


class SectionList(RereadSequence[FilePatch]):
    """The sections of a whole text; a position is (start, end, origin of the lines)."""

    __slots__ = ("_derived",)
    _WIDTH = 4

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        self._derived: tuple[tuple[Source, int], Lines] | None = None
        """The lines that were derived last: neighbouring sections often share them."""

    def _parse(self, source: Source, *position: int) -> object:
        at, end, origin = position
        key = source, origin
        if self._derived is None or self._derived[0] != key:
            self._derived = key, source.derive_lines(origin)
        return source.parse(self._derived[1], at, end)


class HunkList(RereadSequence[Hunk]):
    """The hunks of one section, numbered from 1; a position is (start) in `lines`."""

    __slots__ = ("_end", "_lines")
    _WIDTH = 2

    def __init__(self, budget: Budget, lines: Lines, end: int) -> None:
        super().__init__(budget)
        self._lines, self._end = lines, end

    def values(self) -> Sequence[Hunk]:
        """Return all hunks, the last one marked as such: a tuple if all of them are kept."""
        if not self._positions:
            self._kept[-1:] = [replace(hunk, is_last=True) for hunk in self._kept[-1:]]
        return super().values()

    def _parse(self, source: Source, *position: int) -> object:
        return source.parse(self._lines, position[0], self._end)

    def _parse_again(self, index: int) -> Hunk:
        is_last = index == len(self) - 1
        return replace(super()._parse_again(index), ordinal=index + 1, is_last=is_last)
