"""From a completed diff to a changed repository: all of it, or nothing.

    guard     is the working tree what the plan takes it for?
    backup    record what is about to change
    apply     one `git apply`, into an index beside the real one
    verify    the blob ids must be the diff's
    commit    the record is renamed: from here on a kill leads forward
    publish   the new index takes the real one's place
    restore   whatever went wrong before that, put everything back

Git decides atomically but does not write so: it removes all old files, writes the new
ones, and then the index. A kill, a full disk or a failing filter in between leaves it half
done. The real index stays locked, and as it was, until all files are written.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from git_opatch.blob import Change, Entry
from git_opatch.errors import BusyError, OpatchError, TransactionError
from git_opatch.options import Options, Target
from git_opatch.plumbing import Answer
from git_opatch.repository import Repository
from git_opatch.snapshot import take_snapshot
from git_opatch.text import visible
from git_opatch.transaction.backup import (
    Backup,
    has_leftovers,
    identity_of,
    make_backup,
    read_backup,
    sweep,
)
from git_opatch.transaction.lock import (
    exclusive,
    has_lock,
    held_signals,
    link_or_copy,
    lock_index,
    lock_of,
    patiently,
)
from git_opatch.transaction.restore import Contents, Restored, put_back, tidy_up

FLAGS = {Target.INDEX: ("--index",), Target.CACHED: ("--cached",), Target.WORKTREE: ()}
"""The flags by which git apply knows the targets."""

_STALE = "does not match index"


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


Finished = Callable[[Backup], None]
"""Is told of a transaction that stands, before its record is forgotten."""


def home_of(repository: Repository) -> Path:
    """The folder below the git directory that is git opatch's own."""
    return repository.git_dir / "opatch"


def is_interrupted(repository: Repository) -> bool:
    """Whether a run was cut short here while it wrote, or is at work."""
    return read_backup(home_of(repository)) is not None


def needs_sweeping(repository: Repository) -> bool:
    """Whether a run that was cut short left anything at all."""
    return has_leftovers(home_of(repository))


def check(repository: Repository, diff: bytes, target: Target) -> None:
    """Let git judge a diff, and write nothing: not even a refreshed index.

    Raises `TransactionError` with git's words if it would not apply.
    """
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
        file = Path(folder) / "diff"
        file.write_bytes(diff)
        flags = ("--check", *FLAGS[target])
        answer = repository.apply(file, flags)
        if _STALE in answer.errors and repository.index_file.exists():
            index = Path(folder) / "index"
            shutil.copy2(repository.index_file, index)
            repository.refresh(_paths_in(answer), index=index)
            answer = repository.apply(file, flags, index=index)
    if answer.status:
        raise TransactionError(f"git refuses the completed diff:\n{_words(answer)}")


def perform(
    repository: Repository, change_set: ChangeSet, target: Target, lock: int, finished: Finished
) -> None:
    """Apply a diff to `target`; raises when nothing of it is left. `lock` is inherited by git."""
    backup = make_backup(
        home_of(repository),
        repository.top,
        index=repository.index_file,
        target=target,
        changes=change_set.changes,
        diff=change_set.diff,
        about=change_set.about,
    )
    try:
        _write(repository, change_set, backup, lock)
        backup = backup.commit()
    except BaseException as error:
        raise _undone(repository, backup, change_set, error) from None
    _publish(backup, finished)


def _undone(
    repository: Repository, backup: Backup, change_set: ChangeSet, error: BaseException
) -> BaseException:
    """Put everything back after `error`, and say so."""
    try:
        restored = put_back(repository, backup, change_set.contents())
    except OSError as again:
        return TransactionError(
            f"{error}\nnot everything could be put back yet ({again}); mend that, and run "
            "`git opatch apply` again, which puts back the rest first"
        )
    if isinstance(error, BusyError) or not isinstance(error, (OpatchError, OSError)):
        return error
    message = f"cannot write: {error}" if isinstance(error, OSError) else str(error)
    if restored.kept:
        names = ", ".join(map(visible, restored.kept[:5]))
        return TransactionError(
            f"{message}\nall was put back but what was changed meanwhile: {names}; "
            f"the versions before are in {restored.backup}"
        )
    return TransactionError(f"{message}\neverything was put back")


def _write(repository: Repository, change_set: ChangeSet, backup: Backup, lock: int) -> None:
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
        raise TransactionError(f"git could not apply the completed diff:\n{_words(answer)}")
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


def _publish(backup: Backup, finished: Finished) -> None:
    """Let the new index take the real one's place, and forget the rest."""
    if backup.target is not Target.WORKTREE and backup.scratch_index.exists():
        os.replace(backup.scratch_index, backup.index)
    finished(backup)
    tidy_up(backup)


def _apply(repository: Repository, backup: Backup, index: Path | None, lock: int) -> Answer:
    flags = FLAGS[backup.target]
    answer = repository.apply(backup.diff, flags, index=index, keep=(lock,))
    if answer.status and _STALE in answer.errors and index is not None:
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


def recover(repository: Repository, finished: Finished) -> Restored | None:
    """End a transaction that was cut short; None if there is none.

    One that was committed is finished, any other is undone. If the index was changed since
    by somebody who removed our lock, nothing is touched and the record is put aside. The
    caller holds the lock, so no git of that run is alive.
    """
    sweep(home_of(repository))
    backup = read_backup(home_of(repository))
    if backup is None:
        return None
    if backup.committed and _is_ours(backup):
        _publish(backup, finished)
        return Restored(finished=_paths(backup))
    if backup.committed and not backup.scratch_index.exists():
        finished(backup)
        tidy_up(backup)
        return Restored(finished=_paths(backup))
    if backup.committed or not _is_ours(backup):
        return Restored(kept=_paths(backup), backup=tidy_up(backup, keep=True))
    return put_back(repository, backup)


def _paths(backup: Backup) -> tuple[str, ...]:
    return tuple(change.path for change in backup.changes)


def _is_ours(backup: Backup) -> bool:
    """Whether nobody has changed the index since the record was made."""
    if backup.target is Target.WORKTREE:
        return True
    return has_lock(backup.index, backup.token) or identity_of(backup.index) == backup.identity


def _paths_in(answer: Answer) -> Sequence[str]:
    lines = answer.errors.splitlines()
    marker = f": {_STALE}"
    return [line[len("error: ") : -len(marker)] for line in lines if line.endswith(marker)]


def _words(answer: Answer) -> str:
    return "\n".join(visible(line) for line in answer.errors.splitlines()[:10])


__all__ = [
    "FLAGS",
    "Backup",
    "ChangeSet",
    "check",
    "exclusive",
    "held_signals",
    "home_of",
    "is_interrupted",
    "needs_sweeping",
    "patiently",
    "perform",
    "recover",
]
