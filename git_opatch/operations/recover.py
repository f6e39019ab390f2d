"""Detect and recover from an interrupted run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from git_opatch.git.repository import Repository
from git_opatch.git.scratch import remove_abandoned
from git_opatch.model.errors import BusyError, OpatchError
from git_opatch.model.sentences import Notice
from git_opatch.transaction.files import Kept
from git_opatch.transaction.lock import AT_WORK, is_locked, locked
from git_opatch.transaction.record import (
    has_incomplete,
    has_transaction,
    state_dir,
)
from git_opatch.transaction.recover import recover
from git_opatch.transaction.restore import Restored

_MAX_LISTED = 20


class Recovery(NamedTuple):
    """What was done to recover from an interrupted run; empty if there was nothing to do."""

    notes: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    """What could not be restored, because it was changed since, and where its old version is."""


@contextmanager
def recovered(repository: Repository) -> Iterator[tuple[int, list[str]]]:
    """Hold the lock of a repository, after recovery from an interrupted run.

    Gives the lock's descriptor, and notes on what was recovered; an `OpatchError` that is raised
    inside carries them, too (`__notes__`). Raises `BusyError`, and what `recover` raises.
    """
    with locked(state_dir(repository)) as lock:
        notes = list(_recover_locked(repository).notes)
        try:
            yield lock, notes
        except OpatchError as error:
            for note in notes:
                error.add_note(note)
            raise


def recover_interrupted(repository: Repository) -> Recovery:
    """Restore or finish what an interrupted run left.

    Raises `BusyError`, and `OpatchError` or `OSError` if it cannot be done now; it can be called
    again then.
    """
    home = state_dir(repository)
    if not has_incomplete(home):
        remove_abandoned()
        return Recovery()
    with locked(home):
        return _recover_locked(repository)


def require_uninterrupted(repository: Repository) -> None:
    """Raise `BusyError` if the working tree is half written."""
    home = state_dir(repository)
    if has_transaction(home):
        waits = f"{AT_WORK}; try again when it is done"
        raise BusyError(waits if is_locked(home) else Notice.INTERRUPTED_HERE.sentence)


def note_interrupted(repository: Repository) -> list[str]:
    """Say that a run is at work, or was interrupted, if there is one."""
    home = state_dir(repository)
    if not has_transaction(home):
        return []
    return [AT_WORK if is_locked(home) else Notice.INTERRUPTED_HERE.sentence]


def _recover_locked(repository: Repository) -> Recovery:
    remove_abandoned()
    restored = recover(repository)
    return Recovery(tuple(_notes(restored)), restored.kept) if restored else Recovery()


def _notes(restored: Restored) -> list[str]:
    if restored.finished:
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
