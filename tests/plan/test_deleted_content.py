"""`-R` of a `*** Delete File`: the content is in the patch's entry, or in HEAD."""

from __future__ import annotations

import pytest
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_PATCH = envelope(b"*** Update File: one\n@@\n a\n-b\n+B\n", b"*** Delete File: gone\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"gone": "x\n", "one": "a\nb\nc\n"})
    return repo


def test_the_content_is_in_the_entry_of_the_patch(base: Sandbox) -> None:
    base.write("gone", "x\nstaged\n")
    base.git("add", "gone")
    assert base.opatch("apply", "--only", "gone", feed=_PATCH).status == 0
    assert base.opatch("undo").status == 0
    assert base.opatch("apply", feed=_PATCH).status == 0
    base.git("commit", "-qm", "all")
    ran = base.opatch("apply", "-R", feed=_PATCH)
    assert (ran.status, ran.err) == (0, "")
    assert base.read("gone") == base.index()["gone"][1] == b"x\nstaged\n"


def test_else_it_is_in_head(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_PATCH).status == 0
    ran = base.opatch("apply", "-R", feed=b"Sure:\n" + _PATCH)
    assert (ran.status, ran.err) == (0, "note: gone: content taken from HEAD\n")
    assert base.read("gone") == b"x\n"


def test_else_it_is_refused(base: Sandbox) -> None:
    assert base.opatch("apply", "--commit", "-m", "all", feed=_PATCH).status == 0
    before = base.state()
    ran = base.opatch("apply", "-R", feed=b"Sure:\n" + _PATCH)
    assert ran.status == 1
    assert f"gone: {Fault.DELETED_CONTENT_LOST.sentence}" in ran.err
    assert base.state() == before


def test_in_reverse_its_lines_must_be_there_exactly(base: Sandbox) -> None:
    base.commit({"one": "a\n\tB\nc\n"})
    ran = base.opatch("apply", "-R", "--only", "one", feed=_PATCH)
    assert (ran.status, base.read("one")) == (1, b"a\n\tB\nc\n")
