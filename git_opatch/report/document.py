"""The JSON document that a call with `--json` prints.

Its objects are the tables of `fields`, its description is docs/json.md. Everything beyond ASCII is
escaped, so that no text of a patch can control a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from git_opatch.complete import FileSummary
from git_opatch.model.errors import NotAppliedError, OpatchError, ParseError, UndoneError
from git_opatch.model.failure import Failure
from git_opatch.model.patch import Patch
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.report import (
    NOTHING_TO_RECOVER,
    count_good,
    not_committed,
    nothing_to_do,
    unmerged,
    what_to_do,
)
from git_opatch.report.fields import TABLES
from git_opatch.report.history import RecordValues
from git_opatch.report.outcome import Outcome, Status
from git_opatch.report.placements import placed_by_file
from git_opatch.report.values import FailureValues, FileValues, PartValues, Sections

VERSION = 2
"""Goes up when a field is removed or changes its meaning; fields may be added without that."""


class Answer(NamedTuple):
    """What a document says of one patch; without `plan`, nothing was planned."""

    status: Status
    summary: str
    failures: Sequence[FailureValues] = ()
    notes: Sequence[str] = ()
    left_out: Sequence[PartValues] = ()
    skipped: Sequence[FailureValues] = ()
    plan: Plan = Plan()
    files: Sequence[FileValues] = ()
    diff: bytes = b""
    undo_command: str = ""
    kept: Sequence[object] | None = None

    @property
    def added(self) -> Sequence[str]:
        """The paths of new files, and of copies."""
        return self._paths("AC")

    @property
    def modified(self) -> Sequence[str]:
        """The paths of files that are changed in their place."""
        return self._paths("M")

    @property
    def deleted(self) -> Sequence[str]:
        """The paths of files that go."""
        return self._paths("D")

    @property
    def moved(self) -> Sequence[FileSummary]:
        """The files that are moved."""
        return [file for file in self.plan.completed.files if file.status == "R"]

    def _paths(self, letters: str) -> Sequence[str]:
        return [file.path for file in self.plan.completed.files if file.status in letters]


def answer_of(outcome: Outcome) -> Answer:
    """Return what is said of the outcome of one patch."""
    if isinstance(outcome.error, NotCommitted):
        return _not_committed(outcome, outcome.error)
    if outcome.error:
        return failed(outcome.error)
    return _refused(outcome) if outcome.failures else _planned(outcome)


def _planned(outcome: Outcome) -> Answer:
    """Answer for a patch that would apply, or was applied."""
    plan, options, done = outcome.plan, outcome.options, outcome.done
    count = len(plan.completed.files)
    summary = f"{count} file{'s' * (count != 1)} {'changed' if done else 'would change'}"
    if not plan.completed.changes:
        summary = nothing_to_do(options)
    if plan.conflicts:
        summary = unmerged(plan, options)
    ids, recorded = outcome.ids, plan.reverses is not None
    return Answer(
        _status(plan, done=done),
        summary,
        [*_failures(plan.failures, outcome.patch)],
        plan.notes,
        [*map(PartValues, outcome.left_out)],
        [*_failures(plan.skipped, outcome.patch)],
        plan,
        [FileValues(file, hunks, ids, recorded) for file, hunks in placed_by_file(plan)],
        plan.completed.diff,
        outcome.opposite,
    )


def _failures(failures: Sequence[Failure], patch: Patch) -> Iterator[FailureValues]:
    sections = Sections(patch)
    return (FailureValues.of(failure, sections) for failure in failures)


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


def _refused(outcome: Outcome) -> Answer:
    """Answer for a patch that does not apply."""
    return Answer(
        Status.ALREADY_APPLIED if outcome.already_applied else Status.REFUSED,
        outcome.refusal,
        [*_failures(outcome.failures, outcome.patch)],
        left_out=[*map(PartValues, outcome.left_out)],
    )


def _not_committed(outcome: Outcome, error: NotCommitted) -> Answer:
    """Answer for a patch that was applied, but that git did not commit."""
    planned, summary, undo = _planned(outcome), str(error), outcome.opposite
    advice, lines = what_to_do(error, undo), [*not_committed(error, undo)]
    failure = FailureValues.of_error(error, summary, advice, lines)
    return planned._replace(
        status=Status.NOT_COMMITTED, summary=summary, failures=[*planned.failures, failure]
    )


def failed(error: OpatchError) -> Answer:
    """Answer for an error that ended a call, with its notes."""
    notes = getattr(error, "__notes__", ())
    if isinstance(error, ParseError):
        failures = [*map(FailureValues.of_diagnostic, error.diagnostics)]
        summary = "the patch cannot be read; nothing was changed"
        return Answer(Status.MALFORMED, summary, failures, notes)
    summary, *advice = map(str.strip, str(error).splitlines() or [""])
    is_refusal = isinstance(error, (UndoneError, NotAppliedError))
    status = Status.REFUSED if is_refusal else Status.ERROR
    return Answer(status, summary, [FailureValues.of_error(error, summary, advice)], notes)


def recovered(done: Sequence[str], kept: Sequence[tuple[str, Path | None]]) -> Answer:
    """Answer with what was `done` to recover from an interrupted run; perhaps nothing.

    `kept` are the paths that were left as they are, and where their old files are.
    """
    status = Status.RECOVERED if done else Status.NOTHING_TO_DO
    if kept:
        status = Status.PARTIALLY_RECOVERED
    summary = done[0] if done else NOTHING_TO_RECOVER
    places = [SimpleNamespace(path=path, saved=saved and str(saved)) for path, saved in kept]
    return Answer(status, summary, notes=done, kept=places)


def several(command: str | None, outcomes: Sequence[Outcome]) -> bytes:
    """Write the document of patches that were judged alone."""
    patches = [
        SimpleNamespace(name=one.name, exit_status=one.exit_status, answer=answer_of(one))
        for one in outcomes
    ]
    found = SimpleNamespace(
        status=max((patch.answer.status for patch in patches), key=[*Status].index),
        summary=count_good([outcome.exit_status for outcome in outcomes]),
        patches=patches,
    )
    return render(command, max(one.exit_status for one in outcomes), found, "checks")


def records(command: str, found: Sequence[RecordValues], notes: Sequence[str]) -> bytes:
    """Write the document of a call that shows records of the journal."""
    summary = f"{len(found)} record{'s' * (len(found) != 1)}"
    log = SimpleNamespace(status=Status.SHOWN, summary=summary, records=found, notes=notes)
    return render(command, 0, log, "log")


def render(command: str | None, exit_status: int, answer: object, table: str = "outcome") -> bytes:
    """Write the document of a call that ends with `exit_status`."""
    call = SimpleNamespace(version=VERSION, command=command, exit_status=exit_status)
    fields = {**TABLES["document"].values(call), **TABLES[table].values(answer)}
    return (json.dumps(fields, indent=2) + "\n").encode("ascii")
