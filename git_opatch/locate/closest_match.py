"""Find the part of a file that is most like a hunk that was not found.

It must not decide anything: similarity is for messages alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, compress, islice, starmap
from operator import eq

from git_opatch.locate.difference import squeezed
from git_opatch.locate.file_index import FileIndex, LineIndex
from git_opatch.model.limits import FEW, MANY, NEAR, SHOWN
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.text import common_length

Likes = Mapping[int, float]
"""Lines of a file, and how much each is like another one, from 0 to 1."""
Pair = tuple[int, int]
"""The index of a line in the preimage, and that of a line of the file, which may be beyond it."""
_WORTH, _LIKE, _GAP = 3, 2, 2
"""A line with a word is worth a gap, also one that is only much like the file's; a bracket or a
blank line is not."""
_WORD = re.compile(rb"[\w\x80-\xff]")
_DECAY = 0.1
"""What each line that is left out costs in a gap."""
_LEAST_ALIKE, _IN_FEW = 0.6, 0.5
"""How much alike two lines are, from 0 to 1, for one to be meant by the other; of few lines."""
_LONG_WORD = re.compile(rb"\w{4,}")
_TOKEN = re.compile(rb"\w+|[^\w\s]")


@lru_cache(MANY)
def _tokens(line: bytes) -> frozenset[bytes]:
    return frozenset(_TOKEN.findall(line))


def _likeness(one: bytes, other: bytes) -> float:
    """Return how much two lines are alike, from 0 to 1: in their words, or in both ends."""
    words, others = _tokens(one), _tokens(other)
    if not words or not others:
        return 0
    return max(2 * len(words & others) / (len(words) + len(others)), _ends_alike(one, other))


def _ends_alike(one: bytes, other: bytes) -> float:
    """Return how much of two lines, which differ, is the same at their beginning and end."""
    begin = common_length(one, other)
    rest = min(len(one), len(other)) - begin
    return (begin + min(common_length(one[::-1], other[::-1]), rest)) / max(len(one), len(other), 1)


def _decayed(best: float, value: float) -> float:
    return max(best - _DECAY, value)


class ClosestMatches:
    """Finds the closest matches of `hunks`, which were not found, in one pass over the file.

    Lines are compared without whitespace and letter case; similarity is only used for messages.
    """

    def __init__(self, file: FileIndex, hunks: Sequence[Hunk]) -> None:
        self._file = file
        self._lines = file.lines
        self._compared_hunks = 0
        self._aligned_hunks = 0
        self._likes: dict[bytes, Likes] = {}
        wanted = (squeezed(line.text) for hunk in hunks for line in hunk.preimage)
        self._keys = LineIndex([*map(squeezed, file.lines)], wanted)

    def rows(self, line: Line) -> Sequence[int]:
        """List where the file has `line`."""
        return self._keys.rows(squeezed(line.text))

    def rows_like(self, line: Line) -> Likes:
        """Return where the file has lines much like `line`, which is nowhere; the most alike first.

        They have one of its longest words, which is rare; only so many lines are looked for.
        """
        key = squeezed(line.text)
        if key not in self._likes and len(self._likes) < FEW:
            words = sorted({*_LONG_WORD.findall(line.text)}, key=lambda word: (-len(word), word))
            rows = {row for word in words[:SHOWN] for row in self._rows_of_rare(word)}
            self._likes[key] = self._alike(line, sorted(rows)[:FEW], _LEAST_ALIKE)
        return self._likes.get(key, {})

    def _alike(self, line: Line, rows: Iterable[int], least: float = _IN_FEW) -> Likes:
        """Return those of `rows` that have most of the words of `line`, and few others, each with
        how much they are alike."""
        alike = {row: _likeness(line.text.strip(), self._lines[row].strip()) for row in rows}
        best = sorted(alike, key=lambda row: -alike[row])[:SHOWN]
        return {row: alike[row] for row in best if alike[row] >= least}

    def _like_by_index(self, preimage: Sequence[Line]) -> dict[int, Likes]:
        """Return where the file has lines much like those that are nowhere, by their index."""
        return {at: self.rows_like(line) for at, line in enumerate(preimage) if self._lacks(line)}

    def _lacks(self, line: Line) -> bool:
        return bool(_WORD.search(line.text)) and not self.rows(line)

    def _rows_of_rare(self, word: bytes) -> Sequence[int]:
        rows = self._file.containing(word, NEAR)
        return rows if len(rows) <= NEAR else ()

    def pairs(self, hunk: Hunk, anchor_positions: Sequence[int]) -> list[Pair]:
        """Pair the lines of `hunk`, whose anchor is at `anchor_positions`, with those of the file
        where it fits best; none if nothing of it says where.

        That is where most of its lines are, or such as are much like them; else the line below its
        anchor, or in a small file any line, that is most like one of its own; else the line after
        its anchor.
        """
        keys = [squeezed(line.text) for line in hunk.preimage]
        like = self._like_by_index(hunk.preimage)
        start = self._start_of_most(keys, like, hunk.stated_start)
        if start is not None:
            pairs = self._align(keys, start, like)
            if self._says_where(keys, pairs, like):
                return pairs
        start = self._start_of_similar(hunk.preimage, anchor_positions)
        return [] if start is None else [*enumerate(range(start, start + len(keys)))]

    def _says_where(
        self, keys: Sequence[bytes], pairs: Sequence[Pair], like: Mapping[int, Likes]
    ) -> bool:
        """Return whether a place has two lines with words, or one: the only one of the file, or one
        that is rare and half of them."""
        with_words = [at for at, key in enumerate(keys) if _WORD.search(key)]
        rows = dict(pairs)
        found = [
            len(self._keys.rows(keys[at]))
            for at in with_words
            if at in rows and self._is_there(keys, (at, rows[at]), like)
        ]
        rarest, is_half = min(found, default=FEW), 2 * len(found) >= len(with_words)
        return len(found) > 1 or rarest <= 1 or (is_half and rarest <= SHOWN)

    def _is_there(self, keys: Sequence[bytes], pair: Pair, like: Mapping[int, Likes]) -> bool:
        """Return whether the file has the line of a pair there, or one like it."""
        at, row = pair
        return self._keys.lines[max(row, 0) : row + 1] == [keys[at]] or row in like.get(at, {})

    def _start_of_most(
        self, keys: Sequence[bytes], like: Mapping[int, Likes], stated: int | None
    ) -> int | None:
        """Return where a hunk with `keys` begins, if it is where most of its lines are.

        It is looked for by the rarest lines, and by what is `like` the others; of several such
        places it is the `stated` one, or where the first lines that differ are most alike.
        """
        found = [
            (rows, at) for at, key in enumerate(keys) if key and (rows := self._keys.rows(key))
        ]
        most_rows = MANY if self._aligned_hunks < FEW else SHOWN
        alike: dict[int, float] = defaultdict(float)
        for at, likes in like.items():
            for row, likeness in likes.items():
                alike[row - at] += likeness
        starts = set(alike)
        for rows, at in sorted(found, key=lambda each: len(each[0])):
            if len(starts) <= FEW:
                starts.update(row - at for row in rows[:most_rows])
        worth = [_WORTH if _WORD.search(key) else 1 for key in keys]
        equal = {
            start: (
                sum(compress(worth[max(-start, 0) :], starmap(eq, self._beside(keys, start))))
                + _LIKE * alike[start],
                start >= 0,
            )
            for start in sorted(starts)
        }
        most = max(equal.values(), default=None)
        best = [start for start in equal if equal[start] == most][:FEW]
        if stated in best:
            return stated
        return max(best, key=lambda start: self._first_alike(keys, start), default=None)

    def _beside(self, keys: Sequence[bytes], start: int) -> Iterator[tuple[bytes, bytes]]:
        """Pair `keys` with those of the file's lines from `start` on, inside the file."""
        first = max(-start, 0)
        return zip(keys[first:], self._keys.lines[start + first : start + len(keys)], strict=False)

    def _first_alike(self, keys: Sequence[bytes], start: int) -> float:
        """Return how much the first lines that differ begin and end alike, of a hunk that begins
        there."""
        differ = (pair for pair in self._beside(keys, start) if pair[0] != pair[1])
        return sum(_ends_alike(a, b) for a, b in islice(differ, SHOWN))

    def _start_of_similar(self, preimage: Sequence[Line], anchors: Sequence[int]) -> int | None:
        """Return where a hunk begins by the first line that is much like one below its anchor, if
        what that opens is short, or one of a small file; else below the anchor."""
        self._compared_hunks += 1
        if self._compared_hunks > SHOWN:
            return None
        size, at = len(self._lines), next(iter(anchors), None)
        is_short = at is not None and self._file.block_end(at) - at <= NEAR
        below = range(at + 1, min(at + 1 + NEAR, size)) if at is not None and is_short else ()
        every = range(size) if size <= FEW else ()
        solid = ((at, line) for at, line in enumerate(preimage) if line.text.strip())
        alike = ((at, self._alike(line, below or every)) for at, line in islice(solid, SHOWN))
        found = (next(iter(rows)) - at for at, rows in alike if rows)
        return next(found, next(iter(below), None))

    def _align(self, keys: Sequence[bytes], start: int, like: Mapping[int, Likes]) -> list[Pair]:
        """Pair the lines of a hunk with those of the file near `start`, in order.

        As many as can be are equal, or `like`; a gap, of lines of the file or of the hunk, must be
        worth it. If the hunk is large, or many were aligned, there is none.
        """
        self._aligned_hunks += 1
        count, first = len(keys), start - NEAR
        straight = [*enumerate(range(start, start + count))]
        lost = [pair for pair in straight if not self._is_there(keys, pair, like)]
        is_best = not any(like.get(at) or self._keys.rows(keys[at]) for at, _ in lost)
        if is_best or max(count, self._aligned_hunks) > FEW:
            return straight
        below = further = [0.0] * (count + 2 * NEAR + 1)
        values = [below]  # of the lines from one to the last, by the row of that one, from `first`
        for index, key in reversed([*enumerate(keys)]):
            worth = _WORTH if _WORD.search(key) else 1
            rows = like.get(index) or dict.fromkeys(self._keys.rows(key), 1.0)
            further = list(map(max, below, further))
            gaps = [value - _GAP for value in accumulate(reversed(further), _decayed)]
            rests = enumerate(map(max, below[1:], reversed(gaps[:-1])), first)
            below = [rest + worth * rows.get(row, 0) for row, rest in rests]
            values.append(below)
        values.reverse()
        at, row = 0, max(range(len(below)), key=lambda row: (below[row], -abs(row - NEAR)))
        pairs = []
        while at < count:
            pairs.append((at, first + row))
            rest = [*enumerate(range(row + 1, len(values[at + 1])))]
            steps = [(at + 1, lower) for _, lower in rest]
            gains = [values[at + 1][lower] - _GAP - over * _DECAY for over, lower in rest]
            steps += [(lower, row + 1) for lower in range(at + 2, count)]
            gains += [values[lower][row + 1] - _GAP for lower in range(at + 2, count)]
            gains[0] += _GAP
            at, row = steps[gains.index(max(gains))]
        return pairs
