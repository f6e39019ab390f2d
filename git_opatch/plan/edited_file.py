"""The state of a file while one section's hunks are applied to it, in rounds (D30)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from git_opatch.complete.changed_ranges import (
    ChangedRange,
    changed_ranges_of,
    changes_any,
    in_order,
    shift,
    shows_later,
)
from git_opatch.complete.edits import Edit, edits_of
from git_opatch.complete.tree import FileContent
from git_opatch.locate import locate_hunks
from git_opatch.locate.overlap import refuse_overlap
from git_opatch.model.failure import Failure, HunkResult, failure_of
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Reason


@dataclass(slots=True, eq=False)
class EditedFile:
    """A file's content so far, and the outcomes of its hunks so far."""

    content: FileContent
    hunks: Sequence[Hunk]
    matching: Matching
    placements: list[Placement] = field(default_factory=list)
    failures: dict[int, Failure] = field(default_factory=dict)
    """By the hunk's ordinal."""
    changed: list[ChangedRange] = field(default_factory=list)
    """What the placed hunks wrote, where it is now in the content."""

    @property
    def has_applied(self) -> bool:
        """Whether one of the hunks is in the file already."""
        return any(failure.already_applied for failure in self.failures.values())

    def edit(self, placements: Sequence[Placement]) -> None:
        """Edit the content at `placements`."""
        placements = sorted(placements, key=lambda found: (found.changed, found.hunk.ordinal))
        edits: list[Edit] = []
        ordinals: list[int] = []
        for placement in placements:
            ordinal = placement.hunk.ordinal
            own = list(edits_of(placement, self.content.text))
            edits += own
            ordinals += [ordinal] * len(own)
            self.placements.append(placement)
        self.content = self.content.edited(edits)
        self.changed = [*shift(self.changed, edits), *changed_ranges_of(ordinals, edits)]

    def edit_again(self, postponed: Collection[int]) -> bool:
        """Place hunks whose context shows the result of those placed before (D30).

        Those are not found so far, or `postponed`; one that seems to be already applied counts:
        another one may have written its lines. Context may be what another hunk wrote, what is
        changed may not. Returns whether any of them was placed.
        """
        reasons = (Reason.NOT_FOUND, Reason.ALREADY_APPLIED)
        lost = {failure.hunk for failure in self.failures.values() if failure.reason in reasons}
        missing = {*lost, *postponed} - {found.hunk.ordinal for found in self.placements}
        hunks = [hunk for hunk in self.hunks if hunk.ordinal in missing]
        if not hunks or not self.changed:
            return False
        matching = self.matching
        if matching.tier is Tier.FUZZY:  # never for what another hunk may have written (D102)
            matching = matching._replace(tier=Tier.RESILIENT)
        lines = [changed.lines for changed in self.changed]
        placed = [placement.hunk for placement in self.placements]
        results = locate_hunks(hunks, self.content.text, matching, lines, placed)
        only_exact = matching.partly_applied or any(_is_exact(result) for result in results)
        placements = []
        for hunk, result in zip(hunks, results, strict=True):
            before = self.failures.get(hunk.ordinal)
            seemed_applied = before is not None and before.reason is Reason.ALREADY_APPLIED
            if isinstance(result, Failure):
                self.failures.setdefault(hunk.ordinal, result)
            elif changes_any(result.changed, self.changed):
                self.failures[hunk.ordinal] = refuse_overlap(hunk)
            elif self._may_follow(result, only_exact=only_exact, seemed_applied=seemed_applied):
                self.failures.pop(hunk.ordinal, None)
                repairs = (*result.repairs, "its context shows the result of another hunk")
                placements.append(replace(result, repairs=repairs))
        count = len(self.placements)
        self.edit(placements)
        return len(self.placements) > count

    def _may_follow(self, placement: Placement, *, only_exact: bool, seemed_applied: bool) -> bool:
        """Return whether a hunk may be placed in what the others wrote.

        Whoever writes hunks in turn shows the result of those before, not of those after. What
        matches loosely waits: it may match exactly after what matches exactly.
        """
        ordinal = placement.hunk.ordinal
        if not in_order(ordinal, placement.changed[0], self.changed):
            return False
        preimage = (placement.start, placement.stop)
        if seemed_applied and shows_later(ordinal, preimage, self.changed):
            return False
        return placement.exact or not (only_exact or seemed_applied)

    def refuse_the_rest(self) -> None:
        """Refuse the hunks that have neither a placement nor a failure: none is dropped."""
        done = {found.hunk.ordinal for found in self.placements} | self.failures.keys()
        for hunk in self.hunks:
            if hunk.ordinal not in done:
                self.failures[hunk.ordinal] = failure_of(hunk, Fault.SHOWS_OTHERS)


def _is_exact(result: HunkResult) -> bool:
    return isinstance(result, Placement) and result.exact
