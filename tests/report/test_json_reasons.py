"""Every status, kind and reason of the schema occurs, and is reported correctly."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from documents import SCHEMA, VALIDATOR, asked, document_of, kind_of
from killed import kill_before
from sandbox import Sandbox
from scenario import read_cases, read_scenario
from writers import envelope

from git_opatch.model.errors import OpatchError
from git_opatch.model.sentences import Fault, Notice
from git_opatch.report import document
from git_opatch.report.outcome import Status

_JOURNAL = ".git/opatch/journal"
_UPDATE = envelope(b"*** Update File: a\n@@\n-two\n+2\n")
_ADD = envelope(b"*** Add File: n\n+n\n")


def _hunk(*lines: bytes, path: bytes = b"a") -> bytes:
    return envelope(b"*** Update File: " + path + b"\n" + b"".join(line + b"\n" for line in lines))


_STALE = _hunk(b"@@", b" one", b"-deux", b"+2")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(
        {"a": "one\ntwo\nthree\nfour\n", "twice": "x = 1\ny\nx = 1\n", "bin": b"\0", "folder/f": ""}
    )
    return repo


def _reasons(document: Mapping[str, Any], status: str = "refused") -> list[str]:
    """Give the reasons of the failures, after a check of the kind of each."""
    outcome = document["patches"][0] if "patches" in document else document
    assert outcome["status"] == status
    for failure in outcome["failures"]:
        assert failure["kind"] == kind_of(failure["reason"])
    return [failure["reason"] for failure in outcome["failures"]]


def _untracked(base: Sandbox) -> dict[str, Any]:
    base.write("loose", "two\n")
    return asked(base, "apply", feed=_hunk(b"@@", b"-two", b"+2", path=b"loose"))


def _unmerged(base: Sandbox) -> dict[str, Any]:
    base.git("switch", "--quiet", "-c", "other")
    base.commit({"a": "other\n"})
    base.git("switch", "--quiet", "main")
    base.commit({"a": "ours\n"})
    assert base.run("git", "merge", "other").status == 1
    return asked(base, "apply", feed=_UPDATE)


def _unstaged(base: Sandbox) -> dict[str, Any]:
    base.write("a", "one\ntwo\nthree\nfour\nfive\n")
    return asked(base, "apply", feed=_UPDATE)


def _in_the_way(base: Sandbox) -> dict[str, Any]:
    base.write("n", "mine\n")
    return asked(base, "apply", feed=_ADD)


def _skipped(base: Sandbox) -> dict[str, Any]:
    base.git("update-index", "--skip-worktree", "a")
    return asked(base, "apply", feed=_UPDATE)


def _undone(base: Sandbox) -> dict[str, Any]:
    base.opatch("apply", feed=_UPDATE)
    base.opatch("undo")
    return asked(base, "undo", "1")


def _gone(base: Sandbox) -> dict[str, Any]:
    base.opatch("apply", feed=_UPDATE)
    base.git("reset", "--quiet", "--hard")
    return asked(base, "undo", "1")


_IN_A_STATE: dict[str, Callable[[Sandbox], dict[str, Any]]] = {
    "untracked": _untracked,
    "unmerged": _unmerged,
    "unstaged_changes": _unstaged,
    "in_the_way": _in_the_way,
    "skip_worktree": _skipped,
    "already_undone": _undone,
    "not_applied": _gone,
    "not_allowed": lambda base: asked(base, "apply", "--allow", "folder", feed=_UPDATE),
    "denied": lambda base: asked(base, "apply", "--deny", "a", feed=_UPDATE),
    "stale": lambda base: asked(base, "apply", "--expect", "a=1234567", feed=_UPDATE),
}


@pytest.mark.parametrize("reason", _IN_A_STATE)
def test_a_state_is_refused_for_each_reason(base: Sandbox, reason: str) -> None:
    found = _IN_A_STATE[reason](base)
    assert _reasons(found) == [reason]
    assert found["exit_status"] == 1


def _busy(base: Sandbox) -> dict[str, Any]:
    (base.path / ".git/opatch").mkdir()
    with base.at_work():
        return asked(base, "apply", feed=_UPDATE)


def _failed_filter(base: Sandbox) -> dict[str, Any]:
    base.write(".gitattributes", "n filter=bad\n")
    for key, value in (("clean", "cat"), ("smudge", "false"), ("required", "true")):
        base.git("config", f"filter.bad.{key}", value)
    return asked(base, "apply", feed=_ADD)


def _too_large(base: Sandbox) -> dict[str, Any]:
    """The system's message goes to standard error, too: it may be about standard output."""
    base.write(".git/p", _UPDATE)
    ran = base.run("bash", "-c", "ulimit -f 0; git-opatch apply --json .git/p")
    assert ran.err.startswith("error: the system refused: ")
    return document_of(replace(ran, err=""))


def _in_a_merge(base: Sandbox) -> dict[str, Any]:
    base.write(".git/MERGE_HEAD", base.git("rev-parse", "HEAD"))
    return asked(base, "apply", "--commit", "-m", "two", feed=_UPDATE)


def _interrupted(base: Sandbox) -> dict[str, Any]:
    return document_of(_signalled(base, "ls-files"))


def _signalled(base: Sandbox, moment: str) -> Any:
    """Run a command that is interrupted when it calls git for `moment`."""
    directory = base.path / ".git/bin"
    directory.mkdir()
    script = f'case "$*" in *"{moment}"*) kill -INT $PPID;; esac\nexec {shutil.which("git")} "$@"\n'
    (directory / "git").write_text("#!/bin/sh\n" + script)
    (directory / "git").chmod(0o755)
    path = f"{directory}{os.pathsep}{os.environ['PATH']}"
    return base.run("git-opatch", "apply", "--json", feed=_UPDATE, env={"PATH": path})


_ERRORS: dict[str, tuple[Callable[[Sandbox], dict[str, Any]], int]] = {
    "usage": (lambda base: asked(base, "apply", "--match", "x"), 129),
    "input": (lambda base: asked(base, "apply", "no-such"), 128),
    "repository": (lambda base: asked(base, "apply", cwd=base.path.parent), 128),
    "journal": (lambda base: asked(base, "undo", "7"), 128),
    "busy": (_busy, 128),
    "transaction": (_failed_filter, 128),
    "commit": (_in_a_merge, 128),
    "system": (_too_large, 128),
    "interrupted": (_interrupted, 130),
}


@pytest.mark.parametrize("reason", _ERRORS)
def test_an_error_has_its_reason(base: Sandbox, reason: str) -> None:
    make, status = _ERRORS[reason]
    before = base.index()
    found = make(base)
    assert _reasons(found, "error") == [reason]
    assert found["exit_status"] == status
    assert base.index() == before


def test_a_conflict_is_reported(base: Sandbox) -> None:
    base.commit({"a": "one\nzwei\nthree\nfour\n"})
    found = asked(base, "apply", "--3way", feed=_hunk(b"@@", b" one", b"-two", b"+2", b" three"))
    assert _reasons(found, "unmerged") == ["conflict"]
    assert found["exit_status"] == 1
    assert base.git("ls-files", "--unmerged") != b""


def test_an_unknown_error_has_a_reason() -> None:
    found = document.failed(OpatchError("something"))
    assert (found.status, found.failures[0].reason) == (Status.ERROR, "error")


@pytest.mark.parametrize(
    ("word", "reason"), [(_UPDATE.decode(), "implicit_invocation"), ("ls", "not_apply_patch")]
)
def test_what_is_no_call_has_its_reason(base: Sandbox, word: str, reason: str) -> None:
    found = document_of(base.opatch("check", "--json", "--argv", "--", word))
    assert _reasons(found, "error") == [reason]


def test_every_reason_is_tested() -> None:
    """Here, or by a scenario or a case."""
    tests = Path(__file__).parents[1]
    scenarios = [read_scenario(path.read_bytes()) for path in tests.glob("scenarios/*/*.txt")]
    cases = [read_cases(path.read_bytes()) for path in tests.glob("cases/*/**/*.txt")]
    every = [*scenarios, *(case for some in cases for case in some.values())]
    by_file = {line.partition(",")[0] for each in every for line in each.lines("refused")}
    here = {*_IN_A_STATE, *_ERRORS, "conflict", "error", "implicit_invocation", "not_apply_patch"}
    assert set(SCHEMA["$defs"]["failure"]["properties"]["reason"]["enum"]) == by_file | here


# --- undo -----------------------------------------------------------------------------------


def test_an_undo_reports_its_changes(base: Sandbox) -> None:
    base.write(".git/p", _UPDATE)
    assert asked(base, "apply", ".git/p")["undoes"] is None
    found = asked(base, "undo")
    assert (found["command"], found["status"], found["summary"]) == (
        "undo", "undone", "1 file changed",
    )  # fmt: skip
    assert (found["record"], found["undo_command"], found["undoes"]) == (2, "git opatch redo 1", 1)
    assert found["redoes"] is None
    assert found["modified"] == ["a"]
    assert found["diff"].encode() == base.read(f"{_JOURNAL}/2.diff")
    assert base.git("status", "--short") == b""
    again = asked(base, "redo")
    assert (again["command"], again["status"], again["undo_command"]) == (
        "redo", "redone", "git opatch undo 1",
    )  # fmt: skip
    assert again["record"] == 3
    assert (again["undoes"], again["redoes"]) == (None, 1)
    assert base.read("a") == b"one\n2\nthree\nfour\n"


def test_an_undo_without_a_journal_is_reported(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.git("config", "opatch.journalSize", "0")
    found = asked(base, "undo")
    assert (found["status"], found["record"], found["undo_command"], found["undoes"]) == (
        "undone", None, None, 1,
    )  # fmt: skip


def test_a_refused_undo_has_its_reason(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.write("a", "one\ndeux\nthree\nfour\n")
    base.git("add", "a")
    found = asked(base, "undo")
    assert _reasons(found) == ["conflict"]
    (failure,) = found["failures"]
    assert (failure["file_line"], failure["expected"], failure["found"]) == (2, "2", "deux")
    assert failure["advice"] == [Fault.MERGE_LINES.advice.format(record=1)]


def test_a_damaged_record_is_an_error(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.write(f"{_JOURNAL}/1.json", base.read(f"{_JOURNAL}/1.json")[:60])
    found = asked(base, "undo")
    assert _reasons(found, "error") == ["journal"]
    assert "is damaged" in found["summary"]


def test_a_record_of_a_newer_version_is_an_error(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.write(f"{_JOURNAL}/1.json", '{"version": 2}')
    found = asked(base, "undo")
    assert _reasons(found, "error") == ["journal"]
    assert found["summary"] == Notice.NEWER_ENTRY.fill(number=1)
    (record,) = asked(base, "log")["records"]
    assert (record["record"], record["error"]) == (1, found["summary"])
    assert {record[name] for name in ("time", "summary", "target", "paths", "diff")} == {None}


# --- log ------------------------------------------------------------------------------------


def test_the_log_lists_the_records(base: Sandbox) -> None:
    assert asked(base, "log")["records"] == []
    base.write(".git/p", envelope(_UPDATE[16:-14], _ADD[16:-14], b"*** Delete File: bin\n"))
    base.opatch("apply", "--cached", ".git/p")
    base.opatch("undo")
    base.opatch("apply", feed=_UPDATE)
    patches = asked(base, "log")["records"]
    assert [(each["record"], each["state"]) for each in patches] == [(3, "applied"), (1, "undone")]
    found = asked(base, "log")
    assert (found["status"], found["summary"]) == ("shown", "2 records")
    third, first = found["records"]
    assert (first["patch"], third["patch"]) == (".git/p", None)
    assert (first["target"], third["target"]) == ("cached", "index")
    assert first["files"] == {"added": 1, "modified": 1, "deleted": 1}
    assert sorted((path["path"], path["change"]) for path in first["paths"]) == [
        ("a", "modified"), ("bin", "deleted"), ("n", "added"),
    ]  # fmt: skip
    assert (first["state"], first["undone_in"]) == ("undone", "cached")
    done = [(each["action"], each["target"]) for each in first["actions"]]
    assert (done, third["actions"]) == ([("undo", "cached")], [])
    assert first["summary"].endswith("1 deleted, applied with --cached; undone")
    assert (first["diff"], first["error"]) == (None, None)
    assert [record["record"] for record in asked(base, "log", "-n", "2")["records"]] == [3, 1]
    assert [record["record"] for record in asked(base, "log", "1")["records"]] == [1]


def test_the_time_of_a_record_is_in_utc(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC-2")
    base.opatch("apply", feed=_UPDATE)
    entry = base.read(f"{_JOURNAL}/1.json")
    when = entry.partition(b'"time": ')[2].partition(b",")[0]
    base.write(f"{_JOURNAL}/1.json", entry.replace(when, b"1700000000", 1))
    assert asked(base, "log")["records"][0]["time"] == "2023-11-14T22:13:20Z"


def test_the_diff_of_a_record_is_given(base: Sandbox) -> None:
    base.opatch("apply", feed=_hunk(b"@@", b"-two", b"+\xff"))
    (record,) = asked(base, "log", "-p")["records"]
    assert "\n-two\n+\\xff\n" in record["diff"]
    assert record["diff_base64"]
    base.write(f"{_JOURNAL}/1.diff", b"x")
    (record,) = asked(base, "log", "-p", "1")["records"]
    assert record["diff"] is None
    assert "is damaged" in record["error"]
    assert record["paths"] == [{"path": "a", "change": "modified"}]


def test_an_unknown_record_is_an_error(base: Sandbox) -> None:
    for words in (["log", "7"], ["undo"]):
        assert _reasons(asked(base, *words), "error") == ["journal"]


# --- interrupted, and recovered ---------------------------------------------------------------


def test_a_finished_interrupted_run_is_reported(base: Sandbox) -> None:
    found = document_of(_signalled(base, "apply --whitespace"))
    assert _reasons(found, "error") == ["interrupted"]
    assert found["summary"] == "interrupted; the patch had been applied by then, all of it"
    assert base.index()["a"] == ("100644", b"one\n2\nthree\nfour\n")
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""


def _killed(base: Sandbox) -> None:
    """Kill an apply after it has moved a file away."""
    kill_before(2, base, _UPDATE)
    assert not (base.path / "a").exists()


@pytest.mark.parametrize(
    ("words", "patch", "status"),
    [
        (["apply"], _UPDATE, "applied"),
        (["apply"], _STALE, "refused"),
        (["apply"], b"words", "malformed"),
        (["apply", "no-such"], b"", "error"),
        (["undo"], b"", "error"),
        (["recover"], b"", "recovered"),
    ],
)
def test_a_restored_run_is_reported_in_every_outcome(
    base: Sandbox, words: list[str], patch: bytes, status: str
) -> None:
    _killed(base)
    found = asked(base, *words, feed=patch)
    assert (found["status"], found["notes"]) == (
        status, [Notice.ROLLED_BACK.fill(files="1 file")],
    )  # fmt: skip
    assert base.read("a").startswith(b"one\n2\n" if status == "applied" else b"one\ntwo\n")
    found = asked(base, "recover")
    assert (found["status"], found["summary"]) == ("nothing_to_do", "nothing to recover")


def test_invalid_documents_do_not_match_the_schema() -> None:
    head = {"version": 2, "command": "log", "exit_status": 0, "summary": "1 record"}
    record = dict.fromkeys(SCHEMA["$defs"]["record"]["required"])
    for status, entry, good in (
        ("shown", {**record, "record": 1}, True),
        ("applied", {**record, "record": 1}, False),
        ("shown", record, False),
        ("shown", {**record, "record": 1, "paths": ["a"]}, False),
        ("shown", {**record, "record": 1, "more": 1}, False),
    ):
        document = {**head, "status": status, "records": [entry], "notes": []}
        assert VALIDATOR.is_valid(document) == good
