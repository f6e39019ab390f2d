"""Git writes: the files, and an index beside the real one.

What it wrote must be what was planned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from git_opatch.blob import Change, Entry
from git_opatch.errors import TransactionError
from git_opatch.options import Options, Target
from git_opatch.plumbing import Answer
from git_opatch.repository import Repository
from git_opatch.snapshot import take_snapshot
from git_opatch.text import visible
from git_opatch.transaction.backup import Backup
from git_opatch.transaction.lock import link_or_copy, lock_index, lock_of
from git_opatch.transaction.restore import Contents

FLAGS = {Target.INDEX: ("--index",), Target.CACHED: ("--cached",), Target.WORKTREE: ()}
"""The flags by which git apply knows the targets."""

STALE = "does not match index"
"""What git says of a file that looks changed."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What a transaction is to do: the diff, and the outcome that it must have.

    `contents` are the new blobs by path, `flags` the bits that index entries had (see
    `Snapshot.flags`), `about` is what whoever finishes it must know.
    """

    diff: bytes
    changes: tuple[Change, ...]
    contents: Callable[[], Contents]
    flags: Mapping[str, str]
    about: Mapping[str, object] = field(default_factory=dict)


def write(repository: Repository, change_set: ChangeSet, backup: Backup, lock: int) -> None:
    """Let git carry the recorded diff out; its processes inherit `lock`.

    The real index is locked, and not changed. Raises `TransactionError` for anything that does
    not come out as planned, `BusyError` if the index is locked; what was written is still there.
    """
    index = None
    if backup.target is not Target.WORKTREE:
        lock_index(backup.index, backup.token)
        index = backup.scratch_index
        for leftover in (index, lock_of(index)):
            leftover.unlink(missing_ok=True)
        if backup.index.exists():
            link_or_copy(backup.index, index)
    answer = _apply(repository, backup, index, lock)
    if answer.killed:
        raise TransactionError("git was killed while it wrote")
    if answer.status:
        raise TransactionError(f"git could not apply the completed diff:\n{words(answer)}")
    _verify(repository, backup, index)
    if index is not None:
        _keep_flags(repository, change_set, index)
        _follow_attributes(repository, backup, index)


def _follow_attributes(repository: Repository, backup: Backup, index: Path) -> None:
    """Write files again whose attributes are changed by the same patch: git applies the old."""
    written = [one.path for one in backup.changes if one.new is not None]
    names = {path.rpartition("/")[2] for path in (one.path for one in backup.changes)}
    if backup.target is Target.INDEX and ".gitattributes" in names and written:
        for path in written:  # git would not write again what is up to date
            (repository.require_worktree() / path).unlink()
        repository.check_out(written, index=index)


def _apply(repository: Repository, backup: Backup, index: Path | None, lock: int) -> Answer:
    flags = FLAGS[backup.target]
    answer = repository.apply(backup.diff, flags, index=index, keep=(lock,))
    if answer.status and STALE in answer.errors and index is not None:
        repository.refresh([one.path for one in backup.changes if one.old], index=index)
        answer = repository.apply(backup.diff, flags, index=index, keep=(lock,))
    return answer


def _verify(repository: Repository, backup: Backup, index: Path | None) -> None:
    """Git must have written what was planned: it moves hunks in silence when a file changed."""
    found = _entries(repository, backup, index)
    wrong = [one.path for one in backup.changes if not _as_planned(one, found, index is None)]
    if wrong:
        raise TransactionError(
            f"{visible(wrong[0])} came out other than planned: the repository was changed "
            "meanwhile, or git was told to store the file in another form"
        )


def _as_planned(change: Change, found: dict[str, Entry], content_only: bool) -> bool:
    entry = found.get(change.path)
    if entry is None or change.new is None:
        return entry is change.new
    return entry.id == change.new.id if content_only else entry == change.new


def _entries(repository: Repository, backup: Backup, index: Path | None) -> dict[str, Entry]:
    paths = [change.path for change in backup.changes]
    if index is None:
        snapshot = take_snapshot(repository, paths, Options(target=Target.WORKTREE))
        return {path: blob.entry for path, blob in snapshot.blobs.items()}
    return {one.path: one.entry for one in repository.list_index(paths, [], index=index)}


def _keep_flags(repository: Repository, change_set: ChangeSet, index: Path) -> None:
    """Set the bits again that git apply clears from the entries it writes."""
    written = [one.path for one in change_set.changes if one.new and one.path in change_set.flags]
    skipped = [path for path in written if change_set.flags[path] in "Ss"]
    unchanged = [path for path in written if change_set.flags[path].islower()]
    if skipped:
        repository.mark("--skip-worktree", skipped, index=index)
    if unchanged:
        repository.mark("--assume-unchanged", unchanged, index=index)


def words(answer: Answer) -> str:
    """What git said, fit for a terminal."""
    return "\n".join(visible(line) for line in answer.errors.splitlines()[:10])
