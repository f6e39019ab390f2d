"""`git opatch log` shows what was applied; `git opatch recover` ends an interrupted run."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest
from killed import kill_before
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

_JOURNAL = ".git/opatch/journal"
_UPDATE = envelope(b"*** Update File: f\n@@\n-two\n+2\n")
_MORE = envelope(b"*** Add File: new\n+n\n", b"*** Delete File: gone\n")
_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000"


@pytest.fixture
def base(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("TZ", "UTC")
    repo.commit({"f": "one\ntwo\nthree\n", "gone": "g\n"})
    return repo


@pytest.fixture
def applied(base: Sandbox) -> Sandbox:
    """Make three records: from standard input, from a file, and an undo."""
    base.write(".git/p.txt", _MORE)
    for words in (["apply", "--cached"], ["apply", ".git/p.txt"], ["undo"]):
        ran = base.opatch(*words, feed=_UPDATE)
        assert ran.status == 0, ran.err
    return base


def _log(repo: Sandbox, *words: str) -> list[str]:
    ran = repo.opatch("log", *words)
    assert (ran.status, ran.err) == (0, "")
    return ran.out.decode().splitlines()


def test_each_patch_has_a_line(applied: Sandbox) -> None:
    second, first = _log(applied)
    changed = "1 file modified, applied with --cached"
    assert re.fullmatch(rf"1  {_TIME}  applied  standard input  {changed}", first)
    counts = "2 files changed: 1 added, 1 deleted"
    assert re.fullmatch(rf"2  {_TIME}  undone by 3  \.git/p\.txt  {counts}", second)


def test_an_undo_and_a_redo_are_shown_where_all_are_asked_for(applied: Sandbox) -> None:
    assert applied.opatch("redo").status == 0
    assert [line[0] for line in _log(applied)] == ["2", "1"]
    assert "  applied  " in _log(applied)[0]
    fourth, third, *others = _log(applied, "--all")
    assert [line[0] for line in others] == ["2", "1"]
    assert re.match(rf"4  {_TIME}  redo of 2  \.git/p\.txt  ", fourth)
    assert re.match(rf"3  {_TIME}  undo of 2, redone by 4  \.git/p\.txt  ", third)
    assert _log(applied, "3") == [third]
    assert [line[0] for line in _log(applied, "--all", "-2")] == ["4", "3"]
    assert [line[0] for line in _log(applied, "-1")] == ["2"]


def test_a_patch_is_listed_by_its_undo_where_its_own_record_is_not_kept(applied: Sandbox) -> None:
    (applied.path / _JOURNAL / "2.json").unlink()
    third, first = _log(applied)
    assert re.match(rf"3  {_TIME}  undo of 2  ", third)
    assert first[0] == "1"
    assert applied.opatch("redo", "2").status == 0


def test_commits_are_abbreviated_as_git_does_it(base: Sandbox) -> None:
    base.write(".git/p", _UPDATE)
    ran = base.opatch("apply", "--commit", "-m", "m", ".git/p")
    head = base.git("rev-parse", "HEAD").decode().strip()
    assert ran.out.decode().endswith(f"as {head[:7]}. Undo: git revert {head[:7]}\n")
    for setting, digits in (("auto", 7), ("11", 11), ("no", 40)):
        base.git("config", "core.abbrev", setting)
        assert f"  committed as {head[:digits]}  .git/p  " in _log(base)[0]
        assert f"git revert {head[:digits]}\n" in base.opatch("undo").err
    base.git("config", "log.showSignature", "true")
    assert f"  committed as {head}  .git/p  " in _log(base)[0]


def test_times_are_in_the_time_zone_of_the_user(applied: Sandbox) -> None:
    entry = json.loads(applied.read(f"{_JOURNAL}/1.json"))
    assert abs(entry["time"] - time.time()) < 300
    applied.write(f"{_JOURNAL}/1.json", json.dumps({**entry, "time": 1_700_000_000}))
    (line,) = applied.opatch("log", "1", env={"TZ": "UTC-2"}).out.decode().splitlines()
    assert line.startswith("1  2023-11-15 00:13:20 +0200  ")


def test_the_diff_is_the_applied_one(applied: Sandbox) -> None:
    line, empty, *diff = _log(applied, "-p", "1")
    assert (line[0], empty) == ("1", "")
    assert "\n".join(diff) + "\n" == applied.read(f"{_JOURNAL}/1.diff").decode()
    applied.git("reset", "--quiet", "--hard")
    applied.git("apply", "--cached", "-", feed=applied.opatch("log", "-p", "1").out)
    assert applied.index()["f"] == ("100644", b"one\n2\nthree\n")


def test_bytes_of_a_diff_are_kept(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_UPDATE.replace(b"+2", b"+\xff\x1b[1m\r")).status == 0
    assert b"\n+\xff\x1b[1m\r\n" in base.opatch("log", "-p").out


def test_the_number_of_records_can_be_limited(applied: Sandbox) -> None:
    for words in (["-n", "1"], ["-1"], ["--max-count=1"], ["-n1"]):
        assert [line[0] for line in _log(applied, *words)] == ["2"]
    assert _log(applied, "-n", "0") == _log(applied, "-0") == []
    assert [line[0] for line in _log(applied, "--max-count", "9")] == ["2", "1"]
    numbers = [line for line in _log(applied, "-p", "-2") if re.match(r"\d+  ", line)]
    assert [line[0] for line in numbers] == ["2", "1"]


def test_an_empty_journal_lists_nothing(base: Sandbox) -> None:
    assert _log(base) == []
    assert not (base.path / ".git/opatch").exists()


@pytest.mark.parametrize(("words", "status"), [(["7"], 128), (["x"], 129), (["-n", "-1"], 129)])
def test_an_unknown_record_is_an_error(applied: Sandbox, words: list[str], status: int) -> None:
    ran = applied.opatch("log", *words)
    assert (ran.status, ran.out) == (status, b"")


def test_a_damaged_record_is_reported(applied: Sandbox) -> None:
    """Report it in its place, and list the others."""
    entry = json.loads(applied.read(f"{_JOURNAL}/3.json"))
    applied.write(f"{_JOURNAL}/3.json", json.dumps({**entry, "version": 2}))
    applied.write(f"{_JOURNAL}/2.json", applied.read(f"{_JOURNAL}/2.json")[:50])
    third, second, first = _log(applied)
    assert third == "3  entry 3 was written by a newer version of git opatch"
    assert second.startswith("2  ")
    assert second.endswith("2.json is damaged: it is truncated, or was changed")
    assert first.startswith("1  2")
    for value in (10**30, "soon", None, [1]):
        applied.write(f"{_JOURNAL}/3.json", json.dumps({**entry, "time": value}))
        assert "3.json is damaged" in _log(applied)[0]
    applied.write(f"{_JOURNAL}/1.diff", applied.read(f"{_JOURNAL}/1.diff")[:-4])
    ran = applied.opatch("log", "-p", "1")
    assert b"diff --git" not in ran.out
    assert "1.diff is damaged: it does not match its checksum" in ran.err


def test_names_are_escaped(base: Sandbox) -> None:
    name = "p\x1b[31m\u202e[b]\n"
    base.write(name, _UPDATE)
    assert base.opatch("apply", name).status == 0
    (line,) = _log(base)
    assert r"  p\x1b[31m\u202e[b]\n  " in line


def test_subdirectories_share_the_journal_and_worktrees_do_not(
    applied: Sandbox, tmp_path: Path
) -> None:
    """A linked worktree has a journal of its own, as it has an index of its own."""
    (applied.path / "sub").mkdir()
    ran = applied.opatch("log", cwd=applied.path / "sub")
    assert ran.out.count(b"\n") == 2
    applied.git("worktree", "add", "--quiet", "../linked")
    assert _log(Sandbox(tmp_path / "linked")) == []


# --- the pager ----------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["log"], ["log", "-p"], ["log", "1"]], ids=" ".join)
def test_the_log_is_paged_on_a_terminal(applied: Sandbox, words: list[str]) -> None:
    pager = {"GIT_PAGER": "sed s/^/paged:/", "NO_COLOR": "1"}
    status, seen = in_terminal(applied, *words, env=pager)
    plain = in_terminal(applied, *words, env={"GIT_PAGER": "cat", "NO_COLOR": "1"})[1]
    assert (status, "paged" in plain) == (0, False)
    assert seen == "".join(f"paged:{line}\n" for line in plain.splitlines())
    assert b"paged" not in applied.opatch(*words, env=pager).out


def test_the_pager_is_that_of_git(applied: Sandbox) -> None:
    applied.git("config", "core.pager", "sed s/^/configured:/")
    assert in_terminal(applied, "log", env={"NO_COLOR": "1"})[1].startswith("configured:2  ")
    for pager in ("", "cat", "no-such-pager"):
        seen = in_terminal(applied, "log", env={"GIT_PAGER": pager, "NO_COLOR": "1"})[1]
        assert seen.startswith("2  ")
    applied.git("config", "pager.opatch", "false")
    assert in_terminal(applied, "log", env={"NO_COLOR": "1"})[1].startswith("2  ")


def test_a_pager_that_is_left_early_is_not_an_error(applied: Sandbox) -> None:
    status, seen = in_terminal(
        applied, "log", "-p", env={"GIT_PAGER": "head -n 1", "NO_COLOR": "1"}
    )
    assert (status, seen.count("\n")) == (0, 1)


# --- what became of a patch ----------------------------------------------------------------


def test_the_log_says_what_became_of_each_patch(base: Sandbox) -> None:
    base.write(".git/p", _UPDATE)

    def state() -> str:
        return _log(base, "1")[0].partition("0000  ")[2].partition("  ")[0]

    assert base.opatch("apply", ".git/p").status == 0
    assert state() == "applied"
    base.git("reset", "--quiet")
    assert state() == "applied, not staged"
    base.git("commit", "--quiet", "--all", "-m", "by hand")
    head = base.git("rev-parse", "HEAD").decode()[:7]
    assert state() == f"committed as {head}"
    base.git("checkout", "--quiet", "HEAD~")
    assert state() == "gone"
    base.git("checkout", "--quiet", "main")
    base.write("f", "one\n2, changed\nthree\n")
    base.git("add", "f")
    assert state() == "changed since"
    base.git("reset", "--quiet", "--hard")
    assert base.opatch("undo", "1").status == 0
    assert state() == "undone by 2"
    base.git("reset", "--quiet", "--hard")
    assert state() == f"committed as {head}"


@pytest.mark.parametrize(
    ("now", "state"),
    [
        ("1\ntwo\n3\n", "applied"),
        ("one\ntwo\n3\n", "changed since"),
        ("1\ntwo\nthree, changed\n", "changed since"),
        ("one\ntwo\nthree\n", "gone"),
        ("eins\ntwo\ndrei\n", "gone"),
    ],
)
def test_a_part_of_a_change_is_not_gone(base: Sandbox, now: str, state: str) -> None:
    """The diff has one hunk, with two runs of changed lines."""
    patch = envelope(b"*** Update File: f\n@@\n-one\n+1\n two\n-three\n+3\n")
    assert base.opatch("apply", feed=patch).status == 0
    base.commit({"f": now})
    if state == "applied":
        state = "committed as " + base.git("rev-parse", "HEAD").decode()[:7]
    assert _log(base, "1")[0].partition("0000  ")[2].partition("  ")[0] == state


_ONE = envelope(b"*** Update File: f\n@@\n-one\n+1\n")
_LINES = "".join(f"line {number}\n" for number in range(20))
_TWO_HUNKS = b"@@\n-line 2\n+2\n@@\n-line 17\n+17\n"


def test_a_file_of_a_change_that_git_does_not_have_is_not_gone(base: Sandbox) -> None:
    """Git has no blob of what was applied to files that were never staged."""
    base.commit({"f": _LINES, "g": _LINES})
    sections = [b"*** Update File: %b\n" % name + _TWO_HUNKS for name in (b"f", b"g")]
    assert base.opatch("apply", "--worktree", feed=envelope(*sections)).status == 0
    base.write("f", f"above\n{_LINES}")
    assert "  changed since  " in _log(base)[0]
    base.write("g", f"above\n{_LINES}")
    assert "  gone  " in _log(base)[0]


def test_a_run_of_a_change_that_git_does_not_have_is_not_gone(base: Sandbox) -> None:
    """Somebody changed one of two runs of a hunk, and committed that."""
    base.commit({"f": _LINES})
    patch = envelope(b"*** Update File: f\n@@\n-line 2\n+2\n@@\n-line 6\n+6\n")
    assert base.opatch("apply", "--worktree", feed=patch).status == 0
    base.commit({"f": base.read("f").decode().replace("\n2\n", "\nmine\n")})
    assert "  changed since  " in _log(base)[0]
    base.commit({"f": _LINES.replace("line 2\n", "mine\n")})
    assert "  gone  " in _log(base)[0]


def test_a_hunk_of_a_change_that_git_does_not_have_is_not_gone(base: Sandbox) -> None:
    base.commit({"f": _LINES})
    patch = envelope(b"*** Update File: f\n" + _TWO_HUNKS)
    assert base.opatch("apply", "--worktree", feed=patch).status == 0
    base.write("f", "above\n" + _LINES.replace("line 17\n", "17\n"))
    assert "  changed since  " in _log(base)[0]
    base.write("f", f"above\n{_LINES}")
    assert "  gone  " in _log(base)[0]


def test_the_log_says_what_of_a_patch_is_committed(repo: Sandbox) -> None:
    repo.commit({"f": "one\n", "g": "one\n"})
    sections = (b"*** Update File: %b\n@@\n-one\n+1\n" % name for name in (b"f", b"g"))
    assert repo.opatch("apply", feed=envelope(*sections)).status == 0
    repo.git("commit", "-q", "-m", "f", "f")
    assert "  applied, committed in part  " in _log(repo)[0]
    refused = repo.opatch("undo")
    assert (refused.status, refused.err) == (
        1,
        "error: patch 1 is committed in part\n  to stage the undo of patch 1: git opatch undo 1\n",
    )
    ran = repo.opatch("undo", "1")
    note = "note: patch 1 is committed in part; this stages the undo of that part\n"
    assert (ran.status, ran.err) == (0, note)
    assert repo.git("diff", "--cached", "--name-only", "HEAD^") == b""
    assert "  undone by 2  " in _log(repo)[0]


def test_the_log_says_how_a_patch_was_applied(repo: Sandbox) -> None:
    """Not where its change is now, which the state says."""
    repo.commit({"f": "1\n", "g": "two\n"})
    assert repo.opatch("apply", "-R", feed=_ONE).status == 0
    assert _log(repo)[0].endswith("  applied  standard input  1 file modified, applied with -R")
    patch = envelope(b"*** Update File: g\n@@\n-two\n+2\n")
    assert repo.opatch("apply", "--worktree", feed=patch).status == 0
    repo.git("commit", "-q", "-m", "g", "g")
    assert re.search(
        r"committed as \w+  .*  1 file modified, applied with --worktree$", _log(repo)[0]
    )
    assert repo.opatch("apply", "-R", feed=patch).status == 0
    assert _log(repo, "--all")[0].endswith("undo of 2  standard input  1 file modified")
    found = json.loads(repo.opatch("log", "--all", "--json").out)["records"]
    assert [each["reverse"] for each in found] == [False, False, True]


def test_states_that_cannot_be_known_are_called_so(applied: Sandbox) -> None:
    ran = applied.opatch("log", cwd=applied.path / ".git")
    note = "there is no working tree here, so the states of patches are not known"
    assert (ran.status, ran.err) == (0, f"note: {note}\n")
    assert ran.out.count(b"  state unknown  ") == 2
    ran = applied.opatch("log", "--json", cwd=applied.path / ".git")
    found = json.loads(ran.out)
    assert (found["notes"], [each["state"] for each in found["records"]]) == ([note], [None, None])


# --- recover ------------------------------------------------------------------------------


def _left(repo: Sandbox) -> set[str]:
    return set(os.listdir(repo.path / ".git/opatch")) - {"lock", "journal"}


def test_recover_without_an_interrupted_run_does_nothing(applied: Sandbox) -> None:
    before = applied.state()
    for _ in range(2):
        ran = applied.opatch("recover")
        assert (ran.status, ran.out, ran.err) == (0, b"nothing to recover\n", "")
        assert applied.state() == before


def test_an_interrupted_apply_is_restored(base: Sandbox) -> None:
    before = base.index(), base.files()
    kill_before(3, base, _MORE)
    assert (base.index(), base.files()) != before
    ran = base.opatch("recover")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == b"an interrupted apply was rolled back (2 files)\n"
    assert (base.index(), base.files(), _left(base)) == (*before, set())
    assert base.opatch("recover").out == b"nothing to recover\n"
    assert not (base.path / ".git/index.lock").exists()
    assert _log(base) == []


def test_the_log_says_that_a_run_was_interrupted(base: Sandbox) -> None:
    kill_before(3, base, _MORE)
    note = "an apply was interrupted here; to recover from that: git opatch recover"
    assert base.opatch("log").err == f"note: {note}\n"
    assert json.loads(base.opatch("log", "--json").out)["notes"] == [note]
    assert base.opatch("recover").status == 0
    assert base.opatch("log").err == ""


def test_a_run_that_is_at_work_is_not_called_interrupted(base: Sandbox) -> None:
    kill_before(3, base, _MORE)
    left = base.files(), _left(base)
    at_work = "another git opatch is at work in this repository"
    base.write(".git/p", _MORE)
    for words, status, message in (
        (("log",), 0, f"note: {at_work}\n"),
        (("apply", "--check", ".git/p"), 128, f"error: {at_work}; try again when it is done\n"),
        (("check", "--worktree", ".git/p"), 128, f"error: {at_work}; try again when it is done\n"),
    ):
        ran = base.run("flock", ".git/opatch/lock", "git-opatch", *words)
        assert (ran.status, ran.err) == (status, message)
        assert "was interrupted here" in base.opatch(*words).err
    assert (base.files(), _left(base)) == left


def test_files_changed_meanwhile_are_kept_and_named(base: Sandbox) -> None:
    kill_before(3, base, _MORE)
    base.write("new", "mine\n")
    ran = base.opatch("recover")
    assert (ran.status, ran.err) == (1, "")
    assert b"\nnew: left as it is\n" in ran.out
    assert base.read("new") == b"mine\n"


def test_undo_recovers_first(base: Sandbox) -> None:
    before = base.index(), base.files()
    assert base.opatch("apply", feed=_UPDATE).status == 0
    kill_before(2, base, _MORE)
    ran = base.opatch("undo")
    assert (ran.status, ran.err) == (0, "note: an interrupted apply was rolled back (1 file)\n")
    assert (base.index(), base.files()) == before


def test_an_almost_complete_apply_is_finished(base: Sandbox) -> None:
    """Kill it after all files were written and before the new index is in place."""
    assert base.opatch("apply", "--cached", feed=_UPDATE).status == 0
    home, index = base.path / ".git/opatch", base.path / ".git/index"
    new = index.read_bytes()
    assert base.opatch("undo").status == 0
    plan = {
        "version": 2,
        "target": "cached",
        "index": "index",
        "top": "..",
        "created": [],
        "changes": json.loads((home / "journal/1.json").read_bytes())["changes"],
    }
    (home / "commit/files").mkdir(parents=True)
    (home / "commit/plan.json").write_text(json.dumps(plan))
    (home / "commit/token").write_text("0" * 32)
    shutil.copy(index, home / "commit/index.before")
    shutil.copy(home / "journal/1.diff", home / "commit/diff")
    (base.path / ".git/index.opatch").write_bytes(new)
    ran = base.opatch("recover")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == b"an interrupted apply was finished (1 file)\n"
    assert base.index()["f"] == ("100644", b"one\n2\nthree\n")
    assert _left(base) == set()
    assert _log(base)[0].startswith("3  ")
    assert base.opatch("undo").status == 0
    assert base.index()["f"] == ("100644", b"one\ntwo\nthree\n")


def test_recover_is_refused_while_another_run_is_at_work(base: Sandbox) -> None:
    (base.path / ".git/opatch/txn.tmp").mkdir(parents=True)
    ran = base.run("flock", ".git/opatch/lock", "git-opatch", "recover")
    assert (ran.status, ran.out) == (128, b"")
    assert "another git opatch is at work in this repository" in ran.err
    assert base.opatch("recover").out == b"nothing to recover\n"
    assert _left(base) == set()


def _state(repo: Sandbox, number: int) -> str:
    return _log(repo, str(number))[0].partition("0000  ")[2].partition("  ")[0].split(" as ")[0]


@pytest.mark.parametrize("committed", [True, False])
def test_a_committed_change_that_was_changed_by_hand_is_not_gone(
    base: Sandbox, committed: bool
) -> None:
    assert base.opatch("apply", feed=_UPDATE).status == 0
    if committed:
        base.git("commit", "--quiet", "-m", "patch")
    base.commit({"f": "one\nzwei\nthree\n"})
    assert _state(base, 1) == ("changed since" if committed else "gone")
    base.git("reset", "--quiet", "--hard", "HEAD~2" if committed else "HEAD~1")
    assert _state(base, 1) == "gone"


def test_a_reverted_commit_is_gone(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_UPDATE).status == 0
    base.git("commit", "--quiet", "-m", "patch")
    base.git("revert", "--no-edit", "HEAD")
    assert _state(base, 1) == "gone"


def test_a_file_that_a_later_patch_moved_is_not_gone(base: Sandbox) -> None:
    move = envelope(b"*** Update File: f\n*** Move to: h\n@@\n-three\n+3\n")
    for patch in (_UPDATE, move):
        assert base.opatch("apply", feed=patch).status == 0
    for _ in range(2):
        assert _state(base, 1) == "changed since"
        ran = base.opatch("undo", "1")
        assert ran.status == 1
        assert ran.err.startswith(
            "error: f: is not as patch 1 left it: patch 2 moved f to h\n"
            "  first: git opatch undo 2\n"
        )
        base.git("commit", "--quiet", "--allow-empty", "-m", "both")
    base.git("reset", "--quiet", "--hard", "HEAD~2")
    assert [_state(base, number) for number in (1, 2)] == ["gone", "gone"]


@pytest.mark.parametrize(
    ("flags", "status", "is_complete"),
    [
        ([], 0, True),
        (["--only", "a:1"], 0, False),
        (["--except", "a:2"], 0, False),
        (["--partial"], 0, True),
    ],
)
def test_the_log_says_which_patches_were_applied_in_part(
    repo: Sandbox, flags: list[str], status: int, is_complete: bool
) -> None:
    repo.commit({"a": "one\ntwo\nthree\nfour\nfive\n"})
    patch = envelope(b"*** Update File: a\n@@\n-one\n+1\n@@\n-five\n+5\n")
    assert repo.opatch("apply", *flags, feed=patch).status == status
    _assert_completeness(repo, 1, is_complete)
    for command in ("undo", "redo"):
        assert repo.opatch(command).status == 0
        _assert_completeness(repo, 1, is_complete)


def test_the_log_says_that_hunks_were_rejected(repo: Sandbox) -> None:
    repo.commit({"a": "one\ntwo\nthree\nfour\nfive\n"})
    patch = envelope(b"*** Update File: a\n@@\n-one\n+1\n@@\n-nowhere\n+5\n")
    assert repo.opatch("apply", "--partial", feed=patch).status == 1
    _assert_completeness(repo, 1, False)


def _assert_completeness(repo: Sandbox, number: int, is_complete: bool) -> None:
    line = repo.opatch("log", str(number)).out.decode()
    assert ("1 file modified, part of the patch" in line, "1 file modified" in line) == (
        not is_complete,
        True,
    ), line
    (record,) = json.loads(repo.opatch("log", "--json", str(number)).out)["records"]
    assert record["complete"] is is_complete


def test_a_file_that_is_renamed_back_is_committed_under_its_other_name(base: Sandbox) -> None:
    both = envelope(_UPDATE.split(b"\n", 1)[1].removesuffix(b"*** End Patch\n"),
                    b"*** Add File: new\n+n\n")  # fmt: skip
    assert base.opatch("apply", feed=both).status == 0
    base.git("commit", "-qm", "both")
    base.git("mv", "f", "h")
    base.git("commit", "-qm", "renamed")
    base.git("mv", "h", "f")
    assert _state(base, 1) == "committed"
    assert "committed in part" not in base.opatch("undo", "1").err
    assert base.opatch("redo").status == 0


def test_a_file_that_only_the_index_has_under_the_name_is_not_committed(base: Sandbox) -> None:
    base.git("mv", "f", "h")
    base.git("commit", "-qm", "renamed")
    base.git("mv", "h", "f")
    assert base.opatch("apply", feed=_UPDATE).status == 0
    assert _state(base, 1) == "applied"
    assert base.opatch("undo").status == 0


def test_a_patch_that_is_applied_twice_is_two_patches(base: Sandbox) -> None:
    """The second time it found its change there, and made it elsewhere."""
    patch = envelope(b"*** Update File: f\n@@\n-two\n+2\n")
    base.commit({"f": "one\ntwo\nthree\n"})
    assert base.opatch("apply", feed=patch).status == 0
    base.write("f", "one\n2\nthree\nfour\nfive\nsix\ntwo\n")
    base.git("add", "f")
    assert base.opatch("apply", feed=patch).status == 0
    assert [_state(base, number) for number in (1, 2)] == ["applied", "applied"]
    assert base.opatch("undo", "1").status == 0
    assert base.read("f") == b"one\ntwo\nthree\nfour\nfive\nsix\n2\n"
    assert base.opatch("undo").status == 0
    assert base.read("f") == b"one\ntwo\nthree\nfour\nfive\nsix\ntwo\n"
