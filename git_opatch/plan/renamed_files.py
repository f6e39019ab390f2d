"""Find the files of a recorded patch that have other names now (D470)."""

from __future__ import annotations

from collections.abc import Mapping

from git_opatch.git.head import commit_id
from git_opatch.git.history import new_names, renamed_since_left
from git_opatch.git.index import list_index
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
    left = {change.path: change.new for change in record.changes}
    renamed = renamed_since_left(repository, before, left)
    known = {path: renamed[path] for path in paths if path in renamed}
    others = known.keys() - _come_back(known, record, repository)
    return {path: new for path, new in known.items() if path in others}


def _come_back(renamed: Mapping[str, str], record: Record, repository: Repository) -> set[str]:
    """Return which of the `renamed` files have the name of one that the record deleted, and may be
    that file.

    They are not if they are just as the record left them, and what was deleted was not.
    """
    changes = {change.path: change for change in record.changes}
    back = {path: new for path, new in renamed.items() if new in changes}
    if not back:
        return set()
    listed = list_index(repository, sorted(back.values()), [])
    now = {each.path: each.entry for each in listed if each.stage == 0}
    return {
        path
        for path, new in back.items()
        if now.get(new) != changes[path].new or now.get(new) == changes[new].old
    }
