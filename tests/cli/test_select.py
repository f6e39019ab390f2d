"""`--only` and `--except`: some of a patch's hunks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.selection import parts_of
from git_opatch.parse import parse_patch

_FILE = "one\ntwo\nthree\nfour\nfive\n"
_PATCH = envelope(
    b"*** Update File: f\n@@\n-one\n+1\n@@\n-three\n+3\n@@\n-five\n+5\n",
    b"*** Add File: n\n+n\n",
)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": _FILE})
    repo.write(".git/p", _PATCH)
    return repo


def _ids(repo: Sandbox) -> list[str]:
    return re.findall(r"\[([0-9a-f]+)\] hunk", repo.opatch("show", ".git/p").out.decode())


def test_the_hunks_of_a_patch_are_listed_without_a_repository(tmp_path: Path) -> None:
    patch = envelope(
        b"*** Update File: a b\n@@\n-x\n+y\n@@\n-z\n+Z\n", b"*** Delete File: n\xc3\xa9\n"
    )
    ran = Sandbox(tmp_path).opatch("show", "--hunks", feed=patch)
    rows = [line.split("\t") for line in ran.out.decode().splitlines()]
    assert (ran.status, ran.err) == (0, "")
    assert [name for _, name in rows] == ["a b:1", "a b:2", '"n\\303\\251"']
    (tmp_path / "p").write_bytes(patch)
    only = Sandbox(tmp_path).opatch("show", "--hunks", "--except", rows[1][0], "p").out.decode()
    assert [line.split("\t") for line in only.splitlines()] == [rows[0], rows[2]]
    assert Sandbox(tmp_path).opatch("show", "--hunks", "-z", "p").status == 129


@pytest.mark.parametrize("command", [["apply", "--check"], ["show"], ["convert"], ["check"]])
def test_json_has_ids_and_what_is_left_out(base: Sandbox, command: list[str]) -> None:
    ids = _ids(base)
    ran = base.opatch(*command, "--json", "--except", ids[0], ".git/p")
    document = json.loads(ran.out)
    outcome = document["patches"][0] if command == ["check"] else document
    hunks = [hunk["id"] for file in outcome["files"] for hunk in file["hunks"]]
    assert hunks == ids[1:]
    (left_out,) = outcome["left_out"]
    assert (left_out["id"], left_out["path"], left_out["hunk"]) == (ids[0], "f", 1)
    assert (left_out["hunk_count"], left_out["patch_line"]) == (3, 4)


def test_check_and_apply_show_the_ids(base: Sandbox) -> None:
    ids = _ids(base)
    assert len(set(ids)) == 3
    for words in (["check", "-v"], ["apply", "--check", "-v"], ["apply", "-v"]):
        shown = base.opatch(*words, ".git/p").out.decode()
        assert re.findall(r"\[([0-9a-f]+)\] hunk", shown) == ids


def test_an_id_may_be_longer_than_is_shown_if_it_is_right(base: Sandbox) -> None:
    full = parts_of(parse_patch(base.read(".git/p")))[0].full_id
    for name in (full[:4], full[:9], full):
        ran = base.opatch("show", "--hunks", "--only", name, ".git/p")
        assert ran.out.decode() == f"{full[:4]}\tf:1\n"
    for name in (full[:3], full[:4] + ("1" if full[4] == "0" else "0")):
        ran = base.opatch("show", "--hunks", "--only", name, ".git/p")
        assert (ran.status, f"`{name}`" in ran.err) == (129, True)


def test_a_file_that_is_one_part_is_shown_with_its_id(base: Sandbox) -> None:
    part = next(part for part in parts_of(parse_patch(base.read(".git/p"))) if part.hunk is None)
    shown = base.opatch("show", ".git/p").out.decode()
    assert f"A n (+1 -0)\n  [{part.id}] the whole file\n" in shown
    assert base.opatch("apply", "--check", "--only", part.id, ".git/p").status == 0
