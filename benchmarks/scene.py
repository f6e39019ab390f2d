"""A patch in the making, and the transformations of its hunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from hunks import hunks_of
from model import FileChange, Format, Header, Piece, Verdict
from styles import write_lines

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
    ending: str = "\n"
    newline: bool = True
    """Whether the file ends with a newline, before and after."""

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
        data = "".join(line + self.ending for line in lines).encode()
        return data if self.newline else data.removesuffix(self.ending.encode())

    def judged(self, verdict: Verdict) -> Scene:
        """The scene, judged at least as strictly."""
        return replace(self, verdict=max(self.verdict, verdict))


Transform = Callable[[Scene, Random], Scene | None]
"""A transformation of a patch; None where there is nothing to spoil."""

Found = tuple[Piece, Verdict] | None
"""A hunk that was spoiled, and the verdict of that; None where there is nothing to spoil."""

Spoil = Callable[[Piece, Scene, Random], Found]
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
    return piece != before and piece.old != piece.after and not mended


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


def plain_scene(change: FileChange, context: int, patch_format: Format, header: Header) -> Scene:
    """The true change of a file."""
    pieces = hunks_of(change, context, patch_format, header)
    return Scene(change, change.old, change.new, (pieces,), patch_format, context)


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
    sections = [(scene.change.path, pieces) for pieces in scene.sections]
    return "".join(line + "\n" for line in write_lines(sections, patch_format))
