"""Places that a hunk may mean, beside those where it stands as it is written.

Models lose indentation and letter case. A few lines such as `end` or `})` that lost their
indentation stand somewhere else just as they are written, and hide the true place.
So for a hunk of few lines, the places where those stand with another indentation, if one rule
tells the one from the other, or in another case, count as well. On real history 5 in 1,000
such hunks with one line of context have one. A hunk without any context quotes just what it
removes, and is taken at its word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from git_opatch.locate.haystack import Haystack
from git_opatch.options import Tier
from git_opatch.patch import Hunk, Line, Mark
from git_opatch.text import indentation

_FEW = 3
"""Longer hunks don't stand elsewhere by chance: 1 in 19,000 with three lines of context."""

_WIDTHS = (2, 4, 8)

_FEWER = 2
"""The same of hunks that another letter case or punctuation could hide."""

_WORD = re.compile(rb"[\w\x80-\xff]+")
_EVERYWHERE = {b"begin", b"do", b"done", b"else", b"end", b"esac", b"fi", b"then"}

Pair = tuple[bytes, bytes]


def rivals(hunk: Hunk, places: Sequence[int], haystack: Haystack) -> list[int]:
    """The positions, beside `places`, where `hunk` stands only loosely but may be meant."""
    solid = len([line for line in hunk.preimage if line.text.strip()])
    if not 0 < solid <= _FEW or all(line.mark is not Mark.CONTEXT for line in hunk.lines):
        return []
    resilient = set(haystack.view(Tier.RESILIENT).rigid(hunk.preimage)) - set(places)
    found = {place for place in resilient if is_reindented(hunk, place, haystack)}
    if solid <= _FEWER and all(line.mark is not Mark.REMOVED for line in hunk.lines):
        found |= set(haystack.view(Tier.FUZZY).rigid(hunk.preimage)) - resilient - set(places)
    return sorted(found)


def says_something(hunk: Hunk) -> bool:
    """Whether a line to be found has a word; brackets, `end` and `else` stand anywhere."""
    words = {word for line in hunk.preimage for word in _WORD.findall(line.text)}
    return not words <= _EVERYWHERE


def is_coherent(hunk: Hunk, place: int, haystack: Haystack) -> bool:
    """Whether the lines at `place` are indented as the hunk's are, or otherwise by one rule."""
    pairs = _pairs(hunk.preimage, place, haystack)
    return all(one == two for one, two in pairs) or is_reindented(hunk, place, haystack)


def is_reindented(hunk: Hunk, place: int, haystack: Haystack) -> bool:
    """Whether one rule tells the indentation of the lines at `place` from that of `hunk`.

    A hunk may have lost a prefix only where it reaches the margin.
    """
    at_margin = any(not _indent(line) for line in hunk.lines if line.text.strip())
    pairs = list(_pairs(hunk.preimage, place, haystack))
    return (at_margin and _is_shift(pairs)) or _is_ratio(pairs) or _is_style(pairs)


def _pairs(lines: Sequence[Line], place: int, haystack: Haystack) -> Iterator[Pair]:
    for at, line in enumerate(lines):
        if line.text.strip():
            yield _indent(line), indentation(haystack.lines[place + at])


def _indent(line: Line) -> bytes:
    return indentation(line.text)


def _is_shift(pairs: Sequence[Pair]) -> bool:
    """Whether the file has one prefix more: for a hunk that reaches the margin."""
    shifts = {
        found.removesuffix(patch) if found.endswith(patch) else None for patch, found in pairs
    }
    return len(shifts) == 1 and shifts not in ({None}, {b""})


def _is_ratio(pairs: Sequence[Pair]) -> bool:
    """Whether the file is indented twice as much, or half."""
    if any((patch + found).strip(b" ") for patch, found in pairs) or not any(map(any, pairs)):
        return False
    widths = [(len(patch), len(found)) for patch, found in pairs]
    return all(2 * one == two for one, two in widths) or all(one == 2 * two for one, two in widths)


def _is_style(pairs: Sequence[Pair]) -> bool:
    """Whether one has tabs where the other has blanks."""
    if any(b"\t" in patch for patch, _ in pairs) == any(b"\t" in found for _, found in pairs):
        return False
    return any(
        all(patch.expandtabs(width) == found.expandtabs(width) for patch, found in pairs)
        for width in _WIDTHS
    )
