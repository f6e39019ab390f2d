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
from itertools import chain

from git_opatch.parse.body import Body
from git_opatch.parse.cursor import Cursor
from git_opatch.patch import Mark

_MOST_LINES = 20_000
"""What lies between, if it is more than this, is as well removed and added as a whole."""
_MOST_PAIRS = 100_000
"""`difflib` takes time with the square of the lines."""


def rewrite(old: Cursor, new: Cursor) -> Body:
    """The lines of the hunk that makes all lines of `new` of those of `old`.

    Both are of one text; context has the numbers of `old`.
    """
    lines = Body(old.lines, old.dedent)
    at, at_new = old.at, new.at
    for same, same_new, size in chain(_common(old, new), [(old.end, new.end, 0)]):
        lines.add(at, same - at, Mark.REMOVED)
        lines.add(at_new, same_new - at_new, Mark.ADDED)
        lines.add(same, size, Mark.CONTEXT)
        at, at_new = same + size, same_new + size
    return lines


def _common(old: Cursor, new: Cursor) -> Iterator[tuple[int, int, int]]:
    """What both sides have, in order: where it stands in each, and how many lines."""
    shorter = min(old.end - old.at, new.end - new.at)
    both = ((old.line_at(old.at + at), new.line_at(new.at + at)) for at in range(shorter))
    head = next((at for at, (one, two) in enumerate(both) if one != two), shorter)
    rest = shorter - head
    both = ((old.line_at(old.end - 1 - at), new.line_at(new.end - 1 - at)) for at in range(rest))
    tail = next((at for at, (one, two) in enumerate(both) if one != two), rest)
    yield old.at, new.at, head
    first, first_new = old.at + head, new.at + head
    span, span_new = range(first, old.end - tail), range(first_new, new.end - tail)
    if len(span) + len(span_new) <= _MOST_LINES:
        olds, news = list(map(old.line_at, span)), list(map(new.line_at, span_new))
        for at, at_new, size in _between(olds, news):
            yield first + at, first_new + at_new, size
    yield old.end - tail, new.end - tail, tail


def _between(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int]]:
    at = at_new = 0
    for one, other in [*_unique(old, new), (len(old), len(new))]:
        if (one - at) * (other - at_new) <= _MOST_PAIRS:
            gap = SequenceMatcher(None, old[at:one], new[at_new:other], autojunk=False)
            for start, start_new, size in gap.get_matching_blocks():
                yield at + start, at_new + start_new, size
        if one < len(old):
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
