"""The runs of lines that differ between two versions of a file. Pure; positions count from 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.model.common_lines import common_runs
from git_opatch.model.text import Text


class LineChange(NamedTuple):
    """The old lines from `start` to `stop` become the new ones from `new_start` to `new_stop`."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def line_changes(old: Text, new: Text) -> list[LineChange]:
    """List what differs, in order. A last line without its newline differs from one with it."""
    before, after = _terminated(old), _terminated(new)
    shorter = min(len(before), len(after))
    head = _common(before, after, shorter)
    tail = _common(before[::-1], after[::-1], shorter - head)
    end, end_new = len(before) - tail, len(after) - tail
    changes = []
    at, at_new = head, head
    runs = common_runs(before[head:end], after[head:end_new])
    for start, start_new, size in [*runs, (end - head, end_new - head, tail)]:
        change = LineChange(at, head + start, at_new, head + start_new)
        if size or head + start == end:
            if change.start < change.stop or change.new_start < change.new_stop:
                changes.append(change)
            at, at_new = head + start + size, head + start_new + size
    return changes


def _terminated(text: Text) -> list[bytes]:
    lines = [line + b"\n" for line in text.lines]
    if lines and not text.final_newline:
        lines[-1] = lines[-1][:-1]
    return lines


def _common(one: Sequence[bytes], other: Sequence[bytes], most: int) -> int:
    """Return how many lines both begin with in common, of the first `most`."""
    return next((at for at in range(most) if one[at] != other[at]), most)
