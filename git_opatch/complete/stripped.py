"""Is the first line alone without its indentation? Then nothing tells how deep added lines are.

Who quotes a line begins at its text: an anchor, and the first line of a replacement, are often
written at the margin while what comes after them is as deep as in the file.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.complete.rules import Pair
from git_opatch.outcome import Placement
from git_opatch.patch import Line, Mark
from git_opatch.text import Text, indentation


def may_be_first_alone(lines: Sequence[Line], pairs: Sequence[Pair | None]) -> bool:
    """Whether the only line found is the first, stands at the margin of the patch, and is replaced
    by lines of which all but the first are as deep as it is in the file, or deeper."""
    shown = [pair for pair in pairs if pair is not None]
    if len(shown) != 1 or lines[0].mark is not Mark.REMOVED or shown[0][0] or not shown[0][1]:
        return False
    after_first = _depths(lines)[1:]
    return bool(after_first) and all(depth.startswith(shown[0][1]) for depth in after_first)


def may_be_anchor_alone(placement: Placement, text: Text) -> bool:
    """Whether added lines that go below an anchor, which the file has with another indentation,
    would fit there as deep as they are and moved as it is; or are less deep than all there."""
    hunk, start = placement.hunk, placement.start
    if hunk.preimage or not hunk.anchors or not 0 < start <= len(text.lines):
        return False
    anchor, found = hunk.anchors[-1].text, text.lines[start - 1]
    patch, there = indentation(anchor), indentation(found)
    if anchor.strip() != found.strip() or patch == there or not there.endswith(patch):
        return False
    below = (line for line in text.lines[start:] if line.strip())
    near = {there, indentation(next(below, found))}
    least = min(_depths(hunk.lines), key=len, default=there)
    moved = there.removesuffix(patch) + least
    return moved in near or len(least) < min(map(len, near))


def _depths(lines: Sequence[Line]) -> list[bytes]:
    """Of the added lines that are not blank."""
    return [
        indentation(line.text) for line in lines if line.mark is Mark.ADDED and line.text.strip()
    ]
