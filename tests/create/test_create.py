"""What `git opatch create` prints gives the target when it is applied. See `sessions/create`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from sandbox import Sandbox

from git_opatch.model.options import Format

_JSON = (Format.OPERATIONS, Format.STRING_REPLACE)


def _lands(repo: Sandbox, patch: bytes) -> None:
    """Assert that `patch`, applied to the commit before, gives the last one."""
    target = repo.index()
    repo.git("checkout", "-q", "--detach", "HEAD~")
    ran = repo.opatch("apply", feed=patch)
    assert (ran.status, repo.index()) == (0, target), (ran.err, patch)
    repo.git("checkout", "-q", "-f", "main")


def test_a_unified_diff_has_modes_and_links(repo: Sandbox) -> None:
    repo.commit({"run": "x\n", "both": "1\n2\n"})
    (repo.path / "run").chmod(0o755)
    repo.write("both", "1\n3\n").chmod(0o755)
    repo.write("bin/new", "#!\n").chmod(0o755)
    repo.write("empty", "")
    os.symlink("run", repo.path / "link")
    repo.commit()
    ran = repo.opatch("create", "HEAD", "--format", "unified")
    assert ran.status == 0, ran.err
    _lands(repo, ran.out)


@pytest.mark.parametrize("patch_format", Format)
def test_bytes_that_are_not_utf_8_are_refused_in_json(repo: Sandbox, patch_format: Format) -> None:
    repo.commit({"a": b"1\n\xff\n3\n"})
    repo.commit({"a": b"1\n\xfe\n3\n"})
    ran = repo.opatch("create", "HEAD", "--format", patch_format.value)
    assert (ran.status, bool(ran.out)) == ((1, False) if patch_format in _JSON else (0, True))
    if ran.out:
        _lands(repo, ran.out)


@pytest.mark.parametrize("patch_format", _JSON)
def test_json_is_one_list_that_json_can_read(repo: Sandbox, patch_format: Format) -> None:
    repo.commit({"a": '1\n"zwei"\n\u2028\n'})
    repo.commit({"a": "1\n'zwei'\n\u2028\n", "b": "ü\t\\n\n"})
    ran = repo.opatch("create", "HEAD", "--format", patch_format.value)
    assert len(json.loads(ran.out)) == 2


def test_patches_of_sha256_repositories_are_proved(tmp_path: Path) -> None:
    repo = Sandbox(tmp_path / "repo").init("--object-format=sha256")
    repo.commit({"a": "1\n2\n"})
    repo.commit({"a": "1\n3\n"})
    _lands(repo, repo.opatch("create", "HEAD").out)
