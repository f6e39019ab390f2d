"""Detect and recover from an interrupted run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from git_opatch import journal
from git_opatch.git.repository import Repository
from git_opatch.journal import pending_commit
from git_opatch.model.errors import BusyError, OpatchError
from git_opatch.transaction import (
    TransactionRecord,
    is_interrupted,
    locked,
    needs_cleanup,
    recover,
    state_dir,
)

_MOST_LISTED = 20


@contextmanager
def recovered(repository: Repository) -> Iterator[tuple[int, list[str]]]:
    """Hold the lock of a repository, after recovery from an interrupted run.

    Gives the lock's descriptor, and notes on what was recovered; an `OpatchError` that is raised
    inside carries them, too (`__notes__`). Raises `BusyError`.
    """
    with locked(state_dir(repository)) as lock:
        notes = _recover_locked(repository)
        try:
            yield lock, notes
        except OpatchError as error:
            for note in notes:
                error.add_note(note)
            raise


def recover_interrupted(repository: Repository) -> list[str]:
    """Restore or finish what an interrupted run left; return notes. Raises `BusyError`."""
    if not needs_cleanup(repository) and not pending_commit.is_pending(state_dir(repository)):
        return []
    with recovered(repository) as (_, notes):
        return notes


def refuse_interrupted(repository: Repository) -> None:
    """Refuse to read a working tree that is half written. Raises `BusyError`."""
    if is_interrupted(repository):
        raise BusyError(
            "an apply is running here, or was interrupted: `git opatch recover`, or the next `git "
            "opatch apply` without --check, restores the files"
        )


def _recover_locked(repository: Repository) -> list[str]:
    transaction = _recover_transaction(repository)
    return [*transaction, *pending_commit.finish(repository, state_dir(repository))]


def _recover_transaction(repository: Repository) -> list[str]:
    restored = recover(repository, partial(_record, state_dir(repository)))
    if restored is None:
        return []
    if restored.finished:
        return [f"an interrupted apply was finished ({_count(restored.finished)})"]
    if not restored.kept:
        return [f"an interrupted apply was rolled back ({_count(restored.paths)})"]
    return [
        "an interrupted apply could not be rolled back completely, because the repository was "
        f"changed since; the earlier versions are in {restored.backup}",
        *(f"{path}: left as it is" for path in restored.kept[:_MOST_LISTED]),
    ]


def _count(paths: Sequence[str]) -> str:
    return f"{len(paths)} file{'s' * (len(paths) != 1)}"


def _record(home: Path, transaction: TransactionRecord) -> None:
    """Write a finished transaction to the journal; the next apply removes old records.

    One that left files unmerged is not recorded: the diff is not all of it, so it cannot be undone.
    """
    if transaction.about.get("unmerged"):
        return
    with suppress(OSError):
        diff, about = transaction.diff.read_bytes(), transaction.about
        journal.add_record(home, diff, transaction.changes, transaction.target, about, sys.maxsize)
