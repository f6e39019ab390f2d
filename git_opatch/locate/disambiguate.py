"""Decide between several candidates by what the patch says (D16).

One function per kind of evidence. Each is a question that keeps the candidates for which the answer
is yes; none is a score. Evidence that supports no candidate is silent. A hunk's own evidence is
asked in the order of `OWN_EVIDENCE`; the order of the hunks (`hunk_order`) comes next, the stated
line number last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from git_opatch.locate.anchor import in_scope_of
from git_opatch.locate.candidates import Candidates
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.placement import Evidence

_NEAR = 20
_MAX_NEAR = 5
"""More candidates than this within `_NEAR` lines need a confirmed line number."""


def narrow_by_own_evidence(all_candidates: Sequence[Candidates], file_index: FileIndex) -> None:
    """Narrow each hunk's candidates by what the hunk itself says."""
    for candidates in all_candidates:
        for evidence, supported in OWN_EVIDENCE:
            if candidates.open:
                candidates.keep_only(supported(candidates, file_index), evidence)


def narrow_by_stated_line(all_candidates: Sequence[Candidates], file_index: FileIndex) -> None:
    """Take the candidate at the stated line, if the file's line numbers are credible (D19)."""
    undecided = [candidates for candidates in all_candidates if candidates.open]
    if not undecided or not are_credible(all_candidates):
        return
    confirmed = are_confirmed(all_candidates)
    for candidates in undecided:
        supported = at_stated_line(candidates, file_index, confirmed=confirmed)
        candidates.keep_only(supported, Evidence.STATED_LINE)


def at_end_of_file(candidates: Candidates, file_index: FileIndex) -> list[int]:
    """Keep the candidates that end where the file ends, for a hunk that says it does (D22)."""
    if not candidates.hunk.at_end_of_file:
        return []
    end = len(file_index.lines)
    return [
        start
        for start in candidates.positions
        if start + len(candidates.hunk_at(start).preimage) == end
    ]


def under_anchor(candidates: Candidates, file_index: FileIndex) -> list[int]:
    """Keep the candidates in the scope of the hunk's anchors (D18).

    A weak anchor is silent if the stated line supports another candidate.
    """
    positions = _in_anchor_scope(candidates, file_index)
    return [] if _is_overruled(candidates, positions) else positions


def _in_anchor_scope(candidates: Candidates, file_index: FileIndex) -> list[int]:
    anchors = candidates.anchors.positions
    if len(candidates.positions) < 2 or not anchors or not candidates.searched.preimage:
        return []
    return in_scope_of(candidates.positions, anchors, file_index)


def _is_overruled(candidates: Candidates, positions: Sequence[int]) -> bool:
    """Return whether a weak anchor supports `positions`, and the stated line another candidate."""
    stated = candidates.hunk.stated_start
    weak = all(anchor.weak for anchor in candidates.hunk.anchors)
    return weak and stated in candidates.positions and stated not in positions


def are_credible(all_candidates: Sequence[Candidates]) -> bool:
    """Return whether the line numbers of a file's hunks look counted, not invented.

    The numbers in the new file must follow from those in the old one and the lines in between, and
    each hunk with one candidate must be where its number says.
    """
    grown = 0
    for candidates in all_candidates:
        hunk = candidates.hunk
        if hunk.stated_start is not None and hunk.preimage:
            consistent = hunk.new_start in (None, hunk.stated_start + grown) or not hunk.postimage
            elsewhere = candidates.decided and candidates.positions[0] != hunk.stated_start
            if not consistent or elsewhere:
                return False
        grown += len(hunk.postimage) - len(hunk.preimage)
    return True


def are_confirmed(all_candidates: Sequence[Candidates]) -> bool:
    """Return whether some hunk of the file with one candidate is where its number says."""
    return any(
        found.unique and found.positions[0] == found.hunk.stated_start for found in all_candidates
    )


def at_stated_line(candidates: Candidates, file_index: FileIndex, *, confirmed: bool) -> list[int]:
    """Keep the candidate that is exactly at the stated line; never the nearest to it (D19).

    Silent if a heading supports other candidates: with right numbers it did so for 3 of 690 hunks
    that matched several times. Silent, too, among many candidates close by, unless a heading or
    another hunk has `confirmed` the numbers: models state them right for 86 of 100 single hunks,
    and for 9 they are off by up to 20 lines, which may be another candidate.
    """
    positions, stated = candidates.positions, candidates.hunk.stated_start
    in_scope = _in_anchor_scope(candidates, file_index)
    if stated is None or (in_scope and _is_overruled(candidates, in_scope)):
        return []
    index = bisect_left(positions, stated)
    if positions[index : index + 1] != [stated]:
        return []
    first, stop = bisect_left(positions, stated - _NEAR), bisect_left(positions, stated + _NEAR + 1)
    return [] if stop - first > _MAX_NEAR and not (confirmed or in_scope) else [stated]


OWN_EVIDENCE: tuple[tuple[Evidence, Callable[[Candidates, FileIndex], list[int]]], ...] = (
    (Evidence.END_OF_FILE, at_end_of_file),
    (Evidence.ANCHOR, under_anchor),
)
"""What a hunk says by itself, strongest first."""
