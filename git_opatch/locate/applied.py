"""Is the change there already?  Where the new lines of a hunk are, there is nothing to write.

It must not move a hunk to another place: what it finds refuses, or notes.

    old lines alone             they are changed
    new lines alone             applied, if the hunk says that this is its place (`search`)
    new lines over the old      applied
    both, apart                 refused, if more suggests that the hunk was meant there (D38):

its line number, in the old or the new file, or that it ends the file; other hunks of the patch are
applied; its old lines match only loosely; it has no anchor, which holds, and no other hunk is
beside it; it is out of order here, and in order there, or beside applied hunks out of order at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile
from math import inf

from git_opatch.locate.alignment import ADDED, CONTEXT, REMOVED, fits_of, settled
from git_opatch.locate.anchors import find, scoped
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.likeness import has_word
from git_opatch.locate.line_forms import key_of, resilient
from git_opatch.locate.reading import EQUAL, FORM, SPACE, Grade, Reading
from git_opatch.locate.sought import Sought
from git_opatch.model.failure import HunkResult, Problem
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault

FORMS: Mapping[Grade, Callable[[bytes], bytes]] = {EQUAL: bytes, SPACE: resilient, FORM: key_of}
"""How lines are compared at each grade."""
Bounds = tuple[float, float]
"""The greatest position of the hunks before one, and the least of those after it."""
_ALONE: Bounds = (-1, inf)


def only_removes(hunk: Hunk) -> bool:
    """Return whether a hunk only removes lines, one of them not blank, and what it keeps proves by
    standing together that they are gone.

    It keeps two or more lines that say something, and does not show them together itself: a block
    may end as the one above it does.
    """
    if any(line.prefix is ADDED for line in hunk.lines):
        return False
    kept = [line.text for line in hunk.postimage if line.text.strip()]
    removes = any(line.prefix is REMOVED and line.text.strip() for line in hunk.lines)
    return removes and len(kept) > 1 and has_word(kept) and not _has_in_itself(hunk)


def _has_in_itself(hunk: Hunk) -> bool:
    """Return whether what a hunk keeps is also in what it shows, over removed lines."""
    kept, shown = ([resilient(line.text) for line in side] for side in (hunk.postimage, hunk.lines))
    gone = [line.prefix is REMOVED for line in hunk.lines]
    spans = (slice(at, at + len(kept)) for at in range(len(shown) - len(kept) + 1))
    return any(shown[span] == kept and any(gone[span]) for span in spans)


def new_starts(hunk: Hunk, file: FileIndex, most: Grade = EQUAL) -> Sequence[int]:
    """List where the new lines of `hunk` are, at the grade `most`: where its second number says, or
    else where its anchors do; none if they prove nothing."""
    new, stated = [file.normal(line.text) for line in hunk.postimage], hunk.new_start
    if (
        most == EQUAL
        and stated is not None
        and file.lines[stated : stated + len(new)] == new
        and has_word(new)
        and _shows_removal(hunk, stated, file)
    ):
        return [stated]
    found = _all_starts(hunk, file, most)
    is_named = found and any(find(anchor, file).rows for anchor in hunk.strong)
    return scoped(found, hunk.anchors, file) or ([] if is_named else found)


def _all_starts(hunk: Hunk, file: FileIndex, most: Grade) -> Sequence[int]:
    """List where the new lines are; those of a removal prove something where they are together
    once."""
    if only_removes(hunk):
        found = file.runs([file.normal(line.text) for line in hunk.postimage])
        return [at for at in found if len(found) == 1 and _shows_removal(hunk, at, file)]
    new = _new_hunk(hunk)
    if not new.lines or not _proves(hunk, most):
        return []
    if most == EQUAL:
        return file.runs([file.normal(line.text) for line in new.lines])
    return sorted(fits_of(new, file, most).straight)


def _shows_removal(hunk: Hunk, at: int, file: FileIndex) -> bool:
    """Return whether what a hunk keeps, which is at the row `at`, shows what it removes to be gone.

    Outermost lines that it removes must be at the beginning or the end of the file, where nothing
    can be in their place.
    """
    begins, ends = (hunk.lines[outer].prefix is REMOVED for outer in (0, -1))
    last = len(file.lines) - len(hunk.postimage)
    return (not begins or at == 0) and (not ends or at == last)


def _new_hunk(hunk: Hunk) -> Hunk:
    lines = [line._replace(prefix=CONTEXT) for line in hunk.lines if line.prefix is not REMOVED]
    while lines and not lines[-1].text.strip() and hunk.lines[-1].prefix is CONTEXT:
        lines.pop()
    return replace(hunk, lines=tuple(lines), separators=0)


def _proves(hunk: Hunk, most: Grade) -> bool:
    """Return whether a line is added that is not blank and not removed, too; blank ones prove
    something only at the end of a hunk that shows what is above them."""
    removed = {_form(line, most) for line in hunk.lines if line.prefix is REMOVED}
    added = [line for line in hunk.lines if line.prefix is ADDED]
    if any(line.text.strip() and _form(line, most) not in removed for line in added):
        return True
    kept = settled(hunk) if removed else hunk
    if kept is not hunk:
        return _proves(kept, most)
    return hunk.lines[-1].prefix is ADDED and not removed and bool(hunk.preimage)


def _form(line: Line, most: Grade) -> bytes:
    return line.text if most == EQUAL else resilient(line.text)


def applied_over(hunk: Hunk, reading: Reading, file: FileIndex) -> tuple[int, Grade] | None:
    """Return where the new lines are over the place of `reading`, or next to it, and at which
    grade; None if nowhere.

    The hunk shows the side on which they are, or shows nothing there. If they are not there as
    written they must be more than the old lines, which they may match else.
    """
    old, new = len(hunk.preimage), hunk.postimage
    adds_text = any(line.prefix is ADDED and line.text.strip() for line in hunk.lines)
    adds_text &= hunk.lines[-1].prefix is ADDED
    starts = [reading.start]
    kept = settled(hunk)
    for lines in (hunk.lines,) if kept is hunk else (hunk.lines, kept.lines):
        leading = next((at for at, line in enumerate(lines) if line.prefix is not ADDED), 0)
        starts += [reading.start - leading] if leading else []
    if hunk.lines[-1].prefix is CONTEXT or hunk.lines[0].prefix is not CONTEXT:
        starts.append(reading.start + old - len(new))
    for level, form in FORMS.items():
        if level > reading.level or not new or (level > EQUAL and len(new) <= old):
            continue
        wanted = [form(file.normal(line.text)) for line in new]
        for at in starts:
            found = [form(line) for line in file.lines[at : at + len(new)]] if at >= 0 else []
            if found and adds_text and not any(map(bytes.strip, wanted[len(found) :])):
                found += wanted[len(found) :]  # a formatter may take blank lines at the end
            if found == wanted and (_proves(hunk, SPACE) or _begins_file(hunk, at)):
                return at, level
    return None


def _begins_file(hunk: Hunk, at: int) -> bool:
    """Return whether a hunk adds lines at the beginning of the file, also blank ones."""
    return at == 0 and hunk.lines[0].prefix is ADDED and bool(hunk.preimage)


def applied_elsewhere(
    placement: Placement, sought: Sought, bounds: Bounds, file: FileIndex, matching: Matching
) -> Problem | None:
    """Say that the new lines of a hunk, apart from its place, may be what is meant; None if nothing
    suggests it."""
    hunk, start, is_partial = sought.hunk, placement.start, matching.partly_applied
    if hunk.stated_start == start and not is_partial:
        return None
    is_named = bool(scoped([start], hunk.strong, file))
    in_order = bounds[0] <= start <= bounds[1]
    shows = has_word([line.text for line in hunk.lines if line.prefix is CONTEXT])
    is_alone = bounds == _ALONE and not file.placed and not is_named and shows
    ends_file = hunk.at_end_of_file or not all(line.newline for line in hunk.lines)
    end = len(file.lines) - len(hunk.postimage) if ends_file else None
    meant = {hunk.new_start, hunk.stated_start, end} - {None}
    is_doubted = is_alone or is_partial or not sought.is_exact
    if not meant and not is_doubted and in_order:
        return None
    found = new_starts(hunk, file)
    if not sought.is_exact and not found:
        level = sought.readings.level
        found = new_starts(placement.hunk, file, level if level in FORMS else EQUAL)
    for at in found:
        is_between = bounds[0] < at < bounds[1]
        is_apart = at == hunk.new_start or not start <= at < placement.stop
        if is_apart and (at in meant or is_doubted or (not in_order and is_between)):
            return _at_twin(placement, at, file)
    is_lost = not in_order and is_partial and not is_named
    return Problem(Fault.OUT_OF_ORDER) if is_lost else None


def _at_twin(placement: Placement, at: int, file: FileIndex) -> Problem:
    new = first_new_line(placement.hunk, at, len(file.lines))
    prefixes = [line.prefix for line in placement.hunk.preimage]
    removed = prefixes.index(REMOVED) if REMOVED in prefixes else 0
    return Problem.of(Fault.TWIN_APPLIED, at=new + 1, old=placement.start + removed + 1)


def first_new_line(hunk: Hunk, at: int, size: int) -> int:
    """Return the row of the first line that a hunk adds, if its new lines are at the row `at`.

    For one that only removes, that is the line below what is gone, or the last of the file's
    `size` lines.
    """
    lines = settled(hunk).lines
    adds = any(line.prefix is ADDED for line in lines)
    first = ADDED if adds else REMOVED
    above = takewhile(lambda line: line.prefix is not first, lines)
    kept = sum(line.prefix is not REMOVED for line in above)
    return min(at + kept, max(size - 1, 0))


def bounds_of(results: Sequence[HunkResult]) -> list[Bounds]:
    """Return, for each hunk, the greatest position before it and the least after it."""
    rows = [result.start for result in results]
    forward = (-1 if row is None else row for row in rows)
    backward = (inf if row is None else row for row in reversed(rows))
    lows = accumulate(forward, max, initial=-1)
    highs = list(accumulate(backward, min, initial=inf))
    return list(zip(lows, reversed(highs[:-1]), strict=False))
