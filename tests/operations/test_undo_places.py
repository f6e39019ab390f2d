"""An undo says of which place it speaks, where the index and the working tree differ."""

from __future__ import annotations

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_EDIT = b"*** Update File: a\n@@\n-one\n+1\n"
_ADD = b"*** Add File: n\n+n\n"
_DELETE = b"*** Delete File: old\n"
_REST = "  to undo the rest, in the {} only: git opatch undo --{} --skip-undone 1"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"a": "one\n", "old": "o\n"})
    return repo


def _apply(repo: Sandbox, *sections: bytes, target: str = "--index") -> None:
    assert repo.opatch("apply", target, feed=envelope(*sections)).status == 0


def _follow(repo: Sandbox, ran: Ran, way: str) -> None:
    """Run the command of the line `way`, which the refusal must have."""
    assert (ran.status, ran.out) == (1, b"")
    assert way in ran.err.splitlines()
    assert repo.run(*way.partition(": ")[2].split()).status == 0


@pytest.mark.parametrize(
    ("sections", "what"),
    [
        ([_EDIT, _ADD], "a does not contain its lines in the index (and 1 more file)"),
        ([_EDIT, _DELETE], "old is in the index again (and 1 more file)"),
        ([b"*** Update File: old\n@@\n-o\n+O\n", _ADD], "n is not in the index (and 1 more file)"),
    ],
)
@pytest.mark.parametrize("number", [[], ["1"]], ids=["last", "named"])
def test_what_only_the_working_tree_has_a_part_of_is_undone_there(
    base: Sandbox, sections: list[bytes], what: str, number: list[str]
) -> None:
    before = base.index(), base.files()
    _apply(base, *sections)
    base.git("reset", "-q")
    base.git("restore", "a" if sections[0] is _EDIT else "old")
    assert "  gone from the index  " in base.opatch("log").out.decode()
    ran = base.opatch("undo", *number)
    assert ran.err.splitlines()[0] == f"error: patch 1 is no longer applied: {what}"
    _follow(base, ran, _REST.format("working tree", "worktree"))
    assert (base.index(), base.files()) == before


def test_no_way_is_named_where_the_rest_was_changed(base: Sandbox) -> None:
    _apply(base, _EDIT, _ADD)
    base.git("reset", "-q")
    base.git("restore", "a")
    base.write("n", "n\nmine\n")
    assert base.opatch("undo", "1").err == (
        "error: patch 1 is no longer applied: a does not contain its lines in the index "
        "(and 1 more file)\n"
    )


def test_no_place_is_named_of_what_is_gone_everywhere(base: Sandbox) -> None:
    _apply(base, _EDIT)
    _apply(base, _ADD)
    base.git("rm", "-qf", "n")
    assert "  gone  " in base.opatch("log").out.decode()
    ran = base.opatch("undo")
    assert ran.err == "note: patch 2 is no longer applied: n does not exist; skipped\n"
    assert (ran.status, base.read("a")) == (0, b"one\n")


def test_a_hunk_that_only_the_index_lost_is_called_so(base: Sandbox) -> None:
    _apply(base, _EDIT, _ADD)
    base.write("n", "n\nmine\n")
    base.git("restore", "--staged", "a")
    ran = base.opatch("undo")
    assert ran.err.splitlines()[:2] == [
        "error: a: hunk 1 of 1 is not applied in the index any more",
        "  the lines at a:1 in the index are as before patch 1",
    ]
    _follow(base, ran, _REST.format("index", "cached"))
    assert "n" not in base.index()
    assert (base.read("a"), base.read("n")) == (b"1\n", b"n\nmine\n")


def test_a_redo_of_what_only_the_index_has_is_called_so(base: Sandbox) -> None:
    _apply(base, _EDIT, _ADD)
    assert base.opatch("undo").status == 0
    base.write("a", "1\n")
    base.git("add", "a")
    base.write("a", "one\n")
    assert base.opatch("redo", "1").err.splitlines()[0] == (
        "error: a: hunk 1 of 1 is already applied in the index"
    )


def test_a_hunk_that_is_gone_everywhere_is_not_said_to_be_gone_from_the_index(
    base: Sandbox,
) -> None:
    _apply(base, _EDIT, _ADD)
    base.git("restore", "--staged", "--worktree", "a")
    ran = base.opatch("undo")
    assert ran.err.splitlines()[:2] == [
        "error: a: hunk 1 of 1 is not applied here any more",
        "  the lines at a:1 are as before patch 1",
    ]
    _follow(base, ran, "  to undo the rest: git opatch undo --skip-undone 1")


@pytest.mark.parametrize("staged", ["a", "n"])
def test_a_part_that_is_still_staged_is_named(base: Sandbox, staged: str) -> None:
    before = base.index(), base.files()
    _apply(base, _EDIT, _ADD, _DELETE, target="--worktree")
    base.git("add", staged)
    command = "git opatch undo --cached --skip-undone 1"
    what = f"a part of the change of patch 1 is still staged; to undo it there: {command}"
    ran = base.opatch("undo")
    assert (ran.status, ran.err) == (0, f"note: {what}\n")
    assert f"  to undo it in the index, too: {command}" in base.opatch("undo", "1").err.splitlines()
    assert base.run(*command.split()).status == 0
    assert (base.index(), base.files()) == before


def test_a_part_that_was_committed_before_the_patch_is_not_called_staged(base: Sandbox) -> None:
    base.commit({"a": "1\n"})
    base.write("a", "one\n")
    _apply(base, _EDIT, _ADD, target="--worktree")
    ran = base.opatch("undo")
    assert (ran.status, ran.err) == (0, "")


_MOVE = b"*** Update File: a\n*** Move to: b\n@@\n-one\n+1\n"


@pytest.mark.parametrize(
    ("sections", "more"),
    [
        ([_MOVE], ""),
        ([_MOVE, _ADD], " (and 1 more file)"),
        ([_MOVE, _ADD, _DELETE], " (and 2 more files)"),
    ],
)
def test_a_moved_file_is_counted_once(base: Sandbox, sections: list[bytes], more: str) -> None:
    _apply(base, *sections)
    base.git("reset", "-q", "--hard")
    ran = base.opatch("undo", "1")
    path = "old" if _DELETE in sections else "a"
    assert ran.err == f"error: patch 1 is no longer applied: {path} exists again{more}\n"
