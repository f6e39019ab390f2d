"""`git opatch apply-patch`: what the program `apply_patch` of agents does, done here (D270)."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from git_opatch.agent.hook import as_seen_from
from git_opatch.agent.verify import repository_of
from git_opatch.cli.groups import options_of_agent
from git_opatch.cli.patch_input import read_patch
from git_opatch.git.repository import Repository
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.paths import quote
from git_opatch.model.refusal import Refused
from git_opatch.model.settings import Settings
from git_opatch.model.text import visible
from git_opatch.operations import apply
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import called_in, resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import TextReporter, notes_of
from git_opatch.report.terminal import show
from git_opatch.transaction import can_be_written, retry_while_locked, temporary_repository

_NAME = "apply_patch"
_SECONDS = 10
"""How long to wait for the lock: the calls of an agent can come at the same time."""
_NO_REPOSITORY = "this is not in a git repository, so `git opatch undo` cannot undo it"
_READ_ONLY = "the git directory cannot be written here, so `git opatch undo` cannot undo this"
_LETTERS = {"A": "A", "C": "A", "M": "M", "R": "M", "D": "D"}
"""How Codex's tool lists a change, by git's letter for it; a moved file by its new path."""


def apply_patch(patch: str | None = None) -> int:
    """Apply a patch to the working tree as the program `apply_patch` does: all of it, or nothing.

    Paths are relative to the current directory, and the index is not changed. The output lists the
    changed files in the form of Codex's tool. Outside of a repository the files of the current
    directory are changed, and no record is kept. `git opatch install-agent shim` installs a
    program `apply_patch` that runs this. Exit status: 0 applied, 1 it does not apply, 128 not a
    patch, or a repository that cannot be read, 129 usage, 130 interrupted.
    """
    if patch is not None and os.path.isfile(patch):
        command = f"git opatch apply-patch <{shlex.quote(patch)}"
        raise UsageError(
            f"the argument is the patch itself, and `{visible(patch)}` is a file\n"
            f"  to apply the patch in it: {command}"
        )
    found = repository_of(Path.cwd(), asks_settings=True)
    settings = found.settings() if found else Settings()
    top = found.require_worktree() if found else Path.cwd()
    given = read_patch(()) if patch is None else parse_patch(os.fsencode(patch))
    if found and can_be_written(found):
        return _apply(given, found, settings)
    note = _NO_REPOSITORY
    if found:
        require_uninterrupted(found)
        note = _READ_ONLY
    with temporary_repository(top, found, _SECONDS) as repository:
        return _apply(given, repository, repository.settings(), note)


def _apply(given: Patch, repository: Repository, settings: Settings, *notes: str) -> int:
    """Apply the patch, say so with `notes`, and return the exit status."""
    top = repository.require_worktree()
    prefix = os.path.relpath(os.getcwd(), top)
    options = options_of_agent(settings)
    reporter = _Reporter(settings, prefix)
    resolved = resolve_paths(called_in(prefix, given), "", str(top))

    def run() -> Plan:
        return apply.apply_patch(resolved, repository, options, name=_NAME).with_notes(notes)

    return reporter.report(_outcome(resolved, options, reporter, run))


def _outcome(
    patch: Patch, options: Options, reporter: _Reporter, run: Callable[[], Plan]
) -> Outcome:

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
