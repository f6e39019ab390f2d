"""Which new files are written without git: those that it would write as their blobs are (D451)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(b"*** Update File: d/f\n@@\n a\n-b\n+B\n", b"*** Add File: d/new\n+n\n")
_Prepare = Callable[[Sandbox], object]


@pytest.fixture
def base(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setattr(Sandbox, "as_program", False)
    repo.commit({"d/f": "a\nb\n"})
    return repo


def _commands(base: Sandbox, patch: bytes, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Apply `patch`; returns which commands of git it started."""
    trace = base.path.with_name("trace")
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    ran = base.opatch("apply", feed=patch)
    monkeypatch.delenv("GIT_TRACE2_EVENT")
    assert ran.status == 0, ran
    lines = trace.read_text().splitlines()
    return {line.split('"name":"')[1].split('"')[0] for line in lines if '"cmd_name"' in line}


def _attributes(name: str, text: str) -> _Prepare:
    return lambda repo: repo.write(name, text)


def _configured(name: str, value: str) -> _Prepare:
    return lambda repo: repo.git("config", name, value)


def _only_in_index(repo: Sandbox) -> None:
    repo.write("d/.gitattributes", "* eol=crlf\n")
    repo.git("add", "d/.gitattributes")
    (repo.path / "d/.gitattributes").unlink()


def _linked(repo: Sandbox) -> None:
    """Have `.gitattributes` in the index, and a link, which git does not follow, in its place."""
    _only_in_index(repo)
    repo.write("other", "* -text\n")
    (repo.path / "d/.gitattributes").symlink_to("../other")


def _of_the_user(repo: Sandbox) -> None:
    repo.write("../mine", "* text eol=crlf\n")
    repo.git("config", "core.attributesFile", str(repo.path.with_name("mine")))


_CONVERTED = {
    "beside": _attributes("d/.gitattributes", "* eol=crlf\n"),
    "above": _attributes(".gitattributes", "*f eol=crlf\nnew eol=crlf\n"),
    "of the repository": _attributes(".git/info/attributes", "d/* text eol=crlf\n"),
    "of the user": _of_the_user,
    "only in the index": _only_in_index,
    "core.autocrlf": _configured("core.autocrlf", "true"),
    "core.autocrlf as a number": _configured("core.autocrlf", "1"),
}


@pytest.mark.parametrize("prepare", _CONVERTED.values(), ids=_CONVERTED)
def test_what_git_converts_is_written_by_git_where_it_is_new(
    base: Sandbox, prepare: _Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(base)
    assert "checkout-index" in _commands(base, _PATCH, monkeypatch)
    assert (base.path / "d/f").read_bytes() == b"a\nB\n"
    assert (base.path / "d/new").read_bytes() == b"n\r\n"


_PLAIN: dict[str, _Prepare] = {
    "no attributes": lambda _: None,
    "text": _attributes(".gitattributes", "* text=auto\nf text\nnew -text\n"),
    "eol=lf": _attributes(".gitattributes", "* text eol=lf\n"),
    "of other things": _attributes("d/.gitattributes", "* binary\nf diff=python whitespace=tab\n"),
    "core.autocrlf=input": _configured("core.autocrlf", "input"),
}


@pytest.mark.parametrize("prepare", _PLAIN.values(), ids=_PLAIN)
def test_what_git_does_not_convert_is_written_without_it(
    base: Sandbox, prepare: _Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(base)
    assert "checkout-index" not in _commands(base, _PATCH, monkeypatch)
    assert (base.path / "d/f").read_bytes() == b"a\nB\n"
    assert (base.path / "d/new").read_bytes() == b"n\n"
    assert base.git("diff-files", "--name-only") == b""


_UNCERTAIN: dict[str, _Prepare] = {
    "ident": _attributes(".gitattributes", "* ident\n"),
    "a link of attributes": _linked,
}


@pytest.mark.parametrize("prepare", _UNCERTAIN.values(), ids=_UNCERTAIN)
def test_where_it_is_not_certain_git_writes(
    base: Sandbox, prepare: _Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(base)
    assert "checkout-index" in _commands(base, _PATCH, monkeypatch)


def test_one_converted_file_leaves_the_others_plain(
    base: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write(".gitattributes", "new eol=crlf\n")
    assert "checkout-index" in _commands(base, _PATCH, monkeypatch)
    assert (base.path / "d/f").read_bytes() == b"a\nB\n"
    assert (base.path / "d/new").read_bytes() == b"n\r\n"


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_rights_are_those_that_git_gives(base: Sandbox, umask: int) -> None:
    base.write("script", "a\n")
    (base.path / "script").chmod(0o755)
    base.git("add", "script")
    patch = envelope(b"*** Update File: script\n@@\n-a\n+b\n", b"*** Add File: deep/er/new\n+n\n")
    before = os.umask(umask)
    try:
        assert base.opatch("apply", feed=patch).status == 0
    finally:
        os.umask(before)
    assert _mode(base.path / "script") == 0o777 & ~umask
    assert _mode(base.path / "deep/er/new") == 0o666 & ~umask
    assert _mode(base.path / "deep/er") == 0o777 & ~umask


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)
