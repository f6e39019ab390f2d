"""The `post-index-change` hook of git, which an fsmonitor or a watcher relies on (D201)."""

from __future__ import annotations

import pytest
from killed import kill_before_call
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n")
_TELLS = '#!/bin/sh\necho "$@" $(git ls-files -s f | cut -c8-47) >>.git/told\n'
_DIFF = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n"})
    repo.write(".git/hooks/post-index-change", _TELLS).chmod(0o755)
    return repo


def _told(repo: Sandbox) -> list[str]:
    file = repo.path / ".git/told"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def _told_by_git(repo: Sandbox, *flags: str) -> list[str]:
    repo.git("apply", *flags, "-", feed=_DIFF.encode())
    told = _told(repo)
    repo.git("reset", "-q", "--hard")
    _told(repo)
    return told


@pytest.mark.parametrize("target", ["--index", "--cached", "--worktree"])
def test_it_is_told_what_git_apply_tells_it(base: Sandbox, target: str) -> None:
    expected = _told_by_git(base, *([] if target == "--worktree" else [target]))
    assert len(expected) == (target != "--worktree")
    assert base.opatch("apply", target, feed=_PATCH).status == 0
    assert _told(base) == expected


def test_the_run_that_finishes_tells_it(base: Sandbox) -> None:
    expected = _told_by_git(base, "--index")
    kill_before_call(base, "os.rename", ".git/index", "apply", feed=_PATCH)
    assert _told(base) == []
    assert base.opatch("recover").status == 0
    assert _told(base) == expected


def test_a_refused_patch_does_not_run_it(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_PATCH.replace(b"-a", b"-z")).status == 1
    assert _told(base) == []


def test_its_failure_changes_nothing(base: Sandbox) -> None:
    base.write(".git/hooks/post-index-change", "#!/bin/sh\nexit 3\n")
    assert base.opatch("apply", feed=_PATCH).status == 0
    assert base.read("f") == b"b\n"
    base.write(".git/hooks/post-index-change", "not a program")
    assert base.opatch("undo").status == 0
    assert base.read("f") == b"a\n"
