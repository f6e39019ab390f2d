"""Check before anything is written that the working tree is as the plan assumes.

By `lstat` alone, so that no link is followed. Git would refuse most of this, too, but some of it
only half-way through its writing, and some not at all: it silently undoes an unstaged deletion, and
`git apply --check --index` creates a file that is missing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from git_opatch.model.blob import Change, Entry
from git_opatch.model.failure import Failure
from git_opatch.model.options import Target
from git_opatch.model.paths import parents
from git_opatch.model.sentences import Fault

Obstacles = Callable[[str], tuple[Fault, str] | None]
"""Why nothing can be written, or read, below a directory, and the parent that prevents it."""


def guard(
    top: Path, changes: Sequence[Change], target: Target, *, has_links: bool
) -> list[Failure]:
    """List what prevents writing `changes` below `top`; nothing for the index only.

    `has_links` is whether a symbolic link is one there (`Repository.has_links`).
    """
    if target is Target.CACHED:
        return []
    removed = {change.path for change in changes if change.new is None}
    obstacles = _obstacles(top, removed)
    return [
        failure
        for change in changes
        for failure in (*_above(change.path, obstacles), *_at_path(top, change, removed, has_links))
    ][:20]


def guard_parents(top: Path, paths: Sequence[str]) -> list[Failure]:
    """List what prevents even reading `paths`: a link or another repository above them."""
    obstacles = _obstacles(top, frozenset(), reading=True)
    return [failure for path in paths for failure in _above(path, obstacles)]


def _above(path: str, obstacles: Obstacles) -> Iterator[Failure]:
    if obstacle := obstacles(path.rpartition("/")[0]):
        fault, parent = obstacle
        yield Failure(fault, path, values={"parent": parent})


def _obstacles(top: Path, removed: Collection[str], reading: bool = False) -> Obstacles:
    """A function that finds the obstacle above a path, given its directory; it is cached."""
    mode_of = cache(_mode)

    @cache
    def obstacle(directory: str) -> tuple[Fault, str] | None:
        for parent in parents(f"{directory}/"):
            mode = mode_of(f"{top}/{parent}")
            if mode is None:
                return None
            if stat.S_ISLNK(mode) and parent not in removed:
                return Fault.THROUGH_LINK, parent
            if not stat.S_ISDIR(mode):
                if reading or parent in removed:
                    return None
                return Fault.FILE_ABOVE, parent
            if mode_of(f"{top}/{parent}/.git") is not None:
                return Fault.OTHER_REPOSITORY, parent
        return None

    return obstacle


def _at_path(
    top: Path, change: Change, removed: Collection[str], has_links: bool
) -> Iterator[Failure]:
    mode = _mode(f"{top}/{change.path}")
    if change.old is None:
        if mode is not None and not _holds_only(top, change.path, mode, removed):
            yield Failure(Fault.IN_THE_WAY, change.path)
    elif mode is None:
        yield Failure(Fault.UNSTAGED_DELETION, change.path)
    elif stat.S_IFMT(mode) not in _types(change.old, has_links):
        yield Failure(Fault.OTHER_TYPE, change.path)


def _holds_only(top: Path, path: str, mode: int, removed: Collection[str]) -> bool:
    """Return whether `path` is an empty directory, or one that is gone once `removed` are.

    Git removes the directories that it empties, but none that is already empty below another.
    """
    if not stat.S_ISDIR(mode):
        return False
    return all(
        all(os.path.relpath(os.path.join(directory, name), top) in removed for name in names)
        and (names or below or directory == str(top / path))
        for directory, below, names in os.walk(top / path)
    )


def _types(entry: Entry, has_links: bool) -> Collection[int]:
    """The types of file that an entry has in the working tree (inode(7))."""
    if entry.mode.is_file:
        return [stat.S_IFREG]
    return [stat.S_IFLNK] if has_links else [stat.S_IFLNK, stat.S_IFREG]


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return None
