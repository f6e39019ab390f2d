"""`git opatch install-agent`: our hook and skill in the configuration of a client."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from git_opatch import report
from git_opatch.agent.program import hook_words, program_words
from git_opatch.cli.options import option_groups
from git_opatch.git.repository import Repository
from git_opatch.install.client_files import (
    FileChange,
    Places,
    places_in,
    places_of_user,
    plan_install,
    plan_removal,
)
from git_opatch.install.writing import write_change
from git_opatch.model.client import Client
from git_opatch.model.command_line import CommandLine
from git_opatch.model.errors import UsageError
from git_opatch.model.text import visible
from git_opatch.report.terminal import show

_MAX_CHARACTERS = 2000
_NOT_WRITTEN = 1
_AFTERWARDS = {
    Client.CLAUDE: "it takes effect in new sessions of Claude Code",
    Client.CODEX: "Codex runs no hook that is not trusted: trust the project, if it asks, and the "
    "hook, in /hooks; `git opatch doctor codex` says whether it would run",
    Client.OPENCODE: "it takes effect when OpenCode is started again",
}

ClientName = Annotated[
    Client, typer.Argument(metavar="CLIENT", help="claude, codex or opencode.", show_default=False)
]
Project = Annotated[
    bool, typer.Option("--project", help="Install it for this repository (the default).")
]
User = Annotated[bool, typer.Option("--user", help="Install it for all projects of the user.")]
Remove = Annotated[bool, typer.Option("--remove", help="Take it out again, and nothing else.")]
Yes = Annotated[bool, typer.Option("-y", "--yes", help="Write the change without asking.")]


@option_groups
def install_agent(
    command: CommandLine,
    client: ClientName,
    project: Project = False,
    user: User = False,
    remove: Remove = False,
    yes: Yes = False,
) -> None:
    """Install the hook of git opatch, or its plugin, and a skill for an agent.

    The change of the client's files is shown first, and written after you agree. All else in them
    stays, byte for byte. The program is named by an absolute path, so keep these files out of
    commits. Exit status: 0 done, or there is nothing to do, 1 you did not agree, 128 a file cannot
    be read or extended, 129 usage.
    """
    if project and user:
        raise UsageError("--project and --user exclude one another")
    places = _places(client, user=user)
    if remove:
        changes = plan_removal(places)
    else:
        changes = plan_install(client, places, program_words(), hook_words())
    if not changes:
        show(["nothing to remove" if remove else "already installed"], sys.stdout)
        return
    for change in changes:
        show(_shown(change), sys.stdout)
    if not yes and not _agreed(command):
        show(["nothing was changed"], sys.stderr)
        raise typer.Exit(_NOT_WRITTEN)
    for change in changes:
        write_change(change, places.base)
    show(["removed" if remove else "installed"], sys.stdout)
    if not remove:
        show(report.notes([_AFTERWARDS[client]]), sys.stderr)


def _places(client: Client, *, user: bool) -> Places:
    if user:
        return places_of_user(client, Path.home(), os.environ)
    return places_in(client, Repository().require_worktree())


def _shown(change: FileChange) -> Iterator[str]:
    """Show a change as a diff."""
    before, after = (
        "/dev/null" if text is None else str(change.path) for text in (change.old, change.new)
    )
    old, new = ((text or "").split("\n") for text in (change.old, change.new))
    for line in difflib.unified_diff(_lines(old), _lines(new), before, after, lineterm=""):
        yield visible(line, _MAX_CHARACTERS)


def _lines(parts: Sequence[str]) -> list[str]:
    """Drop the empty piece after the last newline."""
    return list(parts[:-1] if parts[-1] == "" else parts)


def _agreed(command: CommandLine) -> bool:
    """Ask at the terminal. Raises `UsageError` without one."""
    if sys.stdin is None or not sys.stdin.isatty():
        way = f"to write this change: {command.with_option('--yes')}"
        raise UsageError(f"there is no terminal to ask at\n  {way}")
    sys.stderr.write("Write this? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
