"""Rows of a benchmark, as they are in its files, are tasks."""

from __future__ import annotations

import json

from sandbox import Sandbox

_DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"


def test_a_row_names_its_repository_below_a_directory(repo: Sandbox) -> None:
    repo.commit({"a.txt": "one\n"})
    base = repo.git("rev-parse", "HEAD").decode().strip()
    repo.git("clone", "-q", str(repo.path), str(repo.path / "clones/owner__name"))
    repo.git("clone", "-q", str(repo.path), str(repo.path / "clones/other/name"))
    rows: list[dict[str, object]] = [
        {"instance_id": "owner__name-1", "base_commit": base, "model_patch": _DIFF},
        {"instance_id": "x-2", "repo": "other/name", "base_commit": base, "patch": _DIFF},
        {"instance_id": "owner__name-3", "base_commit": base, "model_patch": None},
        {"instance_id": "owner__name-4", "model_patch": _DIFF},
    ]
    feed = "".join(json.dumps({**row, "model_name_or_path": "m"}) + "\n" for row in rows)
    ran = repo.run(
        *("git", "opatch", "batch", "-q", "--repositories", "clones"), feed=feed.encode()
    )
    results = map(json.loads, ran.out.splitlines())
    assert {result["id"]: result["verdict"] for result in results} == {
        "owner__name-1": "would_apply",
        "x-2": "would_apply",
        "owner__name-3": "malformed",
        "owner__name-4": "error",
    }
