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


def _opencode(arguments: dict[str, Any], where: Path, tool: str = "apply_patch") -> dict[str, Any]:
    """Give the event of the plugin for OpenCode."""
    return {
        "hook_event_name": "tool.execute.before",
        "cwd": str(where),
        "tool_name": tool,
        "tool_input": arguments,
    }


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
    if "deny" in json.loads(ran.out):
        (reason,) = json.loads(ran.out).values()
        return str(reason)
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


def test_calls_of_opencode_are_judged(base: Sandbox) -> None:
    before = base.state()
    for arguments, tool in (
        ({"patchText": _STALE}, "apply_patch"),
        ({"command": _heredoc(_STALE), "description": "d"}, "bash"),
    ):
        ran = base.opatch(
            "agent-hook", feed=json.dumps(_opencode(arguments, base.path, tool)).encode()
        )
        assert (ran.status, list(json.loads(ran.out))) == (0, ["deny"])
        assert f"hunk 1 of 1 {opening(Fault.NOTHING_FOUND.sentence)}" in json.loads(ran.out)["deny"]
    below = {"command": _heredoc(_GOOD), "workdir": "sub"}
    assert "f: hunk 1 of 1" in _reason(base, _opencode(below, base.path, "bash"))
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


def _edits(path: str, where: Path) -> list[dict[str, Any]]:
    """Give the events of all editing tools, which write the file `path`."""
    return [
        *(
            {**_claude("", where, tool), "tool_input": {"file_path": path, "content": "x"}}
            for tool in ("Edit", "MultiEdit", "Write")
        ),
        {**_claude("", where, "NotebookEdit"), "tool_input": {"notebook_path": path}},
        *(_opencode({"filePath": path}, where, tool) for tool in ("edit", "write")),
        _opencode({"path": path, "oldString": "", "newString": "x"}, where, "edit"),
    ]


def test_the_policy_holds_for_editing_tools(base: Sandbox) -> None:
    (base.path / "link").symlink_to("sub/f")
    paths = (f"{base.path}/sub/f", f"{base.path}/sub/new", "sub/f", f"{base.path}/link")
    for at, path in enumerate(paths):  # the first for each tool, the others for some
        for event in _edits(path, base.path)[at :: 1 + 2 * at]:
            assert _reason(base, event) == "", event
            assert Fault.DENIED.sentence in _reason(base, event, "--deny", "sub"), event
            assert _reason(base, event, "--deny", "f") == "", event
            assert Fault.NOT_ALLOWED.sentence in _reason(base, event, "--allow", "f"), event
    for event in _edits("f", base.path / "sub"):
        assert _reason(base, event, "--deny", "sub").startswith(
            f"error: f: {Fault.DENIED.sentence}"
        )
    base.git("config", "opatch.deny", "sub")
    for event in _edits(f"{base.path}/sub/f", base.path):
        assert said(Fault.DENIED.advice, origin="opatch.deny", pathspecs="sub") in _reason(
            base, event
        )


def test_editing_tools_outside_of_the_working_tree(base: Sandbox) -> None:
    outside = str(base.path.parent / "f")
    for event in _edits(outside, base.path):
        assert _reason(base, event, "--deny", "f") == "", event
        assert Fault.NOT_ALLOWED.sentence in _reason(base, event, "--allow", "f"), event
        assert _reason(base, {**event, "cwd": str(base.path.parent)}, "--deny", "f") == "", event


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
    reason = _reason(base, _codex(_GOOD.replace("File: f", "File: .git/f"), base.path))
    assert Fault.GIT_DIRECTORY.sentence in reason


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


def test_tools_of_others_are_left_alone(base: Sandbox) -> None:
    for tool in ("mcp__git-opatch__apply", "mcp__other__apply_patch", "memory", "Task"):
        for name in ("command", "patch", "input"):
            event = {**_claude("", base.path, tool), "tool_input": {name: _STALE}}
            assert _reason(base, event) == "", (tool, name)


def _gemini(command: str, where: Path) -> dict[str, Any]:
    """Give the event of Gemini CLI, according to its hooks reference."""
    return {
        "session_id": "s",
        "transcript_path": "",
        "cwd": str(where),
        "timestamp": "2026",
        "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command",
        "tool_input": {"command": command, "description": "Apply a patch"},
    }


def _copilot(arguments: object, where: Path, tool: str = "bash") -> dict[str, Any]:
    """Give the event of Copilot CLI, according to its documentation of hooks."""
    return {"timestamp": 1, "cwd": str(where), "toolName": tool, "toolArgs": arguments}


@pytest.mark.parametrize(
    ("client", "denied", "changed"),
    [
        ("gemini", "reason", "hookSpecificOutput"),
        ("copilot", "permissionDecisionReason", "modifiedArgs"),
        ("copilot, text", "permissionDecisionReason", "modifiedArgs"),
    ],
)
def test_gemini_cli_and_copilot_cli_are_answered_in_their_way(
    base: Sandbox, client: str, denied: str, changed: str
) -> None:
    def answer(patch: str) -> dict[str, Any]:
        given = {"command": _heredoc(patch)}
        event = _copilot(json.dumps(given) if "text" in client else given, base.path)
        event = _gemini(given["command"], base.path) if client == "gemini" else event
        ran = base.opatch("agent-hook", feed=json.dumps(event).encode())
        assert (ran.status, ran.err) == (0, "")
        found: dict[str, Any] = json.loads(ran.out)
        return found

    assert answer(_STALE)[denied].startswith("error: f: hunk 1 of 1 ")
    ((name, arguments),) = answer(_GOOD).items()
    assert name == changed
    assert "apply-patch" in arguments.get("tool_input", arguments)["command"]


def test_the_policy_holds_for_the_tools_of_copilot_cli(base: Sandbox) -> None:
    event = json.dumps(_copilot({"path": "f"}, base.path, "create")).encode()
    ran = base.opatch("agent-hook", "--deny", "f", feed=event)
    assert json.loads(ran.out)["permissionDecision"] == "deny"


def test_events_of_others_are_answered_with_silence(base: Sandbox) -> None:
    for event in (
        {"hookName": "preToolUse", "tool": "x"},
        {"agent_action_name": "pre_write_code", "tool_info": {"file_path": "f"}},
        {"hook_event_name": "BeforeModel", "tool_input": {"command": _STALE}},
        {},
        {"tool_input": 1},
        _copilot("no JSON", base.path),
        _copilot(None, base.path),
    ):
        assert _reason(base, event) == "", event


def test_two_members_of_one_role_are_denied(base: Sandbox) -> None:
    edit = {"oldString": "a", "newString": "b"}
    for event in (
        _opencode({"command": _GOOD, "patchText": _STALE}, base.path),
        _opencode({"file_path": "f", "filePath": "sub/f", "content": ""}, base.path, "write"),
        _opencode({"filePath": "f", **edit, "old_string": "x"}, base.path, "edit"),
        {**_codex("", base.path), "tool_input": {"command": _GOOD, "input": _STALE}},
        {
            **_claude("", base.path, "NotebookEdit"),
            "tool_input": {"file_path": "a", "notebook_path": "f", "new_source": ""},
        },
    ):
        assert "send one" in _reason(base, event), event


def test_a_nul_in_a_command_that_would_be_completed_is_denied(base: Sandbox) -> None:
    script = _heredoc(_GOOD).replace("EOF", "E\0OF")
    assert "NUL" in _reason(base, _claude(script, base.path))


def test_the_repository_of_the_call_is_checked(base: Sandbox) -> None:
    another = Sandbox(base.path.parent / "other").init()
    another.commit({"f": "nowhere\n"})
    assert _reason(base, _claude(f"cd {another.path} && {_heredoc(_STALE)}", base.path)) == ""
    assert _reason(base, _claude(f"cd {another.path} && {_heredoc(_GOOD)}", base.path)) != ""


def test_the_policy_is_honoured(base: Sandbox) -> None:
    event = _codex(_GOOD.replace("-a", "-s"), base.path / "sub")
    assert _reason(base, event, "--allow", "sub") == "", "counted from the top"
    assert Fault.DENIED.sentence in _reason(base, event, "--deny", "sub")
    assert _reason(base, event, "--deny", "f") == ""
    base.git("config", "opatch.deny", ":(glob)*/f")
    assert said(Fault.DENIED.advice, origin="opatch.deny", pathspecs=":(glob)*/f") in _reason(
        base, event
    )


@pytest.mark.parametrize("text", [b"", b"no JSON", b"[]", b"[" * 100000, b"{"])
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
