"""Patches are checked before they are committed, with pre-commit and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_TOP = Path(__file__).parent.parent
_GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n")
_BAD = envelope(b"*** Update File: f\n@@\n-nowhere\n+b\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n"})
    return repo


def _commit(repo: Sandbox, name: str, patch: bytes) -> tuple[int, str]:
    repo.write(name, patch)
    repo.git("add", name)
    ran = repo.run("git", "commit", "--quiet", "-m", name)
    return ran.status, ran.out.decode() + ran.err


def test_the_native_hook(base: Sandbox) -> None:
    hook = base.write(".git/hooks/pre-commit", (_TOP / "hooks/pre-commit").read_bytes())
    hook.chmod(0o755)
    assert _commit(base, "good.opatch", _GOOD) == (0, "")
    assert _commit(base, "no patch", b"text\n") == (0, "")
    status, said = _commit(base, "bad one.opatch", _BAD)
    assert status == 1
    assert "error: f: hunk 1 of 1 does not match the index" in said
    assert base.git("status", "--short") == b'A  "bad one.opatch"\n'
    base.write("bad one.opatch", _GOOD)
    assert base.run("git", "commit", "--quiet", "-m", "the staged one counts").status == 1
    base.git("reset", "--quiet", "--hard")
    base.write("f", "a\nmore\n")
    assert base.run("git", "commit", "--quiet", "-a", "-m", "with a temporary index").status == 0


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The project as pre-commit would clone it: what is tracked, as it is now, committed."""
    repo = Sandbox(tmp_path / "published").init()
    listed = Sandbox(_TOP).git("-c", "safe.directory=*", "ls-files", "-z")
    for name in listed.decode().split("\0")[:-1]:
        if (_TOP / name).is_file():
            repo.write(name, (_TOP / name).read_bytes())
    repo.commit()
    return repo.path


def test_the_pre_commit_framework(base: Sandbox, published: Path) -> None:
    revision = Sandbox(published).git("rev-parse", "HEAD").decode().strip()
    base.write(
        ".pre-commit-config.yaml",
        f"repos:\n- repo: {published}\n  rev: {revision}\n  hooks:\n  - id: opatch-check\n",
    )
    base.commit()
    assert base.run("pre-commit", "install").status == 0
    status, said = _commit(base, "good.opatch", _GOOD)
    assert (status, "Passed" in said) == (0, True), said
    status, said = _commit(base, "bad.opatch", _BAD)
    assert (status, "Failed" in said) == (1, True), said
    assert "error: f: hunk 1 of 1 does not match the index" in said
