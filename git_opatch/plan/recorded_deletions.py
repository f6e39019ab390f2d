"""Find the patch that deleted a file, by the journal, whatever its text was (D472)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from git_opatch.git.history import list_changes
from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.journal.patch_history import last_changes
from git_opatch.model.blob import Entry
from git_opatch.model.errors import JournalError, RepositoryError
from git_opatch.model.options import Target
from git_opatch.model.patch import Operation
from git_opatch.plan.undo import undo_patch_of
from git_opatch.transaction import state_dir

_MAX_COMMITS = 1000


class Deletion(NamedTuple):
    """The record that deleted a file, where its patch is applied, and what the file was."""

    record: Record
    target: Target
    entry: Entry


def recorded_deletions(
    repository: Repository, paths: Collection[str], target: Target
) -> dict[str, Deletion]:
    """Return what deleted each of `paths`, if that is what the journal has last of the path.

    Patches that are undone in any part of `target` do not count, and a move is not a deletion.
    """
    if not repository.has_journal:
        return {}
    last = last_changes(state_dir(repository), set(paths), target)
    gone = [each for each in last if each.change.old and each.change.new is None]
    records = {each.record.number: each.record for each in gone}
    deleted = {number: _deleted_paths(record) for number, record in records.items()}
    found = {
        change.path: Deletion(record, applied, change.old)
        for change, record, applied in gone
        if change.old and change.path in deleted[record.number]
    }
    changed = _changed_since(found, repository)
    return {path: deletion for path, deletion in found.items() if path not in changed}


def _changed_since(deletions: Mapping[str, Deletion], repository: Repository) -> Collection[str]:
    """Return the paths at which git had another file last, which is newer than the deletion."""
    versions = _last_versions(list(deletions), repository) if deletions else {}
    return [
        path
        for path, entry in versions.items()
        if entry != deletions[path].entry
        and entry != _read_tree(deletions[path].record.head, [path], repository).get(path)
    ]


def _last_versions(paths: Sequence[str], repository: Repository) -> dict[str, Entry | None]:
    """Return what `HEAD` has at each of `paths`, or else had there last, where it had a file."""
    versions = _read_tree("HEAD", paths, repository)
    gone = [path for path in paths if path not in versions]
    for _, change in list_changes(repository, gone, "HEAD", _MAX_COMMITS) if gone else ():
        versions.setdefault(change.path, change.new or change.old)
    return {path: versions[path] for path in paths if path in versions}


def _read_tree(
    commit: str, paths: Sequence[str], repository: Repository
) -> dict[str, Entry | None]:
    with suppress(RepositoryError):  # no such commit, as before the first
        return repository.list_tree(commit, paths)
    return {}


def _deleted_paths(record: Record) -> set[str | None]:
    """Return the paths that `record` deleted; none if its diff is damaged."""
    with suppress(JournalError):
        sections = undo_patch_of(record).files
        return {each.new_path for each in sections if each.operation is Operation.ADD}
    return set()
