"""Paths: as models write them, from the top; what a wrong one may mean."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from sandbox import Sandbox
from writers import envelope

_FILES = {
    "src/app/main.py": "a\nb\nc\n",
    "src/pkg/hooks.py": "b\n",
    "docs/api/index.md": "b\n",
    "web/index.md": "b\n",
}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(_FILES)
    return repo


def _update(path: object, removed: str = "b") -> bytes:
    return envelope(f"*** Update File: {path}\n@@\n-{removed}\n+B\n".encode())


def test_an_absolute_path_in_the_working_tree_is_the_file(base: Sandbox) -> None:
    file = base.path / "src/app/main.py"
    base.write(".git/p", _update(file))
    blob = base.git("rev-parse", ":src/app/main.py").decode().strip()
    for words in (
        ["check", ".git/p"],
        ["convert", ".git/p"],
        ["show", ".git/p"],
        ["show", "--only", "src/app/main.py:1", ".git/p"],
        ["show", "--only", str(file), ".git/p"],
        ["apply", "--check", "--expect", f"{file}={blob}", ".git/p"],
        ["apply", "--check", "--allow", str(base.path / "src"), ".git/p"],
    ):
        ran = base.opatch(*words)
        assert (ran.status, ran.err) == (0, ""), words
    assert base.opatch("show", "--name-only", ".git/p").out == b"src/app/main.py\n"
    ran = base.opatch("apply", "--check", "--expect", f"{file}=0000001", ".git/p")
    assert (ran.status, "src/app/main.py: is stale" in ran.err) == (1, True)
    for words in (["--expect", "/etc/passwd=1234"], ["--only", "/etc/passwd"]):
        assert base.opatch("apply", "--check", *words, ".git/p").status == 129


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("src/pkg/hook.py", "src/pkg/hooks.py"),
        ("pkg/hook.py", "src/pkg/hooks.py"),
        ("hook.py", "src/pkg/hooks.py"),
        ("app/main.py", "src/app/main.py"),
        ("src/ap/main.py", "src/app/main.py"),
        ("src/app/Main.py", "src/app/main.py"),
        ("api/index.md", "docs/api/index.md"),
        ("/home/user/project/src/app/main.py", "src/app/main.py"),
        ("../app/main.py", "src/app/main.py"),
    ],
)
def test_a_wrong_path_gets_the_one_that_ends_alike(base: Sandbox, path: str, meant: str) -> None:
    ran = base.opatch("apply", feed=_update(path))
    assert (ran.status, ran.out) == (1, b"")
    assert f"  did you mean `{meant}`?\n" in ran.err


def test_several_paths_that_end_alike_are_named(base: Sandbox) -> None:
    ran = base.opatch("apply", feed=_update("index.md"))
    assert "  did you mean `docs/api/index.md` or `web/index.md`?\n" in ran.err


@pytest.mark.parametrize("path", ["src/app/other.rs", "/etc/passwd", "../x", "a\0b", "\x1b[1m"])
def test_a_path_like_no_other_gets_none(base: Sandbox, path: str) -> None:
    ran = base.opatch("apply", feed=_update(path))
    assert (ran.status, "did you mean" in ran.err) == (1, False)


# --- from a subdirectory ---------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/etc/passwd", "/other/src/a.py"])
def test_an_absolute_path_elsewhere_is_outside_of_the_working_tree(
    base: Sandbox, path: str
) -> None:
    ran = base.opatch("apply", feed=envelope(f"*** Delete File: {path}\n".encode()))
    assert f"{path}: the path is outside of the working tree; paths are relative to" in ran.err


def test_where_nothing_is_tracked_no_path_is_to_be_checked(repo: Sandbox) -> None:
    patch = envelope(b"*** Update File: a\n@@\n-x\n+y\n")
    advice = (
        "  no file of this repository is tracked yet: a patch can create files, and change those "
        "that `git add` has added\n"
    )
    assert advice in repo.opatch("apply", feed=patch).err
    assert advice not in repo.opatch("apply", "--worktree", feed=patch).err
    repo.write("b", "b\n")
    repo.git("add", "b")
    assert advice not in repo.opatch("apply", feed=patch).err


def test_paths_are_read_from_the_top(base: Sandbox) -> None:
    sub = base.path / "src/app"
    assert base.opatch("apply", "--check", cwd=sub, feed=_update("src/app/main.py")).status == 0
    path = "src/pkg/../app/./main.py"
    assert base.opatch("apply", "--check", cwd=sub, feed=_update(path)).status == 0


@pytest.mark.parametrize("options", [[], ["--worktree"], ["--cached"]])
def test_the_command_that_reads_them_from_here_is_given(
    base: Sandbox, options: Sequence[str]
) -> None:
    base.write(".git/p", _update("main.py"))
    sub = base.path / "src/app"
    ran = base.opatch("apply", *options, "../../.git/p", cwd=sub)
    _, _, advice = ran.err.partition("to read them from here: ")
    command = advice.partition("\n")[0]
    assert command == " ".join(["git opatch apply --directory src/app", *options, "../../.git/p"])
    assert base.opatch(*command.split()[2:], cwd=sub).status == 0
    changed = base.files() if options == ["--worktree"] else base.index()
    assert changed["src/app/main.py"][1] == b"a\nB\nc\n"


def test_it_is_not_given_where_it_would_not_help(base: Sandbox) -> None:
    sub = base.path / "src/app"
    both = _update("main.py").replace(
        b"*** End Patch", b"*** Update File: web/index.md\n@@\n-b\n+B\n*** End Patch"
    )
    for patch in (_update("other.py"), both):
        assert "from here" not in base.opatch("apply", cwd=sub, feed=patch).err
    assert "from here" not in base.opatch("apply", feed=_update("main.py")).err
    ran = base.opatch("check", "--base", "HEAD", cwd=sub, feed=_update("main.py"))
    assert "to read them from here: add --directory src/app\n" in ran.err


def test_a_directory_is_read_from_here_too(base: Sandbox) -> None:
    patch = _update("main.py")
    ran = base.opatch("apply", "--directory", "app", cwd=base.path / "src", feed=patch)
    assert "to read them from here: add --directory src/app\n" in ran.err


_LONG = "".join(f"line {number}\n" for number in range(9))


@pytest.mark.parametrize("commits", [0, 1, 2])
def test_a_file_that_was_renamed_gets_its_new_name(repo: Sandbox, commits: int) -> None:
    """By what is staged, by a commit, or by one before another rename."""
    repo.commit({"src/cart.py": _LONG, "other": "x\n"})
    names = ["src/cart.py", "src/basket.py", "lib/goods.py"][: max(commits, 1) + 1]
    repo.write("lib/x", "")
    for old, new in pairwise(names):
        repo.git("mv", old, new)
        if commits:
            repo.git("commit", "--quiet", "--message", "rename")
    patch = _update("src/cart.py", "line 3")
    for words in (["apply"], ["apply", "--3way"], ["apply", "--worktree"], ["apply", "-R"]):
        ran = repo.opatch(*words, feed=patch)
        assert (ran.status, ran.out) == (1, b"")
        assert f"\n  it was renamed: did you mean `{names[-1]}`?\n" in ran.err
    ran = repo.opatch("check", "--json", feed=patch)
    (failure,) = json.loads(ran.out)["patches"][0]["failures"]
    assert failure["similar_paths"] == [names[-1]]
    (repo.path / names[-1]).unlink()
    assert "renamed" not in repo.opatch("apply", "--worktree", feed=patch).err
    repo.git("rm", "--quiet", "--cached", names[-1])
    assert "renamed" not in repo.opatch("apply", feed=patch).err


def test_a_file_that_a_commit_deleted_is_called_so(repo: Sandbox) -> None:
    repo.commit({"src/a b": _LONG, "other": "x\n"})
    repo.git("rm", "--quiet", "src/a b")
    repo.git("commit", "--quiet", "--message", "delete")
    deleted = repo.git("rev-parse", "--short", "HEAD").decode().strip()
    for words in (["apply"], ["apply", "--worktree"], ["apply", "--cached"], ["check"]):
        ran = repo.opatch(*words, feed=_update("src/a b", "line 3"))
        command = f"git show '{deleted}^:src/a b'"
        text = f"  it was deleted by {deleted}; its content before that: {command}\n"
        assert ran.status == 1
        assert text in ran.err + ran.out.decode()
        assert repo.run("sh", "-c", command).out.decode() == _LONG


@pytest.mark.parametrize(
    ("deleted", "options"),
    [
        (["rm", "--quiet", "src/a b"], []),
        (["rm", "--quiet", "--cached", "src/a b"], ["--cached"]),
        (["rm", "--quiet", "src/a b"], ["--worktree"]),
        ([], ["--worktree"]),
    ],
)
def test_a_file_that_was_deleted_since_is_restored_as_advised(
    repo: Sandbox, deleted: list[str], options: list[str]
) -> None:
    repo.commit({"src/a b": _LONG, "other": "x\n"})
    if deleted:
        repo.git(*deleted)
    (repo.path / "src/a b").unlink(missing_ok=True)
    patch = _update("src/a b", "line 3")
    ran = repo.opatch("apply", *options, feed=patch)
    command = ran.err.partition("it was deleted since the last commit; to restore it: ")[2]
    assert command.startswith("git restore -")
    repo.run("sh", "-c", command.splitlines()[0])
    assert repo.opatch("apply", *options, feed=patch).status == 0


def test_a_deleted_file_is_named_with_one_of_the_same_name(repo: Sandbox) -> None:
    repo.commit({"src/hook.py": _LONG, "lib/hook.py": "x\n"})
    repo.git("rm", "--quiet", "src/hook.py")
    lines = repo.opatch("apply", feed=_update("src/hook.py", "line 3")).err.splitlines()
    assert lines[2].startswith("  it was deleted since the last commit; ")
    assert lines[3] == "  did you mean `lib/hook.py`?"


def test_an_ignored_file_is_added_by_force(base: Sandbox) -> None:
    base.write(".gitignore", "*.log\n")
    for path, flag in (("src/x.log", " -f"), ("src/x.txt", "")):
        base.write(path, "b\n")
        ran = base.opatch("apply", cwd=base.path / "src", feed=_update(path))
        assert f"\n  `git add{flag}` it first, or patch it as it is: " in ran.err
        ran = base.opatch("apply", "--commit", "-m", "x", feed=_update(path))
        assert f"\n  `git add{flag}` and commit it first\n" in ran.err


@pytest.mark.parametrize("adds", [True, False], ids=["of the patch", "of nobody"])
def test_a_file_that_the_patch_itself_adds_is_not_suggested(base: Sandbox, adds: bool) -> None:
    base.commit({"src/app/new.txt": "hello\n"})
    added = [b"*** Add File: src/app/new.txt\n+hello\n"] if adds else []
    ran = base.opatch("apply", feed=envelope(*added, b"*** Delete File: src/app/now.txt\n"))
    assert ran.status == 1
    assert "src/app/now.txt: is not in the index" in ran.err
    assert ("did you mean" in ran.err) is not adds
