"""Hunks and sections of which only the first are kept; the others are read again when asked for.

A hunk of five bytes is six hundred as a value, and whoever goes through a patch needs one after
the other. All are kept unless they are tiny, and many: of the rest it is known where they stand.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import eq
from typing import TYPE_CHECKING, NamedTuple, TypeVar, overload

from git_opatch.parse.lines import code_for
from git_opatch.patch import FilePatch, Hunk

if TYPE_CHECKING:
    from git_opatch.parse.cursor import Cursor

T = TypeVar("T")

_SURELY_KEPT = 1000
_BYTES_EACH = 256
"""A value takes two to four times as much memory; most hunks and sections are as long."""
_PLACE = 3


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

    def __repr__(self) -> str:
        """As a tuple of the values has it."""
        return repr(tuple(self))


class _Source(NamedTuple):
    """A cursor like that over each of some values, and what reads one from it on."""

    cursor: Cursor
    again: Callable[[Cursor], object]


class Reread(Made[T]):
    """Values that were read of a text, as many of them kept as there is `room` for."""

    __slots__ = ("_firsts", "_kept", "_places", "_room", "_sources")
    _WIDTH = 1

    def __init__(self, room: Room) -> None:
        self._room = room
        self._kept: list[T] = []
        self._places = array(room.code)
        """Of the others: where each stands."""
        self._sources: list[_Source] = []
        self._firsts = array(room.code)
        """For each source, how many of the values that are not kept are before its first."""

    def note(self, value: T, cursor: Cursor, at: int, again: Callable[[Cursor], T | None]) -> None:
        """Add `value`, which `again` reads once more of a cursor like that, at `at`."""
        if not self._places and self._room.take():
            self._kept.append(value)
            return
        last = self._sources[-1] if self._sources else None
        if last is None or last.again != again or not cursor.is_like(last.cursor):
            self._sources.append(_Source(replace(cursor, at=0), again))
            self._firsts.append(len(self._places) // self._WIDTH)
        self._places.extend(self._place(cursor, at))

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
        rest = index - len(self._kept)
        source = self._sources[bisect_right(self._firsts, rest) - 1]
        place = self._places[self._WIDTH * rest : self._WIDTH * (rest + 1)]
        value: T = source.again(source.cursor.at_place(*place))  # type: ignore[assignment]
        return value


class Sections(Reread[FilePatch]):
    """The sections of a text: where each begins, where what it stands in ends, and its origin."""

    __slots__ = ()
    _WIDTH = 3

    def _place(self, cursor: Cursor, at: int) -> tuple[int, ...]:
        return at, cursor.end, cursor.origin.at if cursor.origin else 0


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
