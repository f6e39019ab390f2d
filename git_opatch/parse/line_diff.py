"""Compare old and new lines; lines on both sides become context of one hunk.

Which lines are paired is decided in `model.common_lines`; where there are too many to compare, they
are removed and added as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from git_opatch.model.common_lines import common_runs
from git_opatch.model.patch import Line, Prefix
from git_opatch.parse.hunk_line import make_lines
from git_opatch.parse.scanner import Scanner

_MAX_LINES = 20_000
"""Lines that differ, if they are more than this, are removed and added as a whole."""


def line_diff(old: Scanner, new: Scanner) -> list[Line]:
    """Return the lines of the hunk that turns all lines of `old` into those of `new`.

    Both are scanners over one text; context has the line numbers of `old`.
    """
    lines: list[Line] = []
    at, at_new = old.at, new.at
    for same, same_new, size in chain(_common_runs(old, new), [(old.end, new.end, 0)]):
        lines += make_lines(old, at, same, Prefix.REMOVED)
        lines += make_lines(new, at_new, same_new, Prefix.ADDED)
        lines += make_lines(old, same, same + size, Prefix.CONTEXT)
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
        for at, at_new, size in common_runs(olds, news):
            yield first + at, first_new + at_new, size
    yield old.end - tail, new.end - tail, tail
