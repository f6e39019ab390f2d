r"""A placed hunk to edits of the file's lines: the endings and the last newline decided.

Context and removed lines are never written: an edit holds added lines alone, and the
file's bytes stay round it. Rules: "Line endings" and "Newline at the end of a file" in
the project's decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from git_opatch.complete.indent import AS_WRITTEN, Follow
from git_opatch.errors import OpatchError
from git_opatch.outcome import Placement
from git_opatch.patch import Hunk, Line, Mark
from git_opatch.text import BYTE_ORDER_MARK, Text, without_cr


class Edit(NamedTuple):
    """The lines from `start` to `stop` of a text become `lines`.

    `newline` is whether the last of `lines` is ended by one, should it end the file.
    """

    start: int
    stop: int
    lines: tuple[bytes, ...]
    newline: bool = True
    ending: bytes = b""
    r"""The `\r` that the file's last line gets, should lines be appended to it."""
    keeps_mark: bool = True
    """Whether a byte-order mark stays in front of the file; not if the hunk itself names it."""


def edits_of(placement: Placement, text: Text, follow: Follow = AS_WRITTEN) -> Iterator[Edit]:
    """The edits that `placement` asks for in `text`, in order, none of them empty.

    `follow` says how its added lines are indented.
    """
    at = placement.start
    run: list[Line] = []
    lines = placement.hunk.lines
    for line in (*(lines if follow is AS_WRITTEN else follow.lines(lines)), None):
        if line is not None and line.mark is not Mark.CONTEXT:
            run.append(line)
            continue
        if run:
            removed = sum(one.mark is Mark.REMOVED for one in run)
            added = [one for one in run if one.mark is Mark.ADDED]
            edit = _edit(placement, text, at, at + removed, added)
            if edit is not None:
                yield edit
            at, run = at + removed, []
        at += 1


def _edit(
    placement: Placement, text: Text, start: int, stop: int, added: Sequence[Line]
) -> Edit | None:
    newline = not added or added[-1].newline
    if placement.keeps_endings:
        lines = [line.text for line in added]
    else:
        lines = [
            without_cr(line.text) + (_ending(text, start + at, stop) if line.newline else b"")
            for at, line in enumerate(added)
        ]
    ending = b"\r" if text.crlf and not placement.keeps_endings else b""
    keeps_mark = placement.keeps_mark and not (_has_mark(text) and _names_mark(placement.hunk))
    return trimmed(Edit(start, stop, tuple(lines), newline, ending, keeps_mark), text)


def _has_mark(text: Text) -> bool:
    return bool(text.lines) and text.lines[0].startswith(BYTE_ORDER_MARK)


def _names_mark(hunk: Hunk) -> bool:
    return any(line.text.startswith(BYTE_ORDER_MARK) for line in hunk.lines)


def at_the_ends(edits: Sequence[Edit], text: Text) -> list[Edit]:
    """`edits`, which are joined, with what they do to the first and the last line of the file.

    Asked of all together: an edit at an end also rewrites the line there, which another one may
    change.
    """
    if not edits:
        return []
    found = joined([*edits[:-1], _with_last_line(edits[-1], text)], text)
    if found:  # which may be one by now, where the file has one line
        found[0] = _with_byte_order_mark(found[0], text)
    return joined([one for edit in found if (one := trimmed(edit, text))], text)


def _with_byte_order_mark(edit: Edit, text: Text) -> Edit:
    """An edit that begins the file leaves a byte-order mark where it was: in front."""
    if not edit.keeps_mark or edit.start or not _has_mark(text):
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


def _ending(text: Text, at: int, stop: int) -> bytes:
    r"""The `\r` of the line that an added one replaces, else of its neighbours."""
    if text.crlf:
        return b"\r"
    near = at if at < stop else stop - 1
    for line in (near, near + 1):
        if 0 <= line < len(text.lines):
            return b"\r" if text.lines[line].endswith(b"\r") else b""
    return b""


def _with_last_line(edit: Edit, text: Text) -> Edit:
    """An edit that appends to a last line without a newline changes that line, too."""
    end = len(text.lines)
    if edit.start < end or not end or text.final_newline or not edit.lines:
        return edit
    last = without_cr(text.lines[-1]) + edit.ending if edit.ending else text.lines[-1]
    return edit._replace(start=end - 1, stop=end, lines=(last, *edit.lines))


def trimmed(edit: Edit, text: Text) -> Edit | None:
    """`edit` without what it takes away and puts back; None if nothing is left."""
    first, last = 0, len(edit.lines)
    start, stop = edit.start, edit.stop
    while start < stop and first < last and _same(text, start, edit, first):
        start, first = start + 1, first + 1
    while start < stop and first < last and _same(text, stop - 1, edit, last - 1):
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


def _same(text: Text, at: int, edit: Edit, index: int) -> bool:
    """Whether the text's line `at` is the edit's line `index`, its newline included."""
    ends_file = edit.stop == len(text.lines) and index == len(edit.lines) - 1
    newline = edit.newline if ends_file else True
    return text.lines[at] == edit.lines[index] and text.has_newline(at) == newline


def joined(edits: Sequence[Edit], text: Text) -> list[Edit]:
    """`edits`, which are in order, with those that touch made one: each change is told once."""
    found: list[Edit] = []
    for edit in edits:
        if not found or edit.start > found[-1].stop:
            found.append(edit)
            continue
        before = found.pop()
        both = edit._replace(
            start=before.start,
            lines=before.lines + edit.lines,
            ending=before.ending or edit.ending,
            keeps_mark=before.keeps_mark and edit.keeps_mark,
        )
        one = trimmed(both, text)
        found += [one] if one else []
    return found


def apply_edits(text: Text, edits: Sequence[Edit]) -> Text:
    """`text` with `edits`, which are in order and do not overlap."""
    lines: list[bytes] = []
    at = 0
    for edit in edits:
        if edit.start < at:
            raise OpatchError("two hunks change the same lines; send them as one")
        lines += text.lines[at : edit.start]
        lines += edit.lines
        at = edit.stop
    lines += text.lines[at:]
    return Text.from_lines(lines, _final_newline(text, edits))


def _final_newline(text: Text, edits: Sequence[Edit]) -> bool:
    if not edits or edits[-1].stop < len(text.lines):
        return text.final_newline
    return edits[-1].newline


def compose(first: Sequence[Edit], second: Sequence[Edit], base: Text, after: Text) -> list[Edit]:
    """The edits of `base` that do what `first` does and then `second`; `after` is the outcome.

    Each line's origin in `base` is carried through, so that one diff results. The cost is
    that of the edits, whatever the size of the file.
    """
    pieces = list(_pieces(first, len(base.lines)))
    for edit in reversed(second):
        pieces = [*_cut(pieces, 0, edit.start), _Piece(None, edit.lines), *_cut(pieces, edit.stop)]
    edits: list[Edit] = []
    at = 0
    added: tuple[bytes, ...] = ()
    for piece in [*pieces, _Piece(range(len(base.lines), len(base.lines) + 1))]:
        if piece.kept is None:
            added += piece.lines
            continue
        if piece.kept.start > at or added:
            newline = after.final_newline or piece.kept.start < len(base.lines)
            edits.append(Edit(at, piece.kept.start, added, newline))
        at, added = piece.kept.stop, ()
    return joined([one for edit in edits if (one := trimmed(edit, base))], base)


class _Piece(NamedTuple):
    """Lines of the base that are kept, or others."""

    kept: range | None
    lines: tuple[bytes, ...] = ()

    @property
    def size(self) -> int:
        return len(self.lines) if self.kept is None else len(self.kept)

    def part(self, start: int, stop: int) -> _Piece:
        if self.kept is None:
            return _Piece(None, self.lines[start:stop])
        return _Piece(self.kept[start:stop])


def _pieces(edits: Sequence[Edit], size: int) -> Iterator[_Piece]:
    at = 0
    for edit in edits:
        yield _Piece(range(at, edit.start))
        yield _Piece(None, edit.lines)
        at = edit.stop
    yield _Piece(range(at, size))


def _cut(pieces: Sequence[_Piece], start: int, stop: int | None = None) -> Iterator[_Piece]:
    """The part of `pieces` from line `start` to line `stop`."""
    at = 0
    for piece in pieces:
        first, last = max(start - at, 0), piece.size if stop is None else min(stop - at, piece.size)
        if first < last:
            yield piece.part(first, last)
        at += piece.size
