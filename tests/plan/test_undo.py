"""Undo and redo what was applied: byte for byte, or refused with the position."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, assume, given
from sandbox import Ran, Sandbox, Tree
from test_properties import edited_files
from writers import Edited, envelope, numbered

from git_opatch import journal
from git_opatch.model.errors import JournalError

_LINES = [f"line {number}" for number in range(1, 31)]
_JOURNAL = ".git/opatch/journal"


def _text(*changed: tuple[int, str]) -> str:
    """Give thirty lines, some of them changed."""
    lines = list(_LINES)
    for number, text in changed:
        lines[number - 1] = text
    return "".join(f"{line}\n" for line in lines)


def _patch(number: int, new: str, path: str = "f") -> bytes:
    return envelope(f"*** Update File: {path}\n@@\n-line {number}\n+{new}\n".encode())


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    """Make a repository with the file `f` of thirty lines, and others."""
    repo.commit({"f": _text(), "gone": "g\n", "old": "o\n", "bin": b"\0\1"})
    return repo


def _state(repo: Sandbox) -> tuple[Tree, Tree]:
    return repo.index(), repo.files()


def _applied(repo: Sandbox, patch: bytes, *words: str) -> tuple[Tree, Tree]:
    """Apply the patch; return the state after it."""
    ran = repo.opatch("apply", *words, feed=patch)
    assert ran.status == 0, ran.err
    return _state(repo)


def _undone(repo: Sandbox, *words: str) -> tuple[Tree, Tree]:
    ran = repo.opatch("undo", *words)
    assert (ran.status, ran.err) == (0, "")
    return _state(repo)


def _redone(repo: Sandbox, *words: str) -> tuple[Tree, Tree]:
    ran = repo.opatch("redo", *words)
    assert (ran.status, ran.err) == (0, "")
    return _state(repo)


def _refused(repo: Sandbox, *words: str, status: int = 1, command: str = "undo") -> str:
    before, journal = repo.state(), sorted(os.listdir(repo.path / _JOURNAL))
    ran = repo.opatch(command, *words)
    assert (ran.status, ran.out) == (status, b"")
    assert (repo.state(), sorted(os.listdir(repo.path / _JOURNAL))) == (before, journal)
    return ran.err


_EVERYTHING = envelope(
    b"*** Update File: f\n@@\n-line 3\n+3\n",
    b"*** Add File: d/e/new\n+n\n",
    b"*** Delete File: gone\n",
    b"*** Delete File: bin\n",
    b"*** Update File: old\n*** Move to: m/moved\n@@\n-o\n+O\n",
)


@pytest.mark.parametrize("target", ["--index", "--cached", "--worktree"])
def test_undo_and_redo_are_exact(base: Sandbox, target: str) -> None:
    before = _state(base)
    after = _applied(base, _EVERYTHING, target)
    assert after != before
    ran = base.opatch("undo")
    where, again = {
        "--index": (b"", b"; staged"),
        "--cached": (b", in the index only", b"; staged, in the index only"),
        "--worktree": (b", in the working tree only", b"; in the working tree, not staged"),
    }[target]
    assert (ran.status, ran.err, _state(base)) == (0, "", before)
    assert ran.out == (
        b"Undid 1: 4 files restored, 1 deleted" + where + b". Redo: git opatch redo 1\n"
    )
    ran = base.opatch("redo")
    assert (ran.status, ran.err, _state(base)) == (0, "", after)
    assert ran.out == (
        b"Redid 1: 1 file added, 1 modified, 2 deleted, 1 moved"
        + again
        + b". Undo: git opatch undo 1\n"
    )
    assert _undone(base) == before
    base.fsck()


def test_apply_names_the_command_that_undoes(base: Sandbox) -> None:
    before = _state(base)
    base.write("p.txt", _patch(3, "3"))
    message = base.opatch("apply", "p.txt").out.decode()
    assert message.endswith("; staged. Undo: git opatch undo 1\n")
    ran = base.opatch("undo", "1")
    assert ran.out == b"Undid 1 (p.txt): 1 file restored. Redo: git opatch redo 1\n"
    (base.path / "p.txt").unlink()
    assert _state(base) == before


def test_the_configured_target_is_ignored(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(3, "3"), "--cached")
    base.git("config", "opatch.target", "worktree")
    assert _undone(base) == before


def test_another_target_can_be_named(base: Sandbox) -> None:
    before = _state(base)
    after = _applied(base, _patch(3, "3"))
    assert _undone(base, "--worktree") == (after[0], before[1])


def test_a_record_can_be_named_by_its_number(base: Sandbox) -> None:
    _applied(base, _patch(3, "3"))
    _applied(base, _patch(20, "20"))
    index, files = _undone(base, "1")
    assert index["f"] == files["f"] == ("100644", _text((20, "20")).encode())


def test_a_copy_is_deleted(base: Sandbox) -> None:
    before = _state(base)
    feed = (
        b"diff --git a/f b/copy\ncopy from f\ncopy to copy\n--- a/f\n+++ b/copy\n@@\n-line 1\n+1\n"
    )
    after = _applied(base, feed)
    assert _undone(base) == before
    assert _redone(base) == after
    assert _undone(base) == before
    _applied(base, feed)
    base.write("copy", base.read("copy") + b"mine\n")
    base.git("add", "copy")
    assert "error: copy: was changed since it was created" in _refused(base)


def test_a_replaced_binary_file_is_restored(base: Sandbox) -> None:
    before = _state(base)
    after = _applied(base, envelope(b"*** Add File: bin\n+text\n"), "--overwrite")
    assert after[0]["bin"] == ("100644", b"text\n")
    assert _undone(base) == before
    assert _redone(base) == after
    assert _undone(base) == before


def test_a_replaced_link_is_restored(base: Sandbox) -> None:
    (base.path / "link").symlink_to("gone")
    base.git("add", "link")
    before = _state(base)
    after = _applied(base, envelope(b"*** Add File: link\n+text\n"), "--overwrite")
    assert _undone(base) == before
    assert _redone(base) == after


def test_a_mode_is_restored(base: Sandbox) -> None:
    before = _state(base)
    after = _applied(base, b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n")
    assert after[1]["f"][0] == "100755"
    assert _undone(base) == before
    assert _redone(base) == after


def test_a_byte_order_mark_stays_on_its_line(base: Sandbox) -> None:
    """Delete a first line before one that begins with U+FEFF: that is not the mark of the file."""
    base.commit({"f": "first\r\n\ufeffsecond\r\nthird\r\n"})
    before = _state(base)
    after = _applied(base, "--- a/f\n+++ b/f\n@@\n-first\n \ufeffsecond\n".encode())
    assert after[0]["f"] == ("100644", "\ufeffsecond\r\nthird\r\n".encode())
    assert _undone(base) == before
    assert _redone(base) == after


def test_the_recorded_position_is_used_among_equal_lines(base: Sandbox) -> None:
    """Use the line numbers of a recorded diff: they are right."""
    block = "a\nb\nc\n%s\nd\ne\nf\n"
    base.commit({"f": block % "new" * 3 + block % "old" + block % "new" * 2})
    before = _state(base)
    after = _applied(base, envelope(b"*** Update File: f\n@@\n-old\n+new\n"))
    assert after[0]["f"] == ("100644", (block % "new" * 6).encode())
    assert _undone(base) == before
    assert _redone(base) == after


# --- files that have changed since ---------------------------------------------------------


@pytest.mark.parametrize("target", ["--index", "--cached"])
def test_changes_elsewhere_in_the_file_are_kept(base: Sandbox, target: str) -> None:
    _applied(base, _patch(15, "fifteen"), target)
    base.write("f", "above\n" + _text((2, "two"), (15, "fifteen")))
    base.git("add", "f")
    index, _ = _undone(base)
    assert index["f"] == ("100644", ("above\n" + _text((2, "two"))).encode())


def test_changes_elsewhere_in_the_working_tree_are_kept(base: Sandbox) -> None:
    base.write("untracked", _text())
    _applied(base, _patch(15, "fifteen", "untracked"), "--worktree")
    base.write("untracked", "above\n" + _text((15, "fifteen")))
    _, files = _undone(base)
    assert files["untracked"] == ("100644", ("above\n" + _text()).encode())


def test_a_change_of_the_same_lines_is_refused(base: Sandbox) -> None:
    _applied(base, _patch(15, "fifteen"))
    base.write("f", _text((15, "quince")))
    base.git("add", "f")
    message = re.sub(r"lines \d+-\d+", "lines N-M", _refused(base))
    assert "      fifteen\n" in message
    assert "f:15; " in message
    assert message.endswith("the patch cannot be undone; nothing was changed\n")


def test_what_may_never_have_been_applied_is_not_said_to_need_an_undo(base: Sandbox) -> None:
    base.commit({"f": _text((16, "sixteen"))})
    patch = envelope(b"*** Update File: f\n@@\n line 14\n line 15\n+new\n line 16\n line 17\n")
    ran = base.opatch("apply", "-R", feed=patch)
    assert ran.status == 1
    assert "error: f: hunk 1 of 1 is not applied to the index, or was changed since\n" in ran.err


@pytest.mark.parametrize("distance", [-3, -2, 2, 3])
def test_lines_near_by_may_have_changed(base: Sandbox, distance: int) -> None:
    """As for git's merge; `-R` of its text is the same undo, and the other patch stays."""
    _applied(base, first := _patch(15, "fifteen"))
    _applied(base, _patch(15 + distance, "other"))
    _undone(base, "1")
    assert base.git("cat-file", "blob", ":f").decode() == _text((15 + distance, "other"))
    _redone(base)
    ran = base.opatch("apply", "-R", feed=first)
    assert (ran.status, ran.err) == (0, "")
    assert b"Undid 1" in ran.out
    assert base.git("cat-file", "blob", ":f").decode() == _text((15 + distance, "other"))
    _undone(base)
    assert base.git("cat-file", "blob", ":f").decode() == _text()


@pytest.mark.parametrize("distance", [-1, 1])
def test_a_change_of_the_next_line_is_refused(base: Sandbox, distance: int) -> None:
    _applied(base, _patch(15, "fifteen"))
    base.write("f", _text((15, "fifteen"), (15 + distance, "other")))
    base.git("add", "f")
    assert _refused(base).startswith("error: f: hunk 1 of 1 is not applied to the index, or ")
    base.git("reset", "-q")
    base.git("checkout", "f")
    _applied(base, _patch(15, "fifteen"))
    _undone(base)
    base.write("f", _text((15 + distance, "other")))
    base.git("add", "f")
    assert "does not fit the index any more" in _refused(base, command="redo")


def test_lines_of_one_hunk_may_have_changed_between(base: Sandbox) -> None:
    """Each run of its lines is where it is now; a change right beside one refuses all."""
    both = b"*** Update File: f\n@@\n-line 10\n+ten\n line 11\n line 12\n line 13\n-line 14\n+14\n"
    _applied(base, envelope(both))
    left = {10: "ten", 14: "14"}
    base.write("f", _text(*left.items(), (12, "other")))
    base.git("add", "f")
    _undone(base)
    assert base.git("cat-file", "blob", ":f").decode() == _text((12, "other"))
    _redone(base)
    base.write("f", _text(*left.items(), (13, "other")))
    base.git("add", "f")
    _refused(base)


def test_a_part_of_a_hunk_that_was_changed_refuses_all_with_carry(base: Sandbox) -> None:
    """The other part would be undone alone in the working tree."""
    both = b"*** Update File: f\n@@\n-line 10\n+ten\n line 11\n line 12\n line 13\n-line 14\n+14\n"
    _applied(base, envelope(both))
    base.write("f", _text((10, "ten"), (14, "quatorze")))
    assert "f: " in _refused(base, "--carry")


def test_a_later_patch_must_be_undone_first(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(15, "fifteen"))
    _applied(base, envelope(b"*** Update File: f\n@@\n-fifteen\n+quince\n"))
    assert _refused(base, "1").endswith("the patch cannot be undone; nothing was changed\n")
    _undone(base, "2")
    assert _undone(base, "1") == before


def test_a_later_patch_of_other_lines_is_not_named(base: Sandbox) -> None:
    """To undo it would not help, where somebody changed the lines by hand."""
    _applied(base, _patch(15, "fifteen"))
    _applied(base, _patch(25, "25"))
    base.write("f", _text((15, "quince"), (25, "25")))
    base.git("add", "f")
    assert "patch 2" not in _refused(base, "1")


def test_equal_lines_elsewhere_are_left_alone(base: Sandbox) -> None:
    """Leave equal lines alone where its own lines were changed."""
    block = "def f():\n    one\n    two\n    %s\n    four\n    five\n    six\n"
    base.commit({"f": block % "new" + "x\n" * 9 + block % "old"})
    patch = b"*** Update File: f\n@@\n     one\n     two\n-    old\n+    new\n     four\n"
    _applied(base, envelope(patch))
    base.write("f", block % "new" + "x\n" * 9 + (block % "new").replace("two", "2"))
    base.git("add", "f")
    message = _refused(base)
    assert "its lines are at line 3" in message


def test_a_refusal_is_about_the_next_line_and_not_about_one_farther_away(base: Sandbox) -> None:
    """Only the line next to a change must be as it was."""
    _applied(base, _patch(15, "fifteen"))
    changed = base.read("f").decode().replace("line 13\n", "far\n").replace("line 14\n", "near\n")
    base.write("f", changed)
    base.git("add", "f")
    message = _refused(base)
    assert "expects\n      line 14\n" in message
    assert "line 13" not in message


def test_its_own_lines_are_undone_among_equal_ones(base: Sandbox) -> None:
    block = "def f():\n    one\n    two\n    %s\n    four\n    five\n    six\n"
    base.commit({"f": block % "new" + "x\n" * 9 + block % "old"})
    patch = b"*** Update File: f\n@@\n     one\n     two\n-    old\n+    new\n     four\n"
    _applied(base, envelope(patch))
    base.write("f", "above\n" + block % "new" + "x\n" * 9 + block % "new")
    base.git("add", "f")
    index, _ = _undone(base)
    wanted = "above\n" + block % "new" + "x\n" * 9 + block % "old"
    assert index["f"] == ("100644", wanted.encode())


def test_a_new_file_that_has_grown_is_refused(base: Sandbox) -> None:
    _applied(base, envelope(b"*** Add File: new\n+n\n"))
    base.write("new", "n\nmine\n")
    base.git("add", "new")
    assert "error: new: has lines that the patch does not add" in _refused(base)


def test_a_deleted_file_that_exists_again_is_refused(base: Sandbox) -> None:
    _applied(base, envelope(b"*** Delete File: gone\n"))
    base.write("gone", "another\n")
    assert _refused(base).startswith("error: gone: is in the way")
    base.git("add", "gone")
    for target in ("--index", "--cached"):
        assert _refused(base, target, "1").startswith("error: gone: the file already exists\n")
    base.git("mv", "gone", "other")
    assert _undone(base)[0]["gone"] == ("100644", b"g\n")


def test_a_missing_blob_is_refused(base: Sandbox) -> None:
    """Refuse, although HEAD has another file at the path."""
    base.write("late", b"\0late")
    base.git("add", "late")
    oid = base.git("rev-parse", ":late").decode().strip()
    _applied(base, envelope(b"*** Delete File: late\n"))
    (base.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    base.commit({"late": b"\0other"})
    base.git("rm", "--quiet", "late")
    message = _refused(base)
    assert (
        f"error: late: its earlier content, blob {oid}, is no longer in the repository" in message
    )


def test_a_patch_that_is_not_kept_any_more_is_called_so(base: Sandbox) -> None:
    base.git("config", "opatch.journalSize", "1")
    for number in (1, 2):
        _applied(base, _patch(number, "x"))
    for words in (["undo", "1"], ["redo", "1"], ["log", "1"]):
        assert base.opatch(*words).err == (
            "error: patch 1 is not kept any more; `git opatch log --all` shows 2 to 2\n"
        )


def test_unstaged_changes_are_refused(base: Sandbox) -> None:
    _applied(base, _patch(15, "fifteen"))
    base.write("f", "mine\n" + _text((15, "fifteen")))
    message = _refused(base)
    assert "error: f: has unstaged changes\n" in message
    _, files = _undone(base, "--worktree", "1")
    assert files["f"] == ("100644", ("mine\n" + _text()).encode())


def test_undo_works_on_another_branch(base: Sandbox) -> None:
    """Undo where the lines occur, and refuse where they do not."""
    _applied(base, _patch(15, "fifteen"))
    base.git("commit", "--quiet", "-m", "applied")
    base.git("switch", "--quiet", "-c", "without", "HEAD~")
    assert _refused(base) == (
        "error: nothing to undo: no recorded patch is applied\n"
        "  patch 1 is no longer applied: f does not contain its lines\n"
    )
    base.git("switch", "--quiet", "-c", "with", "main")
    base.commit({"f": "above\n" + _text((15, "fifteen"))})
    ran = base.opatch("undo", "1")
    made = base.git("rev-parse", "main").decode()[:7]
    note = f"note: patch 1 is committed as {made}; this stages its undo\n"
    assert (ran.status, ran.err) == (0, note)
    assert base.index()["f"] == ("100644", ("above\n" + _text()).encode())


# --- the journal ----------------------------------------------------------------------------


def test_undo_without_a_record_is_refused(repo: Sandbox) -> None:
    for words in ([], ["3"]):
        ran = repo.opatch("undo", *words)
        assert (ran.status, ran.out) == (128, b"")
        assert ran.err.startswith("error: nothing is recorded here")


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", "²"])
def test_an_invalid_record_number_is_an_error(base: Sandbox, number: str) -> None:
    _applied(base, _patch(3, "3"))
    status = 128 if number == "0" else 129
    _refused(base, number, status=status)


def test_an_unknown_record_is_refused(base: Sandbox) -> None:
    _applied(base, _patch(3, "3"))
    message = _refused(base, "7", status=128)
    assert message == "error: there is no patch 7; `git opatch log --all` shows 1 to 1\n"


def test_a_second_undo_is_refused(base: Sandbox) -> None:
    """A repeated call does not apply the patch again."""
    _applied(base, _patch(3, "3"))
    _undone(base, "1")
    assert _refused(base, "1") == (
        "error: patch 1 is already undone; to apply it again: git opatch redo 1\n"
    )
    after = _redone(base, "1")
    assert after[0]["f"] == ("100644", _text((3, "3")).encode())
    assert _undone(base, "1")[0]["f"] == ("100644", _text().encode())


def test_a_record_of_a_newer_version_is_refused(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(3, "3"))
    _applied(base, _patch(20, "20"))
    entry = json.loads(base.read(f"{_JOURNAL}/2.json"))
    base.write(f"{_JOURNAL}/2.json", json.dumps({**entry, "version": 2, "changes": "new"}))
    for words in ([], ["2"]):
        message = _refused(base, *words, status=128)
        assert message == "error: entry 2 was written by a newer version of git opatch\n"
    index, _ = _undone(base, "1")
    assert index["f"] == ("100644", _text((20, "20")).encode())
    assert index != before[0]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("1.json", 0), ("1.json", 40), ("1.diff", 0), ("1.diff", 200), ("1.diff", None)],
)
def test_a_truncated_journal_is_an_error(base: Sandbox, name: str, kept: int | None) -> None:
    _applied(base, _EVERYTHING)
    path = base.path / _JOURNAL / name
    data = path.read_bytes()
    if kept is None:
        path.unlink()
    else:
        assert kept < len(data)
        path.write_bytes(data[:kept])
    message = _refused(base, status=128)
    assert f"{_JOURNAL}/{name} {'is damaged' if kept is not None else 'cannot be read'}" in message


@pytest.mark.parametrize("name", ["1.json", "1.diff"])
def test_a_journal_truncated_anywhere_is_an_error(base: Sandbox, name: str) -> None:
    _applied(base, _EVERYTHING)
    home = base.path / ".git/opatch"
    whole = (home / "journal" / name).read_bytes()
    assert journal.get(home).read_diff()
    for kept in range(len(whole)):
        (home / "journal" / name).write_bytes(whole[:kept])
        with pytest.raises(JournalError, match=f"{name} is damaged"):
            journal.get(home).read_diff()


def test_a_changed_diff_is_an_error(base: Sandbox) -> None:
    """Missing sections are not skipped."""
    _applied(base, _EVERYTHING)
    diff = base.read(f"{_JOURNAL}/1.diff")
    base.write(f"{_JOURNAL}/1.diff", diff[: diff.rindex(b"diff --git")])
    assert "is damaged: it does not match its checksum" in _refused(base, status=128)


def test_a_record_without_later_fields_is_read(base: Sandbox) -> None:
    """Read a record that was written before there were counts and checksums."""
    before = _state(base)
    _applied(base, _EVERYTHING)
    entry = json.loads(base.read(f"{_JOURNAL}/1.json"))
    del entry["files"], entry["checksum"]
    base.write(f"{_JOURNAL}/1.json", json.dumps(entry))
    assert _undone(base) == before


def _numbers(repo: Sandbox) -> list[str]:
    directory = repo.path / _JOURNAL
    return sorted(os.listdir(directory)) if directory.exists() else []


def test_the_journal_keeps_the_configured_number_of_records(base: Sandbox) -> None:
    base.git("config", "opatch.journalSize", "2")
    for number in (3, 10, 17):
        _applied(base, _patch(number, "x"))
    assert _numbers(base) == ["2.diff", "2.json", "3.diff", "3.json"]
    assert "shows 2 to 3" in _refused(base, "1", status=128)
    ran = base.run("git", "-c", "opatch.journalSize=1", "opatch", "undo", "3")
    assert ran.status == 0, ran.err
    assert _numbers(base) == ["4.diff", "4.json"]


def test_the_journal_can_be_turned_off(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(3, "3"))
    base.git("config", "opatch.journalSize", "0")
    ran = base.opatch("undo")
    assert (ran.status, _state(base)) == (0, before)
    assert ran.out == b"Undid 1: 1 file restored\n"
    base.write(".git/p", _patch(3, "3"))
    assert base.opatch("apply", ".git/p").out == b"1 file modified; staged\n"
    assert base.opatch("apply", "-R", ".git/p").status == 0
    assert _state(base) == before


def test_a_size_of_zero_keeps_the_records_that_are_there(base: Sandbox) -> None:
    """It records nothing new, and what is there can still be undone (D121)."""
    _applied(base, _patch(3, "3"))
    _applied(base, _patch(10, "10"))
    kept = _numbers(base)
    ran = base.run("git", "-c", "opatch.journalSize=0", "opatch", "apply", feed=_patch(17, "17"))
    assert (ran.status, _numbers(base)) == (0, kept)
    ran = base.opatch("apply", feed=_patch(24, "24"))
    assert b"Undo: git opatch undo 3" in ran.out
    assert _undone(base, "1")[0]["f"][1] == _text((10, "10"), (17, "17"), (24, "24")).encode()
    assert _undone(base)[0]["f"][1] == _text((10, "10"), (17, "17")).encode()


def test_numbers_of_records_that_an_earlier_version_removed_are_not_reused(base: Sandbox) -> None:
    base.write(".git/opatch/last", "7")
    assert b"Undo: git opatch undo 8" in base.opatch("apply", feed=_patch(9, "9")).out


@pytest.mark.parametrize("value", ["-1", "many", "1k", ""])
def test_an_invalid_journal_size_is_an_error(base: Sandbox, value: str) -> None:
    base.git("config", "opatch.journalSize", value)
    before = base.state()
    for words in (["apply"], ["undo"]):
        ran = base.opatch(*words, feed=_patch(3, "3"))
        assert (ran.status, base.state()) == (129, before)
        assert f"opatch.journalSize is `{value}`; use a number of records" in ran.err


# --- generated patches ------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["--index", "--cached", "--worktree"])
@examples(0.5, HealthCheck.filter_too_much, HealthCheck.too_slow)
@given(edited=edited_files())
def test_undo_and_redo_restore_every_byte(edited: Edited, target: str) -> None:
    """Compare every byte of index and working tree, with the real program."""
    patch = numbered("f", edited)
    with tempfile.TemporaryDirectory() as directory:
        repo = Sandbox(Path(directory) / "repo").init("--template=")
        repo.commit({"f": edited.before, "other": "other\n"})
        before = _state(repo)
        assume(repo.opatch("apply", "--ambiguous", "nearest", target, feed=patch).status == 0)
        after = _state(repo)
        assert after != before
        assert _undone(repo) == before
        assert _redone(repo) == after
        repo.fsck()


# --- many at once -----------------------------------------------------------------------------


def _all_at_once(repo: Sandbox, commands: Iterator[list[str]]) -> list[Ran]:
    started = [
        subprocess.Popen(
            ["git-opatch", *words],
            cwd=repo.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        for words in commands
    ]
    ended = [(process, *process.communicate(timeout=300)) for process in started]
    return [Ran(process.returncode, out, err.decode()) for process, out, err in ended]


_COUNTS = pytest.mark.parametrize("count", [4, pytest.param(20, marks=pytest.mark.exhaustive)])


def _patches(repo: Sandbox, directory: Path, count: int) -> list[str]:
    """Write patches of one file, each of another line."""
    repo.commit({"f": "".join(f"line {number}\n" for number in range(100))})
    names = []
    for number in range(count):
        path = directory / f"{number}.patch"
        path.write_bytes(_patch(5 * number, f"new {number}"))
        names.append(str(path))
    return names


def _new_lines(repo: Sandbox) -> set[str]:
    text = repo.read("f").decode()
    assert repo.index()["f"] == ("100644", text.encode())
    return {line for line in text.splitlines() if line.startswith("new")}


@_COUNTS
def test_concurrent_runs_apply_once_or_are_refused(
    repo: Sandbox, tmp_path: Path, count: int
) -> None:
    """Each is applied once, or refused because another run is at work."""
    ran = _all_at_once(repo, (["apply", name] for name in _patches(repo, tmp_path, count)))
    done = {f"new {number}" for number, run in enumerate(ran) if run.status == 0}
    assert done
    assert _new_lines(repo) == done
    for run in ran:
        assert run.status in (0, 128)
        assert not run.status or "is at work in this repository" in run.err
    assert len(_numbers(repo)) == 2 * len(done)
    assert repo.git("status", "--short") == b"M  f\n"
    repo.fsck()


@_COUNTS
def test_waiting_runs_take_turns(repo: Sandbox, tmp_path: Path, count: int) -> None:
    names = _patches(repo, tmp_path, count)
    ran = _all_at_once(repo, (["apply", "--wait", "200", name] for name in names))
    assert [(run.status, run.err) for run in ran] == [(0, "")] * count
    assert _new_lines(repo) == {f"new {number}" for number in range(count)}
    assert repo.git("status", "--short") == b"M  f\n"
    ran = _all_at_once(
        repo, (["undo", "--wait", "200", str(number)] for number in range(1, count + 1))
    )
    assert [(run.status, run.err) for run in ran] == [(0, "")] * count
    assert _new_lines(repo) == set()
    assert len(_numbers(repo)) == 4 * count
    assert repo.git("status", "--short") == b""
    repo.fsck()


@pytest.mark.parametrize("words", [[], ["--wait", "200"]])
@_COUNTS
def test_the_same_patch_is_applied_once(
    repo: Sandbox, tmp_path: Path, words: list[str], count: int
) -> None:
    """It is applied once; after that it is already applied."""
    name = _patches(repo, tmp_path, count)[3]
    ran = _all_at_once(repo, (["apply", *words, name] for _ in range(count)))
    assert [run.status for run in ran].count(0) == 1
    busy = [run for run in ran if run.status == 128]
    assert not (busy and words)
    assert all("is at work in this repository" in run.err for run in busy)
    applied = [run for run in ran if run.status == 1]
    assert all("is already applied: its new lines are at line" in run.err for run in applied)
    assert len(busy) + len(applied) == count - 1
    assert _new_lines(repo) == {"new 3"}
    assert repo.git("status", "--short") == b"M  f\n"
    assert _numbers(repo) == ["1.diff", "1.json"]
    repo.fsck()


@pytest.mark.parametrize("name", [".git/index.lock", ".git/opatch/lock"])
def test_waiting_ends_after_the_given_time(base: Sandbox, name: str) -> None:
    _applied(base, _patch(3, "3"))
    base.write(".git/p", _patch(20, "20"))
    script = f"flock {name} git-opatch " if name.endswith("opatch/lock") else "git-opatch "
    if name.endswith("index.lock"):
        base.write(name, "")
    for words in ("apply --wait 0.5 .git/p", "undo --wait 0.5"):
        start = time.monotonic()
        ran = base.run("sh", "-c", script + words)
        assert time.monotonic() - start > 0.5
        assert (ran.status, ran.out) == (128, b"")
        assert "the index is locked" in ran.err or "another git opatch is at work" in ran.err


@pytest.mark.parametrize("seconds", ["-1", "soon", ""])
def test_an_invalid_waiting_time_is_an_error(base: Sandbox, seconds: str) -> None:
    before = base.state()
    ran = base.opatch("apply", "--wait", seconds, feed=_patch(3, "3"))
    assert (ran.status, base.state()) == (129, before)


def test_waiting_until_git_is_done(base: Sandbox) -> None:
    """Wait for another git command that holds the index for a moment, too."""
    base.write(".git/index.lock", "")
    base.write(".git/p", _patch(3, "3"))
    process = subprocess.Popen(
        ["git-opatch", "apply", "-q", "--wait", "60", ".git/p"], cwd=base.path
    )
    time.sleep(1)
    assert process.poll() is None
    (base.path / ".git/index.lock").unlink()
    assert process.wait(60) == 0
    assert base.read("f") == _text((3, "3")).encode()


def test_the_help_names_one_default(repo: Sandbox) -> None:
    message = " ".join(repo.opatch("undo", "-h").out.decode().split())
    assert "A patch is undone where it was applied" in message
    assert "(the default)" not in message


_ONE = envelope(b"*** Update File: f\n@@\n-one\n+1\n")


_PLACE = {"--cached": "index", "--worktree": "working tree"}
_OTHER = {"--cached": "--worktree", "--worktree": "--cached"}
_EACH_PLACE = pytest.mark.parametrize("flag", _PLACE)


@_EACH_PLACE
def test_an_undo_in_one_place_leaves_the_other(repo: Sandbox, flag: str) -> None:
    other, place = _OTHER[flag], _PLACE[flag]
    repo.commit({"f": "one\n"})
    before = _state(repo)
    repo.opatch("apply", feed=_ONE)
    assert repo.opatch("undo", "1", flag).status == 0
    assert f"applied, undone by 2 in the {place}  " in repo.opatch("log").out.decode()
    assert f"every recorded patch is undone in the {place};" in _refused(repo, flag)
    assert _refused(repo, flag, "1") == (
        f"error: patch 1 is already undone, in the {place} only\n"
        f"  to undo it in the {_PLACE[other]}, too: git opatch undo {other} 1\n"
        "  to apply it again: git opatch redo 1\n"
    )
    assert _undone(repo) == before
    assert "patch 1 is already undone; to apply it again" in _refused(repo, "1")


@_EACH_PLACE
@pytest.mark.parametrize("commits", [False, True])
def test_what_is_applied_in_the_other_place_is_not_called_undone(
    repo: Sandbox, flag: str, *, commits: bool
) -> None:
    other, place = _OTHER[flag], _PLACE[flag]
    repo.commit({"f": "one\n"})
    before = _state(repo)
    assert repo.opatch("apply", other, feed=_ONE).status == 0
    if commits and other == "--cached":
        repo.git("commit", "-qm", "m")
    undo = f"git opatch undo {other} 1"
    way = f"  patch 1 is applied in the {_PLACE[other]}; to undo it there: {undo}\n"
    what = f"nothing to undo: no recorded patch is applied in the {place}"
    assert _refused(repo, flag) == f"error: {what}\n{way}"
    what = f"patch 1 is not applied: f does not contain its lines in the {place}"
    assert _refused(repo, flag, "1") == f"error: {what}\n{way}"
    assert repo.run(*undo.split()).status == 0
    assert _state(repo) == before


@_EACH_PLACE
def test_what_is_undone_in_the_other_place_is_named_with_its_redo(repo: Sandbox, flag: str) -> None:
    other = _OTHER[flag]
    repo.commit({"f": "one\n"})
    after = _applied(repo, _ONE)
    _undone(repo, other)
    redo = f"git opatch redo {other} 1"
    assert _refused(repo, flag, command="redo") == (
        f"error: nothing to redo: no recorded patch is undone in the {_PLACE[flag]}\n"
        f"  patch 1 is undone in the {_PLACE[other]}; to redo it there: {redo}\n"
    )
    assert repo.run(*redo.split()).status == 0
    assert _state(repo) == after


def test_what_was_never_staged_is_not_said_to_have_been(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    assert repo.opatch("apply", "--worktree", feed=_ONE).status == 0
    assert "patch 1 is not staged: its change is" in _refused(repo, "--index")
    repo.git("add", "f")
    repo.git("reset", "-q")
    _undone(repo, "1")
    repo.opatch("apply", feed=_ONE)
    repo.git("reset", "-q")
    assert "patch 3 is not staged any more: its change is" in _refused(repo)


@_EACH_PLACE
@pytest.mark.parametrize("number", [(), ("1",)])
def test_each_undo_is_a_step_that_one_redo_reverses(
    repo: Sandbox, flag: str, number: tuple[str, ...]
) -> None:
    """In the place where that undo was made; and the other way round."""
    repo.commit({"f": "one\n"})
    states = [_state(repo), _applied(repo, _ONE)]
    states += [_undone(repo, flag, "1"), _undone(repo, *number)]
    assert states[3] == states[0]
    ran = repo.opatch("redo", *number)
    still = f"patch 1 is still undone in the {_PLACE[flag]}"
    note = f"note: {still}; to redo it there: git opatch redo {flag} 1\n"
    assert (ran.status, ran.err, _state(repo)) == (0, note, states[2])
    assert _redone(repo, *number) == states[1]
    assert "redo of 1  " in repo.opatch("log", "5").out.decode()
    assert "undo of 1, redone by 5  " in repo.opatch("log", "2").out.decode()
    assert "is not undone" in _refused(repo, flag, "1", command="redo")
    assert repo.opatch("undo", *number).status == 0
    assert _state(repo) == states[2]
    assert _undone(repo, *number) == states[0]


@_EACH_PLACE
def test_a_redo_of_both_places_completes_a_redo_of_one(repo: Sandbox, flag: str) -> None:
    rest = _PLACE[_OTHER[flag]]
    repo.commit({"f": "one\n"})
    after = _applied(repo, _ONE)
    _undone(repo)
    assert repo.opatch("redo", flag, "1").status == 0
    assert f"applied, undone by 2 in the {rest}  " in repo.opatch("log").out.decode()
    assert _refused(repo, flag, "1", command="redo") == (
        f"error: patch 1 is undone in the {rest} only; to redo it there: git opatch redo 1\n"
    )
    assert _redone(repo, "--index", "1") == after


def test_what_git_brings_back_in_one_place_is_undone_in_the_other(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    before = _state(repo)
    repo.opatch("apply", "--commit", "-m", "m", feed=_ONE)
    assert repo.opatch("undo", "1").status == 0
    repo.git("reset", "-q")
    log = repo.opatch("log").out.decode()
    assert re.search(r"committed as \w+, undone by 2 in the working tree  ", log)
    assert repo.opatch("undo", "1").err.endswith("; this stages its undo\n")
    assert _state(repo) == before


def _staged_line(repo: Sandbox, line: str) -> None:
    repo.write("f", f"{line}\n")
    repo.git("add", "f")


def _states(repo: Sandbox) -> list[tuple[int, str, int | None]]:
    records = json.loads(repo.opatch("log", "--json").out)["records"]
    return [(each["record"], each["state"], each["reversed_by"]) for each in records]


@pytest.mark.parametrize("committed", [False, True])
def test_what_was_undone_stays_undone(repo: Sandbox, committed: bool) -> None:
    repo.commit({"f": "one\n"})
    _applied(repo, _ONE)
    _undone(repo)
    _staged_line(repo, "1")
    if committed:
        repo.git("commit", "-q", "-m", "by hand")
    assert _states(repo) == [(1, "undone", 2)]
    assert _refused(repo) == "error: nothing to undo: every recorded patch is undone\n"
    assert "its lines are there again, by hand or by another patch, so they are left" in _refused(
        repo, "1"
    )
    for words in [(), ("1",)]:
        ran = repo.opatch("redo", *words)
        assert (ran.status, ran.err.count("so there is nothing to redo")) == (1, 1)
    assert repo.git("show", ":f") == b"1\n"


def test_git_can_bring_back_a_commit_from_before_the_undo(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    repo.opatch("apply", "--commit", "-m", "m", feed=_ONE)
    assert repo.opatch("undo", "1").status == 0
    assert _states(repo) == [(1, "undone", 2)]
    repo.git("commit", "-q", "-m", "undo")
    repo.git("reset", "-q", "--hard", "HEAD^")
    assert _states(repo)[0][1] == "committed"
    repo.git("reset", "-q", "--hard", "ORIG_HEAD")
    _staged_line(repo, "1")
    repo.git("commit", "-q", "-m", "by hand")
    assert _states(repo) == [(1, "undone", 2)]


def test_an_undone_patch_is_applied_anew_in_another_target(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    _applied(repo, _ONE, "--cached")
    _undone(repo)
    _applied(repo, _ONE)
    assert _states(repo) == [(3, "applied", None), (1, "reapplied", 3)]
    assert "was applied again, as 3, so there is nothing" in repo.opatch("redo", "1").err
    _undone(repo)
    assert _states(repo) == [(3, "undone", 4), (1, "undone", 2)]


def test_a_change_belongs_to_the_last_patch_that_made_it_after_a_reset(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    before = _state(repo)
    _applied(repo, _ONE)
    repo.git("reset", "-q", "--hard")
    _applied(repo, _ONE)
    repo.git("reset", "-q")
    assert _states(repo) == [(2, "unstaged", None), (1, "reapplied", 2)]
    for words in (["1"], ["--worktree", "1"]):
        assert "was applied again, as 2; to undo that: git opatch undo 2" in _refused(repo, *words)
    assert _undone(repo, "--worktree", "2") == before


def test_another_patch_with_the_same_lines_does_not_bring_it_back(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    _applied(repo, _ONE)
    _undone(repo)
    _applied(repo, _ONE.replace(b"@@\n", b"@@ \n"))
    assert _states(repo) == [(3, "applied", None), (1, "undone", 2)]


def test_what_was_staged_since_is_named(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    before = _state(repo)
    _applied(repo, _ONE, "--worktree")
    repo.git("add", "f")
    ran = repo.opatch("undo")
    command = "git opatch undo --cached 1"
    assert ran.err == f"note: the change of patch 1 is still staged; to undo it there: {command}\n"
    assert _undone(repo, "--cached", "1") == before


def test_a_named_target_is_undone_after_a_reset(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    before = _state(repo)
    _applied(repo, _ONE)
    repo.git("reset", "-q")
    assert "git opatch undo --worktree 1" in _refused(repo)
    assert _undone(repo, "--worktree") == before


def test_the_undo_of_a_committed_patch_of_the_working_tree_is_staged_by_index(
    base: Sandbox,
) -> None:
    """Each command that a message names does what it says."""
    _applied(base, _patch(3, "3"), "--worktree")
    base.git("commit", "--quiet", "--all", "-m", "by hand")
    assert base.opatch("undo").err.endswith(
        "  to stage the undo of patch 1: git opatch undo --index 1\n"
    )
    ran = base.opatch("undo", "1")
    assert ran.err.endswith(
        "; this undoes it in the working tree only; to stage its undo: git opatch undo --cached 1\n"
    )
    assert base.git("diff", "--cached", "--name-only") == b""
    ran = base.opatch("undo", "--cached", "1")
    assert (ran.status, ran.err[-21:]) == (0, "this stages its undo\n")
    assert base.git("diff", "--name-only") == b""
    assert base.git("diff", "--cached", "--name-only") != b""


def test_the_undo_of_a_committed_patch_of_the_working_tree_by_index(base: Sandbox) -> None:
    _applied(base, _patch(3, "3"), "--worktree")
    base.git("commit", "--quiet", "--all", "-m", "by hand")
    for first in ((), ("--worktree",), ("--cached",)):
        if first:
            base.git("reset", "--quiet", "--hard")
            assert base.opatch("undo", *first, "1").status == 0
        assert base.opatch("undo", "--index", "1").status == 0
        assert base.git("diff", "--name-only") == b""
        assert base.git("diff", "--cached", "--name-only") != b""


def test_staged_is_said_where_something_is(base: Sandbox) -> None:
    """A redo, and `-R` of a patch that is not recorded, may bring back what HEAD has."""
    base.write("p.txt", _patch(3, "3"))
    base.opatch("apply", "--commit", "-m", "x", "p.txt")
    assert base.opatch("undo", "1").status == 0
    assert base.opatch("redo").out == b"Redid 1 (p.txt): 1 file modified. Undo: git opatch undo 1\n"
    for file in (base.path / _JOURNAL).iterdir():
        file.unlink()
    assert base.opatch("apply", "-R", "p.txt").out.startswith(b"1 file modified; staged. Undo: ")
    base.git("config", "opatch.journalSize", "0")
    base.git("commit", "--quiet", "--all", "-m", "undone")
    assert base.opatch("apply", "p.txt").status == 0
    assert base.opatch("apply", "-R", "p.txt").out.startswith(b"1 file modified\n")


@pytest.mark.parametrize("words", [("undo",), ("apply", "-R", ".git/p")], ids=["undo", "-R"])
@pytest.mark.parametrize("more", ["3\n", "3\n4\n"])
def test_an_added_file_that_has_more_lines_now_is_not_deleted(
    repo: Sandbox, words: tuple[str, ...], more: str
) -> None:
    repo.commit({"g": "g\n"})
    repo.write(".git/p", envelope(b"*** Add File: new\n+1\n+2\n"))
    assert repo.opatch("apply", ".git/p").status == 0
    repo.write("new", "1\n2\n" + more)
    repo.git("add", "new")
    ran = repo.opatch(*words)
    what = "error: new: has lines that the patch does not add"
    assert (ran.status, ran.err.startswith(what)) == (1, True)
    assert "  new:3 has\n      3\n" in ran.err
    assert repo.read("new") == b"1\n2\n" + more.encode()


def test_the_first_line_that_an_undo_would_delete_too_is_shown(repo: Sandbox) -> None:
    repo.commit({"g": "g\n"})
    assert repo.opatch("apply", feed=envelope(b"*** Add File: new\n+1\n+2\n")).status == 0
    repo.write("new", "\x1b[0m\n1\n2\nmore\n")
    repo.git("add", "new")
    assert "\n  new:1 has\n      \\x1b[0m\n" in repo.opatch("undo").err
    (failure,) = json.loads(repo.opatch("undo", "--json").out)["failures"]
    assert failure["candidates"] == [1]


def test_a_file_to_delete_that_has_more_lines_is_not_deleted(repo: Sandbox) -> None:
    repo.commit({"f": "1\n2\n3\n"})
    diff = b"--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n"
    ran = repo.opatch("apply", feed=diff)
    assert (ran.status, ran.err.splitlines()[0]) == (
        1,
        "error: f: has lines that the patch does not delete",
    )
