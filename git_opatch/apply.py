"""The story: from a patch to a plan, and from a plan to a changed repository.

    parse ──▶ resolve paths ──▶ read the base ──▶ locate, complete ──▶ transaction ──▶ journal

`convert` is this story ended before the transaction, `check` is it with git's own check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from git_opatch import journal
from git_opatch.advice import with_ways_on
from git_opatch.interrupted import tidy_up
from git_opatch.journal import Record
from git_opatch.options import Options, Target
from git_opatch.outcome import Refused
from git_opatch.patch import Patch
from git_opatch.plan import Plan, resolve_paths
from git_opatch.planning import plan_recorded, plan_text
from git_opatch.posthook import run_post_hook
from git_opatch.ready import left_out, ready
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot
from git_opatch.spent import refuse_spent
from git_opatch.transaction import (
    Backup,
    ChangeSet,
    check,
    exclusive,
    held_signals,
    home_of,
    perform,
)


def plan_patch(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Decide everything about `patch` and touch nothing. Raises `RepositoryError`."""
    return plan_text(_resolved(patch, repository, options), repository, options)[0]


def check_patch(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Decide, then let git judge the diff. Raises `Refused` or `TransactionError`."""
    patch = _resolved(patch, repository, options)
    plan, _ = ready(partial(plan_text, patch, repository), repository, options)
    if plan.conflicts:
        raise Refused(plan.failures)
    _rejects(patch, plan, repository, options)
    if plan.carried is not None:
        check(repository, plan.carried.diff, Target.WORKTREE)
    if plan.completed.changes:
        target = options.target if plan.carried is None else Target.CACHED
        check(repository, plan.completed.diff, target)
    return plan


def apply_patch(patch: Patch, repository: Repository, options: Options, name: str = "") -> Plan:
    """Apply `patch`, called `name` in the journal, to the target of `options`.

    All of it is applied, or nothing is; where `Past.MERGE` asks for it, files may be left
    unmerged, which are the plan's failures. Raises `Refused` if it does not apply, and the other
    kinds of `OpatchError` if git or the system fails.
    """
    repository.require_worktree()
    with exclusive(home_of(repository)) as lock:
        tidy_up(repository)
        plan = apply_locked(patch, repository, options, lock, name)
    run_post_hook(plan, repository)
    return plan


def apply_locked(
    patch: Patch,
    repository: Repository,
    options: Options,
    lock: int,
    name: str,
    then: Callable[[Backup], None] = lambda _: None,
) -> Plan:
    """The same for who has the lock; `then` must succeed before it stands (see `ChangeSet`)."""
    patch = _resolved(patch, repository, options)
    plan, snapshot = ready(partial(plan_text, patch, repository), repository, options)
    if plan.conflicts and options.commit:
        raise Refused(plan.failures)
    rejects = _rejects(patch, plan, repository, options)
    with held_signals():
        digest = "" if options.reverse else patch.digest
        _perform(plan, snapshot, repository, options, lock, name=name, digest=digest, then=then)
        _write_rejects(plan, repository, rejects)
    if plan.conflicts:
        stages = plan.conflicts.stages
        plan.failures = with_ways_on(plan.failures, stages, plan.record, options)
    return plan


def undo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Take back what `record` says was applied, from the target of `options`.

    Its hunks must stand where they were left, or where git's diff says that they went since.
    The undoing is recorded, and can be taken back itself. Raises as `apply_patch` does, and
    `JournalError` if the record is damaged or was taken back before.
    """
    repository.require_worktree()
    with exclusive(home_of(repository)) as lock:
        tidy_up(repository)
        refuse_spent(record, repository)
        plan, snapshot = ready(partial(plan_recorded, record, repository), repository, options)
        with held_signals():
            _perform(plan, snapshot, repository, options, lock, name=record.name)
    run_post_hook(plan, repository)
    return plan


def _perform(
    plan: Plan,
    snapshot: Snapshot,
    repository: Repository,
    options: Options,
    lock: int,
    *,
    name: str,
    digest: str = "",
    then: Callable[[Backup], None] = lambda _: None,
) -> None:
    """Carry a plan out, and write it down."""
    done, carried, written = plan.completed, plan.carried, plan.written
    if not written.changes:
        return
    files = Counter(one.status for one in done.files)
    stages = plan.conflicts.stages if plan.conflicts else {}
    about = {"patch": name, "digest": "" if stages else digest, "undoes": plan.undoes}
    about |= {"files": files, "carried": carried is not None, "unmerged": sorted(stages)}
    about |= {"partial": bool(plan.failures)}
    work = ChangeSet(carried.diff, carried.changes, carried.contents, {}) if carried else None
    flags = {**snapshot.flags}
    if options.target is Target.CACHED:
        flags |= dict.fromkeys(left_out(written.changes, repository), "S")
    change_set = ChangeSet(
        *(written.diff, written.changes, written.contents, flags, about, work, then, stages)
    )

    def finished(backup: Backup) -> None:
        size, home = options.journal_size, home_of(repository)
        if not done.changes:
            return
        try:
            plan.record = journal.record(home, done.diff, done.changes, backup.target, about, size)
        except OSError as error:
            plan.notes.append(f"the journal could not be written: {error.strerror}")

    perform(repository, change_set, options.target, lock, finished)


def _resolved(patch: Patch, repository: Repository, options: Options) -> Patch:
    return resolve_paths(patch, options.directory, str(repository.top or ""))


def _rejects(
    patch: Patch, plan: Plan, repository: Repository, options: Options
) -> dict[str, bytes]:
    """The files of rejected hunks to be written. Raises `Refused` if one is in the way."""
    if not options.reject:
        return {}
    from git_opatch.transaction.rejects import guard_rejects, rejects_of

    rejects = rejects_of(patch, plan.failures)
    changed = {change.path for change in plan.completed.changes}
    if obstacles := guard_rejects(repository.require_worktree(), list(rejects), changed):
        raise Refused([*plan.failures, *obstacles])
    return rejects


def _write_rejects(plan: Plan, repository: Repository, rejects: dict[str, bytes]) -> None:
    if not rejects:
        return
    from git_opatch.transaction.rejects import write_rejects

    try:
        write_rejects(repository.require_worktree(), rejects)
        plan.notes += [f"{path}: holds the hunks that have no place" for path in rejects]
    except OSError as error:
        plan.notes.append(f"the rejected hunks could not be written: {error.strerror}")


__all__ = ["Refused", "apply_patch", "check_patch", "plan_patch", "undo_patch"]
