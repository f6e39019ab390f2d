"""Anchors: which candidates are in the scope of the line that `@@` names (D18)?

An anchor is found as a whole line, else trimmed, else as part of a line. A position is in its
scope if it is at or after it with no heading of its kind between, or in the block that is indented
below it:

    class Reader:           the anchor
        size = 1            in scope: nothing is between
        def close(self):
            self.open = 0   in scope: in the block
    class Writer:
        size = 1            not in scope: `class Writer:` is between

To ask for the block only where nothing is nearer was wrong in 7 of 195 decisions on real history:
what is near may be the first member of a class where the third is meant. Several anchors narrow
one after another. Being merely the first position after an anchor decides nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from git_opatch.locate.anchor_references import Reference, is_name, references_in
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import (
    Name,
    OutlineKind,
    depth,
    heading,
    heading_at,
    is_certain,
    is_for_the_file,
    keyword_of,
    name_of,
    underline,
)
from git_opatch.model.limits import FEW
from git_opatch.model.patch import Anchor
from git_opatch.model.text import indentation, opens

_SECTIONS = (OutlineKind.MARKDOWN, OutlineKind.WIKI, OutlineKind.TABLE)
"""Headings whose level says that a section is in another one."""


class AnchorMatch(NamedTuple):
    """Where a hunk's last anchor occurs, in order.

    `full` is whether it was found as a whole line. `missing` holds the anchors that are nowhere;
    they decide nothing.
    """

    positions: tuple[int, ...] = ()
    full: bool = False
    missing: tuple[Anchor, ...] = ()


_NOWHERE = AnchorMatch()


def find_anchors(anchors: Sequence[Anchor], file_index: FileIndex) -> AnchorMatch:
    """Find the last of `anchors`, narrowed by those before it.

    If one of them is not in the scope of the one before, none is found.
    """
    if not anchors:
        return _NOWHERE
    found, missing = _NOWHERE, []
    for anchor in anchors:
        positions, full = occurrences(anchor, file_index)
        named = () if full or not is_name(anchor.text) else referred(anchor, file_index)
        positions = named or positions or referred(anchor, file_index)
        if not positions:
            missing.append(anchor)
            continue
        if found.positions:
            below = [position for position in positions if position > found.positions[0]]
            positions = in_scope_of(below, found.positions, file_index)
            if not positions:
                return AnchorMatch(missing=tuple(missing))
        found = AnchorMatch(tuple(positions), full)
    return AnchorMatch(found.positions, found.full, tuple(missing))


def occurrences(anchor: Anchor, file_index: FileIndex) -> tuple[Sequence[int], bool]:
    """List where an anchor's text occurs, and tell whether as a whole line."""
    whole = file_index.positions(anchor.text)
    if whole:
        return whole, True
    text = anchor.text.strip()
    trimmed = file_index.trimmed_to(text) if text else ()
    if trimmed:
        return trimmed, True
    return file_index.containing(text) if text else [], False


def referred(anchor: Anchor, file_index: FileIndex) -> Sequence[int]:
    """List the definitions that an anchor refers to: `Store.load` is `load` in the block of `Store`
    (D467).

    A definition may have its qualifier on its own line, as in Go and C++. None if a name is not
    defined that is not a qualifier.
    """
    found: Sequence[int] | None = None
    for reference in references_in(anchor.text):
        positions = defined(reference, file_index)
        own = [at for at in positions if _is_qualified(file_index.lines[at])]
        if reference.qualifier and own:
            found = own
        elif found:
            blocks = _blocks(found, file_index)
            found = [at for at in positions if _is_inside(at, blocks)]
        elif found is None and not reference.qualifier:
            found = positions
        else:
            return ()
    return found or ()


def defined(reference: Reference, file_index: FileIndex) -> list[int]:
    """List what has that name: definitions, sections and keys."""
    name, qualifier = reference
    return [
        position
        for position in file_index.containing(name)
        if (found := name_of(file_index.lines[position]))
        and found.matches(Name(found.kind, name, qualifier))
    ]


def _is_qualified(line: bytes) -> bool:
    name = name_of(line)
    return name is not None and bool(name.qualifier)


def in_scope_of(
    positions: Sequence[int], anchor_positions: Sequence[int], file_index: FileIndex
) -> list[int]:
    """Keep the positions that are in the scope of one of the anchors at `anchor_positions`."""
    blocks = _blocks(anchor_positions, file_index) if len(anchor_positions) <= FEW else []
    return [
        position
        for position in positions
        if _directly_follows(position, anchor_positions, file_index) or _is_inside(position, blocks)
    ]


def _directly_follows(
    position: int, anchor_positions: Sequence[int], file_index: FileIndex
) -> bool:
    """Return whether `position` is at or after an anchor, with no heading of its kind between.

    A section goes on through those that are in it.
    """
    index = bisect_right(anchor_positions, position) - 1
    kind = heading(file_index.lines[anchor_positions[index]]) if index >= 0 else None
    if kind is None:
        return False
    if kind in _SECTIONS and is_certain(file_index.lines, anchor_positions[index], kind):
        return is_in_scope(position + 1, anchor_positions[index], file_index)
    return file_index.headings.first(kind, anchor_positions[index] + 1) >= position


def scope_end(heading_line: int, file_index: FileIndex) -> int:
    """Return where the scope of the heading at `heading_line` ends: at the next heading of its kind
    that is not deeper, or at the end of the file. The scope of another line ends at the next
    definition that is less deep, or no deeper if the line opens a block (D315).

    In real history, no scope ends between a hunk and what git names as its heading (D80).
    """
    if heading_line not in file_index.scope_ends:
        start = file_index.scopes_until.get(heading_line, heading_line + 1)
        end = len(file_index.lines)
        file_index.scope_ends[heading_line] = _find_scope_end(heading_line, file_index, start, end)
    return file_index.scope_ends[heading_line]


def is_in_scope(position: int, heading_line: int, file_index: FileIndex) -> bool:
    """Return whether the scope of the heading at `heading_line` ends at or below `position`.

    What is below `position` is not read.
    """
    if heading_line in file_index.scope_ends:
        return file_index.scope_ends[heading_line] >= position
    start = file_index.scopes_until.get(heading_line, heading_line + 1)
    if position <= start:
        return True
    last = min(position, len(file_index.lines))
    end = _find_scope_end(heading_line, file_index, start, last)
    if end < position:
        file_index.scope_ends[heading_line] = end
        return False
    file_index.scopes_until[heading_line] = position
    return True


def _find_scope_end(first: int, file_index: FileIndex, start: int, end: int) -> int:
    """Return where the scope of the heading at `first` ends, if that is from `start` to `end`.

    If it is not, some position that is not above `end`.
    """
    lines = file_index.lines
    line = lines[first]
    kind = heading_at(lines, first) or heading(line.strip())
    if kind is None:
        return _next_definition_outside(first, file_index, start, end)
    if is_for_the_file(line) and not _has_block(first, file_index):
        return end
    if kind is OutlineKind.LABEL:
        closing = file_index.block_end(first)
        is_next = closing < len(lines) and _is_same_label(lines[closing], line)
        return closing if is_next else end
    most, in_columns = depth(line, kind), kind is OutlineKind.DEFINITION
    rows = range(start, end)
    following = _as_shallow(lines, first, rows) if in_columns else rows
    for at in following:
        if not is_certain(lines, at, kind) or depth(lines[at], kind) > most:
            continue
        if in_columns and _may_be_sentence(lines[at]) and file_index.prose.includes(at):
            continue
        same = kind is not OutlineKind.UNDERLINED or underline(lines, at) == underline(lines, first)
        if same and not file_index.is_changed(at):
            return at
    return end


def _next_definition_outside(first: int, file_index: FileIndex, start: int, end: int) -> int:
    """Return where a definition follows from `start` to `end` that the line at `first` is not in;
    `end` if none does."""
    lines = file_index.lines
    opens_block = opens(lines[first]) and _has_block(first, file_index)
    most = len(indentation(lines[first])) - (not opens_block)
    if most < 0:
        return end
    following = file_index.headings.between(OutlineKind.DEFINITION, start, end)
    return next((at for at in following if len(indentation(lines[at])) <= most), end)


def _may_be_sentence(line: bytes) -> bool:
    """Return whether `line`, which looks like a definition, is one by its parentheses alone."""
    return not keyword_of(line) and not line.rstrip().endswith(b"{")


def _has_block(first: int, file_index: FileIndex) -> bool:
    """Return whether lines that are indented deeper follow the line at `first`."""
    return any(line.strip() for line in file_index.lines[first + 1 : file_index.block_end(first)])


def _is_same_label(line: bytes, other: bytes) -> bool:
    is_label = heading(line.strip()) is OutlineKind.LABEL
    return is_label and indentation(line) == indentation(other)


def _as_shallow(lines: Sequence[bytes], first: int, rows: Iterable[int]) -> Iterator[int]:
    """Yield those of `rows` that are not blank, nor indented deeper than the line at `first`."""
    most = len(indentation(lines[first]))
    for at in rows:
        line = lines[at]
        text = line.lstrip(b" \t")
        if len(line) - len(text) <= most and text and not text.isspace():
            yield at


def _blocks(anchor_positions: Sequence[int], file_index: FileIndex) -> list[tuple[int, int]]:
    """List the blocks below the anchors, in order, without those inside another."""
    blocks: list[tuple[int, int]] = []
    for anchor in anchor_positions:
        if not blocks or anchor >= blocks[-1][1]:
            blocks.append((anchor, file_index.block_end(anchor)))
    return blocks


def _is_inside(position: int, blocks: Sequence[tuple[int, int]]) -> bool:
    index = bisect_left(blocks, (position, 0)) - 1
    return index >= 0 and position < blocks[index][1]
