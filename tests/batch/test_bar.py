"""Counts are shown on a terminal, and erased before the last line; nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from batches import write_tasks
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
_LAST = r"600 tasks \([\d,]+/s\): 600 would apply; 0 could not be judged\n"


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    # a process that Python keeps for those it has spawned would keep the terminal open
    monkeypatch.setattr(Sandbox, "as_program", True)
    tasks = [{"id": n, "files": {"f": "a\n"}, "patch": _PATCH} for n in range(600)]
    write_tasks(tmp_path / "tasks", tasks)
    return ["batch", str(tmp_path / "tasks"), "-o", str(tmp_path / "results"), "--jobs", "1"]


def test_the_rate_and_the_counts_are_shown(repo: Sandbox, words: list[str]) -> None:
    status, seen = in_terminal(repo, *words, columns=140)
    assert status == 0
    assert re.search(r"\x1b\[K\d+ tasks \([\d,]+/s\): \d+ would apply; 0 could not be judged", seen)
    assert re.search(r"\x1b\[K" + _LAST + "$", seen)


def test_nothing_is_shown_where_it_is_not_wanted(repo: Sandbox, words: list[str]) -> None:
    status, seen = in_terminal(repo, *words, env={"TERM": "dumb"})
    assert (status, bool(re.fullmatch(_LAST, seen))) == (0, True)
    assert in_terminal(repo, *words, "--quiet") == (0, "")
