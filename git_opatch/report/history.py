"""The journal's records to lines for a person: what was applied, and what was taken back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from git_opatch import report
from git_opatch.errors import JournalError
from git_opatch.journal import Record
from git_opatch.options import Options
from git_opatch.outcome import Failure, Reason
from git_opatch.plan import Plan
from git_opatch.text import visible

_IN_THE_WAY = {Reason.UNSTAGED, Reason.SKIPPED, Reason.IN_THE_WAY, Reason.UNTRACKED}
"""What is wrong with the working tree, not with the patch."""


def line(record: Record) -> str:
    """One record: number, time as git's `--date=iso` has it, title, target, patch."""
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(record.time))
    what = f"{report.title(record.files)}; {report.done(record.target)}"
    return "  ".join(filter(None, (str(record.number), when, what, _name(record))))


def unreadable(number: int, error: JournalError) -> str:
    """The line for a record that cannot be shown."""
    return f"{number}  {visible(str(error), 1000)}"


def _name(record: Record) -> str:
    undoes = f"undo of {record.undoes}" if record.undoes else ""
    return ", ".join(filter(None, (visible(record.name), undoes)))


def undone(plan: Plan, record: Record, options: Options) -> str:
    """The one line of a success: what was taken back, and how to have it again."""
    name = f" ({_name(record)})" if _name(record) else ""
    back = f"git opatch undo {plan.record}" if plan.record else ""
    return f"record {record.number}{name} taken back: {report.applied(plan, options, back)}"


def refusal(
    failures: Sequence[Failure], number: int, later: Mapping[str, int], options: Options
) -> Iterator[str]:
    """Why a record is not taken back; `later` are the last records of paths changed after it."""
    yield from report.refusal([_advised(one, number, later) for one in failures], options)


def _advised(failure: Failure, number: int, later: Mapping[str, int]) -> Failure:
    """With what to do next: nobody can send a hunk of a record again."""
    if failure.reason in _IN_THE_WAY:
        return failure
    if failure.path in later:
        last = later[failure.path]
        advice = f"record {last} changed the file after that; first: git opatch undo {last}"
    else:
        advice = f"what was applied: git opatch log -p {number}"
    return replace(failure, advice=advice)
