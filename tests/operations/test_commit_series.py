"""`apply --commit` of mail: the same commits as `git am`; each mail by itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest
from mailed import history
from phrases import opening, said
from sandbox import Sandbox
from test_commit import can_be_committed_by_hand, hook

from git_opatch.model.sentences import Fault

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


def _state(repo: Sandbox) -> tuple[object, ...]:
    """Give the state that a refused series keeps; unreachable objects may remain."""
    head = repo.git("symbolic-ref", "HEAD") + repo.git("rev-parse", "HEAD")
    return (repo.files(), repo.git("ls-files", "-s", "-v"), head, repo.git("status", "--short"))


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


def test_one_mail_becomes_one_commit(base: Sandbox) -> None:
    ran = base.opatch("apply", "--commit", feed=mail("Say 2", _update("f", "two", "2")).encode())
    assert (ran.status, ran.err) == (0, "")
    output = base.git("log", "-1", "--date=raw", "--format=%an <%ae> %ad%n%B").decode()
    assert output == "B <b@example.com> 1704161045 +0100\nSay 2\n\n"


def test_a_message_takes_the_place_of_that_of_a_mail(base: Sandbox) -> None:
    text = mail("Say 2", _update("f", "two", "2")).encode()
    assert base.opatch("apply", "--commit", "-m", "mine", feed=text).status == 0
    output = base.git("log", "-1", "--date=raw", "--format=%an <%ae> %ad%n%s").decode()
    assert output == "B <b@example.com> 1704161045 +0100\nmine\n"


def test_lines_that_begin_with_a_number_sign_are_kept(base: Sandbox) -> None:
    base.git("config", "commit.cleanup", "strip")
    text = mail("Say 2", _update("f", "two", "2")).replace("\n---\n", "# no comment\n---\n", 1)
    text = text.replace("Subject: [PATCH] Say 2\n", "Subject: [PATCH] Say 2\n\n")
    assert base.opatch("apply", "--commit", feed=text.encode()).status == 0
    assert base.git("log", "-1", "--format=%B") == b"Say 2\n\n# no comment\n\n"


def test_several_mails_become_several_commits(base: Sandbox) -> None:
    base.git("checkout", "-q", "-b", "topic")
    ran = base.opatch("apply", "--commit", feed=THREE.encode())
    assert (ran.status, ran.err) == (0, "")
    ids = base.git("log", "-3", "--format=%H").decode().split()
    short = [oid[:7] for oid in ids]
    assert ran.out.decode() == (
        f"2 files modified; committed as {', '.join(reversed(short))}. "
        f"Undo: git revert {' '.join(short)}\n"
    )
    assert _subjects(base) == ["commit", "One", "Two", "Three"]
    assert base.git("symbolic-ref", "--short", "HEAD") == b"topic\n"
    assert base.git("show", "HEAD~2:f") == b"one\n2\nthree\n"
    assert base.git("show", "HEAD~1:f") == b"one\nzwei\nthree\n"
    assert base.git("show", "HEAD~1:g") == b"gee\n"
    assert base.git("status", "--short") == b""
    base.git("revert", "--no-edit", *ids)
    assert base.read("f") == b"one\ntwo\nthree\n"


def test_each_mail_is_an_entry(base: Sandbox) -> None:
    before = base.index(), base.files()
    base.opatch("apply", "--commit", feed=THREE.encode())
    ids = base.git("log", "-3", "--reverse", "--format=%H").decode().split()
    records = [json.loads(base.read(f".git/opatch/journal/{n}.json")) for n in (1, 2, 3)]
    assert [record["commits"] for record in records] == [[oid] for oid in ids]
    for number in (3, 2, 1):
        ran = base.opatch("undo")
        note = f"note: patch {number} is committed; its undo is staged\n" if number != 1 else ""
        assert (ran.status, note in ran.err) == (0, True)
    assert (base.index(), base.files()) == before


def test_several_mails_apply_on_an_unborn_branch(repo: Sandbox) -> None:
    add = "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+two\n"
    text = mail("Add", add) + mail("Change", _update("f", "two", "2"))
    assert repo.opatch("apply", "--commit", feed=text.encode()).status == 0
    assert _subjects(repo) == ["Add", "Change"]
    assert repo.git("status", "--short") == b""


def test_several_mails_apply_on_a_detached_head(base: Sandbox) -> None:
    base.git("checkout", "-q", "--detach")
    assert base.opatch("apply", "--commit", feed=TWO.encode()).status == 0
    assert _subjects(base) == ["commit", "One", "Two"]
    assert base.git("rev-list", "--count", "main") == b"1\n"


def test_several_mails_apply_to_the_index_alone(base: Sandbox) -> None:
    assert base.opatch("apply", "--commit", "--cached", feed=TWO.encode()).status == 0
    assert _subjects(base) == ["commit", "One", "Two"]
    assert base.read("f") == b"one\ntwo\nthree\n"
    assert base.index()["f"] == ("100644", b"one\nzwei\nthree\n")


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


@pytest.mark.parametrize("words", [["-m", "x"], ["-F", "f"]])
def test_a_message_for_one_commit_is_refused(base: Sandbox, words: list[str]) -> None:
    before = base.state()
    ran = base.opatch("apply", "--commit", *words, feed=TWO.encode())
    assert ran.status == 129
    assert ran.err.startswith("error: -m and -F are for one commit, and the patch is 2 commits")
    assert base.state() == before


def test_a_mail_and_a_plain_patch_are_refused(base: Sandbox) -> None:
    base.write(".git/m", mail("One", _update("f", "two", "2")))
    base.write(".git/p", _update("g", "gee", "G"))
    before = base.state()
    ran = base.opatch("apply", "--commit", ".git/m", ".git/p")
    assert ran.status == 129
    assert ran.err == (
        "error: .git/p:1: is not part of a mail, so it has no message; apply it separately\n"
    )
    assert base.state() == before


def test_a_mail_that_does_not_apply_refuses_all(base: Sandbox) -> None:
    before = base.state()
    text = TWO + mail("Three", _update("g", "other", "G"))
    ran = base.opatch("apply", "--commit", feed=text.encode())
    assert ran.status == 1
    assert f"error: g: hunk 1 of 1 {said(Fault.NOT_FOUND.sentence, base='the index')}" in ran.err
    assert base.state() == before


def test_a_file_in_the_way_of_a_later_mail_refuses_all(base: Sandbox) -> None:
    base.write("g", "dirty\n")
    before = base.state()
    ran = base.opatch("apply", "--commit", feed=THREE.encode())
    assert ran.status == 1
    assert f"error: g: {Fault.UNSTAGED.sentence}" in ran.err
    assert "--worktree" not in ran.err
    assert base.state() == before


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
@pytest.mark.parametrize("target", ["--index", "--cached"])
def test_a_refusal_stops_at_its_mail_and_says_what_is_committed(
    base: Sandbox, name: str, target: str
) -> None:
    hook(base, name, 'test "$(git rev-list --count HEAD)" -lt 2 || { echo no second; exit 1; }')
    ran = base.opatch("apply", "--commit", target, feed=THREE.encode())
    assert (ran.status, ran.out) == (1, b"")
    made = base.git("log", "-1", "--format=%h").decode().strip()
    assert f"note: those before it are committed: {made}\n" in ran.err
    assert "error: not committed: git commit refused at mail 2 of 3 (Two)\n" in ran.err
    assert "  the change stays staged\n" in ran.err
    assert _subjects(base) == ["commit", "One"]
    assert base.index()["f"] == ("100644", b"one\nzwei\nthree\n")
    assert base.index()["g"] == ("100644", b"gee\n")
    assert base.opatch("log").out.startswith(b"2  ")
    (base.path / ".git/hooks" / name).unlink()
    assert base.opatch("undo").status == 0
    assert base.git("diff", "--cached") == b""
    base.fsck()


def test_a_mail_that_a_hook_refused_can_be_committed_as_advised(base: Sandbox) -> None:
    text = mail("One", _update("f", "two", "2")).replace("\n\n---", "\n\nBody\n# as it is\n---")
    can_be_committed_by_hand(base, feed=text.encode(), shown="%B%an %ae %ad")


def test_a_mail_that_a_hook_made_not_fit_stops(base: Sandbox) -> None:
    hook(base, "pre-commit", "echo other >f && git add f")
    ran = base.opatch("apply", "--commit", feed=TWO.encode())
    assert ran.status == 1
    made = base.git("log", "-1", "--format=%h").decode().strip()
    assert f"mail 2 of 2 (Two) failed; those before it are committed: {made}\n" in ran.err
    assert "error: f: hunk " in ran.err
    assert _subjects(base) == ["commit", "One"]
    assert base.git("status", "--short") == b""


def test_hooks_see_each_mail_by_itself(base: Sandbox) -> None:
    hook(base, "pre-commit", "git show :f >>.git/seen; git symbolic-ref HEAD >>.git/seen")
    hook(base, "post-commit", "git log -1 --format=%s >>.git/seen")
    assert base.opatch("apply", "--commit", feed=TWO.encode()).status == 0
    assert base.read(".git/seen") == (
        b"one\n2\nthree\nrefs/heads/main\nOne\none\nzwei\nthree\nrefs/heads/main\nTwo\n"
    )


def test_an_applied_mail_is_refused_or_skipped(base: Sandbox) -> None:
    base.opatch("apply", "--commit", feed=mail("One", _update("f", "two", "2")).encode())
    text = mail("One", "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@\n one\n-two\n+2\n three\n")
    more = mail("Two", _update("g", "gee", "G"))
    assert base.opatch("apply", "--commit", feed=(text + more).encode()).status == 1
    ran = base.opatch("apply", "--commit", "--skip-applied", feed=(text + more).encode())
    assert ran.status == 0
    assert _subjects(base) == ["commit", "One", "Two"]
    ran = base.opatch("apply", "--commit", "--skip-applied", feed=text.encode())
    assert ran.out == b"nothing to do: the patch is already applied\n"
    assert _subjects(base) == ["commit", "One", "Two"]


def test_a_series_whose_files_changed_since_is_refused(base: Sandbox) -> None:
    assert base.opatch("apply", "--commit", feed=THREE.encode()).status == 0
    base.commit({"f": "one\ndrei\nthree\n"})
    before = _state(base)
    ran = base.opatch("apply", "--skip-applied", "--commit", feed=THREE.encode())
    assert (ran.status, f"f: hunk 1 of 2 {opening(Fault.NOT_FOUND.sentence)}" in ran.err) == (
        1,
        True,
    )
    assert _state(base) == before


def test_a_check_commits_nothing(base: Sandbox) -> None:
    before = base.state()
    ran = base.opatch("apply", "--check", "--commit", feed=THREE.encode())
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (b"would apply and make 3 commits: 2 files (modified); nothing was changed\n")
    assert base.state() == before


def test_a_reversed_series_is_one_commit(base: Sandbox) -> None:
    base.opatch("apply", "--commit", feed=TWO.encode())
    ran = base.opatch("apply", "--commit", "-R", feed=TWO.encode())
    assert ran.status == 129
    assert "needs a message" in ran.err
    assert base.opatch("apply", "--commit", "-R", "-m", "Back", feed=TWO.encode()).status == 0
    assert _subjects(base) == ["commit", "One", "Two", "Back"]
    assert base.read("f") == b"one\ntwo\nthree\n"


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
