"""Hunks of one file may share context, but never what they change."""

from __future__ import annotations

from git_opatch.outcome import Failure, Placement, Reason, failure_of
from git_opatch.patch import Hunk, Line, Mark


def without_overlap(verdicts: list[Placement | Failure]) -> list[Placement | Failure]:
    """Refuse a hunk that changes what another one changes."""
    placed = [
        (one.changed, at, one) for at, one in enumerate(verdicts) if isinstance(one, Placement)
    ]
    placed.sort(key=lambda item: item[:2])
    kept = placed[:1]
    for span, at, one in placed[1:]:
        other, first, two = kept[-1]
        again = span == other and bool(one.hunk.preimage) and _added(one) == _added(two)
        if span[0] >= other[1] and not again:
            kept.append((span, at, one))
            continue
        earlier, later = (two, one) if first < at else (one, two)
        verdicts[max(first, at)] = overlap(later.hunk, later, earlier)
        if at < first:
            kept[-1] = (span, at, one)
    return verdicts


def _added(placement: Placement) -> list[Line]:
    return [line for line in placement.hunk.lines if line.mark is Mark.ADDED]


def overlap(
    hunk: Hunk, placement: Placement | None = None, other: Placement | None = None
) -> Failure:
    """The failure of `hunk`, which would change what `other`, or some other, changes."""
    which = f"hunk {other.hunk.ordinal}" if other else "another hunk"
    return failure_of(
        hunk,
        Reason.OVERLAP,
        f"changes the same lines as {which}",
        "send the two changes as one hunk",
        places=(placement.start,) if placement else (),
        there=placement.found if placement else (),
        other=other.hunk.ordinal if other else 0,
    )
