"""Patches of the journal, as lines for a person and as values of JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import NamedTuple

from git_opatch import report
from git_opatch.journal import PatchHistory, Record, RecordAction
from git_opatch.model.errors import JournalError
from git_opatch.model.failure import LOCATED_IN
from git_opatch.model.options import Target
from git_opatch.model.text import visible
from git_opatch.operations.log import LoggedPatch
from git_opatch.plan.reversal import State
from git_opatch.report.draw import Spans

Entry = LoggedPatch | tuple[int, JournalError]
"""A patch with what became of it, or a number and why its entry cannot be read."""

_NO_NAME = "standard input"
_LEAST_OF_NAME, _BETWEEN = 12, "  "
_MOST_NAMED = 3  # paths
_STYLES = {
    State.APPLIED: "green",
    State.UNDONE: "yellow",
    State.GONE: "bright_black",
    State.CHANGED: "red",
    None: "",
}
_UNITS = ((60, "minute"), (60, "hour"), (24, "day"), (7, "week"))


def rows(entries: Sequence[Entry], now: float | None = None, width: int = 0) -> Iterator[Spans]:
    """Word each entry: number, time, state, name, files.

    With `now`, for a person: in columns, the name cut so that all fit in `width`, and the time
    relative to `now`. Without, the time is as with git's `--date=iso`.
    """
    cells = [_cells(entry, now) for entry in entries if isinstance(entry, LoggedPatch)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)] if now else [0] * 5
    if cells and now:
        room = width - (sum(widths) - widths[3]) - len(_BETWEEN) * 4
        widths[3] = min(widths[3], max(room, _LEAST_OF_NAME))
    for entry in entries:
        if not isinstance(entry, LoggedPatch):
            yield [(f"{entry[0]}  {visible(str(entry[1]), 1000)}", "")]
            continue
        number, when, state, name, changes = _cells(entry, now)
        if now and len(name) > widths[3]:
            name = name[: widths[3] - 1] + "…"
        yield [
            (number.rjust(widths[0]) + _BETWEEN, "cyan"),
            (when.ljust(widths[1]) + _BETWEEN, ""),
            (state.ljust(widths[2]) + _BETWEEN, _STYLES[entry.state]),
            (name.ljust(widths[3]) + _BETWEEN + changes, ""),
        ]


def _cells(entry: LoggedPatch, now: float | None) -> list[str]:
    record = entry.history.record
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(record.time))
    when = when if now is None else _ago(int(now) - record.time)
    name = visible(record.name) or _NO_NAME
    return [str(entry.history.number), when, _became(entry), name, _changes(record)]


def _ago(seconds: int) -> str:
    """Word a time as `git log --date=relative` does, in the largest unit of which there are two."""
    count, name = max(seconds, 0), "second"
    for size, larger in _UNITS:
        if count < 2 * size:
            break
        count, name = count // size, larger
    return f"{count} {name}{'s' * (count != 1)} ago"


def _became(entry: LoggedPatch) -> str:
    state = entry.state.value if entry.state else "state unknown"
    undone = entry.history.undone
    if entry.state is State.UNDONE:
        return state
    if undone is not None:
        return f"{state}, undone in {LOCATED_IN[undone]}"
    paths = _undone_paths(entry.history)
    names = ", ".join(map(visible, paths[:_MOST_NAMED])) + ", …" * (len(paths) > _MOST_NAMED)
    return f"{state}, undone: {names}" if paths else state


def _undone_paths(history: PatchHistory) -> list[str]:
    """Return the files of a patch that are undone somewhere, where it is not all of it."""
    if history.undone is not None or history.undone_in_part is None:
        return []
    return sorted(history.paths_in(history.undone_in_part, undone=True))


def _changes(record: Record) -> str:
    part = "" if _is_complete(record) else ", part of the patch"
    flags = ["-R"] * record.in_reverse
    flags += [f"--{record.target.value}"] * (record.target is not Target.INDEX)
    how = f", applied with {' '.join(flags)}" if flags else ""
    return report.count_changes(record.files) + part + how


def _is_complete(record: Record) -> bool:
    """Return whether all of the patch's text was applied: no hunk was rejected, or left out."""
    return record.whole and not record.is_part


class _Known(LoggedPatch):
    """What is known of a patch whose entry can be read."""

    @property
    def record(self) -> Record:
        """The entry that has what the patch changed."""
        return self.history.record

    @property
    def summary(self) -> str:
        """How many files were changed, and what became of that."""
        return f"{_changes(self.record)}; {_became(self)}"

    @property
    def undone_paths(self) -> Sequence[str]:
        """The files that are undone, if the others are not."""
        return _undone_paths(self.history)

    @property
    def actions(self) -> Sequence[Record]:
        """What was done to the patch."""
        return [
            record for record in self.history.records if record.action is not RecordAction.APPLY
        ]

    @property
    def complete(self) -> bool:
        """Whether all of the patch was applied."""
        return _is_complete(self.record)

    @property
    def files(self) -> Mapping[str, int]:
        """How many files were changed, by what became of them."""
        return {
            report.CHANGES.get(letter, letter): count for letter, count in self.record.files.items()
        }

    @property
    def paths(self) -> Sequence[object]:
        """The paths that changed, with git's letters."""
        return [
            SimpleNamespace(path=path, change="A" if old is None else "D" if new is None else "M")
            for path, old, new in self.record.changes
        ]


class RecordValues(NamedTuple):
    """An entry for `fields`, with its diff if that is wanted, or why it cannot be read."""

    number: int
    known: _Known | None = None
    diff: bytes | None = None
    error: str | None = None

    @classmethod
    def of(cls, entry: Entry, *, diff: bool) -> RecordValues:
        """Take an entry, and read its diff if it is wanted."""
        if not isinstance(entry, LoggedPatch):
            return cls(entry[0], error=str(entry[1]))
        number, known = entry.history.number, _Known(*entry)
        try:
            return cls(number, known, known.record.read_diff() if diff else None)
        except JournalError as error:
            return cls(number, known, error=str(error))
