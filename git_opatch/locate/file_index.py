"""The file that hunks are to be placed in: its lines, where each is, and their keys.

It must not know a rule of matching: it only answers where lines are.

Nothing is computed before it is asked for; a hunk that is there as written needs no key.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import compress, islice, repeat
from operator import not_

from git_opatch.locate.likeness import match
from git_opatch.locate.line_forms import key_of
from git_opatch.locate.outline import OutlineKind, heading_at
from git_opatch.locate.prose import Prose
from git_opatch.locate.reading import Fits, Found, Match, Step
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.paths import is_document
from git_opatch.model.text import BYTE_ORDER_MARK, Text, indentation, without_cr


class LineIndex:
    """Lines in one form, and where each of them is.

    Those that are `asked` for are indexed first, and all once another one is asked for.
    """

    def __init__(self, lines: Sequence[bytes], asked: Iterable[bytes] | None = None) -> None:
        self.lines = lines
        self._runs: dict[tuple[bytes, ...], list[int]] = {}
        self._is_whole = asked is None
        self._where: dict[bytes, list[int]] = {text: [] for text in asked or ()}
        is_known = repeat(True) if self._is_whole else map(self._where.__contains__, lines)
        for row in compress(range(len(lines)), is_known):
            self._where.setdefault(lines[row], []).append(row)

    def rows(self, text: bytes) -> Sequence[int]:
        """List where the line `text` is."""
        is_asked = self._is_whole or text in self._where
        if not is_asked and text in self._distinct:
            self._where = LineIndex(self.lines)._where
            self._is_whole = True
        return self._where.get(text, ())

    @cached_property
    def _distinct(self) -> frozenset[bytes]:
        return frozenset(self.lines)

    def runs(self, texts: Sequence[bytes]) -> Sequence[int]:
        """List the rows where `texts`, of which there is one, are line by line; one too many where
        they are many. Equal texts share the list, which is not to be changed."""
        asked = tuple(texts)
        if asked not in self._runs:
            self._runs[asked] = list(islice(self._each_run(list(texts)), MANY + 1))
        return self._runs[asked]

    def _each_run(self, texts: list[bytes]) -> Iterator[int]:
        """Look at the rarest line, unless that compares more lines than there are."""
        size = len(texts)
        where = [self.rows(text) for text in texts]
        rarest = min(range(size), key=lambda at: len(where[at]))
        if len(where[rarest]) * size > len(self.lines):
            yield from self._each_occurrence(texts)
            return
        for row in where[rarest]:
            start = row - rarest
            if start >= 0 and self.lines[start : start + size] == texts:
                yield start

    def _each_occurrence(self, texts: Sequence[bytes]) -> Iterator[int]:
        wanted = b"\n".join((b"", *texts, b""))
        row, at = -1, -1
        while (found := self._joined.find(wanted, at + 1)) >= 0:
            row += self._joined.count(b"\n", at + 1, found + 1)
            yield row
            at = found

    @cached_property
    def _joined(self) -> bytes:
        return b"\n".join((b"", *self.lines, b""))


class FileIndex:
    """One file. `written` are the rows of it that other hunks of the patch, `placed`, wrote."""

    def __init__(
        self,
        text: Text,
        hunks: Sequence[Hunk],
        path: str = "",
        written: Collection[int] = (),
        placed: Sequence[Hunk] = (),
    ) -> None:
        self.text = text
        self.hunks = [*hunks, *placed]
        """All hunks of the patch for that file, as far as they are known."""
        self.placed = placed
        self.path = path
        self.written = written
        self.fits: dict[tuple[object, ...], Fits] = {}
        """Where lines fit, at each grade that they were sought at: equal hunks share it."""
        self.found: dict[Anchor, Found] = {}
        """Where each anchor is that was asked for."""
        self.scopes: dict[tuple[int, bool], tuple[int, bool]] = {}
        """How far the scope of each line goes that was asked for, or surely does, and whether it
        ends there."""
        self._matches: dict[tuple[bool, bytes, bytes, bool], Match | None] = {}
        self.enclosing: dict[int, int | None] = {}
        """The heading above each position that a message asked for."""
        self.defined: dict[tuple[bytes, bytes], list[int]] = {}
        """The rows of the definitions of each name, with its qualifier, that was asked for."""
        self._block_ends: dict[int, int] = {}
        lines = text.lines
        if text.crlf:
            lines = [without_cr(line) for line in lines]
        if lines and lines[0].startswith(BYTE_ORDER_MARK) and not self._shows_mark():
            lines = [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]]
        self.lines = lines

    @cached_property
    def key(self) -> Callable[[bytes], bytes]:
        """The key of a line of a hunk, once for each."""
        return cache(key_of)

    @cached_property
    def heading_at(self) -> Callable[[int], OutlineKind | None]:
        """The kind of heading that is at a row, once for each."""
        return cache(partial(heading_at, self.lines))

    @cached_property
    def left_out(self) -> Callable[[int], Step]:
        """The step of a line that a hunk leaves out, once for each."""
        return cache(lambda row: Step(Line(Prefix.CONTEXT, self.lines[row]), row, is_shown=False))

    def _shows_mark(self) -> bool:
        return any(
            line.text.startswith(BYTE_ORDER_MARK) for hunk in self.hunks for line in hunk.preimage
        )

    def normal(self, line: bytes) -> bytes:
        """Return a line of the patch as it is compared with `lines`."""
        return without_cr(line) if self.text.crlf else line

    @cached_property
    def is_document(self) -> bool:
        """Whether it is prose, by its name."""
        return is_document(self.path)

    @cached_property
    def prose(self) -> Prose:
        """What is prose in the file."""
        return Prose(self.path, self.lines)

    def rows_of(self, text: bytes) -> Sequence[int]:
        """List where the file has a line that is `text`."""
        return self.as_written.rows(text)

    def runs(self, texts: Sequence[bytes]) -> Sequence[int]:
        """List the rows where `texts`, of which there is one, are line by line."""
        return self.as_written.runs(texts)

    @cached_property
    def as_written(self) -> LineIndex:
        """The lines; at first only those of the hunks, for a file is larger than these."""
        asked = (self.normal(line.text) for hunk in self.hunks for line in hunk.lines)
        return LineIndex(self.lines, asked)

    @cached_property
    def keys(self) -> list[bytes]:
        """The loosest form of each line."""
        known: dict[bytes, bytes] = {}
        return [known.get(line) or known.setdefault(line, key_of(line)) for line in self.lines]

    @cached_property
    def blanks(self) -> bytes:
        """Of each line, whether it is blank: 1 or 0."""
        return bytes(map(not_, self.keys))

    @cached_property
    def solid(self) -> list[int]:
        """The rows of the lines that are not blank."""
        return [row for row, key in enumerate(self.keys) if key]

    @cached_property
    def solid_lines(self) -> list[bytes]:
        """These lines."""
        return [self.lines[row] for row in self.solid]

    def match(self, is_context: bool, text: bytes, found: bytes, in_prose: bool) -> Match | None:
        """Return how a line of a hunk is a line of the file, as `likeness.match`; once for each."""
        asked = (is_context, text, found, in_prose)
        if asked not in self._matches:
            self._matches[asked] = match(*asked, self.prose)
        return self._matches[asked]

    @cached_property
    def by_key(self) -> LineIndex:
        """Their keys; a place of one is its index in `solid`."""
        asked = (self.key(self.normal(line.text)) for hunk in self.hunks for line in hunk.lines)
        return LineIndex([key for key in self.keys if key], asked)

    def place_of(self, row: int) -> int:
        """Return the place in `solid` of the first line that is not above `row`."""
        return bisect_left(self.solid, row)

    @cached_property
    def joined(self) -> bytes:
        """All lines, joined."""
        return b"\n".join(self.lines)

    def containing(self, text: bytes, most: int | None = None) -> list[int]:
        """List the rows of the lines that have `text` somewhere; the first `most`, and one more."""
        found, row, counted = list[int](), 0, 0
        at = self.joined.find(text) if text else -1  # a name may be empty
        while at >= 0 and (most is None or len(found) <= most):
            row += self.joined.count(b"\n", counted, at)
            found.append(row)
            counted = self.joined.find(b"\n", at)
            at = self.joined.find(text, counted) if counted >= 0 else -1
        return found

    def block_end(self, start: int) -> int:
        """Return the row after the lines that are deeper than that at `start`, or its brace."""
        if start not in self._block_ends:
            self._block_ends[start] = self._find_block_end(start)
        return self._block_ends[start]

    def _find_block_end(self, start: int) -> int:
        own = indentation(self.lines[start])
        first = start + 1 + (self.lines[start + 1 : start + 2] == [own + b"{"])
        for row in range(first, len(self.lines)):
            line = self.lines[row]
            if line.strip() and len(indentation(line)) <= len(own):
                return row
        return len(self.lines)

    def headings(self, kind: OutlineKind, start: int, stop: int) -> Iterable[int]:
        """Yield the rows of the headings of one kind, but for those that other hunks wrote."""
        for row in range(start, min(stop, len(self.lines))):
            if self.heading_at(row) is kind and not self.is_written(row):
                yield row

    def is_written(self, row: int) -> bool:
        """Return whether another hunk wrote that line."""
        return row in self.written

    @cached_property
    def removed(self) -> Counter[bytes]:
        """The lines that the hunks remove, and how often."""
        lines = (line for hunk in self.hunks for line in hunk.lines)
        return Counter(self.normal(line.text) for line in lines if line.prefix is Prefix.REMOVED)

    @cached_property
    def patched(self) -> bytes:
        """All lines of the hunks, joined."""
        return b"\n".join(line.text for hunk in self.hunks for line in hunk.lines)

    @cached_property
    def kept_encodings(self) -> set[bool]:
        """Whether the lines that are not ASCII, and that no hunk removes, are UTF-8."""
        lines = (text for text in self.lines if not text.isascii())
        return {is_utf8(text) for text in lines if len(self.rows_of(text)) > self.removed[text]}


def is_utf8(line: bytes) -> bool:
    """Return whether a line is in UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
