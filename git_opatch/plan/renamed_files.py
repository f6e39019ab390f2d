"""Find the files of a recorded patch that have other names now (D470)."""

from __future__ import annotations

from git_opatch.git.head import commit_id
from git_opatch.git.history import new_names, renamed_since_left
from git_opatch.git.repository import Repository
from git_opatch.journal import Record


def renamed_files(record: Record, repository: Repository) -> dict[str, str]:
    """Return the new paths, in the index, of files of `record` that were renamed since, by the old.

    By git's measure, from what the record left: so a file that it added is found, too, and one that
    was renamed in commits. Where its commit is not here any more, only those that `HEAD`'s history
    has are found.
    """
    paths = sorted(change.path for change in record.changes)
    before = commit_id(repository, record.head) if record.head else None
    if not before and (record.head or commit_id(repository, "HEAD")):
        return new_names(repository, paths)
    left = {change.path: change.new for change in record.changes if change.new is not None}
    renamed = renamed_since_left(repository, before, left)
    return {path: renamed[path] for path in paths if path in renamed}
