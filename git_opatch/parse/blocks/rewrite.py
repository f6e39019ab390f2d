"""Old lines and new lines, to the lines of one hunk: what both have is context.

Lines that stand once on each side are paired first, in the longest order that both have
(Bram Cohen, "Patience Diff Advantages"); what lies between is left to the standard library's
`difflib`, or, where that would take long, removed and added as a whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from git_opatch.patch import Line, Mark

Numbered = Sequence[tuple[bytes, int]]
"""Lines with their numbers in the patch's text."""

_MOST_PAIRS = 100_000
"""`difflib` takes time with the square of the lines."""


def rewrite(old: Numbered, new: Numbered) -> tuple[Line, ...]:
    """The lines of the hunk that makes `new` of `old`; context has the numbers of `old`."""
    lines: list[Line] = []
    at, at_new = 0, 0
    olds, news = [text for text, _ in old], [text for text, _ in new]
    for same, same_new, size in [*_common(olds, news), (len(old), len(new), 0)]:
        lines += _marked(Mark.REMOVED, old[at:same])
        lines += _marked(Mark.ADDED, new[at_new:same_new])
        lines += _marked(Mark.CONTEXT, old[same : same + size])
        at, at_new = same + size, same_new + size
    return tuple(lines)


def _marked(mark: Mark, lines: Numbered) -> Iterator[Line]:
    return (Line(mark, text, number=number) for text, number in lines)


def _common(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int]]:
    """What both sides have, in order: where it stands in each, and how many lines."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    yield 0, 0, head
    yield from _between(old, new, (head, len(old) - tail), (head, len(new) - tail))
    yield len(old) - tail, len(new) - tail, tail


def _between(
    old: Sequence[bytes], new: Sequence[bytes], span: tuple[int, int], span_new: tuple[int, int]
) -> Iterator[tuple[int, int, int]]:
    at, at_new = span[0], span_new[0]
    anchors = _unique(old[slice(*span)], new[slice(*span_new)])
    shifted = ((one + span[0], other + span_new[0]) for one, other in anchors)
    for one, other in [*shifted, (span[1], span_new[1])]:
        if (one - at) * (other - at_new) <= _MOST_PAIRS:
            gap = SequenceMatcher(None, old[at:one], new[at_new:other], autojunk=False)
            for start, start_new, size in gap.get_matching_blocks():
                yield at + start, at_new + start_new, size
        if one < span[1]:
            yield one, other, 1
        at, at_new = one + 1, other + 1


def _unique(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """The pairs of lines that stand once on each side, the most that are in one order."""
    once, once_new = _standing_once(old), _standing_once(new)
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


def _standing_once(lines: Sequence[bytes]) -> dict[bytes, int]:
    counts = Counter(lines)
    return {line: at for at, line in enumerate(lines) if counts[line] == 1}
