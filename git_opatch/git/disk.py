"""What is written to the disk before the next step, so that a power cut finds it there (D202).

`core.fsync` and `core.fsyncMethod` are git's settings for that (git-config(1)). Git itself syncs
neither the working tree nor the index nor loose objects, unless it is told to.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EROFS)
"""Where a file system syncs no directories, or nothing at all (fsync(2))."""


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


def loose_object(objects: str | Path, oid: str) -> str:
    """Where the object `oid` is, if it is in a file of its own (gitrepository-layout(5))."""
    return f"{objects}/{oid[:2]}/{oid[2:]}"
