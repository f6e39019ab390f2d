"""Restore everything: after git failed half-way, or on the next run after a kill.

What fails is reported and can be done again: a record is given up only when everything in it is
back in its place, or is the user's own and named (D133).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.index import refresh
from git_opatch.git.repository import Repository
from git_opatch.model.errors import OpatchError
from git_opatch.model.options import Target
from git_opatch.transaction.files import Kept, restore_files
from git_opatch.transaction.lock import link_or_copy
from git_opatch.transaction.record import TransactionRecord, has_lock, lock_of, unlock_index


class Restored(NamedTuple):
    """The outcome of restoring, or finishing, a transaction."""

    paths: tuple[str, ...] = ()
    """The restored paths."""
    kept: tuple[Kept, ...] = ()
    """What was changed meanwhile, and so was left alone."""
    backup: Path | None = None
    """The directory of the record, if it was kept."""
    finished: tuple[str, ...] = ()
    """The paths of a transaction that was committed, and so was finished instead."""


def restore(repository: Repository, record: TransactionRecord) -> Restored:
    """Restore everything to its state before the transaction; the real index never changed.

    Raises `OpatchError` or `OSError` if that fails half-way, with the record still there.
    """
    paths, kept = restore_files(repository, record)
    if record.target is Target.INDEX and paths and has_lock(record):
        with suppress(OpatchError, OSError):  # git compares the files' contents otherwise
            _refresh(repository, record)
    backup = remove_scratch(repository, record, keep=bool(kept))
    return Restored(tuple(paths), kept_in(backup, kept), backup)


def _refresh(repository: Repository, record: TransactionRecord) -> None:
    """Enter the ctime of the files, which were moved, into the index.

    Into a copy of it, under our own lock: one of git would stay if the power failed.
    """
    scratch = record.scratch_index
    for leftover in (scratch, lock_of(scratch)):
        leftover.unlink(missing_ok=True)
    if record.index_file.exists():
        link_or_copy(record.index_file, scratch)
        refresh(repository, [change.path for change in record.changes if change.old], index=scratch)
        repository.sync([scratch])
        os.replace(scratch, record.index_file)


def kept_in(backup: Path | None, kept: list[Kept]) -> tuple[Kept, ...]:
    """What was kept, with the places of the old files in the record's new directory."""
    if backup is None:
        return tuple(kept)
    return tuple(Kept(path, saved and backup.joinpath(*saved.parts[-2:])) for path, saved in kept)


def remove_scratch(
    repository: Repository,
    record: TransactionRecord,
    recorded: Iterable[Path] = (),
    *,
    keep: bool = False,
) -> Path | None:
    """Remove a transaction's files beside the index, and then its record unless `keep`.

    First, all else must be on the disk: the index in its place, and what was `recorded`.
    """
    new = record.refreshed_index
    for leftover in (record.scratch_index, lock_of(record.scratch_index), new, lock_of(new)):
        with suppress(OSError):
            leftover.unlink()
    unlock_index(record)
    repository.sync([record.index_file.parent, *recorded])
    if keep:
        return record.keep()
    record.discard(repository.sync)
    return None
