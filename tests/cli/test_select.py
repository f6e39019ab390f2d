"""`--only`, `--except` and `--interactive`: some of a patch's hunks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import inside
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


def _answered(repo: Sandbox, answers: Sequence[str], *words: str) -> tuple[int, str]:
    """Run `apply --interactive` at a terminal whose user types `answers`."""
    ours, theirs = os.openpty()
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        streams = (theirs, out.fileno(), err.fileno())
        words = ("apply", "--interactive", *words, ".git/p")
        status = inside.run_with(streams, words, repo.path, {})
        err.seek(0)
        shown = err.read().decode()
    os.close(ours)
    os.close(theirs)
    return status, shown


_ALL = b"1\ntwo\n3\nfour\n5\n"


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("answers", "content", "added"),
    [
        ("yyyy", _ALL, True),
        ("nyny", b"one\ntwo\n3\nfour\nfive\n", True),
        ("yq", b"1\ntwo\nthree\nfour\nfive\n", False),
        ("ay", _ALL, True),
        ("ndy", _FILE.encode(), True),
        ("jynnn", b"one\ntwo\n3\nfour\nfive\n", False),  # the first again, after the last
        ("jkyq", b"1\ntwo\nthree\nfour\nfive\n", False),
        ("?Yq", b"1\ntwo\nthree\nfour\nfive\n", False),
        ("y\x04", b"1\ntwo\nthree\nfour\nfive\n", False),  # the end of the input
    ],
)
def test_the_answers_are_those_of_git_add(
    base: Sandbox, answers: str, content: bytes, added: bool
) -> None:
    status, shown = _answered(base, answers)
    assert status == 0, shown
    assert base.read("f") == content
    assert (base.path / "n").exists() is added
    assert "update f\n" in shown
    assert "(1/4) Apply this hunk [y,n,q,a,d,j,e,?]?" in shown


@pytest.mark.parametrize("answers", ["nnnn", "q", "dn", "\x04"])
def test_nothing_chosen_changes_nothing(base: Sandbox, answers: str) -> None:
    before = base.state()
    status, shown = _answered(base, answers)
    assert (status, "no hunk was chosen; nothing was changed" in shown) == (0, True)
    assert base.state() == before


def test_an_unknown_answer_is_named(base: Sandbox) -> None:
    _, shown = _answered(base, "s?q")
    assert shown.count("unknown answer 's'\ny - apply this hunk\n") == 1
    assert shown.count("unknown answer") == 1
    assert shown.count("? - print help") == 2


def test_an_answer_of_several_letters_is_asked_for_again(base: Sandbox) -> None:
    _, shown = _answered(base, ["yes", "no", "q"])
    assert "unknown answer 'yes'\n" in shown
    assert "unknown answer 'no'\n" in shown
    assert base.read("f") == _FILE.encode()


def _with_editor(repo: Sandbox, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """Let the editor of git be a command of the shell on the file, `$1`."""
    repo.write(".git/editor", f"#!/bin/sh\n{command}\n")
    (repo.path / ".git/editor").chmod(0o755)
    monkeypatch.setenv("GIT_EDITOR", str(repo.path / ".git/editor"))


def test_a_hunk_can_be_edited(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _with_editor(base, monkeypatch, "sed -i 's/^+1$/+uno/; s/^-one$/ one/' \"$1\"")
    status, shown = _answered(base, "eq")
    assert status == 0, shown
    assert base.read("f") == b"one\nuno\ntwo\nthree\nfour\nfive\n"
    assert base.opatch("undo").status == 0
    assert base.read("f") == _FILE.encode()


def test_an_edited_hunk_must_apply(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _with_editor(base, monkeypatch, "sed -i 's/^-one$/-none/' \"$1\"")
    status, shown = _answered(base, "eynyq")
    assert (status, shown.count("Your edited hunk does not apply.")) == (0, 2)
    assert base.read("f") == b"1\ntwo\nthree\nfour\nfive\n"  # as it was before it was edited


@pytest.mark.parametrize(
    "command", [': >"$1"', "echo 'no prefix' >>\"$1\"", "sed -i '/^[-+ ]/d' \"$1\""]
)
def test_what_is_left_must_be_a_hunk(
    base: Sandbox, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    before = base.state()
    _with_editor(base, monkeypatch, command)
    status, shown = _answered(base, "enq")
    assert (status, shown.count("Your edited hunk does not apply.")) == (0, 1), shown
    assert base.state() == before


def test_an_editor_that_fails_ends_the_run(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    before = base.state()
    _with_editor(base, monkeypatch, "exit 3")
    status, shown = _answered(base, "e")
    assert (status, "the editor ended with status 3" in shown) == (128, True)
    assert base.state() == before


def test_only_a_hunk_can_be_edited(base: Sandbox) -> None:
    _, shown = _answered(base, "nnneq")
    assert "Sorry, cannot edit this hunk\n" in shown


def test_a_program_is_not_asked(base: Sandbox) -> None:
    before = base.state()
    assert base.opatch("apply", "-p", "--json", ".git/p").status == 129
    assert base.state() == before


def test_only_what_is_selected_is_asked_for(base: Sandbox) -> None:
    status, shown = _answered(base, "yn", "--except", "f:2", "--except", "n")
    assert status == 0
    assert base.read("f") == b"1\ntwo\nthree\nfour\nfive\n"
    assert "note: left out: " in shown
    assert "-three" not in shown


def test_where_a_hunk_applies_is_shown_with_the_lines_around_it(base: Sandbox) -> None:
    _, shown = _answered(base, "nq")
    first, second = shown.split("Apply this hunk")[:2]
    assert re.search(r"update f\n  strict: hunk 1 of 3 \[\w+\] at line 1", first)
    assert re.search(r"strict: hunk 2 of 3 \[\w+\] at line 3", second)
    right = [line.partition(" | ")[2].strip() for line in second.splitlines() if " | " in line]
    assert right == ["1  one", "2  two", "3 -three", "+3", "4  four", "5  five"]


@pytest.mark.parametrize("prefix", ["", "d/"])
def test_a_move_names_its_target_and_a_deletion_shows_what_goes(base: Sandbox, prefix: str) -> None:
    files = {"old": b"a\nb\n", "pure": b"p\n", "gone": b"1\n\x1b[2J\n", "bin": b"\0\n"}
    base.commit({f"{prefix}{name}": content for name, content in files.items()})
    text = b"*** Update File: old\n*** Move to: new/name\n@@\n a\n-b\n+B\n"
    text += b"*** Update File: pure\n*** Move to: simple\n"
    text += b"*** Delete File: gone\n*** Delete File: bin\n"
    base.write(".git/p", envelope(text))
    status, shown = _answered(base, "yyyy", *(["--directory", "d"] if prefix else []))
    gone = r"delete \S*gone\n  strict: the whole file \[\w+\]\n"
    assert re.search(r"move \S*old => \S*new/name\n  strict: hunk 1 of 1 \[\w+\] at line 1", shown)
    assert re.search(r"move \S*pure => \S*simple\n.*\n\(2/4\) Apply this move", shown)
    assert re.search(gone + r" +1 -1\n +2 -\S+\[2J\n\(3/4\) Apply this deletion", shown)
    assert re.search(r"delete \S*bin\n.*\n\(4/4\) Apply this deletion", shown)
    assert (status, "\x1b" in shown) == (0, False)
    status, shown = _answered(base, "yyyy", "-R", *(["--directory", "d"] if prefix else []))
    assert re.search(r"gone\n.*\n\(3/4\) Undo this deletion", shown)
    assert (status, base.git("status", "--short")) == (0, b"")


def test_what_does_not_apply_is_not_asked_for(base: Sandbox) -> None:
    text = base.read(".git/p").replace(b"-three\n", b"-III\n")
    base.write(".git/p", text)
    status, shown = _answered(base, "yyy")
    assert status == 0, shown
    assert re.search(r"note: left out: \[\w+\] f: hunk 2 of 3: refused: does not match", shown)
    assert "(1/3) Apply this hunk" in shown
    assert "-III" not in shown
    assert base.read("f") == b"1\ntwo\nthree\nfour\n5\n"


@pytest.mark.parametrize(("option", "rejected"), [("--partial", False), ("--reject", True)])
def test_what_does_not_apply_is_reported_in_part_and_rejected(
    base: Sandbox, option: str, rejected: bool
) -> None:
    base.write(".git/p", base.read(".git/p").replace(b"-three\n", b"-III\n"))
    status, shown = _answered(base, "yny", option)
    assert status == 1
    assert "(1/3) Apply this hunk" in shown
    assert f"error: f: hunk 2 of 3 {said(Fault.NOT_FOUND.sentence, base='the index')}" in shown
    assert base.read("f") == b"1\ntwo\nthree\nfour\nfive\n"
    assert (base.path / "n").exists()
    assert (base.path / "f.rej").exists() is rejected


def test_nothing_chosen_rejects_nothing(base: Sandbox) -> None:
    base.write(".git/p", base.read(".git/p").replace(b"-three\n", b"-III\n"))
    before = base.state()
    status, shown = _answered(base, "nnn", "--reject")
    assert (status, "no hunk was chosen; nothing was changed" in shown) == (0, True)
    assert base.state() == before


def test_nothing_is_asked_where_nothing_applies(base: Sandbox) -> None:
    before = base.state()
    base.write(".git/p", envelope(b"*** Update File: f\n@@\n-none\n+1\n"))
    status, shown = _answered(base, "y")
    assert (
        status,
        "Apply this" in shown,
        said(Fault.NOT_FOUND.sentence, base="the index") in shown,
    ) == (1, False, True)
    assert base.state() == before


def test_text_of_a_patch_is_escaped(base: Sandbox) -> None:
    base.write(".git/p", envelope(b"*** Update File: f\n@@ \x1b[2J\n-one\n+\x1b[31m1\n"))
    _, shown = _answered(base, "n")
    assert "\x1b" not in shown
    assert "[31m1" in shown


def test_without_a_terminal_it_is_a_usage_error(base: Sandbox) -> None:
    before = base.state()
    ran = subprocess.run(
        ["git-opatch", "apply", "-p", ".git/p"],
        cwd=base.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert ran.returncode == 129
    assert "not a terminal" in ran.stderr
    assert "`--only`" in ran.stderr
    assert base.state() == before


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


@pytest.mark.parametrize(("answers", "content"), [("yn", _IN_A), ("ny", _IN_B)])
def test_a_hunk_is_applied_at_the_line_that_was_shown(
    twins: Sandbox, answers: str, content: bytes
) -> None:
    status, shown = _answered(twins, answers)
    assert status == 0
    assert re.search(r"hunk 2 of 2 \[\w+\] at line 6, ", shown)
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


def test_in_reverse_it_asks_what_to_undo_and_shows_the_line(twins: Sandbox) -> None:
    assert twins.opatch("apply", ".git/p").status == 0
    status, shown = _answered(twins, "?ny", "-R")
    assert status == 0, shown
    assert "(1/2) Undo this hunk [y,n,q,a,d,j,e,?]?" in shown
    assert "y - undo this hunk\nn - do not undo this hunk\n" in shown
    assert re.search(r"hunk 2 of 2 \[\w+\] at line 7, ", shown)
    assert twins.read("f.py") == _IN_A


def test_in_reverse_all_is_undone_by_the_record_also_if_the_text_differs(base: Sandbox) -> None:
    base.write(".git/p", envelope(b"*** Update File: f\n@@\n-  one\n+  1\n"))
    assert base.opatch("apply", ".git/p").status == 0
    status, shown = _answered(base, "y", "-R")
    assert (status, "Undo this hunk" in shown) == (0, True), shown
    assert base.read("f") == _FILE.encode()
