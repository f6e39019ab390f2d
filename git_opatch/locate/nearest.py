"""For refusals: the nearest place, and the first line that differs there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from git_opatch.locate.haystack import Haystack
from git_opatch.locate.tiers import likeness
from git_opatch.outcome import Likeness, Nearest
from git_opatch.patch import Hunk, Line
from git_opatch.text import BYTE_ORDER_MARK, visible, without_cr

_MOST_VOTES = 64
_BELOW = 50
"""So many lines below an anchor are compared with what was to stand there, …"""
_MOST_ALIKE = 5
"""… of which so many are."""
_SHORT = 1000
"""A file of no more lines is compared as a whole, …"""
_MOST_ASKED = 3
"""… for so many hunks."""


class Nearby:
    """Finds where hunks that are nowhere nearly stand, in one pass over the file."""

    def __init__(self, haystack: Haystack, hunks: Sequence[Hunk]) -> None:
        self._lines = haystack.lines
        self._normal = haystack.normal
        self._asked = 0
        wanted = {loose(line.text) for hunk in hunks for line in hunk.preimage}
        wanted.discard(b"")
        self._positions: dict[bytes, list[int]] = {key: [] for key in wanted}
        for at, line in enumerate(self._lines):
            found = self._positions.get(loose(line))
            if found is not None and len(found) < _MOST_VOTES:
                found.append(at)

    def nearest(self, hunk: Hunk, anchors: Sequence[int]) -> Nearest | None:
        """The place where most of the hunk's lines stand, else that after its anchor, else that of
        the line that is most like one of its own.

        None if there is none; `anchors` are the positions of the hunk's anchor.
        """
        preimage = hunk.preimage
        votes: Counter[int] = Counter()
        for at, line in enumerate(preimage):
            for position in self._positions.get(loose(line.text), ()):
                votes[position - at] += 1
        if not votes and not anchors:
            return self._like_any(preimage)
        if not votes:
            first = anchors[0] + 1
            alike = self._most_alike(preimage, first, first + _BELOW)
            return self._first_difference(preimage, first if alike is None else alike)
        start = max(votes, key=lambda place: (votes[place], place >= 0, -place))
        return self._first_difference(preimage, start)

    def _like_any(self, preimage: Sequence[Line]) -> Nearest | None:
        self._asked += 1
        if self._asked > _MOST_ASKED or len(self._lines) > _SHORT:
            return None
        alike = self._most_alike(preimage, 0, len(self._lines))
        return None if alike is None else self._first_difference(preimage, alike)

    def _most_alike(self, preimage: Sequence[Line], first: int, stop: int) -> int | None:
        """Where the hunk would stand by the line from `first` to `stop` that is most like one of
        its own; None if none is."""
        lines = [visible(one.strip()) for one in self._lines[first:stop]]
        for at, line in enumerate(preimage[:_MOST_ALIKE]):
            text = visible(line.text.strip())
            if text and (found := get_close_matches(text, lines, n=1)):
                return first + lines.index(found[0]) - at
        return None

    def _first_difference(self, preimage: Sequence[Line], start: int) -> Nearest:
        at = next(
            at
            for at, line in enumerate(preimage)
            if self._line(start + at) != self._normal(line.text)
        )
        position = min(max(start + at, 0), len(self._lines))
        found = self._numbered(position - 1, position + 2)
        place = self._numbered(start, start + len(preimage))
        around = max(position - 1, 1), min(position + len(preimage) + 2, len(self._lines))
        how = self._how(preimage[at], position)
        return Nearest(position, preimage[at], found, how, around, place)

    def _numbered(self, start: int, stop: int) -> tuple[tuple[int, bytes], ...]:
        inside = range(max(start, 0), min(stop, len(self._lines)))
        return tuple((number, self._lines[number]) for number in inside)

    def _how(self, line: Line, position: int) -> str:
        if position >= len(self._lines):
            return "the file ends before this line"
        return difference(self._normal(line.text), self._lines[position])

    def _line(self, position: int) -> bytes | None:
        return self._lines[position] if 0 <= position < len(self._lines) else None


def loose(line: bytes) -> bytes:
    """`line` without blanks and letter case."""
    return b"".join(line.split()).lower()


_KINDS = {
    Likeness.EXACT: "the line endings differ",
    Likeness.INDENTATION: "the indentation differs",
    Likeness.BLANKS: "the blanks differ",
    Likeness.HEADING: "the heading marks differ",
    Likeness.CASE: "the letter case differs",
    Likeness.TEXT: "typography or punctuation differs",
}


def difference(expected: bytes, found: bytes) -> str:
    """What kind of difference there is between two lines that are not equal."""
    if expected.startswith(BYTE_ORDER_MARK) != found.startswith(BYTE_ORDER_MARK):
        return "the byte-order mark differs"
    if expected.endswith(b"\r") != found.endswith(b"\r"):
        same = without_cr(expected) == without_cr(found)
        return "the line endings differ" if same else "the text and the line endings differ"
    if loose(expected) == loose(found) and expected.lower().split() != found.lower().split():
        return "the blanks differ"
    return _KINDS.get(likeness(expected, found), "the text differs")
