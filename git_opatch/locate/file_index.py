r"""The file that hunks are searched for in, and how its lines are compared with theirs.

A `\r` that every line of the file has only frames the lines: they are compared without it (D46).
In any other file a `\r` is content (D12). A byte-order mark is not part of the first line, unless
a hunk shows it (D44, D48).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from git_opatch.locate.headings import Headings
from git_opatch.locate.line_index import LineIndex, matches_at
from git_opatch.locate.normal_lines import NormalizedLines
from git_opatch.locate.prose import Prose
from git_opatch.locate.tiers import NORMAL, typographic
from git_opatch.model.limits import MANY
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.text import BYTE_ORDER_MARK, Text, indentation, without_cr

_MAX_HUNKS_UNINDEXED = 4
"""For no more hunks than this, searching the file itself is faster than indexing it."""


class FileIndex:
    """The lines of one file, indexed for the hunks that are to be placed in it.

    `changed` are the lines that other hunks of the patch wrote, `placed` those hunks; `path` is
    the name of the file.
    """

    def __init__(
        self,
        text: Text,
        hunks: Sequence[Hunk],
        changed: Sequence[range] = (),
        placed: Sequence[Hunk] = (),
        path: str = "",
    ) -> None:
        self.text = text
        self.placed = placed
        self._path = path
        self.scope_ends: dict[int, int] = {}
        """What `anchor.scope_end` found, by the position of the heading."""
        self.scopes_until: dict[int, int] = {}
        """Down to where no end was found of a scope, by the position of the heading."""
        self.enclosing: dict[int, int | None] = {}
        """What `enclosing.name_enclosing` found, by position."""
        self.changed = changed
        self._hunks = hunks
        self.lines = self._compared_lines()
        self._containing: dict[bytes, list[int]] = {}
        self._block_ends: dict[int, int] = {}
        self._views: dict[Tier, NormalizedLines] = {}

    @property
    def hunks(self) -> Sequence[Hunk]:
        """The hunks that are to be placed."""
        return self._hunks

    def _compared_lines(self) -> Sequence[bytes]:
        lines = self.text.lines
        if self.text.crlf:
            lines = [without_cr(line) for line in lines]
        if self._hides_byte_order_mark():
            return [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]]
        return lines

    def _hides_byte_order_mark(self) -> bool:
        """Return whether the file has a byte-order mark that no hunk shows."""
        if not self.text.lines or not self.text.lines[0].startswith(BYTE_ORDER_MARK):
            return False
        shown = (line.text for hunk in self._hunks for line in hunk.preimage)
        return not any(line.startswith(BYTE_ORDER_MARK) for line in shown)

    def normal(self, line: bytes) -> bytes:
        """Return a line of the patch as it is compared with `lines`."""
        return without_cr(line) if self.text.crlf else line

    def _texts(self, lines: Iterable[Line]) -> list[bytes]:
        texts = [line.text for line in lines]
        return list(map(without_cr, texts)) if self.text.crlf else texts

    def view(self, tier: Tier) -> NormalizedLines:
        """Return the file as a loose tier compares it."""
        if tier not in self._views:
            stricter = self._views.get(Tier.RESILIENT)
            lines = stricter.keys if stricter else self.lines
            wanted = (line.text for hunk in self._hunks for line in hunk.lines)
            self._views[tier] = NormalizedLines(lines, tier, wanted, self.normal)
        return self._views[tier]

    def find_at_tier(self, lines: Sequence[Line], tier: Tier) -> Sequence[int]:
        """List the positions where `lines`, of which one is not blank, match one by one at a loose
        tier: those that `view(tier).find_line_by_line` lists.

        The normal forms of all lines are not needed where the longest word is on few of them.
        """
        if tier not in self._views and len(self._hunks) <= _MAX_HUNKS_UNINDEXED:
            keys = [NORMAL[tier](self.normal(line.text)) for line in lines]
            at, word = max(
                ((at, word) for at, key in enumerate(keys) for word in key.split()),
                key=lambda pair: len(pair[1]),
            )
            rows = self._rows_with(word, tier)
            if rows is not None:
                found = (row - at for row in rows)
                return [start for start in found if self._has_keys(keys, start, tier)]
        return self.view(tier).find_line_by_line(lines)

    def _rows_with(self, word: bytes, tier: Tier) -> list[int] | None:
        """List the lines whose normal form may have `word`; None if they are many, or not known.

        The resilient form of a line has no words but the line's own. The fuzzy form has them in
        lower case and without backticks, where the line is ASCII; any other line may have any.
        """
        joined = self._joined
        others: Sequence[int] = ()
        if tier is Tier.FUZZY:
            if b"`" in word:
                return None
            joined = joined.lower().replace(b"`", b"")
            if not joined.isascii():
                others = [row for row, line in enumerate(self.lines) if not line.isascii()]
        rows = set(islice(_rows_containing(word, joined), MANY)).union(others)
        return sorted(rows) if len(rows) < MANY else None

    def _has_keys(self, keys: Sequence[bytes], start: int, tier: Tier) -> bool:
        """Return whether the normal forms of the lines at `start` are `keys`."""
        found = self.lines[start : start + len(keys)] if start >= 0 else ()
        return len(found) == len(keys) and all(
            NORMAL[tier](line) == key for line, key in zip(found, keys, strict=True)
        )

    @cached_property
    def _line_index(self) -> LineIndex:
        return LineIndex(self.lines, self._wanted(self._hunks))

    @cached_property
    def _wide_line_index(self) -> LineIndex:
        """The same, with the lines of variants of hunks, which few patches are searched for."""
        return LineIndex(self.lines, self._wanted([*self._hunks, *self._variants]))

    def _line_index_for(self, texts: Iterable[bytes]) -> LineIndex:
        """Return an index that has all of `texts`, if they are those of a hunk or a variant.

        Both list the same positions of lines that both have.
        """
        return self._line_index if self._line_index.has_all(texts) else self._wide_line_index

    def _wanted(self, hunks: Iterable[Hunk]) -> set[bytes]:
        wanted = {b""}  # a hunk that is found gets the file's blank lines
        for hunk in hunks:
            wanted.update(self._texts(hunk.lines))
            wanted.update(self.normal(anchor.text) for anchor in hunk.anchors)
        return wanted

    @cached_property
    def _variants(self) -> list[Hunk]:
        from git_opatch.locate.variants import variants_of

        return [variant.hunk for hunk in self._hunks for variant in variants_of(hunk)]

    def find(self, lines: Sequence[Line]) -> list[int]:
        """List the positions of `lines`, of which there is at least one, compared strictly.

        If even the line endings are the same at some positions, only those are listed.
        """
        texts = self._texts(lines)
        few = len(self._hunks) <= _MAX_HUNKS_UNINDEXED
        positions = self._find_unindexed(texts) if few else None
        if positions is None:
            positions = self._line_index_for(texts).find(texts)
        if not self.text.crlf:
            return positions
        exact = [position for position in positions if self.has_endings(lines, position)]
        return exact or positions

    def _find_unindexed(self, texts: Sequence[bytes]) -> list[int] | None:
        """Find the only position of `texts` in the file's bytes; None if there are several."""
        sought = _bordered(texts)
        offset = self._bordered.find(sought)
        if offset < 0:
            return []
        second = self._bordered.find(sought, offset + 1)
        return [self._bordered.count(b"\n", 0, offset)] if second < 0 else None

    @cached_property
    def _bordered(self) -> bytes:
        return _bordered(self.lines)

    def first_match(self, starts: Iterable[int], lines: Sequence[Line]) -> int | None:
        """Return the first of `starts` where `lines`, of which there is at least one, occur."""
        texts = self._texts(lines)
        return next((start for start in starts if matches_at(texts, self.lines, start)), None)

    def has_endings(self, lines: Sequence[Line], start: int) -> bool:
        """Return whether `lines`, found at `start`, have the very line endings of the file."""
        if not self.text.crlf:
            return True
        at_end = start + len(lines) == len(self.lines) and not self.text.final_newline
        has_last = at_end and bool(lines)
        terminated = lines[:-1] if has_last else lines
        same = all(line.text.endswith(b"\r") for line in terminated)
        return same and (not has_last or lines[-1].text == self.text.lines[-1])

    def block_end(self, start: int) -> int:
        """Return the position after the lines that are indented deeper than that at `start`.

        Its brace may be on the line below, as deep as it.
        """
        if start not in self._block_ends:
            self._block_ends[start] = self._find_block_end(start)
        return self._block_ends[start]

    def _find_block_end(self, start: int) -> int:
        depth = len(indentation(self.lines[start]))
        brace = indentation(self.lines[start]) + b"{"
        has_brace = self.lines[start + 1 : start + 2] == [brace]
        for position in range(start + 1 + has_brace, len(self.lines)):
            line = self.lines[position]
            if line.strip() and len(indentation(line)) <= depth:
                return position
        return len(self.lines)

    @cached_property
    def removed(self) -> set[bytes]:
        """The lines that the hunks of the patch remove, as they are compared with `lines`."""
        hunks = (*self._hunks, *self.placed)
        removed = (
            line.text for hunk in hunks for line in hunk.lines if line.prefix is Prefix.REMOVED
        )
        return set(map(self.normal, removed))

    @cached_property
    def stripped(self) -> set[bytes]:
        """All lines without the whitespace around them."""
        return {line.strip() for line in self.lines}

    def is_changed(self, position: int) -> bool:
        """Return whether another hunk of the patch wrote the line at `position`."""
        return any(position in lines for lines in self.changed)

    def positions(self, line: bytes) -> Sequence[int]:
        """List every position of a line that is a hunk's anchor."""
        text = self.normal(line)
        if text and self._has_few_anchors:
            return [at for at in self.containing(text) if self.lines[at] == text]
        return self._line_index_for((text,)).positions(text)

    @cached_property
    def _has_few_anchors(self) -> bool:
        """Whether it is faster to search the file for each anchor than to look at each line."""
        return sum(len(hunk.anchors) for hunk in self._hunks) <= _MAX_HUNKS_UNINDEXED

    def strict_positions(self, text: bytes) -> Sequence[int]:
        """List every position of a line of a hunk, as `normal` returns it."""
        return self._line_index_for((text,)).positions(text)

    @cached_property
    def headings(self) -> Headings:
        """All headings, but for those that other hunks wrote."""
        return Headings(self.lines, self.changed)

    def trimmed_to(self, text: bytes) -> Sequence[int]:
        """List every position of the trimmed text of an anchor, which is not empty, among the
        trimmed lines."""
        if self._has_few_anchors:
            return [at for at in self.containing(text) if self.lines[at].strip() == text]
        found = self._trimmed.get(text)
        return self._trimmed_of_variants.get(text, ()) if found is None else found

    @cached_property
    def _trimmed(self) -> dict[bytes, list[int]]:
        return self._positions_of_trimmed(self._hunks)

    @cached_property
    def _trimmed_of_variants(self) -> dict[bytes, list[int]]:
        return self._positions_of_trimmed(self._variants)

    def _positions_of_trimmed(self, hunks: Iterable[Hunk]) -> dict[bytes, list[int]]:
        """Return the positions of each anchor's trimmed text among the trimmed lines."""
        found: dict[bytes, list[int]] = {
            anchor.text.strip(): [] for hunk in hunks for anchor in hunk.anchors
        }
        for position, line in enumerate(self.lines):
            if (text := line.strip()) in found:
                found[text].append(position)
        return found

    def containing(self, text: bytes) -> list[int]:
        """List the positions of the lines that contain `text`."""
        if text not in self._containing:
            self._containing[text] = list(_rows_containing(text, self._joined))
        return self._containing[text]

    @cached_property
    def _joined(self) -> bytes:
        return b"\n".join(self.lines)

    def has_same_code(self, hunk: Hunk, position: int) -> bool:
        """Return whether `hunk`, found at `position` at the fuzzy tier, has the file's code (D100).

        In code, letter case and final punctuation count. A context line may be the end of one.
        """
        return all(self._has_code(line, at) for at, line in enumerate(hunk.preimage, position))

    def matches(self, line: Line, position: int, tier: Tier) -> bool:
        """Return whether `line` is the file's line at `position`, as `tier` compares them alone."""
        if not 0 <= position < len(self.lines):
            return False
        if tier is Tier.STRICT:
            return self.normal(line.text) == self.lines[position]
        view = self.view(tier)
        is_equal = view.key(line) == view.keys[position]
        return is_equal and (tier is not Tier.FUZZY or self._has_code(line, position))

    def _has_code(self, of_patch: Line, position: int) -> bool:
        line, found = self.normal(of_patch.text), self.lines[position]
        if line == found or self.prose.includes(position):
            return True
        code, in_file = map(typographic, map(self.prose.code_of, (line, found)))
        return in_file.endswith(code)

    @cached_property
    def prose(self) -> Prose:
        """What is prose in the file."""
        return Prose(self._path, self.lines)


def _bordered(lines: Sequence[bytes]) -> bytes:
    """Join `lines` with a newline at each end, so that only whole lines match whole lines."""
    return b"\n".join([b"", *lines, b""])


def _rows_containing(text: bytes, joined: bytes) -> Iterator[int]:
    """Yield the positions of the lines that contain `text`, among lines that are `joined`."""
    position, counted = 0, 0
    offset = joined.find(text)
    while offset >= 0:
        position += joined.count(b"\n", counted, offset)
        yield position
        counted = joined.find(b"\n", offset)
        offset = joined.find(text, counted) if counted >= 0 else -1
