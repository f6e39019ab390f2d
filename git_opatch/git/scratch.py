"""Directories for a moment, in `TMPDIR`; the next run removes what a killed one left there.

They are in a directory of each user's own, which is gone when it is empty. So a run looks at what
was left, and not at all that others have in `TMPDIR` (D230).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from git_opatch.model.errors import InputError

PREFIX = "git-opatch-"
_NEW = 60  # seconds; a process locks its directory as soon as it has made it
_ATTEMPTS = 100
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def scratch_directory() -> Iterator[str]:
    """Make a directory, and remove it with all that is in it; gives its path.

    Its owner holds a lock (`flock`) on it, which ends with the owner's process.
    """
    directory = _make_directory()
    try:
        lock = os.open(directory, _DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield directory
        finally:
            os.close(lock)
    finally:
        remove_lasting(directory)


def _make_directory() -> str:
    for _ in range(_ATTEMPTS):
        with suppress(FileNotFoundError):  # another run has just removed the directory above
            return tempfile.mkdtemp(prefix=PREFIX, dir=_own_directory())
    return tempfile.mkdtemp(prefix=PREFIX)


def lasting_directory(name: str) -> str:
    """Make the directory `name`, or find it: it is there until `remove_lasting`; gives its path.

    Raises `InputError` if it cannot be this user's alone.
    """
    directory = os.path.join(_own_directory(), name)
    try:
        with suppress(FileExistsError):
            os.mkdir(directory, 0o700)
        if _is_own(directory):
            return directory
        reason = "it belongs to another user"
    except OSError as error:
        reason = error.strerror or "it cannot be made"
    raise InputError(f"cannot use the directory {directory}: {reason}")


def remove_lasting(directory: str | Path) -> None:
    """Remove a directory with all that is in it."""
    shutil.rmtree(directory, ignore_errors=True)
    with suppress(OSError):  # it is not empty, or not there
        os.rmdir(_name_of_own())


def _own_directory() -> str:
    """Make the directory of this user; `TMPDIR` itself if somebody else has that name."""
    directory = _name_of_own()
    with suppress(FileExistsError):
        os.mkdir(directory, 0o700)
    return directory if _is_own(directory) else tempfile.gettempdir()


def _name_of_own() -> str:
    return os.path.join(tempfile.gettempdir(), f"{PREFIX}{os.geteuid()}")


def _is_own(directory: str) -> bool:
    """Return whether nobody else can write in `directory`, which is not a link."""
    found = os.lstat(directory)
    is_closed = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    return is_closed and found.st_uid == os.geteuid()


def remove_abandoned() -> None:
    """Remove the directories of this user whose owner is dead, if that is possible."""
    with suppress(OSError):
        for directory in Path(_own_directory()).glob(f"{PREFIX}*"):
            if directory.lstat().st_uid == os.geteuid():
                _remove_if_abandoned(directory)
        os.rmdir(_name_of_own())


def _remove_if_abandoned(directory: Path) -> None:
    """Remove `directory` if nobody has its lock; one that is empty is perhaps not locked yet."""
    with suppress(OSError):
        lock = os.open(directory, _DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock).st_mtime < time.time() - _NEW or os.listdir(lock):
                shutil.rmtree(directory)
        finally:
            os.close(lock)
