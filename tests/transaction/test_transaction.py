"""Kills, full disks, read-only directories, failing filters: the state before or after, exactly."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from killed import kill_before
from sandbox import Sandbox, Tree, seal
from writers import envelope

_FILES = 500
_DROP_FROM_BOUNDING_SET, _DAC_OVERRIDE = 24, 1  # prctl(2), capabilities(7)

_RECORDS = ("txn", "commit")

State = tuple[Tree, Tree]


def _sections(count: int) -> list[bytes]:
    """Give an update, an addition, a deletion and a move in turn, for `count` files."""
    kinds = [
        b"*** Update File: d%d/f%d\n@@\n keep\n-old %d\n+new %d\n",
        b"*** Add File: n%d/f%d\n+added %d\n+%d\n",
        b"*** Delete File: d%d/f%d\n",
        b"*** Update File: d%d/f%d\n*** Move to: m%d/f%d\n",
    ]
    found = []
    for number in range(count):
        kind = kinds[number % 4]
        values = (number % 7, number, number, number)
        found.append(kind % values[: kind.count(b"%d")])
    return found


def _base(path: Path, count: int = _FILES) -> Sandbox:
    """Make `count` committed files, and changes of the user that no patch touches."""
    repo = Sandbox(path).init()
    files = {
        f"d{number % 7}/f{number}": f"keep\nold {number}\n" + "more\n" * (number % 50)
        for number in range(count)
        if number % 4 != 1
    }
    repo.commit({**files, "staged": "1\n", "unstaged": "1\n"})
    repo.write("staged", "2\n")
    repo.git("add", "staged")
    repo.write("unstaged", "2\n")
    repo.write("d0/untracked", "u\n")
    repo.write("n1/untracked", "u\n")
    return repo


@pytest.fixture(scope="module")
def template(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, bytes, State, State]:
    """Make a repository to copy, the patch, and the two correct states."""
    directory = tmp_path_factory.mktemp("template")
    patch = envelope(*_sections(_FILES))
    with pytest.MonkeyPatch.context() as monkeypatch:
        seal(directory, monkeypatch)
        repo = _base(directory / "base")
        done = _copy(repo.path, directory / "done")
        assert done.opatch("apply", "-q", feed=patch).status == 0
        states = _state(repo), _state(done)
    return repo.path, patch, *states


def _state(repo: Sandbox) -> State:
    return repo.index(), repo.files()


def _leftovers(repo: Sandbox) -> list[str]:
    """List what a finished transaction must not leave in the git directory."""
    git = repo.path / ".git"
    if not (git / "opatch").exists():
        return []
    own = [name for name in os.listdir(git / "opatch") if name not in ("lock", "journal")]
    return own + [name for name in os.listdir(git) if name.startswith("index") and name != "index"]


def _start(repo: Sandbox, patch: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["git-opatch", "apply", "-q", str(patch)],
        cwd=repo.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _git_apply_of(process: subprocess.Popen[bytes]) -> int | None:
    """Wait for the `git apply` that `process` starts; return its process id."""
    while process.poll() is None:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            for child in children.split():
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                if words[0] == b"git" and b"apply" in words:  # otherwise it is not git yet
                    return int(child)
        except OSError:
            continue
    return None


def _length_of_git_apply(template: Path, patch: Path, path: Path) -> float:
    """Measure how many seconds git writes, so that kills fall into them."""
    process = _start(_copy(template, path), patch)
    child = _git_apply_of(process)
    start = time.monotonic()
    while Path(f"/proc/{child}").exists() and process.poll() is None:
        time.sleep(0.0005)
    process.wait()
    return time.monotonic() - start


def _kill(process_id: int | None) -> None:
    if process_id is not None:
        try:
            os.kill(process_id, signal.SIGKILL)
        except ProcessLookupError:
            return


def _copy(template: Path, path: Path) -> Sandbox:
    shutil.copytree(template, path, symlinks=True)
    repo = Sandbox(path)
    repo.git("status", "--short")  # the copies have different inodes
    return repo


def test_a_kill_of_git_at_any_moment_is_atomic(
    template: tuple[Path, bytes, State, State], tmp_path: Path, kills: int
) -> None:
    base, patch, before, after = template
    file = tmp_path / "patch"
    file.write_bytes(patch)
    chance = random.Random(1)
    seen = []
    length = _length_of_git_apply(base, file, tmp_path / "timed")
    for number in range(kills):
        repo = _copy(base, tmp_path / str(number))
        process = _start(repo, file)
        child = _git_apply_of(process)
        time.sleep(chance.uniform(0, length))
        _kill(child)
        status = process.wait()
        state = _state(repo)
        assert state == (after if status == 0 else before), number
        assert _leftovers(repo) == []
        seen.append(state == after)
        shutil.rmtree(repo.path)
    print(f"git killed {kills} times: {seen.count(False)} before, {seen.count(True)} after")


def test_a_kill_of_all_at_any_moment_is_atomic(
    template: tuple[Path, bytes, State, State], tmp_path: Path, kills: int
) -> None:
    """Kill the recovery by the next run once, too."""
    base, patch, before, after = template
    file = tmp_path / "patch"
    file.write_bytes(patch)
    chance = random.Random(2)
    length = _length_of_git_apply(base, file, tmp_path / "timed")
    seen, interrupted = [], 0
    for number in range(kills):
        repo = _copy(base, tmp_path / str(number))
        process = _start(repo, file)
        child = _git_apply_of(process)
        time.sleep(chance.uniform(0, 1.5 * length))
        process.kill()
        _kill(child)
        process.wait()
        interrupted += any((repo.path / ".git/opatch" / name).exists() for name in _RECORDS)
        again = _start(repo, Path(os.devnull))
        time.sleep(chance.uniform(0.1, 0.3))
        again.kill()
        again.wait()
        while "at work" in repo.opatch("apply").err:
            time.sleep(0.01)
        state = _state(repo)
        assert state in (before, after), number
        assert _leftovers(repo) == []
        seen.append(state == after)
        shutil.rmtree(repo.path)
    print(
        f"all killed {kills} times: {seen.count(False)} before, {seen.count(True)} after, "
        f"{interrupted} with a transaction to undo"
    )


def _refused_and_untouched(repo: Sandbox, run: Callable[[], tuple[int, str]]) -> str:
    before = _state(repo)
    status, message = run()
    assert status == 128, message
    assert "Traceback" not in message
    assert _state(repo) == before
    assert _leftovers(repo) == []
    assert repo.git("status", "--short", "--untracked-files=no") == b"M  staged\n M unstaged\n"
    return message


def _ran(repo: Sandbox, patch: bytes, prepare: Callable[[], object] = list) -> tuple[int, str]:
    ran = repo.direct("git-opatch", "apply", "-", feed=patch, fork=True, prepare=prepare)
    return ran.status, ran.err


def test_a_file_size_limit_restores_everything(tmp_path: Path) -> None:
    """Limit the file size, which git sees as a full disk."""
    repo = _base(tmp_path / "repo", 20)
    repo.write("big", "first\n" + "x" * 100 + "\n" * 1_500_000)
    repo.git("add", "big")
    repo.git("commit", "--quiet", "-m", "big", "--", "big")
    patch = envelope(
        *_sections(20), b"*** Update File: big\n@@\n-first\n+1st\n", b"*** Add File: zz\n+z\n"
    )
    size = 1_000_000

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    message = _refused_and_untouched(repo, lambda: _ran(repo, patch, limit))
    assert "everything was restored" in message
    assert _ran(repo, patch)[0] == 0


def _leave(disk: Path, size: int) -> None:
    """Fill `disk` but for `size` bytes; a hole would take none."""
    about = os.statvfs(disk)
    more = about.f_bavail * about.f_frsize - size
    with (disk / "filler").open("ab") as file:
        if more > 0:
            file.write(bytes(more))
        else:
            file.truncate(file.tell() + more)


def test_a_full_disk_restores_everything(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "none", str(disk)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        repo = _base(disk / "repo", 20)
        repo.write("big", "first\n" + os.urandom(300_000).hex("\n"))
        repo.git("add", "big")
        repo.git("commit", "--quiet", "-m", "big", "--", "big")
        _leave(disk, 700_000)
        patch = envelope(*_sections(20), b"*** Update File: big\n@@\n-first\n+1st\n")
        message = _refused_and_untouched(repo, lambda: _ran(repo, patch))
        assert message.startswith("error: cannot ")
        assert "No space left on device" in message
        _leave(disk, 300_000)
        adding = envelope(b"*** Add File: new\n" + 2000 * (b"+" + 99 * b"x" + b"\n"))
        message = _refused_and_untouched(repo, lambda: _ran(repo, adding))
        assert "cannot write new: No space left on device" in message
        (disk / "filler").unlink()
        assert _ran(repo, patch)[0] == 0
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _like_anybody() -> None:
    """Let a directory's mode stop even root."""
    libc = ctypes.CDLL(None)
    libc.prctl(_DROP_FROM_BOUNDING_SET, _DAC_OVERRIDE, 0, 0, 0)


def _by_anybody(repo: Sandbox, patch: bytes) -> tuple[int, str]:
    """Apply in a process of its own: a program loses what it may do when it is started."""
    done = subprocess.run(
        ["git-opatch", "apply", "-"], cwd=repo.path, input=patch, capture_output=True,
        preexec_fn=_like_anybody,
    )  # fmt: skip
    return done.returncode, done.stderr.decode()


def test_a_read_only_directory_restores_everything(tmp_path: Path) -> None:
    repo = _base(tmp_path / "repo", 40)
    patch = envelope(*_sections(40))
    (repo.path / "d4").chmod(0o555)
    try:
        message = _refused_and_untouched(repo, lambda: _by_anybody(repo, patch))
    finally:
        (repo.path / "d4").chmod(0o755)
    assert "ermission denied" in message
    assert _ran(repo, patch)[0] == 0


def test_a_failing_required_filter_restores_everything(tmp_path: Path) -> None:
    repo = Sandbox(tmp_path / "repo").init()
    repo.write(".gitattributes", "d4/* filter=bad\n")
    repo.git("config", "filter.bad.clean", "cat")
    _commit_sections(repo)
    patch = envelope(*_sections(40))
    repo.git("config", "filter.bad.smudge", "false")
    repo.git("config", "filter.bad.required", "true")
    message = _refused_and_untouched(repo, lambda: _ran(repo, patch))
    assert "smudge filter bad failed" in message
    repo.git("config", "filter.bad.smudge", "cat")
    assert _ran(repo, patch)[0] == 0


def _commit_sections(repo: Sandbox) -> None:
    base = _base(repo.path, 40)
    assert base.path == repo.path


def test_a_file_that_the_user_changed_meanwhile_is_kept(tmp_path: Path) -> None:
    """Keep a file that is neither as it was nor as git wrote it."""
    repo = _base(tmp_path / "repo", 8)
    patch = tmp_path / "patch"
    patch.write_bytes(envelope(*_sections(8)))
    before = _state(repo)
    kill_before(13, repo, patch.read_bytes())
    repo.write("d0/f0", "mine\n")
    ran = repo.opatch("apply", "--check", str(patch))
    assert (ran.status, _state(repo)[0]) == (128, before[0])
    assert "an apply was interrupted here" in ran.err
    ran = repo.opatch("apply")
    assert "the input is empty" in ran.err
    assert "note: d0/f0: left as it is" in ran.err
    kept = [name for name in _leftovers(repo) if name.startswith("kept-")]
    assert str(repo.path / ".git/opatch" / kept[0]) in ran.err
    saved = repo.path / ".git/opatch" / kept[0] / "files"
    assert [file.read_bytes() for file in saved.iterdir()] == [b"keep\nold 0\n"]
    index, files = _state(repo)
    assert files.pop("d0/f0") == ("100644", b"mine\n")
    del before[1]["d0/f0"]
    assert (index, files) == before
