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


def test_the_diff_can_be_written_to_a_file(base: Sandbox, tmp_path: Path) -> None:
    out = tmp_path / "out.diff"
    ran = base.opatch("convert", "-o", str(out), feed=_PATCH)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    assert out.read_bytes() == base.opatch("convert", feed=_PATCH).out
    out.write_bytes(b"kept")
    assert base.opatch("convert", "-o", str(out), feed=b"nonsense").status == 128
    assert out.read_bytes() == b"kept"
    ran = base.opatch("convert", "-o", str(tmp_path / "no/such"), feed=_PATCH)
    assert (ran.status, "cannot write" in ran.err) == (128, True)


def test_a_commit_of_a_bare_repository_can_be_the_base(base: Sandbox, tmp_path: Path) -> None:
    wanted = base.opatch("convert", feed=_PATCH).out
    base.commit({"a": "changed\n"})
    assert base.opatch("convert", feed=_PATCH).status == 1
    assert base.opatch("convert", "--base", "HEAD~", feed=_PATCH).out == wanted
    base.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    assert bare.opatch("convert", "--base", "main~", feed=_PATCH).out == wanted
    ran = bare.opatch("convert", "--base", "main~", feed=envelope(b"*** Delete File: no\n"))
    assert (ran.status, "no: is not in `main~`" in ran.err) == (1, True)
    ran = bare.opatch("convert", "--base", "nonsense", feed=_PATCH)
    assert (ran.status, ran.out) == (128, b"")
    assert ran.err == "error: `nonsense` is not a tree or commit of this repository\n"


def test_the_working_tree_can_be_the_base(base: Sandbox) -> None:
    base.write("a", "zero\none\ntwo\n")
    base.write("new", "two\n")
    patch = envelope(b"*** Update File: a\n@@\n-two\n+2\n", b"*** Update File: new\n@@\n-two\n+2\n")
    before = base.state()
    ran = base.opatch("convert", "--worktree", feed=patch)
    assert (ran.status, base.state()) == (0, before)
    base.git("apply", "-", feed=ran.out)
    assert (base.read("a"), base.read("new")) == (b"zero\none\n2\n", b"2\n")


def test_a_patch_can_be_reversed(base: Sandbox) -> None:
    base.opatch("apply", feed=_PATCH)
    ran = base.opatch("convert", "-R", feed=_PATCH)
    assert ran.err == ""
    base.git("apply", "--index", "-", feed=ran.out)
    assert base.git("status", "--short") == b""


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


def test_a_refusal_in_reverse_speaks_of_no_undo(base: Sandbox) -> None:
    ran = base.opatch("convert", "-R", feed=_PATCH)
    assert (ran.status, ran.out) == (1, b"")
    last = ran.err.splitlines()[-1]
    assert last.startswith("the patch does not apply in reverse")
    assert "undone" not in last
