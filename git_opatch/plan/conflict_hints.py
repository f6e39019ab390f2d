"""Say of an unmerged file how to go on, and how to go back."""

from __future__ import annotations

from shlex import quote

from git_opatch.model.blob import Entry
from git_opatch.model.options import Target
from git_opatch.model.paths import pathspec


def go_back(path: str, ours: Entry, target: Target) -> str:
    """Say how to give an unmerged file our version again, in the target of the patch."""
    if target is Target.CACHED:
        entry = quote(f"{ours.mode.value},{ours.id},{path}")
        return f"to go back: git update-index --cacheinfo {entry}"
    return f"to go back: {restore_ours(path)}"


def resolve(path: str) -> str:
    """Say how to go on with an unmerged file."""
    return f"to go on: resolve the conflicts in {path}, then git add -- {quote(pathspec(path))}"


def restore_ours(path: str) -> str:
    """The command that gives an unmerged file our version again."""
    quoted = quote(pathspec(path))
    return f"git checkout --ours -- {quoted} && git add -- {quoted}"
