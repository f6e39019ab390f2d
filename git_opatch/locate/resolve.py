"""Turn the candidates that are left into placements, and into failures that say why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.locate.already_applied import applied_over, postimage_positions
from git_opatch.locate.anchor import in_scope_of
from git_opatch.locate.blank_lines import Alignment
from git_opatch.locate.candidates import Candidates
from git_opatch.locate.claim_verdict import HunkAtPosition
from git_opatch.locate.claims import check_claims, with_newlines_of
from git_opatch.locate.explain import (
    NotFoundExplainer,
    refuse,
    refuse_already_applied,
    refuse_ambiguous,
    refuse_blank_lines,
)
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.lost_prefix import restore_prefixes
from git_opatch.locate.tiers import likeness
from git_opatch.locate.unchanged_lines import cancel_unchanged
from git_opatch.model.failure import Failure, HunkResult, Problem, failure_of
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.paths import is_document
from git_opatch.model.placement import Likeness, Placement

_BLANK_STAYS = "omits a blank line of the file; what it adds stays next to the line above it"


class Resolver:
    """Turns the candidates of one file's hunks into placements and failures."""

    def __init__(
        self, file_index: FileIndex, all_candidates: Sequence[Candidates], matching: Matching
    ) -> None:
        self._file_index = file_index
        self._not_found = NotFoundExplainer(file_index, all_candidates, matching)
        self._matching = matching
        self._moved = sum(map(_is_moved, all_candidates))

    def resolve(self, candidates: Candidates) -> HunkResult:
        """Place a hunk that has one candidate which nothing contradicts; refuse any other."""
        if not candidates.positions:
            return self._refuse_without_candidates(candidates)
        if not candidates.decided:
            # blocks that come in any order, those of search and replace, have none
            has_anchors = self._matching.ordered
            return refuse_ambiguous(candidates, self._file_index, has_anchors=has_anchors)
        position = candidates.positions[0]
        hunk = candidates.hunk_at(position)
        applied = applied_over(hunk, position, self._file_index, candidates.tier)
        if applied is not None:
            return refuse_already_applied(candidates.hunk, *applied, self._file_index)
        none_moved = self._moved == _is_moved(candidates)
        located = HunkAtPosition(candidates, position, self._file_index, none_moved, self._matching)
        refuted, notes = check_claims(located)
        if refuted is not None:
            return self._refuse_contradicted(candidates, refuted)
        alignment = candidates.alignments.get(position)
        if alignment is not None:
            blank = alignment.ambiguous_at
            if alignment.beside is not None:
                if is_document(self._matching.path):
                    blank = alignment.beside if blank is None else blank
                notes = [*notes, _BLANK_STAYS]
            if blank is not None:
                return refuse_blank_lines(candidates, blank, self._file_index)
        return self._place(candidates, position, notes)

    def _refuse_without_candidates(self, candidates: Candidates) -> Failure:
        problem = candidates.no_position
        if problem is None and candidates.applied_at is None:
            problem = candidates.omission_problem
        if problem:
            return failure_of(candidates.hunk, problem)
        if candidates.applied_at is not None:
            return refuse_already_applied(
                candidates.hunk, candidates.applied_at, candidates.tier, self._file_index
            )
        return self._not_found.refuse(candidates)

    def _refuse_contradicted(self, candidates: Candidates, refuted: Problem) -> Failure:
        """Refuse a hunk; as already applied if its postimage is once under its anchor, strictly."""
        hunk = candidates.hunk
        positions = postimage_positions(hunk, self._file_index, Tier.STRICT)
        under = in_scope_of(positions, candidates.anchors.positions, self._file_index)
        if len(under) == 1:
            return refuse_already_applied(hunk, under[0], Tier.STRICT, self._file_index)
        return refuse(candidates, self._file_index, refuted)

    def _place(self, candidates: Candidates, position: int, notes: Sequence[str]) -> Placement:
        hunk = candidates.hunk_at(position)
        strict = candidates.tier is Tier.STRICT
        if not strict:
            hunk = restore_prefixes(hunk, position, self._file_index)
        in_file = () if strict else self._lines_at(hunk, position)
        verbatim_endings = (
            strict
            and not hunk.uniform_endings
            and self._file_index.has_endings(hunk.preimage, position)
        )
        return Placement(
            cancel_unchanged(with_newlines_of(self._file_index.text, hunk, position), in_file),
            position,
            candidates.tier,
            candidates.evidence,
            verbatim_endings=verbatim_endings,
            likeness=() if strict else tuple(self._likeness(hunk, in_file)),
            repairs=(*candidates.repairs, *_blank_repairs(candidates.alignments.get(position))),
            notes=(*candidates.notes, *notes),
            candidate_count=candidates.candidate_count,
        )

    def _lines_at(self, hunk: Hunk, position: int) -> Sequence[bytes]:
        """Return the file's lines for the hunk's preimage."""
        return self._file_index.lines[position : position + len(hunk.preimage)]

    def _likeness(self, hunk: Hunk, in_file: Sequence[bytes]) -> Iterator[Likeness]:
        for line, found in zip(hunk.preimage, in_file, strict=True):
            text = self._file_index.normal(line.text)
            yield Likeness.EXACT if _is_exact(line, text, found) else likeness(text, found)


def _is_moved(candidates: Candidates) -> bool:
    """Return whether a hunk with one candidate is not where its line number says."""
    return candidates.decided and candidates.hunk.stated_start not in (
        None,
        candidates.positions[0],
    )


def _is_exact(line: Line, text: bytes, found: bytes) -> bool:
    """Return whether a line is in the file as written, or is context that lost its prefix (D33)."""
    return text == found or (line.prefix is Prefix.CONTEXT and b" " + text == found)


def _blank_repairs(alignment: Alignment | None) -> Iterator[str]:
    """Name the repairs of blank lines that one side lacks."""
    if alignment is None:
        return
    for count, description in (
        (alignment.omitted, "of the file left out"),
        (alignment.surplus, "of the patch not in the file"),
    ):
        if count:
            yield f"{count} blank line{'s' * (count > 1)} {description}"
