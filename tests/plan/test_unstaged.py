"""`--carry`: the index gets the patch alone; unstaged changes stay unstaged, byte for byte."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_PATCH = envelope(
    b"*** Update File: f\n@@\n line 9\n-line 10\n+ten\n line 11\n",
    b"@@\n line 15\n+fifteen and a half\n",
)


def _text(changed: Mapping[int, str] | None = None, end: str = "\n") -> bytes:
    """Give twenty lines, some of them replaced, each by any number of lines."""
    lines = {number: f"line {number}\n" for number in range(1, 21)} | dict(changed or {})
    return "".join(lines.values()).replace("\n", end).encode()


_PATCHED = {10: "ten\n", 15: "line 15\nfifteen and a half\n"}
_MINE = {2: "line 2\nmine\n", 5: "", 12: "LINE 12\n", 20: "line 20\nlast of mine\n"}


@dataclass(frozen=True)
class Dirty:
    """A dirty file: committed, staged and working-tree content, and the expected result."""

    before: bytes
    after: bytes
    committed: bytes = _text()
    staged: bytes | None = None
    attributes: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    patch: bytes = _PATCH
    path: str = "f"
    touch: Callable[[Path], None] | None = None


def _utf16(content: bytes) -> bytes:
    return content.decode().encode("utf-16-le")


def _executable(path: Path) -> None:
    path.chmod(0o755)


def _with_id(text: bytes) -> bytes:
    return b"$Id$\n" + text


_ROT = {"filter.rot.clean": "tr a-z n-za-m", "filter.rot.smudge": "tr a-z n-za-m"}
_STATES = {
    "lines above, between and below": Dirty(_text(_MINE), _text(_MINE | _PATCHED)),
    "a line from each change": Dirty(
        _text({8: "eight\n", 17: "mine\nline 17\n"}),
        _text({8: "eight\n", 17: "mine\nline 17\n"} | _PATCHED),
    ),
    "CRLF in the index": Dirty(
        _text(_MINE, "\r\n"), _text(_MINE | _PATCHED, "\r\n"), _text(end="\r\n")
    ),
    "CRLF in the file, by an attribute": Dirty(
        _text(_MINE, "\r\n"), _text(_MINE | _PATCHED, "\r\n"), attributes="f eol=crlf\n"
    ),
    "CRLF in the file, by configuration": Dirty(
        _text(_MINE, "\r\n"),
        _text(_MINE | _PATCHED, "\r\n"),
        config={"core.autocrlf": "true"},
    ),
    "CRLF in the index, that attributes would not have there": Dirty(
        _text(_MINE, "\r\n"),
        _text(_MINE | _PATCHED, "\r\n"),
        _text(end="\r\n"),
        config={"core.autocrlf": "input"},
    ),
    "a filter": Dirty(
        _text(_MINE),
        _text(_MINE | _PATCHED),
        attributes="f filter=rot\n",
        config=_ROT,
    ),
    "ident": Dirty(
        _with_id(_text(_MINE)),
        _with_id(_text(_MINE | _PATCHED)),
        _with_id(_text()),
        attributes="f ident\n",
    ),
    "another encoding": Dirty(
        _utf16(_text(_MINE)),
        _utf16(_text(_MINE | _PATCHED)),
        _utf16(_text()),
        attributes="f working-tree-encoding=UTF-16LE\n",
    ),
    "another mode": Dirty(_text(), _text(_PATCHED), touch=_executable),
    "another mode and other lines": Dirty(_text(_MINE), _text(_MINE | _PATCHED), touch=_executable),
    "another mode that does not count": Dirty(
        _text(_MINE), _text(_MINE | _PATCHED), config={"core.fileMode": "false"}, touch=_executable
    ),
    "a file that moves": Dirty(
        _text(_MINE),
        _text(_MINE | {10: "ten\n"}),
        patch=envelope(
            b"*** Update File: f\n*** Move to: d/g\n@@\n-line 10\n+ten\n",
            b"*** Update File: other\n@@\n-other\n+another\n",
        ),
        path="d/g",
    ),
    "a file that moves as it is": Dirty(
        b"\0mine\n",
        b"\0mine\n",
        b"\0theirs\n",
        patch=envelope(b"*** Update File: f\n*** Move to: g\n"),
        path="g",
    ),
    "a file that gets another mode": Dirty(
        _text(_MINE),
        _text(_MINE),
        patch=b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n",
    ),
    "staged and unstaged changes at once": Dirty(
        _text({1: "staged\n", 18: ""} | _MINE),
        _text({1: "staged\n", 18: ""} | _MINE | _PATCHED),
        staged=_text({1: "staged\n", 18: ""}),
    ),
    "a last newline that is gone": Dirty(_text()[:-1], _text(_PATCHED)[:-1]),
    "a last newline that never was": Dirty(
        _text(_MINE)[:-1].replace(b"\nlast of mine", b""),
        _text(_MINE | _PATCHED)[:-1].replace(b"\nlast of mine", b""),
        _text()[:-1],
    ),
    "among files that come, go and stay clean": Dirty(
        _text(_MINE),
        _text(_MINE | {10: "ten\n"}),
        patch=envelope(
            b"*** Add File: d/new\n+new\n*** Delete File: gone\n",
            b"*** Update File: f\n@@\n-line 10\n+ten\n",
            b"*** Update File: other\n@@\n-other\n+another\n",
        ),
    ),
    "lines that stand more than once": Dirty(
        b"a {\n  one\n}\nmine {\n  two\n}\nb {\n  one\n}\n",
        b"a {\n  one\n}\nmine {\n  two\n}\nb {\n  1\n}\n",
        b"a {\n  one\n}\nb {\n  one\n}\n",
        patch=envelope(b"*** Update File: f\n@@ b {\n-  one\n+  1\n"),
    ),
}


@pytest.fixture(params=["sha1"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "repo").init(f"--object-format={request.param}")


def _prepared(repo: Sandbox, state: Dirty) -> Sandbox:
    """Bring `repo` into that state; return a copy of it without the unstaged changes."""
    repo.write(".git/info/attributes", state.attributes)
    for name, value in state.config.items():
        repo.git("config", name, value)
    repo.git("config", "core.autocrlf", "false")
    repo.commit({"f": state.committed, "other": "other\n", "gone": "gone\n"})
    repo.git("config", "core.autocrlf", state.config.get("core.autocrlf", "false"))
    if state.staged is not None:
        repo.write("f", state.staged)
        repo.git("add", "f")
    for name in ("f", "other", "gone"):  # written by git, with its line endings and filters
        (repo.path / name).unlink()
    repo.git("checkout", "--quiet", "--", ".")
    clean = Sandbox(repo.path.with_name("clean"))
    shutil.copytree(repo.path, clean.path, symlinks=True)
    clean.git("status", "--short")
    file = repo.write("f", state.before)
    if state.touch:
        state.touch(file)
    assert repo.git("diff", "--name-only") == b"f\n"
    return clean


def _diff(repo: Sandbox, path: str = "f") -> bytes:
    """Give the unstaged changes, without line numbers and under one name."""
    found = repo.git("diff", "-U0", "--text", "--no-renames")
    found = re.sub(rb"(?m)^index .*\n", b"", found)
    found = re.sub(rb"(?m)^@@ .*$", b"@@", found)
    return found.replace(f"a/{path} b/{path}".encode(), b"a/f b/f").replace(
        f"a/{path}\n+++ b/{path}".encode(), b"a/f\n+++ b/f"
    )


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", _STATES)
def test_every_dirty_state_is_carried(fresh: Sandbox, name: str) -> None:
    repo, state = fresh, _STATES[name]
    clean = _prepared(repo, state)
    ran = clean.opatch("apply", feed=state.patch)
    assert ran.status == 0, ran.err
    before, entries, files = _diff(repo), repo.git("ls-files", "-s"), repo.files()
    checked = repo.state()
    ran = repo.opatch("apply", "--check", "--carry", feed=state.patch)
    assert (ran.status, repo.state()) == (0, checked), ran.err

    ran = repo.opatch("apply", "--carry", feed=state.patch)
    assert ran.status == 0, ran.err
    assert repo.git("ls-files", "-s") == clean.git("ls-files", "-s")
    assert _diff(repo, state.path) == before
    assert repo.read(state.path) == state.after
    wanted = {path: file for path, file in clean.files().items() if path != state.path}
    after = repo.files()
    mode = after[state.path][0]
    assert {path: file for path, file in after.items() if path != state.path} == wanted
    assert (mode == "100755") == (state.touch is not None or b"mode 100755" in state.patch)
    assert repo.git("diff-files", "--name-only") == f"{state.path}\n".encode()

    assert repo.opatch("undo").status == 0
    assert (_diff(repo), repo.git("ls-files", "-s")) == (before, entries)
    assert repo.files() == files
    repo.fsck()


@pytest.mark.parametrize("fresh", ["sha256"], indirect=True)
def test_sha256_repositories_are_supported(fresh: Sandbox) -> None:
    test_every_dirty_state_is_carried(fresh, "staged and unstaged changes at once")


def test_a_copy_of_a_dirty_file_has_the_index_content(fresh: Sandbox) -> None:
    repo = fresh
    _prepared(repo, _STATES["lines above, between and below"])
    patch = b"diff --git a/f b/g\ncopy from f\ncopy to g\n--- a/f\n+++ b/g\n@@\n-line 10\n+ten\n"
    before = _diff(repo)
    ran = repo.opatch("apply", feed=patch)
    assert (ran.status, f"f: {Fault.UNSTAGED.sentence}" in ran.err) == (1, True)
    assert repo.opatch("apply", "--carry", feed=patch).status == 0
    assert _diff(repo) == before
    assert repo.read("g") == repo.index()["g"][1] == _text({10: "ten\n"})
    assert repo.read("f") == _text(_MINE)


def test_clean_files_are_patched_as_without_carry(repo: Sandbox) -> None:
    repo.commit({"f": _text(), "mine": "1\n"})
    repo.write("mine", "2\n")
    ran = repo.opatch("apply", "--carry", feed=_PATCH)
    assert (ran.status, ran.err) == (0, "")
    assert repo.index()["f"][1] == repo.read("f") == _text(_PATCHED)
    assert repo.git("status", "--short") == b"M  f\n M mine\n"
