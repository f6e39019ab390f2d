"""`git opatch apply-patch`: what the program `apply_patch` of agents does, done here (D270)."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from git_opatch.agent.apply_patch_call import repository_of
from git_opatch.agent.hook import (
    as_seen_from,
    nested_repository,
    require_allowed,
    split_by_repository,
)
from git_opatch.cli.groups import options_of_agent, read_patch
from git_opatch.git.repository import Repository
from git_opatch.model.errors import UsageError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.paths import quote
from git_opatch.model.settings import Settings
from git_opatch.model.text import visible
from git_opatch.operations import apply
from git_opatch.operations.recover import require_uninterrupted
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import called_in, name_of, resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import TextReporter, notes_of
from git_opatch.report.terminal import show
from git_opatch.transaction.temporary_repository import can_be_written, temporary_repository

_NAME = "apply_patch"
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
    prefix = os.path.relpath(os.getcwd(), top)
    resolved = resolve_paths(called_in(prefix, given), top=top)
    parts = split_by_repository(resolved, top) or {"": resolved}
    call = _Call(found, top, _Reporter(settings, prefix))
    if len(parts) > 1:  # all are checked before any is applied
        for below, part in parts.items():
            outcome = call.carry_out(part, below, apply.check_patch)
            if outcome.failures:
                return call.reporter.report(outcome)
    for below, part in parts.items():
        outcome = call.carry_out(part, below, partial(apply.apply_patch, name=name_of(_NAME, part)))
        if outcome.failures:
            call.reporter.tell()
            return call.reporter.report(outcome)
        call.reporter.succeed(outcome)
    call.reporter.tell()
    return 0


class _Call(NamedTuple):
    """A call for files of the working tree at `top`, or of no repository."""

    found: Repository | None
    top: Path
    reporter: _Reporter

    def carry_out(
        self, patch: Patch, below: str, act: Callable[[Patch, Repository, Options], Plan]
    ) -> Outcome:
        """Check or apply a part of the patch, in the repository `below` the top that has its
        files."""
        with self._open(below) as (repository, notes):
            options = options_of_agent(repository.settings())
            self.reporter.below = below
            try:
                if below and self.found:
                    policy = options_of_agent(self.found.settings())
                    require_allowed(patch, below, self.found, policy)
                plan = act(patch, repository, options).with_notes(notes)
            except Refused as refused:
                self.reporter.note(notes_of(refused))
                told = as_seen_from(self.reporter.prefix, refused, options, below)
                return Outcome(options, patch, failures=told.failures)
            return Outcome(options, patch, plan, done=True)

    @contextmanager
    def _open(self, below: str) -> Iterator[tuple[Repository, Sequence[str]]]:
        """Give the repository of a part, or a temporary one, with a note, if none can be
        written."""
        found = nested_repository(self.top, below) if below else self.found
        if found and can_be_written(found):
            yield found, ()
            return
        note = _NO_REPOSITORY
        if found:
            require_uninterrupted(found)
            note = _READ_ONLY
        with temporary_repository(self.top / below, found) as repository:
            yield repository, (note,)


class _Reporter(TextReporter):
    """Lists the changed files in the form of Codex's tool, relative to a directory."""

    def __init__(self, settings: dict[str, str], prefix: str) -> None:
        super().__init__(settings)
        self.prefix = prefix
        self.below = ""
        """The directory below the top that paths count from."""
        self._changed: list[tuple[str, str]] = []

    def succeed(self, outcome: Outcome) -> None:
        """Show the notes on a part, and keep which files it has changed."""
        self.show_notes(outcome)
        letters = {file.path: _LETTERS[file.status] for file in outcome.plan.completed.files}
        named = (section.new_path or section.path for section in outcome.patch.files)
        for path in dict.fromkeys([*named, *letters]):
            if path in letters:
                shown = os.path.relpath(os.path.join(self.below, path), self.prefix)
                self._changed.append((letters[path], shown))

    def tell(self) -> None:
        """List the files that were added, modified and deleted, each in the order of the patch."""
        changed = sorted(self._changed, key=lambda each: "AMD".index(each[0]))
        lines = [f"{letter} {quote(path)}" for letter, path in changed]
        if lines:
            show(["Success. Updated the following files:", *lines], sys.stdout, self.settings)
