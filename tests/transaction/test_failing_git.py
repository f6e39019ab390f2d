"""Recovery while git, or the system, fails: it is reported, and can be done again."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from killed import kill_before, kill_before_call
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(
    b"*** Update File: f\n@@\n-a\n+b\n",
    b"*** Delete File: gone\n",
    b"*** Add File: d/new\n+n\n",
)
_FULL = {"TMPDIR": "/dev/full/none"}
_TARGETS = {"--index": 5, "--carry": 5, "--worktree": 5}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    """Make a repository with a filter, so that content alone does not tell what git wrote."""
    repo.git("config", "filter.dated.smudge", 'sed "s/^#date.*/#date $(date +%N)/"')
    repo.git("config", "filter.dated.clean", "sed 's/^#date.*/#date/'")
    repo.commit({".gitattributes": "f filter=dated\n", "f": "#date\nx\na\ny\nz\n", "gone": "g\n"})
    return repo


def _failing_git(repo: Sandbox, pattern: str, how: str) -> dict[str, str]:
    real = shutil.which("git")
    git = repo.path.with_name("bin") / "git"
    git.parent.mkdir(exist_ok=True)
    git.write_text(f'#!/bin/sh\ncase "$*" in {pattern}) {how} ;; esac\nexec "{real}" "$@"\n')
    git.chmod(0o755)
    return {"PATH": f"{git.parent}{os.pathsep}{os.environ['PATH']}"}


def _state(repo: Sandbox) -> tuple[object, ...]:
    return repo.git("ls-files", "-s"), repo.files()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("target", _TARGETS)
@pytest.mark.parametrize("how", ["kill -9 $$", "exit 128"])
@pytest.mark.parametrize(
    "pattern",
    ['*" update-index "*', '*" ls-files "*', '*" add "*', '*" cat-file "*|*" apply "*'],
)
def test_recovery_is_repeated_until_git_works(
    base: Sandbox, target: str, pattern: str, how: str
) -> None:
    if target == "--carry":
        base.write("f", "#date mine\nx\na\ny\nz\nmine\n")
    before = _state(base)
    kill_before(_TARGETS[target], base, _PATCH, target)
    # as in a copy: what git wrote is told by its own filter alone
    written = base.read("f")
    (base.path / "f").unlink()
    base.write("f", written)
    env = _failing_git(base, pattern, how)
    failed = base.direct("git-opatch", "recover", env=env)
    assert "left as it is" not in failed.out.decode()
    if failed.status:
        assert failed.status == 128, failed
        assert (base.path / ".git/opatch/txn").exists()
    assert base.opatch("recover").status == 0
    assert _state(base) == before


def test_a_filter_whose_output_varies_is_restored(base: Sandbox) -> None:
    before = _state(base)
    kill_before(5, base, _PATCH)
    assert base.opatch("recover").status == 0
    assert _state(base) == before


def test_recovery_without_a_temporary_directory(base: Sandbox) -> None:
    before = _state(base)
    kill_before(5, base, _PATCH)
    base.opatch("recover", env=_FULL)
    assert base.opatch("recover").status == 0
    assert _state(base) == before


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_recovery_without_processes(base: Sandbox) -> None:
    """Git cannot be started at all: nothing is given up.

    The system refuses every new process, as at a limit, which would not hold for root.
    """
    before = _state(base)
    kill_before(5, base, _PATCH)
    refused = "inject=clone,clone3,fork,vfork:error=EAGAIN"
    traced = ["strace", "-qq", "-o", os.devnull, "-e", refused]
    failed = base.program(*traced, sys.executable, "-m", "git_opatch", "recover")
    assert failed.status == 128
    assert "git cannot be started: Resource temporarily unavailable" in failed.err
    assert base.opatch("recover").status == 0
    assert _state(base) == before


@pytest.mark.parametrize("at", ["journal/1.contents", "journal/1.diff", "journal/1.json", "done"])
def test_a_kill_while_the_entry_is_made_makes_one(base: Sandbox, at: str) -> None:
    """It is moved into the journal, file by file, and then the record is gone."""
    kill_before_call(base, "os.rename", f"/opatch/{at}", "apply", feed=_PATCH)
    assert base.opatch("recover").status == 0
    journal = base.path / ".git/opatch/journal"
    assert {file.name for file in journal.iterdir()} == {"1.contents", "1.diff", "1.json"}
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""


def test_what_was_saved_since_is_kept_though_its_filter_stores_the_same(base: Sandbox) -> None:
    kill_before(5, base, _PATCH)
    (base.path / "f").unlink()
    base.write("f", "#date of mine\nx\nb\ny\nz\n")
    assert base.opatch("recover").status == 1
    assert base.read("f") == b"#date of mine\nx\nb\ny\nz\n"
