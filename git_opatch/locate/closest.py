"""Which lines of a file a hunk, which was not found, most likely means.

It must not decide anything: likeness is for messages alone. A line counts by its words and by how
rare it is, so that a blank line, a bracket or a decorator says nothing of a place; one in what the
hunk names counts more.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise

from git_opatch.locate.difference import difference, squeezed
from git_opatch.locate.file import File
from git_opatch.locate.heads import is_definition, rows_with
from git_opatch.model.limits import MANY, NEAR, SHOWN
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.picture import WORD
from git_opatch.model.sentences import Difference

Pair = tuple[int, int]
"""The index of an old line of a hunk, and the row of the file's line that it is, or means."""
_LONG_WORD = re.compile(rb"\w{4,}")
_TOKEN = re.compile(rb"\w+|[^\w\s]")
_ALIKE, _BESIDE = 0.6, 0.5
"""How much alike two lines are for one to mean the other; and of two that are between the same."""
_SIGN, _MOST_WORDS, _NAMED, _STATED = 0.3, 4, 2.0, 0.3
"""What a sign weighs beside a word; more words do not say more; what is named, or stated."""
_GAP, _ENTERS, _MOST_GAP = 0.1, 1.5, 60
"""What a line between two pairs costs, and one that begins a definition; how many there may be."""
_SHORT, _AHEAD, _SMALL, _FEW = 400, 4, 100, 2
_MOST_PAIRS, _MOST_WORK, _MOST_SEARCHED = 300, 400_000, 200_000_000
"""Pairs of one hunk; steps, and bytes, of all hunks of a file: then less is looked at."""


@lru_cache(MANY)
def likeness(one: bytes, other: bytes) -> float:
    """Return how much two lines are alike, from 0 to 1: in their words, or letter by letter."""
    if not (one.isascii() and other.isascii()) and difference(one, other)[0] is not Difference.TEXT:
        return 1
    words, others = set(_TOKEN.findall(one)), set(_TOKEN.findall(other))
    if not any(map(WORD.match, words & others)):
        return 0
    common = 2 * _weight(words & others) / (_weight(words) + _weight(others))
    is_short = max(len(one), len(other)) < _SHORT and len(one) < 2 * len(other) < 4 * len(one)
    if common < _ALIKE and is_short:
        common = max(common, SequenceMatcher(None, one, other, autojunk=False).ratio() - 0.1)
    return common


def _weight(tokens: set[bytes]) -> float:
    return sum(1 if WORD.match(token) else _SIGN for token in tokens)


class Closest:
    """Compares the hunks of a file that were not found with its lines."""

    def __init__(self, file: File) -> None:
        self._file, self._index = file, file.squeezed
        self._alike: dict[bytes, Mapping[int, float]] = {}
        self._work, self._searched = 0, 0

    @cached_property
    def definitions(self) -> list[int]:
        """The rows of what the file defines."""
        return [row for row, line in enumerate(self._file.lines) if is_definition(line)]

    def rows(self, line: Line) -> Sequence[int]:
        """List where the file has `line`, whatever its whitespace and letter case."""
        return self._index.rows(squeezed(line.text))

    def alike(self, line: Line) -> Mapping[int, float]:
        """Return where the file has lines much like `line`, the most alike first: they have one of
        its longest words, which is rare."""
        text = line.text.strip()
        if text not in self._alike:
            words = sorted({*_LONG_WORD.findall(text)}, key=lambda word: (-len(word), word))
            rows = {row for word in words[:SHOWN] for row in self.rare(word)}
            if not rows and len(self._index.keys) <= _SMALL:
                rows = {*range(len(self._index.keys))}
            much = {row: likeness(text, self._file.lines[row].strip()) for row in sorted(rows)}
            best = sorted(much, key=lambda row: -much[row])[:SHOWN]
            self._alike[text] = {row: much[row] for row in best if much[row] >= _ALIKE}
        return self._alike[text]

    def like(self, line: Line) -> int | None:
        """Return the line most like `line`, or the only one that has all its long words."""
        if much := self.alike(line):
            return next(iter(much))
        words = {*_LONG_WORD.findall(line.text)}
        rows = self.rare(max(words, key=len), most=1) if words else ()
        held = (at for at in rows if words <= {*_LONG_WORD.findall(self._file.lines[at])})
        return next(held, None)

    def rare(self, word: bytes, most: int = NEAR) -> Sequence[int]:
        """List the lines that have `word`, if they are few."""
        if self._searched > _MOST_SEARCHED:
            return ()
        self._searched += len(self._file.joined)
        rows = rows_with(word, self._file.joined)
        return rows if len(rows) <= most else ()

    def pairs(self, hunk: Hunk, scopes: Sequence[range], *, only: bool = False) -> list[Pair]:
        """Pair the lines of `hunk` with those of the file where they fit best, in order.

        What is in the `scopes` counts more, or `only` that. There is none if nothing says where.
        """
        weighed = []
        for at, line in enumerate(hunk.preimage[:MANY]):
            words = len(WORD.findall(line.text))
            there = dict.fromkeys(self.rows(line)[:NEAR], 1.0) if words else {}
            alike = self.alike(line) if words > 2 or (words and not there) else {}
            worth = min(words, _MOST_WORDS) / max(len(there), 1) ** 0.5
            for row, much in {**alike, **there}.items():
                is_named = any(row in scope for scope in scopes)
                weight = worth * much**3 * (_NAMED if is_named else not only)
                if weight and hunk.stated_start is not None:
                    weight += _STATED / (1 + abs(row - at - hunk.stated_start))
                weighed += [(at, row, weight)] if weight else []
        chain = self._chain(weighed)
        if not chain:
            return []
        size, ahead = len(hunk.preimage), len(hunk.preimage) + SHOWN
        first, last = chain[0], chain[-1]
        ends = (-1, max(first[1] - ahead, -1)), (size, min(last[1] + ahead, len(self._file.lines)))
        pairs: list[Pair] = []
        for (at, row), (end, stop) in pairwise((ends[0], *chain, ends[1])):
            way = -1 if at < 0 else 1  # from what is sure
            inner, rows = range(at + 1, end)[::way], range(row + 1, stop)[::way]
            is_edge = at < 0 or end == size
            pairs += self._between(hunk, inner, rows, is_edge=is_edge)[::way]
            pairs += [(end, stop)] * (end < size)
        return _without_strays(pairs, hunk)

    def _chain(self, weighed: list[tuple[int, int, float]]) -> list[Pair]:
        """Choose the heaviest of those pairs that are in order, and not far from one another."""
        most = _MOST_PAIRS if self._work < _MOST_WORK else SHOWN
        pairs = sorted(sorted(weighed, key=lambda each: -each[2])[:most])
        self._work += len(pairs) ** 2
        defined = self.definitions if pairs else []
        heads = [bisect_left(defined, row) for _, row, _ in pairs]
        best: list[tuple[float, int]] = []
        for n, (at, row, weight) in enumerate(pairs):
            gain, via = 0.0, -1
            for m, (above, higher, _) in enumerate(pairs[:n]):
                over = abs((row - higher) - (at - above))
                if above < at and higher < row and over <= _MOST_GAP:
                    enters = bool(over) and heads[n] > bisect_left(defined, higher + 1)
                    cost = _GAP * over + _ENTERS * enters
                    gain, via = max((gain, via), (best[m][0] - cost, m))
            best.append((weight + gain, via))
        n = max(range(len(best)), key=lambda n: best[n][0], default=-1)
        chain: list[Pair] = []
        while n >= 0:
            chain.append(pairs[n][:2])
            n = best[n][1]
        return chain[::-1]

    def _between(
        self, hunk: Hunk, inner: Sequence[int], rows: Sequence[int], *, is_edge: bool
    ) -> list[Pair]:
        """Pair what is between two pairs: equal lines, and those alike that take their place; few,
        whatever they are."""
        old = [squeezed(hunk.preimage[at].text) for at in inner]
        new = [self._index.keys[row] for row in rows]
        if not old or not new or len(old) * len(new) > _MOST_WORK:
            return []
        pairs = []
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "equal":
                pairs += [*zip(inner[a:b], rows[c:d], strict=True)]
            elif tag == "replace":
                alike = self._in_place(hunk, inner[a:b], [*rows[c:d]])
                lines = [hunk.preimage[at] for at in inner[a:b]]
                is_one_for_one = is_edge or b - a == d - c
                if (
                    not alike
                    and b - a <= _FEW
                    and is_one_for_one
                    and not any(map(self.rows, lines))
                ):
                    alike = [*zip(inner[a:b], rows[c:d], strict=False)]
                pairs += alike
        return pairs

    def _in_place(self, hunk: Hunk, inner: Sequence[int], free: list[int]) -> list[Pair]:
        """Pair lines that are nowhere with those in their place that are alike."""
        pairs = []
        for at in inner:
            line, near = hunk.preimage[at], free[:_AHEAD]
            if len(WORD.findall(line.text)) > 1 and self.rows(line):
                continue
            much = [likeness(line.text.strip(), self._file.lines[row].strip()) for row in near]
            best = max(range(len(near)), key=much.__getitem__, default=-1)
            if best >= 0 and much[best] >= _BESIDE:
                pairs.append((at, free[best]))
                free = free[best + 1 :]
        return pairs


def _without_strays(pairs: list[Pair], hunk: Hunk) -> list[Pair]:
    """Leave out blank lines and brackets at the ends that are apart from the rest."""
    for end, other in ((0, 1), (-1, -2)):
        while len(pairs) > 1 and not WORD.search(hunk.preimage[pairs[end][0]].text):
            (at, row), (near, beside) = pairs[end], pairs[other]
            if abs(at - near) == abs(row - beside):
                break
            del pairs[end]
    return pairs


closest_of = lru_cache(1)(Closest)
"""What compares the hunks of a file, for all of them."""
