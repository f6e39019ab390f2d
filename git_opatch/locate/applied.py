"""Is the change there already?  The aligner is asked for the new lines of the hunk.

It must not decide what follows: where the new lines are is evidence, and `search`, the claims and
`twins` judge it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice

from git_opatch.locate.alignment import ADDED, CONTEXT, REMOVED, fits_of, settled
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.likeness import LEAST_DISTINCTIVE, has_word
from git_opatch.locate.line_forms import key_of, resilient
from git_opatch.locate.outline import OutlineKind, depth, heading, is_certain
from git_opatch.locate.reading import EQUAL, FORM, SPACE, Grade, Reading
from git_opatch.model.patch import Hunk, Line

_FIRST_LINE = (b"#!", b"<?php", b"<?xml", b"<!doctype")
_SHORT = 2
"""Of no more added lines than this, all must be there for the change to be."""
_FORMS: Mapping[Grade, Callable[[bytes], bytes]] = {EQUAL: bytes, SPACE: resilient, FORM: key_of}
"""How lines are compared at each grade."""
_IMPORT = re.compile(rb"(?:import|from|package|#include|using|use|require|namespace)\b")


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


def new_positions(hunk: Hunk, file: FileIndex, most: Grade = EQUAL) -> Sequence[int]:
    """List where the new lines of `hunk` are, at the grade `most`; none if they prove nothing.

    Those of a removal prove something where they are together once.
    """
    if only_removes(hunk):
        return _where_removed(hunk, file)
    new = _new_hunk(hunk)
    if not new.lines or not _proves(hunk, most):
        return []
    if most == EQUAL:
        return file.runs([file.normal(line.text) for line in new.lines])
    return sorted(fits_of(new, file, most).straight)


def _where_removed(hunk: Hunk, file: FileIndex) -> list[int]:
    """Return the only position where what a hunk keeps is without anything between."""
    found = file.runs([file.normal(line.text) for line in hunk.postimage])
    return [at for at in found if len(found) == 1 and _shows_removal(hunk, at, file)]


def _shows_removal(hunk: Hunk, at: int, file: FileIndex) -> bool:
    """Return whether what a hunk keeps, which is at the row `at`, shows what it removes to be gone.

    Outermost lines that it removes must be at the beginning or the end of the file, where nothing
    can be in their place.
    """
    begins, ends = (hunk.lines[outer].prefix is REMOVED for outer in (0, -1))
    last = len(file.lines) - len(hunk.postimage)
    return (not begins or at == 0) and (not ends or at == last)


def position_by_number(hunk: Hunk, file: FileIndex) -> int | None:
    """Return where the second number of a hunk says that its new lines are, if they are there as
    written, and say something."""
    new, start = [file.normal(line.text) for line in hunk.postimage], hunk.new_start
    if start is None or not has_word(new) or not _shows_removal(hunk, start, file):
        return None
    return start if file.lines[start : start + len(new)] == new else None


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
    for level, form in _FORMS.items():
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


def partly_applied(reading: Reading, file: FileIndex) -> int | None:
    """Return where lines that a hunk inserts are already, right beside their place; else None.

    Only lines that the hunk does not show count: all of those of a run; on a side where the hunk
    shows nothing, nearly all, too, in any whitespace.
    """
    steps = reading.steps
    first = next((at for at, step in enumerate(steps) if step.row is None), len(steps))
    last = next((at for at, step in enumerate(reversed(steps)) if step.row is None), len(steps))
    all_shown = all(step.is_shown for step in steps)
    if all_shown and sum(step.row is None for step in steps) <= min(first, last):
        return None  # the hunk shows all that can be beside what it adds
    shown = {step.row for step in reading.steps if step.is_shown}
    at, row = 0, reading.start
    for is_added, group in groupby(reading.steps, key=lambda step: step.row is None):
        run = list(group)
        at += len(run)
        if not is_added:
            row = max(step.row for step in run if step.row is not None) + 1
            continue
        lines = [file.normal(step.line.text) for step in run]
        if not any(line.strip() for line in lines):
            continue
        is_open = at == len(run), at == len(steps)
        found = _beside(lines, row, is_open, shown, file)
        if found is not None:
            return found
    return None


def _beside(
    lines: Sequence[bytes],
    row: int,
    is_open: tuple[bool, bool],
    shown: set[int | None],
    file: FileIndex,
) -> int | None:
    """Return where `lines` are right above or below `row`; on an open side, nearly all of them in
    any whitespace, or one that is nowhere else and that no hunk moves.

    Above, that one is not the last: where a block is added below one that ends alike, diffs show
    the end of the other.
    """
    size, solid = len(lines), [line for line in lines if line.strip()]
    sides = (
        (row - size, range(row - 1, -1, -1), solid[:-1]),
        (row, range(row, len(file.lines)), solid),
    )
    for (start, rows, likely), open_side in zip(sides, is_open, strict=True):
        is_beyond = start >= 0 and not shown.issuperset(range(start, start + size))
        if is_beyond and file.lines[start : start + size] == lines:
            return start
        if not open_side:
            continue
        near = list(islice((at for at in rows if file.lines[at].strip()), len(solid)))
        found = [file.lines[at] for at in sorted(near)]
        pairs = zip(map(resilient, solid), map(resilient, found), strict=False)
        same = [a for a, b in pairs if a == b]
        most = max(1, size // 4) if size > _SHORT else 0
        if len(found) == len(solid) <= len(same) + most and _says(same):
            return min(near)
        text = file.lines[near[0]] if near else b""
        says_enough = len(text.strip()) >= LEAST_DISTINCTIVE and _says([text])
        if says_enough and text in likely:
            is_moved = text in file.removed or len(file.rows_of(text)) > 1
            if not is_moved:
                return near[0]
    return None


def _says(lines: Sequence[bytes]) -> bool:
    return any(re.search(rb"\w\w", line) for line in lines)


def is_rewrite(hunk: Hunk, file: FileIndex) -> bool:
    """Return whether added lines alone are the file again, which would be there twice."""
    if hunk.preimage:
        return False
    added = [text for line in hunk.lines if (text := line.text.strip())]
    lines = [text for line in file.lines if (text := line.strip())]
    if not added or not lines:
        return False
    begins_again = len(added) > 1 and added[0] == lines[0] and _says(added[:1])
    if begins_again or added[0].lower().startswith(_FIRST_LINE):
        return True
    distinct = set(lines)
    shared = len(distinct.intersection(added))
    if 2 * shared > len(distinct) or (0 < 2 * shared == len(distinct) and len(added) > 1):
        return True
    imports = [_IMPORT.match(line) is not None for line in added]
    if imports[0] and not all(imports):
        return any(_IMPORT.match(line) for line in lines)
    return _has_title_of_all(added[0], file)


def _has_title_of_all(first: bytes, file: FileIndex) -> bool:
    """Return whether a line is a heading as high as the title that all of the file is under."""
    kind = OutlineKind.MARKDOWN
    title = next(at for at, line in enumerate(file.lines) if line.strip())
    if not is_certain(file.lines, title, kind) or heading(first) is not kind:
        return False
    level = depth(file.lines[title], kind)
    others = file.headings(kind, title + 1, len(file.lines))
    is_alone = all(depth(file.lines[at], kind) > level for at in others)
    return is_alone and depth(first, kind) <= level
