"""`git opatch agent-hook`: the answer to a PreToolUse hook of Claude Code or Codex."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from phrases import opening, said
from sandbox import Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault, Hint

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


def _specific(answer: bytes) -> dict[str, Any]:
    specific: dict[str, Any] = json.loads(answer).get("hookSpecificOutput", {})
    return specific


def _reason(repo: Sandbox, event: object, *options: str, cwd: Path | None = None) -> str:
    """Return the reason why a call was denied; empty if it was not."""
    ran = repo.opatch("agent-hook", *options, feed=json.dumps(event).encode(), cwd=cwd)
    assert (ran.status, ran.err) == (0, "")
    if not ran.out:
        return ""
    assert ran.out.isascii()
    if {"args", "updatedInput"} & {*json.loads(ran.out), *_specific(ran.out)}:
        return ""
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
        assert lines[0].startswith(
            f"error: f: hunk 1 of 1 {said(Fault.NOTHING_FOUND.sentence, base='the working tree')}"
        ), event
        assert "nowhere 4 -nowhere" in "\n".join(lines)
        assert lines[-1] == "the patch does not apply; nothing was changed"
    assert "error: f: hunk 1" in _reason(base, _codex(_GOOD, base.path / "sub"))
    assert base.state() == before


def test_paths_are_counted_as_the_client_counts_them(base: Sandbox) -> None:
    sub = base.path / "sub"
    for good in (
        _codex(_GOOD.replace("File: f", "File: ../f"), sub),
        _codex(_GOOD.replace("File: f", f"File: {base.path}/f"), sub),
        _codex(_GOOD.replace("File: f", f"File: {base.path}/sub/../f"), base.path),
    ):
        assert _reason(base, good) == ""
    assert _reason(base, _codex(_STALE, sub)).startswith(
        f"error: f: hunk 1 of 1 {opening(Fault.NOTHING_FOUND.sentence)}"
    )
    reason = _reason(base, _codex(_STALE.replace("File: f", "File: ../f"), sub))
    assert reason.startswith("error: ../f: hunk 1 of 1")
    reason = _reason(base, _codex(_GOOD.replace("File: f", "File: sub/f"), sub), cwd=sub)
    assert reason.startswith(
        f"error: sub/f: {said(Fault.MISSING_FILE.sentence, base='the working tree')}"
    )
    assert f"{opening(Hint.SIMILAR_PATH.sentence)} `f`" in reason
    assert "git opatch" not in reason
    reason = _reason(base, _codex(_GOOD.replace("File: f", "File: nosuch"), sub))
    assert said(Hint.HERE.sentence, directory="sub") in reason


def test_a_path_through_a_link_to_the_working_tree_is_inside(base: Sandbox) -> None:
    link = base.path.parent / "link"
    link.symlink_to(base.path)
    assert _reason(base, _codex(_GOOD.replace("File: f", f"File: {link}/f"), base.path)) == ""
    assert _reason(base, _codex(_STALE.replace("File: f", f"File: {link}/f"), base.path)) != ""
    assert _reason(base, _codex(_STALE, link)) != ""


def test_files_outside_of_the_working_tree_are_not_judged(base: Sandbox) -> None:
    for outside in ("../f", "/nosuch/f", f"{base.path.parent}/f"):
        stale = _STALE.replace("File: f", f"File: {outside}")
        assert _reason(base, _codex(stale, base.path)) == "", outside
        assert _reason(base, _codex(stale, base.path), "--deny", "sub") == "", outside
        assert "error: " in _reason(base, _codex(stale, base.path), "--allow", "f"), outside
        both = stale.replace("*** End Patch\n", "") + _STALE.partition("\n")[2]
        reason = _reason(base, _codex(both, base.path))
        assert reason.startswith(
            f"error: f: hunk 1 of 1 {opening(Fault.NOTHING_FOUND.sentence)}"
        ), outside
    moved = _GOOD.replace("File: f\n", "File: f\n*** Move to: ../g\n")
    assert _reason(base, _codex(moved, base.path)) == ""


def test_a_path_outside_that_leads_inside_is_judged(base: Sandbox) -> None:
    (base.path.parent / "other").symlink_to(base.path / "sub/f")
    event = _codex(_STALE.replace("File: f", "File: ../other"), base.path)
    assert f"sub/f: {Fault.DENIED.sentence}" in _reason(base, event, "--deny", "sub")


def test_no_option_is_advised_that_a_model_cannot_use(base: Sandbox) -> None:
    base.write("f", "".join(f"{n}\n" for n in range(9)))
    patch = "*** Update File: f\n@@\n nowhere\n 3\n-4\n+b\n 5\n 6\n"
    reason = _reason(base, _codex(envelope(patch.encode()).decode(), base.path))
    assert reason
    assert "--" not in reason
    reason = _reason(base, _codex(envelope(b"*** Add File: f\n+x\n").decode(), base.path))
    assert Fault.FILE_EXISTS.advice in reason
    assert "--" not in reason


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


def test_files_of_a_repository_below_are_judged_in_it(base: Sandbox) -> None:
    nested = Sandbox(base.path / "sub/nested").init()
    nested.commit({"m": "m\n"})
    both = envelope(
        b"*** Update File: sub/nested/m\n@@\n-m\n+n\n*** Update File: f\n@@\n-a\n+b\n"
    ).decode()
    for event in (_codex(both, base.path), _claude(_heredoc(both), base.path)):
        assert _reason(base, event) == ""
    ran = base.opatch("agent-hook", feed=json.dumps(_codex(both, base.path)).encode())
    assert _specific(ran.out)["updatedInput"]["command"] == both
    stale = both.replace("-m\n", "-x\n")
    assert _reason(base, _codex(stale, base.path)).startswith("error: sub/nested/m: hunk 1 of 1 ")
    reason = _reason(base, _codex(both, base.path), "--deny", "sub/")
    assert reason.startswith(f"error: sub/nested/m: {Fault.DENIED.sentence}")
    nested.git("config", "opatch.deny", "m")
    reason = _reason(base, _codex(both, base.path))
    assert reason.startswith(f"error: sub/nested/m: {Fault.DENIED.sentence}")


def test_the_repository_of_the_call_is_checked(base: Sandbox) -> None:
    another = Sandbox(base.path.parent / "other").init()
    another.commit({"f": "nowhere\n"})
    assert _reason(base, _claude(f"cd {another.path} && {_heredoc(_STALE)}", base.path)) == ""
    assert _reason(base, _claude(f"cd {another.path} && {_heredoc(_GOOD)}", base.path)) != ""


@pytest.mark.parametrize("text", [b"no JSON", b"[" * 100000])
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
    assert (ran.status, ran.err) == (0, "")
    assert b'"updatedInput"' in ran.out
    ran = base.run(script, "--deny", "f", feed=json.dumps(_codex(_GOOD, base.path)).encode())
    assert (ran.status, b'"permissionDecision": "deny"' in ran.out) == (0, True)


def test_a_path_of_the_main_checkout_is_denied_in_a_linked_worktree(
    base: Sandbox, tmp_path: Path
) -> None:
    """By its absolute path, which an agent knows from before it was sent there."""
    linked = Sandbox(tmp_path / "linked")
    base.git("worktree", "add", "-q", str(linked.path))
    nested = base.path / "trees/nested"
    base.git("worktree", "add", "-q", str(nested))
    main = str(base.path / "f")
    patch = _GOOD.replace("File: f", f"File: {main}")
    edit = {"file_path": main, "old_string": "a", "new_string": "b"}
    events = [
        _codex(patch, linked.path),
        _claude(_heredoc(patch), linked.path / "sub"),
        {**_claude("", linked.path, "Edit"), "tool_input": edit},
        {**_claude("", nested, "Write"), "tool_input": {"file_path": main, "content": "x"}},
    ]
    for event in events:
        reason = _reason(base, event)
        assert f"error: {main}: the path is in the main working tree, and not in " in reason
        assert "did you mean `" in reason
    assert "did you mean `../f`" in _reason(base, events[1])
    for where in (base.path, tmp_path):
        assert _reason(base, _codex(patch, where)) == ""
    own = base.path / ".git/worktrees/linked/COMMIT_EDITMSG"
    for path in (tmp_path / "elsewhere", nested / "f", linked.path / "f", own):
        tool_input = {"file_path": str(path), "content": "x"}
        event = {**_claude("", linked.path, "Write"), "tool_input": tool_input}
        assert _reason(base, event) == ""
    ran = linked.opatch("apply", feed=patch.encode())
    assert (ran.status, "did you mean `f`?" in ran.err) == (1, True)
