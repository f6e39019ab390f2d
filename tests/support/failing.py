"""Let one call of the program to the system fail: by its number, within a run in this process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_CALLS = {
    "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.symlink", "os.truncate",
    "os.chmod", "os.utime", "subprocess.Popen",
}  # fmt: skip
KILL = -1
"""Instead of an error: the process is killed before the call."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class _Faults:
    """Counts the calls that change something, and fails one of them."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.fails_at = 0
        self.error = 0
        self.active = False

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Look at a call, as an audit hook (sys.addaudithook); raises `OSError` to fail it."""
        if not self.active:
            return
        if event in _CALLS or (event == "open" and _is_written(arguments)):
            self.count(event, str(arguments[0]))

    def count(self, event: str, path: str) -> None:
        self.seen.append(f"{event} {path}")
        if len(self.seen) == self.fails_at:
            self.fails_at = 0
            if self.error == KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(self.error, os.strerror(self.error), path)


_faults = _Faults()
_installed = False


def _is_written(arguments: tuple[Any, ...]) -> bool:
    path, _, flags = arguments
    return isinstance(path, (str, bytes, os.PathLike)) and bool(flags & _WRITING)


@contextmanager
def failing(at: int, error: int) -> Iterator[list[str]]:
    """Fail the call of this number with `error`; gives the calls that were made. 0 fails none.

    Counted are calls that rename, link, delete, create, sync, open for writing or start a process.
    """
    global _installed
    if not _installed:
        sys.addaudithook(_faults.audit)
        _installed = True
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        _faults.count("os.fsync", "")
        sync(descriptor)

    _faults.seen, _faults.fails_at, _faults.error, _faults.active = [], at, error, True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        try:
            yield _faults.seen
        finally:
            _faults.active = False
