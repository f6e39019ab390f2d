"""Patches applied where there is no git directory, or none that can be written (D306)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from sandbox import Sandbox
from writers import envelope

from git_opatch.cli.commands import apply_patch
from git_opatch.git.repository import Repository
from git_opatch.transaction.temporary_repository import can_be_written

_PATCH = envelope(
    b"*** Update File: f\n@@\n b\n-x\n+y\n*** Add File: new/n\n+n\n*** Delete File: sub/d\n"
)
_OLD = {"f": "a\nx\nb\nx\nc", "sub/d": "d\n"}
_DONE = b"Success. Updated the following files:\nA new/n\nM f\nD sub/d\n"
# Ends as a kill does, when the first file is in its place.
_KILLED = """
import os, sys
from git_opatch.transaction.working_tree import WorkingTree
put = WorkingTree.put
def put_and_die(*arguments, **options):
    put(*arguments, **options)
    os._exit(9)
WorkingTree.put = put_and_die
sys.argv = ["git-opatch", "apply-patch"]
from git_opatch.__main__ import main
main()
"""


@pytest.fixture(autouse=True)
def _own_temporary_directory(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = str(tmp_path_factory.mktemp("temporary"))
    monkeypatch.setenv("TMPDIR", directory)
    monkeypatch.setattr(tempfile, "tempdir", directory)


@pytest.fixture
def plain(tmp_path: Path) -> Sandbox:
    """A directory in no repository."""
    path = tmp_path / "plain"
    path.mkdir()
    sandbox = Sandbox(path)
    for name, text in _OLD.items():
        sandbox.write(name, text)
    (path / "f").chmod(0o755)
    return sandbox


@pytest.fixture
def closed(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A repository whose git directory cannot be written; root could, whatever its mode."""
    repo.commit(_OLD)
    monkeypatch.setattr(Sandbox, "as_program", False)
    monkeypatch.setattr(apply_patch, "can_be_written", lambda _: False)
    return repo


def _content(sandbox: Sandbox) -> dict[str, bytes]:
    return {name: data for name, (_, data) in sandbox.files().items()}


def _left() -> list[Path]:
    return list(Path(tempfile.gettempdir(), f"git-opatch-{os.geteuid()}").glob("*"))


def _everything(top: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def test_a_directory_outside_of_a_repository_is_changed(plain: Sandbox) -> None:
    ran = plain.opatch("apply-patch", feed=_PATCH)
    assert (ran.status, ran.out) == (0, _DONE)
    assert ran.err.startswith("note: this is not in a git repository, so `git opatch undo`")
    assert _content(plain) == {"f": b"a\nx\nb\ny\nc", "new/n": b"n\n"}
    assert (plain.path / "f").stat().st_mode & 0o777 == 0o755
    assert sorted(os.listdir(plain.path)) == ["f", "new"]
    assert _left() == []


@pytest.mark.parametrize(
    ("patch", "status"),
    [
        (_PATCH.replace(b" b\n", b""), 1),
        (_PATCH.replace(b"sub/d", b"sub/nothing"), 1),
        (_PATCH.replace(b"sub/d", b"../f"), 1),
        (_PATCH.replace(b"sub/d", b"/etc/hostname"), 1),
        (_PATCH.replace(b"new/n", b".git/config"), 1),
        (b"x\n", 128),
    ],
)
def test_a_refusal_changes_nothing_there(plain: Sandbox, patch: bytes, status: int) -> None:
    before = plain.files()
    ran = plain.opatch("apply-patch", feed=patch)
    assert (ran.status, ran.out, plain.files()) == (status, b"", before)
    assert ran.err.startswith("error: ")
    assert "cannot undo" not in ran.err
    assert _left() == []


def test_nothing_is_written_through_a_link_there(plain: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (plain.path / "link").symlink_to(tmp_path / "other")
    ran = plain.opatch("apply-patch", feed=_PATCH.replace(b"new/n", b"link/n"))
    assert ran.status == 1
    assert "is a symbolic link" in ran.err
    assert list((tmp_path / "other").iterdir()) == []


def test_what_a_kill_left_is_restored_by_the_next_call(plain: Sandbox) -> None:
    before = plain.files()
    words = [sys.executable, "-P", "-c", _KILLED]
    assert subprocess.run(words, cwd=plain.path, input=_PATCH).returncode == 9
    assert plain.files() != before
    assert len(_left()) == 1
    stale = envelope(b"*** Update File: f\n@@\n-nowhere\n+y\n")
    assert plain.opatch("apply-patch", feed=stale).status == 1
    assert (plain.files(), _left()) == (before, [])
    assert plain.opatch("apply-patch", feed=_PATCH).status == 0


def test_a_broken_repository_is_not_taken_for_none(plain: Sandbox) -> None:
    plain.write(".git", "gitdir: /nowhere\n")
    before = plain.files()
    ran = plain.opatch("apply-patch", feed=_PATCH)
    assert (ran.status, ran.out, plain.files()) == (128, b"", before)


def test_a_git_directory_that_cannot_be_written_is_left_alone(closed: Sandbox) -> None:
    before = _everything(closed.path / ".git")
    ran = closed.opatch("apply-patch", feed=_PATCH)
    assert (ran.status, ran.out) == (0, _DONE)
    assert ran.err.startswith("note: the git directory cannot be written here, so ")
    assert _content(closed) == {"f": b"a\nx\nb\ny\nc", "new/n": b"n\n"}
    assert _everything(closed.path / ".git") == before
    assert _left() == []


def test_settings_and_attributes_of_the_repository_hold(closed: Sandbox) -> None:
    closed.git("config", "core.autocrlf", "true")
    closed.write("f", _OLD["f"].replace("\n", "\r\n"))
    closed.write(".git/info/attributes", "sub/d -text\n")
    closed.write("sub/d", "d\n")
    assert closed.opatch("apply-patch", feed=_PATCH).status == 0
    assert _content(closed) == {"f": b"a\r\nx\r\nb\r\ny\r\nc", "new/n": b"n\r\n"}
    closed.git("config", "opatch.deny", "f")
    ran = closed.opatch("apply-patch", feed=_PATCH.replace(b"-x\n+y", b"-y\n+z"))
    assert (ran.status, "denied" in ran.err) == (1, True)


def test_line_endings_that_are_in_the_index_are_kept(closed: Sandbox) -> None:
    """As git does where a file was committed before it was declared to be text."""
    closed.commit({"f": _OLD["f"].replace("\n", "\r\n")})
    closed.git("config", "core.autocrlf", "input")
    assert closed.opatch("apply-patch", feed=_PATCH).status == 0
    assert _content(closed)["f"] == b"a\r\nx\r\nb\r\ny\r\nc"


def test_other_repositories_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One with SHA-256, in a linked working tree, whose name has a quote in it."""
    path = tmp_path / 'it"s'
    path.mkdir()
    main = Sandbox(path).init("--object-format=sha256")
    main.commit(_OLD)
    main.git("worktree", "add", "-q", "../linked")
    monkeypatch.setattr(Sandbox, "as_program", False)
    monkeypatch.setattr(apply_patch, "can_be_written", lambda _: False)
    linked = Sandbox(tmp_path / "linked")
    assert linked.opatch("apply-patch", feed=_PATCH).status == 0
    assert linked.read("f") == b"a\nx\nb\ny\nc"
    assert main.read("f") == _OLD["f"].encode()


def test_nothing_is_fetched_in_a_partial_clone(closed: Sandbox, tmp_path: Path) -> None:
    """Of the older version, which the patch was written for, there is no blob."""
    closed.commit({"f": "other\n"})
    closed.git("config", "uploadpack.allowFilter", "true")
    clone = Sandbox(tmp_path / "clone")
    source = f"file://{closed.path}"
    closed.git("clone", "--quiet", "--filter=blob:none", source, str(clone.path))
    before = _everything(clone.path / ".git")
    assert clone.opatch("apply-patch", feed=_PATCH).status == 1
    patch = envelope(b"*** Update File: f\n@@\n-other\n+more\n")
    assert clone.opatch("apply-patch", feed=patch).status == 0
    assert clone.read("f") == b"more\n"
    assert _everything(clone.path / ".git") == before


@pytest.mark.parametrize("fails", [False, True])
def test_a_git_directory_on_another_mount_of_the_file_system(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """Nothing can be moved there nor linked, though it is one file system (link(2), EXDEV)."""
    repo.commit(_OLD)
    monkeypatch.setattr(Sandbox, "as_program", False)
    rename, link = os.rename, os.link

    def rename_here(source: str, target: str, **options: Any) -> None:
        if len(options) == 1:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(source, target, **options)

    def link_here(source: str, target: str, **options: Any) -> None:
        if "dst_dir_fd" in options:
            if fails and target == "n":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        link(source, target, **options)

    monkeypatch.setattr(os, "rename", rename_here)
    monkeypatch.setattr(os, "link", link_here)
    before = repo.files()
    ran = repo.opatch("apply", "--worktree", "-", feed=_PATCH)
    if fails:
        assert (ran.status, repo.files()) == (128, before)
        return
    assert (ran.status, ran.err) == (0, "")
    assert _content(repo) == {"f": b"a\nx\nb\ny\nc", "new/n": b"n\n"}
    assert repo.opatch("undo").status == 0
    assert repo.files() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write in any directory")
def test_a_closed_git_directory_is_found(repo: Sandbox) -> None:
    repo.commit(_OLD)
    assert can_be_written(Repository(repo.path))
    (repo.path / ".git/opatch").chmod(0o500)
    (repo.path / ".git/opatch/lock").unlink()
    assert not can_be_written(Repository(repo.path))
    (repo.path / ".git/opatch").chmod(0o700)
