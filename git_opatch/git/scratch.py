"""Directories for a moment, in `TMPDIR`; the next run removes what a killed one left there."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PREFIX = "git-opatch-"
_LOCK = ".lock"
_NEW_LOCK = ".lock.new"
_NEW = 60  # seconds; a process locks its directory as soon as it has made it


@contextmanager
def scratch_directory() -> Iterator[str]:
    """Make a directory, and remove it with all that is in it; gives its path.

    Its owner holds a lock (`flock`) in it, which ends with the owner's process. The lock gets its
    name when it is held, so that no other run finds it free.
    """
    with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
        new = os.path.join(directory, _NEW_LOCK)
        lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.rename(new, os.path.join(directory, _LOCK))
            yield directory
        finally:
            os.close(lock)


def remove_abandoned() -> None:
    """Remove the directories of this user whose owner is dead, if that is possible."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        names = [entry.path for entry in entries if entry.name.startswith(PREFIX)]
        for name in names:
            _remove_if_abandoned(name)


def _remove_if_abandoned(directory: str) -> None:
    """Remove `directory` if its lock is nobody's.

    One that has no lock yet is removed if it is empty, and not new. A link is left alone, and so is
    what belongs to another user.
    """
    try:
        found = os.lstat(directory)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return
        if found.st_mtime < time.time() - _NEW:
            with suppress(OSError):
                os.unlink(os.path.join(directory, _NEW_LOCK))
            with suppress(OSError):
                os.rmdir(directory)
        lock = os.open(os.path.join(directory, _LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    else:
        shutil.rmtree(directory, ignore_errors=True)
    finally:
        os.close(lock)
