"""Filters that are missing, fail, or cannot be trusted; bad attributes: nothing is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from filtering import assert_stored, set_filter
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_TEXT = b"out: 1\none\ntwo\n"
_UPDATE = b"*** Update File: a.f\n@@\n-two\n+2\n"
_ADD = b"*** Add File: b.f\n+two\n"
_BOTH = pytest.mark.parametrize("target", ["--index", "--worktree"])


def _base(repo: Sandbox, program: str = "strip", attributes: str = "*.f filter=x\n") -> Sandbox:
    set_filter(repo, program)
    repo.commit({".gitattributes": attributes, "a.f": _TEXT, "plain": _TEXT})
    return repo


def _refused(repo: Sandbox, patch: bytes, message: str, *words: str) -> None:
    files, index = repo.files(), repo.git("ls-files", "-s", "-v")
    for check in ((), ("--check",)):
        ran = repo.opatch("apply", *check, *words, feed=envelope(patch))
        assert (ran.status in (1, 128), ran.out) == (True, b""), ran
        assert message in ran.err, ran.err
    assert (repo.files(), repo.git("ls-files", "-s", "-v")) == (files, index)
    assert not (repo.path / ".git/opatch/txn").exists()


def _program(repo: Sandbox, text: str) -> str:
    file = repo.path.with_name("program")
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@_BOTH
@pytest.mark.parametrize("patch", [_UPDATE, _ADD])
@pytest.mark.parametrize("required", [False, True])
def test_a_filter_that_fails(repo: Sandbox, patch: bytes, required: bool, target: str) -> None:
    _base(repo)
    set_filter(repo, "failing", required=required)
    _refused(repo, patch, "fail", target)


@_BOTH
@pytest.mark.parametrize("patch", [_UPDATE, _ADD])
def test_a_filter_that_gives_another_result_each_time(
    repo: Sandbox, patch: bytes, target: str
) -> None:
    _base(repo, "unstable")
    _refused(repo, patch, "in another form after a checkout", target)


@_BOTH
def test_a_filter_that_is_random(repo: Sandbox, target: str) -> None:
    repo.git("config", "filter.x.clean", "cat; date +%N")
    repo.git("config", "filter.x.smudge", "sed '$d'")
    _base(repo, "strip")
    repo.git("config", "filter.x.clean", "cat; date +%N")
    repo.git("config", "filter.x.smudge", "sed '$d'")
    repo.commit()
    _refused(repo, _UPDATE, "a.f: ", target)  # git may see by itself that it looks changed
    _refused(repo, _ADD, "in another form after a checkout", target)


@_BOTH
def test_a_filter_without_a_program_changes_nothing(repo: Sandbox, target: str) -> None:
    repo.commit({".gitattributes": "*.f filter=absent\n", "a.f": _TEXT})
    ran = repo.opatch("apply", target, feed=envelope(_UPDATE, _ADD))
    assert ran.status == 0, ran.err
    assert (repo.read("a.f"), repo.read("b.f")) == (_TEXT.replace(b"two", b"2"), b"two\n")
    assert_stored(repo) if target == "--index" else None


@_BOTH
@pytest.mark.parametrize("compared", [True, False], ids=["git compares", "git knows the times"])
def test_a_required_filter_without_a_program(repo: Sandbox, target: str, compared: bool) -> None:
    repo.commit({".gitattributes": "*.f filter=absent\n", "a.f": _TEXT})
    os.utime(repo.path / "a.f", (1, 1))
    if not compared:
        repo.git("update-index", "--refresh")
    repo.git("config", "filter.absent.required", "true")
    before = repo.state()
    ran = repo.opatch("apply", target, feed=envelope(_UPDATE))
    assert (ran.status, repo.state()[:3]) == (128, before[:3]), ran
    assert "filter 'absent' failed" in ran.err


def test_a_file_stored_before_its_filter_was_set_up(repo: Sandbox) -> None:
    repo.commit({".gitattributes": "*.f filter=x\n", "a.f": _TEXT})
    set_filter(repo, "strip")
    _refused(repo, _UPDATE, Fault.UNSTAGED.sentence)
    assert repo.opatch("apply", "--worktree", feed=envelope(_UPDATE)).status == 0
    assert repo.read("a.f") == _TEXT.replace(b"two", b"2")
    assert repo.opatch("undo").status == 0
    assert repo.read("a.f") == _TEXT
    repo.git("add", "--renormalize", ".")
    assert repo.opatch("apply", feed=envelope(_UPDATE)).status == 0
    assert repo.read("a.f") == _TEXT.replace(b"two", b"2")


@_BOTH
@pytest.mark.parametrize(
    "after",
    [
        "*.f filter=y",
        "*.g filter=x",
        "*.f filter=x\n+*.g text",
        "*.f filter=x working-tree-encoding=UTF-16",
        "*.f text -filter ident",
    ],
)
def test_a_patch_that_changes_attributes_too(repo: Sandbox, target: str, after: str) -> None:
    """Git may store the file in another form with them: it would look changed at once."""
    _base(repo)
    set_filter(repo, "encrypt", "y")
    attributes = b"*** Update File: .gitattributes\n@@\n-*.f filter=x\n+%s\n" % after.encode()
    _refused(repo, attributes + _UPDATE, "the patch changes .gitattributes, by which it", target)
    assert repo.opatch("apply", target, feed=envelope(attributes)).status == 0


@pytest.mark.parametrize("place", ["info", "setting", "home", "directory", "macro", "name"])
def test_attributes_wherever_git_reads_them(repo: Sandbox, place: str) -> None:
    set_filter(repo, "strip")
    line, file = "*.F filter=x\n", repo.path / ".git/info/attributes"
    if place == "setting":
        file = repo.path.with_name("attributes")
        repo.git("config", "core.attributesFile", str(file))
    elif place == "home":
        file = Path(os.environ["XDG_CONFIG_HOME"], "git/attributes")
    elif place == "directory":
        file = repo.path / "d/.gitattributes"
    elif place == "macro":
        line = "[attr]stripped filter=x\n*.F stripped\n"
    elif place == "name":
        line = "# of a filter\n\t \n*.g filter=y\nd/a.F\tfilter=x\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(line)
    repo.commit({"d/a.F": _TEXT})
    assert repo.index()["d/a.F"][1] == b"one\ntwo\n"
    ran = repo.opatch("apply", feed=envelope(b"*** Update File: d/a.F\n@@\n-two\n+2\n"))
    assert ran.status == 0, ran.err
    assert repo.read("d/a.F") == _TEXT.replace(b"two", b"2")
    assert_stored(repo)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    "attributes",
    [
        *(b"\0\xff\n*.f filter=x\n", b"*.f filter=x =\n!*.f filter=y\n", b"*.f filter\n"),
        *(b"*.f -filter\n", b"filter", b"*.f filter=\n", b"\xef\xbb\xbf*.f filter=x\r\n"),
        b'"*.f filter=x\n',
    ],
)
@_BOTH
def test_broken_attributes(repo: Sandbox, attributes: bytes, target: str) -> None:
    set_filter(repo, "strip")
    repo.commit({".gitattributes": attributes, "a.f": _TEXT})
    repo.git("add", "--renormalize", ".")
    ran = repo.opatch("apply", target, feed=envelope(_UPDATE))
    assert ran.status == 0, ran.err
    assert repo.read("a.f") == _TEXT.replace(b"two", b"2")
    assert_stored(repo) if target == "--index" else None


@pytest.mark.parametrize("kind", ["directory", "link", "pipe"])
def test_attributes_that_are_no_file(repo: Sandbox, kind: str) -> None:
    set_filter(repo, "strip")
    repo.commit({"a.f": _TEXT, "elsewhere": "*.f filter=x\n"})
    file = repo.path / ".gitattributes"
    if kind == "directory":
        file.mkdir()
    elif kind == "link":
        file.symlink_to("elsewhere")
    else:
        repo.write("d/a.f", _TEXT)
        os.mkfifo(repo.path / "d/.gitattributes")
    ran = repo.opatch("apply", feed=envelope(_UPDATE))
    assert ran.status == 0, ran.err
    assert repo.read("a.f") == repo.index()["a.f"][1] == _TEXT.replace(b"two", b"2")


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", ["a.b.c", "$(touch${IFS}ran)", "x;touch,ran", "ÄÖ'\"`|&", "a=b"])
@_BOTH
def test_names_of_filters(repo: Sandbox, name: str, target: str) -> None:
    set_filter(repo, "strip", name)
    repo.commit({".gitattributes": f"*.f filter={name}\n", "a.f": _TEXT})
    assert repo.index()["a.f"][1] == b"one\ntwo\n"
    before = repo.files()
    ran = repo.opatch("apply", target, feed=envelope(_UPDATE))
    assert ran.status == 0, ran.err
    expected = {**before, "a.f": ("100644", _TEXT.replace(b"two", b"2"))}
    assert repo.files() == expected
    assert_stored(repo) if target == "--index" else None
    set_filter(repo, "failing", name)
    ran = repo.opatch("apply", target, feed=envelope(b"*** Update File: a.f\n@@\n-2\n+3\n"))
    assert (ran.status, repo.files()) == (128, expected)


@_BOTH
def test_a_path_with_a_newline(repo: Sandbox, target: str) -> None:
    _base(repo)
    repo.commit({"-a\nb.f": _TEXT})
    patch = b'--- "a/-a\\nb.f"\n+++ "b/-a\\nb.f"\n@@ -1,3 +1,3 @@\n out: 1\n one\n-two\n+2\n'
    ran = repo.opatch("apply", target, feed=patch)
    assert ran.status == 0, ran.err
    assert repo.read("-a\nb.f") == _TEXT.replace(b"two", b"2")
    assert_stored(repo) if target == "--index" else None
    assert repo.opatch("undo").status == 0
    assert (repo.read("-a\nb.f"), repo.git("status", "--short")) == (_TEXT, b"")


@_BOTH
@pytest.mark.parametrize("how", ["echo mine >a.f", "echo mine >new && mv new a.f", "rm a.f"])
def test_a_file_that_changes_while_its_filter_runs(repo: Sandbox, how: str, target: str) -> None:
    _base(repo)
    clean = _program(repo, f"{how}; exec sed '/^out: /d'")
    repo.git("config", "filter.x.clean", clean)
    ran = repo.opatch("apply", target, feed=envelope(_UPDATE))
    assert ran.status in (1, 128), ran
    found = repo.read("a.f") if (repo.path / "a.f").exists() else b""
    assert found == (b"" if how == "rm a.f" else b"mine\n")
    assert repo.index()["a.f"][1] == b"one\ntwo\n"


def test_other_conversions_stay_as_they_are(repo: Sandbox) -> None:
    """Beside a file under a filter, and on one."""
    attributes = (
        "a.f filter=x\nb.f filter=x text eol=crlf\nc.f filter=x ident\neol text eol=crlf\n"
        "ident ident\nencoding working-tree-encoding=UTF-16LE-BOM text\n"
    )
    utf16 = b"\xff\xfe" + "one\ntwo\n".encode("utf-16-le")
    set_filter(repo, "strip")
    repo.commit({
        ".gitattributes": attributes, "a.f": _TEXT, "b.f": _TEXT.replace(b"\n", b"\r\n"),
        "c.f": b"$Id$\n" + _TEXT, "eol": b"one\r\ntwo\r\n", "ident": b"$Id$\ntwo\n",
        "encoding": utf16,
    })  # fmt: skip
    assert repo.index()["b.f"][1] == b"one\ntwo\n"
    before = (repo.index(), repo.files())
    names = ("a.f", "b.f", "c.f", "eol", "ident", "encoding")
    patch = envelope(*(f"*** Update File: {name}\n@@\n-two\n+2\n".encode() for name in names))
    ran = repo.opatch("apply", feed=patch)
    assert ran.status == 0, ran.err
    assert repo.read("a.f") == _TEXT.replace(b"two", b"2")
    assert repo.read("b.f") == _TEXT.replace(b"two", b"2").replace(b"\n", b"\r\n")
    assert repo.read("c.f") == b"$Id$\n" + _TEXT.replace(b"two", b"2")
    assert repo.read("eol") == b"one\r\n2\r\n"
    assert repo.read("encoding") == utf16.replace(b"t\0w\0o\0", b"2\0")
    assert_stored(repo)
    assert repo.opatch("undo").status == 0
    assert (repo.index(), repo.files()["a.f"], repo.git("status", "--short")) == (
        before[0], before[1]["a.f"], b"",
    )  # fmt: skip
