"""Merge a patch that was written for an older version of a file as git would, or refuse it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from killed import kill_before_call
from phrases import opening
from sandbox import Sandbox, Tree
from writers import envelope

from git_opatch.model.sentences import Fault, Notice

_LINES = [f"line {number}" for number in range(1, 41)]


def _text(**changed: str) -> str:
    """Give forty lines, some of them changed: `l3="x"` is the third."""
    lines = list(_LINES)
    for name, text in changed.items():
        lines[int(name[1:]) - 1] = text
    return "".join(f"{line}\n" for line in lines)


_HUNK = b"@@\n line 7\n line 8\n line 9\n-line 10\n+new\n line 11\n line 12\n line 13\n"
_PATCH = envelope(b"*** Update File: f\n" + _HUNK)


@pytest.fixture
def late(repo: Sandbox) -> Sandbox:
    """Make a repository with three versions of `f`; line 8 is in the context of `_patch`."""
    repo.commit({"f": _text(), "other": "o\n"})
    repo.commit({"f": _text(l30="thirty")})
    repo.commit({"f": _text(l30="thirty", l8="eight")})
    return repo


def _stored(repo: Sandbox, text: str) -> str:
    return repo.git("hash-object", "-w", "--stdin", feed=text.encode()).decode().strip()


@pytest.mark.parametrize(("later", "found"), [(50, True), (51, False)])
def test_no_more_than_fifty_versions_are_looked_at(repo: Sandbox, later: int, found: bool) -> None:
    texts = [_text(), *(_text(l8=f"eight {number}") for number in range(1, later))]
    committer = "committer a <a@b> 1700000000 +0000\ndata 1\nx\n"
    stream = "".join(
        f"commit refs/heads/main\n{committer}M 100644 inline f\ndata {len(text)}\n{text}\n"
        for text in texts
    )
    repo.git("fast-import", "--quiet", feed=stream.encode())
    repo.git("reset", "--quiet", "--hard")
    new = {"l10": "new"} if found else {}
    assert repo.opatch("apply", "-3", feed=_PATCH).status == (not found)
    assert repo.read("f") == _text(l8=f"eight {later - 1}", **new).encode()


def test_nothing_is_fetched(late: Sandbox, tmp_path: Path) -> None:
    trace, serve = tmp_path / "trace", tmp_path / "serve"
    serve.write_text(f'#!/bin/sh\ntouch {shlex.quote(str(trace))}\nexec git-upload-pack "$@"\n')
    serve.chmod(0o755)
    late.git("config", "uploadpack.allowFilter", "true")
    late.git("config", "uploadpack.allowAnySHA1InWant", "true")
    partial = Sandbox(tmp_path / "partial")
    url = f"file://{late.path}"
    late.git("clone", "--quiet", "--filter=blob:none", url, str(partial.path))
    partial.git("config", "remote.origin.uploadpack", str(serve))
    old = partial.git("rev-parse", "HEAD~1:f").decode().strip()
    before = partial.index(), partial.files()
    head = f"diff --git a/f b/f\nindex {old}..0123456 100644\n--- a/f\n+++ b/f\n"
    for patch in (_PATCH, head.encode() + _HUNK):
        assert partial.opatch("apply", "-3", feed=patch).status == 1
        assert partial.opatch("apply", "-v", feed=patch).status == 1
    assert (partial.index(), partial.files()) == before
    assert not trace.exists()
    partial.git("cat-file", "-e", old)
    assert trace.exists()
    trace.unlink()
    assert partial.opatch("apply", "-3", feed=_PATCH).status == 0
    assert partial.read("f") == _text(l30="thirty", l8="eight", l10="new").encode()
    assert not trace.exists()


# Conflicts

_LATER = {"l30": "thirty", "l8": "eight", "l10": "ten"}


@pytest.fixture
def torn(late: Sandbox) -> Sandbox:
    """Change the patched line itself in a later version."""
    late.commit({"f": _text(**_LATER)})
    return late


def _by_git(repo: Sandbox, patch: str, *words: str) -> tuple[Tree, bytes]:
    """Give the files and index that `git apply --3way` leaves, then restore them."""
    ran = repo.run("git", "apply", "--3way", *words, feed=patch.encode())
    assert ran.status == 1
    found = repo.files(), repo.git("ls-files", "-s")
    repo.git("reset", "--quiet", "--hard")
    return found


def _diff(repo: Sandbox) -> str:
    """Give the patch as a diff with line numbers."""
    new = _stored(repo, _text(l30="thirty", l10="new"))
    old = repo.git("rev-parse", "HEAD~2:f").decode().strip()
    diff = repo.git("diff", "--full-index", old, new).decode()
    return diff.replace(f"a/{old}", "a/f").replace(f"b/{new}", "b/f")


@pytest.mark.parametrize("style", ["merge", "diff3"])
@pytest.mark.parametrize("words", [["--index"], ["--cached"]])
def test_a_conflict_is_left_as_git_leaves_it(
    torn: Sandbox, style: str, words: Sequence[str]
) -> None:
    torn.git("config", "merge.conflictStyle", style)
    wanted = _by_git(torn, _diff(torn), *words)
    ran = torn.opatch("apply", "--3way", *words, feed=_PATCH)
    assert (ran.status, ran.out) == (1, b"")
    assert f"error: f: {opening(Fault.CONFLICT_LEFT.sentence)}" in ran.err
    assert " (2 commits ago)\n" in ran.err
    assert ran.err.endswith("\n1 file left with conflicts\n")
    assert (torn.files(), torn.git("ls-files", "-s")) == wanted
    torn.fsck()


@pytest.mark.parametrize("call", [("os.rename", "opatch/commit"), ("os.rename", ".git/index")])
@pytest.mark.parametrize("more", [b"", b"*** Update File: other\n@@\n-o\n+p\n"])
def test_a_killed_undo_of_conflicts_can_be_done_again(
    torn: Sandbox, call: tuple[str, str], more: bytes
) -> None:
    before = torn.files(), torn.git("ls-files", "-s")
    patch = _PATCH.replace(b"*** End", more + b"*** End")
    assert torn.opatch("apply", "--3way", feed=patch).status == 1
    if call[1] == ".git/index" and not more:
        call = ("os.rename", "journal/2.json")
    kill_before_call(torn, *call, "undo")
    torn.opatch("recover")
    if "  undone  " not in torn.opatch("log").out.decode():
        assert torn.opatch("undo").status == 0
    assert (torn.files(), torn.git("ls-files", "-s")) == before


def test_a_check_of_a_conflict_changes_nothing(torn: Sandbox) -> None:
    torn.git("config", "rerere.enabled", "true")
    before = torn.state(), sorted((torn.path / ".git").rglob("*"))
    summary = "the patch would leave 1 file with conflicts; nothing was changed"
    ran = torn.opatch("apply", "--3way", "--check", feed=_PATCH)
    assert (ran.status, summary in ran.err) == (1, True)
    assert (
        torn.opatch("check", "-3", feed=_PATCH).out
        == b"standard input: would leave 1 file with conflicts\n"
    )
    for command in ("check", "show", "convert"):
        ran = torn.opatch(command, "-3", feed=_PATCH)
        assert ran.status == 1
        assert ran.out == b"" if command == "convert" else b"conflict" in ran.out
    found = [path for path in sorted((torn.path / ".git").rglob("*")) if "opatch" not in path.parts]
    assert (torn.state(), found) == before


_KILLED = """
import os, sys
import git_opatch.transaction.perform as transaction
from git_opatch.operations.apply import apply_patch
from git_opatch.model.options import Options, ThreeWay
from git_opatch.parse import parse_patch
from git_opatch.git.repository import Repository

write = transaction.write
def killed(*arguments):
    if sys.argv[1] == "write":
        write(*arguments)
    os._exit(9)

setattr(transaction, sys.argv[1], killed)
options = Options(three_way=ThreeWay.MERGE)
apply_patch(parse_patch(sys.stdin.buffer.read()), Repository("."), options)
"""


def test_a_conflict_killed_early_is_restored(torn: Sandbox) -> None:
    before = torn.files(), torn.git("ls-files", "-s")
    assert torn.run("python", "-c", _KILLED, "write", feed=_PATCH).status == 9
    assert torn.files() != before[0]
    recovered = torn.opatch("recover")
    assert Notice.ROLLED_BACK.fill(files="1 file") in recovered.out.decode()
    assert (torn.files(), torn.git("ls-files", "-s")) == before
    torn.fsck()


def test_a_conflict_killed_late_is_finished(torn: Sandbox) -> None:
    wanted = _by_git(torn, _diff(torn), "--index")
    assert torn.run("python", "-c", _KILLED, "publish", feed=_PATCH).status == 9
    assert "an interrupted apply was finished" in torn.opatch("recover").out.decode()
    assert (torn.files(), torn.git("ls-files", "-s")) == wanted
    assert torn.opatch("undo").status == 0
    assert torn.git("status", "--short") == b""
    torn.fsck()
