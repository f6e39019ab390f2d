"""Preflight checks: does the working tree match what the plan assumes?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from shlex import quote

from git_opatch.git import index
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.model.blob import Blob, Change, Entry
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import pathspec
from git_opatch.model.result import Failure, Location, Reason, Refused
from git_opatch.plan.filtered_files import with_stored_forms
from git_opatch.plan.losses import refuse_losses
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import Planned
from git_opatch.transaction.guard import guard


def preflight(planned: Planned, repository: Repository, options: Options) -> Plan:
    """Check that a plan can be carried out, and complete it with what that takes.

    Adds the diff for files with unstaged changes, and the index bits to keep. Raises `Refused`.
    """
    plan, snapshot = planned.plan, planned.snapshot
    if plan.is_refused(options):
        in_the_way = _in_the_way(plan, planned.added, repository, options)
        raise Refused([*plan.failures, *in_the_way], options)
    changes = plan.written.changes
    outside = _outside_sparse_checkout(changes, repository, options)
    obstacles: list[Failure] = []
    if options.target is Target.INDEX:
        obstacles += _not_checked_out(plan, snapshot, outside, options)
    if planned.unstaged and not options.carry:
        obstacles += _refuse_unstaged(planned, repository, options)
    obstacles = obstacles or _in_the_way(plan, changes, repository, options)
    obstacles = obstacles or refuse_losses(plan, repository, options)
    if obstacles:
        raise Refused([*plan.failures, *obstacles], options)
    flags = {**snapshot.flags, **dict.fromkeys(outside, "S")}
    plan = plan._replace(flags=flags, stamps=snapshot.stamps)
    plan = _carry_unstaged(plan, planned, repository, options)
    return with_stored_forms(plan, snapshot, repository, options)


def _in_the_way(
    plan: Plan, changes: Sequence[Change], repository: Repository, options: Options
) -> list[Failure]:
    """List what prevents writing `changes`, which are those of a plan or of its rest.

    An undo or a redo has no option that replaces a file, and --commit wants nothing else staged.
    """
    found = guard(repository.require_worktree(), changes, options.target) if changes else []
    failures = [
        failure._replace(advice=f"{failure.advice}\nor, {_in_index_only(options)}")
        if failure.reason is Reason.UNSTAGED
        else failure
        for failure in found
    ]
    if plan.reverses or options.commit or not options.matching.can_choose:
        return failures
    paths = [each.path for each in failures if each.reason is Reason.IN_THE_WAY]
    if not paths:
        return failures
    there = take_snapshot(repository, paths, Options(Target.WORKTREE)).blobs
    added = {change.path for change in changes if _entry(there, change.path) == change.new}
    way = _way_to_overwrite(plan, options)
    return [
        _with_way_out(each, way, is_same=each.path in added) if each.path in there else each
        for each in failures
    ]


def _entry(blobs: Mapping[str, Blob], path: str) -> Entry | None:
    return blobs[path].entry if path in blobs else None


def _way_to_overwrite(plan: Plan, options: Options) -> str:
    """Say how to replace a file that git tracks, below the command that lets git track it."""
    flags = [] if options.overwrite else ["--overwrite"]
    flags += ["--skip-applied"] * any(failure.skip_command for failure in plan.failures)
    if options.command.is_piped:
        return f", and {options.command_with(*flags)}" if flags else ""
    return f" && {options.command_with(*flags) if flags else options.command}"


def _with_way_out(failure: Failure, way: str, *, is_same: bool) -> Failure:
    """Say what to do with a file that is in the way, or that has what would be written."""
    add = f"git add -f -- {quote(pathspec(failure.path))}"
    if is_same:
        what = "has what the patch adds already, and is not tracked"
        return failure._replace(message=what, advice=f"to stage it: {add}")
    return failure._replace(advice=f"{failure.advice}\nor, to replace it: {add}{way}")


def _outside_sparse_checkout(
    changes: Sequence[Change], repository: Repository, options: Options
) -> list[str]:
    """List the files to be created that the sparse checkout leaves out."""
    if options.target is Target.WORKTREE:
        return []
    created = [change.path for change in changes if change.old is None]
    return sorted(index.outside_sparse_checkout(repository, created))


def _not_checked_out(
    plan: Plan, snapshot: Snapshot, outside: Sequence[str], options: Options
) -> list[Failure]:
    """Refuse files that the working tree is not to have, as `git add` does."""
    sources = {result.old.path for result in plan.written.results if result.old is not None}
    skipped = sorted(sources & snapshot.skipped)
    reasons = [(path, "is not checked out (skip-worktree)") for path in skipped]
    reasons += [(path, "is outside of the sparse checkout") for path in outside]
    advice = _in_index_only(options)
    return [Failure(Reason.SKIPPED, what, Location(path), advice=advice) for path, what in reasons]


def _in_index_only(options: Options) -> str:
    return f"to change it in the index only: {options.command_with('--cached')}"


def _refuse_unstaged(planned: Planned, repository: Repository, options: Options) -> list[Failure]:
    what, advice = "has unstaged changes", _alternatives(planned, repository, options)
    return [
        Failure(Reason.UNSTAGED, what, Location(path), advice=advice) for path in planned.unstaged
    ]


def _alternatives(planned: Planned, repository: Repository, options: Options) -> str:
    """List the commands that work although files have unstaged changes, and lose none of them."""
    from git_opatch.plan.unstaged import alternatives, deleted_paths, plan_unstaged

    plan, worktree = planned.plan, planned.worktree or Plan()
    others = alternatives(options)
    if not guard(repository.require_worktree(), plan.written.changes, options.target):
        with suppress(Refused):
            plan_unstaged(plan, worktree, planned.unstaged, repository, options)
            return f"to leave those changes unstaged: {options.command_with('--carry')}\n{others}"
    keeps_changes = not deleted_paths(plan, planned.unstaged)
    return alternatives(options, worktree_fits=keeps_changes and not worktree.failures)


def _carry_unstaged(plan: Plan, planned: Planned, repository: Repository, options: Options) -> Plan:
    """Plan the working tree's versions of files with unstaged changes. Raises `Refused`."""
    if planned.worktree is None:
        return plan
    from git_opatch.plan.unstaged import plan_unstaged

    unstaged = planned.unstaged
    carried = plan_unstaged(plan, planned.worktree, unstaged, repository, options)
    notes = [f"{path}: has unstaged changes, which stay unstaged" for path in unstaged]
    return plan._replace(carried=carried).with_notes(notes)
