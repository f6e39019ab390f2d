"""Is the change there already? New lines are read like old ones: where they are, nothing is to be
written.

It must not move a hunk: what it finds refuses. That the change is there needs evidence of the
place: the hunk's context, its number, its heading, the order; or that no other line may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate
from math import inf

from git_opatch.locate.claims import in_anchors
from git_opatch.locate.file import File
from git_opatch.locate.forms import spaced, typographic
from git_opatch.locate.heads import rows_with
from git_opatch.locate.loose import Form, Nearby, as_written, loose
from git_opatch.locate.painter import Painter
from git_opatch.locate.reading import (
    ADDED,
    CONTEXT,
    REMOVED,
    Applied,
    Level,
    Reading,
    Sought,
    has_word,
    is_blank,
    one_for_one,
    shows_context,
)
from git_opatch.locate.stale import misnumbered
from git_opatch.model.failure import Failure, HunkResult, Problem, failure_of
from git_opatch.model.limits import MANY, NEAR
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk
from git_opatch.model.picture import Picture
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Detail, Fault

_FORMS: dict[Level, Form] = {
    Level.EXACT: as_written,
    Level.SPACE: spaced,
    Level.FORM: typographic,
}
_ALIKE = 0.8
"""So much of a new line must be as in the old one, for it to be the same with another value."""
_LONG_WORD = re.compile(rb"\w{3,}")


def applied_at(hunk: Hunk, file: File, level: Level) -> Sought:
    """Return that the new lines of a hunk are there, once; without context, the hunk must say that
    this is its place, by its number or else a heading."""
    shows = shows_context(hunk)
    is_said = shows or hunk.stated_start is not None or bool(hunk.anchors)
    asked = hunk if shows or _counts_on(hunk, file) else replace(hunk, new_start=None)
    starts = new_starts(asked, file, level)
    if is_said and not shows and starts:
        numbers = {asked.stated_start, asked.new_start} - {None}
        old = {each.start for each in loose(Nearby(hunk, file), Level.FORM).readings}
        starts = [at for at in starts if at in old or not numbers or at in numbers]
    if len(starts) != 1:
        return Sought(hunk)
    start = starts[0]
    is_numbered = start == hunk.new_start
    if not is_numbered and (misnumbered(hunk, start, file) or _may_be_changed(hunk, start, file)):
        return Sought(hunk)
    is_said = is_said or (not level and _replaces_the_likest(hunk, start, file))
    return Sought(hunk, applied=Applied(start, level, is_said))


def _may_be_changed(hunk: Hunk, start: int, file: File) -> bool:
    """Return whether another place than what a hunk, which only removes, would leave at `start` has
    all lines of it but one: somebody may have changed there what it removes."""
    if any(line.prefix is ADDED for line in hunk.lines):
        return False
    here = range(start, start + len(hunk.postimage))
    return any(row not in here for row in Nearby(hunk, file).rivals(as_written, ()))


def _counts_on(hunk: Hunk, file: File) -> bool:
    """Return whether the second number of a hunk is the first, and what those before it add."""
    stated = hunk.stated_start
    return stated is None or hunk.new_start == stated + file.grown.get(hunk.ordinal, 0)


def _replaces_the_likest(hunk: Hunk, start: int, file: File) -> bool:
    """Return whether the old lines are nowhere, and no other line is as like the first one as the
    new line is: a number was raised there, say."""
    old = [text for text in file.texts(hunk.preimage) if text.strip()]
    if not old or any(text in file.exact for text in old):
        return False
    words = sorted(set(_LONG_WORD.findall(old[0])), key=len, reverse=True)
    rows = rows_with(words[0], file.joined) if words else []
    likeness = {row: _ratio(old[0], file.lines[row]) for row in rows if len(rows) <= NEAR}
    new = range(start, start + len(hunk.postimage))
    best = max((ratio for row, ratio in likeness.items() if row in new), default=0)
    others = (ratio for row, ratio in likeness.items() if row not in new)
    return best >= _ALIKE and all(ratio < best for ratio in others)


def _ratio(text: bytes, line: bytes) -> float:
    return SequenceMatcher(None, text.strip(), line.strip(), autojunk=False).ratio()


# ---------------------------------------------------------------- where the new lines are


def new_starts(hunk: Hunk, file: File, level: Level = Level.EXACT) -> list[int]:
    """List where the new lines are: where the second number says, or under the anchors."""
    new, stated = file.texts(hunk.postimage), hunk.new_start
    if level is Level.EXACT and stated is not None and has_word(new):
        is_there = file.lines[stated : stated + len(new)] == new
        if is_there and _shows_removal(hunk, stated, file):
            return [stated]
    if not any(line.prefix is ADDED for line in hunk.lines):
        starts = _without_removed(hunk, new, file)
    elif not _proves(hunk):
        return []
    else:
        starts = _starts_of(_as_context(hunk), file, level)
    if not hunk.anchors:
        return starts
    kept = _as_context(hunk)
    under = [at for at in starts if in_anchors(one_for_one(kept, at), hunk.anchors, file)]
    names = any(file.heads.named(anchor) for anchor in hunk.strong)
    return under if under or names else starts


def _starts_of(hunk: Hunk, file: File, level: Level) -> list[int]:
    if level is Level.EXACT:
        starts = file.runs(hunk.lines)
        return starts if len(starts) <= MANY else []
    readings = loose(Nearby(hunk, file), level).readings
    straight = [reading.start for reading in readings if not reading.repairs]
    return [] if readings.is_cut else straight


def _proves(hunk: Hunk) -> bool:
    """Return whether a line is added that says something, and is not removed, too."""
    gone = {spaced(line.text) for line in hunk.lines if line.prefix is REMOVED}
    added = (line for line in hunk.lines if line.prefix is ADDED and not is_blank(line))
    says = any(spaced(line.text) not in gone for line in added)
    return says or (not gone and bool(hunk.preimage) and hunk.lines[-1].prefix is ADDED)


def _as_context(hunk: Hunk) -> Hunk:
    """Return the new lines as a hunk of context, without blank ones of context at its end."""
    lines = [line._replace(prefix=CONTEXT) for line in hunk.postimage]
    while lines and is_blank(lines[-1]) and hunk.lines[-1].prefix is CONTEXT:
        lines.pop()
    return replace(hunk, lines=tuple(lines), separators=0)


def _without_removed(hunk: Hunk, new: Sequence[bytes], file: File) -> list[int]:
    """List the one place that has what a hunk keeps, which only removes; not if its own lines have
    that, too, with one that is removed."""
    removes = any(line.prefix is REMOVED and not is_blank(line) for line in hunk.lines)
    kept = [text for text in new if text.strip()]
    if not removes or len(kept) < 2 or not has_word(kept):
        return []
    own, size = file.texts(hunk.lines), len(new)
    gone = [line.prefix is REMOVED for line in hunk.lines]
    for at in range(len(own) - size + 1):
        if own[at : at + size] == new and any(gone[at : at + size]):
            return []
    starts = file.exact.runs(new)
    return starts if len(starts) == 1 and _shows_removal(hunk, starts[0], file) else []


def _shows_removal(hunk: Hunk, at: int, file: File) -> bool:
    """Return whether outermost lines that are removed were at an end of the file."""
    begins, ends = (hunk.lines[outer].prefix is REMOVED for outer in (0, -1))
    return (not begins or at == 0) and (not ends or at == len(file.lines) - len(hunk.postimage))


# ---------------------------------------------------------------- what refuses


def say_in_order(all_sought: Sequence[Sought], matching: Matching) -> None:
    """Where a hunk says nothing of its place, the order of those that have one may say it."""
    asking = [each for each in all_sought if each.applied and not each.applied.is_said]
    if not asking or not matching.ordered:
        return
    known = ((each.hunk.ordinal, each.applied or each.only) for each in all_sought)
    places = {ordinal: place.start for ordinal, place in known if place}
    for sought in asking:
        own = sought.hunk.ordinal
        others = [(who < own) == (at < places[own]) for who, at in places.items() if who != own]
        if sought.applied and others and all(others):
            sought.applied = sought.applied._replace(is_said=True)


def over(hunk: Hunk, reading: Reading, file: File) -> Applied | None:
    """Return where the new lines are over the place of a reading, or right beside it."""
    if not _proves(hunk):
        return None
    old, new = len(hunk.preimage), file.texts(hunk.postimage)
    lead = next((at for at, line in enumerate(hunk.lines) if line.prefix is not ADDED), 0)
    starts = {reading.start, reading.start - lead}
    if hunk.lines[-1].prefix is CONTEXT or hunk.lines[0].prefix is not CONTEXT:
        starts.add(reading.start + old - len(new))
    for level, form in _FORMS.items():
        if level > reading.level or (level and len(new) <= old):
            continue
        wanted = [form(text, file.is_document) for text in new]
        for at in sorted(starts):
            beside = file.lines[at : at + len(new)] if at >= 0 else []
            if wanted and [form(line, file.is_document) for line in beside] == wanted:
                return Applied(at, level)
    return None


@dataclass(frozen=True, slots=True)
class _Beside:
    """A placed hunk among those of its file: where those before and after it are."""

    sought: Sought
    placement: Placement
    below: float
    above: float

    @property
    def in_order(self) -> bool:
        return self.below <= self.placement.start <= self.above


def look_beside(
    all_sought: Sequence[Sought], results: dict[int, HunkResult], file: File, matching: Matching
) -> None:
    """Refuse a hunk whose new lines are elsewhere, where more suggests that it was meant there: its
    numbers, the file's end, the order, applied hunks, a loose match, or that nothing else says."""
    starts = [results[each.hunk.ordinal].start for each in all_sought]
    lows = accumulate((-1 if at is None else at for at in starts), max, initial=-1)
    highs = [*accumulate((inf if at is None else at for at in reversed(starts)), min, initial=inf)]
    for below, above, sought in zip(lows, reversed(highs[:-1]), all_sought, strict=False):
        placement, hunk = results[sought.hunk.ordinal], sought.hunk
        if not isinstance(placement, Placement) or not hunk.preimage:
            continue
        if placement.start == hunk.stated_start and not matching.partly_applied:
            continue
        beside = _Beside(sought, placement, below, above)
        if failure := _refuse_twin(beside, file, matching):
            results[hunk.ordinal] = failure


def _refuse_twin(beside: _Beside, file: File, matching: Matching) -> Failure | None:
    sought, start, stop = beside.sought, beside.placement.start, beside.placement.stop
    hunk, partial, meant = sought.hunk, matching.partly_applied, _meant(sought.hunk, file)
    is_only = beside.below == -1 and beside.above == inf and not file.written
    is_doubted = partial or not beside.placement.exact
    if beside.in_order and not (meant or is_doubted or is_only):
        return None
    is_named = bool(hunk.strong) and in_anchors(sought.readings[0], hunk.strong, file)
    context = (line.text for line in hunk.lines if line.prefix is CONTEXT)
    is_doubted = is_doubted or (is_only and not is_named and has_word(context))
    for at in _new_starts_beside(beside, file):
        is_apart = at == hunk.new_start or not start <= at < stop
        is_meant = at in meant or is_doubted
        if is_apart and (is_meant or (not beside.in_order and beside.below < at < beside.above)):
            problem = Problem.of(Fault.TWIN_APPLIED, at=at + 1, old=start + 1)
            return failure_of(hunk, problem, positions=(start,))
    if not beside.in_order and partial and not is_named:
        return failure_of(hunk, Fault.OUT_OF_ORDER, positions=(start,))
    return None


def _new_starts_beside(beside: _Beside, file: File) -> Iterator[int]:
    """Yield where the new lines are, as written; else, of a hunk that matches loosely, as it."""
    hunk, level = beside.sought.hunk, beside.sought.readings[0].level
    starts = new_starts(hunk, file)
    if not starts and not beside.placement.exact and level < Level.GAP:
        starts = new_starts(hunk, file, level)
    yield from starts


def _meant(hunk: Hunk, file: File) -> set[int | None]:
    """Return where a hunk says that it is, or will be."""
    ends = hunk.at_end_of_file or not all(line.newline for line in hunk.lines)
    end = len(file.lines) - len(hunk.postimage) if ends else None
    return {hunk.new_start, hunk.stated_start, end} - {None}


def refuse(hunk: Hunk, applied: Applied, file: File) -> Failure:
    """Refuse a hunk whose new lines are there; where they differ from the file's, show both."""
    adds = any(line.prefix is ADDED for line in hunk.lines)
    fault = Fault.ALREADY_APPLIED if adds else Fault.REMOVAL_APPLIED
    if applied.level:
        fault = Fault.MAY_BE_APPLIED
    elif not applied.is_said:
        fault = Fault.MAY_BE_APPLIED_THERE
    first = ADDED if adds else REMOVED
    kept = 0
    for line in hunk.lines:
        if line.prefix is first:
            break
        kept += line.prefix is not REMOVED
    row = applied.start + min(kept, max(len(hunk.postimage) - 1, 0))
    pictures: tuple[Picture, ...] = ()
    if applied.level:
        painter = Painter(file, loosely=False)
        there = zip(hunk.postimage, range(applied.start, len(file.lines)), strict=False)
        rows = [painter.row(line, at) for line, at in there]
        pictures = (painter.frame(Detail.NEW_LINES.sentence, rows),)
    return failure_of(hunk, fault, positions=(row,), pictures=pictures, start=applied.start)
