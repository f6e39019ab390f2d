"""Where in a file a hunk may be: at places that have its solid lines, all but one at most.

Lines that may be one in any class have one skeleton, so each class needs to look at these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import islice

from git_opatch.locate.file import File
from git_opatch.locate.forms import skeleton
from git_opatch.locate.reading import has_word, solid_lines
from git_opatch.model.limits import FEW, SHOWN
from git_opatch.model.patch import Hunk, Prefix

Form = Callable[[bytes, bool], bytes]
_ENOUGH = 10
"""A line of so many characters says as much as two with words."""


def as_written(line: bytes, in_prose: bool = False) -> bytes:  # noqa: ARG001 - as all forms
    """The line itself."""
    return line


class Nearby:
    """The places that are near a hunk: each is an index of the file's solid lines, from 0."""

    def __init__(self, hunk: Hunk, file: File, given: Hunk | None = None) -> None:
        self.hunk, self.file = hunk, file
        changed = (given or hunk).lines
        self.fixed = frozenset(line.text for line in changed if line.prefix is Prefix.REMOVED)
        """What the hunk, as it was `given`, removes, if it is also to add it again."""
        self.solid = solid_lines(hunk)
        self.texts = file.texts(self.solid)
        self.unlike = cache(self._unlike)

    @cached_property
    def near(self) -> list[int]:
        """All of them."""
        return self.file.skeletons.near(self._keys) if self.texts else []

    @cached_property
    def places(self) -> list[int]:
        """Those that are compared line by line: of many, those that have all lines, at most one
        more than `FEW`."""
        if len(self.near) <= FEW:
            return self.near
        return self.file.skeletons.runs(self._keys)[: FEW + 1]

    @property
    def is_cut(self) -> bool:
        """Whether more places have all lines than are compared."""
        return len(self.places) > FEW

    @cached_property
    def _keys(self) -> list[bytes]:
        return [*map(skeleton, self.texts)]

    def rows(self, place: int) -> Sequence[int]:
        """The rows of the file's lines at a place."""
        return self.file.solid[place : place + len(self.texts)]

    def _unlike(self, place: int, form: Form) -> frozenset[int]:
        """Return which of the solid lines have another key than the file's line at a place."""
        prose, lines = self.file.is_document, self.file.lines
        rows = zip(self.texts, self.rows(place), strict=True)
        return frozenset(
            at
            for at, (text, row) in enumerate(rows)
            if text != lines[row] and form(text, prose) != form(lines[row], prose)
        )

    def alike(self, form: Form, most: int = 0) -> list[int]:
        """List the places where so many lines at most have another key."""
        return [place for place in self.places if len(self.unlike(place, form)) <= most]

    def rivals(self, form: Form, taken: Sequence[int]) -> list[int]:
        """List the rows of places, besides those that are taken, that have all lines but one, and
        share enough with the hunk: two lines with words, or a long one."""
        near = () if self.is_cut else (place for place in self.near if place not in taken)
        rivals = (
            self.file.solid[place]
            for place in near
            if len(self.unlike(place, form)) < 2 and self._shares_enough(place, form)
        )
        return [*islice(rivals, SHOWN)]

    def _shares_enough(self, place: int, form: Form) -> bool:
        unlike = self.unlike(place, form)
        same = [text for at, text in enumerate(self.texts) if at not in unlike and has_word([text])]
        return len(same) > 1 or any(len(text.strip()) >= _ENOUGH for text in same)
