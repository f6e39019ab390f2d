"""Find the versions of a file that a patch fits exactly: it may have been written for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry
from git_opatch.model.options import Matching, Options, Tier
from git_opatch.model.patch import FilePatch, Hunk, Operation, Patch
from git_opatch.model.sentences import Reason
from git_opatch.plan.file_versions import Version
from git_opatch.plan.plan import Plan
from git_opatch.plan.section import plan_sections

_NOT_FOUND = {Reason.NOT_FOUND, Reason.CONTRADICTED}
MISMATCHES = {*_NOT_FOUND, Reason.AMBIGUOUS, Reason.ALREADY_APPLIED}
"""Why hunks may not fit a file, though they fit another version of it."""


class StaleFile(NamedTuple):
    """A file that hunks do not fit, and all sections of the patch that name it.

    `has_lost_hunks` is whether one is not found. If all are merely ambiguous, the patch may have
    been written for this very version, unless it names another one.
    """

    present: Blob
    sections: tuple[FilePatch, ...]
    has_lost_hunks: bool

    @property
    def path(self) -> str:
        """The one of the paths that the patch names that exists."""
        return self.present.path

    @property
    def stated(self) -> str:
        """The id of the blob that the patch was written for, if it names one."""
        blobs = (section.blobs[0] for section in self.sections)
        return next(filter(None, blobs), "")


class MatchingVersion(NamedTuple):
    """A version that the patch fits exactly, its content, and that with the patch.

    `patched` is None if the patch is ambiguous in that version.
    """

    version: Version
    data: bytes
    patched: bytes | None


def stale_files(plan: Plan, patch: Patch, snapshot: Snapshot) -> Iterator[StaleFile]:
    """List the files that are worth looking for another version of."""
    reasons: dict[tuple[str, int], set[Reason]] = {}
    for failure in plan.failures:
        reasons.setdefault((failure.source, failure.section_line), set()).add(failure.reason)
    refused = {failure.path for failure in plan.failures}
    for path, sections in _sections_by_path(patch).items():
        present = snapshot.blobs.get(path) if path in refused else None
        found = {
            reason
            for section in sections
            for reason in reasons.get((section.source, section.number), ())
        }
        if present is None or not present.entry.mode.is_file or not _may_be_stale(found):
            continue
        if all(_is_edit(section, path) for section in sections) and (
            len(sections) == 1 or all(section.operation is Operation.UPDATE for section in sections)
        ):
            yield StaleFile(present, tuple(sections), bool(found & _NOT_FOUND))


def _sections_by_path(patch: Patch) -> dict[str, list[FilePatch]]:
    by_path: dict[str, list[FilePatch]] = {}
    for section in patch.files:
        for path in {section.old_path, section.new_path, section.alternate} - {None}:
            by_path.setdefault(path or "", []).append(section)
    return by_path


def _may_be_stale(reasons: set[Reason]) -> bool:
    """Return whether hunks do not fit, and nothing else is wrong."""
    return bool(reasons - {Reason.ALREADY_APPLIED}) and reasons <= MISMATCHES


def _is_edit(section: FilePatch, path: str) -> bool:
    """Return whether `section` changes lines of the file at `path`, and at most moves it as
    well."""
    if section.operation not in (Operation.UPDATE, Operation.MOVE) or section.exact_positions:
        return False
    return bool(section.hunks) and path in (section.old_path, section.alternate)


def find_matching_versions(
    stale: StaleFile, versions: Sequence[Version], repository: Repository, options: Options
) -> list[MatchingVersion]:
    """Return the versions that the patch fits, newest first; only the one it names if that fits."""
    tried = [
        version
        for version in versions
        if version.id != stale.present.entry.id and (stale.has_lost_hunks or version.stated)
    ]
    data = repository.read_blobs(version.id for version in tried)
    matching: list[MatchingVersion] = []
    for version in tried:
        found = _patched(version, data[version.id], stale, repository, options)
        if found is not None:
            matching.append(found)
            if version.stated:
                break
    return matching


def _patched(
    version: Version, data: bytes, stale: StaleFile, repository: Repository, options: Options
) -> MatchingVersion | None:
    """Patch a version whose content is `data`; None if the patch does not fit it."""
    if not all(_may_fit(hunk, data) for section in stale.sections for hunk in section.hunks):
        return None
    path = stale.present.path
    blob = Blob(path, Entry(stale.present.entry.mode, version.id), data)
    sections = tuple(
        section._replace(
            operation=Operation.UPDATE,
            old_path=path,
            new_path=path,
            alternate=None,
            old_mode=None,
            new_mode=None,
        )
        for section in stale.sections
    )
    strict = Matching(Tier.STRICT, can_choose=False)
    strictly = replace(options, matching=strict, partial=False, skip_applied=False)
    snapshot = Snapshot({path: blob}, frozenset({path}))
    plan = plan_sections(Patch(sections), snapshot, strictly, repository.algorithm, {})
    if plan.failures:
        is_ambiguous = all(failure.reason is Reason.AMBIGUOUS for failure in plan.failures)
        return MatchingVersion(version, data, None) if is_ambiguous else None
    if not all(hunk.placement.exact for hunk in plan.placed):
        return None
    return MatchingVersion(version, data, plan.completed.contents()[path])


def _may_fit(hunk: Hunk, data: bytes) -> bool:
    """Return whether a file has the lines of `hunk`, by a quick test that most versions fail.

    It ignores line endings; the planner decides.
    """
    if hunk.removed_ranges:
        return True
    lines = b"\n".join(line.text.removesuffix(b"\r") for line in hunk.preimage)
    return lines in data.replace(b"\r\n", b"\n")
