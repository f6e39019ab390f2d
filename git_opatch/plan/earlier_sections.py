"""What a section may do to a file that earlier sections of the same text changed (D102).

    it shows, strictly, what they wrote        it follows on: applied, unless all that it shows is
                                               in the file as it was, too: then as below
    it shows what they wrote only loosely      refused
    it makes the very change of one of them    made once, with a note
    it changes, otherwise, what they changed   refused: two versions of one change
    it is elsewhere                            applied

The last three are seen in the file as it was before all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeGuard

from git_opatch.complete.edits import Edit, edits_of, written_lines
from git_opatch.complete.tree import FileContent
from git_opatch.locate.replacement import expand
from git_opatch.model.failure import Failure, HunkResult, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Hunk, changed_span
from git_opatch.model.placement import Evidence, Likeness, Placement
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text
from git_opatch.plan.apply_hunks import locate_chosen, matching_for


class Checked(NamedTuple):
    """The hunks of a section that may be applied, and what is said of the others."""

    hunks: Sequence[Hunk] = ()
    before: Sequence[HunkResult] = ()
    """Where they are in the file as it was before all sections."""
    failures: Sequence[Failure] = ()
    notes: Sequence[str] = ()


class EarlierSection(NamedTuple):
    """A section that was applied."""

    section: FilePatch
    before: Sequence[HunkResult]
    """Where its hunks are in the file as it was before all sections."""


def check_section(
    section: FilePatch,
    content: FileContent,
    earlier: Sequence[EarlierSection],
    options: Options,
) -> Checked:
    """Divide the hunks of `section`, for a file that `earlier` sections changed to `content`."""
    checker = _Checker(section, content, earlier)
    now = _locate(section, content.text, options)
    before = _locate(section, content.origin.text, options) if content.origin else {}
    before = _with_repeats(section.hunks, before)
    verdicts = [
        (hunk, checker.check(hunk, now.get(hunk.ordinal), before.get(hunk.ordinal)))
        for hunk in section.hunks
    ]
    return Checked(
        [hunk for hunk, verdict in verdicts if verdict is None],
        list(before.values()),
        [verdict for _, verdict in verdicts if isinstance(verdict, Failure)],
        [verdict for _, verdict in verdicts if isinstance(verdict, str)],
    )


def _locate(section: FilePatch, text: Text, options: Options) -> dict[int, HunkResult]:
    """Locate the hunks of `section` that change something in `text`, by ordinal."""
    changing = [hunk for hunk in section.hunks if hunk.changes]
    matching = matching_for(section, options)
    hunks = expand(changing, text, strings=False).hunks
    results = locate_chosen(hunks, section.left_out, text, matching)
    return {hunk.ordinal: result for hunk, result in zip(hunks, results, strict=True)}


def _with_repeats(
    hunks: Sequence[Hunk], results: Mapping[int, HunkResult]
) -> dict[int, HunkResult]:
    """Return `results` with that of the first of equal `hunks` for all of them: one makes the
    change."""
    first = {tuple(hunk.lines): hunk.ordinal for hunk in reversed(hunks)}
    same = {hunk.ordinal: results.get(first[tuple(hunk.lines)]) for hunk in hunks}
    return {
        at: repeated if isinstance(repeated := same.get(at), Placement) else result
        for at, result in results.items()
    }


class _Checker(NamedTuple):
    section: FilePatch
    content: FileContent
    earlier: Sequence[EarlierSection]

    def check(
        self, hunk: Hunk, now: HunkResult | None, before: HunkResult | None
    ) -> Failure | str | None:
        """Return why `hunk` is refused, or a note why it is left out; None to apply it.

        It is located `now`, after the earlier sections, and `before` them.
        """
        if not hunk.changes or (not hunk.preimage and not hunk.anchors):
            return None
        shown = list(self._written(now)) if isinstance(now, Placement) else []
        changed = self._first_changed(hunk, before, now)
        if shown and isinstance(now, Placement):
            if not _shows_exactly(now, shown):
                return self._refuse_loose(hunk)
            is_numbered = _has_right_number(now) and not _has_right_number(before)
            was_there = isinstance(before, Placement) and (before.exact or not now.exact)
            follows_on = is_numbered or not was_there
            if follows_on or changed is None:
                return None
            return self._refuse_other(hunk, changed)
        if changed is None:
            return None
        if self._is_repeated(hunk, before):
            number = self._maker_of(changed)
            return (
                f"hunk {hunk.ordinal} repeats the one at line {number} of the patch; applied once"
            )
        return self._refuse_other(hunk, changed)

    def _written(self, placement: Placement) -> Iterator[int]:
        """Yield the positions of the lines that `placement` shows and earlier sections wrote."""
        for rows in written_lines(self._edits):
            shown = range(max(rows.start, placement.start), min(rows.stop, placement.stop))
            yield from (at for at in shown if self.content.text.lines[at].strip())

    @property
    def _edits(self) -> Sequence[Edit]:
        if self.content.origin is not None:
            return self.content.edits
        return [Edit(0, 0, tuple(self.content.text.lines))]

    def _first_changed(
        self, hunk: Hunk, before: HunkResult | None, now: HunkResult | None
    ) -> Edit | None:
        """Return the first edit of the lines that a hunk changes in the file as it was before."""
        spans: list[tuple[int, int]] = []
        if isinstance(before, Placement) and self.content.origin is not None:
            text = self.content.origin.text
            spans = [(edit.start, edit.stop) for edit in edits_of(before, text)]
        elif _is_ambiguous(before) and not _has_right_number(now):
            spans = [changed_span(hunk, start) for start in before.positions]
        return next(
            (edit for span in spans for edit in self.content.edits if _overlap(span, edit)), None
        )

    def _is_repeated(self, hunk: Hunk, before: HunkResult | None) -> bool:
        """Return whether an earlier hunk is the same, and both can only mean one position."""
        if not isinstance(before, Placement):
            return False
        if any(hunk in other.section.hunks for other in self.earlier):
            return before.evidence is not Evidence.NEAREST
        is_unique = before.evidence is Evidence.UNIQUE
        return is_unique and any(
            hunk.lines == each.lines for other in self.earlier for each in other.section.hunks
        )

    def _maker_of(self, changed: Edit) -> int:
        """Return the line, in the patch's text, of the earlier hunk that made `changed`; of its
        section, if it is not known."""
        makers = (
            found.hunk.number
            for other in self.earlier
            for found in other.before
            if isinstance(found, Placement) and _overlap(found.changed, changed)
        )
        return next(makers, self.earlier[0].section.number)

    def _refuse_other(self, hunk: Hunk, changed: Edit) -> Failure:
        """Refuse one of two versions of a change."""
        number = self._maker_of(changed)
        return refusal(self.section, Fault.OVERLAP_EARLIER, hunk=hunk, earlier=number)

    def _refuse_loose(self, hunk: Hunk) -> Failure:
        number = self.earlier[-1].section.number
        return refusal(self.section, Fault.LOOSE_AFTER_EARLIER, hunk=hunk, earlier=number)


def _shows_exactly(placement: Placement, positions: Sequence[int]) -> bool:
    """Return whether the lines at `positions` match exactly, and nothing was repaired."""
    kinds = placement.likeness
    exact = (not kinds or kinds[at - placement.start] is Likeness.EXACT for at in positions)
    return not placement.repairs and all(exact)


def _has_right_number(result: HunkResult | None) -> bool:
    """Return whether a hunk is exactly at its stated line: it was written for the file as it is."""
    return (
        isinstance(result, Placement) and result.exact and result.hunk.stated_start == result.start
    )


def _overlap(span: tuple[int, int], edit: Edit) -> bool:
    """Return whether a change of the lines of `span` and `edit` exclude one another, or their order
    would matter: two insertions at one position."""
    first, stop = span
    if first == stop and edit.start == edit.stop:
        return first == edit.start
    if first == stop:
        return edit.start < first < edit.stop
    if edit.start == edit.stop:
        return first < edit.start < stop
    return max(first, edit.start) < min(stop, edit.stop)


def _is_ambiguous(result: HunkResult | None) -> TypeGuard[Failure]:
    return isinstance(result, Failure) and result.reason is Reason.AMBIGUOUS
