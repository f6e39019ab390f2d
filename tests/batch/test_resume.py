"""A batch that ends at any moment leaves whole lines, and goes on where it stopped."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from batches import write_tasks
from sandbox import Sandbox
from writers import envelope

_SECONDS = 60


def _tasks(count: int) -> list[dict[str, Any]]:
    patch = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
    return [{"id": f"task {n}", "files": {"f": f"{n}\na\n"}, "patch": patch} for n in range(count)]


def _results(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def _ids(path: Path) -> Counter[str]:
    return Counter(result["id"] for result in _results(path))


def _start(repo: Sandbox, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["git-opatch", "batch", *words],
        cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def _wait_for_lines(path: Path, count: int) -> None:
    deadline = time.monotonic() + _SECONDS
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_each_id_is_there_once_after_kills(repo: Sandbox, tmp_path: Path, kills: int) -> None:
    """Killed with all it has started, or alone, at random moments."""
    count = 300 * kills  # more than are judged between the kills
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, _tasks(count))
    chance = random.Random(kills)
    for number in range(kills):
        before = output.read_bytes().count(b"\n") if output.exists() else 0
        process = _start(repo, str(tasks), "--output", str(output), "--jobs", "2")
        _wait_for_lines(output, before + 1)
        time.sleep(chance.random() * 0.1)
        if number % 2:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate()
        lines = output.read_bytes().splitlines()[:-1]  # the last may be cut
        assert len({json.loads(line)["id"] for line in lines}) == len(lines)
        _wait_until_ended(output)
    ran = repo.opatch("batch", str(tasks), "--output", str(output), "--jobs", "2")
    assert ran.status == 0
    assert f"{count:,} tasks, " in ran.err
    assert _ids(output) == Counter(task["id"] for task in _tasks(count))


def _wait_until_ended(output: Path) -> None:
    """Wait until no process that was left has the file open: it is locked."""
    deadline = time.monotonic() + _SECONDS
    while subprocess.run(["flock", "-n", str(output), "true"]).returncode:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_processes_end_with_the_one_that_started_them(repo: Sandbox, tmp_path: Path) -> None:
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, _tasks(1000))
    process = _start(repo, str(tasks), "--output", str(output), "--jobs", "2")
    _wait_for_lines(output, 1)
    process.kill()
    process.communicate()  # the standard error of all is closed, so all have ended
    deadline = time.monotonic() + _SECONDS
    while _processes_of(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _processes_of(group: int) -> list[str]:
    listed = subprocess.run(["ps", "-o", "args=", "-s", str(group)], capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if "defunct" not in line]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="signals are read from /proc")
def test_an_interrupt_reaches_no_process_that_judges(repo: Sandbox, tmp_path: Path) -> None:
    """Nor one that is only starting, which would print a traceback."""
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, _tasks(1000))
    process = _start(repo, str(tasks), "--output", str(output), "--jobs", "2")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    seen = 0
    while process.poll() is None and not (output.exists() and output.read_bytes().count(b"\n") > 2):
        for child in children.read_text().split():
            with suppress(OSError):  # it has ended
                status = Path(f"/proc/{child}/status").read_text()
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    masks = re.findall(r"^Sig(?:Blk|Ign):\s*(\w+)$", status, re.MULTILINE)
                    assert any(int(mask, 16) & 1 << signal.SIGINT - 1 for mask in masks)
                    seen += 1
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert seen


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive)]
)
def test_an_interrupt_leaves_whole_lines(
    repo: Sandbox, tmp_path: Path, number: signal.Signals
) -> None:
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, _tasks(1000))
    process = _start(repo, str(tasks), "--output", str(output), "--jobs", "2")
    _wait_for_lines(output, 3)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=_SECONDS)
    done = _ids(output)
    assert max(done.values()) == 1
    assert b"Traceback" not in errors
    if number is signal.SIGINT:
        assert process.returncode == 130
        assert errors.decode() == (
            f"error: interrupted; {len(done):,} tasks have a result; to go on, give the same "
            "command again\n"
        )
    ran = repo.opatch("batch", str(tasks), "-q", "--output", str(output))
    assert (ran.status, ran.err) == (0, "")
    assert _ids(output) == Counter(task["id"] for task in _tasks(1000))


def test_what_is_done_is_not_judged_again(repo: Sandbox, tmp_path: Path) -> None:
    """Lines that are removed are judged again, wherever they were; a torn one, too."""
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, [*_tasks(40), {"id": "bad"}])
    words = ("batch", str(tasks), "--output", str(output), "--jobs", "1")
    assert repo.opatch(*words).status == 1
    whole = output.read_bytes()
    again = repo.opatch(*words)
    assert again.status == 1
    assert again.err == (
        'error: line 41 (id "bad"): `repository` is missing; a task has `repository` and '
        "`base`, or `files`\n"
        "41 tasks, 41 of them by an earlier run: 40 would apply; 1 could not be judged\n"
    )
    assert output.read_bytes() == whole
    lines = whole.splitlines(keepends=True)
    left = [*lines[3:20], *lines[21:25], lines[26], *lines[28:], b'{"line":7,"id":"ta']
    output.write_bytes(b"".join(left))
    assert repo.opatch(*words).status == 1
    assert output.read_bytes().startswith(b"".join(left[:-1]))
    assert sorted(output.read_bytes().splitlines(keepends=True)) == sorted(lines)


def test_more_tasks_may_be_added_at_the_end(repo: Sandbox, tmp_path: Path) -> None:
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    for count in (5, 9):
        write_tasks(tasks, _tasks(count))
        assert repo.opatch("batch", str(tasks), "-q", "-o", str(output)).status == 0
        assert len(_ids(output)) == count


def test_results_of_other_tasks_are_not_touched(repo: Sandbox, tmp_path: Path) -> None:
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, _tasks(5))
    words = ("batch", str(tasks), "--output", str(output))
    assert repo.opatch(*words).status == 0
    results = output.read_bytes()
    for other in (_tasks(6)[1:], _tasks(3), []):
        write_tasks(tasks, other)
        ran = repo.opatch(*words)
        assert ran.status == 128
        assert "name another output" in ran.err
        assert output.read_bytes() == results
        reason = "the task there has the id" if other[:1] == _tasks(6)[1:2] else "there is no task"
        assert f": {reason}" in ran.err
    write_tasks(tasks, _tasks(5))
    output.write_bytes(results + results[: results.index(b"\n") + 1])
    ran = repo.opatch(*words)
    assert (ran.status, ran.err.count("line ")) == (128, 1)
    assert '\n  line 1 (id "task 0"): it has another result, too\n' in ran.err
    for content in (b"my notes\n", results + results, results + b"{}\n", b"\0" * 70_000 + b"\n"):
        output.write_bytes(content)
        ran = repo.opatch(*words)
        assert (ran.status, ran.out) == (128, b"")
        assert output.read_bytes() == content


def test_a_task_that_changed_has_no_result(repo: Sandbox, tmp_path: Path) -> None:
    """Nor one of which another result is wanted: its verdict would be that of another patch."""
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    listed = _tasks(3)
    write_tasks(tasks, listed)
    words = ("batch", str(tasks), "--output", str(output))
    assert repo.opatch(*words).status == 0
    results = output.read_bytes()
    mended = [listed[0], {**listed[1], "files": {"f": "c\n"}}, listed[2]]
    for given, extra in ((mended, ()), (listed, ("--diff",)), (listed, ("--tree",))):
        write_tasks(tasks, given)
        ran = repo.opatch(*words, *extra)
        assert (ran.status, ran.out) == (128, b"")
        assert "or name another output\n" in ran.err
        reason = "the task has changed since, or `--diff` or `--tree` has"
        named = [f'line {n} (id "task {n - 1}")' for n in ((2,) if not extra else (1, 2, 3))]
        assert ran.err.splitlines()[1:] == [f"  {name}: {reason}" for name in named]
        assert output.read_bytes() == results
    write_tasks(tasks, mended)
    rows = [line for line in results.splitlines(True) if json.loads(line)["line"] != 2]
    output.write_bytes(b"".join(rows))
    assert repo.opatch(*words).status == 0
    verdicts = {result["line"]: result["verdict"] for result in _results(output)}
    assert verdicts == {1: "would_apply", 2: "refused", 3: "would_apply"}


def test_a_file_that_is_no_result_loses_no_byte(repo: Sandbox, tmp_path: Path) -> None:
    """Its last line has no newline, as that of a result that was cut."""
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, _tasks(1))
    for content in (b"notes", b"notes\nmore"):
        output.write_bytes(content)
        ran = repo.opatch("batch", str(tasks), "--output", str(output))
        assert ran.status == 128
        assert output.read_bytes() == content


def test_two_runs_do_not_write_to_one_file(repo: Sandbox, tmp_path: Path) -> None:
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    write_tasks(tasks, _tasks(1))
    output.write_bytes(b"")
    with subprocess.Popen(["flock", str(output), "cat"], stdin=subprocess.PIPE) as holder:
        deadline = time.monotonic() + _SECONDS
        while not subprocess.run(["flock", "-n", str(output), "true"]).returncode:
            assert time.monotonic() < deadline
        ran = repo.opatch("batch", str(tasks), "--output", str(output))
        assert (ran.status, ran.err) == (
            128, f"error: another batch is writing to `{output}`\n"
        )  # fmt: skip
        assert holder.stdin is not None
        holder.stdin.close()


def test_a_closed_pipe_ends_the_run(repo: Sandbox, tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks", _tasks(1000))
    ran = repo.run("bash", "-c", f"git-opatch batch '{tmp_path}/tasks' | head -n 1; "
                   "echo ${PIPESTATUS[0]}")  # fmt: skip
    first, status = ran.out.splitlines()
    assert json.loads(first)["verdict"] == "would_apply"
    assert (status, ran.err) == (b"1", "")


def test_not_more_than_ten_tasks_are_named(repo: Sandbox, tmp_path: Path) -> None:
    tasks, output = tmp_path / "tasks", tmp_path / "results"
    listed = _tasks(14)
    write_tasks(tasks, [*listed, *({"id": n} for n in range(12))])
    words = ("batch", str(tasks), "--output", str(output), "--jobs", "1")
    ran = repo.opatch(*words)
    assert ran.err.count("error: line ") == 10
    assert "\nand 2 more; their results have the reasons\n26 tasks (" in ran.err
    write_tasks(tasks, [{**task, "files": {}} for task in listed])
    ran = repo.opatch(*words)
    assert (ran.status, ran.err.count("line ")) == (128, 10)
    assert re.search(r"\n  line 10 \(.*\n  and 16 more\n$", ran.err)
