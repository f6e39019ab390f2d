"""Git LFS and nbstripout themselves, where they are installed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from filtering import assert_stored
from sandbox import Sandbox, Tree
from writers import envelope

pytestmark = pytest.mark.exhaustive


def _round_trip(repo: Sandbox, patch: bytes, expected: Tree) -> None:
    """Apply, undo and redo `patch` in both places, and in the working tree alone."""
    before = (repo.index(), repo.files())
    for target in ("--index", "--carry", "--worktree"):
        for command in (("apply", target), ("undo",), ("redo",), ("undo",)):
            ran = repo.opatch(*command, feed=patch if command[0] == "apply" else b"")
            assert ran.status == 0, ran.err
            is_undone = command == ("undo",)
            assert repo.files() == (before[1] if is_undone else expected)
            if is_undone:
                assert (repo.index(), repo.git("status", "--short")) == (before[0], b"")
            elif target != "--worktree":
                assert_stored(repo)
                assert b" M" not in repo.git("status", "--short")


@pytest.mark.skipif(not shutil.which("git-lfs"), reason="Git LFS is not installed")
def test_git_lfs(repo: Sandbox) -> None:
    repo.git("lfs", "install", "--local")
    repo.git("lfs", "track", "*.csv")
    repo.commit({"a.csv": "id,n\n1,one\n2,two\n", "gone.csv": "x\n", "moved.csv": "m\nn\n"})
    assert repo.index()["a.csv"][1].startswith(b"version https://git-lfs.github.com/spec/v1\n")
    patch = envelope(
        b"*** Update File: a.csv\n@@\n-2,two\n+2,zwei\n",
        b"*** Add File: d/e.csv\n+id\n+1\n",
        b"*** Delete File: gone.csv\n",
        b"*** Update File: moved.csv\n*** Move to: m.csv\n@@\n-n\n+N\n",
    )
    expected = repo.files() | {
        "a.csv": ("100644", b"id,n\n1,one\n2,zwei\n"),
        "d/e.csv": ("100644", b"id\n1\n"),
        "m.csv": ("100644", b"m\nN\n"),
    }
    del expected["gone.csv"], expected["moved.csv"]
    _round_trip(repo, patch, expected)
    assert repo.opatch("apply", feed=patch).status == 0
    assert repo.git("lfs", "fsck", "--objects") == b"Git LFS fsck OK\n"
    assert repo.git("show", ":d/e.csv").startswith(b"version https://git-lfs")


_SCRIPTS = str(Path(sys.executable).parent)


@pytest.mark.skipif(
    not shutil.which("nbstripout", path=_SCRIPTS), reason="nbstripout is not installed"
)
def test_nbstripout(repo: Sandbox) -> None:
    ran = repo.program("nbstripout", "--install")
    assert ran.status == 0, ran.err
    output = {"name": "stdout", "output_type": "stream", "text": ["x 0.0\n"]}
    source = ["x = np.zeros(3)\n", "print(x)"]
    cell = {"cell_type": "code", "execution_count": 7, "id": "a1", "metadata": {}}
    notebook = {"cells": [{**cell, "outputs": [output], "source": source}], "metadata": {}}
    text = json.dumps({**notebook, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"
    repo.commit({"n.ipynb": text})
    assert b"x 0.0" not in repo.index()["n.ipynb"][1]
    update = (
        b'*** Update File: n.ipynb\n@@\n-    "x = np.zeros(3)\\n",\n+    "x = np.ones(3)\\n",\n'
    )
    expected = {"n.ipynb": ("100644", text.replace("zeros", "ones").encode())}
    _round_trip(repo, envelope(update), expected)
