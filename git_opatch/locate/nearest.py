"""`--ambiguous nearest`: choose as FILE_PATCH's scoring does (D17).

The choice is right for 84 to 92 of 100 hunks, so it is made only on request. From "Proximity" and
"Exact Whitespace Count" of the FILE_PATCH strategy.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.locate.candidates import Candidates
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Evidence

_PROXIMITY = 100
"""How many lines away the nearest candidate may be beyond the strict tier: FILE_PATCH's limit."""


def choose_nearest(all_candidates: Sequence[Candidates], file_index: FileIndex) -> None:
    """Choose, for each hunk with several candidates, the best, then the nearest to where it says.

    A hunk without a line number is expected where the hunk before it ends. Beyond the strict tier,
    candidates more than 100 lines away are not chosen.
    """
    expected = 0
    for candidates in all_candidates:
        if len(candidates.positions) > 1 and not candidates.truncated:
            stated = candidates.hunk.stated_start
            _choose(candidates, expected if stated is None else stated, file_index)
        if candidates.decided:
            position = candidates.positions[0]
            expected = position + len(candidates.hunk_at(position).preimage)


def _choose(candidates: Candidates, expected: int, file_index: FileIndex) -> None:
    near = [start for start in candidates.positions if start not in candidates.rivals]
    if candidates.tier is not Tier.STRICT:
        near = [start for start in near if abs(start - expected) <= _PROXIMITY]
    if not near:
        return

    def rank(start: int) -> tuple[int, int, bool]:
        exact = _count_exact(candidates.hunk_at(start), start, file_index)
        return -exact, abs(start - expected), start < expected

    candidates.evidence = Evidence.NEAREST
    candidates.candidate_count = len(candidates.positions)
    candidates.positions = [min(near, key=rank)]


def _count_exact(hunk: Hunk, position: int, file_index: FileIndex) -> int:
    """Count the lines of a hunk that match at `position` exactly as they are written."""
    return sum(
        file_index.normal(line.text) == file_index.lines[position + offset]
        for offset, line in enumerate(hunk.preimage)
    )
