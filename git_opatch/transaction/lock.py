"""One writer at a time: the lock of git opatch, the lock of the index, and deferred signals."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TypeVar

from git_opatch.model.errors import BusyError, Interrupted, RepositoryError
from git_opatch.model.text import visible

PATIENCE = 10.0  # seconds
"""How long a run waits for another one, or for a git that has the index locked."""
_SILENCE, _PAUSE = 1.0, 0.05
_Result = TypeVar("_Result")
_APPLIED = "interrupted; the patch had been applied by then, all of it"


class _Progress:
    """How far the process is, for an interrupt that comes at the very moment when it is done."""

    applied = False


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def locked(folder: Path) -> Iterator[int]:
    """Hold the lock in `folder`; gives its descriptor, which git inherits.

    It is a `flock`: after a kill it lasts as long as any process that inherited it, git and its
    hooks included, so whoever gets it knows that no git of an interrupted run is still writing. At
    the end it is released for all of them, whatever they leave running. The file names the process
    that took it. Raises `BusyError`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise RepositoryError(f"cannot write to {folder}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(at_work(folder)) from None
        try:
            with suppress(OSError):  # such as a full disk: it is only said
                os.ftruncate(lock, 0)
                os.pwrite(lock, str(os.getpid()).encode(), 0)
            yield lock
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)
    finally:
        os.close(lock)


def is_locked(folder: Path) -> bool:
    """Return whether a process holds the lock in `folder`; writes nothing."""
    try:
        lock = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)  # until it is closed
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def at_work(folder: Path) -> str:
    """Say that a process holds the lock in `folder`, and which."""
    with suppress(OSError):
        if number := (folder / "lock").read_text(errors="replace"):
            return f"another git opatch is at work in this repository (process {visible(number)})"
    return "another git opatch is at work in this repository"


def when_free(work: Callable[[], _Result]) -> _Result:
    """Call `work`, again and again for `PATIENCE` seconds while it raises `BusyError`.

    Raises the last one. After a second what is waited for is logged, as a warning of the logger
    `git_opatch`, which Python prints to standard error unless the program has set up another way.
    `work` must have changed nothing when it raises it.
    """
    start, is_said = time.monotonic(), False
    while True:
        try:
            return work()
        except BusyError as error:
            waited = time.monotonic() - start
            if waited >= PATIENCE:
                raise
            if waited >= _SILENCE and error.is_logged and not is_said:
                import logging  # takes as long as a small plan

                logging.getLogger("git_opatch").warning("note: waiting: %s", error)
                is_said = True
        time.sleep(_PAUSE)


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Defer signals that would end this process; raise `Interrupted` afterwards if one came."""
    received: list[int] = []
    _Progress.applied = False

    def receive(number: int, _: FrameType | None) -> None:
        received.append(number)

    try:
        handlers = {number: signal.signal(number, receive) for number in _SIGNALS}
    except ValueError:  # not the main thread, which alone gets signals
        yield
        return
    try:
        yield
        _Progress.applied = True
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if received:
        raise Interrupted(_APPLIED)


def interruption() -> Interrupted:
    """The error of a command that was interrupted: it says whether all was applied by then.

    No `with` can tell what comes between the end of one and the start of the next.
    """
    return Interrupted(_APPLIED if _Progress.applied else "interrupted")


@contextmanager
def after_commit() -> Iterator[None]:
    """Say of an interrupt that all was applied by then: what is left to do changes nothing."""
    try:
        yield
    except (Interrupted, KeyboardInterrupt):
        raise Interrupted(_APPLIED) from None


def link_or_copy(source: str | Path, target: str | Path) -> None:
    """Make `target`, which must not exist, a hard link to `source`, or a copy if it cannot be.

    A link takes no space; both have the times and the mode of `source`.
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
