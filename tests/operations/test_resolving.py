"""A patch that resolves the conflicts of a merge: the file on disk is changed, the index is not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_OURS = b"<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> o\n"
_HUNK = b"@@\n-<<<<<<< HEAD\n ours\n-=======\n-theirs\n->>>>>>> o\n"
_PATCH = envelope(b"*** Update File: f\n" + _HUNK)
_EDIT = {"path": "f", "old_string": _OURS.decode(), "new_string": "ours\n"}


@pytest.fixture
def merging(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\nbase\nz\n", "gone": "1\n"})
    repo.git("checkout", "-q", "-b", "o")
    repo.write("gone", "2\n")
    repo.write("f", "a\ntheirs\nz\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    (repo.path / "gone").unlink()
    repo.commit({"f": "a\nours\nz\n"})
    assert repo.run("git", "merge", "-q", "o").status == 1
    assert repo.read("f") == b"a\n" + _OURS + b"z\n"
    return repo


def _mcp(repo: Sandbox, name: str, arguments: object) -> Ran:
    call = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return repo.opatch("mcp", feed=json.dumps(message).encode() + b"\n")


_WAYS: dict[str, Callable[[Sandbox], Ran]] = {
    "apply": lambda repo: repo.opatch("apply", "--worktree", feed=_PATCH),
    "apply-patch": lambda repo: repo.opatch("apply-patch", _PATCH.decode()),
    "mcp apply": lambda repo: _mcp(repo, "apply", {"patch": _PATCH.decode()}),
    "mcp edit": lambda repo: _mcp(repo, "edit", _EDIT),
}


@pytest.mark.parametrize("way", _WAYS)
def test_the_file_is_changed_and_the_index_is_not(merging: Sandbox, way: str) -> None:
    index = merging.git("ls-files", "-s")
    ran = _WAYS[way](merging)
    assert (ran.status, merging.read("f")) == (0, b"a\nours\nz\n"), ran
    assert merging.git("ls-files", "-s") == index
    assert merging.git("status", "--short") == b"UU f\nDU gone\n"
    assert merging.opatch("undo", "1").status == 0
    assert merging.read("f") == b"a\n" + _OURS + b"z\n"
    assert merging.git("ls-files", "-s") == index
    assert merging.opatch("redo", "1").status == 0
    merging.git("add", "f")
    merging.git("rm", "-q", "gone")
    merging.git("commit", "-q", "-m", "merged")


def test_the_hook_lets_it_be(merging: Sandbox) -> None:
    for tool, command in (
        ("apply_patch", _PATCH.decode()),
        ("Bash", f"apply_patch <<'EOF'\n{_PATCH.decode()}EOF\n"),
    ):
        event = {
            "cwd": str(merging.path),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": {"command": command},
        }
        ran = merging.opatch("agent-hook", feed=json.dumps(event).encode())
        assert (ran.status, b"deny" in ran.out) == (0, False), ran


@pytest.mark.parametrize("target", ["--index", "--cached"])
def test_in_the_index_it_is_refused(merging: Sandbox, target: str) -> None:
    before = merging.state()
    ran = merging.opatch("apply", target, feed=_PATCH)
    assert (ran.status, "f: is unmerged" in ran.err) == (1, True)
    assert "patch the file as it is with `--worktree`" in ran.err
    assert merging.state() == before


def test_a_file_that_one_side_deleted_may_go(merging: Sandbox) -> None:
    index = merging.git("ls-files", "-s")
    patch = envelope(b"*** Delete File: gone\n")
    assert merging.opatch("apply", "--worktree", feed=patch).status == 0
    assert not (merging.path / "gone").exists()
    assert merging.git("ls-files", "-s") == index
    assert merging.opatch("undo").status == 0
    assert merging.read("gone") == b"2\n"


def test_what_does_not_fit_its_markers_is_refused(merging: Sandbox) -> None:
    before = merging.state()
    ran = merging.opatch("apply", "--worktree", feed=_PATCH.replace(b"-theirs", b"-others"))
    assert ran.status == 1
    assert merging.state() == before
