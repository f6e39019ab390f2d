"""The record of a transaction on disk: enough to restore everything after any kill.

    <git-dir>/opatch/txn/    plan.json   the changes, and what was there before
                             diff        the completed diff
                             token       the content of the index's lock while it is ours
                             files/N     the working tree's file of the N-th change
                             work.diff   the working tree's own diff, if it differs from the diff
                             clean/      the blobs of those files, for that diff

The directory is made under another name and renamed when it is complete, and renamed again before
it is deleted: one that is named `txn` is complete, and one that is named `commit` has an index
that only has to be published.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from git_opatch.git.snapshot import is_folder
from git_opatch.model.blob import Change
from git_opatch.model.errors import RepositoryError, TransactionError
from git_opatch.model.options import Target
from git_opatch.model.paths import parents
from git_opatch.transaction.lock import link_or_copy

_MAKING, _UNDO, _COMMIT, _DONE = "txn.tmp", "txn", "commit", "done"


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """A complete record of a transaction, in `folder`.

    `created` are the directories that are made for new files, outermost first.
    """

    folder: Path
    target: Target
    changes: tuple[Change, ...]
    created: tuple[str, ...]
    index: Path
    identity: tuple[int, ...] | None = None
    """Identifies the index when the record was made (`identity_of`); None if there was none."""
    about: Mapping[str, object] = field(default_factory=dict)
    """What the journal is to record of it, even if another run finishes it."""
    carried: tuple[Change, ...] = ()
    """The changes of the same paths in the working tree, if they differ from `changes`."""

    @property
    def written(self) -> tuple[Change, ...]:
        """The changes of the working tree."""
        return self.carried or self.changes

    @property
    def written_diff(self) -> Path:
        """The diff of `written`."""
        return self.folder / "work.diff" if self.carried else self.diff

    @property
    def clean(self) -> Path:
        """Where the old blobs of `written_diff` are, which the repository need not have."""
        return self.folder / "clean"

    @property
    def diff(self) -> Path:
        """The completed diff."""
        return self.folder / "diff"

    @property
    def token(self) -> Path:
        """The file that the index's lock is a link to."""
        return self.folder / "token"

    @property
    def scratch_index(self) -> Path:
        """The index that git writes, beside the real one; it replaces that at the end."""
        return self.index.with_name(self.index.name + ".opatch")

    def file(self, number: int) -> Path:
        """The backup of the file of a change, by its index in `written`."""
        return self.folder / "files" / str(number)

    @property
    def committed(self) -> bool:
        """Whether everything is written, so that a next run finishes instead of restoring."""
        return self.folder.name == _COMMIT

    def commit(self) -> TransactionRecord:
        """Commit: after a kill, the next run now finishes instead of restoring."""
        after = replace(self, folder=self.folder.with_name(_COMMIT))
        os.rename(self.folder, after.folder)
        _sync_directory(after.folder.parent)
        return after

    def keep(self) -> Path:
        """Keep it aside for the user, who may need the files; returns where it is."""
        folder = self.folder.with_name(f"kept-{self.token.read_text()[:8]}")
        os.rename(self.folder, folder)
        return folder

    def discard(self) -> None:
        """Delete it; renamed first, so that a kill in between leaves no incomplete `txn`."""
        done = self.folder.with_name(_DONE)
        shutil.rmtree(done, ignore_errors=True)
        os.rename(self.folder, done)
        shutil.rmtree(done, ignore_errors=True)


def prepare_transaction(
    home: Path,
    top: Path | None,
    *,
    index: Path,
    target: Target,
    changes: Sequence[Change],
    diff: bytes,
    about: Mapping[str, object],
    carried: tuple[Sequence[Change], bytes] = ((), b""),
) -> TransactionRecord:
    """Record everything that is about to change, below `home`; the working tree is at `top`.

    `carried` is the working tree's own changes and their diff, if they differ. Raises
    `TransactionError`, with nothing left behind, if the record cannot be written.
    """
    making = home / _MAKING
    shutil.rmtree(making, ignore_errors=True)
    try:
        created = _missing_directories(top, changes) if target is not Target.CACHED else ()
        identity = identity_of(index)
        written = tuple(carried[0])
        record = TransactionRecord(
            making, target, tuple(changes), created, index, identity, about, written
        )
        _write_record(record, top, diff)
        if written:
            _write_synced(record.written_diff, carried[1])
        os.rename(making, home / _UNDO)
        _sync_directory(home)
    except OSError as error:
        shutil.rmtree(making, ignore_errors=True)
        raise TransactionError(
            f"cannot prepare to write: {error.strerror}; nothing was changed"
        ) from None
    return replace(record, folder=home / _UNDO)


def _write_record(record: TransactionRecord, top: Path | None, diff: bytes) -> None:
    (record.folder / "files").mkdir(parents=True)
    record.token.write_text(uuid.uuid4().hex)
    _write_synced(record.diff, diff)
    if top is not None and record.target is not Target.CACHED:
        for number, change in enumerate(record.written):
            if change.old is not None:
                link_or_copy(f"{top}/{change.path}", f"{record.folder}/files/{number}")
    _write_synced(record.folder / "plan.json", json.dumps(_to_json(record)).encode())


def has_incomplete(home: Path) -> bool:
    """Whether an interrupted run left a record, or a part of one."""
    return any((home / name).exists() for name in (_MAKING, _UNDO, _COMMIT, _DONE))


def remove_incomplete(home: Path) -> None:
    """Remove records that were never complete, or are no longer needed."""
    for name in (_MAKING, _DONE):
        shutil.rmtree(home / name, ignore_errors=True)


def read_transaction(home: Path) -> TransactionRecord | None:
    """Read the record of an interrupted transaction, if there is one."""
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
        return TransactionRecord(folder, target, changes, created, index, identity, about, carried)
    except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise RepositoryError(f"{folder} is damaged; look at it, then move it away") from None


def identity_of(index: Path) -> tuple[int, ...] | None:
    """A value that changes whenever git writes the index; None if there is none."""
    try:
        found = index.stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _to_json(record: TransactionRecord) -> dict[str, object]:
    return {
        "version": 1,
        "target": record.target.value,
        "index": str(record.index),
        "identity": record.identity,
        "created": record.created,
        "about": dict(record.about),
        "changes": [change.to_json() for change in record.changes],
        "carried": [change.to_json() for change in record.carried],
    }


def _missing_directories(top: Path | None, changes: Sequence[Change]) -> tuple[str, ...]:
    if top is None:
        return ()
    created = [change.path for change in changes if change.old is None]
    needed = dict.fromkeys(parent for path in created for parent in parents(path))
    return tuple(directory for directory in needed if not is_folder(top / directory))


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(path: Path) -> None:
    """Sync a directory, so that renames in it survive a crash."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
