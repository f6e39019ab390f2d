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

Reasons = Callable[[str], tuple[Reason, str] | None]
"""What stands against writing, or reading, below a folder; None if nothing does."""


def guard(top: Path, changes: Sequence[Change], target: Target) -> list[Failure]:
    """What stands against writing `changes` below `top`; nothing for the index alone."""
    if target is Target.CACHED:
        return []
    removed = {change.path for change in changes if change.new is None}
    closed = _closed(top, removed)
    return [
        failure
        for change in changes
        for failure in (*_above(change.path, closed), *_place(top, change, removed))
    ][:20]


def guard_parents(top: Path, paths: Sequence[str]) -> list[Failure]:
    """What stands against even reading `paths`: a link or another repository above them."""
    closed = _closed(top, frozenset(), reading=True)
    return [failure for path in paths for failure in _above(path, closed)]


def _above(path: str, closed: Reasons) -> Iterator[Failure]:
    reason = closed(path.rpartition("/")[0])
    if reason is not None:
        yield Failure(*reason, path)


def _closed(top: Path, removed: Collection[str], reading: bool = False) -> Reasons:
    """Tells what stands against a folder; what it has seen, it remembers."""
    look = cache(_mode)

    @cache
    def closed(folder: str) -> tuple[Reason, str] | None:
        for parent in parents(f"{folder}/"):
            mode = look(f"{top}/{parent}")
            if mode is None:
                return None
            if stat.S_ISLNK(mode) and parent not in removed:
                message = f"`{parent}` is a symbolic link, and nothing is written through one"
                return Reason.UNSAFE_PATH, message
            if not stat.S_ISDIR(mode):
                if reading or parent in removed:
                    return None
                message = f"`{parent}` is a file, so nothing can be created below it"
                return Reason.IN_THE_WAY, message
            if look(f"{top}/{parent}/.git") is not None:
                message = f"`{parent}` is another repository; patch the file from there"
                return Reason.UNSAFE_PATH, message
        return None

    return closed


def _place(top: Path, change: Change, removed: Collection[str]) -> Iterator[Failure]:
    mode = _mode(f"{top}/{change.path}")
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
