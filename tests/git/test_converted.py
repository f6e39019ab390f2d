"""Files that git converts: on disk only the lines of the hunks change, and undo gives all back.

What `git add` stores of the file is the oracle for the index, and what a checkout writes for a new
file.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field

import pytest
from sandbox import Sandbox
from targets import CACHED, INDEX, WORKTREE
from writers import envelope

_ROWS = ("# $Id: 0123 $", "naïve", "a", "b", "c", "d")
_AFTER = ("# $Id: 0123 $", "naïve", "a", "B", "new", "c", "d")
_HUNK = b"@@\n a\n-b\n+B\n+new\n c\n"


@dataclass(frozen=True)
class Setting:
    """What converts `f`: attributes, the encoding that they name, and configuration."""

    attributes: str = ""
    config: dict[str, str] = field(default_factory=dict)
    encoding: str = "utf-8"


_SETTINGS = {
    "none": Setting(),
    "text=auto": Setting("text=auto"),
    "text": Setting("text"),
    "eol=lf": Setting("eol=lf"),
    "eol=crlf": Setting("text eol=crlf"),
    "core.eol": Setting("text", {"core.eol": "crlf"}),
    "autocrlf": Setting("", {"core.autocrlf": "true"}),
    "autocrlf=input": Setting("", {"core.autocrlf": "input"}),
    "ident": Setting("ident"),
    "ident, text": Setting("text=auto ident"),
    "latin-1": Setting("text working-tree-encoding=ISO-8859-1", {}, "iso-8859-1"),
    "utf-16": Setting("text=auto working-tree-encoding=UTF-16LE-BOM", {}, "utf-16"),
    "-text": Setting("-text", {"core.autocrlf": "true"}),
}
_ENDINGS = {"LF": ("\n", "\n"), "CRLF": ("\r\n", "\r\n"), "mixed": ("\n", "\r\n")}
_PLACES = {
    "index": (INDEX,),
    "carry": (INDEX, "--carry"),
    "cached": (CACHED,),
    "worktree": (WORKTREE,),
    "untracked": (WORKTREE,),
}
_CHANGES = {
    "update": b"*** Update File: f\n" + _HUNK,
    "delete": b"*** Delete File: f\n",
    "move": b"*** Update File: f\n*** Move to: d/f\n" + _HUNK,
    "add": b"*** Add File: d/g\n+x\n+y\n",
}


def _bytes(setting: Setting, rows: tuple[str, ...], endings: list[str]) -> bytes:
    return "".join(map("".join, zip(rows, endings, strict=True))).encode(setting.encoding)


def _set_up(repo: Sandbox, setting: Setting, data: bytes) -> None:
    for key, value in {"core.safecrlf": "false", **setting.config}.items():
        repo.git("config", key, value)
    if setting.attributes:
        repo.write(".gitattributes", f"f {setting.attributes}\ng {setting.attributes}\n")
    repo.write("f", data)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-m", "base")
    assert repo.read("f") == data


def _added_is_planned(repo: Sandbox) -> None:
    """Assert that the index has what `git add` would store, and knows it."""
    assert repo.git("diff-files", "--name-only") == b""
    before = repo.index()
    for path, (mode, _) in repo.files().items():
        if mode != "120000":
            os.utime(repo.path / path, (1, 1))
    repo.git("add", "--all")
    assert repo.index() == before


@pytest.mark.one_of(17, 9)
@pytest.mark.parametrize("change", _CHANGES)
@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("disk", _ENDINGS)
@pytest.mark.parametrize("setting", _SETTINGS)
def test_only_the_lines_of_hunks_change_on_disk(
    repo: Sandbox, setting: str, disk: str, place: str, change: str
) -> None:
    how, (odd, even) = _SETTINGS[setting], _ENDINGS[disk]
    endings = [odd, even, odd, even, odd, even]
    data = _bytes(how, _ROWS, endings)
    after = _bytes(how, _AFTER, [*endings[:4], endings[3], *endings[4:]])
    _set_up(repo, how, data)
    if place == "untracked":
        repo.git("rm", "--quiet", "--cached", "f")
    if place == "carry":
        if change == "delete":
            pytest.skip("the unstaged changes would be lost, so it is refused")
        mine = f"mine{even}".encode(how.encoding.replace("utf-16", "utf-16-le"))
        data, after = data + mine, after + mine
        repo.write("f", data)
    before, files = repo.index(), repo.files()
    assert files["f"][1] == data
    assert repo.opatch("apply", *_PLACES[place], feed=envelope(_CHANGES[change])).status == 0
    applied, left = repo.index(), repo.files()
    if place == "cached":
        assert left == files
    elif change == "add":
        assert left["d/g"][1] == _as_checked_out(repo, b"x\ny\n")
    else:
        expected = {"update": {"f": after}, "delete": {}, "move": {"d/f": after}}[change]
        assert {path: left[path][1] for path in ("f", "d/f") if path in left} == expected
    assert (applied == before) is (place in ("worktree", "untracked"))
    if place == "index":
        _added_is_planned(repo)
    undone, redone = ("undo", (before, files)), ("redo", (applied, left))
    for command, state in (undone, redone, undone):
        assert repo.opatch(command, "1").status == 0
        assert (repo.index(), repo.files()) == state
        if place == "index" and command == "undo":
            assert repo.git("status", "--short") == b""


def _as_checked_out(repo: Sandbox, data: bytes) -> bytes:
    oid = repo.git("hash-object", "-w", "--no-filters", "--stdin", feed=data).decode().strip()
    return repo.git("cat-file", "--filters", "--path=d/g", oid)


@pytest.mark.parametrize("command", ["apply-patch", "mcp"])
def test_agents_keep_line_endings(repo: Sandbox, command: str) -> None:
    _set_up(repo, _SETTINGS["text=auto"], b"a\r\nb\r\nc\r\n")
    patch = envelope(_CHANGES["update"])
    if command == "mcp":
        call = {"name": "apply", "arguments": {"patch": patch.decode()}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        ran = repo.opatch("mcp", feed=json.dumps(message).encode() + b"\n")
    else:
        ran = repo.opatch("apply-patch", patch.decode())
    assert ran.status == 0, ran
    assert repo.read("f") == b"a\r\nB\r\nnew\r\nc\r\n"


def test_a_line_on_disk_stays_when_others_were_edited(repo: Sandbox) -> None:
    """Undo one of two patches: the line comes back with the ending that it alone had."""
    _set_up(repo, _SETTINGS["text=auto"], b"a\r\nb\nc\r\nd\r\ne\r\nf\r\n")
    assert repo.opatch("apply", feed=envelope(b"*** Update File: f\n@@\n a\n-b\n c\n")).status == 0
    assert repo.opatch("apply", feed=envelope(b"*** Update File: f\n@@\n-e\n+E\n")).status == 0
    assert repo.opatch("undo", "1").status == 0
    assert repo.read("f") == b"a\r\nb\nc\r\nd\r\nE\r\nf\r\n"


def test_a_character_that_the_encoding_lacks_is_refused(repo: Sandbox) -> None:
    _set_up(repo, _SETTINGS["latin-1"], "naïve\r\nb\n".encode("latin-1"))
    before = repo.state()
    patch = envelope("*** Update File: f\n@@\n-b\n+→\n".encode())
    assert repo.opatch("apply", feed=patch).status == 128
    assert repo.state() == before


def test_a_file_with_mixed_endings_may_become_empty(repo: Sandbox) -> None:
    """Nothing is its text then, which is not the same as that there is none."""
    _set_up(repo, _SETTINGS["eol=crlf"], b"a\r\nb\n")
    before = repo.index(), repo.files()
    assert repo.opatch("apply", feed=envelope(b"*** Update File: f\n@@\n-a\n-b\n")).status == 0
    assert repo.read("f") == b""
    assert repo.opatch("undo").status == 0
    assert (repo.index(), repo.files()) == before
