"""A plan that can be carried out: is the working tree what it takes it for?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
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
    changes = plan.written.changes
    if (
        plan.failures
        and not plan.conflicts
        and not (options.partial and (changes or options.reject))
    ):
        raise Refused(plan.failures)
    sources = sorted({one.old.path for one in plan.written.results if one.old is not None})
    if options.target is not Target.INDEX:
        sources = []
    unstaged = snapshot.changed - snapshot.deleted
    changed = [path for path in sources if path in unstaged]
    obstacles = _left_out(sources, changes, snapshot, repository, options)
    if changed and not options.carry:
        advice = _way_round(planner, plan, changed, repository, options)
        obstacles += _unstaged(changed, advice)
    obstacles += guard(top, changes, options.target) if not obstacles else []
    if obstacles:
        raise Refused([*plan.failures, *obstacles])
    if changed:
        from git_opatch.carry import carry

        there = planner(replace(options, target=Target.WORKTREE))[0]
        plan.carried = carry(plan, there, changed, repository, options)
        plan.notes += [f"{path}: has unstaged changes, which stay unstaged" for path in changed]
    return plan, snapshot


def _left_out(
    sources: Sequence[str],
    changes: Sequence[Change],
    snapshot: Snapshot,
    repository: Repository,
    options: Options,
) -> list[Failure]:
    """Files that the working tree is not to have: `git add` refuses those, too."""
    if options.target is not Target.INDEX:
        return []
    advice = f"to change it in the index alone: {options.command_with('--cached')}"
    return [
        Failure(Reason.SKIPPED, f"is {what}", path, advice=advice)
        for paths, what in (
            (
                [one for one in sources if one in snapshot.skipped],
                "not checked out (skip-worktree)",
            ),
            (left_out(changes, repository), "outside of the sparse checkout"),
        )
        for path in paths
    ]


def left_out(changes: Sequence[Change], repository: Repository) -> list[str]:
    """The new files among `changes` that the sparse checkout leaves out."""
    created = [one.path for one in changes if one.old is None]
    return sorted(repository.outside_sparse_checkout(created))


def _unstaged(paths: Sequence[str], advice: str) -> list[Failure]:
    what = "has changes that are not staged"
    return [Failure(Reason.UNSTAGED, what, path, advice=advice) for path in paths]


def _way_round(
    planner: Planner, plan: Plan, changed: Sequence[str], repository: Repository, options: Options
) -> str:
    """The command that would work although files have unstaged changes."""
    from git_opatch.carry import carry, ways_round

    there = planner(replace(options, target=Target.WORKTREE, carry=True))[0]
    if not guard(repository.require_worktree(), plan.written.changes, options.target):
        with suppress(Refused):
            carry(plan, there, changed, repository, options)
            return (
                f"to leave those changes unstaged: {options.command_with('--carry')}\n"
                f"{ways_round(options)}"
            )
    return ways_round(options, there)
