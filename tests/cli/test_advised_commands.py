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


_BINARY = (
    b"diff --git a/b.bin b/b.bin\nindex 1..2 100644\nBinary files a/b.bin and b/b.bin differ\n"
)
_OPTIONS = {
    "or, to replace the file": (
        envelope(b"*** Add File: f.txt\n+F\n"),
        ["--worktree"],
        "--overwrite --worktree",
    ),
    "if this is meant": (
        envelope(b"*** Update File: c.c\n@@\n     b();\n-  }\n"),
        ["--match", "fuzzy"],
        "--match strict",
    ),
    "to leave hunk 1 out": (
        envelope(b"*** Update File: f.txt\n@@\n-one\n+1\n@@\n-one\n+uno\n@@\n-two\n+2\n"),
        ["--except", "f.txt:3"],
        "--except f.txt:1 --except f.txt:3",
    ),
    "to apply the rest, leave it out": (
        _BINARY + b"diff --git a/f.txt b/f.txt\n--- a/f.txt\n+++ b/f.txt\n@@\n-one\n+1\n",
        [],
        "--except b.bin",
    ),
}


@pytest.mark.parametrize("what", _OPTIONS)
def test_an_option_is_advised_as_the_command_that_has_it(repo: Sandbox, what: str) -> None:
    repo.commit(
        {"f.txt": "one\ntwo\n", "c.c": "f() {\n  if (a) {\n    b();\n  }\n}\n", "b.bin": "\0"}
    )
    patch, words, advised = _OPTIONS[what]
    repo.write(".git/a patch", patch)
    refused = repo.opatch("apply", *words, ".git/a patch")
    assert (refused.status, refused.out) == (1, b"")
    assert f"  {what}: git opatch apply {advised} '.git/a patch'\n" in refused.err
    assert _follow(repo, refused.err, f"{what}: ").status == 0


def test_a_piped_patch_is_advised_the_option_alone(base: Sandbox) -> None:
    refused = base.opatch("apply", feed=envelope(b"*** Add File: f\n+F\n"))
    assert "  or, to replace the file: add --overwrite\n" in refused.err


def test_what_only_a_user_can_choose_is_not_advised_to_a_program(base: Sandbox) -> None:
    base.write(
        ".git/b",
        _BINARY.replace(b"b.bin", b"f")
        + b"diff --git a/sub/g b/sub/g\n--- a/sub/g\n+++ b/sub/g\n@@\n-g\n+G\n",
    )
    ran = base.opatch("apply", "--json", ".git/b")
    (failure,) = json.loads(ran.out)["failures"]
    assert failure["advice"][0] == "to apply the rest, leave it out"
    base.commit({"c.c": "f() {\n  if (a) {\n    b();\n  }\n}\n"})
    base.write(".git/c", envelope(b"*** Update File: c.c\n@@\n     b();\n-  }\n"))
    for words, advises in (([], True), (["--json"], False)):
        ran = base.opatch("apply", *words, ".git/c")
        assert (ran.status, "--match" in ran.err + ran.out.decode()) == (1, advises)


def test_a_file_of_the_same_path_in_the_directory_is_named_with_the_command(base: Sandbox) -> None:
    base.commit({"sub/f": "f\n"})
    base.write("sub/p", _ONE)
    ran = base.opatch("apply", "p", cwd=base.path / "sub")
    assert base.opatch("undo").status == 0
    assert _follow(base, ran.err, "to change that: ", "sub").status == 0
    assert (base.read("f"), base.read("sub/f")) == (b"f\n", b"F\n")


def test_a_file_that_is_only_intended_to_be_added_is_patched_as_it_is(base: Sandbox) -> None:
    base.write("new", "f\n")
    base.git("add", "-N", "new")
    base.write(".git/p", _ONE.replace(b"File: f", b"File: new"))
    refused = base.opatch("apply", ".git/p")
    assert _follow(base, refused.err, "patch it as it is: ").status == 0
    assert base.read("new") == b"F\n"
    committed = base.opatch("apply", "--commit", "-m", "m", ".git/p")
    assert ("--worktree" in committed.err, committed.status) == (False, 1)


@pytest.mark.parametrize("kind", ["deleted", "link"])
def test_what_is_another_in_the_working_tree_is_changed_in_the_index_only(
    base: Sandbox, kind: str
) -> None:
    (base.path / "f").unlink()
    if kind == "link":
        (base.path / "f").symlink_to("sub/g")
    refused = base.opatch("apply", *(["--carry"] if kind == "link" else []), ".git/p")
    assert _follow(base, refused.err, "or, to change it in the index only: ").status == 0
    assert base.index()["f"][1] == b"F\n"


def test_a_file_in_the_way_of_rejected_hunks_is_left_alone_by_what_is_advised(
    base: Sandbox,
) -> None:
    base.write("f.rej", "mine\n")
    base.write(".git/p", envelope(b"*** Update File: f\n@@\n-f\n+F\n@@\n-stale\n+x\n"))
    refused = base.opatch("apply", "--reject", ".git/p")
    assert "  move it away\n" in refused.err
    assert _follow(base, refused.err, "to write no such file: ").status == 1
    assert (base.read("f"), base.read("f.rej")) == (b"F\n", b"mine\n")


@pytest.mark.parametrize(
    "line", ["apply --cached .git/p", "undo --cached", "undo 1", "redo --worktree 1"]
)
def test_waiting_is_advised_as_the_command_that_waits(base: Sandbox, line: str) -> None:
    assert base.opatch("apply", ".git/p").status == 0
    name, *words = line.split()
    ran = base.run("flock", ".git/opatch/lock", "git-opatch", name, *words)
    assert (ran.status, "another git opatch is at work" in ran.err) == (128, True)
    assert ran.err.endswith(
        f"\n  to wait for that: git opatch {name} --wait 60 {' '.join(words)}\n"
    )


def test_a_piped_patch_is_advised_to_wait_by_the_option(base: Sandbox) -> None:
    assert base.opatch("apply", ".git/p").status == 0
    ran = base.run("flock", ".git/opatch/lock", "sh", "-c", "git-opatch apply <.git/p")
    assert ran.err.endswith("\n  to wait for that: add --wait 60\n")
