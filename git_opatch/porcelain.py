"""`git commit` as the user would call it, with the user's own hooks, editor and signature.

The one command of git that is not asked through `Repository`: it has the terminal's streams, and
an environment without anything of ours, which hooks would inherit.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch.repository import Repository

_MESSAGE = "--message="
_NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


class Order(NamedTuple):
    """What `git commit` is told: its options, the message if none of them has it, who wrote the
    change if no option says it, and settings of git's. Without a message, the editor asks."""

    options: tuple[str, ...] = ()
    message: bytes | None = None
    author: Mapping[str, str] = {}
    settings: tuple[str, ...] = ()


class Ended(NamedTuple):
    """How it ended; `words` are what it and the hooks said, if that was not shown."""

    status: int
    words: str = ""


def commit(
    repository: Repository,
    order: Order,
    lock: int,
    *,
    index: Path | None = None,
    quiet: bool = False,
) -> Ended:
    """Commit the index, or `index`. All it says goes to standard error, or is kept if `quiet`.

    It inherits `lock`: if we are killed, nobody takes its index away before it has ended.
    """
    message = ["--file=-"] if order.message is not None else []
    done = subprocess.run(
        ["git", *order.settings, "commit", "--quiet", *order.options, *message],
        cwd=repository.top,
        env=_environment(repository, order, index),
        input=order.message,
        stdout=subprocess.PIPE if quiet else sys.stderr.fileno(),
        stderr=subprocess.STDOUT if quiet else None,
        pass_fds=(lock,),
        check=False,
    )
    return Ended(done.returncode, (done.stdout or b"").decode("utf-8", "replace"))


def by_hand(order: Order, file: Path) -> str:
    """The command by which a user commits as `order` says; `file` takes a message that is no
    option."""
    said = [one.removeprefix(_MESSAGE) for one in order.options if one.startswith(_MESSAGE)]
    message = order.message or "\n\n".join(said).encode(errors="surrogateescape")
    kept = order.message is not None or b"\n" in message
    options = [one for one in order.options if not (kept and one.startswith(_MESSAGE))]
    author = order.author
    if "GIT_AUTHOR_NAME" in author and "GIT_AUTHOR_EMAIL" in author:
        options.append(f"--author={author['GIT_AUTHOR_NAME']} <{author['GIT_AUTHOR_EMAIL']}>")
    if "GIT_AUTHOR_DATE" in author:
        options.append(f"--date={author['GIT_AUTHOR_DATE']}")
    if kept:
        with suppress(OSError):
            file.write_bytes(message)
            options.append(f"--file={file}")
    return shlex.join(["git", *order.settings, "commit", *options])


def objection(repository: Repository, order: Order) -> str:
    """What git would say against who is to be named in a commit; empty for nothing.

    It is asked beforehand, since `git commit` looks at a date only after the first hook.
    """
    environment = _environment(repository, order, None)
    asked = [["git", "var", "GIT_COMMITTER_IDENT"]]
    if not any(word.startswith("--author=") for word in order.options):
        asked.append(["git", "var", "GIT_AUTHOR_IDENT"])
    said = [word for word in order.options if word.startswith(("--author=", "--date="))]
    asked += [["git", "commit", "--dry-run", "--message=m", *said]] if said else []
    for words in asked:
        ran = subprocess.run(
            words, cwd=repository.top, env=environment, capture_output=True, check=False
        )
        if ran.returncode > 1:  # 1 is a dry run of nothing
            return ran.stderr.decode("utf-8", "replace")
    dates = [word for word in said if word.startswith("--date=")]
    return _rehearsed(dates) if dates else ""


def _rehearsed(options: list[str]) -> str:
    """What `git commit` says against these options in a repository that is thrown away."""
    who = ("-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgSign=false")
    with tempfile.TemporaryDirectory(prefix="git-opatch-") as folder:
        outside = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
        git = ("git", "-C", folder, *_NO_HOOKS, *who)
        subprocess.run([*git, "init", "--quiet"], env=outside, capture_output=True, check=False)
        words = [*git, "commit", "--quiet", "--allow-empty", "--message=m", *options]
        ran = subprocess.run(words, env=outside, capture_output=True, check=False)
    return ran.stderr.decode("utf-8", "replace") if ran.returncode else ""


def _environment(repository: Repository, order: Order, index: Path | None) -> dict[str, str]:
    """The user's, with paths that hold at the top of the working tree."""
    environment = {**os.environ, **order.author}
    environment.pop("GIT_PYTHON_REFRESH", None)  # set by us, for GitPython
    if "GIT_DIR" in environment or not os.path.lexists(str(repository.top) + "/.git"):
        environment["GIT_DIR"] = str(repository.git_dir)
        environment["GIT_WORK_TREE"] = str(repository.top)
    if index is not None or "GIT_INDEX_FILE" in environment:
        environment["GIT_INDEX_FILE"] = str(index or repository.index_file)
    return environment
