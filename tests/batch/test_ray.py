"""Ray judges as the processes of this computer do, byte for byte. A real Ray is started."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from batches import write_tasks
from sandbox import Ran, Sandbox
from writers import envelope

from git_opatch.batch import ray_engine
from git_opatch.batch.task import TaskLine

_SECONDS = 600  # thousands of tasks, on a busy machine
_REPOSITORIES = 5


@pytest.fixture
def installed() -> None:
    pytest.importorskip("ray", reason=f"Ray is not installed: {ray_engine.INSTALL}")


def _tasks(directory: Path, count: int) -> list[Any]:
    """Give tasks for several repositories, and for files; some are refused, some are not tasks."""
    chosen = random.Random(count)
    for number in range(_REPOSITORIES):
        repo = Sandbox(directory / f"repo {number}").init()
        repo.commit({f"{n}.py": f"def f{n}():\n    return {number}\n" for n in range(20)})
        repo.commit({"0.py": "def f0():\n    return 0\n\n\ndef g0():\n    return 0\n"})
    tasks: list[Any] = []
    for number in range(count):
        old = chosen.randrange(_REPOSITORIES)
        hunk = f"@@\n-    return {old}\n+    return {number}\n"
        update = f"*** Update File: {chosen.randrange(20)}.py\n{hunk}"
        task: dict[str, Any] = {"id": number, "patch": envelope(update.encode()).decode()}
        kind = chosen.randrange(10)
        if kind == 0:
            task["files"] = {f"{n}.py": f"    return {n % _REPOSITORIES}\n" for n in range(20)}
        else:
            task["repository"] = f"repo {chosen.randrange(_REPOSITORIES)}"
            task["base"] = chosen.choice(("HEAD", "HEAD~1", "HEAD~1", "HEAD~1"))
        if kind == 1:
            del task[chosen.choice(("repository", "base", "patch", "id"))]
        tasks.append(task)
    return tasks


def _judged(directory: Path, *words: str) -> Ran:
    command = ("git-opatch", "batch", "tasks", "--diff", "--tree", *words)
    return Sandbox(directory).program(*command, seconds=_SECONDS)


def _lines(ran: Ran) -> list[bytes]:
    return sorted(ran.out.splitlines())


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("count", [1000, pytest.param(3000, marks=pytest.mark.exhaustive)])
def test_results_are_equal_byte_for_byte(tmp_path: Path, count: int) -> None:
    write_tasks(tmp_path / "tasks", _tasks(tmp_path, count))
    local = _judged(tmp_path)
    by_ray = _judged(tmp_path, "--engine", "ray", "--jobs", "2")
    assert by_ray.status == local.status == 1  # some are not tasks
    assert len(_lines(local)) == count
    assert _lines(by_ray) == _lines(local)
    verdicts = {json.loads(line)["verdict"] for line in _lines(local)}
    assert {"would_apply", "refused", "error"} <= verdicts
    assert "Traceback" not in by_ray.err


@pytest.mark.usefixtures("installed")
def test_a_worker_that_is_killed_costs_a_retry(tmp_path: Path) -> None:
    """Killed are processes of Ray, and those of ours that judge for them."""
    write_tasks(tmp_path / "tasks", _tasks(tmp_path, 3000))
    local = _judged(tmp_path, "--output", "local")
    words = ["git-opatch", "batch", "tasks", "--diff", "--tree", "--engine", "ray"]
    words += ["--jobs", "2", "--output", "ray"]
    run = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE)
    killed: list[str] = []
    for pattern in ("ray::MapWorker", "multiprocessing.spawn", "ray::MapWorker"):
        while run.poll() is None and not (found := list(_below(run.pid, pattern))):
            time.sleep(0.02)
        if run.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(random.choice(found), signal.SIGKILL)
            killed.append(pattern)
            time.sleep(0.5)
    _, err = run.communicate(timeout=240)
    assert run.returncode == local.status, err.decode()
    assert len(killed) == 3
    results = [(tmp_path / name).read_bytes().splitlines() for name in ("ray", "local")]
    assert sorted(results[0]) == sorted(results[1])


def _below(pid: int, pattern: str) -> Iterator[int]:
    """Yield the processes that `pid` started, or these did, whose command has `pattern`."""
    commands, parents = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                commands[int(entry.name)] = (entry / "cmdline").read_text(errors="replace")
                status = (entry / "stat").read_text(errors="replace")
                parents[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
    for each, command in commands.items():
        ancestor = each
        while ancestor not in (pid, 0):
            ancestor = parents.get(ancestor, 0)
        if ancestor == pid and pattern in command and each != pid:
            yield each


@pytest.mark.usefixtures("installed")
def test_an_interrupted_run_is_continued(tmp_path: Path) -> None:
    """By the processes of this computer, too: a result does not tell who judged."""
    tasks = _tasks(tmp_path, 6000)
    write_tasks(tmp_path / "tasks", tasks)
    words = ["git-opatch", "batch", "tasks", "--output", "out"]
    ray = [*words, "--engine", "ray", "--jobs", "2"]
    run = subprocess.Popen(ray, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True)
    while run.poll() is None and not _size(tmp_path / "out"):
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert b"Traceback" not in err
    assert 0 < len((tmp_path / "out").read_bytes().splitlines()) < len(tasks)
    Sandbox(tmp_path).program(*words)
    numbers = [json.loads(line)["line"] for line in (tmp_path / "out").read_bytes().splitlines()]
    assert sorted(numbers) == list(range(1, len(tasks) + 1))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.mark.usefixtures("installed")
def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks", _tasks(tmp_path, 1))
    ran = _judged(tmp_path, "--engine", "ray", "--address", "localhost:1")
    assert (ran.status, ran.out) == (128, b"")
    assert "error: no Ray at `localhost:1`: " in ran.err
    assert "Traceback" not in ran.err


def test_without_ray_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sandbox, "as_program", False)
    monkeypatch.setitem(sys.modules, "ray", None)
    write_tasks(tmp_path / "tasks", [{"id": 1}])
    ran = Sandbox(tmp_path).opatch("batch", str(tmp_path / "tasks"), "--engine", "ray")
    assert (ran.status, ran.out) == (128, b"")
    assert ran.err.endswith(f": {ray_engine.INSTALL}\n")


def test_an_address_is_for_ray(tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks", [{"id": 1}])
    ran = Sandbox(tmp_path).opatch("batch", str(tmp_path / "tasks"), "--address", "auto")
    assert (ran.status, ran.out) == (129, b"")
    assert "--engine ray" in ran.err


def test_tasks_of_a_repository_are_side_by_side() -> None:
    """So a process opens it once; a block has no tasks of two, and none is too large."""
    texts = [b'{"id": %d, "repository": "%d"}' % (n, n % 3) for n in range(1000)]
    lines = [TaskLine(n, text) for n, text in enumerate((*texts, None, b"["), 1)]
    blocks = ray_engine._blocks(iter(lines), 16)
    assert sorted(line for block in blocks for line in block if line.text) == sorted(
        line for line in lines if line.text
    )
    names = [{ray_engine._repository(line) for line in block} for block in blocks]
    assert all(len(name) == 1 for name in names)
    found = [next(iter(name)) for name in names]
    assert [name for n, name in enumerate(found) if name not in found[:n]] == sorted(set(found))
    assert max(map(len, blocks)) <= 256
