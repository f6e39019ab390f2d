"""Apply a section's hunks to a file's content, and keep apart what several hunks change (D30).

    expand  →  seek each once  →  what earlier sections wrote  →  edit  →  seek again what is left

It must not know other sections, but by what `earlier` says of them. A line that a hunk wrote has
an owner. Another hunk may show it, exactly; it may change it only where blocks build on one
another, and then only that of a block before it. No hunk is sought more than twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from git_opatch.complete.edits import Edit, edits_of
from git_opatch.complete.tree import FileContent
from git_opatch.locate.file import File
from git_opatch.locate.overlap import EarlierSections, refuse_overlap, without_overlaps
from git_opatch.locate.oversized import refuse_oversized
from git_opatch.locate.place import Search, results_of
from git_opatch.locate.reading import CONTEXT, is_blank
from git_opatch.locate.strings import Expanded, expand, refuse_applied
from git_opatch.model.failure import Failure, HunkResult, failure_of
from git_opatch.model.options import Matching, Options, Tier
from git_opatch.model.patch import FilePatch, Hunk, Operation, added_lines
from git_opatch.model.placement import Evidence, Placement, Repair
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text

_LOST = (Reason.NOT_FOUND, Reason.ALREADY_APPLIED, Reason.UNCLEAR, Reason.AMBIGUOUS)
"""Why a hunk is refused that may show what another one writes."""
_MAX_ROUNDS = 50
"""Hunks that show one another's result in a longer chain than this are refused."""
_NO_NEWLINE_BEFORE = "ends without a newline, and with the patch it ends with one"


@dataclass(slots=True, eq=False)
class AppliedHunks:
    """A file's content after a section's hunks, and the outcome of each hunk."""

    content: FileContent
    placements: list[Placement] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def apply_hunks(
    section: FilePatch,
    content: FileContent,
    options: Options,
    earlier: EarlierSections | None = None,
) -> AppliedHunks:
    """Apply those hunks of `section` to `content` that can be placed; say why the others cannot.

    `earlier` are the sections before it that changed the file.
    """
    return _Section(section, content, options).apply(earlier)


class _Section:
    """A section whose hunks are applied to a file's content."""

    def __init__(self, section: FilePatch, content: FileContent, options: Options) -> None:
        self.section, self.options = section, options
        self.matching = _matching_for(section, options)
        known, size = content.owners, len(content.text.lines)
        self.content = content._replace(owners=[-bool(owner) for owner in known] or [0] * size)
        hunks, self.oversized = refuse_oversized(section.hunks, content.text)
        self.idle = [hunk for hunk in hunks if not hunk.changes]
        self.expanded = self._expand([hunk for hunk in hunks if hunk.changes])
        self.left_out = self._left_out()
        together = sorted((*self.expanded.hunks, *self.left_out), key=lambda hunk: hunk.ordinal)
        self.file = File(content.text, section.path, together)
        self.search = Search(together, self.file, self.matching, self._markers())

    def _expand(self, hunks: Sequence[Hunk]) -> Expanded:
        if all(hunk.replacement is None and not hunk.removed_ranges for hunk in hunks):
            return Expanded(list(hunks))
        return expand(hunks, File(self.content.text, self.section.path), self.matching)

    def _left_out(self) -> list[Hunk]:
        """Return the hunks that are left out of the patch, whose order may say where others are."""
        kept, _ = refuse_oversized(self.section.left_out, self.content.text)
        return [
            hunk
            for hunk in kept
            if hunk.changes and hunk.replacement is None and not hunk.removed_ranges
        ]

    def _markers(self) -> list[Hunk]:
        """Return the hunks of context alone before others: they say where the next is (D485)."""
        last = max((hunk.ordinal for hunk in self.expanded.hunks), default=0)
        return [hunk for hunk in self.idle if hunk.ordinal < last and _shows_lines(hunk)]

    def apply(self, earlier: EarlierSections | None) -> AppliedHunks:
        """Apply the hunks that can be placed."""
        verdicts: Mapping[int, Failure | str] = {}
        if earlier and earlier.sections:
            results = self._judge([hunk.ordinal for hunk in self.expanded.hunks], self.matching)
            results |= {failure.hunk: failure for failure in self.expanded.failures}
            changing = {hunk.ordinal: hunk for hunk in self.section.hunks if hunk.changes}
            asked = changing | {hunk.ordinal: hunk for hunk in self.expanded.hunks}
            verdicts = earlier.judge(asked, results, self.content, self.matching)
        hunks = [hunk for hunk in self.expanded.hunks if hunk.ordinal not in verdicts]
        edited = self._edit(hunks)
        refused = [verdict for verdict in verdicts.values() if isinstance(verdict, Failure)]
        unexpanded = [each for each in self.expanded.failures if each.hunk not in verdicts]
        lost = [self._as_applied(failure) for failure in edited.failures.values()]
        failures = [*refused, *self.oversized, *unexpanded, *lost, *self._lost_idle(edited)]
        notes = [verdict for verdict in verdicts.values() if isinstance(verdict, str)]
        notes += [f"hunk {hunk.ordinal} changes nothing" for hunk in self._said_idle()]
        notes += self._newline_notes(edited.content.text)
        placements = [self._with_notes(placement) for placement in edited.placements]
        return AppliedHunks(edited.content, placements, [*map(self._named, failures)], notes)

    def _judge(self, wanted: Sequence[int], matching: Matching) -> dict[int, HunkResult]:
        """Judge hunks where the whole section has them; by themselves, if not all have a place
        then: one of two versions, or beside one that is wrong (D160)."""
        if self.left_out:
            everyone = {*wanted, *(hunk.ordinal for hunk in self.left_out)}
            results = without_overlaps(self.search.judge(matching, everyone))
            if all(isinstance(result, Placement) for result in results.values()):
                return {at: result for at, result in results.items() if at in wanted}
        return without_overlaps(self.search.judge(matching, wanted))

    def _edit(self, hunks: Sequence[Hunk]) -> _EditedFile:
        """Edit the file; more strictly if it has some of the hunks already (D38), and without their
        order, if that decided where one goes beside one that is refused (D20)."""
        wanted = [hunk.ordinal for hunk in hunks]
        edited = self._edited(hunks, self._judge(wanted, self.matching))
        matching = self.matching
        if any(failure.already_applied for failure in edited.failures.values()):
            matching = matching._replace(partly_applied=True)
            edited = self._edited(hunks, self._judge(wanted, matching), before=edited)
        by_order = any(each.evidence is Evidence.HUNK_ORDER for each in edited.placements)
        is_part = self.options.partial or self.options.skip_applied
        if is_part and edited.failures and by_order:
            rest = [at for at in wanted if at not in edited.failures]
            kept = [hunk for hunk in hunks if hunk.ordinal in rest]
            failures = edited.failures
            alone = self._judge(rest, matching._replace(ordered=False))
            edited = self._edited(kept, alone, before=edited)
            edited.failures = failures | edited.failures
        return edited

    def _edited(
        self,
        hunks: Sequence[Hunk],
        results: dict[int, HunkResult],
        before: _EditedFile | None = None,
    ) -> _EditedFile:
        if before and before.results == results:
            return before
        edited = _EditedFile(self.content, results, self.matching, self.file)
        edited.place(hunks, again=before is None)
        return edited

    def _as_applied(self, failure: Failure) -> Failure:
        """Return that a string is replaced already, if its old one is nowhere."""
        hunks = {hunk.ordinal: hunk for hunk in self.section.hunks}
        is_string = hunks[failure.hunk].replacement is not None
        if not is_string or failure.reason is not Reason.NOT_FOUND:
            return failure
        return refuse_applied(hunks[failure.hunk], File(self.content.text)) or failure

    def _lost_idle(self, edited: _EditedFile) -> list[Failure]:
        """Refuse hunks that change nothing and are not in the file, before or after the others, if
        they are not written out, nor say where another one is (D29): a prefix may be lost."""
        last = max((hunk.ordinal for hunk in self.expanded.hunks), default=0)
        shown = [hunk for hunk in self.idle if hunk.ordinal > last and _shows_lines(hunk)]
        if not shown:
            return []
        texts = [self.content.text]
        if edited.content.text is not self.content.text:
            texts.append(edited.content.text)
        absent = {hunk.ordinal: hunk for hunk in shown}
        for text in texts:
            file = File(text, self.section.path, list(absent.values()))
            results = Search(absent.values(), file, self.matching).sought
            absent = {at: hunk for at, hunk in absent.items() if not results[at].readings}
        return [failure_of(hunk, Fault.LOST_PREFIX) for hunk in absent.values()]

    def _said_idle(self) -> Iterator[Hunk]:
        """Yield the hunks that change nothing, and do not say where another one is."""
        for hunk in self.idle:
            marker = self.search.markers.get(hunk.ordinal)
            if marker is None or not marker.readings:
                yield hunk

    def _newline_notes(self, after: Text) -> list[str]:
        """Note a newline that the end of the file gets, and of which the patch does not speak."""
        before = self.content.text
        if before.final_newline or not after.final_newline or not after.lines:
            return []
        lines = (line for hunk in self.section.hunks for line in hunk.lines)
        return [_NO_NEWLINE_BEFORE] if all(line.newline for line in lines) else []

    def _with_notes(self, placement: Placement) -> Placement:
        notes = self.expanded.notes.get(placement.hunk.ordinal)
        return replace(placement, notes=(*placement.notes, *notes)) if notes else placement

    def _named(self, failure: Failure) -> Failure:
        section = self.section
        return failure._replace(
            idle=tuple(hunk.ordinal for hunk in self.idle),
            path=section.path,
            hunks=section.hunks_in_text,
            source=section.source,
            section_line=section.number,
        )


def _matching_for(section: FilePatch, options: Options) -> Matching:
    """Return how the hunks of `section` are matched: in a reversed patch, exactly (D8)."""
    exactly = Matching(Tier.STRICT, can_choose=False, reversed=True)
    return (exactly if options.reverse else options.matching)._replace(
        ordered=section.ordered,
        path=section.path,
        appends=section.operation is Operation.APPEND,
    )


def _shows_lines(hunk: Hunk) -> bool:
    """Return whether a hunk is of context alone, some of it not blank."""
    is_context = all(line.prefix is CONTEXT for line in hunk.lines)
    return is_context and not all(map(is_blank, hunk.lines))


# ---------------------------------------------------------------- the file while it is edited


class _EditedFile:
    """A file's content so far, and the outcomes of the hunks of a section so far."""

    def __init__(
        self,
        content: FileContent,
        results: dict[int, HunkResult],
        matching: Matching,
        file: File,
    ) -> None:
        self.content, self.results, self._matching, self._file = content, results, matching, file
        placed, self.failures = results_of(results)
        self.placements: list[Placement] = []
        self._placed = placed

    def place(self, hunks: Sequence[Hunk], *, again: bool) -> None:
        """Edit the file where hunks are placed; then, if `again`, where those are that show what
        these wrote."""
        added = _lines_added(self._placed)
        showing = {
            each.hunk.ordinal
            for each in self._placed
            if again and not each.exact and self._shows(hunks, each, added)
        }
        self._edit([each for each in self._placed if each.hunk.ordinal not in showing])
        lost = {at for at, failure in self.failures.items() if failure.reason in _LOST}
        waiting = [hunk for hunk in hunks if hunk.ordinal in lost | showing] if again else []
        for _ in range(_MAX_ROUNDS if self.placements else 0):
            ready = self._written(waiting)
            if not ready:
                break
            waiting = [hunk for hunk in waiting if hunk not in ready]
            self._place_again(ready)
        for hunk in waiting:
            if hunk.ordinal in showing:
                self.failures[hunk.ordinal] = failure_of(hunk, Fault.SHOWS_OTHERS)

    def _shows(self, hunks: Sequence[Hunk], placement: Placement, added: set[bytes]) -> bool:
        """Return whether a hunk that matches loosely shows a line that another one adds, and that
        the file does not have at its place; all its lines are in the file, or added, as written."""
        shown = next(each for each in hunks if each.ordinal == placement.hunk.ordinal)
        texts = {line.text for line in shown.preimage if line.text.strip()}
        differing = texts.difference(line.text for line in placement.hunk.preimage)
        is_all_there = all(text in added or text in self._file.exact for text in texts)
        return is_all_there and not differing.isdisjoint(added)

    def _written(self, waiting: Sequence[Hunk]) -> list[Hunk]:
        """Return the hunks of which all lines are in the file by now, some by other hunks."""
        added = _lines_added(self.placements) if waiting else set()
        shown = [
            (hunk, {text for text in self._file.texts(hunk.preimage) if text.strip()})
            for hunk in waiting
        ]
        shown = [(hunk, texts) for hunk, texts in shown if not texts.isdisjoint(added)]
        lines = set(File(self.content.text).lines) if shown else set()
        return [hunk for hunk, texts in shown if texts <= lines]

    def _place_again(self, hunks: Sequence[Hunk]) -> None:
        """Place hunks in the content as the others leave it, which they must show exactly."""
        owners = self.content.owners
        written = frozenset(row for row, owner in enumerate(owners) if owner > 0)
        others = [placement.hunk for placement in self.placements]
        file = File(self.content.text, self._matching.path, [*others, *hunks], written)
        matching = self._matching._replace(tier=Tier.STRICT)
        results = without_overlaps(Search(hunks, file, matching).judge(matching))
        following: list[Placement] = []
        for hunk in hunks:
            result = results[hunk.ordinal]
            known = self.failures.get(hunk.ordinal)
            if isinstance(result, Failure) or not result.exact:
                self.failures.setdefault(hunk.ordinal, failure_of(hunk, Fault.SHOWS_OTHERS))
            elif known and known.already_applied and not self._follows_all(result):
                continue  # what a later one writes only looks like what it was before
            elif self._may_follow(result):
                self.failures.pop(hunk.ordinal, None)
                repairs = (*result.repairs, Repair.SHOWS_OTHERS)
                following.append(replace(result, repairs=repairs))
            elif self._changes_others(result):
                self.failures[hunk.ordinal] = refuse_overlap(hunk)
        self._edit(following)

    def _may_follow(self, placement: Placement) -> bool:
        """Return whether a hunk shows what others wrote, and changes none of it; blocks may, if all
        that they show is that of blocks before."""
        owners = self.content.owners[placement.start : placement.stop]
        may_change = not self._matching.ordered and self._follows_all(placement)
        is_shown = any(owner > 0 for owner in owners)
        return is_shown and (may_change or not self._changes_others(placement))

    def _follows_all(self, placement: Placement) -> bool:
        """Return whether a hunk shows nothing that a later one wrote."""
        owners = self.content.owners[placement.start : placement.stop]
        return all(owner < placement.hunk.ordinal for owner in owners)

    def _changes_others(self, placement: Placement) -> bool:
        """Return whether a hunk changes lines of another, or would be between two of them."""
        first, last = placement.changed
        owners = self.content.owners
        is_inside = (
            first == last and first and owners[first - 1 : first] == owners[first : first + 1]
        )
        return any(owner > 0 for owner in owners[first - bool(is_inside) : last])

    def _edit(self, placements: Sequence[Placement]) -> None:
        """Edit the content, and remember whose lines are where."""
        before, edits = self.content.owners, list[Edit]()
        owners: list[int] = []
        done = 0
        ordered = sorted(placements, key=lambda each: (each.changed, each.hunk.ordinal))
        for placement in ordered:
            for edit in edits_of(placement, self.content.text):
                edits.append(edit)
                owners += before[done : edit.start]
                owners += [placement.hunk.ordinal] * len(edit.lines)
                done = edit.stop
        self.placements += ordered
        self.content = self.content.edited(edits)._replace(owners=[*owners, *before[done:]])


def _lines_added(placements: Sequence[Placement]) -> set[bytes]:
    added = (text for placement in placements for text in added_lines(placement.hunk.lines))
    return {text for text in added if text.strip()}
