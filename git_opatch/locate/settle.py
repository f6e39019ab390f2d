"""A line that is removed and added again unchanged is context: the file's bytes stay.

Models rewrite whole blocks to change one line of them. Rule: the project's decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter

from git_opatch.patch import Hunk, Line, Mark

_MOST_COMPARED = 1000
"""Runs of more lines than this are compared at their ends alone: the rest costs too much."""


def settled(hunk: Hunk) -> Hunk:
    """`hunk` with the lines that it both removes and adds as context."""
    if not _both(hunk.lines):
        return hunk
    runs = groupby(hunk.lines, key=lambda line: line.mark is Mark.CONTEXT)
    lines = [line for kept, run in runs for line in (run if kept else _settled(list(run)))]
    return hunk if len(lines) == len(hunk.lines) else replace(hunk, lines=tuple(lines))


def _settled(run: list[Line]) -> list[Line]:
    removed = [line for line in run if line.mark is Mark.REMOVED]
    added = [line for line in run if line.mark is Mark.ADDED]
    return [*_woven(removed, added)] if _both(run) else run


def _woven(removed: Sequence[Line], added: Sequence[Line]) -> Iterator[Line]:
    at = behind = 0
    for first, second, size in _blocks([*map(_said, removed)], [*map(_said, added)]):
        yield from removed[at:first]
        yield from added[behind:second]
        yield from (line._replace(mark=Mark.CONTEXT) for line in removed[first : first + size])
        at, behind = first + size, second + size


def _blocks(
    removed: Sequence[tuple[bytes, bool]], added: Sequence[tuple[bytes, bool]]
) -> Iterator[tuple[int, int, int]]:
    """Where the same lines stand in both, in order; the last block is empty, at the ends."""
    shorter = min(len(removed), len(added))
    first = next((at for at in range(shorter) if removed[at] != added[at]), shorter)
    last = next(
        (at for at in range(shorter - first) if removed[-1 - at] != added[-1 - at]),
        shorter - first,
    )
    yield 0, 0, first
    one, two = removed[first : len(removed) - last], added[first : len(added) - last]
    if max(len(one), len(two)) <= _MOST_COMPARED:
        for block in SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks():
            yield first + block.a, first + block.b, block.size
    yield len(removed) - last, len(added) - last, last
    yield len(removed), len(added), 0


def _both(lines: Sequence[Line]) -> set[tuple[bytes, bool]]:
    """What `lines` remove as well as add."""
    removed = {_said(line) for line in lines if line.mark is Mark.REMOVED}
    return removed and removed & {_said(line) for line in lines if line.mark is Mark.ADDED}


_said = attrgetter("text", "newline")
