"""Where hunks were placed, as lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from git_opatch.model.placement import Evidence, Likeness, Placement
from git_opatch.model.text import visible
from git_opatch.plan.plan import PlacedHunk, Plan
from git_opatch.report.files import placed_by_file

_MOST_SHOWN = 20


def details(plan: Plan) -> Iterator[str]:
    """List each file, and each hunk with its line, tier and evidence, for `show` and `-v`."""
    for file, hunks in placed_by_file(plan):
        old = f"{visible(file.old_path)} => " if file.old_path != file.path else ""
        counts = "binary" if file.binary else f"+{file.added} -{file.removed}"
        yield f"{file.status} {old}{visible(file.path)} ({counts})"
        yield from (f"  {_describe(placed)}" for placed in hunks)


def loose_placements(plan: Plan, *, chosen_only: bool = False) -> list[str]:
    """Note each hunk that did not match exactly, or that was a choice between candidates."""
    loose = [
        placed
        for placed in plan.placed
        if placed.placement.evidence is Evidence.NEAREST
        or (tolerated(placed.placement) and not chosen_only)
    ]
    shown = [
        f"note: {visible(placed.section.path)}: {_describe(placed)}"
        for placed in loose[:_MOST_SHOWN]
    ]
    more = len(loose) - _MOST_SHOWN
    return [*shown, f"note: and {more} more; see -v"] if more > 0 else shown


def _describe(placed: PlacedHunk) -> str:
    placement = placed.placement
    differences = "".join(f"; {difference}" for difference in tolerated(placement))
    return (
        f"hunk {placement.hunk.ordinal} of {len(placed.section.hunks)}: "
        f"line {placement.start + 1}, {placement.tier.value} "
        f"({_evidence(placement)}){differences}"
    )


def _evidence(placement: Placement) -> str:
    """Say what decided between the candidates."""
    if placement.evidence is Evidence.NEAREST:
        return f"nearest of {placement.candidate_count} candidates"
    return str(placement.evidence.value)


def tolerated(placement: Placement) -> list[str]:
    """List the differences that were tolerated."""
    if not placement.likeness:
        return list(placement.repairs)
    counts = Counter(placement.likeness)
    differences = [
        f"{count} line{'s differ' if count > 1 else ' differs'} in {likeness.value}"
        for likeness in Likeness
        if likeness is not Likeness.EXACT and (count := counts[likeness])
    ]
    return [*differences, *placement.repairs]
