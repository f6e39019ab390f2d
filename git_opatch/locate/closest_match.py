"""Find the part of a file that is most like a hunk that was not found, and what differs there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import accumulate, islice, starmap
from operator import eq
from typing import NamedTuple
from unicodedata import category, normalize

from git_opatch.locate.file_index import FileIndex, LineIndex
from git_opatch.locate.likeness import likeness_of
from git_opatch.locate.reading import EQUAL
from git_opatch.model.failure import ClosestMatch, DifferentLine, Values
from git_opatch.model.limits import FEW, MANY, NEAR, SHOWN
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Likeness, NumberedLines
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

    def __init__(self, file: FileIndex, hunks: Sequence[Hunk], most: int) -> None:
        self._file = file
        self._lines = file.lines
        self._most = most
        self._compared_hunks = 0
        self._aligned_hunks = 0
        wanted = (_squeezed(line.text) for hunk in hunks for line in hunk.preimage)
        self._keys = LineIndex([*map(_squeezed, file.lines)], wanted)

    def nearest(self, hunk: Hunk, anchor_positions: Sequence[int]) -> ClosestMatch | None:
        """Return the closest match of `hunk`, whose anchor is at `anchor_positions`, if any.

        That is where most of the hunk's lines are; else the line below its anchor, or in a small
        file any line, that is most like one of its own; else the line after its anchor.
        """
        keys = [_squeezed(line.text) for line in hunk.preimage]
        start = self._start_of_most(keys)
        if start is None:
            start = self._start_of_similar(hunk.preimage, anchor_positions)
        return None if start is None else self._compare(hunk.preimage, self._align(keys, start))

    def _start_of_most(self, keys: Sequence[bytes]) -> int | None:
        """Return where a hunk with `keys` begins, if it is where most of its lines are.

        It is looked for by the rarest lines; of several such places it is the one where the first
        lines that differ are most alike.
        """
        found = [
            (rows, at) for at, key in enumerate(keys) if key and (rows := self._keys.rows(key))
        ]
        starts: set[int] = set()
        for rows, at in sorted(found, key=lambda each: len(each[0])):
            if len(starts) <= FEW:
                starts.update(row - at for row in rows[:MANY])
        equal = {
            start: (sum(starmap(eq, self._beside(keys, start))), start >= 0)
            for start in sorted(starts)
        }
        most = max(equal.values(), default=None)
        best = (start for start in equal if equal[start] == most)
        return max(best, key=lambda start: self._likeness(keys, start), default=None)

    def _beside(self, keys: Sequence[bytes], start: int) -> Iterator[tuple[bytes, bytes]]:
        """Pair `keys` with those of the file's lines from `start` on, inside the file."""
        first = max(-start, 0)
        return zip(keys[first:], self._keys.lines[start + first : start + len(keys)], strict=False)

    def _likeness(self, keys: Sequence[bytes], start: int) -> float:
        """Return how much the first lines that differ are alike, of a hunk that begins there."""
        differ = (pair for pair in self._beside(keys, start) if pair[0] != pair[1])
        return sum(
            SequenceMatcher(None, a[:FEW], b[:FEW]).ratio() for a, b in islice(differ, SHOWN)
        )

    def _start_of_similar(self, preimage: Sequence[Line], anchors: Sequence[int]) -> int | None:
        first, stop, below = 0, len(self._lines), None
        if anchors:
            first = below = anchors[0] + 1
            stop = first + NEAR
        elif stop > MANY or self._compared_hunks == SHOWN:
            return None
        self._compared_hunks += not anchors
        lines = [visible(line.strip()) for line in self._lines[first:stop]]
        for offset, line in enumerate(preimage[:SHOWN]):
            text = visible(line.text.strip())
            if text and (found := get_close_matches(text, lines, n=1)):
                return first + lines.index(found[0]) - offset
        return below

    def _compare(self, preimage: Sequence[Line], pairs: Sequence[_Pair]) -> ClosestMatch:
        """Say what differs between lines of a hunk and those of the file beside them."""
        differences = list(self._differences(preimage, pairs, self._most))
        if not differences:  # all is tolerated: it is shown where it is not the same
            differences = list(self._differences(preimage, pairs, EQUAL))
        first, *rest = differences or [_Difference(*pairs[0])]
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

    def _differences(
        self, preimage: Sequence[Line], pairs: Sequence[_Pair], most: int
    ) -> Iterator[_Difference]:
        """Yield what differs at the grade `most`, in order."""
        offset, position = pairs[0]
        for at, row in pairs:
            if row > position:
                last = f"-{row}" * (row > position + 1)
                between = {"between": f"line{'s' * bool(last)} {position + 1}{last}"}
                yield _Difference(at, position, (Difference.LEFT_OUT, between))
            elif at > offset:
                surplus = {"count": at - offset}
                yield _Difference(offset, row, (Difference.SURPLUS, surplus))
            if not self._matches(preimage[at], row, most):
                yield _Difference(at, row)
            offset, position = at + 1, row + 1

    def _matches(self, line: Line, position: int, most: int) -> bool:
        if not 0 <= position < len(self._lines):
            return False
        file, is_context = self._file, line.prefix is Prefix.CONTEXT
        text, found_line = file.normal(line.text), self._lines[position]
        found = file.match(is_context, text, found_line, file.prose.includes(position))
        return found is not None and found.grade <= most

    def _align(self, keys: Sequence[bytes], start: int) -> list[_Pair]:
        """Pair the lines of a hunk with those of the file near `start`, in order.

        As many as can be are equal; a gap, of lines of the file or of the hunk, must be worth it.
        If the hunk is large, or many were aligned, there is none.
        """
        self._aligned_hunks += 1
        count, first = len(keys), start - NEAR
        if max(count, self._aligned_hunks) > FEW:
            return list(enumerate(range(start, start + count)))
        below = further = [0] * (count + 2 * NEAR + 1)
        values = [below]  # of the lines from one to the last, by the row of that one, from `first`
        for key in reversed(keys):
            rows, worth = set(self._keys.rows(key)), _WORTH if _WORD.search(key) else 1
            further = list(map(max, below, further))
            gaps = [value - _GAP for value in accumulate(reversed(further), max)]
            rests = enumerate(map(max, below[1:], reversed(gaps[:-1])), first)
            below = [rest + worth * (row in rows) for row, rest in rests]
            values.append(below)
        values.reverse()
        at, row = 0, max(range(len(below)), key=lambda row: (below[row], -abs(row - NEAR)))
        pairs = []
        while at < count:
            pairs.append((at, first + row))
            steps = [(at + 1, lower) for lower in range(row + 1, len(values[at + 1]))]
            steps += [(lower, row + 1) for lower in range(at + 2, count)]
            gains = [values[at][row] - _GAP for at, row in steps]
            gains[0] += _GAP
            at, row = steps[gains.index(max(gains))]
        return pairs

    def _numbered(self, start: int, stop: int) -> NumberedLines:
        inside = range(max(start, 0), min(stop, len(self._lines)))
        return tuple((position, self._lines[position]) for position in inside)

    def _describe(self, line: Line, position: int) -> Described:
        if position >= len(self._lines):
            return Difference.FILE_ENDS, {}
        if position < 0:
            return Difference.FILE_BEGINS, {}
        return difference(self._file.normal(line.text), self._lines[position])


class _Difference(NamedTuple):
    """Where a hunk and the file differ: the index in the preimage, and the position."""

    offset: int
    position: int
    described: Described | None = None
    """What the hunk or the file has too many, if that is the difference."""


_Pair = tuple[int, int]
"""The index of a line in the preimage, and that of a line of the file, which may be beyond it."""


_WORTH, _GAP = 3, 2
"""A line with a word is worth a gap, and a bracket or a blank line is not."""


_WORD = re.compile(rb"[\w\x80-\xff]")


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
