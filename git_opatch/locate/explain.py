"""Refuse hunks: which fault it is, and what the file has there.

It must not decide that a hunk is refused, nor look for another place for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import count, takewhile

from git_opatch.locate.anchors import find
from git_opatch.locate.applied import first_new_line
from git_opatch.locate.closest_match import ClosestMatches
from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.extent import Overlay, extent_of, with_places
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.gaps import stands_for_lines
from git_opatch.locate.outline import OutlineKind
from git_opatch.locate.reading import EQUAL, Grade
from git_opatch.locate.search import LOOSEST
from git_opatch.locate.sought import Sought
from git_opatch.locate.suggest import tell_apart
from git_opatch.model.extent import Extent, ExtentLine, Mark, Means, Suggestion
from git_opatch.model.failure import OF_ANCHORS, Failure, Problem, failure_of
from git_opatch.model.limits import MANY
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Hint, Reason


def refuse(sought: Sought, problem: Problem, file: FileIndex) -> Failure:
    """Refuse a hunk that has readings; the failure lists their positions."""
    positions = tuple(sorted({*sought.starts, *sought.others}))[:MANY]
    is_unsure = problem.fault.reason is Reason.AMBIGUOUS
    enclosing = name_enclosing(positions, file) if is_unsure else ()
    steps = next(iter(sought.readings)).steps
    extent = extent_of(((step.line, step.row, step.is_shown) for step in steps), file)
    suggestions = _definition(extent, file) if problem.fault in OF_ANCHORS else ()
    return failure_of(
        sought.hunk,
        problem,
        positions=positions,
        extent=extent,
        enclosing=enclosing,
        suggestions=suggestions,
    )


def _definition(extent: Extent, file: FileIndex) -> tuple[Suggestion, ...]:
    """Suggest the definition that a hunk shows above its first change, or that it is in."""
    first = takewhile(lambda each: not each.is_near or each.mark is not Mark.THERE, extent.lines)
    own = [each.position for each in first if each.line and each.position is not None]
    shown = [at for at in own if file.heading_at(at) is OutlineKind.DEFINITION]
    texts = [file.lines[at] for at in shown[-1:]] or [
        each.text for each in (extent.inside,) if each
    ]
    return tuple(Suggestion(Means.ANCHOR, text.strip()) for text in texts)


def refuse_unclear(placement: Placement, problem: Problem, file: FileIndex) -> Failure:
    """Refuse a hunk whose added lines cannot be meant as they are written."""
    rows, lines = count(placement.start), placement.hunk.lines
    steps = ((line, None if line.prefix is Prefix.ADDED else next(rows), True) for line in lines)
    extent = extent_of(steps, file)
    return failure_of(placement.hunk, problem, positions=(placement.start,), extent=extent)


def refuse_ambiguous(sought: Sought, file: FileIndex, *, has_anchors: bool) -> Failure:
    """Refuse a hunk with several readings that leave other bytes.

    `has_anchors` is whether its format has anchors, which could decide.
    """
    strong = [find(anchor, file) for anchor in sought.hunk.strong]
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
    failure = refuse(sought, Problem.of(fault, count=counted, anchor=anchor), file)
    size = len(sought.hunk.preimage)
    told = tell_apart(failure.positions, size, file, has_anchors=has_anchors)
    return failure._replace(suggestions=told)


# ---------------------------------------------------------------- already applied


def refuse_applied(
    hunk: Hunk, at: int, level: Grade, file: FileIndex, *, is_said: bool = True
) -> Failure:
    """Refuse a hunk whose new lines are at the row `at`, as compared at the grade `level`;
    `is_said` is whether the hunk says that this is its place."""
    first, extent = first_new_line(hunk, at, len(file.lines)), None
    if level == EQUAL:
        adds = any(line.prefix is Prefix.ADDED for line in hunk.lines)
        fault = Fault.ALREADY_APPLIED if adds else Fault.REMOVAL_APPLIED
        fault = fault if is_said else Fault.MAY_BE_APPLIED_THERE
    else:
        fault, extent = Fault.MAY_BE_APPLIED, _new_lines(hunk, at, file)
    return failure_of(hunk, fault, positions=(first,), extent=extent, start=at)


def _new_lines(hunk: Hunk, at: int, file: FileIndex) -> Extent | None:
    """Lay the new lines of a hunk, which are there loosely, over the file at the row `at`."""
    new = [index for index, line in enumerate(hunk.postimage) if line.text.strip()]
    solid = file.solid[bisect_left(file.solid, at) :]
    pairs = [*zip(new, solid, strict=False)]
    return Overlay(file).extent(hunk, pairs, Prefix.REMOVED) if pairs else None


# ---------------------------------------------------------------- not found


def _is_whole(part: bytes, line: bytes) -> bool:
    """Return whether `part` begins and ends at the edge of a word of `line`."""
    edges = rb"(?:\b|(?=\W))", rb"(?:\b|(?<=\W))"
    return re.search(re.escape(part).join(edges), line) is not None


class NotFoundExplainer:
    """Refuses the hunks of a file that are not found: shows the closest match."""

    def __init__(self, file: FileIndex, all_sought: Sequence[Sought], matching: Matching) -> None:
        self._file = file
        self._all_sought = all_sought
        self._matching = matching
        self._matches: ClosestMatches | None = None

    def refuse(self, hunk: Hunk) -> Failure:
        """Refuse a hunk that has no reading of any class that is allowed."""
        if self._matches is None:
            lost = [each.hunk for each in self._all_sought if not each.readings or each.loose]
            self._matches = ClosestMatches(self._file, lost)
        rows = [find(anchor, self._file).rows for anchor in hunk.anchors]
        pairs = self._matches.pairs(hunk, next(filter(None, reversed(rows)), ()))
        most = LOOSEST[self._matching.tier]
        extent = Overlay(self._file, most).extent(hunk, pairs) if pairs else Extent()
        extent = with_places(extent, hunk, self._matches, self._file)
        few, total = len(extent.nowhere), extent.total
        problem = Problem(Fault.NOT_FOUND if extent.lines else Fault.NOTHING_FOUND)
        if few < total and (total < 2 * few or not extent.lines):
            problem = Problem.of(Fault.HARDLY_FOUND, few=few, total=total)
        if extent.first is None:
            extent = extent._replace(first=ExtentLine(Mark.IN_PATCH, line=hunk.preimage[0]))
        return self._with_hint(failure_of(hunk, problem, extent=extent), hunk, extent)

    def _with_hint(self, failure: Failure, hunk: Hunk, extent: Extent) -> Failure:
        """Add what the hunk itself tells of why it is not found."""
        line = extent.first.line if extent.first and extent.first.line else hunk.preimage[0]
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
        lost = [each.text.strip() for each in extent.nowhere[:1] if extent.total == 1]
        rows = self._file.containing(lost[0]) if lost else []
        if len(rows) == 1 and _is_whole(lost[0], self._file.lines[rows[0]]):
            return failure.with_hint(Hint.PART_OF_LINE, line=lost[0], at=rows[0] + 1)
        if self._matching.reversed:
            return failure
        if self._may_be_reversed(hunk):
            return failure.with_hint(Hint.REVERSED)
        if extent.named and extent.named.positions and extent.lines:
            return failure.with_hint(Hint.NOT_IN_NAMED, at=extent.named.positions[0] + 1)
        return failure

    def _may_be_reversed(self, hunk: Hunk) -> bool:
        """Return whether the file has what the hunk adds, and nothing of what it removes."""
        file = self._file
        removed, added = (
            {
                bool(file.rows_of(file.normal(line.text)))
                for line in hunk.lines
                if line.prefix is prefix and line.text.strip()
            }
            for prefix in (Prefix.REMOVED, Prefix.ADDED)
        )
        return (removed, added) == ({False}, {True})
