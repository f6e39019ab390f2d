"""Finish or restore a transaction that was interrupted."""

from __future__ import annotations

import os
from contextlib import suppress

from git_opatch.git.index import list_everything
from git_opatch.git.repository import Repository
from git_opatch.model.errors import RepositoryError
from git_opatch.model.options import Target
from git_opatch.transaction.files import Kept
from git_opatch.transaction.perform import publish
from git_opatch.transaction.record import (
    TransactionRecord,
    has_lock,
    read_transaction,
    remove_incomplete,
    state_dir,
)
from git_opatch.transaction.restore import Restored, kept_in, remove_scratch, restore


def recover(repository: Repository) -> Restored | None:
    """Finish or restore an interrupted transaction; None if there is none.

    A committed one is finished if its index is whole, any other restored. If somebody removed our
    lock and changed the index since, nothing is touched and the record is kept aside. The caller
    holds the lock, so no git of that run is still alive. Raises `OpatchError` or `OSError` if it
    cannot be done now; then the record is still there, and the next call begins again (D133).
    """
    remove_incomplete(state_dir(repository))
    record = read_transaction(repository)
    if record is None:
        return None
    if record.committed and not _is_published(record) and not _is_ours(repository, record):
        return _keep(repository, record)
    if record.committed and (_is_published(record) or _is_whole(repository, record)):
        publish(repository, record)
        return Restored(finished=tuple(change.path for change in record.changes))
    if not _is_ours(repository, record):
        return _keep(repository, record)
    return restore(repository, record)


def _keep(repository: Repository, record: TransactionRecord) -> Restored:
    """Leave everything as it is, and keep the record."""
    files = [record.file(number) for number in range(len(record.written))]
    kept = [
        Kept(change.path, saved if os.path.lexists(saved) else None)
        for change, saved in zip(record.written, files, strict=True)
    ] or [Kept(change.path) for change in record.changes]
    backup = remove_scratch(repository, record, keep=True)
    return Restored(kept=kept_in(backup, kept), backup=backup)


def _is_published(record: TransactionRecord) -> bool:
    """Return whether the new index of a committed transaction is in place already, or there is
    none."""
    return record.target is Target.WORKTREE or not record.scratch_index.exists()


def _is_whole(repository: Repository, record: TransactionRecord) -> bool:
    """Return whether git can read the new index and its new blobs: they may have been pruned."""
    with suppress(RepositoryError):
        list_everything(repository, record.scratch_index)
        repository.read_blobs(change.new.id for change in record.changes if change.new)
        return True
    return False


def _is_ours(repository: Repository, record: TransactionRecord) -> bool:
    """Return whether the index is unchanged since the record was made, but for the times of
    files."""
    if record.target is Target.WORKTREE or has_lock(record):
        return True
    before, now = record.index_before, record.index_file
    if not before.exists() or not now.exists():
        return before.exists() == now.exists()
    if os.path.samefile(before, now) or before.read_bytes() == now.read_bytes():
        return True
    return list_everything(repository, before) == list_everything(repository, now)
