"""Let git make the new index, and put the new files in their places; all is verified before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from git_opatch.git.converted import without_filters
from git_opatch.git.index import (
    ScratchIndex,
    copy_index,
    list_index,
    set_entries,
    set_flag,
    set_unmerged,
)
from git_opatch.git.output import git_message
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.errors import TransactionError
from git_opatch.model.options import Target
from git_opatch.model.paths import is_attributes_file, parents
from git_opatch.model.text import visible
from git_opatch.transaction.files import PublishedFiles
from git_opatch.transaction.lock import link_or_copy
from git_opatch.transaction.record import ChangeSet, TransactionRecord, lock_index, lock_of

_PROBE_SIZE = 1 << 16
"""More than what a full disk may have left in its last block."""


def write(
    repository: Repository, change_set: ChangeSet, record: TransactionRecord, lock: int
) -> PublishedFiles:
    """Let git make the new index of the recorded diff, and put the files in their places.

    Git's processes inherit `lock`. The real index is locked, and not changed. Raises
    `TransactionError` if the outcome is not as planned, `BusyError` if the index is locked; what
    was written by then is left for `restore`.
    """
    stored = [repository.store_blob(data) for data in change_set.blobs]
    if record.target is not Target.WORKTREE:
        _write_index(repository, change_set, record, lock)
    files = PublishedFiles(record)
    if record.written:
        files.write_new(change_set, has_links=repository.has_links())
    repository.sync(_prepared(repository, record, stored))
    if record.written:
        files.publish(repository.require_worktree(), change_set.stamps, repository.sync)
    return files


def _write_index(
    repository: Repository, change_set: ChangeSet, record: TransactionRecord, lock: int
) -> None:
    """Let git write the new index beside the real one, and verify it.

    Git looks into files whose times do not tell whether they changed, by the attributes of the
    index that it writes: if those change, without any filter (D132).
    """
    new_attributes = any(is_attributes_file(change.path) for change in record.changes)
    env = without_filters(repository.filters() if new_attributes else ())
    index = ScratchIndex(_scratch_index(record), env)
    _fill(repository, change_set, record.diff, index, (lock,))
    _keep_flags(repository, change_set, index.file)
    set_unmerged(repository, change_set.unmerged, index.file)


def check(repository: Repository, change_set: ChangeSet) -> None:
    """Let git make the new index in a copy, and verify it. Raises `TransactionError`."""
    with scratch_directory() as name:
        directory = Path(name)
        env = repository.scratch_objects(directory)
        index = ScratchIndex(copy_index(repository, directory), env)
        diff = directory / "diff"
        diff.write_bytes(change_set.diff)
        _fill(repository, change_set, diff, index)


def _fill(
    repository: Repository,
    change_set: ChangeSet,
    diff: Path,
    index: ScratchIndex,
    keep: Sequence[int] = (),
) -> None:
    """Make all changes of the index, by `git apply`, and verify them."""
    changes = change_set.changes
    texts = [each for each in change_set.located if each not in changes]
    if texts:
        set_entries(repository, {each.path: each.old for each in texts if each.old}, index)
    if change_set.diff:
        _apply(repository, diff, index, keep)
    if texts:
        stored = {change.path: change.new for change in changes}
        set_entries(repository, {each.path: stored[each.path] for each in texts}, index)
    paths = [change.path for change in changes]
    listed = list_index(repository, paths, [], index=index.file)
    entries = {entry.path: entry.entry for entry in listed}
    wrong = [change.path for change in changes if entries.get(change.path) != change.new]
    if wrong:  # git moves hunks silently if a file has changed
        raise TransactionError(
            f"{visible(wrong[0])} differs from the plan: the repository was changed meanwhile, or "
            "an attribute makes git store the file in another form"
        )


def _prepared(
    repository: Repository, record: TransactionRecord, stored: Sequence[str]
) -> Iterator[str | Path]:
    """All that was made before any file is replaced: files, index, blobs and those `stored`."""
    yield from (record.folder, record.index_file.parent, record.scratch_index)
    written = [change.path for change in record.written if change.new]
    above = {parent for path in written for parent in parents(path)}
    new, objects = str(record.new), str(repository.objects)
    yield from (f"{new}/{path}" for path in ("", *above, *written))
    made = [change.new.id for change in record.changes if change.new]
    ids = [*stored, *(made if record.target is not Target.WORKTREE else ())]
    if ids:
        yield objects
    for oid in ids:
        blob = f"{objects}/{oid[:2]}/{oid[2:]}"  # gitrepository-layout(5)
        yield from (blob.rpartition("/")[0], blob)


def _scratch_index(record: TransactionRecord) -> Path:
    """Lock the index, and copy it for git to write."""
    lock_index(record.index_file, record.token)
    index = record.scratch_index
    for leftover in (index, lock_of(index)):
        leftover.unlink(missing_ok=True)
    if record.index_file.exists():
        link_or_copy(record.index_file, index)
    return index


def _apply(repository: Repository, diff: Path, index: ScratchIndex, keep: Sequence[int]) -> None:
    result = repository.apply(diff, ("--cached",), index=index.file, env=index.env, keep=keep)
    if result.killed:
        raise TransactionError("git was killed while it wrote")
    if result.status:
        why = _why_unwritable(index.file.parent)
        reason = f" ({why})" if why and why not in result.errors else ""
        what = f"git could not apply the completed diff{reason}"
        raise TransactionError(f"{what}:\n{git_message(result.errors)}")


def _why_unwritable(directory: Path) -> str:
    """Why nothing can be written in `directory`; empty if it can.

    Where a write fails, git does not always say why. What it has written by then is still there, so
    a full disk is still full.
    """
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(bytes(_PROBE_SIZE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or ""
    return ""


def _keep_flags(repository: Repository, change_set: ChangeSet, index: Path) -> None:
    """Set the bits again that `git apply` clears in the entries that it writes."""
    flags = change_set.flags
    written = [each.path for each in change_set.changes if each.new and each.path in flags]
    skipped = [path for path in written if flags[path] in "Ss"]
    unchanged = [path for path in written if flags[path].islower()]
    if skipped:
        set_flag(repository, "--skip-worktree", skipped, index=index)
    if unchanged:
        set_flag(repository, "--assume-unchanged", unchanged, index=index)
