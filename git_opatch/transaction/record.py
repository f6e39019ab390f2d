"""The record of a transaction on disk: enough to restore everything after any kill.

    <git-dir>/opatch/txn/    plan.json   the changes, and what was there before
                             diff        the completed diff
                             entry, contents   the rest of its entry in the journal
                             token       the content of the index's lock while it is ours
                             index.before
                             new/PATH    the files that were written aside (D131)
                             files/N     the file that was at the path of the N-th change

The directory is made under another name and renamed when it is complete, and renamed again before
it is deleted: one that is named `txn` is complete, and one that is named `commit` has an index
that only has to be published. It has no absolute path, so that it holds wherever the repository is
moved or copied to (D130).
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.disk import Stamp, read_regular
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import is_folder
from git_opatch.model.blob import Change, Entry, Stages, WrittenFile
from git_opatch.model.errors import BusyError, RepositoryError, TransactionError
from git_opatch.model.options import Target
from git_opatch.model.paths import native, parents, portable, why_unsafe
from git_opatch.model.text import visible
from git_opatch.transaction.lock import link_or_copy

_MAKING, _UNDO, _COMMIT, _DONE = "txn.tmp", "txn", "commit", "done"
_VERSION = 3


def state_dir(repository: Repository) -> Path:
    """The directory below the git directory that belongs to git opatch."""
    return repository.git_dir / "opatch"


class ChangeSet(NamedTuple):
    """What a transaction is to do: the diff, and the outcome that it must have."""

    diff: bytes
    """The completed diff, for the journal."""
    changes: tuple[Change, ...]
    """The entries of the index, before and after."""
    files: tuple[WrittenFile, ...] = ()
    """What is written to the working tree."""
    flags: Mapping[str, str] = {}
    """The bits that index entries had (see `Snapshot.flags`)."""
    stamps: Mapping[str, Stamp] = {}
    """The stamps of the files from before they were compared with the index."""
    number: int = 0
    """The number of its entry in the journal; 0 for none."""
    entry: bytes = b""
    contents: Iterable[bytes] = ()
    """What files are before and after it, for the entry."""
    settled: Mapping[str, Entry] = {}
    """The entries that unmerged paths get in the index, besides what the diff makes."""
    unmerged: Mapping[str, Stages] = {}
    """The stages in the index of paths whose content has conflicts."""
    blobs: tuple[bytes, ...] = ()
    """Contents that the repository is to have, besides those that git makes of the diff."""
    located: tuple[Change, ...] = ()
    """What git makes of the diff: other than `changes` for files under a filter."""
    keeps_rights: bool = False
    """Whether files keep the rights that git does not record."""


class TransactionRecord(NamedTuple):
    """A complete record of a transaction, in `folder`.

    `created` are the directories that are made for new files, outermost first.
    """

    folder: Path
    target: Target
    changes: tuple[Change, ...]
    created: tuple[str, ...]
    index_file: Path
    number: int
    """The number of its entry in the journal; 0 for none."""
    written: tuple[Change, ...] = ()
    """The changes of the working tree, with the ids that the bytes on disk would have."""

    @property
    def all_changes(self) -> list[Change]:
        """One change of each path, of the index or of the working tree."""
        return [*{change.path: change for change in (*self.changes, *self.written)}.values()]

    @property
    def diff(self) -> Path:
        """The completed diff."""
        return self.folder / "diff"

    @property
    def new(self) -> Path:
        """The directory in which the new files are written."""
        return self.folder / "new"

    @property
    def token(self) -> Path:
        """The file that the index's lock is a link to."""
        return self.folder / "token"

    @property
    def name(self) -> str:
        """A name that no other transaction has."""
        return read_regular(self.token).decode()

    @property
    def index_before(self) -> Path:
        """The index as it was when the record was made."""
        return self.folder / "index.before"

    @property
    def scratch_index(self) -> Path:
        """The index that git writes, beside the real one; it replaces that at the end."""
        return self.index_file.with_name(self.index_file.name + ".opatch")

    @property
    def refreshed_index(self) -> Path:
        """A copy of that with the times of the new files: it may be lost, and is made again."""
        return self.index_file.with_name(self.index_file.name + ".opatch.new")

    @property
    def files(self) -> Path:
        """The directory of the old files."""
        return self.folder / "files"

    def file(self, number: int) -> Path:
        """Where the old file of a change is, once it is replaced; by its index in `written`."""
        return self.files / str(number)

    def directories(self, top: Path) -> list[Path]:
        """The directories of the written files, and those above them, in the working tree at `top`.

        Also that of the old files.
        """
        above = {parent for change in self.written for parent in parents(change.path)}
        return [self.files, top, *(top / parent for parent in sorted(above))]

    def temporary_names(self) -> Sequence[str]:
        """For each change, the name of a copy beside its file, where no link can be made."""
        name = self.name
        return [f".{name}.{number}" for number in range(len(self.written))]

    @property
    def committed(self) -> bool:
        """Whether everything is written, so that a next run finishes instead of restoring."""
        return self.folder.name == _COMMIT

    def commit(self) -> TransactionRecord:
        """Commit: after a kill, the next run now finishes instead of restoring."""
        after = self._replace(folder=self.folder.with_name(_COMMIT))
        os.rename(self.folder, after.folder)
        return after

    def enter(self) -> list[Path]:
        """Put its entry into the journal; return what must be on the disk. Raises `OSError`.

        Each step can be repeated. Before the transaction these files are complete in its record, so
        that a run that finishes it has no other way to know.
        """
        if not self.number:
            return []
        journal = self.folder.parent / "journal"
        journal.mkdir(exist_ok=True)
        if journal.is_symlink():
            raise OSError(errno.ELOOP, "is a symbolic link, which is not followed", str(journal))
        for name, suffix in (("contents", "contents"), ("diff", "diff"), ("entry", "json")):
            with suppress(FileNotFoundError):
                os.replace(self.folder / name, journal / f"{self.number}.{suffix}")
        return [*journal.glob(f"{self.number}.*"), journal]

    def keep(self) -> Path:
        """Keep it aside for the user, who may need the files; returns where it is."""
        folder = self.folder.with_name(f"kept-{self.name[:8]}")
        os.rename(self.folder, folder)
        return folder

    def discard(self, sync: Callable[[Iterable[Path]], None]) -> None:
        """Delete it; renamed first, so that a kill in between leaves no incomplete `txn`."""
        done = self.folder.with_name(_DONE)
        shutil.rmtree(done, ignore_errors=True)
        os.rename(self.folder, done)
        sync([done.parent])
        shutil.rmtree(done, ignore_errors=True)


def prepare_transaction(
    repository: Repository, change_set: ChangeSet, target: Target
) -> TransactionRecord:
    """Record what is about to change in `repository`.

    Raises `TransactionError`, with nothing left behind, if the record cannot be written.
    """
    home = state_dir(repository)
    making = home / _MAKING
    shutil.rmtree(making, ignore_errors=True)
    try:
        written = tuple(file.change for file in change_set.files)
        created = _missing_directories(repository.top, written)
        record = TransactionRecord(
            *(making, target, change_set.changes, created, repository.index_file),
            *(change_set.number, written),
        )
        (making / "files").mkdir(parents=True)
        record.token.write_text(uuid.uuid4().hex)
        record.diff.write_bytes(change_set.diff)
        if change_set.number:
            (making / "entry").write_bytes(change_set.entry)
            with (making / "contents").open("wb") as file:
                file.writelines(change_set.contents)
        if record.index_file.exists():
            link_or_copy(record.index_file, record.index_before)
        (making / "plan.json").write_text(json.dumps(_to_json(record, repository)))
        repository.sync([*making.iterdir(), making])
        os.rename(making, home / _UNDO)
        repository.sync([home, home.parent])
    except OSError as error:
        shutil.rmtree(making, ignore_errors=True)
        raise TransactionError(
            f"cannot prepare to write: {error.strerror}; nothing was changed"
        ) from None
    return record._replace(folder=home / _UNDO)


def lock_index(index: Path, token: Path) -> None:
    """Take git's own lock of `index`, so that nobody else changes it meanwhile.

    The lock is a hard link to `token`, so that after a kill it is known to be ours. Raises
    `BusyError` if another process has it.
    """
    try:
        link_or_copy(token, lock_of(index))
    except FileExistsError:
        raise BusyError(
            f"the index is locked: {lock_of(index)} exists; another git process is at work, "
            "or one was killed (then remove that file)"
        ) from None


def unlock_index(record: TransactionRecord) -> None:
    """Release the lock of the record's index, if it is ours."""
    if has_lock(record):
        lock_of(record.index_file).unlink()


def has_lock(record: TransactionRecord) -> bool:
    """Return whether the lock of the record's index is ours: a link to its token, or a copy of it.

    A copy is enough where both are copied or moved together. But an index outside of the git
    directory may be that of the repository from which this one was copied.
    """
    lock = lock_of(record.index_file)
    try:
        if not record.index_file.is_relative_to(record.folder.parent.parent):
            return os.path.samefile(lock, record.token)
        return lock.read_bytes() == record.token.read_bytes()
    except OSError:
        return False


def lock_of(index: Path) -> Path:
    """The path of git's lock of an index."""
    return index.with_name(index.name + ".lock")


def has_incomplete(home: Path) -> bool:
    """Return whether an interrupted run left a record, or a part of one."""
    return any((home / name).exists() for name in (_MAKING, _UNDO, _COMMIT, _DONE))


def has_transaction(home: Path) -> bool:
    """Return whether a run is writing, or was interrupted while it wrote."""
    return any((home / name).exists() for name in (_COMMIT, _UNDO))


def remove_incomplete(home: Path) -> None:
    """Remove records that were never complete, or are no longer needed."""
    for name in (_MAKING, _DONE):
        shutil.rmtree(home / name, ignore_errors=True)


def read_transaction(repository: Repository) -> TransactionRecord | None:
    """Read the record of an interrupted transaction, if there is one.

    Its paths are held to what holds for a patch. Raises `RepositoryError` for a damaged record, and
    for one of another working tree.
    """
    home = state_dir(repository)
    folder = next((home / name for name in (_COMMIT, _UNDO) if (home / name).exists()), None)
    if folder is None:
        return None
    try:
        plan = json.loads(read_regular(folder / "plan.json"))
        if plan["version"] != _VERSION:
            raise RepositoryError(
                f"{folder} was written by another version of git opatch: recover with that one"
            )
        record = TransactionRecord(
            folder,
            Target(plan["target"]),
            tuple(map(Change.from_json, plan["changes"])),
            tuple(map(native, plan["created"])),
            Path(os.path.normpath(repository.git_dir / native(plan["index"]))),
            int(plan["number"]),
            tuple(map(Change.from_json, plan["written"])),
        )
        paths = [change.path for change in (*record.changes, *record.written)]
        if any(why_unsafe(path) for path in (*paths, *record.created)):
            raise ValueError("a path that no patch may name")
        uuid.UUID(record.name)
        working_tree = native(plan["top"])
    except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise RepositoryError(f"{folder} is damaged; look at it, then move it away") from None
    _require_own_working_tree(repository, working_tree)
    return record


def _require_own_working_tree(repository: Repository, recorded: str) -> None:
    """Raise `RepositoryError` if the run was in another working tree of this git directory.

    One that is not where it was has been moved, and so it is this one.
    """
    if repository.top is None or recorded == _relative(repository.top, repository):
        return
    other = Path(os.path.normpath(repository.git_dir / recorded))
    if other.is_dir() and not os.path.samefile(other, repository.top):
        raise RepositoryError(
            f"an apply was interrupted in another working tree, {visible(str(other))}; "
            "run `git opatch recover` there"
        )


def _relative(path: Path, repository: Repository) -> str:
    return os.path.relpath(path, repository.git_dir)


def _to_json(record: TransactionRecord, repository: Repository) -> dict[str, object]:
    return {
        "version": _VERSION,
        "target": record.target.value,
        "index": portable(_relative(record.index_file, repository)),
        "top": portable(_relative(repository.top, repository)) if repository.top else "",
        "created": list(map(portable, record.created)),
        "number": record.number,
        "changes": [change.to_json() for change in record.changes],
        "written": [change.to_json() for change in record.written],
    }


def _missing_directories(top: Path | None, changes: Sequence[Change]) -> tuple[str, ...]:
    if top is None:
        return ()
    created = [change.path for change in changes if change.old is None]
    needed = dict.fromkeys(parent for path in created for parent in parents(path))
    return tuple(directory for directory in needed if not is_folder(top / directory))
