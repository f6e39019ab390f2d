"""Nothing of a killed run stays in `TMPDIR`."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from inside import fork
from sandbox import Sandbox
from writers import envelope

from git_opatch.git.scratch import remove_abandoned, scratch_directory

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "scratch"
    directory.mkdir()
    monkeypatch.setenv("TMPDIR", str(directory))
    monkeypatch.setattr("tempfile.tempdir", None)
    return directory


@pytest.mark.parametrize("next_run", [["apply"], ["recover"], ["undo"]])
def test_the_next_run_removes_what_a_kill_left(
    repo: Sandbox, scratch: Path, next_run: list[str]
) -> None:
    repo.commit({"f": "a\n", "g": "g\n"})
    assert repo.opatch("apply", feed=_PATCH.replace(b"-a\n+b", b"-a\n+c")).status == 0
    _abandon(scratch)
    repo.opatch(*next_run, feed=_PATCH)
    assert list(scratch.iterdir()) == []


def _abandon(scratch: Path) -> None:
    """Leave a directory, as a process does that is killed."""
    child = fork()
    if not child:
        with scratch_directory() as directory:
            Path(directory, "objects").mkdir()
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert any(scratch.iterdir())


def test_what_is_in_use_stays(scratch: Path) -> None:
    with scratch_directory() as directory:
        child = fork()
        if not child:
            remove_abandoned()
            os._exit(0)
        os.waitpid(child, 0)
        assert os.path.isdir(directory)
    assert list(scratch.iterdir()) == []


def test_what_is_not_ours_stays(scratch: Path) -> None:
    outside = scratch.parent / "outside"
    outside.mkdir()
    (outside / ".lock").touch()
    (scratch / "other").mkdir()
    own = _own(scratch)
    own.mkdir(mode=0o700)
    (own / "git-opatch-link").symlink_to(outside)
    (own / "git-opatch-file").touch()
    (own / "git-opatch-new").mkdir()
    remove_abandoned()
    left = {path.name for path in own.iterdir()}
    assert left == {"git-opatch-link", "git-opatch-file", "git-opatch-new"}
    assert (outside / ".lock").exists()
    old = time.time() - 3600
    os.utime(own / "git-opatch-new", (old, old))
    remove_abandoned()
    assert not (own / "git-opatch-new").exists()
    assert {path.name for path in scratch.iterdir()} == {"other", own.name}


def _own(scratch: Path) -> Path:
    return scratch / f"git-opatch-{os.geteuid()}"


def test_a_full_directory_costs_nothing(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others have in `TMPDIR` is not even listed."""
    _abandon(scratch)
    real = os.scandir

    def scan(path: str) -> object:
        assert path != str(scratch)
        return real(path)

    monkeypatch.setattr(os, "scandir", scan)
    remove_abandoned()
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "file", "open"])
def test_a_directory_of_somebody_else_is_not_used(scratch: Path, kind: str) -> None:
    """Then it is made in `TMPDIR` itself, and what is left there is found as well."""
    outside = scratch.parent / "outside"
    outside.mkdir(mode=0o700)
    own = _own(scratch)
    if kind == "link":
        own.symlink_to(outside)
    elif kind == "file":
        own.touch()
    else:
        own.mkdir()
        own.chmod(0o770)
    with scratch_directory() as directory:
        assert Path(directory).parent == scratch
    _abandon(scratch)
    remove_abandoned()
    assert list(outside.iterdir()) == []
    assert list(scratch.iterdir()) in ([own], [])  # one that is empty and ours may go


def test_two_runs_share_the_directory(scratch: Path) -> None:
    with scratch_directory() as first:
        with scratch_directory() as second:
            assert Path(first).parent == Path(second).parent == _own(scratch)
        assert Path(first).is_dir()
    assert list(scratch.iterdir()) == []


def test_the_directory_may_go_at_any_moment(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run that is done removes it just when it was found to be there."""
    real, left = os.mkdir, 3

    def made_and_gone(path: str, mode: int = 0o777) -> None:
        nonlocal left
        real(path, mode)
        if Path(path) == _own(scratch) and left:
            left -= 1
            os.rmdir(path)

    monkeypatch.setattr(os, "mkdir", made_and_gone)
    with scratch_directory() as directory:
        assert Path(directory).parent == _own(scratch)


def test_the_next_run_removes_a_demo_that_was_killed(repo: Sandbox, scratch: Path) -> None:
    repo.commit({"f": "a\n"})
    command = [sys.executable, "-c", _KILLED_DEMO]
    assert repo.program(*command).status == -signal.SIGKILL
    assert list(scratch.rglob("greet.py"))
    assert repo.opatch("recover").status == 0
    assert list(scratch.iterdir()) == []


_KILLED_DEMO = """
import os, signal, sys

def note(event, arguments):
    if event == "subprocess.Popen" and "commit" in map(str, arguments[1]):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(note)
sys.argv = ["git-opatch", "demo"]
from git_opatch.__main__ import main
main()
"""


def test_a_directory_that_is_being_made_is_not_abandoned(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the moments when its lock is made and when it is held, another run looks at it."""
    real = fcntl.flock

    def held_late(lock: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", real)
        remove_abandoned()
        real(lock, how)

    monkeypatch.setattr(fcntl, "flock", held_late)
    with scratch_directory() as directory:
        assert Path(directory).is_dir()
        remove_abandoned()
        assert Path(directory).is_dir()
    assert list(scratch.iterdir()) == []
