"""Records of the journal, as lines for a person and as values of JSON."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from git_opatch import report
from git_opatch.journal import Record, RecordAction
from git_opatch.model.blob import Change
from git_opatch.model.commits import committed_as
from git_opatch.model.errors import JournalError
from git_opatch.model.failure import LOCATED_IN
from git_opatch.model.options import Target
from git_opatch.model.text import visible
from git_opatch.plan.plan import Plan
from git_opatch.plan.record_state import LoggedRecord, RecordState, State
from git_opatch.report.values import CHANGES, Fields, plain, text

_NO_NAME = "standard input"


def line(logged: LoggedRecord) -> str:
    """Word a record: number, time as with git's `--date=iso`, state, name, changes."""
    record = logged.record
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(record.time))
    name = visible(record.name) or _NO_NAME
    words = (str(record.number), when, _became(logged), name, _changes(record))
    return "  ".join(filter(None, words))


def summary(logged: LoggedRecord) -> str:
    """Say how many files were changed, how, where, and what became of it."""
    return "; ".join(filter(None, (_changes(logged.record), _became(logged))))


def _changes(record: Record) -> str:
    part = "" if _is_complete(record) else ", part of the patch"
    how = report.ONLY_IN[record.target]
    if record.action is RecordAction.APPLY:
        flags = ["-R"] * record.in_reverse
        flags += [f"--{record.target.value}"] * (record.target is not Target.INDEX)
        how = f", applied with {' '.join(flags)}" if flags else ""
    return report.count_changes(record.files) + part + how


def _is_complete(record: Record) -> bool:
    """Return whether all of the patch's text was applied: no hunk was rejected, or left out."""
    return record.whole and not record.is_part


def _became(logged: LoggedRecord) -> str:
    record, state, by = logged.record, logged.state, logged.reversed_by
    if record.action is RecordAction.UNDO:
        return f"undo of {record.patch}" + (f", redone by {by}" if by else "")
    if record.action is RecordAction.REDO:
        return f"redo of {record.patch}" + (f", undone by {by}" if by else "")
    return _word_state(state, logged.commit_names) if state else "state unknown"


def _word_state(state: RecordState, commits: Sequence[str]) -> str:
    if state.state is State.UNDONE:
        return f"undone by {state.by}"
    if state.state is State.REAPPLIED:
        return f"applied again as {state.by}"
    committed = state.state is State.COMMITTED and commits
    what = committed_as(commits) if committed else _WORDS[state.state]
    if state.to_stage:
        what = "applied, staged in part"
    if state.is_left_in_files:
        what = "gone from the index"
    what += ", committed in part" * state.is_partly_committed
    if state.undone_in is None:
        return what
    return f"{what}, undone by {state.by} in {LOCATED_IN[state.undone_in]}"


_WORDS = {
    State.APPLIED: "applied",
    State.COMMITTED: "committed",
    State.UNSTAGED: "applied, not staged",
    State.CHANGED: "changed since",
    State.GONE: "gone",
}


def unreadable(number: int, error: JournalError) -> str:
    """Word a record that cannot be read."""
    return f"{number}  {visible(str(error), 1000)}"


def values(logged: LoggedRecord, diff: bytes | None = None, error: str | None = None) -> Fields:
    """Render a record, with its diff if that is wanted; `error` says why it cannot be read."""
    record, state = logged.record, logged.state
    when = datetime.fromtimestamp(record.time, UTC)
    return {
        "record": record.number,
        "time": when.isoformat().replace("+00:00", "Z"),
        "summary": summary(logged),
        "target": record.target.value,
        "patch": plain(record.name) or None,
        "undoes": record.undoes or None,
        "redoes": record.redoes or None,
        "state": state.state.value if state else None,
        "reversed_by": logged.reversed_by or None,
        "commits": list(record.commits or logged.commits),
        "complete": _is_complete(record),
        "reverse": record.in_reverse,
        "files": {CHANGES.get(letter, letter): count for letter, count in record.files.items()},
        "paths": [_path(change) for change in record.changes],
        **text("diff", diff),
        "error": error and plain(error),
    }


def _path(change: Change) -> Fields:
    letter = "A" if change.old is None else "D" if change.new is None else "M"
    return {**text("path", change.path), "change": CHANGES[letter]}


_NAMES = ("time", "summary", "target", "patch", "undoes", "redoes", "state", "reversed_by",
          "commits", "complete", "reverse", "files", "paths", "diff")  # fmt: skip


def unreadable_values(number: int, error: JournalError) -> Fields:
    """Render a record that cannot be read."""
    return {"record": number, **dict.fromkeys(_NAMES), "error": plain(str(error))}


def opposite_command(plan: Plan) -> str:
    """Spell the command that does the opposite of an undo or a redo; empty if not recorded."""
    if not plan.record:
        return ""
    return f"git opatch redo {plan.undoes}" if plan.undoes else f"git opatch undo {plan.redoes}"
