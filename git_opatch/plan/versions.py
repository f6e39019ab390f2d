"""Find the versions of a file that a patch fits exactly: it may have been written for one.

The `index` line of the patch names a version; the others come from HEAD, the file's history and the
journal. Their number is bounded, and so is the time. A version that a partial clone does not have
is skipped: nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from git_opatch import journal
from git_opatch.git.head import Version, abbreviated, find_blob, list_history
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry
from git_opatch.model.errors import RepositoryError
from git_opatch.model.options import Matching, Options, Tier
from git_opatch.model.patch import FilePatch, Hunk, Operation, Patch
from git_opatch.model.sentences import Reason
from git_opatch.plan.plan import Plan
from git_opatch.plan.sections import plan_sections
from git_opatch.transaction.record import state_dir

_MAX_VERSIONS = 50
"""Versions of one file, from its history."""
_MAX_RECORDS = 100
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
        return next(filter(None, (section.blobs[0] for section in self.sections)), "")


class MatchingVersion(NamedTuple):
    """A version that the patch fits exactly, its content, and that with the patch.

    `patched` is None if the patch is ambiguous in that version.
    """

    version: Version
    data: bytes
    patched: bytes | None


def stale_files(plan: Plan, patch: Patch, snapshot: Snapshot) -> Iterator[StaleFile]:
    """List the files that are worth looking for another version of.

    Their hunks do not fit, nothing else is wrong with them, and they are at most moved as well.
    """
    reasons: dict[tuple[str, int], set[Reason]] = {}
    for failure in plan.failures:
        reasons.setdefault((failure.source, failure.section_line), set()).add(failure.reason)
    by_path: dict[str, list[FilePatch]] = {failure.path: [] for failure in plan.failures}
    for section in patch.files:
        for path in section.names:
            by_path.get(path, []).append(section)
    for path in dict.fromkeys(each.path for each in plan.failures):
        present, sections = snapshot.blobs.get(path), by_path[path]
        found = set[Reason]()
        for section in sections:
            found |= reasons.get((section.source, section.number), set())
        only_misfits = bool(found - {Reason.ALREADY_APPLIED}) and found <= MISMATCHES
        is_edited = all(_is_edit(section, path, len(sections)) for section in sections)
        if present and present.entry.mode.is_file and only_misfits and is_edited:
            yield StaleFile(present, tuple(sections), bool(found & _NOT_FOUND))


def _is_edit(section: FilePatch, path: str, count: int) -> bool:
    """Return whether one of `count` sections changes lines of the file at `path`; alone it may
    move it."""
    edits = section.operation is Operation.UPDATE
    edits = edits or (section.operation is Operation.MOVE and count == 1)
    is_named = path in (section.old_path, section.alternate)
    return edits and is_named and bool(section.hunks)


def list_versions(
    repository: Repository, stated: Mapping[str, str], tip: str, most_commits: int
) -> dict[str, list[Version]]:
    """List the readable versions of each file: the one that the patch names, then newest first.

    `stated` has, for each path, the id that the patch names, or an empty string; `tip` is the
    commit whose history is read, `most_commits` commits of it.
    """
    found: dict[str, dict[str, Version]] = {path: {} for path in stated}
    for version in (
        *_of_tip(repository, list(stated), tip),
        *list_history(repository, list(stated), tip, most_commits),
        *_of_journal(repository),
    ):
        known = found.get(version.path)
        if known is not None and (version.age is None or len(known) < _MAX_VERSIONS):
            known.setdefault(version.id, version)
    for path, start in stated.items():
        blob = find_blob(repository, start) if start.strip("0") else None
        if blob is not None:
            version = found[path].pop(blob, Version(path, blob, f"blob {blob[:10]}"))
            found[path] = {blob: version._replace(is_stated=True), **found[path]}
    present = repository.present(blob for blobs in found.values() for blob in blobs)
    return {
        path: [version for blob, version in blobs.items() if blob in present]
        for path, blobs in found.items()
    }


def _of_tip(repository: Repository, paths: Sequence[str], tip: str) -> Iterator[Version]:
    """List the versions at `tip`, whichever commit made them."""
    with suppress(RepositoryError):  # no commit yet
        for path, entry in repository.list_tree(tip, paths).items():
            if entry is not None and entry.mode.is_file:
                yield Version(path, entry.id, tip)


def _of_journal(repository: Repository) -> Iterator[Version]:
    """List the versions after and before each patch that was applied here."""
    entries = (entry for _, entry in journal.entries(state_dir(repository)))
    records = (entry for entry in entries if isinstance(entry, journal.Record))
    for record in islice(records, _MAX_RECORDS):
        for side, when in ((2, "after"), (1, "before")):
            where = f"the version {when} entry {record.number} of the journal"
            entered = ((change.path, change[side]) for change in record.changes)
            for path, entry in entered:
                if isinstance(entry, Entry) and entry.mode.is_file:
                    yield Version(path, entry.id, where)


def describe(version: Version, repository: Repository) -> str:
    """Name a version for a message: "3f2c1ab (2 commits ago)"."""
    if version.age is None:
        return version.where
    ago = f"{version.age} commit{'s' * (version.age > 1)} ago" if version.age else "the last commit"
    return f"{abbreviated(repository, version.where)} ({ago})"


def find_matching_versions(
    stale: StaleFile, versions: Sequence[Version], repository: Repository, options: Options
) -> list[MatchingVersion]:
    """Return the versions that the patch fits, newest first; only the one it names if that fits."""
    tried = [
        version
        for version in versions
        if version.id != stale.present.entry.id and (stale.has_lost_hunks or version.is_stated)
    ]
    data = repository.read_blobs(version.id for version in tried)
    matching: list[MatchingVersion] = []
    for version in tried:
        found = _patched(version, data[version.id], stale, repository, options)
        matching += [found] if found else []
        if found and version.is_stated:
            break
    return matching


def _patched(
    version: Version, data: bytes, stale: StaleFile, repository: Repository, options: Options
) -> MatchingVersion | None:
    """Patch a version whose content is `data`; None if the patch does not fit it."""
    if not all(_may_fit(hunk, data) for section in stale.sections for hunk in section.hunks):
        return None
    path = stale.path
    sections = (
        each._replace(
            operation=Operation.UPDATE,
            old_path=path,
            new_path=path,
            alternate=None,
            old_mode=None,
            new_mode=None,
        )
        for each in stale.sections
    )
    strict = Matching(Tier.STRICT, can_choose=False)
    strictly = replace(options, matching=strict, partial=False, skip_applied=False)
    blob = Blob(path, Entry(stale.present.entry.mode, version.id), data)
    snapshot = Snapshot({path: blob}, frozenset({path}))
    plan = plan_sections(Patch(tuple(sections)), snapshot, strictly, repository.algorithm)
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
