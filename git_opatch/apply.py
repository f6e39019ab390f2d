"""The story: from a patch to a plan, and from a plan to a changed repository.

    parse ──▶ resolve paths ──▶ read the base ──▶ locate, complete ──▶ transaction ──▶ journal

`convert` is this story ended before the transaction, `check` is it with git's own check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from git_opatch import journal
from git_opatch.advice import with_advice
from git_opatch.blob import Change
from git_opatch.errors import BusyError, Kind, OpatchError, ParseError
from git_opatch.former import former_contents
from git_opatch.journal import Record
from git_opatch.options import Dialect, Options, Target
from git_opatch.outcome import Failure, Reason
from git_opatch.parse import parse_patch
from git_opatch.patch import Patch
from git_opatch.plan import Plan, make_plan, named_paths, refuse_unsafe, resolve_paths
from git_opatch.repository import Repository
from git_opatch.reverse import reverse, reverse_recorded
from git_opatch.snapshot import Snapshot, take_snapshot
from git_opatch.transaction import (
    ChangeSet,
    check,
    exclusive,
    held_signals,
    home_of,
    is_interrupted,
    needs_sweeping,
    perform,
    recover,
)
from git_opatch.transaction.guard import guard, guard_parents
from git_opatch.transaction.rejects import guard_rejects, rejects_of, write_rejects


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
    plan, _ = _ready(patch, repository, options)
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
        plan, snapshot = _ready(patch, repository, options)
        rejects = _rejects(patch, plan, repository, options)
        with held_signals():
            done = plan.completed
            if done.changes:
                change_set = ChangeSet(done.diff, done.changes, done.contents, snapshot.flags)
                perform(repository, change_set, options.target, lock)
                digest = "" if options.reverse else patch.digest
                _record(plan, repository, options.target, name=name, digest=digest)
            _write_rejects(plan, repository, rejects)
    return plan


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
    obstacles = guard_rejects(repository.require_worktree(), list(rejects), changed)
    if obstacles:
        raise Refused([*plan.failures, *obstacles])
    return rejects


def _write_rejects(plan: Plan, repository: Repository, rejects: dict[str, bytes]) -> None:
    try:
        write_rejects(repository.require_worktree(), rejects)
    except OSError as error:
        plan.notes.append(f"the rejected hunks could not be written: {error.strerror}")
    else:
        plan.notes += [f"{path}: holds the hunks that have no place" for path in rejects]


def _record(plan: Plan, repository: Repository, target: Target, *, name: str, digest: str) -> None:
    home, done = home_of(repository), plan.completed
    try:
        plan.record = journal.record(
            home,
            done.diff,
            done.changes,
            target,
            name=name,
            digest=digest,
            undoes=plan.undoes,
        )
    except OSError as error:
        plan.notes.append(f"the journal could not be written: {error.strerror}")


def finish_interrupted(repository: Repository) -> list[str]:
    """End what an interrupted run left, and say what was done. Raises `BusyError`."""
    if not needs_sweeping(repository):
        return []
    with exclusive(home_of(repository)):
        return tidy_up(repository)


def refuse_interrupted(repository: Repository) -> None:
    """For what only looks at the working tree. Raises `BusyError` if it is half written."""
    if is_interrupted(repository):
        raise BusyError(
            "an apply is at work here, or was interrupted; then the next `git opatch apply` "
            "without --check puts it back before it does anything else"
        )


def tidy_up(repository: Repository) -> list[str]:
    """End what an interrupted run left, and say what was done. The caller has the lock."""
    restored = recover(repository)
    if restored is None:
        return []
    if not restored.kept:
        count = len(restored.paths)
        return [f"an interrupted apply was put back ({count} file{'s' * (count != 1)})"]
    return [
        "an interrupted apply could not be put back whole, because the repository was changed "
        f"since; the versions before it are in {restored.backup}",
        *(f"{path}: left as it is" for path in restored.kept[:20]),
    ]


def _plan(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    if not options.reverse:
        return _plan_as_is(patch, repository, options)
    record = journal.find(home_of(repository), patch.digest, named_paths(patch))
    if record is not None:
        plan, snapshot = _plan_recorded(record, repository, options)
        if plan is not None:
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
) -> tuple[Plan | None, Snapshot]:
    """Take back a recorded diff, where that gives just what there was before; else None."""
    try:
        patch = reverse_recorded(parse_patch(record.diff, dialect=Dialect.UNIFIED))
    except ParseError:  # the diff was damaged
        return None, Snapshot({})
    plan, snapshot = _plan_as_is(patch, repository, options, record)
    back = {Change(one.path, one.new, one.old) for one in record.changes}
    if plan.failures or set(plan.completed.changes) != back:
        return None, snapshot
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
    patch: Patch, repository: Repository, options: Options, record: Record | None = None
) -> tuple[Plan, Snapshot]:
    failures = refuse_unsafe(patch)
    if not failures and options.target is not Target.CACHED and options.base is None:
        failures = guard_parents(repository.require_worktree(), named_paths(patch))
    if failures:
        return Plan(failures=failures), Snapshot({})
    snapshot = take_snapshot(repository, named_paths(patch), options)
    former = former_contents(repository, patch, record)
    plan = make_plan(patch, snapshot, options, repository.algorithm, former)
    plan.failures = with_advice(plan.failures, repository, options)
    return plan, snapshot


def _ready(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """A plan that the working tree does not stand against. Raises `Refused`."""
    top = repository.require_worktree()
    plan, snapshot = _plan(patch, repository, options)
    changes = plan.completed.changes
    if plan.failures and not (options.partial and (changes or options.reject)):
        raise Refused(plan.failures)
    obstacles = _unstaged(patch, changes, snapshot, repository, options)
    obstacles += guard(top, changes, options.target) if not obstacles else []
    if obstacles:
        raise Refused([*plan.failures, *obstacles])
    return plan, snapshot


def _unstaged(
    patch: Patch,
    changes: Sequence[Change],
    snapshot: Snapshot,
    repository: Repository,
    options: Options,
) -> list[Failure]:
    """Touched files that are not in the working tree what they are in the index."""
    if options.target is not Target.INDEX:
        return []
    touched = [change.path for change in changes if change.old is not None]
    skipped = [path for path in touched if path in snapshot.skipped]
    failures = [
        Failure(
            Reason.SKIPPED,
            "is not checked out (skip-worktree)",
            path,
            advice=f"to change it in the index alone: {options.command_with('--cached')}",
        )
        for path in skipped
    ]
    changed = [path for path in touched if path in snapshot.changed - snapshot.deleted]
    if changed:
        advice = _way_round(patch, repository, options)
        failures += [
            Failure(Reason.UNSTAGED, "has changes that are not staged", path, advice=advice)
            for path in changed
        ]
    return failures


def _way_round(patch: Patch, repository: Repository, options: Options) -> str:
    """The command that would work although files have unstaged changes."""
    there = replace(options, target=Target.WORKTREE)
    if not _plan(patch, repository, there)[0].failures:
        as_they_are = options.command_with("--worktree")
        return (
            f"to patch the files as they are, without staging: {as_they_are}\n"
            f"to patch the staged versions alone: {options.command_with('--cached')}"
        )
    return f"to patch the staged version alone: {options.command_with('--cached')}"
