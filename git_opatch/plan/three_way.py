"""Apply a patch that was written for an older version of a file: `--3way`.

    file versions ──▶ those that the patch fits exactly ──▶ merge aside ──▶ plan with the outcome

The file's sections are replaced by one, whose lines are merged already: they become git's own diff
between the present file and the merged one. Where nothing names the version,
the merges of all versions that fit must have the same outcome (D9).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from git_opatch.complete import Conflicts
from git_opatch.complete.tree import FileContent
from git_opatch.git.converted import has_merge_driver
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Entry, Stages
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options, ThreeWay
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.sentences import Fault, Hint
from git_opatch.plan.merge import merge, merged_content
from git_opatch.plan.plan import Plan
from git_opatch.plan.sections import plan_sections
from git_opatch.plan.versions import (
    MISMATCHES,
    MatchingVersion,
    StaleFile,
    describe,
    find_matching_versions,
    list_versions,
    stale_files,
)

_MAX_FILES = 100
_MOST_COMMITS = 5000
_MOST_SUGGESTED = 500
"""Of these, so many are read where nobody asked for a merge."""
_MAX_MERGED = 10
"""Versions of one file that are merged to see whether they agree: the newest that fit."""
_Hinted = tuple[Hint, str]
"""A hint, and the name of the version that it is about."""


class _MergedFile(NamedTuple):
    """A file that was merged.

    `content` is None if the merge changes nothing. `version` names the one that the patch was
    written for; `stages` is set if there are conflicts.
    """

    stale: StaleFile
    content: FileContent | None
    version: str
    stages: Stages | None = None

    @property
    def path(self) -> str:
        return self.stale.path

    @property
    def section(self) -> FilePatch:
        """The one section that replaces all of the file's: its lines are merged already."""
        first, *_ = sections = self.stale.sections
        modes = [each.new_mode for each in sections if each.new_mode is not None]
        is_moved = first.operation is Operation.MOVE
        return first._replace(
            old_path=self.path,
            new_path=first.new_path if is_moved else self.path,
            alternate=None,
            new_mode=modes[-1] if modes else None,
        )


def plan_three_way(
    plan: Plan,
    patch: Patch,
    snapshot: Snapshot,
    repository: Repository,
    options: Options,
) -> Plan:
    """Merge the files of `plan` that failed because the patch was written for older versions.

    With `ThreeWay.SUGGEST` the plan is kept, and its failures say which version would fit.
    """
    stale = list(islice(stale_files(plan, patch, snapshot), _MAX_FILES))
    if not stale:
        return plan
    stated = {file.path: file.stated for file in stale}
    only_suggests = options.three_way is ThreeWay.SUGGEST
    most_commits = _MOST_SUGGESTED if only_suggests else _MOST_COMMITS
    versions = list_versions(repository, stated, options.base or "HEAD", most_commits)
    merged: list[_MergedFile] = []
    hints: dict[str, _Hinted] = {}
    for file in stale:
        fitting = find_matching_versions(file, versions[file.path], repository, options)
        outcome = _merge_file(file, fitting, repository, options) if fitting else None
        if isinstance(outcome, _MergedFile):
            merged.append(outcome)
        elif outcome is not None:
            hints[file.path] = outcome
        elif not only_suggests:
            hint = Hint.PARTIAL if repository.is_partial else Hint.NO_VERSION
            hints[file.path] = (Hint.SHALLOW if repository.is_shallow else hint, "")
    if merged:
        plan = _plan_merged(merged, patch, snapshot, options, repository.algorithm)
    return plan.with_failures(_with_hints(plan.failures, hints))


def _merge_file(
    stale: StaleFile, fitting: Sequence[MatchingVersion], repository: Repository, options: Options
) -> _MergedFile | _Hinted:
    """Merge a file with the outcomes of the patch in the versions that it fits, newest first.

    Returns a hint if that is not possible, or not asked for.
    """
    ambiguous = next((match for match in fitting if match.patched is None), None)
    name = describe((ambiguous or fitting[0]).version, repository)
    if ambiguous:
        return Hint.OLDER_AMBIGUOUS, name
    if options.three_way is ThreeWay.SUGGEST:
        return Hint.OLDER_VERSION, name
    if has_merge_driver(repository, stale.path):
        return Hint.OLDER_DRIVER, name
    present = stale.present
    outcomes = {
        merge(repository, match.data, present.data, match.patched or b"")
        for match in fitting[:_MAX_MERGED]
    }
    if len(outcomes) > 1:
        return Hint.OLDER_DISAGREE, name
    (data,) = outcomes
    if data is not None:
        return _MergedFile(stale, _merged_content(stale, data, repository), name)
    in_index = options.base is None and repository.top is not None
    only_lines = all(
        section.operation is Operation.UPDATE and not section.new_mode for section in stale.sections
    )
    if present.binary or not (in_index and only_lines):  # the index has no stages for that
        return Hint.OLDER_CONFLICT, name
    patched = fitting[0].patched or b""
    marked = repository.merge_file(fitting[0].data, present.data, patched)  # merge.conflictStyle
    base = Entry(present.entry.mode, fitting[0].version.id)
    content = _merged_content(stale, marked.data, repository)
    return _MergedFile(stale, content, name, Stages(base, present.entry, patched))


def _merged_content(stale: StaleFile, data: bytes, repository: Repository) -> FileContent | None:
    """Return the present file with the lines of `data`; None if it has them already."""
    present = stale.present
    if data == present.data:
        return None
    (ranges,) = repository.differences([(present.data, data)])
    return merged_content(present.entry.mode, data, present, ranges)


def _plan_merged(
    merged: Sequence[_MergedFile],
    patch: Patch,
    snapshot: Snapshot,
    options: Options,
    algorithm: str,
) -> Plan:
    """Plan `patch` with the sections of merged files; files with conflicts are its failures."""

    def plan_files(files: Iterable[_MergedFile]) -> Plan:
        contents = {file.path: file.content for file in files if file.content}
        sections = _replace_sections(patch, merged, contents)
        if not sections:
            return Plan()
        return plan_sections(
            *(Patch(sections), snapshot, options, algorithm, contents), in_conflict=stages
        )

    stages = {file.path: file.stages for file in merged if file.stages is not None}
    clean = [file for file in merged if file.stages is None]
    plan = plan_files(clean)._replace(merged=frozenset(file.path for file in clean))
    plan = plan.with_notes(
        f"{file.path}: written for {file.version}; merged" for file in clean if file.content
    )
    applied = [_refusal(file, Fault.MERGE_APPLIED) for file in clean if file.content is None]
    if options.skip_applied:
        plan = plan._replace(skipped=(*plan.skipped, *applied))
    else:
        plan = plan.with_failures([*plan.failures, *applied])
    if stages and not plan.failures:
        whole = plan_files(merged)
        plan = plan.with_failures(whole.failures)
        if not whole.failures:
            plan = plan._replace(conflicts=Conflicts(stages, whole.completed))
    conflicts = [_refusal(file, Fault.CONFLICT) for file in merged if file.stages is not None]
    return plan.with_failures([*plan.failures, *conflicts])


def _replace_sections(
    patch: Patch, merged: Iterable[_MergedFile], kept: Collection[str]
) -> tuple[FilePatch, ...]:
    """List the sections of `patch`, with one for each of the `merged` files that are `kept`."""
    replacements: dict[int, FilePatch | None] = {}
    for file in merged:
        replacements |= dict.fromkeys(map(id, file.stale.sections))
        if file.path in kept:
            replacements[id(file.stale.sections[0])] = file.section
    sections = (replacements.get(id(section), section) for section in patch.files)
    return tuple(section for section in sections if section is not None)


def _refusal(file: _MergedFile, fault: Fault) -> Failure:
    return refusal(file.stale.sections[0], fault, version=file.version)


def _with_hints(failures: Sequence[Failure], hints: Mapping[str, _Hinted]) -> list[Failure]:
    """Add the hint on each file to the first of its failures that it can help with."""
    unused = dict(hints)
    hinted = []
    for failure in failures:
        if failure.reason in MISMATCHES and failure.path in unused:
            hint, version = unused.pop(failure.path)
            failure = failure.with_hint(hint, version=version)
        hinted.append(failure)
    return hinted
