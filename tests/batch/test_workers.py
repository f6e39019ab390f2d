"""A process that dies costs a retry; a task that ends two of them is a result of its own."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from batches import write_tasks
from documents import RESULT_VALIDATOR
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
# Git ends the process that asks it about a repository with such a file, once or each time.
_GIT = """#!/bin/sh
case "$*" in *cat-file*)
    if [ -e "$2/once" ]; then rm "$2/once"; kill -9 $PPID; fi  # git -C "$2"
    if [ -e "$2/always" ]; then kill -9 $PPID; fi
esac
exec {git} "$@"
"""


@pytest.fixture
def deadly(tmp_path: Path) -> dict[str, str]:
    """Give an environment in which git is deadly."""
    script = tmp_path / "bin/git"
    script.parent.mkdir()
    script.write_text(_GIT.format(git=shutil.which("git")))
    script.chmod(0o755)
    return {"PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}


def _tasks(tmp_path: Path, *deaths: str) -> list[dict[str, Any]]:
    """Give ten tasks for each repository; `deaths` is what is in their git directories."""
    tasks = []
    for number, death in enumerate(deaths):
        repo = Sandbox(tmp_path / f"repo {number}").init()
        repo.commit({"f": "a\n"})
        if death:
            repo.write(f".git/{death}", "")
        tasks += [
            {"id": f"{number}.{n}", "repository": str(repo.path), "base": "HEAD", "patch": _PATCH}
            for n in range(10)
        ]
    return tasks


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.exhaustive), "2"])
def test_a_process_that_dies_costs_a_retry(
    tmp_path: Path, deadly: dict[str, str], jobs: str
) -> None:
    tasks = _tasks(tmp_path, "", "once", "", "once")
    write_tasks(tmp_path / "tasks", tasks)
    ran = Sandbox(tmp_path).program("git-opatch", "batch", "tasks", "--jobs", jobs, env=deadly)
    assert ran.status == 0, ran.err
    results = [json.loads(line) for line in ran.out.splitlines()]
    assert sorted(result["id"] for result in results) == sorted(task["id"] for task in tasks)
    assert {result["verdict"] for result in results} == {"would_apply"}


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.exhaustive), "2"])
def test_a_task_that_ends_two_processes_is_not_judged(
    tmp_path: Path, deadly: dict[str, str], jobs: str
) -> None:
    tasks = _tasks(tmp_path, "", "always", "")
    tasks = [task for task in tasks if task["id"][0] != "1" or task["id"] in ("1.3", "1.7")]
    write_tasks(tmp_path / "tasks", tasks)
    ran = Sandbox(tmp_path).program(
        "git-opatch", "batch", "tasks", "--jobs", jobs, "--diff", "--tree", env=deadly
    )
    assert ran.status == 1
    assert ran.err.endswith(": 20 would apply; 2 could not be judged\n")
    results = [json.loads(line) for line in ran.out.splitlines()]
    assert len(results) == len(tasks)
    failed = [result for result in results if result["verdict"] == "error"]
    assert sorted(result["id"] for result in failed) == ["1.3", "1.7"]
    for result in failed:
        RESULT_VALIDATOR.validate(result)
        (failure,) = result["document"]["failures"]
        assert failure["reason"] == "system"
        assert failure["message"] == "the process that judged it ended by SIGKILL, twice"


def test_a_process_that_does_not_start_ends_the_run(tmp_path: Path) -> None:
    """Else every task would cost two of them."""
    write_tasks(tmp_path / "tasks", [{"id": 1}])
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif any('spawn_main' in word for word in sys.orig_argv): os._exit(3)\n"
    )
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    ran = Sandbox(tmp_path).program("git-opatch", "batch", "tasks", env={"PYTHONPATH": path})
    assert (ran.status, ran.out) == (128, b"")
    assert "error: a process that judges ended as it was started" in ran.err
    assert "Traceback" not in ran.err
