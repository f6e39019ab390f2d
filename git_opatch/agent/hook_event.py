"""The events that agents send before a tool call, and the answers to them (D260).

    Claude Code, Codex:  {"hook_event_name": "PreToolUse", "cwd": DIR,
                          "tool_name": NAME, "tool_input": {…}}
    OpenCode's plugin:   {"hook_event_name": "tool.execute.before", …}, with the same members
    Gemini CLI:          {"hook_event_name": "BeforeTool", …}, with the same members
    Copilot CLI:         {"cwd": DIR, "toolName": NAME, "toolArgs": {…} or its text}

Rules: the hooks references of Claude Code, Codex, Gemini CLI and Copilot CLI (the last two by their
documentation alone), and the plugin reference of OpenCode, which
has no events in JSON: those members are ours. A shell's command is a string, or a list of words;
Codex gives the patch of its own `apply_patch` tool as `command`, OpenCode as `patchText`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from git_opatch.model.client import Client
from git_opatch.model.errors import InputError
from git_opatch.parse.shell import NAMES

_PRE_TOOL_USE = "PreToolUse"
_BEFORE = "tool.execute.before"
_BEFORE_TOOL = "BeforeTool"
_COPILOT = "preToolUse"
_EVENTS = (_PRE_TOOL_USE, _BEFORE, _BEFORE_TOOL, _COPILOT)
PATCH_TOOL = "apply_patch"
"""The tool of Codex and OpenCode that applies a patch."""
_COMMANDS = ("command", "input", "patch", "patchText")
_PATHS = ("file_path", "filePath", "path", "notebook_path")
_ROLES = (_COMMANDS, _PATHS, ("oldString", "old_string"), ("newString", "new_string"))
"""The members of a call that mean the same; a client reads one of them, which one is its affair."""
_EDITORS = frozenset(
    {"edit", "multiedit", "write", "notebookedit", "replace", "write_file", "create"}
)
_APPLYING = frozenset({*NAMES, "patch", "bash", "shell", "local_shell", "run_shell_command"})
"""The tools of the clients, in lower case. All others belong to somebody else: servers of MCP, ours
too."""


class ToolCall(NamedTuple):
    """What an agent is about to do in `directory`: run `argv`, or write the file `path`."""

    client: Client
    directory: str
    argv: tuple[str, ...]
    """The command; empty if the tool is not a shell and applies no patch."""
    path: str
    """The file that an editing tool writes; empty for a command."""
    argument: str
    """The name of the member of `arguments` that has the command or the path."""
    arguments: Mapping[str, Any]
    event: str
    """The name of the event, which says how the answer is written."""

    @property
    def twice(self) -> Sequence[str]:
        """Members of one role, if the call has several: the client reads one, and which is not
        known here."""
        given = ([name for name in role if name in self.arguments] for role in _ROLES)
        return next((names for names in given if len(names) > 1), ())

    @property
    def is_text(self) -> bool:
        """Whether the command is a string, and not a list of words."""
        return isinstance(self.arguments[self.argument], str)

    @property
    def is_patch_tool(self) -> bool:
        """Whether the command is a patch, which the client applies itself."""
        return self.is_text and self.argv[:1] == (PATCH_TOOL,)

    @property
    def edit(self) -> tuple[str, str, bool] | None:
        """The old and the new string of OpenCode's `edit`, and whether all are replaced.

        None for another call, and for one that the tool itself refuses.
        """
        old, new, every = map(self.arguments.get, ("oldString", "newString", "replaceAll"))
        is_edit = self.client is Client.OPENCODE and bool(self.path) and old not in ("", new)
        if is_edit and isinstance(old, str) and isinstance(new, str):
            return old, new, every is True
        return None


def read_call(event: bytes) -> ToolCall | None:
    """Read the call from an event; None for another event, or a tool that writes no files.

    Raises `InputError` if the text is not such an event.
    """
    try:
        fields = json.loads(event)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise InputError("standard input is not the JSON of a PreToolUse hook")
    if "toolName" in fields:
        fields = _of_copilot(fields)
    if not isinstance(given := fields.get("tool_input"), dict):
        return None
    event_name = fields.get("hook_event_name", _PRE_TOOL_USE)
    if event_name not in _EVENTS:
        return None
    client = Client.CODEX if "turn_id" in fields else Client.CLAUDE
    client = Client.OPENCODE if event_name == _BEFORE else client
    tool, directory = fields.get("tool_name"), _directory(fields, given)
    kind = tool.lower() if isinstance(tool, str) else ""
    path, argv = "", tuple[str, ...]()
    if kind in _EDITORS:
        name = next((name for name in _PATHS if isinstance(given.get(name), str)), "")
        path = given.get(name, "")
    else:
        name = next((name for name in _COMMANDS if name in given), "")
        argv = _argv(kind, given.get(name)) if kind in _APPLYING else ()
    is_call = bool(argv or path)
    return ToolCall(client, directory, argv, path, name, given, event_name) if is_call else None


def _of_copilot(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event of Copilot CLI, whose arguments may be text in JSON, with our names."""
    given = fields.get("toolArgs")
    with suppress(ValueError, RecursionError):
        given = json.loads(given) if isinstance(given, str) else given
    named = {"hook_event_name": _COPILOT, "tool_name": fields["toolName"], "tool_input": given}
    return {**fields, **named}


def _directory(fields: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Return where a call is made: below the session's directory, where the tool may say so."""
    directory, below = (
        value if isinstance(value, str) else ""
        for value in (fields.get("cwd"), given.get("workdir", given.get("dir_path")))
    )
    return os.path.join(directory or ".", below)


def _argv(kind: str, command: object) -> tuple[str, ...]:
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return tuple(command)
    if not isinstance(command, str):
        return ()
    return (PATCH_TOOL, command) if kind in (*NAMES, "patch") else ("bash", "-lc", command)


def denial(call: ToolCall, reason: str) -> bytes:
    """Return the answer that denies the call, with the reason for the model to read."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    answers: Mapping[str, Mapping[str, Any]] = {
        _BEFORE: {"deny": reason},
        _BEFORE_TOOL: {"decision": "deny", "reason": reason},
        _COPILOT: decision,
        _PRE_TOOL_USE: {"hookSpecificOutput": {"hookEventName": _PRE_TOOL_USE, **decision}},
    }
    return _encode(answers[call.event])


def rewriting(call: ToolCall, changed: Mapping[str, object]) -> bytes:
    """Return the answer that lets the call be made with other arguments: those of `changed`.

    Codex takes a changed input only with "allow", which says nothing there of the user's approval;
    in Claude Code that word skips the user's approval, and is not needed (D261).
    """
    arguments = {**call.arguments, **changed}
    allow = {"permissionDecision": "allow"} if call.client is Client.CODEX else {}
    output = {"hookEventName": _PRE_TOOL_USE, **allow, "updatedInput": arguments}
    answers: Mapping[str, Mapping[str, Any]] = {
        _BEFORE: {"args": arguments},
        _BEFORE_TOOL: {"hookSpecificOutput": {"tool_input": arguments}},
        _COPILOT: {"modifiedArgs": arguments},
        _PRE_TOOL_USE: {"hookSpecificOutput": output},
    }
    return _encode(answers[call.event])


def _encode(answer: Mapping[str, Any]) -> bytes:
    return (json.dumps(answer) + "\n").encode("ascii")
