"""`git opatch agent-hook`: the answer to a PreToolUse hook of Claude Code or Codex."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sandbox import Sandbox
from writers import envelope

_TOP = Path(__file__).parents[2]
_GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
_STALE = envelope(b"*** Update File: f\n@@\n-nowhere\n+b\n").decode()


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n", "sub/f": "s\n"})
    return repo


def _claude(command: object, where: Path, tool: str = "Bash") -> dict[str, Any]:
    """Give the event of Claude Code, according to its hooks reference."""
    return {
        "session_id": "abc123",
        "transcript_path": "/home/me/.claude/projects/x.jsonl",
        "cwd": str(where),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": {"command": command, "description": "Apply a patch", "timeout": 120000},
        "tool_use_id": "toolu_01",
    }


def _codex(patch: object, where: Path, tool: str = "apply_patch") -> dict[str, Any]:
    """Give the event of Codex, according to the schema of its hooks: the patch is the command."""
    return {
        "session_id": "s",
        "turn_id": "t",
        "transcript_path": None,
        "cwd": str(where),
        "hook_event_name": "PreToolUse",
        "model": "m",
        "permission_mode": "default",
        "tool_name": tool,
        "tool_input": {"command": patch},
        "tool_use_id": "call_1",
    }


def _heredoc(patch: str) -> str:
    return f"apply_patch <<'EOF'\n{patch}EOF\n"


def _reason(repo: Sandbox, event: object, *options: str, cwd: Path | None = None) -> str:
    """Return the reason why a call was denied; empty if it was allowed without output."""
    ran = repo.opatch("agent-hook", *options, feed=json.dumps(event).encode(), cwd=cwd)
    assert (ran.status, ran.err) == (0, "")
    if not ran.out:
        return ""
    assert ran.out.isascii()
    (answer,) = json.loads(ran.out).values()
    assert list(json.loads(ran.out)) == ["hookSpecificOutput"]
    assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
    assert len(answer) == 3
    return str(answer["permissionDecisionReason"])


def test_a_call_that_applies_is_allowed(base: Sandbox) -> None:
    before = base.state()
    for event in (
        _codex(_GOOD, base.path),
        _claude(_heredoc(_GOOD), base.path),
        _claude(["bash", "-lc", _heredoc(_GOOD)], base.path, "shell"),
        _claude(["apply_patch", _GOOD], base.path, "shell"),
        _claude(_heredoc(_GOOD.replace("-a", "-s")), base.path / "sub"),
        _claude("cd sub && " + _heredoc(_GOOD.replace("-a", "-s")), base.path),
        {**_codex("", base.path), "tool_input": {"input": _GOOD}},
    ):
        assert _reason(base, event) == "", event
        assert _reason(base, event, cwd=base.path.parent) == "", "its own directory counts"
    assert base.state() == before


def test_a_call_that_does_not_apply_is_denied(base: Sandbox) -> None:
    before = base.state()
    for event in (
        _codex(_STALE, base.path),
        _claude(_heredoc(_STALE), base.path),
        _claude(["apply_patch", _STALE], base.path, "shell"),
        _claude(f"cd {base.path} && {_heredoc(_STALE)}", base.path / "sub"),
        {**_codex("", base.path), "tool_input": {"input": _STALE}},
    ):
        lines = _reason(base, event, cwd=base.path.parent).splitlines()
        assert lines[0] == "error: f: hunk 1 of 1 does not match the working tree", event
        assert "      nowhere" in lines
        assert lines[-1] == "the patch does not apply; nothing was changed"
    assert "sub/f: hunk 1" in _reason(base, _codex(_GOOD, base.path / "sub"))
    assert base.state() == before


def test_the_working_tree_is_the_target(base: Sandbox) -> None:
    base.write("f", "changed\n")
    assert _reason(base, _codex(_GOOD, base.path)) != ""
    base.write("f", "a\nnot staged\n")
    base.write("new", "untracked\n")
    assert _reason(base, _codex(_GOOD, base.path)) == ""
    untracked = _GOOD.replace("File: f", "File: new").replace("-a", "-untracked")
    assert _reason(base, _codex(untracked, base.path)) == ""


def test_malformed_and_bare_patches_are_denied(base: Sandbox) -> None:
    reason = _reason(base, _codex(_GOOD.replace("@@", "@@@"), base.path))
    assert reason.startswith("error: line 3: `@@@` is not a hunk header")
    reason = _reason(base, _claude(_GOOD, base.path))
    assert reason.startswith("error: this is a patch, not a command: call `apply_patch`")
    reason = _reason(base, _codex(_GOOD.replace("File: f", "File: ../f"), base.path))
    assert "the path leaves the working tree" in reason


def test_other_calls_are_allowed(base: Sandbox) -> None:
    for event in (
        _claude("ls -l", base.path),
        _claude(f"ls && {_heredoc(_STALE)}", base.path),
        _claude("git opatch apply p.opatch", base.path),
        {**_claude("", base.path, "Write"), "tool_input": {"file_path": "x", "content": _STALE}},
        {**_claude("", base.path, "Read"), "tool_input": {}},
        {**_claude(_heredoc(_STALE), base.path), "hook_event_name": "PostToolUse"},
        _claude(["apply_patch", 1], base.path),
        _claude(None, base.path),
    ):
        assert _reason(base, event) == "", event


def test_calls_outside_of_a_repository_are_allowed(base: Sandbox) -> None:
    outside = base.path.parent
    for event in (
        _codex(_STALE, outside),
        _claude(_heredoc(_STALE), outside),
        _claude(f"cd {outside} && {_heredoc(_STALE)}", base.path),
        _claude(f"cd nosuch && {_heredoc(_STALE)}", base.path),
        _codex(_STALE, outside / "nosuch"),
        _codex(_STALE, base.path / ".git"),
    ):
        assert _reason(base, event, cwd=base.path) == "", event


def test_the_repository_of_the_call_is_checked(base: Sandbox) -> None:
    another = Sandbox(base.path.parent / "other").init()
    another.commit({"f": "nowhere\n"})
    assert _reason(base, _claude(f"cd {another.path} && {_heredoc(_STALE)}", base.path)) == ""
    assert _reason(base, _claude(f"cd {another.path} && {_heredoc(_GOOD)}", base.path)) != ""


def test_the_policy_is_honoured(base: Sandbox) -> None:
    event = _codex(_GOOD.replace("-a", "-s"), base.path / "sub")
    assert _reason(base, event, "--allow", "sub") == "", "counted from the top"
    assert "is a denied path" in _reason(base, event, "--deny", "sub")
    assert _reason(base, event, "--deny", "f") == ""
    base.git("config", "opatch.deny", ":(glob)*/f")
    assert "denied paths (opatch.deny): :(glob)*/f" in _reason(base, event)


@pytest.mark.parametrize(
    "text", [b"", b"no JSON", b"[]", b"{}", b'{"tool_input": 1}', b"[" * 100000]
)
def test_an_invalid_event_is_an_error(base: Sandbox, text: bytes) -> None:
    ran = base.opatch("agent-hook", feed=text)
    assert (ran.status, ran.out) == (128, b"")
    assert ran.err.startswith("error: standard input ")


def test_text_of_a_patch_is_escaped(base: Sandbox) -> None:
    reason = _reason(base, _codex(_STALE.replace("nowhere", "\x1b[31m\u202e"), base.path))
    assert "\\x1b[31m\\u202e" in reason


def test_the_documented_script_works(base: Sandbox) -> None:
    script = str(_TOP / "hooks/agent-pre-tool-use")
    ran = base.run(script, feed=json.dumps(_codex(_GOOD, base.path)).encode())
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    ran = base.run(script, "--deny", "f", feed=json.dumps(_codex(_GOOD, base.path)).encode())
    assert (ran.status, b'"permissionDecision": "deny"' in ran.out) == (0, True)
