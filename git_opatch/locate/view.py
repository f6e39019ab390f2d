"""A file as a lenient tier sees it: the normal forms of its lines, the blank ones apart.

A hunk is sought line for line first (a rigid match), then by its lines that are not blank,
so that `blanks` can align the blank ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from git_opatch.locate.seek import Seeker
from git_opatch.locate.tiers import NORMAL
from git_opatch.options import Tier
from git_opatch.patch import Line


class View:
    """The normal forms of a file's `lines` at one tier, indexed for those of `wanted`.

    `framed` takes what is framing off a line of the patch.
    """

    def __init__(
        self,
        lines: Sequence[bytes],
        tier: Tier,
        wanted: Iterable[bytes],
        framed: Callable[[bytes], bytes],
    ) -> None:
        self.tier = tier
        self._of_file = NORMAL[tier]
        self._framed = framed
        self.keys = list(map(self._of_file, lines))
        self._wanted = set(map(self.normal, wanted))

    def normal(self, line: bytes) -> bytes:
        """The normal form of the text of a line of the patch."""
        return self._of_file(self._framed(line))

    def key(self, line: Line) -> bytes:
        """The normal form of a line of the patch."""
        return self.normal(line.text)

    def rigid(self, lines: Sequence[Line]) -> list[int]:
        """The positions where `lines`, of which there is at least one, stand as they are."""
        return self._all.places([self.key(line) for line in lines])

    def loose(self, lines: Sequence[Line]) -> list[int]:
        """Where `lines` stand with other blank lines between them, counted in `solid`."""
        pattern = [key for line in lines if (key := self.key(line))]
        return self.seeker.places(pattern) if pattern else []

    @cached_property
    def solid(self) -> list[int]:
        """The positions of the lines that are not blank."""
        return [at for at, key in enumerate(self.keys) if key]

    @cached_property
    def solid_keys(self) -> list[bytes]:
        """The normal forms of the lines that are not blank."""
        return [self.keys[at] for at in self.solid]

    @cached_property
    def seeker(self) -> Seeker:
        """Finds lines among those that are not blank."""
        return Seeker(self.solid_keys, self._wanted)

    @cached_property
    def _all(self) -> Seeker:
        return Seeker(self.keys, self._wanted)

    def blanks_before(self, position: int) -> int:
        """How many blank lines stand directly before `position`."""
        at = bisect_left(self.solid, position)
        return position - (self.solid[at - 1] + 1 if at else 0)

    def blanks_after(self, position: int) -> int:
        """How many blank lines stand directly after the solid line at `position`."""
        at = bisect_left(self.solid, position) + 1
        return (self.solid[at] if at < len(self.solid) else len(self.keys)) - position - 1
