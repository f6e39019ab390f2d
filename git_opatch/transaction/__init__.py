"""From a completed diff to a changed repository: all of it, or nothing (D50).

    guard     check that the working tree is as the plan assumes
    backup    record what is about to change
    apply     one `git apply`, into an index beside the real one; where files have unstaged changes,
              one for the working tree, and then one for the index
    verify    compare all blob ids with those of the diff
    commit    rename the record: after a kill, the next run now finishes instead of restoring
    publish   replace the real index by the new one
    restore   after any failure before the commit, restore everything

Git decides atomically, but does not write atomically: it removes all old files, writes the new
ones, and then the index. A kill, a full disk or a failing filter in between leaves it half done.
The real index stays locked and unchanged until all files are written.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from git_opatch.git.index import refresh
from git_opatch.git.output import GitResult, git_message
from git_opatch.git.repository import Repository
from git_opatch.model.errors import (
    BusyError,
    CommitError,
    Interrupted,
    OpatchError,
    TransactionError,
)
from git_opatch.model.options import Target
from git_opatch.model.text import visible
from git_opatch.transaction.backup import (
    TransactionRecord,
    has_incomplete,
    identity_of,
    prepare_transaction,
    read_transaction,
    remove_incomplete,
)
from git_opatch.transaction.lock import (
    deferred_signals,
    has_lock,
    locked,
    retry_while_locked,
)
from git_opatch.transaction.restore import Restored, remove_scratch, restore
from git_opatch.transaction.write import FLAGS, STALE, ChangeSet, write

OnCommit = Callable[[TransactionRecord], None]
"""Called once a transaction is committed, before its record is deleted."""


def state_dir(repository: Repository) -> Path:
    """The directory below the git directory that belongs to git opatch."""
    return repository.git_dir / "opatch"


def is_interrupted(repository: Repository) -> bool:
    """Whether a run was interrupted while it wrote, or is still at work."""
    return read_transaction(state_dir(repository)) is not None


def needs_cleanup(repository: Repository) -> bool:
    """Whether an interrupted run left anything at all."""
    return has_incomplete(state_dir(repository))


def check_diff(repository: Repository, diff: bytes, target: Target) -> None:
    """Check a diff by `git apply --check` without writing anything, not even a refreshed index.

    Raises `TransactionError`, with git's message, if it would not apply.
    """
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
        file = Path(folder) / "diff"
        file.write_bytes(diff)
        flags = ("--check", *FLAGS[target])
        result = repository.apply(file, flags)
        if STALE in result.errors and repository.index_file.exists():
            index = Path(folder) / "index"
            shutil.copy2(repository.index_file, index)
            refresh(repository, _stale_paths(result), index=index)
            result = repository.apply(file, flags, index=index)
    if result.status:
        raise TransactionError(f"git refuses the completed diff:\n{git_message(result.errors)}")


def run_transaction(
    repository: Repository, change_set: ChangeSet, target: Target, lock: int, on_commit: OnCommit
) -> None:
    """Apply a diff to `target`; if anything is raised, all was restored. Git inherits `lock`."""
    carried = change_set.carried
    record = prepare_transaction(
        state_dir(repository),
        repository.top,
        index=repository.index_file,
        target=target,
        changes=change_set.changes,
        diff=change_set.diff,
        about=change_set.about,
        carried=(carried.changes, carried.diff) if carried else ((), b""),
    )
    try:
        write(repository, change_set, record, lock)
        change_set.before_commit(record)
        record = record.commit()
    except BaseException as error:
        raise _roll_back(repository, record, change_set, error) from None
    _publish(record, on_commit)


def _roll_back(
    repository: Repository, record: TransactionRecord, change_set: ChangeSet, error: BaseException
) -> BaseException:
    """Restore everything after `error`; returns the error to raise, whose message says so."""
    try:
        restored = restore(repository, record, (change_set.carried or change_set).contents())
    except OSError as again:
        return TransactionError(
            f"{error}\nnot everything could be restored yet ({again}); correct that, and run "
            "`git opatch recover`, which restores the rest"
        )
    if isinstance(error, BusyError) or not isinstance(error, (OpatchError, OSError)):
        return error
    message = f"cannot write: {error}" if isinstance(error, OSError) else str(error)
    if restored.kept:
        names = ", ".join(map(visible, restored.kept[:5]))
        message += (
            f"\neverything was restored except what was changed meanwhile: {names}; "
            f"the earlier versions are in {restored.backup}"
        )
    else:
        message += "\neverything was restored"
    if isinstance(error, Interrupted):
        return Interrupted(message)
    if isinstance(error, CommitError):
        return CommitError(message, error.exit_status)
    return TransactionError(message)


def _publish(record: TransactionRecord, on_commit: OnCommit) -> None:
    """Replace the real index by the new one, and delete the record."""
    if record.target is not Target.WORKTREE and record.scratch_index.exists():
        os.replace(record.scratch_index, record.index)
    on_commit(record)
    remove_scratch(record)


def recover(repository: Repository, on_commit: OnCommit) -> Restored | None:
    """Finish or restore an interrupted transaction; None if there is none.

    A committed one is finished, any other restored. If somebody removed our lock and changed the
    index since, nothing is touched and the record is kept aside. The caller holds the lock, so no
    git of that run is still alive.
    """
    remove_incomplete(state_dir(repository))
    record = read_transaction(state_dir(repository))
    if record is None:
        return None
    if record.committed and _is_ours(record):
        _publish(record, on_commit)
        return Restored(finished=_paths(record))
    if record.committed and not record.scratch_index.exists():
        on_commit(record)
        remove_scratch(record)
        return Restored(finished=_paths(record))
    if record.committed or not _is_ours(record):
        return Restored(kept=_paths(record), backup=remove_scratch(record, keep=True))
    return restore(repository, record)


def _paths(record: TransactionRecord) -> tuple[str, ...]:
    return tuple(change.path for change in record.changes)


def _is_ours(record: TransactionRecord) -> bool:
    """Whether the index is unchanged since the record was made."""
    if record.target is Target.WORKTREE:
        return True
    return has_lock(record.index, record.token) or identity_of(record.index) == record.identity


def _stale_paths(result: GitResult) -> Sequence[str]:
    lines = result.errors.splitlines()
    suffix = f": {STALE}"
    return [line[len("error: ") : -len(suffix)] for line in lines if line.endswith(suffix)]


__all__ = [
    "FLAGS",
    "ChangeSet",
    "TransactionRecord",
    "check_diff",
    "deferred_signals",
    "is_interrupted",
    "locked",
    "needs_cleanup",
    "recover",
    "retry_while_locked",
    "run_transaction",
    "state_dir",
]
