"""Compare old and new lines; lines on both sides become context of one hunk.

Lines that occur once on each side are paired first, in the longest common order (Bram Cohen,
"Patience Diff Advantages"). The lines between pairs are left to `difflib`, or, where that would
take long, removed and added as a whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain

from git_opatch.model.patch import Prefix
from git_opatch.parse.body import Body
from git_opatch.parse.scanner import Scanner

_MAX_LINES = 20_000
"""Lines that differ, if they are more than this, are removed and added as a whole."""
_MAX_PAIRS = 100_000
"""`difflib` takes time with the square of the number of lines."""


def line_diff(old: Scanner, new: Scanner) -> Body:
    """Return the lines of the hunk that turns all lines of `old` into those of `new`.

    Both are scanners over one text; context has the line numbers of `old`.
    """
    lines = Body(old.lines, old.dedent)
    at, at_new = old.at, new.at
    for same, same_new, size in chain(_common_runs(old, new), [(old.end, new.end, 0)]):
        lines.add(at, same - at, Prefix.REMOVED)
        lines.add(at_new, same_new - at_new, Prefix.ADDED)
        lines.add(same, size, Prefix.CONTEXT)
        at, at_new = same + size, same_new + size
    return lines


def _common_runs(old: Scanner, new: Scanner) -> Iterator[tuple[int, int, int]]:
    """Find the runs of common lines, in order: (position in old, position in new, length)."""
    shorter = min(old.end - old.at, new.end - new.at)
    both = ((old.line_at(old.at + at), new.line_at(new.at + at)) for at in range(shorter))
    head = next((at for at, (line, line_new) in enumerate(both) if line != line_new), shorter)
    rest = shorter - head
    both = ((old.line_at(old.end - 1 - at), new.line_at(new.end - 1 - at)) for at in range(rest))
    tail = next((at for at, (line, line_new) in enumerate(both) if line != line_new), rest)
    yield old.at, new.at, head
    first, first_new = old.at + head, new.at + head
    span, span_new = range(first, old.end - tail), range(first_new, new.end - tail)
    if len(span) + len(span_new) <= _MAX_LINES:
        olds, news = list(map(old.line_at, span)), list(map(new.line_at, span_new))
        for at, at_new, size in _match_lines(olds, news):
            yield first + at, first_new + at_new, size
    yield old.end - tail, new.end - tail, tail


def _match_lines(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int]]:
    at = at_new = 0
    for first, first_new in [*_unique_pairs(old, new), (len(old), len(new))]:
        if (first - at) * (first_new - at_new) <= _MAX_PAIRS:
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
