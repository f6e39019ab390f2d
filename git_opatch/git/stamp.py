"""What tells whether a file was touched since it was looked at."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple

_AS_IT_IS = os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


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
