"""Detect and recover from an interrupted run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from git_opatch.git.repository import Repository
from git_opatch.git.scratch import remove_abandoned
from git_opatch.model.errors import BusyError, OpatchError
from git_opatch.model.sentences import Notice
from git_opatch.transaction.files import Kept
from git_opatch.transaction.lock import at_work, is_locked, locked, when_free
from git_opatch.transaction.record import (
    has_incomplete,
    has_transaction,
    state_dir,
)
from git_opatch.transaction.recover import recover
from git_opatch.transaction.restore import Restored

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
    (`when_free`). Raises what `recover` raises, and `BusyError`, before which nothing was changed.
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
