r"""The file that hunks are looked for in, and how its lines and theirs are compared.

A `\r` that every line of the file has is framing: lines are compared without it. In any
other file a `\r` is content. Rule: "Strict" and "Line endings" in the project's decisions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from git_opatch.locate.heading import is_heading
from git_opatch.locate.seek import Seeker
from git_opatch.patch import Hunk, Line, Mark
from git_opatch.text import Text, without_cr


class Haystack:
    """The lines of one file, indexed for the hunks that are to be placed in it."""

    def __init__(self, text: Text, hunks: Sequence[Hunk]) -> None:
        self.text = text
        self.lines = [without_cr(line) for line in text.lines] if text.crlf else text.lines
        self._hunks = hunks
        self._seeker = Seeker(self.lines, self._wanted())
        self._places: dict[tuple[bytes, ...], list[int]] = {}
        self._containing: dict[bytes, list[int]] = {}
        self._block_ends: dict[int, int] = {}

    def normal(self, line: bytes) -> bytes:
        """A line of the patch as it is compared with `lines`."""
        return without_cr(line) if self.text.crlf else line

    def _wanted(self) -> Iterator[bytes]:
        for hunk in self._hunks:
            yield from (self.normal(line.text) for line in hunk.lines)
            yield from (self.normal(anchor.text) for anchor in hunk.anchors)

    def places(self, lines: Sequence[Line]) -> list[int]:
        """Where `lines`, of which there is at least one, stand together.

        Places where even the line endings are the same come alone, if there are any.
        """
        pattern = tuple(self.normal(line.text) for line in lines)
        if pattern not in self._places:
            self._places[pattern] = self._seeker.places(pattern)
        places = self._places[pattern]
        if not self.text.crlf:
            return places
        exact = [place for place in places if self.has_endings(lines, place)]
        return exact or places

    def stands(self, lines: Sequence[Line], start: int) -> bool:
        """Whether `lines` stand at `start`."""
        return not lines or self._seeker.stands([self.normal(line.text) for line in lines], start)

    def has_endings(self, lines: Sequence[Line], start: int) -> bool:
        """Whether `lines`, which stand at `start`, have the very endings that the file has."""
        if not self.text.crlf:
            return True
        last = start + len(lines) == len(self.lines) and not self.text.final_newline
        checked = lines[:-1] if last else lines
        ended = all(line.text.endswith(b"\r") for line in checked)
        return ended and (not last or lines[-1].text == self.text.lines[-1])

    def block_end(self, start: int) -> int:
        """The position after the lines that are indented deeper than that at `start`."""
        if start not in self._block_ends:
            self._block_ends[start] = self._end_of_block(start)
        return self._block_ends[start]

    def _end_of_block(self, start: int) -> int:
        depth = _indentation(self.lines[start])
        for at in range(start + 1, len(self.lines)):
            if self.lines[at].strip() and _indentation(self.lines[at]) <= depth:
                return at
        return len(self.lines)

    def positions(self, line: bytes) -> Sequence[int]:
        """Every position of a line that is some hunk's anchor."""
        return self._seeker.positions(self.normal(line))

    @cached_property
    def headings(self) -> list[int]:
        """The positions of all lines that look like a definition or a section."""
        return [at for at, line in enumerate(self.lines) if is_heading(line)]

    @cached_property
    def trimmed(self) -> dict[bytes, list[int]]:
        """The positions of the anchors' trimmed texts among the trimmed lines."""
        found: dict[bytes, list[int]] = {
            anchor.text.strip(): [] for hunk in self._hunks for anchor in hunk.anchors
        }
        for at, line in enumerate(self.lines):
            if (text := line.strip()) in found:
                found[text].append(at)
        return found

    def containing(self, text: bytes) -> list[int]:
        """The positions of the lines that `text` is a part of."""
        if text not in self._containing:
            self._containing[text] = self._search(text)
        return self._containing[text]

    def _search(self, text: bytes) -> list[int]:
        found, at = [], self._joined.find(text)
        while at >= 0:
            line = bisect_right(self._starts, at) - 1
            found.append(line)
            after = self._starts[line] + len(self.lines[line])
            at = self._joined.find(text, after)
        return found

    @cached_property
    def _joined(self) -> bytes:
        return b"\n".join(self.lines)

    @cached_property
    def _starts(self) -> list[int]:
        lengths = (len(line) + 1 for line in self.lines)
        return list(accumulate(lengths, initial=0))

    @cached_property
    def has_blank_line(self) -> bool:
        """Whether any line of the file is empty."""
        return any(not line.strip() for line in self.lines)


def _indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


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
