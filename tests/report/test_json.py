"""`--json`: always one document that is valid for the schema, and sufficient for the next step."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from documents import SCHEMA as _SCHEMA
from documents import VALIDATOR as _VALIDATOR
from documents import asked as _asked
from documents import document_of as _document
from jsonschema import Draft202012Validator
from mender import corrected_patch
from phrases import said
from sandbox import Sandbox
from scenario import read_cases
from writers import envelope

from git_opatch.model.placement import Likeness, Repair
from git_opatch.model.sentences import Difference, Fault
from git_opatch.report.outcome import Status

_TOP = Path(__file__).parents[2]
_SCENARIOS = sorted((_TOP / "tests/scenarios").glob("*/*.txt"))

_UPDATE = b"*** Update File: a\n@@\n-two\n+2\n"
_GOOD = envelope(_UPDATE, b"*** Add File: n\n+n\n")
_STALE = envelope(b"*** Update File: a\n@@\n one\n-deux\n+2\n")
_MIXED = envelope(_UPDATE, b"*** Update File: b\n@@\n-no\n+b\n")
_THERE = envelope(b"*** Update File: a\n@@\n one\n-zwei\n+two\n three\n")


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"a": "one\ntwo\nthree\n", "b": "b\n", "c": "c\n"})
    return repo


def test_the_schema_is_valid() -> None:
    Draft202012Validator.check_schema(_SCHEMA)
    assert _SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    document = {"version": 2, "command": "apply", "exit_status": 0}
    for validator in (Draft202012Validator(_SCHEMA), _VALIDATOR):
        assert not validator.is_valid(document)


def test_the_documentation_names_what_is_tolerated() -> None:
    text = (_TOP / "docs/json.md").read_text()
    starts = {" ".join(each.value.split()[:4]) for each in Repair}
    named = starts | {each.value for each in Likeness}
    assert not {start for start in named if f"`{start}" not in text}


@pytest.mark.exhaustive
def test_the_schema_is_in_the_wheel(tmp_path: Path) -> None:
    words = ["wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(_TOP)]
    if subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True).returncode:
        pytest.skip("no package registry can be reached")
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert json.loads(archive.read("git_opatch/report/schema.json")) == _SCHEMA


_CALLS = [
        (["apply"], _GOOD, "applied"),
        (["apply", "--partial"], _MIXED, "partially_applied"),
        (["apply", "--skip-applied"], _THERE, "nothing_to_do"),
        (["apply"], _THERE, "already_applied"),
        (["apply"], _STALE, "refused"),
        (["apply", "-R"], _GOOD, "refused"),
        (["apply"], b"*** End Patch\n", "malformed"),
        (["apply"], b"", "malformed"),
        (["apply", "no/such"], b"", "error"),
        (["apply", "--nope"], b"", "error"),
        (["apply", "--check"], _GOOD, "would_apply"),
        (["apply", "--check", "--partial"], _MIXED, "would_partially_apply"),
        (["apply", "--check"], _STALE, "refused"),
        (["apply", "--check", "--skip-applied"], _THERE, "nothing_to_do"),
        (["apply", "--cached", "--worktree"], _GOOD, "error"),
        *(([command], patch, status)
          for command in ("convert", "show", "check")
          for patch, status in ((_GOOD, "would_apply"), (_STALE, "refused"),
                                (_MIXED, "refused"), (_THERE, "already_applied"),
                                (b"words", "malformed"))),
        (["convert", "--base", "no-such"], _GOOD, "error"),
        (["show", "--base", "HEAD", "--worktree"], _GOOD, "error"),
        (["check", "no/such"], b"", "error"),
        (["nope"], b"", "error"),
        (["log"], b"", "shown"),
]  # fmt: skip


def test_every_status_is_tested() -> None:
    elsewhere = {
        "recovered",
        "partially_recovered",
        "not_committed",
        "unmerged",
        "undone",
        "redone",
    }
    assert {status.value for status in Status} == {*elsewhere, *(call[2] for call in _CALLS)}


@pytest.mark.parametrize(("words", "patch", "status"), _CALLS)
def test_every_status_is_reported(
    base: Sandbox, words: list[str], patch: bytes, status: str
) -> None:
    before = base.state()
    document = _asked(base, *words, feed=patch)
    assert document["status"] == status
    assert document["command"] == words[0]
    changed = status in ("applied", "partially_applied")
    assert (base.state() != before) == changed
    if changed:
        base.git("reset", "--quiet", "--hard")
        base.git("clean", "--quiet", "--force")
    assert base.opatch(*words, feed=patch).status == document["exit_status"]


def test_an_apply_reports_its_changes(base: Sandbox) -> None:
    patch = envelope(
        b"*** Update File: a\n@@\n one  # first\n-two\n+2\n",
        b"*** Add File: n\n+n\n",
        b"*** Delete File: b\n",
        b"*** Update File: c\n*** Move to: d\n",
    )
    base.write("p", patch)
    diff = base.opatch("convert", "p").out
    document = _asked(base, "apply", "p")
    assert document["summary"] == "4 files changed"
    assert [document[name] for name in ("added", "modified", "deleted", "moved")] == [
        ["n"], ["a"], ["b"], [{"from": "c", "to": "d"}],
    ]  # fmt: skip
    assert document["diff"].encode() == diff
    file = next(entry for entry in document["files"] if entry["path"] == "a")
    (hunk,) = file["hunks"]
    assert (file["added_lines"], file["removed_lines"]) == (1, 1)
    assert (hunk["source"], hunk["patch_line"], hunk["line"], hunk["line_count"]) == ("p", 4, 1, 2)
    assert (hunk["tier"], hunk["evidence"]) == ("fuzzy", "unique")
    assert hunk["tolerated"] == ["1 line differs in a comment at the end"]
    assert (document["record"], document["undo_command"]) == (1, "git opatch undo 1")
    back = _asked(base, *document["undo_command"].split()[2:])
    assert (back["status"], back["record"]) == ("undone", 2)
    assert [file["hunks"] for file in back["files"]] == [[]] * 4
    assert base.git("status", "--short", "--", "a", "b", "c", "d", "n") == b""


def test_a_refusal_reports_what_to_do(base: Sandbox) -> None:
    base.write("p", _STALE)
    (failure,) = _asked(base, "apply", "p")["failures"]
    assert (failure["kind"], failure["reason"]) == ("ComputeReplacements", "not_found")
    assert failure["message"] == said(Fault.NOT_FOUND.sentence, base="the index")
    assert (failure["path"], failure["hunk"], failure["hunk_count"]) == ("a", 1, 1)
    assert (failure["source"], failure["patch_line"], failure["file_line"]) == ("p", 5, 2)
    assert (failure["expected"], failure["found"]) == ("deux", "two")
    assert failure["difference"] == Difference.TEXT.sentence
    assert failure["reread"] == [1, 2]
    assert [(each["mark"], each["line"], each["text"]) for each in failure["lines"]] == [
        ("there", 1, "one"), ("other", 2, "two"), ("around", 3, "three"),
    ]  # fmt: skip
    assert [line["at"] for line in failure["lines"]] == [[], [], []]
    assert failure["advice"] == [said(Fault.NOT_FOUND.advice, reread="lines 1-2")]
    (hunk,) = failure["section"]["hunks"]
    assert [line["prefix"] + line["text"] for line in hunk["lines"]] == [" one", "-deux", "+2"]


def test_up_to_a_thousand_positions_are_listed(base: Sandbox) -> None:
    base.commit({"many": "x\ny\n" * 1500, "some": "x\ny\n" * 700})
    for path, count in (("many", 1000), ("some", 700)):
        patch = envelope(f"*** Update File: {path}\n@@\n-x\n+z\n".encode())
        (failure,) = _asked(base, "check", feed=patch)["patches"][0]["failures"]
        assert failure["candidates"] == list(range(1, 2 * count, 2))
        assert failure["file_line"] is None


def test_a_check_reports_each_patch(base: Sandbox) -> None:
    for name, patch in (("good", _GOOD), ("stale", _STALE), ("there", _THERE), ("none", b"x")):
        base.write(name, patch)
    document = _asked(base, "check", "good", "stale", "there", "none", "missing")
    assert (document["status"], document["summary"]) == ("error", "1 of 5 patches apply")
    assert [
        (verdict["name"], verdict["status"], verdict["exit_status"])
        for verdict in document["patches"]
    ] == [
        ("good", "would_apply", 0),
        ("stale", "refused", 1),
        ("there", "already_applied", 1),
        ("none", "malformed", 128),
        ("missing", "error", 128),
    ]
    assert document["patches"][0]["diff"].encode() == base.opatch("convert", "good").out


def test_a_command_is_checked(base: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a").write_text("one\ntwo\n")
    for cwd in (base.path, tmp_path / "plain"):
        for text, status in ((_GOOD, "would_apply"), (_STALE, "refused"), (_THERE, "refused")):
            words = ["check", "--json", "--argv", "--", "apply_patch", text.decode()]
            document = _document(base.opatch(*words, cwd=cwd))
            wanted = "already_applied" if (cwd, text) == (base.path, _THERE) else status
            assert [verdict["status"] for verdict in document["patches"]] == [wanted]
    document = _document(base.opatch("check", "--json", "--argv", "--", "ls", "--json"))
    assert document["patches"][0]["failures"][0]["reason"] == "not_apply_patch"
    document = _document(base.opatch("check", "--json", "--argv", "--", _GOOD.decode()))
    assert document["failures"][0]["kind"] == "ImplicitInvocation"
    ran = base.opatch("check", "--argv", "--", "ls", "--json")
    assert (ran.status, ran.out) == (1, b"")


def test_a_partly_applied_patch_is_not_called_applied(base: Sandbox) -> None:
    applied = b"*** Update File: a\n@@\n one\n-zwei\n+two\n three\n"
    for section, status in (
        (b"*** Add File: n\n+n\n", "refused"),
        (b"*** Delete File: b\n", "refused"),
        (b"*** Add File: c\n+c\n", "already_applied"),
    ):
        assert _asked(base, "apply", feed=envelope(applied, section))["status"] == status
    loosely = envelope(b"*** Update File: a\n@@\n one\n-zwei\n+two \n three\n")
    document = _asked(base, "apply", feed=loosely)
    assert (document["status"], document["failures"][0]["exact"]) == ("refused", False)


def test_bytes_that_are_not_utf_8_are_kept(base: Sandbox) -> None:
    base.commit({"latin": b"caf\xe9\n\\xe9\n"})
    ran = base.opatch("show", feed=envelope(b"*** Update File: latin\n@@\n caf\xe9\n-\\xe9\n+z\n"))
    diff = ran.out.partition(b"\n\n")[2]
    document = _asked(
        base, "show", feed=envelope(b"*** Update File: latin\n@@\n caf\xe9\n-\\xe9\n+z\n")
    )
    assert "\n caf\\xe9\n-\\xe9\n+z\n" in document["diff"]
    base.git("apply", "--check", "--index", "-", feed=_decoded(document, "diff"))
    assert _decoded(document, "diff") == diff
    path = b"*** Delete File: n\xff\n"
    (failure,) = _asked(base, "show", feed=envelope(path))["failures"]
    assert (failure["path"], _decoded(failure, "path")) == ("n\\xff", b"n\xff")


def _decoded(fields: dict[str, Any], name: str) -> bytes:
    return base64.b64decode(fields[f"{name}_base64"], validate=True)


def test_the_status_holds_if_the_document_cannot_be_written(base: Sandbox) -> None:
    base.write("p", _GOOD)
    for command, status in (("apply", 0), ("show", 128), ("convert", 128), ("check", 128)):
        ran = base.run("sh", "-c", f"git-opatch {command} --json p >/dev/full")
        assert ran.status == status, command
        assert ("No space left" in ran.err) == bool(status)
        base.git("reset", "--quiet", "--hard")


@pytest.mark.parametrize(
    ("words", "feed"),
    [
        (["apply", "--check", "--deny", "a"], _GOOD),
        (["undo", "7"], b""),
        (["apply", "--nothing"], b""),
    ],
)
def test_the_text_of_the_command_is_in_the_document(
    base: Sandbox, words: Sequence[str], feed: bytes
) -> None:
    printed = base.opatch(*words, feed=feed).err
    rendered = [failure["rendered"] for failure in _asked(base, *words, feed=feed)["failures"]]
    assert rendered
    assert printed.startswith("\n".join(rendered) + "\n")
    last = printed.removeprefix("\n".join(rendered) + "\n")
    assert last in ("", "nothing was changed\n", "the patch does not apply; nothing was changed\n")


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_every_scenario_is_reported(base: Sandbox, step: int) -> None:
    names = []
    for number, path in enumerate(_SCENARIOS[::step]):
        base.write(f".git/given/{number}", path.read_bytes())
        names.append(f".git/given/{number}")
    document = _asked(base, "check", *names)
    assert [verdict["name"] for verdict in document["patches"]] == names
    assert {verdict["status"] for verdict in document["patches"]} >= {"refused", "malformed"}


_CORRECTIONS = read_cases(Path(__file__).with_name("corrections.txt").read_bytes())


@pytest.mark.parametrize("name", _CORRECTIONS)
def test_the_document_suffices_to_correct_a_hunk(repo: Sandbox, name: str) -> None:
    case = _CORRECTIONS[name]
    repo.commit({path: data for path, (_, data) in case.before.items()})
    repo.write("untracked", "u\n")
    repo.write("dirty", "d\nmore\n")
    options = case.head.get("options", "").split()
    document = _asked(repo, "apply", *options, feed=case.texts["given"])
    assert [failure["reason"] for failure in document["failures"]] == [name.partition(":")[0]]
    patch, more = corrected_patch(document)
    document = _asked(repo, "apply", *more, feed=patch)
    assert document["status"] in ("applied", "nothing_to_do"), document["failures"]
    assert {path: ("100644", repo.read(path)) for path in case.after} == case.after


def test_a_commit_is_reported(base: Sandbox) -> None:
    document = _asked(base, "apply", "--commit", "-m", "Say 2", feed=_GOOD)
    head = base.git("rev-parse", "HEAD").decode().strip()
    assert (document["status"], document["commits"]) == ("applied", [head])
    assert document["undo_command"] == f"git revert {head[:7]}"


def test_a_commit_that_a_hook_refuses_is_reported(base: Sandbox) -> None:
    base.write(".git/hooks/pre-commit", "#!/bin/sh\necho no; exit 1\n").chmod(0o755)
    document = _asked(base, "apply", "--commit", "-m", "Say 2", feed=_GOOD)
    assert (document["status"], document["exit_status"]) == ("not_committed", 1)
    assert (document["record"], document["commits"]) == (1, [])
    assert document["undo_command"] == "git opatch undo 1"
    (failure,) = document["failures"]
    assert failure["reason"] == "commit"
    assert failure["message"] == "not committed: git commit refused: no"
    assert "to undo it: git opatch undo 1" in failure["advice"]
    document = _asked(base, "apply", "--commit", "-m", "x", feed=envelope(_UPDATE))
    assert (document["status"], document["exit_status"]) == ("error", 128)
    assert document["failures"][0]["reason"] == "commit"
