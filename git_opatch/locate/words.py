"""What a refusal shows: the hunk laid over what is meant, and what would tell places apart.

It must not decide anything: it is for the one who corrects the patch.

What the anchor, the heading or the lines name comes before what is only alike. Where fewer than
half of the lines are there, no look-alike is drawn: what is named, or defined, and where single
lines are.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from git_opatch.locate.closest import closest_of, likeness
from git_opatch.locate.difference import squeezed
from git_opatch.locate.file import File
from git_opatch.locate.gaps import stands_for_lines
from git_opatch.locate.heads import claims_definition, is_definition, names_in, rows_with
from git_opatch.locate.painter import (
    BLOCK,
    Painter,
    candidates,
    definition_of,
    enclosing,
    tell_apart,
)
from git_opatch.locate.reading import ADDED, CONTEXT, REMOVED, Sought, is_blank
from git_opatch.model.failure import OF_ANCHORS, Failure, Problem, failure_of, name_range
from git_opatch.model.json_text import string_line_of
from git_opatch.model.limits import MANY, NEAR, QUOTED, SHOWN
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.picture import WORD, Mark, Picture, Row, Shows, Suggestion
from git_opatch.model.sentences import Detail, Fault, Hint
from git_opatch.model.text import visible

_BELOW, _ALIKE = 6, 0.6
_CARETS = re.compile(rb"\s*\^[\^\s~]*")
_NO_ACCIDENT = 2
"""So many added lines with words, in a row, that the file has are no accident."""
_FAR = 3
"""Lines of a hunk that are so far apart in the file are not together."""


# ---------------------------------------------------------------- nowhere


def explain(sought: Sought, file: File, matching: Matching) -> Failure:
    """Refuse a hunk that is nowhere: show what it most likely means, and where its lines are."""
    hunk = sought.hunk
    lost = _Lost(hunk, file, loosely=matching.tier is not Tier.STRICT)
    few, total = len(lost.nowhere), lost.total
    problem = Problem(Fault.NOTHING_FOUND if few == total else Fault.NOT_FOUND)
    if few < total and lost.is_weak:
        problem = Problem.of(Fault.HARDLY_FOUND, few=few, total=total)
    names = (each for each in hunk.anchors if claims_definition(each.text) and names_in(each.text))
    absent = [each.text.strip() for each in names if not file.heads.named(each)]
    said = [*oddities(hunk, file), *(Detail.NAMED_NOWHERE.fill(name=each) for each in absent)]
    failure = failure_of(hunk, problem, pictures=tuple(lost.pictures()), said=tuple(said))
    return _with_hint(failure, hunk, lost.nowhere, file, matching)


class _Lost:
    """A hunk that is not found, where it fits best, and how much of it is there."""

    def __init__(self, hunk: Hunk, file: File, *, loosely: bool) -> None:
        self.hunk, self.file, self.closest = hunk, file, closest_of(file)
        self.painter = Painter(file, loosely=loosely)
        named = (file.heads.named(anchor) for anchor in reversed(hunk.anchors))
        self.named = next((rows for rows in named if 0 < len(rows) <= SHOWN), [])
        scopes = file.heads.scopes(hunk.anchors) if self.named else ()
        self.scopes = [range(row, stop) for row, stop in scopes]
        self.pairs = self.closest.pairs(hunk, self.scopes)
        self.laid = self.painter.laid(hunk, self.pairs)
        solid = [line for line in hunk.preimage if WORD.search(line.text)]
        self.nowhere, self.total = [x for x in solid if not self.closest.rows(x)], len(solid)
        self.there = sum(map(_much, self.laid))
        self.is_weak = not self.pairs or 2 * self.there < self.total

    def pictures(self) -> list[Picture]:
        """Draw it: with each line that is not there, where it is, and what is around that."""
        drawn = [*self._pictures()]
        drawn = [each._replace(rows=tuple(map(self._with_place, each.rows))) for each in drawn]
        return [*drawn, *self._elsewhere(drawn)]

    def _pictures(self) -> Iterator[Picture]:
        """Draw the place that the hunk fits best; if it hardly does, what it names instead."""
        if not self.is_weak:
            is_cut = self.pairs[-1][0] < len(self.hunk.preimage) - 1
            below = _BELOW if is_cut else 2
            closest = self.painter.frame(Detail.CLOSEST.sentence, self.laid, below)
            is_named = any(self.pairs[0][1] in scope for scope in self.scopes)
            yield from () if is_named or not self.named else (self._block(self.named[0]),)
            yield closest
            return
        for at in self.named[:1]:
            yield self._block(at)
        lines = (Row(Mark.IN_PATCH, line=x) for x in self.hunk.preimage if WORD.search(x.text))
        yield Picture(Detail.LINES.sentence, tuple(lines), shows=Shows.LIST)
        if self.named:
            return
        if defined := self._defined():
            yield self._block(defined[0], Detail.DEFINED)
        elif self.closest.definitions:
            start = self.hunk.stated_start
            near = self.pairs[0][1] if self.pairs else start or 0
            defined = self.closest.definitions
            first = max(min(bisect_left(defined, near) - BLOCK // 2, len(defined) - BLOCK), 0)
            outline = self.painter.those(defined[first : first + BLOCK])
            yield Picture(Detail.OUTLINE.sentence, outline, shows=Shows.LIST)

    def _defined(self) -> list[int]:
        """List the definitions of what a line of the hunk, which is nowhere, defines."""
        names = [
            name
            for line in self.nowhere
            if is_definition(line.text)
            for name in names_in(line.text.strip())[:1]
        ]
        rows = (row for name in names for row in self.closest.rare(b" " + name))
        return [row for row in rows if is_definition(self.file.lines[row])]

    def _block(self, at: int, detail: Detail = Detail.NAMED) -> Picture:
        """Draw what begins at a line, with the hunk over it; of a long one what it begins with."""
        block = self.painter.block(at)
        pairs = self.closest.pairs(self.hunk, [block], only=True) if self.is_weak else []
        is_there = any(_much(self.painter.row(self.hunk.preimage[n], row)) for n, row in pairs)
        if not is_there and self.is_weak and not self.there:  # one for one, below what it names
            size = min(len(self.hunk.preimage), len(self.file.lines) - at - 1)
            pairs = [(n, at + 1 + n) for n in range(size)]
            is_there = len(self.hunk.preimage) <= SHOWN
        rows = self.painter.laid(self.hunk, pairs) if is_there else []
        shown = [row.position for row in rows if row.position is not None]
        first, stop = (shown[0], shown[-1] + 1) if shown else (at + 1, at)
        head = self.painter.around(at, min(first, at + 2))
        below = self.painter.around(max(stop, at + len(head)), min(at + BLOCK, block.stop))
        title = detail.fill(name=self.file.lines[at].strip(), line=at + 1)
        return Picture(title, (*head, *rows, *below), shows=Shows.BLOCK)

    def _with_place(self, row: Row) -> Row:
        """Add to a line that only the patch has where the file has it, or one like it."""
        line = row.line if row.mark is Mark.IN_PATCH else None
        if line is None or not WORD.search(line.text):
            return row
        if rows := self.closest.rows(line):
            return row._replace(at=(*rows[: NEAR + 1],))
        like = self.closest.like(line)
        if like is None:
            return row
        text = visible(self.file.lines[like].strip(), 2 * QUOTED)
        return row._replace(note=Detail.LIKE.fill(at=like + 1, text=text))

    def _elsewhere(self, pictures: Sequence[Picture]) -> Iterator[Picture]:
        """Draw the one place, not shown yet, where the file has most lines that are not here."""
        rows = [row for picture in pictures for row in picture.rows]
        shown = {row.position for row in rows}
        once = (row for row in rows if row.mark is Mark.IN_PATCH and len(row.at) == 1)
        lines = {row.at[0]: row.line for row in once if row.at[0] not in shown}
        runs: list[list[int]] = []
        for at in sorted(lines):
            runs += [] if runs and at - runs[-1][-1] <= _FAR else [[]]
            runs[-1].append(at)
        if runs:
            run = max(runs, key=len)
            laid = [self.painter.row(lines.get(at), at) for at in range(run[0], run[-1] + 1)]
            laid = [row if row.line else row._replace(mark=Mark.AROUND) for row in laid]
            yield self.painter.frame(Detail.ELSEWHERE.sentence, laid)


def _much(row: Row) -> float:
    """Return how much of a row both have, from 0 to 1; nothing of a line without a word."""
    if row.line is None or row.text is None or not WORD.search(row.line.text):
        return 0
    if row.mark is Mark.THERE or squeezed(row.line.text) == squeezed(row.text):
        return 1
    much = likeness(row.line.text.strip(), row.text.strip())
    return much if much > _ALIKE else 0


def _with_hint(
    failure: Failure, hunk: Hunk, nowhere: Sequence[Line], file: File, matching: Matching
) -> Failure:
    """Add what the hunk itself tells of why it is not found."""
    first = failure.picture.first if failure.picture else None
    line = first.line if first and first.line else hunk.preimage[0]
    if omitting := next(filter(stands_for_lines, hunk.preimage), None):
        return failure.with_hint(Hint.OMITS, at=omitting.number, line=omitting.text)
    if not line.has_prefix:
        return failure.with_hint(Hint.NO_PREFIX)
    if line.prefix is CONTEXT and any(
        above.prefix is REMOVED and below == line for above, below in pairwise(hunk.lines)
    ):
        return failure.with_hint(Hint.MAY_REPLACE)
    if hunk.unfinished:
        return failure.with_hint(Hint.UNFINISHED)
    lost = [each.text.strip() for each in nowhere[:1] if len(hunk.preimage) == 1]
    rows = rows_with(lost[0], file.joined) if lost else []
    if len(rows) == 1 and _is_whole(lost[0], file.lines[rows[0]]):
        return failure.with_hint(Hint.PART_OF_LINE, line=lost[0], at=rows[0] + 1)
    if not matching.reversed and _may_be_reversed(hunk, file):
        return failure.with_hint(Hint.REVERSED)
    return failure


def _is_whole(part: bytes, line: bytes) -> bool:
    """Return whether `part` begins and ends at the edge of a word of `line`."""
    edges = rb"(?:\b|(?=\W))", rb"(?:\b|(?<=\W))"
    return re.search(re.escape(part).join(edges), line) is not None


def _may_be_reversed(hunk: Hunk, file: File) -> bool:
    """Return whether the file has what the hunk adds, and nothing of what it removes."""
    sides = (
        [x for x in hunk.lines if x.prefix is side and not is_blank(x)] for side in (REMOVED, ADDED)
    )
    removed, added = ({text in file.exact for text in file.texts(lines)} for lines in sides)
    return (removed, added) == ({False}, {True})


# ---------------------------------------------------------------- several places, or one


def refuse(sought: Sought, problem: Problem | Fault, file: File, matching: Matching) -> Failure:
    """Refuse a hunk that has readings: list their positions, and what tells them apart."""
    rivals = (at for at in sought.rivals if at >= 0)
    starts = sorted({*sought.readings.starts, *rivals})
    what = problem if isinstance(problem, Problem) else Problem(problem)
    if what.fault is Fault.AMBIGUOUS:
        return _refuse_ambiguous(sought, starts, file, matching)
    painter = Painter(file, loosely=True)
    below = _BELOW if what.fault in (Fault.NONE_BELOW, Fault.NOT_AT_END) else 2
    candidate = painter.of_reading(Detail.CANDIDATE.sentence, sought.readings[0], below)
    pictures, hint, values = [candidate], None, {}
    told: tuple[Suggestion, ...] = ()
    if what.fault in OF_ANCHORS:
        told = definition_of(candidate, file)
        if meant := _in_named(sought.hunk, file, painter):
            first, last = meant.reread or (1, 1)
            pictures.insert(0, meant)
            hint, values = Hint.IN_NAMED, {"there": name_range(first - 1, last - first + 1)}
    if what.fault is Fault.OTHER_NUMBER and (at := sought.hunk.stated_start) is not None:
        rows = [
            painter.row(line, at + n)
            for n, line in enumerate(sought.hunk.preimage)
            if at + n < len(file.lines)
        ]
        pictures.insert(0, painter.frame(Detail.STATED.sentence, rows))
    said = tuple(oddities(sought.hunk, file))
    failure = failure_of(
        sought.hunk,
        what,
        positions=tuple(starts[:MANY]),
        pictures=tuple(pictures),
        suggestions=told,
        said=said,
    )
    return failure.with_hint(hint, **values) if hint else failure


def _in_named(hunk: Hunk, file: File, painter: Painter) -> Picture | None:
    """Draw what the anchor names, with the hunk over it if its lines are there, or alike; None if
    it names nothing, or what is above the candidate and holds it, too."""
    rows = [row for anchor in hunk.anchors for row in file.heads.named(anchor)[:SHOWN]]
    closest = closest_of(file)
    for row in rows:
        pairs = closest.pairs(hunk, [painter.block(row)], only=True)
        if 2 * len(pairs) >= len(hunk.preimage):
            return painter.frame(Detail.IN_NAMED.sentence, painter.laid(hunk, pairs))
    for row in rows[:1]:
        block = painter.block(row)
        title = Detail.NAMED.fill(name=file.lines[row].strip(), line=row + 1)
        shown = painter.around(row, min(block.stop, row + BLOCK))
        return Picture(title, tuple(shown), shows=Shows.BLOCK)
    return None


def _refuse_ambiguous(
    sought: Sought, starts: Sequence[int], file: File, matching: Matching
) -> Failure:
    hunk, size = sought.hunk, len(sought.hunk.preimage)
    missing = [each.text for each in hunk.strong if not file.heads.named(each)]
    fault = Fault.AMBIGUOUS if matching.ordered else Fault.AMBIGUOUS_BLOCK
    if len(starts) == 1:
        fault = Fault.SEVERAL_READINGS
    elif sought.alone or sought.rivals:
        fault = Fault.AMBIGUOUS_LOOSELY
    elif missing and matching.ordered:
        fault = Fault.AMBIGUOUS_ANCHOR
    count = f"more than {len(starts) - 1}" if sought.readings.is_cut else len(starts)
    problem = Problem.of(fault, count=count, anchor=missing[0] if missing else b"")
    told = tuple(tell_apart(starts, size, file, has_anchors=matching.ordered))
    pictures = [
        Painter(file, loosely=True).of_reading(Detail.CANDIDATE.sentence, sought.readings[0])
    ]
    if len(starts) > 1:
        leave_out = Detail.WITHOUT_ANCHOR.sentence * bool(missing)
        pictures = candidates(starts, told, file, size, hunk, leave_out)
    return failure_of(
        hunk,
        problem,
        positions=tuple(starts[:MANY]),
        pictures=tuple(pictures),
        enclosing=enclosing(starts, file),
        suggestions=told,
    )


# ---------------------------------------------------------------- what is odd in the hunk itself


def oddities(hunk: Hunk, file: File) -> Iterator[str]:
    """Say what is odd in a hunk that is refused, the most telling first."""
    fences = (line for line in hunk.lines if line.text.startswith(b"```"))
    carets = (line for line in hunk.preimage if _CARETS.fullmatch(line.text))
    for detail, lines in ((Detail.FENCE, fences), (Detail.CARETS, carets)):
        line = next(lines, None)
        if line and line.text not in file.exact:
            yield detail.fill(which=numbers([line]))
    same = [
        one
        for one, other in pairwise(hunk.lines)
        if one.text == other.text and (one.prefix, other.prefix) == (REMOVED, ADDED)
    ]
    if same:
        yield Detail.SAME_LINE.fill(which=numbers(same))
    yield from [*_there_already(hunk, file)][:_NO_ACCIDENT]
    if hunk.unfinished:
        yield Detail.CUT_OFF.fill(line=hunk.lines[-1].text.strip())


def _there_already(hunk: Hunk, file: File) -> Iterator[str]:
    """Name the runs of added lines that the file has, in a row and once."""
    gone = {line.text for line in hunk.lines if line.prefix is REMOVED}
    for prefix, run in groupby(hunk.lines, lambda line: line.prefix):
        lines = [line for line in run if prefix is ADDED and line.text not in gone]
        telling = [line for line in lines if not is_blank(line) and WORD.search(line.text)]
        rows = file.runs(lines) if len(telling) >= _NO_ACCIDENT else []
        if len(rows) == 1:
            there = name_range(rows[0], len(lines))
            yield Detail.ADDED.fill(which=numbers(lines), lines=there)


def numbers(lines: Sequence[Line]) -> str:
    """Name lines of the patch: "patch lines 9, 12-14", or by their text."""
    if string_line_of(lines[0].number):
        return ", ".join(f"`{visible(line.text.strip(), QUOTED)}`" for line in lines[:SHOWN])
    apart = groupby(enumerate(int(line.number) for line in lines), lambda each: each[1] - each[0])
    runs = [[number for _, number in run] for _, run in apart]
    named = [f"{run[0]}-{run[-1]}" if run[1:] else str(run[0]) for run in runs]
    return f"patch line{'s' * (len(lines) > 1)} {', '.join(named[: 2 * SHOWN])}"
