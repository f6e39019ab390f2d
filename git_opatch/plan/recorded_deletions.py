"""Find the patch that deleted a file, by the journal, whatever its text was (D472)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.journal import Record
from git_opatch.journal.patch_history import last_changes
from git_opatch.model.blob import Blob, Change, Entry
from git_opatch.model.errors import JournalError, RepositoryError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.result import Failure, Reason, refusal
from git_opatch.plan.plan import Plan
from git_opatch.plan.reapplied import FORBIDDEN, applied_as, is_as_left, section_of
from git_opatch.plan.section import plan_sections
from git_opatch.plan.undo import undo_patch_of
from git_opatch.transaction import state_dir


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
    """Return the paths at which `HEAD` has a file that is newer than the deletion."""
    entries = _read_tree("HEAD", list(deletions), repository) if deletions else {}
    return [
        path
        for path, entry in entries.items()
        if entry != deletions[path].entry
        and entry != _read_tree(deletions[path].record.head, [path], repository).get(path)
    ]


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


def deleted_before(
    patch: Patch, snapshot: Snapshot, plan: Plan, repository: Repository, options: Options
) -> list[Failure]:
    """Return a failure for each section whose file is missing, as a recorded patch deleted it.

    Those are sections that delete it, and that `plan` refuses; failures by policy take precedence.
    """
    if options.base is not None or any(each.reason in FORBIDDEN for each in plan.failures):
        return []
    missing = {section_of(each) for each in plan.failures if each.reason is Reason.MISSING_FILE}
    refused = [
        section
        for section in patch.files
        if section.operation is Operation.DELETE
        and (section.source, section.number) in missing
        and _is_absent(section, snapshot, repository, options)
    ]
    paths = [section.path for section in refused]
    deletions = recorded_deletions(repository, paths, options.target) if paths else {}
    known = [section for section in refused if section.path in deletions]
    return [
        refusal(section, Reason.ALREADY_APPLIED, applied_as(deletions[section.path].record))
        for section in _that_delete(known, deletions, repository, options)
    ]


def _is_absent(
    section: FilePatch, snapshot: Snapshot, repository: Repository, options: Options
) -> bool:
    """Return whether nothing is at the path of `section`, in all of the target."""
    if not is_as_left(Change(section.path, None, None), snapshot):
        return False
    top = None if options.target is Target.CACHED else repository.require_worktree()
    return top is None or not os.path.lexists(top / section.path)


def _that_delete(
    sections: Sequence[FilePatch],
    deletions: Mapping[str, Deletion],
    repository: Repository,
    options: Options,
) -> list[FilePatch]:
    """Return those of `sections` that would delete what was deleted: if they have lines, by them.

    Where git does not have that any more, those with lines are left out.
    """
    entries = {each.path: deletions[each.path].entry for each in sections if each.has_content}
    present = repository.present(entry.id for entry in entries.values())
    data = repository.read_blobs(present)

    def deletes(section: FilePatch) -> bool:
        entry = entries.get(section.path)
        if entry is None or entry.id not in data:
            return entry is None
        before = Snapshot({section.path: Blob(section.path, entry, data[entry.id])})
        plan = plan_sections(Patch((section,)), before, options, repository.algorithm, {})
        return not plan.failures

    return [section for section in sections if deletes(section)]
