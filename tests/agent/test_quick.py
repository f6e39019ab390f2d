"""Events that do not concern the hook are answered before anything else is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from sandbox import Sandbox

_MAIN = """
import os, sys
def leave(status):
    names = [name for name in sys.modules if name.startswith(("git_opatch", "json", "enum"))]
    print(status, *sorted(names))
    sys.stdout.flush()
    end(status)
end, os._exit = os._exit, leave
sys.argv = ["git-opatch", "agent-hook", *sys.argv[1:]]
from git_opatch.__main__ import main
main()
"""


def _event(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"hook_event_name": "PreToolUse", "cwd": ".", "tool_name": tool, "tool_input": given}


def _imported(event: str, *words: str) -> list[str]:
    """Return the status, and which modules of ours were imported for the answer."""
    run = [sys.executable, "-P", "-c", _MAIN, *words]
    done = subprocess.run(run, input=event, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "ls -la"}),
        ("Read", {"file_path": "/x/f"}),
        ("Grep", {"pattern": "x"}),
        ("exec_command", {"command": "git status"}),
    ],
)
def test_other_events_are_answered_at_once(
    tool: str, given: dict[str, Any], separators: tuple[str, str]
) -> None:
    event = json.dumps(_event(tool, given), separators=separators)
    modules = ["git_opatch", "git_opatch.__main__", "git_opatch.agent", "git_opatch.agent.program"]
    assert _imported(event) == ["0", *modules]
    assert _imported(event, "--deny", ".github/") == ["0", *modules]


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "echo apply_patch"}),
        ("Bash", {"command": "applypatch x"}),
        ("Bash", {"command": "*** Begin Patch\n"}),
        ("apply_patch", {"command": ""}),
        ("Edit", {"file_path": "f"}),
        ("MultiEdit", {"file_path": "f"}),
        ("Write", {"file_path": "f"}),
        ("NotebookEdit", {"notebook_path": "f"}),
        ("edit", {"filePath": "f"}),
        ("write", {"filePath": "f"}),
    ],
)
def test_others_are_read(tool: str, given: dict[str, Any]) -> None:
    assert "git_opatch.agent.hook_event" in _imported(json.dumps(_event(tool, given)))


def test_the_help_is_shown_without_an_event(repo: Sandbox) -> None:
    for flag in ("-h", "--help"):
        assert b"Usage: " in repo.run("git-opatch", "agent-hook", flag).out
