"""Blank lines that one side lacks: a hunk found by its other lines gets those of the file.

Rules: "Blank Line Alignment" of the FILE_PATCH strategy; "Blank context line that the file
lacks" and "Blank line of the file that the patch left out" in the project's decisions. A blank
context line too many is a separator at the ends of the hunk and is dropped; inside it becomes
an addition. One too few is kept as the file has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from git_opatch.locate.haystack import Haystack
from git_opatch.locate.view import View
from git_opatch.patch import Hunk, Line, Mark


class Fit(NamedTuple):
    """A hunk as the file has it, at `start`.

    `misfits` counts the blank lines that don't fit: inside, in front, at the end. `doubt` is
    the position of a blank line of the file beside an addition where the hunk has another number
    of them, so that nothing tells on which side the addition belongs; None if there is none.
    """

    hunk: Hunk
    start: int
    misfits: tuple[int, int, int] = (0, 0, 0)
    omitted: int = 0
    doubt: int | None = None


def fit(hunk: Hunk, rows: Sequence[int], view: View) -> Fit | None:
    """`hunk`, whose lines that are not blank stand at `rows`, with the file's blank lines.

    None if a blank line that it removes is not there.
    """
    lines: list[Line] = []
    misfits = [0, 0, 0]
    omitted, doubt, start = 0, None, rows[0]
    gaps = list(_gaps(hunk.lines, view))
    for number, gap in enumerate(gaps):
        blanks = sum(_is_blank(line) for line in gap.lines)
        if number == 0:
            there = min(view.blanks_before(rows[0]), blanks)
            start -= there
        elif number == len(rows):
            there = min(view.blanks_after(rows[-1]), blanks)
        else:
            there = rows[number] - rows[number - 1] - 1
        end = {0: 1, len(rows): 2}.get(number, 0)
        misfits[end] += abs(blanks - there)
        if end and 0 < there < blanks and doubt is None and _surround_addition(gap.lines):
            doubt = max(start, 0) if end == 1 else rows[-1] + 1
        if there > blanks:
            omitted += there - blanks
            if gap.adds and doubt is None:
                doubt = rows[number - 1] + 1
            lines += [*gap.lines, *[Line(Mark.CONTEXT, b"")] * (there - blanks)]
        else:
            mended = _without(gap.lines, blanks - there, end)
            if mended is None:
                return None
            lines += mended
        if gap.stop is not None:
            lines.append(gap.stop)
    inside, front, behind = misfits
    return Fit(replace(hunk, lines=tuple(lines)), start, (inside, front, behind), omitted, doubt)


def _surround_addition(lines: Sequence[Line]) -> bool:
    """Whether blank lines that must stand in the file are on both sides of an added one."""
    blanks = [at for at, line in enumerate(lines) if _is_blank(line)]
    return any(line.mark is Mark.ADDED for line in lines[blanks[0] : blanks[-1]])


@dataclass(slots=True, eq=False)
class _Gap:
    """The lines of a hunk between two that must stand in the file and are not blank.

    `stop` is the latter of the two; `adds` is whether what is omitted here touches an addition.
    """

    lines: list[Line]
    stop: Line | None = None
    adds: bool = False


def _gaps(lines: Sequence[Line], view: View) -> Iterator[_Gap]:
    gap, last = _Gap([]), Mark.CONTEXT
    for at, line in enumerate(lines):
        if line.mark is Mark.ADDED or not view.key(line):
            gap.lines.append(line)
            gap.adds = gap.adds or line.mark is Mark.ADDED
            continue
        if last is line.mark is Mark.REMOVED:
            gap.adds = gap.adds or _run_adds(lines, at)
        gap.stop, last = line, line.mark
        yield gap
        gap = _Gap([])
    yield gap


def _run_adds(lines: Sequence[Line], at: int) -> bool:
    """Whether the run of changes that the line at `at` belongs to adds a line."""
    first = last = at
    while first and lines[first - 1].mark is not Mark.CONTEXT:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].mark is not Mark.CONTEXT:
        last += 1
    return any(line.mark is Mark.ADDED for line in lines[first : last + 1])


def _without(lines: Sequence[Line], surplus: int, end: int) -> list[Line] | None:
    """`lines` of a gap with `surplus` blank context lines dropped, or added where inside.

    The outermost ones go first. None if there are not so many, or if blank lines are removed
    there as well: what is added could be what is removed.
    """
    if surplus and any(line.mark is Mark.REMOVED for line in lines):
        return None
    mended: list[Line | None] = list(lines)
    inside = end == 0
    for at in range(len(lines)) if end == 1 else reversed(range(len(lines))):
        if not surplus:
            break
        if lines[at].mark is not Mark.CONTEXT:
            inside = True
            continue
        mended[at] = lines[at]._replace(mark=Mark.ADDED) if inside else None
        surplus -= 1
    return None if surplus else [line for line in mended if line is not None]


def _is_blank(line: Line) -> bool:
    """For a line of a gap: whether it must stand in the file."""
    return line.mark is not Mark.ADDED


_MOST_BLANKS = 3


def shapes(hunk: Hunk, haystack: Haystack) -> Iterator[Hunk]:
    """The hunk, then without the empty context lines at its end: one, two, three, all.

    Rule: OpenCode's line matching, "Phase 3". A hunk whose only context is blank is at
    last taken as an addition, where the file has no blank line that it could mean.
    """
    lines, blanks = hunk.lines, 0
    yield hunk
    while blanks < len(lines) and _is_blank_context(lines[len(lines) - 1 - blanks]):
        blanks += 1
    for count in sorted({*range(1, min(blanks, _MOST_BLANKS) + 1), blanks} - {0, len(lines)}):
        yield replace(hunk, lines=lines[: len(lines) - count])
    lines = lines[: len(lines) - blanks]
    blank = [line for line in lines if line.mark is not Mark.ADDED]
    if blank and all(map(_is_blank_context, blank)) and not haystack.has_blank_line:
        yield replace(hunk, lines=tuple(line for line in lines if line.mark is Mark.ADDED))


def _is_blank_context(line: Line) -> bool:
    return line.mark is Mark.CONTEXT and not line.text.strip(b"\r")
