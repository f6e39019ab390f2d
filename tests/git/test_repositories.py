"""Every kind of repository. `README.md` has the table."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandbox import Sandbox
from targets import CACHED, EACH, SHA1, WORKTREE, After, applied, changed
from writers import envelope

from git_opatch.git.repository import Repository
from git_opatch.model.errors import RepositoryError

_PATCH = envelope(
    b"*** Update File: src/f\n@@\n-b\n+B\n",
    b"*** Delete File: gone\n",
    b"*** Add File: new/g\n+g\n",
)
_AFTER: After = {"src/f": ("100644", b"a\nB\n"), "gone": None, "new/g": ("100644", b"g\n")}


@pytest.fixture
def base(sound: Sandbox) -> Sandbox:
    sound.commit({"src/f": "a\nb\n", "gone": "x\n", "other": "o\n"})
    return sound


def _detached(repo: Sandbox) -> None:
    repo.git("checkout", "--quiet", "--detach")


def _version(number: int) -> Callable[[Sandbox], None]:
    def make(repo: Sandbox) -> None:
        repo.git("update-index", "--index-version", str(number))
        assert repo.read(".git/index")[4:8] == number.to_bytes(4, "big")

    return make


def _version_3(repo: Sandbox) -> None:
    """Set flags that need the extended entries of version 3."""
    repo.write("intended", "x\n")
    repo.git("add", "--intent-to-add", "intended")
    assert repo.read(".git/index")[4:8] == b"\0\0\0\3"


def _split(repo: Sandbox) -> None:
    repo.git("config", "core.splitIndex", "true")
    repo.git("update-index", "--split-index")
    assert list((repo.path / ".git").glob("sharedindex.*"))


def _untracked_cache(repo: Sandbox) -> None:
    repo.git("update-index", "--force-untracked-cache")
    repo.git("status")
    assert b"UNTR" in repo.read(".git/index")


def _fsmonitor(repo: Sandbox) -> None:
    """Configure a program that reports that every file may have changed."""
    script = repo.write(".git/monitor", "#!/bin/sh\nprintf 'token\\0/\\0'\n")
    script.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(script))
    repo.git("update-index", "--fsmonitor")
    repo.git("status")
    assert b"FSMN" in repo.read(".git/index")


def _packed(repo: Sandbox) -> None:
    repo.git("repack", "-adq")


@pytest.mark.one_of(3)
@EACH
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(_detached, id="detached head"),
        pytest.param(_version(2), id="index version 2"),
        pytest.param(_version_3, id="index version 3"),
        pytest.param(_version(4), id="index version 4"),
        pytest.param(_split, id="split index"),
        pytest.param(_untracked_cache, id="untracked cache"),
        pytest.param(_fsmonitor, id="fsmonitor"),
        pytest.param(_packed, id="packed"),
    ],
)
def test_each_kind_of_repository_is_patched(
    base: Sandbox, make: Callable[[Sandbox], None], target: str
) -> None:
    make(base)
    (base.path / "other").touch()
    applied(base, target, _PATCH, _AFTER)
    assert base.git("rev-parse", "HEAD") == base.git("rev-parse", "main")


@EACH
def test_a_repository_without_a_commit_is_patched(sound: Sandbox, target: str) -> None:
    applied(sound, target, envelope(b"*** Add File: a/b\n+x\n"), {"a/b": ("100644", b"x\n")})
    if target != CACHED:
        sound.git("add", "a/b")
        update = envelope(b"*** Update File: a/b\n@@\n-x\n+y\n")
        applied(sound, target, update, {"a/b": ("100644", b"y\n")})


@EACH
def test_a_name_that_a_shell_would_expand_is_patched(sound: Sandbox, target: str) -> None:
    """Also below it, where git must not run in the current directory instead."""
    repo = Sandbox(sound.path.parent / "~$HOME").init()
    repo.commit({"src/f": "a\nb\n", "gone": "x\n"})
    index = repo.index()
    ran = repo.opatch("apply", target, feed=_PATCH, cwd=repo.path / "src")
    assert ran.status == 0, ran.err
    assert repo.index() == (index if target == WORKTREE else changed(index, _AFTER))
    repo.fsck()


@SHA1
def test_no_other_repository_is_taken_where_the_named_one_is_not(
    base: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current directory is in another repository."""
    monkeypatch.chdir(base.path)
    for place in (base.path / "missing", base.path / "other", "missing"):
        with pytest.raises(RepositoryError, match=f"'{place}'"):
            Repository(place)


@EACH
def test_a_linked_worktree_is_patched(base: Sandbox, target: str) -> None:
    """Use its own index and the common objects; the main worktree does not change."""
    base.git("worktree", "add", "--quiet", "../linked")
    linked = Sandbox(base.path.parent / "linked")
    before = base.index(), base.files()
    applied(linked, target, _PATCH, _AFTER)
    assert linked.opatch("apply", "-R", target, feed=_PATCH).status == 0
    assert linked.git("status", "--short") == b""
    assert (base.index(), base.files()) == before


@EACH
def test_a_patch_is_applied_in_a_hook(base: Sandbox, target: str) -> None:
    """`git commit -a` gives an index of its own and locks the real one."""
    base.write("other", "changed\n")
    base.write("patch", _PATCH)
    hook = base.write(
        ".git/hooks/pre-commit",
        f"#!/bin/sh\nls .git/index.lock && exec git opatch apply {target} patch\n",
    )
    hook.chmod(0o755)
    index, files = base.index(), base.files()
    base.git("commit", "--quiet", "-a", "-m", "hooked")
    expected = files if target == CACHED else changed(files, _AFTER)
    assert base.files() == expected
    index = index if target == WORKTREE else changed(index, _AFTER)
    assert base.index() == changed(index, {"other": ("100644", b"changed\n")})
    assert base.git("diff", "--cached", "HEAD") == b""


@SHA1
def test_a_bare_repository_needs_a_base(base: Sandbox) -> None:
    bare = Sandbox(base.path.parent / "bare.git")
    base.git("clone", "--quiet", "--bare", str(base.path), str(bare.path))
    diff = bare.opatch("convert", "--base", "HEAD", feed=_PATCH)
    assert diff.status == 0, diff.err
    assert diff.out == base.opatch("convert", feed=_PATCH).out
    for command in ("check", "show"):
        assert bare.opatch(command, "--base", "main", feed=_PATCH).status == 0
        ran = bare.opatch(command, feed=_PATCH)
        assert (ran.status, "--base" in ran.err) == (128, True)
    ran = bare.opatch("apply", feed=_PATCH)
    assert (ran.status, "this needs a working tree" in ran.err) == (128, True)
    bare.fsck()


@EACH
def test_a_shallow_clone_is_patched(base: Sandbox, target: str) -> None:
    base.commit({"later": "l\n"})
    shallow = Sandbox(base.path.parent / "shallow")
    base.git("clone", "--quiet", "--depth=1", f"file://{base.path}", str(shallow.path))
    assert (shallow.path / ".git/shallow").exists()
    applied(shallow, target, _PATCH, _AFTER)
    shallow.fsck()


@pytest.fixture
def partial(base: Sandbox) -> Iterator[Sandbox]:
    """Make a clone that has only the blobs of `other`, and would fetch the others."""
    base.git("config", "uploadpack.allowFilter", "true")
    base.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = Sandbox(base.path.parent / "partial")
    url = f"file://{base.path}"
    base.git("clone", "--quiet", "--filter=blob:none", "--no-checkout", url, str(clone.path))
    clone.git("sparse-checkout", "set", "--no-cone", "/other")
    clone.git("checkout", "--quiet", "main")
    yield clone
    clone.fsck()


def _missing(repo: Sandbox) -> list[bytes]:
    listed = repo.git("rev-list", "--objects", "--all", "--missing=print").splitlines()
    return sorted(line for line in listed if line.startswith(b"?"))


@SHA1
def test_a_partial_clone_fetches_nothing(partial: Sandbox) -> None:
    before = _missing(partial)
    assert len(before) == 2
    oid = partial.git("rev-parse", "main:src/f").decode().strip()
    for words in (["apply", CACHED], ["apply", CACHED, "--check"], ["convert"], ["check"],
                  ["convert", "--base", "HEAD"], ["show"]):  # fmt: skip
        ran = partial.opatch(*words, feed=_PATCH)
        assert ran.status == 128, ran
        assert f"object {oid} is missing" in ran.err, ran.err
        assert f"`git cat-file -e {oid}` fetches it" in ran.err
        assert _missing(partial) == before
    partial.git("cat-file", "-e", oid)
    assert len(_missing(partial)) == 1


@EACH
def test_present_files_of_a_partial_clone_are_patched(partial: Sandbox, target: str) -> None:
    before = _missing(partial)
    patch = envelope(b"*** Update File: other\n@@\n-o\n+O\n")
    ran = partial.opatch("apply", target, feed=patch)
    assert ran.status == 0, ran.err
    assert partial.opatch("apply", "-R", target, feed=patch).status == 0
    assert _missing(partial) == before


@SHA1
def test_someone_elses_repository_is_refused_as_git_does(base: Sandbox) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    os.chown(base.path, 12345, 12345)
    os.chown(base.path / ".git", 12345, 12345)
    refusal = base.run("git", "status").err
    assert "dubious ownership" in refusal
    ran = base.opatch("apply", feed=_PATCH)
    assert (ran.status, ran.out) == (128, b"")
    assert ran.err == "error: " + refusal.removeprefix("fatal: ")
    os.chown(base.path, 0, 0)
    os.chown(base.path / ".git", 0, 0)


@pytest.mark.parametrize("count", [5_000, pytest.param(200_000, marks=pytest.mark.exhaustive)])
def test_two_hundred_thousand_files_cost_no_more_processes(tmp_path: Path, count: int) -> None:
    """A patch of one file costs eleven processes, and git's reading of the index."""
    repo = Sandbox(tmp_path / "repo").init()
    oid = repo.git("hash-object", "-w", "--stdin", feed=b"a\nb\n").strip()
    feed = b"".join(b"100644 %s\td%d/f%d\n" % (oid, at % 500, at) for at in range(count))
    repo.git("update-index", "--index-info", feed=feed)
    repo.write("d7/f7", "a\nb\n")
    repo.git("add", "d7/f7")
    trace = tmp_path / "trace"
    patch = envelope(b"*** Update File: d7/f7\n@@\n-b\n+B\n", b"*** Add File: d7/new\n+x\n")
    traced = {"GIT_TRACE2_EVENT": str(trace)}
    ran = repo.program("git", "opatch", "apply", feed=patch, env=traced)
    assert ran.status == 0, ran.err
    assert repo.git("show", ":d7/f7") == repo.read("d7/f7") == b"a\nB\n"
    assert repo.git("ls-files", "d7").count(b"\n") == count // 500 + 1
    events = map(json.loads, trace.read_text().splitlines())
    assert sum(event["event"] == "start" for event in events) <= 11
    repo.fsck()
