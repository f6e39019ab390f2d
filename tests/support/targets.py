"""Assertions on what each target of `git opatch apply` changes, and what a refusal keeps."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from sandbox import Sandbox, Tree

INDEX, CACHED, WORKTREE = TARGETS = ("--index", "--cached", "--worktree")

EACH = pytest.mark.parametrize(
    ("sound", "target"),
    [("sha1", INDEX), ("sha256", CACHED), ("sha1", WORKTREE)],
    indirect=["sound"],
    ids=TARGETS,
)
"""Each target, and both object formats among them."""

SHA1 = pytest.mark.parametrize("sound", ["sha1"], indirect=True)
"""The older object format alone, where nothing depends on it."""

After = Mapping[str, tuple[str, bytes] | None]
"""Mode and content by path; None for what is gone."""


def applied(repo: Sandbox, target: str, patch: bytes, after: After) -> None:
    """Assert that `patch` changes what `target` means to `after`, and no other file or bit."""
    index, files, bits = repo.index(), repo.files(), _bits(repo)
    ran = repo.opatch("apply", target, feed=patch)
    assert ran.status == 0, ran.err
    assert repo.index() == (index if target == WORKTREE else changed(index, after))
    assert repo.files() == (files if target == CACHED else changed(files, after))
    now = _bits(repo)
    assert {name: now[name] for name in now.keys() & bits.keys()} == {
        name: bits[name] for name in now.keys() & bits.keys()
    }


def _bits(repo: Sandbox) -> dict[bytes, bytes]:
    """Return what the index has of each path besides its content: skip-worktree, and others."""
    return {name: bits for name, _, _, bits in repo.entries()}


def refused(repo: Sandbox, target: str, patch: bytes, message: str) -> None:
    """Assert that `patch` is refused with `message` and changes nothing, checked or applied."""
    before = repo.state()
    for check in ((), ("--check",)):
        ran = repo.opatch("apply", *check, target, feed=patch)
        assert (ran.status, ran.out) == (1, b""), ran
        assert message in ran.err, ran.err
    assert repo.state() == before


def changed(tree: Tree, after: After) -> Tree:
    """Return `tree` updated with `after`."""
    both = {**tree, **after}
    return {path: entry for path, entry in both.items() if entry is not None}
