"""Let git write the files and an index beside the real one, and verify what it wrote."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.index import (
    check_out,
    list_index,
    refresh,
    set_flag,
    set_unmerged,
    store_worktree,
)
from git_opatch.git.output import GitResult, git_message
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import take_snapshot
from git_opatch.model.blob import Change, Entry, Stages
from git_opatch.model.errors import RepositoryError, TransactionError
from git_opatch.model.options import Options, Target
from git_opatch.model.text import visible
from git_opatch.transaction.backup import TransactionRecord
from git_opatch.transaction.lock import link_or_copy, lock_index, lock_of
from git_opatch.transaction.restore import Contents

FLAGS = {Target.INDEX: ("--index",), Target.CACHED: ("--cached",), Target.WORKTREE: ()}
"""The flags of `git apply` for each target."""

STALE = "does not match index"
"""Git's message for a file that looks changed; its exit status does not tell. GitPython runs git
with `LC_ALL=C`, so that it is never translated."""


class ChangeSet(NamedTuple):
    """What a transaction is to do: the diff, and the outcome that it must have."""

    diff: bytes
    changes: tuple[Change, ...]
    contents: Callable[[], Contents]
    """The new blobs, by path."""
    flags: Mapping[str, str]
    """The bits that index entries had (see `Snapshot.flags`)."""
    about: Mapping[str, object] = {}
    """What the journal is to record of it, even if another run finishes it."""
    carried: ChangeSet | None = None
    """The changes of the same paths in the working tree, if its files have unstaged changes."""
    before_commit: Callable[[TransactionRecord], None] = lambda _: None
    """Called when everything is written; if it raises, everything is restored."""
    unmerged: Mapping[str, Stages] = {}
    """The stages in the index of paths whose content has conflicts."""


def write(
    repository: Repository, change_set: ChangeSet, record: TransactionRecord, lock: int
) -> None:
    """Let git apply the recorded diff; its processes inherit `lock`.

    The real index is locked, and not changed. Raises `TransactionError` if the outcome is not as
    planned, `BusyError` if the index is locked; what was written by then is left for `restore`.
    """
    index = _scratch_index(record) if record.target is not Target.WORKTREE else None
    if record.carried:
        _write_files(repository, record, lock)
    flags = ("--cached",) if record.carried else FLAGS[record.target]
    _apply(repository, record, flags, index, lock)
    _verify(record.changes, _entries(repository, record.changes, index), index is None)
    if index is None:
        return
    _keep_flags(repository, change_set, index)
    if record.carried:
        refresh(repository, [change.path for change in record.changes if change.new], index=index)
    else:
        _follow_attributes(repository, record, index)
        _unmerge(repository, change_set.unmerged, index)


def _scratch_index(record: TransactionRecord) -> Path:
    """Lock the index, and copy it for git to write."""
    lock_index(record.index, record.token)
    index = record.scratch_index
    for leftover in (index, lock_of(index)):
        leftover.unlink(missing_ok=True)
    if record.index.exists():
        link_or_copy(record.index, index)
    return index


def _write_files(repository: Repository, record: TransactionRecord, lock: int) -> None:
    """Apply the working tree's own diff there, if its files have not changed since the plan.

    Their blobs, which the repository need not have, are kept for `restore`.
    """
    record.clean.mkdir()
    existing = [change for change in record.carried if change.old is not None]
    paths = [change.path for change in existing]
    index, _ = store_worktree(repository, paths, record.clean)
    entries = _entries(repository, existing, index)
    changed = [change.path for change in existing if entries.get(change.path) != change.old]
    if changed:
        raise TransactionError(f"{visible(changed[0])} was changed meanwhile; run it again")
    _check_result(repository.apply(record.written_diff, (), keep=(lock,)))
    _keep_permissions(repository.require_worktree(), record)
    _verify(record.carried, _entries(repository, record.carried, None), content_only=True)


def _keep_permissions(top: Path, record: TransactionRecord) -> None:
    """Restore the permissions that git does not record, where the mode is not to change.

    Git writes files anew, with permissions of its own.
    """
    for number, change in enumerate(record.carried):
        old, new = change.old, change.new
        if old and new and old.mode is new.mode and new.mode.is_file:
            os.chmod(top / change.path, stat.S_IMODE(os.stat(record.file(number)).st_mode))


def _follow_attributes(repository: Repository, record: TransactionRecord, index: Path) -> None:
    """Write files again if the patch changes `.gitattributes`: git used the old attributes."""
    written = [change.path for change in record.changes if change.new is not None]
    names = {change.path.rpartition("/")[2] for change in record.changes}
    if record.target is Target.INDEX and ".gitattributes" in names and written:
        for path in written:  # git would not write again what is up to date
            (repository.require_worktree() / path).unlink()
        check_out(repository, written, index=index)


def _unmerge(repository: Repository, unmerged: Mapping[str, Stages], index: Path) -> None:
    """Give `index` the three stages of each path, in place of the content with conflict markers."""
    try:
        set_unmerged(repository, unmerged, index)
    except RepositoryError as error:
        raise TransactionError(f"git could not write the unmerged index:\n{error}") from None


def _apply(
    repository: Repository,
    record: TransactionRecord,
    flags: Sequence[str],
    index: Path | None,
    lock: int,
) -> None:
    result = repository.apply(record.diff, flags, index=index, keep=(lock,))
    if result.status and STALE in result.errors and index is not None:
        refresh(repository, [change.path for change in record.changes if change.old], index=index)
        result = repository.apply(record.diff, flags, index=index, keep=(lock,))
    _check_result(result)


def _check_result(result: GitResult) -> None:
    """Raise `TransactionError` if `git apply` failed."""
    if result.killed:
        raise TransactionError("git was killed while it wrote")
    if result.status:
        raise TransactionError(
            f"git could not apply the completed diff:\n{git_message(result.errors)}"
        )


def _verify(changes: Sequence[Change], entries: Mapping[str, Entry], content_only: bool) -> None:
    """Check that git wrote what was planned: it moves hunks silently if a file has changed."""
    wrong = [change.path for change in changes if not _as_planned(change, entries, content_only)]
    if wrong:
        raise TransactionError(
            f"{visible(wrong[0])} differs from the plan: the repository was changed meanwhile, or "
            "an attribute makes git store the file in another form"
        )


def _as_planned(change: Change, entries: Mapping[str, Entry], content_only: bool) -> bool:
    entry = entries.get(change.path)
    if entry is None or change.new is None:
        return entry is change.new
    return entry.id == change.new.id if content_only else entry == change.new


def _entries(
    repository: Repository, changes: Sequence[Change], index: Path | None
) -> dict[str, Entry]:
    """The entries of `index` at the paths of `changes`; without one, of the working tree."""
    paths = [change.path for change in changes]
    if index is None:
        snapshot = take_snapshot(repository, paths, Options(target=Target.WORKTREE))
        return {path: blob.entry for path, blob in snapshot.blobs.items()}
    listed = list_index(repository, paths, [], index=index)
    return {entry.path: entry.entry for entry in listed}


def _keep_flags(repository: Repository, change_set: ChangeSet, index: Path) -> None:
    """Set the bits again that `git apply` clears in the entries that it writes."""
    flags = change_set.flags
    written = [change.path for change in change_set.changes if change.new and change.path in flags]
    skipped = [path for path in written if flags[path] in "Ss"]
    unchanged = [path for path in written if flags[path].islower()]
    if skipped:
        set_flag(repository, "--skip-worktree", skipped, index=index)
    if unchanged:
        set_flag(repository, "--assume-unchanged", unchanged, index=index)
