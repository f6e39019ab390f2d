"""Suggest what tells the candidates of a hunk apart: a definition, or a line beside each.

It must not decide anything: it is for a reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.extent import Enclosing, Means, Suggestion
from git_opatch.model.limits import NEAR, SHOWN

_REACH = 12
"""How far from a hunk a line is looked for that tells its candidates apart."""
_DEPTH = 4
"""How many definitions, one in another, are looked at."""


def tell_apart(
    positions: Sequence[int], size: int, file: FileIndex, *, has_anchors: bool
) -> tuple[Suggestion, ...]:
    """Suggest what to add for each of the first `positions` of a hunk, which has `size` old lines.

    That is the nearest definition that no other one is in, else the nearest line; none of many.
    """
    if len(positions) > NEAR:
        return ()
    names: dict[int, list[bytes]] = {}
    if has_anchors and len(positions) <= SHOWN:
        names = {at: [*_names(at, file)] for at in positions}
    found = []
    for at in positions[:SHOWN]:
        others = {name for other in names if other != at for name in names[other]}
        own = next((name for name in names.get(at, ()) if name and name not in others), None)
        if own is not None:
            found.append(Suggestion(Means.ANCHOR, own, at))
        elif beside := _beside(at, positions, size, file.lines):
            found.append(beside)
    return tuple(found)


def _names(position: int, file: FileIndex) -> Iterator[bytes]:
    """Yield the definitions that a line is in, the innermost first."""
    inside: tuple[Enclosing, ...] = name_enclosing([position], file)
    for _ in range(_DEPTH):
        if not inside:
            return
        yield inside[0].text.strip()
        inside = name_enclosing([inside[0].line], file)


def _beside(
    at: int, positions: Sequence[int], size: int, lines: Sequence[bytes]
) -> Suggestion | None:
    """Suggest the line above, or below, that tells a candidate from all others: the nearer.

    Blank lines do not count, as a patch may leave them out; neither does whitespace.
    """
    found = []
    for means, first, step in ((Means.ABOVE, -1, -1), (Means.BELOW, size, 1)):
        rivals = [other for other in positions if other != at]
        for distance, offset in enumerate(range(first, first + step * _REACH, step), 1):
            own = _words(lines, at + offset)
            rivals = [
                each for each in rivals if not own or _words(lines, each + offset) in ([], own)
            ]
            if own is not None and not rivals:
                found.append(Suggestion(means, lines[at + offset], at, distance))
                break
    return min(found, key=lambda each: each.distance, default=None)


def _words(lines: Sequence[bytes], at: int) -> list[bytes] | None:
    return lines[at].split() if 0 <= at < len(lines) else None
