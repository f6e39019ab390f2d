"""One call, one document of JSON: what `--json` prints.

Its schema is `schema.json` beside this file, its description docs/json.md. All but ASCII is
escaped, so that nothing of a patch can do anything to a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum

from git_opatch.errors import (
    BusyError,
    CommitError,
    ImplicitInvocation,
    InputError,
    Interrupted,
    JournalError,
    NoCall,
    OpatchError,
    ParseError,
    RepositoryError,
    SystemRefusal,
    TakenBackError,
    TransactionError,
    UsageError,
)
from git_opatch.options import Options
from git_opatch.outcome import Failure
from git_opatch.patch import Patch
from git_opatch.plan import Plan
from git_opatch.report import NOTHING_TO_RECOVER, nothing_to_do, refusal, unmerged
from git_opatch.report.files import placed_by_file
from git_opatch.report.values import (
    Asked,
    Fields,
    blank,
    failure_of,
    fault_of,
    file_of,
    operation,
    plain,
    text,
)

VERSION = 1
"""Goes up when a field goes or changes its meaning; new fields may come without that."""


class Status(Enum):
    """What came of a call, best first. None of those that only look is called applied."""

    APPLIED = "applied"
    WOULD_APPLY = "would_apply"
    NOTHING_TO_DO = "nothing_to_do"
    NOT_COMMITTED = "not_committed"
    PARTLY_APPLIED = "partly_applied"
    UNMERGED = "unmerged"
    WOULD_PARTLY_APPLY = "would_partly_apply"
    ALREADY_APPLIED = "already_applied"
    REFUSED = "refused"
    MALFORMED = "malformed"
    ERROR = "error"
    SHOWN = "shown"
    RECOVERED = "recovered"


_REASONS = {
    UsageError: "usage",
    InputError: "input",
    RepositoryError: "repository",
    BusyError: "busy",
    TransactionError: "transaction",
    CommitError: "commit",
    Interrupted: "interrupted",
    ImplicitInvocation: "implicit_invocation",
    NoCall: "no_call",
    SystemRefusal: "system",
    JournalError: "journal",
    TakenBackError: "taken_back",
}


def planned(
    plan: Plan, options: Options, patch: Patch, *, done: bool = False, way_back: str = ""
) -> Fields:
    """The outcome of `patch`, its paths resolved, that would apply, or was applied if `done`."""
    asked = Asked(patch)
    count = len(plan.completed.files)
    title = f"{count} file{'s' * (count != 1)} {'changed' if done else 'would change'}"
    if not plan.completed.changes:
        title = nothing_to_do(options)
    if plan.conflicts:
        title = unmerged(plan)
    recorded = bool(plan.undoes)
    files = [file_of(*one, recorded=recorded) for one in placed_by_file(plan)]
    return {
        **_outcome(_status(plan, done=done), title),
        **_paths(plan),
        "files": files,
        **text("diff", plan.completed.diff),
        "failures": [failure_of(one, asked, options) for one in plan.failures],
        "passed_over": [failure_of(one, asked, options) for one in plan.skipped],
        "notes": [plain(note) for note in plan.notes],
        "record": plan.record or None,
        "commits": list(plan.commits),
        "undo": plain(way_back) or None,
        "undoes": plan.undoes or None,
    }


def _status(plan: Plan, *, done: bool) -> Status:
    if plan.conflicts:
        return Status.UNMERGED
    if not plan.completed.changes:
        return Status.REFUSED if plan.failures else Status.NOTHING_TO_DO
    if plan.failures:
        return Status.PARTLY_APPLIED if done else Status.WOULD_PARTLY_APPLY
    return Status.APPLIED if done else Status.WOULD_APPLY


def _paths(plan: Plan) -> Fields:
    """The lists of paths. A copy is an added file."""
    names = ("added", "modified", "deleted", "moved")
    paths: Fields = {name: [] for name in names}
    for file in plan.completed.files:
        word = operation(file)
        if word == "moved":
            paths[word].append({"from": plain(file.old_path), "to": plain(file.path)})
        else:
            paths["added" if word == "copied" else word].append(plain(file.path))
    return paths


def refused(
    failures: Sequence[Failure], options: Options, patch: Patch, *, already: bool
) -> Fields:
    """The outcome of `patch`, its paths resolved, that does not apply.

    `already` says that all it asks for is there.
    """
    *_, title = refusal(failures, options)
    if already:
        title = "all of it is applied already; nothing was changed"
    asked = Asked(patch)
    return {
        **_outcome(Status.ALREADY_APPLIED if already else Status.REFUSED, title),
        "failures": [failure_of(one, asked, options) for one in failures],
    }


def not_committed(outcome: Fields, error: CommitError, advice: Sequence[str]) -> Fields:
    """The outcome of a patch that was applied, as `outcome` says, but that git did not commit."""
    title = plain(str(error))
    failure = {**blank(error.kind, _REASONS[CommitError], title), "advice": list(advice)}
    return {
        **outcome,
        "status": Status.NOT_COMMITTED.value,
        "title": title,
        "failures": [*outcome["failures"], failure],
    }


def failed(error: OpatchError) -> Fields:
    """The outcome of a call that came to no decision; the error's notes are the document's."""
    notes = [plain(note) for note in getattr(error, "__notes__", ())]
    if isinstance(error, ParseError):
        outcome = _outcome(Status.MALFORMED, "the patch cannot be read; nothing was changed")
        faults = [fault_of(fault) for fault in error.faults]
        return {**outcome, "failures": faults, "notes": notes}
    title, *advice = plain(str(error)).splitlines() or [""]
    failure = {**blank(error.kind, _REASONS.get(type(error), "error"), title), "advice": advice}
    status = Status.REFUSED if isinstance(error, TakenBackError) else Status.ERROR
    return {**_outcome(status, title), "failures": [failure], "notes": notes}


def recovered(done: Sequence[str]) -> Fields:
    """The outcome of ending what an interrupted run left, which was `done`; maybe nothing."""
    status = Status.RECOVERED if done else Status.NOTHING_TO_DO
    title = done[0] if done else NOTHING_TO_RECOVER
    return {**_outcome(status, title), "notes": [plain(one) for one in done]}


def _outcome(status: Status, title: str) -> Fields:
    """What every outcome has, in order, nothing having changed."""
    return {
        "status": status.value,
        "title": plain(title),
        **{name: [] for name in ("added", "modified", "deleted", "moved", "files")},
        "diff": "",
        **{name: [] for name in ("failures", "passed_over", "notes")},
        **dict.fromkeys(("record", "undo", "undoes")),
        "commits": [],
    }


def one(command: str | None, exit_status: int, outcome: Fields) -> bytes:
    """The document of a call about one patch."""
    return _rendered(command, exit_status, outcome)


def several(command: str, outcomes: Sequence[tuple[str, int, Fields]]) -> bytes:
    """The document of a call about patches judged each by itself: names, statuses, outcomes."""
    order = [status.value for status in Status]
    worst = max((outcome["status"] for *_, outcome in outcomes), key=order.index)
    good = sum(exit_status == 0 for _, exit_status, _ in outcomes)
    patches = f"{len(outcomes)} patch{'es' * (len(outcomes) != 1)}"
    found: Fields = {
        "status": worst,
        "title": f"{good} of {patches} would apply",
        "patches": [
            {"name": plain(name), "exit_status": exit_status, **outcome}
            for name, exit_status, outcome in outcomes
        ],
    }
    return _rendered(command, max(exit_status for _, exit_status, _ in outcomes), found)


def records(command: str, found: Sequence[Fields]) -> bytes:
    """The document of a call that shows records of the journal."""
    title = f"{len(found)} record{'s' * (len(found) != 1)}"
    return _rendered(command, 0, {"status": Status.SHOWN.value, "title": title, "records": found})


def _rendered(command: str | None, exit_status: int, fields: Fields) -> bytes:
    head = {"version": VERSION, "command": command and plain(command), "exit_status": exit_status}
    return (json.dumps({**head, **fields}, indent=2) + "\n").encode("ascii")
