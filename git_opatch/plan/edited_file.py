"""A file while one section's hunks are applied to it, and which of them wrote what (D30).

It must not decide where a hunk is: it asks for that, and looks at whose lines are there.

A line that a hunk wrote has an owner. Another hunk may show it, exactly; it may change it only
where blocks build on one another (`Matching.ordered`), and then only that of a block before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from git_opatch.complete.edits import Edit, edits_of
from git_opatch.complete.tree import FileContent
from git_opatch.locate import Search
from git_opatch.locate.overlap import refuse_overlap, without_overlaps
from git_opatch.model.failure import Failure, HunkResult, failure_of
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, added_lines
from git_opatch.model.placement import Likeness, Placement, Repair
from git_opatch.model.sentences import Fault, Reason

_MAX_ROUNDS = 50
"""Hunks that show one another's result in a longer chain than this are refused."""
_LOST = (Reason.NOT_FOUND, Reason.ALREADY_APPLIED, Reason.UNCLEAR)
"""Why a hunk is refused that may show what another one writes."""


@dataclass(slots=True, eq=False)
class EditedFile:
    """A file's content so far, and the outcomes of its hunks so far."""

    content: FileContent
    hunks: Sequence[Hunk]
    matching: Matching
    results: Mapping[int, HunkResult] = field(default_factory=dict)
    """Where the hunks are in the file as it was, by ordinal."""
    placements: list[Placement] = field(default_factory=list)
    failures: dict[int, Failure] = field(default_factory=dict)
    """By the hunk's ordinal."""

    @property
    def has_applied(self) -> bool:
        """Whether one of the hunks is in the file already."""
        return any(failure.already_applied for failure in self.failures.values())

    def place(self, results: Mapping[int, HunkResult], *, again: bool = True) -> None:
        """Place the hunks as `results` says; then, if `again`, those that show what these write."""
        self.results = results
        known, size = self.content.owners, len(self.content.text.lines)
        owners = [-bool(owner) for owner in known] if known else [0] * size
        self.content = self.content._replace(owners=owners)
        self.failures = {at: found for at, found in results.items() if isinstance(found, Failure)}
        placed = [found for found in results.values() if isinstance(found, Placement)]
        showing = set(self._show_others(placed)) if again else set[int]()
        self._edit([found for found in placed if found.hunk.ordinal not in showing])
        lost = {at for at, failure in self.failures.items() if failure.reason in _LOST}
        waiting = [hunk for hunk in self.hunks if again and hunk.ordinal in lost | showing]
        for _ in range(_MAX_ROUNDS):
            if not waiting or not self.placements:
                break
            hunks = _first_round(waiting)
            self._place_again(hunks)
            located = {hunk.ordinal for hunk in hunks}
            waiting = [hunk for hunk in waiting if hunk.ordinal not in located]
        for hunk in waiting:
            self.failures.setdefault(hunk.ordinal, failure_of(hunk, Fault.SHOWS_OTHERS))

    def _show_others(self, placed: Sequence[Placement]) -> Iterator[int]:
        """Yield the ordinals of hunks that match loosely, where they show what exact ones add; a
        blank line, beside them."""
        exact = [
            (found.changed, set(added_lines(found.hunk.lines))) for found in placed if found.exact
        ]
        added = {text for _, texts in exact for text in texts if text.strip()}
        shown = {hunk.ordinal: hunk.preimage for hunk in self.hunks}
        for found in placed:
            if found.exact:
                continue
            first, last = found.start, found.stop
            near = [texts for (start, stop), texts in exact if start <= last and first <= stop]
            texts = added.union(*near).intersection(_texts(shown[found.hunk.ordinal]))
            if texts.difference(_texts(found.hunk.preimage)):
                yield found.hunk.ordinal

    def _edit(self, placements: Sequence[Placement]) -> None:
        """Edit the content at `placements`."""
        placements = sorted(placements, key=lambda found: (found.changed, found.hunk.ordinal))
        before = self.content.owners
        edits: list[Edit] = []
        owners: list[int] = []
        done = 0
        for placement in placements:
            for edit in edits_of(placement, self.content.text):
                edits.append(edit)
                owners += before[done : edit.start]
                owners += [placement.hunk.ordinal] * len(edit.lines)
                done = edit.stop
        owners += before[done:]
        self.placements += placements
        self.content = self.content.edited(edits)._replace(owners=owners)

    def _place_again(self, hunks: Sequence[Hunk]) -> None:
        """Place `hunks` in the content as the others leave it, where they show what these wrote."""
        matching = self.matching
        if matching.tier is Tier.FUZZY:  # never for what another hunk may have written (D102)
            matching = matching._replace(tier=Tier.RESILIENT)
        written = {row for row, owner in enumerate(self.content.owners) if owner > 0}
        others = [placement.hunk for placement in self.placements]
        search = Search(hunks, self.content.text, matching, written, others)
        results = without_overlaps(search.judge(matching))
        placements = []
        for hunk in hunks:
            result = results[hunk.ordinal]
            if isinstance(result, Failure):
                self.failures.setdefault(hunk.ordinal, result)
            elif self._may_follow(result):
                self.failures.pop(hunk.ordinal, None)
                repairs = (*result.repairs, Repair.SHOWS_OTHERS)
                placements.append(replace(result, repairs=repairs))
            elif self._changes_others(result):
                self.failures[hunk.ordinal] = refuse_overlap(hunk)
            else:
                self.failures.setdefault(hunk.ordinal, failure_of(hunk, Fault.SHOWS_OTHERS))
        self._edit(placements)

    def _may_follow(self, placement: Placement) -> bool:
        """Return whether a hunk may be placed in what the others wrote, which it must show exactly.

        Whoever writes hunks in turn shows the result of those before, not of those after. Blocks,
        in any order, may also change it.
        """
        ordinal, owners = placement.hunk.ordinal, self.content.owners
        shown = [row for row in range(placement.start, placement.stop) if owners[row] > 0]
        shows = bool(shown) and not self.has_applied and shows_exactly(placement, shown)
        is_like = placement.exact or shows
        shows_later = any(owners[row] > ordinal for row in shown)
        if not (self.matching.ordered or shows_later):
            return is_like
        before = self.failures.get(ordinal)
        seemed_applied = before is not None and before.already_applied
        if not is_like or (seemed_applied and shows_later) or self._changes_others(placement):
            return False
        above, below = owners[: placement.changed[0]], owners[placement.changed[0] :]
        return max(above, default=0) < ordinal and not any(0 < owner < ordinal for owner in below)

    def _changes_others(self, placement: Placement) -> bool:
        """Return whether a hunk changes lines of another, or would be between two of them."""
        first, last = placement.changed
        owners = self.content.owners
        inside = first == last and first and owners[first - 1 : first] == owners[first : first + 1]
        return any(owner > 0 for owner in owners[first - bool(inside) : last])


def shows_exactly(placement: Placement, rows: Sequence[int]) -> bool:
    """Return whether the lines at `rows` match exactly, and nothing was repaired."""
    kinds = placement.likeness
    exact = (not kinds or kinds[row - placement.start] is Likeness.EXACT for row in rows)
    return not placement.repairs and all(exact)


def _first_round(hunks: Sequence[Hunk]) -> Sequence[Hunk]:
    """Return those of `hunks` that show no line which another of them may write; else all."""
    writes = [set(added_lines(hunk.lines) or _texts(hunk.postimage)) for hunk in hunks]
    writers = Counter(text for texts in writes for text in texts if text.strip())
    first = [
        hunk
        for hunk, own in zip(hunks, writes, strict=True)
        if all(writers[text] <= (text in own) for text in _texts(hunk.preimage))
    ]
    return first or hunks


def _texts(lines: Sequence[Line]) -> list[bytes]:
    return [line.text for line in lines]
