"""Files on disk: what tells whether one was touched, and what a power cut finds of it (D202).

`core.fsync` and `core.fsyncMethod` are git's settings for that (git-config(1)). Git itself syncs
neither the working tree nor the index nor loose objects, unless it is told to.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EROFS)
"""Where a file system syncs no directories, or nothing at all (fsync(2))."""


_AS_IT_IS = os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


def sync(paths: Iterable[str | Path], settings: Mapping[str, str]) -> None:
    """Write files and directories to the disk, as the user's settings say. Raises `OSError`.

    With all of their file system, where there is such a call, since each sync takes as long, unless
    `core.fsyncMethod` is `fsync`; not at all where `core.fsync` is `none`. What does not exist, or
    is a symbolic link, is skipped: only its directory is synced.
    """
    components = {"default"}
    for component in settings.get("core.fsync", "").replace(" ", "").split(","):
        if component == "none":
            components = set()
        elif component and not component.startswith("-"):
            components.add(component)
    if not components:
        return
    files = list(dict.fromkeys(map(str, paths)))
    each = settings.get("core.fsyncmethod") == "fsync" or len(files) < 2
    if each or not _sync_systems(files):
        for file in files:
            _sync(file)


def _sync(file: str) -> None:
    try:
        descriptor = os.open(file, _OPEN)
    except OSError:  # a link, a file that may not be read, or none
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def _sync_systems(files: Iterable[str]) -> bool:
    """Sync all file systems that have one of `files`; False if that cannot be done here."""
    import ctypes  # takes 2 ms

    try:
        call = ctypes.CDLL(None, use_errno=True).syncfs  # of Linux (syncfs(2))
    except (AttributeError, OSError):
        return False
    directories: dict[int, str] = {}
    for name in {file.rpartition("/")[0] for file in files}:
        with suppress(OSError):
            directories.setdefault(os.stat(name).st_dev, name)
    for directory in directories.values():
        descriptor = os.open(directory, _OPEN)
        try:
            if call(descriptor):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), directory)
        finally:
            os.close(descriptor)
    return True


class Stamp(NamedTuple):
    """What changes when a file is written to, replaced, or given another mode."""

    device: int
    inode: int
    mode: int
    size: int
    modified: int
    changed: int
    """When the inode was changed, in nanoseconds: also by a rename and by a link."""

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file that `lstat` found."""
        return cls(
            found.st_dev,
            found.st_ino,
            found.st_mode,
            found.st_size,
            found.st_mtime_ns,
            found.st_ctime_ns,
        )

    def is_same_content(self, other: Stamp) -> bool:
        """Return whether this is the same file, not written to; moved and linked at most."""
        return self[:-1] == other[:-1]  # without `changed`


def read_regular(path: str | Path) -> bytes:
    """Read a regular file: no link is followed, and no pipe waited for. Raises `OSError`."""
    with os.fdopen(_opened(path, os.O_RDONLY), "rb") as content:
        return content.read()


def write_regular(path: str | Path, *pieces: bytes) -> None:
    """Write a regular file, which may be there, in the same way. Raises `OSError`."""
    with os.fdopen(_opened(path, os.O_WRONLY | os.O_CREAT), "wb") as content:
        content.truncate()
        content.writelines(pieces)


def _opened(path: str | Path, flags: int) -> int:
    descriptor = os.open(path, flags | _AS_IT_IS, 0o666)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def is_regular(path: str) -> bool:
    """Return whether a regular file is at `path`, and not a link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
