"""The aligner: every way to lay the old lines of a hunk over the file, in few typed steps.

It must not choose between places, nor say why one is refused: it makes all readings of a class.

    match        a line of the hunk is a line of the file, at a grade (`lines`)
    skip blank   of the file, or of the hunk
    skip lines   of the file, at a marker such as `# ...` (a gap)

A `Reading` is the result: each line of the hunk with its row, and each line of the file that the
hunk does not show. What is not shown is kept; context is never written.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby, pairwise
from operator import ne
from typing import NamedTuple

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.likeness import has_word
from git_opatch.locate.reading import (
    ALIKE,
    EQUAL,
    SAME,
    SPACE,
    TOLERATED,
    Differs,
    Fit,
    Fits,
    Grade,
    Match,
    Reading,
    Readings,
    Step,
    readings_of,
)
from git_opatch.model.failure import Problem
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.sentences import Fault

CONTEXT, REMOVED, ADDED = Prefix.CONTEXT, Prefix.REMOVED, Prefix.ADDED
_OMITTED = Line(CONTEXT, b"")
"""A blank line of the file that the hunk does not show."""
_MOST_TOLERATED = 1
"""So many lines of context may differ in more than whitespace and typography."""


def settled(hunk: Hunk) -> Hunk:
    """Return `hunk` with the lines that it removes and adds again as context."""
    gone, come = ({x.text for x in hunk.lines if x.prefix is side} for side in (REMOVED, ADDED))
    if gone.isdisjoint(come):
        return hunk
    lines = tuple(step.line for step in unchanged_kept([Step(line, None) for line in hunk.lines]))
    return hunk if lines == tuple(hunk.lines) else replace(hunk, lines=lines)


def unchanged_kept(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return `steps` with the lines that are removed and added again as context, which stays."""
    kept: list[Step] = []
    for _, group in groupby(steps, key=lambda step: step.line.prefix is CONTEXT):
        run = list(group)
        old, new = ([s for s in run if s.line.prefix is side] for side in (REMOVED, ADDED))
        gone, come = ([(s.line.text, s.line.newline) for s in side] for side in (old, new))
        if len(run) > MANY or set(gone).isdisjoint(come):
            kept += run
            continue
        for tag, a, b, c, d in SequenceMatcher(None, gone, come, autojunk=False).get_opcodes():
            if tag == "equal":
                kept += [s._replace(line=s.line._replace(prefix=CONTEXT)) for s in old[a:b]]
            else:
                kept += [*old[a:b], *new[c:d]]
    return tuple(kept)


def exact_readings(hunk: Hunk, file: FileIndex) -> Readings:
    """Lay a hunk over the file where it is as written; empty lines at its end that may only
    separate it from what follows (`separators`), or lie past the end, need not be there."""
    starts = _runs(hunk, file)
    without: dict[int, Hunk] = {}
    if starts and hunk.separators:
        shorter = replace(hunk, lines=hunk.lines[: -hunk.separators])
        if any(line.text.strip() for line in shorter.preimage):
            without = dict.fromkeys(set(_runs(shorter, file)).difference(starts), shorter)
    bare = _without_last_blanks(hunk)
    end = len(file.lines) - len(bare.preimage)
    if bare is not hunk and end not in starts and end not in without:
        where = _runs(bare, file)
        if end in where and (starts or (bare.lines[-1].prefix is ADDED and len(where) == 1)):
            without[end] = bare
    return Readings(
        sorted({*starts, *without}) if without else starts,
        lambda start: [one_for_one(without.get(start, hunk), start, file)],
    )


def shows_context(hunk: Hunk) -> bool:
    """Return whether a hunk shows a line of context, and so where its new lines are."""
    return any(line.prefix is CONTEXT and line.text.strip() for line in hunk.lines)


def _runs(hunk: Hunk, file: FileIndex) -> Sequence[int]:
    texts = [file.normal(line.text) for line in hunk.preimage]
    return file.runs(texts) if texts else ()


def one_for_one(hunk: Hunk, start: int, file: FileIndex, matches: Iterable[Match] = ()) -> Reading:
    """Lay a hunk over the lines from `start` on, one for one; `matches` are those of its lines."""
    old = zip(range(start, len(file.lines)), matches or itertools.repeat(SAME), strict=False)
    steps = []
    for line in hunk.lines:
        row, match = (None, SAME) if line.prefix is ADDED else next(old)
        steps.append(Step(line, row, match.grade, match.differs))
    return Reading(tuple(steps), start)


def _without_last_blanks(hunk: Hunk) -> Hunk:
    """Return a hunk as it is at the end of a file that has no blank line there: those at its end
    are dropped, and those above lines that it adds there are added, too."""
    lines = list(hunk.lines)
    stop = len(lines)
    while stop and lines[stop - 1].prefix is ADDED:
        stop -= 1
    tail = lines[stop:]
    kept = stop
    while kept and lines[kept - 1].prefix is CONTEXT and not lines[kept - 1].text.strip():
        kept -= 1
    if kept == stop or not any(line.text.strip() for line in lines[:kept]):
        return hunk
    blanks = [line._replace(prefix=ADDED) for line in lines[kept:stop]] if tail else []
    return replace(hunk, lines=(*lines[:kept], *blanks, *tail))


def loose_readings(hunk: Hunk, file: FileIndex, most: Grade) -> Readings:
    """Lay a hunk over the file with steps up to the grade `most`, without a gap.

    Blank lines may be too many, or omitted, in the class of whitespace only where no place has all.
    """
    straight, bent, others = fits_of(hunk, file, most)
    if straight and most == SPACE and not hunk.separators:
        bent = ()
    laid = {fit.place: _laid(hunk, fit, file) for fit in bent}
    ready = [reading for reading in laid.values() if reading]
    rest = readings_of(ready)
    return Readings(
        sorted({*straight, *rest.starts}) if ready else [*straight],
        cache(
            lambda at: (
                [*filter(None, [_laid(hunk, straight[at], file)])]
                if at in straight
                else rest.lay(at)
            )
        ),
        max([rest.level, *(fit.level for fit in straight.values())]),
        (*others, *(file.solid[place] for place, each in laid.items() if not each)),
    )


def fits_of(hunk: Hunk, file: FileIndex, most: Grade) -> Fits:
    """Lay the old lines of a hunk over those of the file, up to the grade `most`."""
    old, blanks = old_lines(hunk, file), _blanks_of(hunk)
    asked = (most, blanks, *old.is_context, *old.texts)
    if asked not in file.fits:
        file.fits[asked] = _fits(old, blanks, file, most) if old.texts else Fits()
    return file.fits[asked]


def _fits(old: OldLines, blanks: bytes, file: FileIndex, most: Grade) -> Fits:
    is_tolerant = most == TOLERATED
    straight: dict[int, Fit] = {}
    bent: list[Fit] = []
    alike: list[tuple[int, Set[int]]] = []
    for place in _tolerant_places(old.keys, file) if is_tolerant else file.by_key.runs(old.keys):
        differ = _differ(old.keys, place, file) if is_tolerant else frozenset[int]()
        if differ is None:
            continue
        fit = _fit(old, place, differ, file, with_prose=most > SPACE)
        start = _straight_start(blanks, file.solid[place], file)
        if fit is None or fit.level > most:
            alike.append((place, frozenset() if fit else differ))
        elif start is None:
            bent.append(fit)
        else:
            straight[start] = fit
    if bent and not straight and _is_nearly_there(old.keys, blanks, file):
        bent = []  # more than blank lines may have been changed, at that place
    fits = (*straight.values(), *bent)
    open_lines = [frozenset[int](), *(fit.differ for fit in fits)]
    others = (place for place, differ in alike if any(differ <= each for each in open_lines))
    return Fits(straight, bent, tuple(file.solid[place] for place in others))


def _blanks_of(hunk: Hunk) -> bytes:
    """Return, of each old line, whether it is blank, as `FileIndex.blanks` has it of the file's."""
    return bytes(not line.text.strip() for line in hunk.preimage)


def _straight_start(blanks: bytes, first: int, file: FileIndex) -> int | None:
    """Return where a hunk begins whose first line that is not blank is at the row `first`; None if
    blank lines of the file are not where it has them."""
    start = first - blanks.find(0)
    return start if start >= 0 and file.blanks.startswith(blanks, start) else None


def _tolerant_places(keys: Sequence[bytes], file: FileIndex) -> list[int]:
    """List where lines with `keys` may begin if some differ, by more of the rarest of them than may
    differ."""
    where = [file.by_key.rows(key) for key in keys]
    known = sorted((len(rows), at) for at, rows in enumerate(where) if 0 < len(rows) <= MANY)
    found = {place - at for _, at in known[: _MOST_TOLERATED + 1] for place in where[at]}
    last = len(file.solid) - len(keys)
    return sorted(place for place in found if 0 <= place <= last)[: MANY + 1]


def _is_nearly_there(keys: Sequence[bytes], blanks: bytes, file: FileIndex) -> bool:
    """Return whether lines are somewhere with their blank lines, but for one line that differs."""
    return any(
        _differ(keys, place, file) and _straight_start(blanks, file.solid[place], file) is not None
        for place in _tolerant_places(keys, file)
    )


def _differ(keys: Sequence[bytes], place: int, file: FileIndex) -> frozenset[int] | None:
    """Return which lines have another key than those of the file; None if too many have."""
    pairs = (keys, file.by_key.lines[place : place + len(keys)])
    if sum(map(ne, *pairs)) > _MOST_TOLERATED:
        return None
    return frozenset(at for at, (a, b) in enumerate(zip(*pairs, strict=True)) if a != b)


def _fit(
    old: OldLines, place: int, differ: frozenset[int], file: FileIndex, *, with_prose: bool
) -> Fit | None:
    """Compare old lines with those at `place`; None if some do not match, or too many are
    tolerated. One in which too little matches for sure is looser than any grade: it is no reading,
    but one that matches is not alone beside it."""
    matches: dict[tuple[bool, bytes, bytes, bool], Match] = {}
    for pair in set(_pairs(old, place, file, with_prose=with_prose)):
        found = file.match(*pair)
        if found is None:
            return None
        matches[pair] = found
    level = max(each.grade for each in matches.values())
    if level < TOLERATED:
        return Fit(place, level, differ)
    pairs = _pairs(old, place, file, with_prose=with_prose)
    count = sum(matches[pair].grade is TOLERATED for pair in pairs)
    if count > min(_MOST_TOLERATED, len(old.texts) - 1):
        return None
    sure = [
        pair[1]
        for pair, each in matches.items()
        if each.grade < TOLERATED or each.differs is Differs.END
    ]
    return Fit(place, level if has_word(sure) else ALIKE, differ)


def _pairs(
    old: OldLines, place: int, file: FileIndex, *, with_prose: bool
) -> Iterable[tuple[bool, bytes, bytes, bool]]:
    """Pair each old line with that of the file: whether it is context, both texts, and whether the
    latter is prose, if that matters."""
    here = slice(place, place + len(old.texts))
    rows = file.solid[here]
    in_prose = map(file.prose.includes, rows) if with_prose else itertools.repeat(False)
    return zip(old.is_context, old.texts, file.solid_lines[here], in_prose, strict=False)


def _laid(hunk: Hunk, fit: Fit, file: FileIndex) -> Reading | None:
    """Return the reading of a hunk at a fit of its old lines; None if a gap cannot be filled."""
    old = old_lines(hunk, file)
    pairs = list(_pairs(old, fit.place, file, with_prose=fit.level > SPACE))
    matches = [file.match(*pair) or SAME for pair in pairs]
    rows = file.solid[fit.place : fit.place + len(old.texts)]
    reading = lay(hunk, rows, file, matches)
    return reading and reading._replace(level=max(fit.level, reading.level))


class OldLines(NamedTuple):
    """The old lines of a hunk that are not blank, in columns: where they are in the hunk, their
    texts as they are compared, their keys, and whether they are context, which is never written."""

    at: list[int]
    texts: list[bytes]
    keys: list[bytes]
    is_context: list[bool]


def old_lines(hunk: Hunk, file: FileIndex) -> OldLines:
    """Return the old lines of a hunk that are not blank."""
    at = [
        at for at, line in enumerate(hunk.lines) if line.prefix is not ADDED and line.text.strip()
    ]
    texts = [file.normal(hunk.lines[each].text) for each in at]
    is_context = [hunk.lines[each].prefix is CONTEXT for each in at]
    return OldLines(at, texts, [*map(file.key, texts)], is_context)


# ---------------------------------------------------------------- between two lines


class _Filled(NamedTuple):
    """The steps between two lines that are not blank, and how many blank lines the hunk has more
    than the file (`surplus`), or the file more than the hunk (`omitted`).

    `moved` is the row of one of these where an added block could be on its other side, and `doubt`
    is why what it becomes is not clear at all.
    """

    steps: list[Step]
    surplus: int = 0
    omitted: int = 0
    moved: int | None = None
    doubt: Problem | None = None


class _Gap(NamedTuple):
    """The blank and added lines of a hunk between two others, and the rows of those: None beyond
    the ends of the hunk.

    `replaced` counts the removed lines right above, `adds` is whether lines are added in it, or
    in the run of changes that it is in, and `separators` counts the empty lines at its end that may
    only separate the hunk from what follows.
    """

    lines: Sequence[Line]
    above: Line | None
    below: Line | None
    before: int | None
    after: int | None
    replaced: int = 0
    adds: bool = False
    separators: int = 0

    @property
    def is_inside(self) -> bool:
        """Whether there are lines on both sides."""
        return self.before is not None and self.after is not None

    @property
    def stays(self) -> bool:
        """Whether the line below it stays."""
        return self.below is not None and self.below.prefix is CONTEXT


def lay(
    hunk: Hunk, rows: Sequence[int | None], file: FileIndex, matches: Sequence[Match] = ()
) -> Reading | None:
    """Lay a hunk whose lines that are not blank are at `rows` over the file, gap by gap; None if a
    gap cannot be filled.

    Where the file has more blank lines than the hunk, added lines stay next to what is above them,
    unless they bring the blank line below them themselves. A line that has no row is a marker.
    """
    if matches:
        blanks = _blanks_of(hunk)
        start = _straight_start(blanks, rows[0] or 0, file)
        if start is not None:
            each = iter(matches)
            return one_for_one(
                hunk, start, file, [SAME if blank else next(each) for blank in blanks]
            )
    lines = hunk.lines
    run_adds = list(_run_adds(lines))
    steps: list[Step] = []
    fills: list[_Filled] = []
    shown = zip(old_lines(hunk, file).at, rows, matches or itertools.repeat(SAME), strict=False)
    placed = [(at, row, match) for at, row, match in shown if row is not None]
    beyond = (-1, None, SAME), (len(lines), None, SAME)
    replaced = 0
    for (first, before, _), (last, after, match) in pairwise((beyond[0], *placed, beyond[1])):
        between = lines[first + 1 : last]
        above = None if before is None else lines[first]
        below = None if after is None else lines[last]
        is_in_run = above and below and above.prefix is below.prefix is REMOVED
        adds = any(line.prefix is ADDED for line in between) or (is_in_run and run_adds[last])
        separators = 0 if below else hunk.separators
        gap = _Gap(between, above, below, before, after, replaced, bool(adds), separators)
        filled = _fill(gap, file)
        if filled is None:
            return None
        fills.append(filled)
        steps += filled.steps
        if below:
            steps.append(Step(below, after, match.grade, match.differs))
            replaced = (0 if between else replaced) + 1 if below.prefix is REMOVED else 0
    start = next((step.row for step in steps if step.row is not None), 0)
    surplus = sum(each.surplus for each in fills)
    omitted = sum(each.omitted for each in fills)
    moved = next((each.moved for each in fills if each.moved is not None), None)
    doubt = next((each.doubt for each in fills if each.doubt), None)
    level = SPACE if surplus or omitted else EQUAL
    return Reading(tuple(steps), start, level, surplus, omitted, moved, doubt)


def _run_adds(lines: Sequence[Line]) -> Iterator[bool]:
    """Yield of each line whether a line is added in the run of changes, or of context, it is in."""
    for _, group in groupby(lines, key=lambda line: line.prefix is CONTEXT):
        run = list(group)
        yield from itertools.repeat(any(line.prefix is ADDED for line in run), len(run))


def _fill(gap: _Gap, file: FileIndex) -> _Filled | None:
    """Lay the blank and added lines of `gap` over the file's lines between two rows."""
    if gap.before is None and gap.after is None:
        return None
    if any(line.prefix is CONTEXT and line.text.strip() for line in gap.lines):
        if gap.is_inside:
            return _leave_out(gap, file)
        gap = gap._replace(lines=[line for line in gap.lines if line.prefix is ADDED])
    there = _blanks_there(gap, file)
    if there is None:
        return None
    surplus = sum(line.prefix is not ADDED for line in gap.lines) - len(there)
    if surplus == 0:
        return _Filled(_paired(gap.lines, there))
    if surplus < 0:
        return _with_omitted(gap, there)
    if _contradicts(gap, there, surplus, file):
        return None
    return _with_surplus(gap, there, surplus)


def _contradicts(gap: _Gap, there: Sequence[int], surplus: int, file: FileIndex) -> bool:
    """Return whether a blank line at the beginning of the hunk, or at its end beside what it adds
    there, says that a block ends or begins where the file has no blank line, and goes on."""
    if gap.is_inside or there or surplus <= gap.separators:
        return False
    if gap.before is None:
        return gap.after != 0
    adds = any(line.prefix is ADDED for line in gap.lines)
    return adds and gap.before + 1 < len(file.lines)


def _blanks_there(gap: _Gap, file: FileIndex) -> list[int] | None:
    """Return the rows of the blank lines that a gap may be laid over; None if there are others."""
    count = sum(line.prefix is not ADDED for line in gap.lines)
    if gap.before is None or gap.after is None:
        start, step = (gap.before, 1) if gap.before is not None else (gap.after, -1)
        assert start is not None
        return _blanks_from(start + step, step, count, file)
    there = [row for row in range(gap.before + 1, gap.after) if not file.keys[row]]
    return there if len(there) == gap.after - gap.before - 1 else None


def _blanks_from(row: int, step: int, most: int, file: FileIndex) -> list[int]:
    found: list[int] = []
    while 0 <= row < len(file.lines) and not file.lines[row].strip() and len(found) < most:
        found.append(row)
        row += step
    return sorted(found)


def _with_omitted(gap: _Gap, there: Sequence[int]) -> _Filled:
    """Keep the file's blank lines that the hunk does not show: below what is added, or above it if
    it begins the gap and ends with a blank line of its own.

    `moved` is the row beside which the added lines might as well be on the other side: in code they
    stay, and a document refuses. `doubt` says that neither side is certain.
    """
    lines = gap.lines
    omitted = [_OMITTED] * (len(there) - sum(line.prefix is not ADDED for line in lines))
    added = [line for line in lines if line.prefix is ADDED]
    filled = _Filled(_paired([*lines, *omitted], there), omitted=len(omitted))
    doubt = Problem.of(Fault.BLANK_LINE_OMITTED, at=there[0] + 1)
    if any(line.prefix is REMOVED for line in lines) or (gap.adds and not gap.stays):
        return filled._replace(doubt=doubt)
    replaces = bool(added) and gap.replaced > 0 and lines[0] is added[0]
    is_same = replaces and gap.above is not None and gap.above.text in [x.text for x in added]
    if not added or (replaces and not is_same and len(added) == gap.replaced == 1):
        return filled
    if not any(line.text.strip() for line in added):
        return filled._replace(doubt=doubt if len(added) == len(omitted) else None)
    if is_same:
        return filled._replace(doubt=doubt)
    brings_own = lines[0] is added[0] and not added[-1].text.strip()
    laid = [*omitted, *lines] if brings_own else [*lines, *omitted]
    return filled._replace(steps=_paired(laid, there), moved=there[0])


def _with_surplus(gap: _Gap, there: Sequence[int], surplus: int) -> _Filled | None:
    """Drop blank lines of context that the file lacks; among added lines they are added, too."""
    lines = gap.lines
    free = [at for at, line in enumerate(lines) if line.prefix is CONTEXT]
    if len(free) < sum(line.prefix is not ADDED for line in lines):
        return None  # the file has no line that is to be removed
    adds = [at for at, line in enumerate(lines) if line.prefix is ADDED]
    inside = [at for at in free if adds and adds[0] < at < adds[-1]]
    order = free if gap.before is None else free[::-1]
    outside = [at for at in order if at not in inside]
    if gap.is_inside and adds:
        chosen, dropped = {*[*inside, *outside][:surplus]}, set[int]()
    else:
        chosen = {*inside[: max(surplus - len(outside), 0)]}
        dropped = {*outside[:surplus]}
    laid = [
        line._replace(prefix=ADDED) if at in chosen else line
        for at, line in enumerate(lines)
        if at not in dropped
    ]
    is_unclear = bool(inside) and not gap.is_inside and len(outside) > surplus
    beside = gap.before if gap.before is not None else gap.after
    doubt = Problem.of(Fault.BLANK_LINE_SURPLUS, at=(beside or 0) + 1) if is_unclear else None
    return _Filled(_paired(laid, there), surplus, doubt=doubt)


def _paired(lines: Sequence[Line], there: Sequence[int]) -> list[Step]:
    rows = iter(there)
    return [Step(line, None if line.prefix is ADDED else next(rows)) for line in lines]


def _leave_out(gap: _Gap, file: FileIndex) -> _Filled | None:
    """Keep the lines of the file at a marker between two rows; blank lines of the hunk there are
    part of it."""
    if gap.before is None or gap.after is None:
        return None
    if any(line.prefix is REMOVED for line in gap.lines):
        return None
    rows = range(gap.before + 1, gap.after)
    kept = map(file.left_out, rows)
    is_marker = [line.prefix is CONTEXT and bool(line.text.strip()) for line in gap.lines]
    marker = is_marker.index(True)
    sides = gap.lines[:marker], gap.lines[marker:]
    first, last = ([Step(line, None) for line in side if line.prefix is ADDED] for side in sides)
    return _Filled([*first, *kept, *last])
