"""Compare old and new lines; lines on both sides become context of one hunk.

Which lines are paired is decided in `model.common_lines`; where there are too many to compare, they
are removed and added as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from git_opatch.model.common_lines import common_runs
from git_opatch.model.patch import Line, Prefix

_MAX_LINES = 20_000
"""Lines that differ, if they are more than this, are removed and added as a whole."""


def line_diff(old: Sequence[Line], new: Sequence[Line]) -> list[Line]:
    """Return the lines of the hunk that turns the removed lines `old` into the added lines `new`.

    Context has the line numbers of `old`.
    """
    lines: list[Line] = []
    at = at_new = 0
    for same, same_new, size in _common_runs(old, new):
        lines += (*old[at:same], *new[at_new:same_new])
        lines += (line._replace(prefix=Prefix.CONTEXT) for line in old[same : same + size])
        at, at_new = same + size, same_new + size
    return lines


def _common_runs(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[int, int, int]]:
    """Find the runs of common lines, in order: (position in old, position in new, length).

    The last one, which may be empty, reaches the end of both.
    """
    head = _count_common(old, new)
    tail = _count_common(old[: head - 1 - len(old) : -1], new[: head - 1 - len(new) : -1])
    end, end_new = len(old) - tail, len(new) - tail
    yield 0, 0, head
    if end + end_new - 2 * head <= _MAX_LINES:
        olds, news = ([line.text for line in lines] for lines in (old[head:end], new[head:end_new]))
        for at, at_new, size in common_runs(olds, news):
            yield head + at, head + at_new, size
    yield end, end_new, tail


def _count_common(first: Sequence[Line], second: Sequence[Line]) -> int:
    """Return how many lines both begin with."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1].text, pairs))
