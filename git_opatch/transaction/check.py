"""Ask git whether a completed diff would apply."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from git_opatch.git.index import refresh
from git_opatch.git.output import GitResult, git_message
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.errors import TransactionError
from git_opatch.model.options import Target

_FLAGS = {Target.INDEX: ("--index",), Target.CACHED: ("--cached",), Target.WORKTREE: ()}
_STALE = "does not match index"
"""Git's message for a file that looks changed; its exit status does not tell. GitPython runs git
with `LC_ALL=C`, so that it is never translated."""


def check_diff(repository: Repository, diff: bytes, target: Target) -> None:
    """Check a diff by `git apply --check` without writing anything, not even a refreshed index.

    Raises `TransactionError`, with git's message, if it would not apply.
    """
    with scratch_directory() as folder:
        file = Path(folder) / "diff"
        file.write_bytes(diff)
        flags = ("--check", *_FLAGS[target])
        result = repository.apply(file, flags)
        if _STALE in result.errors and repository.index_file.exists():
            index = Path(folder) / "index"
            shutil.copy2(repository.index_file, index)
            refresh(repository, _stale_paths(result), index=index)
            result = repository.apply(file, flags, index=index)
    if result.status:
        raise TransactionError(f"git refuses the completed diff:\n{git_message(result.errors)}")


def _stale_paths(result: GitResult) -> Sequence[str]:
    lines = result.errors.splitlines()
    suffix = f": {_STALE}"
    return [line[len("error: ") : -len(suffix)] for line in lines if line.endswith(suffix)]
