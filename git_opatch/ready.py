"""A plan that can be carried out: is the working tree what it takes it for?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from git_opatch.blob import Change
from git_opatch.options import Options, Target
from git_opatch.outcome import Failure, Reason, Refused
from git_opatch.plan import Plan
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot
from git_opatch.transaction.guard import guard

Planner = Callable[[Options], tuple[Plan, Snapshot]]
"""Plans what is to be done as the options say."""


def ready(planner: Planner, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
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
