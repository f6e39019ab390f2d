"""`apply --commit`: the patch, and nothing else, is committed, as `git commit` does it."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from phrases import opening
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.model.sentences import Notice

_UPDATE = b"*** Update File: f\n@@\n-two\n+2\n"
_PATCH = envelope(_UPDATE, b"*** Add File: n\n+n\n")
_GOOD = ["apply", "--commit", "-m", "Say 2"]


def hook(repo: Sandbox, name: str, script: str) -> None:
    """Install the script as the hook."""
    repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "one\ntwo\nthree\n", "other": "o\n"})
    return repo


def _head(repo: Sandbox) -> str:
    return repo.git("rev-parse", "HEAD").decode().strip()


def _message(repo: Sandbox) -> str:
    return repo.git("log", "-1", "--format=%B").decode().rstrip("\n")


def _refused(repo: Sandbox, *words: str, says: str) -> None:
    """Assert that the command is refused and nothing is changed."""
    before = repo.state()
    ran = repo.opatch("apply", *words, feed=_PATCH)
    assert (ran.status, ran.out) == (128, b"")
    assert says in ran.err
    assert repo.state() == before
    assert not (repo.path / ".git/opatch/journal").exists()


def test_a_commit_in_a_linked_working_tree_stays_in_it(base: Sandbox, tmp_path: Path) -> None:
    base.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = Sandbox(tmp_path / "linked")
    assert linked.opatch(*_GOOD, feed=_PATCH).status == 0
    assert linked.git("log", "--format=%s", "main..topic") == b"Say 2\n"
    assert base.git("status", "--short") == b""


def test_the_repository_of_the_environment_is_used(base: Sandbox, tmp_path: Path) -> None:
    env = {"GIT_DIR": "repo/.git", "GIT_WORK_TREE": "repo"}
    ran = base.opatch(*_GOOD, feed=_PATCH, cwd=tmp_path, env=env)
    assert ran.status == 0, ran.err
    assert _message(base) == "Say 2"


# What `git commit` does because of the user's settings.


def test_the_commit_is_signed(base: Sandbox) -> None:
    sign = base.write(
        ".git/sign",
        "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D 1 8 00 1 X' >&2\n"
        "echo '-----BEGIN PGP SIGNATURE-----'\necho sealed\n"
        "echo '-----END PGP SIGNATURE-----'\n",
    )
    sign.chmod(0o755)
    base.git("config", "gpg.program", str(sign))
    base.git("config", "user.signingKey", "X")
    base.git("config", "commit.gpgSign", "true")
    ran = base.opatch(*_GOOD, feed=_PATCH)
    assert ran.status == 0, ran.err
    assert b"\n sealed\n" in base.git("cat-file", "commit", "HEAD")
    sign.write_text("#!/bin/sh\nexit 2\n")
    ran = base.opatch("apply", "--commit", "-m", "x", feed=envelope(b"*** Add File: m\n+m\n"))
    assert ran.status == 1
    assert "gpg failed to sign the data" in ran.err
    assert base.git("status", "--short") == b"A  m\n"


def can_be_committed_by_hand(repo: Sandbox, *words: str, feed: bytes, shown: str) -> None:
    """Run the command that is advised after a hook refused: it makes the same commit."""
    log = ("log", "-1", f"--format={shown}")
    assert repo.opatch("apply", "--commit", *words, feed=feed).status == 0
    wanted = repo.git(*log)
    repo.git("reset", "--quiet", "--hard", "HEAD~1")
    hook(repo, "pre-commit", "exit 1")
    ran = repo.opatch("apply", "--commit", *words, feed=feed)
    assert ran.status == 1
    (again,) = (line.partition(": ")[2] for line in ran.err.splitlines() if "to commit it" in line)
    assert repo.run("sh", "-c", again).status == 1
    (repo.path / ".git/hooks/pre-commit").unlink()
    assert repo.run("sh", "-c", again).status == 0
    assert repo.git(*log) == wanted


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["-m", "It's one line"], id="one line"),
        pytest.param(["-m", "A title", "-m", "and more"], id="two paragraphs"),
    ],
)
def test_what_a_hook_refused_can_be_committed_as_advised(base: Sandbox, words: list[str]) -> None:
    can_be_committed_by_hand(base, *words, feed=_PATCH, shown="%B%an %ae")


# The editor.


def _in_terminal(repo: Sandbox, editor: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    repo.write(".git/p", _PATCH)
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


# What is refused before anything is changed.


def test_an_invalid_date_is_an_error(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "garbage")
    _refused(base, *_GOOD[1:], says="invalid date format: garbage")


def test_an_unknown_identity_is_an_error(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{name}_NAME")
        monkeypatch.delenv(f"GIT_{name}_EMAIL")
    base.git("config", "user.useConfigOnly", "true")
    _refused(base, *_GOOD[1:], says="\nfatal: no email was given")


_UNFINISHED = {
    "merge": ["merge", "side"],
    "cherry-pick": ["cherry-pick", "side"],
    "revert": ["revert", "--no-edit", "HEAD~1"],
    "rebase": ["rebase", "side"],
    "am session": ["am", ".git/mail"],
}


@pytest.mark.parametrize("operation", _UNFINISHED)
def test_an_unfinished_operation_refuses_the_commit(base: Sandbox, operation: str) -> None:
    base.git("checkout", "-q", "-b", "side")
    base.commit({"other": "side\n"})
    base.write(".git/mail", base.git("format-patch", "-1", "--stdout"))
    base.git("checkout", "-q", "main")
    base.commit({"other": "main\n"})
    base.commit({"other": "main, again\n"})
    assert base.run("git", *_UNFINISHED[operation]).status != 0
    base.git("reset", "-q")
    base.git("checkout", "-q", "HEAD", "--", ".")
    if operation in (
        "merge",
        "cherry-pick",
        "revert",
    ):  # a reset ends these, unless they are being resolved
        name = {"merge": "MERGE_HEAD", "cherry-pick": "CHERRY_PICK_HEAD", "revert": "REVERT_HEAD"}
        base.write(f".git/{name[operation]}", base.git("rev-parse", "side"))
    says = f"error: {opening(Notice.UNFINISHED.sentence)} {operation} -- cannot apply and commit"
    _refused(base, *_GOOD[1:], says=says)


def test_a_check_commits_nothing(base: Sandbox) -> None:
    before = base.state()
    ran = base.opatch(*_GOOD, "--check", feed=_PATCH)
    assert ran.out.decode() == (
        "would apply and make 1 commit: 2 files (1 added, 1 modified); nothing was changed\n"
    )
    assert base.state() == before


# What is recorded of it.


def test_a_commit_that_was_reset_can_be_undone(base: Sandbox) -> None:
    base.opatch(*_GOOD, feed=_PATCH)
    base.git("reset", "-q", "--soft", "HEAD^")
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""


def _started(repo: Sandbox, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start a commit, and wait until the hook waits."""
    repo.write(".git/p", _PATCH)
    run = subprocess.Popen(
        ["git-opatch", *_GOOD, ".git/p"], cwd=repo.path, stderr=stderr, start_new_session=True
    )
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
    run = _started(base, stderr=subprocess.PIPE)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate()[1].decode()
    (again,) = re.findall("to commit it: (git commit .*)\n", said)
    assert said == (f"error: {Notice.INTERRUPTED_STAGED.sentence}\n  to commit it: {again}\n{undo}")
    assert (run.returncode, _head(base)) == (130, before)
    (base.path / ".git/hooks/pre-commit").unlink()
    assert base.run("sh", "-c", again).status == 0
    assert base.git("status", "--short") == b""


def _killed(repo: Sandbox) -> None:
    """Kill the program and all its children while a hook waits."""
    hook(repo, "pre-commit", ": >.git/waits; exec sleep 60")
    run = _started(repo)
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
    run = _started(base)
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
    assert base.opatch(*_GOOD, feed=_PATCH).status == 0
    try:
        assert base.opatch("recover").out == b"nothing to recover\n"
        assert base.opatch("apply", feed=envelope(b"*** Add File: m\n+m\n")).status == 0
    finally:
        os.kill(int(base.read(".git/stays")), signal.SIGKILL)


def test_an_interrupt_at_the_terminal_restores_everything(base: Sandbox) -> None:
    before = _head(base)
    hook(base, "pre-commit", ": >.git/waits; exec sleep 60")
    run = _started(base, stderr=subprocess.PIPE)
    os.killpg(run.pid, signal.SIGINT)
    _, message = run.communicate(timeout=60)
    assert run.returncode == 130
    assert message.decode().endswith("  to undo it: git opatch undo 1\n")
    assert _head(base) == before
    assert base.git("status", "--short") == b"M  f\nA  n\n"
    assert base.opatch("recover").out == b"nothing to recover\n"


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
