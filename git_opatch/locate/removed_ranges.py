"""Lines that a hunk removes without showing them: `~`, in place of lines of the file.

It must not match loosely: what is shown beside a `~` must be in the file exactly, and once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from git_opatch.locate import explain
from git_opatch.locate.applied import new_starts
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.reading import EQUAL
from git_opatch.locate.search import seek
from git_opatch.model.failure import Failure, failure_of
from git_opatch.model.limits import QUOTED
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text, visible

Whole = tuple[Hunk, tuple[str, ...]]
"""A hunk of whole lines, and its notes."""


class Ranges:
    """Puts the file's lines in place of the `~`s of hunks, as removed ones."""

    def __init__(self, hunks: Sequence[Hunk], text: Text) -> None:
        self._text = text
        self._parts = {hunk.ordinal: list(_parts(hunk)) for hunk in hunks if hunk.removed_ranges}
        self._file = FileIndex(text, [part for parts in self._parts.values() for part in parts])
        self._strictly = Matching(Tier.RESILIENT)

    def expand(self, hunk: Hunk) -> Failure | Whole:
        """Return `hunk` with all the lines that it removes."""
        lines: list[Line] = []
        notes: list[str] = []
        last = 0
        for part in self._parts[hunk.ordinal]:
            start = self._start_of(part, hunk)
            if isinstance(start, Failure):
                return start
            if start < last:
                return failure_of(part, Fault.RANGE_ORDER, positions=(start,), stop=last)
            if lines:
                number = lines[-1].number + 1
                unseen = self._text.lines[last:start]
                lines += (Line(Prefix.REMOVED, text, number=number) for text in unseen)
                notes.append(_removed(last, start, self._text))
            lines += part.lines
            last = start + len(part.preimage)
        return replace(hunk, lines=tuple(lines), removed_ranges=()), tuple(notes)

    def _start_of(self, part: Hunk, hunk: Hunk) -> int | Failure:
        """Return where the only position of `part` begins, which must be there as written."""
        as_context = tuple(line._replace(prefix=Prefix.CONTEXT) for line in part.preimage)
        sought = seek(replace(part, lines=as_context), self._file, self._strictly)
        if not sought.readings or not sought.is_exact:
            at = new_starts(replace(hunk, removed_ranges=()), self._file)
            if len(at) == 1:
                return explain.refuse_applied(hunk, at[0], EQUAL, self._file)
            refused = explain.NotFoundExplainer(self._file, [sought], self._strictly)
            failure = refused.refuse(sought.hunk)
            return failure._replace(fault=Fault.RANGE_NOT_FOUND, hint=None)
        if len(sought.starts) > 1:
            failure = explain.refuse_ambiguous(sought, self._file, has_anchors=False)
            return failure._replace(fault=Fault.RANGE_AMBIGUOUS)
        return sought.starts[0]


def _parts(hunk: Hunk) -> Iterator[Hunk]:
    """Yield what a hunk shows before, between and after its `~`s."""
    for start, stop in pairwise((0, *hunk.removed_ranges, len(hunk.lines))):
        lines = hunk.lines[start:stop]
        yield replace(hunk, lines=lines, removed_ranges=(), anchors=(), number=lines[0].number)


def _removed(start: int, stop: int, text: Text) -> str:
    if start == stop:
        return "`~` removes no line"
    first, last = (visible(text.lines[row].strip(), QUOTED) for row in (start, stop - 1))
    if stop == start + 1:
        return f"`~` removes line {stop}: `{first}`"
    return f"`~` removes lines {start + 1}-{stop}: `{first}` … `{last}`"
