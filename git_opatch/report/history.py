"""The journal's records, for a person and as values of JSON: what was applied and taken back."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from git_opatch import report
from git_opatch.blob import Change
from git_opatch.errors import JournalError
from git_opatch.journal import Record
from git_opatch.options import Options
from git_opatch.outcome import Failure, Reason
from git_opatch.plan import Plan
from git_opatch.report.values import OPERATIONS, Fields, plain, text
from git_opatch.text import visible

_IN_THE_WAY = {Reason.UNSTAGED, Reason.SKIPPED, Reason.IN_THE_WAY, Reason.UNTRACKED}
"""What is wrong with the working tree, not with the patch."""


def line(record: Record) -> str:
    """One record: number, time as git's `--date=iso` has it, title, target, patch."""
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(record.time))
    return "  ".join(filter(None, (str(record.number), when, title(record), _name(record))))


def title(record: Record) -> str:
    """What became of how many files, and where."""
    return f"{report.title(record.files)}; {report.done(record.target, record.commits)}"


def unreadable(number: int, error: JournalError) -> str:
    """The line for a record that cannot be shown."""
    return f"{number}  {visible(str(error), 1000)}"


def _name(record: Record) -> str:
    undoes = f"undo of {record.undoes}" if record.undoes else ""
    return ", ".join(filter(None, (visible(record.name), undoes)))


def values(record: Record, diff: bytes | None = None, problem: str | None = None) -> Fields:
    """One record, and its diff if it was asked for and can be read; else `problem` says why not."""
    when = datetime.fromtimestamp(record.time, UTC)
    return {
        "record": record.number,
        "time": when.isoformat().replace("+00:00", "Z"),
        "title": title(record),
        "target": record.target.value,
        "patch": plain(record.name) or None,
        "undoes": record.undoes or None,
        "commits": list(record.commits),
        "files": {OPERATIONS.get(letter, letter): count for letter, count in record.files.items()},
        "paths": [_path(change) for change in record.changes],
        **text("diff", diff),
        "problem": problem and plain(problem),
    }


def _path(change: Change) -> Fields:
    letter = "A" if change.old is None else "D" if change.new is None else "M"
    return {**text("path", change.path), "change": OPERATIONS[letter]}


def unreadable_values(number: int, error: JournalError) -> Fields:
    """A record that cannot be shown."""
    names = ("time", "title", "target", "patch", "undoes", "commits", "files", "paths", "diff")
    return {"record": number, **dict.fromkeys(names), "problem": plain(str(error))}


def undone(plan: Plan, record: Record, options: Options) -> str:
    """The one line of a success: what was taken back, and how to have it again."""
    name = f" ({_name(record)})" if _name(record) else ""
    what = report.applied(plan, options, way_back(plan))
    return f"record {record.number}{name} taken back: {what}"


def way_back(plan: Plan) -> str:
    """The command that takes an undo back; empty if it was not recorded."""
    return f"git opatch undo {plan.record}" if plan.record else ""


def advised(failures: Sequence[Failure], number: int, later: Mapping[str, int]) -> list[Failure]:
    """Why a record is not taken back, with what to do next.

    Nobody can send a hunk of a record again. `later` are the last records of paths that were
    changed after it.
    """
    return [_advised(one, number, later) for one in failures]


def _advised(failure: Failure, number: int, later: Mapping[str, int]) -> Failure:
    if failure.reason in _IN_THE_WAY:
        return failure
    if failure.path in later:
        last = later[failure.path]
        advice = f"record {last} changed the file after that; first: git opatch undo {last}"
    else:
        advice = f"what was applied: git opatch log -p {number}"
    return failure._replace(advice=advice)
