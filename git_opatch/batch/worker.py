"""A process that judges the tasks that it is sent, until the other end is closed."""

from __future__ import annotations

import gc
import signal
from multiprocessing.connection import Connection

from git_opatch.batch.judge import Judge, Wanted

READY = "ready"
_THRESHOLDS = (50_000, 20, 100)
"""Of garbage collection: a task makes few cycles, and many objects that live as long as it."""


def serve(connection: Connection, wanted: Wanted) -> None:
    """Judge each list of lines that comes, and send back each result as soon as it is there.

    A Ctrl-C is for the process that started this one. When that one has ended, so does this.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from git_opatch.git.runner import leave_repository

    leave_repository()
    judge = Judge(wanted)
    gc.freeze()  # what is imported stays, and need not be searched
    gc.set_threshold(*_THRESHOLDS)
    try:
        connection.send(READY)
        while True:
            for line in connection.recv():
                connection.send(judge.judge(line))
    except (EOFError, OSError):
        pass
    finally:
        judge.close()
