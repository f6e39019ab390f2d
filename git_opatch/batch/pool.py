"""The processes of this computer that judge: one that dies costs a retry of what it had (D282)."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import NamedTuple

from git_opatch.batch.judge import Extras, Judge, TaskResult, not_judged
from git_opatch.batch.task import TaskLine, portions
from git_opatch.model.errors import SystemCallError

READY = "ready"
_MAX_TASKS = 32
_MAX_BYTES = 1 << 20
"""Of the tasks that are sent at once, if they are more than one."""
_MAX_DEATHS = 2
MAX_FAILED_STARTS = 3
"""Of processes, one after the other: then no process can be started."""
_PATIENCE = 5.0  # seconds for a process to end
_PAUSE = 0.005
"""Seconds that a result waits for the next: the other process wakes up for each list."""
_THRESHOLDS = (50_000, 20, 100)
"""Of garbage collection: a task makes few cycles, and many objects that live as long as it."""


def serve(connection: Connection, extras: Extras) -> None:
    """Judge each list of lines that comes, and send back lists of results (D360).

    A Ctrl-C is for the process that started this one. When that one has ended, so does this.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked until now
    from git_opatch.git.runner import leave_repository

    leave_repository()
    judge = Judge(extras)
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


def _grouped(results: Iterable[TaskResult]) -> Iterator[list[TaskResult]]:
    """Yield all of `results` in lists: those of a few milliseconds together."""
    group: list[TaskResult] = []
    began = 0.0
    for result in results:
        now = time.monotonic()
        began = began if group else now
        group.append(result)
        if now - began >= _PAUSE:
            yield group
            group = []
    if group:
        yield group


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Task(NamedTuple):
    """A task that is to be judged; `deaths` is how many processes ended that had it alone."""

    line: TaskLine
    deaths: int = 0


class Worker:
    """One process, and what it was sent and has not answered."""

    def __init__(self, extras: Extras) -> None:
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=serve, args=(other, extras), daemon=True
        )
        _start(self.process)
        other.close()
        self.is_ready = False
        self.unanswered: deque[_Task] = deque()
        self.is_for_one = False

    def send(self, tasks: Sequence[_Task]) -> None:
        """Send tasks to the process, which has answered all that it was sent before."""
        self.unanswered.extend(tasks)
        self.is_for_one = len(tasks) == 1
        with suppress(OSError):  # it died: that is seen when it is asked for results
            self.connection.send([task.line for task in tasks])

    def receive(self) -> Iterator[TaskResult]:
        """Yield the results that are there. Raises `EOFError` if the process has ended."""
        while True:
            try:
                received = self.connection.recv()
            except OSError:
                raise EOFError from None
            if received == READY:
                self.is_ready = True
            else:
                for result in received:
                    self.unanswered.popleft()
                    yield result
            if not self.connection.poll():
                return

    def end(self) -> str:
        """End the process, if it has not ended, and say how it did."""
        self.connection.close()
        self.process.join(0 if self.unanswered else _PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode or 0
        return f"by {signal.Signals(-code).name}" if code < 0 else f"with the status {code}"


def _start(process: SpawnProcess) -> None:
    """Start a process that a Ctrl-C does not reach before it ignores that."""
    resource_tracker.ensure_running()  # which would let the signal through, below
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Pool:
    """Judges tasks in `jobs` processes. Use it as a context manager."""

    def __init__(self, jobs: int, extras: Extras) -> None:
        self._jobs, self.extras = jobs, extras
        self._workers: list[Worker] = []
        self._again: deque[_Task] = deque()
        self._failed_starts = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.end()

    def judge(self, lines: Iterable[TaskLine]) -> Iterator[list[TaskResult]]:
        """Yield the results of `lines` as they come, in lists. Takes no more than it can use.

        Raises `SystemCallError` if no process can be started.
        """
        waiting = portions(lines, _MAX_TASKS, _MAX_BYTES)
        while True:
            while len(self._workers) < self._jobs and (chunk := self._chunk(waiting)):
                self._workers.append(Worker(self.extras))
                self._workers[-1].send(chunk)
            for worker in self._workers:
                if not worker.unanswered and (chunk := self._chunk(waiting)):
                    worker.send(chunk)
            busy = {worker.connection: worker for worker in self._workers if worker.unanswered}
            if not busy:
                return
            for connection in wait(list(busy)):
                if isinstance(connection, Connection):
                    yield self._results(busy[connection])

    def _results(self, worker: Worker) -> list[TaskResult]:
        results: list[TaskResult] = []
        try:
            for result in worker.receive():
                results += [result]  # what comes before its end is kept
        except EOFError:
            results += self._bury(worker)
        return results

    def _bury(self, worker: Worker) -> list[TaskResult]:
        """Replace a process that died: its tasks are judged again, one by one and not for ever."""
        self._workers.remove(worker)
        how = worker.end()
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts == MAX_FAILED_STARTS:
                raise SystemCallError(f"a process that judges ended as it was started, {how}")
        else:
            self._failed_starts = 0
        if not worker.is_ready or not worker.is_for_one:
            self._again.extendleft(reversed(worker.unanswered))
            return []
        task = worker.unanswered[0]
        task = task._replace(deaths=task.deaths + 1)
        if task.deaths < _MAX_DEATHS:
            self._again.appendleft(task)
            return []
        error = SystemCallError(f"the process that judged it ended {how}, twice")
        return [not_judged(task.line, error, self.extras)]

    def _chunk(self, waiting: Iterator[list[TaskLine]]) -> list[_Task]:
        """Take the next tasks to send; one that a process had when it died goes alone."""
        if self._again:
            return [self._again.popleft()]
        return [_Task(line) for line in next(waiting, [])]
