"""`git opatch apply`: a patch to the index and the working tree."""

from __future__ import annotations

import sys

import typer

from git_opatch import report
from git_opatch.apply import (
    Refused,
    apply_patch,
    check_patch,
    finish_interrupted,
    refuse_interrupted,
)
from git_opatch.commands import choices
from git_opatch.commands.inputs import choose_target, read_patch, spelled
from git_opatch.options import Options, Target
from git_opatch.report.terminal import show
from git_opatch.repository import Repository


def apply(
    files: choices.Files = None,
    index: choices.Index = False,
    cached: choices.Cached = False,
    worktree: choices.Worktree = False,
    check: choices.Check = False,
    reverse: choices.Reverse = False,
    directory: choices.Directory = "",
    overwrite: choices.Overwrite = False,
    quiet: choices.Quiet = False,
    verbose: choices.Verbose = False,
) -> None:
    """Find each hunk of a patch in the index, and apply it there and in the working tree.

    The patch is applied as a whole or not at all. Exit status: 0 applied, 1 it does not
    apply, 128 no patch or no repository, 129 usage, 130 interrupted.
    """
    names = files or []
    repository = Repository()
    settings = repository.settings()
    target = choose_target(index=index, cached=cached, worktree=worktree, settings=settings)
    flags = {"-R": reverse, "--directory": directory, "--overwrite": overwrite}
    command = spelled("git opatch apply", flags, names)
    flag = f"--{target.value}" if target is not Target.INDEX or "opatch.target" in settings else ""
    options = Options(target, reverse, overwrite, directory, command=command, target_flag=flag)
    if check:
        refuse_interrupted(repository)
    else:
        show(report.notes(finish_interrupted(repository)), sys.stderr, settings)
    patch = read_patch(names)
    try:
        if check:
            plan = check_patch(patch, repository, options)
            line = report.would_apply(plan, options)
        else:
            plan = apply_patch(patch, repository, options, name=" ".join(names))
            line = report.applied(plan, options, report.way_back(options, names, plan))
    except Refused as refused:
        show(report.refusal(refused.failures, options), sys.stderr, settings)
        raise typer.Exit(refused.exit_status) from None
    show(report.notes(plan.notes), sys.stderr, settings)
    if not quiet:
        show([*(report.details(plan) if verbose else ()), line], sys.stdout, settings)
