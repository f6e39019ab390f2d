"""`git opatch undo`: a recorded patch back, by the diff that was applied."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, NamedTuple

import typer

from git_opatch import journal, report
from git_opatch.apply import Refused, undo_patch
from git_opatch.commands import answer, choices
from git_opatch.commands.inputs import choose_journal_size, choose_target
from git_opatch.drift import patch_back
from git_opatch.errors import JournalError
from git_opatch.interrupted import finish_interrupted
from git_opatch.journal import Record
from git_opatch.options import Options
from git_opatch.outcome import Failure
from git_opatch.patch import Patch
from git_opatch.plan import Plan
from git_opatch.report import document, history
from git_opatch.report.terminal import show, write_data
from git_opatch.repository import Repository
from git_opatch.text import visible
from git_opatch.transaction import home_of, patiently

_Index = Annotated[
    bool,
    typer.Option(
        "--index", help="Change index and working tree (default: what the patch was applied to)."
    ),
]


def undo(
    number: choices.Undone = None,
    index: _Index = False,
    cached: choices.Cached = False,
    worktree: choices.Worktree = False,
    carry: choices.Carry = False,
    wait: choices.Wait = 0,
    quiet: choices.Quiet = False,
    json: choices.Json = False,
) -> None:
    """Take back the patch that was applied last here, or the one with this number.

    It is taken from where it was applied to (index and working tree, the index, or the working
    tree), by the diff that was applied, as a whole or not at all. That is recorded, too: undo
    it, and the patch is there again. Exit status: 0 taken back, 1 it was changed since or was
    taken back already, 128 no such record, 129 usage, 130 interrupted.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    size = choose_journal_size(settings)
    chosen = choose_target(index=index or carry, cached=cached, worktree=worktree, settings={})
    notes = patiently(lambda: finish_interrupted(repository), wait)
    if not json:
        show(report.notes(notes), sys.stderr, settings)
    with answer.noted(notes):
        record = _chosen(repository, number)
        options = Options(
            chosen if index or carry or cached or worktree else record.target,
            reverse=True,
            journal_size=size,
            carry=carry or record.carried,
            command=f"git opatch undo {record.number}",
        )
        run = _Run(repository, record, options, settings, wait)
        if json:
            run.answer(notes)
        else:
            run.go(quiet)


def _chosen(repository: Repository, number: int | None) -> Record:
    """The record with this number, or the newest. Raises `JournalError`.

    What came last may have no record: a merge of a user's, or a patch that left nothing but
    conflicts.
    """
    record = journal.get(home_of(repository), number)
    if number is None and (others := set(repository.unmerged()) - set(record.unmerged)):
        raise JournalError(
            f"files are unmerged, and not by what was recorded last: {visible(min(others))}\n"
            f"resolve that or put it back first, or name the record: git opatch undo "
            f"{record.number}"
        )
    return record


class _Run(NamedTuple):
    """One call of the command, its options understood."""

    repository: Repository
    record: Record
    options: Options
    settings: Mapping[str, str]
    wait: float

    def go(self, quiet: bool) -> None:
        """Take it back, and say what came of it. Raises `typer.Exit` if it is refused."""
        try:
            plan = self._plan()
        except Refused as refused:
            show(report.refusal(self._advised(refused), self.options), sys.stderr, self.settings)
            raise typer.Exit(refused.exit_status) from None
        show(report.notes(plan.notes), sys.stderr, self.settings)
        if not quiet:
            show([history.undone(plan, self.record, self.options)], sys.stdout, self.settings)

    def answer(self, notes: Sequence[str]) -> None:
        """The same, but what came of it is a document. Raises `typer.Exit`."""
        status = 0
        try:
            plan = self._plan()
        except Refused as refused:
            failures, patch = self._advised(refused), patch_back(self.record)
            outcome = document.refused(failures, self.options, patch, already=False)
            status = refused.exit_status
        else:
            back = history.way_back(plan)
            outcome = document.planned(plan, self.options, Patch(()), done=True, way_back=back)
        outcome["notes"] = [*notes, *outcome["notes"]]
        with suppress(OSError):  # what is done is done, whoever reads of it
            write_data(document.one("undo", status, outcome))
        raise typer.Exit(status)

    def _plan(self) -> Plan:
        return patiently(lambda: undo_patch(self.record, self.repository, self.options), self.wait)

    def _advised(self, refused: Refused) -> list[Failure]:
        number = self.record.number
        later = journal.later_changes(home_of(self.repository), number)
        return history.advised(refused.failures, number, later)
