"""Hunks and sections of which only the first are kept; the others are read again when asked for.

A hunk of five bytes is six hundred as a value, and whoever goes through a patch needs one after
the other. All are kept unless they are tiny, and many: of the rest it is known where they stand.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import eq
from typing import TYPE_CHECKING, TypeVar, overload

from git_opatch.parse.lines import code_for
from git_opatch.patch import FilePatch, Hunk

if TYPE_CHECKING:
    from git_opatch.parse.cursor import Cursor, Source
    from git_opatch.parse.lines import Lines

T = TypeVar("T")

_SURELY_KEPT = 1000
_BYTES_EACH = 320
"""A value takes two to four times as much memory; most hunks and sections are as long."""
_MOST_KNOWN = 64
"""A source is known again among so many; most texts have one."""


class Room:
    """How many values of a kind can be kept of a text of `size` bytes.

    `code` is that of an array that can hold any position in it.
    """

    __slots__ = ("_left", "code")

    def __init__(self, size: int = 0) -> None:
        self._left = _SURELY_KEPT + size // _BYTES_EACH
        self.code = code_for(size)

    def take(self) -> bool:
        """Take the room for a value, if there is any."""
        self._left -= 1
        return self._left >= 0


class Made(Sequence[T]):
    """Values that are made when they are asked for; equal to a tuple of them."""

    __slots__ = ()

    @abstractmethod
    def _at(self, index: int) -> T:
        """The value at `index`, which is not negative."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """The value at `index`, or those of a slice."""
        at = range(len(self))[index]
        return self._at(at) if isinstance(at, int) else tuple(map(self._at, at))

    def __eq__(self, other: object) -> bool:
        """Whether the same values stand in `other`."""
        if not isinstance(other, Made | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        """That of the values in a tuple, since that can be equal."""
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        """Kept as a tuple where it is copied or written down."""
        return tuple, (tuple(self),)

    def __repr__(self) -> str:
        """As a tuple of the values has it."""
        return repr(tuple(self))


class Reread(Made[T]):
    """Values that were read of a text, as many of them kept as there is `room` for."""

    __slots__ = ("_cursor", "_kept", "_numbers", "_places", "_room", "_sources")
    _WIDTH = 2

    def __init__(self, room: Room) -> None:
        self._room = room
        self._kept: list[T] = []
        self._places = array(room.code)
        """Of the others: the number of the source of each, and where it stands."""
        self._sources: list[Source] = []
        self._numbers: dict[Source, int] = {}
        self._cursor: Cursor | None = None
        """One of those that the values were read from."""

    def note(self, value: T, cursor: Cursor, at: int, again: Callable[[Cursor], T | None]) -> None:
        """Add `value`, which `again` reads once more of a cursor like that, at `at`."""
        if not self._places and self._room.take():
            self._kept.append(value)
            return
        source = cursor.read_by(again)
        number = self._numbers.get(source)
        if number is None:
            if len(self._numbers) == _MOST_KNOWN:
                self._numbers.clear()
            number = self._numbers[source] = len(self._sources)
            self._sources.append(source)
        self._cursor = self._cursor or replace(cursor)
        self._places.extend((number, *self._place(cursor, at)))

    def _place(self, cursor: Cursor, at: int) -> tuple[int, ...]:  # noqa: ARG002
        return (at,)

    def values(self) -> Sequence[T]:
        """All values, in a tuple if all are kept."""
        return self if self._places else tuple(self._kept)

    def __len__(self) -> int:
        """How many values there are."""
        return len(self._kept) + len(self._places) // self._WIDTH

    def __iter__(self) -> Iterator[T]:
        """The values."""
        return chain(self._kept, map(self._again, range(len(self._kept), len(self))))

    def _at(self, index: int) -> T:
        return self._kept[index] if index < len(self._kept) else self._again(index)

    def _again(self, index: int) -> T:
        assert self._cursor is not None
        rest = index - len(self._kept)
        number, *place = self._places[self._WIDTH * rest : self._WIDTH * (rest + 1)]
        source = self._sources[number]
        value: T = source.again(self._at_place(self._cursor, source, *place))  # type: ignore[assignment]
        return value

    def _at_place(self, cursor: Cursor, source: Source, at: int, *rest: int) -> Cursor:  # noqa: ARG002
        return cursor.at_place(source, cursor.lines, at)


class Sections(Reread[FilePatch]):
    """The sections of a text: where each begins, where what it stands in ends, and its origin."""

    __slots__ = ("_made",)
    _WIDTH = 4

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._made: tuple[object, Lines] | None = None
        """The lines that were made again last, and what they were made of."""

    def _place(self, cursor: Cursor, at: int) -> tuple[int, ...]:
        return at, cursor.end, cursor.origin.at if cursor.origin else 0

    def _at_place(self, cursor: Cursor, source: Source, at: int, *rest: int) -> Cursor:
        end, origin = rest
        lines, makes = source.lines, source.makes
        if makes is not None:
            place = (lines, makes, origin)
            if self._made is None or self._made[0] != place:
                self._made = place, makes(lines, origin)
            lines = self._made[1]
        return cursor.at_place(source, lines, at, end)


class Hunks(Reread[Hunk]):
    """The hunks of one section, which know their places in it."""

    __slots__ = ()

    def values(self) -> Sequence[Hunk]:
        """All hunks, in a tuple if all are kept."""
        if not self._places:
            self._kept[-1:] = [replace(hunk, is_last=True) for hunk in self._kept[-1:]]
        return super().values()

    def _again(self, index: int) -> Hunk:
        last = index == len(self) - 1
        return replace(super()._again(index), ordinal=index + 1, is_last=last)
