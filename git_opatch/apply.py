"""The story: from a patch to a plan, and from a plan to a changed repository.

    parse ──▶ resolve paths ──▶ read the base ──▶ locate, complete ──▶ transaction ──▶ journal

`convert` is this story ended before the transaction, `check` is it with git's own check.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from git_opatch import journal
from git_opatch.advice import with_advice
from git_opatch.blob import Change
from git_opatch.drift import amiss, follow
from git_opatch.errors import JournalError, Kind, OpatchError, ParseError, TakenBackError
from git_opatch.former import former_contents
from git_opatch.interrupted import tidy_up
from git_opatch.journal import Record
from git_opatch.options import Dialect, Options, Target
from git_opatch.outcome import Failure, Reason
from git_opatch.parse import parse_patch
from git_opatch.patch import Patch
from git_opatch.plan import Plan, make_plan, named_paths, refuse_unsafe, resolve_paths
from git_opatch.policy import refuse_by_policy
from git_opatch.posthook import run_post_hook
from git_opatch.repository import Repository
from git_opatch.reverse import reverse, reverse_recorded
from git_opatch.snapshot import Snapshot, take_snapshot
from git_opatch.transaction import (
    Backup,
    ChangeSet,
    check,
    exclusive,
    held_signals,
    home_of,
    perform,
)
from git_opatch.transaction.guard import guard, guard_parents
from git_opatch.transaction.rejects import guard_rejects, rejects_of, write_rejects

Planner = Callable[[Options], tuple[Plan, Snapshot]]
"""Plans what is to be done as the options say."""


class Refused(OpatchError):  # noqa: N818 - it is an outcome, as much as a success is
    """The patch does not apply, for the reasons in `failures`; nothing was changed."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("\n".join(f"{one.path}: {one.message}" for one in failures))
        self.failures = tuple(failures)
        self.kind = failures[0].kind if failures else Kind.IO


def plan_patch(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Decide everything about `patch` and touch nothing. Raises `RepositoryError`."""
    return _plan(_resolved(patch, repository, options), repository, options)[0]


def check_patch(patch: Patch, repository: Repository, options: Options) -> Plan:
    """Decide, then let git judge the diff. Raises `Refused` or `TransactionError`."""
    patch = _resolved(patch, repository, options)
    plan, _ = _ready(partial(_plan, patch, repository), repository, options)
    _rejects(patch, plan, repository, options)
    if plan.completed.changes:
        check(repository, plan.completed.diff, options.target)
    return plan


def apply_patch(patch: Patch, repository: Repository, options: Options, name: str = "") -> Plan:
    """Apply `patch`, called `name` in the journal, to the target of `options`.

    All of it is applied, or nothing is. Raises `Refused` if it does not apply, and the
    other kinds of `OpatchError` if git or the system fails.
    """
    repository.require_worktree()
    patch = _resolved(patch, repository, options)
    with exclusive(home_of(repository)) as lock:
        tidy_up(repository)
        plan, snapshot = _ready(partial(_plan, patch, repository), repository, options)
        rejects = _rejects(patch, plan, repository, options)
        with held_signals():
            digest = "" if options.reverse else patch.digest
            _perform(plan, snapshot, repository, options, lock, name=name, digest=digest)
            _write_rejects(plan, repository, rejects)
    run_post_hook(plan, repository)
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
        if by := journal.taken_back_by(home_of(repository), record.number):
            raise TakenBackError(
                f"record {record.number} was taken back already, by record {by}; "
                f"to apply it again: git opatch undo {by}"
            )
        plan, snapshot = _ready(partial(_plan_recorded, record, repository), repository, options)
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
) -> None:
    """Carry a plan out, and write it down."""
    done = plan.completed
    if not done.changes:
        return
    files = Counter(one.status for one in done.files)
    about = {"patch": name, "digest": digest, "undoes": plan.undoes, "files": files}
    change_set = ChangeSet(done.diff, done.changes, done.contents, snapshot.flags, about)

    def finished(backup: Backup) -> None:
        size, home = options.journal_size, home_of(repository)
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
    rejects = rejects_of(patch, plan.failures)
    changed = {change.path for change in plan.completed.changes}
    if obstacles := guard_rejects(repository.require_worktree(), list(rejects), changed):
        raise Refused([*plan.failures, *obstacles])
    return rejects


def _write_rejects(plan: Plan, repository: Repository, rejects: dict[str, bytes]) -> None:
    try:
        write_rejects(repository.require_worktree(), rejects)
        plan.notes += [f"{path}: holds the hunks that have no place" for path in rejects]
    except OSError as error:
        plan.notes.append(f"the rejected hunks could not be written: {error.strerror}")


def _plan(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    if not options.reverse:
        return _plan_as_is(patch, repository, options)
    record = journal.find(home_of(repository), patch.digest, named_paths(patch))
    if record is not None:
        with suppress(JournalError):
            plan, snapshot = _plan_recorded(record, repository, options)
            back = {Change(one.path, one.new, one.old) for one in record.changes}
            if not plan.failures and set(plan.completed.changes) == back:
                if not all(section.states_content for section in patch.files):
                    plan.notes.append(f"taken back as it was applied, by record {record.number}")
                return plan, snapshot
    plan, snapshot = _plan_as_is(reverse(patch), repository, options, record)
    if record is not None and not plan.failures:
        failures = _replaced(patch, record)
        plan = Plan(failures=failures) if failures else plan
    return plan, snapshot


def _plan_recorded(
    record: Record, repository: Repository, options: Options
) -> tuple[Plan, Snapshot]:
    """Take back a recorded diff. Raises `JournalError` if it is damaged."""
    source = os.path.relpath(record.file)
    try:
        diff = record.read_diff()
        parsed = parse_patch(diff, dialect=Dialect.UNIFIED, source=source, recorded=True)
    except ParseError as error:
        raise JournalError(f"{source} is damaged: {error}") from None
    patch = reverse_recorded(parsed)
    plan, snapshot = _plan_as_is(
        patch, repository, options, record, lambda base: follow(patch, record, base, repository)
    )
    if not plan.failures:
        plan.failures += amiss(patch, record, snapshot, plan.completed.changes)
        plan.notes.clear()  # that the record says what files held, goes without saying
    plan.undoes = record.number
    return plan, snapshot


def _replaced(patch: Patch, record: Record) -> list[Failure]:
    """Files that the patch put in place of others, which its text does not know."""
    return [
        Failure(
            Reason.NOT_REVERSIBLE,
            "was put in place of another file, and something changed since; the patch does not "
            "say what the other one held",
            section.new_path or "",
            number=section.number,
            source=section.source,
            advice=f"it was blob {record.before[section.new_path or ''].id}",
        )
        for section in patch.files
        if section.old_path != section.new_path and section.new_path in record.before
    ]


def _plan_as_is(
    patch: Patch,
    repository: Repository,
    options: Options,
    record: Record | None = None,
    fitted: Callable[[Snapshot], Patch] | None = None,
) -> tuple[Plan, Snapshot]:
    """`fitted` gives the patch as it is for the files that were found."""
    failures = refuse_unsafe(patch)
    if not failures and options.target is not Target.CACHED and options.base is None:
        failures = guard_parents(repository.require_worktree(), named_paths(patch))
    if failures:
        return Plan(failures=failures), Snapshot({})
    paths = [*named_paths(patch), *options.policy.expected_paths]
    snapshot = take_snapshot(repository, paths, options)
    if failures := refuse_by_policy(patch, snapshot, repository, options):
        return Plan(failures=failures), snapshot
    former = former_contents(repository, patch, record)
    patch = fitted(snapshot) if fitted else patch
    plan = make_plan(patch, snapshot, options, repository.algorithm, former)
    plan.failures = with_advice(plan.failures, repository, options)
    return plan, snapshot


def _ready(planner: Planner, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """A plan that the working tree does not stand against. Raises `Refused`."""
    top = repository.require_worktree()
    plan, snapshot = planner(options)
    changes = plan.completed.changes
    if plan.failures and not (options.partial and (changes or options.reject)):
        raise Refused(plan.failures)
    obstacles = _unstaged(planner, changes, snapshot, options)
    obstacles += guard(top, changes, options.target) if not obstacles else []
    if obstacles:
        raise Refused([*plan.failures, *obstacles])
    return plan, snapshot


def _unstaged(
    planner: Planner, changes: Sequence[Change], snapshot: Snapshot, options: Options
) -> list[Failure]:
    """Touched files that are not in the working tree what they are in the index."""
    if options.target is not Target.INDEX:
        return []
    touched = [change.path for change in changes if change.old is not None]
    failures = [
        Failure(
            Reason.SKIPPED,
            "is not checked out (skip-worktree)",
            path,
            advice=f"to change it in the index alone: {options.command_with('--cached')}",
        )
        for path in touched
        if path in snapshot.skipped
    ]
    if changed := [path for path in touched if path in snapshot.changed - snapshot.deleted]:
        advice = _way_round(planner, options)
        failures += [
            Failure(Reason.UNSTAGED, "has changes that are not staged", path, advice=advice)
            for path in changed
        ]
    return failures


def _way_round(planner: Planner, options: Options) -> str:
    """The command that would work although files have unstaged changes."""
    there = replace(options, target=Target.WORKTREE)
    if not planner(there)[0].failures:
        as_they_are = options.command_with("--worktree")
        return (
            f"to patch the files as they are, without staging: {as_they_are}\n"
            f"to patch the staged versions alone: {options.command_with('--cached')}"
        )
    return f"to patch the staged version alone: {options.command_with('--cached')}"
