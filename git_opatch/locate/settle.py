"""A line that is removed and added again unchanged is context: the file's bytes stay.

Models rewrite whole blocks to change one line of them. Rule: the project's decisions.
Where removed lines stand deeper in the file than in the patch, or less deep, and what is added
does not begin as deep as they do, the same text may be meant to be moved: that is no context.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter

from git_opatch.patch import Hunk, Line, Mark
from git_opatch.text import indentation

_MOST_COMPARED = 1000
"""Runs of more lines than this are compared at their ends alone: the rest costs too much."""


def settled(hunk: Hunk, there: Sequence[bytes] = ()) -> Hunk:
    """`hunk` with the lines that it both removes and adds as context.

    `there` are the file's lines for its preimage, if they may be indented otherwise.
    """
    if not _both(hunk.lines):
        return hunk
    lines: list[Line] = []
    at = 0
    for kept, group in groupby(hunk.lines, key=lambda line: line.mark is Mark.CONTEXT):
        run, before = list(group), at
        at += sum(line.mark is not Mark.ADDED for line in run)
        moved = _is_shifted(run, there[before:at]) and _begins_elsewhere(run)
        lines += run if kept or moved or not _both(run) else _settled(run)
    return hunk if len(lines) == len(hunk.lines) else replace(hunk, lines=tuple(lines))


def _settled(run: Sequence[Line]) -> Iterator[Line]:
    removed = [line for line in run if line.mark is Mark.REMOVED]
    added = [line for line in run if line.mark is Mark.ADDED]
    return _woven(removed, added)


def _is_shifted(run: Sequence[Line], there: Sequence[bytes]) -> bool:
    """Whether the file has any of what a run shows of it, which is `there`, otherwise indented."""
    shown = (line.text for line in run if line.mark is not Mark.ADDED)
    return any(
        indentation(text) != indentation(found) for text, found in zip(shown, there, strict=False)
    )


def _begins_elsewhere(run: Sequence[Line]) -> bool:
    """Whether what a run adds begins at another depth than what it removes."""
    return _least(run, Mark.REMOVED) != _least(run, Mark.ADDED)


def _least(run: Sequence[Line], mark: Mark) -> int:
    solid = (one.text for one in run if one.mark is mark and one.text.strip())
    return min((len(indentation(text)) for text in solid), default=0)


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
