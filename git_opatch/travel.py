"""A patch that was written for an older version of a file: `--3way`.

    versions ──▶ which of them does it fit, exactly? ──▶ merge aside ──▶ a section that was counted

The file's sections give way to one made of git's own diff between the present file and the merged
one, so that all that follows is as for any patch. Rule: "Time travel" in the project's decisions:
where nothing names the version, every one that fits must come to the same content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from git_opatch.blob import Stages
from git_opatch.complete import Conflicts
from git_opatch.fit import UNFIT, Fit, Stale, fits, stale_files
from git_opatch.merge import Merged, Unmerged, merge, with_conflicts
from git_opatch.options import Options, Past
from git_opatch.outcome import Failure, Reason, refusal
from git_opatch.patch import FilePatch, Hunk, Line, Mark, Operation, Patch
from git_opatch.plan import Former, Plan, make_plan
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot
from git_opatch.text import Text
from git_opatch.versions import describe, versions

_MOST_FILES = 100
_MOST_MERGED = 10
"""Versions of one file that are merged, to see whether they agree: the newest that fit."""


class _Arrival(NamedTuple):
    """What came of a file.

    `section` stands for its sections of the patch: it makes the merged content of the present one,
    and is None if that is the same. `note` says so; `stages` is for conflicts.
    """

    stale: Stale
    section: FilePatch | None
    note: str
    stages: Stages | None = None


def travel(
    plan: Plan,
    patch: Patch,
    snapshot: Snapshot,
    repository: Repository,
    options: Options,
    former: Former,
) -> Plan:
    """`plan`, or where it failed for want of the version it was written for, the plan of a merge.

    With `Past.TELL` it stays as it is, but says which version would fit.
    """
    stale = list(islice(stale_files(plan, patch, snapshot), _MOST_FILES))
    if not stale:
        return plan
    known = versions(
        repository, {one.present.path: one.stated for one in stale}, options.base or "HEAD"
    )
    arrivals: list[_Arrival] = []
    advice: dict[str, str] = {}
    for one in stale:
        found = fits(one, known[one.present.path], repository, options)
        came = _arrive(one, found, repository, options) if found else None
        if isinstance(came, _Arrival):
            arrivals.append(came)
        elif came is not None:
            advice[one.path] = came
    if arrivals:
        planner = partial(_planned, snapshot=snapshot, options=options, former=former)
        plan = _merged_plan(
            arrivals, patch, partial(planner, algorithm=repository.algorithm), options
        )
    plan.failures = _advised(plan.failures, advice)
    return plan


def _arrive(
    stale: Stale, fits: Sequence[Fit], repository: Repository, options: Options
) -> _Arrival | str:
    """Merge what fits; otherwise what is to be said of it."""
    name = describe(fits[0].version, repository)
    fitting = f"fits {stale.path} as of {name}"
    vague = [one for one in fits if not one.diff]
    if vague:
        where = describe(vague[0].version, repository)
        return f"fits {stale.path} as of {where} in several places"
    if options.past is Past.TELL:
        return f"{fitting}; try --3way"
    diffs = [one.diff for one in fits[:_MOST_MERGED]]
    merged: Merged | Unmerged | None = merge(repository, stale.present, diffs)
    if merged is Unmerged.DISAGREE:
        return f"{fitting}, and other versions, which merge to something else"
    if merged is Unmerged.CONFLICT:
        merged = _with_conflicts(stale, diffs[0], repository, options)
    if not isinstance(merged, Merged):
        return f"{fitting}, but what changed since stands against it"
    return _Arrival(stale, _counted(stale, merged), f"written for {name}", merged.stages)


def _with_conflicts(
    stale: Stale, diff: bytes, repository: Repository, options: Options
) -> Merged | None:
    """None also where the index could not say all: it has no place for a move, or a new mode."""
    in_index = options.base is None and repository.top is not None
    plain = all(one.operation is Operation.UPDATE and not one.new_mode for one in stale.sections)
    return with_conflicts(repository, stale.present, diff) if in_index and plain else None


def _counted(stale: Stale, merged: Merged) -> FilePatch | None:
    """The one section that makes the merged content of the present one; None if it is that."""
    if merged.data == stale.present.data:
        return None
    old, new = stale.present.text, Text.from_bytes(merged.data)
    hunks, shift = [], 0
    for ordinal, (gone, count) in enumerate(merged.edits, 1):
        start = gone.start + shift
        lines = (
            *_lines(Mark.REMOVED, old, gone),
            *_lines(Mark.ADDED, new, range(start, start + count)),
        )
        last = ordinal == len(merged.edits)
        hunks.append(Hunk(lines, start=gone.start, ordinal=ordinal, is_last=last))
        shift += count - len(gone)
    modes = [one.new_mode for one in stale.sections if one.new_mode is not None]
    return replace(
        stale.sections[0], hunks=tuple(hunks), counted=True, new_mode=modes[-1] if modes else None
    )


def _lines(mark: Mark, text: Text, where: range) -> list[Line]:
    return [Line(mark, text.lines[at], text.has_newline(at)) for at in where]


def _planned(
    files: Sequence[FilePatch],
    *,
    snapshot: Snapshot,
    options: Options,
    algorithm: str,
    former: Former,
) -> Plan:
    return make_plan(Patch(tuple(files)), snapshot, options, algorithm, former) if files else Plan()


def _merged_plan(
    arrivals: Sequence[_Arrival],
    patch: Patch,
    planned: Callable[[Sequence[FilePatch]], Plan],
    options: Options,
) -> Plan:
    """The plan of `patch` with the sections that stand for those of merged files."""
    clean = [one for one in arrivals if one.stages is None]
    plan = planned(_with(arrivals, patch, unmerged=False))
    plan.notes += [f"{one.stale.path}: {one.note}; merged" for one in clean if one.section]
    done = [_done(one) for one in clean if one.section is None]
    if options.skip_applied:
        plan.skipped += done
    else:
        plan.failures += done
    stages = {one.stale.present.path: one.stages for one in arrivals if one.stages is not None}
    if stages and not plan.failures:
        whole = planned(_with(arrivals, patch, unmerged=True)).completed
        plan.conflicts = Conflicts(stages, whole)
    plan.failures += [_conflict(one) for one in arrivals if one.stages is not None]
    return plan


def _with(arrivals: Sequence[_Arrival], patch: Patch, *, unmerged: bool) -> list[FilePatch]:
    """The sections of `patch`, those for merged files replaced; or left out if they conflict."""
    instead: dict[int, FilePatch | None] = {}
    for one in arrivals:
        instead |= dict.fromkeys(map(id, one.stale.sections))
        if unmerged or one.stages is None:
            instead[id(one.stale.sections[0])] = one.section
    sections = (instead.get(id(one), one) for one in patch.files)
    return [one for one in sections if one is not None]


def _done(arrival: _Arrival) -> Failure:
    what = f"already applied: {arrival.note}, it changes nothing when merged"
    return refusal(arrival.stale.sections[0], Reason.ALREADY_APPLIED, what)


def _conflict(arrival: _Arrival) -> Failure:
    what = f"has conflicts: {arrival.note}, the patch changes what was changed since"
    return refusal(arrival.stale.sections[0], Reason.CONFLICT, what)


def _advised(failures: Sequence[Failure], advice: Mapping[str, str]) -> list[Failure]:
    """`failures`, the first of each file with what is to be said of it."""
    left = dict(advice)
    found = []
    for one in failures:
        said = left.pop(one.path, None) if one.reason in UNFIT else None
        more = "\n".join(filter(None, (one.advice, said)))
        found.append(one._replace(advice=more))
    return found
