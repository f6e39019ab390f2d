"""A repository that was killed half-way, and then moved, copied or given another working tree."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from killed import kill_before
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Notice

_PATCH = envelope(
    b"*** Update File: f\n@@\n-a\n+b\n",
    b"*** Delete File: gone\n",
    b"*** Add File: d/new\n+n\n",
)
_STEPS = range(1, 6)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n", "gone": "g\n", "other": "o\n"})
    return repo


def _state(repo: Sandbox) -> tuple[object, ...]:
    return repo.index(), repo.files()


def _everything(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for file in directory.rglob("*"):
        about = file.lstat()
        content = file.read_bytes() if file.is_file() else b""
        found[str(file)] = (about.st_ino, about.st_mtime_ns, content)
    return found


def _is_clean(repo: Sandbox) -> bool:
    git = repo.path / ".git"
    names = set(os.listdir(git / "opatch")) - {"lock", "journal"}
    return not names and not list(git.glob("index*.lock")) and not list(git.glob("index.opatch*"))


@pytest.mark.parametrize("step", _STEPS)
def test_a_moved_repository_is_recovered(base: Sandbox, step: int) -> None:
    before = _state(base)
    kill_before(step, base, _PATCH)
    moved = Sandbox(base.path.with_name("moved"))
    base.path.rename(moved.path)
    ran = moved.opatch("recover")
    assert (ran.status, ran.err) == (0, "")
    assert _state(moved) == before
    assert _is_clean(moved)


@pytest.mark.parametrize("step", _STEPS)
@pytest.mark.parametrize("preserve", [True, False])
def test_in_a_copy_nothing_of_the_original_is_touched(
    base: Sandbox, step: int, preserve: bool
) -> None:
    before = _state(base)
    kill_before(step, base, _PATCH)
    copy = Sandbox(base.path.with_name("copy"))
    how = shutil.copy2 if preserve else shutil.copy
    shutil.copytree(base.path, copy.path, copy_function=how)
    original = _everything(base.path)
    ran = copy.opatch("recover")
    assert (ran.status, ran.err) == (0, "")
    assert _everything(base.path) == original
    assert _state(copy) == before
    assert _is_clean(copy)
    assert base.opatch("recover").status == 0
    assert _state(base) == before


def test_the_record_has_no_absolute_path(base: Sandbox) -> None:
    kill_before(5, base, _PATCH)
    plan = base.read(".git/opatch/txn/plan.json").decode()
    assert str(base.path) not in plan
    assert (json.loads(plan)["index"], json.loads(plan)["top"]) == ("index", "..")


def test_an_index_elsewhere_is_that_of_the_original_alone(base: Sandbox) -> None:
    """A copy beside the original leads to the same index outside of both."""
    outside = base.path.with_name("outside")
    shutil.copy(base.path / ".git/index", outside)
    before = base.files()
    os.environ["GIT_INDEX_FILE"] = str(outside)
    try:
        kill_before(2, base, _PATCH)
        copy = Sandbox(base.path.with_name("copy"))
        shutil.copytree(base.path, copy.path)
        copy.opatch("recover")
        assert outside.with_name("outside.lock").exists()
        ran = base.opatch("recover")
    finally:
        del os.environ["GIT_INDEX_FILE"]
    assert ran.status == 0
    assert base.files() == before
    assert not outside.with_name("outside.lock").exists()


def test_another_working_tree_of_the_git_directory_is_not_restored(base: Sandbox) -> None:
    before = _state(base)
    kill_before(3, base, _PATCH)
    other = base.path.with_name("other")
    other.mkdir()
    env = {"GIT_DIR": str(base.path / ".git"), "GIT_WORK_TREE": str(other)}
    ran = base.opatch("recover", cwd=other, env=env)
    assert ran.status == 128
    assert f"an apply was interrupted in another working tree, {base.path.resolve()}" in ran.err
    assert list(other.iterdir()) == []
    assert base.opatch("recover").status == 0
    assert _state(base) == before


def test_a_record_that_names_a_path_outside_is_refused(base: Sandbox) -> None:
    kill_before(3, base, _PATCH)
    outside = base.path.with_name("outside")
    outside.write_text("secret\n")
    file = base.path / ".git/opatch/txn/plan.json"
    plan = json.loads(file.read_bytes())
    plan["changes"] = [["../outside", None, ["100644", "0" * 40]]]
    file.write_text(json.dumps(plan))
    ran = base.opatch("recover")
    assert (ran.status, "txn is damaged" in ran.err) == (128, True)
    assert outside.read_text() == "secret\n"


def test_what_cannot_be_put_back_is_named_with_its_place(base: Sandbox) -> None:
    kill_before(5, base, _PATCH)
    base.write("f", "mine\n")
    ran = base.opatch("recover", "--json")
    document = json.loads(ran.out)
    assert (ran.status, document["exit_status"]) == (1, 1)
    assert document["status"] == "partially_recovered"
    assert [entry["path"] for entry in document["kept"]] == ["f"]
    assert Path(document["kept"][0]["saved"]).read_bytes() == b"a\n"
    assert base.read("f") == b"mine\n"
    assert base.read("gone") == b"g\n"
    assert not (base.path / "d").exists()


def test_only_what_was_changed_is_said_to_be_changed(base: Sandbox) -> None:
    """A lock that somebody removed, and times that git refreshed, are no changes."""
    before = _state(base)
    kill_before(5, base, _PATCH)
    (base.path / ".git/index.lock").unlink()
    os.utime(base.path / "other", (1, 1))
    base.git("update-index", "-q", "--refresh", "other")
    ran = base.opatch("recover")
    assert (ran.status, ran.out.decode()) == (0, f"{Notice.ROLLED_BACK.fill(files='3 files')}\n")
    assert _state(base) == before


@pytest.mark.parametrize("how", ["in place", "by another file"])
def test_what_was_saved_since_with_other_line_endings_is_kept(base: Sandbox, how: str) -> None:
    """What git would store the same is not the same: somebody saved it."""
    kill_before(5, base, _PATCH)
    for name in ("f", "d/new"):
        saved = base.read(name).replace(b"\n", b"\r\n")
        if how == "by another file":
            (base.path / name).unlink()
        (base.path / name).write_bytes(saved)
    ran = base.opatch("recover", "--json")
    document = json.loads(ran.out)
    assert (ran.status, [each["path"] for each in document["kept"]]) == (1, ["d/new", "f"])
    assert (base.read("f"), base.read("d/new")) == (b"b\r\n", b"n\r\n")
    assert [Path(each["saved"]).read_bytes() for each in document["kept"] if each["saved"]] == [
        b"a\n"
    ]
