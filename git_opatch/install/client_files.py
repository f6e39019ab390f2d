"""The files of each client, with our part in them and without it. Reads them, and writes none.

| client | hook | skill, below |
| --- | --- | --- |
| Claude Code | `settings.local.json` in `.claude`, or `settings.json` in the user's | `.claude` |
| Codex | `hooks.json` in `.codex`, or `config.toml` if its hooks are there | `.agents` |
| OpenCode | a plugin in `.opencode` | `.opencode` |

Rules: the hooks references of Claude Code and Codex, the plugin and skills references of OpenCode,
agentskills.io. What is ours is recognized by the command, or by a line of the file.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from git_opatch.model.client import Client
from git_opatch.model.errors import InputError

_EVENT = "PreToolUse"
_HOOK = "agent-hook"
_BEGIN, _END = "# git opatch: begin", "# git opatch: end"
_BLOCK = re.compile(rf"(?:(?<=\n)\n)?{_BEGIN}\n(.*?){_END}\n", re.DOTALL)
_PLUGIN_MARK = "// git-opatch: "
_SKILL_MARK = "installed-by: git-opatch\n"


class Places(NamedTuple):
    """Where a client has what we install; `base` is the project or the user's home."""

    base: Path
    skill: Path
    hooks: Path | None = None
    """A file of hooks in JSON."""
    config: Path | None = None
    """A configuration in TOML that may have hooks, too."""
    plugin: Path | None = None


class ConfigChange(NamedTuple):
    """The text of a file before and after; None where there is no file."""

    path: Path
    old: str | None
    new: str | None


class Hook(NamedTuple):
    """A hook of ours in a file, and the command that it runs."""

    path: Path
    command: str
    group: dict[str, Any]
    """What it is in, with its matcher; empty in a plugin."""
    handler: dict[str, Any]
    key: str = ""
    """The indices of its group and of itself, as Codex writes them: `0:0`."""


def places_in(client: Client, top: Path) -> Places:
    """Return where the client has it for the project at `top`.

    Claude Code has a file for what is of one machine, as the path of the program is.
    """
    match client:
        case Client.CLAUDE:
            root = top / ".claude"
            return Places(top, _skill_in(root), hooks=root / "settings.local.json")
        case Client.CODEX:
            return _codex(top, top / ".codex", top / ".agents")
        case Client.OPENCODE:
            root = top / ".opencode"
            return Places(top, _skill_in(root), plugin=root / "plugins/git-opatch.js")


def places_of_user(client: Client, home: Path, env: Mapping[str, str]) -> Places:
    """Return where the client has it for all projects; `env` may name other directories."""
    match client:
        case Client.CLAUDE:
            root = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude")
            return Places(home, _skill_in(root), hooks=root / "settings.json")
        case Client.CODEX:
            return _codex(home, Path(env.get("CODEX_HOME") or home / ".codex"), home / ".agents")
        case Client.OPENCODE:
            root = Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
            return Places(home, _skill_in(root), plugin=root / "plugins/git-opatch.js")


def _codex(base: Path, root: Path, agents: Path) -> Places:
    return Places(base, _skill_in(agents), root / "hooks.json", root / "config.toml")


def _skill_in(root: Path) -> Path:
    return root / "skills/git-opatch/SKILL.md"


def plan_install(
    client: Client,
    places: Places,
    program: Sequence[str],
    hook: Sequence[str],
    has_policy: bool = False,
) -> list[ConfigChange]:
    """List the changes that install our part.

    `program` are the words that start git opatch in a shell, `hook` those that start it as a hook;
    `has_policy` is whether paths are allowed or denied, so that edits have to be looked at. Empty
    if it is installed. Raises `InputError` for a file that cannot be read or extended.
    """
    changes = [_own_file(places.skill, _SKILL_MARK, _skill(program))]
    if places.plugin:
        changes.append(_own_file(places.plugin, _PLUGIN_MARK, _plugin(hook)))
    elif places.config and _has_hooks(places.config) and not _has_hooks_file(places):
        changes.append(_toml_with_hook(places.config, _matcher(client), hook))
    elif places.hooks:
        changes.append(_json_with_hook(client, places.hooks, hook, has_policy=has_policy))
    return [change for change in changes if change.old != change.new]


def _matcher(client: Client, *, has_policy: bool = False) -> str:
    """Return which tools the hook is asked about: the fewest, as each call of theirs takes time."""
    tools = ["apply_patch"] if client is Client.CODEX else []
    edits = ["Edit", "MultiEdit", "Write", "NotebookEdit"]
    return "|".join([*tools, "Bash", *edits * (has_policy and client is Client.CLAUDE)])


def plan_removal(places: Places) -> list[ConfigChange]:
    """List the changes that take our part out, and nothing else. Raises as `plan_install`."""
    changes = [_own_file(places.skill, _SKILL_MARK, None)]
    if places.plugin:
        changes.append(_own_file(places.plugin, _PLUGIN_MARK, None))
    if places.config:
        old = read_text(places.config)
        changes.append(ConfigChange(places.config, old, _BLOCK.sub("", old) if old else old))
    if places.hooks:
        changes.append(_json_without_hook(places.hooks))
    return [change for change in changes if change.old != change.new]


def installed_hooks(places: Places) -> Iterator[Hook]:
    """Yield each hook of ours in the configuration. Raises `InputError` for an unreadable file."""
    if places.hooks:
        yield from _ours(read_json(places.hooks), places.hooks)
    if places.config:
        yield from _ours(read_toml(places.config), places.config)
    text = read_text(places.plugin) if places.plugin else None
    if places.plugin and text and (line := re.search(r"(?m)^const PROGRAM = (\[.*\])$", text)):
        yield Hook(places.plugin, hook_command(json.loads(line[1])), {}, {})


def hook_command(program: Sequence[str], arguments: Sequence[str] = ()) -> str:
    """Spell the command of the hook, as a shell reads it."""
    return shlex.join([*program, _HOOK, *arguments])


def _own_file(path: Path, mark: str, new: str | None) -> ConfigChange:
    """Change a file that is ours as a whole. Raises `InputError` if it is not."""
    old = read_text(path)
    if old is not None and mark not in old:
        raise InputError(f"`{path}` is not a file of git opatch; it was left as it is")
    return ConfigChange(path, old, new)


def _skill(program: Sequence[str]) -> str:
    directory = files("git_opatch")
    prompt = "".join((directory / f"prompts/{name}.md").read_text("utf-8") for name in
                     ("envelope", "rules"))  # fmt: skip
    text = (directory / "install/skill.md").read_text("utf-8")
    return text.replace("@PROMPT@", prompt).replace("@PROGRAM@", shlex.join(program))


def _plugin(program: Sequence[str]) -> str:
    text = (files("git_opatch") / "install/opencode.js").read_text("utf-8")
    line = f"const PROGRAM = {json.dumps(list(program))}"
    return text.replace('const PROGRAM = ["git-opatch"]', line)


def _json_with_hook(
    client: Client, path: Path, program: Sequence[str], *, has_policy: bool
) -> ConfigChange:
    value = read_json(path)
    own = [_matcher(client, has_policy=edits) for edits in (False, True)]
    hooks = list(_ours(value, path))
    for hook in hooks:
        arguments = _arguments(hook.command) or []
        hook.handler["command"] = hook_command(program, arguments)
        if hook.group.get("matcher") in own:
            hook.group["matcher"] = own[has_policy or bool(arguments)]
    if not hooks:
        handler = {"type": "command", "command": hook_command(program)}
        groups = value.setdefault("hooks", {}).setdefault(_EVENT, [])
        groups.append({"matcher": own[has_policy], "hooks": [handler]})
    return _json_change(path, value)


def _json_without_hook(path: Path) -> ConfigChange:
    value = read_json(path)
    for hook in list(_ours(value, path)):
        hook.group["hooks"].remove(hook.handler)
        if not hook.group["hooks"]:
            value["hooks"][_EVENT].remove(hook.group)
        if not value["hooks"][_EVENT]:
            del value["hooks"][_EVENT]
        if not value["hooks"]:
            del value["hooks"]
    return _json_change(path, value)


def _json_change(path: Path, value: Mapping[str, Any]) -> ConfigChange:
    """Write `value` as the file does; a file with nothing in it is deleted."""
    old = read_text(path)
    if value == read_json(path):
        return ConfigChange(path, old, old)
    indent = re.search(r"\n([ \t]+)", old or "")
    new = json.dumps(value, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"
    newline = "\r\n" if old and "\r\n" in old else "\n"
    return ConfigChange(path, old, new.replace("\n", newline) if value else None)


def _ours(value: Mapping[str, Any], path: Path) -> Iterator[Hook]:
    """Yield the hooks of ours in `value`. Raises `InputError` for another structure."""
    hooks = value.get("hooks", {})
    groups = hooks.get(_EVENT, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise InputError(f"`{path}` has `hooks` of another structure than the client reads")
    for number, group in enumerate(groups):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        for index, handler in enumerate(handlers if isinstance(handlers, list) else []):
            command = handler.get("command") if isinstance(handler, dict) else None
            if isinstance(command, str) and _arguments(command) is not None:
                yield Hook(path, command, group, handler, f"{number}:{index}")


def _arguments(command: str) -> list[str] | None:
    """Return the arguments of a command that is a hook of ours; None if it is not one."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if _HOOK not in words:
        return None
    at = words.index(_HOOK)
    start = words[:at]
    names = {os.path.basename(word) for word in start}
    is_ours = start == ["git", "opatch"] or not names.isdisjoint({"git-opatch", "git_opatch"})
    is_ours = is_ours or any(word.startswith("from git_opatch.") for word in start)
    return words[at + 1 :] if is_ours else None


def _has_hooks_file(places: Places) -> bool:
    return places.hooks is not None and os.path.lexists(places.hooks)


def _has_hooks(path: Path) -> bool:
    """Return whether a TOML configuration has hooks of its own; trust that is recorded there is
    none."""
    hooks = read_toml(path).get("hooks", {})
    return bool(isinstance(hooks, dict) and hooks.keys() - {"state"})


def _toml_with_hook(path: Path, matcher: str, program: Sequence[str]) -> ConfigChange:
    """Append our hook as a block of its own; comments and all else stay."""
    old = read_text(path) or ""
    hooks = list(_ours(_parse_toml(old, path), path))
    block = _BLOCK.search(old)
    if hooks and not block:
        return ConfigChange(path, old, old)
    arguments = _arguments(hooks[0].command) if hooks else None
    command = json.dumps(hook_command(program, arguments or ()), ensure_ascii=False)
    text = (
        f"{_BEGIN}\n[[hooks.{_EVENT}]]\nmatcher = {json.dumps(matcher)}\n"
        f'[[hooks.{_EVENT}.hooks]]\ntype = "command"\ncommand = {command}\n{_END}\n'
    )
    if block:
        begin = block.start() + block[0].index(_BEGIN)
        return ConfigChange(path, old, old[:begin] + text + old[block.end() :])
    new = f"{old}{'' if old.endswith(chr(10)) else chr(10)}\n{text}"
    try:
        _parse_toml(new, path)
    except InputError:
        message = f"`{path}` has hooks to which none can be appended; add this to them:\n{text}"
        raise InputError(message.rstrip("\n")) from None
    return ConfigChange(path, old, new)


def read_json(path: Path) -> dict[str, Any]:
    """Parse a file; empty if there is none. Raises `InputError` if it is not an object in JSON."""
    try:
        value = json.loads((read_text(path) or "").strip() or "{}", object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise InputError(f"`{path}` is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"`{path}` is not an object in JSON")
    return value


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object. Raises `ValueError` for two of one name, not to lose one."""
    value = dict(members)
    if len(value) < len(members):
        raise ValueError("an object has two members of one name")
    return value


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a file; empty if there is none. Raises `InputError`."""
    return _parse_toml(read_text(path) or "", path)


def _parse_toml(text: str, path: Path) -> dict[str, Any]:
    import tomllib  # which only Codex needs

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"`{path}` is not TOML: {error}") from None


def read_text(path: Path) -> str | None:
    """Read a file; None if there is none. Raises `InputError` if it is not text."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot read `{path}`: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"`{path}` is not text in UTF-8") from None
