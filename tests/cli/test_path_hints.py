"""Paths: as models write them, from the top; what a wrong one may mean."""

from __future__ import annotations

import pytest
from phrases import opening
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Hint

_FILES = {
    "src/app/main.py": "a\nb\nc\n",
    "src/pkg/hooks.py": "b\n",
    "docs/api/index.md": "b\n",
    "web/index.md": "b\n",
}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(_FILES)
    return repo


def _update(path: object, removed: str = "b") -> bytes:
    return envelope(f"*** Update File: {path}\n@@\n-{removed}\n+B\n".encode())


def test_an_absolute_path_in_the_working_tree_is_the_file(base: Sandbox) -> None:
    file = base.path / "src/app/main.py"
    base.write(".git/p", _update(file))
    blob = base.git("rev-parse", ":src/app/main.py").decode().strip()
    for words in (
        ["check", ".git/p"],
        ["convert", ".git/p"],
        ["show", ".git/p"],
        ["show", "--only", "src/app/main.py:1", ".git/p"],
        ["show", "--only", str(file), ".git/p"],
        ["apply", "--check", "--expect", f"{file}={blob}", ".git/p"],
        ["apply", "--check", "--allow", str(base.path / "src"), ".git/p"],
    ):
        ran = base.opatch(*words)
        assert (ran.status, ran.err) == (0, ""), words
    ran = base.opatch("apply", "--check", "--expect", f"{file}=0000001", ".git/p")
    assert (ran.status, "src/app/main.py: is stale" in ran.err) == (1, True)
    for words in (["--expect", "/etc/passwd=1234"], ["--only", "/etc/passwd"]):
        assert base.opatch("apply", "--check", *words, ".git/p").status == 129


@pytest.mark.parametrize("path", ["a\0b", "\x1b[1m"])
def test_a_path_like_no_other_gets_none(base: Sandbox, path: str) -> None:
    ran = base.opatch("apply", feed=_update(path))
    assert (ran.status, opening(Hint.SIMILAR_PATH.sentence) in ran.err) == (1, False)
