"""What `convert` and `show` share: a patch is located, and nothing is changed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import typer

from git_opatch import report
from git_opatch.apply import Refused, plan_patch
from git_opatch.commands import answer
from git_opatch.commands.inputs import (
    choose_matching,
    choose_past,
    choose_policy,
    read_patch,
    spelled,
)
from git_opatch.errors import RepositoryError, UsageError
from git_opatch.interrupted import refuse_interrupted
from git_opatch.options import Ambiguous, Dialect, Options, Target, Tier
from git_opatch.patch import Patch
from git_opatch.plan import Plan
from git_opatch.report import document
from git_opatch.report.terminal import show, write_data
from git_opatch.report.values import Fields
from git_opatch.repository import Repository


class Locating(NamedTuple):
    """Where and how to locate, as the user chose it."""

    command: str
    repository: Repository
    settings: Mapping[str, str]
    options: Options
    json: bool

    def located(self, files: Sequence[str], dialect: Dialect | None) -> Located:
        """The patch in `files`, and its plan.

        Says why and raises `typer.Exit` if it does not apply; raises `ParseError` and
        `InputError`.
        """
        if self.options.target is Target.WORKTREE:
            refuse_interrupted(self.repository)
        patch = read_patch(files, dialect)
        plan = plan_patch(patch, self.repository, self.options)
        if not plan.failures:
            return Located(patch, plan)
        if self.json:
            refused = answer.refused(plan.failures, patch, self.repository, self.options)
            self._write(refused, Refused.exit_status)
        else:
            show(report.refusal(plan.failures, self.options), sys.stderr, self.settings)
        raise typer.Exit(Refused.exit_status)

    def answer(self, located: Located) -> None:
        """Print the document that says what the patch would do."""
        patch = answer.resolved(located.patch, self.repository, self.options)
        self._write(document.planned(located.plan, self.options, patch), 0)

    def _write(self, outcome: Fields, exit_status: int) -> None:
        write_data(document.one(self.command, exit_status, outcome))


class Policed(NamedTuple):
    """What `--allow`, `--deny` and `--expect` say."""

    allow: Sequence[str] | None
    deny: Sequence[str] | None
    expect: Sequence[str] | None


class Located(NamedTuple):
    """A patch that would apply, and how."""

    patch: Patch
    plan: Plan


def locating(
    context: typer.Context,
    *,
    base: str,
    worktree: bool,
    reverse: bool,
    directory: str,
    overwrite: bool,
    match: Tier | None,
    ambiguous: Ambiguous | None,
    fuzz: int,
    policy: Policed,
    json: bool,
) -> Locating:
    """The options understood. Raises `UsageError`, or `RepositoryError` for want of a base."""
    if base and worktree:
        raise UsageError("--base and --worktree exclude one another")
    repository = Repository(asks_settings=True)
    if repository.top is None and not base:
        raise RepositoryError("here is no index to locate in; name a commit with --base")
    settings = repository.settings()
    options = Options(
        Target.WORKTREE if worktree else Target.CACHED,
        reverse,
        overwrite,
        directory,
        base or None,
        matching=choose_matching(match, ambiguous, fuzz, settings),
        past=choose_past(context.params, Target.WORKTREE if worktree else Target.CACHED),
        policy=choose_policy(policy.allow, policy.deny, policy.expect, settings, directory),
        command=spelled(context),
    )
    return Locating(context.info_name or "", repository, settings, options, json)
