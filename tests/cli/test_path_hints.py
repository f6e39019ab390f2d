"""Paths: as models write them, from the top; what a wrong one may mean."""

from __future__ import annotations

import pytest
from phrases import opening, said
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault, Hint

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
    assert f"  {opening(Hint.SIMILAR_PATH.sentence)} `{meant}`?\n" in ran.err


def test_a_path_without_a_like_one_gets_the_file_that_has_the_lines(base: Sandbox) -> None:
    base.write("lib/a.py", "def run(first, second):\n    return first + second\n")
    base.write("lib/b.py", "def stop(first, second):\n    pass\n")
    base.write("lib/c.js", "def run(first, second):\n    return first + second\n")
    base.git("add", "-A")
    hunk = " def run(first, second):\n-    return first + second\n+    return second\n"
    for before, also in (("", ""), ("     start(here)\n", "lib/a.py: hunk 1 of 1 ")):
        text = f"*** Update File: evaluator.py before\n@@\n{before}{hunk}"
        for flags in ([], ["--worktree"]):
            ran = base.opatch("apply", *flags, feed=envelope(text.encode()))
            assert said(Hint.SIMILAR_PATH.sentence, similar="`lib/a.py`") in ran.err
            assert also in ran.err


def test_a_path_whose_lines_several_files_have_gets_none(base: Sandbox) -> None:
    for path in ("lib/a.py", "lib/b.py"):
        base.write(path, "def run(first, second):\n    return first + second\n")
    base.git("add", "-A")
    ran = base.opatch("apply", feed=_update("evaluator.py", "    return first + second"))
    assert f"  {said(Fault.MISSING_FILE.advice)}\n" in ran.err


def test_several_paths_that_end_alike_are_named(base: Sandbox) -> None:
    ran = base.opatch("apply", feed=_update("index.md"))
    assert (
        f"  {said(Hint.SIMILAR_PATH.sentence, similar='`docs/api/index.md` or `web/index.md`')}\n"
        in ran.err
    )


@pytest.mark.parametrize("path", ["src/app/other.rs", "/etc/passwd", "../x", "a\0b", "\x1b[1m"])
def test_a_path_like_no_other_gets_none(base: Sandbox, path: str) -> None:
    ran = base.opatch("apply", feed=_update(path))
    assert (ran.status, opening(Hint.SIMILAR_PATH.sentence) in ran.err) == (1, False)


# --- from a subdirectory ---------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/etc/passwd", "/other/src/a.py"])
def test_an_absolute_path_elsewhere_is_outside_of_the_working_tree(
    base: Sandbox, path: str
) -> None:
    ran = base.opatch("apply", feed=envelope(f"*** Delete File: {path}\n".encode()))
    assert f"{path}: {Fault.OUTSIDE.sentence}" in ran.err


def test_paths_are_read_from_the_top(base: Sandbox) -> None:
    sub = base.path / "src/app"
    assert base.opatch("apply", "--check", cwd=sub, feed=_update("src/app/main.py")).status == 0
    path = "src/pkg/../app/./main.py"
    assert base.opatch("apply", "--check", cwd=sub, feed=_update(path)).status == 0


def test_a_new_file_whose_directory_is_only_below_the_current_one_is_noted(base: Sandbox) -> None:
    base.write("src/app/ios/a.txt", "a\n")
    for path, noted in (("ios/n.txt", True), ("n.txt", False), ("src/n.txt", False)):
        feed = envelope(f"*** Add File: {path}\n+n\n".encode())
        ran = base.opatch("apply", "--check", cwd=base.path / "src/app", feed=feed)
        note = f"this is {path}, not src/app/{path}; `--directory src/app` changes that"
        assert (ran.status, note in ran.err) == (0, noted)


_LONG = "".join(f"line {number}\n" for number in range(9))


def test_a_file_that_the_patch_itself_adds_is_not_suggested(base: Sandbox) -> None:
    base.commit({"src/app/new.txt": "hello\n"})
    added = b"*** Add File: src/app/new.txt\n+hello\n"
    ran = base.opatch("apply", feed=envelope(added, b"*** Delete File: src/new.txt\n"))
    assert ran.status == 1
    assert f"src/new.txt: {said(Fault.MISSING_FILE.sentence, base='the index')}" in ran.err
    assert opening(Hint.SIMILAR_PATH.sentence) not in ran.err
