r"""How added lines follow the file's indentation.

A hunk that matched with another indentation shows, in each pair of a patch line and a file
line, how the one is told in terms of the other. Every rule that explains all pairs is a
candidate; of several, the one that explains most shifted pairs of the file's other hunks is
taken, then the first of them (see `rules`). Lines deeper or shallower than any pair need no case
of their own. Rule: "Indentation of added lines" in the project's decisions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from git_opatch.complete.near import Told, begins_as_in_file, told_by_lines_near
from git_opatch.complete.rules import STYLES, Pair, Rule, explains, rules_for
from git_opatch.complete.stripped import may_be_anchor_alone, may_be_first_alone
from git_opatch.outcome import Likeness, Placement
from git_opatch.patch import Line, Mark
from git_opatch.text import BYTE_ORDER_MARK, Text, indentation

_NEAR = 50
"""So many lines round a hunk show in which style its part of the file is."""

_COMPARED = (Likeness.EXACT, Likeness.INDENTATION, Likeness.BLANKS, Likeness.CASE, Likeness.TEXT)


class Follow(NamedTuple):
    """What becomes of a hunk's added lines: all by one rule, or some by lines they replace."""

    rule: Rule | None = None
    told: Told = MappingProxyType({})
    note: str = ""
    doubt: str = ""
    """Why the hunk must be refused: its lines could be meant in two ways."""

    def lines(self, lines: Sequence[Line]) -> Sequence[Line]:
        """A hunk's `lines`, of which those added are as they are to be written."""
        return [
            line._replace(text=self.line(line.text, at)) if line.mark is Mark.ADDED else line
            for at, line in enumerate(lines)
        ]

    def line(self, text: bytes, at: int = -1) -> bytes:
        """An added line as it is to be written, which stands `at` so many lines in the hunk."""
        indent = indentation(text)
        if not text.strip():
            return text
        if self.rule is not None:
            return (self.rule(indent) or b"") + text[len(indent) :]
        return self.told.get(at, indent) + text[len(indent) :]


AS_WRITTEN = Follow()

_ONE_BLANK_SHORT = Follow(
    doubt="has context that is one blank short, and some of its added lines fit the file as they "
    "are and some with a blank more, so there is no telling how deep they belong"
)

_NOT_TOLD = Follow(
    doubt="shows some lines with another indentation than the file has, and some not, so there is "
    "no telling how deep the lines that it adds belong"
)

_AS_IN_FILE = Follow(
    doubt="shows lines with another indentation than the file has, and adds some that begin as "
    "deep as the file's, so there is no telling how deep they belong"
)

_FROM_THE_MARGIN = Follow(
    doubt="is found by lines that lost their indentation, and its added lines fit the file as "
    "they are and shifted, so there is no telling how deep they belong"
)

_BELOW_ANCHOR = Follow(
    doubt="has an anchor that lost its indentation, and its added lines may have, too, so there is "
    "no telling how deep they belong"
)


def follows(placements: Sequence[Placement], text: Text) -> list[Follow]:
    """How the added lines of each of a file's hunks are to be written."""
    if not any(one.likeness for one in placements):  # all match exactly
        return [_below_anchor(one, text) for one in placements]
    pairs = [_pairs(placement, text) for placement in placements]
    shifted = Counter(pair for one in pairs for pair in one or () if pair and pair[0] != pair[1])
    return [
        _ONE_BLANK_SHORT
        if own is None
        else _follow(placement, own, shifted, text)
        or _style_of_others(placement, shifted, text)
        or _below_anchor(placement, text)
        for placement, own in zip(placements, pairs, strict=True)
    ]


def _pairs(placement: Placement, text: Text) -> list[Pair | None] | None:
    """The pair of each line of a hunk's preimage, if it is not blank and its beginning is there.

    None if its context may have lost its marks, or all of the hunk a blank.
    """
    if not placement.likeness:
        alike: Sequence[Likeness] = [Likeness.EXACT] * len(placement.hunk.preimage)
    else:
        alike = placement.likeness
    found_lines = lines_between(text, placement.start, placement.stop)
    rows = [
        (line, found) if how in _COMPARED and line.text.strip() else None
        for line, found, how in zip(placement.hunk.preimage, found_lines, alike, strict=False)
    ]
    shown = [row for row in rows if row is not None]
    lost = any(_lost_its_mark(*row) for row in shown)
    shift_by_one = _is_shifted(placement.hunk.lines, shown) if lost else False
    if shift_by_one is None:
        return None
    return [row and _pair(*row, marked=shift_by_one) for row in rows]


def _pair(line: Line, found: bytes, *, marked: bool) -> Pair:
    """The pair of a line; `marked` is whether context that is one blank short has its mark."""
    text = line.text if marked or not _lost_its_mark(line, found) else found
    return indentation(text), indentation(found)


def lines_between(text: Text, start: int, stop: int) -> Sequence[bytes]:
    """The lines of a file from `start` to `stop`, without the byte-order mark."""
    lines = text.lines[start:stop]
    return [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]] if not start and lines else lines


def _lost_its_mark(line: Line, found: bytes) -> bool:
    """Whether a context line may have been written without the blank that marks it."""
    return line.mark is Mark.CONTEXT and b" " + indentation(line.text) == indentation(found)


def _is_shifted(lines: Sequence[Line], rows: Sequence[tuple[Line, bytes]]) -> bool | None:
    """Whether the removed lines, or the added ones, are one blank short as well as the context.

    None where some of the added lines fit the file as they are, and some when shifted.
    """
    removed = [
        (line.text, found)
        for line, found in rows
        if line.mark is Mark.REMOVED and indentation(found)
    ]
    if removed:
        return all(b" " + text == found for text, found in removed)
    known = {len(indentation(found)) for _, found in rows}
    added = [line.text for line in lines if line.mark is Mark.ADDED and line.text.strip()]
    depths = [len(indentation(text)) for text in added]
    as_written = any(one in known and one + 1 not in known for one in depths)
    shifted = any(one + 1 in known and one not in known for one in depths)
    return None if as_written and shifted else shifted


def _follow(
    placement: Placement, own: Sequence[Pair | None], shifted: Counter[Pair], text: Text
) -> Follow | None:
    """What a hunk's own pairs say, those of the whole file helping; None if they say nothing."""
    pairs = [pair for pair in own if pair is not None]
    if all(patch == found for patch, found in pairs):
        return AS_WRITTEN if any(patch for patch, _ in pairs) else None
    if all(line.mark is not Mark.ADDED for line in placement.hunk.lines):
        return AS_WRITTEN
    rules = rules_for(pairs)
    if not rules:
        return _by_lines_near(placement, own)
    follow = Follow(max(rules, key=lambda rule: _explained(rule, shifted)))
    if not any(patch for patch, _ in pairs):
        follow = _from_the_margin(follow, placement, own, text)
    lines = placement.hunk.lines
    moves = tuple(follow.lines(lines)) != tuple(lines)
    return _AS_IN_FILE if moves and begins_as_in_file(lines, own) else follow


def _by_lines_near(placement: Placement, pairs: Sequence[Pair | None]) -> Follow:
    """What is said where no rule explains all pairs."""
    told = told_by_lines_near(placement.hunk.lines, pairs)
    if told is None:
        return _NOT_TOLD
    what = "are as deep as the lines near them" if told else "are as written"
    return Follow(told=told, note=f"its indentation follows no rule; added lines {what}")


def _from_the_margin(
    follow: Follow, placement: Placement, own: Sequence[Pair | None], text: Text
) -> Follow:
    """`follow`, where all lines found stand at the margin of the patch.

    The whole hunk may have lost a prefix, or those lines alone, if all added ones are deeper, or
    some beside the only line found; what of it fits the file near by tells, and where both do,
    nothing does. Beside a removed line the first added one's depth is seen.
    """
    marks = {line.mark for line in placement.hunk.lines}
    added = [line.text for line in placement.hunk.lines if line.mark is Mark.ADDED]
    added = [line for line in added if line.strip()]
    if may_be_first_alone(placement.hunk.lines, own):
        return _FROM_THE_MARGIN
    deeper = list(map(bool, map(indentation, added)))
    mixed = any(deeper) and not all(deeper)
    if Mark.REMOVED in marks or not any(deeper) or (mixed and len(own) - own.count(None) > 1):
        return follow
    lines = text.lines[max(placement.start - _NEAR, 0) : placement.stop + _NEAR]
    near = set(map(indentation, lines))
    as_written = {indentation(line) for line in added} <= near
    shifted = {indentation(follow.line(line)) for line in added} <= near
    if as_written and (shifted or mixed):
        return _FROM_THE_MARGIN
    return AS_WRITTEN if as_written else follow


def _explained(rule: Rule, shifted: Counter[Pair]) -> int:
    """How many shifted pairs of the file the rule explains: its own hunk's count for all rules."""
    return sum(count for (patch, found), count in shifted.items() if rule(patch) == found)


def _style_of_others(placement: Placement, shifted: Counter[Pair], text: Text) -> Follow:
    """The style that the file's other hunks show, for one that shows no indentation itself.

    The lines round it in the file must be in that style, too: a file may have both.
    """
    pairs = list(shifted)
    for style in STYLES if pairs else ():
        if explains(style, pairs):
            around = _indents_around(placement, text)
            unit = (b"\t", b" ")[all(found.startswith(b" ") for _, found in pairs)]
            return Follow(style) if all(one.startswith(unit) for one in around) else AS_WRITTEN
    return _below_anchor(placement, text)


def _below_anchor(placement: Placement, text: Text) -> Follow:
    """As it is written, unless its anchor lost its indentation and the added lines may have."""
    return _BELOW_ANCHOR if may_be_anchor_alone(placement, text) else AS_WRITTEN


def _indents_around(placement: Placement, text: Text) -> list[bytes]:
    """The indentation of the nearest indented line on each side of a hunk."""
    above = text.lines[max(placement.start - _NEAR, 0) : placement.start]
    below = text.lines[placement.stop : placement.stop + _NEAR]
    sides = (map(indentation, reversed(above)), map(indentation, below))
    return [one for side in sides if (one := next(filter(None, side), b""))]
