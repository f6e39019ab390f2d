"""The events and answers of an agent's PreToolUse hooks.

    {"hook_event_name": "PreToolUse", "cwd": DIR, "tool_name": …, "tool_input": {"command": …}}

Rules: the hooks references of Claude Code and of Codex, which have the same format. A shell's
command is a string, or a list of words; Codex gives the patch of its own `apply_patch` tool as
`command`. The answer "deny" with its reason is the same for both; to allow a call, print nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from git_opatch.model.errors import InputError
from git_opatch.parse.wrappers.shell.program import NAMES

_EVENT = "PreToolUse"
_ARGUMENTS = ("command", "input", "patch", "patchText")


class ToolCall(NamedTuple):
    """A command that an agent is about to run in `directory`."""

    argv: tuple[str, ...]
    directory: str


def read_call(event: bytes) -> ToolCall | None:
    """Read the command from an event; None for another event, or a tool without a command.

    Raises `InputError` if the text is not such an event.
    """
    try:
        fields = json.loads(event)
    except (ValueError, RecursionError):
        raise InputError("standard input is not the JSON of a PreToolUse hook") from None
    if not isinstance(fields, dict) or not isinstance(given := fields.get("tool_input"), dict):
        raise InputError("standard input has no `tool_input`, which a PreToolUse hook gets")
    argv = _argv(fields.get("tool_name"), given)
    if fields.get("hook_event_name", _EVENT) != _EVENT or argv is None:
        return None
    directory = fields.get("cwd")
    return ToolCall(argv, directory if isinstance(directory, str) and directory else ".")


def _argv(tool: object, given: Mapping[str, Any]) -> tuple[str, ...] | None:
    command = next((given[name] for name in _ARGUMENTS if name in given), None)
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return tuple(command)
    if not isinstance(command, str):
        return None
    return ("apply_patch", command) if tool in NAMES else ("bash", "-lc", command)


def denial(reason: str) -> bytes:
    """The answer that denies the call, with the reason for the model to read."""
    decision = {
        "hookEventName": _EVENT,
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return (json.dumps({"hookSpecificOutput": decision}) + "\n").encode("ascii")
