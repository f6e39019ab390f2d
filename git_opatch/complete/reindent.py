r"""Indent added lines as the file does (D41).

A hunk that matched with another indentation shows, in each pair of a patch line and its file line,
how the one becomes the other. A rule must explain all pairs. Of several, those that explain most
shifted pairs of the file's hunks must write the same lines, else the hunk is refused:

    hunk                file            result
         if ready:      \tif ready:     \tif ready:
    -        run()      \t\trun()       \t\tgo()
    +        go()

Where no rule explains all pairs, `neighbour_indent` reads the hunk run by run. A hunk whose added
lines could be meant in two ways is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from git_opatch.complete.lost_indent import may_be_anchor_alone, may_be_first_alone
from git_opatch.complete.neighbour_indent import (
    IndentByLine,
    indent_from_neighbours,
    starts_at_file_depth,
)
from git_opatch.model.indent_rules import STYLES, IndentRule, Pair, explains, rules_for
from git_opatch.model.limits import NEAR
from git_opatch.model.patch import Line, Prefix
from git_opatch.model.placement import Likeness, Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import BYTE_ORDER_MARK, Text, indentation


class Reindent(NamedTuple):
    """How a hunk's added lines are indented: all by one rule, or some line by line."""

    rule: IndentRule | None = None
    by_line: IndentByLine = MappingProxyType({})
    note: str = ""
    unclear: Fault | None = None
    """Why the hunk must be refused: its added lines could be meant in two ways."""

    def lines(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Return a hunk's `lines`, the added ones indented as they are to be written."""
        if self.rule is None and not self.by_line:
            return lines
        return [
            line._replace(text=self.line(line.text, index)) if line.prefix is Prefix.ADDED else line
            for index, line in enumerate(lines)
        ]

    def line(self, text: bytes, index: int = -1) -> bytes:
        """Indent one added line, which has this `index` in the hunk."""
        indent = indentation(text)
        if not text.strip():
            return text
        if self.rule is not None:
            return (self.rule(indent) or b"") + text[len(indent) :]
        return self.by_line.get(index, indent) + text[len(indent) :]


AS_WRITTEN = Reindent()

_ONE_SPACE_SHORT = Reindent(unclear=Fault.FITS_BOTH_WAYS)
_MIXED = Reindent(unclear=Fault.MIXED_INDENTATION)
_SEVERAL_RULES = Reindent(unclear=Fault.SEVERAL_RULES)
_AT_FILE_DEPTH = Reindent(unclear=Fault.AT_FILE_DEPTH)
_AT_MARGIN = Reindent(unclear=Fault.AT_MARGIN)
_BELOW_ANCHOR = Reindent(unclear=Fault.BELOW_ANCHOR)


def plan_reindent(placements: Sequence[Placement], text: Text) -> list[Reindent]:
    """Decide how the added lines of each of a file's hunks are indented."""
    if not any(placement.likeness for placement in placements):  # all match exactly
        return [_below_anchor(placement, text) for placement in placements]
    all_pairs = [_pairs(placement, text) for placement in placements]
    shifted = Counter(
        pair for pairs in all_pairs for pair in pairs or () if pair and pair[0] != pair[1]
    )
    return [
        _ONE_SPACE_SHORT
        if pairs is None
        else _by_own_pairs(placement, pairs, shifted, text)
        or _style_of_others(placement, shifted, text)
        or _below_anchor(placement, text)
        for placement, pairs in zip(placements, all_pairs, strict=True)
    ]


def _pairs(placement: Placement, text: Text) -> list[Pair | None] | None:
    """Return the pair of each line of a hunk's preimage; None for a blank line, or a cut-off one.

    None alone if either the context lost its prefixes, or the whole hunk one space, and it is
    unclear which (D33).
    """
    kinds: Sequence[Likeness] = placement.likeness or [Likeness.EXACT] * len(
        placement.hunk.preimage
    )
    in_file = lines_between(text, placement.start, placement.stop)
    rows = [
        (line, found) if kind is not Likeness.CUT and line.text.strip() else None
        for line, found, kind in zip(placement.hunk.preimage, in_file, kinds, strict=False)
    ]
    shown = [row for row in rows if row is not None]
    if not any(map(_is_one_short, shown)) or _is_explained(shown):
        return [row and _pair(row, shifted=True) for row in rows]
    shifted = _lost_prefix_throughout(placement.hunk.lines, shown)
    return None if shifted is None else [row and _pair(row, shifted=shifted) for row in rows]


_MatchedLine = tuple[Line, bytes]
"""A line of the hunk, and the line of the file that it matched."""


def _pair(row: _MatchedLine, *, shifted: bool) -> Pair:
    """Return the pair of a line; `shifted`: whether context one space short had a prefix."""
    line, found = row
    text = line.text if shifted or not _is_one_short(row) else found
    return indentation(text), indentation(found)


def _is_explained(rows: Sequence[_MatchedLine]) -> bool:
    """Return whether one rule explains all lines as written, and not only those one space short."""
    others = [_pair(row, shifted=True) for row in rows if not _is_one_short(row)]
    is_shown = any(in_patch != in_file for in_patch, in_file in others)
    return is_shown and bool(rules_for([_pair(row, shifted=True) for row in rows]))


def lines_between(text: Text, start: int, stop: int) -> Sequence[bytes]:
    """Return the lines of a file from `start` to `stop`, without the byte-order mark."""
    lines = text.lines[start:stop]
    return [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]] if not start and lines else lines


def _is_one_short(row: _MatchedLine) -> bool:
    """Return whether a context line may have been written without its prefix, a space."""
    line, found = row
    return line.prefix is Prefix.CONTEXT and b" " + indentation(line.text) == indentation(found)


def _lost_prefix_throughout(lines: Sequence[Line], rows: Sequence[_MatchedLine]) -> bool | None:
    """Return whether the removed or the added lines are one space short, as the context is.

    None if some of the added lines fit the file as they are, and some when shifted.
    """
    removed = [
        (line.text, found)
        for line, found in rows
        if line.prefix is Prefix.REMOVED and indentation(found)
    ]
    if removed:
        return all(b" " + text == found for text, found in removed)
    known = {len(indentation(found)) for _, found in rows}
    added = [line.text for line in lines if line.prefix is Prefix.ADDED and line.text.strip()]
    depths = [len(indentation(text)) for text in added]
    as_written = any(depth in known and depth + 1 not in known for depth in depths)
    shifted = any(depth + 1 in known and depth not in known for depth in depths)
    return None if as_written and shifted else shifted


def _by_own_pairs(
    placement: Placement, own: Sequence[Pair | None], shifted: Counter[Pair], text: Text
) -> Reindent | None:
    """Decide by a hunk's own pairs; None if it shows no indentation.

    `shifted` are the shifted pairs of all hunks of the file.
    """
    pairs = [pair for pair in own if pair is not None]
    if all(in_patch == in_file for in_patch, in_file in pairs):
        return AS_WRITTEN if any(in_patch for in_patch, _ in pairs) else None
    lines = placement.hunk.lines
    if all(line.prefix is not Prefix.ADDED for line in lines):
        return AS_WRITTEN
    rules = rules_for(pairs)
    if not rules:
        return _by_neighbours(placement, own)
    reindent = _agreed(rules, lines, shifted)
    if reindent is None:
        return _SEVERAL_RULES
    if not any(in_patch for in_patch, _ in pairs):
        reindent = _from_margin(reindent, placement, own, text)
    moves = tuple(reindent.lines(lines)) != tuple(lines)
    return _AT_FILE_DEPTH if moves and starts_at_file_depth(lines, own) else reindent


def _agreed(
    rules: Sequence[IndentRule], lines: Sequence[Line], shifted: Counter[Pair]
) -> Reindent | None:
    """Return the first of `rules` if all that explain the most of the file write the same lines.

    `shifted` are the shifted pairs of all hunks of the file. None if the rules differ.
    """
    counts = [_count_explained(rule, shifted) for rule in rules]
    best = [
        Reindent(rule) for rule, count in zip(rules, counts, strict=True) if count == max(counts)
    ]
    outcomes = {tuple(reindent.lines(lines)) for reindent in best}
    return best[0] if len(outcomes) == 1 else None


def _by_neighbours(placement: Placement, pairs: Sequence[Pair | None]) -> Reindent:
    """Decide where no rule explains all pairs (D42)."""
    by_line = indent_from_neighbours(placement.hunk.lines, pairs)
    if by_line is None:
        return _MIXED
    how = "follow the lines next to them" if by_line else "are written as they are"
    return Reindent(
        by_line=by_line,
        note=f"lines of the hunk differ in indentation in several ways; added lines {how}",
    )


def _from_margin(
    reindent: Reindent, placement: Placement, own: Sequence[Pair | None], text: Text
) -> Reindent:
    """Decide where all lines found are at the margin of the patch (D43).

    Either the whole hunk lost its indentation, so that `reindent` holds, or those lines alone, if
    all added ones are deeper, or some beside the only line found. The one that fits the file near
    by holds; if both do, it is unclear. Next to a removed line the depth of the first added line
    shows which.
    """
    hunk = placement.hunk
    added = [line.text for line in hunk.lines if line.prefix is Prefix.ADDED and line.text.strip()]
    if may_be_first_alone(hunk.lines, own):
        return _AT_MARGIN
    deeper = [bool(indentation(line)) for line in added]
    mixed = any(deeper) and not all(deeper)
    found_several = len(own) - own.count(None) > 1
    removes = any(line.prefix is Prefix.REMOVED for line in hunk.lines)
    if removes or not any(deeper) or (mixed and found_several):
        return reindent
    lines = text.lines[max(placement.start - NEAR, 0) : placement.stop + NEAR]
    near = set(map(indentation, lines))
    as_written = {indentation(line) for line in added} <= near
    shifted = {indentation(reindent.line(line)) for line in added} <= near
    if as_written and (shifted or mixed):
        return _AT_MARGIN
    return AS_WRITTEN if as_written else reindent


def _count_explained(rule: IndentRule, shifted: Counter[Pair]) -> int:
    """Count the file's shifted pairs that the rule explains."""
    return sum(count for (in_patch, found), count in shifted.items() if rule(in_patch) == found)


def _style_of_others(placement: Placement, shifted: Counter[Pair], text: Text) -> Reindent:
    """Take the style that the file's other hunks show, for a hunk that shows no indentation.

    The lines around it in the file must have that style, too: a file may have both.
    """
    pairs = list(shifted)
    for style in STYLES if pairs else ():
        if explains(style, pairs):
            around = _indents_around(placement, text)
            unit = b" " if all(found.startswith(b" ") for _, found in pairs) else b"\t"
            same_style = all(indent.startswith(unit) for indent in around)
            return Reindent(style) if same_style else AS_WRITTEN
    return _below_anchor(placement, text)


def _below_anchor(placement: Placement, text: Text) -> Reindent:
    """Write lines as they are, unless they may have lost their indentation as their anchor did."""
    return _BELOW_ANCHOR if may_be_anchor_alone(placement, text) else AS_WRITTEN


def _indents_around(placement: Placement, text: Text) -> list[bytes]:
    """Return the indentation of the nearest indented line on each side of a hunk."""
    above = text.lines[max(placement.start - NEAR, 0) : placement.start]
    below = text.lines[placement.stop : placement.stop + NEAR]
    sides = (map(indentation, reversed(above)), map(indentation, below))
    return [indent for side in sides if (indent := next(filter(None, side), b""))]
