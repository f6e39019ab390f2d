"""`apply --commit` of mail: the same commits as `git am`; each mail by itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest
from mailed import history
from sandbox import Sandbox
from test_commit import can_be_committed_by_hand, hook

_LOG = "--format=%T %an <%ae> %ad%n%B%x00"
_MAIL = """From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001
From: B <b@example.com>
Date: Tue, 2 Jan 2024 03:04:05 +0100
Subject: [PATCH] {}

---
{}--{}
2.39.5

"""


def mail(subject: str, diff: str) -> str:
    return _MAIL.format(subject, diff, " ")


def _update(path: str, old: str, new: str) -> str:
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@\n-{old}\n+{new}\n"


TWO = mail("One", _update("f", "two", "2")) + mail("Two", _update("f", "2", "zwei"))
THREE = TWO + mail("Three", _update("g", "gee", "G"))


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "one\ntwo\nthree\n", "g": "gee\n"})
    return repo


def _subjects(repo: Sandbox) -> list[str]:
    return repo.git("log", "--reverse", "--format=%s").decode().splitlines()


def test_the_commits_equal_those_of_git_am(repo: Sandbox) -> None:
    mails = history(repo)
    start = repo.git("rev-list", "--max-parents=0", "HEAD").decode().strip()
    repo.git("reset", "-q", "--hard", start)
    repo.git("branch", "theirs")
    ran = repo.opatch("apply", "--commit", feed=mails)
    assert (ran.status, ran.err) == (0, "")
    repo.git("checkout", "-q", "theirs")
    repo.git("am", "-q", feed=mails)
    theirs = repo.git("log", _LOG, "theirs")
    assert theirs.count(b"\0") > 5
    assert repo.git("log", _LOG, "main") == theirs
    repo.fsck()


def test_each_mail_is_an_entry(base: Sandbox) -> None:
    before = base.index(), base.files()
    base.opatch("apply", "--commit", feed=THREE.encode())
    ids = base.git("log", "-3", "--reverse", "--format=%H").decode().split()
    records = [json.loads(base.read(f".git/opatch/journal/{n}.json")) for n in (1, 2, 3)]
    assert [record["commits"] for record in records] == [[oid] for oid in ids]
    for number in (3, 2, 1):
        ran = base.opatch("undo", str(number))
        note = f"note: patch {number} is committed; its undo is staged\n" if number != 1 else ""
        assert (ran.status, ran.err) == (0, note)
    assert (base.index(), base.files()) == before


def test_files_are_added_moved_and_deleted(base: Sandbox) -> None:
    base.git("checkout", "-q", "-b", "theirs")
    base.git("mv", "f", "sub-f")
    base.commit({"a/b": "b\n"})
    base.write("sub-f", "one\ntwo\n3\n")
    base.commit({"f": "new\n"})
    base.git("rm", "-q", "a/b")
    base.commit({"c": "file\n"})
    mails = base.git("format-patch", "--stdout", "main")
    base.git("checkout", "-q", "main")
    ran = base.opatch("apply", "--commit", feed=mails)
    assert (ran.status, ran.err) == (0, "")
    assert base.git("log", "--format=%T", "main") == base.git("log", "--format=%T", "theirs")
    assert base.git("status", "--short") == b""


def test_a_mail_that_a_hook_refused_can_be_committed_as_advised(base: Sandbox) -> None:
    text = mail("One", _update("f", "two", "2")).replace("\n\n---", "\n\nBody\n# as it is\n---")
    can_be_committed_by_hand(base, feed=text.encode(), shown="%B%an %ae %ad")


def _start(repo: Sandbox, text: str) -> subprocess.Popen[bytes]:
    """Start a commit, and wait until a hook waits."""
    repo.write(".git/m", text)
    run = subprocess.Popen(
        ["git-opatch", "apply", "--commit", ".git/m"],
        cwd=repo.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not (repo.path / ".git/waits").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    return run


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_kill_leaves_its_mail_staged(base: Sandbox, step: int) -> None:
    hook(base, "pre-commit", f'test "$(git rev-list --count HEAD)" != {step} || '
         "{ : >.git/waits; exec sleep 60; }")  # fmt: skip
    run = _start(base, THREE)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    (base.path / ".git/index.lock").unlink(missing_ok=True)
    assert base.opatch("recover").out == b"nothing to recover\n"
    assert _subjects(base) == ["commit", "One", "Two"][:step]
    assert base.opatch("log").out.startswith(b"%d  " % step)
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""


def test_an_interrupt_at_the_terminal_leaves_its_mail_staged(base: Sandbox) -> None:
    hook(base, "pre-commit", 'test "$(git rev-list --count HEAD)" != 2 || '
         "{ : >.git/waits; exec sleep 60; }")  # fmt: skip
    run = _start(base, THREE)
    os.killpg(run.pid, signal.SIGINT)
    _, output = run.communicate()
    assert run.returncode in (1, 130)
    assert b"Traceback" not in output
    assert _subjects(base) == ["commit", "One"]
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""
