"""Find the part of a file that is most like a hunk that was not found, and what differs there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from unicodedata import category, normalize

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.tiers import likeness, spaced_once
from git_opatch.model.limits import FEW, MANY, NEAR, SHOWN
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line
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
        offset = self._first_mismatch(preimage, start, self._tier)
        if offset is None:
            offset = self._first_mismatch(preimage, start, Tier.STRICT) or 0
        gap = self._gap(preimage, start, offset)
        if gap is not None:
            offset, left_out = gap
            position, described = left_out.start, _between(left_out)
            others = self._others(preimage, left_out.stop - offset, offset)
            start = position - offset
        else:
            position = min(max(start + offset, 0), len(self._lines))
            described = self._describe(preimage[offset], start + offset)
            others = self._others(preimage, start, offset)
        last = min(position + len(preimage) + 2, len(self._lines))
        return ClosestMatch(
            position,
            preimage[offset],
            self._numbered(position - 1, position + 2),
            described,
            reread=(max(position - 1, 1), last),
            lines=self._numbered(start, start + len(preimage)),
            others=tuple(others[: SHOWN - 1]),
            more=max(len(others) - (SHOWN - 1), 0),
        )

    def _others(self, preimage: Sequence[Line], start: int, first: int) -> list[DifferentLine]:
        """List the lines after the one at index `first` that differ, too.

        None if most of the lines do: then they are not compared with the ones that were meant.
        """
        end = len(self._lines) - start
        differ = [
            DifferentLine(line, start + at, self._lines[start + at])
            for at, line in enumerate(preimage[first + 1 : end], first + 1)
            if start + at >= 0 and not self._file_index.matches(line, start + at, self._tier)
        ]
        return differ if 2 * (len(differ) + 1) <= len(preimage) else []

    def _first_mismatch(self, lines: Sequence[Line], start: int, tier: Tier) -> int | None:
        """Return the index of the first of `lines` that `tier` does not find below `start`."""
        matches = (self._file_index.matches(line, at, tier) for at, line in enumerate(lines, start))
        return next((index for index, is_match in enumerate(matches) if not is_match), None)

    def _gap(self, preimage: Sequence[Line], start: int, offset: int) -> tuple[int, range] | None:
        """Return what the hunk leaves out: the index of the line below, and the file's lines.

        The lines above are right before that part of the file, and all below right after it; or at
        least the first one below, if it is near and has a word. None if there is no such part.
        """
        texts = [self._normal(line.text) for line in preimage]
        if offset:  # the lines above are at `start`: where do those below go on?
            above = start + offset
            below = [at for at in self._occurrences(texts[offset:]) if at > above]
            if not below and re.search(_WORD, texts[offset]):
                near = range(above + 1, above + NEAR)
                below = [at for at in self._occurrences(texts[offset : offset + 1]) if at in near]
            return (offset, range(above, below[0])) if below else None
        count = len(texts)
        while count and self._line_at(start + count - 1) == texts[count - 1]:
            count -= 1
        if count == len(texts):
            return None
        ends = [at + count for at in self._occurrences(texts[:count]) if at < start]
        return (count, range(ends[-1], start + count)) if ends else None

    def _occurrences(self, texts: Sequence[bytes]) -> list[int]:
        """List where `texts` are; none if all of them are blank."""
        indexed = enumerate(self._positions.get(_squeezed(text)) for text in texts)
        index, positions = next((row for row in indexed if row[1] is not None), (0, None))
        return [at - index for at in positions or () if self._has(texts, at - index)]

    def _has(self, texts: Sequence[bytes], position: int) -> bool:
        return position >= 0 and list(self._lines[position : position + len(texts)]) == list(texts)

    def _numbered(self, start: int, stop: int) -> NumberedLines:
        inside = range(max(start, 0), min(stop, len(self._lines)))
        return tuple((position, self._lines[position]) for position in inside)

    def _describe(self, line: Line, position: int) -> str:
        if position >= len(self._lines):
            return "the file ends before this line"
        if position < 0:
            return "the file begins after this line"
        return difference(self._normal(line.text), self._lines[position])

    def _line_at(self, position: int) -> bytes | None:
        return self._lines[position] if 0 <= position < len(self._lines) else None


_WORD = rb"\w\w"


def _between(left_out: range) -> str:
    """Say which lines of the file are between the line that was expected and the one above it."""
    first, last = left_out.start + 1, left_out.stop
    if first == last:
        return f"the file has line {first} between this line and the one above it; add it"
    which = f"{first} and {last}" if last - first == 1 else f"{first}-{last}"
    return f"the file has lines {which} between this line and the one above it; add them"


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
