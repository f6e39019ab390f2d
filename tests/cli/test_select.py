"""`--only` and `--except`: some of a patch's hunks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from phrases import opening, said
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.selection import parts_of
from git_opatch.model.sentences import Fault
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


def test_one_hunk_is_applied_and_the_others_are_counted(base: Sandbox) -> None:
    ran = base.opatch("apply", "--only", _ids(base)[1], ".git/p")
    assert ran.status == 0
    assert base.read("f") == _FILE.replace("three", "3").encode()
    assert not (base.path / "n").exists()
    assert ran.err == "note: left out: 3 hunks in 2 files\n"


def test_all_but_one_are_applied(base: Sandbox) -> None:
    assert base.opatch("apply", "--except", "f:2", ".git/p").status == 0
    assert base.read("f") == b"1\ntwo\nthree\nfour\n5\n"
    assert base.read("n") == b"n\n"


def test_work_is_split_into_commits(base: Sandbox) -> None:
    assert base.opatch("apply", "--only", "f", "--commit", "-m", "f", ".git/p").status == 0
    assert base.opatch("apply", "--except", "f", "--commit", "-m", "n", ".git/p").status == 0
    log = base.git("log", "--format=%s", "--name-only").decode().split()
    assert log[:4] == ["n", "n", "f", "f"]


def test_the_rest_is_not_taken_for_applied(base: Sandbox) -> None:
    """The journal knows a patch by its text, of which only a part was applied."""
    assert base.opatch("apply", "--only", "f:1", ".git/p").status == 0
    assert base.opatch("apply", "--except", "f:1", ".git/p").status == 0
    assert base.read("f") == b"1\ntwo\n3\nfour\n5\n"
    ran = base.opatch("apply", "--only", "f:1", ".git/p")
    assert (ran.status, ran.out) == (1, b"")
    assert "f: hunk 1 of 3" in ran.err  # its new line is there, and it shows nothing of its place
    assert base.read("f") == b"1\ntwo\n3\nfour\n5\n"


def test_undo_undoes_what_was_chosen(base: Sandbox) -> None:
    base.opatch("apply", "--only", "f:3", ".git/p")
    assert base.opatch("undo").status == 0
    assert base.read("f") == _FILE.encode()


def test_a_hunk_that_does_not_apply_can_be_left_out(base: Sandbox) -> None:
    stale = envelope(b"*** Update File: f\n@@\n-one\n+1\n@@\n-stale\n+3\n")
    ran = base.opatch("apply", feed=stale)
    assert (ran.status, "hunk 2 of 2" in ran.err) == (1, True)
    assert base.opatch("apply", "--except", "f:2", feed=stale).status == 0
    assert base.read("f") == _FILE.replace("one", "1").encode()


def test_a_refusal_numbers_hunks_as_the_patch_has_them(base: Sandbox) -> None:
    stale = envelope(b"*** Update File: f\n@@\n-one\n+1\n@@\n-stale\n+3\n")
    assert (
        f"hunk 2 of 2 {opening(Fault.NOT_FOUND.sentence)}"
        in base.opatch("apply", "--only", "f:2", feed=stale).err
    )


def test_the_left_out_part_is_written_as_a_patch(base: Sandbox) -> None:
    rest = base.opatch("convert", "--except", "f:1", "--except", "n", ".git/p").out
    assert base.opatch("apply", "--only", "f:1", "--only", "n", ".git/p").status == 0
    base.git("apply", "--index", "--3way", "-", feed=rest)
    assert base.read("f") == b"1\ntwo\n3\nfour\n5\n"


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


@pytest.mark.parametrize("command", ["apply", "show", "convert", "check"])
def test_a_name_of_nothing_is_a_usage_error(base: Sandbox, command: str) -> None:
    before = base.state()
    ran = base.opatch(command, "--only", "g", ".git/p")
    assert ran.status == 129
    assert "`g`" in ran.err
    assert base.state() == before


def test_check_chooses_from_one_patch(base: Sandbox) -> None:
    ran = base.opatch("check", "--only", "f", ".git/p", ".git/p")
    assert (ran.status, "name one" in ran.err) == (129, True)


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


_VERSIONS = [
    pytest.param(b"*** Update File: f\n", Fault.OVERLAP_EARLIER, id="two sections"),
    pytest.param(b"", Fault.OVERLAP, id="one section"),
]


@pytest.mark.parametrize(("between", "fault"), _VERSIONS)
def test_two_versions_are_refused_with_what_leaves_one_out(
    base: Sandbox, between: bytes, fault: Fault
) -> None:
    versions = b"*** Update File: f\n@@\n-one\n+1\n%s@@\n-one\n+eins\n" % between
    base.write(".git/p", envelope(versions))
    ran = base.opatch("apply", ".git/p")
    assert (ran.status, f"f: hunk 2 of 2 {opening(fault.sentence)}" in ran.err) == (1, True)
    for name, kept in (("f:1", b"eins"), ("f:2", b"1")):
        assert base.opatch("apply", "--except", name, ".git/p").status == 0
        assert base.read("f").split()[0] == kept
        base.git("reset", "--quiet", "--hard")


def test_a_version_that_has_no_position_alone_is_not_offered(repo: Sandbox) -> None:
    repo.commit({"f.py": "class A:\n    x = 1\nclass B:\n    x = 1\n"})
    hunks = (b"@@ class A:\n-    x = 1\n+    x = 2\n", b"@@\n-    x = 1\n+    x = 3\n")
    ran = repo.opatch(
        "apply", feed=envelope(*(b"*** Update File: f.py\n" + each for each in hunks))
    )
    assert (ran.status, opening(Fault.OVERLAP_EARLIER.sentence) in ran.err) == (1, True)
    assert "--except" not in ran.err


_TWINS = "class A:\n    def total(self):\n        a\n\nclass B:\n    def total(self):\n        b\n"
_BY_ORDER = envelope(b"*** Update File: f.py\n" + b"@@\n     def total(self):\n+        # x\n" * 2)


@pytest.fixture
def twins(repo: Sandbox) -> Sandbox:
    """A file with two positions for each of two hunks, which the order of the hunks decides."""
    repo.commit({"f.py": _TWINS})
    repo.write(".git/p", _BY_ORDER)
    return repo


_IN_A = _TWINS.replace("total(self):\n        a", "total(self):\n        # x\n        a").encode()
_IN_B = _TWINS.replace("total(self):\n        b", "total(self):\n        # x\n        b").encode()


@pytest.mark.parametrize(("name", "content"), [("f.py:1", _IN_A), ("f.py:2", _IN_B)])
def test_a_hunk_is_placed_where_the_whole_patch_has_it(
    twins: Sandbox, name: str, content: bytes
) -> None:
    assert twins.opatch("apply", "--only", name, ".git/p").status == 0
    assert twins.read("f.py") == content


@pytest.mark.parametrize("words", [["--worktree"], ["--carry"], ["-R"]])
def test_what_is_left_out_is_located_wherever_hunks_are(twins: Sandbox, words: list[str]) -> None:
    if words == ["-R"]:
        twins.opatch("apply", ".git/p")
        twins.git("commit", "--quiet", "--message", "all")
    else:
        twins.write("f.py", twins.read("f.py") + b"# mine\n")
    ran = twins.opatch("apply", *words, "--only", "f.py:2", ".git/p")
    assert ran.status == 0, ran.err
    assert twins.read("f.py").removesuffix(b"# mine\n") == (_IN_A if words == ["-R"] else _IN_B)


def test_what_is_left_out_for_having_no_position_is_no_evidence(repo: Sandbox) -> None:
    """By the order, the second hunk would be in the last class, but the first is applied."""
    repo.commit({"f.py": "class A:\n    x = 2\nclass B:\n    x = 1\nclass C:\n    x = 1\n"})
    hunks = b"@@ class A:\n-    x = 1\n+    x = 2\n@@\n-    x = 1\n+    x = 3\n"
    ran = repo.opatch(
        "apply", "--only", "f.py:2", feed=envelope(b"*** Update File: f.py\n" + hunks)
    )
    assert (
        ran.status,
        f"hunk 2 of 2 {said(Fault.AMBIGUOUS.sentence, count=2, lines='lines 4, 6')}" in ran.err,
    ) == (1, True)


def test_the_order_of_the_chosen_decides_beside_one_that_is_applied(repo: Sandbox) -> None:
    block = "class %s:\n    x = 1\n"
    repo.commit({"f.py": "".join(block % name for name in "ABC")})
    repo.write(".git/p", envelope(b"*** Update File: f.py\n" + b"@@\n-    x = 1\n+    x = 2\n" * 3))
    for words in (["--only", "f.py:1"], ["--except", "f.py:1"]):
        ran = repo.opatch("apply", *words, ".git/p")
        assert ran.status == 0, ran.err
    assert repo.read("f.py") == "".join(block % name for name in "ABC").replace("1", "2").encode()
