"""Apply a patch, or decide what it would do (D2).

    parse ──▶ resolve paths ──▶ plan ──▶ preflight ──▶ perform: transaction, journal

`convert` and `show` end after the plan; `check` ends after preflight and asks git.
"""

from __future__ import annotations

from collections.abc import Mapping

from git_opatch.git.repository import CONVERT, Repository
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.sentences import Fault, Hint
from git_opatch.operations.perform import Session, perform
from git_opatch.operations.post_hook import finish
from git_opatch.operations.recover import recovered
from git_opatch.operations.rejects import plan_rejects, write_rejects
from git_opatch.parse import patch_of
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_resolved
from git_opatch.plan.preflight import preflight, refuse_ignored
from git_opatch.transaction.lock import deferred_signals
from git_opatch.transaction.record import ChangeSet
from git_opatch.transaction.write import check


def plan_patch(
    patch: Patch | str | bytes, repository: Repository | Mapping[str, bytes], options: Options
) -> Plan:
    """Decide everything about `patch`, and write nothing. Raises `ParseError`, `RepositoryError`.

    Instead of a repository, files may be given: the bytes of each by path (see `in_memory`).
    """
    if isinstance(repository, Mapping):
        from git_opatch.operations.in_memory import plan_in_memory

        return plan_in_memory(patch, repository, options)
    return plan_resolved(_resolve(patch, repository, options), repository, options)[0]


def check_patch(patch: Patch | str | bytes, repository: Repository, options: Options) -> Plan:
    """Decide, then let git check the diff. Raises `ParseError`, `Refused`, `TransactionError`."""
    repository.require_worktree(CONVERT)
    patch = _resolve(patch, repository, options)
    plan = _plan_checked(patch, repository, options)
    if plan.conflicts:
        raise Refused(plan.failures, options)
    plan_rejects(patch, plan, repository, options)
    changes_index = plan.completed.changes and options.target is not Target.WORKTREE
    if changes_index and not plan.filtered.paths:
        check(repository, ChangeSet(plan.completed.diff, plan.completed.changes))
    return plan


def apply_patch(
    patch: Patch | str | bytes, repository: Repository, options: Options, name: str = "a program"
) -> Plan:
    """Apply `patch`, called `name` in the journal, to the target of `options`.

    All of it is applied, or nothing is. With `ThreeWay.MERGE`, files may be left unmerged, which
    are the plan's failures. The notes include what was recovered from an interrupted run.
    Raises `Refused` if it does not apply, other kinds of `OpatchError` if its text is malformed, or
    git or the system fails.
    """
    read = patch_of(patch)
    repository.require_worktree(CONVERT)

    def act(lock: int, notes: list[str]) -> Plan:
        plan = apply_locked(read, Session(repository, options, lock, name))
        return plan.with_notes([], first=notes)

    return finish(recovered(repository, act), repository)


def apply_locked(patch: Patch, session: Session) -> Plan:
    """Apply `patch` while the caller has the lock; neither recovers nor runs the hook."""
    repository, options = session.repository, session.options
    patch = _resolve(patch, repository, options)
    plan = _plan_checked(patch, repository, options)
    if plan.conflicts and options.commit:
        raise Refused(plan.failures, options)
    rejects = plan_rejects(patch, plan, repository, options)
    digest = "" if options.reverse else patch.digest
    plan = plan._replace(is_part=patch.is_part)
    with deferred_signals():
        plan = perform(plan, session, digest=digest)
        notes = write_rejects(repository, rejects, plan, options)
        return _with_conflicts_left(plan.with_notes(notes))


def _plan_checked(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Plan a patch whose paths are resolved, and check it against the working tree."""
    plan = preflight(*plan_resolved(patch, repository, options), repository, options)
    return refuse_ignored(plan, patch, repository, options)


def _with_conflicts_left(plan: Plan) -> Plan:
    """Say of the files that were left unmerged how to go on: by an undo of just this patch."""
    if not plan.conflicts:
        return plan
    left = (each._replace(fault=Fault.CONFLICT_LEFT) for each in plan.failures)
    if plan.record:
        left = (each.with_hint(Hint.UNDO_CONFLICT, patch=plan.record) for each in left)
    return plan.with_failures(left)


def _resolve(patch: Patch | str | bytes, repository: Repository, options: Options) -> Patch:
    return resolve_paths(patch_of(patch), options, repository.top)
