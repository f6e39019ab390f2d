"""`git opatch install-agent --check`: whether the hook of an agent would run."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from sandbox import Ran, Sandbox

from git_opatch.agent.hook_check import codex_hash
from git_opatch.install.client_files import Hook, installed_hooks, places_in
from git_opatch.model.client import Client

_START = (sys.executable, "-P", "-c", "from git_opatch.__main__ import main; main()")
_CALLED = shlex.join([*_START, "agent-hook"])
_CLIENTS = ("claude-code", "codex", "opencode")
# What Codex 0.169 says of the first hook (`codex app-server`, hooks/list, currentHash).
_COMMAND = "/tmp/G-prog agent-hook"
_HASH = "sha256:12c0e3453597a4c6566b46058b08955982ce18e818dd094994c16e05bf50021d"


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n"})
    return repo


def _install(repo: Sandbox, client: str, *options: str) -> None:
    ran = repo.direct("git-opatch", "install-agent", client, "--yes", *options)
    assert ran.status == 0, ran.err


def _check(repo: Sandbox, *words: str, cwd: Path | None = None) -> Ran:
    ran = repo.opatch("install-agent", "--check", *words, cwd=cwd)
    assert ran.err == ""
    return ran


def _trust(repo: Sandbox, home: Path, digest: str) -> None:
    key = f"{repo.path}/.codex/hooks.json:pre_tool_use:0:0"
    text = (
        f'[projects.{json.dumps(str(repo.path))}]\ntrust_level = "trusted"\n'
        f'[hooks.state.{json.dumps(key)}]\ntrusted_hash = "{digest}"\n'
    )
    path = home / ".codex/config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("client", ["claude-code", "opencode"])
@pytest.mark.parametrize("scope", ["--project", "--user"])
def test_a_hook_that_is_installed_would_run(base: Sandbox, client: str, scope: str) -> None:
    before = base.state()
    _install(base, client, scope)
    ran = _check(base, client)
    assert ran.status == 0
    assert ran.out.startswith(f"{client}, {scope[2:]}: would run: {_CALLED} (".encode())
    assert len(ran.out.splitlines()) == 1
    assert _check(base).out == ran.out
    base.direct("git-opatch", "install-agent", client, "--yes", "--remove", scope)
    assert base.state() == before


def test_a_hook_that_the_user_switched_off_is_found(base: Sandbox, sealed: Path) -> None:
    _install(base, "claude-code")
    (sealed / ".claude").mkdir()
    (sealed / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    ran = _check(base, "claude-code")
    assert (ran.status, b"`disableAllHooks` is set in " in ran.out) == (1, True)


def test_codex_needs_trust_in_the_project_and_in_the_hook(base: Sandbox, sealed: Path) -> None:
    _install(base, "codex")
    ran = _check(base, "codex")
    assert ran.status == 1
    assert b"  the project is not trusted: " in ran.out
    assert b"  the hook is not trusted: " in ran.out
    _trust(base, sealed, "sha256:0")
    ran = _check(base, "codex")
    assert ran.status == 1
    assert b"  the hook has changed since it was trusted" in ran.out
    assert b"project is not trusted" not in ran.out


def test_the_hash_of_trust_is_that_of_codex() -> None:
    handler = {"type": "command", "command": _COMMAND}
    group = {"matcher": "apply_patch|Bash", "hooks": [handler]}
    hook = Hook(Path("hooks.json"), _COMMAND, group, handler)
    assert codex_hash(hook) == _HASH


def test_a_trusted_hook_of_codex_would_run(base: Sandbox, sealed: Path) -> None:
    _install(base, "codex")
    (hook,) = installed_hooks(places_in(Client.CODEX, base.path))
    _trust(base, sealed, codex_hash(hook))
    ran = _check(base, "codex")
    assert (ran.status, ran.out.count(b"\n")) == (0, 1)
    config = sealed / ".codex/config.toml"
    for more, message in (
        ("[features]\nhooks = false\n", b"`features.hooks` is off"),
        ("enabled = false\n", b"the hook is not trusted"),
    ):
        text = config.read_text()
        config.write_text(text + more)
        ran = _check(base, "codex")
        assert (ran.status, message in ran.out) == (1, True)
        config.write_text(text)


def test_odd_values_are_no_hooks(base: Sandbox, sealed: Path) -> None:
    groups = [None, 1, {}, {"hooks": 1}, {"hooks": [1, {}, {"command": 1}, {"command": "'"}]}]
    base.write(".claude/settings.local.json", json.dumps({"hooks": {"PreToolUse": groups}}))
    (sealed / ".codex").mkdir()
    (sealed / ".codex/config.toml").write_text("projects = 1\nfeatures = 1\nhooks = {state = 1}\n")
    assert b"no hook is installed" in _check(base).out
    _install(base, "codex")
    assert b"the hook is not trusted" in _check(base, "codex").out
