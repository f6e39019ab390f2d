"""`core.symlinks=false`, as of git for Windows: a link is a file with its target."""

from __future__ import annotations

import os

import pytest
from killed import kill_before
from sandbox import Sandbox
from writers import envelope

_ADD = (
    b"diff --git a/d/new b/d/new\nnew file mode 120000\n--- /dev/null\n+++ b/d/new\n"
    b"@@ -0,0 +1 @@\n+../f\n\\ No newline at end of file\n"
)
_CHANGE = (
    b"--- a/link\n+++ b/link\n@@ -1 +1 @@\n-f\n\\ No newline at end of file\n"
    b"+d/new\n\\ No newline at end of file\n"
)
_DELETE = envelope(b"*** Delete File: link\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.git("config", "core.symlinks", "false")
    repo.write("f", "a\n")
    repo.write("link", "f")
    oid = repo.git("hash-object", "-w", "link").decode().strip()
    repo.git("add", "f")
    repo.git("update-index", "--add", "--cacheinfo", f"120000,{oid},link")
    repo.git("commit", "-q", "-m", "m")
    assert repo.git("status", "--short") == b""
    return repo


@pytest.mark.parametrize("target", ["--index", "--worktree"])
@pytest.mark.parametrize(
    ("patch", "status", "after"),
    [
        (_ADD, b"A  d/new\n", {"d/new": b"../f"}),
        (_CHANGE, b"M  link\n", {"link": b"d/new"}),
        (_DELETE, b"D  link\n", {"link": None}),
    ],
)
def test_a_link_is_a_file(
    base: Sandbox, target: str, patch: bytes, status: bytes, after: dict[str, bytes | None]
) -> None:
    if patch is _ADD and target == "--worktree":
        pytest.skip("git takes an untracked one for a file")
    before = base.index(), base.files()
    assert base.opatch("apply", target, feed=patch).status == 0
    for name, content in after.items():
        assert not (base.path / name).is_symlink()
        assert (base.read(name) if content is not None else None) == content
        assert os.path.lexists(base.path / name) is (content is not None)
    if target == "--index":
        assert base.git("status", "--short") == status
    left = base.index(), base.files()
    for command, state in ("undo", before), ("redo", left), ("undo", before):
        ran = base.opatch(command, "1")
        assert (ran.status, (base.index(), base.files())) == (0, state), ran
    assert base.git("status", "--short") == b""


def test_one_that_is_a_link_all_the_same_is_taken(base: Sandbox) -> None:
    (base.path / "link").unlink()
    (base.path / "link").symlink_to("f")
    assert base.git("status", "--short") == b""
    assert base.opatch("apply", feed=_DELETE).status == 0
    assert not (base.path / "link").is_symlink()


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_kill_is_recovered(base: Sandbox, step: int) -> None:
    before = base.index(), base.files()
    kill_before(step, base, _CHANGE)
    assert base.opatch("recover").status == 0
    assert (base.index(), base.files()) == before
