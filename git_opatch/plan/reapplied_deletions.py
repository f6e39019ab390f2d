"""Detect a section that deletes a file which a recorded patch, of any text, deleted (D472)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Change
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.sentences import Fault, Reason
from git_opatch.plan.plan import Plan
from git_opatch.plan.reapplied import FORBIDDEN, is_as_left, key_of, section_of
from git_opatch.plan.recorded_deletions import Deletion, recorded_deletions
from git_opatch.plan.section import plan_sections


def deleted_before(
    patch: Patch, snapshot: Snapshot, plan: Plan, repository: Repository, options: Options
) -> list[Failure]:
    """Return a failure for each section whose file is missing, as a recorded patch deleted it.

    Those are sections that delete it, and that `plan` refuses; failures by policy take precedence.
    """
    if options.base is not None or any(each.reason in FORBIDDEN for each in plan.failures):
        return []
    missing = {section_of(each) for each in plan.failures if each.reason is Reason.MISSING_FILE}
    counts = Counter(map(key_of, patch.files))  # not all sections of a program can be told apart
    refused = [
        section
        for section in patch.files
        if section.operation is Operation.DELETE
        and key_of(section) in missing
        and counts[key_of(section)] == 1
        and _is_absent(section, snapshot, repository, options)
    ]
    paths = [section.path for section in refused]
    deletions = recorded_deletions(repository, paths, options.target) if paths else {}
    known = [section for section in refused if section.path in deletions]
    return [
        refusal(section, Fault.RECORD_APPLIED, patch=deletions[section.path].record.patch)
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
