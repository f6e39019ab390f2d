"""Hunks of one file may share context, but never what they change (D30).

It must not move a hunk: of two that exclude one another it refuses the later one.

Two insertions at one position conflict, too: applied one after the other, the second lands above
what the first one added if it shows the line above, and below it if it shows the line below. Their
order is known only if the earlier one shows no line below, and the later one none above (D30).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from git_opatch.model.failure import Failure, HunkResult, failure_of
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.sentences import Detail, Fault


def without_overlaps(results: Mapping[int, HunkResult]) -> dict[int, HunkResult]:
    """Return `results`, by ordinal, with a hunk refused that changes the same lines as one before
    it in the patch."""
    outcomes = dict(results)
    placed = [
        (result.changed, at, result)
        for at, result in results.items()
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
        if repeats and _is_same(placement, placement_before):
            outcomes[index] = _without_changes(placement, placement_before)
            continue
        unordered = changed == before and not _is_ordered(placement_before, placement)
        if changed[0] >= before[1] and not repeats and not unordered:
            kept.append((changed, index, placement))
            continue
        in_patch_order = index_before < index
        earlier = placement_before if in_patch_order else placement
        later = placement if in_patch_order else placement_before
        outcomes[max(index_before, index)] = refuse_overlap(later.hunk, later, earlier)
        if not in_patch_order:
            kept[-1] = (changed, index, placement)
    return outcomes


def _is_ordered(earlier: Placement, later: Placement) -> bool:
    """Return whether the hunks, which only add and at one position, say in which order.

    They do if the earlier shows nothing below what it adds, and the later nothing above. Both are
    meant then, unless one is a version of the other.
    """
    size = len(earlier.hunk.preimage)
    shows_below = earlier.changed[1] < earlier.start + size
    shows_above = later.changed[0] > later.start or bool(later.hunk.anchors)
    return not shows_below and not shows_above and not _are_versions(earlier, later)


def _are_versions(placement: Placement, other: Placement) -> bool:
    """Return whether most lines that two hunks add are the same: one is a version of the other."""
    lines, others = (
        [line.text for line in _added(each) if line.text.strip()] for each in (placement, other)
    )
    common = sum((Counter(lines) & Counter(others)).values())
    return 2 * common > min(len(lines), len(others))


def _is_same(placement: Placement, other: Placement) -> bool:
    """Return whether two hunks are one, given twice, which can only mean one position (D102)."""
    is_unique = placement.evidence is other.evidence is Evidence.UNIQUE
    return is_unique and placement.hunk.lines == other.hunk.lines


def _without_changes(placement: Placement, other: Placement) -> Placement:
    """Return the placement of a hunk that only shows its lines: `other` makes its change."""
    lines = tuple(line._replace(prefix=Prefix.CONTEXT) for line in placement.hunk.preimage)
    note = f"is hunk {other.hunk.ordinal} again; it is applied once"
    hunk = replace(placement.hunk, lines=lines)
    return replace(placement, hunk=hunk, notes=(*placement.notes, note))


def _added(placement: Placement) -> list[Line]:
    return [line for line in placement.hunk.lines if line.prefix is Prefix.ADDED]


def refuse_overlap(
    hunk: Hunk, placement: Placement | None = None, other: Placement | None = None
) -> Failure:
    """Refuse `hunk`, at `placement` if that is known, which changes what `other` changes."""
    fault = Fault.OVERLAP if other else Fault.OVERLAP_ANOTHER
    if _only_add(placement, other):
        fault = Fault.SAME_POSITION
    return failure_of(
        hunk,
        fault,
        positions=(placement.start,) if placement else (),
        other=other.hunk.ordinal if other else 0,
        said=_twin(placement, other),
    )


def _twin(placement: Placement | None, other: Placement | None) -> tuple[str, ...]:
    """Say that two hunks are two versions of one, if they show the same lines."""
    if not (placement and other) or placement.hunk.preimage != other.hunk.preimage:
        return ()
    return (Detail.TWIN.fill(other=other.hunk.ordinal),)


def _only_add(*placements: Placement | None) -> bool:
    return all(each and each.changed[0] == each.changed[1] for each in placements)
