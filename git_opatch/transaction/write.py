"""Git writes: the files, and an index beside the real one.

What it wrote must be what was planned.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.blob import Change, Entry, Stages
from git_opatch.errors import TransactionError
from git_opatch.options import Options, Target
from git_opatch.plumbing import Answer, said
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


class ChangeSet(NamedTuple):
    """What a transaction is to do: the diff, and the outcome that it must have.

    `contents` are the new blobs by path, `flags` the bits that index entries had (see
    `Snapshot.flags`), `about` is what whoever finishes it must know. `carried` is what is to
    become of the working tree, where its files have changes that are not staged: the same paths.
    `then` is what must be done, too, or nothing of it stands; it is told where the record is.
    `unmerged` is what the index is to have of paths whose content has conflicts.
    """

    diff: bytes
    changes: tuple[Change, ...]
    contents: Callable[[], Contents]
    flags: Mapping[str, str]
    about: Mapping[str, object] = {}
    carried: ChangeSet | None = None
    then: Callable[[Backup], None] = lambda _: None
    unmerged: Mapping[str, Stages] = {}


def write(repository: Repository, change_set: ChangeSet, backup: Backup, lock: int) -> None:
    """Let git carry the recorded diff out; its processes inherit `lock`.

    The real index is locked, and not changed. Raises `TransactionError` for anything that does
    not come out as planned, `BusyError` if the index is locked; what was written is still there.
    """
    index = _scratch_index(backup) if backup.target is not Target.WORKTREE else None
    if backup.carried:
        _write_files(repository, backup, lock)
    flags = ("--cached",) if backup.carried else FLAGS[backup.target]
    _apply(repository, backup, flags, index, lock)
    _verify(backup.changes, _entries(repository, backup.changes, index), index is None)
    if index is None:
        return
    _keep_flags(repository, change_set, index)
    if backup.carried:
        repository.refresh([one.path for one in backup.changes if one.new], index=index)
    else:
        _follow_attributes(repository, backup, index)
        _unmerge(repository, change_set.unmerged, index)


def _scratch_index(backup: Backup) -> Path:
    """Lock the index, and give a copy of it to write in."""
    lock_index(backup.index, backup.token)
    index = backup.scratch_index
    for leftover in (index, lock_of(index)):
        leftover.unlink(missing_ok=True)
    if backup.index.exists():
        link_or_copy(backup.index, index)
    return index


def _write_files(repository: Repository, backup: Backup, lock: int) -> None:
    """Apply the working tree's own diff there, if its files are still what was planned for.

    Their blobs, which the repository need not have, are kept for whoever must put them back.
    """
    backup.clean.mkdir()
    old = [one for one in backup.carried if one.old is not None]
    index, _ = repository.clean_worktree([one.path for one in old], backup.clean)
    found = _entries(repository, old, index)
    changed = [one.path for one in old if found.get(one.path) != one.old]
    if changed:
        raise TransactionError(f"{visible(changed[0])} was changed meanwhile; run it again")
    _succeeded(repository.apply(backup.written_diff, (), keep=(lock,)))
    _keep_permissions(repository.require_worktree(), backup)
    _verify(backup.carried, _entries(repository, backup.carried, None), content_only=True)


def _keep_permissions(top: Path, backup: Backup) -> None:
    """Git writes files anew: those whose mode is not to change keep what git does not record."""
    for number, one in enumerate(backup.carried):
        if one.old and one.new and one.old.mode is one.new.mode and one.new.mode.is_file:
            os.chmod(top / one.path, stat.S_IMODE(os.stat(backup.file(number)).st_mode))


def _follow_attributes(repository: Repository, backup: Backup, index: Path) -> None:
    """Write files again whose attributes are changed by the same patch: git applies the old."""
    written = [one.path for one in backup.changes if one.new is not None]
    names = {path.rpartition("/")[2] for path in (one.path for one in backup.changes)}
    if backup.target is Target.INDEX and ".gitattributes" in names and written:
        for path in written:  # git would not write again what is up to date
            (repository.require_worktree() / path).unlink()
        repository.check_out(written, index=index)


def _unmerge(repository: Repository, unmerged: Mapping[str, Stages], index: Path) -> None:
    """Let `index` have the three stages of each path, in place of the content with markers."""
    feed = b""
    for path, stages in unmerged.items():
        theirs = _stored(repository, stages.theirs)
        ids = (stages.base.id, stages.ours.id, theirs)
        mode, name = stages.ours.mode.value, os.fsencode(path) + b"\0"
        feed += b"0 " + b"0" * len(theirs) + b"\t" + name
        for stage, oid in enumerate(ids, 1):
            feed += f"{mode} {oid} {stage}\t".encode() + name
    if feed:
        env = {"GIT_INDEX_FILE": str(index)}
        answer = repository.run("update-index", "-z", "--index-info", feed=feed, env=env)
        if answer.status:
            raise TransactionError(
                f"git could not write the unmerged index:\n{said(answer.errors)}"
            )


def _stored(repository: Repository, data: bytes) -> str:
    answer = repository.run("hash-object", "-w", "--stdin", feed=data)
    if answer.status:
        raise TransactionError(f"git could not store a blob:\n{said(answer.errors)}")
    return answer.output.decode().strip()


def _apply(
    repository: Repository, backup: Backup, flags: Sequence[str], index: Path | None, lock: int
) -> None:
    answer = repository.apply(backup.diff, flags, index=index, keep=(lock,))
    if answer.status and STALE in answer.errors and index is not None:
        repository.refresh([one.path for one in backup.changes if one.old], index=index)
        answer = repository.apply(backup.diff, flags, index=index, keep=(lock,))
    _succeeded(answer)


def _succeeded(answer: Answer) -> None:
    """Raises `TransactionError` if it did not."""
    if answer.killed:
        raise TransactionError("git was killed while it wrote")
    if answer.status:
        raise TransactionError(f"git could not apply the completed diff:\n{said(answer.errors)}")


def _verify(changes: Sequence[Change], found: Mapping[str, Entry], content_only: bool) -> None:
    """Git must have written what was planned: it moves hunks in silence when a file changed."""
    wrong = [one.path for one in changes if not _as_planned(one, found, content_only)]
    if wrong:
        raise TransactionError(
            f"{visible(wrong[0])} came out other than planned: the repository was changed "
            "meanwhile, or git was told to store the file in another form"
        )


def _as_planned(change: Change, found: Mapping[str, Entry], content_only: bool) -> bool:
    entry = found.get(change.path)
    if entry is None or change.new is None:
        return entry is change.new
    return entry.id == change.new.id if content_only else entry == change.new


def _entries(
    repository: Repository, changes: Sequence[Change], index: Path | None
) -> dict[str, Entry]:
    """What `index` has at the paths of `changes`; without one, the working tree's files."""
    paths = [change.path for change in changes]
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
