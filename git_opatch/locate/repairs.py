"""What no normal form can say: lines cut off in front, context past the end, doubled marks, fuzz.

Each is tried only after all tiers have failed with the whole hunk. What is loose must be
carried by what is not: every repair asks for lines that match in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from git_opatch.locate.view import View
from git_opatch.patch import Hunk, Line, Mark, context_around
from git_opatch.text import indentation, opens

_LONG = 10
"""From so many characters on, the end of a line tells which line it is."""

_MOST_OVERHANG = 3
_MOST_TRIED = 1000


def cut_in_front(hunk: Hunk, view: View) -> list[int]:
    """Where `hunk` stands if its long context lines may lack their beginning, in `view.solid`.

    Rule: "Suffix Matching" of the FILE_PATCH strategy, narrowed by the project's decisions:
    what is missing holds a letter or a digit, and some line matches in full.
    """
    pattern = [(key, _may_be_cut(line, key)) for line in hunk.preimage if (key := view.key(line))]
    there, keys = view.solid_keys, [key for key, _ in pattern]
    last = len(there) - len(keys)
    starts = [start for start in _starts(pattern, view) if 0 <= start <= last]
    for at, (key, loose) in enumerate(pattern):  # line by line, since few are left by the first
        starts = [
            start
            for start in starts
            if there[start + at] == key or (loose and _ends(there[start + at], key))
        ]
    return [start for start in starts if there[start : start + len(keys)] != keys]


def _starts(pattern: list[tuple[bytes, bool]], view: View) -> Iterable[int]:
    """Where the pattern can begin, since one of its lines stands in full; none if too many."""
    found = [(view.seeker.positions(key), at) for at, (key, _) in enumerate(pattern)]
    firm = [found[at] for at, (_, loose) in enumerate(pattern) if not loose]
    tried = [min(firm, key=lambda one: len(one[0]))] if firm else found
    if sum(len(positions) for positions, _ in tried) > _MOST_TRIED:
        return ()
    return sorted({position - at for positions, at in tried for position in positions})


def _may_be_cut(line: Line, key: bytes) -> bool:
    return line.mark is Mark.CONTEXT and bool(key) and _is_long(line.text)


def _is_long(line: bytes) -> bool:
    return len(line.strip().decode("utf-8", "replace")) >= _LONG


def _ends(whole: bytes, end: bytes) -> bool:
    """Whether `whole` is `end` with something that holds a letter or a digit before it."""
    if not whole.endswith(end):
        return False
    return any(map(str.isalnum, whole[: -len(end)].decode("utf-8", "replace")))


def without_overhang(hunk: Hunk, view: View, file: Sequence[bytes]) -> Hunk | None:
    """`hunk` without the context lines that lie past the end of the file, if that places it.

    Rule: "EOF Overhang" of the FILE_PATCH strategy, narrowed by the project's decisions: three
    lines at most, no long one that stands elsewhere, none that is removed right before it, none
    that an added line before it asks for and that lost its mark, and two lines left, of which one
    is long or which stand as they are written (`end` and `end` of another depth carry nothing, nor
    do `}` and `}` alone), or the whole file, whose lines are `file`.
    """
    lines = list(hunk.lines)
    for _ in range(_MOST_OVERHANG):
        while lines and lines[-1].mark is Mark.CONTEXT and not view.key(lines[-1]):
            lines.pop()
        if not lines or lines[-1].mark is not Mark.CONTEXT:
            return None
        last = lines.pop()
        key = view.key(last)
        if lines and _goes_on(lines[-1], last):
            return None
        if _is_long(last.text) and view.seeker.positions(key):
            return None
        left = [line for line in lines if line.mark is not Mark.ADDED and view.key(line)]
        keys = [view.key(line) for line in left]
        if left and left[-1].mark is Mark.REMOVED and keys[-1] == key:
            return None
        there = [file[at] for at in view.solid[-len(left) :]] if left else []
        carried = _carries(left, there) or 0 < len(left) == len(view.solid)
        if carried and view.solid_keys[-len(keys) :] == keys:
            return replace(hunk, lines=tuple(lines))
    return None


def _goes_on(line: Line, after: Line) -> bool:
    """Whether an added line cannot be the last one: what comes after it has no mark, or is deeper,
    or is opened or joined by its end."""
    deeper = len(indentation(after.text)) > len(indentation(line.text))
    return line.mark is Mark.ADDED and (deeper or opens(line.text) or not after.marked)


def _carries(left: list[Line], there: list[bytes]) -> bool:
    """Whether two lines and more, which stand as `there`, can carry an overhang."""
    texts = [line.text for line in left]
    says = any(map(str.isalnum, b"".join(texts).decode("utf-8", "replace")))
    return len(left) >= 2 and ((says and texts == there) or any(map(_is_long, texts)))


def with_single_marks(hunk: Hunk) -> Hunk | None:
    """`hunk` with one mark taken off every removed and added line; None if any has but one.

    Without a removed line the two readings stand in the same places, and the literal one holds.
    """
    changed = [line for line in hunk.lines if line.mark is not Mark.CONTEXT]
    doubled = all(line.text.startswith(line.mark.value.encode()) for line in changed)
    if not doubled or all(line.mark is Mark.ADDED for line in changed):
        return None
    lines = (
        line if line.mark is Mark.CONTEXT else line._replace(text=line.text[1:])
        for line in hunk.lines
    )
    return replace(hunk, lines=tuple(lines))


def with_fuzz(hunk: Hunk, fuzz: int) -> Hunk | None:
    """`hunk` without its `fuzz` outermost context lines a side, as patch(1) does.

    None if that leaves out nothing, or leaves nothing to find.
    """
    before, after = context_around(hunk.lines)
    first, last = min(fuzz, before), len(hunk.lines) - min(fuzz, after)
    cut = replace(hunk, lines=hunk.lines[first:last])
    found = any(line.text.strip() for line in cut.preimage)
    return cut if found and cut.lines != hunk.lines else None
