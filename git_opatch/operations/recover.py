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
_Result = TypeVar("_Result")


class Recovery(NamedTuple):
    """What was done to recover from an interrupted run; empty if there was nothing to do."""

    notes: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    """What could not be restored, because it was changed since, and where its old version is."""


def recovered(repository: Repository, work: Callable[[int, list[str]], _Result]) -> _Result:
    """Call `work` with the lock of a repository, after recovery from an interrupted run.

    It gets the lock's descriptor, and notes on what was recovered; an `OpatchError` that it raises
    carries them, too (`__notes__`). Another run, and a git that has the index locked, is waited for
    (`when_free`). Raises as `recover_interrupted` does; before a `BusyError`, nothing was changed.
    """
    notes = list[str]()

    def attempt() -> _Result:
        with locked(state_dir(repository)) as lock:
            notes.extend(_recover_locked(repository).notes)
            return work(lock, notes)

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
    home = state_dir(repository)
    if not has_incomplete(home):
        remove_abandoned()
        return Recovery()

    def attempt() -> Recovery:
        with locked(home):
            return _recover_locked(repository)

    return when_free(attempt)


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


def _recover_locked(repository: Repository) -> Recovery:
    remove_abandoned()
    restored = _finish_or_restore(repository)
    return Recovery(tuple(_notes(restored)), restored.kept) if restored else Recovery()


def _notes(restored: Restored) -> list[str]:
    if restored.finished is not None:
        return [Notice.FINISHED.fill(files=_count(restored.finished))]
    if not restored.kept:
        return [Notice.ROLLED_BACK.fill(files=_count(restored.paths))]
    more = len(restored.kept) - _MAX_LISTED
    return [
        Notice.NOT_ROLLED_BACK.fill(backup=restored.backup),
        *map(_kept_note, restored.kept[:_MAX_LISTED]),
        *([Notice.MORE_LEFT.fill(more=more)] if more > 0 else []),
    ]


def _kept_note(kept: Kept) -> str:
    notice = Notice.LEFT_SAVED if kept.saved else Notice.LEFT
    return notice.fill(path=kept.path, saved=kept.saved)


def _count(paths: Sequence[str]) -> str:
    return f"{len(paths)} file{'s' * (len(paths) != 1)}"


def _finish_or_restore(repository: Repository) -> Restored | None:
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
    if record.committed and not _is_published(record) and not _is_index_ours(repository, record):
        return _keep_record(repository, record)
    if record.committed and (_is_published(record) or _is_whole(repository, record)):
        publish(repository, record)
        return Restored(finished=tuple(change.path for change in record.all_changes))
    if not _is_index_ours(repository, record):
        return _keep_record(repository, record)
    return restore(repository, record)


def _keep_record(repository: Repository, record: TransactionRecord) -> Restored:
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
