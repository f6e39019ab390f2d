"""Move the new files into the working tree; restore the old ones after a failure (D131).

They are written aside: into the record's directory, where nothing else looks for them.

Nothing is ever overwritten: the old file is moved into the record, and the new one, complete and
beside the working tree until then, gets its name by a link, which fails if there is a file again.
So there is no moment at which a file is half written, or at which what somebody saves is lost:
what was moved is looked at after it was moved, and is still there.

To restore is to move back, and needs no git.
Every step can be repeated, so this, too, may be killed and started again. What is neither as it was
nor as git wrote it is the user's work: it is left in place and named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.disk import Stamp
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Change, Mode, blob_id
from git_opatch.model.errors import TransactionError
from git_opatch.model.paths import parents
from git_opatch.model.text import Text, visible
from git_opatch.transaction.record import ChangeSet, TransactionRecord
from git_opatch.transaction.working_tree import WorkingTree, opened


class Kept(NamedTuple):
    """A path that was left as it is, because it was changed meanwhile."""

    path: str
    saved: Path | None = None
    """The file that was there before; None if there was none, or if it is still there."""


class PublishedFiles:
    """The files of a transaction, in their places."""

    def __init__(self, record: TransactionRecord) -> None:
        self._record = record
        self._new, self._old = str(record.new), str(record.files)
        self._temporary_names = record.temporary_names()
        self._groups: dict[int, int] = {}
        """The group of each new file, as git wrote it aside."""
        self._taken: dict[int, Stamp] = {}

    def write_new(self, change_set: ChangeSet, *, has_links: bool) -> None:
        """Write new files aside, with the rights that git would give them, or those they have.

        A symbolic link is a file with its target unless `has_links`. Raises `TransactionError` if
        that fails.
        """
        made = ""
        for number, (change, _, text) in enumerate(change_set.files):
            if change.new is None or text is None:
                continue
            directory = f"{self._new}/{change.path}".rpartition("/")[0]
            stamp = change_set.stamps.get(change.path) if change_set.keeps_rights else None
            keeps = stamp and change.old and change.old.mode is change.new.mode
            try:
                if directory != made:
                    os.makedirs(directory, exist_ok=True)
                    made = directory
                rights = stat.S_IMODE(stamp.mode) if stamp and keeps else None
                mode = change.new.mode if has_links or change.new.mode.is_file else Mode.REGULAR
                new = _write_file(f"{self._new}/{change.path}", mode, text, rights)
            except OSError as error:
                what = f"cannot write {visible(change.path)}: {error.strerror or error}"
                raise TransactionError(what) from None
            self._groups[number] = new.st_gid

    def changed(self, record: TransactionRecord) -> list[int]:
        """The numbers of the changes whose old files were written to since they were moved.

        `record` is that of the transaction, where it is now.
        """
        files = str(record.files)
        return [
            number
            for number, stamp in self._taken.items()
            if Stamp.of(os.lstat(f"{files}/{number}")) != stamp
        ]

    def publish(
        self, top: Path, stamps: Mapping[str, Stamp], sync: Callable[[Iterable[Path]], None]
    ) -> None:
        """Put the new files in the places of the old ones, whose stamps must be `stamps`.

        Raises `TransactionError` for a file that was changed meanwhile, and for a directory that
        is not one any more; what was moved by then is left for `restore_files`. At the end all
        names are on the disk, by `sync`.
        """
        changes = sorted(enumerate(self._record.written), key=lambda item: item[1].path)
        with opened(top) as tree:
            for number, change in changes:
                if change.new is None:
                    self._replace(tree, number, change, stamps)
            for number, change in changes:
                if change.old is not None and change.new is not None:
                    self._replace(tree, number, change, stamps)
            self._add(tree, [item for item in changes if item[1].old is None])
            if deleted := [change.path for _, change in changes if change.new is None]:
                sync(self._record.directories(top))  # a file must not go with its directory
                _remove_emptied(tree, deleted)
            tree.forget()
            renamed = {change.path.casefold() for _, change in changes if change.new}
            for _, change in changes:
                if change.new or change.path.casefold() not in renamed:
                    self._verify(tree, change)
        sync(self._record.directories(top))

    def _replace(
        self, tree: WorkingTree, number: int, change: Change, stamps: Mapping[str, Stamp]
    ) -> None:
        """Move the old file away, and give the new one, if there is one, its place."""
        path, expected = change.path, stamps.get(change.path)
        try:
            if expected is None or tree.stamp(path) != expected:
                raise _changed(path)
            taken = tree.take(path, f"{self._old}/{number}", self._temporary_names[number])
            if not taken.moved.is_same_content(expected):
                raise _changed(path)
            self._taken[number] = taken.kept
            if change.new is not None:
                self._put(tree, number, path)
        except OSError as error:
            raise _meanwhile(path, error) from None

    def _add(self, tree: WorkingTree, added: Sequence[tuple[int, Change]]) -> None:
        """Put files where there were none, in the order of their paths."""
        made = ""
        for number, change in added:
            path = change.path
            directory = path.rpartition("/")[0]
            try:
                if directory not in ("", made):
                    tree.make_directory(directory)
                    made = directory
                if _is_folder(tree.stamp(path)):
                    _remove_empty_directory(tree, path)
                self._put(tree, number, path)
            except OSError as error:
                raise _meanwhile(path, error) from None

    def _put(self, tree: WorkingTree, number: int, path: str) -> None:
        temporary, group = self._temporary_names[number], self._groups[number]
        tree.put(f"{self._new}/{path}", path, temporary, group=group)

    def _verify(self, tree: WorkingTree, change: Change) -> None:
        """Check that the file is where its path now leads."""
        found = tree.stamp(change.path)
        if (found is None or _is_folder(found)) != (change.new is None):
            raise _changed(change.path)


def _write_file(file: str, mode: Mode, text: Text, rights: int | None) -> os.stat_result:
    """Write a file that does not exist yet; return what it is then."""
    if not mode.is_file:
        os.symlink(text.to_bytes(), os.fsencode(file))
        return os.lstat(file)
    usual = 0o777 if mode is Mode.EXECUTABLE else 0o666
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, usual)
    try:
        for piece in text.pieces():
            while piece:
                piece = piece[os.write(descriptor, piece) :]
        if rights is not None:
            os.fchmod(descriptor, rights)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _is_folder(found: Stamp | None) -> bool:
    return found is not None and found.mode & 0o170000 == 0o040000


def _meanwhile(path: str, error: OSError) -> TransactionError:
    """Word what somebody else did to `path` meanwhile, or why the system refuses to change it."""
    if isinstance(error, (FileExistsError, FileNotFoundError, IsADirectoryError)):
        return _changed(path)
    if isinstance(error, NotADirectoryError):
        return TransactionError(
            f"a directory above {visible(path)} was replaced meanwhile, by a link or a file; "
            "nothing is written through it"
        )
    return TransactionError(f"{visible(path)} cannot be replaced: {error.strerror}")


def _changed(path: str) -> TransactionError:
    return TransactionError(f"{visible(path)} was changed meanwhile; run it again")


def _remove_empty_directory(tree: WorkingTree, path: str) -> None:
    """Remove a directory at `path`, and the empty ones below it."""
    for name in tree.list_directory(path):
        _remove_empty_directory(tree, f"{path}/{name}")
    if tree.list_directory(path) == []:
        with suppress(OSError):
            tree.remove_directory(path)


def _remove_emptied(tree: WorkingTree, deleted: Sequence[str]) -> None:
    """Remove the directories that are empty without the files at `deleted`, as git does."""
    left: set[str] = set()
    for path in deleted:
        for directory in reversed(list(parents(path))):
            if directory in left or not tree.remove_directory(directory):
                left.add(directory)
                break


def restore_files(
    repository: Repository, record: TransactionRecord
) -> tuple[list[str], list[Kept]]:
    """Restore what was moved, and remove what was made; the paths restored, and those kept."""
    if not record.written:
        return [], []
    with opened(repository.require_worktree()) as tree:
        return _Restoration(repository, record, tree).run()


class _Restoration:
    """Restores the files of the working tree that a transaction touched."""

    def __init__(
        self, repository: Repository, record: TransactionRecord, tree: WorkingTree
    ) -> None:
        self._repository = repository
        self._record = record
        self._temporary_names = record.temporary_names()
        self._tree = tree
        self._restored: list[str] = []
        self._kept: list[Kept] = []
        self._in_place: list[Path] = []
        """The old files that have their places again."""

    def run(self) -> tuple[list[str], list[Kept]]:
        changes = sorted(enumerate(self._record.written), key=lambda item: item[1].path)
        for number, change in changes:
            self._remove_temporary(number, change)
        for number, change in changes:
            if change.old is None and self._tree.stamp(change.path) is not None:
                self._remove_new(number, change)
        for directory in reversed(self._record.created):
            self._tree.remove_directory(directory)
        for number, change in changes:
            if change.old is not None and os.path.lexists(self._record.file(number)):
                self._restore_change(number, change)
        # only now: until the names are on the disk, those in the record are all there is
        self._repository.sync(self._record.directories(self._repository.require_worktree()))
        for saved in self._in_place:
            saved.unlink()
        return self._restored, self._kept

    def _remove_temporary(self, number: int, change: Change) -> None:
        """Remove a copy that was being made, or give the only copy its name again."""
        directory, slash, _ = change.path.rpartition("/")
        temporary = self._temporary_names[number]
        name = directory + slash + temporary
        if self._tree.stamp(name) is None:
            return
        taken = os.path.lexists(self._record.file(number))
        if change.old is not None and not taken and self._tree.stamp(change.path) is None:
            self._tree.move(temporary, change.path)
            self._restored.append(change.path)
        else:
            self._tree.remove(name)

    def _remove_new(self, number: int, change: Change) -> None:
        """Remove a file that did not exist before."""
        if not self._record.new.exists() or _is_folder(self._tree.stamp(change.path)):
            return  # nothing was published yet
        if self._is_ours(change) and self._drop(number, change.path):
            self._restored.append(change.path)
        else:
            self._kept.append(Kept(change.path))

    def _restore_change(self, number: int, change: Change) -> None:
        saved, path = self._record.file(number), change.path
        if self._tree.stamp(path) is not None and not self._is_old(saved, path):
            is_ours = change.new is not None and self._is_ours(change)
            if not is_ours or not self._drop(number, path):
                self._kept.append(Kept(path, saved))
                return
        try:
            directory = path.rpartition("/")[0]
            if directory:
                self._tree.make_directory(directory)
            if self._tree.stamp(path) is None:
                self._tree.put(saved, path, self._temporary_names[number])
        except (NotADirectoryError, FileExistsError):
            self._kept.append(Kept(path, saved))
            return
        self._in_place.append(saved)
        self._restored.append(path)

    def _is_old(self, saved: Path, path: str) -> bool:
        """Return whether the file is in its place again, or still, and `saved` is only a copy."""
        found, old = self._tree.stamp(path), os.lstat(saved)
        if found is None or found.mode != old.st_mode:
            return False
        if (found.device, found.inode) == (old.st_dev, old.st_ino):
            return True
        return self._tree.read(path) == _content(saved)

    def _drop(self, number: int, path: str) -> bool:
        """Delete git's file at `path`; False if somebody replaced it at this very moment."""
        before, aside = self._tree.stamp(path), self._record.folder / "dropped"
        aside.unlink(missing_ok=True)
        temporary = self._temporary_names[number]
        after = self._tree.take(path, str(aside), temporary)
        if before is not None and not after.moved.is_same_content(before):
            self._tree.put(aside, path, temporary)
            return False
        aside.unlink()
        return True

    def _is_ours(self, change: Change) -> bool:
        """Return whether the file is as it was written."""
        data = self._tree.read(change.path)
        algorithm, new = self._repository.algorithm, change.new
        return None not in (new, data) and blob_id(data or b"", algorithm) == (new and new.id)


def _content(file: Path) -> bytes:
    return os.fsencode(os.readlink(file)) if file.is_symlink() else file.read_bytes()
