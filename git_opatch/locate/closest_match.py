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
from git_opatch.locate.likeness import likeness_of
from git_opatch.model.failure import ClosestMatch, DifferentLine, Values
from git_opatch.model.limits import FEW, MANY, NEAR, SHOWN
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Likeness, NumberedLines
from git_opatch.model.reading import EQUAL
from git_opatch.model.sentences import Difference
from git_opatch.model.text import BYTE_ORDER_MARK, common_length, visible, without_cr

Described = tuple[Difference, Values]
"""A difference, and the words that its sentence needs."""


class ClosestMatches:
    """Finds the closest matches of `hunks`, which were not found, in one pass over the file.

    Lines are compared without whitespace and letter case; similarity is only used for messages.
    A difference that `most`, the loosest grade allowed, tolerates is not reported: it does not
    explain the refusal.
    """

    def __init__(self, file_index: FileIndex, hunks: Sequence[Hunk], most: int) -> None:
        self._lines = file_index.lines
        self._file_index = file_index
        self._most = most
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
            differences = list(self._unlike(preimage, pairs, EQUAL))
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
        what, values = first.described or self._describe(line, first.position)
        last = min(position + len(preimage) + 2, len(self._lines))
        return ClosestMatch(
            position,
            line,
            self._numbered(position - 1, position + 2),
            what,
            reread=(max(position - 1, 1), last),
            lines=self._numbered(start, start + len(preimage)),
            others=tuple(others[: SHOWN - 1]),
            more=max(len(others) - (SHOWN - 1), 0),
            values=values,
        )

    def _differences(self, preimage: Sequence[Line], start: int) -> Iterator[_Difference]:
        """Yield what differs between a hunk that is about at `start` and the file, in order."""
        steps = self._align(preimage, start)
        for index, (tag, begin, end, first, stop) in enumerate(steps):
            if tag == "equal" or (tag == "replace" and end - begin == stop - first):
                pairs = zip(range(begin, end), range(first, stop), strict=True)
                yield from self._unlike(preimage, pairs, self._most)
            elif tag == "insert":
                if 0 < index < len(steps) - 1:
                    yield _Difference(begin, first, _left_out(range(first, stop)))
            elif tag == "delete" and begin and end < len(preimage):
                yield _Difference(begin, first, (Difference.SURPLUS, {"count": end - begin}))
            else:
                is_below_a_match = begin or end == len(preimage)
                at = first if is_below_a_match else stop - end
                pairs = zip(range(begin, end), range(at, at + end - begin), strict=True)
                yield from islice(self._unlike(preimage, pairs, self._most), 1)

    def _unlike(
        self, preimage: Sequence[Line], pairs: Iterable[tuple[int, int]], most: int
    ) -> Iterator[_Difference]:
        """Yield the pairs of a line of the hunk and one of the file that differ at that grade."""
        for offset, position in pairs:
            if not self._matches(preimage[offset], position, most):
                yield _Difference(offset, position)

    def _matches(self, line: Line, position: int, most: int) -> bool:
        if not 0 <= position < len(self._lines):
            return False
        file, is_context = self._file_index, line.prefix is Prefix.CONTEXT
        text, found_line = self._normal(line.text), self._lines[position]
        found = file.grade(is_context, text, found_line, file.prose.includes(position))
        return found is not None and found <= most

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

    def _describe(self, line: Line, position: int) -> Described:
        if position >= len(self._lines):
            return Difference.FILE_ENDS, {}
        if position < 0:
            return Difference.FILE_BEGINS, {}
        return difference(self._normal(line.text), self._lines[position])


class _Difference(NamedTuple):
    """Where a hunk and the file differ: the index in the preimage, and the position."""

    offset: int
    position: int
    described: Described | None = None
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


def _left_out(lines: range) -> Described:
    """Say which lines of the file are between the line that was expected and the one above it."""
    last = f"-{lines.stop}" * (len(lines) > 1)
    return Difference.LEFT_OUT, {"between": f"line{'s' * bool(last)} {lines.start + 1}{last}"}


_WHITESPACE = b" \t\n\v\f\r"


def _squeezed(line: bytes) -> bytes:
    """Return `line` without whitespace and letter case."""
    return line.translate(None, _WHITESPACE).lower()


_DIFFERENCES = {
    Likeness.EXACT: Difference.LINE_ENDINGS,
    Likeness.INDENTATION: Difference.INDENTATION,
    Likeness.WHITESPACE: Difference.WHITESPACE,
    Likeness.HEADING_LEVEL: Difference.HEADING_LEVEL,
    Likeness.CASE: Difference.CASE,
    Likeness.TEXT: Difference.SIGNS,
}


def difference(expected: bytes, found: bytes) -> Described:
    """Name the difference between two lines that are not equal; by character if they look alike."""
    if expected.startswith(BYTE_ORDER_MARK) != found.startswith(BYTE_ORDER_MARK):
        return Difference.BYTE_ORDER_MARK, {}
    if expected.endswith(b"\r") != found.endswith(b"\r"):
        same = without_cr(expected) == without_cr(found)
        return Difference.LINE_ENDINGS if same else Difference.TEXT_AND_ENDINGS, {}
    if expected.rstrip() == found.rstrip():
        return Difference.WHITESPACE_AT_END, {}
    one, other = (line.decode("utf-8", "surrogateescape") for line in (expected, found))
    if _looks(one) == _looks(other):
        at = common_length(one, other)
        if (one[at:] + other[at:])[:1].isspace() or other[at : at + 1].isspace():
            at = len(one[:at].rstrip())
        names = {"patch": _named(one[at:]), "file": _named(other[at:])}
        return Difference.CHARACTER, {"column": at + 1, **names}
    if expected.lower() != found.lower() and _squeezed(expected) == _squeezed(found):
        return Difference.WHITESPACE, {}
    like = likeness_of(expected, found)
    return _DIFFERENCES[like] if like else Difference.TEXT, {}


def _named(rest: str) -> str:
    """Name the character that `rest` begins with, and how many spaces or tabs there are."""
    character = rest[:1]
    if character not in ("", " ", "\t"):
        code = f"U+{ord(character):04X}"
        return f"{code} ({character})" if character.isprintable() else code
    count = len(rest) - len(rest.lstrip(character)) if character else 0
    name = {"": "nothing", " ": "a space", "\t": "a tab"}[character]
    return name if count < 2 else f"{count} {name[2:]}s"


def _looks(text: str) -> str:
    """Return `text` as it looks: composed, without characters of no width, other scripts' letters
    as the Latin ones that they look like, and all whitespace as a space."""
    plain = normalize("NFKC", text).translate(_LOOKALIKES)
    shown = "".join(character for character in plain if category(character) != "Cf")
    indented = " " * shown[:1].isspace()
    return indented + " ".join(shown.split())


_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТХУасеіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",  # noqa: RUF001 - Cyrillic and Greek
    "ABESIJKMHOPCTXYaceijopsxyABEZHIKMNOPTYXo",
)
