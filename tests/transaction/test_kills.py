"""Kills before any call, of every kind of change: the state before or after, exactly (D50)."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from inside import fork
from sandbox import Sandbox
from writers import envelope

_EVENTS = (
    *("open", "os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod"),
    *("os.symlink", "os.truncate", "shutil.rmtree", "subprocess.Popen"),
)
_MOST = 500
_Command = tuple[list[str], bytes]
"""The words of a command, and its input."""


def _converted(repo: Sandbox) -> _Command:
    repo.git("config", "core.safecrlf", "false")
    repo.commit({".gitattributes": "f text eol=crlf\n", "g": "x\n"})
    repo.commit({"f": "a\r\nb\nc\r\n"})
    return ["apply"], envelope(
        b"*** Update File: f\n@@\n a\n-b\n+B\n*** Add File: d/n\n+n\n*** Delete File: g\n"
    )


def _undone(repo: Sandbox) -> _Command:
    words, patch = _converted(repo)
    assert repo.opatch(*words, feed=patch).status == 0
    return ["undo"], b""


def _filtered(repo: Sandbox) -> _Command:
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    repo.git("config", "filter.up.smudge", "tr A-Z a-z")
    repo.commit({".gitattributes": "f filter=up\n", "f": "one\ntwo\nthree\n", "g": "x\n"})
    return ["apply"], envelope(
        b"*** Update File: f\n@@\n-two\n+zwei\n*** Update File: g\n@@\n-x\n+y\n"
    )


def _new_attributes(repo: Sandbox) -> _Command:
    repo.commit({"f": "a\nb\n"})
    return ["apply"], envelope(
        b"*** Add File: .gitattributes\n+* text eol=crlf\n*** Update File: f\n@@\n-b\n+c\n"
    )


def _links_as_files(repo: Sandbox) -> _Command:
    repo.git("config", "core.symlinks", "false")
    repo.commit({"l": "f"})
    oid = repo.git("rev-parse", "HEAD:l").decode().strip()
    repo.git("update-index", "--cacheinfo", f"120000,{oid},l")
    repo.git("commit", "-q", "-m", "link")
    return ["apply"], (
        b"--- a/l\n+++ b/l\n@@ -1 +1 @@\n-f\n\\ No newline at end of file\n+g\n"
        b"\\ No newline at end of file\ndiff --git a/k b/k\nnew file mode 120000\n--- /dev/null\n"
        b"+++ b/k\n@@ -0,0 +1 @@\n+f\n\\ No newline at end of file\n"
    )


def _carried(repo: Sandbox) -> _Command:
    text = "".join(f"{number}\n" for number in range(20))
    repo.commit({"f": text, "g": "x\n"})
    repo.write("f", "mine\n" + text)
    return ["apply", "--carry"], envelope(
        b"*** Update File: f\n@@\n-15\n+fifteen\n*** Update File: g\n@@\n-x\n+y\n"
    )


def _resolving(repo: Sandbox) -> _Command:
    repo.commit({"f": "base\n"})
    repo.git("checkout", "-q", "-b", "o")
    repo.commit({"f": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"f": "ours\n"})
    assert repo.run("git", "merge", "-q", "o").status == 1
    hunk = b"@@\n-<<<<<<< HEAD\n ours\n-=======\n-theirs\n->>>>>>> o\n"
    return ["apply", "--worktree"], envelope(b"*** Update File: f\n" + hunk)


def _left_with_conflicts(repo: Sandbox) -> _Command:
    repo.commit({"f": "one\ntwo\nthree\n"})
    repo.commit({"f": "one\n2\nthree\n"})
    patch = envelope(b"*** Update File: f\n@@\n one\n-two\n+zwei\n three\n")
    assert repo.opatch("apply", "--3way", feed=patch).status == 1
    return ["undo"], b""


def _conflicts_of_the_index(repo: Sandbox) -> _Command:
    words, feed = _left_with_conflicts(repo)
    return [*words, "--cached"], feed


_KINDS: dict[str, Callable[[Sandbox], _Command]] = {
    name.replace("_", " ").strip(): kind
    for name, kind in dict(globals()).items()
    if getattr(kind, "__annotations__", {}).get("return") == "_Command"
}


def _killed_before(number: int, repo: Sandbox, command: _Command) -> bool:
    """Run a command in a process that is killed before its n-th call, counted from the lock."""
    child = fork()
    if child == 0:
        seen = 0

        def note(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            where = str(arguments[0]) if arguments else ""
            if event in _EVENTS and (seen or "opatch" in where):
                seen += event == "subprocess.Popen" or where.startswith(str(repo.path))
                if seen == number:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(note)
        try:
            repo.opatch(*command[0], feed=command[1])
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _state(repo: Sandbox) -> tuple[object, ...]:
    return repo.git("ls-files", "-s"), repo.files()


def _left(repo: Sandbox) -> set[str]:
    home = repo.path / ".git/opatch"
    own = set(os.listdir(home)) - {"lock", "journal"} if home.exists() else set()
    return own | {name for name in os.listdir(home.parent) if name.startswith("index.")}


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", _KINDS)
def test_a_kill_before_any_call_is_recovered(tmp_path: Path, kind: str, step: int) -> None:
    template = Sandbox(tmp_path / "template").init()
    command = _KINDS[kind](template)
    before = _state(template)
    done = template.copy(tmp_path / "done")
    assert done.opatch(*command[0], feed=command[1]).status == 0
    after, outcomes = _state(done), list[bool]()
    for number in range(1, _MOST, step):
        repo = Sandbox(tmp_path / str(number))
        shutil.copytree(template.path, repo.path, symlinks=True)
        repo.run("git", "update-index", "-q", "--refresh")
        killed = _killed_before(number, repo, command)
        assert repo.opatch("recover").status == 0, number
        assert _state(repo) in (before, after), number
        assert _left(repo) == set(), number
        outcomes.append(_state(repo) == after)
        if outcomes[-1] and command[0][0] == "apply":
            assert repo.opatch("undo").status == 0, number
            assert _state(repo) == before, number
        shutil.rmtree(repo.path)
        if not killed:
            break
    assert (outcomes[0], outcomes[-1]) == (False, True)
