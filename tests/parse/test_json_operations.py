"""Operations and patches in JSON: what is read, and the errors, by line and by string."""

from __future__ import annotations

import json

from sandbox import Sandbox

DIFF = "@@ def f():\n a\n-b\n+c\n"
ENVELOPE = f"*** Begin Patch\n*** Update File: f\n{DIFF}*** End Patch\n"
UPDATE = {"type": "update_file", "path": "f", "diff": DIFF}
ADD = {"type": "create_file", "path": "n", "diff": "+x\n+y\n"}
DELETE = {"type": "delete_file", "path": "d"}


def test_operations_on_one_line_are_distinguished(repo: Sandbox) -> None:
    repo.commit({"f": "def f():\na\nb\n", "g": "other\n"})
    text = json.dumps([{**UPDATE, "path": "g"}, UPDATE]).encode()
    ran = repo.opatch("apply", "--reject", feed=text)
    assert ran.status == 1
    assert repo.read("f") == b"def f():\na\nc\n"
    assert (repo.path / "g.rej").exists()
    assert not (repo.path / "f.rej").exists()
