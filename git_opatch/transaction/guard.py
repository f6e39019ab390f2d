"""Before anything is written: is the working tree what the plan takes it for?

By `lstat` alone, so that no link is followed. Git would refuse much of this, too, but
some only half-way through its writing, and some not at all: it undoes an unstaged
deletion in silence, and `git apply --check --index` creates a file that is missing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from git_opatch.blob import Change, Entry
from git_opatch.options import Target
from git_opatch.outcome import Failure, Reason
from git_opatch.paths import parents

Look = Callable[[str], int | None]
"""The mode of what is at a path; None if nothing is."""


def guard(top: Path, changes: Sequence[Change], target: Target) -> list[Failure]:
    """What stands against writing `changes` below `top`; nothing for the index alone."""
    if target is Target.CACHED:
        return []
    removed = {change.path for change in changes if change.new is None}
    look = cache(_mode)
    return [
        failure
        for change in changes
        for failure in (*_parents(top, change.path, removed, look), *_place(top, change, removed))
    ][:20]


def guard_parents(top: Path, paths: Sequence[str]) -> list[Failure]:
    """What stands against even reading `paths`: a link or another repository above them."""
    look = cache(_mode)
    return [failure for path in paths for failure in _parents(top, path, frozenset(), look, True)]


def _parents(
    top: Path, path: str, removed: Collection[str], look: Look, reading: bool = False
) -> Iterator[Failure]:
    """`look` remembers what it saw: files share their folders."""
    for parent in parents(path):
        folder = os.path.join(top, parent)
        mode = look(folder)
        if mode is None:
            return
        if stat.S_ISLNK(mode) and parent not in removed:
            message = f"`{parent}` is a symbolic link, and nothing is written through one"
            yield Failure(Reason.UNSAFE_PATH, message, path)
            return
        if not stat.S_ISDIR(mode):
            if not reading and parent not in removed:
                message = f"`{parent}` is a file, so nothing can be created below it"
                yield Failure(Reason.IN_THE_WAY, message, path)
            return
        if look(os.path.join(folder, ".git")) is not None:
            message = f"`{parent}` is another repository; patch the file from there"
            yield Failure(Reason.UNSAFE_PATH, message, path)
            return


def _place(top: Path, change: Change, removed: Collection[str]) -> Iterator[Failure]:
    mode = _mode(os.path.join(top, change.path))
    if change.old is None:
        if mode is not None and not _holds_only(top, change.path, mode, removed):
            yield Failure(
                Reason.IN_THE_WAY,
                f"{_kind(mode)} that is not tracked is in the way",
                change.path,
                advice="move it away, or add it to the index first",
            )
    elif mode is None:
        yield Failure(
            Reason.UNSTAGED,
            "is deleted in the working tree, and the deletion is not staged",
            change.path,
            advice=f"bring it back with `git restore -- {change.path}`, or use --cached",
        )
    elif not _same_type(mode, change.old):
        yield Failure(
            Reason.UNSTAGED,
            f"is {_kind(mode)} in the working tree, and something else in the index",
            change.path,
            advice="stage what is there, or use --cached",
        )


def _holds_only(top: Path, path: str, mode: int, removed: Collection[str]) -> bool:
    """Whether `path` is a folder that is gone once `removed` are, or an empty one.

    Git removes the folders that it empties, but none that is empty already below another.
    """
    if not stat.S_ISDIR(mode):
        return False
    return all(
        all(os.path.relpath(os.path.join(folder, name), top) in removed for name in names)
        and (names or folders or folder == str(top / path))
        for folder, folders, names in os.walk(top / path)
    )


def _same_type(mode: int, entry: Entry) -> bool:
    return stat.S_ISREG(mode) if entry.mode.is_file else stat.S_ISLNK(mode)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a symbolic link" if stat.S_ISLNK(mode) else "a file"


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return None
