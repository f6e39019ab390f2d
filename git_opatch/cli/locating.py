"""Locate a patch and change nothing: what `check`, `convert` and `show` share."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from git_opatch.cli.groups import (
    BaseOptions,
    InputOptions,
    MatchOptions,
    PolicyOptions,
    SelectOptions,
)
from git_opatch.git.repository import Repository
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.settings import Settings
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_resolved
from git_opatch.report.outcome import Outcome


class Locator(NamedTuple):
    """Where to locate, and how."""

    repository: Repository
    settings: Settings
    options: Options

    def locate(
        self, patch: Patch, select: SelectOptions, name: str = "", *, refused_partly: bool = False
    ) -> Outcome:
        """Plan what is chosen of `patch`, called `name`. Raises `RepositoryError`, `UsageError`.

        If it is refused, and with `refused_partly`, the plan is of what would apply by itself.
        """
        repository, options = self.repository, self.options
        chosen, left_out = select.resolve(patch, options, repository.top)
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


def locator(
    inputs: InputOptions,
    base: BaseOptions,
    match: MatchOptions,
    policy: PolicyOptions,
    *,
    by_program: bool = False,
    **others: bool,
) -> Locator:
    """Find the repository, and resolve the options; `others` are as of `Options`.

    Raises `UsageError`, `RepositoryError` if there is no working tree and no `base`, and
    `BusyError` if the working tree is to be read and an apply was interrupted in it.
    """
    base.resolve()
    repository = Repository(asks_settings=True)
    settings, options = resolve_options(
        repository, inputs, base, match, policy, by_program=by_program, **others
    )
    return Locator(repository, settings, options)


def resolve_options(
    repository: Repository | None,
    inputs: InputOptions,
    base: BaseOptions,
    match: MatchOptions,
    policy: PolicyOptions,
    *,
    by_program: bool,
    **others: bool,
) -> tuple[Settings, Options]:
    """Resolve the options, for a repository or a plain directory. Raises as `locator` does."""
    target = base.resolve()
    if repository and not base.base:
        repository.require_worktree("`--base TREE-ISH`")
    settings = repository.settings() if repository else Settings()
    options = Options(
        target if repository else Target.WORKTREE,
        overwrite=inputs.overwrite,
        directory=inputs.directory,
        base=base.base or None,
        matching=match.resolve(settings, by_program=by_program),
        three_way=match.resolve_three_way(target),
        policy=policy.resolve(settings, inputs.directory, repository.top if repository else None),
        **others,
    )
    if repository and target is Target.WORKTREE:
        require_uninterrupted(repository)
    return settings, options
