"""The values of the grammar: a patch in the making, and what a careful reader would do with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from random import Random

from hunks import hunks_of, nearest_heading, numbers
from model import ADDED, BARE, CONTEXT, REMOVED, FileChange, Format, Hunk


class Verdict(IntEnum):
    """What a careful reader does who has the patch and the file alone; the strictest comes last."""

    APPLY = 0
    """There is one reading: the true result."""
    MAY = 1
    """The text may be too little: the true result or a refusal, and nothing else."""
    REFUSE = 2
    """A claim of the patch is not so, or the text does not say what it wants."""


class Written(Enum):
    """How the lines of a hunk are written down."""

    PLAIN = "plain"
    DOUBLED = "doubled prefixes"
    NUMBERED = "copied line numbers"
    OLD_NUMBERED = "copied line numbers in the old lines"


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

    @property
    def makes_a_change(self) -> bool:
        """Whether the hunk as written changes something."""
        return self.old != self.after

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


Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A patch for one file, in the making."""

    change: FileChange
    base: tuple[str, ...]
    expected: tuple[str, ...]
    sections: tuple[Pieces, ...]
    patch_format: Format
    context: int
    verdict: Verdict = Verdict.APPLY
    names: tuple[str, ...] = ()
    twin: bool = False
    ending: str = "\n"
    encoding: str = "utf-8"
    newline: bool = True
    """Whether the file ends with a newline, before and after."""
    between: tuple[str, ...] = ()
    """Prose between the sections, each of which is then a patch of its own."""
    below: tuple[str, ...] = ()
    """Prose right below the patch."""
    cut: int = 0
    """How many characters are missing at the end of the text."""

    @property
    def pieces(self) -> Pieces:
        """The hunks of the first section."""
        return self.sections[0]

    def with_pieces(self, *pieces: Piece) -> Scene:
        """The scene with other hunks in the first section."""
        return replace(self, sections=(pieces, *self.sections[1:]))

    def with_piece(self, at: int, piece: Piece) -> Scene:
        """The scene with another hunk in the first section."""
        return self.with_pieces(*self.pieces[:at], piece, *self.pieces[at + 1 :])

    def to_bytes(self, lines: tuple[str, ...]) -> bytes:
        """The bytes of the file with these lines."""
        data = "".join(line + self.ending for line in lines).encode(self.encoding)
        return data if self.newline else data.removesuffix(self.ending.encode())

    def judged(self, verdict: Verdict) -> Scene:
        """The scene, judged at least as strictly."""
        return replace(self, verdict=max(self.verdict, verdict))


Transform = Callable[[Scene, Random], Scene | None]
"""A transformation of a patch; None where there is nothing to spoil."""

Spoil = Callable[[Piece, Scene, Random], tuple[Piece, Verdict] | None]
"""A transformation of one hunk."""


def in_one_hunk(spoil: Spoil, *, tolerance: bool = False) -> Transform:
    """Return the transformation that spoils one hunk, drawn among those that can be spoiled."""

    def transform(scene: Scene, rng: Random) -> Scene | None:
        for at in rng.sample(range(len(scene.pieces)), len(scene.pieces)):
            found = spoil(scene.pieces[at], scene, rng) if scene.pieces[at].is_true else None
            if found and _is_spoiled(found[0], scene.pieces[at]):
                piece = found[0].changed(tolerance=tolerance)
                return scene.with_piece(at, piece).judged(found[1])
        return None

    return transform


def _is_spoiled(piece: Piece, before: Piece) -> bool:
    """Whether a hunk is another one now, changes something, and is not mended by two spoilings."""
    mended = all(row.is_true for row in piece.rows) and not all(r.is_true for r in before.rows)
    return piece != before and piece.makes_a_change and not mended


def in_all_hunks(spoil: Spoil) -> Transform:
    """Return the transformation that spoils every hunk that can be spoiled."""

    def transform(scene: Scene, rng: Random) -> Scene | None:
        spoiled = scene
        for at, piece in enumerate(scene.pieces):
            found = spoil(piece, scene, rng) if piece.is_true else None
            if found and _is_spoiled(found[0], piece):
                spoiled = spoiled.with_piece(at, found[0].changed()).judged(found[1])
        return spoiled if spoiled is not scene else None

    return transform


def plain_scene(change: FileChange, context: int, patch_format: Format, head: str) -> Scene:
    """The true change of a file; `head` is `bare`, `named`, `numbers` or `invented`."""
    pieces, drift = [], 0
    for hunk in hunks_of(change, context):
        pieces.append(
            replace(_piece(hunk), head=_head(change, hunk.start, drift, patch_format, head))
        )
        drift += len(hunk.after) - len(hunk.before)
    return Scene(change, change.old, change.new, (tuple(pieces),), patch_format, context)


def _piece(hunk: Hunk) -> Piece:
    return Piece(rows_of(hunk), hunk.start)


def rows_of(hunk: Hunk) -> tuple[Row, ...]:
    """The lines of a hunk, as they are."""
    return tuple(Row(line.prefix, line.text, line.text) for line in hunk.lines)


def _head(change: FileChange, start: int, drift: int, patch_format: Format, head: str) -> Head:
    name = nearest_heading(change, start)
    if head == "named" and patch_format is Format.ENVELOPE:
        return Head(anchors=(name,) if name else ())
    if head in ("named", "numbers"):
        return Head(numbers=(start, start + drift), heading=name if head == "named" else "")
    if head == "invented":
        invented = (start * 7 + 13) % 400
        return Head(numbers=(invented, invented + 1))
    return Head()


def with_numbers(scene: Scene) -> Scene:
    """The scene with right numbers where a hunk has none, for tools that need some."""
    sections = tuple(
        tuple(
            piece
            if piece.head.numbers
            else replace(piece, head=replace(piece.head, numbers=(piece.start, piece.start)))
            for piece in pieces
        )
        for pieces in scene.sections
    )
    return replace(scene, sections=sections)


def write_scene(scene: Scene, patch_format: Format) -> str:
    """The text of the patch."""
    lines: list[str] = []
    for at, pieces in enumerate(scene.sections):
        path = scene.change.path
        if at and scene.between:
            is_envelope = patch_format is Format.ENVELOPE
            marks = ("*** End Patch", "*** Begin Patch") if is_envelope else ("", "")
            lines += [marks[0], *scene.between, marks[1]]
        if patch_format is Format.ENVELOPE:
            lines.append(f"*** Update File: {path}")
        else:
            lines += [f"--- a/{path}", f"+++ b/{path}"]
        for piece in pieces:
            lines += _head_lines(piece, patch_format)
            lines += _body(piece)
            if piece.at_end and patch_format is Format.ENVELOPE:
                lines.append("*** End of File")
    if patch_format is Format.ENVELOPE:
        lines = ["*** Begin Patch", *lines, "*** End Patch"]
    text = "".join(line + "\n" for line in (*lines, *scene.below))
    return text[: len(text) - scene.cut]


def _head_lines(piece: Piece, patch_format: Format) -> list[str]:
    head = piece.head
    if head.numbers and patch_format is Format.UNIFIED:
        old = sum(row.is_old for row in piece.rows)
        new = sum(row.prefix != REMOVED for row in piece.rows)
        start, new_start = head.numbers
        return [f"{numbers(start, old, new_start, new)} {head.heading}".rstrip()]
    if patch_format is Format.UNIFIED and head.anchors:
        return [f"@@ {head.anchors[-1]}"]
    return [f"@@ {name}" for name in head.names] or ["@@"]


def _body(piece: Piece) -> list[str]:
    lines, number = [], piece.start
    for row in piece.rows:
        number += row.is_old
        lines.append(_row(row, number, piece.written))
        if not row.newline:
            lines.append("\\ No newline at end of file")
    return lines


def _row(row: Row, number: int, written: Written) -> str:
    if written is Written.DOUBLED:
        return row.prefix * (1 if row.is_context else 2) + row.text
    if written is Written.NUMBERED or (written is Written.OLD_NUMBERED and row.is_old):
        shown = number if row.is_old else number + 1
        return f"{row.prefix}{shown:4}| {row.text}"
    return row.prefix + row.text
