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
from contextlib import suppress
from pathlib import Path

from git_opatch.git.attributes import without_filters
from git_opatch.git.hooks import run_post_index_change
from git_opatch.git.index import refresh
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
from git_opatch.transaction.files import PublishedFiles
from git_opatch.transaction.lock import link_or_copy
from git_opatch.transaction.record import ChangeSet, TransactionRecord, prepare_transaction
from git_opatch.transaction.restore import remove_scratch, restore
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
        change_set.before_commit(record)
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
    if restored.kept:
        names = ", ".join(visible(kept.path) for kept in restored.kept[:_MAX_NAMED])
        message += (
            f"everything was restored except what was changed meanwhile: {names}; "
            f"the earlier versions are in {restored.backup}"
        )
    else:
        message += "everything was restored"
    if isinstance(error, Interrupted):
        return Interrupted(message)
    if isinstance(error, CommitError):
        return CommitError(message, error.exit_status)
    return TransactionError(message)


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
        index = record.refreshed_index
        index.unlink(missing_ok=True)
        link_or_copy(record.scratch_index, index)  # git writes another one
        _refresh(repository, record, index)
        repository.sync([index])
        os.replace(index, record.scratch_index)
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


def _refresh(repository: Repository, record: TransactionRecord, index: Path) -> None:
    """Enter the new files' times into the new index.

    Without the user's filters, which plain `git apply` would not run on what it has written. Of
    files that have one, and of all if this fails, git compares the contents when it next looks.
    """
    paths = [change.path for change in record.changes if change.new]
    if record.target is Target.INDEX and paths:
        env = without_filters(repository.filters())
        with suppress(OpatchError, OSError):
            refresh(repository, paths, index=index, env=env)
