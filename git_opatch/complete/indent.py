r"""How added lines follow the file's indentation.

A hunk that matched with another indentation shows, in each pair of a patch line and a file
line, how the one is told in terms of the other. Every rule that explains all pairs is a
candidate:

    style   a tab for so many blanks, or back
    shift   a prefix added or cut
    ratio   so many blanks for so many blanks
    both    a style, then a shift, where nothing simpler explains them

Of several, the one that explains most shifted pairs of the file's other hunks is taken, then
in this order. Lines deeper or shallower than any pair need no case of their own. Rule:
"Indentation of added lines" in the project's decisions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import gcd
from typing import NamedTuple

from git_opatch.outcome import Likeness, Placement
from git_opatch.patch import Line, Mark
from git_opatch.text import BYTE_ORDER_MARK, Text, indentation

Pair = tuple[bytes, bytes]
"""The indentation of a line in the patch, and of the same line in the file."""

_WIDTHS = (4, 2, 8, 1, 3, 5, 6, 7)
_NEAR = 50
"""So many lines round a hunk show in which style its part of the file is."""

_COMPARED = (Likeness.EXACT, Likeness.INDENTATION, Likeness.BLANKS, Likeness.CASE, Likeness.TEXT)


Rule = Callable[[bytes], bytes | None]
"""Tells the patch's indentation as the file's; None if there is less than it cuts."""


class Follow(NamedTuple):
    """What becomes of a hunk's added lines: all by one rule, or some by a line they replace."""

    rule: Rule | None = None
    pairs: tuple[Pair, ...] = ()
    """Where no rule explains all: the pairs of the removed lines."""
    note: str = ""
    doubt: str = ""
    """Why the hunk must be refused: its lines could be meant in two ways."""

    def line(self, text: bytes, replaced: Pair | None = None) -> bytes:
        """An added line as it is to be written; `replaced` is the pair of the line it replaces."""
        indent = indentation(text)
        if not text.strip():
            return text
        if self.rule is not None:
            return (self.rule(indent) or b"") + text[len(indent) :]
        if replaced is not None and replaced in self.pairs and replaced[0] == indent:
            return replaced[1] + text[len(indent) :]
        return text


AS_WRITTEN = Follow()

_ONE_BLANK_SHORT = Follow(
    doubt="has context that is one blank short, and some of its added lines fit the file as they "
    "are and some with a blank more, so there is no telling how deep they belong"
)


def follows(placements: Sequence[Placement], text: Text) -> list[Follow]:
    """How the added lines of each of a file's hunks are to be written."""
    if not any(one.likeness for one in placements):  # all match exactly
        return [AS_WRITTEN] * len(placements)
    pairs = [_pairs(placement, text) for placement in placements]
    shifted = Counter(pair for one in pairs for pair in one or () if pair[0] != pair[1])
    return [
        _ONE_BLANK_SHORT
        if own is None
        else _follow(placement, own, shifted, text) or _style_of_others(placement, shifted, text)
        for placement, own in zip(placements, pairs, strict=True)
    ]


def _pairs(placement: Placement, text: Text) -> list[Pair] | None:
    """The pairs of a hunk: of its lines that are not blank and whose beginning is there.

    None if its context may have lost its marks, or all of the hunk a blank.
    """
    if not placement.likeness:
        alike: Sequence[Likeness] = [Likeness.EXACT] * len(placement.hunk.preimage)
    else:
        alike = placement.likeness
    found_lines = lines_between(text, placement.start, placement.stop)
    stand = zip(placement.hunk.preimage, found_lines, alike, strict=False)
    rows = [(line, found) for line, found, how in stand if how in _COMPARED and line.text.strip()]
    lost = [_lost_its_mark(line, found) for line, found in rows]
    shift_by_one = _is_shifted(placement.hunk.lines, rows) if any(lost) else False
    if shift_by_one is None:
        return None
    return [
        (indentation(found if is_lost and not shift_by_one else line.text), indentation(found))
        for (line, found), is_lost in zip(rows, lost, strict=True)
    ]


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
    placement: Placement, pairs: Sequence[Pair], shifted: Counter[Pair], text: Text
) -> Follow | None:
    """What a hunk's own pairs say, those of the whole file helping; None if they say nothing."""
    if all(patch == found for patch, found in pairs):
        return AS_WRITTEN if any(patch for patch, _ in pairs) else None
    if all(line.mark is not Mark.ADDED for line in placement.hunk.lines):
        return AS_WRITTEN
    rules = [rule for rule in _rules(pairs) if _explains(rule, pairs)]
    rules = rules or [rule for rule in _both(pairs) if _explains(rule, pairs)]
    if rules:
        follow = Follow(max(rules, key=lambda rule: _explained(rule, shifted)))
        at_margin = not any(patch for patch, _ in pairs)
        return _from_the_margin(follow, placement, text) if at_margin else follow
    removed = _replaceable(pairs)
    return Follow(None, removed, "its indentation follows no rule; added lines are as written")


def _from_the_margin(follow: Follow, placement: Placement, text: Text) -> Follow:
    """`follow`, where all lines found stand at the margin of the patch and add deeper ones.

    The whole hunk may have lost a prefix, or those lines alone; what of it fits the file near by
    tells, and where both do, nothing does. Beside a removed line an added one's depth is seen.
    """
    marks = {line.mark for line in placement.hunk.lines}
    added = [line.text for line in placement.hunk.lines if line.mark is Mark.ADDED]
    added = [line for line in added if line.strip()]
    if Mark.REMOVED in marks or not added or not all(map(indentation, added)):
        return follow
    lines = text.lines[max(placement.start - _NEAR, 0) : placement.stop + _NEAR]
    near = set(map(indentation, lines))
    as_written = {indentation(line) for line in added} <= near
    shifted = {indentation(follow.line(line)) for line in added} <= near
    if as_written and shifted:
        return Follow(
            doubt="is found by lines that lost their indentation, and its added lines fit the file "
            "as they are and shifted, so there is no telling how deep they belong"
        )
    return AS_WRITTEN if as_written else follow


def _explains(rule: Rule, pairs: Sequence[Pair]) -> bool:
    """Whether the rule gives the file's indentation for each of `pairs`."""
    return all(rule(patch) == found for patch, found in pairs)


def _explained(rule: Rule, shifted: Counter[Pair]) -> int:
    """How many shifted pairs of the file the rule explains: its own hunk's count for all rules."""
    return sum(count for (patch, found), count in shifted.items() if rule(patch) == found)


def _style_of_others(placement: Placement, shifted: Counter[Pair], text: Text) -> Follow:
    """The style that the file's other hunks show, for one that shows no indentation itself.

    The lines round it in the file must be in that style, too: a file may have both.
    """
    pairs = list(shifted)
    for style in _STYLES if pairs else ():
        if _explains(style, pairs):
            around = _indents_around(placement, text)
            unit = (b"\t", b" ")[all(found.startswith(b" ") for _, found in pairs)]
            return Follow(style) if all(one.startswith(unit) for one in around) else AS_WRITTEN
    return AS_WRITTEN


def _indents_around(placement: Placement, text: Text) -> list[bytes]:
    """The indentation of the nearest indented line on each side of a hunk."""
    above = text.lines[max(placement.start - _NEAR, 0) : placement.start]
    below = text.lines[placement.stop : placement.stop + _NEAR]
    sides = (map(indentation, reversed(above)), map(indentation, below))
    return [one for side in sides if (one := next(filter(None, side), b""))]


def _replaceable(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The shifted pairs, if no indented line of the hunk matched as it was written."""
    if any(patch == found and patch for patch, found in pairs):
        return ()
    return tuple(pair for pair in pairs if pair[0] != pair[1])


def _rules(pairs: Sequence[Pair]) -> Iterator[Rule]:
    """Candidates, in the order in which they are preferred."""
    yield from _STYLES
    yield from _shifts(pairs)
    yield from _ratios(pairs)


def _both(pairs: Sequence[Pair]) -> Iterator[Rule]:
    """A style and then a shift, for pairs that neither explains alone."""
    for style in _STYLES:
        told = [(style(patch) or b"", found) for patch, found in pairs]
        for shift in _shifts(told):
            yield _then(style, shift)


def _then(one: Rule, two: Rule) -> Rule:
    return lambda indent: two(one(indent) or b"")


def _tabs(width: int) -> Rule:
    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(b" ")
        tabs, blanks = divmod(len(indent) - len(rest), width)
        return b"\t" * tabs + b" " * blanks + rest

    return apply


def _blanks(width: int) -> Rule:
    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(b"\t")
        return b" " * (width * (len(indent) - len(rest))) + rest

    return apply


_STYLES = (*map(_tabs, _WIDTHS), *map(_blanks, _WIDTHS))


def _shifts(pairs: Sequence[Pair]) -> Iterator[Rule]:
    for patch, found in islice((pair for pair in pairs if pair[0] != pair[1]), 1):
        if found.endswith(patch):
            yield _added(found[: len(found) - len(patch)])
        elif patch.endswith(found):
            yield _cut(patch[: len(patch) - len(found)])


def _added(prefix: bytes) -> Rule:
    return lambda indent: prefix + indent


def _cut(prefix: bytes) -> Rule:
    return lambda indent: indent.removeprefix(prefix) if indent.startswith(prefix) else None


def _ratios(pairs: Sequence[Pair]) -> Iterator[Rule]:
    for patch, found in islice((pair for pair in pairs if all(pair) and pair[0] != pair[1]), 1):
        if set(patch) == set(found) and len(set(patch)) == 1:
            yield _scaled(len(patch), len(found), patch[:1])


def _scaled(patch: int, found: int, unit: bytes) -> Rule:
    """So many units in the file for so many in the patch."""
    common = gcd(patch, found)

    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(unit)
        levels, odd = divmod(len(indent) - len(rest), patch // common)
        return unit * (levels * (found // common) + odd) + rest

    return apply
