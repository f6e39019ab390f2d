"""What the working tree has in the way of an added file, and what to do with it."""

from __future__ import annotations

import pytest
from documents import reasons
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_UPDATE = b"*** Update File: f\n@@\n-b\n+B\n"
_ADD = b"*** Add File: new\n+one\n+two\n"
_BOTH = envelope(_UPDATE, _ADD)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\nb\n"})
    repo.write(".git/p", _BOTH)
    return repo


def test_a_file_that_has_what_the_patch_adds_only_needs_to_be_staged(base: Sandbox) -> None:
    base.write("new", "one\ntwo\n")
    assert reasons(base, "apply", ".git/p") == [("new", "in_the_way")]
    base.git("add", "new")
    assert base.opatch("apply", "--skip-applied", ".git/p").status == 0
    assert base.index()["f"][1] == b"a\nB\n"


@pytest.mark.parametrize("content", ["one\n", "one\ntwo", "one\ntwo\nthree\n", "one\r\ntwo\r\n"])
def test_a_file_that_has_other_content_is_not_called_the_same(base: Sandbox, content: str) -> None:
    base.write("new", content)
    ran = base.opatch("apply", ".git/p")
    assert f"error: new: {Fault.IN_THE_WAY.sentence}" in ran.err


_MOVE = envelope(b"*** Update File: f\n*** Move to: h\n@@\n-b\n+B\n")


def test_a_move_that_is_done_by_half_is_not_applied_already(base: Sandbox) -> None:
    base.write("h", "a\nB\n")
    base.git("add", "h")
    base.write(".git/p", _MOVE)
    for flag in ([], ["--skip-applied"]):
        ran = base.opatch("apply", *flag, ".git/p")
        assert (ran.status, "--skip-applied" in ran.err) == (1, False)
        assert reasons(base, "apply", *flag, ".git/p") == [("h", "file_exists")]
    assert base.opatch("apply", "--overwrite", ".git/p").status == 0
    assert {path: entry[1] for path, entry in base.index().items()} == {"h": b"a\nB\n"}
