"""Ask git whether a completed diff would apply."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from git_opatch.git.index import refresh
from git_opatch.git.output import git_message
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.blob import Change
from git_opatch.model.errors import TransactionError
from git_opatch.model.options import Target

_FLAGS = {Target.INDEX: ("--index",), Target.CACHED: ("--cached",), Target.WORKTREE: ()}


def check_diff(
    repository: Repository, diff: bytes, changes: Sequence[Change], target: Target
) -> None:
    """Check the diff of `changes` by `git apply --check`; not even a refreshed index is written.

    Raises `TransactionError`, with git's message, if it would not apply.
    """
    if not diff:
        return
    with scratch_directory() as folder:
        file = Path(folder) / "diff"
        file.write_bytes(diff)
        flags = ("--check", *_FLAGS[target])
        result = repository.apply(file, flags)
        if result.status and target is Target.INDEX and repository.index_file.exists():
            # a file may only look changed, by its times
            index = Path(folder) / "index"
            shutil.copy2(repository.index_file, index)
            refresh(repository, [change.path for change in changes if change.old], index=index)
            result = repository.apply(file, flags, index=index)
    if result.status:
        raise TransactionError(f"git refuses the completed diff:\n{git_message(result.errors)}")
