"""The hunks of a patch that is created, as few lines as do (D290). Pure.

A hunk shows the same number of unchanged lines above and below its changes: none, or one where
lines are only added. The proof says whether it is found for certain; where it is not, the hunk gets
more of them (`HunkRange.wider`), up to the whole file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from git_opatch.model.blob import Blob, ChangedFile
from git_opatch.model.common_lines import common_runs
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.text import Text

_ONE_BY_ONE = 3
"""The lines of context grow by one up to this many, and are doubled from then on."""


class LineChange(NamedTuple):
    """The old lines from `start` to `stop` become the new ones from `new_start` to `new_stop`."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def line_changes(old: Text, new: Text) -> list[LineChange]:
    """List what differs, in order. A last line without its newline differs from one with it."""
    before, after = _terminated(old), _terminated(new)
    changes = []
    at = at_new = 0
    for start, start_new, size in common_runs(before, after):
        if size or start == len(before):
            if at < start or at_new < start_new:
                changes.append(LineChange(at, start, at_new, start_new))
            at, at_new = start + size, start_new + size
    return changes


def _terminated(text: Text) -> list[bytes]:
    lines = [line + b"\n" for line in text.lines]
    if lines and not text.final_newline:
        lines[-1] = lines[-1][:-1]
    return lines


class HunkRange(NamedTuple):
    """Changes of one hunk, in order, and how much it shows of a file that has `length` lines."""

    changes: Sequence[LineChange]
    context: int
    """Lines above the first change, and below the last one, where the file has so many."""
    length: int

    @property
    def first(self) -> int:
        """The first line that the hunk shows."""
        return max(0, self.changes[0].start - self.context)

    @property
    def last(self) -> int:
        """The position after the last line that the hunk shows."""
        return min(self.length, self.changes[-1].stop + self.context)

    @property
    def is_whole(self) -> bool:
        """Whether it shows all of the file."""
        return self.last - self.first == self.length

    def wider(self) -> HunkRange:
        """The same with more context; itself if there is no more."""
        if self.is_whole:
            return self
        context = self.context + 1 if self.context < _ONE_BY_ONE else 2 * self.context
        return self._replace(context=context)


def hunk_ranges(changes: Iterable[LineChange], length: int, context: int | None) -> list[HunkRange]:
    """Group changes into hunks with `context` lines; None for the fewest that may do."""
    return merged(
        HunkRange(
            [change], int(change.start == change.stop) if context is None else context, length
        )
        for change in changes
    )


def merged(ranges: Iterable[HunkRange]) -> list[HunkRange]:
    """Merge neighbouring hunks whose context meets, as git does."""
    hunks: list[HunkRange] = []
    for later in ranges:
        hunk = later
        while hunks and hunk.changes[0].start - hunks[-1].changes[-1].stop <= (
            hunks[-1].context + hunk.context
        ):
            earlier = hunks.pop()
            context = max(earlier.context, hunk.context)
            hunk = hunk._replace(changes=[*earlier.changes, *hunk.changes], context=context)
        hunks.append(hunk)
    return hunks


def make_section(file: ChangedFile, ranges: Iterable[HunkRange]) -> FilePatch:
    """Make the section of one file; `ranges` are its hunks, if it has two versions."""
    old, new = file
    old_mode, new_mode = (blob.entry.mode if blob else None for blob in file)
    if old and new:
        operation = Operation.MOVE if file.is_renamed else Operation.UPDATE
        made = [make_hunk(old.text, new.text, hunk) for hunk in ranges]
        hunks = tuple(
            replace(hunk, ordinal=ordinal, is_last=ordinal == len(made))
            for ordinal, hunk in enumerate(made, 1)
        )
        if old_mode is new_mode:
            old_mode = new_mode = None
    elif old:
        operation, hunks = Operation.DELETE, _whole(old, Prefix.REMOVED)
    else:
        operation, hunks = Operation.ADD, _whole(new, Prefix.ADDED)
    paths = (old.path if old else None, new.path if new else None)
    return FilePatch(operation, *paths, hunks, old_mode=old_mode, new_mode=new_mode)


def _whole(blob: Blob | None, prefix: Prefix) -> tuple[Hunk, ...]:
    """Return the hunk of all lines of a file, if it has any."""
    if blob is None or blob.binary or not blob.text.lines:
        return ()
    return (Hunk(tuple(prefixed(prefix, blob.text))),)


def make_hunk(old: Text, new: Text, hunk: HunkRange) -> Hunk:
    """Make the hunk that has the changes from `old` to `new`."""
    lines, at = list[Line](), hunk.first
    for change in hunk.changes:
        lines += prefixed(Prefix.CONTEXT, old, at, change.start)
        lines += prefixed(Prefix.REMOVED, old, change.start, change.stop)
        lines += prefixed(Prefix.ADDED, new, change.new_start, change.new_stop)
        at = change.stop
    lines += prefixed(Prefix.CONTEXT, old, at, hunk.last)
    return Hunk(tuple(lines), stated_start=hunk.first)


def prefixed(prefix: Prefix, text: Text, start: int = 0, stop: int | None = None) -> Iterator[Line]:
    """Yield the lines of `text` from `start` to `stop`, or to its end, with a prefix."""
    stop = len(text.lines) if stop is None else stop
    return (Line(prefix, text.lines[at], text.has_newline(at)) for at in range(start, stop))
