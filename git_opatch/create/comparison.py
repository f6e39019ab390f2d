"""What a command line compares: a commit, two trees, or the index with `HEAD` or with the files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.git.changes import (
    ChangedFile,
    Compared,
    changed_files,
    compare_commit,
    compare_range,
    plain_diff,
    unstaged_files,
)
from git_opatch.git.repository import Repository
from git_opatch.model.errors import UsageError
from git_opatch.model.text import visible


class Comparison(NamedTuple):
    """Both versions of each changed file, and how `git diff` is asked for the same."""

    repository: Repository
    compared: Compared
    files: tuple[ChangedFile, ...]

    def plain_diff(self) -> bytes:
        """Return the change as `git diff` prints it. Raises `RepositoryError`."""
        return plain_diff(self.repository, self.compared)


def compare(
    repository: Repository,
    revision: str,
    pathspecs: Sequence[str] = (),
    directory: str = "",
    *,
    cached: bool = False,
) -> Comparison:
    """Read what changed: in a commit, `A..B`, the index (`cached`), or else the working tree.

    `directory` is where pathspecs count from, relative to the top. Raises `UsageError` and
    `RepositoryError`.
    """
    compared = Compared(_arguments(repository, revision, cached), tuple(pathspecs), directory)
    read = changed_files if compared.arguments else unstaged_files
    return Comparison(repository, compared, tuple(read(repository, compared)))


def _arguments(repository: Repository, revision: str, cached: bool) -> tuple[str, ...]:
    if cached:
        if revision:
            raise UsageError(f"--cached compares with HEAD; leave out `{visible(revision)}`")
        repository.require_worktree()
        return ("--cached",)
    if not revision:
        return ()
    if "..." in revision:
        raise UsageError(f"`{visible(revision)}` has three dots; write A..B to compare two commits")
    before, dots, after = revision.partition("..")
    if dots:
        return compare_range(repository, before or "HEAD", after or "HEAD")
    return compare_commit(repository, revision)
