"""What is written to the disk before the next step, so that a power cut finds it there (D202).

`core.fsync` and `core.fsyncMethod` are git's settings for that (git-config(1)). Git itself syncs
neither the working tree nor the index nor loose objects, unless it is told to.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EROFS)
"""Where a file system syncs no directories, or nothing at all (fsync(2))."""


class Durability(Enum):
    """How files are synced."""

    NONE = "none"
    """Not at all: `core.fsync=none`."""
    TOGETHER = "together"
    """With all of their file system, where there is such a call, since each sync takes as long."""
    EACH = "each"
    """One by one: `core.fsyncMethod=fsync`."""

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Durability:
        """What the user's settings ask for."""
        components: set[str] = {"default"}
        for component in settings.get("core.fsync", "").replace(" ", "").split(","):
            if component == "none":
                components = set()
            elif component and not component.startswith("-"):
                components.add(component)
        if not components:
            return cls.NONE
        return cls.EACH if settings.get("core.fsyncmethod") == "fsync" else cls.TOGETHER

    def sync(self, paths: Iterable[str | Path]) -> None:
        """Write files and directories to the disk. Raises `OSError` if that fails.

        What does not exist, or is a symbolic link, is skipped: only its directory is synced.
        """
        if self is Durability.NONE:
            return
        files = list(dict.fromkeys(map(str, paths)))
        if self is Durability.EACH or len(files) < 2 or not _sync_systems(files):
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
