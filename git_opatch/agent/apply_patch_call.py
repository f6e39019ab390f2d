"""A call of `apply_patch`: detect it in a command (D69), and verify what it would change.

    argv   := [name, patch] | [shell, "-c" | "-lc", script]
    script := ("cd " dir "&&")* one call of `apply_patch`   (see `parse.shell`)

    detect ──▶ parse ──▶ plan, in a repository or a plain directory ──▶ Action

Rules: OpenCode's patch subsystem ("Bash Integration Detection", "Error Types", "Verified
Application") and Codex, which is as strict: a script that does anything else is not such a call. A
patch that OpenCode would apply only in part is refused. Nothing is run or written.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from git_opatch.complete.tree import Result
from git_opatch.complete.unified_diff import complete_file
from git_opatch.git.repository import Repository, is_outside
from git_opatch.model.errors import ImplicitInvocation, InputError, RepositoryError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Operation, Patch
from git_opatch.operations.apply import check_patch, plan_patch
from git_opatch.parse import is_patch, parse_patch
from git_opatch.parse.shell import NAMES, SCRIPT_FLAGS, SHELLS, patch_of
from git_opatch.plan.patch_paths import called_in
from git_opatch.plan.plan import Plan
from git_opatch.transaction.temporary_repository import temporary_repository

_IMPLICIT = (
    "this is a patch, not a command: call `apply_patch` with it as the only argument, as in "
    '["apply_patch", PATCH] or ["bash", "-lc", "apply_patch <<\'EOF\'\\n" + PATCH + "\\nEOF\\n"]'
)


class Invocation(NamedTuple):
    """A call of `apply_patch`."""

    patch: str
    """The text of the patch, unquoted; bytes that are not UTF-8 are surrogate escapes."""
    directory: str
    """The directory that the script changes to first (`cd DIR &&`), or empty."""
    text: str
    """The argument as it was given: the patch, or the script that has it."""


def detect(argv: Sequence[str]) -> Invocation | None:
    """Detect the call of `apply_patch` in the command `argv`; None for any other command.

    The patch itself is not parsed. Raises `ImplicitInvocation` for a bare patch in place of the
    command or the script, and `ParseError` for a string with half a surrogate pair.
    """
    words = list(argv) or [""]
    program = posixpath.basename(words[0])
    has_script = program in SHELLS and len(words) == 3 and words[1] in SCRIPT_FLAGS
    script = words[2] if has_script else ""
    if is_patch(script or words[0]):
        raise ImplicitInvocation(_IMPLICIT)
    if program in NAMES and len(words) == 2:
        return Invocation(words[1], "", words[1])
    call = patch_of(script.encode("utf-8", "surrogateescape"))
    if call is None:
        return None
    directory, patch = call
    return Invocation(patch.decode("utf-8", "surrogateescape"), directory, script)


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
