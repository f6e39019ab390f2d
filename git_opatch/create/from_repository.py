"""Create a patch from Python, as `git opatch create` does."""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.create import CreatedPatch, Wanted, write_patch
from git_opatch.create.comparison import compare
from git_opatch.git.repository import Repository
from git_opatch.model.arguments import typed
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Format


@typed(repository=Repository, patch_format=Format)
def create_patch(
    repository: Repository,
    revision: str = "",
    *,
    cached: bool = False,
    pathspecs: Sequence[str] = (),
    patch_format: Format = Format.ENVELOPE,
    context: int | None = None,
) -> CreatedPatch:
    """Write what changed as a patch, and prove that it gives exactly that. Nothing is changed.

    `revision` is a commit or `A..B`; without one it is the index (`cached`), or else the working
    tree. `pathspecs` count from the top. `context` is a number of lines on each side; None for as
    few as each hunk needs to be found. Raises `NotExpressibleError` if no patch of the format does
    it, `UsageError`, and `RepositoryError`.
    """
    if context is not None and context < 0:
        raise UsageError("the context is a number of lines, or None for as few as are needed")
    comparison = compare(repository, revision, pathspecs, cached=cached)
    return write_patch(comparison.files, Wanted(patch_format, context, repository.algorithm))
