"""Files of the working tree, reached without following any link.

Each directory on the way is opened with `O_NOFOLLOW` from the one above it, and held while its
files are moved. So a directory that becomes a link meanwhile leads nowhere: the call fails, and
nothing is written or deleted behind the link (D131).
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.disk import Stamp

_DIRECTORY = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_NO_LINK = {
    *(errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EACCES),
    *(errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS),
}
"""Why a file system makes no hard link, or moves no file, where it would make a copy."""


class Taken(NamedTuple):
    """A file that was taken from its place."""

    moved: Stamp
    """Of the file itself, after it was moved."""
    kept: Stamp
    """Of the file that is kept: the same, or a copy."""


class WorkingTree:
    """The working tree at `top`, to be used one path after the other, best in their order."""

    def __init__(self, top: Path) -> None:
        self._top = os.open(top, _DIRECTORY)
        self._above: str | None = None
        """The path of the directory that is held."""
        self._directory = -1
        self._gives: tuple[int, bool] | None = None
        """What that one gives to a new file: the group, and whether also rights."""

    def close(self) -> None:
        """Close all directories."""
        self.forget()
        os.close(self._top)

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of what is at `path`; None if there is nothing, or no directory above it."""
        try:
            directory, name = self._parent(path)
            return Stamp.of(os.lstat(name, dir_fd=directory))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or a symbolic link's target; None for anything else."""
        directory, name = self._parent(path)
        mode = os.lstat(name, dir_fd=directory).st_mode
        if stat.S_ISLNK(mode):
            return os.fsencode(os.readlink(name, dir_fd=directory))
        if not stat.S_ISREG(mode):
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, dir_fd=directory), "rb") as file:
            return file.read()

    def take(self, path: str, target: str, temporary: str) -> Taken:
        """Move what is at `path` to `target`, which must not exist; return what it was there.

        Where `target` is on another file system, it becomes a copy, complete as soon as it has
        that name, and the file is then deleted. `temporary` is a free name beside the file.
        """
        directory, name = self._parent(path)
        try:
            os.rename(name, target, src_dir_fd=directory)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            os.rename(name, temporary, src_dir_fd=directory, dst_dir_fd=directory)
            partial = f"{target}.partial"
            with suppress(FileNotFoundError):
                os.unlink(partial)
            _copy(temporary, directory, partial, None)
            os.rename(partial, target)
            moved = Stamp.of(os.lstat(temporary, dir_fd=directory))
            os.unlink(temporary, dir_fd=directory)
            return Taken(moved, Stamp.of(os.lstat(target)))
        moved = Stamp.of(os.lstat(target))
        return Taken(moved, moved)

    def put(
        self, source: str | Path, path: str, temporary: str, *, group: int | None = None
    ) -> None:
        """Give `source` the name `path` as well. Raises `FileExistsError` if that is taken.

        A hard link; where that cannot be made, a copy, made as `temporary` beside it. So is a new
        file, which has this `group`, if its directory would have given it another, or rights of its
        own.
        """
        directory, name = self._parent(path)
        if group is not None and not self._would_be_same(group, directory):
            self._put_copy(source, directory, name, temporary, inherits=True)
            return
        try:
            os.link(source, name, dst_dir_fd=directory, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINK:
                raise
            self._put_copy(source, directory, name, temporary)

    def _put_copy(
        self,
        source: str | Path,
        directory: int,
        name: str,
        temporary: str,
        *,
        inherits: bool = False,
    ) -> None:
        _remove(temporary, directory)
        _copy(source, None, temporary, directory, inherits=inherits and _gives_rights(directory))
        try:
            os.link(
                *(temporary, name),
                src_dir_fd=directory,
                dst_dir_fd=directory,
                follow_symlinks=False,
            )
        except FileExistsError:
            _remove(temporary, directory)
            raise
        except OSError:  # no links at all here
            if _exists(name, directory):
                _remove(temporary, directory)
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        else:
            _remove(temporary, directory)

    def move(self, source: str, path: str) -> None:
        """Rename a file beside `path` to that, which must not exist."""
        directory, name = self._parent(path)
        if _exists(name, directory):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        os.rename(source, name, src_dir_fd=directory, dst_dir_fd=directory)

    def remove(self, path: str) -> None:
        """Delete a file, if there is one."""
        with suppress(FileNotFoundError, NotADirectoryError):
            directory, name = self._parent(path)
            _remove(name, directory)

    def make_directory(self, path: str) -> None:
        """Make the directory `path`, and those above it, where there is none."""
        for end in [at for at, character in enumerate(path) if character == "/"] + [len(path)]:
            directory, name = self._parent(path[:end])
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=directory)

    def remove_directory(self, path: str) -> bool:
        """Remove the directory `path` if it is empty; say whether it is gone."""
        self.forget()
        try:
            directory, name = self._parent(path)
            os.rmdir(name, dir_fd=directory)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return True

    def list_directory(self, path: str) -> list[str]:
        """The names in the directory `path`; none if there is no such directory."""
        try:
            directory, name = self._parent(path)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            found = os.open(name, flags, dir_fd=directory)
        except OSError:
            return []
        try:
            return os.listdir(found)
        finally:
            os.close(found)

    def forget(self) -> None:
        """Look the next directory up again, from the top."""
        if self._above is not None:
            os.close(self._directory)
        self._above = self._gives = None

    def _parent(self, path: str) -> tuple[int, str]:
        """Open the directory of `path`; returns its descriptor, and the name in it.

        The descriptor is good until the next path.
        """
        above, _, name = path.rpartition("/")
        if above != self._above:
            self.forget()
            directory = os.dup(self._top)
            for part in above.split("/") if above else ():
                try:
                    inner = _open_directory(part, directory)
                finally:
                    os.close(directory)
                directory = inner
            self._directory, self._above = directory, above
        return self._directory, name

    def _would_be_same(self, group: int, directory: int) -> bool:
        """Return whether a file made in the last directory would have this group, and no rights
        beside its mode."""
        if self._gives is None:
            self._gives = _given_group(directory), _gives_rights(directory)
        given, rights = self._gives
        return not rights and given == group


@contextmanager
def opened(top: Path) -> Iterator[WorkingTree]:
    """Open the working tree at `top`."""
    tree = WorkingTree(top)
    try:
        yield tree
    finally:
        tree.close()


def _open_directory(name: str, above: int) -> int:
    """Open a directory. Raises `NotADirectoryError` for a link to one."""
    try:
        return os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name) from None


def _given_group(directory: int) -> int:
    """The group that a directory gives to a new file."""
    found = os.fstat(directory)
    return found.st_gid if found.st_mode & stat.S_ISGID else os.getegid()


def _gives_rights(directory: int) -> bool:
    """Return whether a directory has an access control list for what is made in it (acl(5))."""
    try:
        return bool(os.getxattr(f"/proc/self/fd/{directory}", "system.posix_acl_default"))
    except (AttributeError, OSError):  # another system, or no list
        return False


def _exists(name: str, directory: int) -> bool:
    try:
        os.lstat(name, dir_fd=directory)
    except FileNotFoundError:
        return False
    return True


def _remove(name: str, directory: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)


def _copy(
    source: str | Path,
    source_directory: int | None,
    target: str | Path,
    directory: int | None,
    *,
    inherits: bool = False,
) -> None:
    """Copy a file or a link to a new one, with mode and times; each in an open directory.

    If it `inherits`, its rights are those that the directory gives to a new file.
    """
    found = os.lstat(source, dir_fd=source_directory)
    if stat.S_ISLNK(found.st_mode):
        os.symlink(os.readlink(source, dir_fd=source_directory), target, dir_fd=directory)
        return
    reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=source_directory)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(reading, "rb") as old:
        ordinary = 0o777 if found.st_mode & stat.S_IXUSR else 0o666
        writing = os.open(target, flags, ordinary if inherits else 0o600, dir_fd=directory)
        with os.fdopen(writing, "wb") as new:
            shutil.copyfileobj(old, new)
            new.flush()
            if not inherits:
                os.fchmod(writing, stat.S_IMODE(found.st_mode))
            os.utime(writing, ns=(found.st_atime_ns, found.st_mtime_ns))
            os.fsync(writing)
