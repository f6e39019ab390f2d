"""Find the part of a file that is most like a hunk that was not found, and what differs there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from typing import NamedTuple
from unicodedata import category, normalize

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.tiers import likeness, spaced_once
from git_opatch.model.limits import FEW, MANY, NEAR, SHOWN
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Likeness, NumberedLines
from git_opatch.model.result import ClosestMatch, DifferentLine
from git_opatch.model.text import BYTE_ORDER_MARK, common_length, visible, without_cr


class ClosestMatches:
    """Finds the closest matches of `hunks`, which were not found, in one pass over the file.

    Lines are compared without whitespace and letter case; similarity is only used for messages.
    A difference that `tier`, the loosest tier allowed, tolerates is not reported: it does not
    explain the refusal.
    """

    def __init__(self, file_index: FileIndex, hunks: Sequence[Hunk], tier: Tier) -> None:
        self._lines = file_index.lines
        self._file_index = file_index
        self._tier = tier
        self._normal = file_index.normal
        self._compared_hunks = 0
        self._aligned_hunks = 0
        wanted = {_squeezed(line.text) for hunk in hunks for line in hunk.preimage}
        wanted.discard(b"")
        self._positions: dict[bytes, list[int]] = {key: [] for key in wanted}
        for position, line in enumerate(self._lines):
            positions = self._positions.get(_squeezed(line))
            if positions is not None and len(positions) < FEW:
                positions.append(position)

    def nearest(self, hunk: Hunk, anchor_positions: Sequence[int]) -> ClosestMatch | None:
        """Return the closest match of `hunk`, whose anchor is at `anchor_positions`, if any.

        That is where most of the hunk's lines are, and of several such places where the line is
        that the file has least often; else the line below its anchor, or in a small file any line,
        that is most like one of its own; else the line after its anchor.
        """
        preimage = hunk.preimage
        votes: Counter[int] = Counter()
        rarest: dict[int, int] = {}
        for offset, line in enumerate(preimage):
            positions = self._positions.get(_squeezed(line.text), ())
            for position in positions:
                votes[position - offset] += 1
                seen = rarest.get(position - offset, FEW)
                rarest[position - offset] = min(seen, len(positions))
        if not votes and not anchor_positions:
            return self._similar_anywhere(preimage)
        if not votes:
            first = anchor_positions[0] + 1
            similar = self._most_similar(preimage, first, first + NEAR)
            return self._first_difference(preimage, first if similar is None else similar)
        start = max(votes, key=lambda start: (votes[start], start >= 0, -rarest[start], -start))
        return self._first_difference(preimage, start)

    def _similar_anywhere(self, preimage: Sequence[Line]) -> ClosestMatch | None:
        self._compared_hunks += 1
        if self._compared_hunks > SHOWN or len(self._lines) > MANY:
            return None
        start = self._most_similar(preimage, 0, len(self._lines))
        return None if start is None else self._first_difference(preimage, start)

    def _most_similar(self, preimage: Sequence[Line], first: int, stop: int) -> int | None:
        """Return where the hunk would begin by the line from `first` to `stop` that is most like
        one of its own; None if none is."""
        lines = [visible(line.strip()) for line in self._lines[first:stop]]
        for offset, line in enumerate(preimage[:SHOWN]):
            text = visible(line.text.strip())
            if text and (found := get_close_matches(text, lines, n=1)):
                return first + lines.index(found[0]) - offset
        return None

    def _first_difference(self, preimage: Sequence[Line], start: int) -> ClosestMatch:
        differences = list(self._differences(preimage, start))
        if not differences:  # all is tolerated: it is shown where it is not the same
            pairs = enumerate(range(start, start + len(preimage)))
            differences = list(self._unlike(preimage, pairs, Tier.STRICT))
        first, *rest = differences or [_Difference(0, start)]
        others = [
            DifferentLine(preimage[other.offset], other.position, self._lines[other.position])
            for other in rest
            if not other.described and 0 <= other.position < len(self._lines)
        ]
        if 2 * (len(others) + 1) > len(preimage):
            others = []  # most lines differ: they are not compared with the ones that were meant
        start = first.position - first.offset
        position = min(max(first.position, 0), len(self._lines))
        line = preimage[first.offset]
        last = min(position + len(preimage) + 2, len(self._lines))
        return ClosestMatch(
            position,
            line,
            self._numbered(position - 1, position + 2),
            first.described or self._describe(line, first.position),
            reread=(max(position - 1, 1), last),
            lines=self._numbered(start, start + len(preimage)),
            others=tuple(others[: SHOWN - 1]),
            more=max(len(others) - (SHOWN - 1), 0),
        )

    def _differences(self, preimage: Sequence[Line], start: int) -> Iterator[_Difference]:
        """Yield what differs between a hunk that is about at `start` and the file, in order."""
        steps = self._align(preimage, start)
        for index, (tag, begin, end, first, stop) in enumerate(steps):
            if tag == "equal" or (tag == "replace" and end - begin == stop - first):
                pairs = zip(range(begin, end), range(first, stop), strict=True)
                yield from self._unlike(preimage, pairs, self._tier)
            elif tag == "insert":
                if 0 < index < len(steps) - 1:
                    yield _Difference(begin, first, _left_out(range(first, stop)))
            elif tag == "delete" and begin and end < len(preimage):
                yield _Difference(begin, first, _surplus(preimage[begin:end], first))
            else:
                is_below_a_match = begin or end == len(preimage)
                at = first if is_below_a_match else stop - end
                pairs = zip(range(begin, end), range(at, at + end - begin), strict=True)
                yield from islice(self._unlike(preimage, pairs, self._tier), 1)

    def _unlike(
        self, preimage: Sequence[Line], pairs: Iterable[tuple[int, int]], tier: Tier
    ) -> Iterator[_Difference]:
        """Yield the pairs of a line of the hunk and one of the file that differ at `tier`."""
        for offset, position in pairs:
            if not self._file_index.matches(preimage[offset], position, tier):
                yield _Difference(offset, position)

    def _align(self, preimage: Sequence[Line], start: int) -> list[_Step]:
        """Align the hunk with the file near `start`: difflib's steps, in order.

        The rarest of its lines that are where they would be from `start` on stay there, with those
        round it. If there is none, or the hunk is large, or many were compared, all lines are taken
        to be where they would be.
        """
        self._aligned_hunks += 1
        keys = [_squeezed(line.text) for line in preimage]
        here = {
            offset: len(positions)
            for offset, key in enumerate(keys)
            if start + offset in (positions := self._positions.get(key, ()))
        }
        count = len(keys)
        if not here or max(count, self._aligned_hunks) > FEW:
            return [("equal", 0, count, start, start + count)]
        begin = min(here, key=lambda offset: here[offset])
        end = begin + 1
        while begin - 1 in here:
            begin -= 1
        while end in here:
            end += 1
        first, stop = max(start - NEAR, 0), min(start + count + NEAR, len(self._lines))
        return [
            *_steps(keys, range(begin), self._lines, range(first, start + begin)),
            ("equal", begin, end, start + begin, start + end),
            *_steps(keys, range(end, count), self._lines, range(start + end, stop)),
        ]

    def _numbered(self, start: int, stop: int) -> NumberedLines:
        inside = range(max(start, 0), min(stop, len(self._lines)))
        return tuple((position, self._lines[position]) for position in inside)

    def _describe(self, line: Line, position: int) -> str:
        if position >= len(self._lines):
            return "the file ends before this line"
        if position < 0:
            return "the file begins after this line"
        return difference(self._normal(line.text), self._lines[position])


class _Difference(NamedTuple):
    """Where a hunk and the file differ: the index in the preimage, and the position."""

    offset: int
    position: int
    described: str = ""
    """What the hunk or the file has too many, if that is the difference."""


_Step = tuple[str, int, int, int, int]
"""A step of an alignment, as in difflib: what to do with which lines, of the hunk and the file."""


def _steps(
    keys: Sequence[bytes], offsets: range, lines: Sequence[bytes], positions: range
) -> Iterator[_Step]:
    """Align a part of the hunk's `keys` with a part of the file's lines.

    Lines without a letter or a digit are aligned only beside others.
    """
    hunk = [keys[offset] for offset in offsets]
    file = [_squeezed(lines[position]) for position in positions]
    matcher = SequenceMatcher(lambda key: not _WORD.search(key), hunk, file)
    for tag, begin, end, first, stop in matcher.get_opcodes():
        into = (positions.start + first, positions.start + stop)
        yield (tag, offsets.start + begin, offsets.start + end, *into)


_WORD = re.compile(rb"[\w\x80-\xff]")


def _left_out(lines: range) -> str:
    """Say which lines of the file are between the line that was expected and the one above it."""
    first, last = lines.start + 1, lines.stop
    if first == last:
        return f"the file has line {first} between this line and the one above it; add it"
    which = f"{first} and {last}" if last - first == 1 else f"{first}-{last}"
    return f"the file has lines {which} between this line and the one above it; add them"


def _surplus(lines: Sequence[Line], position: int) -> str:
    """Say that the file does not have `lines` above the line at `position`."""
    more = len(lines) - 1
    which = {0: "this line", 1: "this line and the next one"}.get(
        more, f"this line and the next {more}"
    )
    where = f"the file does not have {which} between its lines {position} and {position + 1}"
    if any(line.prefix is Prefix.REMOVED for line in lines):
        return where
    return f"{where}; leave {'them' if more else 'it'} out"


_WHITESPACE = b" \t\n\v\f\r"


def _squeezed(line: bytes) -> bytes:
    """Return `line` without whitespace and letter case."""
    return line.translate(None, _WHITESPACE).lower()


_DIFFERENCES = {
    Likeness.EXACT: "the line endings differ",
    Likeness.INDENTATION: "the indentation differs",
    Likeness.WHITESPACE: "the whitespace differs",
    Likeness.HEADING_LEVEL: "the heading level differs",
    Likeness.CASE: "the letter case differs",
    Likeness.TEXT: "typography or punctuation differs",
}


def difference(expected: bytes, found: bytes) -> str:
    """Name the difference between two lines that are not equal."""
    if expected.startswith(BYTE_ORDER_MARK) != found.startswith(BYTE_ORDER_MARK):
        return "the byte-order mark differs"
    if expected.endswith(b"\r") != found.endswith(b"\r"):
        same = without_cr(expected) == without_cr(found)
        return "the line endings differ" if same else "the text and the line endings differ"
    same_characters = _squeezed(expected) == _squeezed(found)
    code_points = _code_points(expected, found)
    if same_characters and spaced_once(expected.lower()) != spaced_once(found.lower()):
        return "the whitespace differs" + code_points
    if expected.rstrip() == found.rstrip():
        return "the whitespace at the end differs"
    return _DIFFERENCES.get(likeness(expected, found), "the text differs") + code_points


def _code_points(expected: bytes, found: bytes) -> str:
    """Name the first characters that differ, if the lines look alike; empty if they do not."""
    texts = [line.decode("utf-8", "surrogateescape") for line in (expected, found)]
    at = common_length(*texts)
    differing = [text[at : at + 1] for text in texts]
    if "".join(differing).isascii() or len({*map(_looks, texts)}) > 1:
        return ""
    patch, file = ("nothing" if not text else f"U+{ord(text):04X}" for text in differing)
    return f" at column {at + 1}: the patch has {patch}, the file {file}"


def _looks(text: str) -> str:
    """Return `text` as it looks: composed, without characters of no width, other scripts' letters
    as the Latin ones that they look like."""
    plain = normalize("NFKC", text).translate(_LOOKALIKES)
    return "".join(character for character in plain if category(character) != "Cf")


_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТХУасеіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",  # noqa: RUF001 - Cyrillic and Greek
    "ABESIJKMHOPCTXYaceijopsxyABEZHIKMNOPTYXo",
)
