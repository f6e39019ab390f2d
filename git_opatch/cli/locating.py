"""Locate a patch and change nothing: what `check`, `convert` and `show` share."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from git_opatch.cli.groups import BaseOptions, InputOptions, MatchOptions, SelectOptions
from git_opatch.cli.policy_options import PolicyOptions
from git_opatch.git.repository import Repository
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.settings import Settings
from git_opatch.operations.apply import is_already_applied, plan_patch
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.plan.patch_paths import resolve_paths
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
        chosen, left_out = select.resolve(patch, self.options.directory, self.repository.top)
        outcome = _plan_outcome(chosen, self.repository, self.options, name)
        if outcome.failures and refused_partly:
            partly = replace(self.options, partial=True)
            outcome = outcome._replace(plan=plan_patch(chosen, self.repository, partly))
        return outcome._replace(whole=patch, left_out=left_out)


def _plan_outcome(patch: Patch, repository: Repository, options: Options, name: str) -> Outcome:
    plan = plan_patch(patch, repository, options)
    resolved = resolve_paths(patch, options.directory, str(repository.top or ""))
    failures = plan.failures
    if not failures:
        return Outcome(options, resolved, plan, name=name)
    applied = is_already_applied(patch, repository, options, failures)
    return Outcome(options, resolved, failures=failures, name=name, already_applied=applied)


def locator(
    inputs: InputOptions,
    base: BaseOptions,
    match: MatchOptions,
    policy: PolicyOptions,
    *,
    reverse: bool,
    skip_applied: bool = False,
    converts: bool = False,
    by_program: bool = False,
) -> Locator:
    """Resolve the options.

    Raises `UsageError`, `RepositoryError` if there is no working tree and no `base`, and
    `BusyError` if the working tree is to be read and an apply was interrupted in it.
    """
    target = base.resolve()
    repository = Repository(asks_settings=True)
    if not base.base:
        repository.require_worktree("`--base TREE-ISH`")
    settings = repository.settings()
    options = Options(
        target,
        reverse,
        inputs.overwrite,
        inputs.directory,
        base.base or None,
        matching=match.resolve(settings, by_program=by_program),
        three_way=match.resolve_three_way(target),
        skip_applied=skip_applied,
        policy=policy.resolve(settings, inputs.directory, repository.top),
        converts=converts,
    )
    if target is Target.WORKTREE:
        require_uninterrupted(repository)
    return Locator(repository, settings, options)
