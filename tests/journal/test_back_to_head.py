"""A patch that brings back what HEAD has is applied, not committed by an older commit (D456)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_ADD = envelope(b"*** Update File: f\n@@\n one\n+debug\n two\n")
_REMOVE = envelope(b"*** Update File: f\n@@\n one\n-debug\n two\n")
_BOTH = envelope(b"*** Update File: f\n@@\n one\n+debug\n two\n*** Update File: g\n@@\n-g\n+h\n")
_ONE_BACK = envelope(
    b"*** Update File: f\n@@\n one\n-debug\n two\n*** Update File: g\n@@\n-h\n+i\n"
)
_DELETE = envelope(b"*** Delete File: g\n")
_CREATE = envelope(b"*** Add File: g\n+g\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "one\ntwo\n", "g": "g\n"})
    return repo


def _states(repo: Sandbox) -> list[tuple[int, str, list[str]]]:
    records = json.loads(repo.opatch("log", "--json").out)["records"]
    return [(each["record"], each["state"], each.get("commits", [])) for each in records]


def _head(repo: Sandbox) -> str:
    return repo.git("rev-parse", "HEAD").decode().strip()


@pytest.mark.parametrize("target", ["--index", "--cached", "--worktree"])
@pytest.mark.parametrize(
    ("first", "second"),
    [(_ADD, _REMOVE), (_DELETE, _CREATE), (_BOTH, _ONE_BACK)],
    ids=["a line", "a file", "one of two files"],
)
def test_both_patches_are_undone(base: Sandbox, first: bytes, second: bytes, target: str) -> None:
    before = base.index(), base.files()
    assert base.opatch("apply", target, feed=first).status == 0
    between = base.index(), base.files()
    assert base.opatch("apply", target, feed=second).status == 0
    assert _states(base)[0] == (2, "applied", [])
    assert "in part" not in base.opatch("log").out.decode()
    for expected in (between, before):
        ran = base.opatch("undo")
        assert (ran.status, ran.err) == (0, "")
        assert (base.index(), base.files()) == expected


def test_minus_r_of_a_staged_change_and_of_a_part_is_undone(base: Sandbox) -> None:
    base.write("f", "one\ndebug\ntwo\n")
    base.git("add", "f")
    assert (
        base.opatch("apply", "-R", feed=_ADD).out == b"1 file modified. Undo: git opatch undo 1\n"
    )
    assert _states(base) == [(1, "applied", [])]
    assert base.opatch("undo").status == 0
    assert base.read("f") == b"one\ndebug\ntwo\n"
    base.git("reset", "--quiet", "--hard")
    assert base.opatch("apply", feed=_BOTH).status == 0
    assert base.opatch("apply", "-R", "--only", "f", feed=_BOTH).status == 0
    assert [base.opatch("undo").status for _ in range(2)] == [0, 0]
    assert base.read("f") + base.read("g") == b"one\ntwo\ng\n"


def test_staged_is_said_of_an_apply_that_stages_something(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_ADD).out.startswith(b"1 file modified; staged. Undo: ")
    assert base.opatch("apply", feed=_REMOVE).out == b"1 file modified. Undo: git opatch undo 2\n"


def test_a_patch_is_committed_only_by_a_commit_that_made_it(base: Sandbox) -> None:
    """Amended or not, the commit had the lines before the patch; one that follows has them, too."""
    for patch in (_ADD, _REMOVE):
        assert base.opatch("apply", feed=patch).status == 0
    base.git("commit", "--quiet", "--amend", "--allow-empty", "-m", "amended")
    assert _states(base)[0] == (2, "applied", [])
    base.commit({"new": "n\n"})
    assert _states(base)[0] == (2, "applied", [])
    assert "in part" not in base.opatch("log").out.decode()
    assert (base.opatch("undo").status, base.read("f")) == (0, b"one\ndebug\ntwo\n")


def test_a_patch_is_committed_if_a_commit_removed_its_change_and_another_made_it(
    base: Sandbox,
) -> None:
    for patch in (_ADD, _REMOVE):
        assert base.opatch("apply", feed=patch).status == 0
    base.commit({"f": "one\ndebug\ntwo\n"})
    base.commit({"f": "one\ntwo\n"})
    assert _states(base)[0] == (2, "committed", [_head(base)])
    assert base.opatch("undo").err.startswith("error: patch 2 is committed")


def test_a_part_that_head_had_before_is_not_committed(base: Sandbox) -> None:
    for patch in (_BOTH, _ONE_BACK):
        assert base.opatch("apply", feed=patch).status == 0
    base.git("commit", "--quiet", "--allow-empty", "--only", "-m", "other")
    assert _states(base)[0] == (2, "applied", [])
    assert "in part" not in base.opatch("log").out.decode()


def test_a_commit_after_the_patch_is_named_after_amend_and_rebase(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_ADD).status == 0
    base.git("commit", "--quiet", "-m", "made")
    assert _states(base) == [(1, "committed", [_head(base)])]
    base.git("commit", "--quiet", "--amend", "-m", "amended")
    assert _states(base) == [(1, "committed", [_head(base)])]
    base.git("checkout", "--quiet", "-b", "other", "HEAD^")
    base.commit({"new": "n\n"})
    base.git("cherry-pick", "@{-1}")
    assert _states(base) == [(1, "committed", [_head(base)])]


def test_a_reset_to_before_the_patch_leaves_it_applied(base: Sandbox) -> None:
    """HEAD has its lines, but it is older than the patch."""
    base.commit({"new": "n\n"})
    for patch in (_ADD, _REMOVE):
        assert base.opatch("apply", feed=patch).status == 0
    base.git("reset", "--quiet", "--soft", "HEAD^")
    assert _states(base)[0] == (2, "applied", [])


def test_a_patch_that_is_redone_after_its_commit_is_committed(base: Sandbox) -> None:
    """What counts is when it was applied first: a redo only brings back what is committed."""
    assert base.opatch("apply", feed=_ADD).status == 0
    base.git("commit", "--quiet", "-m", "made")
    assert base.opatch("undo", "1").status == 0
    assert base.opatch("redo").status == 0
    assert _states(base) == [(1, "committed", [_head(base)])]


def test_what_head_had_is_not_called_staged_since(base: Sandbox) -> None:
    for patch in (_ADD, _REMOVE):
        assert base.opatch("apply", "--worktree", feed=patch).status == 0
    undone = base.opatch("undo")
    assert (undone.status, undone.err) == (0, "")
    again = base.opatch("undo", "2")
    assert "git opatch undo --cached" not in again.err


def test_the_log_asks_git_once_for_all_records(base: Sandbox, tmp_path: Path) -> None:
    """However many commits there are since, and heads at which patches were applied."""
    counts = set()
    for count in (2, 6):
        for number in range(count):
            name = f"{count}-{number}"
            added = envelope(f"*** Add File: {name}\n+{name}\n".encode())
            assert base.opatch("apply", feed=added).status == 0
            base.git("commit", "--quiet", "-m", name)
        trace = tmp_path / f"trace {count}"
        assert (
            base.program("git", "opatch", "log", env={"GIT_TRACE2_EVENT": str(trace)}).status == 0
        )
        counts.add(trace.read_text().count('"event":"start"'))
    assert len(counts) == 1
