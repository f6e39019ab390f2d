"""What was applied taken back, and again: byte for byte, or refused with the place."""

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
from hypothesis import HealthCheck, assume, given, settings
from sandbox import Ran, Sandbox, Tree
from test_properties import edited_files
from writers import Edited, envelope, numbered

from git_opatch import journal
from git_opatch.errors import JournalError

_LINES = [f"line {number}" for number in range(1, 31)]
_JOURNAL = ".git/opatch/journal"


def _text(*changed: tuple[int, str]) -> str:
    """Thirty lines, some of them others."""
    lines = list(_LINES)
    for number, text in changed:
        lines[number - 1] = text
    return "".join(f"{line}\n" for line in lines)


def _patch(number: int, new: str, path: str = "f") -> bytes:
    return envelope(f"*** Update File: {path}\n@@\n-line {number}\n+{new}\n".encode())


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    """A repository with the file `f` of thirty lines, and others."""
    repo.commit({"f": _text(), "gone": "g\n", "old": "o\n", "bin": b"\0\1"})
    return repo


def _state(repo: Sandbox) -> tuple[Tree, Tree]:
    return repo.index(), repo.files()


def _applied(repo: Sandbox, patch: bytes, *words: str) -> tuple[Tree, Tree]:
    """Apply; gives the state after it."""
    ran = repo.opatch("apply", *words, feed=patch)
    assert ran.status == 0, ran.err
    return _state(repo)


def _undone(repo: Sandbox, *words: str) -> tuple[Tree, Tree]:
    ran = repo.opatch("undo", *words)
    assert (ran.status, ran.err) == (0, "")
    return _state(repo)


def _refused(repo: Sandbox, *words: str, status: int = 1) -> str:
    before, journal = repo.state(), sorted(os.listdir(repo.path / _JOURNAL))
    ran = repo.opatch("undo", *words)
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
def test_there_and_back_and_there(base: Sandbox, target: str) -> None:
    before = _state(base)
    after = _applied(base, _EVERYTHING, target)
    assert after != before
    ran = base.opatch("undo")
    where = {
        "--index": b"staged",
        "--cached": b"staged, in the index alone",
        "--worktree": b"in the working tree, not staged",
    }[target]
    assert (ran.status, ran.err, _state(base)) == (0, "", before)
    assert ran.out == (
        b"record 1 taken back: 5 files changed: 2 added, 1 modified, 1 deleted, 1 moved; "
        + where
        + b". Take it back: git opatch undo 2\n"
    )
    assert _undone(base) == after
    assert _undone(base) == before
    base.fsck()


def test_the_command_that_apply_names(base: Sandbox) -> None:
    before = _state(base)
    base.write("p.txt", _patch(3, "3"))
    said = base.opatch("apply", "p.txt").out.decode()
    assert said.endswith("; staged. Take it back: git opatch undo 1\n")
    ran = base.opatch("undo", "1")
    assert ran.out.startswith(b"record 1 (p.txt) taken back: 1 file changed: 1 modified; staged.")
    (base.path / "p.txt").unlink()
    assert _state(base) == before


def test_the_configured_target_does_not_count(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(3, "3"), "--cached")
    base.git("config", "opatch.target", "worktree")
    assert _undone(base) == before


def test_another_target_can_be_named(base: Sandbox) -> None:
    before = _state(base)
    after = _applied(base, _patch(3, "3"))
    assert _undone(base, "--worktree") == (after[0], before[1])


def test_one_by_its_number(base: Sandbox) -> None:
    _applied(base, _patch(3, "3"))
    _applied(base, _patch(20, "20"))
    index, files = _undone(base, "1")
    assert index["f"] == files["f"] == ("100644", _text((20, "20")).encode())


def test_a_copy_goes_again(base: Sandbox) -> None:
    before = _state(base)
    feed = (
        b"diff --git a/f b/copy\ncopy from f\ncopy to copy\n--- a/f\n+++ b/copy\n@@\n-line 1\n+1\n"
    )
    after = _applied(base, feed)
    assert _undone(base) == before
    assert _undone(base) == after
    assert _undone(base) == before
    _applied(base, feed)
    base.write("copy", base.read("copy") + b"mine\n")
    base.git("add", "copy")
    assert "error: copy: was changed since it was made" in _refused(base)


def test_a_binary_file_that_was_replaced(base: Sandbox) -> None:
    before = _state(base)
    after = _applied(base, envelope(b"*** Add File: bin\n+text\n"), "--overwrite")
    assert after[0]["bin"] == ("100644", b"text\n")
    assert _undone(base) == before
    assert _undone(base) == after
    assert _undone(base) == before


def test_a_link_that_was_replaced(base: Sandbox) -> None:
    (base.path / "link").symlink_to("gone")
    base.git("add", "link")
    before = _state(base)
    after = _applied(base, envelope(b"*** Add File: link\n+text\n"), "--overwrite")
    assert _undone(base) == before
    assert _undone(base) == after


def test_a_mode(base: Sandbox) -> None:
    before = _state(base)
    after = _applied(base, b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n")
    assert after[1]["f"][0] == "100755"
    assert _undone(base) == before
    assert _undone(base) == after


def test_a_byte_order_mark_stays_where_it_was(base: Sandbox) -> None:
    """A first line goes whose place one with a mark takes: it is no mark of the file."""
    base.commit({"f": "first\r\n\ufeffsecond\r\nthird\r\n"})
    before = _state(base)
    after = _applied(base, "--- a/f\n+++ b/f\n@@\n-first\n \ufeffsecond\n".encode())
    assert after[0]["f"] == ("100644", "\ufeffsecond\r\nthird\r\n".encode())
    assert _undone(base) == before
    assert _undone(base) == after


def test_lines_that_stand_often(base: Sandbox) -> None:
    """The numbers of a diff that was applied are right: no other place is taken for it."""
    block = "a\nb\nc\n%s\nd\ne\nf\n"
    base.commit({"f": block % "new" * 3 + block % "old" + block % "new" * 2})
    before = _state(base)
    after = _applied(base, envelope(b"*** Update File: f\n@@\n-old\n+new\n"))
    assert after[0]["f"] == ("100644", (block % "new" * 6).encode())
    assert _undone(base) == before
    assert _undone(base) == after


# --- files that have changed since ---------------------------------------------------------


@pytest.mark.parametrize("target", ["--index", "--cached"])
def test_changed_elsewhere(base: Sandbox, target: str) -> None:
    _applied(base, _patch(15, "fifteen"), target)
    base.write("f", "above\n" + _text((2, "two"), (15, "fifteen")))
    base.git("add", "f")
    index, _ = _undone(base)
    assert index["f"] == ("100644", ("above\n" + _text((2, "two"))).encode())


def test_changed_elsewhere_in_the_working_tree(base: Sandbox) -> None:
    base.write("untracked", _text())
    _applied(base, _patch(15, "fifteen", "untracked"), "--worktree")
    base.write("untracked", "above\n" + _text((15, "fifteen")))
    _, files = _undone(base)
    assert files["untracked"] == ("100644", ("above\n" + _text()).encode())


def test_changed_there(base: Sandbox) -> None:
    _applied(base, _patch(15, "fifteen"))
    base.write("f", _text((15, "quince")))
    base.git("add", "f")
    said = re.sub(r"lines \d+-\d+", "lines N-M", _refused(base))
    number = base.read(f"{_JOURNAL}/1.diff").split(b"\n").index(b"+fifteen") + 1
    assert said == (
        "error: f: hunk 1 of 1 is not applied to the index, or was changed since\n"
        f"  .git/opatch/journal/1.diff, line {number} expects\n"
        "      fifteen\n"
        "  nearest place, f:15\n"
        "      14  line 14\n"
        "      15  quince\n"
        "      16  line 16\n"
        "  the text differs; re-read f lines N-M and take it back by hand\n"
        "  what was applied: git opatch log -p 1\n"
        "the patch is not taken back; nothing was changed\n"
    )


def test_changed_by_a_later_patch(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(15, "fifteen"))
    _applied(base, envelope(b"*** Update File: f\n@@\n-fifteen\n+quince\n"))
    said = _refused(base, "1")
    assert "  record 2 changed the file after that; first: git opatch undo 2\n" in said
    _undone(base, "2")
    assert _undone(base, "1") == before


def test_the_same_lines_elsewhere_are_others(base: Sandbox) -> None:
    """Where its own lines were touched, those that look alike are left alone."""
    block = "def f():\n    one\n    two\n    %s\n    four\n    five\n    six\n"
    base.commit({"f": block % "new" + "x\n" * 9 + block % "old"})
    patch = b"*** Update File: f\n@@\n     one\n     two\n-    old\n+    new\n     four\n"
    _applied(base, envelope(patch))
    base.write("f", block % "new" + "x\n" * 9 + (block % "new").replace("two", "2"))
    base.git("add", "f")
    said = _refused(base)
    assert "its lines stand at line 1, which is another place" in said


def test_its_own_lines_among_those_that_look_alike(base: Sandbox) -> None:
    block = "def f():\n    one\n    two\n    %s\n    four\n    five\n    six\n"
    base.commit({"f": block % "new" + "x\n" * 9 + block % "old"})
    patch = b"*** Update File: f\n@@\n     one\n     two\n-    old\n+    new\n     four\n"
    _applied(base, envelope(patch))
    base.write("f", "above\n" + block % "new" + "x\n" * 9 + block % "new")
    base.git("add", "f")
    index, _ = _undone(base)
    wanted = "above\n" + block % "new" + "x\n" * 9 + block % "old"
    assert index["f"] == ("100644", wanted.encode())


def test_a_new_file_that_has_grown(base: Sandbox) -> None:
    _applied(base, envelope(b"*** Add File: new\n+n\n"))
    base.write("new", "n\nmine\n")
    base.git("add", "new")
    assert "error: new: has 1 lines that the patch does not delete" in _refused(base)


def test_a_file_that_is_there_again(base: Sandbox) -> None:
    _applied(base, envelope(b"*** Delete File: gone\n"))
    base.write("gone", "another\n")
    base.git("add", "gone")
    assert "error: gone: the file exists already" in _refused(base)


def test_a_blob_that_git_has_no_more(base: Sandbox) -> None:
    """What HEAD has at the path instead is another file."""
    base.write("late", b"\0late")
    base.git("add", "late")
    oid = base.git("rev-parse", ":late").decode().strip()
    _applied(base, envelope(b"*** Delete File: late\n"))
    (base.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    base.commit({"late": b"\0other"})
    base.git("rm", "--quiet", "late")
    said = _refused(base)
    assert f"error: late: what it held, blob {oid}, is no longer in the repository" in said


def test_changes_that_are_not_staged(base: Sandbox) -> None:
    _applied(base, _patch(15, "fifteen"))
    base.write("f", "mine\n" + _text((15, "fifteen")))
    said = _refused(base)
    assert "error: f: has changes that are not staged\n" in said
    assert "to leave those changes unstaged: git opatch undo --carry 1\n" in said
    _, files = _undone(base, "--worktree", "1")
    assert files["f"] == ("100644", ("mine\n" + _text()).encode())


def test_another_branch(base: Sandbox) -> None:
    """Where the lines stand it is taken back, where they do not it is refused."""
    _applied(base, _patch(15, "fifteen"))
    base.git("commit", "--quiet", "-m", "applied")
    base.git("switch", "--quiet", "-c", "without", "HEAD~")
    assert "is not applied here, so there is nothing to take back" in _refused(base)
    base.git("switch", "--quiet", "-c", "with", "main")
    base.commit({"f": "above\n" + _text((15, "fifteen"))})
    index, _ = _undone(base)
    assert index["f"] == ("100644", ("above\n" + _text()).encode())


# --- the journal ----------------------------------------------------------------------------


def test_nothing_is_recorded(repo: Sandbox) -> None:
    for words in ([], ["3"]):
        ran = repo.opatch("undo", *words)
        assert (ran.status, ran.out) == (128, b"")
        assert ran.err.startswith("error: nothing is recorded here")


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", "²"])
def test_no_number(base: Sandbox, number: str) -> None:
    _applied(base, _patch(3, "3"))
    status = 128 if number == "0" else 129
    _refused(base, number, status=status)


def test_an_unknown_number(base: Sandbox) -> None:
    _applied(base, _patch(3, "3"))
    said = _refused(base, "7", status=128)
    assert said == "error: there is no record 7; `git opatch log` shows those from 1 to 1\n"


def test_taken_back_twice(base: Sandbox) -> None:
    """A call that is repeated does not apply the patch again."""
    _applied(base, _patch(3, "3"))
    _undone(base, "1")
    assert _refused(base, "1") == (
        "error: record 1 was taken back already, by record 2; to apply it again: "
        "git opatch undo 2\n"
    )
    after = _undone(base, "2")
    assert after[0]["f"] == ("100644", _text((3, "3")).encode())
    assert _undone(base, "1")[0]["f"] == ("100644", _text().encode())


def test_a_newer_version(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(3, "3"))
    _applied(base, _patch(20, "20"))
    entry = json.loads(base.read(f"{_JOURNAL}/2.json"))
    base.write(f"{_JOURNAL}/2.json", json.dumps({**entry, "version": 2, "changes": "new"}))
    for words in ([], ["2"]):
        said = _refused(base, *words, status=128)
        assert said == "error: record 2 was written by a newer version of git opatch\n"
    index, _ = _undone(base, "1")
    assert index["f"] == ("100644", _text((20, "20")).encode())
    assert index != before[0]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("1.json", 0), ("1.json", 40), ("1.diff", 0), ("1.diff", 200), ("1.diff", None)],
)
def test_a_journal_that_is_cut(base: Sandbox, name: str, kept: int | None) -> None:
    _applied(base, _EVERYTHING)
    path = base.path / _JOURNAL / name
    data = path.read_bytes()
    if kept is None:
        path.unlink()
    else:
        assert kept < len(data)
        path.write_bytes(data[:kept])
    said = _refused(base, status=128)
    assert f"{_JOURNAL}/{name} {'is damaged' if kept is not None else 'cannot be read'}" in said


@pytest.mark.parametrize("name", ["1.json", "1.diff"])
def test_a_journal_that_is_cut_anywhere(base: Sandbox, name: str) -> None:
    _applied(base, _EVERYTHING)
    home = base.path / ".git/opatch"
    whole = (home / "journal" / name).read_bytes()
    assert journal.get(home).read_diff()
    for kept in range(len(whole)):
        (home / "journal" / name).write_bytes(whole[:kept])
        with pytest.raises(JournalError, match=f"{name} is damaged"):
            journal.get(home).read_diff()


def test_a_diff_that_was_changed(base: Sandbox) -> None:
    """Whole sections that are missing are not passed over."""
    _applied(base, _EVERYTHING)
    diff = base.read(f"{_JOURNAL}/1.diff")
    base.write(f"{_JOURNAL}/1.diff", diff[: diff.rindex(b"diff --git")])
    assert "is damaged: it is not what was written there" in _refused(base, status=128)


def test_a_record_without_what_came_later(base: Sandbox) -> None:
    """One that was written before there were counts and sums."""
    before = _state(base)
    _applied(base, _EVERYTHING)
    entry = json.loads(base.read(f"{_JOURNAL}/1.json"))
    del entry["files"], entry["checksum"]
    base.write(f"{_JOURNAL}/1.json", json.dumps(entry))
    assert _undone(base) == before


def _numbers(repo: Sandbox) -> list[str]:
    folder = repo.path / _JOURNAL
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_the_size_of_the_journal(base: Sandbox) -> None:
    base.git("config", "opatch.journalSize", "2")
    for number in (3, 10, 17):
        _applied(base, _patch(number, "x"))
    assert _numbers(base) == ["2.diff", "2.json", "3.diff", "3.json"]
    assert "shows those from 2 to 3" in _refused(base, "1", status=128)
    ran = base.run("git", "-c", "opatch.journalSize=1", "opatch", "undo", "3")
    assert ran.status == 0, ran.err
    assert _numbers(base) == ["4.diff", "4.json"]


def test_no_journal(base: Sandbox) -> None:
    before = _state(base)
    _applied(base, _patch(3, "3"))
    base.git("config", "opatch.journalSize", "0")
    ran = base.opatch("undo")
    assert (ran.status, _state(base)) == (0, before)
    assert ran.out == b"record 1 taken back: 1 file changed: 1 modified; staged\n"
    assert _numbers(base) == []
    base.write(".git/p", _patch(3, "3"))
    said = base.opatch("apply", ".git/p").out.decode()
    assert said.endswith("Take it back: git opatch apply -R .git/p\n")
    assert _numbers(base) == []
    assert base.opatch("apply", "-R", ".git/p").status == 0
    assert _state(base) == before


def test_a_number_that_was_told_names_no_other_patch(base: Sandbox) -> None:
    _applied(base, _patch(3, "3"))
    _applied(base, _patch(5, "5"))
    base.git("config", "opatch.journalSize", "0")
    assert base.opatch("apply", feed=_patch(7, "7")).status == 0
    assert _numbers(base) == []
    base.git("config", "--unset", "opatch.journalSize")
    ran = base.opatch("apply", feed=_patch(9, "9"))
    assert b"Take it back: git opatch undo 3" in ran.out
    before = _state(base)
    assert "there is no record 2" in base.opatch("undo", "2").err
    assert _state(base) == before


@pytest.mark.parametrize("value", ["-1", "many", "1k", ""])
def test_no_size(base: Sandbox, value: str) -> None:
    base.git("config", "opatch.journalSize", value)
    before = base.state()
    for words in (["apply"], ["undo"]):
        ran = base.opatch(*words, feed=_patch(3, "3"))
        assert (ran.status, base.state()) == (129, before)
        assert f"opatch.journalSize is `{value}`; it is a number of records" in ran.err


# --- generated patches ------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["--index", "--cached", "--worktree"])
@settings(
    max_examples=int(os.environ.get("OPATCH_EXAMPLES", "70")),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(edited=edited_files())
def test_apply_undo_undo(edited: Edited, target: str) -> None:
    """Every byte of index and working tree, by the real program."""
    patch = numbered("f", edited)
    with tempfile.TemporaryDirectory() as folder:
        repo = Sandbox(Path(folder) / "repo").init("--template=")
        repo.commit({"f": edited.before, "other": "other\n"})
        before = _state(repo)
        assume(repo.opatch("apply", "--ambiguous", "nearest", target, feed=patch).status == 0)
        after = _state(repo)
        assert after != before
        assert _undone(repo) == before
        assert _undone(repo) == after
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
    ended = [(one, *one.communicate(timeout=300)) for one in started]
    return [Ran(one.returncode, out, err.decode()) for one, out, err in ended]


def _patches(repo: Sandbox, folder: Path) -> list[str]:
    """Twenty patches of one file, each of another line."""
    repo.commit({"f": "".join(f"line {number}\n" for number in range(100))})
    names = []
    for number in range(20):
        path = folder / f"{number}.patch"
        path.write_bytes(_patch(5 * number, f"new {number}"))
        names.append(str(path))
    return names


def _new_lines(repo: Sandbox) -> set[str]:
    text = repo.read("f").decode()
    assert repo.index()["f"] == ("100644", text.encode())
    return {line for line in text.splitlines() if line.startswith("new")}


def test_twenty_at_once(repo: Sandbox, tmp_path: Path) -> None:
    """Each is applied once, or told that another one is at work."""
    ran = _all_at_once(repo, (["apply", name] for name in _patches(repo, tmp_path)))
    done = {f"new {number}" for number, one in enumerate(ran) if one.status == 0}
    assert done
    assert _new_lines(repo) == done
    for one in ran:
        assert one.status in (0, 128)
        assert not one.status or "is at work in this repository" in one.err
    assert len(_numbers(repo)) == 2 * len(done)
    assert repo.git("status", "--short") == b"M  f\n"
    repo.fsck()


def test_twenty_take_turns(repo: Sandbox, tmp_path: Path) -> None:
    names = _patches(repo, tmp_path)
    ran = _all_at_once(repo, (["apply", "--wait", "200", name] for name in names))
    assert [(one.status, one.err) for one in ran] == [(0, "")] * 20
    assert _new_lines(repo) == {f"new {number}" for number in range(20)}
    assert repo.git("status", "--short") == b"M  f\n"
    ran = _all_at_once(repo, (["undo", "--wait", "200", str(number)] for number in range(1, 21)))
    assert [(one.status, one.err) for one in ran] == [(0, "")] * 20
    assert _new_lines(repo) == set()
    assert len(_numbers(repo)) == 80
    assert repo.git("status", "--short") == b""
    repo.fsck()


@pytest.mark.parametrize("words", [[], ["--wait", "200"]])
def test_the_same_twenty_times(repo: Sandbox, tmp_path: Path, words: list[str]) -> None:
    """Once it is applied; then it is there already."""
    name = _patches(repo, tmp_path)[3]
    ran = _all_at_once(repo, (["apply", *words, name] for _ in range(20)))
    assert [one.status for one in ran].count(0) == 1
    busy = [one for one in ran if one.status == 128]
    assert not (busy and words)
    assert all("is at work in this repository" in one.err for one in busy)
    there = [one for one in ran if one.status == 1]
    assert all("is already applied: its new lines stand at line" in one.err for one in there)
    assert len(busy) + len(there) == 19
    assert _new_lines(repo) == {"new 3"}
    assert repo.git("status", "--short") == b"M  f\n"
    assert _numbers(repo) == ["1.diff", "1.json"]
    repo.fsck()


@pytest.mark.parametrize("name", [".git/index.lock", ".git/opatch/lock"])
def test_waiting_in_vain(base: Sandbox, name: str) -> None:
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
def test_no_time(base: Sandbox, seconds: str) -> None:
    before = base.state()
    ran = base.opatch("apply", "--wait", seconds, feed=_patch(3, "3"))
    assert (ran.status, base.state()) == (129, before)


def test_waiting_until_git_is_done(base: Sandbox) -> None:
    """Another git command that holds the index for a moment is waited for, too."""
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
    said = " ".join(repo.opatch("undo", "-h").out.decode().split())
    assert "Change index and working tree (default: what the patch was applied to)." in said
    assert "(the default)" not in said


@pytest.mark.parametrize(("flag", "other"), [("--cached", "index"), ("--worktree", "working tree")])
def test_taken_back_from_one_of_two(repo: Sandbox, flag: str, other: str) -> None:
    repo.commit({"f": "one\n"})
    repo.opatch("apply", feed=envelope(b"*** Update File: f\n@@\n-one\n+1\n"))
    assert repo.opatch("undo", "1", flag).status == 0
    ran = repo.opatch("undo", "1")
    assert ran.status == 1
    assert f"record 1 was taken back already, in the {other} alone, by record 2; to" in ran.err
