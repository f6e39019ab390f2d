"""Align the blank lines of a hunk with those of the file, once its other lines are found.

A blank context line that the file does not have (D24) is dropped, but beside an added line, where
it becomes one. A blank line that the patch omits (D25) is kept as the file has it:

    hunk       file       aligned
     a         a           a
     (blank)   b           b          dropped: the file does not have it
     b         (blank)     (blank)    kept: the patch omits it
     c         c           c
    +d                    +d
     (blank)              +(blank)    added, as the line above it
     e         e           e
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from git_opatch.locate.normal_lines import NormalizedLines
from git_opatch.model.patch import Hunk, Line, Prefix


class Alignment(NamedTuple):
    """A hunk with the file's blank lines, at the position `start`.

    `surplus` counts the blank lines that the file does not have, `omitted` those of the file that
    the patch omits. `ambiguous_at` is the position of a blank line beside an added line where the
    hunk has another number of them, so that it matters where the blank line is; `beside` is that of
    one that is beside an added block alone: the block stays next to the line above it. None if
    there is none.
    """

    hunk: Hunk
    start: int
    surplus: int = 0
    omitted: int = 0
    ambiguous_at: int | None = None
    beside: int | None = None


class _Where(Enum):
    """Where in the hunk a run is."""

    INSIDE = "inside"
    FRONT = "in front"
    END = "at the end"


@dataclass(slots=True, eq=False)
class _BlankRun:
    """The lines of a hunk between two that are in the file and not blank.

    `above` is the former of the two and `stop` the latter; `removed` counts the removed lines that
    end with the former. `adds` is whether an omitted blank line here would be beside an added line.
    """

    lines: list[Line]
    above: Line | None = None
    stop: Line | None = None
    adds: bool = False
    removed: int = 0

    @property
    def blanks(self) -> int:
        """How many blank lines of the hunk must be in the file."""
        return sum(map(_must_match, self.lines))

    def is_ambiguous(self, in_file: int) -> bool:
        """Return whether it matters which of the file's `in_file` blank lines here are left out.

        It does not for an added line that replaces the one above, nor for added blank lines,
        unless these may be the file's.
        """
        added = [line for line in self.lines if line.prefix is Prefix.ADDED]
        if any(line.prefix is Prefix.REMOVED for line in self.lines):
            return True
        if not self.adds:
            return False
        if all(not line.text.strip() for line in added):
            return len(added) in (0, in_file - self.blanks)
        return not self.replaces_above

    @property
    def is_layout(self) -> bool:
        """Whether the only question is on which side of an added block the blank line is: the line
        below it stays, and it does not begin with the one that it replaces."""
        added = [line.text for line in self.lines if line.prefix is Prefix.ADDED]
        stays = self.stop is not None and self.stop.prefix is Prefix.CONTEXT
        removes = any(line.prefix is Prefix.REMOVED for line in self.lines)
        is_same = self.above is not None and self.removed > 0 and self.above.text in added
        return any(map(bytes.strip, added)) and stays and not removes and not is_same

    @property
    def brings_own(self) -> bool:
        """Whether the added block begins at once, and ends with a blank line of its own."""
        added = [line for line in self.lines if line.prefix is Prefix.ADDED]
        return self.lines[:1] == added[:1] and bool(added) and not added[-1].text.strip()

    @property
    def replaces_above(self) -> bool:
        """Whether the only added line here is in place of the only removed one above.

        The same line in place of itself is no change, so it may be meant to move over the blank.
        """
        added = [line for line in self.lines if line.prefix is Prefix.ADDED]
        kept = self.stop is not None and self.stop.prefix is Prefix.CONTEXT
        if not (kept and len(added) == self.removed == 1 and self.lines[:1] == added):
            return False
        return self.above is not None and self.above.text != added[0].text

    @property
    def added_between_blanks(self) -> bool:
        """Whether an added line has blank lines that must be in the file on both sides."""
        blanks = [index for index, line in enumerate(self.lines) if _must_match(line)]
        between = self.lines[blanks[0] : blanks[-1]]
        return any(line.prefix is Prefix.ADDED for line in between)


def align(hunk: Hunk, rows: Sequence[int], view: NormalizedLines) -> Alignment | None:
    """Align `hunk`, whose lines that are not blank were found at `rows`, with the file.

    None if the hunk removes a blank line that is not there.
    """
    lines: list[Line] = []
    surplus = omitted = 0
    ambiguous_at, beside, start = None, None, rows[0]
    for number, run in enumerate(_blank_runs(hunk.lines, view)):
        where = {0: _Where.FRONT, len(rows): _Where.END}.get(number, _Where.INSIDE)
        blanks, in_file = run.blanks, _count_in_file(number, run, rows, view)
        if where is _Where.FRONT:
            start -= in_file
        if in_file > blanks:
            omitted += in_file - blanks
            is_ambiguous = run.is_ambiguous(in_file)
            at, is_layout = rows[number - 1] + 1, is_ambiguous and run.is_layout
            if is_layout:
                beside = at if beside is None else beside
            elif is_ambiguous and ambiguous_at is None:
                ambiguous_at = at
            left_out = [Line(Prefix.CONTEXT, b"")] * (in_file - blanks)
            above = is_layout and run.brings_own
            lines += [*left_out, *run.lines] if above else [*run.lines, *left_out]
        else:
            surplus += blanks - in_file
            at_end = where is not _Where.INSIDE
            if at_end and 0 < in_file < blanks and run.added_between_blanks:
                edge = max(start, 0) if where is _Where.FRONT else rows[-1] + 1
                ambiguous_at = edge if ambiguous_at is None else ambiguous_at
            repaired = _without_surplus(run.lines, blanks - in_file, where)
            if repaired is None:
                return None
            lines += repaired
        if run.stop is not None:
            lines.append(run.stop)
    located = replace(hunk, lines=tuple(lines))
    return Alignment(located, start, surplus, omitted, ambiguous_at, beside)


def _count_in_file(number: int, run: _BlankRun, rows: Sequence[int], view: NormalizedLines) -> int:
    """Count the file's blank lines in a run; at the ends of the hunk, no more than it shows."""
    if number == 0:
        return min(view.blanks_before(rows[0]), run.blanks)
    if number == len(rows):
        return min(view.blanks_after(rows[-1]), run.blanks)
    return rows[number] - rows[number - 1] - 1


def _blank_runs(lines: Sequence[Line], view: NormalizedLines) -> Iterator[_BlankRun]:
    run, before, removed = _BlankRun([]), Prefix.CONTEXT, 0
    for index, line in enumerate(lines):
        if line.prefix is Prefix.ADDED or not view.key(line):
            run.lines.append(line)
            run.adds = run.adds or line.prefix is Prefix.ADDED
            continue
        if before is line.prefix is Prefix.REMOVED:
            run.adds = run.adds or _run_adds(lines, index)
        run.stop, before = line, line.prefix
        yield run
        removed = removed + 1 if line.prefix is Prefix.REMOVED else 0
        run = _BlankRun([], above=line, removed=removed)
    yield run


def _run_adds(lines: Sequence[Line], index: int) -> bool:
    """Return whether the run of changes around the line at `index` adds a line."""
    first = last = index
    while first and lines[first - 1].prefix is not Prefix.CONTEXT:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].prefix is not Prefix.CONTEXT:
        last += 1
    return any(line.prefix is Prefix.ADDED for line in lines[first : last + 1])


def _without_surplus(lines: Sequence[Line], surplus: int, where: _Where) -> list[Line] | None:
    """Drop `surplus` blank context lines of a run, the outermost first; beside added ones, add
    them.

    None if there are not so many, or if blank lines are removed there as well: what is added
    could be what is removed.
    """
    if surplus and any(line.prefix is Prefix.REMOVED for line in lines):
        return None
    repaired: list[Line | None] = list(lines)
    inside = where is _Where.INSIDE and any(line.prefix is Prefix.ADDED for line in lines)
    indexes = range(len(lines))
    for index in indexes if where is _Where.FRONT else reversed(indexes):
        if not surplus:
            break
        if lines[index].prefix is not Prefix.CONTEXT:
            inside = True
            continue
        repaired[index] = lines[index]._replace(prefix=Prefix.ADDED) if inside else None
        surplus -= 1
    return None if surplus else [line for line in repaired if line is not None]


def _must_match(line: Line) -> bool:
    """Return whether a line of a run must be in the file."""
    return line.prefix is not Prefix.ADDED


def without_last_blanks(hunk: Hunk) -> Hunk:
    """Return `hunk` without the blank context lines at its end; above an added line, they are
    added."""
    solid = [at for at, line in enumerate(hunk.lines) if _must_match(line) and line.text.strip()]
    end = solid[-1] + 1 if solid else len(hunk.lines)
    surplus = sum(map(_must_match, hunk.lines[end:]))
    last = _without_surplus(hunk.lines[end:], surplus, _Where.END) if surplus else None
    return hunk if last is None else replace(hunk, lines=(*hunk.lines[:end], *last))
