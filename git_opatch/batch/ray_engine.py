"""The processes of a Ray cluster that judge, or of a Ray that is started here (D284)."""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, redirect_stdout
from itertools import chain, groupby
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from git_opatch.batch.judge import Extras, TaskResult
from git_opatch.batch.pool import MAX_FAILED_STARTS, Pool, cores
from git_opatch.batch.task import TaskLine, portions
from git_opatch.model.errors import InputError, SystemCallError

INSTALL = "pip install 'git-opatch[ray] @ git+https://github.com/git-opatch/git-opatch'"
"""What installs Ray beside the program, which no index has yet."""
_REPOSITORY = re.compile(rb'"repository"\s*:\s*"([^"]*)"')
"""Tells which tasks are sent together, and nothing else."""
_MAX_TASKS = 256
_MAX_BYTES = 4 << 20
"""Of the tasks in a block of Ray Data, if they are more than one."""
_PATIENCE = 10.0  # seconds
_BLOCKS = 16
"""So many blocks for each process are given to Ray at once."""


class _Remote(NamedTuple):
    """The modules of Ray, which are not there unless they are installed."""

    ray: Any
    data: Any
    arrow: Any


class RayEngine:
    """Judges tasks with Ray Data. Use it as a context manager."""

    def __init__(self, jobs: int, extras: Extras, address: str = "") -> None:
        """Use `jobs` processes, or for 0 as many as there are processors.

        `address` is that of a cluster; without one, a Ray of our own is started on this computer.
        """
        self._jobs, self.extras, self._address = jobs, extras, address
        self._remote: _Remote | None = None
        self._closing = ExitStack()

    def __enter__(self) -> RayEngine:
        """Connect. Raises `InputError` if Ray is not installed, or not to be reached."""
        remote = _imported()
        try:
            self._connect(remote)
        except Exception as error:
            self._closing.close()
            where = f"at `{self._address}`" if self._address else "on this computer"
            reason = str(error).strip().partition("\n")[0]
            raise InputError(f"no Ray {where}: {reason or type(error).__name__}") from None
        self._jobs = self._jobs or max(int(remote.ray.cluster_resources().get("CPU", 1)), 1)
        self._remote = remote
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def _connect(self, remote: _Remote) -> None:
        """Connect to the cluster, or start a Ray that reports to nobody and leaves nothing."""
        settings: dict[str, Any] = {"address": self._address}
        if self._address:
            _reach(self._address)
        else:
            directory = TemporaryDirectory(prefix="opatch-ray-", ignore_cleanup_errors=True)
            settings = {
                "num_cpus": self._jobs or cores(),
                "include_dashboard": False,
                "_temp_dir": self._closing.enter_context(directory),
            }
        self._closing.enter_context(redirect_stdout(sys.stderr))  # results go to standard output
        self._closing.callback(remote.ray.shutdown)
        remote.ray.init(log_to_driver=False, logging_level=logging.ERROR, **settings)
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what fails is raised
        context = remote.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.max_consecutive_actor_init_deaths = MAX_FAILED_STARTS

    def judge(self, lines: Iterable[TaskLine]) -> Iterator[list[TaskResult]]:
        """Yield the results of `lines` as they come, in lists.

        Raises `SystemCallError` if Ray cannot judge them.
        """
        waiting = iter(lines)
        while blocks := _blocks(waiting, self._jobs * _BLOCKS):
            yield from self._judged(blocks)

    def _judged(self, blocks: Sequence[Sequence[TaskLine]]) -> Iterator[list[TaskResult]]:
        if self._remote is None:
            raise ValueError("the engine is not open")
        ray, data, arrow = self._remote
        tasks = data.from_arrow([_table(arrow, block) for block in blocks])
        pool = data.ActorPoolStrategy(size=min(self._jobs, len(blocks)))
        judged = tasks.map_batches(
            _JudgeBlocks,
            fn_constructor_args=(self.extras, os.getcwd()),
            batch_size=None,
            batch_format="pyarrow",
            compute=pool,
            num_cpus=1,
        )
        try:
            for table in judged.iter_batches(batch_size=None, batch_format="pyarrow"):
                yield [TaskResult(**row) for row in table.to_pylist()]
        except ray.exceptions.RayError as error:
            reason = str(getattr(error, "cause", error)).strip().partition("\n")[0]
            raise SystemCallError(f"Ray could not judge the tasks: {reason}") from None


class _JudgeBlocks:
    """A process of Ray, which judges tables of tasks in a process of its own.

    So a task at which that one ends costs what it costs without Ray, and Ray's own retries are
    for what happens to it and to its node.
    """

    def __init__(self, extras: Extras, directory: str) -> None:
        """Relative paths in tasks count from `directory`. Raises `OSError` if it is not there."""
        import pyarrow

        os.chdir(directory)
        self._arrow = pyarrow
        self._pool = Pool(1, extras)

    def __call__(self, tasks: Any) -> Any:
        lines = (TaskLine(row["number"], row["text"]) for row in tasks.to_pylist())
        results = chain.from_iterable(self._pool.judge(lines))
        return self._arrow.Table.from_pylist([result._asdict() for result in results])


def _reach(address: str) -> None:
    """Connect to `HOST:PORT` and leave: Ray itself tries for minutes. Raises `OSError`."""
    host, _, port = address.rpartition(":")
    if port.isdigit():
        name = host.rpartition("/")[2].strip("[]")
        socket.create_connection((name, int(port)), _PATIENCE).close()


def _imported() -> _Remote:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        import pyarrow
        import ray
        import ray.data
    except ImportError:
        raise InputError(f"`--engine ray` needs Ray, which is not installed: {INSTALL}") from None
    return _Remote(ray, ray.data, pyarrow)


def _blocks(lines: Iterator[TaskLine], most: int) -> list[list[TaskLine]]:
    """Take the next lines, in `most` blocks or some more, those of a repository side by side.

    So a process opens a repository once, and what it keeps of it serves the next task.
    """
    taken = next(portions(lines, most * _MAX_TASKS, most * _MAX_BYTES), [])
    taken.sort(key=_repository)
    return [
        block
        for _, group in groupby(taken, _repository)
        for block in portions(group, _MAX_TASKS, _MAX_BYTES)
    ]


def _repository(line: TaskLine) -> bytes:
    name = _REPOSITORY.search(line.text or b"")
    return name[1] if name else b""


def _table(arrow: Any, lines: Sequence[TaskLine]) -> Any:
    columns = {
        "number": arrow.array([line.number for line in lines], arrow.int64()),
        "text": arrow.array([line.text for line in lines], arrow.large_binary()),
    }
    return arrow.table(columns)
