"""Who may change which lines of a file: its hunks, and those of earlier sections (D30, D102).

It must not move a hunk: it refuses one, or leaves it out.

Hunks may share context, but never what they change: of two that exclude one another the later one
is refused. So are two insertions at one position: applied one after the other, the second lands
above what the first one added if it shows the line above, and below it if it shows the line below.
Their order is known only if the earlier one shows no line below, and the later one none above.

What a later section may do to what earlier ones of the same text wrote:

    it shows, strictly, what they wrote        it follows on: applied, unless all that it shows is
                                               in the file as it was, too: then as below
    it shows what they wrote only loosely      refused
    it makes the very change of one of them    made once, with a note
    it changes, otherwise, what they changed   refused: two versions of one change
    it is elsewhere                            applied

The last three are seen in the file as it was before all of them. A hunk that is there as it is
written, and once, is not sought there again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from git_opatch.complete.edits import Edit, edits_of
from git_opatch.complete.tree import FileContent
from git_opatch.locate.file import File
from git_opatch.locate.place import Search
from git_opatch.model.failure import Failure, HunkResult, failure_of
from git_opatch.model.options import Matching
from git_opatch.model.patch import FilePatch, Hunk, Line, Prefix, changed_span
from git_opatch.model.placement import Evidence, Likeness, Placement
from git_opatch.model.sentences import Detail, Fault, Reason
from git_opatch.model.text import Text


def without_overlaps(results: Mapping[int, HunkResult]) -> dict[int, HunkResult]:
    """Return `results`, by ordinal, with a hunk refused that changes the same lines as one before
    it in the patch."""
    outcomes = dict(results)
    placed = [
        (result.changed, at, result)
        for at, result in results.items()
        if isinstance(result, Placement)
    ]
    placed.sort(key=lambda row: row[:2])
    kept = placed[:1]
    for changed, index, placement in placed[1:]:
        before, index_before, placement_before = kept[-1]
        repeats = (
            changed == before
            and bool(placement.hunk.preimage)
            and _added(placement) == _added(placement_before)
        )
        if repeats and _is_same(placement, placement_before):
            outcomes[index] = _without_changes(placement, placement_before)
            continue
        unordered = changed == before and not _is_ordered(placement_before, placement)
        if changed[0] >= before[1] and not repeats and not unordered:
            kept.append((changed, index, placement))
            continue
        in_patch_order = index_before < index
        earlier = placement_before if in_patch_order else placement
        later = placement if in_patch_order else placement_before
        outcomes[max(index_before, index)] = refuse_overlap(later.hunk, later, earlier)
        if not in_patch_order:
            kept[-1] = (changed, index, placement)
    return outcomes


def _is_ordered(earlier: Placement, later: Placement) -> bool:
    """Return whether the hunks, which only add and at one position, say in which order.

    They do if the earlier shows nothing below what it adds, and the later nothing above. Both are
    meant then, unless one is a version of the other.
    """
    size = len(earlier.hunk.preimage)
    shows_below = earlier.changed[1] < earlier.start + size
    shows_above = later.changed[0] > later.start or bool(later.hunk.anchors)
    return not shows_below and not shows_above and not _are_versions(earlier, later)


def _are_versions(placement: Placement, other: Placement) -> bool:
    """Return whether most lines that two hunks add are the same: one is a version of the other."""
    lines, others = (
        [line.text for line in _added(each) if line.text.strip()] for each in (placement, other)
    )
    common = sum((Counter(lines) & Counter(others)).values())
    return 2 * common > min(len(lines), len(others))


def _is_same(placement: Placement, other: Placement) -> bool:
    """Return whether two hunks are one, given twice, which can only mean one position (D102)."""
    is_unique = placement.evidence is other.evidence is Evidence.UNIQUE
    return is_unique and placement.hunk.lines == other.hunk.lines


def _without_changes(placement: Placement, other: Placement) -> Placement:
    """Return the placement of a hunk that only shows its lines: `other` makes its change."""
    lines = tuple(line._replace(prefix=Prefix.CONTEXT) for line in placement.hunk.preimage)
    note = f"is hunk {other.hunk.ordinal} again; it is applied once"
    hunk = replace(placement.hunk, lines=lines)
    return replace(placement, hunk=hunk, notes=(*placement.notes, note))


def _added(placement: Placement) -> list[Line]:
    return [line for line in placement.hunk.lines if line.prefix is Prefix.ADDED]


def refuse_overlap(
    hunk: Hunk, placement: Placement | None = None, other: Placement | None = None
) -> Failure:
    """Refuse `hunk`, at `placement` if that is known, which changes what `other` changes."""
    fault = Fault.OVERLAP if other else Fault.OVERLAP_ANOTHER
    if _only_add(placement, other):
        fault = Fault.SAME_POSITION
    return failure_of(
        hunk,
        fault,
        positions=(placement.start,) if placement else (),
        other=other.hunk.ordinal if other else 0,
        said=_twin(placement, other),
    )


def _twin(placement: Placement | None, other: Placement | None) -> tuple[str, ...]:
    """Say that two hunks are two versions of one, if they show the same lines."""
    if not (placement and other) or placement.hunk.preimage != other.hunk.preimage:
        return ()
    return (Detail.TWIN.fill(other=other.hunk.ordinal),)


def _only_add(*placements: Placement | None) -> bool:
    return all(each and each.changed[0] == each.changed[1] for each in placements)


# ---------------------------------------------------------------- several sections


@dataclass(slots=True, eq=False)
class EarlierSections:
    """The sections that changed a file."""

    sections: list[FilePatch] = field(default_factory=list)
    file: File | None = None
    """The file as it was before all of them."""

    @property
    def hunks(self) -> Iterator[Hunk]:
        """Their hunks."""
        return (hunk for section in self.sections for hunk in section.hunks)

    def judge(
        self,
        hunks: Mapping[int, Hunk],
        results: Mapping[int, HunkResult],
        content: FileContent,
        matching: Matching,
    ) -> dict[int, Failure | str]:
        """Say why hunks of the next section are refused, or, in a note, left out; the others may be
        applied. Both are by ordinal; `results` is where they are in `content`."""
        origin = content.origin.text if content.origin else Text([])
        if self.file is None or self.file.text is not origin:
            self.file = File(origin, matching.path)
        judge = _Judge(self, self.file, content)
        asked = {at: results[at] for at, hunk in hunks.items() if hunk.preimage or hunk.anchors}
        before = judge.results_before(hunks, asked, matching)
        verdicts = {at: judge.verdict(hunks[at], asked[at], before[at]) for at in asked}
        return {at: verdict for at, verdict in verdicts.items() if verdict is not None}


class _Judge:
    """Judges the hunks of a section by what those before it wrote."""

    def __init__(self, earlier: EarlierSections, file: File, content: FileContent) -> None:
        self._earlier, self._file, self._content = earlier, file, content

    def results_before(
        self, hunks: Mapping[int, Hunk], now: Mapping[int, HunkResult], matching: Matching
    ) -> dict[int, HunkResult | None]:
        """Return where hunks are in the file as it was. Those that match loosely, or in several
        places, are sought there; the others are there as they are written, or nowhere."""
        known: dict[int, HunkResult | None] = {}
        unclear: list[Hunk] = []
        for at, result in now.items():
            hunk = result.hunk if isinstance(result, Placement) else hunks[at]
            starts = self._file.runs(hunk.preimage)
            if isinstance(result, Placement):
                is_unclear = not (hunk.preimage and result.exact and len(starts) < 2)
            else:  # one that is alone in its section is not sought again in what others write
                is_unclear = len(now) == 1 and not starts
            if is_unclear:
                unclear.append(hunks[at])
            elif len(starts) > 1:
                known[at] = failure_of(hunk, Fault.AMBIGUOUS, positions=tuple(starts))
            else:
                known[at] = Placement(hunk, starts[0]) if starts else None
        sought = Search(unclear, self._file, matching).judge(matching) if unclear else {}
        return known | sought

    def verdict(
        self, hunk: Hunk, now: HunkResult, before: HunkResult | None
    ) -> Failure | str | None:
        """Return why `hunk` is refused, or a note why it is left out; None to apply it.

        It is placed `now`, after the earlier sections, and `before` them.
        """
        shown = self._shown(now) if isinstance(now, Placement) else []
        number = self._earlier.sections[-1].number
        if isinstance(now, Placement) and shown and not _shows_exactly(now, shown):
            return failure_of(hunk, Fault.LOOSE_AFTER_EARLIER, earlier=number)
        is_numbered = _has_right_number(now) and not _has_right_number(before)
        was_there = isinstance(before, Placement)
        if shown and (is_numbered or not was_there):
            return None
        if not self._is_changed(hunk, before, is_numbered=is_numbered):
            return None
        same = [other for other in self._earlier.hunks if tuple(other.lines) == tuple(hunk.lines)]
        if not shown and isinstance(before, Placement) and _repeats(hunk, before, same):
            first = f"line {same[0].number} of the patch"
            return f"hunk {hunk.ordinal} repeats the one at {first}; applied once"
        return failure_of(hunk, Fault.OVERLAP_EARLIER, earlier=number)

    def _shown(self, placement: Placement) -> list[int]:
        """List the rows that `placement` shows and earlier sections wrote."""
        lines, owners = self._content.text.lines, self._content.owners
        rows = range(placement.start, placement.stop if owners else 0)
        return [row for row in rows if owners[row] and lines[row].strip()]

    def _is_changed(self, hunk: Hunk, before: HunkResult | None, *, is_numbered: bool) -> bool:
        """Return whether lines are changed that a hunk changes in the file as it was before."""
        spans: list[tuple[int, int]] = []
        if isinstance(before, Placement):
            text = self._file.text
            spans = [(edit.start, edit.stop) for edit in edits_of(before, text)]
        elif before and before.reason is Reason.AMBIGUOUS and not is_numbered:
            spans = [changed_span(hunk, start) for start in before.positions]
        return any(_overlap(span, edit) for span in spans for edit in self._content.edits)


def _shows_exactly(placement: Placement, rows: Sequence[int]) -> bool:
    """Return whether the lines at `rows` match exactly, and nothing was repaired."""
    kinds = placement.likeness
    exact = (not kinds or kinds[row - placement.start] is Likeness.EXACT for row in rows)
    return not placement.repairs and all(exact)


def _repeats(hunk: Hunk, before: Placement, same: Sequence[Hunk]) -> bool:
    """Return whether one of the earlier hunks with its lines is meant for the same place."""
    if hunk in same:
        return before.evidence is not Evidence.NEAREST
    return bool(same) and before.evidence is Evidence.UNIQUE


def _has_right_number(result: HunkResult | None) -> bool:
    """Return whether a hunk is exactly at its stated line: it was written for the file as it is."""
    return (
        isinstance(result, Placement) and result.exact and result.hunk.stated_start == result.start
    )


def _overlap(span: tuple[int, int], edit: Edit) -> bool:
    """Return whether a change of the lines of `span` and `edit` exclude one another, or their order
    would matter: two insertions at one position."""
    first, second = sorted((span, (edit.start, edit.stop)))
    return first == second or second[0] < first[1]
