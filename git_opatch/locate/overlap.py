"""Hunks of one file may share context, but never what they change (D30)."""

from __future__ import annotations

from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.result import Failure, HunkResult, Overlap, Reason, failure_of


def refuse_overlaps(results: list[HunkResult]) -> list[HunkResult]:
    """Refuse a hunk that changes the same lines as one before it in the patch."""
    placed = [
        (result.changed, index, result)
        for index, result in enumerate(results)
        if isinstance(result, Placement)
    ]
    placed.sort(key=lambda row: row[:2])
    kept = placed[:1]
    for changed, index, placement in placed[1:]:
        before, index_before, placement_before = kept[-1]
        repeats = (
            changed == before
            and bool(placement.hunk.preimage)
            and _added(placement) == _added(placement_before)
        )
        if changed[0] >= before[1] and not repeats:
            kept.append((changed, index, placement))
            continue
        in_patch_order = index_before < index
        earlier = placement_before if in_patch_order else placement
        later = placement if in_patch_order else placement_before
        results[max(index_before, index)] = refuse_overlap(later.hunk, later, earlier)
        if not in_patch_order:
            kept[-1] = (changed, index, placement)
    return results


def _added(placement: Placement) -> list[Line]:
    return [line for line in placement.hunk.lines if line.prefix is Prefix.ADDED]


def refuse_overlap(
    hunk: Hunk, placement: Placement | None = None, other: Placement | None = None
) -> Failure:
    """Refuse `hunk`, at `placement` if that is known, which changes what `other` changes."""
    which = f"hunk {other.hunk.ordinal}" if other else "another hunk"
    detail = Overlap(
        other.hunk.ordinal if other else 0,
        (placement.start,) if placement else (),
        placement.found if placement else (),
    )
    message, advice = f"changes the same lines as {which}", "send the two changes as one hunk"
    return failure_of(hunk, Reason.OVERLAP, message, advice, detail)
