"""`git opatch show`: what a patch would do, for a person to look at."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping

import typer

from git_opatch import report
from git_opatch.apply import Refused
from git_opatch.commands import choices
from git_opatch.commands.inputs import read_patch, spelled
from git_opatch.commands.locating import Policed, locating
from git_opatch.errors import UsageError
from git_opatch.options import Options
from git_opatch.patch import Patch
from git_opatch.plan import Plan, refuse_unsafe, resolve_paths
from git_opatch.report import files as report_files
from git_opatch.report import terminal
from git_opatch.reverse import reverse as reversed_patch

_NAMES = ("name-only", "name-status")
_WITHOUT_Z = ("", "stat", "json")


def show(
    context: typer.Context,
    files: choices.Files = None,
    stat: choices.Stat = False,
    numstat: choices.Numstat = False,
    name_only: choices.NameOnly = False,
    name_status: choices.NameStatus = False,
    zero: choices.Zero = False,
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
    """Show what a patch would do: each file, where each hunk lands and why, and the diff.

    Hunks are located in the index, and nothing is changed. With --name-only or --name-status
    the patch is only read; no repository is needed.
    """
    form = _form(
        stat=stat, numstat=numstat, name_only=name_only, name_status=name_status, json=json
    )
    policy = Policed(allow, deny, expect)
    _refuse_useless(form, policy, zero=zero)
    if form in _NAMES:
        options = Options(reverse=reverse, directory=directory, command=spelled(context))
        _show_names(read_patch(files or [], dialect), options, form, zero=zero)
        return
    command = locating(
        context, base=base, worktree=worktree, reverse=reverse, directory=directory, json=json,
        overwrite=overwrite, match=match, ambiguous=ambiguous, fuzz=fuzz, policy=policy,
    )  # fmt: skip
    located = command.located(files or [], dialect)
    if json:
        command.answer(located)
    else:
        _show(located.plan, form, command.settings, zero=zero)


def _show(plan: Plan, form: str, settings: Mapping[str, str], *, zero: bool) -> None:
    terminal.show(report.notes(plan.notes), sys.stderr, settings)
    if form == "stat":
        columns = shutil.get_terminal_size().columns
        terminal.show_styled(report_files.stat(plan.completed.files, columns), settings)
    elif form == "numstat":
        terminal.write_data(report_files.numstat(plan.completed.files, zero=zero))
    else:
        terminal.show_diff(list(report.details(plan)), plan.completed.diff, settings)


def _form(**chosen: bool) -> str:
    """The one form that was named, as the option is spelled; empty for none."""
    named = [name.replace("_", "-") for name, wanted in chosen.items() if wanted]
    if len(named) > 1:
        raise UsageError(f"--{named[0]} and --{named[1]} exclude one another")
    return named[0] if named else ""


def _refuse_useless(form: str, policy: Policed, *, zero: bool) -> None:
    """Raises `UsageError` for options that mean nothing with `form`."""
    if zero and form in _WITHOUT_Z:
        raise UsageError("-z goes with --numstat, --name-only or --name-status")
    if form in _NAMES and (policy.allow or policy.deny or policy.expect):
        raise UsageError(f"--{form} only reads the patch, without --allow, --deny and --expect")


def _show_names(patch: Patch, options: Options, form: str, *, zero: bool) -> None:
    """Print the paths of `patch`. What no patch may name is refused, for others trust them."""
    patch = resolve_paths(patch, options.directory)
    patch = reversed_patch(patch) if options.reverse else patch
    failures = refuse_unsafe(patch)
    if failures:
        terminal.show(report.refusal(failures, options), sys.stderr)
        raise typer.Exit(Refused.exit_status)
    terminal.write_data(report_files.names(patch, status=form == "name-status", zero=zero))
