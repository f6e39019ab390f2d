r"""Turn a placed hunk into edits of the file's lines, with line endings (D46, D47).

Context and removed lines are never written (D40): an edit holds added lines alone, and the file's
bytes around it stay.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from git_opatch.model.errors import OpatchError
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.text import BYTE_ORDER_MARK, Text, without_cr


class Edit(NamedTuple):
    """Replaces the lines of a text from `start` to `stop` by `lines`.

    `newline` is whether the last of `lines` has one, should it end the file.
    """

    start: int
    stop: int
    lines: tuple[bytes, ...]
    newline: bool = True
    ending: bytes = b""
    r"""The `\r` that the file's last line gets, should lines be appended to it."""
    keep_bom: bool = True
    """Whether a byte-order mark stays in front of the file; not if the hunk itself shows it."""

    @property
    def growth(self) -> int:
        """How many lines more there are afterwards."""
        return len(self.lines) - (self.stop - self.start)


def written_lines(edits: Sequence[Edit]) -> Iterator[range]:
    """Yield the lines that each of `edits`, which are in order, writes, as they are after all."""
    offset = 0
    for edit in edits:
        yield range(edit.start + offset, edit.start + offset + len(edit.lines))
        offset += edit.growth


def edits_of(placement: Placement, text: Text) -> Iterator[Edit]:
    """Yield the edits of `text` that `placement` asks for, in order, none of them empty."""
    position = placement.start
    run: list[Line] = []
    lines = placement.hunk.lines
    for line in (*lines, None):
        if line is not None and line.prefix is not Prefix.CONTEXT:
            run.append(line)
            continue
        if run:
            removed = sum(changed.prefix is Prefix.REMOVED for changed in run)
            added = [changed for changed in run if changed.prefix is Prefix.ADDED]
            edit = _edit(placement, text, position, position + removed, added)
            if edit is not None:
                yield edit
            position, run = position + removed, []
        position += 1


def _edit(
    placement: Placement, text: Text, start: int, stop: int, added: Sequence[Line]
) -> Edit | None:
    newline = not added or added[-1].newline
    if placement.verbatim_endings:
        lines = [line.text for line in added]
    else:
        lines = [
            without_cr(line.text) + (_ending(text, start + index, stop) if line.newline else b"")
            for index, line in enumerate(added)
        ]
    ending = b"\r" if text.crlf and not placement.verbatim_endings else b""
    keep_bom = not (_has_bom(text) and _shows_bom(placement.hunk))
    return trim_unchanged(Edit(start, stop, tuple(lines), newline, ending, keep_bom), text)


def _has_bom(text: Text) -> bool:
    return bool(text.lines) and text.lines[0].startswith(BYTE_ORDER_MARK)


def _shows_bom(hunk: Hunk) -> bool:
    return any(line.text.startswith(BYTE_ORDER_MARK) for line in hunk.lines)


def edge_edits(edits: Sequence[Edit], text: Text) -> list[Edit]:
    """Join `edits`, which are in order, and extend those at the first or last line of the file.

    Its byte-order mark or newline may change. Needs all edits at once, since another one may change
    that line, too.
    """
    edits = join_edits(edits, text)
    if edits:
        edits = join_edits([*edits[:-1], _with_last_line(edits[-1], text)], text)
    if edits:  # which may be one by now, where the file has one line
        edits[0] = _keeping_bom(edits[0], text)
    return join_edits(edits, text)


def _keeping_bom(edit: Edit, text: Text) -> Edit:
    """Leave a byte-order mark in front of the file, if `edit` begins it (D44)."""
    if not edit.keep_bom or edit.start or not _has_bom(text):
        return edit
    lines = [line.removeprefix(BYTE_ORDER_MARK) for line in edit.lines]
    stop, newline = edit.stop, edit.newline
    if (not stop or not lines) and stop < len(text.lines):
        lines.append(text.lines[stop].removeprefix(BYTE_ORDER_MARK))
        newline = text.has_newline(stop)
        stop += 1
    if lines:
        lines[0] = BYTE_ORDER_MARK + lines[0]
    return edit._replace(stop=stop, lines=tuple(lines), newline=newline)


def _ending(text: Text, position: int, stop: int) -> bytes:
    r"""Return the `\r` of the line that an added one replaces, else of its neighbours."""
    if text.crlf:
        return b"\r"
    near = position if position < stop else stop - 1
    for neighbour in (near, near + 1):
        if 0 <= neighbour < len(text.lines):
            return b"\r" if text.lines[neighbour].endswith(b"\r") else b""
    return b""


def _with_last_line(edit: Edit, text: Text) -> Edit:
    """Let an edit that appends to a last line without a newline change that line, too."""
    end = len(text.lines)
    if edit.start < end or not end or text.final_newline or not edit.lines:
        return edit
    last = without_cr(text.lines[-1]) + edit.ending if edit.ending else text.lines[-1]
    return edit._replace(start=end - 1, stop=end, lines=(last, *edit.lines))


def trim_unchanged(edit: Edit, text: Text) -> Edit | None:
    """Cut from `edit` the lines that it removes and adds again; None if nothing is left."""
    first, last = 0, len(edit.lines)
    start, stop = edit.start, edit.stop
    while start < stop and first < last and _is_same(text, start, edit, first):
        start, first = start + 1, first + 1
    while start < stop and first < last and _is_same(text, stop - 1, edit, last - 1):
        stop, last = stop - 1, last - 1
    if start == stop and first == last:
        return None
    if last - first == len(edit.lines):
        return edit
    return edit._replace(
        start=start,
        stop=stop,
        lines=edit.lines[first:last],
        newline=edit.newline or stop < edit.stop,
    )


def _is_same(text: Text, position: int, edit: Edit, index: int) -> bool:
    """Return whether the text's line at `position` is the edit's line `index`, newline included."""
    ends_file = edit.stop == len(text.lines) and index == len(edit.lines) - 1
    newline = edit.newline if ends_file else True
    return text.lines[position] == edit.lines[index] and text.has_newline(position) == newline


def join_edits(edits: Sequence[Edit], text: Text) -> list[Edit]:
    """Trim `edits`, which are in order, and join those that touch: each change is shown once."""
    joined: list[Edit] = []
    for edit in edits:
        if joined and edit.start <= joined[-1].stop:
            before = joined.pop()
            edit = edit._replace(
                start=before.start,
                lines=before.lines + edit.lines,
                ending=before.ending or edit.ending,
                keep_bom=before.keep_bom and edit.keep_bom,
            )
        if trimmed := trim_unchanged(edit, text):
            joined.append(trimmed)
    return joined


def apply_edits(text: Text, edits: Sequence[Edit]) -> Text:
    """Edit `text`. `edits` are in order.

    Raises `OpatchError` if they overlap.
    """
    lines: list[bytes] = []
    done = 0
    for edit in edits:
        if edit.start < done:
            raise OpatchError("two hunks change the same lines; send them as one")
        lines += text.lines[done : edit.start]
        lines += edit.lines
        done = edit.stop
    lines += text.lines[done:]
    return Text.from_lines(lines, _final_newline(text, edits))


def _final_newline(text: Text, edits: Sequence[Edit]) -> bool:
    if not edits or edits[-1].stop < len(text.lines):
        return text.final_newline
    return edits[-1].newline


def compose(first: Sequence[Edit], second: Sequence[Edit], base: Text, after: Text) -> list[Edit]:
    """Return the edits of `base` that do what `first` does and then `second`.

    `after` is the result. Each line's origin in `base` is kept, so that one diff results. The cost
    is that of the edits, whatever the size of the file.
    """
    if not second:
        return list(first)
    written = list(written_lines(first))
    low = bisect_left(written, second[0].start, key=lambda rows: rows.stop)
    high = bisect_right(written, second[-1].stop, key=lambda rows: rows.start)
    low, high = max(low - 1, 0), min(high + 1, len(first))  # what is beyond stays as it is
    done = first[low - 1].stop if low else 0
    offset = written[low - 1].stop if low else 0
    stop = first[high].start if high < len(first) else len(base.lines)
    pieces = list(_pieces(first[low:high], range(done, stop)))
    for edit in reversed(second):
        above, below = _cut(pieces, 0, edit.start - offset), _cut(pieces, edit.stop - offset)
        pieces = [*above, _Piece(None, edit.lines), *below]
    edits: list[Edit] = []
    added: tuple[bytes, ...] = ()
    for piece in [*pieces, _Piece(range(stop, stop + 1))]:
        if piece.kept is None:
            added += piece.lines
            continue
        if piece.kept.start > done or added:
            newline = after.final_newline or piece.kept.start < len(base.lines)
            edits.append(Edit(done, piece.kept.start, added, newline))
        done, added = piece.kept.stop, ()
    return [*first[:low], *join_edits(edits, base), *first[high:]]


class _Piece(NamedTuple):
    """Lines of the base that are kept, or else new `lines`."""

    kept: range | None
    lines: tuple[bytes, ...] = ()

    @property
    def size(self) -> int:
        return len(self.lines) if self.kept is None else len(self.kept)

    def part(self, start: int, stop: int) -> _Piece:
        if self.kept is None:
            return _Piece(None, self.lines[start:stop])
        return _Piece(self.kept[start:stop])


def _pieces(edits: Sequence[Edit], rows: range) -> Iterator[_Piece]:
    done = rows.start
    for edit in edits:
        yield _Piece(range(done, edit.start))
        yield _Piece(None, edit.lines)
        done = edit.stop
    yield _Piece(range(done, rows.stop))


def _cut(pieces: Sequence[_Piece], start: int, stop: int | None = None) -> Iterator[_Piece]:
    """Yield the part of `pieces` from line `start` to line `stop`."""
    offset = 0
    for piece in pieces:
        first = max(start - offset, 0)
        last = piece.size if stop is None else min(stop - offset, piece.size)
        if first < last:
            yield piece.part(first, last)
        offset += piece.size
