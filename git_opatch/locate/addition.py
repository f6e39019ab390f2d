"""Place a hunk of added lines alone, which has nothing to find in the file (D21).

It goes after its anchor; without one, or with `*** End of File`, at the end of the file. From
OpenCode's line matching, "Handle pure additions", and its format, "Context Seeking".
"""

from __future__ import annotations

from typing import NamedTuple

from git_opatch.locate.anchor import AnchorMatch
from git_opatch.model.failure import Problem
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault


class Addition(NamedTuple):
    """The positions where added lines may go; if there are none, `problem` says why."""

    positions: list[int]
    evidence: Evidence = Evidence.UNIQUE
    problem: Problem | None = None
    notes: tuple[str, ...] = ()
    """What was assumed, where the hunk does not say where its lines go."""


_ASSUMED = "gives no position, so its lines go to the end of the file"


def place_addition(hunk: Hunk, found: AnchorMatch, size: int) -> Addition:
    """Place `hunk`, whose anchors were `found`, in a file of `size` lines."""
    anchors = [anchor for anchor in hunk.anchors if not anchor.weak]
    at_end = Addition([size], Evidence.END_OF_FILE)
    if size == 0 or hunk.at_end_of_file:
        return at_end
    if not anchors:
        fault = _fault_without_anchor(hunk)
        if fault:
            return Addition([], problem=Problem(fault))
        return at_end._replace(notes=(_ASSUMED,))
    if found.missing or not found.full:
        missing = Problem.of(Fault.ANCHOR_OF_ADDED_MISSING, anchor=anchors[-1].text)
        return Addition([], problem=missing)
    return Addition([position + 1 for position in found.positions], Evidence.AFTER_ANCHOR)


def _fault_without_anchor(hunk: Hunk) -> Fault | None:
    """Return why a hunk without a strong anchor does not go to the end; None if it does."""
    if hunk.stated_start is not None:
        return Fault.ONLY_NUMBERS
    if hunk.anchors:
        return Fault.ONLY_HEADING
    return None if hunk.is_last else Fault.NOT_LAST
