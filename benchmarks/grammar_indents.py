"""Transformations of indentation, judged by the rules that explain what the file has instead."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from hunks import indent_of
from model import ADDED, CONTEXT, REMOVED, Piece, Row, Verdict
from scene import Found, Scene, Spoil, Transform, in_all_hunks, in_one_hunk

_Rule = Callable[[str], str | None]
"""The file's indentation for a written one; None where the rule has none."""


def _reindented(piece: Piece, reindent: Callable[[str], str | None]) -> Found:
    """The hunk with other indentation in all lines."""
    if any(row.prefix != CONTEXT and row.text.isspace() for row in piece.rows):
        return None  # its width would be lost
    rows: list[Row] = []
    for row in piece.rows:
        indent = indent_of(row.text)
        new = reindent(indent) if row.text.strip() else indent
        if new is None:
            return None
        rows.append(replace(row, text=new + row.text[len(indent) :]))
    spoiled = replace(piece, rows=tuple(rows))
    return (spoiled, explained(spoiled)) if spoiled.old != piece.old else None


def explained(piece: Piece) -> Verdict:
    """Whether every rule that explains the old lines gives the true added lines."""
    pairs = {
        (indent_of(row.text), indent_of(row.truth))
        for row in piece.rows
        if row.is_old and row.truth and row.truth.strip() and row.text.strip()
    }
    added = [
        (indent_of(row.text), indent_of(row.truth))
        for row in piece.rows
        if row.prefix == ADDED and row.truth and row.truth.strip()
    ]
    shifted = {pair for pair in pairs if pair[0] != pair[1]}
    for rule in _rules(pairs):
        outcome = [rule(indent) for indent, _ in added]
        fits = None not in outcome or len(shifted) == 1  # one pair proves no rule wrong
        if fits and outcome != [truth for _, truth in added]:
            return Verdict.MAY
    if _are_bare(piece) and any(indent != truth for indent, truth in added):
        return Verdict.MAY
    known = {indent for indent, _ in pairs}
    told = all(indent in known for indent, _ in added) or len(known - {""}) > 0
    return Verdict.APPLY if told or not added else Verdict.MAY


def _are_bare(piece: Piece) -> bool:
    """Whether all lines that differ could be context as it is in the file, without its prefix."""
    differ = [row for row in piece.rows if row.is_old and row.truth and not row.is_true]
    return all(row.is_context and f" {row.text}" == row.truth for row in differ)


def _rules(pairs: set[tuple[str, str]]) -> Iterator[_Rule]:
    """Every rule that explains all pairs: a prefix more or less, a ratio, another unit."""
    wrong = {pair for pair in pairs if pair[0] != pair[1]}
    for rule in _candidates(wrong):
        if all(rule(indent) == truth for indent, truth in pairs):
            yield rule


def _candidates(pairs: set[tuple[str, str]]) -> Iterator[_Rule]:
    for indent, truth in sorted(pairs):
        if truth.endswith(indent):
            yield _prefixed(truth[: len(truth) - len(indent)])
        if indent.endswith(truth):
            yield _cut(indent[: len(indent) - len(truth)])
        if indent and truth:
            yield _scaled(Fraction(len(truth), len(indent)), indent[0], truth[0])


def _prefixed(prefix: str) -> _Rule:
    return lambda indent: prefix + indent


def _cut(prefix: str) -> _Rule:
    return lambda indent: indent[len(prefix) :] if indent.startswith(prefix) else None


def _scaled(ratio: Fraction, sign: str, true_sign: str) -> _Rule:
    def rule(indent: str) -> str | None:
        size = len(indent) * ratio
        return None if indent.strip(sign) or size.denominator != 1 else true_sign * int(size)

    return rule


def _in_all(spoil: Spoil) -> Transform:
    """Return the transformation of every hunk.

    Where one cannot be spoiled, and adds lines that are indented, these may be meant as those of
    the others are.
    """

    def transform(scene: Scene, rng: Random) -> Scene | None:
        spoiled = in_all_hunks(spoil)(scene, rng)
        if spoiled is None:
            return None
        pairs = zip(scene.pieces, spoiled.pieces, strict=True)
        left = [row for old, new in pairs if old is new for row in new.rows]
        is_told = not any(row.prefix == ADDED and indent_of(row.text) for row in left)
        return spoiled if is_told else spoiled.judged(Verdict.MAY)

    return transform


def _dedented(piece: Piece, _: Scene, rng: Random) -> Found:
    """All lines less deep by what they have in common, or by a part of it."""
    common = _common([row.text for row in piece.rows if row.text.strip()])
    if not common:
        return None
    cut = rng.choice((len(common), len(common), max(len(common) // 2, 1)))
    return _reindented(piece, lambda indent: indent[cut:])


def _deeper(piece: Piece, _: Scene, rng: Random) -> Found:
    """All lines deeper by one step."""
    signs = {indent_of(row.text)[:1] for row in piece.rows if row.text.strip()}
    step = "\t" if "\t" in signs else " " * rng.choice((2, 4, 4, 8))
    return _reindented(piece, lambda indent: step + indent)


def _halved(piece: Piece, _: Scene, __: Random) -> Found:
    return _reindented(piece, lambda i: None if len(i) % 2 or i.strip(" ") else i[: len(i) // 2])


def _twice(piece: Piece, _: Scene, __: Random) -> Found:
    return _reindented(piece, lambda indent: None if indent.strip(" ") else indent * 2)


def _as_spaces(piece: Piece, _: Scene, rng: Random) -> Found:
    width = rng.choice((2, 4, 4, 8))
    return _reindented(piece, lambda i: None if i.strip("\t") else " " * (width * len(i)))


def _as_tabs(piece: Piece, _: Scene, __: Random) -> Found:
    widths = [len(indent_of(row.text)) for row in piece.rows if row.text.strip()]
    width = next((w for w in (4, 2) if not any(number % w for number in widths)), 0)

    def reindent(indent: str) -> str | None:
        return None if not width or indent.strip(" ") else "\t" * (len(indent) // width)

    return _reindented(piece, reindent)


def _partly(chosen: Callable[[Sequence[Row]], Sequence[bool]]) -> Transform:
    """Some of the lines less deep than they are."""

    def spoil(piece: Piece, _: Scene, rng: Random) -> Found:
        is_chosen = chosen(piece.rows)
        some = [row.text for row, yes in zip(piece.rows, is_chosen, strict=True) if yes]
        common = _common([text for text in some if text.strip()])
        if not common or any(row.text.isspace() for row in piece.rows):
            return None
        cut = rng.choice((len(common), 1 if common[0] == "\t" else min(4, len(common))))
        rows = tuple(
            replace(row, text=row.text[cut:] if yes and row.text.strip() else row.text)
            for row, yes in zip(piece.rows, is_chosen, strict=True)
        )
        spoiled = replace(piece, rows=rows)
        kept = any(new.text == old.text for new, old in zip(rows, piece.rows, strict=True)
                   if new.is_old and new.text.strip())  # fmt: skip
        if spoiled.old == piece.old or not kept:
            return None  # nothing shows it, or it is another class
        adds = any(row.prefix == ADDED for row in rows)
        return spoiled, Verdict.MAY if adds else Verdict.APPLY

    return in_one_hunk(spoil)


def _first_context(rows: Sequence[Row]) -> list[bool]:
    first = next((at for at, row in enumerate(rows) if not row.is_context), len(rows))
    return [at < min(first, 2) for at in range(len(rows))]


def _one_context(rows: Sequence[Row]) -> list[bool]:
    able = [at for at, row in enumerate(rows) if row.is_context and indent_of(row.text)]
    return [at in able[:1] for at in range(len(rows))]


def _common(texts: Sequence[str]) -> str:
    return os.path.commonprefix([indent_of(text) for text in texts])  # noqa: RUF071 - of letters


INDENTS: dict[str, Transform] = {
    "dedented: all lines": _in_all(_dedented),
    "dedented: one hunk": in_one_hunk(_dedented),
    "deeper: one hunk": in_one_hunk(_deeper),
    "indentation halved": _in_all(_halved),
    "indentation doubled": _in_all(_twice),
    "tabs to spaces": _in_all(_as_spaces),
    "spaces to tabs": _in_all(_as_tabs),
    "dedented: first context": _partly(_first_context),
    "dedented: one context line": _partly(_one_context),
    "dedented: removed": _partly(lambda rows: [row.prefix == REMOVED for row in rows]),
    "dedented: changed lines": _partly(lambda rows: [not row.is_context for row in rows]),
    "dedented: context": _partly(lambda rows: [row.is_context for row in rows]),
    "dedented: rest": _partly(lambda rows: [at > 0 for at in range(len(rows))]),
}
