"""What a run that was killed between applying and committing leaves: a note, and then a word.

    <git-dir>/opatch/committing     HEAD's commit before, and the last record before

It is written before the outcome of the transaction stands, and removed by the same run once the
commit is made, or refused and the user told. Who finds it has the lock: that run is gone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from git_opatch import journal
from git_opatch.blob import Change
from git_opatch.branch import Head, commits_since, read_head, staged
from git_opatch.errors import JournalError
from git_opatch.repository import Repository

_NAME = "committing"


def begin(home: Path, head: Head, count: int) -> None:
    """Note that what is about to be applied will be `count` commits. Raises `OSError`."""
    noted = {"head": head.id, "count": count, "after": journal.last(home)}
    (home / _NAME).write_text(json.dumps(noted))


def end(home: Path) -> None:
    """Forget it."""
    (home / _NAME).unlink(missing_ok=True)


def is_pending(home: Path) -> bool:
    """Whether a run that was to commit was cut short here, or is at work."""
    return (home / _NAME).exists()


def finish(repository: Repository, home: Path) -> list[str]:
    """End what such a run left, and say what there is to know. The caller has the lock."""
    if not is_pending(home):
        return []
    try:
        noted = json.loads((home / _NAME).read_bytes())
        before, count, after = str(noted["head"]), int(noted["count"]), int(noted["after"])
    except (LookupError, TypeError, ValueError):  # cut short, so nothing was applied yet
        end(home)
        return []
    said = _finished(repository, home, before, count, after)
    end(home)
    return said


def _finished(repository: Repository, home: Path, before: str, count: int, after: int) -> list[str]:
    try:
        record = journal.get(home)
    except JournalError:
        return []
    if record.number <= after or record.commits:
        return []
    head = read_head(repository)
    made = [commit for commit, _ in commits_since(repository, before, head.id)][:count]
    if len(made) == count and _has(repository, made[-1], record.changes):
        journal.committed(home, record.number, made)
        return [f"an interrupted apply had made its commit: {', '.join(made)}"]
    if set(record.changes) <= set(staged(repository, head)):
        return [
            "an interrupted apply left its change staged, and not committed: `git commit`, or "
            f"`git opatch undo {record.number}`"
        ]
    return []


def _has(repository: Repository, commit: str, changes: Sequence[Change]) -> bool:
    """Whether `commit` has at each path what was applied."""
    found = repository.list_tree(commit, [change.path for change in changes])
    return all(found.get(change.path) == change.new for change in changes)
