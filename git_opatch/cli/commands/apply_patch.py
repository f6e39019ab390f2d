"""`git opatch apply-patch`: what the program `apply_patch` of agents does, done here (D270)."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
    outer = repository_of(Path.cwd(), asks_settings=True)
    settings = outer.settings() if outer else Settings()
    top = outer.require_worktree() if outer else Path.cwd()
    given = read_patch(()) if patch is None else parse_patch(os.fsencode(patch))
    prefix = os.path.relpath(os.getcwd(), top)
    resolved = resolve_paths(called_in(prefix, given), top=top)
    parts = split_by_repository(resolved, top) or {"": resolved}
    reporter, changed = TextReporter(settings), list[tuple[str, str]]()
    for only_checks in (True, False) if len(parts) > 1 else (False,):
        for below, part in parts.items():
            try:
                plan = _carried_out(part, outer, top, below, only_checks=only_checks)
            except Refused as refused:
                reporter.note(notes_of(refused))
                _list_changed(changed, settings)
                told = as_seen_from(prefix, refused, refused.options, below)
                return reporter.report(Outcome(told.options, part, failures=told.failures))
            if not only_checks:
                reporter.show_notes(Outcome(Options(), part, plan))
                changed += _changed(part, plan, top / below)
    _list_changed(changed, settings)
    return 0


def _carried_out(
    part: Patch, outer: Repository | None, top: Path, below: str, *, only_checks: bool
) -> Plan:
    """Check or apply a part of the patch, in the repository `below` the top that has its files."""
    with _opened(outer, top, below) as (repository, notes):
        options = options_of_agent(repository.settings())
        if below and outer:
            require_allowed(part, below, outer, options_of_agent(outer.settings()))
        if only_checks:
            return apply.check_patch(part, repository, options)
        plan = apply.apply_patch(part, repository, options, name_of(_NAME, part))
        return plan.with_notes(notes)


@contextmanager
def _opened(
    outer: Repository | None, top: Path, below: str
) -> Iterator[tuple[Repository, Sequence[str]]]:
    """Give the repository of a part, or a temporary one, with a note, if none can be written."""
    owner = nested_repository(top, below) if below else outer
    if owner and can_be_written(owner):
        yield owner, ()
        return
    if owner:
        require_uninterrupted(owner)
    with temporary_repository(top / below, owner) as repository:
        yield repository, (_READ_ONLY if owner else _NO_REPOSITORY,)


def _changed(part: Patch, plan: Plan, directory: Path) -> Iterator[tuple[str, str]]:
    """Yield a letter and the path of each changed file of `directory`, as the patch has them."""
    letters = {file.path: _LETTERS[file.status] for file in plan.completed.files}
    named = (section.new_path or section.path for section in part.files)
    for path in dict.fromkeys([*named, *letters]):
        if path in letters:
            yield letters[path], os.path.relpath(directory / path)


def _list_changed(changed: Sequence[tuple[str, str]], settings: Settings) -> None:
    """List the files that were added, modified and deleted, in the form of Codex's tool."""
    ordered = sorted(changed, key=lambda file: "AMD".index(file[0]))
    lines = [f"{letter} {quote(path)}" for letter, path in ordered]
    if lines:
        show(["Success. Updated the following files:", *lines], sys.stdout, settings)
