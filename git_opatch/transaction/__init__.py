"""From a completed diff to a changed repository: all of it, or nothing.

    guard     is the working tree what the plan takes it for?
    backup    record what is about to change
    apply     one `git apply`, into an index beside the real one; where files have changes that are
              not staged, one for the working tree, and then one for the index
    verify    the blob ids must be the diff's
    commit    the record is renamed: from here on a kill leads forward
    publish   the new index takes the real one's place
    restore   whatever went wrong before that, put everything back

Git decides atomically but does not write so: it removes all old files, writes the new
ones, and then the index. A kill, a full disk or a failing filter in between leaves it half
done. The real index stays locked, and as it was, until all files are written.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from git_opatch.errors import BusyError, CommitError, Interrupted, OpatchError, TransactionError
from git_opatch.options import Target
from git_opatch.plumbing import Answer, said
from git_opatch.repository import Repository
from git_opatch.text import visible
from git_opatch.transaction.backup import (
    Backup,
    has_leftovers,
    identity_of,
    make_backup,
    read_backup,
    sweep,
)
from git_opatch.transaction.lock import (
    exclusive,
    has_lock,
    held_signals,
    patiently,
)
from git_opatch.transaction.restore import Restored, put_back, tidy_up
from git_opatch.transaction.write import FLAGS, STALE, ChangeSet, write

Finished = Callable[[Backup], None]
"""Is told of a transaction that stands, before its record is forgotten."""


def home_of(repository: Repository) -> Path:
    """The folder below the git directory that is git opatch's own."""
    return repository.git_dir / "opatch"


def is_interrupted(repository: Repository) -> bool:
    """Whether a run was cut short here while it wrote, or is at work."""
    return read_backup(home_of(repository)) is not None


def needs_sweeping(repository: Repository) -> bool:
    """Whether a run that was cut short left anything at all."""
    return has_leftovers(home_of(repository))


def check(repository: Repository, diff: bytes, target: Target) -> None:
    """Let git judge a diff, and write nothing: not even a refreshed index.

    Raises `TransactionError` with git's words if it would not apply.
    """
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
        file = Path(folder) / "diff"
        file.write_bytes(diff)
        flags = ("--check", *FLAGS[target])
        answer = repository.apply(file, flags)
        if STALE in answer.errors and repository.index_file.exists():
            index = Path(folder) / "index"
            shutil.copy2(repository.index_file, index)
            repository.refresh(_paths_in(answer), index=index)
            answer = repository.apply(file, flags, index=index)
    if answer.status:
        raise TransactionError(f"git refuses the completed diff:\n{said(answer.errors)}")


def perform(
    repository: Repository, change_set: ChangeSet, target: Target, lock: int, finished: Finished
) -> None:
    """Apply a diff to `target`; raises when nothing of it is left. `lock` is inherited by git."""
    carried = change_set.carried
    backup = make_backup(
        home_of(repository),
        repository.top,
        index=repository.index_file,
        target=target,
        changes=change_set.changes,
        diff=change_set.diff,
        about=change_set.about,
        carried=(carried.changes, carried.diff) if carried else ((), b""),
    )
    try:
        write(repository, change_set, backup, lock)
        change_set.then(backup)
        backup = backup.commit()
    except BaseException as error:
        raise _undone(repository, backup, change_set, error) from None
    _publish(backup, finished)


def _undone(
    repository: Repository, backup: Backup, change_set: ChangeSet, error: BaseException
) -> BaseException:
    """Put everything back after `error`, and say so."""
    try:
        restored = put_back(repository, backup, (change_set.carried or change_set).contents())
    except OSError as again:
        return TransactionError(
            f"{error}\nnot everything could be put back yet ({again}); mend that, and run "
            "`git opatch apply` again, which puts back the rest first"
        )
    if isinstance(error, BusyError) or not isinstance(error, (OpatchError, OSError)):
        return error
    message = f"cannot write: {error}" if isinstance(error, OSError) else str(error)
    if restored.kept:
        names = ", ".join(map(visible, restored.kept[:5]))
        message += (
            f"\nall was put back but what was changed meanwhile: {names}; "
            f"the versions before are in {restored.backup}"
        )
    else:
        message += "\neverything was put back"
    if isinstance(error, Interrupted):
        return Interrupted(message)
    if isinstance(error, CommitError):
        return CommitError(message, error.exit_status)
    return TransactionError(message)


def _publish(backup: Backup, finished: Finished) -> None:
    """Let the new index take the real one's place, and forget the rest."""
    if backup.target is not Target.WORKTREE and backup.scratch_index.exists():
        os.replace(backup.scratch_index, backup.index)
    finished(backup)
    tidy_up(backup)


def recover(repository: Repository, finished: Finished) -> Restored | None:
    """End a transaction that was cut short; None if there is none.

    One that was committed is finished, any other is undone. If the index was changed since
    by somebody who removed our lock, nothing is touched and the record is put aside. The
    caller holds the lock, so no git of that run is alive.
    """
    sweep(home_of(repository))
    backup = read_backup(home_of(repository))
    if backup is None:
        return None
    if backup.committed and _is_ours(backup):
        _publish(backup, finished)
        return Restored(finished=_paths(backup))
    if backup.committed and not backup.scratch_index.exists():
        finished(backup)
        tidy_up(backup)
        return Restored(finished=_paths(backup))
    if backup.committed or not _is_ours(backup):
        return Restored(kept=_paths(backup), backup=tidy_up(backup, keep=True))
    return put_back(repository, backup)


def _paths(backup: Backup) -> tuple[str, ...]:
    return tuple(change.path for change in backup.changes)


def _is_ours(backup: Backup) -> bool:
    """Whether nobody has changed the index since the record was made."""
    if backup.target is Target.WORKTREE:
        return True
    return has_lock(backup.index, backup.token) or identity_of(backup.index) == backup.identity


def _paths_in(answer: Answer) -> Sequence[str]:
    lines = answer.errors.splitlines()
    marker = f": {STALE}"
    return [line[len("error: ") : -len(marker)] for line in lines if line.endswith(marker)]


__all__ = [
    "FLAGS",
    "Backup",
    "ChangeSet",
    "check",
    "exclusive",
    "held_signals",
    "home_of",
    "is_interrupted",
    "needs_sweeping",
    "patiently",
    "perform",
    "recover",
]
