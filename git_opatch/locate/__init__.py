"""Locate the hunks of a file: each gets one placement, or a failure that says why. Pure.

It must not read a file, nor ask git: all that it knows is given.

A reading is one way in which a hunk and the file agree. The aligner makes them all, strictest class
first; evidence removes some; if all that are left leave the same bytes, that is the answer.

    file_index    the file: its lines, where each is, and their keys
    likeness      how a line of a hunk may be a line of the file; `prose` says what is prose
    variants      slips of a whole hunk, undone; `forms` for those of its text
    alignment     which lines of a hunk are which lines of the file; `between` lays those that are
                  blank or added, and `gaps` leaves some out
    search        the order of the classes; `sought` is what it finds
    evidence      what removes readings: the file's end, anchors, the order, numbers
    decide        what a reading leaves, and whether all leave the same
    claims        what a hunk says beside its lines; `anchors`, `scope` and `outline` for its names
    applied       whether the new lines are there; `repeats` for some of them
    overlap       hunks that change the same lines
    explain       words for what is refused; `closest_match`, `enclosing`

The added lines of a placement are as they are written (`doubt`, `reindent`).
String replacements and `~` are first expanded to whole lines: `replacement`, with `forms` for
strings in another encoding or escaped, and `notebook` for cells; `removed_ranges`. `oversized`
refuses what would take too long.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from git_opatch.complete.edits import edits_of
from git_opatch.locate import explain
from git_opatch.locate.applied import applied_elsewhere, applied_over, bounds_of, new_starts
from git_opatch.locate.claims import contradictions, misnumbered
from git_opatch.locate.decide import Outcome, agreed, outcome_of
from git_opatch.locate.evidence import narrow
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.gaps import left_out
from git_opatch.locate.reading import EQUAL, SPACE
from git_opatch.locate.search import seek
from git_opatch.locate.sought import Sought
from git_opatch.model.failure import Failure, HunkResult, failure_of
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text

_DEFAULT_MATCHING = Matching()


def refuse_absent(hunks: Sequence[Hunk], text: Text, matching: Matching) -> list[Failure]:
    """Refuse those of `hunks`, which change nothing, that are not in `text`.

    Where they are does not matter, nor how often. Blank lines alone are everywhere.
    """
    wanted = [hunk for hunk in hunks if any(line.text.strip() for line in hunk.preimage)]
    if not wanted:
        return []
    file = FileIndex(text, wanted, matching.path)
    all_sought = [seek(hunk, file, matching) for hunk in wanted]
    explainer = explain.NotFoundExplainer(file, all_sought, matching)
    refused = [explainer.refuse(sought.hunk) for sought in all_sought if not sought.readings]
    return [failure._replace(fault=Fault.LOST_PREFIX, hint=None) for failure in refused]


class Search:
    """The hunks of a file, each sought once; what was found may be judged several times.

    `written` are rows of the text that other hunks of the patch, `placed`, wrote; anchors were
    written for the file without them.
    """

    def __init__(
        self,
        hunks: Sequence[Hunk],
        text: Text,
        matching: Matching = _DEFAULT_MATCHING,
        written: Collection[int] = (),
        placed: Sequence[Hunk] = (),
    ) -> None:
        self._file = FileIndex(text, hunks, matching.path, written, placed)
        self._sought = {hunk.ordinal: seek(hunk, self._file, matching) for hunk in hunks}

    def judge(
        self, matching: Matching, ordinals: Collection[int] | None = None
    ) -> dict[int, HunkResult]:
        """Place the hunks, or those of `ordinals`, each whatever the others change.

        Both are by ordinal; a failure names no file.
        """
        asked = self._sought if ordinals is None else ordinals
        all_sought = [replace(sought) for at, sought in self._sought.items() if at in asked]
        narrow(all_sought, self._file, matching)
        resolver = _Resolver(self._file, all_sought, matching)
        results = [resolver.resolve(sought) for sought in all_sought]
        bounds = bounds_of(results)
        for at, (result, sought) in enumerate(zip(results, all_sought, strict=True)):
            if isinstance(result, Placement):
                found = applied_elsewhere(result, sought, bounds[at], self._file, matching)
                results[at] = explain.refuse_unclear(result, found, self._file) if found else result
        ordinals = [at for at in self._sought if at in asked]
        return dict(zip(ordinals, results, strict=True))


class _Resolver:
    """Turns what is left of each hunk into a placement or a failure."""

    def __init__(self, file: FileIndex, all_sought: Sequence[Sought], matching: Matching) -> None:
        self._file = file
        self._matching = matching
        self._all_sought = all_sought
        self._explainer = explain.NotFoundExplainer(file, all_sought, matching)

    def resolve(self, sought: Sought) -> HunkResult:
        """Return the placement of a hunk whose readings agree and whose claims hold."""
        file = self._file
        hunk = sought.hunk
        if sought.problem:
            return failure_of(hunk, sought.problem)
        if sought.applied_at is not None and (failure := self._applied(sought, sought.applied_at)):
            return failure
        if not sought.readings:
            return self._explainer.refuse(hunk)
        found = agreed(sought, file, lambda reading: outcome_of(sought, reading, file))
        if found is None and left_out(next(iter(sought.readings))):
            return self._explainer.refuse(hunk)
        if found is None:
            return explain.refuse_ambiguous(sought, file, has_anchors=self._matching.ordered)
        return self._checked(sought, found)

    def _applied(self, sought: Sought, at: int) -> Failure | None:
        """Refuse a hunk whose new lines are at the row `at`; None if it says another place,
        or the old lines are where its number says, but for one."""
        hunk, file = sought.hunk, self._file
        if at != hunk.new_start and misnumbered(hunk, at, file):
            return None
        says_nothing = hunk.stated_start is None and not hunk.anchors
        is_said = sought.is_said or (says_nothing and self._is_in_order(hunk, at))
        if not is_said and not says_nothing:
            return None
        return explain.refuse_applied(hunk, at, sought.applied_level, file, is_said=is_said)

    def _is_in_order(self, hunk: Hunk, at: int) -> bool:
        """Return whether the new lines of a hunk, at the row `at`, are in order with the places of
        the others, or their new lines."""
        others = [
            (each.hunk.ordinal < hunk.ordinal, start)
            for each in self._all_sought
            if each.hunk is not hunk
            and (start := each.only if each.readings else each.applied_at) is not None
        ]
        is_ordered = self._matching.ordered and bool(others)
        return is_ordered and all(is_above == (start < at) for is_above, start in others)

    def _checked(self, sought: Sought, found: Outcome) -> HunkResult:
        """Refuse what is there already, what contradicts itself, and what is unclear."""
        file, hunk, placement = self._file, sought.hunk, found.placement
        there = applied_over(placement.hunk, found.reading, file)
        if not any(edits_of(placement, file.text)):
            there = there or (found.reading.start, min(found.reading.level, SPACE))
        if there:
            return explain.refuse_applied(hunk, *there, file)
        notes = []
        for each in contradictions(sought, found, file, self._matching):
            if isinstance(each, str):
                notes.append(each)
                continue
            starts = new_starts(hunk, file) if hunk.anchors else ()
            if len(starts) == 1:
                return explain.refuse_applied(hunk, starts[0], EQUAL, file)
            return explain.refuse(sought, each, file)
        if found.doubt:
            return explain.refuse_unclear(placement, found.doubt, file)
        return replace(placement, notes=(*placement.notes, *notes)) if notes else placement
