"""What each target of `git opatch apply` must change, and what a refusal must leave."""

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
    """`patch` makes `after` of what `target` means, and touches nothing else."""
    index, files = repo.index(), repo.files()
    ran = repo.opatch("apply", target, feed=patch)
    assert ran.status == 0, ran.err
    assert repo.index() == (index if target == WORKTREE else changed(index, after))
    assert repo.files() == (files if target == CACHED else changed(files, after))


def refused(repo: Sandbox, target: str, patch: bytes, said: str) -> None:
    """`patch` is refused with the words `said`, and nothing is changed, looked at or applied."""
    before = repo.state()
    for check in ((), ("--check",)):
        ran = repo.opatch("apply", *check, target, feed=patch)
        assert (ran.status, ran.out) == (1, b""), ran
        assert said in ran.err, ran.err
    assert repo.state() == before


def changed(tree: Tree, after: After) -> Tree:
    """`tree` with `after` in it."""
    both = {**tree, **after}
    return {path: entry for path, entry in both.items() if entry is not None}
