"""Lines that a hunk would write a second time: some that it adds, or the file itself.

It must not ask whether a change is made (`applied`): it only says what is there already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, islice

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.likeness import LEAST_DISTINCTIVE
from git_opatch.locate.line_forms import resilient
from git_opatch.locate.outline import OutlineKind, depth, heading, is_certain
from git_opatch.locate.reading import Reading
from git_opatch.model.patch import Hunk

_FIRST_LINE = (b"#!", b"<?php", b"<?xml", b"<!doctype")
_SHORT = 2
"""Of no more added lines than this, all must be there for the change to be."""
_IMPORT = re.compile(rb"(?:import|from|package|#include|using|use|require|namespace)\b")


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


def already_defined(reading: Reading, file: FileIndex) -> int | None:
    """Return where a file of code has, line by line, a definition at the margin that a hunk adds;
    else None. It is in a file once; a patch that removes it as well moves it."""
    for is_added, group in groupby(reading.steps, key=lambda step: step.row is None):
        lines = [file.normal(step.line.text) for step in group] if is_added else []
        if len(lines) > 1 and (there := _defined_at(lines, file)) is not None:
            return there
    return None


def _defined_at(lines: Sequence[bytes], file: FileIndex) -> int | None:
    begin = next(
        (at for at, line in enumerate(lines) if heading(line) is OutlineKind.DEFINITION), len(lines)
    )
    stop = len(lines)
    while stop and not lines[stop - 1].strip():
        stop -= 1
    block = lines[begin:stop]
    is_whole = sum(map(bool, map(bytes.strip, block))) > 1 and not block[0][:1].isspace()
    if not is_whole or file.is_document or block[0] in file.removed:
        return None
    return next(iter(file.runs(block)), None)


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
