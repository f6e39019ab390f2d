"""Locate a patch and change nothing: what `check`, `convert` and `show` share."""

from __future__ import annotations

from dataclasses import replace

from git_opatch.cli.groups import BaseOptions, PatchOptions
from git_opatch.git.repository import Repository
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.settings import Settings
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_resolved
from git_opatch.report.outcome import Outcome


def resolve_options(
    given: PatchOptions,
    base: BaseOptions,
    repository: Repository | None,
    *,
    by_program: bool,
    **others: bool,
) -> tuple[Settings, Options]:
    """Resolve the options, for a repository or a plain directory; `others` are as of `Options`.

    Raises `UsageError`, `RepositoryError` if there is no working tree and no `base`, and
    `BusyError` if the working tree is to be read and an apply was interrupted in it.
    """
    target, settings, top = base.resolve(), Settings(), None
    if repository:
        if not base.base:
            repository.require_worktree("`--base TREE-ISH`")
        settings, top = repository.settings(), repository.top
        if target is Target.WORKTREE:
            require_uninterrupted(repository)
    named = base.base or None
    options = given.resolve(settings, target, top, by_program=by_program, base=named, **others)
    return settings, options if repository else replace(options, target=Target.WORKTREE)


def locate(
    patch: Patch,
    given: PatchOptions,
    repository: Repository,
    options: Options,
    name: str = "",
    *,
    refused_partly: bool = False,
) -> Outcome:
    """Plan what is chosen of `patch`, called `name`. Raises `RepositoryError`, `UsageError`.

    If it is refused, and with `refused_partly`, the plan is of what would apply by itself.
    """
    chosen, left_out = given.select(patch, options, repository.top)
    resolved = resolve_paths(chosen, options, repository.top)
    plan, snapshot = plan_resolved(resolved, repository, options)
    outcome = Outcome(options, resolved, plan, name=name, whole=patch, left_out=left_out)
    outcome = outcome._replace(base=snapshot.blobs)
    if not plan.failures:
        return outcome
    rest = Plan()
    if refused_partly:
        rest, _ = plan_resolved(resolved, repository, replace(options, partial=True))
    return outcome._replace(plan=rest, failures=plan.failures)
