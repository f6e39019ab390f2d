"""A file as hunks see it: its lines, and where runs of them are, by any key.

It must not know hunks, but by the lines that they remove.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, islice
from operator import ne

from git_opatch.locate.forms import is_utf8, shown_in_gbk, skeletons
from git_opatch.locate.heads import Heads
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.paths import is_document
from git_opatch.model.text import BYTE_ORDER_MARK, Text, without_cr

_WHITESPACE = b" \t\n\v\f\r"


class Index:
    """The keys of lines, and the rows of each key. Rows count from 0."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self.keys = keys
        self._last = last = dict(zip(keys, range(len(keys)), strict=True))
        self._before: dict[bytes, list[int]] = {}
        if len(last) < len(keys):
            for row, key in enumerate(keys):
                if last[key] != row:
                    self._before.setdefault(key, []).append(row)
        self._runs = cache(self._find_runs)

    def __contains__(self, key: bytes) -> bool:
        return key in self._last

    def rows(self, key: bytes) -> list[int]:
        """List the rows of a key."""
        last = self._last.get(key)
        return [] if last is None else [*self._before.get(key, ()), last]

    def count(self, key: bytes) -> int:
        """Return how many rows have a key."""
        return len(self._before.get(key, ())) + (key in self._last)

    def runs(self, keys: Sequence[bytes]) -> list[int]:
        """List where `keys` are in a row: the first rows, at most one more than `MANY`."""
        return self._runs(tuple(keys)) if keys else []

    def _find_runs(self, keys: tuple[bytes, ...]) -> list[int]:
        counts = [*map(self.count, keys)]
        least = min(counts)
        if least > MANY:
            return list(islice(self._scan(keys), MANY + 1))
        rarest, size, wanted = counts.index(least), len(keys), list(keys)
        starts = (row - rarest for row in self.rows(keys[rarest]))
        return [at for at in starts if at >= 0 and self.keys[at : at + size] == wanted]

    def _scan(self, keys: Sequence[bytes]) -> Iterator[int]:
        """Yield where `keys` are, of which each is at many rows: by bytes, in linear time."""
        wanted = b"\n".join((b"", *keys, b""))
        at = self._joined.find(wanted)
        while at >= 0:
            yield bisect_right(self._offsets, at) - 1
            at = self._joined.find(wanted, at + 1)

    @cached_property
    def _joined(self) -> bytes:
        return b"\n".join((b"", *self.keys, b""))

    @cached_property
    def _offsets(self) -> list[int]:
        """Where the newline in front of each key is."""
        return list(accumulate((len(key) + 1 for key in self.keys), initial=0))

    def near(self, keys: Sequence[bytes]) -> list[int]:
        """List where all of `keys` but one at most are, one for one.

        Of the two rarest one is at its row. Where both are at more than `MANY` rows, one half of
        the keys is; of these `runs` lists as many as it does, and of where all are.
        """
        counts = sorted((self.count(key), at) for at, key in enumerate(keys))
        if len(counts) < 2 or counts[1][0] == 0:
            return self.runs(keys)
        known = counts[:2] if counts[0][0] else counts[1:2]
        if known[-1][0] <= MANY:
            starts = {row - at for _, at in known for row in self.rows(keys[at])}
        else:
            half = len(keys) // 2
            starts = {*self.runs(keys[:half]), *(row - half for row in self.runs(keys[half:]))}
            starts.update(self.runs(keys))
        last = len(self.keys) - len(keys)
        return sorted(at for at in starts if 0 <= at <= last and self.unlike(keys, at) <= 1)

    def unlike(self, keys: Sequence[bytes], at: int) -> int:
        """Return how many of `keys` are others than the ones from row `at` on."""
        return sum(map(ne, keys, self.keys[at : at + len(keys)]))


class File:
    """The lines of a file, without what belongs to their framing: a carriage return, if all lines
    have one, and a byte-order mark that no hunk shows.

    `written` are the rows that other hunks, or earlier sections, wrote.
    """

    def __init__(
        self,
        text: Text,
        path: str = "",
        hunks: Sequence[Hunk] = (),
        written: frozenset[int] = frozenset(),
    ) -> None:
        self.text, self.path, self.hunks, self.written = text, path, hunks, written
        self.lines: list[bytes] = [*(map(without_cr, text.lines) if text.crlf else text.lines)]
        if self.lines and self.lines[0].startswith(BYTE_ORDER_MARK) and not self._is_mark_shown():
            self.lines[0] = self.lines[0].removeprefix(BYTE_ORDER_MARK)
        self.is_document = is_document(path) and not b"".join(self.lines[:1]).startswith(b"#!")

    def _is_mark_shown(self) -> bool:
        shown = (line.text for hunk in self.hunks for line in hunk.preimage)
        return any(text.startswith(BYTE_ORDER_MARK) for text in shown)

    def texts(self, lines: Sequence[Line]) -> list[bytes]:
        """Return lines of a hunk as they are compared with those of the file."""
        return [without_cr(line.text) if self.text.crlf else line.text for line in lines]

    def runs(self, lines: Sequence[Line]) -> list[int]:
        """List where lines of a hunk are, exactly and in a row."""
        return self.exact.runs(self.texts(lines))

    @cached_property
    def exact(self) -> Index:
        """Each line as it is."""
        return Index(self.lines)

    @cached_property
    def joined(self) -> bytes:
        """All lines."""
        return b"\n".join(self.lines)

    @cached_property
    def solid(self) -> list[int]:
        """The rows of the lines that are not blank."""
        return [row for row, line in enumerate(self.lines) if line.strip()]

    @cached_property
    def skeletons(self) -> Index:
        """The solid lines by the key that all lines share which may be one in any class."""
        return Index(skeletons([self.lines[row] for row in self.solid]))

    @cached_property
    def not_ascii(self) -> Counter[bytes]:
        """The lines that are not in ASCII, with how often."""
        return Counter(line for line in self.lines if not line.isascii())

    @cached_property
    def encodings(self) -> set[bool]:
        """Whether those that stay are in UTF-8: some are, some are not."""
        return {is_utf8(line) for line in self.not_ascii - self.removed}

    @cached_property
    def shown(self) -> dict[bytes, list[bytes]]:
        """The lines that are not in ASCII, by how a console in GBK shows them."""
        lines: dict[bytes, list[bytes]] = {}
        for line in self.not_ascii:
            lines.setdefault(shown_in_gbk(line), []).append(line)
        return lines

    @cached_property
    def squeezed(self) -> Index:
        """Each line without whitespace and letter case."""
        return Index([line.translate(None, _WHITESPACE).lower() for line in self.lines])

    @cached_property
    def heads(self) -> Heads:
        """What begins a block."""
        return Heads(self.lines, self.joined, self.written, is_document=self.is_document)

    @cached_property
    def patched(self) -> bytes:
        """All lines of the hunks."""
        return b"\n".join(line.text for hunk in self.hunks for line in hunk.lines)

    @cached_property
    def removed(self) -> Counter[bytes]:
        """The lines that hunks remove, with how often."""
        return Counter(
            line.text for hunk in self.hunks for line in hunk.lines if line.prefix is Prefix.REMOVED
        )

    @cached_property
    def grown(self) -> dict[int, int]:
        """How many lines all hunks before one add, by its ordinal."""
        grown: dict[int, int] = {}
        total = 0
        for hunk in sorted(self.hunks, key=lambda hunk: hunk.ordinal):
            grown.setdefault(hunk.ordinal, total)
            total += len(hunk.postimage) - len(hunk.preimage)
        return grown

    def is_solid(self, row: int) -> bool:
        """Return whether there is a line at `row` that is not blank."""
        return 0 <= row < len(self.lines) and bool(self.lines[row].strip())
