"""`git opatch apply`: a patch to the index and the working tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from git_opatch.cli import process
from git_opatch.cli.groups import (
    CommitOptions,
    PartialOptions,
    PatchOptions,
    TargetOptions,
    read_clipboard,
    read_text,
)
from git_opatch.git.repository import Repository, is_outside
from git_opatch.model.errors import RepositoryError, UsageError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.settings import journal_size
from git_opatch.operations.apply import apply_patch, check_patch
from git_opatch.operations.recover import recover_interrupted, require_uninterrupted
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.report.outcome import Outcome
from git_opatch.report.reporters import JsonReporter, TextReporter, notes_of

if TYPE_CHECKING:  # --commit imports it
    from git_opatch.operations.commit import CommitRequest


def apply(
    given: PatchOptions,
    target: TargetOptions,
    partial: PartialOptions,
    commit: CommitOptions,
    reverse: bool = False,
    interactive: bool = False,
    check: bool = False,
    clipboard: bool = False,
    quiet: bool = False,
    verbose: bool = False,
    json: bool = False,
) -> int:
    """Locate each hunk of a patch in the index, and apply it there and in the working tree.

    All files are one patch, which is applied as a whole or not at all. Exit status: 0 applied, 1
    it does not apply, or --3way left conflicts, or git did not commit it, 128 not a patch or not a
    repository, 129 usage, 130 interrupted.
    """
    if interactive and (json or partial.allows_part):
        raise UsageError(
            "--interactive excludes --json, --partial and --reject; it leaves out what does not "
            "apply"
        )
    if clipboard and given.files:
        raise UsageError("--clipboard excludes patch files")
    repository = _repository()
    settings = repository.settings()
    options = given.resolve(
        settings,
        target.resolve(settings),
        repository.top,
        by_program=json,
        in_part=partial.allows_part or interactive,
        reverse=reverse,
        partial=partial.allows_part,
        reject=partial.reject,
        journal_size=journal_size(settings),
        carry=target.carry,
        skip_applied=partial.skip_applied,
        commit=commit.commit,
    )
    request = commit.resolve(options.target, partial, json=json)
    reporter = JsonReporter("apply") if json else TextReporter(settings, quiet, verbose)
    with reporter:
        if check:
            require_uninterrupted(repository)
        else:
            reporter.note(recover_interrupted(repository).notes)
        patch = read_text(read_clipboard(), given.patch_format) if clipboard else given.read()
        selected = given.select(patch, options, repository.top)
        if interactive:
            from git_opatch.cli.interactive import choose

            selected, options = choose(selected, repository, options, settings)
        chosen, left_out = selected
        if not chosen.files:
            reporter.note(["no hunk was chosen; nothing was changed"])
            return 0
        resolved = resolve_paths(chosen, options, repository.top)
        outcome = Outcome(options, resolved, whole=patch, left_out=left_out)
        try:
            if check:
                plan, count = _checked(chosen, repository, options, request)
                outcome = outcome._replace(plan=plan, commits=count)
            else:
                name = " ".join(given.files or ())
                plan = _applied(chosen, repository, options, request, name)
                outcome = outcome._replace(plan=plan, done=True)
        except Refused as refused:
            reporter.note(notes_of(refused))
            outcome = outcome._replace(failures=refused.failures)
        except NotCommitted as error:
            outcome = outcome._replace(plan=error.plan, error=error, done=True)
        process.ignore_interrupts()  # what is done is done, and what is left is to say so
        return reporter.report(outcome)


def _checked(
    patch: Patch, repository: Repository, options: Options, request: CommitRequest | None
) -> tuple[Plan, int]:
    """Decide, and write nothing; gives the plan, and how many commits would be made."""
    if request is None:
        return check_patch(patch, repository, options), 0
    from git_opatch.operations.commit import check_commit

    return check_commit(patch, repository, options, request)


def _applied(
    patch: Patch,
    repository: Repository,
    options: Options,
    request: CommitRequest | None,
    name: str,
) -> Plan:
    """Apply `patch`, called `name` in the journal, and commit it if that is wanted."""
    if request is None:
        return apply_patch(patch, repository, options, name=name)
    from git_opatch.operations.commit import commit_patch

    return commit_patch(patch, repository, options, request, name)


def _repository() -> Repository:
    """Find the repository. Raises `RepositoryError`; where there is none, with what needs none."""
    try:
        return Repository(asks_settings=True)
    except RepositoryError as error:
        if not is_outside(Path.cwd()):
            raise
        outside = "`git opatch apply-patch` patches files outside of one"
        raise RepositoryError(f"{error}\n  {outside}") from None
