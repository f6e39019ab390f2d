"""Hooks, found and run as git does (githooks(5))."""

from __future__ import annotations

from pathlib import Path

from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment


def find_hook(repository: Repository, name: str) -> Path | None:
    """The hook `name`, executable or not; None if there is none."""
    hook = repository.hooks / name
    return hook if hook.is_file() else None


def run_hook(repository: Repository, hook: Path, feed: bytes) -> int:
    """Run `hook` at the top of the working tree with `feed` on standard input.

    Not by `git hook run`, which has no standard input in git 2.39. Its output goes to standard
    error. Returns its status; raises `OSError` if it cannot be run.
    """
    top = repository.require_worktree()
    paths = {"GIT_DIR": str(repository.git_dir), "GIT_WORK_TREE": str(top)}
    return run_program([hook], top, {**user_environment(), **paths}, feed=feed, show=True).status
