"""Detect a change that is already in the file (D5). Asked at every tier, also the strict one.

The lines after the change must be found, and at least one added line that is not blank must be
among them, or a blank one at the end of the hunk or the beginning of the file. A pure deletion is
made where the lines around it are together, in one place (D457).

    hunk        file, before    file, after: the hunk's postimage is there
     a          a               a
    +b          c               b
     c                          c
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby, islice, takewhile

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import (
    OutlineKind,
    depth,
    heading,
    is_certain,
)
from git_opatch.locate.tiers import LEAST_DISTINCTIVE, resilient
from git_opatch.locate.unchanged_lines import cancel_unchanged
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line, Prefix, context_around


def unique_postimage(hunk: Hunk, file_index: FileIndex, tier: Tier) -> int | None:
    """Return the only position of the hunk's postimage, compared at `tier`, or None."""
    positions = postimage_positions(hunk, file_index, tier)
    return positions[0] if len(positions) == 1 else None


def postimage_positions(hunk: Hunk, file_index: FileIndex, tier: Tier) -> Sequence[int]:
    """List all positions of the hunk's postimage, compared at `tier`."""
    if not _adds_proof(hunk, file_index, tier):
        return ()
    if tier is Tier.STRICT:
        return file_index.find(_without_last_blanks(hunk.postimage))
    view = file_index.view(tier)
    return [view.solid[index] for index in view.find_ignoring_blanks(hunk.postimage)]


def applied_over(
    hunk: Hunk, position: int, file_index: FileIndex, tier: Tier
) -> tuple[int, Tier] | None:
    """Return where the hunk's postimage is over `position`, and at which tier, or None.

    `hunk` is as the file has it at `position`, where it was found at `tier`. At `tier` the
    postimage must be longer than the preimage; else it may match the old lines themselves.
    """
    for compared_at in tier.upto:
        if compared_at is tier and len(hunk.postimage) <= len(hunk.preimage):
            continue
        found = _postimage_over(hunk, position, file_index, compared_at)
        if found is not None and (
            _adds_proof(hunk, file_index, compared_at) or _begins_file(hunk, found, compared_at)
        ):
            return found, compared_at
    return None


def postimage_at(hunk: Hunk, starts: Sequence[int], file_index: FileIndex) -> int | None:
    """Return the first of `starts` where the hunk's postimage is, compared strictly, or None."""
    found = file_index.first_match(starts, hunk.postimage) if hunk.postimage else None
    if found is None:
        return None
    proves = only_deletes(hunk) or _adds_proof(hunk, file_index, Tier.STRICT)
    return found if proves else None


def first_new_line(hunk: Hunk, position: int, file_index: FileIndex, tier: Tier) -> int:
    """Return where the first line is that the hunk adds, if its postimage is at `position`.

    Compared loosely, blank lines do not count. For a hunk that only deletes, which is compared
    strictly, it is the line below what is gone, or the last one of the file.
    """
    lines = cancel_unchanged(hunk).lines
    adds = any(line.prefix is Prefix.ADDED for line in lines)
    if tier is Tier.STRICT or not adds:
        above = _count_kept_above(Prefix.ADDED if adds else Prefix.REMOVED, lines)
        return min(position + above, max(len(file_index.lines) - 1, 0))
    view = file_index.view(tier)
    above = _count_kept_above(Prefix.ADDED, [line for line in lines if view.key(line)])
    return view.solid[bisect_left(view.solid, position) + above]


def _count_kept_above(prefix: Prefix, lines: Sequence[Line]) -> int:
    """Count the lines of the postimage above the first of `lines` that has `prefix`."""
    above = takewhile(lambda line: line.prefix is not prefix, lines)
    return sum(line.prefix is not Prefix.REMOVED for line in above)


def unique_gap(hunk: Hunk, file_index: FileIndex) -> int | None:
    """Return the only position where what a hunk keeps is without anything between, or None.

    Outermost lines that it removes must be at the beginning or the end of the file, where nothing
    can be in their place (D457). Where the lines that it shows have what it keeps without anything
    between, that proves nothing: a block may end as the one above it does.
    """
    proves = only_deletes(hunk) and not _has_in_itself(hunk)
    found = file_index.find(hunk.postimage) if proves else ()
    begins, ends = (hunk.lines[at].prefix is Prefix.REMOVED for at in (0, -1))
    last = len(file_index.lines) - len(hunk.postimage)
    closed = [at for at in found if (not begins or at == 0) and (not ends or at == last)]
    return closed[0] if len(found) == len(closed) == 1 else None


def _has_in_itself(hunk: Hunk) -> bool:
    """Return whether the postimage is in the preimage with removed lines, whatever their
    whitespace."""
    kept, shown = (
        [b"".join(line.text.split()) for line in lines] for lines in (hunk.postimage, hunk.preimage)
    )
    gone = [line.prefix is Prefix.REMOVED for line in hunk.preimage]
    spans = (slice(at, at + len(kept)) for at in range(len(shown) - len(kept) + 1))
    return any(shown[span] == kept and any(gone[span]) for span in spans)


def only_deletes(hunk: Hunk) -> bool:
    """Return whether it only deletes, and keeps at least two lines that are not blank, one of them
    with a word: brackets are together everywhere."""
    kept = hunk.postimage
    if any(line.prefix is Prefix.ADDED for line in kept):
        return False
    solid = [line.text for line in kept if line.text.strip()]
    return len(solid) > 1 and any(re.search(rb"\w", text) for text in solid)


def removes_text(hunk: Hunk) -> bool:
    """Return whether a hunk removes a line that is not blank: blank ones come and go."""
    return any(line.prefix is Prefix.REMOVED and line.text.strip() for line in hunk.lines)


def partly_applied_at(hunk: Hunk, position: int, file_index: FileIndex) -> int | None:
    """Return where lines that the hunk adds are already, right above or below where they would go.

        hunk        file
         a          a
        +b          b       in the file already, and not shown by the hunk
         c

    Only lines beyond what the hunk itself shows count. In 38,459 real hunks, this was never seen
    unless the change was applied (D38). Where the hunk shows nothing beyond them, lines of which
    one or a quarter differ count, too (D82), lines that differ in whitespace (D240), and one of
    them that the file has only there (D466).
    """
    start, stop = position, position + len(hunk.preimage)
    if len(hunk.lines) - len(hunk.preimage) <= min(context_around(hunk.lines)):
        return None
    at = start
    for is_added, group in groupby(hunk.lines, key=lambda line: line.prefix is Prefix.ADDED):
        lines = list(group)
        if not is_added:
            at += len(lines)
            continue
        above = [at - len(lines)] if at - len(lines) < start else []
        below = [at] if at + len(lines) > stop else []
        if any(line.text.strip() for line in lines):
            found = file_index.first_match([*above, *below], lines)
            if found is None:
                open_sides = (above if at == start else []) + (below if at == stop else [])
                found = _first_edited(open_sides, lines, file_index)
            is_open = (at == start, at == stop)
            if found is None:
                found = _spaced_otherwise(at, lines, file_index, is_open)
            if found is None:
                found = _one_of_several(at, lines, file_index, is_open)
            if found is not None:
                return found
    return None


def _first_edited(
    starts: Sequence[int], lines: Sequence[Line], file_index: FileIndex
) -> int | None:
    """Return the first of `starts` where the file has nearly all of `lines`.

    This refuses 1 in 100 real insertions of three lines or more, written with context on one side
    alone.
    """
    return next((start for start in starts if _has_nearly_all(lines, start, file_index)), None)


_MIN_EDITED = 3
"""Fewer lines than this that differ a little say nothing: neighbours often look alike."""


def _has_nearly_all(lines: Sequence[Line], start: int, file_index: FileIndex) -> bool:
    """Return whether the file has `lines` at `start`, but for one line, or a quarter of them."""
    in_file = file_index.lines[start : start + len(lines)] if start >= 0 else ()
    if len(in_file) < max(len(lines), _MIN_EDITED):
        return False
    pairs = [
        (file_index.normal(line.text), found) for line, found in zip(lines, in_file, strict=True)
    ]
    same = [text for text, found in pairs if text == found]
    return len(lines) - len(same) <= max(1, len(lines) // 4) and any(
        re.search(_WORD, key) for key in same
    )


_WORD = rb"\w\w"


def _spaced_otherwise(
    at: int, lines: Sequence[Line], file_index: FileIndex, is_open: tuple[bool, bool]
) -> int | None:
    """Return where the file has `lines` right above or below `at`, but for whitespace; or None.

    `is_open` says on which of the two sides the hunk shows nothing.
    """
    keys = [key for line in lines if (key := resilient(file_index.normal(line.text)))]
    if not any(re.search(_WORD, key) for key in keys):
        return None
    size = len(file_index.lines)
    for rows in (
        range(at - 1, -1, -1) if is_open[0] else (),
        range(at, size) if is_open[1] else (),
    ):
        found = sorted(islice((row for row in rows if file_index.lines[row].strip()), len(keys)))
        if [resilient(file_index.lines[row]) for row in found] == keys:
            return found[0]
    return None


def _one_of_several(
    at: int, lines: Sequence[Line], file_index: FileIndex, is_open: tuple[bool, bool]
) -> int | None:
    """Return where one of `lines` is right above or below `at`, and nowhere else; or None (D466).

    `is_open` says on which of the two sides the hunk shows nothing. Blank lines are skipped.
    Above, it is not the last of `lines`: where a block is added below one that ends alike, diffs
    show the end of the other. A line that the patch removes may be meant to move.
    """
    added = [text for line in lines if (text := file_index.normal(line.text)).strip()]
    size = len(file_index.lines)
    for rows, likely in (
        (range(at - 1, -1, -1) if is_open[0] else (), added[:-1]),
        (range(at, size) if is_open[1] else (), added),
    ):
        row = next((row for row in rows if file_index.lines[row].strip()), None)
        text = b"" if row is None else file_index.lines[row]
        if text in likely and _is_distinct(text, file_index):
            return row
    return None


def _is_distinct(text: bytes, file_index: FileIndex) -> bool:
    """Return whether a line says enough, is once in the file, and is not one that goes."""
    says_enough = len(text.strip()) >= LEAST_DISTINCTIVE and re.search(_WORD, text)
    if not says_enough or text in file_index.removed:
        return False
    return len(file_index.strict_positions(text)) == 1


def is_rewrite(hunk: Hunk, file_index: FileIndex) -> bool:
    """Return whether a hunk of added lines alone is the file again: it would be there twice (D83).

    Its first two lines are those of the file, or its first and its last one, of which the first has
    a word, or it has more than half of the file's lines, or just half and more than one line; or it
    begins as only a file does. Of 6,116 real insertions 8 look so.
    """
    if hunk.preimage:
        return False
    added = [text for line in hunk.lines if (text := line.text.strip())]
    in_file = [text for line in file_index.lines if (text := line.strip())]
    if len(added) > 1 and added[:1] == in_file[:1]:
        ends_alike = added[-1] == in_file[-1] and re.search(_WORD, added[0])
        if added[1:2] == in_file[1:2] or ends_alike:
            return True
    distinct = set(in_file)
    half, shared = len(distinct) / 2, len(distinct.intersection(added))
    if shared > half or (0 < shared == half and len(added) > 1):
        return True
    return _begins_a_file(added, file_index)


_FIRST_LINE = (b"#!", b"<?php", b"<?xml", b"<!doctype")
"""What begins the first line of a file alone, in lower case."""
_IMPORT = rb"(?:import|from|package|#include|using|use|require|namespace)\b"
"""How the lines begin that come first in files of code."""


def _begins_a_file(added: Sequence[bytes], file_index: FileIndex) -> bool:
    """Return whether added lines begin as the file does, and only a file begins (D83).

    That is with a line such as `<?php`; with an import above other lines, where the file has one;
    or with a title: the file's first line is a heading of Markdown, no other is of its level, and
    the first one added is. At the end of real files 2 of 201 insertions begin with an import.
    """
    first = next((at for at, line in enumerate(file_index.lines) if line.strip()), None)
    if first is None or not added:
        return False
    title = file_index.lines[first]
    if title.lower().startswith(_FIRST_LINE) and added[0].lower().startswith(_FIRST_LINE):
        return True
    imports = [re.match(_IMPORT, line) is not None for line in added]
    if imports[0] and not all(imports):
        return any(re.match(_IMPORT, line) for line in file_index.lines)
    kind = OutlineKind.MARKDOWN
    if not is_certain(file_index.lines, first, kind) or heading(added[0]) is not kind:
        return False
    level = depth(title, kind)
    others = (at for at in file_index.headings.of(kind) if at != first)
    is_only = all(depth(file_index.lines[at], kind) > level for at in others)
    return is_only and depth(added[0], kind) <= level


def _postimage_over(hunk: Hunk, position: int, file_index: FileIndex, tier: Tier) -> int | None:
    """Return where the postimage is, if it begins or ends where the preimage does at `position`."""
    postimage, size = hunk.postimage, len(hunk.preimage)
    begins, ends = hunk.lines[0].prefix, hunk.lines[-1].prefix
    leading = _count_leading_added(hunk.lines) if size and begins is Prefix.ADDED else 0
    shows_end = ends is Prefix.CONTEXT or begins is not Prefix.CONTEXT
    if tier is Tier.STRICT:
        starts = [position, position - leading] if leading else [position]
        if shows_end:
            starts.append(position + size - len(postimage))
        return file_index.first_match(starts, postimage) if postimage else None
    view = file_index.view(tier)
    keys = [key for line in postimage if (key := view.key(line))]
    if not keys:
        return None
    first = bisect_left(view.solid, position)
    starts = [first, first - sum(bool(view.key(line)) for line in hunk.lines[:leading])]
    if shows_end:
        starts.append(bisect_left(view.solid, position + size) - len(keys))
    return next(
        (
            view.solid[start]
            for start in starts
            if start >= 0 and view.solid_keys[start : start + len(keys)] == keys
        ),
        None,
    )


def _count_leading_added(lines: Sequence[Line]) -> int:
    return next(index for index, line in enumerate(lines) if line.prefix is not Prefix.ADDED)


def _adds_proof(hunk: Hunk, file_index: FileIndex, tier: Tier) -> bool:
    """Return whether the hunk adds a line that is not blank and that it does not also remove.

    Blank lines alone prove something only at the hunk's end, where no line after them is omitted.
    """
    normal = file_index.normal if tier is Tier.STRICT else file_index.view(tier).normal
    removed = {normal(line.text) for line in hunk.lines if line.prefix is Prefix.REMOVED}
    added = [line for line in hunk.lines if line.prefix is Prefix.ADDED]
    if any(line.text.strip() and normal(line.text) not in removed for line in added):
        return True
    return tier is Tier.STRICT and hunk.lines[-1].prefix is Prefix.ADDED and _only_adds(hunk)


def _begins_file(hunk: Hunk, found: int, tier: Tier) -> bool:
    """Return whether the hunk's first line, an added one that may be blank, begins the file."""
    begins = found == 0 and hunk.lines[0].prefix is Prefix.ADDED
    return tier is Tier.STRICT and begins and _only_adds(hunk)


def _only_adds(hunk: Hunk) -> bool:
    """Return whether the hunk has context and removes nothing."""
    kept = hunk.preimage
    return bool(kept) and all(line.prefix is Prefix.CONTEXT for line in kept)


def _without_last_blanks(lines: Sequence[Line]) -> Sequence[Line]:
    end = len(lines)
    while end and lines[end - 1].prefix is Prefix.CONTEXT and not lines[end - 1].text.strip():
        end -= 1
    return lines[:end]
