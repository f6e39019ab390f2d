r"""Strings to replace become hunks of whole lines, from the file's content; so do `~`s.

It must not match loosely: a string is there once, exactly, or becomes lines that are located like
any.

    {old: "port = 80", new: "port = 8080"}     -http_port = 80  # !
                                               +http_port = 8080  # !

What is inside a line counts only byte for byte, and once, unless the patch says how often. An old
string that is nowhere is read in another form (`forms`), else as whole lines, and searched for like
any hunk.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.forms import string_forms
from git_opatch.locate.likeness import LEAST_DISTINCTIVE
from git_opatch.locate.notebook import find_source
from git_opatch.locate.removed_ranges import Ranges, Whole
from git_opatch.locate.suggest import tell_apart
from git_opatch.model.common_lines import common_runs
from git_opatch.model.failure import Failure, Problem, failure_of
from git_opatch.model.limits import MANY, QUOTED, SHOWN
from git_opatch.model.patch import Cell, Hunk, Line, Prefix, Replacement
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import BYTE_ORDER_MARK, Text, visible, without_cr

_MOST = 100_000
"""More occurrences than this are not replaced."""
_MOST_STATED = 5
"""A stated line does not choose among more occurrences, as among more readings (`evidence`)."""
_JOINER = "\u200d"


@dataclass(slots=True, eq=False)
class Expanded:
    """Hunks of whole lines, the failures of the others, and notes by the ordinals of the first."""

    hunks: list[Hunk] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: dict[int, tuple[str, ...]] = field(default_factory=dict)


def expand(hunks: Sequence[Hunk], text: Text, *, strings: bool = True) -> Expanded:
    """Expand the `~`s of `hunks`, and their replacements. Pure; a failure names no file."""
    expanded = Expanded()
    ranges = Ranges(hunks, text)
    for hunk in hunks:
        result: Hunk | Failure | Whole = hunk
        if hunk.replacement is not None and strings:
            result = _String(hunk, hunk.replacement, text).expand()
        elif hunk.removed_ranges:
            result = ranges.expand(hunk)
        if isinstance(result, Failure):
            expanded.failures.append(result)
            continue
        whole, notes = result if isinstance(result, tuple) else (result, ())
        expanded.hunks.append(whole)
        if notes:
            expanded.notes[hunk.ordinal] = notes
    return expanded


class _String:
    """A string to replace in a file's content, without what belongs to the framing of its lines:
    a byte-order mark, and a carriage return that ends every line."""

    def __init__(self, hunk: Hunk, replacement: Replacement, text: Text) -> None:
        lines = [without_cr(line) for line in text.lines] if text.crlf else text.lines
        if lines and lines[0].startswith(BYTE_ORDER_MARK):
            lines = [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]]
        self.hunk, self.replacement, self.text, self.lines = hunk, replacement, text, lines
        self.raw = b"\n".join(lines) + (b"\n" if lines and text.final_newline else b"")
        self.old, self.new = replacement.old, replacement.new
        both = self.old + self.new
        is_framed = 0 < both.count(b"\n") == both.count(b"\r\n")
        if is_framed and (text.crlf or self.old not in self.raw):
            self.old, self.new = (each.replace(b"\r\n", b"\n") for each in (self.old, self.new))

    def expand(self) -> Hunk | Failure | Whole:
        """Return the hunk of whole lines, with its notes."""
        if self.replacement.after is not None:
            return self._insert(self.replacement.after)
        if self.replacement.cell is not None:
            return self._replace_cell(self.replacement.cell)
        if not self.old:
            return failure_of(self.hunk, Fault.STRING_NOT_REVERSIBLE)
        found = self.find(_MOST + 1)
        if not found:
            return self._in_another_form() or self._as_lines()
        found = self._at_stated_line(found)
        failure = self._wrong_count(found) or self.applied(found) or self.keep_newline(found)
        return failure or (self.whole_lines(found), self._notes(found))

    def find(self, most: int) -> list[int]:
        """Return the offsets of the old string, at most so many; of those that overlap, only some.

        A string does not end inside of a character, in front of its combining marks.
        """
        found, left = list[int](), 2 * len(self.raw)
        for at in _occurrences(self.raw, self.old):
            if not _combines(self.raw, at + len(self.old)):
                found.append(at)
            left -= len(self.old)
            if left < 0 or len(found) == most:  # where none overlap, they are not longer than all
                break
        return found

    def _in_another_form(self) -> Whole | None:
        """Read a string that is nowhere in the other form in which it is there, once.

        None if there is none, or if several say something else.
        """
        if self.replacement.every or self.replacement.expected:
            return None
        results: dict[tuple[Line, ...], Whole] = {}
        for old, new, repair in string_forms(self.replacement.old, self.replacement.new, self.raw):
            other = _String(self.hunk, self.replacement._replace(old=old, new=new), self.text)
            found = other.find(2)
            if len(found) == 1 and not (other.applied(found) or other.keep_newline(found)):
                whole = other.whole_lines(found)
                results.setdefault(tuple(whole.lines), (whole, (repair.value,)))
        return next(iter(results.values())) if len(results) == 1 else None

    def _as_lines(self) -> Hunk | Failure:
        """Read a string that is nowhere as whole lines, unless it says that it is more or less."""
        old, new = self.replacement.old, self.replacement.new
        if self.replacement.every or (old.endswith(b"\n") and new and not new.endswith(b"\n")):
            first = old.strip().partition(b"\n")[0]
            return failure_of(self.hunk, Fault.STRING_MISSING, old=first)
        return replace(self.hunk, replacement=None)

    def _replace_cell(self, cell: Cell) -> Failure | Whole:
        """Replace the source of a notebook's cell in the text of the notebook."""
        source = find_source(self.raw, cell, self.new)
        named = cell.id or str(cell.number)
        if source is None:
            return failure_of(self.hunk, Fault.NO_SUCH_CELL, cell=named)
        self.old, self.new = source.old, source.new
        if self.old == self.new:
            places = self.places([source.start])
            return failure_of(self.hunk, Fault.CELL_APPLIED, positions=places, cell=named)
        note = f"the source of cell `{visible(named, QUOTED)}` was replaced; its outputs stay"
        return self.whole_lines([source.start]), (note,)

    def _rows(self, found: Sequence[int]) -> list[int]:
        """Return the row of each occurrence; a newline that it begins with is not its line."""
        leading = len(self.old) - len(self.old.lstrip(b"\n")) if self.old.strip(b"\n") else 0
        rows, row, done = [], 0, 0
        for at in found:
            row += self.raw.count(b"\n", done, at + leading)
            done = at + leading
            rows.append(row)
        return rows

    def places(self, found: Sequence[int]) -> tuple[int, ...]:
        """Return the rows of occurrences, for a failure."""
        last = max(len(self.lines) - 1, 0)
        return tuple(dict.fromkeys(min(row, last) for row in self._rows(found)))[:MANY]

    def _at_stated_line(self, found: list[int]) -> list[int]:
        """Return the one occurrence that begins on the line that the patch states, of a few."""
        if self.replacement.every or self.replacement.expected or len(found) > _MOST_STATED:
            return found
        rows, stated = self._rows(found), self.hunk.stated_start
        return [found[rows.index(stated)]] if stated in rows else found

    def _wrong_count(self, found: Sequence[int]) -> Failure | None:
        """Refuse what occurs more often, or less often, than the patch says."""
        if len(found) > _MOST:
            return failure_of(self.hunk, Fault.STRING_TOO_OFTEN, count=_MOST)
        places, expected = self.places(found), self.replacement.expected
        times = f"{len(found)} times" if len(found) > 1 else "once"
        if any(after - before < len(self.old) for before, after in pairwise(found)):
            return failure_of(self.hunk, Fault.STRINGS_OVERLAP, positions=places)
        if self.replacement.every and (others := self._with_other_endings(found)):
            return failure_of(self.hunk, Problem.of(Fault.STRING_ENDINGS, count=others))
        if expected and len(found) != expected:
            count = Problem.of(Fault.STRING_COUNT, times=times, expected=expected)
            return failure_of(self.hunk, count, positions=places)
        if len(found) > 1 and not self.replacement.every:
            often = Problem.of(Fault.STRING_OFTEN, times=times)
            file = FileIndex(self.text, ())
            enclosing = name_enclosing(places, file)
            size = self.old.strip(b"\n").count(b"\n") + 1
            told = tell_apart(places, size, file, has_anchors=False)
            return failure_of(
                self.hunk, often, positions=places, enclosing=enclosing, suggestions=told
            )
        return None

    def _with_other_endings(self, found: Sequence[int]) -> int:
        """Return how many occurrences differ in their line endings alone, beside those `found`."""
        if b"\n" not in self.old or b"\r\n" not in self.raw:
            return 0
        raw, old = (each.replace(b"\r\n", b"\n") for each in (self.raw, self.old))
        return raw.count(old) - len(found)

    def applied(self, found: Sequence[int]) -> Failure | None:
        """Refuse a new string that is there already, over the old one."""
        applied = [at for at in found if self._is_over(at)]
        if not applied:
            return None
        problem = Problem(Fault.STRING_APPLIED)
        if len(applied) < len(found):
            counts = {"count": len(applied), "of": len(found)}
            problem = Problem(Fault.STRING_REPLACED_IN_PART, counts)
        return failure_of(self.hunk, problem, positions=self.places(applied))

    def _is_over(self, at: int) -> bool:
        """Return whether the new string is there and contains the old one at `at`, or, of one that
        is replaced once, shares a line with it."""
        end, size = at + len(self.old), len(self.new)
        first, most = max(at - size + 1, 0), end + size - 1
        for start in islice(_occurrences(self.raw[first:most], self.new), MANY):
            shared = self.raw[max(first + start, at) : min(first + start + size, end)]
            is_line = b"\n" in shared and shared.strip() and not self.replacement.every
            if shared == self.old or (is_line and shared != self.new):
                return True
        return False

    def _begins_line(self, at: int) -> bool:
        return not at or self.raw[at - 1 : at] == b"\n"

    def _end_of(self, at: int) -> int:
        """Return the offset after the line with the byte at `at`, and after its newline."""
        return self.raw.find(b"\n", at) + 1 or len(self.raw)

    def keep_newline(self, found: Sequence[int]) -> Failure | None:
        """Keep the newline that ends the old string and not the new one, unless whole lines go.

        Where another line follows, it would be joined, and the string is refused; to join lines on
        purpose, a patch shows some of the second.
        """
        lost = Replacement(self.old, self.new).lost_newline
        if not lost or (not self.new and all(map(self._begins_line, found))):
            return None
        for at in found:
            end = at + len(self.old)
            if self.raw[end : self._end_of(end)].strip():
                row = self.raw.count(b"\n", 0, end)
                places = self.places([at])
                return failure_of(self.hunk, Fault.STRING_JOINS, positions=places, next=row + 1)
        self.new += lost
        return None

    def _notes(self, found: Sequence[int]) -> tuple[str, ...]:
        if self.replacement.every:
            where = _listed(self._rows(found))
            return (f"{len(found)} occurrence{'s' * (len(found) > 1)} replaced: {where}",)
        at, end = found[0], found[0] + len(self.old)
        is_line = self._begins_line(at) and self.raw[end : end + 1] == b"\n"
        if self.new or self.old.endswith(b"\n") or not is_line:
            return ()
        row = self.raw.count(b"\n", 0, at) + 1
        return (
            f"leaves an empty line {row}; to remove the line, end the old string with a newline",
        )

    def whole_lines(self, found: Sequence[int]) -> Hunk:
        """Return the hunk that shows the lines from the first to the last occurrence."""
        lines: list[Line] = []
        number, done = self.hunk.number, None
        for start, end, new in self._regions(found):
            between = _split(self.raw[start if done is None else done : start])
            lines += (_line(Prefix.CONTEXT, line, number) for line in between)
            lines += _compared(self.raw[start:end], new, number)
            done = end
        uniform = not any(line.text.endswith(b"\r") for line in lines)
        return replace(self.hunk, lines=tuple(lines), replacement=None, uniform_endings=uniform)

    def _regions(self, found: Sequence[int]) -> Iterator[tuple[int, int, bytes]]:
        """Yield the whole lines that occurrences touch, as start and end, and what becomes of
        them."""
        raw, parts = self.raw, b""
        start = done = None
        for at, following in pairwise((*found, len(raw) + 1)):
            if start is None or done is None:
                start = done = raw.rfind(b"\n", 0, at) + 1
            parts += raw[done:at] + self.new
            done = at + len(self.old)
            is_whole = raw[done - 1 : done] == b"\n" and (not parts or parts.endswith(b"\n"))
            end = done if is_whole else self._end_of(done)
            if following >= end:
                yield start, end, parts + raw[done:end]
                start, parts = None, b""

    def _insert(self, after: int) -> Hunk | Failure | Whole:
        """Insert lines below the first `after` lines of the file, which the number alone says."""
        count, added = len(self.lines), self.hunk.lines
        if after > count:
            return failure_of(self.hunk, Fault.BELOW_THE_END, after=after, size=count)
        if not count:
            return replace(self.hunk, replacement=None)
        new = [line.text for line in added]
        for start in (after, after - len(new)):
            there = start >= 0 and self.lines[start : start + len(new)] == new
            if there and any(map(bytes.strip, new)):
                return failure_of(self.hunk, Fault.ALREADY_APPLIED, positions=(start,))
        start, stop = self._unique_range(after)
        shown = [
            Line(Prefix.CONTEXT, self.lines[row], self.text.has_newline(row), self.hunk.number)
            for row in range(start, stop)
        ]
        lines = (*shown[: after - start], *added, *shown[after - start :])
        where = "at the beginning of the file"
        if after:
            where = f"below line {after}: `{visible(self.lines[after - 1].strip(), QUOTED)}`"
        return replace(self.hunk, lines=lines, replacement=None), (f"inserted {where}",)

    def _unique_range(self, after: int) -> tuple[int, int]:
        """Return a range of lines around the row `after` that occurs once in the file."""
        raw, context = b"\n" + b"\n".join(self.lines) + b"\n", 3
        while True:
            start, stop = max(after - context, 0), min(after + context, len(self.lines))
            shown = b"\n" + b"\n".join(self.lines[start:stop]) + b"\n"
            once = len(list(islice(_occurrences(raw, shown), 2))) == 1
            if once or stop - start == len(self.lines):
                return start, stop
            context *= 2


def refuse_applied(hunks: Sequence[Hunk], failure: Failure, text: Text) -> Failure | None:
    """Return that a replacement that is not found is applied: its new string, which is long enough
    to be no accident, occurs once, or as often as the patch expects."""
    hunk = next((hunk for hunk in hunks if hunk.ordinal == failure.hunk), None)
    if failure.reason is not Reason.NOT_FOUND or hunk is None or hunk.replacement is None:
        return None
    string = _String(hunk, hunk.replacement, text)
    if len(b"".join(string.new.split()).decode("utf-8", "replace")) < LEAST_DISTINCTIVE:
        return None
    found = list(islice(_occurrences(string.raw, string.new), MANY + 1))
    wanted = hunk.replacement.expected or (len(found) if hunk.replacement.every else 1)
    if not found or len(found) != wanted or len(found) > MANY:
        return None
    rows = (string.raw.count(b"\n", 0, at) for at in found)
    return failure_of(hunk, Fault.STRING_APPLIED, positions=tuple(dict.fromkeys(rows)))


def _combines(raw: bytes, at: int) -> bool:
    """Return whether the character at `at` combines with the one before it."""
    if raw[at : at + 1].isascii():
        return False
    following = raw[at : at + 4].decode("utf-8", "ignore")[:1]
    return following == _JOINER or unicodedata.category(following or " ")[0] == "M"


def _occurrences(raw: bytes, wanted: bytes) -> Iterator[int]:
    """Yield the offsets of `wanted`, also of occurrences that overlap."""
    at = raw.find(wanted)
    while at >= 0:
        yield at
        at = raw.find(wanted, at + 1)


def _listed(rows: Sequence[int]) -> str:
    """List lines; one with several occurrences says so."""
    counts = {row: rows.count(row) for row in list(dict.fromkeys(rows))[:SHOWN]}
    shown = [f"{row + 1}" + f" ({count} times)" * (count > 1) for row, count in counts.items()]
    several = len(set(rows))
    return f"line{'s' * (several > 1)} {', '.join(shown)}" + ", …" * (several > SHOWN)


def _compared(old: bytes, new: bytes, number: int) -> Iterator[Line]:
    """Yield the lines that turn `old` into `new`; what both have is context."""
    sides = _split(old), _split(new)
    at = at_new = 0
    for same, same_new, size in common_runs(*sides):
        yield from (_line(Prefix.REMOVED, line, number) for line in sides[0][at:same])
        yield from (_line(Prefix.ADDED, line, number) for line in sides[1][at_new:same_new])
        at, at_new = same + size, same_new + size
        yield from (_line(Prefix.CONTEXT, line, number) for line in sides[0][same:at])


def _split(raw: bytes) -> list[bytes]:
    """Split into lines, each with its newline."""
    lines = [line + b"\n" for line in raw.split(b"\n")]
    last = lines.pop()
    return lines if last == b"\n" else [*lines, last[:-1]]


def _line(prefix: Prefix, line: bytes, number: int) -> Line:
    return Line(prefix, line.removesuffix(b"\n"), line.endswith(b"\n"), number)
