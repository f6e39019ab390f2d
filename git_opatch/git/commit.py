"""`git commit` as the user would call it, with the user's own hooks, editor and signature.

It has the terminal's streams, and an environment without anything of ours, which hooks would
inherit.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.output import GitResult
from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment

_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")


class CommitCommand(NamedTuple):
    """What a `git commit` is told, by its input, its command line and its environment.

    Without a message, the editor asks for one. `author` has the author's variables, if the patch is
    a mail.
    """

    message: bytes | None = None
    options: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    author: Mapping[str, str] = {}


def commit(
    repository: Repository,
    command: CommitCommand,
    lock: int,
    *,
    quiet: bool = False,
    hooks: bool = True,
) -> GitResult:
    """Commit the index. What git and hooks print goes to standard error, or is returned if `quiet`.

    Git inherits `lock`, so that nobody takes its index away if we are killed before it ends. It
    runs no hooks unless `hooks`.
    """
    settings = (*command.settings, *(() if hooks else _NO_HOOKS))
    message = ["--file=-"] if command.message is not None else []
    return run_program(
        ["git", *settings, "commit", "--quiet", *command.options, *message],
        repository.require_worktree(),
        _environment(repository, command),
        feed=command.message,
        show=not quiet,
        keep=(lock,),
    )


def manual_command(command: CommitCommand, file: Path) -> str:
    """The equivalent `git commit` command line. Writes the message, if there is one, to `file`."""
    author = [f"{name}={value}" for name, value in command.author.items()]
    words = [*(["env", *author] if author else []), "git", *command.settings, "commit"]
    words += command.options
    if command.message is not None:
        with suppress(OSError):
            file.write_bytes(command.message)
            words += ["-F", str(file)]
    return shlex.join(words)


def identity_error(repository: Repository, command: CommitCommand) -> str:
    """Git's message if it would not accept the author, committer or date; empty if it would.

    Asked beforehand, because `git commit` looks at a date only after the first hook.
    """
    top, environment = repository.require_worktree(), _environment(repository, command)
    for name in ("GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT"):
        done = run_program(["git", "var", name], top, environment, feed=b"")
        if done.status:
            return done.output.decode("utf-8", "replace")
    return ""


def _environment(repository: Repository, command: CommitCommand) -> dict[str, str]:
    """The user's environment, with paths that hold at the top of the working tree."""
    environment = {**user_environment(), **command.author}
    if "GIT_DIR" in environment or not os.path.lexists(str(repository.top) + "/.git"):
        environment["GIT_DIR"] = str(repository.git_dir)
        environment["GIT_WORK_TREE"] = str(repository.top)
    if "GIT_INDEX_FILE" in environment:
        environment["GIT_INDEX_FILE"] = str(repository.index_file)
    return environment
