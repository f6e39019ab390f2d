"""From a completed diff to a changed repository: all of it, or nothing (D50).

    guard     check that the working tree is as the plan assumes
    record    write down what is about to change
    apply     one `git apply`, into an index beside the real one
    verify    compare all blob ids with those of the diff
    write     write the new files aside, byte for byte as planned
    replace   move each old file into the record, and the new one to its place
    commit    rename the record: after a kill, the next run now finishes instead of restoring
    publish   replace the real index by the new one
    restore   after any failure before the commit, restore everything

Git decides atomically, but does not write atomically: it removes all old files, writes the new
ones, and then the index. So it never writes in the working tree itself (D131). The real index stays
locked and unchanged until all files are in their places.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.converted import without_filters
from git_opatch.git.hooks import run_post_index_change
from git_opatch.git.index import ScratchIndex, refresh, set_entries
from git_opatch.git.repository import Repository
from git_opatch.model.errors import (
    BusyError,
    Interrupted,
    OpatchError,
    TransactionError,
)
from git_opatch.model.options import Target
from git_opatch.model.text import visible
from git_opatch.transaction.files import Kept, PublishedFiles, restore_files
from git_opatch.transaction.lock import link_or_copy
from git_opatch.transaction.record import (
    ChangeSet,
    TransactionRecord,
    has_lock,
    lock_of,
    prepare_transaction,
    unlock_index,
)
from git_opatch.transaction.write import write

_MAX_NAMED = 5


def run_transaction(
    repository: Repository, change_set: ChangeSet, target: Target, lock: int
) -> list[str]:
    """Apply a diff to `target`; if anything is raised, all was restored. Git inherits `lock`.

    Returns notes.
    """
    record = prepare_transaction(repository, change_set, target)
    try:
        files = write(repository, change_set, record, lock)
        if change_set.settled:
            index = ScratchIndex(record.scratch_index, {})
            set_entries(repository, change_set.settled, index)
        if changed := files.changed(record):
            path = visible(record.written[changed[0]].path)
            raise TransactionError(f"{path} was changed meanwhile; run it again")
        record = record.commit()
        repository.sync([record.folder.parent])
    except BaseException as error:
        raise _roll_back(repository, record, error) from None
    return publish(repository, record, files)


def _roll_back(
    repository: Repository, record: TransactionRecord, error: BaseException
) -> BaseException:
    """Restore everything after `error`; returns the error to raise, whose message says so."""
    try:
        restored = restore(repository, record)
    except (OSError, OpatchError) as again:
        return TransactionError(
            f"{error}\nnot everything could be restored yet ({again}); correct that, and run "
            "`git opatch recover`, which restores the rest"
        )
    if isinstance(error, BusyError) or not isinstance(error, (OpatchError, OSError)):
        return error
    message = _why_not_written(error) if isinstance(error, OSError) else str(error)
    message += "; " if isinstance(error, Interrupted) else "\n"
    message += "everything was restored"
    if restored.kept:
        names = ", ".join(visible(kept.path) for kept in restored.kept[:_MAX_NAMED])
        message += f" except what was changed meanwhile: {names}; the earlier versions are in "
        message += str(restored.backup)
    return (Interrupted if isinstance(error, Interrupted) else TransactionError)(message)


def _why_not_written(error: OSError) -> str:
    name = f" {visible(os.fsdecode(error.filename))}" if error.filename else ""
    return f"cannot write{name}: {error.strerror or error}"


def publish(
    repository: Repository,
    record: TransactionRecord,
    files: PublishedFiles | None = None,
) -> list[str]:
    """Replace the real index by the new one, and delete the record; return notes.

    What was written to an old file after it was replaced is kept.
    """
    shutil.rmtree(record.new, ignore_errors=True)  # from now on, the files' ctime stays
    if record.target is not Target.WORKTREE and record.scratch_index.exists():
        if record.target is Target.INDEX:
            paths = [change.path for change in record.changes if change.new]
            index = _refreshed(repository, record, record.scratch_index, paths)
            os.replace(index, record.scratch_index)
        repository.sync([record.scratch_index])
        os.replace(record.scratch_index, record.index_file)
        run_post_index_change(repository, [change.path for change in record.written])
    entered, notes = list[Path](), list[str]()
    try:
        entered = record.enter()
    except OSError as error:
        notes.append(f"the journal could not be written: {error.strerror}")
    changed = files.changed(record) if files else []
    backup = remove_scratch(repository, record, entered, keep=bool(changed))
    return notes + [
        f"{record.written[number].path}: was written to while the patch was applied; what was "
        f"written is in {backup}/files/{number}"
        for number in changed
    ]


def _refreshed(
    repository: Repository, record: TransactionRecord, source: Path, paths: Sequence[str]
) -> Path:
    """Enter the times of files into a copy of an index; return the copy.

    Without the user's filters, which plain `git apply` would not run on what it has written. Of
    files that have one, and of all if this fails, git compares the contents when it next looks.
    """
    index = record.refreshed_index
    for leftover in (index, lock_of(index)):
        leftover.unlink(missing_ok=True)
    link_or_copy(source, index)  # git writes another one
    with suppress(OpatchError, OSError):
        env = without_filters(repository.filters())
        if paths:
            refresh(repository, paths, index=index, env=env)
    repository.sync([index])
    return index


class Restored(NamedTuple):
    """The outcome of restoring a transaction."""

    paths: tuple[str, ...] = ()
    """The restored paths."""
    kept: tuple[Kept, ...] = ()
    """What was changed meanwhile, and so was left alone."""
    backup: Path | None = None
    """The directory of the record, if it was kept."""


def restore(repository: Repository, record: TransactionRecord) -> Restored:
    """Restore everything to its state before the transaction; the real index never changed.

    Raises `OpatchError` or `OSError` if that fails half-way, with the record still there.
    """
    paths, kept = restore_files(repository, record)
    if record.target is Target.INDEX and paths and has_lock(record):
        with suppress(OSError):  # git compares the files' contents otherwise
            old = [change.path for change in record.all_changes if change.old]
            index = _refreshed(repository, record, record.index_file, old)
            os.replace(index, record.index_file)
    backup = remove_scratch(repository, record, keep=bool(kept))
    return Restored(tuple(paths), kept_in(backup, kept), backup)


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
