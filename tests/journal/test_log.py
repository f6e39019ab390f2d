"""`git opatch log` shows what was applied; `git opatch recover` ends an interrupted run."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest
from killed import kill_before, kill_before_call
from sandbox import Sandbox
from terminal import in_terminal
from writers import envelope

from git_opatch.journal import PatchHistory, Record
from git_opatch.model.options import Target
from git_opatch.model.sentences import Notice
from git_opatch.operations.log import LoggedPatch
from git_opatch.report.history import rows

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


_STATES = {
    "applied": ["", "one\n2\nthree\nfour\n", "0\none\n2\nthree\n"],
    "gone": ["one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n"],
    "changed": ["one\n2, changed\nthree\n", "one, changed\n2\nthree\n", "other\n"],
}


@pytest.mark.parametrize("place", ["", "--worktree"])
def test_the_state_is_what_an_undo_would_do(base: Sandbox, place: str) -> None:
    assert base.opatch("apply", *filter(None, [place]), feed=_UPDATE).status == 0
    for state, contents in _STATES.items():
        for content in filter(None, contents):
            base.write("f", content)
            if not place:
                base.git("add", "f")
            assert f"  {state}  " in _log(base)[0]
            before = base.state()
            ran = base.opatch("undo")
            assert (ran.status == 0) is (state == "applied")
            assert (base.state() != before) is (state == "applied")
            if state == "applied":
                assert base.opatch("redo").status == 0


def test_the_log_is_in_columns_on_a_terminal(applied: Sandbox) -> None:
    plain = {"GIT_PAGER": "cat", "NO_COLOR": "1", "COLUMNS": "100"}
    second, first = in_terminal(applied, "log", env=plain)[1].splitlines()
    assert re.match(r"2  \d+ seconds? ago  +undone   \.git/p\.txt      2 files", second)
    assert re.match(r"1  \d+ seconds? ago  +applied  standard input  1 file", first)
    coloured = in_terminal(applied, "log", env={"GIT_PAGER": "cat", "NO_COLOR": ""})[1]
    assert "\x1b[32mapplied" in coloured


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second ago"), (119, "119 seconds ago"), (120, "2 minutes ago"), (7200, "2 hours ago"),
     (3 * 86400, "3 days ago"), (30 * 86400, "4 weeks ago")],
)  # fmt: skip
def test_times_are_relative_on_a_terminal(seconds: int, words: str) -> None:
    record = Record(1, Path(), Target.INDEX, (), 1_700_000_000)
    (row,) = rows([LoggedPatch(PatchHistory((record,)))], 1_700_000_000 + seconds)
    assert words in [text.strip() for text, _ in row]


@pytest.mark.parametrize("columns", ["40", "80"])
def test_a_long_name_is_cut_to_the_width_of_the_terminal(base: Sandbox, columns: str) -> None:
    patch = base.write(f".git/{'name' * 20}", envelope(b"*** Add File: new\n+x\n"))
    assert base.opatch("apply", str(patch)).status == 0
    env = {"GIT_PAGER": "cat", "NO_COLOR": "1", "COLUMNS": columns}
    (line,) = in_terminal(base, "log", env=env)[1].splitlines()
    assert "…  1 file added" in line
    assert len(line) == 80 or columns == "40"
    assert re.search(r"applied  \S{11}…  1", line) or columns == "80"


def test_a_thousand_entries_are_quick(base: Sandbox) -> None:
    """Only those whose files drifted are merged: 50 of them."""
    lines = "".join(f"line {number}\n" for number in range(20))
    base.commit({"drifts": lines, "stays": lines})
    for path in ("drifts", "stays"):
        patch = envelope(f"*** Update File: {path}\n@@\n-line 3\n+3\n".encode())
        assert base.opatch("apply", feed=patch).status == 0
    journal = base.path / _JOURNAL
    for number in range(3, 1001):
        for suffix in ("json", "diff", "contents"):
            copied = 1 if number <= 51 else 2
            shutil.copyfile(journal / f"{copied}.{suffix}", journal / f"{number}.{suffix}")
    base.commit({"drifts": lines.replace("line 3\n", "3\n").replace("line 9\n", "nine\n")})
    start = time.monotonic()
    found = json.loads(base.opatch("log", "--json").out)["records"]
    assert time.monotonic() - start < 10  # 1 where nothing else runs
    assert [each["state"] for each in found] == ["applied"] * 1000


def test_times_are_in_the_time_zone_of_the_user(applied: Sandbox) -> None:
    entry = json.loads(applied.read(f"{_JOURNAL}/1.json"))
    assert abs(entry["time"] - time.time()) < 300
    applied.write(f"{_JOURNAL}/1.json", json.dumps({**entry, "time": 1_700_000_000}))
    (line,) = applied.opatch("log", "1", env={"TZ": "UTC-2"}).out.decode().splitlines()
    assert line.startswith("1  2023-11-15 00:13:20 +0200  ")


def test_bytes_of_a_diff_are_kept(base: Sandbox) -> None:
    assert base.opatch("apply", feed=_UPDATE.replace(b"+2", b"+\xff\x1b[1m\r")).status == 0
    assert b"\n+\xff\x1b[1m\r\n" in base.opatch("log", "-p").out


def test_a_damaged_record_is_reported(applied: Sandbox) -> None:
    """Report it in its place, and list the others."""
    entry = json.loads(applied.read(f"{_JOURNAL}/3.json"))
    applied.write(f"{_JOURNAL}/3.json", json.dumps({**entry, "version": 2}))
    applied.write(f"{_JOURNAL}/2.json", applied.read(f"{_JOURNAL}/2.json")[:50])
    third, second, first = _log(applied)
    assert third == f"3  {Notice.NEWER_ENTRY.fill(number=3)}"
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


# --- the pager ----------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["log"], ["log", "-p"], ["log", "1"]], ids=" ".join)
def test_the_log_is_paged_on_a_terminal(applied: Sandbox, words: list[str]) -> None:
    pager = {"GIT_PAGER": "sed s/^/paged:/", "NO_COLOR": "1"}
    status, seen = in_terminal(applied, *words, columns=100, env=pager)
    plain = in_terminal(applied, *words, columns=100, env={**pager, "GIT_PAGER": "cat"})[1]
    assert (status, "paged" in plain) == (0, False)
    seen, plain = (re.sub(r"\d+ seconds? ago +", "", text) for text in (seen, plain))
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


# --- recover ------------------------------------------------------------------------------


def _left(repo: Sandbox) -> set[str]:
    return set(os.listdir(repo.path / ".git/opatch")) - {"lock", "journal"}


def test_an_interrupted_apply_is_restored(base: Sandbox) -> None:
    before = base.index(), base.files()
    kill_before(3, base, _MORE)
    assert (base.index(), base.files()) != before
    ran = base.opatch("recover")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.decode() == f"{Notice.ROLLED_BACK.fill(files='2 files')}\n"
    assert (base.index(), base.files(), _left(base)) == (*before, set())
    assert base.opatch("recover").out == b"nothing to recover\n"
    assert not (base.path / ".git/index.lock").exists()
    assert _log(base) == []


def test_the_log_says_that_a_run_was_interrupted(base: Sandbox) -> None:
    kill_before(3, base, _MORE)
    assert base.opatch("log").err == f"note: {Notice.INTERRUPTED_HERE.sentence}\n"
    assert json.loads(base.opatch("log", "--json").out)["notes"] == [
        Notice.INTERRUPTED_HERE.sentence
    ]
    assert base.opatch("recover").status == 0
    assert base.opatch("log").err == ""


def test_a_run_that_is_at_work_is_not_called_interrupted(base: Sandbox) -> None:
    kill_before(3, base, _MORE)
    left = base.files(), _left(base)
    at_work = "another git opatch is at work in this repository (process 1234)"
    base.write(".git/p", _MORE)
    for words, status, message in (
        (("log",), 0, f"note: {at_work}\n"),
        (("apply", "--check", ".git/p"), 128, f"error: {at_work}\n"),
        (("check", "--worktree", ".git/p"), 128, f"error: {at_work}\n"),
    ):
        with base.at_work():
            ran = base.opatch(*words)
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
    assert (ran.status, ran.err) == (0, f"note: {Notice.ROLLED_BACK.fill(files='1 file')}\n")
    assert (base.index(), base.files()) == before


def test_an_almost_complete_apply_is_finished(base: Sandbox) -> None:
    """Kill it after all files were written and before the new index is in place."""
    kill_before_call(base, "os.rename", ".git/index", "apply", "--cached", feed=_UPDATE)
    assert (base.path / ".git/opatch/commit").exists()
    ran = base.opatch("recover")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == b"an interrupted apply was finished (1 file)\n"
    assert base.index()["f"] == ("100644", b"one\n2\nthree\n")
    assert _left(base) == set()
    assert _log(base)[0].startswith("1  ")
    assert base.opatch("undo").status == 0
    assert base.index()["f"] == ("100644", b"one\ntwo\nthree\n")


def test_recover_is_refused_while_another_run_is_at_work(base: Sandbox) -> None:
    (base.path / ".git/opatch/txn.tmp").mkdir(parents=True)
    with base.at_work():
        ran = base.opatch("recover")
    assert (ran.status, ran.out) == (128, b"")
    assert "another git opatch is at work in this repository" in ran.err
    assert base.opatch("recover").out == b"nothing to recover\n"
    assert _left(base) == set()
