"""A tool call that an agent is about to make, as its PreToolUse hooks are told of it.

    {"hook_event_name": "PreToolUse", "cwd": DIR, "tool_name": …, "tool_input": {"command": …}}

Rules: the hooks references of Claude Code and of Codex, which share the form. A shell's command is
a string, or a list of words; Codex gives the patch of its own `apply_patch` tool as `command`.
The answer "deny" with its reason is the same for both; an allowed call is answered by silence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from git_opatch.errors import InputError
from git_opatch.parse.frames.shell.program import NAMES

_EVENT = "PreToolUse"
_ARGUMENTS = ("command", "input", "patch", "patchText")


class ToolCall(NamedTuple):
    """A command that is about to be run in `directory`."""

    argv: tuple[str, ...]
    directory: str


def read_call(event: bytes) -> ToolCall | None:
    """The command that a hook is told of; None if it is another event, or a tool without one.

    Raises `InputError` if the text is no event at all.
    """
    try:
        told = json.loads(event)
    except (ValueError, RecursionError):
        raise InputError("standard input is not the JSON that a PreToolUse hook is given") from None
    if not isinstance(told, dict) or not isinstance(given := told.get("tool_input"), dict):
        raise InputError("standard input has no `tool_input`, as a PreToolUse hook is given it")
    argv = _argv(told.get("tool_name"), given)
    if told.get("hook_event_name", _EVENT) != _EVENT or argv is None:
        return None
    directory = told.get("cwd")
    return ToolCall(argv, directory if isinstance(directory, str) and directory else ".")


def _argv(tool: object, given: Mapping[str, Any]) -> tuple[str, ...] | None:
    said = next((given[name] for name in _ARGUMENTS if name in given), None)
    if isinstance(said, list) and all(isinstance(word, str) for word in said):
        return tuple(said)
    if not isinstance(said, str):
        return None
    return ("apply_patch", said) if tool in NAMES else ("bash", "-lc", said)


def denial(reason: str) -> bytes:
    """The answer that keeps the call from being made, and tells the model why."""
    decision = {
        "hookEventName": _EVENT,
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return (json.dumps({"hookSpecificOutput": decision}) + "\n").encode("ascii")
