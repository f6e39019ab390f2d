"""A suggestion of a review is placed by the file at the comment's commit, where that is here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sandbox import Sandbox

_FILE = "".join(f"line {n}\n    return x\n" for n in range(1, 11))
_LATER = "a new line\n" + _FILE


@pytest.fixture
def head(repo: Sandbox) -> str:
    """Commit the file that was reviewed, and one that moved on; return the first."""
    repo.commit({"a.py": _FILE})
    reviewed = repo.git("rev-parse", "HEAD").decode().strip()
    repo.commit({"a.py": _LATER})
    return reviewed


def _discussion(sha: str, line: int, offsets: str, text: str) -> bytes:
    position = {"new_path": "a.py", "old_path": "a.py", "new_line": line, "head_sha": sha}
    body = f"```suggestion:{offsets}\n{text}```\n"
    return json.dumps([{"notes": [{"body": body, "position": position}]}]).encode()


def test_the_lines_of_gitlab_are_those_of_its_commit(repo: Sandbox, head: str) -> None:
    given = _discussion(head, 12, "-1+0", "line six\n    return y\n")
    ran = repo.opatch("apply", feed=given)
    assert ran.status == 0, ran.err
    wanted = _LATER.replace("line 6\n    return x\n", "line six\n    return y\n")
    assert repo.read("a.py").decode() == wanted


@pytest.mark.usefixtures("head")
@pytest.mark.parametrize("sha", ["0" * 40, "HEAD", ":/x", ""])
def test_without_its_commit_it_is_refused(repo: Sandbox, sha: str) -> None:
    ran = repo.opatch("apply", feed=_discussion(sha, 12, "-0+0", "x\n"))
    assert ran.status == 1
    assert repo.read("a.py").decode() == _LATER


def test_context_of_the_commit_decides_between_equal_lines(repo: Sandbox, head: str) -> None:
    comment: dict[str, Any] = {
        "path": "a.py",
        "side": "RIGHT",
        "body": "```suggestion\n    return y\n```",
        "line": 12,
        "original_line": 12,
        "original_commit_id": head,
        "diff_hunk": "@@ -0,0 +12 @@\n+    return x",
    }
    assert repo.opatch("check", feed=json.dumps(comment).encode()).status == 0
    del comment["original_commit_id"]
    assert repo.opatch("check", feed=json.dumps(comment).encode()).status == 1


def test_lines_that_changed_since_are_merged(repo: Sandbox, head: str) -> None:
    changed = _LATER.replace("line 5\n", "line five\n")
    repo.commit({"a.py": changed})
    given = _discussion(head, 12, "-0+0", "    return y\n")
    assert repo.opatch("apply", "--3way", feed=given).status == 0
    assert repo.read("a.py").decode() == changed.replace(
        "line 6\n    return x\n", "line 6\n    return y\n"
    )
