"""Putting back: after git failed half-way, or after a kill, on the next run.

Every step can be repeated, so this, too, may be killed and begun again. A file is only
overwritten or removed when it is missing, or holds what git was writing, or the beginning
of it; anything else is the user's, is kept, and is named.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.blob import Change
from git_opatch.branch import put_back_series
from git_opatch.errors import RepositoryError
from git_opatch.options import Target
from git_opatch.repository import Repository
from git_opatch.transaction.backup import Backup
from git_opatch.transaction.lock import link_or_copy, lock_of, unlock_index

Contents = Mapping[str, bytes]
"""What git was to write, by path, as blobs."""


class Restored(NamedTuple):
    """What putting back did: the paths set back, and those that the user has changed.

    `backup` is where the old versions of those are, if there are any. `finished` are the paths
    of a transaction that had come too far to be put back.
    """

    paths: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    backup: Path | None = None
    finished: tuple[str, ...] = ()


def put_back(repository: Repository, backup: Backup, contents: Contents | None = None) -> Restored:
    """Let everything be as it was before the transaction; the real index never changed.

    `contents` are the new blobs, if they are still at hand; after a kill they are made
    again from the old ones and the diff.
    """
    moved = put_back_series(repository, backup.folder)
    restored = Restored()
    if backup.target is not Target.CACHED:
        restored = _Files(repository, backup, contents).put_back()
    if moved:
        restored = restored._replace(kept=(*restored.kept, moved))
    restored = restored._replace(backup=tidy_up(backup, keep=bool(restored.kept)))
    if backup.target is Target.INDEX:  # the links have changed the files' ctime
        repository.refresh([change.path for change in backup.changes if change.old])
    return restored


def tidy_up(backup: Backup, *, keep: bool = False) -> Path | None:
    """Remove what a transaction had beside the index, and its record unless it is kept."""
    for leftover in (backup.scratch_index, lock_of(backup.scratch_index)):
        with suppress(OSError):
            leftover.unlink()
    unlock_index(backup.index, backup.token)
    if keep:
        return backup.keep()
    backup.discard()
    return None


class _Files:
    """The files of the working tree that a transaction touched."""

    def __init__(self, repository: Repository, backup: Backup, contents: Contents | None) -> None:
        self._repository = repository
        self._top = repository.require_worktree()
        self._backup = backup
        self._contents = contents
        self._smudged: Contents | None = None

    def put_back(self) -> Restored:
        """Set back what git wrote or removed."""
        changes = list(enumerate(self._backup.written))
        outcome = {one.path: self._removed(one) for _, one in changes if one.old is None}
        for folder in reversed(self._backup.created):
            with suppress(OSError):
                (self._top / folder).rmdir()
        outcome |= {one.path: self._replaced(at, one) for at, one in changes if one.old}
        return Restored(
            tuple(path for path, done in outcome.items() if done),
            tuple(path for path, done in outcome.items() if done is False),
        )

    def _removed(self, change: Change) -> bool | None:
        """Take away a file that git created; None if there is none, False if it is kept."""
        path = self._top / change.path
        if not os.path.lexists(path) or (path.is_dir() and not path.is_symlink()):
            return None
        if not self._is_gits(change.path):
            return False
        path.unlink()
        return True

    def _replaced(self, number: int, change: Change) -> bool | None:
        """Bring a file back; None if it never went, False if another is kept."""
        path, backup = self._top / change.path, self._backup.file(number)
        if os.path.lexists(path):
            if _same_file(path, backup):
                return None
            if change.new is None or not self._is_gits(change.path):
                return False
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{self._backup.token.read_text()}.{number}")
        temporary.unlink(missing_ok=True)
        link_or_copy(backup, temporary)
        os.replace(temporary, path)
        return True

    def _is_gits(self, path: str) -> bool:
        """Whether the file holds what git was to write there, or the beginning of it."""
        found = _content(self._top / path)
        if found is None:
            return False
        return any(expected.startswith(found) for expected in self._expected(path))

    def _expected(self, path: str) -> Iterator[bytes]:
        if self._contents is None:
            self._contents = _with_diff(self._repository, self._backup, _new_blobs)
        blob = self._contents.get(path)
        if blob is not None:
            yield blob
            yield blob.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        if self._smudged is None:
            self._smudged = _with_diff(self._repository, self._backup, _smudged_blobs)
        if path in self._smudged:
            yield self._smudged[path]


def _with_diff(
    repository: Repository,
    backup: Backup,
    read: Callable[[Repository, dict[str, str], Mapping[str, str]], dict[str, bytes]],
) -> dict[str, bytes]:
    """Apply the diff to an index aside, and read the blobs that it makes.

    Where the old blobs are to be beside it, and are not there yet, git had not begun.
    """
    ids = {change.path: change.new.id for change in backup.written if change.new}
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
        old = {change.path: change.old for change in backup.written if change.old}
        beside = [backup.clean] if backup.carried else []
        with suppress(RepositoryError) if beside else nullcontext():
            index, env = repository.rebuilt_index(old, Path(folder), *beside)
            repository.apply(backup.written_diff, ("--cached",), index=index, env=env)
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
    return repository.smudged(ids, env)


def _same_file(path: Path, backup: Path) -> bool:
    """Whether nothing happened to the file since its backup was made."""
    one, two = os.lstat(path), os.lstat(backup)
    if (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino):
        return True
    return one.st_mode == two.st_mode and _content(path) == _content(backup)


def _content(path: Path) -> bytes | None:
    """A file's bytes, or a link's target; None for what is neither."""
    if path.is_symlink():
        return os.fsencode(os.readlink(path))
    return path.read_bytes() if path.is_file() else None
