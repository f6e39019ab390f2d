"""Transformations of hunks: what is claimed of a place, and what is left out or invented."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from grammar_lines import letters, other_operator, other_word
from hunks import hunk_of
from model import ADDED, BARE, CONTEXT, REMOVED, Format, Head, Piece, Row, Verdict
from reading import (
    block_of,
    definitions,
    exact_positions,
    is_prose,
    loose_positions,
    names_another_block,
)
from scene import Found, Scene, Transform, in_one_hunk
from twins import renamed

_PROSE = ("add validation", "update the logic here", "improve error handling", "more checks")
_PLACEHOLDERS = (
    "... existing code ...",
    "... rest of the function unchanged ...",
    "... (rest of code remains the same)",
    "... other methods ...",
)
_WIDE = 9


def _named(piece: Piece, scene: Scene, name: str) -> Piece:
    """The hunk under this name: an anchor, or git's text after right numbers."""
    if scene.patch_format is Format.ENVELOPE:
        return replace(piece, head=Head(anchors=(name,)))
    numbers = piece.head.numbers or (piece.start, piece.start)
    return replace(piece, head=Head(numbers=numbers, heading=name))


def _enclosing(piece: Piece, scene: Scene) -> list[int]:
    """The definitions whose blocks have the whole hunk."""
    prose = is_prose(scene.change)
    stop = piece.start + piece.size
    return [
        at
        for at in definitions(scene.change.path, scene.base)
        if at < piece.start and stop <= block_of(scene.base, at, prose=prose).stop
    ]


def _anchor_right(piece: Piece, scene: Scene, rng: Random) -> Found:
    around = _enclosing(piece, scene)
    if not around:
        return None
    name = scene.base[rng.choice((around[-1], rng.choice(around)))].strip()
    return _named(piece, scene, name), Verdict.APPLY


def _anchor_absent(piece: Piece, scene: Scene, rng: Random) -> Found:
    """A definition that is nowhere in the file."""
    found = definitions(scene.change.path, scene.base)
    if not found:
        return None
    name = renamed(scene.base[rng.choice(found)], scene.base, rng)
    return (_named(piece, scene, name.strip()), Verdict.REFUSE) if name else None


def _anchor_old(piece: Piece, scene: Scene, rng: Random) -> Found:
    """The enclosing definition with other parameters."""
    around = [at for at in _enclosing(piece, scene) if "(" in scene.base[at]]
    if not around:
        return None
    name = scene.base[around[-1]].strip()
    if "()" in name:
        old = name.replace("()", rng.choice(("(value)", "(options, name)")), 1)
    else:
        old = re.sub(r"\(", rng.choice(("(first, ", "(old_value, ")), name, count=1)
    if any(old in line for line in scene.base):
        return None
    return _named(piece, scene, old), Verdict.MAY


def _anchor_other(piece: Piece, scene: Scene, rng: Random) -> Found:
    """Another definition of the file, which does not have the hunk."""
    others = [
        at for at in definitions(scene.change.path, scene.base) if _excludes(at, piece, scene)
    ]
    rng.shuffle(others)
    for at in others:
        name = scene.base[at].strip()
        alone = sum(name in line for line in scene.base) == 1
        if any(row.text.strip() == name for row in piece.rows):
            continue  # the hunk writes such a line, and may mean that
        if alone and not any(_fits(piece, scene, block) for block in _reach(at, scene)):
            return _named(piece, scene, name), Verdict.REFUSE
    return None


def _excludes(at: int, piece: Piece, scene: Scene) -> bool:
    """Whether the definition at `at` cannot have the hunk, nor be the last one above it."""
    stop = piece.start + len(piece.old)
    if at >= stop:
        return True
    if at >= piece.start:
        return False
    depth = _depth(scene.base[at])
    block = block_of(scene.base, at, prose=is_prose(scene.change))
    return block.stop <= piece.start and any(
        at < other < piece.start and _depth(scene.base[other]) <= depth
        for other in definitions(scene.change.path, scene.base)
    )


def _depth(line: str) -> int:
    if line.startswith("#"):
        return len(line) - len(line.lstrip("#"))
    return len(line) - len(line.lstrip())


def _reach(at: int, scene: Scene) -> Sequence[range]:
    """Where a hunk under this definition can be: to the next one of its depth."""
    depth = _depth(scene.base[at])
    after = (
        other
        for other in definitions(scene.change.path, scene.base)
        if other > at and _depth(scene.base[other]) <= depth
    )
    return (range(at, next(after, len(scene.base))),)


def _fits(piece: Piece, scene: Scene, block: range) -> bool:
    """Whether the hunk can be meant in this block as well."""
    found = (*loose_positions(piece.rows, scene.base), *exact_positions(piece.old, scene.base))
    return any(at in block or at + len(piece.old) - 1 in block for at in found)


def _anchor_prose(piece: Piece, scene: Scene, rng: Random) -> Found:
    """Words that name nothing: noise."""
    return _named(piece, scene, rng.choice(_PROSE)), Verdict.APPLY


def _numbers(piece: Piece, scene: Scene, rng: Random, *, off: int) -> Found:
    """Numbers that are right, or off by some lines."""
    if scene.patch_format is not Format.UNIFIED:
        return None
    by = rng.choice((-1, 1)) * rng.randint(1, off) if off else 0
    start = max(piece.start + by, 0)
    if off and start in exact_positions(piece.old, scene.base):
        return None
    new = max(start + (piece.head.numbers or (0, 0))[1] - (piece.head.numbers or (0, 0))[0], 0)
    return replace(
        piece, head=Head(numbers=(start, new), heading=piece.head.heading)
    ), Verdict.APPLY


def _invented(piece: Piece, scene: Scene, rng: Random) -> Found:
    if scene.patch_format is not Format.UNIFIED:
        return None
    start = rng.choice((0, rng.randrange(400), rng.randrange(2000)))
    if start in exact_positions(piece.old, scene.base):
        return None
    return replace(piece, head=Head(numbers=(start, start))), Verdict.APPLY


def _widened(piece: Piece, scene: Scene) -> Piece | None:
    """The hunk with more context on both sides, if it is as it was."""
    if not all(row.is_true for row in piece.rows) or piece.changes:
        return None
    change, edits = scene.change, scene.change.edits_in(piece)
    if scene.base != change.old or not edits:
        return None
    first, last = change.edits.index(edits[0]), change.edits.index(edits[-1])
    top = change.edits[first - 1].old_stop if first else 0
    end = change.edits[last + 1].old_start if last + 1 < len(change.edits) else len(change.old)
    above, below = edits[0].old_start - top, end - edits[-1].old_stop
    hunk = hunk_of(change, edits, min(_WIDE, above), min(_WIDE, below))
    return replace(hunk, head=replace(piece.head, numbers=None), at_end=piece.at_end)


def _elided(piece: Piece, scene: Scene, rng: Random, *, marked: bool) -> Found:
    """Lines of context left out between others, with or without a mark in their place."""
    wide = _widened(piece, scene)
    if wide is None:
        return None
    rows = wide.rows
    able = [
        (start, start + size)
        for size in (1, 2, 3, 4)
        for start in range(1, len(rows) - size)
        if all(row.prefix == CONTEXT for row in rows[start - 1 : start + size + 1])
        and any(row.text.strip() for row in rows[start : start + size])
        and rows[start - 1].text.strip()
        and rows[start + size].text.strip()
    ]
    if not able:
        return None
    start, stop = rng.choice(able)
    depth = rows[start].text[: len(rows[start].text) - len(rows[start].text.lstrip())]
    words = rng.choice(("...", depth + "...", depth + f"{_mark(scene)} ..."))
    if marked and any(line.strip() == words.strip() for line in scene.base):
        return None  # the file has that line
    mark = (Row(CONTEXT, words, None),) if marked else ()
    parts = (rows[:start], rows[stop:])
    alone = all(
        len(exact_positions([row.text for row in part if row.is_old], scene.base)) == 1
        for part in parts
    )
    # the mark could also be content, and lines that are left out could be gone
    spoiled = replace(wide, rows=(*parts[0], *mark, *parts[1]), has_gaps=True)
    clear = alone and scene.context > 1 and all(_tells(part) for part in parts)
    below = wide.start + sum(row.is_old for row in rows[:stop])
    changes = any(not row.is_context for row in parts[1])
    misled = changes and names_another_block(parts[0], wide.start, below, scene)
    return spoiled, Verdict.APPLY if marked and clear and not misled else Verdict.MAY


def _tells(part: Sequence[Row]) -> bool:
    """Whether the old lines of a part say anything: a line with some letters."""
    return any(row.is_old and len(re.findall(r"\w", row.text)) >= 4 for row in part)


def _mark(scene: Scene) -> str:
    return "//" if scene.change.path.endswith((".c", ".h", ".js", ".go", ".rs", ".ts")) else "#"


def _blank_left_out(piece: Piece, scene: Scene, rng: Random, *, beside: bool) -> Found:
    """A blank line of context left out, beside an added line or not."""
    rows = piece.rows
    able = [
        at
        for at in range(1, len(rows) - 1)
        if rows[at].prefix == CONTEXT
        and rows[at].truth == ""
        and rows[at].text == ""
        and rows[at - 1].text.strip()
        and rows[at + 1].text.strip()
        and beside == any(rows[near].prefix == ADDED for near in (at - 1, at + 1))
    ]
    if not able:
        return None
    at = rng.choice(able)
    spoiled = replace(piece, rows=(*rows[:at], *rows[at + 1 :]), has_gaps=True)
    if not any(row.is_old for row in spoiled.rows[:at]):
        return None
    if not any(row.is_old for row in spoiled.rows[at:]):
        return None
    if exact_positions(spoiled.old, scene.base):
        return None
    alone = len(loose_positions(spoiled.rows, scene.base)) == 1
    return spoiled, Verdict.APPLY if alone and not beside else Verdict.MAY


def _blank_added(piece: Piece, scene: Scene, rng: Random) -> Found:
    """A blank line at an edge that the file does not have."""
    stop = piece.start + piece.size
    edges = [
        at
        for at, near in ((0, piece.start - 1), (len(piece.rows), stop))
        if scene.base[near : near + 1] != ("",) and near >= 0
    ]
    if not edges:
        return None
    at = rng.choice(edges)
    row = Row(rng.choice((CONTEXT, BARE)), "", None)
    rows = (*piece.rows[:at], row, *piece.rows[at:])
    beside = piece.rows[0 if at == 0 else -1]
    certain = at > 0 and beside.is_context and beside.text.strip()
    verdict = Verdict.APPLY if certain else Verdict.MAY
    return replace(piece, rows=rows, has_gaps=True), verdict


def _end_claimed(piece: Piece, scene: Scene, _: Random) -> Found:
    """`*** End of File` on a hunk that is not there."""
    if scene.patch_format is not Format.ENVELOPE:
        return None
    if piece.start + piece.size >= len(scene.base) - 3:
        return None
    return replace(piece, at_end=True), Verdict.MAY


def _end_right(piece: Piece, scene: Scene, _: Random) -> Found:
    if scene.patch_format is not Format.ENVELOPE:
        return None
    at_end = piece.start + piece.size == len(scene.base)
    return (replace(piece, at_end=True), Verdict.APPLY) if at_end else None


def _placeholder(piece: Piece, scene: Scene, rng: Random) -> Found:
    """An instruction among the added lines."""
    able = piece.indexes(ADDED)
    if not able or is_prose(scene.change):
        return None
    at = rng.choice(able)
    text = piece.rows[at].text
    depth = text[: len(text) - len(text.lstrip())]
    row = Row(ADDED, f"{depth}{_mark(scene)} {rng.choice(_PLACEHOLDERS)}", None)
    rows = (piece.rows[at], row) if rng.random() < 0.7 else (row, piece.rows[at])
    return piece.with_row(at, *rows), Verdict.REFUSE


def _stale(
    prefix: str, alter: Callable[[str, Random], str], piece: Piece, scene: Scene, rng: Random
) -> Found:
    """Another word, number or operator in a line: the patch is for another version."""
    able = piece.indexes(prefix)
    known = {letters(line) for line in (*scene.base, *scene.expected)}
    for at in rng.sample(able, len(able)):
        text = piece.rows[at].text
        code = re.split(r"\s(?:#|//|/\*)", text)[0]
        new = alter(code, rng)
        if new != code and letters(new + text[len(code) :]) not in known:
            return piece.with_text(at, new + text[len(code) :]), Verdict.REFUSE
    return None


def _whole_file(scene: Scene, _: Random) -> Scene | None:
    """The whole new file as added lines under a bare `@@`."""
    if len(scene.expected) > 150 or len(scene.expected) < 5:
        return None
    rows = tuple(Row(ADDED, text, None) for text in scene.expected)
    return scene.with_pieces(Piece(rows, 0, is_true=False)).judged(Verdict.REFUSE)


HUNKS: dict[str, Transform] = {
    "anchor: right": in_one_hunk(_anchor_right),
    "anchor: absent": in_one_hunk(_anchor_absent),
    "anchor: old signature": in_one_hunk(_anchor_old),
    "anchor: another definition": in_one_hunk(_anchor_other),
    "anchor: prose": in_one_hunk(_anchor_prose),
    "numbers: right": in_one_hunk(partial(_numbers, off=0)),
    "numbers: off by few": in_one_hunk(partial(_numbers, off=4)),
    "numbers: off by many": in_one_hunk(partial(_numbers, off=60)),
    "numbers: invented": in_one_hunk(_invented),
    "context left out, marked": in_one_hunk(partial(_elided, marked=True), tolerance=True),
    "context left out, unmarked": in_one_hunk(partial(_elided, marked=False), tolerance=True),
    "blank line left out": in_one_hunk(partial(_blank_left_out, beside=False)),
    "blank line left out beside": in_one_hunk(partial(_blank_left_out, beside=True)),
    "blank line added at edge": in_one_hunk(_blank_added),
    "end of file: wrong": in_one_hunk(_end_claimed),
    "end of file: right": in_one_hunk(_end_right),
    "placeholder added": in_one_hunk(_placeholder),
    "stale context": in_one_hunk(partial(_stale, CONTEXT, other_word)),
    "stale removed": in_one_hunk(partial(_stale, REMOVED, other_word)),
    "operator in context": in_one_hunk(partial(_stale, CONTEXT, other_operator)),
    "operator in removed": in_one_hunk(partial(_stale, REMOVED, other_operator)),
    "whole file added": _whole_file,
}
