"""Refuse hunks: which fault it is, and what the file has there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from git_opatch.locate.already_applied import first_new_line
from git_opatch.locate.candidates import Candidates
from git_opatch.locate.closest_match import ClosestMatches, difference
from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.failure import ClosestMatch, Failure, Problem, failure_of
from git_opatch.model.limits import MANY
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.sentences import Fault, Hint, Reason


def refuse(candidates: Candidates, file_index: FileIndex, problem: Problem) -> Failure:
    """Refuse a hunk that has candidates; the failure lists them."""
    positions = tuple(candidates.positions[:MANY])
    first, lines = positions[0], file_index.lines
    shown = lines[first : first + len(candidates.hunk_at(first).preimage)]
    is_unsure = problem.fault.reason is Reason.AMBIGUOUS
    return failure_of(
        candidates.hunk,
        problem,
        positions=positions,
        shown=tuple(enumerate(shown, first)),
        enclosing=name_enclosing(positions, lines, file_index.enclosing) if is_unsure else (),
    )


def refuse_ambiguous(
    candidates: Candidates, file_index: FileIndex, *, has_anchors: bool
) -> Failure:
    """Refuse a hunk that has several candidates left (D17).

    `has_anchors` is whether its format has anchors, which could decide.
    """
    missing = [anchor.text for anchor in candidates.anchors.missing if not anchor.weak]
    fault = Fault.AMBIGUOUS if has_anchors else Fault.AMBIGUOUS_BLOCK
    if candidates.must_be_unique:
        fault = Fault.AMBIGUOUS_LOOSELY
    elif missing and has_anchors:
        fault = Fault.AMBIGUOUS_ANCHOR
    count = len(candidates.positions)
    counted = f"more than {count - 1}" if candidates.truncated else count
    problem = Problem.of(fault, count=counted, anchor=missing[0] if missing else b"")
    return refuse(candidates, file_index, problem)


def refuse_blank_lines(candidates: Candidates, position: int, file_index: FileIndex) -> Failure:
    """Refuse a hunk with other blank lines than the file next to an added line (D25).

    `position` is that of the file's blank line.
    """
    omits = candidates.alignments[candidates.positions[0]].omitted
    fault = Fault.BLANK_LINE_OMITTED if omits else Fault.BLANK_LINE_SURPLUS
    return refuse(candidates, file_index, Problem.of(fault, at=position + 1))


def refuse_already_applied(hunk: Hunk, position: int, tier: Tier, file_index: FileIndex) -> Failure:
    """Refuse a hunk whose postimage is at `position`, as compared at `tier` (D5)."""
    first = first_new_line(hunk, position, file_index, tier)
    if tier is Tier.STRICT:
        adds = any(line.prefix is Prefix.ADDED for line in hunk.lines)
        fault, closest = Fault.ALREADY_APPLIED if adds else Fault.REMOVAL_APPLIED, None
    else:
        fault, closest = Fault.MAY_BE_APPLIED, _first_loose_line(hunk, position, tier, file_index)
    return failure_of(hunk, fault, positions=(first,), closest=closest, start=position)


def _first_loose_line(
    hunk: Hunk, position: int, tier: Tier, file_index: FileIndex
) -> ClosestMatch | None:
    """Compare the first new line that the file at `position` has only loosely; None if all are."""
    view, lines = file_index.view(tier), file_index.lines
    solid = [line for line in hunk.postimage if view.key(line)]
    first = bisect_left(view.solid, position)
    for line, at in zip(solid, view.solid[first:], strict=False):
        expected = file_index.normal(line.text)
        if expected != lines[at]:
            around = tuple(enumerate(lines[max(at - 1, 0) : at + 2], max(at - 1, 0)))
            last = max(min(position + len(hunk.postimage), len(lines)), at + 1)
            what, values = difference(expected, lines[at])
            return ClosestMatch(at, line, around, what, (position + 1, last), values=values)
    return None


class NotFoundExplainer:
    """Refuses the hunks of a file that are not found, and shows the closest match."""

    def __init__(
        self, file_index: FileIndex, all_candidates: Sequence[Candidates], matching: Matching
    ) -> None:
        self._file_index = file_index
        self._all_candidates = all_candidates
        self._matching = matching
        self._closest_matches: ClosestMatches | None = None

    def refuse(self, candidates: Candidates) -> Failure:
        """Refuse a hunk that is not found at any tier that is allowed."""
        hunk, fault = candidates.hunk, Fault.NOT_FOUND
        closest = self._closest(candidates)
        if closest is None:
            fault, closest = Fault.NOTHING_FOUND, ClosestMatch(0, hunk.preimage[0])
        failure = failure_of(hunk, fault, closest=closest)
        return self._with_hint(failure, hunk, closest)

    def _closest(self, candidates: Candidates) -> ClosestMatch | None:
        if self._closest_matches is None:
            lost = [found.hunk for found in self._all_candidates if not found.positions]
            self._closest_matches = ClosestMatches(self._file_index, lost, self._matching.tier)
        return self._closest_matches.nearest(candidates.hunk, candidates.anchors.positions)

    def _with_hint(self, failure: Failure, hunk: Hunk, closest: ClosestMatch) -> Failure:
        """Add what the hunk itself tells of why it is not found."""
        from git_opatch.locate.omitted_context import is_placeholder

        line = closest.line
        if omitting := next(filter(is_placeholder, hunk.preimage), None):
            return failure.with_hint(Hint.OMITS, at=omitting.number, line=omitting.text)
        if not line.has_prefix:
            return failure.with_hint(Hint.NO_PREFIX)
        pairs = zip(hunk.lines, hunk.lines[1:], strict=False)
        if line.prefix is Prefix.CONTEXT and any(
            above.prefix is Prefix.REMOVED and below == line for above, below in pairs
        ):
            return failure.with_hint(Hint.MAY_REPLACE)
        if hunk.unfinished:
            return failure.with_hint(Hint.UNFINISHED)
        if self._matching.reversed:
            return failure
        return failure.with_hint(Hint.REVERSED) if self._may_be_reversed(hunk) else failure

    def _may_be_reversed(self, hunk: Hunk) -> bool:
        """Return whether the file has what the hunk adds, and nothing of what it removes."""
        removed, added = (
            [line for line in hunk.lines if line.prefix is prefix and line.text.strip()]
            for prefix in (Prefix.REMOVED, Prefix.ADDED)
        )
        if not removed or not added:
            return False
        find = self._file_index.find
        return all(find([line]) for line in added) and not any(find([line]) for line in removed)
