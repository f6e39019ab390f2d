"""The order of the classes in which a hunk is sought; the first that has a reading ends the search.

    as written  →  slips undone  →  whitespace  →  typography  →  one line of context
                →  past the end of the file  →  slips, with other whitespace  →  gaps at markers

It must not judge a reading. Behind each class that finds nothing, the new lines are looked for in
the same way: where they are, the change was made already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.locate.applied import applied_at, new_starts
from git_opatch.locate.file import File
from git_opatch.locate.gaps import with_gaps
from git_opatch.locate.loose import Nearby, loose, past_the_end
from git_opatch.locate.reading import Applied, Level, Readings, Sought, exact, is_blank, settled
from git_opatch.locate.slips import Slip, slips_of
from git_opatch.model.failure import Problem
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault

_LOOSEST = {
    Tier.STRICT: Level.EXACT,
    Tier.RESILIENT: Level.SPACE,
    Tier.FUZZY: Level.TOLERATED,
}
_TO_THE_END = "gives no position, so its lines go to the end of the file"


def seek(hunk: Hunk, file: File, matching: Matching) -> Sought:
    """Find the readings of the strictest class that has any, or that the change is there."""
    given, hunk = hunk, settled(hunk)
    if not hunk.preimage:
        return _addition(hunk, file)
    if readings := exact(hunk, file):
        return Sought(hunk, readings)
    if all(map(is_blank, hunk.preimage)):
        return Sought(hunk)
    classes = _classes(hunk, Nearby(hunk, file, given), file, matching)
    return next((sought for sought in classes if sought.is_decided), Sought(hunk))


def _classes(hunk: Hunk, nearby: Nearby, file: File, matching: Matching) -> Iterator[Sought]:
    """Yield what each class finds of a hunk that is not there as written, strictest first."""
    most = _LOOSEST[matching.tier]
    yield applied_at(hunk, file, Level.EXACT)
    slips = [*slips_of(hunk, file)]
    yield from _undone(hunk, slips, file, Level.EXACT)
    for level in (Level.SPACE, Level.FORM, Level.TOLERATED):
        if level <= most:
            yield loose(nearby, level)
            if level < Level.TOLERATED:
                yield applied_at(hunk, file, level)
    if most < Level.SPACE or file.written:  # what other hunks wrote is not guessed at
        return
    if most == Level.TOLERATED:
        yield past_the_end(hunk, file)
    yield from _undone(hunk, slips, file, Level.SPACE)
    if most == Level.TOLERATED:
        yield with_gaps(hunk, file)


def _undone(hunk: Hunk, slips: Sequence[Slip], file: File, level: Level) -> Iterator[Sought]:
    """Yield the readings of a hunk with a slip undone; all slips that fit must say the same."""
    fitting: list[Sought] = []
    for slip, repair in slips:
        readings = _readings_of(slip, file, level)
        if slip.stated_start != hunk.stated_start:  # the numbers in front of its own lines
            numbered = readings.starting_at(slip.stated_start)
            if numbered or len(hunk.preimage) < 2:
                readings = readings.only(numbered)
        if readings:
            fitting.append(Sought(slip, readings, repairs=(repair,)))
        elif not level and len(starts := new_starts(slip, file)) == 1:
            yield Sought(slip, applied=Applied(starts[0]))
    if fitting:
        first = fitting[0]
        says = {(each.hunk.lines, tuple(each.readings.starts)) for each in fitting}
        if len(says) > 1:
            first.rivals = [each.readings.starts[0] for each in fitting[1:]]
        yield first


def _readings_of(hunk: Hunk, file: File, level: Level) -> Readings:
    return loose(Nearby(hunk, file), Level.SPACE).readings if level else exact(hunk, file)


def _addition(hunk: Hunk, file: File) -> Sought:
    """Place lines that are added alone: below their anchor, or at the end of the file."""
    end, notes = len(file.lines), tuple[str, ...]()
    if end and not hunk.at_end_of_file:
        if hunk.strong:
            return _below_anchor(hunk, file)
        for is_so, fault in (
            (hunk.stated_start is not None, Fault.ONLY_NUMBERS),
            (bool(hunk.anchors), Fault.ONLY_HEADING),
            (not hunk.is_last, Fault.NOT_LAST),
        ):
            if is_so:
                return Sought(hunk, problem=Problem(fault))
        notes = (_TO_THE_END,)
    readings = Readings.as_written(hunk, [end])
    return Sought(hunk, readings, evidence=Evidence.END_OF_FILE, notes=notes)


def _below_anchor(hunk: Hunk, file: File) -> Sought:
    rows = [row for row, _ in file.heads.scopes(hunk.strong)]
    if not rows:
        text = hunk.strong[-1].text
        return Sought(hunk, problem=Problem.of(Fault.ANCHOR_OF_ADDED_MISSING, anchor=text))
    readings = Readings.as_written(hunk, sorted(row + 1 for row in rows))
    return Sought(hunk, readings, evidence=Evidence.AFTER_ANCHOR)
