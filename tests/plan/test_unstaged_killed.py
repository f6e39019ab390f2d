"""`--carry` killed or overtaken at any moment: all or nothing, and no user change lost."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from inside import fork
from killed import kill_before
from sandbox import Sandbox
from writers import envelope

from git_opatch.git.repository import Repository
from git_opatch.model.options import Options
from git_opatch.model.sentences import Notice
from git_opatch.operations.apply import apply_patch
from git_opatch.operations.recover import recover_interrupted
from git_opatch.parse import parse_patch

_BEFORE = "".join(f"line {number}\n" for number in range(1, 21))
_MINE = _BEFORE.replace("line 2\n", "line 2\nmine\n")
_CARRIED = _MINE.replace("line 10\n", "ten\n")
_WHOLE = envelope(
    b"*** Add File: d/new\n+new\n*** Delete File: block\n",
    b"*** Update File: f\n@@\n-line 10\n+ten\n",
    b"*** Update File: other\n*** Move to: moved\n@@\n-other\n+another\n",
)


def _dirty(path: Path) -> Sandbox:
    repo = Sandbox(path).init()
    repo.commit({"f": _BEFORE, "other": "other\n1\n2\n", "block": "b\n", "staged": "1\n"})
    repo.write("staged", "2\n")
    repo.git("add", "staged")
    repo.write("f", _MINE)
    repo.write("other", "other\n1\n2\nmine\n")
    return repo


def _shown(repo: Sandbox) -> tuple[object, ...]:
    return repo.git("ls-files", "-s"), repo.files()


def _leftovers(repo: Sandbox) -> set[str]:
    own = repo.path / ".git/opatch"
    names = set(os.listdir(own)) if own.exists() else set()
    index = {name for name in os.listdir(own.parent) if name.startswith("index")}
    return (names | index) - {"lock", "journal", "index"}


_EVENTS = ("open", "os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod",
           "shutil.rmtree", "subprocess.Popen")  # fmt: skip


def _killed_at(number: int, git: Path, work: Callable[[], object]) -> bool:
    """Do `work` in a process that is killed before its n-th audit event."""
    child = fork()
    if child == 0:
        seen = 0

        def note(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if event in _EVENTS and (seen or "txn" in str(arguments[0])):
                seen += event == "subprocess.Popen" or str(arguments[0]).startswith(str(git))
                if seen == number:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(note)
        try:
            work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_a_kill_at_any_moment_is_atomic(tmp_path: Path, step: int) -> None:
    template = _dirty(tmp_path / "template")
    before = _shown(template)
    done = Sandbox(tmp_path / "done")
    shutil.copytree(template.path, done.path)
    assert done.opatch("apply", "--carry", feed=_WHOLE).status == 0
    after = _shown(done)
    assert done.read("f").decode() == _CARRIED
    assert done.read("moved") == b"another\n1\n2\nmine\n"
    patch, outcomes = parse_patch(_WHOLE), []
    for number in range(1, 1000, step):
        repo = Sandbox(tmp_path / str(number))
        shutil.copytree(template.path, repo.path)
        repository = Repository(repo.path)
        work = partial(apply_patch, patch, repository, Options(carry=True))
        killed = _killed_at(number, repo.path, work)
        recover_interrupted(repository)
        assert _shown(repo) in (before, after), number
        assert _leftovers(repo) == set(), number
        outcomes.append(_shown(repo) == after)
        shutil.rmtree(repo.path)
        if not killed:
            break
    # The calls of two runs may differ by a few, so only the ends are certain.
    assert (outcomes[0], outcomes[-1]) == (False, True)
    assert outcomes.count(False) > 20 / step
    assert outcomes.count(True) > 3 / step


def _with_git(tmp_path: Path, script: str) -> dict[str, str]:
    """Give an environment in which git is a script; `$real` is git."""
    hook = tmp_path / "bin/git"
    hook.parent.mkdir()
    hook.write_text(f'#!/bin/sh\nreal="{shutil.which("git")}"\n{script}\nexec "$real" "$@"\n')
    hook.chmod(0o755)
    return {"PATH": f"{hook.parent}{os.pathsep}{os.environ['PATH']}"}


def _apply(repo: Sandbox, env: dict[str, str]) -> str:
    patch = repo.path.with_name("patch")
    patch.write_bytes(_WHOLE)
    ran = repo.direct("git-opatch", "apply", "--carry", str(patch), env=env, fork=True)
    assert ran.status != 0
    return ran.err


_PLANNED, _WRITING = (
    f'case "$*" in *" {word} "*) {{}} ;; esac' for word in ("check-attr", "apply")
)
"""The files have been read, and nothing is written yet; git writes the index."""


@pytest.mark.parametrize("processes", ["$PPID $$", "$$"])
def test_a_kill_while_git_writes_is_recovered(tmp_path: Path, processes: str) -> None:
    """Git writes beside the working tree, where nothing changes until all is written."""
    repo = _dirty(tmp_path / "repo")
    before = _shown(repo)
    script = _WRITING.format(f'"$real" "$@"; kill -9 {processes}')
    _apply(repo, _with_git(tmp_path, script))
    assert _shown(repo) == before
    assert (repo.path / ".git/opatch/txn").exists() == ("PPID" in processes)
    assert repo.opatch("recover").status == 0
    assert _shown(repo) == before
    assert _leftovers(repo) == set()


@pytest.mark.parametrize("step", range(1, 8))
def test_a_kill_between_two_files_is_recovered(tmp_path: Path, step: int) -> None:
    repo = _dirty(tmp_path / "repo")
    before = _shown(repo)
    kill_before(step, repo, _WHOLE, "--carry")
    assert repo.opatch("recover").status == 0
    assert _shown(repo) == before
    assert _leftovers(repo) == set()


def test_changes_after_a_kill_are_kept(tmp_path: Path) -> None:
    repo = _dirty(tmp_path / "repo")
    before = _shown(repo)
    kill_before(7, repo, _WHOLE, "--carry")
    (repo.path / "f").unlink()
    repo.write("f", "mine alone\n")
    ran = repo.opatch("recover")
    assert (ran.status, ran.err) == (1, "")
    where = ran.out.decode().partition(Notice.LEFT_SAVED.fill(path="f", saved=""))[2]
    assert Path(where.splitlines()[0]).read_text() == _MINE
    assert repo.read("f") == b"mine alone\n"
    assert repo.git("ls-files", "-s") == before[0]


@pytest.mark.parametrize("how", ["echo later >>f", "cp f f2; echo later >>f2; mv f2 f"])
@pytest.mark.parametrize("moment", [_PLANNED, _WRITING])
def test_changes_while_git_writes_are_noticed(tmp_path: Path, how: str, moment: str) -> None:
    repo = _dirty(tmp_path / "repo")
    index = repo.git("ls-files", "-s")
    env = _with_git(tmp_path, moment.format(f"grep -q later f || {{ {how}; }}"))
    assert "f was changed meanwhile" in _apply(repo, env)
    assert repo.read("f").decode() == _MINE + "later\n"
    assert repo.git("ls-files", "-s") == index
    assert repo.read("other") == b"other\n1\n2\nmine\n"
