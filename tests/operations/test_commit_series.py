"""`apply --commit` of mail: the same commits as `git am`; each mail by itself."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from mailed import history
from sandbox import Sandbox
from test_commit import hook, started

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


@pytest.mark.parametrize(
    ("step", "number"), [*((step, signal.SIGKILL) for step in (1, 2, 3)), (2, signal.SIGINT)]
)
def test_a_kill_leaves_its_mail_staged(base: Sandbox, step: int, number: int) -> None:
    hook(base, "pre-commit", f'test "$(git rev-list --count HEAD)" != {step} || '
         "{ : >.git/waits; exec sleep 60; }")  # fmt: skip
    base.write(".git/p", THREE)
    run = started(base, stderr=subprocess.PIPE)
    os.killpg(run.pid, number)
    assert b"Traceback" not in run.communicate()[1]
    (base.path / ".git/index.lock").unlink(missing_ok=True)
    assert base.opatch("recover").out == b"nothing to recover\n"
    assert base.git("log", "--reverse", "--format=%s").split() == [b"commit", b"One", b"Two"][:step]
    assert base.opatch("log").out.startswith(b"%d  " % step)
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""
