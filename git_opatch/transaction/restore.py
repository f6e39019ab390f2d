"""Restore everything: after git failed half-way, or on the next run after a kill.

Every step can be repeated, so this, too, may be killed and started again. A file is overwritten or
removed only if it has the content that git was writing, or the beginning of it; anything else is
the user's work: it is kept, and its path is reported.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.head import restore_series
from git_opatch.git.index import build_index, refresh
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Change
from git_opatch.model.errors import RepositoryError
from git_opatch.model.options import Target
from git_opatch.transaction.backup import TransactionRecord
from git_opatch.transaction.lock import link_or_copy, lock_of, unlock_index

Contents = Mapping[str, bytes]
"""The blobs that git was to write, by path."""


class Restored(NamedTuple):
    """The outcome of restoring, or finishing, a transaction."""

    paths: tuple[str, ...] = ()
    """The restored paths."""
    kept: tuple[str, ...] = ()
    """The paths that the user has changed meanwhile, which were left alone."""
    backup: Path | None = None
    """Where the earlier versions of those are."""
    finished: tuple[str, ...] = ()
    """The paths of a transaction that was committed, and so was finished instead."""


def restore(
    repository: Repository, record: TransactionRecord, contents: Contents | None = None
) -> Restored:
    """Restore everything to its state before the transaction; the real index never changed.

    `contents` are the new blobs, if they are at hand; after a kill they are made again from the
    old ones and the diff.
    """
    # Not handed in by the caller: every way of restoring must know all that a transaction of any
    # kind may have changed, and a series of commits is recorded in the transaction's directory.
    moved_branch = restore_series(repository, record.folder)
    restored = Restored()
    if record.target is not Target.CACHED:
        restored = _Files(repository, record, contents).restore()
    if moved_branch:
        restored = restored._replace(kept=(*restored.kept, moved_branch))
    restored = restored._replace(backup=remove_scratch(record, keep=bool(restored.kept)))
    if record.target is Target.INDEX:  # hard links have changed the files' ctime
        refresh(repository, [change.path for change in record.changes if change.old])
    return restored


def remove_scratch(record: TransactionRecord, *, keep: bool = False) -> Path | None:
    """Remove a transaction's files beside the index, and its record unless `keep`."""
    for leftover in (record.scratch_index, lock_of(record.scratch_index)):
        with suppress(OSError):
            leftover.unlink()
    unlock_index(record.index, record.token)
    if keep:
        return record.keep()
    record.discard()
    return None


class _Files:
    """The files of the working tree that a transaction touched."""

    def __init__(
        self, repository: Repository, record: TransactionRecord, contents: Contents | None
    ) -> None:
        self._repository = repository
        self._top = repository.require_worktree()
        self._record = record
        self._contents = contents
        self._smudged: Contents | None = None

    def restore(self) -> Restored:
        """Restore what git wrote or removed."""
        changes = list(enumerate(self._record.written))
        outcomes = {
            change.path: self._remove_file(change) for _, change in changes if change.old is None
        }
        for directory in reversed(self._record.created):
            with suppress(OSError):
                (self._top / directory).rmdir()
        outcomes |= {
            change.path: self._restore_file(number, change)
            for number, change in changes
            if change.old
        }
        return Restored(
            tuple(path for path, outcome in outcomes.items() if outcome),
            tuple(path for path, outcome in outcomes.items() if outcome is False),
        )

    def _remove_file(self, change: Change) -> bool | None:
        """Remove a file that git created; None if there is none, False if it is kept."""
        path = self._top / change.path
        if not os.path.lexists(path) or (path.is_dir() and not path.is_symlink()):
            return None
        if not self._is_written_by_git(change.path):
            return False
        path.unlink()
        return True

    def _restore_file(self, number: int, change: Change) -> bool | None:
        """Restore a file; None if it was never touched, False if another is kept."""
        path, backup = self._top / change.path, self._record.file(number)
        if os.path.lexists(path):
            if _same_file(path, backup):
                return None
            if change.new is None or not self._is_written_by_git(change.path):
                return False
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{self._record.token.read_text()}.{number}")
        temporary.unlink(missing_ok=True)
        link_or_copy(backup, temporary)
        os.replace(temporary, path)
        return True

    def _is_written_by_git(self, path: str) -> bool:
        """Whether the file has the content that git was to write, or the beginning of it."""
        content = _content(self._top / path)
        if content is None:
            return False
        return any(expected.startswith(content) for expected in self._expected(path))

    def _expected(self, path: str) -> Iterator[bytes]:
        """The bytes that git may have written: the blob, with either line ending, or smudged."""
        if self._contents is None:
            self._contents = _apply_aside(self._repository, self._record, _new_blobs)
        blob = self._contents.get(path)
        if blob is not None:
            yield blob
            yield blob.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        if self._smudged is None:
            self._smudged = _apply_aside(self._repository, self._record, _smudged_blobs)
        if path in self._smudged:
            yield self._smudged[path]


def _apply_aside(
    repository: Repository,
    record: TransactionRecord,
    read: Callable[[Repository, dict[str, str], Mapping[str, str]], dict[str, bytes]],
) -> dict[str, bytes]:
    """Apply the diff in a scratch index, and read the blobs that result.

    Where the old blobs should be in the record, and are not there yet, git had not started.
    """
    ids = {change.path: change.new.id for change in record.written if change.new}
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
        old = {change.path: change.old for change in record.written if change.old}
        beside = [record.clean] if record.carried else []
        with suppress(RepositoryError) if beside else nullcontext():
            index, env = build_index(repository, old, Path(folder), *beside)
            repository.apply(record.written_diff, ("--cached",), index=index, env=env)
            return read(repository, ids, env)
    return {}


def _new_blobs(
    repository: Repository, ids: dict[str, str], env: Mapping[str, str]
) -> dict[str, bytes]:
    data = repository.read_blobs(ids.values(), env=env)
    return {path: data[oid] for path, oid in ids.items()}


def _smudged_blobs(
    repository: Repository, ids: dict[str, str], env: Mapping[str, str]
) -> dict[str, bytes]:
    return repository.read_smudged(ids, env)


def _same_file(path: Path, backup: Path) -> bool:
    """Whether the file is unchanged since its backup was made."""
    now, then = os.lstat(path), os.lstat(backup)
    if (now.st_dev, now.st_ino) == (then.st_dev, then.st_ino):
        return True
    return now.st_mode == then.st_mode and _content(path) == _content(backup)


def _content(path: Path) -> bytes | None:
    """A file's bytes, or a symbolic link's target; None for anything else."""
    if path.is_symlink():
        return os.fsencode(os.readlink(path))
    return path.read_bytes() if path.is_file() else None
