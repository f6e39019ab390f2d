"""A power cut at any moment: the next run finds everything as it was, or as it was to be (D202)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice

import pytest
from disk import Inode, write_disk
from killed import kill_before
from power_cut import STRACE, Recording, record
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(
    b"*** Update File: f\n@@\n-a\n+b\n",
    b"*** Update File: d/script\n*** Move to: d/e/script\n@@\n-x\n+y\n",
    b"*** Delete File: gone\n",
    b"*** Add File: new/deep/n\n+n\n",
)
_FEW = 15
"""So many of a run's cuts are tried by default; all are if exhaustive."""

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.write("d/script", "x\n").chmod(0o755)
    repo.commit({"f": "a\n", "gone": "g\n"})
    probe = subprocess.run(["strace", "-o", "/dev/null", "true"], check=False)
    if probe.returncode:
        pytest.skip("strace may not be used here")
    return repo


def _recorded(repo: Sandbox, *words: str, feed: bytes = b"") -> Recording:
    command = [sys.executable, "-m", "git_opatch", *words]
    return record(repo.path, command, feed, repo.path.with_name("log"))


def _state(repo: Sandbox) -> tuple[object, ...]:
    return repo.run("git", "ls-files", "-s").out, repo.files()


def _leftovers(repo: Sandbox) -> list[str]:
    """Return what should not be there when all is done; git's own temporary files may be."""
    git = repo.path / ".git"
    ours = [*git.glob("opatch/txn*"), *git.glob("opatch/commit"), *git.glob("opatch/kept*")]
    return sorted(str(path) for path in [*ours, *git.glob("index.*")])


def _cuts(recording: Recording, *, every: bool) -> Iterator[tuple[str, dict[int, Inode]]]:
    """Yield the first few cuts, or every other one of all."""
    count, wanted, step = (0, None, 2) if every else (0, _FEW, 1)
    for cut in islice(recording.cuts(some=2, seed=5), 0, wanted, step):
        count += 1
        yield cut
    assert count == wanted or (every and count > 50)


def _wrong(repo: Sandbox, recording: Recording, *, every: bool) -> Iterator[str]:
    """Recover from each cut; give those after which it is neither as before nor as after."""
    after = _state(repo)
    write_disk(recording.before, repo.path)
    outcomes = (_state(repo), after)
    for name, disk in _cuts(recording, every=every):
        write_disk(disk, repo.path)
        ran = repo.opatch("recover")
        if ran.status or _state(repo) not in outcomes or _leftovers(repo):
            yield f"{name}: {ran}"


_RUNS = {
    "index": ("apply",),
    "worktree": ("apply", "--worktree"),
    "cached": ("apply", "--cached"),
}


@pytest.mark.parametrize("run", _RUNS)
def test_a_cut_leaves_all_or_nothing(base: Sandbox, run: str) -> None:
    assert not list(_wrong(base, _recorded(base, *_RUNS[run], feed=_PATCH), every=False))


@pytest.mark.exhaustive
@pytest.mark.parametrize("run", _RUNS)
def test_every_cut_leaves_all_or_nothing(base: Sandbox, run: str) -> None:
    assert not list(_wrong(base, _recorded(base, *_RUNS[run], feed=_PATCH), every=True))


@pytest.mark.exhaustive
def test_every_cut_with_unstaged_changes_leaves_all_or_nothing(base: Sandbox) -> None:
    base.commit({"f": "a\n1\n2\n"})
    base.write("f", "a\n1\nunstaged\n")
    assert not list(_wrong(base, _recorded(base, "apply", "--carry", feed=_PATCH), every=True))


@pytest.mark.exhaustive
def test_every_cut_of_a_redo_leaves_all_or_nothing(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_PATCH).status == 0
    assert base.opatch("undo").status == 0
    assert not list(_wrong(base, _recorded(base, "redo"), every=True))


@pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["some", "all"]
)
def test_a_cut_of_an_undo_leaves_all_or_nothing(base: Sandbox, every: bool) -> None:
    assert base.opatch("apply", feed=_PATCH).status == 0
    assert not list(_wrong(base, _recorded(base, "undo"), every=every))


@pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["some", "all"]
)
def test_a_cut_while_it_recovers_is_recovered(base: Sandbox, every: bool) -> None:
    before = _state(base)
    kill_before(6, base, _PATCH)
    recording = _recorded(base, "recover")
    assert _state(base) == before
    for name, disk in _cuts(recording, every=every):
        write_disk(disk, base.path)
        ran = base.opatch("recover")
        assert (ran.status, _state(base), _leftovers(base)) == (0, before, []), (name, ran)


def test_without_syncs_a_cut_could_leave_something_else(base: Sandbox) -> None:
    """The cuts have teeth: git's setting turns the syncs off, and then not all is well."""
    base.git("config", "core.fsync", "none")
    assert next(_wrong(base, _recorded(base, "apply", feed=_PATCH), every=True), "")


def test_git_opatch_syncs_as_git_is_told_to(base: Sandbox) -> None:
    syncs = {
        setting: _count_syncs(base, *setting)
        for setting in (("core.fsync", "none"), ("core.fsync", "all"), ("core.fsync", "-index"))
    }
    assert syncs[("core.fsync", "none")] == 0
    assert min(syncs[("core.fsync", "all")], syncs[("core.fsync", "-index")]) > 5


def _count_syncs(repo: Sandbox, name: str, value: str) -> int:
    log = repo.path.with_name("syncs")
    repo.git("config", name, value)
    traced = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-e",
        "trace=fsync,fdatasync,sync,syncfs",
        "-o",
        str(log),
    ]
    ran = repo.program(*traced, sys.executable, "-m", "git_opatch", "apply", feed=_PATCH)
    assert ran.status == 0, ran.err
    assert repo.opatch("undo").status == 0
    return log.read_text().count("sync(") + log.read_text().count("syncfs(")


def test_files_are_synced_together(base: Sandbox) -> None:
    parts = [f"*** Add File: many/{number}\n+{number}\n".encode() for number in range(60)]
    log = base.path.with_name("syncs")
    traced = [*STRACE, "-e", "trace=fsync,syncfs", "-o", str(log)]
    command = [sys.executable, "-m", "git_opatch", "apply"]
    assert base.program(*traced, *command, feed=envelope(*parts)).status == 0
    assert "syncfs(" in log.read_text()
    assert log.read_text().count("fsync(") < 10
    base.git("config", "core.fsyncMethod", "fsync")
    assert base.program(*traced, *command, feed=envelope(*parts).replace(b"many", b"m")).status == 0
    assert "syncfs(" not in log.read_text()
    assert log.read_text().count("fsync(") > 120


def test_a_committed_index_that_is_torn_is_not_published(base: Sandbox) -> None:
    """What no sync of ours can prevent, a disk that lies, is noticed at least."""
    recording = _recorded(base, "apply", feed=_PATCH)
    write_disk(recording.before, base.path)
    before = _state(base)
    at = next(n for n, change in enumerate(recording.changes) if "txn" in change.call.split()[-2]
              and change.call.endswith("opatch/commit"))  # fmt: skip
    disk = recording.disk(range(at + 1))
    for name in ("index", "blob"):
        write_disk(disk, base.path)
        git = base.path / ".git"
        if name == "index":
            torn = git / "index.opatch"
        else:
            [torn] = [git / "objects" / oid[:2] / oid[2:] for oid in [_id_of(base, b"n\n")]]
        torn.chmod(0o644)
        torn.write_bytes(bytes(torn.stat().st_size))
        assert base.opatch("recover").status == 0
        assert (_state(base), _leftovers(base)) == (before, []), name


def _id_of(repo: Sandbox, content: bytes) -> str:
    return repo.git("hash-object", "--stdin", feed=content).decode().strip()
