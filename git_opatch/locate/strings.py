r"""Strings to replace, and `~`, become hunks of whole lines of the file.

It must not match loosely. What is inside a line counts only byte for byte, and once, unless the
patch says how often; an old string that is nowhere is read in another form, else as whole lines,
and sought like any hunk.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from git_opatch.locate.applied import new_starts, refuse
from git_opatch.locate.file import File
from git_opatch.locate.notebook import find_source
from git_opatch.locate.painter import candidates, tell_apart
from git_opatch.locate.reading import ADDED, CONTEXT, REMOVED, Applied, Sought, exact
from git_opatch.locate.slips import forms_of
from git_opatch.locate.words import explain
from git_opatch.model.failure import Failure, Problem, failure_of
from git_opatch.model.limits import MANY, QUOTED, SHOWN
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Cell, Hunk, Line, Prefix, Replacement
from git_opatch.model.picture import Picture, Suggestion
from git_opatch.model.sentences import Fault
from git_opatch.model.text import visible

_MOST = 100_000
"""No more occurrences are replaced."""
_MOST_STATED = 5
"""Among no more occurrences a stated line chooses."""
_LEAST = 10
"""A new string of so many characters is not there by accident."""
_AROUND = 3
"""So many lines are shown around an insertion, or more if these are there twice."""

_Lines = tuple[Hunk, tuple[str, ...]]
"""A hunk of whole lines, and notes."""


@dataclass(slots=True)
class Expanded:
    """Hunks of whole lines, the failures of the others, and notes by ordinal."""

    hunks: list[Hunk] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: dict[int, tuple[str, ...]] = field(default_factory=dict)


def expand(hunks: Sequence[Hunk], file: File, matching: Matching) -> Expanded:
    """Read strings to replace and ranges as whole lines of `file`; other hunks stay."""
    expanded = Expanded()
    for hunk in hunks:
        result = _expand(hunk, file, matching)
        if isinstance(result, Failure):
            expanded.failures.append(result)
            continue
        whole, notes = result
        expanded.hunks.append(whole)
        if notes:
            expanded.notes[hunk.ordinal] = notes
    return expanded


def _expand(hunk: Hunk, file: File, matching: Matching) -> _Lines | Failure:
    if hunk.replacement is not None:
        return _String.of(hunk, hunk.replacement, file).expand()
    return _with_ranges(hunk, file, matching) if hunk.removed_ranges else (hunk, ())


def refuse_applied(hunk: Hunk, file: File) -> Failure | None:
    """Say that the new string of a hunk, whose old one is nowhere, is there already."""
    if hunk.replacement is None:
        return None
    return _String.of(hunk, hunk.replacement, file).refuse_applied()


# ---------------------------------------------------------------- ranges


def _with_ranges(hunk: Hunk, file: File, matching: Matching) -> _Lines | Failure:
    """Put the file's lines in place of each `~`: what is beside it must be there once, in order."""
    lines: list[Line] = []
    notes: list[str] = []
    last = 0
    for start, stop in pairwise((0, *hunk.removed_ranges, len(hunk.lines))):
        shown = hunk.lines[start:stop]
        part = replace(hunk, lines=shown, removed_ranges=(), anchors=(), number=shown[0].number)
        readings = exact(part, file)
        if len(readings) != 1:
            return _refuse_range(hunk, part, readings.starts, file, matching)
        at = readings.starts[0]
        if at < last:
            return failure_of(part, Fault.RANGE_ORDER, positions=(at,), stop=last)
        if start:
            number = lines[-1].number + 1
            lines += (Line(REMOVED, text, number=number) for text in file.lines[last:at])
            notes.append(_range_note(file.lines[last:at], last))
        lines += shown
        last = at + len(part.preimage)
    return replace(hunk, lines=tuple(lines), removed_ranges=()), tuple(notes)


def _range_note(lines: Sequence[bytes], row: int) -> str:
    """Say which lines a `~` removes, from `row` on."""
    if not lines:
        return "`~` removes no line"
    first, last = (visible(line.strip(), QUOTED) for line in (lines[0], lines[-1]))
    if len(lines) == 1:
        return f"`~` removes line {row + 1}: `{first}`"
    return f"`~` removes lines {row + 1}-{row + len(lines)}: `{first}` … `{last}`"


def _refuse_range(
    hunk: Hunk, part: Hunk, starts: Sequence[int], file: File, matching: Matching
) -> Failure:
    if starts:
        return failure_of(part, Fault.RANGE_AMBIGUOUS, positions=tuple(starts))
    whole = replace(hunk, removed_ranges=())
    applied = new_starts(whole, file)
    if len(applied) == 1 and any(line.prefix is ADDED for line in hunk.lines):
        return refuse(whole, Applied(applied[0]), file)
    strictly = matching._replace(tier=Tier.STRICT)
    return explain(Sought(part), file, strictly)._replace(fault=Fault.RANGE_NOT_FOUND)


# ---------------------------------------------------------------- strings


@dataclass(frozen=True, slots=True)
class _String:
    """A string to replace in a file's content, `raw`, without what belongs to the framing of its
    lines."""

    hunk: Hunk
    asked: Replacement
    file: File
    raw: bytes
    old: bytes
    new: bytes

    @classmethod
    def of(
        cls, hunk: Hunk, asked: Replacement, file: File, pair: tuple[bytes, bytes] | None = None
    ) -> _String:
        """Make it of what a hunk asks for, or of a `pair` of strings in another form."""
        raw = file.joined + b"\n" * bool(file.lines and file.text.final_newline)
        old, new = pair or (asked.old, asked.new)
        both = old + new
        is_crlf = 0 < both.count(b"\n") == both.count(b"\r\n")
        if is_crlf and (file.text.crlf or old not in raw):
            old, new = (text.replace(b"\r\n", b"\n") for text in (old, new))
        return cls(hunk, asked, file, raw, old, new)

    def expand(self) -> _Lines | Failure:
        """Return the hunk of whole lines."""
        if self.asked.after is not None:
            return self._insert(self.asked.after)
        if self.asked.cell is not None:
            return self._in_cell(self.asked.cell)
        if not self.old:
            return self._refuse(Fault.STRING_NOT_REVERSIBLE)
        offsets = self._offsets()
        return self._replaced(offsets) if offsets else self._elsewhere()

    def refuse_applied(self) -> Failure | None:
        """Say that the new string, too long to be an accident, is there as often as it should."""
        times = self.raw.count(self.new) if self.new.strip() else 0
        is_long = len(b"".join(self.new.split())) >= _LEAST
        wanted = self.asked.expected or (times if self.asked.every else 1)
        if not is_long or not times == wanted > 0:
            return None
        return self._refuse(Fault.STRING_APPLIED, [self.raw.find(self.new)])

    def _refuse(self, what: Fault | Problem, offsets: Sequence[int] = ()) -> Failure:
        last = max(len(self.file.lines) - 1, 0)
        rows = dict.fromkeys(min(self._first_row(at), last) for at in offsets[:MANY])
        fault = what.fault if isinstance(what, Problem) else what
        told: tuple[Suggestion, ...] = ()
        pictures: list[Picture] = []
        if fault is Fault.STRING_OFTEN:
            size = self.old.strip(b"\n").count(b"\n") + 1
            told = tuple(tell_apart([*rows], size, self.file, has_anchors=False))
            pictures = candidates([*rows], told, self.file, size)
        return failure_of(
            self.hunk, what, positions=tuple(rows), pictures=tuple(pictures), suggestions=told
        )

    def _row(self, offset: int) -> int:
        return self.raw.count(b"\n", 0, offset)

    def _offsets(self) -> list[int]:
        """List where the old string is; it does not end in front of a combining mark."""
        offsets: list[int] = []
        at, left = self.raw.find(self.old), 2 * len(self.raw)
        while at >= 0 and left > 0 and len(offsets) <= _MOST:
            offsets.append(at)
            at, left = self.raw.find(self.old, at + 1), left - len(self.old)
        return [at for at in offsets if not self._is_inside_character(at + len(self.old))]

    def _is_inside_character(self, end: int) -> bool:
        after = self.raw[end : end + 4].decode("utf-8", "ignore")[:1] or " "
        return after == "\u200d" or unicodedata.category(after)[0] == "M"

    def _elsewhere(self) -> _Lines | Failure:
        """Read a string that is nowhere in another form, as applied, or as whole lines."""
        asked = self.asked
        others: dict[Sequence[Line], _Lines] = {}
        forms = forms_of((asked.old, asked.new), asked.old, asked.new, self.raw)
        for (old, new), repair in forms if not (asked.every or asked.expected) else ():
            string = _String.of(self.hunk, asked, self.file, (old, new))
            offsets = string._offsets() if old != asked.old else []
            result = string._replaced(offsets) if len(offsets) == 1 else None
            if result is not None and not isinstance(result, Failure):
                others.setdefault(result[0].lines, (result[0], (repair.value,)))
        if len(others) == 1:
            return next(iter(others.values()))
        if asked.every or (self.old.endswith(b"\n") and self.new and not self.new.endswith(b"\n")):
            first = self.old.strip().partition(b"\n")[0]
            missing = failure_of(self.hunk, Fault.STRING_MISSING, old=first)
            return self.refuse_applied() or missing
        return replace(self.hunk, replacement=None), ()

    def _replaced(self, offsets: list[int]) -> _Lines | Failure:
        """Return the hunk that replaces the occurrences, or why it must not."""
        asked, stated = self.asked, self.hunk.stated_start
        if not (asked.every or asked.expected) and len(offsets) <= _MOST_STATED:
            offsets = [at for at in offsets if self._row(at) == stated] or offsets
        if problem := self._miscounted(offsets):
            return self._refuse(problem, offsets)
        over = [at for at in offsets if self._is_over(at)]
        if over and len(over) < len(offsets):
            part = Problem.of(Fault.STRING_REPLACED_IN_PART, count=len(over), of=len(offsets))
            return self._refuse(part, over)
        if over:
            return self._refuse(Fault.STRING_APPLIED, over)
        kept = self._with_newline(offsets)
        if isinstance(kept, Failure):
            return kept
        return kept._whole_lines(offsets), self._notes(offsets)

    def _notes(self, offsets: Sequence[int]) -> tuple[str, ...]:
        """Say where all occurrences are that were replaced; that an empty line is left."""
        if self.asked.every:
            plural = "s" * (len(offsets) > 1)
            rows = Counter(map(self._first_row, offsets[:MANY]))
            return (f"{len(offsets)} occurrence{plural} replaced: {_listed(rows)}",)
        at, end = offsets[0], offsets[0] + len(self.old)
        is_line = self._begins_line(at) and self.raw[end : end + 1] == b"\n"
        if self.new or self.old.endswith(b"\n") or not is_line:
            return ()
        how = "to remove the line, end the old string with a newline"
        return (f"leaves an empty line {self._row(at) + 1}; {how}",)

    def _begins_line(self, at: int) -> bool:
        return not at or self.raw[at - 1 : at] == b"\n"

    def _first_row(self, at: int) -> int:
        """Return the row of an occurrence; a newline that it begins with is not its line."""
        text = self.old.lstrip(b"\n")
        return self._row(at + len(self.old) - len(text) if text else at)

    def _miscounted(self, offsets: Sequence[int]) -> Fault | Problem | None:
        """Return what is against so many occurrences."""
        asked, count = self.asked, len(offsets)
        times = f"{count} times" if count > 1 else "once"
        if count > _MOST:
            return Problem.of(Fault.STRING_TOO_OFTEN, count=_MOST)
        if any(b - a < len(self.old) for a, b in pairwise(offsets)):
            return Fault.STRINGS_OVERLAP
        if asked.every and b"\n" in self.old:
            raw, old = (text.replace(b"\r\n", b"\n") for text in (self.raw, self.old))
            if raw.count(old) > count:
                return Problem.of(Fault.STRING_ENDINGS, count=raw.count(old) - count)
        if asked.expected and count != asked.expected:
            return Problem.of(Fault.STRING_COUNT, times=times, expected=asked.expected)
        if count > 1 and not asked.every:
            return Problem.of(Fault.STRING_OFTEN, times=times)
        return None

    def _is_over(self, at: int) -> bool:
        """Return whether the new string is there over the old one at `at`."""
        size, end = len(self.new), at + len(self.old)
        first = max(at - size + 1, 0)
        here = self.raw.find(self.new, first, end + size - 1) if size else -1
        shared = self.raw[max(here, at) : min(here + size, end)] if here >= 0 else b""
        has_line = b"\n" in shared and shared.strip() and shared != self.new
        return bool(shared) and (shared == self.old or bool(has_line and not self.asked.every))

    def _with_newline(self, offsets: Sequence[int]) -> _String | Failure:
        """Keep the newline that ends the old string alone, unless whole lines go."""
        begins = all(map(self._begins_line, offsets))
        is_lost = self.old.endswith(b"\n") and not self.new.endswith(b"\n")
        if not is_lost or (not self.new and begins):
            return self
        for end in (at + len(self.old) for at in offsets):
            if self.raw[end:].partition(b"\n")[0].strip():
                joined = Problem.of(Fault.STRING_JOINS, next=self._row(end) + 1)
                return failure_of(self.hunk, joined, positions=(self._row(end - 1),))
        newline = b"\r\n" if self.old.endswith(b"\r\n") else b"\n"
        return replace(self, new=self.new + newline)

    def _whole_lines(self, offsets: Sequence[int]) -> Hunk:
        """Return the hunk that shows the lines from the first to the last occurrence."""
        lines: list[Line] = []
        done = None
        for start, end, new in self._regions(offsets):
            lines += self._lines(CONTEXT, self.raw[start if done is None else done : start])
            lines += self._lines(REMOVED, self.raw[start:end]) + self._lines(ADDED, new)
            done = end
        return replace(
            self.hunk,
            lines=tuple(lines),
            replacement=None,
            uniform_endings=not any(line.text.endswith(b"\r") for line in lines),
            stated_start=self._row(self.raw.rfind(b"\n", 0, offsets[0]) + 1),
            new_start=None,
            anchors=(),
        )

    def _regions(self, offsets: Sequence[int]) -> Iterator[tuple[int, int, bytes]]:
        """Yield the whole lines that occurrences touch, as offsets, and what becomes of them."""
        raw, parts, start, done = self.raw, b"", None, 0
        for at, following in pairwise((*offsets, len(raw) + 1)):
            if start is None:
                start = done = raw.rfind(b"\n", 0, at) + 1
            parts += raw[done:at] + self.new
            done = at + len(self.old)
            is_whole = raw[done - 1 : done] == b"\n" and (not parts or parts.endswith(b"\n"))
            end = done if is_whole else raw.find(b"\n", done) + 1 or len(raw)
            if following >= end:
                yield start, end, parts + raw[done:end]
                start, parts = None, b""

    def _lines(self, prefix: Prefix, raw: bytes) -> list[Line]:
        lines = [Line(prefix, text, number=self.hunk.number) for text in raw.split(b"\n")]
        last = lines.pop()
        return [*lines, last._replace(newline=False)] if last.text else lines

    def _in_cell(self, cell: Cell) -> _Lines | Failure:
        """Replace the source of a cell of a notebook."""
        source, name = find_source(self.raw, cell, self.new), cell.id or str(cell.number)
        if source is None:
            is_there = cell.kind and find_source(self.raw, cell._replace(kind=""), self.new)
            fault = Fault.CELL_OF_ANOTHER_TYPE if is_there else Fault.NO_SUCH_CELL
            return failure_of(self.hunk, fault, cell=name, kind=cell.kind)
        if source.old == source.new:
            return self._refuse(Problem.of(Fault.CELL_APPLIED, cell=name), [source.start])
        string = replace(self, old=source.old, new=source.new)
        note = f"the source of cell `{visible(name, QUOTED)}` was replaced; its outputs stay"
        return string._whole_lines([source.start]), (note,)

    def _insert(self, after: int) -> _Lines | Failure:
        """Insert lines below the first `after` of the file: between those that are there."""
        file, added, size = self.file, self.hunk.lines, len(self.file.lines)
        if after > size:
            return failure_of(self.hunk, Fault.BELOW_THE_END, after=after, size=size)
        if not size:
            return replace(self.hunk, replacement=None), ()
        new = file.texts(added)
        for start in (after, after - len(new)):
            if start >= 0 and any(new) and file.lines[start : start + len(new)] == new:
                return failure_of(self.hunk, Fault.ALREADY_APPLIED, positions=(start,))
        rows, near = range(0), _AROUND
        while len(rows) < size and (not rows or len(file.exact.runs(_slice(file, rows))) > 1):
            rows = range(max(after - near, 0), min(after + near, size))
            near *= 2
        shown = [Line(CONTEXT, file.lines[row], file.text.has_newline(row)) for row in rows]
        cut = after - rows.start
        lines = (*shown[:cut], *added, *shown[cut:])
        where = "at the beginning of the file"
        if after:
            where = f"below line {after}: `{visible(file.lines[after - 1].strip(), QUOTED)}`"
        return replace(self.hunk, lines=lines, replacement=None), (f"inserted {where}",)


def _listed(rows: Counter[int]) -> str:
    """Name rows, with how often each is meant; the first ones of many."""
    numbers = [f"{row + 1}" + f" ({count} times)" * (count > 1) for row, count in rows.items()]
    listed = ", ".join(numbers[:SHOWN]) + ", …" * (len(numbers) > SHOWN)
    return f"line{'s' * (len(numbers) > 1)} {listed}"


def _slice(file: File, rows: range) -> Sequence[bytes]:
    return file.lines[rows.start : rows.stop]
