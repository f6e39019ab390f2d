"""`git opatch check`: each patch by itself, and commands."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from phrases import said
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.model.sentences import Fault

GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n", b"*** Add File: n\n+n\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\nz\n", "sub/f": "a\ny\n"})
    return repo


def test_a_call_in_a_plain_directory_is_checked(base: Sandbox, tmp_path: Path) -> None:
    patch = envelope(b"*** Update File: f\n@@\n a\n-y\n+b\n").decode()
    words = ("check", "--argv", "--", "apply_patch", patch)
    assert base.opatch(*words).status == 1
    assert base.opatch(*words, cwd=base.path / "sub").status == 0
    plain = tmp_path / "plain"
    plain.mkdir()
    ran = base.opatch(*words, cwd=plain)
    assert ran.status == 1
    assert ran.err.startswith(
        f"  error: f: {said(Fault.MISSING_FILE.sentence, base='the working tree')}\n"
        "    patch line 2\n"
    )
    (plain / "f").write_text("a\ny\n")
    assert base.opatch(*words, cwd=plain).status == 0
    assert base.opatch("check", "--3way", *words[1:], cwd=plain).status == 0
    assert base.opatch("check", cwd=plain, feed=GOOD).status == 128
    ran = base.opatch("check", "--argv", "--base", "HEAD", "--", "apply_patch", patch, cwd=plain)
    assert (ran.status, "no repository" in ran.err) == (128, True)


def test_patches_are_checked_in_a_bare_repository(base: Sandbox, tmp_path: Path) -> None:
    base.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    ran = bare.opatch("check", feed=GOOD)
    assert (ran.status, "; `--base TREE-ISH` works without one\n" in ran.err) == (128, True)
    assert bare.opatch("check", "--base", "main", feed=GOOD).status == 0
    ran = bare.opatch("check", "--argv", "--base", "main", "--", "apply_patch", GOOD.decode())
    assert (ran.status, ran.err) == (0, "")


# --- progress -------------------------------------------------------------------------------

_SLOWLY = """
import sys, time
from git_opatch.report.terminal import with_progress

def slowly():
    for number in range(4):
        time.sleep(float(sys.argv[1]))
        yield number

for number in with_progress(slowly(), 4):
    print(number, flush=True)
"""


def _with_progress(repo: Sandbox, seconds: str, env: dict[str, str]) -> str:
    (repo.path / "with_progress.py").write_text(_SLOWLY)
    return in_terminal(repo, "with_progress.py", seconds, env=env, program=sys.executable)[1]


def test_progress_appears_after_a_second(repo: Sandbox) -> None:
    """It is erased before anything else is written on its line."""
    seen = _with_progress(repo, "0.6", {"NO_COLOR": "1"})
    assert seen == "0\n1\n\r\x1b[K2 of 4\r\x1b[K2\n\r\x1b[K3 of 4\r\x1b[K3\n"


def test_a_short_run_has_no_progress(repo: Sandbox) -> None:
    assert _with_progress(repo, "0", {}) == "0\n1\n2\n3\n"


def test_no_progress_without_a_terminal(repo: Sandbox) -> None:
    assert _with_progress(repo, "0.6", {"TERM": "dumb"}) == "0\n1\n2\n3\n"
    ran = repo.run(sys.executable, "-c", _SLOWLY, "0.6")
    assert (ran.out, ran.err) == (b"0\n1\n2\n3\n", "")


_TIMED = """
import sys, time
from git_opatch.report.terminal import timed

with timed("undo"):
    time.sleep(float(sys.argv[1]))
print("done")
"""


@pytest.mark.parametrize(
    ("seconds", "env", "shown"),
    [
        ("2.5", {}, "\r\x1b[Kundo: 1 s\r\x1b[Kundo: 2 s\r\x1b[K"),
        ("0.1", {}, ""),
        ("1.5", {"TERM": "dumb"}, ""),
    ],
)
def test_long_work_says_how_long_it_takes(
    repo: Sandbox, seconds: str, env: dict[str, str], shown: str
) -> None:
    (repo.path / "timed.py").write_text(_TIMED)
    seen = in_terminal(repo, "timed.py", seconds, env=env, program=sys.executable)[1]
    assert seen == f"{shown}done\n"


def test_progress_does_not_change_the_verdicts(repo: Sandbox) -> None:
    repo.commit({"a": "one\n", "p": envelope(b"*** Update File: a\n@@\n-one\n+1\n")})
    status, seen = in_terminal(repo, "check", *["p"] * 15, env={"NO_COLOR": "1"})
    lines = re.sub(r"\d+ of 15 [^\r]*\r\x1b\[2K", "", seen).splitlines()
    assert (status, lines) == (0, [*["p: would apply (1 file)"] * 15, "15 of 15 patches apply"])
