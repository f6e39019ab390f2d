"""Detect an interrupted run, and finish or restore what it left."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from git_opatch.git.index import list_everything
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import remove_abandoned
from git_opatch.model.errors import BusyError, OpatchError, RepositoryError
from git_opatch.model.options import Target
from git_opatch.model.sentences import Notice
from git_opatch.transaction.files import Kept
from git_opatch.transaction.lock import at_work, is_locked, locked, when_free
from git_opatch.transaction.perform import Restored, kept_in, publish, remove_scratch, restore
from git_opatch.transaction.record import (
    TransactionRecord,
    has_incomplete,
    has_lock,
    has_transaction,
    read_transaction,
    remove_incomplete,
    state_dir,
)

_MAX_LISTED = 20
_Answer = TypeVar("_Answer")


class Recovery(NamedTuple):
    """What was done to recover from an interrupted run; empty if there was nothing to do."""

    notes: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    """What could not be restored, because it was changed since, and where its old version is."""


def recovered(repository: Repository, work: Callable[[int, Recovery], _Answer]) -> _Answer:
    """Call `work` with the lock of a repository, after recovery from an interrupted run.

    It gets the lock's descriptor, and what was recovered; an `OpatchError` that it raises
    carries them, too (`__notes__`). Another run, and a git that has the index locked, is waited for
    (`when_free`). Raises as `recover_interrupted` does; before a `BusyError`, nothing was changed.
    """
    notes: list[str] = []

    def attempt() -> _Answer:
        with locked(state_dir(repository)) as lock:
            recovery = _finish_or_restore(repository)
            notes.extend(recovery.notes)
            return work(lock, recovery._replace(notes=tuple(notes)))

    try:
        return when_free(attempt)
    except OpatchError as error:
        for note in notes:
            error.add_note(note)
        raise


def recover_interrupted(repository: Repository) -> Recovery:
    """Restore or finish what an interrupted run left; a run that is at work is waited for.

    Raises `BusyError`, and `OpatchError` or `OSError` if it cannot be done now; it can be called
    again then.
    """
    if not has_incomplete(state_dir(repository)):
        remove_abandoned()
        return Recovery()
    return recovered(repository, lambda _, recovery: recovery)


def require_uninterrupted(repository: Repository) -> None:
    """Wait for a run that is at work. Raises `BusyError` if the working tree is half written."""
    home = state_dir(repository)

    def is_interrupted() -> bool:
        if has_transaction(home) and is_locked(home):
            raise BusyError(at_work(home))
        return has_transaction(home)

    if when_free(is_interrupted):
        raise BusyError(Notice.INTERRUPTED_HERE.sentence)


def note_interrupted(repository: Repository) -> list[str]:
    """Say that a run is at work, or was interrupted, if there is one."""
    home = state_dir(repository)
    if not has_transaction(home):
        return []
    return [at_work(home) if is_locked(home) else Notice.INTERRUPTED_HERE.sentence]


def _finish_or_restore(repository: Repository) -> Recovery:
    """Finish or restore an interrupted transaction, if there is one.

    A committed one is finished if its index is whole, any other restored. If somebody removed our
    lock and changed the index since, nothing is touched and the record is kept aside. The caller
    holds the lock, so no git of that run is still alive. Raises `OpatchError` or `OSError` if it
    cannot be done now; then the record is still there, and the next call begins again (D133).
    """
    remove_abandoned()
    remove_incomplete(state_dir(repository))
    record = read_transaction(repository)
    if record is None:
        return Recovery()
    is_published = record.committed and _is_published(record)
    if not is_published and not _is_index_ours(repository, record):
        return _told(_keep_record(repository, record))
    if is_published or (record.committed and _is_whole(repository, record)):
        publish(repository, record)
        return Recovery((Notice.FINISHED.fill(files=_count(record.all_changes)),))
    return _told(restore(repository, record))


def _told(restored: Restored) -> Recovery:
    """Say what was restored."""
    if not restored.kept:
        return Recovery((Notice.ROLLED_BACK.fill(files=_count(restored.paths)),))
    notes = [Notice.NOT_ROLLED_BACK.fill(backup=restored.backup)]
    for path, saved in restored.kept[:_MAX_LISTED]:
        notes.append((Notice.LEFT_SAVED if saved else Notice.LEFT).fill(path=path, saved=saved))
    if (more := len(restored.kept) - _MAX_LISTED) > 0:
        notes.append(Notice.MORE_LEFT.fill(more=more))
    return Recovery(tuple(notes), restored.kept)


def _count(paths: Sequence[object]) -> str:
    return f"{len(paths)} file{'s' * (len(paths) != 1)}"


def _keep_record(repository: Repository, record: TransactionRecord) -> Restored:
    """Leave everything as it is, and keep the record."""
    kept = []
    for number, change in enumerate(record.written):
        saved = record.file(number)
        kept.append(Kept(change.path, saved if os.path.lexists(saved) else None))
    kept = kept or [Kept(change.path) for change in record.changes]
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


def _is_index_ours(repository: Repository, record: TransactionRecord) -> bool:
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
