"""Advised commands are for what the user's command was for, and work as they are."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_ONE = envelope(b"*** Update File: f\n@@\n-f\n+F\n")
_BOTH = envelope(b"*** Update File: f\n@@\n-f\n+F\n*** Update File: sub/g\n@@\n-g\n+G\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "f\n", "sub/g": "g\n"})
    repo.write(".git/p", _BOTH)
    return repo


def _follow(repo: Sandbox, message: str, words: str, cwd: str = ".") -> Ran:
    """Run the command that a message advises after `words`."""
    (command,) = re.findall(f"{re.escape(words)}git opatch (.+)", message)
    return repo.opatch(*shlex.split(command), cwd=repo.path / cwd)


@pytest.mark.parametrize("target", ["cached", "worktree", "index"])
@pytest.mark.parametrize("setting", ["", "index", "cached", "worktree"])
def test_skip_applied_keeps_the_target(base: Sandbox, target: str, setting: str) -> None:
    assert base.opatch("apply", f"--{target}", feed=_ONE).status == 0
    if setting:
        base.git("config", "opatch.target", setting)
    index, files = base.index(), base.files()
    words = [] if setting == target else [f"--{target}"]
    refused = base.opatch("apply", *words, ".git/p")
    assert _follow(base, refused.err, "to skip it: ").status == 0
    changed = ("100644", b"G\n")
    expected = {"cached": (True, False), "worktree": (False, True), "index": (True, True)}[target]
    assert base.index() == ({**index, "sub/g": changed} if expected[0] else index)
    assert base.files() == ({**files, "sub/g": changed} if expected[1] else files)


def test_a_target_given_by_git_is_named(base: Sandbox) -> None:
    assert base.opatch("apply", "--cached", feed=_ONE).status == 0
    config = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "opatch.target"}
    refused = base.opatch("apply", ".git/p", env={**config, "GIT_CONFIG_VALUE_0": "cached"})
    assert "to skip it: git opatch apply --skip-applied --cached .git/p\n" in refused.err


@pytest.mark.parametrize("words", [["--base", "HEAD"], ["--worktree"]])
def test_check_keeps_where_it_locates(base: Sandbox, words: list[str]) -> None:
    assert base.opatch("apply", "--commit", "-m", "F", feed=_ONE).status == 0
    base.write("f", "F\n\n" if words == ["--base", "HEAD"] else "F\n")
    base.git("rm", "--cached", "--quiet", "f")
    assert _follow(base, base.opatch("check", *words, ".git/p").err, "to skip it: ").status == 0
    document = json.loads(base.opatch("check", *words, "--json", ".git/p").out)
    (failure,) = document["patches"][0]["failures"]
    options = " ".join(["--skip-applied", *words])
    assert failure["advice"] == [f"to skip it: git opatch check {options} .git/p"]


@pytest.mark.parametrize("name", ["f", "a b.txt"])
def test_a_deleted_file_is_restored_from_a_subdirectory(base: Sandbox, name: str) -> None:
    base.commit({name: "f\n"})
    patch = _ONE.replace(b"File: f", f"File: {name}".encode())
    (base.path / name).unlink()
    refused = base.opatch("apply", feed=patch, cwd=base.path / "sub")
    (command,) = re.findall("restore it with `git (restore .+)`", refused.err)
    base.git("-C", "sub", *shlex.split(command))
    assert base.opatch("apply", feed=patch, cwd=base.path / "sub").status == 0
