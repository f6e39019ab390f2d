"""What is to be in the index and the working tree is applied if both have it."""

from __future__ import annotations

import pytest
from sandbox import Ran, Sandbox
from writers import envelope

_LINES = "".join(f"line {number}\n" for number in range(1, 21))
_EDIT = b"*** Update File: f\n@@\n-line 10\n+ten\n"
_ADD = b"*** Add File: n\n+one\n+two\n"
_MOVE = b"*** Update File: f\n*** Move to: g\n@@\n-line 10\n+ten\n"
_OTHER = b"*** Update File: o\n@@\n-o\n+O\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _LINES, "o": "o\n"})
    return repo


def _write(repo: Sandbox, *sections: bytes) -> None:
    repo.write(".git/p", envelope(*sections))


def _apply(repo: Sandbox, *words: str) -> Ran:
    return repo.opatch("apply", *words, ".git/p")


@pytest.mark.parametrize("skip", [[], ["--skip-applied"]], ids=["plain", "skip"])
@pytest.mark.parametrize("check", [[], ["--check"]], ids=["apply", "check"])
@pytest.mark.parametrize("section", [_EDIT, _ADD], ids=["edit", "add"])
def test_what_only_the_index_has_is_not_called_applied(
    base: Sandbox, section: bytes, skip: list[str], check: list[str]
) -> None:
    _write(base, section)
    assert _apply(base, "--cached").status == 0
    before = base.state()
    ran = _apply(base, *check, *skip)
    words = ["apply", "--worktree", *skip, ".git/p"]
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.splitlines()[0].endswith("is already applied in the index only")
    assert base.state() == before
    assert base.opatch(*words).status == 0
    assert base.git("diff") == b""
    assert _apply(base, "--skip-applied").out == b"nothing to do: the patch is already applied\n"


def test_what_both_have_can_be_skipped(base: Sandbox) -> None:
    _write(base, _OTHER)
    assert _apply(base).status == 0
    _write(base, _EDIT, _OTHER)
    assert _apply(base, "--cached", "--skip-applied").status == 0
    ran = _apply(base)
    assert "in the index only" in ran.err
    assert _apply(base, "--worktree", "--skip-applied").status == 0
    assert base.git("diff") == b""


def test_what_was_changed_since_is_not_skipped(base: Sandbox) -> None:
    _write(base, _EDIT)
    assert _apply(base).status == 0
    base.write("f", _LINES.replace("line 10\n", "mine\n"))
    ran = _apply(base)
    assert ran.err.splitlines()[0].endswith("is already applied in the index only")
    assert _apply(base, "--skip-applied").status == 1


@pytest.mark.parametrize(
    ("section", "path", "content"),
    [
        (_EDIT, "f", _LINES.replace("line 10\n", "ten\n") + "mine\n"),
        (_ADD, "n", "one\ntwo\nmine\n"),
        (_MOVE, "g", "mine\n" + _LINES.replace("line 10\n", "ten\n")),
    ],
    ids=["edit", "add", "move"],
)
def test_what_both_have_beside_unstaged_changes_is_applied(
    base: Sandbox, section: bytes, path: str, content: str
) -> None:
    _write(base, section)
    assert _apply(base).status == 0
    base.write(path, content)
    ran = _apply(base, "--skip-applied")
    assert (ran.status, ran.out) == (0, b"nothing to do: the patch is already applied\n"), ran.err
    assert base.read(path).decode() == content


@pytest.mark.parametrize("section", [_ADD, _MOVE], ids=["add", "move"])
def test_a_file_that_the_working_tree_does_not_have_is_not_called_applied(
    base: Sandbox, section: bytes
) -> None:
    _write(base, section)
    assert _apply(base, "--cached").status == 0
    before = base.state()
    assert _apply(base, "--skip-applied").status == 1
    assert base.state() == before


def test_one_place_alone_is_judged_by_itself(base: Sandbox) -> None:
    _write(base, _EDIT)
    assert _apply(base, "--cached").status == 0
    assert _apply(base, "--cached", "--skip-applied").status == 0
    assert base.opatch("check", "--skip-applied", ".git/p").status == 0
    assert base.opatch("check", "--worktree", ".git/p").status == 0
