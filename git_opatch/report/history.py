"""Records of the journal, as lines for a person and as values of JSON."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from git_opatch import report
from git_opatch.journal import Record
from git_opatch.model.blob import Change
from git_opatch.model.errors import JournalError
from git_opatch.model.result import Failure, Reason
from git_opatch.model.text import visible
from git_opatch.plan.plan import Plan
from git_opatch.report.values import CHANGES, Fields, plain, text

_IN_THE_WAY = {Reason.UNSTAGED, Reason.SKIPPED, Reason.IN_THE_WAY, Reason.UNTRACKED}
"""Reasons that are about the working tree, not about the patch."""


def line(record: Record) -> str:
    """Word a record: number, time as with git's `--date=iso`, changes, target, patch."""
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(record.time))
    return "  ".join(filter(None, (str(record.number), when, summary(record), _name(record))))


def summary(record: Record) -> str:
    """Say how many files were changed, how, and where."""
    return (
        f"{report.count_changes(record.files)}; {report.destination(record.target, record.commits)}"
    )


def unreadable(number: int, error: JournalError) -> str:
    """Word a record that cannot be read."""
    return f"{number}  {visible(str(error), 1000)}"


def _name(record: Record) -> str:
    undoes = f"undo of {record.undoes}" if record.undoes else ""
    return ", ".join(filter(None, (visible(record.name), undoes)))


def values(record: Record, diff: bytes | None = None, error: str | None = None) -> Fields:
    """Render a record, with its diff if that is wanted; `error` says why it cannot be read."""
    when = datetime.fromtimestamp(record.time, UTC)
    return {
        "record": record.number,
        "time": when.isoformat().replace("+00:00", "Z"),
        "summary": summary(record),
        "target": record.target.value,
        "patch": plain(record.name) or None,
        "undoes": record.undoes or None,
        "commits": list(record.commits),
        "files": {CHANGES.get(letter, letter): count for letter, count in record.files.items()},
        "paths": [_path(change) for change in record.changes],
        **text("diff", diff),
        "error": error and plain(error),
    }


def _path(change: Change) -> Fields:
    letter = "A" if change.old is None else "D" if change.new is None else "M"
    return {**text("path", change.path), "change": CHANGES[letter]}


def unreadable_values(number: int, error: JournalError) -> Fields:
    """Render a record that cannot be read."""
    names = ("time", "summary", "target", "patch", "undoes", "commits", "files", "paths", "diff")
    return {"record": number, **dict.fromkeys(names), "error": plain(str(error))}


def intro(record: Record) -> str:
    """Name a record that was undone, in front of what that changed."""
    name = f" ({_name(record)})" if _name(record) else ""
    return f"Undid record {record.number}{name}: "


def undo_command(plan: Plan) -> str:
    """Spell the command that undoes an undo; empty if it was not recorded."""
    return f"git opatch undo {plan.record}" if plan.record else ""


def with_advice(
    failures: Sequence[Failure], number: int, later: Mapping[str, int]
) -> list[Failure]:
    """Replace the advice of `failures` to undo a record, as its hunks cannot be sent again.

    `later` has, for each path that was changed after it, the last record that did.
    """
    return [_with_advice(failure, number, later) for failure in failures]


def _with_advice(failure: Failure, number: int, later: Mapping[str, int]) -> Failure:
    if failure.reason in _IN_THE_WAY:
        return failure
    if failure.path in later:
        last = later[failure.path]
        advice = f"record {last} changed the file after that; first: git opatch undo {last}"
    else:
        advice = f"what was applied: git opatch log -p {number}"
    return failure._replace(advice=advice)
