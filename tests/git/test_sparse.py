"""Sparse checkouts: files outside of the checkout stay out of the working tree."""

from __future__ import annotations

import pytest
from phrases import said
from sandbox import Sandbox
from targets import CACHED, INDEX, WORKTREE, applied, refused
from writers import envelope

from git_opatch.model.sentences import Fault

_UPDATE_IN = envelope(b"*** Update File: in/f\n@@\n-b\n+B\n")
_UPDATE_OUT = envelope(b"*** Update File: out/f\n@@\n-b\n+B\n")
_ADD_IN = envelope(b"*** Add File: in/deep/new\n+x\n", b"*** Add File: top\n+x\n")
_ADD_OUT = envelope(b"*** Add File: out/new\n+x\n")
_MOVE_OUT = envelope(b"*** Update File: in/f\n*** Move to: out/moved\n")
_OUTSIDE = f"{Fault.OUTSIDE_SPARSE.sentence}\n  {Fault.UNSTAGED_DELETED.advice}"


pytestmark = pytest.mark.parametrize(
    ("sound", "sparse"),
    [("sha1", "cone"), ("sha256", "cone with a sparse index"), ("sha1", "patterns")],
    indirect=True,
)


@pytest.fixture
def sparse(sound: Sandbox, request: pytest.FixtureRequest) -> Sandbox:
    """Make a sparse checkout with `in`, and without `out`."""
    sound.commit({"f": "f\n", "in/f": "a\nb\n", "in/deep/f": "f\n", "out/f": "a\nb\n"})
    if request.param == "patterns":
        sound.git("sparse-checkout", "set", "--no-cone", "/*", "!/out/")
    else:
        index = "--sparse-index" if "sparse" in request.param else "--no-sparse-index"
        sound.git("sparse-checkout", "set", "--cone", index, "in")
    assert not (sound.path / "out").exists()
    return sound


def test_paths_inside_are_patched(sparse: Sandbox) -> None:
    for target in (INDEX, CACHED, WORKTREE):
        applied(sparse, target, _UPDATE_IN, {"in/f": ("100644", b"a\nB\n")})
        sparse.git("reset", "--quiet", "--hard")
    new = {"in/deep/new": ("100644", b"x\n"), "top": ("100644", b"x\n")}
    applied(sparse, INDEX, _ADD_IN, new)
    assert sparse.git("ls-files", "-v", "out") == b"S out/f\n"
    assert not (sparse.path / "out").exists()


def test_paths_outside_are_refused(sparse: Sandbox) -> None:
    skipped = Fault.SKIP_WORKTREE.sentence
    refused(sparse, INDEX, _UPDATE_OUT, f"out/f: {skipped}")
    refused(sparse, INDEX, envelope(b"*** Delete File: out/f\n"), f"out/f: {skipped}")
    refused(sparse, INDEX, _ADD_OUT, f"out/new: {_OUTSIDE}")
    refused(sparse, INDEX, _MOVE_OUT, f"out/moved: {_OUTSIDE}")
    refused(
        sparse,
        WORKTREE,
        _UPDATE_OUT,
        f"out/f: {said(Fault.MISSING_FILE.sentence, base='the working tree')}",
    )


def test_cached_changes_the_index_alone(sparse: Sandbox) -> None:
    applied(sparse, CACHED, _UPDATE_OUT, {"out/f": ("100644", b"a\nB\n")})
    applied(sparse, CACHED, _ADD_OUT, {"out/new": ("100644", b"x\n")})
    assert sparse.git("ls-files", "-v", "out") == b"S out/f\nS out/new\n"
    assert sparse.git("status", "--short") == b"M  out/f\nA  out/new\n"
    applied(sparse, CACHED, envelope(b"*** Delete File: out/f\n"), {"out/f": None})


def test_all_paths_are_patched_after_it_is_disabled(sparse: Sandbox) -> None:
    sparse.git("sparse-checkout", "disable")
    applied(sparse, INDEX, _UPDATE_OUT, {"out/f": ("100644", b"a\nB\n")})
    applied(sparse, INDEX, _ADD_OUT, {"out/new": ("100644", b"x\n")})


def test_read_only_commands_do_not_expand_it(sparse: Sandbox) -> None:
    watched = [sparse.path / ".git" / name for name in ("config", "index", "info/sparse-checkout")]
    before = [path.read_bytes() for path in watched]
    for check in ("apply --check", "check", "show"):
        sparse.opatch(*check.split(), feed=_ADD_OUT)
    assert [path.read_bytes() for path in watched] == before
