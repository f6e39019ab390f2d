"""Every status, kind and reason of the schema occurs, and is reported correctly."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from documents import SCHEMA, VALIDATOR, asked, document_of
from killed import kill_before
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.errors import OpatchError
from git_opatch.model.sentences import Notice
from git_opatch.report import document
from git_opatch.report.outcome import Status

_STATED = r'(?m)^([a-z_]+), (?=\S)|"reason": "([a-z_]+)"'
"""How a scenario, a case or a session names a reason."""
_UPDATE = envelope(b"*** Update File: a\n@@\n-two\n+2\n")
_ADD = envelope(b"*** Add File: n\n+n\n")


_STALE = envelope(b"*** Update File: a\n@@\n one\n-deux\n+2\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"a": "one\ntwo\nthree\nfour\n"})
    return repo


def _reasons(document: Mapping[str, Any], status: str = "refused") -> list[str]:
    outcome = document["patches"][0] if "patches" in document else document
    assert outcome["status"] == status
    return [failure["reason"] for failure in outcome["failures"]]


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
    """Here, or by a scenario, a case or a session."""
    tests = Path(__file__).parents[1]
    texts = [path.read_text("utf-8", "replace") for path in tests.rglob("*.txt")]
    stated = {each for text in texts for pair in re.findall(_STATED, text) for each in pair}
    here = {*_ERRORS, "error", "implicit_invocation", "not_apply_patch"}
    known = SCHEMA["$defs"]["failure"]["properties"]["reason"]["enum"]
    assert {*known} - stated - here == set()


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
