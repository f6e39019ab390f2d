"""Undo a record of the journal."""

from __future__ import annotations

from collections.abc import Callable

from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.journal.undoable import refuse_if_undone
from git_opatch.model.options import Options
from git_opatch.operations.perform import Session, perform
from git_opatch.operations.post_hook import run_post_hook
from git_opatch.operations.recover import recovered
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_request
from git_opatch.plan.preflight import preflight
from git_opatch.transaction import deferred_signals


def undo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Undo what `record` says was applied, in the target of `options`.

    Its hunks must be where they were left, or where git's diff says that they moved since. The
    undo is recorded, and can be undone itself. Raises as `apply_patch` does, and `JournalError` if
    the record is damaged or was undone before.
    """
    return undo_chosen(lambda: (record, options), repository)


def undo_chosen(choose: Callable[[], tuple[Record, Options]], repository: Repository) -> Plan:
    """Undo the record that `choose` returns, with its options.

    It is called with the lock held and after recovery, which may have added a record. Raises as
    `undo_patch` does, and what `choose` raises.
    """
    repository.require_worktree()
    with recovered(repository) as (lock, notes):
        record, options = choose()
        refuse_if_undone(record, repository)
        plan = preflight(plan_request(record, repository, options), repository, options)
        with deferred_signals():
            plan = perform(plan, Session(repository, options, lock, record.name))
    return plan.with_notes(run_post_hook(plan, repository), first=notes)
