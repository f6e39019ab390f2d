"""List a hunk's candidates: the positions where it matches, at the strictest tier that has any.

The tiers come first, repairs after all of them (D15). Which of several candidates is meant is
decided in `disambiguate` and `hunk_order`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from git_opatch.locate.addition import place_addition
from git_opatch.locate.already_applied import removes_text, unique_gap, unique_postimage
from git_opatch.locate.anchor import AnchorMatch, find_anchors, in_scope_of
from git_opatch.locate.blank_lines import Alignment, align, without_last_blanks
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.line_index import MAX_POSITIONS
from git_opatch.locate.normal_lines import NormalizedLines
from git_opatch.locate.repairs import (
    cut_in_front,
    without_overhang,
)
from git_opatch.locate.rivals import find_rivals
from git_opatch.model.failure import Problem
from git_opatch.model.limits import FEW
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, changed_span
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault

if TYPE_CHECKING:
    from git_opatch.locate.variants import Variant


@dataclass(eq=False)
class Candidates:
    """The candidates of one hunk; `positions` are those of its preimage, in order."""

    hunk: Hunk
    anchors: AnchorMatch
    searched: Hunk
    """The hunk as it was searched for: repaired, if it had to be."""
    tier: Tier = Tier.STRICT
    positions: list[int] = field(default_factory=list)
    alignments: dict[int, Alignment] = field(default_factory=dict)
    """The hunk as the file has it at a position, where that differs between positions."""
    repairs: tuple[str, ...] = ()
    must_be_unique: bool = False
    """Whether the match is so loose that it must be the only one (D15)."""
    rivals: frozenset[int] = frozenset()
    """Those of `positions` where the hunk matches with another indentation or letter case only.
    They make the match ambiguous but are never chosen (D37)."""
    evidence: Evidence = Evidence.UNIQUE
    candidate_count: int = 1
    """How many candidates `Evidence.NEAREST` chose from."""
    no_position: Problem | None = None
    """Why a hunk of added lines alone has no position at all."""
    applied_at: int | None = None
    """Where the postimage is, while the preimage is nowhere."""
    omission_problem: Problem | None = None
    """Why a hunk that leaves lines out has no position (D35)."""
    notes: tuple[str, ...] = ()
    """What was assumed of a hunk that does not say where it goes (D21)."""

    @property
    def decided(self) -> bool:
        """Whether exactly one position is left."""
        return len(self.positions) == 1

    @property
    def unique(self) -> bool:
        """Whether there was one position from the beginning, so that no evidence was needed."""
        return self.decided and self.evidence is Evidence.UNIQUE

    @property
    def truncated(self) -> bool:
        """Whether there are more positions than were listed, so that none can be chosen."""
        return len(self.positions) > MAX_POSITIONS

    @property
    def open(self) -> bool:
        """Whether evidence may choose among several positions."""
        return len(self.positions) > 1 and not self.truncated and not self.must_be_unique

    def keep_only(self, positions: list[int], evidence: Evidence) -> None:
        """Keep `positions`, if they are some but not all, and note which evidence decided."""
        if len(positions) == 1 and positions[0] in self.rivals:
            return
        if self.open and 0 < len(positions) < len(self.positions):
            self.positions = positions
            if len(positions) == 1:
                self.evidence = evidence

    def hunk_at(self, position: int) -> Hunk:
        """Return the hunk as the file has it at `position`."""
        return self.alignments[position].hunk if position in self.alignments else self.searched

    def span(self, position: int) -> tuple[int, int]:
        """Return the first line that the hunk changes at `position`, and that after the last."""
        return changed_span(self.hunk_at(position), position)


def find_candidates(hunk: Hunk, file_index: FileIndex, matching: Matching) -> Candidates:
    """List the candidates of `hunk` at the strictest tier, and with the fewest repairs, that has
    any; or find that its change is already applied."""
    initial = Candidates(hunk, find_anchors(hunk.anchors, file_index), hunk)
    for attempt in _attempts(initial, file_index, matching):
        found = _without_other_code(attempt, file_index)
        if found.positions or found.applied_at is not None or found.omission_problem:
            return _with_rivals(found, file_index, matching)
    return initial


def _attempts(
    initial: Candidates, file_index: FileIndex, matching: Matching
) -> Iterator[Candidates]:
    """Yield what each way of searching finds, strictest first."""
    yield _strict(initial, file_index)
    if not initial.hunk.preimage:
        return
    loose_tiers = matching.tier.upto[1:]
    yield _already_applied(initial, file_index, Tier.STRICT)
    if matching.reversed or removes_text(initial.hunk):
        gap = unique_gap(initial.hunk, file_index)
        yield _applied_at(gap, initial, file_index, Tier.STRICT)
    for tier in loose_tiers:
        yield _at_tier(initial, file_index, tier)
        yield _already_applied(initial, file_index, tier)
    if matching.tier is Tier.FUZZY:
        yield _with_context_difference(initial, file_index, Tier.STRICT)
        yield _with_context_difference(initial, file_index, Tier.RESILIENT)
    for tier in loose_tiers:
        yield _cut_in_front(initial, file_index.view(tier))
    for tier in loose_tiers:
        yield _without_overhang(initial, file_index, tier)
    yield _as_variant(initial, file_index)
    if loose_tiers and not file_index.changed:
        yield _with_gaps(initial, file_index)


def _without_other_code(found: Candidates, file_index: FileIndex) -> Candidates:
    """Drop what matches nowhere once code is compared as code (D100).

    If it matches somewhere, all positions stay: a loose match must be the only one, and what has
    the same words in another letter case is too much like it (D15).
    """
    if found.tier is not Tier.FUZZY or not found.positions:
        return found
    if any(file_index.has_same_code(found.hunk_at(start), start) for start in found.positions):
        return found
    return replace(found, positions=[], alignments={})


def _with_rivals(found: Candidates, file_index: FileIndex, matching: Matching) -> Candidates:
    """Add the positions that a short hunk may mean besides those where it matches strictly."""
    strict = found.tier is Tier.STRICT and not found.repairs
    if not strict or matching.tier is Tier.STRICT or found.truncated or not found.positions:
        return found
    others = find_rivals(found.searched, found.positions, file_index)
    if not others:
        return found
    positions = sorted([*found.positions, *others])
    return replace(found, positions=positions, rivals=frozenset(others))


def _already_applied(initial: Candidates, file_index: FileIndex, tier: Tier) -> Candidates:
    """Find where the change is already."""
    position = unique_postimage(initial.hunk, file_index, tier)
    return _applied_at(position, initial, file_index, tier)


def _applied_at(
    position: int | None, initial: Candidates, file_index: FileIndex, tier: Tier
) -> Candidates:
    """Note where the change is already; not where the hunk's own anchor contradicts that."""
    anchors = initial.anchors.positions
    weak = all(anchor.weak for anchor in initial.hunk.anchors)
    if position is not None and anchors and not weak:
        position = next(iter(in_scope_of([position], anchors, file_index)), None)
    return replace(initial, tier=tier, applied_at=position)


def _strict(initial: Candidates, file_index: FileIndex) -> Candidates:
    """Search strictly; a hunk of added lines alone has the position that its anchor gives it."""
    if initial.hunk.preimage:
        found = replace(initial, positions=file_index.find(initial.hunk.preimage))
        _add_end_of_file(found, file_index)
        _add_without_separators(found, file_index.find)
        return found
    addition = place_addition(initial.hunk, initial.anchors, len(file_index.lines))
    initial.positions, initial.evidence = addition.positions, addition.evidence
    initial.no_position, initial.notes = addition.problem, addition.notes
    return initial


def _add_end_of_file(found: Candidates, file_index: FileIndex) -> None:
    """Add the end of the file, where the blank lines at the hunk's end would be past it (D26).

    They may be what separates the hunk from the next, or how the last newline was read.
    """
    if not found.positions or found.truncated:
        return
    shorter = without_last_blanks(found.hunk)
    start = len(file_index.lines) - len(shorter.preimage)
    if shorter is found.hunk or not shorter.preimage or start < 0:
        return
    if file_index.first_match([start], shorter.preimage) is not None:
        found.positions = [*found.positions, start]
        found.alignments = {start: Alignment(shorter, start)}


def _add_without_separators(
    found: Candidates, find: Callable[[Sequence[Line]], Sequence[int]]
) -> None:
    """Add what `find` lists without the empty lines at the hunk's end, which may separate it from
    what follows, and so decide nothing (D464).

    A candidate that has them keeps them: both readings write the same there.
    """
    shorter = _without_separators(found.hunk)
    is_shown = any(line.text.strip() for line in shorter.preimage)
    if shorter is found.hunk or not is_shown or not found.positions or found.truncated:
        return
    others = [start for start in find(shorter.preimage) if start not in found.positions]
    found.positions = sorted([*found.positions, *others])
    found.alignments |= {start: Alignment(shorter, start) for start in others}


def _without_separators(hunk: Hunk) -> Hunk:
    count = hunk.separators
    return replace(hunk, lines=hunk.lines[:-count], separators=0) if count else hunk


def _at_tier(initial: Candidates, file_index: FileIndex, tier: Tier) -> Candidates:
    """Search at a loose tier: line by line, else with the blank lines aligned (D24, D25)."""
    view = file_index.view(tier)
    must_be_unique = view.tier is Tier.FUZZY
    found = replace(
        initial, tier=view.tier, must_be_unique=must_be_unique, positions=[], alignments={}
    )
    found.positions = view.find_line_by_line(initial.searched.preimage)
    if not found.positions:
        _align(found, view, view.find_ignoring_blanks(initial.searched.preimage))
    elif initial.searched is initial.hunk:
        _add_without_separators(found, view.find_line_by_line)
    return found


def _align(found: Candidates, view: NormalizedLines, starts: Sequence[int]) -> None:
    """Take the positions where the hunk's blank lines can be aligned; `starts` counts in
    `view.solid`."""
    size = sum(bool(view.key(line)) for line in found.searched.preimage)
    alignments = [
        alignment
        for start in starts[: FEW + 1]
        if (alignment := align(found.searched, view.solid[start : start + size], view))
    ]
    found.alignments = {alignment.start: alignment for alignment in alignments}
    found.positions = sorted(found.alignments)
    found.must_be_unique = found.must_be_unique or len(starts) > FEW


def _with_context_difference(initial: Candidates, file_index: FileIndex, tier: Tier) -> Candidates:
    """Search for what matches at `tier` but for one context line (D101)."""
    found = replace(initial, tier=tier, positions=[], must_be_unique=True)
    from git_opatch.locate.context_difference import tolerate_context

    tolerated = tolerate_context(initial.hunk, file_index, tier)
    if tolerated is not None:
        found.searched, found.positions = tolerated.hunk, [tolerated.start]
        found.repairs = (f"a context line differs in {tolerated.difference}",)
    return found


def _cut_in_front(initial: Candidates, view: NormalizedLines) -> Candidates:
    """Search for context lines that lack their beginning (D23)."""
    must_be_unique = view.tier is Tier.FUZZY
    found = replace(
        initial, tier=view.tier, must_be_unique=must_be_unique, positions=[], alignments={}
    )
    _align(found, view, cut_in_front(initial.hunk, view))
    return found


def _without_overhang(initial: Candidates, file_index: FileIndex, tier: Tier) -> Candidates:
    """Search without the context lines past the end of the file (D27)."""
    view = file_index.view(tier)
    variant = without_overhang(initial.hunk, view, file_index.lines)
    found = replace(initial, tier=view.tier, must_be_unique=True, positions=[], alignments={})
    if variant is not None:
        found.searched = variant
        size = sum(bool(view.key(line)) for line in variant.preimage)
        _align(found, view, [len(view.solid) - size])
        count = len(initial.hunk.lines) - len(variant.lines)
        lie = "a context line lies" if count == 1 else f"{count} context lines lie"
        found.repairs = (f"{lie} past the end of the file",)
    return found


def _as_variant(initial: Candidates, file_index: FileIndex) -> Candidates:
    """Search for the variants of the hunk (D90).

    Only if the hunk as it is written is nowhere, at any tier. Those that match strictly must be
    at one position, and say the same.
    """
    initial = replace(initial, positions=[])
    from git_opatch.locate.variants import variants_of

    meant = list(variants_of(initial.hunk))
    literal = (
        file_index.view(tier).find_ignoring_blanks(initial.hunk.preimage)
        for tier in tuple(Tier)[1:]
    )
    if not meant or any(literal):
        return initial
    found = [(variant, file_index.find(variant.hunk.preimage)) for variant in meant]
    placed = [(variant, positions) for variant, positions in found if positions]
    if not placed:
        return _applied_as_variant(initial, meant, file_index)
    (hunk, repair), positions = placed[0]
    same = all(other.hunk == hunk and at == positions for other, at in placed)
    if hunk.stated_start != initial.hunk.stated_start and hunk.stated_start in positions:
        positions = [hunk.stated_start]  # which the hunk's own lines state
    solitary = sum(bool(line.text.strip()) for line in hunk.preimage) == 1
    misnumbered = solitary and hunk.stated_start not in (initial.hunk.stated_start, positions[0])
    if not same or len(positions) > 1 or misnumbered:
        return initial
    anchors = find_anchors(hunk.anchors, file_index)
    return replace(
        initial, hunk=hunk, anchors=anchors, searched=hunk, positions=positions, repairs=(repair,)
    )


def _applied_as_variant(
    initial: Candidates, meant: Sequence[Variant], file_index: FileIndex
) -> Candidates:
    """Find where the change of one of the variants `meant` is already."""
    for variant in meant:
        found = _already_applied(replace(initial, hunk=variant.hunk), file_index, Tier.STRICT)
        if found.applied_at is not None:
            return found
    return initial


def _with_gaps(initial: Candidates, file_index: FileIndex) -> Candidates:
    """Search for the pieces of a hunk that leaves lines out (D35)."""
    initial = replace(initial, positions=[])
    from git_opatch.locate.omitted_context import bridge_gaps, describe_gaps

    bridged = bridge_gaps(initial.hunk, initial.anchors.positions, file_index)
    if bridged is None:
        return initial
    left_out = describe_gaps(bridged.gaps) or "no line"
    if bridged.unclear:
        return replace(initial, omission_problem=Problem.of(Fault.GAP, left_out=left_out))
    return replace(
        initial,
        searched=bridged.hunk,
        positions=[bridged.start],
        repairs=(f"{left_out} of the file left out",),
        must_be_unique=True,
    )
