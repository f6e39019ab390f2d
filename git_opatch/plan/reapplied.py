"""Detect a patch that was applied before, by the journal's record of it (D455).

The text alone does not say of each change whether it was made: a file that a patch deletes is
missing, as a file that never existed is; a hunk that was placed loosely does not show its outcome;
one that was placed at the first of two equal positions fits the second alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from git_opatch.git.snapshot import Snapshot
from git_opatch.journal import Record
from git_opatch.model.blob import Change
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.sentences import Fault, Reason
from git_opatch.plan.plan import Plan

FORBIDDEN = {Reason.NOT_ALLOWED, Reason.DENIED, Reason.STALE, Reason.UNSAFE_PATH}
"""The reasons by which a patch is refused whatever is applied of it."""


def recorded_sections(
    patch: Patch, record: Record, snapshot: Snapshot, plan: Plan
) -> list[Failure]:
    """Return a failure for each section whose files are as `record` of this very patch left them.

    Records of partial applies are ignored; failures by policy take precedence.
    """
    if not record.whole or any(failure.reason in FORBIDDEN for failure in plan.failures):
        return []
    changes = {change.path: change for change in record.changes}
    return [
        refusal(section, Fault.RECORD_APPLIED, patch=record.patch)
        for section in patch.files
        if _is_applied(section, changes, snapshot)
    ]


def key_of(section: FilePatch) -> tuple[str, int | str]:
    """Return the same of a section as `section_of` of its failures."""
    return section.source, section.number or section.path


def without_sections(
    files: Sequence[FilePatch], applied: Sequence[Failure]
) -> tuple[FilePatch, ...]:
    """Return `files` without the sections of the failures `applied`."""
    sections = set(map(section_of, applied))
    return tuple(file for file in files if key_of(file) not in sections)


def prefer_recorded(
    patch: Patch, failures: Sequence[Failure], applied: Sequence[Failure]
) -> list[Failure]:
    """Replace the failures of a section of `patch` by the one in `applied`; keep its order.

    A section all of whose hunks are found to be applied keeps the failures of its hunks.
    """
    other_reasons = {section_of(failure) for failure in failures if not failure.already_applied}
    all_applied = set(map(section_of, failures)) - other_reasons
    preferred = [failure for failure in applied if section_of(failure) not in all_applied]
    replaced = set(map(section_of, preferred))
    kept = [failure for failure in failures if section_of(failure) not in replaced]
    order = {key_of(file): at for at, file in enumerate(patch.files)}
    return sorted([*preferred, *kept], key=lambda failure: order.get(section_of(failure), -1))


def section_of(failure: Failure) -> tuple[str, int | str]:
    """Return the patch file, and the line in it where the section begins.

    Its path, if that has no line: a program made it.
    """
    return failure.source, failure.section_line or failure.path


def _is_applied(section: FilePatch, changes: Mapping[str, Change], snapshot: Snapshot) -> bool:
    paths = (section.old_path, section.new_path, section.alternate)
    made = [changes[path] for path in paths if path and path in changes]
    return bool(made) and all(is_as_left(change, snapshot) for change in made)


def is_as_left(change: Change, snapshot: Snapshot) -> bool:
    """Return whether the path is as `change` left it."""
    blob = snapshot.blobs.get(change.path)
    if change.new is not None:
        return blob is not None and blob.entry == change.new
    occupied = (snapshot.tracked, snapshot.folders, snapshot.unmerged, snapshot.intended)
    return blob is None and not any(change.path in paths for paths in occupied)
