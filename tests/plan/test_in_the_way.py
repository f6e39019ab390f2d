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


def test_a_move_that_is_done_is_applied_already(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_MOVE).status == 0
    assert base.opatch("apply", "--skip-applied", feed=_MOVE).status == 0


@pytest.mark.parametrize("flag", [[], ["--overwrite"]], ids=" ".join)
def test_a_file_that_the_patch_adds_twice_does_not_exist(base: Sandbox, flag: list[str]) -> None:
    twice = envelope(b"*** Add File: z\n+a\n*** Add File: z\n+b\n")
    ran = base.opatch("apply", *flag, feed=twice)
    what = f"error: z: {Fault.ADDED_EARLIER.sentence}"
    assert (ran.status, ran.err.splitlines()[0]) == (1, what)
    assert "z" not in base.files()


@pytest.mark.parametrize("search", [b"", b"\n", b"\n\n"])
def test_an_empty_search_in_a_file_that_has_lines_is_explained(
    base: Sandbox, search: bytes
) -> None:
    """To replace the whole file is not advised: most mean to change it."""
    block = b"f\n<<<<<<< SEARCH\n" + search + b"=======\nc\n>>>>>>> REPLACE\n"
    ran = base.opatch("apply", feed=block)
    assert ran.status == 1
    assert f"f: {Fault.FILE_EXISTS.sentence}, and an empty SEARCH" in ran.err
    assert "--overwrite" not in ran.err


def test_an_empty_search_fills_an_empty_file(base: Sandbox) -> None:
    base.commit({"empty": ""})
    block = b"empty\n<<<<<<< SEARCH\n=======\nc\n>>>>>>> REPLACE\n"
    assert base.opatch("apply", feed=block).status == 0
    assert base.read("empty") == b"c\n"
