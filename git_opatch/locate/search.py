"""The readings of a hunk: the strictest class that has any.

It must not weigh one class against another: the first that has a reading ends the search.

The order of the classes is the engine's strongest rule; the first that has a reading ends the
search. A hunk that is there as written is compared in no other way.

    every byte                  empty lines at the hunk's end may only separate it from what follows
    a slip undone, every byte   of the whole hunk (`variants`); all slips must say the same
    whitespace                  and the level of headings; other blank lines, the fewest
    typography                  and in prose letter case and signs; must be alone
    tolerated                   one line of context; must be alone
    a slip undone, whitespace
    gaps                        lines of the file left out, the fewest gaps; must be alone

"Alone" counts every place whose lines have the same loosest key, also those where a line then
turned out to differ. After the classes of every byte, whitespace and typography the aligner is
asked for the new lines: a hunk that is there already is not laid more loosely over something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from git_opatch.locate.alignment import (
    exact_readings,
    fits_of,
    loose_readings,
    settled,
    shows_context,
)
from git_opatch.locate.anchors import find, scoped
from git_opatch.locate.applied import new_starts
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.gaps import gap_readings
from git_opatch.locate.reading import (
    EQUAL,
    FORM,
    SPACE,
    TOLERATED,
    Grade,
    Reading,
    Readings,
    Step,
    readings_of,
)
from git_opatch.locate.sought import Sought
from git_opatch.locate.variants import Variant, variants_of
from git_opatch.model.failure import Problem
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault

LOOSEST = {Tier.STRICT: EQUAL, Tier.RESILIENT: SPACE, Tier.FUZZY: TOLERATED}
"""The loosest grade of each tier."""
_TO_THE_END = "gives no position, so its lines go to the end of the file"


def seek(hunk: Hunk, file: FileIndex, matching: Matching) -> Sought:
    """Find the readings of `hunk` of the strictest class that has any, or that it is applied."""
    if not hunk.preimage:
        return _addition(hunk, file)
    found = (each for each in _classes(hunk, file, matching) if _ends_search(each))
    return next(found, Sought(hunk))


def _ends_search(sought: Sought) -> bool:
    return bool(sought.readings) or sought.applied_at is not None


def _classes(hunk: Hunk, file: FileIndex, matching: Matching) -> Iterator[Sought]:
    most = LOOSEST[matching.tier]
    yield Sought(hunk, exact_readings(hunk, file))
    if not any(line.text.strip() for line in hunk.preimage):
        return
    yield _applied(hunk, file, EQUAL)
    variants = list(variants_of(hunk, file.joined))
    yield from _undone(hunk, variants, file, EQUAL)
    for level in Grade:
        if EQUAL < level < TOLERATED and level <= most:
            yield _loose(hunk, file, level)
            yield _applied(hunk, file, level)
    if most == TOLERATED:
        yield _loose(hunk, file, TOLERATED)
    if most and not file.written:  # lines that other hunks wrote are not guessed at
        yield from _undone(hunk, variants, file, SPACE)
        if most == TOLERATED:
            yield _with_gaps(hunk, file)


def _loose(hunk: Hunk, file: FileIndex, level: Grade) -> Sought:
    found = loose_readings(hunk, file, level)
    must_be_alone = level >= FORM
    others = found.others if must_be_alone else ()
    return Sought(hunk, found, loose=must_be_alone, others=others)


def _undone(
    hunk: Hunk, variants: Sequence[Variant], file: FileIndex, level: int
) -> Iterator[Sought]:
    """Yield the readings of a hunk with a slip undone; all slips that fit must say the same."""
    found: list[Sought] = []
    for variant, repair in variants:
        is_exact = level == EQUAL
        laid = exact_readings(variant, file) if is_exact else loose_readings(variant, file, SPACE)
        readings = _at_number(hunk, variant, laid)
        if readings:
            found.append(Sought(variant, readings, repairs=(repair,)))
        elif is_exact and len(at := new_starts(variant, file)) == 1:
            yield Sought(variant, applied_at=at[0])
    if found:
        first = found[0]
        is_one = all(
            other.hunk.lines == first.hunk.lines and other.starts == first.starts for other in found
        )
        first.disagrees = not is_one
        yield first


def _at_number(hunk: Hunk, variant: Hunk, readings: Readings) -> Readings:
    """Keep the readings where the numbers in front of the hunk's own lines point, if they do."""
    stated = variant.stated_start
    if stated is None or stated == hunk.stated_start:
        return readings
    may_be_elsewhere = len(hunk.preimage) > 1 and stated not in readings.starts
    return readings if may_be_elsewhere else readings.among({stated})


def _applied(hunk: Hunk, file: FileIndex, level: Grade) -> Sought:
    """Find where the new lines of a hunk are; one that shows no context must say that place."""
    is_shown = shows_context(hunk)
    follows = is_shown or hunk.new_start == _number_after_others(hunk, file)
    stated = hunk if follows else replace(hunk, new_start=None)
    said = at = new_starts(stated, file, level)
    if not is_shown:
        numbers = {stated.stated_start, stated.new_start} - {None}
        meant = numbers or scoped(at, hunk.anchors, file)
        said = [each for each in at if each in {*meant, *fits_of(hunk, file, FORM).straight}]
    at = said or at
    there = at[0] if len(at) == 1 else None
    return Sought(hunk, applied_at=there, applied_level=level, is_said=bool(said))


def _number_after_others(hunk: Hunk, file: FileIndex) -> int | None:
    """Return where a hunk is once those above it in the patch are applied, by its first number."""
    above = [each for each in file.hunks if each.ordinal < hunk.ordinal]
    grown = sum(len(each.postimage) - len(each.preimage) for each in above)
    return None if hunk.stated_start is None else hunk.stated_start + grown


def _with_gaps(hunk: Hunk, file: FileIndex) -> Sought:
    hunk = settled(hunk)
    found = gap_readings(hunk, file)
    readings = readings_of([reading for reading in found if not reading.doubt] or found)
    return Sought(hunk, readings, loose=True)


# ---------------------------------------------------------------- added lines alone


def _addition(hunk: Hunk, file: FileIndex) -> Sought:
    """Place added lines alone: below their anchor, or at the end of the file."""
    size = len(file.lines)
    if size == 0 or hunk.at_end_of_file:
        return _adding(hunk, [size], Evidence.END_OF_FILE)
    if not hunk.strong:
        if fault := _no_position(hunk):
            return Sought(hunk, problem=Problem(fault))
        return replace(_adding(hunk, [size], Evidence.END_OF_FILE), notes=(_TO_THE_END,))
    found = [find(anchor, file) for anchor in hunk.strong]
    missing = [each for each in found if not each.rows or not each.whole]
    if missing:
        anchor = missing[-1].anchor.text
        return Sought(hunk, problem=Problem.of(Fault.ANCHOR_OF_ADDED_MISSING, anchor=anchor))
    rows = found[-1].rows
    if len(found) > 1:
        rows = scoped(rows, hunk.strong[:-1], file)
    return _adding(hunk, [row + 1 for row in rows], Evidence.AFTER_ANCHOR)


def _no_position(hunk: Hunk) -> Fault | None:
    """Return why added lines without an anchor do not go to the end; None if they do."""
    if hunk.stated_start is not None:
        return Fault.ONLY_NUMBERS
    if hunk.anchors:
        return Fault.ONLY_HEADING
    return None if hunk.is_last else Fault.NOT_LAST


def _adding(hunk: Hunk, rows: Sequence[int], evidence: Evidence) -> Sought:
    steps = tuple(Step(line, None) for line in hunk.lines)
    return Sought(hunk, readings_of(Reading(steps, row) for row in rows), evidence=evidence)
