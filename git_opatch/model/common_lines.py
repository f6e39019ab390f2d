"""Pair the lines that two texts have in common.

Those that both begin or end with are paired in any case. Of the others, lines that occur once on
each side are paired first, in the longest common order (Bram Cohen, "Patience Diff Advantages").
The lines between pairs are left to `difflib`, or, where that would take long, are not paired.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

_MAX_PAIRS, _MAX_ALL_PAIRS = 100_000, 10_000_000
"""Of lines between two pairs, and of all: `difflib` takes time with the square of their number."""


def common_runs(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int]]:
    """Find the runs of common lines, in order: (position in old, position in new, length).

    The first and the last, which may be empty, begin and end with both texts.
    """
    head = _count_equal(old, new)
    tail = _count_equal(old[: head - 1 - len(old) : -1], new[: head - 1 - len(new) : -1])
    end, end_new = len(old) - tail, len(new) - tail
    yield 0, 0, head
    for at, at_new, size in _runs_between(old[head:end], new[head:end_new]):
        yield head + at, head + at_new, size
    yield end, end_new, tail


def _count_equal(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """Return how many lines both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _runs_between(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int]]:
    at = at_new = 0
    left = _MAX_ALL_PAIRS
    for first, first_new in [*_unique_pairs(old, new), (len(old), len(new))]:
        pairs = (first - at) * (first_new - at_new)
        if 0 < pairs <= min(_MAX_PAIRS, left):
            left -= pairs
            gap = SequenceMatcher(None, old[at:first], new[at_new:first_new], autojunk=False)
            for start, start_new, size in gap.get_matching_blocks():
                yield at + start, at_new + start_new, size
        if first < len(old):
            yield first, first_new, 1
        at, at_new = first + 1, first_new + 1


def _unique_pairs(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pair the lines that occur once on each side; as many as have the same order on both."""
    once, once_new = _unique_lines(old), _unique_lines(new)
    pairs = [(at, once_new[line]) for line, at in once.items() if line in once_new]
    tops: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for pair, (_, at_new) in enumerate(pairs):
        pile = bisect_left(tops, at_new)
        before.append(last[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [at_new]
        last[pile : pile + 1] = [pair]
    chosen: list[tuple[int, int]] = []
    pair = last[-1] if last else -1
    while pair >= 0:
        chosen.append(pairs[pair])
        pair = before[pair]
    return chosen[::-1]


def _unique_lines(lines: Sequence[bytes]) -> dict[bytes, int]:
    counts = Counter(lines)
    return {line: at for at, line in enumerate(lines) if counts[line] == 1}
