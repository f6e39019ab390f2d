"""Every status, kind and reason that the schema names comes of something, and is as it says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from documents import SCHEMA, VALIDATOR, asked, document_of
from sandbox import Sandbox
from writers import envelope

from git_opatch.errors import OpatchError
from git_opatch.report import document

_JOURNAL = ".git/opatch/journal"
_UPDATE = envelope(b"*** Update File: a\n@@\n-two\n+2\n")
_ADD = envelope(b"*** Add File: n\n+n\n")


def _hunk(*lines: bytes, path: bytes = b"a") -> bytes:
    return envelope(b"*** Update File: " + path + b"\n" + b"".join(one + b"\n" for one in lines))


_SECOND_IS_AN_ADDITION = _hunk(b"@@", b"+alone", b"@@", b"-two", b"+2")

# How a patch is refused where nothing is the matter with the repository.
_PATCHES: dict[str, tuple[bytes, list[str]]] = {
    "not_found": (_hunk(b"@@", b" one", b"-deux", b"+2"), []),
    "ambiguous": (_hunk(b"@@", b"-x = 1", b"+x = 2", path=b"twice"), []),
    "already_applied": (_hunk(b"@@", b" one", b"-zwei", b"+two", b" three"), []),
    "not_applied": (_UPDATE, ["-R"]),
    "contradicted": (_hunk(b"@@", b"-two", b"+2", b" three", b"*** End of File"), []),
    "no_place": (_SECOND_IS_AN_ADDITION, []),
    "overlap": (_hunk(b"@@", b"-two", b"+2", b"@@", b"-two", b"+zwei"), []),
    "no_change": (_hunk(b"@@", b"-two", b"+two"), []),
    "missing_file": (_hunk(b"@@", b"-two", b"+2", path=b"nowhere"), []),
    "file_exists": (envelope(b"*** Add File: a\n+n\n"), []),
    "not_a_file": (_hunk(b"@@", b"-two", b"+2", path=b"folder"), []),
    "binary": (_hunk(b"@@", b"-two", b"+2", path=b"bin"), []),
    "unsafe_path": (envelope(b"*** Add File: ../n\n+n\n"), []),
    "not_reversible": (envelope(b"*** Delete File: gone\n"), ["-R"]),
    "malformed": (b"words", []),
    "implicit_invocation": (b"", ["--argv", "--", _UPDATE.decode()]),
    "no_call": (b"", ["--argv", "--", "ls"]),
}
_KINDS = {
    "ParseError": {"malformed"},
    "ImplicitInvocation": {"implicit_invocation"},
    "ComputeReplacements": {
        *("not_found", "ambiguous", "already_applied", "not_applied", "contradicted"),
        *("no_place", "overlap", "no_change", "not_reversible", "conflict"),
    },
}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit(
        {"a": "one\ntwo\nthree\nfour\n", "twice": "x = 1\ny\nx = 1\n", "bin": b"\0", "folder/f": ""}
    )
    return repo


def _reasons(document: Mapping[str, Any], status: str = "refused") -> list[str]:
    """The reasons of the failures, each with the kind that goes with it."""
    outcome = document["patches"][0] if "patches" in document else document
    assert outcome["status"] == status
    for failure in outcome["failures"]:
        kind = next((kind for kind, those in _KINDS.items() if failure["reason"] in those), None)
        assert failure["kind"] == (kind or "IoError")
    return [failure["reason"] for failure in outcome["failures"]]


_STATUSES = {
    "already_applied": "already_applied",
    "malformed": "malformed",
    "implicit_invocation": "error",
    "no_call": "error",
}


@pytest.mark.parametrize("reason", _PATCHES)
def test_what_a_patch_is_refused_for(base: Sandbox, reason: str) -> None:
    patch, words = _PATCHES[reason]
    command = "check" if "--argv" in words else "apply"
    before = base.state()
    found = document_of(base.opatch(command, "--json", *words, feed=patch))
    assert set(_reasons(found, _STATUSES.get(reason, "refused"))) == {reason}
    assert base.state() == before


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


def _taken_back(base: Sandbox) -> dict[str, Any]:
    base.opatch("apply", feed=_UPDATE)
    base.opatch("undo")
    return asked(base, "undo", "1")


_IN_A_STATE: dict[str, Callable[[Sandbox], dict[str, Any]]] = {
    "untracked": _untracked,
    "unmerged": _unmerged,
    "unstaged_changes": _unstaged,
    "in_the_way": _in_the_way,
    "skip_worktree": _skipped,
    "taken_back": _taken_back,
    "not_allowed": lambda base: asked(base, "apply", "--allow", "folder", feed=_UPDATE),
    "denied": lambda base: asked(base, "apply", "--deny", "a", feed=_UPDATE),
    "stale": lambda base: asked(base, "apply", "--expect", "a=1234567", feed=_UPDATE),
}


@pytest.mark.parametrize("reason", _IN_A_STATE)
def test_what_a_state_is_refused_for(base: Sandbox, reason: str) -> None:
    found = _IN_A_STATE[reason](base)
    assert _reasons(found) == [reason]
    assert found["exit_status"] == 1


def _busy(base: Sandbox) -> dict[str, Any]:
    (base.path / ".git/opatch").mkdir()
    base.write(".git/p", _UPDATE)
    words = ["git-opatch", "apply", "--json", ".git/p"]
    return document_of(base.run("flock", ".git/opatch/lock", *words))


def _failed_filter(base: Sandbox) -> dict[str, Any]:
    base.write(".gitattributes", "n filter=bad\n")
    for key, value in (("clean", "cat"), ("smudge", "false"), ("required", "true")):
        base.git("config", f"filter.bad.{key}", value)
    return asked(base, "apply", feed=_ADD)


def _too_large(base: Sandbox) -> dict[str, Any]:
    """The system's word goes to standard error, too: it may be about standard output."""
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
    """A run that gets an interrupt when it calls git for `moment`."""
    folder = base.path / ".git/bin"
    folder.mkdir()
    script = f'case "$*" in *"{moment}"*) kill -INT $PPID;; esac\nexec {shutil.which("git")} "$@"\n'
    (folder / "git").write_text("#!/bin/sh\n" + script)
    (folder / "git").chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return base.run("git-opatch", "apply", "--json", feed=_UPDATE, env={"PATH": path})


_ERRORS: dict[str, tuple[Callable[[Sandbox], dict[str, Any]], int]] = {
    "usage": (lambda base: asked(base, "apply", "--fuzz", "x"), 129),
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
def test_what_comes_to_no_decision(base: Sandbox, reason: str) -> None:
    make, status = _ERRORS[reason]
    before = base.index()
    found = make(base)
    assert _reasons(found, "error") == [reason]
    assert found["exit_status"] == status
    assert base.index() == before


def test_a_conflict(base: Sandbox) -> None:
    base.commit({"a": "one\nzwei\nthree\nfour\n"})
    found = asked(base, "apply", "--3way", feed=_hunk(b"@@", b" one", b"-two", b"+2", b" three"))
    assert _reasons(found, "unmerged") == ["conflict"]
    assert found["exit_status"] == 1
    assert base.git("ls-files", "--unmerged") != b""


def test_an_error_without_a_name() -> None:
    found = document.failed(OpatchError("something"))
    assert (found["status"], found["failures"][0]["reason"]) == ("error", "error")


def test_no_reason_or_kind_is_without_a_test() -> None:
    named = SCHEMA["$defs"]["failure"]["properties"]
    tested = {*_PATCHES, *_IN_A_STATE, *_ERRORS, "conflict", "error"}
    assert set(named["reason"]["enum"]) == tested
    assert set(named["kind"]["enum"]) == {*_KINDS, "IoError"}


# --- every status ---------------------------------------------------------------------------

_MIXED = envelope(_UPDATE[16:-14], b"*** Update File: twice\n@@\n-no\n+b\n")
_THERE = _PATCHES["already_applied"][0]
_CALLS: dict[str, tuple[list[str], bytes]] = {
    "applied": (["apply"], _UPDATE),
    "partly_applied": (["apply", "--partial"], _MIXED),
    "would_apply": (["show"], _UPDATE),
    "would_partly_apply": (["apply", "--check", "--partial"], _MIXED),
    "nothing_to_do": (["apply", "--skip-applied"], _THERE),
    "already_applied": (["apply"], _THERE),
    "refused": (["apply"], _PATCHES["not_found"][0]),
    "malformed": (["apply"], b"words"),
    "error": (["apply", "no-such"], b""),
    "shown": (["log"], b""),
}


@pytest.mark.parametrize("status", _CALLS)
def test_every_status(base: Sandbox, status: str) -> None:
    words, patch = _CALLS[status]
    assert asked(base, *words, feed=patch)["status"] == status


def test_no_status_is_without_a_test() -> None:
    named = {
        *SCHEMA["$defs"]["outcome"]["properties"]["status"]["enum"],
        SCHEMA["$defs"]["history"]["properties"]["status"]["const"],
    }
    elsewhere = {"recovered", "not_committed", "unmerged"}
    assert named == {*_CALLS, *elsewhere} == {one.value for one in document.Status}


# --- undo -----------------------------------------------------------------------------------


def test_what_an_undo_did(base: Sandbox) -> None:
    base.write(".git/p", _UPDATE)
    assert asked(base, "apply", ".git/p")["undoes"] is None
    found = asked(base, "undo")
    assert (found["command"], found["status"], found["title"]) == (
        "undo", "applied", "1 file changed",
    )  # fmt: skip
    assert (found["record"], found["undo"], found["undoes"]) == (2, "git opatch undo 2", 1)
    assert found["modified"] == ["a"]
    assert found["diff"].encode() == base.read(f"{_JOURNAL}/2.diff")
    assert base.git("status", "--short") == b""
    again = asked(base, "undo", "2")
    assert (again["record"], again["undoes"]) == (3, 2)
    assert base.read("a") == b"one\n2\nthree\nfour\n"


def test_an_undo_that_nobody_records(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.git("config", "opatch.journalSize", "0")
    found = asked(base, "undo")
    assert (found["status"], found["record"], found["undo"], found["undoes"]) == (
        "applied", None, None, 1,
    )  # fmt: skip


def test_why_an_undo_is_refused(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.write("a", "one\ndeux\nthree\nfour\n")
    base.git("add", "a")
    found = asked(base, "undo")
    assert _reasons(found) == ["not_found"]
    (failure,) = found["failures"]
    assert failure["source"] == f"{_JOURNAL}/1.diff"
    line = base.read(f"{_JOURNAL}/1.diff").splitlines()[failure["patch_line"] - 1]
    assert line == b"+2"
    assert (failure["file_line"], failure["expected"], failure["found"]) == (2, "2", "deux")
    assert failure["advice"][-1] == "what was applied: git opatch log -p 1"
    lines = failure["asked"]["hunks"][0]["lines"]
    assert [one["mark"] + one["text"] for one in lines if one["mark"] != " "] == ["+two", "-2"]


def test_a_later_patch_that_must_go_first(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.opatch("apply", feed=_hunk(b"@@", b"-2", b"+deux"))
    (failure,) = asked(base, "undo", "1")["failures"]
    assert failure["advice"][-1].endswith("first: git opatch undo 2")


@pytest.mark.parametrize("name", ["1.json", "1.diff"])
def test_a_damaged_record(base: Sandbox, name: str) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.write(f"{_JOURNAL}/{name}", base.read(f"{_JOURNAL}/{name}")[:60])
    found = asked(base, "undo")
    assert _reasons(found, "error") == ["journal"]
    assert "is damaged" in found["title"]


def test_a_record_of_a_newer_version(base: Sandbox) -> None:
    base.opatch("apply", feed=_UPDATE)
    base.write(f"{_JOURNAL}/1.json", '{"version": 2}')
    found = asked(base, "undo")
    assert _reasons(found, "error") == ["journal"]
    assert found["title"] == "record 1 was written by a newer version of git opatch"
    (record,) = asked(base, "log")["records"]
    assert (record["record"], record["problem"]) == (1, found["title"])
    assert {record[name] for name in ("time", "title", "target", "paths", "diff")} == {None}


# --- log ------------------------------------------------------------------------------------


def test_the_records(base: Sandbox) -> None:
    assert asked(base, "log")["records"] == []
    base.write(".git/p", envelope(_UPDATE[16:-14], _ADD[16:-14], b"*** Delete File: bin\n"))
    base.opatch("apply", "--cached", ".git/p")
    base.opatch("undo")
    base.opatch("apply", feed=_UPDATE)
    found = asked(base, "log")
    assert (found["status"], found["title"]) == ("shown", "3 records")
    three, two, one = found["records"]
    assert [three["record"], two["record"], one["record"]] == [3, 2, 1]
    assert (one["patch"], two["patch"], three["patch"]) == (".git/p", ".git/p", None)
    assert (one["undoes"], two["undoes"], three["undoes"]) == (None, 1, None)
    assert (one["target"], three["target"]) == ("cached", "index")
    assert one["files"] == {"added": 1, "modified": 1, "deleted": 1}
    assert sorted((path["path"], path["change"]) for path in one["paths"]) == [
        ("a", "modified"), ("bin", "deleted"), ("n", "added"),
    ]  # fmt: skip
    assert one["title"].endswith("1 added, 1 modified, 1 deleted; staged, in the index alone")
    assert (one["diff"], one["problem"]) == (None, None)
    assert [one["record"] for one in asked(base, "log", "-n", "2")["records"]] == [3, 2]
    assert [one["record"] for one in asked(base, "log", "2")["records"]] == [2]


def test_the_time_of_a_record(base: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC-2")
    base.opatch("apply", feed=_UPDATE)
    entry = base.read(f"{_JOURNAL}/1.json")
    when = entry.partition(b'"time": ')[2].partition(b",")[0]
    base.write(f"{_JOURNAL}/1.json", entry.replace(when, b"1700000000", 1))
    assert asked(base, "log")["records"][0]["time"] == "2023-11-14T22:13:20Z"


def test_the_diff_of_a_record(base: Sandbox) -> None:
    base.opatch("apply", feed=_hunk(b"@@", b"-two", b"+\xff"))
    (record,) = asked(base, "log", "-p")["records"]
    assert "\n-two\n+\\xff\n" in record["diff"]
    assert record["diff_base64"]
    base.write(f"{_JOURNAL}/1.diff", b"x")
    (record,) = asked(base, "log", "-p", "1")["records"]
    assert record["diff"] is None
    assert "is damaged" in record["problem"]
    assert record["paths"] == [{"path": "a", "change": "modified"}]


def test_no_such_record(base: Sandbox) -> None:
    for words in (["log", "7"], ["undo"]):
        assert _reasons(asked(base, *words), "error") == ["journal"]


# --- interrupted, and recovered ---------------------------------------------------------------


def test_interrupted_when_all_was_done(base: Sandbox) -> None:
    found = document_of(_signalled(base, "apply --whitespace"))
    assert _reasons(found, "error") == ["interrupted"]
    assert found["title"] == "interrupted; the patch had been applied by then, all of it"
    assert base.index()["a"] == ("100644", b"one\n2\nthree\nfour\n")
    assert base.opatch("undo").status == 0
    assert base.git("status", "--short") == b""


def _killed(base: Sandbox) -> None:
    """An apply that was killed when it had removed a file."""
    folder = base.path / ".git/bin"
    folder.mkdir()
    script = 'case "$*" in *"apply "*--index*) rm a; kill -9 $PPID $$;; esac\n'
    (folder / "git").write_text(f'#!/bin/sh\n{script}exec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    base.run("git-opatch", "apply", feed=_UPDATE, env={"PATH": path})
    shutil.rmtree(folder)
    assert not (base.path / "a").exists()


@pytest.mark.parametrize(
    ("words", "patch", "status"),
    [
        (["apply"], _UPDATE, "applied"),
        (["apply"], _PATCHES["not_found"][0], "refused"),
        (["apply"], b"words", "malformed"),
        (["apply", "no-such"], b"", "error"),
        (["undo"], b"", "error"),
        (["recover"], b"", "recovered"),
    ],
)
def test_what_is_put_back_is_said_whatever_comes_then(
    base: Sandbox, words: list[str], patch: bytes, status: str
) -> None:
    _killed(base)
    found = asked(base, *words, feed=patch)
    assert (found["status"], found["notes"]) == (
        status, ["an interrupted apply was put back (1 file)"],
    )  # fmt: skip
    assert base.read("a").startswith(b"one\n2\n" if status == "applied" else b"one\ntwo\n")
    found = asked(base, "recover")
    assert (found["status"], found["title"]) == ("nothing_to_do", "nothing to recover")


def test_other_documents_are_not_of_the_schema() -> None:
    head = {"version": 1, "command": "log", "exit_status": 0, "title": "1 record"}
    record = dict.fromkeys(SCHEMA["$defs"]["record"]["required"])
    for status, one, good in (
        ("shown", {**record, "record": 1}, True),
        ("applied", {**record, "record": 1}, False),
        ("shown", record, False),
        ("shown", {**record, "record": 1, "paths": ["a"]}, False),
        ("shown", {**record, "record": 1, "more": 1}, False),
    ):
        document = {**head, "status": status, "records": [one]}
        assert VALIDATOR.is_valid(document) == good
