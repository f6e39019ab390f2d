"""The JSON document that a call with `--json` prints.

Its schema is `schema.json` in this directory, its description docs/json.md. Everything beyond ASCII
is escaped, so that no text of a patch can control a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from git_opatch.model.errors import NotAppliedError, OpatchError, ParseError, UndoneError
from git_opatch.model.refusal import refusal_summary
from git_opatch.model.sentences import Notice
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.report import (
    NOTHING_TO_RECOVER,
    count_good,
    error_lines,
    not_committed,
    nothing_to_do,
    unmerged,
)
from git_opatch.report.files import placed_by_file
from git_opatch.report.outcome import Outcome
from git_opatch.report.values import (
    Fields,
    Sections,
    change_of,
    diagnostic_of,
    failure_fields,
    fields_of_failure,
    file_of,
    part_of,
    plain,
    text,
)

VERSION = 1
"""Goes up when a field is removed or changes its meaning; fields may be added without that."""


class Status(Enum):
    """The outcome of a call, best first. A call that changes nothing is never called applied."""

    APPLIED = "applied"
    UNDONE = "undone"
    REDONE = "redone"
    WOULD_APPLY = "would_apply"
    NOTHING_TO_DO = "nothing_to_do"
    NOT_COMMITTED = "not_committed"
    PARTIALLY_APPLIED = "partially_applied"
    UNMERGED = "unmerged"
    WOULD_PARTIALLY_APPLY = "would_partially_apply"
    ALREADY_APPLIED = "already_applied"
    REFUSED = "refused"
    MALFORMED = "malformed"
    ERROR = "error"
    SHOWN = "shown"
    RECOVERED = "recovered"
    PARTIALLY_RECOVERED = "partially_recovered"


def outcome_of(outcome: Outcome) -> Fields:
    """Render the outcome of one patch."""
    if isinstance(outcome.error, NotCommitted):
        return _not_committed(outcome, outcome.error)
    if outcome.error:
        return failed(outcome.error)
    return _refused(outcome) if outcome.failures else _planned(outcome)


def _planned(outcome: Outcome) -> Fields:
    """Render a patch that would apply, or was applied."""
    plan, options, done = outcome.plan, outcome.options, outcome.done
    sections = Sections(outcome.patch)
    count = len(plan.completed.files)
    summary = f"{count} file{'s' * (count != 1)} {'changed' if done else 'would change'}"
    if not plan.completed.changes:
        summary = nothing_to_do(options)
    if plan.conflicts:
        summary = unmerged(plan, options)
    recorded = plan.reverses is not None
    ids = outcome.ids
    files = [file_of(file, hunks, ids, recorded=recorded) for file, hunks in placed_by_file(plan)]
    return {
        **_outcome(_status(plan, done=done), summary),
        **_paths(plan),
        "files": files,
        **text("diff", plan.completed.diff),
        "failures": [fields_of_failure(failure, sections) for failure in plan.failures],
        "skipped": [fields_of_failure(failure, sections) for failure in plan.skipped],
        "left_out": [part_of(part) for part in outcome.left_out],
        "notes": [plain(note) for note in plan.notes],
        "record": plan.record or None,
        "commits": list(plan.commits),
        "undo_command": plain(outcome.opposite) or None,
        "undoes": plan.undoes or None,
        "redoes": plan.redoes or None,
    }


def _status(plan: Plan, *, done: bool) -> Status:
    if plan.conflicts:
        return Status.UNMERGED
    if not plan.completed.changes:
        return Status.REFUSED if plan.failures else Status.NOTHING_TO_DO
    if plan.failures:
        return Status.PARTIALLY_APPLIED if done else Status.WOULD_PARTIALLY_APPLY
    if not done:
        return Status.WOULD_APPLY
    return Status.UNDONE if plan.undoes else Status.REDONE if plan.redoes else Status.APPLIED


def _paths(plan: Plan) -> Fields:
    """List the paths by change. A copy is an added file."""
    names = ("added", "modified", "deleted", "moved")
    paths: Fields = {name: [] for name in names}
    for file in plan.completed.files:
        change = change_of(file)
        if change == "moved":
            paths[change].append({"from": plain(file.old_path), "to": plain(file.path)})
        else:
            paths["added" if change == "copied" else change].append(plain(file.path))
    return paths


def _refused(outcome: Outcome) -> Fields:
    """Render a patch that does not apply."""
    already = outcome.already_applied
    summary = refusal_summary(outcome.failures, outcome.options, outcome.patch, all_applied=already)
    sections = Sections(outcome.patch)
    return {
        **_outcome(Status.ALREADY_APPLIED if already else Status.REFUSED, summary),
        "failures": [fields_of_failure(failure, sections) for failure in outcome.failures],
        "left_out": [part_of(part) for part in outcome.left_out],
    }


def _not_committed(outcome: Outcome, error: NotCommitted) -> Fields:
    """Render a patch that was applied, but that git did not commit."""
    planned, summary = _planned(outcome), plain(str(error))
    undo = outcome.opposite
    advice = [*error.advice, *([Notice.TO_UNDO.fill(command=undo)] if undo else [])]
    rendered = "\n".join(not_committed(error, undo))
    fields = failure_fields(error.kind, error.reason, summary, rendered)
    failure = {**fields, "advice": advice}
    return {
        **planned,
        "status": Status.NOT_COMMITTED.value,
        "summary": summary,
        "failures": [*planned["failures"], failure],
    }


def failed(error: OpatchError) -> Fields:
    """Render an error that ended a call, with its notes."""
    notes = [plain(note) for note in getattr(error, "__notes__", ())]
    if isinstance(error, ParseError):
        outcome = _outcome(Status.MALFORMED, "the patch cannot be read; nothing was changed")
        diagnostics = [diagnostic_of(diagnostic) for diagnostic in error.diagnostics]
        return {**outcome, "failures": diagnostics, "notes": notes}
    summary, *advice = map(str.strip, plain(str(error)).splitlines() or [""])
    failure = {
        **failure_fields(error.kind, error.reason, summary, "\n".join(error_lines(error))),
        "advice": advice,
    }
    is_refusal = isinstance(error, (UndoneError, NotAppliedError))
    status = Status.REFUSED if is_refusal else Status.ERROR
    return {**_outcome(status, summary), "failures": [failure], "notes": notes}


def recovered(done: Sequence[str], kept: Sequence[tuple[str, Path | None]]) -> Fields:
    """Render what was `done` to recover from an interrupted run; perhaps nothing.

    `kept` are the paths that were left as they are, and where their old files are.
    """
    status = Status.RECOVERED if done else Status.NOTHING_TO_DO
    if kept:
        status = Status.PARTIALLY_RECOVERED
    summary = done[0] if done else NOTHING_TO_RECOVER
    places = [{"path": plain(path), "saved": saved and plain(str(saved))} for path, saved in kept]
    notes = [plain(note) for note in done]
    return {**_outcome(status, summary), "notes": notes, "kept": places}


def _outcome(status: Status, summary: str) -> Fields:
    """Render an outcome that changes nothing; its fields are in the order of every outcome."""
    return {
        "status": status.value,
        "summary": plain(summary),
        **{name: [] for name in ("added", "modified", "deleted", "moved", "files")},
        "diff": "",
        **{name: [] for name in ("failures", "skipped", "left_out", "notes")},
        **dict.fromkeys(("record", "undo_command", "undoes", "redoes")),
        "commits": [],
    }


def several(outcomes: Sequence[Outcome]) -> Fields:
    """Render the outcomes of patches that were judged alone."""
    patches = [
        {"name": plain(outcome.name), "exit_status": outcome.exit_status, **outcome_of(outcome)}
        for outcome in outcomes
    ]
    order = [status.value for status in Status]
    return {
        "status": max((patch["status"] for patch in patches), key=order.index),
        "summary": count_good([outcome.exit_status for outcome in outcomes]),
        "patches": patches,
    }


def records(command: str, found: Sequence[Fields], notes: Sequence[str]) -> bytes:
    """Write the document of a call that shows records of the journal."""
    summary = f"{len(found)} record{'s' * (len(found) != 1)}"
    fields = {"status": Status.SHOWN.value, "summary": summary, "records": found}
    return render(command, 0, {**fields, "notes": list(map(plain, notes))})


def render(command: str | None, exit_status: int, fields: Fields) -> bytes:
    """Write the document of a call that ends with `exit_status`."""
    head = {"version": VERSION, "command": command and plain(command), "exit_status": exit_status}
    return (json.dumps({**head, **fields}, indent=2) + "\n").encode("ascii")
