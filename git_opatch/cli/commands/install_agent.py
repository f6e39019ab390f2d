"""`git opatch install-agent`: our hook and skill in the configuration of a client, or the shim."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from git_opatch import report
from git_opatch.agent.hook_check import diagnose
from git_opatch.agent.program import hook_words, program_words
from git_opatch.git.repository import Repository, find_top
from git_opatch.git.runner import GitRunner
from git_opatch.install import writing
from git_opatch.install.client_files import (
    ConfigChange,
    Places,
    places_in,
    places_of_user,
    plan_install,
    plan_removal,
)
from git_opatch.install.writing import write_change
from git_opatch.model.client import Client
from git_opatch.model.errors import UsageError
from git_opatch.model.text import visible
from git_opatch.report.terminal import show

_MAX_CHARACTERS = 2000
_NOT_WRITTEN = _WOULD_NOT_RUN = 1
_SHIM = "shim"
_CLIENTS = {"claude": Client.CLAUDE, **{client.value: client for client in Client}}
_EDITS = {
    True: "what it edits is held to opatch.allow and opatch.deny",
    False: "its edits are not looked at, as neither opatch.allow nor opatch.deny is set",
}
_PARTS = {
    Client.CLAUDE: "a hook: patches in its shell are checked, and applied by git opatch;\n"
    "    {edits}",
    Client.CODEX: "a hook: its calls of apply_patch are checked, and completed",
    Client.OPENCODE: "a plugin: its calls of apply_patch and edit are checked, and completed",
}
_SKILL = "a skill: how to write a patch, and what to do after an edit has failed"
_AFTERWARDS = {
    Client.CLAUDE: "it takes effect in new sessions of Claude Code",
    Client.CODEX: "Codex runs no hook that is not trusted: trust the project, if it asks, and the "
    "hook, in /hooks; `git opatch install-agent --check codex` says whether it would run",
    Client.OPENCODE: "it takes effect when OpenCode is started again",
}


def install_agent(
    agent: str | None = None,
    directory: str | None = None,
    project: bool = False,
    user: bool = False,
    check: bool = False,
    remove: bool = False,
    yes: bool = False,
) -> int:
    """Install the hook of git opatch, or its plugin, and a skill for an agent.

    The change of the client's files is shown first, and written after you agree. The program is
    named by an absolute path, so keep these files out of commits. --check runs what is installed
    with a patch that must be denied: clients make calls without their hook, and without a word,
    where it is not trusted or cannot be run. `install-agent shim DIR` installs a program
    `apply_patch` that runs `git opatch apply-patch`, in DIR, which should be on PATH. Exit status:
    0 done, or there is nothing to do, 1 you did not agree, or --check found what hinders a hook, or
    no hook, 128 a file cannot be read or extended, 129 usage.
    """
    if project and user:
        raise UsageError("--project and --user exclude one another")
    if check and (remove or agent == _SHIM):
        raise UsageError(f"--check and {'--remove' if remove else _SHIM} exclude one another")
    if agent not in (None, _SHIM, *_CLIENTS):
        names = ", ".join(client.value for client in Client)
        raise UsageError(f"`{visible(agent or '')}` is not one of {names}, {_SHIM}")
    if (agent == _SHIM) != (directory is not None) or (agent is None and not check):
        raise UsageError("install-agent needs claude-code, codex, opencode or shim DIR")
    if directory is not None:
        _install_shim(directory, remove=remove)
        return 0
    if check:
        return _check(_CLIENTS[agent] if agent else None)
    return _install(_CLIENTS[agent or ""], user=user, remove=remove, yes=yes)


def _install(client: Client, *, user: bool, remove: bool, yes: bool) -> int:
    places = (
        places_of_user(client, Path.home(), os.environ)
        if user
        else places_in(client, Repository().require_worktree())
    )
    has_policy = _has_policy()
    if remove:
        changes = plan_removal(places)
    else:
        changes = plan_install(client, places, program_words(), hook_words(), has_policy)
    if not changes:
        show(["nothing to remove" if remove else "already installed"], sys.stdout)
        return 0
    show([f"{client.title}, {'for all projects' if user else 'for this project'}:"], sys.stdout)
    for change in changes:
        part = _SKILL if change.path == places.skill else _PARTS[client]
        what = "is to be removed" if remove else part.format(edits=_EDITS[has_policy])
        show([visible(f"  {change.path}", _MAX_CHARACTERS), f"    {what}"], sys.stdout)
    for change in changes:
        show(_shown(change), sys.stdout)
    if not yes and not _agreed():
        show(["nothing was changed"], sys.stderr)
        return _NOT_WRITTEN
    for change in changes:
        write_change(change, places.base)
    show(["removed" if remove else "installed"], sys.stdout)
    if not remove:
        show(report.notes([_AFTERWARDS[client]]), sys.stderr)
    return 0


def _has_policy() -> bool:
    """Return whether paths are allowed or denied here by a setting, of the user or the project."""
    asked = GitRunner(".").run("config", "--get-regexp", r"^opatch\.(allow|deny)$")
    return asked.status == 0


def _shown(change: ConfigChange) -> Iterator[str]:
    """Show a change as a diff."""
    texts = (change.old, change.new)
    before, after = ("/dev/null" if text is None else str(change.path) for text in texts)
    old, new = ([] if text is None else text.removesuffix("\n").split("\n") for text in texts)
    for line in difflib.unified_diff(old, new, before, after, lineterm=""):
        yield visible(line, _MAX_CHARACTERS)


def _agreed() -> bool:
    """Ask at the terminal. Raises `UsageError` without one."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("not a terminal, so it cannot ask; `--yes` writes this change")
    sys.stderr.write("Write this? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _check(client: Client | None) -> int:
    """Say of each hook that is installed whether it would run; gives the exit status."""
    top, verdicts, has_policy = find_top(), list[bool](), _has_policy()
    for agent in [client] if client else Client:
        for scope, places in _all_places(agent, top):
            for path, command, obstacles in diagnose(
                agent, places, top if scope == "project" else None, has_policy
            ):
                verdict = "would not run as it should" if obstacles else "would run"
                line = f"{agent.value}, {scope}: {verdict}: {command} ({path})"
                lines = [line, *(f"  {why}" for why in obstacles)]
                show((visible(line, _MAX_CHARACTERS) for line in lines), sys.stdout)
                verdicts.append(not obstacles)
    if not verdicts:
        name = client.value if client else "AGENT"
        show([f"no hook is installed; to install one: git opatch install-agent {name}"], sys.stdout)
    return 0 if verdicts and all(verdicts) else _WOULD_NOT_RUN


def _all_places(client: Client, top: Path | None) -> Iterator[tuple[str, Places]]:
    if top:
        yield "project", places_in(client, top)
    yield "user", places_of_user(client, Path.home(), os.environ)


def _install_shim(directory: str, *, remove: bool) -> None:
    """Install the program `apply_patch`, or remove it, and say where a shell would not run it."""
    where = Path(os.path.abspath(os.path.expanduser(directory)))
    if not where.is_dir():
        raise UsageError(f"`{visible(directory)}` is not a directory")
    path = where / writing.NAME
    if remove:
        removed = writing.remove_shim(where)
        line = f"removed {path}" if removed else f"nothing to remove: no {path}"
        show([visible(line)], sys.stdout)
        return
    writing.install_shim(where, program_words())
    show([visible(f"installed {path}")], sys.stdout)
    program = shutil.which(writing.NAME)
    if program is None:
        note = f"{where} is not on PATH, so that a shell does not find it yet"
        show(report.notes([note]), sys.stderr)
    elif not os.path.samefile(program, path):
        note = f"{program} comes first on PATH, so that a shell runs that one"
        show(report.notes([note]), sys.stderr)
