"""Patches of the journal, as lines for a person and as values of JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from git_opatch import report
from git_opatch.journal import PatchHistory, Record, RecordAction
from git_opatch.model.blob import Change
from git_opatch.model.errors import JournalError
from git_opatch.model.failure import LOCATED_IN
from git_opatch.model.options import Target
from git_opatch.model.refusal import Spans
from git_opatch.model.text import visible
from git_opatch.operations.log import LoggedPatch
from git_opatch.plan.reversal import State
from git_opatch.report.values import CHANGES, Fields, plain, text

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


def values(entry: LoggedPatch, diff: bytes | None = None, error: str | None = None) -> Fields:
    """Render a patch, with its diff if that is wanted; `error` says why it cannot be read."""
    history, record = entry.history, entry.history.record
    later = [each for each in history.records if each.action is not RecordAction.APPLY]
    return {
        "record": history.number,
        "time": _iso(record.time),
        "summary": f"{_changes(record)}; {_became(entry)}",
        "target": record.target.value,
        "patch": plain(record.name) or None,
        "state": entry.state.value if entry.state else None,
        "undone_in": history.undone.value if history.undone else None,
        "undone_paths": [plain(path) for path in _undone_paths(history)],
        "actions": [
            {"action": each.action.value, "time": _iso(each.time), "target": each.target.value}
            for each in later
        ],
        "commits": list(record.commits),
        "complete": _is_complete(record),
        "reverse": record.in_reverse,
        "files": {CHANGES.get(letter, letter): count for letter, count in record.files.items()},
        "paths": [_path(change) for change in record.changes],
        **text("diff", diff),
        "error": error and plain(error),
    }


def _iso(when: int) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat().replace("+00:00", "Z")


def _path(change: Change) -> Fields:
    letter = "A" if change.old is None else "D" if change.new is None else "M"
    return {**text("path", change.path), "change": CHANGES[letter]}


_NAMES = ("time", "summary", "target", "patch", "state", "undone_in", "undone_paths", "actions",
          "commits", "complete", "reverse", "files", "paths", "diff")  # fmt: skip


def unreadable_values(number: int, error: JournalError) -> Fields:
    """Render an entry that cannot be read."""
    return {"record": number, **dict.fromkeys(_NAMES), "error": plain(str(error))}
