"""Directories and files that become something else while a patch is applied."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest
from killed import kill_before, kill_before_call
from sandbox import Ran, Sandbox
from writers import envelope

_PATCH = envelope(
    b"*** Update File: d/f\n@@\n-a\n+b\n",
    b"*** Delete File: d/gone\n",
    b"*** Add File: d/new\n+n\n",
)
_REJECTED = envelope(b"*** Update File: other\n@@\n-o\n+p\n", b"*** Update File: d/f\n@@\n-x\n+y\n")
_MOMENTS = {
    "planned": ("subprocess.Popen", "check-attr"),
    "index": ("subprocess.Popen", "apply"),
    "aside": ("open", "/txn/new/d/new"),
    "rejects": ("open", "/txn/new/d/f.rej"),
}
"""When somebody strikes: the files have been read; git makes the new index; the last of the new
files is written aside, and after that they are put in their places."""
_STRIKES = [
    *(("planned", "--index"), ("planned", "--worktree"), ("index", "--index")),
    *(("aside", "--index"), ("aside", "--worktree")),
]


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    """Make a repository, and a directory beside it with the same files."""
    repo.commit({"d/f": "a\n", "d/gone": "g\n", "other": "o\n"})
    outside = repo.path.with_name("outside")
    shutil.copytree(repo.path / "d", outside)
    return repo


def _apply(repo: Sandbox, moment: str, script: str, *words: str, patch: bytes = _PATCH) -> Ran:
    """Apply in a process that runs `script`, once, at a moment."""
    event, what = _MOMENTS[moment]
    once = repo.path.with_name("once")

    def note(called: str, arguments: tuple[object, ...]) -> None:
        if called != event or once.exists():
            return
        if str(arguments[0]).endswith(what) or what in str(arguments[1]).split("'"):
            once.touch()
            subprocess.run(["sh", "-c", script], cwd=repo.path, check=True)

    hook = partial(sys.addaudithook, note)
    words = ("git-opatch", "apply", *words)
    ran = repo.direct(*words, feed=patch, fork=True, prepare=hook)
    assert once.exists()
    return ran


def _outside(repo: Sandbox) -> dict[str, bytes]:
    directory = repo.path.with_name("outside")
    return {file.name: file.read_bytes() for file in directory.iterdir()}


@pytest.mark.parametrize(("moment", "target"), _STRIKES)
def test_nothing_is_written_through_a_directory_that_becomes_a_link(
    base: Sandbox, moment: str, target: str
) -> None:
    index, outside = base.index(), _outside(base)
    ran = _apply(base, moment, f"mv d real; ln -s {base.path.with_name('outside')} d", target)
    assert ran.status == 128
    assert "Traceback" not in ran.err
    assert _outside(base) == outside
    assert base.index() == index
    assert (base.path / "real/f").read_bytes() == b"a\n"
    assert (base.path / "real/gone").read_bytes() == b"g\n"


@pytest.mark.parametrize("step", range(1, 6))
def test_nothing_is_restored_through_a_link(base: Sandbox, step: int) -> None:
    outside = _outside(base)
    kill_before(step, base, _PATCH)
    (base.path / "d").rename(base.path / "real")
    (base.path / "d").symlink_to(base.path.with_name("outside"))
    ran = base.opatch("recover", "--json")
    assert ran.status == (step > 1)
    assert "Traceback" not in ran.err
    assert _outside(base) == outside
    saved = list((base.path / ".git/opatch").glob("kept-*/files/*"))
    found = {file.read_bytes() for file in [*saved, *(base.path / "real").iterdir()]}
    assert {b"a\n", b"g\n"} <= found


def test_no_reject_file_is_written_through_a_link(base: Sandbox) -> None:
    outside, index = _outside(base), base.index()
    script = f"mv d real; ln -s {base.path.with_name('outside')} d"
    ran = _apply(base, "rejects", script, "--reject", patch=_REJECTED)
    assert ran.status == 128
    assert "a directory above d/f.rej was replaced meanwhile" in ran.err
    assert _outside(base) == outside
    assert base.index() == index
    assert base.read("other") == b"o\n"


def test_a_killed_run_leaves_no_rejected_hunks(base: Sandbox) -> None:
    before = base.files()
    kill_before_call(base, "os.rename", "/opatch/commit", "apply", "--reject", feed=_REJECTED)
    assert base.read("d/f.rej")
    assert base.opatch("recover").status == 0
    assert base.files() == before


def _save_with_old_time(file: Path) -> str:
    """Save another text of the same size, and give the file its time back."""
    return (
        f"cp -p {file} {file}.old; printf 'z\\n' >{file}; touch -r {file}.old {file}; rm {file}.old"
    )


@pytest.mark.parametrize(("moment", "target"), _STRIKES)
@pytest.mark.parametrize("how", ["size and time as before", "append", "replace", "delete"])
def test_a_change_meanwhile_is_noticed(base: Sandbox, moment: str, target: str, how: str) -> None:
    file = base.path / "d/f"
    script = {
        "size and time as before": _save_with_old_time(file),
        "append": f"echo z >>{file}",
        "replace": f"echo z >{file}.tmp; mv {file}.tmp {file}",
        "delete": f"rm {file}",
    }[how]
    index = base.index()
    ran = _apply(base, moment, script, target)
    assert ran.status == 128
    assert "d/f was changed meanwhile" in ran.err
    assert base.index() == index
    assert (base.read("d/f") if file.exists() else None) == {
        "size and time as before": b"z\n", "append": b"a\nz\n", "replace": b"z\n", "delete": None,
    }[how]  # fmt: skip
    assert base.read("d/gone") == b"g\n"
    assert not (base.path / "d/new").exists()


def test_an_earlier_change_with_the_same_size_and_time_is_unstaged(base: Sandbox) -> None:
    """As git sees it: by the time of the inode, which nobody can set back."""
    file = base.path / "d/f"
    os.utime(file, (1, 1))
    base.git("update-index", "--refresh")
    changed = int(file.stat().st_ctime)
    # Git may be built without fractions of a second, and the clock of files lags behind.
    while int(file.stat().st_ctime) == changed:
        time.sleep(0.05)
        file.write_text("z\n")
        os.utime(file, (1, 1))
    assert base.git("diff", "--name-only") == b"d/f\n"
    ran = base.opatch("apply", feed=_PATCH)
    assert (ran.status, "d/f: has unstaged changes" in ran.err) == (1, True)
    assert file.read_text() == "z\n"


def test_a_file_that_appears_meanwhile_is_kept(base: Sandbox) -> None:
    ran = _apply(base, "aside", "echo mine >d/new")
    assert ran.status == 128
    assert "d/new was changed meanwhile" in ran.err
    assert base.read("d/new") == b"mine\n"
    assert base.read("d/f") == b"a\n"


def test_permissions_of_new_files_are_those_of_a_checkout(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_PATCH).status == 0
    modes = {name: stat.S_IMODE((base.path / name).stat().st_mode) for name in ("d/f", "other")}
    assert modes["d/f"] == modes["other"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives a directory any group")
@pytest.mark.parametrize("owner", ["d", ".git/opatch"])
def test_the_group_of_new_files_is_that_of_their_directory(base: Sandbox, owner: str) -> None:
    """A file that git makes gets the group of its directory, if that has the bit for it."""
    (base.path / ".git/opatch").mkdir(exist_ok=True)
    os.chown(base.path / owner, -1, 12345)
    (base.path / owner).chmod(0o2775)
    group = 12345 if owner == "d" else os.getegid()
    assert base.opatch("apply", feed=_PATCH).status == 0
    assert [(base.path / name).stat().st_gid for name in ("d/f", "d/new")] == [group, group]
    assert base.git("status", "--porcelain") == b"M  d/f\nD  d/gone\nA  d/new\n"


def _elsewhere(directory: Path) -> Path | None:
    """A directory on another file system than `directory`."""
    places = [Path(name) for name in ("/dev/shm", "/tmp", "/var/tmp") if Path(name).is_dir()]
    others = [place for place in places if place.stat().st_dev != directory.stat().st_dev]
    return others[0] if others else None


@pytest.mark.parametrize("target", ["--index", "--worktree"])
def test_a_git_directory_on_another_file_system(base: Sandbox, target: str) -> None:
    other = _elsewhere(base.path)
    if other is None:
        pytest.skip("there is one file system only")
    with tempfile.TemporaryDirectory(dir=other) as name:
        shutil.move(base.path / ".git", f"{name}/git")
        (base.path / ".git").write_text(f"gitdir: {name}/git\n")
        (base.path / "d/f").chmod(0o755)
        base.git("add", "d/f")
        refused = _PATCH.replace(b"*** Add File: d/new", b"*** Add File: d/f/new")
        assert base.opatch("apply", target, feed=refused).status == 1
        assert base.opatch("apply", target, feed=_PATCH).status == 0
        assert base.read("d/f") == b"b\n"
        assert (base.path / "d/f").stat().st_mode & 0o111 == 0o111
        assert sorted(os.listdir(base.path / "d")) == ["f", "new"]
        assert base.opatch("undo").status == 0
        assert sorted(os.listdir(base.path / "d")) == ["f", "gone"]
        assert base.read("d/f") == b"a\n"
        assert not list(Path(name, "git/opatch").glob("[tck]*"))
