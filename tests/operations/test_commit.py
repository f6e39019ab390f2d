"""`apply --commit`: the patch, and nothing else, is committed, as `git commit` does it."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.model.sentences import Notice

_UPDATE = b"*** Update File: f\n@@\n-two\n+2\n"
_PATCH = envelope(_UPDATE, b"*** Add File: n\n+n\n")
_MESSAGE = ("-m", "Say 2")


def hook(repo: Sandbox, name: str, script: str) -> None:
    """Install the script as the hook."""
    repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "one\ntwo\nthree\n", "other": "o\n"})
    repo.write(".git/p", _PATCH)
    return repo


def _head(repo: Sandbox) -> str:
    return repo.git("rev-parse", "HEAD").decode().strip()


def _message(repo: Sandbox) -> str:
    return repo.git("log", "-1", "--format=%B").decode().rstrip("\n")


def _in_terminal(repo: Sandbox, editor: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    script = repo.write(".git/editor", f"#!/bin/sh\n{editor}\n")
    script.chmod(0o755)
    monkeypatch.setenv("GIT_EDITOR", str(script))
    monkeypatch.setenv("TERM", "xterm")
    return in_terminal(repo, "apply", "--commit", ".git/p", keyboard=True)


def test_the_editor_opens_the_template(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    base.write(".git/template", "Template\n")
    base.git("config", "commit.template", ".git/template")
    editor = 'cp "$1" .git/shown; echo Written >"$1"'
    status, out = _in_terminal(base, editor, monkeypatch)
    assert status == 0, out
    assert _message(base) == "Written"
    assert base.read(".git/shown").startswith(b"Template\n")
    assert b"new file:   n" in base.read(".git/shown")


def test_an_empty_message_from_the_editor_is_refused(
    base: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out = _in_terminal(base, ': >"$1"', monkeypatch)
    assert status == 1
    assert "Aborting commit due to empty commit message." in out
    assert "not committed: git commit was aborted" in out
    assert "git opatch undo 1" in out
    assert base.git("status", "--short") == b"M  f\nA  n\n"


def started(
    repo: Sandbox, *words: str, stderr: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start a commit of `.git/p`, and wait until a hook waits."""
    run = subprocess.Popen(
        ["git-opatch", "apply", "--commit", *words, ".git/p"],
        cwd=repo.path, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not (repo.path / ".git/waits").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    return run


@pytest.mark.parametrize(
    ("size", "undo"), [("100", "  to undo it: git opatch undo 1\n"), ("0", "")]
)
def test_an_interrupt_in_a_hook_names_the_whole_commit(base: Sandbox, size: str, undo: str) -> None:
    before = _head(base)
    base.git("config", "opatch.journalSize", size)
    hook(base, "pre-commit", ": >.git/waits; exec sleep 60")
    run = started(base, *_MESSAGE, stderr=subprocess.PIPE)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate()[1].decode()
    (again,) = re.findall("to commit it: (git commit .*)\n", said)
    assert said == (f"error: {Notice.INTERRUPTED_STAGED.sentence}\n  to commit it: {again}\n{undo}")
    assert (run.returncode, _head(base)) == (130, before)
    (base.path / ".git/hooks/pre-commit").unlink()
    assert base.run("sh", "-c", again).status == 0
    assert base.git("status", "--short") == b""


def test_what_somebody_stages_meanwhile_is_not_committed(base: Sandbox) -> None:
    before, once = _head(base), base.path / ".git/once"
    base.write("other", "theirs\n")

    def stage(event: str, arguments: tuple[object, ...]) -> None:
        is_asked = event == "subprocess.Popen" and "'diff-index'" in str(arguments[1])
        if is_asked and not once.exists() and base.git("ls-files", "n"):
            once.touch()
            base.git("add", "other")

    words = ("git-opatch", "apply", "--commit", *_MESSAGE, ".git/p")
    ran = base.direct(*words, fork=True, prepare=partial(sys.addaudithook, stage))
    assert (ran.status, Notice.CHANGED_MEANWHILE.sentence in ran.err) == (1, True)
    assert _head(base) == before
    assert base.git("status", "--short") == b"M  f\nA  n\nM  other\n"


def _killed(repo: Sandbox) -> None:
    """Kill the program and all its children while a hook waits."""
    hook(repo, "pre-commit", ": >.git/waits; exec sleep 60")
    run = started(repo, *_MESSAGE)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    _wait_until_unlocked(repo.path / ".git/opatch/lock")
    (repo.path / ".git/hooks/pre-commit").unlink()


def _wait_until_unlocked(lock: Path) -> None:
    """Wait until no process holds `lock`: those killed with the program may end after it."""
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def test_a_kill_before_the_commit_leaves_the_change_staged(base: Sandbox) -> None:
    before = _head(base)
    _killed(base)
    assert base.opatch("recover").out == b"nothing to recover\n"
    assert (_head(base), base.git("status", "--short")) == (before, b"M  f\nA  n\n")
    assert b"  applied  " in base.opatch("log").out
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""


def test_a_run_killed_while_its_hook_goes_on_keeps_the_lock(base: Sandbox) -> None:
    hook(base, "pre-commit", "touch .git/waits; while test -e .git/waits; do sleep 0.02; done")
    run = started(base, *_MESSAGE)
    run.kill()
    run.wait()
    for words in ("undo",), ("apply", ".git/p"):
        with base.patience(0):
            ran = base.opatch(*words)
        assert (ran.status, ran.out) == (128, b"")
        assert "another git opatch is at work" in ran.err
    (base.path / ".git/waits").unlink()
    ran = base.opatch("undo", "1")
    assert (ran.status, ran.err) == (0, "note: patch 1 is committed; its undo is staged\n")
    assert _message(base) == "Say 2"


def test_a_process_that_a_hook_leaves_running_holds_no_lock(base: Sandbox) -> None:
    hook(base, "post-commit", "exec >/dev/null 2>&1; sleep 60 & echo $! >.git/stays")
    assert base.opatch("apply", "--commit", *_MESSAGE, ".git/p").status == 0
    try:
        assert base.opatch("recover").out == b"nothing to recover\n"
        assert base.opatch("apply", feed=envelope(b"*** Add File: m\n+m\n")).status == 0
    finally:
        os.kill(int(base.read(".git/stays")), signal.SIGKILL)


def test_commits_take_turns(base: Sandbox) -> None:
    commands = []
    for number in range(6):
        base.write(f".git/p{number}", envelope(f"*** Add File: n{number}\n+n\n".encode()))
        words = ["-m", f"Commit {number}", f".git/p{number}"]
        commands.append(["apply", "--commit", *words])
    assert [(ran.status, ran.err) for ran in base.all_at_once(commands)] == [(0, "")] * 6
    names = base.git("log", "-6", "--name-only", "--format=%s").decode().split("\n\n")
    assert base.git("rev-list", "--count", "HEAD") == b"7\n"
    flat = "\n".join(names).split("\n")
    for number in range(6):
        assert flat[flat.index(f"Commit {number}") + 1] == f"n{number}"
