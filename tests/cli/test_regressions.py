"""Past bugs, each with the smallest input that shows it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from killed import kill_before
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.errors import ParseError
from git_opatch.model.sentences import Fault, Notice
from git_opatch.parse import parse_patch


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\nb\nc\n", "d/x": "x\n", "d/y": "y\n"})
    return repo


def _refused(repo: Sandbox, patch: bytes, message: str, *options: str, status: int = 1) -> None:
    before = repo.state()
    for check in ((), ("--check",)):
        ran = repo.opatch("apply", *options, *check, feed=patch)
        assert (ran.status, message in ran.err) == (status, True), ran
        assert repo.state() == before


def test_a_submodule_with_a_non_ascii_name_is_refused(base: Sandbox, tmp_path: Path) -> None:
    inner = Sandbox(tmp_path / "inner").init()
    inner.commit({"f": "f\n"})
    oid = inner.git("rev-parse", "HEAD").strip().decode()
    base.git("update-index", "--add", "--cacheinfo", f"160000,{oid},sub\u00e9")
    (base.path / "sub\u00e9").mkdir()
    _refused(base, envelope("*** Add File: sub\u00e9/x\n+h\n".encode()), Fault.SUBMODULE.sentence)


def test_a_missing_git_is_an_error(base: Sandbox, tmp_path: Path) -> None:
    program = shutil.which("git-opatch")
    assert program is not None
    (tmp_path / "bin").mkdir()
    env = {**os.environ, "PATH": str(tmp_path / "bin")}
    ran = subprocess.run([program, "apply"], cwd=base.path, env=env, input=b"", capture_output=True)
    assert (ran.returncode, ran.stderr) == (128, b"error: git is not installed, or not on PATH\n")


def test_work_done_after_a_kill_is_not_undone(base: Sandbox) -> None:
    """Keep the work of a user who removed our lock and went on: set the record aside."""
    patch = envelope(b"*** Add File: pkg/__init__.py\n+x\n", b"*** Update File: f\n@@\n-b\n+B\n")
    kill_before(1, base, patch)
    (base.path / ".git/index.lock").unlink()
    base.write("pkg/__init__.py", "")
    base.git("rm", "--quiet", "f")
    base.git("add", "pkg")
    base.git("commit", "--quiet", "-m", "mine")
    before = base.state()
    ran = base.opatch("apply")
    assert "could not be rolled back completely" in ran.err
    assert base.state() == before
    assert base.opatch("apply").err.count("note:") == 0


def test_read_only_commands_do_not_recover(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: f\n@@\n-b\n+B\n", b"*** Delete File: d/x\n")
    kill_before(3, base, patch)
    before = base.files()
    for words in (("apply", "--check"), ("convert", "--worktree")):
        ran = base.opatch(*words, feed=patch)
        assert (ran.status, "was interrupted" in ran.err) == (128, True)
    assert base.opatch("convert", feed=patch).status == 0
    assert base.files() == before
    ran = base.opatch("apply")
    assert Notice.ROLLED_BACK.fill(files="2 files") in ran.err
    assert base.git("status", "--short") == b""
    assert base.opatch("apply", feed=patch).status == 0


def test_half_a_surrogate_pair_is_an_error() -> None:
    with pytest.raises(ParseError, match="line 2: the text has half a surrogate pair"):
        parse_patch("*** Begin Patch\n\ud800\n")


def test_a_file_that_changed_in_the_second_of_the_index_is_noticed(base: Sandbox) -> None:
    """Its size and times are unchanged; only the age of the index hints at a change."""
    base.git("config", "core.trustCtime", "false")
    for content in ("1\n", "2\n"):
        os.utime(base.write("g", content), (10**9, 10**9))
        if content == "1\n":
            base.git("add", "g")
            os.utime(base.path / ".git/index", (10**9, 10**9))
    ran = base.opatch("convert", "--worktree", feed=envelope(b"*** Update File: g\n@@\n-2\n+3\n"))
    assert (ran.status, b"-2\n+3\n" in ran.out) == (0, True), ran.err


@pytest.mark.parametrize("target", ["--index", "--worktree"])
def test_an_interrupt_of_git_alone_is_reported(repo: Sandbox, target: str) -> None:
    repo.commit({"f": "a\nb\n", ".gitattributes": "f filter=interrupted\n"})
    repo.git("config", "filter.interrupted.clean", "kill -INT $PPID; cat")
    os.utime(repo.path / "f", (1, 1))
    before = repo.files()
    ran = repo.opatch("apply", target, feed=envelope(b"*** Update File: f\n@@\n-b\n+c\n"))
    assert (ran.status, ran.err) == (130, "error: interrupted\n")
    assert repo.files() == before
