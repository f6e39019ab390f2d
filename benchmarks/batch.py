"""How many small patches are judged in a second of one processor, in three ways.

python benchmarks/batch.py REPOSITORY... [--patches N] [--jobs N]

The patches are the changes of one hunk in the history of the repositories, each against the commit
before. Seconds of a processor are user and system time of all processes, so that other work does
not count; beside it is the time that passed, which counts that. With `--jobs`, the last way is
measured with 1, 2, … N processes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arguments import parser_of
from git_opatch import Options, Repository, parse_patch, plan_patch

_FEW = 40
"""So many patches are enough to time what takes long."""
_PROGRAM = [sys.executable, "-m", "git_opatch"]


class Task(NamedTuple):
    """A patch and the commit that it is for."""

    repository: str
    base: str
    patch: str


def tasks_of(repository: str, most: int) -> list[Task]:
    """Take the newest changes of one hunk, in a file that was there before."""
    log = ["git", "-C", repository, "log", "--no-merges", "--format=%x01%H", "-p", "-U3",
           "--no-renames", "--diff-filter=M", "--no-color", "--no-ext-diff"]  # fmt: skip
    with subprocess.Popen(log, stdout=subprocess.PIPE, errors="surrogateescape") as process:
        tasks: list[Task] = []
        for commit, patch in _commits(process.stdout or ()):
            if len(tasks) == most:
                process.kill()
                break
            if patch.count("\n@@ ") == 1:
                tasks.append(Task(repository, f"{commit}~1", patch))
    return tasks


def _commits(lines: Iterator[str] | tuple[()]) -> Iterator[tuple[str, str]]:
    commit, patch = "", ""
    for line in lines:
        if line.startswith("\1"):
            yield commit, patch
            commit, patch = line[1:].strip(), ""
        elif patch or line.strip():
            patch += line


def _seconds(judge: Callable[[list[Task]], None], tasks: list[Task]) -> tuple[float, float]:
    before, began = _used(), time.monotonic()
    judge(tasks)
    return _used() - before, time.monotonic() - began


def _used() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _check_each(tasks: list[Task]) -> None:
    for task in tasks:
        words = [*_PROGRAM, "check", "-q", "--base", task.base]
        subprocess.run(words, cwd=task.repository, capture_output=True,
                       input=os.fsencode(task.patch))  # fmt: skip


def _plan_each(tasks: list[Task]) -> None:
    opened: dict[str, Repository] = {}
    for task in tasks:
        repository = opened.get(task.repository) or Repository(task.repository)
        opened[task.repository] = repository
        plan_patch(parse_patch(task.patch), repository, Options(base=task.base))


def _batch(tasks: list[Task], jobs: int = 1) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "tasks")
        rows = ({"id": number, **task._asdict()} for number, task in enumerate(tasks))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        words = [*_PROGRAM, "batch", str(path), "--jobs", str(jobs), "-q"]
        words += ["--output", f"{directory}/results"]
        subprocess.run(words, check=True)


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--patches", type=int, default=2000, help="of all repositories together")
    parser.add_argument("--jobs", type=int, default=1, help="the most processes of a batch")
    given = parser.parse_args()
    for path in given.repositories:
        if not os.path.isdir(path):
            parser.error(f"`{path}` is not a directory")
    share = given.patches // len(given.repositories)
    paths = (os.path.abspath(path) for path in given.repositories)
    tasks = [task for path in paths for task in tasks_of(path, share)]
    few = tasks[:: max(len(tasks) // _FEW, 1)]
    rows: list[tuple[str, Callable[[list[Task]], None], list[Task]]] = [
        ("a process each (`check --base`)", _check_each, few),
        ("`plan_patch` with a repository", _plan_each, few),
    ]
    rows += [
        (f"`git opatch batch --jobs {jobs}`", partial(_batch, jobs=jobs), tasks)
        for jobs in range(1, given.jobs + 1)
    ]
    print("| way | patches | in a second of a processor | in a second that passed |")
    print("| --- | --- | --- | --- |")
    for name, judge, chosen in rows:
        rates = (f"{len(chosen) / seconds:,.0f}" for seconds in _seconds(judge, chosen))
        print(f"| {name} | {len(chosen):,} | {' | '.join(rates)} |")


if __name__ == "__main__":
    main()
