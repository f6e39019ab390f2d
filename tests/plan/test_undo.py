"""Undo and redo what was applied: byte for byte, or refused with the position."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, assume, given
from phrases import opening
from sandbox import Sandbox, Tree
from test_properties import edited_files
from writers import Edited, envelope, numbered

from git_opatch.journal import read_journal
from git_opatch.model.errors import JournalError
from git_opatch.model.sentences import Fault, Notice

_LINES = [f"line {number}" for number in range(1, 31)]
_JOURNAL = ".git/opatch/journal"


def _text(*changed: tuple[int, str]) -> str:
    """Give thirty lines, some of them changed."""
    lines = list(_LINES)
    for number, text in changed:
        lines[number - 1] = text
    return "".join(f"{line}\n" for line in lines)


def _patch(number: int, new: str) -> bytes:
    return envelope(f"*** Update File: f\n@@\n-line {number}\n+{new}\n".encode())


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    """Make a repository with the file `f` of thirty lines, and others."""
    repo.commit({"f": _text(), "gone": "g\n", "old": "o\n", "bin": b"\0\1"})
    return repo


def _state(repo: Sandbox) -> tuple[Tree, Tree]:
    return repo.index(), repo.files()


def _applied(repo: Sandbox, patch: bytes, *words: str) -> tuple[Tree, Tree]:
    """Apply the patch; return the state after it."""
    ran = repo.opatch("apply", *words, feed=patch)
    assert ran.status == 0, ran.err
    return _state(repo)


def _undone(repo: Sandbox, *words: str) -> tuple[Tree, Tree]:
    ran = repo.opatch("undo", *words)
    assert ran.status == 0, ran.err
    return _state(repo)


def _redone(repo: Sandbox, *words: str) -> tuple[Tree, Tree]:
    ran = repo.opatch("redo", *words)
    assert (ran.status, ran.err) == (0, "")
    return _state(repo)


def _refused(repo: Sandbox, *words: str) -> str:
    before, journal = repo.state(), sorted(os.listdir(repo.path / _JOURNAL))
    ran = repo.opatch("undo", *words)
    assert (ran.status, ran.out) == (128, b"")
    assert (repo.state(), sorted(os.listdir(repo.path / _JOURNAL))) == (before, journal)
    return ran.err


_EVERYTHING = envelope(
    b"*** Update File: f\n@@\n-line 3\n+3\n",
    b"*** Add File: d/e/new\n+n\n",
    b"*** Delete File: gone\n",
    b"*** Delete File: bin\n",
    b"*** Update File: old\n*** Move to: m/moved\n@@\n-o\n+O\n",
)


# --- files that have changed since ---------------------------------------------------------


@pytest.mark.parametrize("target", ["--index", "--worktree"])
def test_what_git_prunes_is_kept(base: Sandbox, target: str) -> None:
    """The content of a deleted file that was never committed, and of changed ones."""
    base.write("late", b"\0late")
    base.git("add", "late")
    before = _state(base)
    after = _applied(base, envelope(b"*** Delete File: late\n") + _patch(3, "3"), target)
    for command, wanted in (("undo", before), ("redo", after), ("undo", before)):
        base.git("prune", "--expire=now")
        ran = base.opatch(command)
        assert (ran.status, ran.err, _state(base)) == (0, "", wanted)
    base.fsck()


def test_an_entry_without_its_contents_is_named_and_the_others_are_undone(base: Sandbox) -> None:
    """Where neither the journal nor git has them, and the diff does not tell."""
    before = _state(base)
    for number in (3, 20):
        _applied(base, _patch(number, "x"), "--worktree")
    base.write("f", _text((3, "x"), (20, "x"), (10, "ten")))
    (base.path / _JOURNAL / "2.contents").write_bytes(b"torn")
    message = _refused(base)
    assert message.startswith("error: entry 2 cannot be undone or redone: nothing has the content")
    assert _undone(base, "1")[1]["f"][1] == _text((20, "x"), (10, "ten")).encode()
    assert base.index() == before[0]


@pytest.mark.parametrize("target", ["--index", "--cached"])
def test_an_entry_without_its_contents_is_undone_by_what_git_has(
    base: Sandbox, target: str
) -> None:
    before = _state(base)
    after = _applied(base, _EVERYTHING, target)
    (base.path / _JOURNAL / "1.contents").unlink()
    assert _undone(base) == before
    assert _redone(base) == after


# --- the journal ----------------------------------------------------------------------------


def test_a_record_of_a_newer_version_is_refused(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(3, "3"))
    _applied(base, _patch(20, "20"))
    entry = json.loads(base.read(f"{_JOURNAL}/2.json"))
    base.write(f"{_JOURNAL}/2.json", json.dumps({**entry, "version": 2, "changes": "new"}))
    for words in ([], ["2"]):
        message = _refused(base, *words)
        assert message == f"error: {Notice.NEWER_ENTRY.fill(number=2)}\n"
    index, _ = _undone(base, "1")
    assert index["f"] == ("100644", _text((20, "20")).encode())
    assert index != before[0]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("1.json", 0), ("1.json", 40), ("1.diff", 0), ("1.diff", 200), ("1.diff", None)],
)
def test_a_truncated_journal_is_an_error(base: Sandbox, name: str, kept: int | None) -> None:
    _applied(base, _EVERYTHING)
    path = base.path / _JOURNAL / name
    data = path.read_bytes()
    if kept is None:
        path.unlink()
    else:
        assert kept < len(data)
        path.write_bytes(data[:kept])
    message = _refused(base)
    assert f"{_JOURNAL}/{name} {'is damaged' if kept is not None else 'cannot be read'}" in message


@pytest.mark.parametrize("name", ["1.json", "1.diff"])
def test_a_journal_truncated_anywhere_is_an_error(base: Sandbox, name: str) -> None:
    _applied(base, _EVERYTHING)
    home = base.path / ".git/opatch"
    whole = (home / "journal" / name).read_bytes()
    assert read_journal(home).find(1).record.read_diff()
    for kept in range(len(whole)):
        (home / "journal" / name).write_bytes(whole[:kept])
        with pytest.raises(JournalError, match=f"{name} is damaged"):
            read_journal(home).find(1).record.read_diff()


def test_a_changed_diff_is_an_error(base: Sandbox) -> None:
    """Missing sections are not skipped."""
    _applied(base, _EVERYTHING)
    diff = base.read(f"{_JOURNAL}/1.diff")
    base.write(f"{_JOURNAL}/1.diff", diff[: diff.rindex(b"diff --git")])
    assert "is damaged: it does not match its checksum" in _refused(base)


def _numbers(repo: Sandbox) -> list[str]:
    directory = repo.path / _JOURNAL
    return sorted(path.stem for path in directory.glob("*.json")) if directory.exists() else []


# --- generated patches ------------------------------------------------------------------------


@pytest.mark.one_of(3)
@pytest.mark.parametrize("target", ["--index", "--cached", "--worktree"])
@examples(0.5, HealthCheck.filter_too_much, HealthCheck.too_slow)
@given(edited=edited_files())
def test_undo_and_redo_restore_every_byte(edited: Edited, target: str) -> None:
    """Compare every byte of index and working tree, with the real program."""
    patch = numbered("f", edited)
    with tempfile.TemporaryDirectory() as directory:
        repo = Sandbox(Path(directory) / "repo").init("--template=")
        repo.commit({"f": edited.before, "other": "other\n"})
        before = _state(repo)
        assume(repo.opatch("apply", "--ambiguous", "nearest", target, feed=patch).status == 0)
        after = _state(repo)
        assert after != before
        assert _undone(repo) == before
        assert _redone(repo) == after
        repo.fsck()


# --- many at once -----------------------------------------------------------------------------


_COUNTS = pytest.mark.parametrize("count", [4, pytest.param(20, marks=pytest.mark.exhaustive)])


def _patches(repo: Sandbox, directory: Path, count: int) -> list[str]:
    """Write patches of one file, each of another line."""
    repo.commit({"f": "".join(f"line {number}\n" for number in range(100))})
    names = []
    for number in range(count):
        path = directory / f"{number}.patch"
        hunk = f"@@\n-line {5 * number}\n+new {number}\n line {5 * number + 1}\n"
        path.write_bytes(envelope(f"*** Update File: f\n{hunk}".encode()))
        names.append(str(path))
    return names


def _new_lines(repo: Sandbox) -> set[str]:
    text = repo.read("f").decode()
    assert repo.index()["f"] == ("100644", text.encode())
    return {line for line in text.splitlines() if line.startswith("new")}


@_COUNTS
def test_runs_take_turns(repo: Sandbox, tmp_path: Path, count: int) -> None:
    names = _patches(repo, tmp_path, count)
    with repo.patience(200):
        ran = repo.all_at_once(["apply", name] for name in names)
    assert [(run.status, run.err) for run in ran] == [(0, "")] * count
    assert _new_lines(repo) == {f"new {number}" for number in range(count)}
    assert repo.git("status", "--short") == b"M  f\n"
    with repo.patience(200):
        ran = repo.all_at_once(["undo", str(number)] for number in range(1, count + 1))
    assert [(run.status, run.err) for run in ran] == [(0, "")] * count
    assert _new_lines(repo) == set()
    assert len(_numbers(repo)) == 2 * count
    assert repo.git("status", "--short") == b""
    repo.fsck()


@pytest.mark.parametrize("count", [2, 4, 8])
def test_applies_of_different_files_at_once_all_land(repo: Sandbox, count: int) -> None:
    repo.commit({f"f{number}": "a\n" for number in range(count)})
    runs = []
    for number in range(count):
        patch = envelope(f"*** Update File: f{number}\n@@\n-a\n+b\n".encode())
        words = ["git-opatch", "apply", "-q", str(repo.write(f".git/p{number}", patch))]
        runs.append(subprocess.Popen(words, cwd=repo.path))
    assert [run.wait(60) for run in runs] == [0] * count
    assert repo.git("status", "--short").splitlines() == [
        f"M  f{number}".encode() for number in range(count)
    ]


@pytest.mark.parametrize("patience", [0, 200])
@_COUNTS
def test_the_same_patch_is_applied_once(
    repo: Sandbox, tmp_path: Path, patience: int, count: int
) -> None:
    """It is applied once; after that it is already applied."""
    name = _patches(repo, tmp_path, count)[3]
    with repo.patience(patience):
        ran = repo.all_at_once(["apply", name] for _ in range(count))
    assert [run.status for run in ran].count(0) == 1
    busy = [run for run in ran if run.status == 128]
    assert not (busy and patience)
    assert all("is at work in this repository" in run.err for run in busy)
    applied = [run for run in ran if run.status == 1]
    assert all(f"{opening(Fault.ALREADY_APPLIED.sentence)} line" in run.err for run in applied)
    assert len(busy) + len(applied) == count - 1
    assert _new_lines(repo) == {"new 3"}
    assert repo.git("status", "--short") == b"M  f\n"
    assert _numbers(repo) == ["1"]
    repo.fsck()


_WAITING = [
    (".git/index.lock", ["apply", ".git/p"], "the index is locked: "),
    (".git/index.lock", ["undo"], "the index is locked: "),
    (".git/opatch/lock", ["apply", ".git/p"], "another git opatch is at work "),
    (".git/opatch/lock", ["apply", "--commit", "-m", "m", ".git/p"], "another git opatch is at "),
    (".git/opatch/lock", ["undo"], "another git opatch is at work "),
    (".git/opatch/lock", ["recover"], "another git opatch is at work "),
    (".git/opatch/lock", ["apply", "--check", ".git/p"], "another git opatch is at work "),
    (".git/opatch/lock", ["check", "--worktree", ".git/p"], "another git opatch is at work "),
    (".git/opatch/lock", ["apply-patch", _patch(20, "20").decode()], "another git opatch is at "),
]


@pytest.mark.parametrize(("name", "words", "why"), _WAITING)
def test_waiting_ends(base: Sandbox, name: str, words: list[str], why: str) -> None:
    _prepared(base)
    if "check" in str(words) or words == ["recover"]:
        (base.path / ".git/opatch/txn").mkdir()
    start = time.monotonic()
    with base.at_work(name, 0.5):
        ran = base.opatch(*words)
    assert 0.5 < time.monotonic() - start < 9
    assert (ran.status, ran.out) == (128, b"")
    assert ran.err.startswith(f"error: {why}")


def _prepared(base: Sandbox) -> None:
    _applied(base, _patch(10, "10"))
    base.write(".git/p", _patch(20, "20"))


def test_a_document_is_all_that_is_said_while_a_run_waits(
    base: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    base.write(".git/p", _patch(3, "3"))
    for words, said in (["--json"], 0), ([], 1):
        with base.at_work(".git/index.lock", 1.5):
            ran = base.opatch("apply", *words, ".git/p")
        assert (ran.status, len(caplog.records)) == (128, said)
    assert caplog.messages[0].startswith("note: waiting: the index is locked: ")


@pytest.mark.parametrize("name", [".git/index.lock", ".git/opatch/lock"])
def test_one_that_hangs_is_named_after_a_second(base: Sandbox, name: str) -> None:
    base.write(".git/p", _patch(3, "3"))
    (base.path / ".git/opatch").mkdir()
    start = time.monotonic()
    with base.at_work(name):
        process = subprocess.Popen(
            ["git-opatch", "apply", "-q", ".git/p"], cwd=base.path, stderr=subprocess.PIPE
        )
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        assert time.monotonic() - start > 1
        assert line.startswith("note: waiting: ")
        assert "index.lock exists" in line or "(process 1234)" in line
        assert process.poll() is None
        if name == ".git/index.lock":
            (base.path / name).unlink()
    assert (process.communicate(timeout=60)[1], process.returncode) == (b"", 0)
    assert base.read("f") == _text((3, "3")).encode()


def test_the_help_names_one_default(repo: Sandbox) -> None:
    message = " ".join(repo.opatch("undo", "-h").out.decode().split())
    assert "A patch is undone where it was applied" in message
    assert "(the default)" not in message
