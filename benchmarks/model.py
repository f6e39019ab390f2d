"""The values of the benchmarks: the change of a commit, a patch for it, and a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum

from trees import Tree

CONTEXT, REMOVED, ADDED, BARE = " ", "-", "+", ""
"""The marks of a hunk's line; a bare line is context whose mark the writer forgot."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines `old_start` to `old_stop` of the old file become those of the new, from 0."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int

    @property
    def growth(self) -> int:
        """How many lines more there are afterwards."""
        return self.new_stop - self.new_start - self.old_stop + self.old_start


def growth_above(edits: Sequence[Edit], at: int) -> int:
    """How many lines more there are above a line of the old file."""
    return sum(edit.growth for edit in edits if edit.old_stop <= at)


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a commit did to one text file; the lines are without their newlines."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    edits: tuple[Edit, ...]

    def edits_in(self, piece: Piece) -> list[Edit]:
        """The edits that are in a hunk."""
        stop = piece.start + piece.size
        return [e for e in self.edits if piece.start <= e.old_start and e.old_stop <= stop]


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's changes of existing text files; `repository` is the name of its repository."""

    repository: str
    id: str
    files: tuple[FileChange, ...]

    def __str__(self) -> str:
        return f"{self.repository} {self.id[:10]}"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a hunk: what is written, and what is true; `truth` is None for invented lines."""

    prefix: str
    text: str
    truth: str | None
    newline: bool = True

    @property
    def is_old(self) -> bool:
        """Whether the line claims to be in the file."""
        return self.prefix != ADDED

    @property
    def is_context(self) -> bool:
        """Whether the line is neither removed nor added."""
        return self.prefix in (CONTEXT, BARE)

    @property
    def is_true(self) -> bool:
        """Whether the line is written as it is."""
        return self.text == self.truth


def true_rows(prefix: str, texts: Sequence[str]) -> tuple[Row, ...]:
    """Lines that are written as they are."""
    return tuple(Row(prefix, text, text) for text in texts)


@dataclass(frozen=True, slots=True)
class Head:
    """The line that begins a hunk: anchors, or numbers (from 0) with the text that git adds."""

    anchors: tuple[str, ...] = ()
    numbers: tuple[int, int] | None = None
    heading: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What the head says of the place, besides numbers."""
        return self.anchors or ((self.heading,) if self.heading else ())


class Written(Enum):
    """How the lines of a hunk are written down."""

    PLAIN = "plain"
    DOUBLED = "doubled prefixes"
    NUMBERED = "copied line numbers"
    OLD_NUMBERED = "copied line numbers in the old lines"


@dataclass(frozen=True, slots=True)
class Piece:
    """A hunk in the making; `start` is its true position in the base, from 0."""

    rows: tuple[Row, ...]
    start: int
    head: Head = Head()
    at_end: bool = False
    written: Written = Written.PLAIN
    changes: int = 0
    """How many transformations touched the lines."""
    tolerances: int = 0
    """How many of them are tolerable only where all else is exact."""
    has_gaps: bool = False
    is_true: bool = True
    """Whether the hunk is a part of the true change, so that its position counts."""

    @property
    def old(self) -> tuple[str, ...]:
        """The lines, as written, that the file must have."""
        return tuple(row.text for row in self.rows if row.is_old)

    @property
    def after(self) -> tuple[str, ...]:
        """The lines, as written, that the file will have."""
        return tuple(row.text for row in self.rows if row.prefix != REMOVED)

    @property
    def size(self) -> int:
        """How many lines of the base it covers."""
        return sum(row.is_old and row.truth is not None for row in self.rows)

    def indexes(self, *prefixes: str) -> list[int]:
        """The positions of the lines with one of these prefixes that are as they are."""
        return [
            at
            for at, row in enumerate(self.rows)
            if row.prefix in prefixes and row.truth is not None
        ]

    def with_text(self, at: int, text: str) -> Piece:
        """The hunk with line `at` written otherwise."""
        return self.with_row(at, replace(self.rows[at], text=text))

    def with_row(self, at: int, *rows: Row) -> Piece:
        """The hunk with other rows for line `at`."""
        return replace(self, rows=(*self.rows[:at], *rows, *self.rows[at + 1 :]))

    def changed(self, *, tolerance: bool = False) -> Piece:
        """The hunk, counted as touched by one transformation more."""
        return replace(self, changes=self.changes + 1, tolerances=self.tolerances + tolerance)


Section = tuple[str, Sequence[Piece]]
"""The part of a patch for the file of a path."""


class Format(Enum):
    """The format of a patch."""

    ENVELOPE = "envelope"
    UNIFIED = "unified"
    BLOCKS = "search and replace"
    STRINGS = "string replacement"


class Header(Enum):
    """The text after the `@@` of a hunk."""

    BARE = "bare"
    NAMED = "named"
    """An anchor in an envelope; in a diff right numbers, and the text that git adds."""
    RIGHT = "right numbers"
    INVENTED = "invented numbers"


class Verdict(IntEnum):
    """What a careful reader does who has the patch and the file alone; the strictest comes last."""

    APPLY = 0
    """There is one reading: the true result."""
    MAY = 1
    """The text may be too little: the true result or a refusal, and nothing else."""
    REFUSE = 2
    """A claim of the patch is not so, or the text does not say what it wants."""


@dataclass(frozen=True, slots=True)
class Case:
    """The files that a patch is for, and the expected result: None where it must be refused."""

    kind: str
    number: int
    source: str
    """The repository and commit that it is from."""
    base: Tree
    expected: Tree | None
    verdict: Verdict


def to_bytes(lines: tuple[str, ...], ending: str = "\n") -> bytes:
    """Return the bytes of a file with these lines."""
    return "".join(line + ending for line in lines).encode()
