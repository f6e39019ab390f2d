"""`git opatch convert`: the completed diff, which git applies."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(
    b"*** Update File: a\n@@\n-two\n+2\n", b"*** Delete File: b\n", b"*** Add File: c\n+c\n"
)

_FROM_RECORD = "note: b: content taken from entry 1 of `git opatch log --all`\n"
"""Said of content that a patch in reverse does not have."""


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"a": "one\ntwo\nthree\n", "b": "b\n"})
    return repo


def test_the_diff_is_as_git_writes_it(repo: Sandbox) -> None:
    """With the function above each hunk, no count of 1, and all ids in full."""
    functions = "".join(f"def f{n}():\n" + "    pass\n" * 12 for n in range(4))
    repo.commit({"f": functions, "empty": "", "one": "x\n", "long": "L" * 90 + "\n" * 9 + "end\n"})
    sections = (
        b"*** Update File: f\n@@ def f1():\n     pass\n+    x\n@@ def f3():\n     pass\n+    y\n",
        b"*** Update File: long\n@@\n-end\n+End\n",
        b"*** Update File: one\n@@\n-x\n+y\n",
        b"*** Add File: new\n+n\n",
    )
    diff = repo.opatch("convert", "--ambiguous", "nearest", feed=envelope(*sections))
    assert diff.status == 0
    repo.git("apply", "--index", "-", feed=diff.out)
    assert diff.out == repo.git("diff", "--cached", "--full-index")


def test_a_commit_of_a_bare_repository_can_be_the_base(base: Sandbox, tmp_path: Path) -> None:
    base.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    wanted = base.opatch("convert", feed=_PATCH).out
    assert bare.opatch("convert", "--base", "main", feed=_PATCH).out == wanted


def test_a_closed_pipe_causes_no_traceback(base: Sandbox) -> None:
    for command in (
        "git-opatch convert | true",
        "git-opatch apply -v | true",
        "git-opatch apply -R -v >&-",
        "git-opatch apply -v >/dev/full",
    ):
        ran = base.run("sh", "-c", command, feed=_PATCH)
        assert ran.status == 0, ran.err
        assert ran.err in ("", _FROM_RECORD)
    assert base.run("sh", "-c", "git-opatch convert -R >/dev/full", feed=_PATCH).status == 128
