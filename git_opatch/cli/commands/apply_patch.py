"""`git opatch apply-patch`: what the program `apply_patch` of agents does, done here (D270)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from git_opatch.agent.hook import as_seen_from
from git_opatch.cli.groups import MatchOptions
from git_opatch.cli.policy_options import path_rules
from git_opatch.cli.read import read_patch
from git_opatch.git.repository import Repository
from git_opatch.model.command_line import CommandLine
from git_opatch.model.options import Options, Policy, Target
from git_opatch.model.patch import Patch
from git_opatch.model.paths import quote
from git_opatch.model.result import Refused
from git_opatch.model.settings import journal_size
from git_opatch.operations import apply
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import called_in, resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import TextReporter, notes_of
from git_opatch.report.terminal import show
from git_opatch.transaction import retry_while_locked

_NAME = "apply_patch"
_SECONDS = 10
"""How long to wait for the lock: the calls of an agent can come at the same time."""
_LETTERS = {"A": "A", "C": "A", "M": "M", "R": "M", "D": "D"}
"""How Codex's tool lists a change, by git's letter for it; a moved file by its new path."""

PatchText = Annotated[
    str | None,
    typer.Argument(
        metavar="PATCH",
        show_default=False,
        help="The patch itself, not a file of it (default: standard input).",
    ),
]


def apply_patch(patch: PatchText = None) -> None:
    """Apply a patch to the working tree as the program `apply_patch` does: all of it, or nothing.

    Paths are relative to the current directory, and the index is not changed. The output lists the
    changed files in the form of Codex's tool. `git opatch install-shim` installs a program
    `apply_patch` that runs this. Exit status: 0 applied, 1 it does not apply, 128 not a patch or
    not a repository, 129 usage, 130 interrupted.
    """
    settings = (repository := Repository(asks_settings=True)).settings()
    top = repository.require_worktree()
    given = read_patch(()) if patch is None else parse_patch(os.fsencode(patch))
    prefix = os.path.relpath(os.getcwd(), top)
    options = Options(
        Target.WORKTREE,
        matching=MatchOptions().resolve(settings, by_program=True),
        journal_size=journal_size(settings),
        policy=Policy(path_rules(settings, None, None)),
        command=CommandLine(f"git opatch {_NAME.replace('_', '-')}"),
    )
    reporter = _Reporter(settings, prefix)
    resolved = resolve_paths(called_in(prefix, given), "", str(top))
    raise typer.Exit(reporter.report(_outcome(resolved, repository, options, reporter)))


def _outcome(
    patch: Patch, repository: Repository, options: Options, reporter: _Reporter
) -> Outcome:
    def run() -> Plan:
        return apply.apply_patch(patch, repository, options, name=_NAME)

    try:
        plan = retry_while_locked(run, _SECONDS, reporter.note)
    except Refused as refused:
        reporter.note(notes_of(refused))
        told = as_seen_from(reporter.prefix, refused, options)
        return Outcome(options, patch, failures=told.failures)
    return Outcome(options, patch, plan, done=True)


class _Reporter(TextReporter):
    """Lists the changed files in the form of Codex's tool, relative to a directory."""

    def __init__(self, settings: dict[str, str], prefix: str) -> None:
        super().__init__(settings)
        self.prefix = prefix

    def succeed(self, outcome: Outcome) -> None:
        """List the files."""
        self.show_notes(outcome)
        lines = ["Success. Updated the following files:", *self._files(outcome)]
        show(lines, sys.stdout, self.settings)

    def _files(self, outcome: Outcome) -> Iterator[str]:
        """List added, modified and deleted files, each in the order of the patch."""
        letters = {file.path: _LETTERS[file.status] for file in outcome.plan.completed.files}
        named = (section.new_path or section.path for section in outcome.patch.files)
        paths = [path for path in dict.fromkeys([*named, *letters]) if path in letters]
        for path in sorted(paths, key=lambda path: "AMD".index(letters[path])):
            yield f"{letters[path]} {quote(os.path.relpath(path, self.prefix))}"
