"""The file that hunks are to be placed in: its lines, where each is, and their keys.

Nothing is computed before it is asked for; a hunk that is there as written needs no key.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from git_opatch.locate.outline import OutlineKind, heading_at
from git_opatch.locate.prose import Prose
from git_opatch.model.limits import FEW, MANY
from git_opatch.model.line_forms import key_of
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.paths import is_document
from git_opatch.model.reading import Found
from git_opatch.model.text import BYTE_ORDER_MARK, Text, indentation, without_cr


class FileIndex:
    """One file. `written` are the lines of it that other hunks of the patch, `placed`, wrote."""

    def __init__(
        self,
        text: Text,
        hunks: Sequence[Hunk],
        path: str = "",
        written: Sequence[range] = (),
        placed: Sequence[Hunk] = (),
    ) -> None:
        self.text = text
        self.hunks = [*hunks, *placed]
        """All hunks of the patch for that file, as far as they are known."""
        self.placed = placed
        self.path = path
        self.written = written
        self.loose: dict[tuple[tuple[Line, ...], int], Found] = {}
        """What was found for the lines of a hunk at a grade."""
        self.enclosing: dict[int, int | None] = {}
        """The heading above each position that a message asked for."""
        self._block_ends: dict[int, int] = {}
        lines = text.lines
        if text.crlf:
            lines = [without_cr(line) for line in lines]
        if lines and lines[0].startswith(BYTE_ORDER_MARK) and not self._shows_mark():
            lines = [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]]
        self.lines = lines

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
        asked = self._asked.get(text)
        return self._every.get(text, ()) if asked is None else asked

    @cached_property
    def _asked(self) -> dict[bytes, list[int]]:
        """Where the lines of the hunks are: a file is larger than what is looked for in it."""
        lines = (line for hunk in self.hunks for line in hunk.lines)
        found: dict[bytes, list[int]] = {self.normal(line.text): [] for line in lines}
        for row, line in enumerate(self.lines):
            if line in found:
                found[line].append(row)
        return found

    @cached_property
    def _every(self) -> dict[bytes, list[int]]:
        """Where each line is: for lines that no hunk has as they are written."""
        found: dict[bytes, list[int]] = {}
        for row, line in enumerate(self.lines):
            found.setdefault(line, []).append(row)
        return found

    def runs(self, texts: Sequence[bytes]) -> list[int]:
        """List the rows where `texts`, of which there is one, stand line by line; a few too many
        where they are many."""
        lines, size = self.lines, len(texts)
        where = list(map(self.rows_of, texts))
        rarest = min(range(size), key=lambda at: len(where[at]))
        found = []
        for row in where[rarest]:
            start = row - rarest
            if start >= 0 and lines[start : start + size] == texts:
                found.append(start)
                if len(found) > MANY:
                    break
        return found

    @cached_property
    def trimmed(self) -> dict[bytes, list[int]]:
        """Where the lines that the hunks show are, without their indentation."""
        lines = (line for hunk in self.hunks for line in hunk.preimage)
        found: dict[bytes, list[int]] = {self.normal(line.text).strip(): [] for line in lines}
        for row, line in enumerate(self.lines):
            text = line.strip()
            if text in found:
                found[text].append(row)
        return found

    def runs_trimmed(self, texts: Sequence[bytes]) -> list[int]:
        """List the rows where `texts`, which are trimmed, stand with any indentation."""
        where = self.trimmed
        rarest = min(range(len(texts)), key=lambda at: len(where.get(texts[at], ())))
        found = []
        for row in where.get(texts[rarest], ())[:FEW]:
            start = row - rarest
            lines = self.lines[max(start, 0) : start + len(texts)]
            if start >= 0 and [line.strip() for line in lines] == texts:
                found.append(start)
        return found

    @cached_property
    def keys(self) -> list[bytes]:
        """The loosest form of each line."""
        return list(map(key_of, self.lines))

    @cached_property
    def solid(self) -> list[int]:
        """The rows of the lines that are not blank."""
        return [row for row, key in enumerate(self.keys) if key]

    @cached_property
    def solid_keys(self) -> list[bytes]:
        """Their keys."""
        return [key for key in self.keys if key]

    @cached_property
    def where(self) -> dict[bytes, list[int]]:
        """The places in `solid` of each key."""
        found: dict[bytes, list[int]] = {}
        for place, key in enumerate(self.solid_keys):
            found.setdefault(key, []).append(place)
        return found

    def places_of(self, keys: Sequence[bytes]) -> list[int]:
        """List the places in `solid` where lines with these keys stand one after another."""
        rarest = min(range(len(keys)), key=lambda at: len(self.where.get(keys[at], ())))
        starts = (place - rarest for place in self.where.get(keys[rarest], ()))
        size, wanted = len(keys), list(keys)
        return [at for at in starts if at >= 0 and self.solid_keys[at : at + size] == wanted]

    def place_of(self, row: int) -> int:
        """Return the place in `solid` of the first line that is not above `row`."""
        return bisect_left(self.solid, row)

    @cached_property
    def joined(self) -> bytes:
        """All lines, joined."""
        return b"\n".join(self.lines)

    def containing(self, text: bytes) -> list[int]:
        """List the rows of the lines that have `text` somewhere."""
        found, row, counted, at = [], 0, 0, self.joined.find(text)
        while at >= 0:
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
            if heading_at(self.lines, row) is kind and not self.is_written(row):
                yield row

    def is_written(self, row: int) -> bool:
        """Return whether another hunk wrote that line."""
        return any(row in lines for lines in self.written)

    @cached_property
    def removed(self) -> Counter[bytes]:
        """The lines that the hunks remove, and how often."""
        lines = (line for hunk in self.hunks for line in hunk.lines)
        return Counter(self.normal(line.text) for line in lines if line.prefix is Prefix.REMOVED)
