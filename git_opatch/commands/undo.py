"""`git opatch undo`: a recorded patch back, by the diff that was applied."""

from __future__ import annotations

import sys

import typer

from git_opatch import journal, report
from git_opatch.apply import Refused, undo_patch
from git_opatch.commands import choices
from git_opatch.commands.inputs import choose_journal_size, choose_target
from git_opatch.interrupted import finish_interrupted
from git_opatch.options import Options
from git_opatch.report import history
from git_opatch.report.terminal import show
from git_opatch.repository import Repository
from git_opatch.transaction import home_of, patiently


def undo(
    number: choices.Undone = None,
    index: choices.Index = False,
    cached: choices.Cached = False,
    worktree: choices.Worktree = False,
    carry: choices.Carry = False,
    wait: choices.Wait = 0,
    quiet: choices.Quiet = False,
) -> None:
    """Take back the patch that was applied last here, or the one with this number.

    It is taken from where it was applied to (index and working tree, the index, or the working
    tree), by the diff that was applied, as a whole or not at all. That is recorded, too: undo
    it, and the patch is there again. Exit status: 0 taken back, 1 it was changed since or was
    taken back already, 128 no such record, 129 usage, 130 interrupted.
    """
    settings = (repository := Repository()).settings()
    size = choose_journal_size(settings)
    chosen = choose_target(index=index or carry, cached=cached, worktree=worktree, settings={})
    notes = patiently(lambda: finish_interrupted(repository), wait)
    show(report.notes(notes), sys.stderr, settings)
    home = home_of(repository)
    record = journal.get(home, number)
    options = Options(
        chosen if index or carry or cached or worktree else record.target,
        reverse=True,
        journal_size=size,
        carry=carry or record.carried,
        command=f"git opatch undo {record.number}",
    )
    try:
        plan = patiently(lambda: undo_patch(record, repository, options), wait)
    except Refused as refused:
        later = journal.later_changes(home, record.number)
        told = history.refusal(refused.failures, record.number, later, options)
        show(told, sys.stderr, settings)
        raise typer.Exit(refused.exit_status) from None
    show(report.notes(plan.notes), sys.stderr, settings)
    if not quiet:
        show([history.undone(plan, record, options)], sys.stdout, settings)
