"""Refuse hunks: which fault it is, and what the file has there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile

from git_opatch.locate.alignment import settled
from git_opatch.locate.anchors import find
from git_opatch.locate.closest_match import ClosestMatches, difference
from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.gaps import stands_for_lines
from git_opatch.locate.reading import EQUAL, Grade
from git_opatch.locate.search import LOOSEST, Sought
from git_opatch.locate.twins import Suspicion
from git_opatch.model.failure import ClosestMatch, Failure, Problem, failure_of
from git_opatch.model.limits import MANY
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Hint, Reason


def refuse(sought: Sought, problem: Problem, file: FileIndex) -> Failure:
    """Refuse a hunk that has readings; the failure lists their positions."""
    positions = tuple(sorted({*sought.starts, *sought.others}))[:MANY]
    first = sought.starts[0]
    shown = tuple(enumerate(file.lines[first : sought.stop(first)], first))
    is_unsure = problem.fault.reason is Reason.AMBIGUOUS
    enclosing = name_enclosing(positions, file.lines, file.enclosing) if is_unsure else ()
    return failure_of(sought.hunk, problem, positions=positions, shown=shown, enclosing=enclosing)


def refuse_unclear(placement: Placement, problem: Problem) -> Failure:
    """Refuse a hunk whose added lines cannot be meant as they are written."""
    return failure_of(placement.hunk, problem, positions=(placement.start,), shown=placement.found)


def refuse_twin(placement: Placement, found: Suspicion, file: FileIndex) -> Failure:
    """Refuse a hunk that may be applied already at a twin of its position."""
    problem = Problem(Fault.OUT_OF_ORDER)
    if found.twin is not None:
        new = first_new_line(placement.hunk, found.twin, len(file.lines))
        prefixes = [line.prefix for line in placement.hunk.preimage]
        removed = prefixes.index(Prefix.REMOVED) if Prefix.REMOVED in prefixes else 0
        old = placement.start + removed
        problem = Problem.of(Fault.TWIN_APPLIED, at=new + 1, old=old + 1)
    return refuse_unclear(placement, problem)


def refuse_ambiguous(sought: Sought, file: FileIndex, *, has_anchors: bool) -> Failure:
    """Refuse a hunk with several readings that leave other bytes.

    `has_anchors` is whether its format has anchors, which could decide.
    """
    strong = [find(anchor, file) for anchor in sought.hunk.anchors if not anchor.weak]
    missing = [each.anchor.text for each in strong if not each.rows]
    count = len({*sought.starts, *sought.others})
    fault = Fault.AMBIGUOUS if has_anchors else Fault.AMBIGUOUS_BLOCK
    if count == 1:
        fault = Fault.SEVERAL_READINGS
    elif sought.loose or sought.others:
        fault = Fault.AMBIGUOUS_LOOSELY
    elif missing and has_anchors:
        fault = Fault.AMBIGUOUS_ANCHOR
    counted = f"more than {MANY}" if count > MANY else count
    anchor = missing[0] if missing else b""
    return refuse(sought, Problem.of(fault, count=counted, anchor=anchor), file)


# ---------------------------------------------------------------- already applied


def refuse_applied(
    hunk: Hunk, at: int, level: Grade, file: FileIndex, *, is_said: bool = True
) -> Failure:
    """Refuse a hunk whose new lines are at the row `at`, as compared at the grade `level`;
    `is_said` is whether the hunk says that this is its place."""
    first, closest = first_new_line(hunk, at, len(file.lines)), None
    if level == EQUAL:
        adds = any(line.prefix is Prefix.ADDED for line in hunk.lines)
        fault = Fault.ALREADY_APPLIED if adds else Fault.REMOVAL_APPLIED
        fault = fault if is_said else Fault.MAY_BE_APPLIED_THERE
    else:
        fault, closest = Fault.MAY_BE_APPLIED, _first_loose_line(hunk, at, file)
    return failure_of(hunk, fault, positions=(first,), closest=closest, start=at)


def first_new_line(hunk: Hunk, at: int, size: int) -> int:
    """Return the row of the first line that a hunk adds, if its new lines are at the row `at`.

    For one that only removes, that is the line below what is gone, or the last of the file's
    `size` lines.
    """
    lines = settled(hunk).lines
    adds = any(line.prefix is Prefix.ADDED for line in lines)
    first = Prefix.ADDED if adds else Prefix.REMOVED
    above = takewhile(lambda line: line.prefix is not first, lines)
    kept = sum(line.prefix is not Prefix.REMOVED for line in above)
    return min(at + kept, max(size - 1, 0))


def _first_loose_line(hunk: Hunk, at: int, file: FileIndex) -> ClosestMatch | None:
    """Compare the first new line that the file at the row `at` has only loosely; None if all are
    as written."""
    lines = file.lines
    solid = [line for line in hunk.postimage if line.text.strip()]
    for line, row in zip(solid, file.solid[bisect_left(file.solid, at) :], strict=False):
        expected = file.normal(line.text)
        if expected != lines[row]:
            around = tuple(enumerate(lines[max(row - 1, 0) : row + 2], max(row - 1, 0)))
            last = max(min(at + len(hunk.postimage), len(lines)), row + 1)
            what, values = difference(expected, lines[row])
            return ClosestMatch(row, line, around, what, (at + 1, last), values=values)
    return None


# ---------------------------------------------------------------- not found


class NotFoundExplainer:
    """Refuses the hunks of a file that are not found: shows the closest match."""

    def __init__(self, file: FileIndex, all_sought: Sequence[Sought], matching: Matching) -> None:
        self._file = file
        self._all_sought = all_sought
        self._matching = matching
        self._closest_matches: ClosestMatches | None = None

    def refuse(self, hunk: Hunk) -> Failure:
        """Refuse a hunk that has no reading of any class that is allowed."""
        fault, closest = Fault.NOT_FOUND, self._closest(hunk)
        if closest is None:
            fault, closest = Fault.NOTHING_FOUND, ClosestMatch(0, hunk.preimage[0])
        return self._with_hint(failure_of(hunk, fault, closest=closest), hunk, closest)

    def _closest(self, hunk: Hunk) -> ClosestMatch | None:
        if self._closest_matches is None:
            lost = [each.hunk for each in self._all_sought if not each.readings or each.loose]
            most = LOOSEST[self._matching.tier]
            self._closest_matches = ClosestMatches(self._file, lost, most)
        rows = [find(anchor, self._file).rows for anchor in hunk.anchors]
        return self._closest_matches.nearest(hunk, next(filter(None, reversed(rows)), ()))

    def _with_hint(self, failure: Failure, hunk: Hunk, closest: ClosestMatch) -> Failure:
        """Add what the hunk itself tells of why it is not found."""
        line = closest.line
        if omitting := next(filter(stands_for_lines, hunk.preimage), None):
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
        if self._matching.reversed or not self._may_be_reversed(hunk):
            return failure
        return failure.with_hint(Hint.REVERSED)

    def _may_be_reversed(self, hunk: Hunk) -> bool:
        """Return whether the file has what the hunk adds, and nothing of what it removes."""
        removed, added = (
            [line for line in hunk.lines if line.prefix is prefix and line.text.strip()]
            for prefix in (Prefix.REMOVED, Prefix.ADDED)
        )
        file = self._file
        is_there = all(file.rows_of(file.normal(line.text)) for line in added)
        return bool(removed and added and is_there) and not any(
            file.rows_of(file.normal(line.text)) for line in removed
        )
