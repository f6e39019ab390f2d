"""`git opatch convert`: a patch to a standard unified diff, for `git apply`."""

from __future__ import annotations

import sys
from pathlib import Path

import typer  # noqa: TC002 - typer reads the annotations when it runs

from git_opatch import report
from git_opatch.commands import choices
from git_opatch.commands.locating import Policed, locating
from git_opatch.errors import InputError
from git_opatch.report.terminal import show, write_data


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
    three_way: choices.ThreeWay = False,
    allow: choices.Allow = None,
    deny: choices.Deny = None,
    expect: choices.Expect = None,
    json: choices.Json = False,
) -> None:
    """Complete a patch into a standard unified diff, and change nothing.

    Hunks are located in the index. The diff is byte for byte what `git opatch apply` hands
    to git: apply it at the top of the working tree with `git apply --index`.
    """
    command = locating(
        context,
        base=base,
        worktree=worktree,
        reverse=reverse,
        directory=directory,
        overwrite=overwrite,
        match=match,
        ambiguous=ambiguous,
        fuzz=fuzz,
        policy=Policed(allow, deny, expect),
        json=json,
    )
    located = command.located(files or [], dialect)
    plan = located.plan
    if not json:
        notes = [*report.notes(plan.notes), *report.placed_loosely(plan)]
        show(notes, sys.stderr, command.settings)
    if output:
        _write(plan.completed.diff, output)
    elif not json:
        write_data(plan.completed.diff)
    if json:
        command.answer(located)


def _write(diff: bytes, output: str) -> None:
    try:
        Path(output).write_bytes(diff)
    except OSError as error:
        raise InputError(f"cannot write `{output}`: {error.strerror}") from None
