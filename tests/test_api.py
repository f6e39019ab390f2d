"""The Python API: docs/api.md says what is true, and its examples run as they stand."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from sandbox import Sandbox

from git_opatch import api

_TEXT = (Path(__file__).parent.parent / "docs/api.md").read_text()
_READ, _APPLY, _COMMAND, _THOUSAND = re.findall(r"(?ms)^```python\n(.*?)^```$", _TEXT)
_PATCH = (
    "*** Begin Patch\n*** Update File: src/greet.py\n@@ def greet(name):\n-    hello\n+    hi\n"
    "*** Add File: n\n+n\n*** End Patch\n"
)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"src/greet.py": "def greet(name):\n    hello\n"})
    return repo


def _ran(repo: Sandbox, code: str) -> str:
    ran = repo.run("python", "-W", "error", "-c", f"text = {_PATCH!r}\n{code}")
    assert (ran.status, ran.err) == (0, "")
    return ran.out.decode()


def test_all_that_is_named_is_there() -> None:
    assert all(hasattr(api, name) for name in api.__all__)
    functions = {name for name in api.__all__ if name.islower()} - {"is_patch"}
    assert functions
    assert not {name for name in functions if f"`{name}" not in _TEXT}
    lines = re.findall(r"(?m)^from git_opatch\.api import (.*)$", _TEXT)
    imported = set(re.findall(r"\w+", " ".join(lines)))
    assert imported <= set(api.__all__)


def test_reading(tmp_path: Path) -> None:
    first, second, fault = _ran(Sandbox(tmp_path), _READ).splitlines()
    assert (first, second) == ("update src/greet.py 1", "add n 1")
    assert re.fullmatch(r"3 .*`@@@`.* @@", fault)


def test_applying_and_taking_back(base: Sandbox) -> None:
    before = base.index(), base.files()
    said = _ran(base, _APPLY)
    assert said.startswith("src/greet.py 2 strict unique\n")
    assert "\n-    hello\n+    hi\n" in said
    assert (base.index(), base.files()) == before
    records = api.records_of(api.Repository(base.path))
    assert [(one.number, one.undoes, one.name) for one in records] == [
        (2, 1, "from a program"), (1, 0, "from a program"),
    ]  # fmt: skip


def test_a_refusal(base: Sandbox) -> None:
    base.commit({"src/greet.py": "def greet(name):\n    hey\n"})
    before = base.state()
    said = _ran(base, _APPLY)
    assert "\nsrc/greet.py not_found does not match " in said
    assert base.state() == before


def test_a_command(base: Sandbox) -> None:
    before = base.state()
    said = _ran(base, _COMMAND)
    assert said.startswith("True None\n")
    assert "\nadd n None b'n\\n'\n" in said
    assert "update src/greet.py None b'def greet(name):\\n    hi\\n'\n" in said
    assert base.state() == before


_COUNT = 1000


def _trees(folder: Path) -> Sandbox:
    """A bare repository with so many branches, each with another version of a file."""
    repo = Sandbox(folder / "bare.git").init("--bare")
    stream = []
    for number in range(_COUNT):
        lines = f"first\nline {number}\nlast\n"
        stream.append(
            f"commit refs/heads/b{number}\ncommitter C <c@example.com> 1700000000 +0000\n"
            f"data 1\nx\nM 100644 inline src/f\ndata {len(lines)}\n{lines}\n"
        )
    repo.git("fast-import", "--quiet", feed="".join(stream).encode())
    return repo


def test_a_thousand(tmp_path: Path) -> None:
    """Each third one is for the tree before, and each tenth one is malformed."""
    repo = _trees(tmp_path)
    tasks, wanted = [], []
    for number in range(_COUNT):
        shown = number - 1 if number % 3 == 0 else number
        mark = "@@@" if number % 10 == 0 else "@@"
        hunk = f"{mark}\n-line {shown}\n+new\n"
        patch = f"*** Begin Patch\n*** Update File: src/f\n{hunk}*** End Patch\n"
        tasks.append((f"b{number}", patch))
        verdict = "not_found" if number % 3 == 0 else "applies"
        wanted.append("ParseError" if number % 10 == 0 else verdict)
    judged = f"judge_all({str(repo.path)!r}, json.load(sys.stdin))"
    code = f"{_THOUSAND}\nimport json, sys\nprint(json.dumps({judged}))\n"
    before = repo.objects()
    done = subprocess.run(
        ["python", "-c", code],
        input=json.dumps(tasks),
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    assert json.loads(done.stdout) == wanted
    assert repo.objects() == before
