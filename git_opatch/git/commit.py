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

from git_opatch.git.repository import Repository
from git_opatch.git.runner import run_program, user_environment

_MESSAGE = "--message="
_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")


class CommitCommand(NamedTuple):
    """The command line of a `git commit`, and its input and environment.

    `message` is the message if no option gives it, `author` the author's variables, if the patch
    is a mail. With no message at all, the editor asks for one.
    """

    options: tuple[str, ...] = ()
    message: bytes | None = None
    author: Mapping[str, str] = {}
    settings: tuple[str, ...] = ()

    @property
    def asks_for_message(self) -> bool:
        """Whether git opens an editor for the message, from which a user may leave."""
        has_message = any(option.startswith(_MESSAGE) for option in self.options)
        return self.message is None and not has_message


class CommitResult(NamedTuple):
    """How `git commit` ended; `words` are what it and the hooks printed, if that was not shown."""

    status: int
    words: str = ""


def commit(
    repository: Repository,
    command: CommitCommand,
    lock: int,
    *,
    quiet: bool = False,
    hooks: bool = True,
) -> CommitResult:
    """Commit the index. What git prints goes to standard error, or is kept if `quiet`.

    Git inherits `lock`, so that nobody takes its index away if we are killed before it ends. It
    runs no hooks unless `hooks`.
    """
    settings = (*command.settings, *(() if hooks else _NO_HOOKS))
    message = ["--file=-"] if command.message is not None else []
    done = run_program(
        ["git", *settings, "commit", "--quiet", *command.options, *message],
        repository.require_worktree(),
        _environment(repository, command),
        feed=command.message,
        show=not quiet,
        keep=(lock,),
    )
    return CommitResult(done.status, done.output.decode("utf-8", "replace"))


def manual_command(command: CommitCommand, file: Path) -> str:
    """The equivalent `git commit` command line. Writes the message, if there is one, to `file`."""
    options = [each for each in command.options if not each.startswith(_MESSAGE)]
    author = command.author
    if "GIT_AUTHOR_NAME" in author and "GIT_AUTHOR_EMAIL" in author:
        options.append(f"--author={author['GIT_AUTHOR_NAME']} <{author['GIT_AUTHOR_EMAIL']}>")
    if "GIT_AUTHOR_DATE" in author:
        options.append(f"--date={author['GIT_AUTHOR_DATE']}")
    if not command.asks_for_message:
        paragraphs = [
            each.removeprefix(_MESSAGE) for each in command.options if each.startswith(_MESSAGE)
        ]
        message = "\n\n".join(paragraphs).encode(errors="surrogateescape")
        with suppress(OSError):
            file.write_bytes(command.message or message)
            options += ["-F", str(file)]
    return shlex.join(["git", *command.settings, "commit", *options])


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
