"""Without a journal, nothing is deleted or replaced that nothing else has (D461)."""

from __future__ import annotations

import pytest
from sandbox import Sandbox
from writers import envelope

_DELETE = envelope(b"*** Delete File: f\n")
_ADD = envelope(b"*** Add File: f\n+new\n")
_MOVE = envelope(b"*** Update File: other\n*** Move to: f\n")
_REPLACES = {"add": _ADD, "move": _MOVE}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "one\n", "other": "other\n"})
    repo.git("config", "opatch.journalSize", "0")
    return repo


def _apply(repo: Sandbox, patch: bytes, *words: str) -> tuple[int, str, str]:
    repo.write(".git/p", patch)
    ran = repo.opatch("apply", *words, ".git/p")
    return ran.status, ran.out.decode(), ran.err


def _prepare(repo: Sandbox, kind: str) -> tuple[str, ...]:
    """Give `f` content that `HEAD` does not have; return the options for the patch."""
    if kind == "untracked":
        repo.git("rm", "-q", "f")
        repo.git("commit", "-qm", "no f")
    repo.write("f", "precious\n")
    if kind == "staged":
        repo.git("add", "f")
        return ()
    return ("--worktree",)


@pytest.mark.parametrize("kind", ["untracked", "unstaged", "staged"])
@pytest.mark.parametrize(
    ("patch", "what"), [(_DELETE, "deleted"), (_ADD, "replaced"), (_MOVE, "replaced")]
)
def test_what_would_be_lost_is_refused(base: Sandbox, kind: str, patch: bytes, what: str) -> None:
    words = _prepare(base, kind)
    if what == "replaced":
        words = (*words, "--overwrite")
    before = base.state()
    for check in ([], ["--check"]):
        status, out, err = _apply(base, patch, *words, *check)
        assert (status, out, base.state()) == (1, "", before)
        assert "journalSize" in err


@pytest.mark.parametrize("words", [(), ("--cached",), ("--worktree",)])
def test_what_head_has_is_deleted_and_restored_by_the_patch(
    base: Sandbox, words: tuple[str, ...]
) -> None:
    before = base.index(), base.files()
    assert _apply(base, _DELETE, *words)[0] == 0
    assert _apply(base, _DELETE, "-R", *words)[0] == 0
    assert (base.index(), base.files()) == before


@pytest.mark.parametrize("patch", _REPLACES.values(), ids=_REPLACES.keys())
def test_no_undo_is_advised_that_does_not_restore_a_replaced_file(
    base: Sandbox, patch: bytes
) -> None:
    status, out, _ = _apply(base, patch, "--overwrite")
    assert (status, "Undo" in out) == (0, False)


def test_a_deletion_that_shows_the_content_is_applied(base: Sandbox) -> None:
    base.write("f", "precious\n")
    diff = b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-precious\n"
    status, _, err = _apply(base, diff, "--worktree")
    assert (status, err) == (0, "")
    assert _apply(base, diff, "-R", "--worktree")[0] == 0
    assert base.read("f") == b"precious\n"


def test_without_the_journal_a_conflict_is_no_loss(base: Sandbox) -> None:
    base.commit({"f": "two\n"})
    patch = envelope(b"*** Update File: f\n@@\n-one\n+three\n")
    status, _, err = _apply(base, patch, "--3way")
    assert (status, "1 file left with conflicts" in err) == (1, True)


def test_a_merged_file_is_no_loss(base: Sandbox) -> None:
    lines = [f"{number}\n" for number in range(20)]
    base.commit({"f": "".join(lines)})
    lines[9] = "nine\n"
    base.commit({"f": "".join(lines)})
    base.write("f", "".join([*lines, "precious\n"]))
    base.git("add", "f")
    patch = envelope(b"*** Update File: f\n@@\n-5\n+five\n 6\n 7\n 8\n 9\n")
    status, _, err = _apply(base, patch, "--3way")
    assert status == 0, err
    lines[5] = "five\n"
    assert base.read("f") == "".join([*lines, "precious\n"]).encode()
