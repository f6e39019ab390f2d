"""Patches are checked before they are committed, with pre-commit and without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_TOP = Path(__file__).parents[2]
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


_DONE = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-before\n+a\n"
_BADLY = "error: f: hunk 1 of 1 does not match the index"
_LEFT = "x = 1\n*** End Patch\n"
_LISTED = (
    "a.py:2: leftover of a patch: *** End Patch\n"
    "to exempt a.py: git config --add opatch.leftovers a.py\n"
)


@pytest.fixture
def hooked(base: Sandbox) -> Sandbox:
    hook = base.write(".git/hooks/pre-commit", (_TOP / "hooks/pre-commit").read_bytes())
    hook.chmod(0o755)
    return base


def test_the_native_hook_checks_patches(hooked: Sandbox) -> None:
    base = hooked
    assert _commit(base, "good.opatch", _GOOD) == (0, "")
    assert _commit(base, "applied already.opatch", _DONE) == (0, "")
    assert _commit(base, "no patch", b"text\n") == (0, "")
    status, output = _commit(base, "bad one.opatch", _BAD)
    assert status == 1
    assert _BADLY in output
    assert base.git("status", "--short") == b'A  "bad one.opatch"\n'
    base.write("bad one.opatch", _GOOD)
    assert base.run("git", "commit", "--quiet", "-m", "the staged one counts").status == 1
    base.git("reset", "--quiet", "--hard")
    base.write("f", "a\nmore\n")
    assert base.run("git", "commit", "--quiet", "-a", "-m", "with a temporary index").status == 0


def test_the_native_hook_finds_leftovers(hooked: Sandbox) -> None:
    assert _commit(hooked, "README.md", b"```\n*** Begin Patch\n```\n") == (0, "")
    status, output = _commit(hooked, "a.py", _LEFT.encode())
    assert (status, output) == (1, _LISTED)
    hooked.write("a.py", "x = 1\n")
    assert hooked.run("git", "commit", "--quiet", "-m", "the staged one counts").status == 1
    assert hooked.run(*output.partition("to exempt a.py: ")[2].split()).status == 0
    assert hooked.run("git", "commit", "--quiet", "-m", "an allow list").status == 0


def test_the_native_hook_reports_both(hooked: Sandbox) -> None:
    hooked.write("a.py", _LEFT)
    hooked.write("b.opatch", _BAD)
    hooked.git("add", ".")
    ran = hooked.run("git", "commit", "--quiet", "-m", "both")
    assert (ran.status, "a.py:2: leftover" in ran.err, _BADLY in ran.err) == (1, True, True)


def test_the_native_hook_reads_the_temporary_index(hooked: Sandbox) -> None:
    """`git commit -a` and `git commit PATH` use a temporary index, which is the one to check."""
    hooked.commit({"a.py": "x = 1\n", "b.py": "x = 1\n"})
    hooked.write("a.py", _LEFT)
    ran = hooked.run("git", "commit", "--quiet", "-m", "all", "-a")
    assert (ran.status, ran.err) == (1, _LISTED)
    hooked.git("add", "a.py")
    hooked.write("b.py", "x = 2\n")
    assert hooked.run("git", "commit", "--quiet", "-m", "without a.py", "b.py").status == 0
    assert hooked.run("git", "commit", "--quiet", "-m", "with it", "a.py").status == 1
    hooked.git("reset", "--quiet", "--hard")
    hooked.write("f", "a\nmore\n")
    hooked.commit({"p.opatch": _GOOD})
    hooked.write("p.opatch", envelope(b"*** Update File: f\n@@\n a\n-more\n+b\n"))
    assert hooked.run("git", "commit", "--quiet", "-m", "path", "p.opatch").status == 0
    hooked.write("p.opatch", _BAD)
    ran = hooked.run("git", "commit", "--quiet", "-m", "path", "p.opatch")
    assert (ran.status, _BADLY in ran.err) == (1, True)


@pytest.fixture(params=["system", pytest.param("python", marks=pytest.mark.exhaustive)])
def published(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Commit the tracked files as they are now, as a project that pre-commit can clone.

    Its `language` is python, for which pre-commit installs it; that takes most of the time. With
    `system` it runs what is installed, and needs no file but the one that names the hooks.
    """
    repo = Sandbox(tmp_path / "published").init()
    listed = b".pre-commit-hooks.yaml\0"
    if request.param == "python":
        listed = Sandbox(_TOP).git("-c", "safe.directory=*", "ls-files", "-z")
    for name in listed.decode().split("\0")[:-1]:
        if (_TOP / name).is_file():
            repo.write(name, (_TOP / name).read_bytes())
    hooks = repo.read(".pre-commit-hooks.yaml")
    assert hooks.count(b"language: python") == 2
    repo.write(".pre-commit-hooks.yaml", hooks.replace(b"python", request.param.encode()))
    repo.commit()
    return repo.path


@pytest.mark.parametrize(
    ("patch", "passed"), [(_GOOD, ["Passed", "Failed"]), (_BAD, ["Failed", "Failed"])]
)
def test_the_hooks_run_under_pre_commit(
    base: Sandbox, published: Path, patch: bytes, passed: list[str]
) -> None:
    base.write("left.py", _LEFT)
    base.write("p.opatch", patch)
    base.git("add", ".")
    ran = base.run("pre-commit", "try-repo", str(published), "--all-files")
    output = ran.out.decode() + ran.err
    assert (ran.status, re.findall("Passed|Failed", output)) == (1, passed), output
    assert "left.py:2: leftover of a patch: *** End Patch" in output
    assert (_BADLY in output) is (patch is _BAD)
    base.write("left.py", "x = 1\n")
    base.git("add", ".")
    ran = base.run("pre-commit", "try-repo", str(published), "--all-files", "--verbose")
    assert (ran.status, "Passed" in ran.out.decode()) == (int(patch is _BAD), True)
