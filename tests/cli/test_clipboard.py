"""`git opatch apply --clipboard` reads what was copied, or says plainly why it cannot."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(b"*** Update File: f\n@@\n-one\n+1\n")
_HAS_LIBRARY = find_spec("pyperclip") is not None


def _apply(repo: Sandbox, *words: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "git_opatch", "apply", "--clipboard", *words]
    others = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    environ = {**others, "PATH": f"{repo.path}/.git/bin:/usr/bin:/bin", **more}
    return subprocess.run(command, cwd=repo.path, env=environ, capture_output=True, check=False)


def test_without_a_clipboard_a_sentence_says_so(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    ran, before = _apply(repo), repo.read("f")
    expected = b"there is no clipboard here" if _HAS_LIBRARY else b"--clipboard needs pyperclip"
    assert (ran.returncode, ran.stdout, repo.read("f")) == (128, b"", before)
    assert expected in ran.stderr
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(not _HAS_LIBRARY or sys.platform != "linux", reason="needs pyperclip")
def test_what_was_copied_is_applied(repo: Sandbox) -> None:
    repo.commit({"f": "one\n"})
    program = Path(repo.path, ".git/bin/xclip")
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat <<'EOF'\n{_PATCH.decode()}EOF\n")
    program.chmod(stat.S_IRWXU)
    ran = _apply(repo, DISPLAY=":0")
    assert (ran.returncode, repo.read("f")) == (0, b"1\n"), ran


def test_a_file_beside_it_is_an_error(repo: Sandbox) -> None:
    ran = _apply(repo, "p.patch")
    assert (ran.returncode, ran.stderr) == (129, b"error: --clipboard excludes patch files\n")
