"""Find out whether a client's hook would run: what is configured, what hinders it, a trial (D273).

The trial runs the configured command as the client does, in a repository that is thrown away, with
the event of a patch that must be denied.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from git_opatch.git.runner import outside_environment, run_program
from git_opatch.install.client_files import (
    Hook,
    Places,
    installed_hooks,
    places_of_user,
    read_json,
    read_toml,
)
from git_opatch.model.client import Client
from git_opatch.model.errors import InputError

_PATCH = "*** Begin Patch\n*** Update File: nowhere\n@@\n-a\n+b\n*** End Patch\n"
_CODEX_SECONDS = 600
"""Codex's time limit for a hook that names none; it is part of what a person trusts."""
_TOOLS = {Client.CLAUDE: "Bash", Client.CODEX: "apply_patch", Client.OPENCODE: "apply_patch"}
"""The tool of each client that a patch is sent with."""
_MAX_CHARACTERS = 200


class Diagnosis(NamedTuple):
    """A hook that is configured, and everything that keeps it from being run, or from judging."""

    path: Path
    command: str
    obstacles: tuple[str, ...]


def diagnose(
    client: Client, places: Places, top: Path | None, has_policy: bool = False
) -> Iterator[Diagnosis]:
    """Examine each hook of ours in `places`; `top` is the project, if they are a project's.

    `has_policy` is whether paths are allowed or denied, so that edits have to be looked at. Raises
    `InputError` for a file that cannot be read.
    """
    user = places_of_user(client, Path.home(), os.environ)
    tools = [_TOOLS[client], *["Edit"] * (has_policy and client is Client.CLAUDE)]
    for hook in installed_hooks(places):
        obstacles = [f"its matcher does not match the tool {tool}: install it again"
                     for tool in tools if not _matches(hook, tool)]  # fmt: skip
        if client is Client.CLAUDE:
            obstacles += _obstacles_of_claude(user, top)
        if client is Client.CODEX:
            obstacles += _obstacles_of_codex(hook, user, top)
        yield Diagnosis(hook.path, hook.command, (*obstacles, *_try(client, hook.command)))


def _obstacles_of_claude(user: Places, top: Path | None) -> Iterator[str]:
    """Find where all hooks are switched off (settings reference, `disableAllHooks`)."""
    paths = [user.hooks] if user.hooks else []
    if top:
        paths += [top / ".claude/settings.json", top / ".claude/settings.local.json"]
    for path in paths:
        if read_json(path).get("disableAllHooks") is True:
            yield f"`disableAllHooks` is set in {path}"


def _obstacles_of_codex(hook: Hook, user: Places, top: Path | None) -> Iterator[str]:
    """Find what Codex is silent about: features, trust in the project, trust in the hook."""
    config = read_toml(user.config) if user.config else {}
    features = _table(config, "features")
    if False in (features.get("hooks"), features.get("codex_hooks")):
        yield f"`features.hooks` is off in {user.config}"
    projects = _table(config, "projects")
    trusted = [name for name in projects if _table(projects, name).get("trust_level") == "trusted"]
    if top and os.path.realpath(top) not in map(os.path.realpath, trusted):
        yield f"the project is not trusted: start Codex in it, or see `projects` in {user.config}"
    states, state = _table(config, "hooks", "state"), dict[str, Any]()
    for name in states:
        path, _, key = name.partition(":pre_tool_use:")
        if key == hook.key and os.path.realpath(path) == os.path.realpath(hook.path):
            state = {**_table(states, name)}
    if "trusted_hash" not in state or state.get("enabled") is False:
        yield "the hook is not trusted: review it in Codex with /hooks"
    elif state["trusted_hash"] != codex_hash(hook):
        yield "the hook has changed since it was trusted: review it in Codex with /hooks"


def _table(value: Any, *names: str) -> Mapping[str, Any]:
    """Return the table of that name in `value`; empty for anything else."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def codex_hash(hook: Hook) -> str:
    """Compute what Codex 0.169 records when a person trusts the hook."""
    handler = {
        "async": bool(hook.handler.get("async", False)),
        "command": hook.command,
        "timeout": hook.handler.get("timeout", _CODEX_SECONDS),
        "type": "command",
    }
    identity = {"event_name": "pre_tool_use", "hooks": [handler]}
    if hook.group.get("matcher") is not None:
        identity["matcher"] = hook.group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _matches(hook: Hook, tool: str) -> bool:
    """Return whether the matcher lets the hook see calls of `tool`."""
    matcher = hook.group.get("matcher")
    if not matcher or matcher == "*":
        return True
    try:
        return re.search(str(matcher), tool) is not None
    except re.error:
        return False


def _try(client: Client, command: str) -> Iterator[str]:
    """Run the command on a patch that must be denied, and find what is wrong with the answer."""
    words = shlex.split(command)
    if not os.path.isabs(words[0]):
        yield f"`{words[0]}` is looked up on the client's PATH, which may be another than this one"
    with tempfile.TemporaryDirectory(prefix="git-opatch-check-") as directory:
        env, top = outside_environment(), Path(directory)
        try:
            run_program(["git", "init", "--quiet"], top, env, feed=b"")
            feed = json.dumps(_event(client, directory)).encode()
            result = run_program(["sh", "-c", command], top, env, feed=feed)
        except OSError as error:
            raise InputError(f"cannot try the hook: {error.strerror}") from None
    if result.status or b'"deny"' not in result.output:
        said = result.output.decode("utf-8", "replace").strip()[:_MAX_CHARACTERS]
        yield f"it does not deny a bad patch (status {result.status}): {said or 'no output'}"


def _event(client: Client, directory: str) -> dict[str, Any]:
    """Write the event of a call of apply_patch as the client does."""
    script = f"apply_patch <<'EOF'\n{_PATCH}EOF\n"
    given, more = {
        Client.CLAUDE: ({"command": script}, {"hook_event_name": "PreToolUse"}),
        Client.CODEX: ({"command": _PATCH}, {"hook_event_name": "PreToolUse", "turn_id": "check"}),
        Client.OPENCODE: ({"patchText": _PATCH}, {"hook_event_name": "tool.execute.before"}),
    }[client]
    return {**more, "cwd": directory, "tool_name": _TOOLS[client], "tool_input": given}
