"""What a transaction leaves behind until it is done: enough to undo it after any kill.

    <git-dir>/opatch/txn/    plan.json   what is changed, and what was there before
                             diff        the completed diff
                             token       what the index's lock holds while it is ours
                             files/N     the N-th touched file of the working tree
                             work.diff   what is applied there, if it is not the diff
                             clean/      and blobs of those files, for that diff

The folder is made under another name and renamed when it is complete, and renamed again
before it is deleted: one that is named `txn` is whole, and one that is named `commit` has
an index that only has to take its place.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from git_opatch.blob import Change
from git_opatch.errors import RepositoryError, TransactionError
from git_opatch.options import Target
from git_opatch.paths import parents
from git_opatch.snapshot import is_folder
from git_opatch.transaction.lock import link_or_copy

_MAKING, _UNDO, _COMMIT, _DONE = "txn.tmp", "txn", "commit", "done"


@dataclass(frozen=True, slots=True)
class Backup:
    """A complete record of a transaction, in `folder`.

    `created` are the folders that are made for new files, outermost first.
    """

    folder: Path
    target: Target
    changes: tuple[Change, ...]
    created: tuple[str, ...]
    index: Path
    identity: tuple[int, ...] | None = None
    """What told the index from any later one when the record was made; None without one."""
    about: Mapping[str, object] = field(default_factory=dict)
    """What whoever finishes it must know."""
    carried: tuple[Change, ...] = ()
    """The same paths as in `changes`, as they change in the working tree, if that differs."""

    @property
    def written(self) -> tuple[Change, ...]:
        """What changes in the working tree."""
        return self.carried or self.changes

    @property
    def written_diff(self) -> Path:
        """The diff of that."""
        return self.folder / "work.diff" if self.carried else self.diff

    @property
    def clean(self) -> Path:
        """Where the blobs are that this diff is of, and that the repository need not have."""
        return self.folder / "clean"

    @property
    def diff(self) -> Path:
        """The completed diff."""
        return self.folder / "diff"

    @property
    def token(self) -> Path:
        """What the index's lock is a link to."""
        return self.folder / "token"

    @property
    def scratch_index(self) -> Path:
        """The index that git writes, beside the real one, which it replaces at the end."""
        return self.index.with_name(self.index.name + ".opatch")

    def file(self, number: int) -> Path:
        """The backup of the file of that change."""
        return self.folder / "files" / str(number)

    @property
    def committed(self) -> bool:
        """Whether all is written, and the outcome stands."""
        return self.folder.name == _COMMIT

    def commit(self) -> Backup:
        """Let the outcome stand: from here on a kill leads forward, not back."""
        after = replace(self, folder=self.folder.with_name(_COMMIT))
        os.rename(self.folder, after.folder)
        sync_folder(after.folder.parent)
        return after

    def keep(self) -> Path:
        """Put it aside for the user, who may need what it holds; gives where it is."""
        folder = self.folder.with_name(f"kept-{self.token.read_text()[:8]}")
        os.rename(self.folder, folder)
        return folder

    def discard(self) -> None:
        """Forget it: what it could undo is done, or undone."""
        done = self.folder.with_name(_DONE)
        shutil.rmtree(done, ignore_errors=True)
        os.rename(self.folder, done)
        shutil.rmtree(done, ignore_errors=True)


def make_backup(
    home: Path,
    top: Path | None,
    *,
    index: Path,
    target: Target,
    changes: Sequence[Change],
    diff: bytes,
    about: Mapping[str, object],
    carried: tuple[Sequence[Change], bytes] = ((), b""),
) -> Backup:
    """Record all that is about to change, below `home`; the working tree is at `top`.

    `carried` is what changes there, and the diff of that, if it is not the same.

    Raises `TransactionError`, with nothing left behind, if there is no room for it.
    """
    making = home / _MAKING
    shutil.rmtree(making, ignore_errors=True)
    try:
        created = _missing_folders(top, changes) if target is not Target.CACHED else ()
        identity = identity_of(index)
        written = tuple(carried[0])
        backup = Backup(making, target, tuple(changes), created, index, identity, about, written)
        _record(backup, top, diff)
        if written:
            _write_synced(backup.written_diff, carried[1])
        os.rename(making, home / _UNDO)
        sync_folder(home)
    except OSError as error:
        shutil.rmtree(making, ignore_errors=True)
        raise TransactionError(
            f"cannot prepare to write: {error.strerror}; nothing was changed"
        ) from None
    return replace(backup, folder=home / _UNDO)


def _record(backup: Backup, top: Path | None, diff: bytes) -> None:
    (backup.folder / "files").mkdir(parents=True)
    backup.token.write_text(uuid.uuid4().hex)
    _write_synced(backup.diff, diff)
    if top is not None and backup.target is not Target.CACHED:
        for number, change in enumerate(backup.written):
            if change.old is not None:
                link_or_copy(f"{top}/{change.path}", f"{backup.folder}/files/{number}")
    _write_synced(backup.folder / "plan.json", json.dumps(_to_json(backup)).encode())


def has_leftovers(home: Path) -> bool:
    """Whether a run that was cut short left anything, a record or a part of one."""
    return any((home / name).exists() for name in (_MAKING, _UNDO, _COMMIT, _DONE))


def sweep(home: Path) -> None:
    """Remove what never became a record, and what is one no more."""
    for name in (_MAKING, _DONE):
        shutil.rmtree(home / name, ignore_errors=True)


def read_backup(home: Path) -> Backup | None:
    """The record of a transaction that was not ended, if there is one."""
    folder = next((home / name for name in (_COMMIT, _UNDO) if (home / name).exists()), None)
    if folder is None:
        return None
    try:
        plan = json.loads((folder / "plan.json").read_bytes())
        changes = tuple(map(Change.from_json, plan["changes"]))
        identity = plan["identity"] and tuple(plan["identity"])
        created, index = tuple(plan["created"]), Path(plan["index"])
        target, about = Target(plan["target"]), dict(plan.get("about", {}))
        carried = tuple(map(Change.from_json, plan.get("carried", ())))
        return Backup(folder, target, changes, created, index, identity, about, carried)
    except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise RepositoryError(f"{folder} is damaged; look at it, then move it away") from None


def identity_of(index: Path) -> tuple[int, ...] | None:
    """What is another for every index that git writes; None if there is none."""
    try:
        found = index.stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _to_json(backup: Backup) -> dict[str, object]:
    return {
        "version": 1,
        "target": backup.target.value,
        "index": str(backup.index),
        "identity": backup.identity,
        "created": backup.created,
        "about": dict(backup.about),
        "changes": [change.to_json() for change in backup.changes],
        "carried": [change.to_json() for change in backup.carried],
    }


def _missing_folders(top: Path | None, changes: Sequence[Change]) -> tuple[str, ...]:
    if top is None:
        return ()
    created = [change.path for change in changes if change.old is None]
    folders = dict.fromkeys(parent for path in created for parent in parents(path))
    return tuple(folder for folder in folders if not is_folder(top / folder))


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Let what was renamed in a folder outlast a crash."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
