"""Transformations of a patch: its sections, the order of its hunks, and what is already applied."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

from grammar_lines import other_word
from model import (
    ADDED,
    Edit,
    Piece,
    Row,
    Verdict,
    growth_above,
)  # fmt: skip
from reading import exact_positions, loose_positions
from scene import Scene, Transform


def _shuffled(scene: Scene, rng: Random) -> Scene | None:
    """The hunks in another order."""
    pieces = rng.sample(scene.pieces, len(scene.pieces))
    return scene.with_pieces(*pieces) if tuple(pieces) != scene.pieces else None


def _hunk_twice(scene: Scene, rng: Random) -> Scene | None:
    """One hunk once more, right after itself or at the end."""
    able = [piece for piece in scene.pieces if piece.is_true]
    if not able:
        return None
    piece = rng.choice(able)
    at = rng.choice((scene.pieces.index(piece) + 1, len(scene.pieces)))
    verdict = _if_once(scene, (piece,))
    again = scene.with_pieces(*scene.pieces[:at], piece, *scene.pieces[at:])
    return None if verdict is None else again.judged(verdict)


def _section_twice(scene: Scene, _: Random) -> Scene | None:
    """The same section once more."""
    if len(scene.sections) > 1:
        return None
    verdict = _if_once(scene, scene.pieces)
    again = replace(scene, sections=(scene.pieces, scene.pieces))
    return None if verdict is None else again.judged(verdict)


def _if_once(scene: Scene, pieces: tuple[Piece, ...]) -> Verdict | None:
    """One change if its lines are in the file once; None if two may be meant."""
    if any(len(loose_positions(piece.rows, scene.base)) > 1 for piece in pieces):
        return None
    once = all(len(exact_positions(piece.old, scene.base)) == 1 for piece in pieces)
    return Verdict.APPLY if once else Verdict.MAY


def _two_versions(scene: Scene, rng: Random, *, sections: bool) -> Scene | None:
    """A hunk and another version of it: the writer thought again."""
    able = [
        (at, number)
        for at, piece in enumerate(scene.pieces)
        for number in piece.indexes(ADDED)
        if piece.is_true
        and other_word(piece.rows[number].text, Random(1)) != piece.rows[number].text
    ]
    if not able or len(scene.sections) > 1:
        return None
    at, number = rng.choice(able)
    piece = scene.pieces[at]
    text = other_word(piece.rows[number].text, rng)
    if text == piece.rows[number].text or len(loose_positions(piece.rows, scene.base)) > 1:
        return None
    other = piece.with_row(number, Row(ADDED, text, None))
    if sections:
        spoiled = replace(scene, sections=(scene.pieces, (other,)))
    else:
        spoiled = scene.with_pieces(*scene.pieces[: at + 1], other, *scene.pieces[at + 1 :])
    return spoiled.judged(Verdict.REFUSE)


def _hunk_applied(scene: Scene, rng: Random, *, every: bool) -> Scene | None:
    """The file has the change of one hunk, or of all, already."""
    change = scene.change
    if scene.base != change.old or scene.names:
        return None
    if every:
        return replace(scene, base=change.new).judged(Verdict.REFUSE)
    if len(scene.pieces) < 2:
        return None
    done = rng.choice(scene.pieces)
    return _with_made(scene, change.edits_in(done))


def _applied_in_part(scene: Scene, rng: Random) -> Scene | None:
    """The file has one of a hunk's edits already."""
    if scene.base != scene.change.old or scene.names:
        return None
    for piece in rng.sample(scene.pieces, len(scene.pieces)):
        edits = scene.change.edits_in(piece)
        if len(edits) > 1:
            return _with_made(scene, rng.sample(edits, rng.randrange(1, len(edits))))
    return None


def _with_made(scene: Scene, made: list[Edit]) -> Scene:
    """The scene, where the file has these edits already."""
    lines = list(scene.change.old)
    for edit in sorted(made, key=lambda edit: -edit.old_start):
        lines[edit.old_start : edit.old_stop] = scene.change.new[edit.new_start : edit.new_stop]
    pieces = [
        replace(piece, start=piece.start + growth_above(made, piece.start))
        for piece in scene.pieces
    ]
    return replace(scene, base=tuple(lines)).with_pieces(*pieces).judged(Verdict.MAY)


def _crlf(scene: Scene, _: Random) -> Scene | None:
    """A file that ends its lines with CRLF, and a patch that does not."""
    return replace(scene, ending="\r\n")


def _no_last_newline(scene: Scene, _: Random) -> Scene | None:
    """A file without a newline at its end, of which the patch says nothing."""
    if not scene.base[-1] or not scene.expected[-1]:
        return None
    touched = any(edit.old_stop == len(scene.change.old) for edit in scene.change.edits)
    return None if touched else replace(scene, newline=False)


PATCHES: dict[str, Transform] = {
    "hunks shuffled": _shuffled,
    "hunk twice": _hunk_twice,
    "section twice": _section_twice,
    "two versions, in a hunk": partial(_two_versions, sections=False),
    "two versions, in a section": partial(_two_versions, sections=True),
    "file with CRLF": _crlf,
    "file without last newline": _no_last_newline,
    "applied": partial(_hunk_applied, every=True),
    "one hunk applied": partial(_hunk_applied, every=False),
    "hunk applied in part": _applied_in_part,
}
