"""Judge all tasks: read, leave out what has a result, judge, write. Memory does not grow with them.

A result is written whole: a file of results ends with a whole line after every end of the program
but a kill while it writes, and that line is dropped by the next run (D283).
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import IO, NamedTuple, Protocol, TypeVar

from git_opatch.batch.judge import NOT_JUDGED, Extras, TaskResult
from git_opatch.batch.task import TaskLine, id_of, read_lines, task_line
from git_opatch.model.errors import BusyError, InputError
from git_opatch.report.batch import task_name

_HEAD = re.compile(
    rb'\{"line":(\d{1,18}),"id":(null|-?\d{1,4000}|"(?:[^"\\]|\\.)*"),"digest":"([0-9a-f]+)",'
    rb'"verdict":"([a-z_]+)"'
)
_START = b'{"line":'
_PIECE = 1 << 16
MOST_LISTED = 10
"""Tasks that a message names."""


class Done(NamedTuple):
    """A task that has a result: the number of its line, its id and digest, and the verdict.

    `line` is its result.
    """

    number: int
    id: str | int | None
    digest: str
    verdict: str
    line: bytes


class Output:
    """Standard output, or a file that is continued. Use it as a context manager."""

    def __init__(self, name: str | None) -> None:
        """Open the file `name`, or standard output for None.

        Raises `InputError` if it cannot be written, `BusyError` if another run writes to it.
        """
        self.name = name
        self._file = _open_locked(name) if name is not None else None
        self._writes = False

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            if self._writes:
                with suppress(OSError):
                    _drop_torn_line(self._file)  # where the disk is full
            self._file.close()

    def done(self) -> Iterator[Done]:
        """Yield the tasks that have a result. Raises `InputError` for what is not a result."""
        if self._file is None:
            return
        with open(self._file.fileno(), "rb", closefd=False) as file:
            file.seek(0)
            for number, line in enumerate(file, 1):
                head = _HEAD.match(line)
                if not line.endswith(b"\n") and line[: len(_START)] == _START[: len(line)]:
                    return  # cut by a kill
                if head is None or not line.endswith(b"}}\n"):
                    raise InputError(f"`{self.name}` line {number} is not a result of a batch")
                digest, verdict = head[3].decode(), head[4].decode()
                yield Done(int(head[1]), json.loads(head[2]), digest, verdict, line)

    def write(self, lines: bytes) -> None:
        """Write whole lines. Raises `OSError`."""
        descriptor = 1 if self._file is None else self._file.fileno()
        if self._file is not None and not self._writes:
            _drop_torn_line(self._file)
            self._writes = True
        rest = memoryview(lines)
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def _open_locked(name: str) -> IO[bytes]:
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        file = open(descriptor, "r+b", buffering=0)  # noqa: SIM115 - `Output` closes it
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot write results to `{name}`: {reason}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise BusyError(f"another batch is writing to `{name}`") from None
    return file


def _drop_torn_line(file: IO[bytes]) -> None:
    """Cut what follows the last newline, which a kill has left."""
    size = end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(end - _PIECE, 0)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        file.truncate(end)


def without_done(
    lines: Iterable[TaskLine], done: Iterable[Done], extras: Extras, output: str | None
) -> Iterator[TaskLine]:
    """Yield the tasks that are not `done`, in order; `output` is the file of the results.

    Both are read side by side, so that only the tasks between those that are done are in memory.
    Raises `InputError` if results are not of the tasks on their lines, or of other options; it
    names the first of them, each with the reason.
    """
    waiting: dict[int, TaskLine] = {}
    coming = iter(lines)
    read = more = 0
    wrong: list[str] = []
    for result in done:
        reason = "there is no task" if result.number > read else "it has another result, too"
        while read < result.number and (line := next(coming, None)):
            waiting[line.number] = line
            read = line.number
        line = waiting.pop(result.number, None)
        if line is None or extras.digest(line) != result.digest:
            reason = _what_differs(line, result) if line else reason
            if len(wrong) < MOST_LISTED:
                wrong.append(f"\n  {task_name(result.number, result.id)}: {reason}")
            else:
                more += 1
    if wrong:
        raise InputError(
            f"`{output}` has results that do not belong to these tasks: remove these "
            "results to have the tasks judged again, or name another output"
            + "".join(wrong)
            + (f"\n  and {more:,} more" if more else "")
        )
    yield from waiting.values()
    yield from coming


def _what_differs(line: TaskLine, result: Done) -> str:
    """Say why `result` is not that of the task on its line."""
    if (task_id := id_of(line)) != result.id:
        return f"the task there has the id {json.dumps(task_id)}"
    return "the task has changed since, or `--diff` or `--tree` has"


_Result = TypeVar("_Result", Done, TaskResult)


class Engine(Protocol):
    """What judges tasks: the processes of this computer, or others."""

    extras: Extras

    def judge(self, lines: Iterable[TaskLine]) -> Iterator[list[TaskResult]]:
        """Yield the results of `lines`, in any order, as they come."""


class Tally(NamedTuple):
    """How many tasks have each verdict, and how many of them had it before this run.

    `not_judged` are the results of the first that could not be judged.
    """

    verdicts: Mapping[str, int]
    before: int = 0
    not_judged: Sequence[bytes] = ()


def judge_all(
    tasks: IO[bytes], engine: Engine, output: Output, repositories: str = ""
) -> Iterator[Tally]:
    """Judge the tasks that have no result in `output`, and write it there.

    The repositories of a benchmark's rows are in the directory `repositories`.

    Yields the tally at the beginning and after each write. Raises `InputError` if `output` is not
    of these tasks, `OSError` if it cannot be written, and what the engine raises.
    """
    verdicts: Counter[str] = Counter()
    failed: list[bytes] = []
    done = _counted(output.done(), verdicts, failed)
    lines = (task_line(line, repositories) for line in read_lines(tasks))
    waiting = without_done(lines, done, engine.extras, output.name)
    first = [*islice(waiting, 1)]  # by then, all that is done was read
    before = verdicts.total()
    yield Tally(verdicts, before, failed)
    for results in engine.judge(chain(first, waiting)) if first else ():
        output.write(b"".join(result.line for result in results))
        deque(_counted(results, verdicts, failed), 0)
        yield Tally(verdicts, before, failed)


def _counted(
    results: Iterable[_Result], verdicts: Counter[str], failed: list[bytes]
) -> Iterator[_Result]:
    """Count results as they come; keep the first of those that could not be judged."""
    for result in results:
        verdicts[result.verdict] += 1
        if result.verdict == NOT_JUDGED and len(failed) < MOST_LISTED:
            failed.append(result.line)
        yield result
