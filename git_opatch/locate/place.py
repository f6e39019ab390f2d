"""Place the hunks of a file: readings, what removes them, and whether those that are left agree.

It must not prefer a reading: of several that are left all must leave the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from operator import is_

from git_opatch.complete.edits import apply_edits, edits_of
from git_opatch.locate import applied, words
from git_opatch.locate.claims import in_anchors, narrow, refuted
from git_opatch.locate.difference import likeness
from git_opatch.locate.doubt import in_file_form
from git_opatch.locate.file import File
from git_opatch.locate.indent import indent
from git_opatch.locate.never import never_written
from git_opatch.locate.reading import (
    ADDED,
    CONTEXT,
    Applied,
    Level,
    Reading,
    Sought,
    Step,
    one_for_one,
)
from git_opatch.locate.search import seek
from git_opatch.locate.stale import contradicted
from git_opatch.model.failure import Failure, HunkResult, Problem, failure_of
from git_opatch.model.limits import FEW
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text


class Search:
    """Hunks of a file, each sought once, which may be judged again by other rules.

    `markers` are hunks that change nothing: they say where others are (D485).
    """

    def __init__(
        self, hunks: Iterable[Hunk], file: File, matching: Matching, markers: Iterable[Hunk] = ()
    ) -> None:
        self._file = file
        self.sought = {hunk.ordinal: seek(hunk, file, matching) for hunk in hunks}
        self.markers = {hunk.ordinal: seek(hunk, file, matching) for hunk in markers}

    def judge(
        self, matching: Matching, wanted: Collection[int] | None = None
    ) -> dict[int, HunkResult]:
        """Return where each hunk is, or why it is refused, by ordinal; of those `wanted` alone, as
        if the others were not in the patch."""
        asked = self.sought if wanted is None else {at: self.sought[at] for at in wanted}
        known = {**asked, **self.markers}
        fresh = [copy(known[at]) for at in sorted(known)]
        narrow(fresh, self.markers, self._file, matching)
        judged = [sought for sought in fresh if sought.hunk.ordinal in asked]
        applied.say_in_order(judged, matching)
        results = {each.hunk.ordinal: _settle(each, self._file, matching) for each in judged}
        applied.look_beside(judged, results, self._file, matching)
        return results


def _settle(sought: Sought, file: File, matching: Matching) -> HunkResult:
    """Return the placement of a hunk whose readings agree and whose claims hold, or a refusal."""
    hunk, readings = sought.hunk, sought.readings
    if sought.problem:
        return failure_of(hunk, sought.problem)
    if sought.applied:
        return applied.refuse(hunk, sought.applied, file)
    if not readings:
        return words.explain(sought, file, matching)
    agreed = _agreed(sought, file)
    if agreed is None:
        return words.refuse(sought, Fault.AMBIGUOUS, file, matching)
    placement, doubt = agreed
    if readings[0].level and not any(edits_of(placement, file.text)):
        return applied.refuse(hunk, Applied(placement.start, Level.SPACE), file)
    if over := applied.over(placement.hunk, readings[0], file):
        return applied.refuse(hunk, over, file)
    notes: list[str] = []
    for against in _said_against(sought, file, matching):
        if isinstance(against, Problem):
            return _refuse(sought, against, file, matching)
        notes.append(against)
    if problem := doubt or readings[0].doubt:
        return words.refuse(sought, problem, file, matching)
    said = (*sought.notes, *placement.notes, *notes)
    return replace(placement, notes=said) if said else placement


def _refuse(sought: Sought, problem: Problem, file: File, matching: Matching) -> Failure:
    """Refuse the reading that is left; if it is not in its anchors, but the new lines are, they are
    there already."""
    hunk = sought.hunk
    if problem.fault is Fault.ANCHOR_ELSEWHERE and hunk.strong:
        starts = applied.new_starts(hunk, file)
        if len(starts) == 1 and in_anchors(one_for_one(hunk, starts[0]), hunk.strong, file):
            return applied.refuse(hunk, Applied(starts[0]), file)
    return words.refuse(sought, problem, file, matching)


def _said_against(sought: Sought, file: File, matching: Matching) -> Iterable[Problem | str]:
    """Yield what is against the one reading that is left: a problem, or a note."""
    reading = sought.readings[0]
    yield from contradicted(sought, reading, file, matching)
    yield from refuted(sought, reading, file, matching)


def _agreed(sought: Sought, file: File) -> tuple[Placement, Problem | None] | None:
    """Return the placement of all readings, if they leave the same bytes, and what is doubtful of
    it; None if they do not, or if there is a rival."""
    most = 1 if sought.alone else FEW
    if sought.rivals or sought.readings.is_cut or len(sought.readings) > most:
        return None
    first = _written(sought, sought.readings[0], file)
    others = range(1, len(sought.readings))
    after = _after(first[0], file) if others else None
    same = (_after(_written(sought, sought.readings[at], file)[0], file) == after for at in others)
    return first if all(same) else None


def _after(placement: Placement, file: File) -> Text:
    return apply_edits(file.text, list(edits_of(placement, file.text)))


def _written(sought: Sought, reading: Reading, file: File) -> tuple[Placement, Problem | None]:
    """Return the placement of a reading with its added lines as they are to be written, and why
    that is doubtful."""
    steps, doubt, notes = _as_written(sought, reading, file)
    lines = _with_newlines([_located(step, file) for step in steps], reading, file)
    hunk = sought.hunk
    is_same = len(lines) == len(hunk.lines) and all(map(is_, lines, hunk.lines))
    placement = Placement(
        hunk if is_same else replace(hunk, lines=lines),
        reading.start,
        reading.level.tier,
        sought.evidence,
        _is_verbatim(sought, reading, file),
        likeness=likeness(steps, file) if reading.level else (),
        repairs=sought.repairs + reading.repairs,
        notes=notes,
        candidate_count=sought.count,
    )
    return placement, doubt


def _as_written(
    sought: Sought, reading: Reading, file: File
) -> tuple[Sequence[Step], Problem | None, tuple[str, ...]]:
    """Return the steps with added lines as they are to be written, why that is doubtful, and
    notes."""
    if not reading.level:
        return reading.steps, never_written(sought.hunk, reading, file), ()
    formed, doubt = in_file_form(reading.steps, file)
    indented = indent(formed, file)
    doubt = doubt or indented.doubt or never_written(sought.hunk, reading, file)
    return indented.steps, doubt, (indented.note,) if indented.note else ()


def _is_verbatim(sought: Sought, reading: Reading, file: File) -> bool:
    r"""Return whether the patch's `\r`s are content: its lines end in two ways, as the file's."""
    if reading.level or sought.hunk.uniform_endings:
        return False
    lines = file.text.lines
    old = (step for step in reading.steps if step.row is not None)
    return not file.text.crlf or all(step.line.text == lines[step.row or 0] for step in old)


def _located(step: Step, file: File) -> Line:
    """Return the line of a step; one of context is the file's."""
    line, row = step
    if row is None or line.prefix is not CONTEXT or line.text == file.lines[row]:
        return line
    return line._replace(text=file.lines[row])


def _with_newlines(lines: Sequence[Line], reading: Reading, file: File) -> tuple[Line, ...]:
    r"""Ignore `\ No newline` on lines that have one in the file, unless the last line loses it."""
    old = [line for line in lines if line.prefix is not ADDED]
    denied = file.text.final_newline and old and not old[-1].newline
    if (reading.stop == len(file.lines) and not denied) or all(line.newline for line in lines):
        return tuple(lines)
    return tuple(line._replace(newline=True) for line in lines)


def results_of(results: Mapping[int, HunkResult]) -> tuple[list[Placement], dict[int, Failure]]:
    """Return the placements among results, and the failures by ordinal."""
    placed = [result for result in results.values() if isinstance(result, Placement)]
    lost = {at: result for at, result in results.items() if isinstance(result, Failure)}
    return placed, lost
