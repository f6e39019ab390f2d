"""Create a patch of what changed in a repository: a commit, two trees, the index or the files."""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.create import CreatedPatch, Wanted, write_patch
from git_opatch.git.changes import (
    changed_files,
    compare_commit,
    compare_range,
    unstaged_files,
)
from git_opatch.git.repository import Repository
from git_opatch.model.blob import ChangedFile
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Format
from git_opatch.model.text import visible


def create_patch(
    repository: Repository,
    revision: str = "",
    *,
    cached: bool = False,
    pathspecs: Sequence[str] = (),
    directory: str = "",
    patch_format: Format = Format.ENVELOPE,
    context: int | None = None,
) -> CreatedPatch:
    """Write what changed as a patch, and prove that it gives exactly that. Nothing is changed.

    `revision` is a commit or `A..B`; without one it is the index (`cached`), or else the working
    tree. `pathspecs` count from `directory`, relative to the top. `context` is a number of lines on
    each side; None for as few as each hunk needs to be found. Raises `NotExpressibleError` if no
    patch of the format does it, `UsageError`, and `RepositoryError`.
    """
    if context is not None and context < 0:
        raise UsageError("the context is a number of lines, or None for as few as are needed")
    files = _changed(repository, revision, cached, (pathspecs, directory))
    return write_patch(files, Wanted(patch_format, context, repository.algorithm))


def _changed(
    repository: Repository, revision: str, cached: bool, where: tuple[Sequence[str], str]
) -> Sequence[ChangedFile]:
    """Read both versions of each changed file."""
    if cached:
        if revision:
            raise UsageError(f"--cached compares with HEAD; leave out `{visible(revision)}`")
        repository.require_worktree()
        return changed_files(repository, ["--cached"], *where)
    if not revision:
        return unstaged_files(repository, *where)
    if "..." in revision:
        raise UsageError(f"`{visible(revision)}` has three dots; write A..B to compare two commits")
    before, dots, after = revision.partition("..")
    if not dots:
        return changed_files(repository, compare_commit(repository, revision), *where)
    trees = compare_range(repository, before or "HEAD", after or "HEAD")
    return changed_files(repository, trees, *where)
