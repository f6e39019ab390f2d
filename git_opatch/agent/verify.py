"""Verify a call of `apply_patch`: what it would change, file by file. Writes nothing.

    detect ──▶ parse ──▶ plan, in a repository or a plain directory ──▶ Action

Rules: OpenCode's patch subsystem ("Verified Application", `ApplyPatchAction`). A patch that
OpenCode would apply only in part is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from git_opatch.agent.apply_patch_call import Invocation, detect
from git_opatch.complete.tree import Result
from git_opatch.complete.unified_diff import complete_file
from git_opatch.git.repository import Repository, is_outside
from git_opatch.model.errors import InputError, RepositoryError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Operation, Patch
from git_opatch.operations.apply import check_patch, plan_patch
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import called_in
from git_opatch.plan.plan import Plan
from git_opatch.transaction.temporary_repository import temporary_repository


class FileChange(NamedTuple):
    """The change of one file. Paths are relative to the top of the repository or directory."""

    operation: Operation
    """ADD, UPDATE (including a move) or DELETE; a copy is an ADD."""
    path: str
    unified_diff: bytes
    """As `git opatch convert` prints it for this file."""
    old_content: bytes | None
    """The present content; None for an added file."""
    new_content: bytes | None
    """The content afterwards; None for a deleted file."""
    move_path: str | None = None
    """The new path of a moved file."""


class Action(NamedTuple):
    """What a call would do: a change for each file."""

    changes: tuple[FileChange, ...]
    invocation: Invocation
    plan: Plan
    """It has the placement of each hunk."""


def verify(
    argv: Sequence[str], where: Repository | str | Path = ".", options: Options | None = None
) -> Action | None:
    """Find out what the command `argv` would do; None if it is not a call of `apply_patch`.

    `where` is a repository, if the call is made at its top, or the directory that it is made in.
    Outside a repository, files are read as they are; in one, `options` choose between index,
    working tree and a tree-ish.

    Raises `ImplicitInvocation` for a bare patch, `ParseError` for a malformed one, `Refused` if it
    does not apply, `RepositoryError` and `InputError` for what cannot be read.
    """
    invocation = detect(argv)
    if invocation is None:
        return None
    return verify_patch(parse_patch(invocation.text), invocation, where, options or Options())


def verify_patch(
    patch: Patch, invocation: Invocation, where: Repository | str | Path, options: Options
) -> Action:
    """Find out what `patch` would do, which is that of `invocation`. Raises as `verify` does."""
    if isinstance(where, Repository):
        plan, algorithm = plan_patch(patch, where, options), where.algorithm
    else:
        plan, algorithm = _plan_in(Path(where), patch, options)
    if plan.failures:
        raise Refused(plan.failures, options)
    changes = (_change(result, algorithm) for result in plan.completed.results)
    return Action(tuple(changes), invocation, plan)


def _plan_in(directory: Path, patch: Patch, options: Options) -> tuple[Plan, str]:
    """Plan `patch`, called in `directory`; returns the plan and the hash algorithm of its blobs."""
    directory = directory.resolve()
    if not directory.is_dir():
        raise InputError(f"`{directory}` is not a directory")
    repository = repository_of(directory)
    if repository is None:
        if options.base is not None:
            raise RepositoryError(f"no repository here, so there is no `{options.base}`")
        with temporary_repository(directory, None) as repository:
            options = replace(options, target=Target.WORKTREE)
            return check_patch(patch, repository, options), repository.algorithm
    if repository.top is not None:
        prefix = os.path.relpath(directory, repository.top.resolve())
        patch = called_in(prefix, patch)
    return plan_patch(patch, repository, options), repository.algorithm


def repository_of(directory: Path, *, asks_settings: bool = False) -> Repository | None:
    """Find the repository of `directory`. Raises `RepositoryError` if there is one that fails.

    `asks_settings` as of `Repository`.
    """
    try:
        return Repository(directory, asks_settings=asks_settings)
    except RepositoryError:
        if is_outside(directory):
            return None
        raise


def _change(result: Result, algorithm: str) -> FileChange:
    old, new = result.old, result.content
    operation, path = Operation.UPDATE, old.path if old else result.path
    if old is None or (new is not None and new.copied):
        operation, path, old = Operation.ADD, result.path, None
    elif new is None:
        operation = Operation.DELETE
    return FileChange(
        operation,
        path,
        complete_file(result, algorithm).data,
        old.data if old else None,
        new.text.to_bytes() if new else None,
        result.path if old and result.renamed else None,
    )
