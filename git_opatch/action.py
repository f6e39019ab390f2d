"""What a call of `apply_patch` would do, file by file; nothing is touched.

    detect ──▶ parse ──▶ plan, in a repository or a plain directory ──▶ Action

Rules: OpenCode's patch subsystem ("Verified Application", `ApplyPatchAction`); a call that it
would apply only in part is refused here, as everywhere.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from git_opatch.apply import Refused, plan_patch
from git_opatch.complete.diff import complete_file
from git_opatch.complete.draft import Result
from git_opatch.errors import InputError, RepositoryError
from git_opatch.folder import ALGORITHM, snapshot_of
from git_opatch.invocation import Invocation, detect
from git_opatch.options import Options, Target
from git_opatch.parse import parse_patch
from git_opatch.patch import Operation, Patch
from git_opatch.plan import Plan, make_plan, named_paths, refuse_unsafe, resolve_paths
from git_opatch.repository import Repository
from git_opatch.transaction.guard import guard_parents


class FileChange(NamedTuple):
    """What becomes of one file. Paths count from the top of the repository or directory."""

    operation: Operation
    """ADD, UPDATE (a move, too) or DELETE; a copy is an ADD."""
    path: str
    unified_diff: bytes
    """As `git opatch convert` prints it for this file."""
    old_content: bytes | None
    """What the file holds now; None for an added one."""
    new_content: bytes | None
    """What it would hold; None for a deleted one."""
    move_path: str | None = None
    """Where it would be moved."""


class Action(NamedTuple):
    """What a call would do: a change for each file, the call itself, and the plan."""

    changes: tuple[FileChange, ...]
    invocation: Invocation
    plan: Plan
    """How each hunk was placed."""


def verify(
    argv: Sequence[str], where: Repository | str | Path = ".", options: Options | None = None
) -> Action | None:
    """What the command `argv` would do; None if it is no call of `apply_patch`.

    `where` is a repository, whose top the call is made at, or the directory it is made in:
    one inside a repository, or one that is in none, where files are taken as they are.
    In a repository `options` choose between index, working tree and a tree-ish.

    Raises `ImplicitInvocation` for a bare patch, `ParseError` for a malformed one, `Refused`
    if it does not apply, `RepositoryError` and `InputError` for what cannot be read.
    """
    invocation = detect(argv)
    if invocation is None:
        return None
    patch = parse_patch(invocation.text)
    options = options or Options()
    if isinstance(where, Repository):
        plan, algorithm = plan_patch(patch, where, options), where.algorithm
    else:
        plan, algorithm = _plan_in(Path(where), patch, options)
    if plan.failures:
        raise Refused(plan.failures)
    changes = (_change(result, algorithm) for result in plan.completed.results)
    return Action(tuple(changes), invocation, plan)


def _plan_in(directory: Path, patch: Patch, options: Options) -> tuple[Plan, str]:
    """The plan of `patch`, whose paths count from `directory`, and the hash of its blobs."""
    directory = directory.resolve()
    if not directory.is_dir():
        raise InputError(f"`{directory}` is no directory")
    repository = repository_of(directory)
    if repository is None:
        return _plan_plain(directory, patch, options), ALGORITHM
    if repository.top is not None:
        prefix = os.path.relpath(directory, repository.top.resolve())
        patch = _called_in(prefix, patch)
    return plan_patch(patch, repository, options), repository.algorithm


def repository_of(directory: Path) -> Repository | None:
    """The repository round `directory`, if any. Raises `RepositoryError` if it cannot be used."""
    try:
        return Repository(directory)
    except RepositoryError:
        if "GIT_DIR" in os.environ or any(
            os.path.lexists(above / ".git") for above in (directory, *directory.resolve().parents)
        ):
            raise
        return None


def _called_in(prefix: str, patch: Patch) -> Patch:
    """`patch` as a call in the folder `prefix` means it."""
    return replace(
        patch,
        files=tuple(
            replace(one, directory=posixpath.normpath(posixpath.join(prefix, one.directory)))
            for one in patch.files
        ),
    )


def _plan_plain(directory: Path, patch: Patch, options: Options) -> Plan:
    if options.base is not None:
        raise RepositoryError(f"here is no repository that could have `{options.base}`")
    patch = resolve_paths(patch, options.directory, str(directory))
    paths = named_paths(patch)
    failures = refuse_unsafe(patch) or guard_parents(directory, paths)
    if failures:
        return Plan(failures=failures)
    options = replace(options, target=Target.WORKTREE)
    return make_plan(patch, snapshot_of(directory, paths), options, ALGORITHM, {})


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
