"""Hooks, found and run as git does (githooks(5))."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment
from git_opatch.model.paths import parents


def find_hook(repository: Repository, name: str) -> Path | None:
    """The hook `name`, executable or not; None if there is none."""
    hook = repository.hooks / name
    return hook if hook.is_file() else None


def any_is_hook(repository: Repository, paths: Iterable[str]) -> bool:
    """Return whether one of `paths`, which were changed, is a hook or below the directory of hooks
    (D132).

    By what they are, not by their names: the directory, or a hook in it, may be a link into the
    working tree, and a file system may ignore letter case.
    """
    hooks, top = _hooks(repository.hooks), repository.require_worktree()
    if not hooks:
        return False
    changed = list(paths)
    above = {parent for path in changed for parent in parents(path)}
    return any(_identity(top / path) in hooks for path in (*above, *changed))


def run_post_index_change(repository: Repository, changed: Iterable[str]) -> None:
    """Run the hook of git that an index was written (D201); `changed` are files that were, too.

    As after `git apply --index`: with `0 0`, and its failure is ignored.
    """
    hook = find_hook(repository, "post-index-change")
    if hook is None or not os.access(hook, os.X_OK) or any_is_hook(repository, changed):
        return
    with suppress(OSError):
        run_hook(repository, hook, "0", "0")


def _hooks(directory: Path) -> set[tuple[int, int] | None]:
    """The directory of hooks and the files in it; nothing if there is no hook."""
    try:
        names = [name for name in os.listdir(directory) if not name.endswith(".sample")]
    except OSError:
        return set()
    found = {_identity(directory / name) for name in names}
    return {*found, _identity(directory)} - {None} if names else set()


def _identity(path: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        found = path.stat()
        return (found.st_dev, found.st_ino)
    return None


def run_hook(repository: Repository, hook: Path, *arguments: str, feed: bytes = b"") -> int:
    """Run `hook` at the top of the working tree with `feed` on standard input.

    Not by `git hook run`, which has no standard input in git 2.39. Its output goes to standard
    error. Returns its status; raises `OSError` if it cannot be run.
    """
    top = repository.require_worktree()
    paths = {"GIT_DIR": str(repository.git_dir), "GIT_WORK_TREE": str(top)}
    return run_program(
        [hook, *arguments], top, {**user_environment(), **paths}, feed=feed, show=True
    ).status
