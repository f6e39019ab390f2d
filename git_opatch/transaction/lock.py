"""One writer at a time: the lock of git opatch, the lock of the index, and held signals."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TypeVar

from git_opatch.errors import BusyError, Interrupted, RepositoryError

_PAUSE = 0.05
_Done = TypeVar("_Done")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def exclusive(folder: Path) -> Iterator[int]:
    """Hold the lock in `folder`; gives its descriptor, which git inherits.

    It is a `flock`, so after a kill it is gone with the last process that holds it, git and its
    hooks included, and who has it knows that no git of an interrupted run is still writing. What
    they leave running holds nothing once this is over. Raises `BusyError`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise RepositoryError(f"cannot write to {folder}: {error.strerror}") from None
    try:
        _take(lock)
        try:
            yield lock
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)
    finally:
        os.close(lock)


def _take(lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BusyError(
            "another git opatch is at work in this repository; try again when it is done, or "
            "use --wait SECONDS"
        ) from None


def patiently(work: Callable[[], _Done], seconds: float) -> _Done:
    """What `work` gives, which is tried again for so many seconds while a lock is held.

    Raises `BusyError` if it is held even then; who raises that has changed nothing.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            return work()
        except BusyError:
            left = end - time.monotonic()
            if not left > 0:  # nor if it is no number
                raise
        time.sleep(min(left, _PAUSE))


@contextmanager
def held_signals() -> Iterator[None]:
    """Let no signal end this process inside; afterwards raise `Interrupted` if one came."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)

    try:
        before = {number: signal.signal(number, note) for number in _SIGNALS}
    except ValueError:  # not the main thread: signals do not come here
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise Interrupted("interrupted; the patch had been applied by then, all of it")


def lock_index(index: Path, token: Path) -> None:
    """Take git's own lock of `index`, so that nobody else changes it meanwhile.

    The lock is a link to `token`: who finds it after a kill can tell whose it is. Raises
    `BusyError` if another process has it.
    """
    try:
        link_or_copy(token, lock_of(index))
    except FileExistsError:
        raise BusyError(
            f"the index is locked: {lock_of(index)} exists; another git process is at work, "
            "or one was killed (then remove that file)"
        ) from None


def unlock_index(index: Path, token: Path) -> None:
    """Give the lock of `index` back, if it is ours."""
    if has_lock(index, token):
        lock_of(index).unlink()


def has_lock(index: Path, token: Path) -> bool:
    """Whether the lock of `index` is there, and is a link to `token`."""
    try:
        return lock_of(index).read_bytes() == token.read_bytes()
    except OSError:
        return False


def lock_of(index: Path) -> Path:
    """Where git puts the lock of an index."""
    return index.with_name(index.name + ".lock")


def link_or_copy(source: str | Path, target: str | Path) -> None:
    """Let `target`, which must not exist, be `source`: a hard link where there are any.

    A link costs no space and keeps times and mode; a copy keeps them, too.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        _copy(Path(source), Path(target))


def _copy(source: Path, target: Path) -> None:
    if source.is_symlink():
        os.symlink(os.readlink(source), target)
        return
    with source.open("rb") as old, target.open("xb") as new:
        shutil.copyfileobj(old, new)
    shutil.copystat(source, target)
