"""Place a hunk that leaves out lines of the file, piece by piece (D35).

    hunk                            file
     def total(self):               def total(self):
         # ... existing code ...        self.check()
    -    return self.sum                return self.sum
    +    return self._sum

A line such as `# ... existing code ...` marks a gap, unless the file has that line; a gap need not
be marked. The pieces between gaps must each be in the file strictly, once, and in order: in the
scope of the hunk's anchor, or in the whole file if there is none, or else in the scope of the
heading that a hunk with markers begins with (D390). The hunk then gets the lines between them as
context. It is read so only after everything else has failed.

Nothing may depend on lines that the hunk does not show:

- An added line next to a gap without a marker could belong above it or below it.
- The lines between two removed ones could be meant to be removed as well.
- What is left out must be in the block that the hunk shows around it, and not in a removed one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, dropwhile, groupby, islice, pairwise, takewhile
from typing import NamedTuple

from git_opatch.locate.anchor import in_scope_of, scope_end
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import heading
from git_opatch.locate.rivals import find_rivals
from git_opatch.locate.unchanged_lines import cancel_unchanged
from git_opatch.model.limits import SHOWN
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.text import indentation, opens

_DOTS = rb"(?:\.\.\.|\xe2\x80\xa6)"
_SIGNS = rb"\s*(?:[^\w\s]{1,4}\s*){0,2}"
_PLACEHOLDER = re.compile(_SIGNS + _DOTS + rb"(?:[\w ]*" + _DOTS + rb"| [\w ]+)?" + _SIGNS)


class Gap(NamedTuple):
    """Lines of a file, at `rows`, that a hunk leaves out.

    `first` is the index of the first of them in the bridged hunk.
    """

    rows: range
    first: int
    marked: bool


class Bridged(NamedTuple):
    """A hunk together with the lines that it leaves out, at the position `start`.

    `unclear` is whether it must be refused nevertheless.
    """

    hunk: Hunk
    start: int
    gaps: tuple[Gap, ...]
    unclear: bool = False


def is_placeholder(line: Line) -> bool:
    """Return whether a line is context that reads like `# ... existing code ...`.

    Context is never written, so any words between dots will do here, where the file does not have
    the line. Of added lines, which would be written, `complete.placeholder` asks for more.
    """
    return line.prefix is Prefix.CONTEXT and bool(_PLACEHOLDER.fullmatch(line.text))


def bridge_gaps(
    hunk: Hunk, anchor_positions: Sequence[int], file_index: FileIndex
) -> Bridged | None:
    """Find `hunk`, whose anchor is at `anchor_positions`, piece by piece; None if uncertain.

    The longest pieces are found from the front, and from the back. Where the two differ, they must
    give the same edits.
    """
    changed, hunk = hunk, cancel_unchanged(hunk)
    if _ends_in_cancelled_blank(changed, hunk):
        return None
    segments = _segments(hunk.lines, file_index)
    if not segments or not all(any(map(_is_old, segment)) for segment in segments):
        return None
    shown = {file_index.normal(line.text) for line in hunk.preimage}
    if any(file_index.lines[position] in shown for position in anchor_positions):
        anchor_positions = ()  # the hunk shows its anchor, so it may begin above that
    divisions = _divisions(segments, anchor_positions, file_index)
    if not any(divisions) and not anchor_positions:
        divisions = _divisions(segments, _first_heading(segments, file_index), file_index)
    interpretations = [_bridge(hunk, segments, rows, file_index) for rows in divisions if rows]
    if not interpretations or _edits(interpretations[0]) != _edits(interpretations[-1]):
        return None
    return max(interpretations, key=lambda interpretation: interpretation.unclear)


def _ends_in_cancelled_blank(changed: Hunk, hunk: Hunk) -> bool:
    """Return whether `hunk` begins or ends with a blank line that it removed and added again.

    Blank context there may be missing in the file; what the patch adds must not get lost.
    """
    return any(
        before.prefix is not Prefix.CONTEXT and line.prefix is Prefix.CONTEXT and _is_blank(line)
        for before, line in (
            (changed.lines[0], hunk.lines[0]),
            (changed.lines[-1], hunk.lines[-1]),
        )
    )


def _is_blank(line: Line) -> bool:
    return not line.text.strip()


def describe_gaps(gaps: Sequence[Gap]) -> str:
    """Name the lines that are left out, such as `lines 4-6, 9`; empty if there are none."""
    rows = [gap.rows for gap in gaps[:SHOWN]]
    shown = [f"{row.start + 1}" + f"-{row.stop}" * (len(row) > 1) for row in rows]
    several = len(gaps) > 1 or any(len(row) > 1 for row in rows)
    more = ", …" if len(gaps) > SHOWN else ""
    return f"line{'s' * several} {', '.join(shown)}{more}" if gaps else ""


def _is_old(line: Line) -> bool:
    return line.prefix is not Prefix.ADDED


def _segments(lines: Sequence[Line], file_index: FileIndex) -> list[list[Line]]:
    """Split `lines` at the markers; blank context lines beside a marker are part of the gap."""
    markers = {line.text.strip() for line in lines if is_placeholder(line)}
    if markers:
        markers -= file_index.stripped
    parts = groupby(lines, lambda line: is_placeholder(line) and line.text.strip() in markers)
    segments = [_without_outer_blanks(list(part)) for is_gap, part in parts if not is_gap]
    return [segment for segment in segments if segment]


def _first_heading(segments: Sequence[Sequence[Line]], file_index: FileIndex) -> Sequence[int]:
    """Return where the heading is that a hunk with markers begins with; empty if it is not there
    once, or the hunk begins with another line.

    What it shows below a marker is then a part of what the heading begins, as below an anchor.
    """
    first = segments[0][0]
    if len(segments) < 2 or first.prefix is not Prefix.CONTEXT or not heading(first.text):
        return ()
    positions = file_index.find([first])
    return positions if len(positions) == 1 else ()


def _without_outer_blanks(lines: list[Line]) -> list[Line]:
    shown = [
        index
        for index, line in enumerate(lines)
        if line.prefix is not Prefix.CONTEXT or line.text.strip()
    ]
    return lines[shown[0] : shown[-1] + 1] if shown else []


class _Piece(NamedTuple):
    """Old lines of a hunk that are next to each other in the file.

    `positions` are all where they could be; `changes` is whether a changed line is among them or
    beside them.
    """

    size: int
    positions: Sequence[int]
    changes: bool


def _divisions(
    segments: Sequence[Sequence[Line]], scopes: Sequence[int], file_index: FileIndex
) -> list[list[int]]:
    """Return the positions of the old lines, divided from the front, and from the back."""
    return [
        _divide(segments, scopes, file_index, from_back=from_back) for from_back in (False, True)
    ]


def _divide(
    segments: Sequence[Sequence[Line]],
    anchor_positions: Sequence[int],
    file_index: FileIndex,
    *,
    from_back: bool,
) -> list[int]:
    """Return the position of each old line; empty if a piece that matters has several, or none.

    Context alone may occur several times: its nearest position does, since nothing is written. It
    may also be beyond the scope of the anchor, which is that of the hunk's beginning.
    """
    pieces: list[_Piece] = []
    for segment in segments:
        old = [index for index, line in enumerate(segment) if _is_old(line)]
        found: list[_Piece] = []
        while old:
            lines = [segment[index] for index in old]
            find = partial(_longest_piece, lines, file_index=file_index, from_back=from_back)
            size, positions = find(anchor_positions)
            if is_beyond := not positions and bool(anchor_positions):
                size, positions = find(())
            if not positions:
                return []
            used = old[-size:] if from_back else old[:size]
            old = old[:-size] if from_back else old[size:]
            around = segment[max(used[0] - 1, 0) : used[-1] + 2]
            changes = any(line.prefix is not Prefix.CONTEXT for line in around)
            old_lines = [segment[index] for index in used]
            if changes and (is_beyond or _may_be_elsewhere(old_lines, positions, file_index)):
                return []
            piece = _Piece(size, positions, changes)
            found = [piece, *found] if from_back else [*found, piece]
        pieces += found
    starts = _nearest(pieces)
    ends = [start + piece.size for start, piece in zip(starts, pieces, strict=False)]
    if not starts or any(end > start for end, start in zip(ends, starts[1:], strict=False)):
        return []
    return [row for start, end in zip(starts, ends, strict=True) for row in range(start, end)]


def _longest_piece(
    lines: Sequence[Line],
    anchor_positions: Sequence[int],
    file_index: FileIndex,
    *,
    from_back: bool,
) -> tuple[int, Sequence[int]]:
    """Return the size and the positions of the longest piece at that end of `lines`."""
    size, too_long, positions = 0, len(lines) + 1, list[int]()
    while too_long - size > 1:
        tried = (size + too_long) // 2
        found = file_index.find(lines[-tried:] if from_back else lines[:tried])
        found = in_scope_of(found, anchor_positions, file_index) if anchor_positions else found
        if found:
            size, positions = tried, found
        else:
            too_long = tried
    return size, positions


def _may_be_elsewhere(
    lines: Sequence[Line], positions: Sequence[int], file_index: FileIndex
) -> bool:
    """Return whether old lines are at several positions, or at others with another indentation."""
    context = Hunk(tuple(line._replace(prefix=Prefix.CONTEXT) for line in lines))
    return len(positions) > 1 or bool(find_rivals(context, positions, file_index))


def _nearest(pieces: Sequence[_Piece]) -> list[int]:
    """Choose a position for each piece: of several, that nearest to the piece below it, or else to
    the one above it. Empty if there is none in order."""
    starts: list[int | None] = [
        piece.positions[0] if len(piece.positions) == 1 else None for piece in pieces
    ]
    below: int | None = None
    for index in reversed(range(len(pieces))):
        if starts[index] is None and below is not None:
            fitting = [at for at in pieces[index].positions if at + pieces[index].size <= below]
            starts[index] = max(fitting, default=-1)
        below = starts[index] if starts[index] is not None else below
    above = 0
    for index, piece in enumerate(pieces):
        if starts[index] is None:
            starts[index] = min((at for at in piece.positions if at >= above), default=-1)
        above = (starts[index] or 0) + piece.size
    return [] if -1 in starts else [start for start in starts if start is not None]


def _bridge(
    hunk: Hunk, segments: Sequence[Sequence[Line]], rows: Sequence[int], file_index: FileIndex
) -> Bridged:
    """Put the file's lines between `rows`, the positions of the old lines, into `hunk`."""
    lines: list[Line] = []
    gaps: list[Gap] = []
    position, removed_above, positions = rows[0], False, iter(rows)
    for number, segment in enumerate(segments):
        marked, added = number > 0, list[Line]()
        for line in segment:
            if not _is_old(line):
                added.append(line)
                continue
            row = next(positions)
            if position < row:
                if removed_above and line.prefix is Prefix.CONTEXT and not marked:
                    lines, added = [*lines, *added], []
                gaps.append(Gap(range(position, row), len(lines), marked))
                texts = file_index.text.lines[position:row]
                lines += [Line(Prefix.CONTEXT, text) for text in texts]
            lines += [*added, line]
            position, removed_above, marked, added = row + 1, _is_removed(line), False, []
        lines += added
    bridged = replace(hunk, lines=tuple(lines))
    shown = _Shown.of(lines, gaps, rows[0])
    unclear = any(_is_unclear(shown, gap, file_index) for gap in gaps)
    return Bridged(bridged, rows[0], tuple(gaps), unclear)


def _is_removed(line: Line) -> bool:
    return line.prefix is Prefix.REMOVED


def _edits(interpretation: Bridged) -> list[tuple[int, Line]]:
    """List the changed lines of an interpretation, each with its position in the file."""
    edits, position = [], interpretation.start
    for line in interpretation.hunk.lines:
        if line.prefix is not Prefix.CONTEXT:
            edits.append((position, line))
        position += _is_old(line)
    return edits


class _Shown(NamedTuple):
    """A bridged hunk, and what is asked of it for each of its gaps."""

    lines: Sequence[Line]
    rows: range
    """Where the lines are in the file."""
    hidden: Set[int]
    """The indexes of the lines that the hunk leaves out."""
    last_change: int
    """The index of the last changed line; -1 if there is none."""
    headings: Sequence[tuple[int, int]]
    """The index, and the position in the file, of each heading that the hunk shows."""

    @classmethod
    def of(cls, lines: Sequence[Line], gaps: Sequence[Gap], start: int) -> _Shown:
        """Read the `lines` of a bridged hunk that begins at the position `start`."""
        hidden = {gap.first + offset for gap in gaps for offset in range(len(gap.rows))}
        changes = (at for at, line in enumerate(lines) if line.prefix is not Prefix.CONTEXT)
        positions = accumulate(map(_is_old, lines), initial=start)
        headings = [
            (index, position)
            for index, (line, position) in enumerate(zip(lines, positions, strict=False))
            if index not in hidden and _is_old(line) and heading(line.text)
        ]
        rows = range(start, start + sum(map(_is_old, lines)))
        return cls(lines, rows, hidden, max(changes, default=-1), headings)

    def above(self, gap: Gap) -> Iterator[Line]:
        """Yield the lines that the hunk shows above `gap`, the last one first."""
        rows = range(gap.first - 1, -1, -1)
        return (self.lines[index] for index in rows if index not in self.hidden)

    def below(self, gap: Gap) -> Iterator[Line]:
        """Yield the lines below `gap`, those of later gaps, too."""
        return (self.lines[at] for at in range(gap.first + len(gap.rows), len(self.lines)))

    def has_whole_pieces_beside(self, gap: Gap, size: int) -> bool:
        """Return whether both pieces beside `gap` begin and end with context that is not blank.

        Each would be placed without the other. There is no context beyond the ends of the file,
        which has `size` lines.
        """
        beside = range(gap.first - 1, -1, -1), range(gap.first + len(gap.rows), len(self.lines))
        above, below = (list(takewhile(self._is_shown, indexes)) for indexes in beside)
        is_at_top = self.rows.start == 0 and above[-1] == 0
        is_at_end = self.rows.stop == size and below[-1] == len(self.lines) - 1
        return all(
            (is_at_edge or _begins_with_context(self.lines[at] for at in reversed(piece)))
            and _begins_with_context(self.lines[at] for at in piece)
            for piece, is_at_edge in ((above, is_at_top), (below, is_at_end))
        )

    def _is_shown(self, index: int) -> bool:
        return index not in self.hidden

    def heading_above(self, gap: Gap) -> int | None:
        """Return the position of the last heading above `gap`; None if there is none."""
        index = bisect_left(self.headings, (gap.first, 0)) - 1
        return self.headings[index][1] if index >= 0 else None


def _is_unclear(shown: _Shown, gap: Gap, file_index: FileIndex) -> bool:
    """Return whether the lines of `gap` could matter to what the hunk changes."""
    left_out = shown.lines[gap.first : gap.first + len(gap.rows)]
    skipped = [line for line in left_out if line.text.strip()]
    run_above, run_below = _run(shown.above(gap))[::-1], _run(shown.below(gap))
    if gap.marked and any(map(_is_marker_in_words, left_out)):
        return True
    if any(map(_is_removed, run_above)) and any(map(_is_removed, run_below)):
        return True
    if not gap.marked and (
        _may_be_beside_added(left_out, shown.below(gap))
        or _may_be_beside_added(left_out[::-1], shown.above(gap))
    ):
        return True
    if _repeats(run_above, run_below, gap, file_index):
        return True
    if skipped and _is_in_removed_block(skipped, run_above):
        return True
    is_whole = shown.has_whole_pieces_beside(gap, len(file_index.lines))
    if shown.last_change < gap.first and (gap.marked or is_whole):
        return False
    if skipped and not is_whole and not any(map(_counts, shown.above(gap))):
        return True
    if skipped and not is_whole and _leaves_block(skipped, shown, gap):
        return True
    opened = shown.heading_above(gap)
    return opened is not None and scope_end(opened, file_index) < gap.rows.stop


def _begins_with_context(lines: Iterable[Line]) -> bool:
    """Return whether the first of `lines` that is not blank is context."""
    solid = (line for line in lines if line.text.strip())
    return any(line.prefix is Prefix.CONTEXT for line in islice(solid, 1))


def _run(lines: Iterable[Line]) -> list[Line]:
    """Return the changed lines that `lines` begin with."""
    return list(takewhile(lambda line: line.prefix is not Prefix.CONTEXT, lines))


def _may_be_beside_added(left_out: Sequence[Line], beside: Iterable[Line]) -> bool:
    """Return whether the lines `beside` those left out begin with a run that only adds.

    Context in front of it that reads like the first lines left out may be these:

        hunk        file
        ///         ///         left out, or shown
        +/// new    /// old     left out
        /// end     ///         shown, or left out
                    /// end
    """
    hidden = iter(left_out)
    run = _run(dropwhile(lambda line: _is_context_like(line, next(hidden, None)), beside))
    return bool(run) and not any(map(_is_removed, run))


def _is_context_like(line: Line, other: Line | None) -> bool:
    """Return whether `line` is context with the text of `other`."""
    if other is None or line.prefix is not Prefix.CONTEXT:
        return False
    return line.text.rstrip(b"\r") == other.text.rstrip(b"\r")


def _is_marker_in_words(line: Line) -> bool:
    """Return whether a line reads like a marker with words, such as one that a prompt continues."""
    return bool(_PLACEHOLDER.fullmatch(line.text) and re.search(rb"\w", line.text))


def _repeats(
    run_above: Sequence[Line], run_below: Sequence[Line], gap: Gap, file_index: FileIndex
) -> bool:
    """Return whether the lines left out begin or end with what the hunk adds beside them."""
    ends = (
        (gap.rows.start, [line for line in run_above if not _is_removed(line)], 0),
        (gap.rows.stop, [line for line in run_below if not _is_removed(line)], 1),
    )
    return any(
        added and file_index.first_match([position - at_end * len(added)], added) is not None
        for position, added, at_end in ends
    )


def _is_in_removed_block(skipped: Sequence[Line], run: Sequence[Line]) -> bool:
    """Return whether the lines left out continue a block of which the run above changes a part.

    A run may change what is as deep as they are, or put one head of their block for another.
    """
    depth = _depth(skipped[0])
    deep = [_depth(line) >= depth for line in run if line.text.strip()]
    replaces_head = not any(deep) and any(not _is_removed(line) for line in run)
    return bool(run) and not all(deep) and not replaces_head


def _leaves_block(skipped: Sequence[Line], shown: _Shown, gap: Gap) -> bool:
    """Return whether a line left out ends the block that the hunk shows around a change below.

    That is the block of the last line above the gap that is less deep than the first one below it;
    above a marker, which may stand for the head of an inner block, the last that opens one. Without
    a marker, the block of the last line above may end there, but no other may begin.
    """
    depth = next((_depth(line) for line in shown.below(gap) if _counts(line)), 0)
    above = filter(_counts, shown.above(gap))
    first = next(above)
    nearest = _depth(first)
    head = _head_depth(chain([first], above), depth, opening=gap.marked)
    inside = [_depth(line) for line in skipped if not _HEAD_GOES_ON.match(line.text)]
    least = min(inside, default=depth)
    begins = not gap.marked and nearest >= depth and _begins_block(nearest, inside)
    return least <= head or begins


def _head_depth(above: Iterable[Line], depth: int, *, opening: bool) -> int:
    """Return the depth of the head of the block that a line of `depth` is in; -1 if there is none.

    That is the last line `above` that is less deep; with `opening`, the last that also opens a
    block, if there is one.
    """
    found, least = -1, depth
    for line in above if depth else ():
        if (own := _depth(line)) >= least:
            continue
        if not opening or opens(line.text):
            return own
        found, least = (own if found < 0 else found), own
        if not own:
            break
    return found


def _begins_block(depth: int, depths: Sequence[int]) -> bool:
    """Return whether lines below one of `depth` end its block and then begin another."""
    outside = dropwhile(lambda other: other >= depth, depths)
    return any(above < below for above, below in pairwise(outside))


_HEAD_GOES_ON = re.compile(rb"[ \t]*(?:\{[ \t]*\r?$|\))")
"""The second part of the head of a block: a brace on a line of its own, or `) {`."""


def _counts(line: Line) -> bool:
    return _is_old(line) and bool(line.text.strip())


def _depth(line: Line) -> int:
    return len(indentation(line.text).expandtabs())
