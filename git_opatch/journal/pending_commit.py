"""State file for `--commit`: lets the next run detect a kill between apply and commit.

    <git-dir>/opatch/committing         HEAD before, the last record before, and when that was
    <git-dir>/opatch/committing.index   the index before `git commit`

It is written before the transaction is committed, and removed by the same run once `git commit`
succeeded, or failed and the user was informed. A later run reads it with the lock held, so the run
that wrote it has ended.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from git_opatch import journal
from git_opatch.git.commit_locks import remove_locks_of_commit
from git_opatch.git.head import Head, commits_since, read_head, staged_changes
from git_opatch.git.repository import Repository
from git_opatch.git.torn import (
    commit_files,
    remove_torn_objects,
    restore_torn_branch,
    restore_torn_index,
)
from git_opatch.model.blob import Change
from git_opatch.model.errors import JournalError
from git_opatch.model.text import visible
from git_opatch.transaction.lock import link_or_copy

_NAME, _INDEX = journal.PENDING, "committing.index"


def begin(repository: Repository, home: Path, head: Head, count: int) -> None:
    """Record that the patch being applied is to be `count` commits. Raises `OSError`."""
    after = journal.last(home)
    where = {"head": head.id, "ref": head.ref}
    state = {**where, "count": count, "after": after, "since": time.time_ns()}
    (home / _NAME).write_text(json.dumps(state))
    repository.sync([home / _NAME])


def save_index(repository: Repository, home: Path) -> None:
    """Keep the index as it is before `git commit`, which writes it anew. Raises `OSError`."""
    saved = home / _INDEX
    saved.unlink(missing_ok=True)
    link_or_copy(repository.index_file, saved)
    repository.sync([home])


def end(repository: Repository, home: Path) -> None:
    """Remove the state file, once what git has written is on the disk.

    If that fails, it is left for the next run.
    """
    if not journal.is_commit_pending(home):
        return
    with suppress(OSError):
        if state := _read(home):
            repository.sync(commit_files(repository, state.head.ref, state.since))
        (home / _NAME).unlink()
        (home / _INDEX).unlink(missing_ok=True)


class _State(NamedTuple):
    head: Head
    """HEAD before."""
    commits: int
    after: int
    """The last record before."""
    since: int
    """When the run began to write, in nanoseconds."""


def _read(home: Path) -> _State | None:
    """Read the state file; None if it was not written whole, and so nothing was applied yet."""
    try:
        state = json.loads((home / _NAME).read_bytes())
        numbers = (int(state[name]) for name in ("count", "after", "since"))
        return _State(Head(str(state["head"]), str(state["ref"])), *numbers)
    except (LookupError, TypeError, ValueError):
        return None


def _left_staged(number: int) -> str:
    return (
        "an interrupted apply left its change staged, and not committed: `git commit`, or "
        f"`git opatch undo {number}`"
    )


def finish(
    repository: Repository, home: Path, left_staged: Callable[[int], str] = _left_staged
) -> list[str]:
    """Remove what an interrupted run left; return notes on its outcome. The caller has the lock.

    `left_staged` words the last of them, if the change of a record is staged and not committed.
    """
    if not journal.is_commit_pending(home):
        return []
    state = _read(home)
    notes: list[str] = []
    if state:
        remove_torn_objects(repository, state.since)
        notes += restore_torn_branch(repository, state.head, state.since)
        notes += restore_torn_index(repository, home / _INDEX, state.head)
        notes += _finish(repository, home, state, left_staged)
    end(repository, home)
    return notes


def remove_locks(repository: Repository, home: Path) -> None:
    """Remove the locks on HEAD and the branch that our own `git commit` left when it was killed."""
    state = _read(home)
    if state is not None:
        remove_locks_of_commit(repository, state.head.id, state.since)


def index_lock_left(repository: Repository) -> str:
    """What to do about a lock of the index that a dead `git commit` may have left; empty if none.

    It is not removed, since nothing tells whose it is (D231).
    """
    lock = f"{repository.index_file}.lock"
    if not os.path.lexists(lock):
        return ""
    return f"{visible(lock)} is left: if no git is at work, remove it"


def _finish(
    repository: Repository, home: Path, state: _State, left_staged: Callable[[int], str]
) -> list[str]:
    """Record commits that were made."""
    before, count, after, since = state
    try:
        record = journal.get(home)
    except JournalError:
        return []
    if record.number <= after or record.commits:
        return []
    head = read_head(repository)
    made = [commit for commit, _ in commits_since(repository, before.id, head.id)][:count]
    if len(made) == count and _has(repository, made[-1], record.changes):
        journal.add_commits(home, record.number, made)
        return [f"an interrupted apply had made its commit: {', '.join(made)}"]
    if set(record.changes) <= set(staged_changes(repository, head.id)):
        remove_locks_of_commit(repository, before.id, since)
        left = index_lock_left(repository)
        return [*([left] if left else []), left_staged(record.number)]
    return []


def _has(repository: Repository, commit: str, changes: Sequence[Change]) -> bool:
    """Return whether `commit` has the new entry of each change."""
    found = repository.list_tree(commit, [change.path for change in changes])
    return all(found.get(change.path) == change.new for change in changes)
