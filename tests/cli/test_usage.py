"""What is wrong with a command line is said in our words, with what to do instead."""

from __future__ import annotations

import re

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
    ("line", "message"),
    [
        ("undo x", "`x` is not a number; to see the numbers: git opatch log"),
        ("undo 1 2", "`git opatch undo` takes one argument; see `git opatch undo -h`"),
        ("prompt x", "`git opatch prompt` takes no arguments; see `git opatch prompt -h`"),
        ("undo -1", "`git opatch undo` has no option `-1`; write 1 without `-`"),
        ("log -5x", "`git opatch log` has no option `-5`; write 5 without `-`"),
        ("log -n -1", "-n, --max-count: -1 is less than 0; see `git opatch log -h`"),
        ("apply --wait nan p.txt", "--wait: nan is less than 0; see `git opatch apply -h`"),
        ("log -n x", "-n, --max-count: `x` is not a number; see `git opatch log -h`"),
        ("apply --only", "`--only` needs a value; see `git opatch apply -h`"),
        ("apply --check=yes p.txt", "`--check` takes no value; see `git opatch apply -h`"),
        (
            "apply --match loose p.txt",
            "--match: `loose` is not one of `strict`, `resilient`, `fuzzy`; see `git opatch apply "
            "-h`",
        ),
        ("apply --3wy p.txt", "`git opatch apply` has no option `--3wy`; did you mean `--3way`?"),
        ("batch --jobs x", "-j, --jobs: `x` is not a number; see `git opatch batch -h`"),
        ("--x", "`git opatch` has no option `--x`; see `git opatch -h`"),
        ("aply p.txt", "`aply` is not a command of git opatch; did you mean `apply`?"),
        ("x p.txt", "`x` is not a command of git opatch; see `git opatch -h`"),
        ("version", "`version` is not a command of git opatch; write `git opatch --version`"),
        (
            "apply --commit --worktree -m x p.txt",
            "--commit commits what is staged, and --worktree stages nothing\n  to apply and commit"
            ": leave out --worktree (or write --index, if opatch.target is worktree)",
        ),
        (
            "p.txt",
            "`p.txt` is not a command of git opatch\n"
            "  to apply the patch in it: git opatch apply p.txt",
        ),
        ("undo --amend", "`git opatch undo` has no option `--amend`; see `git opatch undo -h`"),
        (
            "batch --include a",
            "`git opatch batch` has no option `--include`; see `git opatch batch -h`",
        ),
        (
            "check -C1 p.txt",
            "`git opatch check` has no option `-C`\n  no hunk is matched more loosely; `--3way` "
            "merges what was written for an older version",
        ),
        (
            "apply --fuzz 2 p.txt",
            "`git opatch apply` has no option `--fuzz`\n  no hunk is matched more loosely; "
            "`--3way` merges what was written for an older version",
        ),
    ],
)
def test_a_wrong_command_line_is_explained(base: Sandbox, line: str, message: str) -> None:
    before = base.state()
    ran = base.opatch(*line.split())
    assert (ran.status, ran.out, ran.err) == (129, b"", f"error: {message}\n")
    assert base.state() == before


@pytest.mark.parametrize("command", ["apply", "check", "show", "convert"])
@pytest.mark.parametrize("words", [["-p1"], ["-p", "1"], ["-p0"], ["-p2"]])
def test_stripping_is_answered(base: Sandbox, command: str, words: list[str]) -> None:
    ran = base.opatch(command, *words, "p.txt")
    assert (ran.status, ran.out) == (129, b"")
    assert "with `a/` and `b/` in front and without; leave out -p0 and -p1\n" in ran.err
    assert "in place of -p2 and more: write the paths in the patch as they are in the" in ran.err
    assert base.opatch(command, "p.txt").status == 0


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
    assert titles == ["Options:", "Every day:", "Scripts and CI:", "Agents:", "Other:"]
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
