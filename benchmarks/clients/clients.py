"""The real clients: how each is installed, configured with the hook, and started."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mock_model import MockModel, Turn

_TOP = Path(__file__).parents[2]
_PLUGIN = _TOP / "integrations/opencode/git-opatch.js"
_SECONDS = 900
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

    def __str__(self) -> str:
        return f"{self.client} {PACKAGES[self.client][1]}, {self.tool}"


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

    def __init__(self, work: Path, directory: Path, way: Way) -> None:
        self.work, self.way = work, way
        self.home, self.tree = directory / "home", directory / "tree"
        self.log = directory / "answers"
        self.log.touch()
        bin_directory = directory / "bin"
        for each in (self.home, self.tree, bin_directory):
            each.mkdir(parents=True)
        self._hook = bin_directory / "git-opatch"
        start = "from git_opatch.__main__ import main; main()"
        self._hook.write_text(
            "#!/bin/sh\n"
            "event=$(cat)\n"
            f"answer=$(printf '%s' \"$event\" | '{sys.executable}' -P -c '{start}' \"$@\")\n"
            "case=$(printf '%s' \"$event\" | grep -o 'case[0-9][0-9]' | head -n 1)\n"
            f"printf '%s %s\\n' \"$case\" \"$answer\" >> '{self.log}'\n"
            "printf '%s' \"$answer\"\n"
        )
        self._hook.chmod(0o755)
        self._environment = {
            "HOME": str(self.home),
            "PATH": f"{bin_directory}:{os.environ['PATH']}",
            "PYTHONPATH": str(_TOP),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }

    def run(self, model: MockModel, patches: Sequence[str], *, hooked: bool = True) -> list[str]:
        """Let the client apply `patches`, one after the other; return the results that it got."""
        calls = [_heredoc(patch) if self.way.in_shell else patch for patch in patches]
        model.turn = Turn(self.way.tool, self.way.argument, calls)
        configure = {
            "Codex": self._codex,
            "Claude Code": self._claude_code,
            "OpenCode": self._opencode,
        }[self.way.client]
        words, more = configure(model.port, hooked)
        program = _program(self.work, self.way.client)
        done = subprocess.run(
            [str(program), *words],
            cwd=self.tree,
            env={**self._environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        if len(model.turn.results) != len(patches):
            told = f"{len(model.turn.results)} of {len(patches)} calls were made"
            sys.exit(f"{self.way}: {told}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return model.turn.results

    def answers(self) -> dict[str, str]:
        """Return what the hook did with the patch of each case: `denied`, `completed`, `let be`."""
        lines = (line.partition(" ") for line in self.log.read_text().splitlines())
        return {case: _kind(answer) for case, _, answer in lines}

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _hooks(self, matcher: str, hooked: bool) -> str:
        command = {"type": "command", "command": f"'{self._hook}' agent-hook"}
        entries = [{"matcher": matcher, "hooks": [command]}] if hooked else []
        return json.dumps({"hooks": {"PreToolUse": entries}})

    def _codex(self, port: int, hooked: bool) -> tuple[list[str], dict[str, str]]:
        provider = {
            "name": "mock",
            "base_url": f"http://127.0.0.1:{port}/v1",
            "wire_api": "responses",
            "env_key": "MOCK_KEY",
        }
        lines = ['model = "gpt-5.5"', 'model_provider = "mock"', "[model_providers.mock]"]
        lines += [f"{key} = {json.dumps(value)}" for key, value in provider.items()]
        self._write(self.home / ".codex/config.toml", "\n".join([*lines, ""]))
        self._write(self.home / ".codex/hooks.json", self._hooks("apply_patch|Bash", hooked))
        flags = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        return ["exec", *flags, "go"], {"MOCK_KEY": "dummy"}

    def _claude_code(self, port: int, hooked: bool) -> tuple[list[str], dict[str, str]]:
        self._write(self.home / ".claude/settings.json", self._hooks("Bash", hooked))
        return ["-p", "go", "--allowedTools", "Bash"], {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def _opencode(self, port: int, hooked: bool) -> tuple[list[str], dict[str, str]]:
        options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "dummy"}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": options,
            "models": {"gpt-5": {"name": "gpt-5", "tool_call": True}},
        }
        settings = {"model": "mock/gpt-5", "provider": {"mock": provider}, "autoupdate": False}
        directory = self.home / ".config/opencode"
        self._write(directory / "opencode.json", json.dumps(settings))
        if hooked:
            self._write(directory / "plugin/git-opatch.js", _PLUGIN.read_text())
        return ["run", "go"], {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        }


def _heredoc(patch: str) -> str:
    return f"apply_patch <<'EOF'\n{patch}EOF\n"


def _kind(answer: str) -> str:
    if not answer:
        return "let be"
    return "denied" if '"deny"' in answer else "completed"
