"""`git opatch convert`: a patch to a standard unified diff, for `git apply`."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from git_opatch import report
from git_opatch.apply import plan_patch, refuse_interrupted
from git_opatch.commands import choices
from git_opatch.commands.inputs import choose_matching, read_patch, spelled
from git_opatch.errors import InputError, RepositoryError, UsageError
from git_opatch.options import Options, Target
from git_opatch.report.terminal import show, write_data
from git_opatch.repository import Repository


def convert(
    context: typer.Context,
    files: choices.Files = None,
    output: choices.Output = "",
    reverse: choices.CompleteReverse = False,
    base: choices.Base = "",
    worktree: choices.LocateInWorktree = False,
    directory: choices.Directory = "",
    overwrite: choices.Overwrite = False,
    dialect: choices.AsDialect = None,
    match: choices.Match = None,
    ambiguous: choices.OnAmbiguous = None,
    fuzz: choices.Fuzz = 0,
) -> None:
    """Complete a patch into a standard unified diff, and change nothing.

    Hunks are located in the index. The diff is byte for byte what `git opatch apply` hands
    to git: apply it at the top of the working tree with `git apply --index`.
    """
    if base and worktree:
        raise UsageError("--base and --worktree exclude one another")
    names = files or []
    repository = Repository()
    if repository.top is None and not base:
        raise RepositoryError("here is no index to locate in; name a commit with --base")
    settings = repository.settings()
    target = Target.WORKTREE if worktree else Target.CACHED
    matching = choose_matching(match, ambiguous, fuzz, settings)
    options = Options(
        target,
        reverse,
        overwrite,
        directory,
        base or None,
        matching=matching,
        command=spelled(context),
    )
    if worktree:
        refuse_interrupted(repository)
    patch = read_patch(names, dialect)
    plan = plan_patch(patch, repository, options)
    if plan.failures:
        show(report.refusal(plan.failures, options), sys.stderr, settings)
        raise typer.Exit(1)
    show([*report.notes(plan.notes), *report.placed_loosely(plan)], sys.stderr, settings)
    _write(plan.completed.diff, output)


def _write(diff: bytes, output: str) -> None:
    if not output:
        write_data(diff)
        return
    try:
        Path(output).write_bytes(diff)
    except OSError as error:
        raise InputError(f"cannot write `{output}`: {error.strerror}") from None
