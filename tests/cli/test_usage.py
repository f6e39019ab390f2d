"""A wrong command line is refused, and what is wrong in it is named."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n"})
    repo.write("p.txt", _PATCH)
    return repo


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("apply --cached --worktree", "--worktree"),
        ("undo x", "N: `x`"),
        ("undo 1 2", "2"),
        ("prompt x", "x"),
        ("undo -1", "-1"),
        ("log -5x", "-5"),
        ("log -n -1", "-n, --max-count: -1"),
        ("log -n x", "-n, --max-count: `x`"),
        ("apply --only", "--only"),
        ("apply --check=yes p.txt", "--check"),
        ("apply --match loose p.txt", "--match: `loose` is not one of strict, resilient, fuzzy"),
        ("apply --3wy p.txt", "--3way"),
        ("apply --owerwrite p.txt", "--overwrite"),
        ("batch --jobs x", "-j, --jobs: `x`"),
        ("--x", "--x"),
        ("aply p.txt", "apply"),
        ("version", "version"),
        ("apply --commit --worktree -m x p.txt", "--commit"),
        ("p.txt", "p.txt"),
        ("check -C1 p.txt", "-C"),
        ("apply --fuzz 2 p.txt", "--fuzz"),
        ("apply -p1 p.txt", "-p1"),
        ("apply --include=a.py p.txt", "--include"),
        ("check -p1 p.txt", "-p"),
        ("show --name-only p.txt", "pipe `git opatch convert`"),
    ],
)
def test_a_wrong_command_line_is_refused(base: Sandbox, line: str, names: str) -> None:
    before = base.state()
    ran = base.opatch(*line.split())
    assert (ran.status, ran.out) == (129, b"")
    first, *rest = ran.err.splitlines()
    assert first.startswith("error: ")
    assert names in first
    assert all(line.startswith("  ") for line in rest)
    assert base.state() == before


@pytest.mark.parametrize("option", ["--no-verify", "--amend"])
def test_an_option_that_is_only_a_little_alike_is_not_suggested(base: Sandbox, option: str) -> None:
    assert base.opatch("apply", option, "p.txt").err == (
        f"error: no such option: {option}; see `git opatch apply -h`\n"
    )


def test_without_a_command_the_usage_is_an_error(base: Sandbox) -> None:
    ran = base.opatch()
    assert (ran.status, ran.out, ran.err[:7]) == (129, b"", "Usage: ")


def test_a_file_or_a_record_may_be_a_number(base: Sandbox) -> None:
    base.write("1", _PATCH)
    ran = base.opatch("apply", "-p", "1")
    assert "not a terminal" in ran.err
    assert base.opatch("check", "--", "1").status == 0
    assert base.opatch("apply", "1").status == 0
    assert base.opatch("log", "-p", "1").status == 0


def test_the_commands_are_listed_in_groups(base: Sandbox) -> None:
    ran = base.opatch("-h")
    titles = [line for line in ran.out.decode().splitlines() if re.match(r"\w.*:$", line)]
    assert titles == ["Options:", "Every day:", "More:", "Plumbing, for programs:"]
    assert base.opatch("help").out == ran.out


def test_help_of_a_command_is_its_option(base: Sandbox) -> None:
    asked = base.opatch("help", "show")
    assert (asked.status, asked.out) == (0, base.opatch("show", "-h").out)
    assert base.opatch("help", "nothing").status == 129


def test_an_option_may_be_shortened_as_long_as_it_is_clear(base: Sandbox) -> None:
    base.write("p.txt", _PATCH)
    assert base.opatch("apply", "--che", "--dir=.", "p.txt").status == 0
    ran = base.opatch("apply", "--pa", "p.txt")
    assert (ran.status, ran.err) == (129, "error: `--pa` could be `--partial` or `--patch`\n")


def test_a_value_that_reads_like_a_shortened_option_stays(base: Sandbox) -> None:
    base.write("p.txt", _PATCH)
    assert base.opatch("apply", "--comm", "-qm", "--comm", "p.txt").status == 0
    assert base.git("log", "-1", "--format=%s") == b"--comm\n"


def test_a_system_without_posix_is_named_in_one_sentence() -> None:
    script = (
        "import sys\n"
        "sys.modules['fcntl'] = None\n"  # as where Python has no such module
        "from git_opatch.__main__ import main\n"
        "main()\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, "log"], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (128, "")
    assert ran.stderr.startswith("error: git opatch needs a POSIX system")
    assert "WSL" in ran.stderr
    assert "Traceback" not in ran.stderr
