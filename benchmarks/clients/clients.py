"""The real clients: how each is installed, configured with the hook, and started."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from mock_model import Call, MockModel, Turn

from git_opatch.agent.hook_check import codex_hash
from git_opatch.install.client_files import installed_hooks, places_of_user
from git_opatch.model.client import Client

_TOP = Path(__file__).parents[2]
_START = [sys.executable, "-P", "-m", "git_opatch"]
_SERVER = [*_START, "mcp"]
_NAMES = {"Codex": Client.CODEX, "Claude Code": Client.CLAUDE, "OpenCode": Client.OPENCODE}
_SECONDS = 900
_STARTS = 5
PACKAGES = {
    "Codex": ("@openai/codex", "0.169.0"),
    "Claude Code": ("@anthropic-ai/claude-code", "2.1.197"),
    "OpenCode": ("opencode-ai", "1.18.33"),
}
_PROGRAMS = {
    "Codex": "@openai/codex*/vendor/*/bin/codex",
    "Claude Code": "@anthropic-ai/claude-code-*/claude",
    "OpenCode": "opencode-*/bin/opencode",
}


class Way(NamedTuple):
    """A way in which a client's model applies patches: with which tool, as which argument."""

    client: str
    tool: str
    argument: str

    @property
    def in_shell(self) -> bool:
        """Whether the tool is a shell, where `apply_patch` is a command."""
        return self.tool != "apply_patch"

    def call(self, patch: str, command: str = "apply_patch") -> Call:
        """Call the tool with `patch`, in a shell as the input of `command`."""
        text = f"{command} <<'EOF'\n{patch}EOF\n" if self.in_shell else patch
        more = {"description": "Apply a patch"} if self.tool in ("Bash", "bash") else {}
        return Call(self.tool, {self.argument: text, **more})

    def __str__(self) -> str:
        return f"{self.client} {PACKAGES[self.client][1]}, {self.tool}"


class EditWay(NamedTuple):
    """A tool that replaces a string in a file: of the client, or of `git opatch mcp`."""

    client: str
    tool: str
    names: Sequence[str]
    """Of the path, the old string, the new string, and whether all are replaced."""
    read: str = ""
    """The tool that has to read the file before."""
    namespace: str = ""

    def calls(self, path: str, old: str, new: str, *, every: bool) -> list[Call]:
        """Call the tool, and before it the one that reads."""
        given = dict(zip(self.names, (path, old, new, every), strict=True))
        edit = Call(self.tool, given, self.namespace)
        return [Call(self.read, {self.names[0]: path}), edit] if self.read else [edit]

    def __str__(self) -> str:
        return f"{self.client} {PACKAGES[self.client][1]}, {self.tool}"


_OURS = ("path", "old_string", "new_string", "replace_all")
EDIT_WAYS = (
    EditWay("Claude Code", "Edit", ("file_path", *_OURS[1:]), "Read"),
    EditWay("OpenCode", "edit", ("filePath", "oldString", "newString", "replaceAll"), "read"),
    EditWay("Codex", "edit", _OURS, namespace="mcp__git_opatch"),
    EditWay("Claude Code", "mcp__git-opatch__edit", _OURS),
    EditWay("OpenCode", "git-opatch_edit", _OURS),
)
WAYS = (
    Way("Codex", "apply_patch", "input"),
    Way("Codex", "exec_command", "cmd"),
    Way("Claude Code", "Bash", "command"),
    Way("OpenCode", "apply_patch", "patchText"),
    Way("OpenCode", "bash", "command"),
)


def install(work: Path) -> str:
    """Install the clients below `work` from npm's registry; return why not, empty if they are."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed"
    wanted = [f"{name}@{version}" for name, version in PACKAGES.values()]
    if not all(_program(work, client) for client in PACKAGES):
        words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(work), *wanted]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            return f"npm could not install the clients: {done.stderr.strip()[-300:]}"
    missing = [client for client in PACKAGES if not _program(work, client)]
    return f"npm installed no program of {', '.join(missing)}" if missing else ""


def _program(work: Path, client: str) -> Path | None:
    return next(iter(sorted((work / "node_modules").glob(_PROGRAMS[client]))), None)


class Session:
    """A client's home, and the working tree that it works in, below `directory`."""

    def __init__(self, work: Path, directory: Path, client: str) -> None:
        self.client = client
        self.home, self.tree = directory / "home", directory / "tree"
        self.log = directory / "answers"
        self.log.touch()
        self._program, self._directory = _program(work, client), directory
        for each in (self.home, self.tree):
            each.mkdir(parents=True)
        self._environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(_TOP),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "MOCK_KEY": "dummy",
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        }

    def install(self) -> None:
        """Install the hook, or the plugin, for the user, and let what it answers be recorded.

        In Codex the hook is trusted as a person does it, by the hash that `doctor` expects.
        """
        name = _NAMES[self.client]
        words = [*_START, "install-agent", name.value, "--user", "--yes"]
        subprocess.run(words, env=self._environment, cwd=self.tree, check=True, capture_output=True)
        places = places_of_user(name, self.home, {})
        (hook,) = installed_hooks(places)
        recorder = self._recorder(hook.command)
        text = hook.path.read_text()
        if hook.group:
            hook.path.write_text(text.replace(json.dumps(hook.command), json.dumps(recorder)))
        else:
            line = f"const PROGRAM = {json.dumps([recorder])}"
            hook.path.write_text(re.sub(r"(?m)^const PROGRAM = .*$", line, text))
        (hook,) = installed_hooks(places)
        if self.client == "Codex":
            key = json.dumps(f"{hook.path}:pre_tool_use:{hook.key}")
            trust = f'[hooks.state.{key}]\ntrusted_hash = "{codex_hash(hook)}"\n'
            self._write(self.home / ".codex/config.toml", trust)

    def _recorder(self, command: str) -> str:
        """Write a program that runs the hook as it was installed, and records the answer."""
        path = self._directory / "record"
        path.write_text(
            "#!/bin/sh\n"
            "event=$(cat)\n"
            f"answer=$(printf '%s' \"$event\" | {command}) || exit\n"
            "case=$(printf '%s' \"$event\" | grep -o 'case[0-9][0-9]' | head -n 1)\n"
            f"printf '%s %s\\n' \"$case\" \"$answer\" >> '{self.log}'\n"
            "printf '%s' \"$answer\"\n"
            ": git-opatch agent-hook\n"
        )
        path.chmod(0o755)
        recorder = self._directory / "git-opatch"
        path.rename(recorder)
        return f"{recorder} agent-hook" if self.client != "OpenCode" else str(recorder)

    def run(self, model: MockModel, steps: Sequence[Sequence[Call]]) -> list[str]:
        """Let the client's model make the calls of `steps`; return the results that it got."""
        configure: Callable[[int, str], list[str]] = {
            "Codex": self._codex,
            "Claude Code": self._claude_code,
            "OpenCode": self._opencode,
        }[self.client]
        words = configure(model.port, steps[0][0].tool)
        for _ in range(_STARTS):  # since no client waits for a server that is slow to start
            model.turn = Turn(steps)
            done = subprocess.run(
                [str(self._program), *words],
                cwd=self.tree,
                env={**self._environment, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.port}"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
            )
            if model.turn.results:
                break
        count = sum(map(len, steps))
        if len(model.turn.results) != count:
            told = f"{len(model.turn.results)} of {count} calls were made"
            offered = f"offered: {', '.join(sorted(model.turn.offered))}"
            sys.exit(
                f"{self.client}: {told}; {offered}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
            )
        return model.turn.results

    def answers(self) -> dict[str, str]:
        """Return what the hook did with the patch of each case: `denied`, `completed`, `let be`."""
        lines = (line.partition(" ") for line in self.log.read_text().splitlines())
        return {case: _kind(answer) for case, _, answer in lines}

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _codex(self, port: int, tool: str) -> list[str]:
        """Only to a model of another name it offers a server's tools without a search."""
        name = "gpt-5.5" if tool in ("apply_patch", "exec_command") else "o3"
        provider = {
            "name": "mock",
            "base_url": f"http://127.0.0.1:{port}/v1",
            "wire_api": "responses",
            "env_key": "MOCK_KEY",
        }
        lines = [f'model = "{name}"', 'model_provider = "mock"', "[model_providers.mock]"]
        lines += [f"{key} = {json.dumps(value)}" for key, value in provider.items()]
        server, *arguments = _SERVER
        lines += ["[mcp_servers.git-opatch]", f"command = {json.dumps(server)}"]
        lines += [
            f"args = {json.dumps(arguments)}",
            f"env = {{PYTHONPATH = {json.dumps(str(_TOP))}}}",
        ]
        config = self.home / ".codex/config.toml"
        trust = config.read_text() if config.exists() else ""
        at = trust.find("[hooks.state")
        self._write(config, "\n".join([*lines, trust[max(at, 0) :]]))
        return ["exec", "--dangerously-bypass-approvals-and-sandbox", "go"]

    def _claude_code(self, _port: int, _tool: str) -> list[str]:
        server, *arguments = _SERVER
        servers = {"git-opatch": {"command": server, "args": arguments}}
        self._write(self.home / "mcp.json", json.dumps({"mcpServers": servers}))
        tools = "Bash,Read,Edit,Write,mcp__git-opatch"
        words = ["--mcp-config", str(self.home / "mcp.json"), "--strict-mcp-config"]
        return ["-p", "go", "--allowedTools", tools, *words]

    def _opencode(self, port: int, tool: str) -> list[str]:
        """Only to a model of that name it offers the tool `apply_patch`."""
        options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "dummy"}
        name = "gpt-5" if tool == "apply_patch" else "mock"
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": options,
            "models": {name: {"name": name, "tool_call": True}},
        }
        settings = {
            "model": f"mock/{name}",
            "provider": {"mock": provider},
            "autoupdate": False,
            "mcp": {"git-opatch": {"type": "local", "command": _SERVER}},
        }
        directory = self.home / ".config/opencode"
        self._write(directory / "opencode.json", json.dumps(settings))
        return ["run", "go"]


def _kind(answer: str) -> str:
    if not answer:
        return "let be"
    return "denied" if '"deny"' in answer else "completed"
