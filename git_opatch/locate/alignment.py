"""The aligner: every way to lay the old lines of a hunk over the file, in few typed steps.

It must not choose between places, nor say why one is refused: it makes all readings of a class.

    match   a line of the hunk is a line of the file, at a grade (`likeness`)
    skip    blank lines of either side, and lines of the file at a marker (`between`)

A `Reading` is the result: each line of the hunk with its row, and each line of the file that the
hunk does not show. What is not shown is kept; context is never written.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from operator import ne

from git_opatch.locate.between import OldLines, lay, old_lines
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.likeness import has_word
from git_opatch.locate.reading import (
    ALIKE,
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
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Hunk, Prefix

CONTEXT, REMOVED, ADDED = Prefix.CONTEXT, Prefix.REMOVED, Prefix.ADDED
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
    blanks = _blanks_of(hunk)
    start = _straight_start(blanks, rows[0], file)
    if start is None:
        reading = lay(hunk, rows, file, matches)
    else:
        each = iter(matches)
        of_all = [SAME if blank else next(each) for blank in blanks]
        reading = one_for_one(hunk, start, file, of_all)
    return reading and reading._replace(level=max(fit.level, reading.level))
