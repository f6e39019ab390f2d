"""Past bugs, each with the smallest input that shows it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from killed import kill_before
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.errors import ParseError
from git_opatch.model.sentences import Fault, Notice
from git_opatch.parse import parse_patch


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\nb\nc\n", "d/x": "x\n", "d/y": "y\n"})
    return repo


def _refused(repo: Sandbox, patch: bytes, message: str, *options: str, status: int = 1) -> None:
    before = repo.state()
    for check in ((), ("--check",)):
        ran = repo.opatch("apply", *options, *check, feed=patch)
        assert (ran.status, message in ran.err) == (status, True), ran
        assert repo.state() == before


def test_a_file_in_place_of_a_link_is_a_file(base: Sandbox) -> None:
    (base.path / "l").symlink_to("f")
    base.commit()
    patch = envelope(b"*** Delete File: l\n*** Add File: l\n+hello\n")
    assert base.opatch("apply", feed=patch).status == 0
    assert base.index()["l"] == base.files()["l"] == ("100644", b"hello\n")
    base.git("reset", "--quiet", "--hard")
    assert (
        base.opatch("apply", "--overwrite", feed=envelope(b"*** Add File: l\n+/etc\n")).status == 0
    )
    assert base.index()["l"] == base.files()["l"] == ("100644", b"/etc\n")


@pytest.mark.parametrize("options", [(), ("--cached",), ("--worktree",)])
def test_files_and_directories_change_places(base: Sandbox, options: tuple[str, ...]) -> None:
    _refused(
        base,
        envelope(b"*** Add File: n/y\n+h\n*** Add File: n\n+h\n"),
        Fault.DIRECTORY.sentence,
        *options,
    )
    _refused(
        base,
        envelope(b"*** Delete File: d/x\n*** Add File: d\n+h\n"),
        Fault.DIRECTORY.sentence,
        *options,
    )
    for patch in (
        envelope(b"*** Delete File: d/x\n*** Delete File: d/y\n*** Add File: d\n+h\n"),
        envelope(b"*** Delete File: f\n*** Add File: f/n\n+h\n"),
    ):
        before = base.index(), base.files()
        ran = base.opatch("apply", *options, feed=patch)
        assert ran.status == 0, ran.err
        assert (base.index(), base.files()) != before
        back = ran.out.decode().strip().partition("Undo: git opatch ")[2].split()
        ran = base.opatch(*back)
        assert ran.status == 0, ran.err
        assert (base.index(), base.files()) == before


def test_a_submodule_with_a_non_ascii_name_is_refused(base: Sandbox, tmp_path: Path) -> None:
    inner = Sandbox(tmp_path / "inner").init()
    inner.commit({"f": "f\n"})
    oid = inner.git("rev-parse", "HEAD").strip().decode()
    base.git("update-index", "--add", "--cacheinfo", f"160000,{oid},sub\u00e9")
    (base.path / "sub\u00e9").mkdir()
    _refused(base, envelope("*** Add File: sub\u00e9/x\n+h\n".encode()), Fault.SUBMODULE.sentence)


def test_a_missing_git_is_an_error(base: Sandbox, tmp_path: Path) -> None:
    program = shutil.which("git-opatch")
    assert program is not None
    (tmp_path / "bin").mkdir()
    env = {**os.environ, "PATH": str(tmp_path / "bin")}
    ran = subprocess.run([program, "apply"], cwd=base.path, env=env, input=b"", capture_output=True)
    assert (ran.returncode, ran.stderr) == (128, b"error: git is not installed, or not on PATH\n")


def test_work_done_after_a_kill_is_not_undone(base: Sandbox) -> None:
    """Keep the work of a user who removed our lock and went on: set the record aside."""
    patch = envelope(b"*** Add File: pkg/__init__.py\n+x\n", b"*** Update File: f\n@@\n-b\n+B\n")
    kill_before(1, base, patch)
    (base.path / ".git/index.lock").unlink()
    base.write("pkg/__init__.py", "")
    base.git("rm", "--quiet", "f")
    base.git("add", "pkg")
    base.git("commit", "--quiet", "-m", "mine")
    before = base.state()
    ran = base.opatch("apply")
    assert "could not be rolled back completely" in ran.err
    assert base.state() == before
    assert base.opatch("apply").err.count("note:") == 0


def test_read_only_commands_do_not_recover(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: f\n@@\n-b\n+B\n", b"*** Delete File: d/x\n")
    kill_before(3, base, patch)
    before = base.files()
    for words in (("apply", "--check"), ("convert", "--worktree")):
        ran = base.opatch(*words, feed=patch)
        assert (ran.status, "was interrupted" in ran.err) == (128, True)
    assert base.opatch("convert", feed=patch).status == 0
    assert base.files() == before
    ran = base.opatch("apply")
    assert Notice.ROLLED_BACK.fill(files="2 files") in ran.err
    assert base.git("status", "--short") == b""
    assert base.opatch("apply", feed=patch).status == 0


def test_a_binary_file_moves_and_changes_its_mode(base: Sandbox) -> None:
    data = b"\0\xff\n"
    base.commit({"data": data})
    patch = envelope(b"*** Update File: data\n*** Move to: e/moved\n")
    assert base.opatch("apply", feed=patch).status == 0
    assert base.index()["e/moved"] == base.files()["e/moved"] == ("100644", data)
    assert base.opatch("apply", "-R", feed=patch).status == 0
    mode = b"diff --git a/data b/data\nold mode 100644\nnew mode 100755\n"
    copy = b"diff --git a/data b/copy\ncopy from data\ncopy to copy\n"
    assert base.opatch("apply", feed=copy + mode).status == 0
    assert base.index()["data"] == base.files()["data"] == ("100755", data)
    assert base.index()["copy"] == base.files()["copy"] == ("100644", data)


def test_half_a_surrogate_pair_is_an_error() -> None:
    with pytest.raises(ParseError, match="line 2: the text has half a surrogate pair"):
        parse_patch("*** Begin Patch\n\ud800\n")


def test_a_reversal_stays_below_its_directory(base: Sandbox) -> None:
    base.commit({"p/f": "1\n2\n3\n", "q/f": "1\n2\n3\n", "f": "1\nX\n3\n"})
    patch = envelope(b"*** Update File: f\n@@\n 1\n-2\n+X\n 3\n")
    for directory in ("p", "q"):
        assert base.opatch("apply", "--directory", directory, feed=patch).status == 0
    assert base.opatch("apply", "-R", "--directory", "p", feed=patch).status == 0
    assert (base.read("p/f"), base.read("q/f")) == (b"1\n2\n3\n", b"1\nX\n3\n")
    assert base.opatch("apply", "-R", feed=patch).status == 0
    assert (base.read("f"), base.read("q/f")) == (b"1\n2\n3\n", b"1\nX\n3\n")


def test_a_replaced_file_that_changed_since_is_not_deleted(base: Sandbox) -> None:
    base.commit({"y": "".join(f"{number}\n" for number in range(1, 13))})
    patch = envelope(b"*** Add File: f\n+new\n*** Update File: y\n@@\n-6\n+six\n")
    assert base.opatch("apply", "--overwrite", feed=patch).status == 0
    base.write("f", "new\nmine\n")
    base.git("add", "f")
    before = base.state()
    ran = base.opatch("apply", "-R", feed=patch)
    assert (ran.status, f"error: f: {Fault.MERGE_WHOLE.sentence}" in ran.err) == (1, True)
    assert base.state() == before


def test_a_reversal_with_new_equal_lines_is_exact(base: Sandbox) -> None:
    body = "    a = 1\n    b = 2\n    c = 3\n    d = 4\n    e = 5\n"
    classes = "".join(f"class {name}:\n{body}\n" for name in "ABC")
    text = classes[::-1].replace("    d = 4\n"[::-1], "    gone = 4\n    d = 4\n"[::-1], 1)[::-1]
    base.commit({"f.py": text})
    patch = envelope(b"*** Update File: f.py\n@@ class C:\n     c = 3\n-    gone = 4\n     d = 4\n")
    assert base.opatch("apply", feed=patch).status == 0
    base.commit({"f.py": f"class Z:\n{body}\n{classes}"})
    assert base.opatch("apply", "-R", feed=patch).status == 0
    assert base.read("f.py").decode() == f"class Z:\n{body}\n{text}"


def test_an_undone_record_is_not_used_again(base: Sandbox) -> None:
    patch = envelope(b"*** Delete File: f\n")
    assert base.opatch("apply", feed=patch).status == 0
    assert base.opatch("apply", "-R", feed=patch).status == 0
    base.commit({"f": "newer\n"})
    base.git("rm", "--quiet", "f")
    ran = base.opatch("apply", "-R", feed=patch)
    assert (ran.status, ran.err) == (0, "note: f: content taken from HEAD\n")
    assert base.read("f") == b"newer\n"


def test_a_damaged_transaction_record_is_an_error(base: Sandbox) -> None:
    base.write(".git/opatch/txn/plan.json", "{}")
    ran = base.opatch("apply", feed=envelope(b"*** Delete File: f\n"))
    assert (ran.status, "txn is damaged; look at it" in ran.err) == (128, True)


def test_a_file_that_changed_in_the_second_of_the_index_is_noticed(base: Sandbox) -> None:
    """Its size and times are unchanged; only the age of the index hints at a change."""
    base.git("config", "core.trustCtime", "false")
    for content in ("1\n", "2\n"):
        os.utime(base.write("g", content), (10**9, 10**9))
        if content == "1\n":
            base.git("add", "g")
            os.utime(base.path / ".git/index", (10**9, 10**9))
    ran = base.opatch("convert", "--worktree", feed=envelope(b"*** Update File: g\n@@\n-2\n+3\n"))
    assert (ran.status, b"-2\n+3\n" in ran.out) == (0, True), ran.err


@pytest.mark.parametrize("target", ["--index", "--worktree"])
def test_an_interrupt_of_git_alone_is_reported(repo: Sandbox, target: str) -> None:
    repo.commit({"f": "a\nb\n", ".gitattributes": "f filter=interrupted\n"})
    repo.git("config", "filter.interrupted.clean", "kill -INT $PPID; cat")
    os.utime(repo.path / "f", (1, 1))
    before = repo.files()
    ran = repo.opatch("apply", target, feed=envelope(b"*** Update File: f\n@@\n-b\n+c\n"))
    assert (ran.status, ran.err) == (130, "error: interrupted\n")
    assert repo.files() == before
