"""A process that judges the tasks that it is sent, until the other end is closed."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection

from git_opatch.batch.judge import Judge, Result, Wanted

READY = "ready"
_PATIENCE = 0.005
"""Seconds that a result waits for the next: the other process wakes up for each list."""
_THRESHOLDS = (50_000, 20, 100)
"""Of garbage collection: a task makes few cycles, and many objects that live as long as it."""


def serve(connection: Connection, wanted: Wanted) -> None:
    """Judge each list of lines that comes, and send back lists of results (D360).

    A Ctrl-C is for the process that started this one. When that one has ended, so does this.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked until now
    from git_opatch.git.runner import leave_repository

    leave_repository()
    judge = Judge(wanted)
    gc.freeze()  # what is imported stays, and need not be searched
    gc.set_threshold(*_THRESHOLDS)
    try:
        connection.send(READY)
        while True:
            for results in _grouped(judge.judge_all(connection.recv())):
                connection.send(results)
    except (EOFError, OSError):
        pass
    finally:
        judge.close()


def _grouped(results: Iterable[Result]) -> Iterator[list[Result]]:
    """Yield all of `results` in lists: those of a few milliseconds together."""
    group: list[Result] = []
    began = 0.0
    for result in results:
        now = time.monotonic()
        began = began if group else now
        group.append(result)
        if now - began >= _PATIENCE:
            yield group
            group = []
    if group:
        yield group
