"""Refuse to call a change applied that only the index has, where the working tree is meant, too."""

from __future__ import annotations

import os
from collections.abc import Callable, Set
from dataclasses import replace

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options, Target, ThreeWay
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.sentences import Fault
from git_opatch.plan.plan import Plan

_Hunk = tuple[str, int, int]
"""The patch file, the line in it where the section begins, and the ordinal; 0 is all of it."""


def refuse_index_only(
    plan: Plan,
    patch: Patch,
    snapshot: Snapshot,
    repository: Repository,
    options: Options,
    plan_with: Callable[[Options], Plan],
) -> Plan:
    """Refuse what is already applied in the index, and not in a working tree that differs from it.

    `plan` is for the index and the working tree; `plan_with` plans the same patch otherwise. Only
    files with unstaged changes are looked at.
    """
    applied = [each for each in (*plan.failures, *plan.skipped) if each.already_applied]
    sections = {(each.source, each.number): each for each in patch.files} if applied else {}
    differing = {
        key: section
        for key in {_hunk(failure)[:2] for failure in applied}
        if (section := sections.get(key)) and _differs(section, snapshot, repository)
    }
    if not differing:
        return plan
    in_worktree = replace(
        options,
        target=Target.WORKTREE,
        three_way=ThreeWay.OFF,
        carry=False,
        partial=False,
        skip_applied=False,
    )
    worktree = plan_with(in_worktree)
    there = {_hunk(failure) for failure in worktree.failures if failure.already_applied}
    lost = {
        _hunk(failure)
        for failure in applied
        if (section := differing.get(_hunk(failure)[:2]))
        and not _is_there(failure, section, there)
        and not _has_grown(section, snapshot, repository)
    }
    return _refuse(plan, lost) if lost else plan


def _hunk(failure: Failure) -> _Hunk:
    return failure.source, failure.section_line, failure.hunk


def _differs(section: FilePatch, snapshot: Snapshot, repository: Repository) -> bool:
    """Return whether the working tree has something else at a path of `section`."""
    top = repository.require_worktree()
    return any(
        path in snapshot.changed
        or path in snapshot.deleted
        or (path not in snapshot.blobs and os.path.lexists(top / path))
        for path in (section.old_path, section.new_path, section.alternate)
        if path
    )


def _is_there(failure: Failure, section: FilePatch, there: Set[_Hunk]) -> bool:
    """Return whether `there`, what the working tree has, has what `failure` is about."""
    source, line, ordinal = _hunk(failure)
    if {(source, line, 0), (source, line, ordinal)} & there:
        return True
    hunks = {(source, line, hunk.ordinal) for hunk in section.hunks}
    return not ordinal and bool(hunks) and hunks <= there


def _has_grown(section: FilePatch, snapshot: Snapshot, repository: Repository) -> bool:
    """Return whether the working tree's file has all lines of one that is added, and more."""
    path = section.new_path or ""
    if section.operation is not Operation.ADD or path not in snapshot.blobs:
        return False
    file = take_snapshot(repository, [path], Options(Target.WORKTREE)).blobs.get(path)
    staged = snapshot.blobs[path]
    if file is None or file.entry.mode is not staged.entry.mode:
        return False
    return not any(lines for lines, _ in repository.differences(staged.data, file.data))


def _refuse(plan: Plan, lost: Set[_Hunk]) -> Plan:
    """Return `plan` with failures that cannot be skipped for `lost`."""

    def judged(failure: Failure) -> Failure:
        is_lost = failure.already_applied and _hunk(failure) in lost
        return failure._replace(fault=Fault.APPLIED_IN_INDEX) if is_lost else failure

    skipped = tuple(each for each in plan.skipped if _hunk(each) not in lost)
    refused = [each for each in plan.skipped if _hunk(each) in lost]
    failures = map(judged, (*plan.failures, *refused))
    return plan.with_failures(failures)._replace(skipped=skipped)
