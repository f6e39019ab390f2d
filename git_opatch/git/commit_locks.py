"""The locks that a dead `git commit` of ours left on HEAD and its branch (D231, D342)."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from git_opatch.git.head import Head, read_head
from git_opatch.git.index import write_tree
from git_opatch.git.integrity import COARSE
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory

_COMMIT_ID = re.compile("[0-9a-f]{40,64}")
HELD = 0.3
"""Seconds for which a lock must stay as it is; git itself waits 0.1 for one before it gives up."""


def ref_locks(repository: Repository, head: Head) -> Iterator[tuple[str, Path]]:
    """The names and the lock files of HEAD and of the branch (gitrepository-layout(5))."""
    for name in dict.fromkeys(["HEAD", head.ref]):
        output = repository.ask("rev-parse", "--path-format=absolute", "--git-path", name)
        yield name, Path(os.fsdecode(output).removesuffix("\n") + ".lock")


def lock_stamp(lock: Path) -> tuple[int, int, int] | None:
    """What changes when a lock is released and taken again; None if there is none."""
    try:
        found = os.lstat(lock)
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def remove_locks_of_commit(repository: Repository, head: str, since: int) -> None:
    """Remove the locks that our own dead `git commit` on top of `head` left on HEAD and its branch.

    No git of that run is alive, which the caller knows; it began at `since`, in nanoseconds. The
    lock of the branch must name a commit on `head`, of what the index has, and be from then. That
    of HEAD, which git takes first, goes with it (D231). Raises `RepositoryError` if git fails.
    """
    current = read_head(repository)
    locks = dict(ref_locks(repository, current))
    stamps = {lock: stamp for lock in locks.values() if (stamp := lock_stamp(lock)) is not None}
    last = locks[current.ref]
    if current.id != head or any(stamp[1] < since - COARSE for stamp in stamps.values()):
        return
    made = last.read_text("ascii", "replace").strip() if last in stamps else ""
    if not _COMMIT_ID.fullmatch(made) or not _is_commit_of_index(repository, made, head):
        return
    remove_stable_locks(repository, current, since, {"", made})


def remove_stable_locks(
    repository: Repository, head: Head, since: int, contents: Collection[str]
) -> None:
    """Remove the locks of HEAD and of the branch of `head` that nobody holds.

    All must be from `since` on, in nanoseconds, and stay as they are for longer than git holds one.
    One with other than `contents` stays.
    """
    locks = [lock for _, lock in ref_locks(repository, head)]
    stamps = {lock: stamp for lock in locks if (stamp := lock_stamp(lock)) is not None}
    if not stamps or any(stamp[1] < since - COARSE for stamp in stamps.values()):
        return
    time.sleep(HELD)
    if any(lock_stamp(lock) != stamp for lock, stamp in stamps.items()):
        return
    for lock in stamps:  # that of the branch last: it is what tells whose they are
        if lock.read_text("ascii", "replace").strip() in contents:
            lock.unlink(missing_ok=True)


def _is_commit_of_index(repository: Repository, commit: str, parent: str) -> bool:
    """Return whether a commit is of the index; also if it is not there, so that no git made it
    that is still at work.
    """
    if commit not in repository.present([commit]):
        return True
    header = repository.ask("cat-file", "commit", commit).partition(b"\n\n")[0].decode()
    lines = [line for line in header.splitlines() if line.startswith(("tree ", "parent "))]
    with scratch_directory() as directory:  # the index itself may be locked
        index = Path(directory, "index")
        shutil.copyfile(repository.index_file, index)
        tree = write_tree(repository, index)
    return lines == [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
