r"""The file that hunks are looked for in, and how its lines and theirs are compared.

A `\r` that every line of the file has is framing: lines are compared without it. In any
other file a `\r` is content. A byte-order mark is no part of the first line, unless some hunk
shows it. Rules: "Strict", "Line endings" and "Encoding" in the project's decisions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from git_opatch.locate.heading import Heading, heading
from git_opatch.locate.repairs import with_single_marks
from git_opatch.locate.seek import Seeker, stands
from git_opatch.locate.view import View
from git_opatch.options import Tier
from git_opatch.patch import Hunk, Line
from git_opatch.text import BYTE_ORDER_MARK, Text, indentation, without_cr

_FEW = 4  # hunks


class Haystack:
    """The lines of one file, indexed for the hunks that are to be placed in it."""

    def __init__(self, text: Text, hunks: Sequence[Hunk], made: Sequence[range] = ()) -> None:
        self.text = text
        self._made = made
        self._marked = bool(text.lines) and text.lines[0].startswith(BYTE_ORDER_MARK)
        if self._marked:
            shown = (line.text for one in hunks for line in one.preimage)
            self._marked = not any(line.startswith(BYTE_ORDER_MARK) for line in shown)
        self.lines = self._compared()
        self._hunks = hunks
        self._containing: dict[bytes, list[int]] = {}
        self._block_ends: dict[int, int] = {}
        self._views: dict[Tier, View] = {}

    def _compared(self) -> Sequence[bytes]:
        lines = self.text.lines
        if self.text.crlf:
            lines = [without_cr(line) for line in lines]
        return [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]] if self._marked else lines

    def normal(self, line: bytes) -> bytes:
        """A line of the patch as it is compared with `lines`."""
        return without_cr(line) if self.text.crlf else line

    def _texts(self, lines: Iterable[Line]) -> list[bytes]:
        texts = [line.text for line in lines]
        return list(map(without_cr, texts)) if self.text.crlf else texts

    def view(self, tier: Tier) -> View:
        """The file as a lenient tier sees it."""
        if tier not in self._views:
            below = self._views.get(Tier.RESILIENT)
            lines = below.keys if below else self.lines
            wanted = (line.text for hunk in self._hunks for line in hunk.lines)
            self._views[tier] = View(lines, tier, wanted, self.normal)
        return self._views[tier]

    @cached_property
    def _seeker(self) -> Seeker:
        return Seeker(self.lines, self._wanted())

    def _wanted(self) -> set[bytes]:
        wanted = {b""}  # a hunk that is found gets the file's blank lines
        for hunk in self._hunks:
            wanted.update(self._texts(hunk.lines))
            wanted.update(self.normal(anchor.text) for anchor in hunk.anchors)
            if single := with_single_marks(hunk):
                wanted.update(self._texts(single.lines))
        return wanted

    def places(self, lines: Sequence[Line]) -> list[int]:
        """Where `lines`, of which there is at least one, stand together.

        Places where even the line endings are the same come alone, if there are any.
        """
        texts = self._texts(lines)
        places = self._only_place(texts) if len(self._hunks) <= _FEW else None
        if places is None:
            places = self._seeker.places(texts)
        if not self.text.crlf:
            return places
        exact = [place for place in places if self.has_endings(lines, place)]
        return exact or places

    def _only_place(self, texts: Sequence[bytes]) -> list[int] | None:
        """Where `texts` stand, found in the file as it is; None if in several places.

        For few hunks this takes less time than to index the file.
        """
        sought = _bordered(texts)
        at = self._bordered.find(sought)
        if at < 0:
            return []
        again = self._bordered.find(sought, at + 1)
        return [self._bordered.count(b"\n", 0, at)] if again < 0 else None

    @cached_property
    def _bordered(self) -> bytes:
        return _bordered(self.lines)

    def first_of(self, starts: Iterable[int], lines: Sequence[Line]) -> int | None:
        """The first of `starts` where `lines`, of which there is at least one, stand."""
        texts = self._texts(lines)
        return next((start for start in starts if stands(texts, self.lines, start)), None)

    def has_endings(self, lines: Sequence[Line], start: int) -> bool:
        """Whether `lines`, which stand at `start`, have the very endings that the file has."""
        if not self.text.crlf:
            return True
        ends = start + len(lines) == len(self.lines) and not self.text.final_newline
        last = ends and bool(lines)
        checked = lines[:-1] if last else lines
        ended = all(line.text.endswith(b"\r") for line in checked)
        return ended and (not last or lines[-1].text == self.text.lines[-1])

    def block_end(self, start: int) -> int:
        """The position after the lines that are indented deeper than that at `start`."""
        if start not in self._block_ends:
            self._block_ends[start] = self._end_of_block(start)
        return self._block_ends[start]

    def _end_of_block(self, start: int) -> int:
        depth = len(indentation(self.lines[start]))
        for at in range(start + 1, len(self.lines)):
            if self.lines[at].strip() and len(indentation(self.lines[at])) <= depth:
                return at
        return len(self.lines)

    def positions(self, line: bytes) -> Sequence[int]:
        """Every position of a line that is some hunk's anchor."""
        return self._seeker.positions(self.normal(line))

    @cached_property
    def headings(self) -> dict[Heading, list[int]]:
        """The positions of all lines that look like a definition or a section, by kind.

        Those that other hunks made are left out.
        """
        found: dict[Heading, list[int]] = {kind: [] for kind in Heading}
        made = {at for lines in self._made for at in lines}
        for at, line in enumerate(self.lines):
            kind = None if at in made else heading(line)
            if kind is not None:
                found[kind].append(at)
        return found

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


def _bordered(lines: Sequence[bytes]) -> bytes:
    """`lines` with a newline at each end, so that only whole lines are found in whole lines."""
    return b"\n".join([b"", *lines, b""])
