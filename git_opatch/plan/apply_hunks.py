"""Apply one section's hunks to a file's content. No hunk is located more than twice.

    expand  →  locate all  →  what earlier sections wrote  →  edit  →  locate again what is left

It must not know other sections, but by what `earlier_sections` says of them.

Strings to replace and `~` are expanded to lines of the file. A hunk may show in its context what
another one makes of a line (D30), so one that is not found in the file, or only loosely, is located
again in the file as the others leave it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from git_opatch.complete.tree import FileContent
from git_opatch.locate import Search, refuse_absent
from git_opatch.locate.overlap import without_overlaps
from git_opatch.locate.oversized import refuse_oversized
from git_opatch.locate.replacement import expand, refuse_applied
from git_opatch.model.failure import Failure, HunkResult
from git_opatch.model.options import Matching, Options, Tier
from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.text import Text
from git_opatch.plan.earlier_sections import EarlierSections
from git_opatch.plan.edited_file import EditedFile


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
    matching = matching_for(section, options)
    hunks, oversized = refuse_oversized(section.hunks, content.text)
    changing: list[Hunk] = []
    idle: list[Hunk] = []
    for hunk in hunks:
        (changing if hunk.changes else idle).append(hunk)
    expanded = expand(changing, content.text)
    left_out, _ = refuse_oversized(section.left_out, content.text)
    located = _Located(expanded.hunks, left_out, content, matching)
    verdicts: Mapping[int, Failure | str] = {}
    if earlier and earlier.sections:
        results: dict[int, HunkResult] = {failure.hunk: failure for failure in expanded.failures}
        results |= located.judge(expanded.hunks, matching)
        asked = {hunk.ordinal: hunk for hunk in (*changing, *expanded.hunks)}
        verdicts = earlier.judge(asked, results, content, matching)
    kept = [hunk for hunk in expanded.hunks if hunk.ordinal not in verdicts]
    edited = located.apply(kept, options)
    replacing = [hunk for hunk in changing if hunk.replacement is not None]
    lost = [
        refuse_applied(replacing, failure, content.text) or failure
        for failure in edited.failures.values()
    ]
    lost += _lost_idle(idle, (content.text, edited.content.text), matching)
    unexpanded = [failure for failure in expanded.failures if failure.hunk not in verdicts]
    refused = [verdict for verdict in verdicts.values() if isinstance(verdict, Failure)]
    failures = [*refused, *oversized, *unexpanded, *lost]
    return AppliedHunks(
        edited.content,
        [_with_notes(found, expanded.notes) for found in edited.placements],
        [_in_section(failure, section, idle) for failure in failures],
        [
            *(verdict for verdict in verdicts.values() if isinstance(verdict, str)),
            *(f"hunk {hunk.ordinal} changes nothing" for hunk in idle),
            *_newline_notes(section, content.text, edited.content.text),
        ],
    )


def _newline_notes(section: FilePatch, before: Text, after: Text) -> list[str]:
    """Note a newline that the end of the file gets, and of which the patch does not speak (D47)."""
    lines = (line for hunk in section.hunks for line in hunk.lines)
    if before.final_newline or not after.final_newline or not after.lines:
        return []
    if not all(line.newline for line in lines):
        return []
    return ["ends without a newline, and with the patch it ends with one"]


def _lost_idle(
    idle: Sequence[Hunk], versions: tuple[Text, Text], matching: Matching
) -> list[Failure]:
    """Refuse the hunks that change nothing and are not in the file, before or after the others.

    What seems to change nothing may be a change that lost its prefix, unless it is written out:
    removed and added again (D29).
    """
    before, after = versions
    shown = [hunk for hunk in idle if all(line.prefix is Prefix.CONTEXT for line in hunk.lines)]
    failures = refuse_absent(shown, before, matching)
    if not failures or before == after:
        return failures
    still = {failure.hunk for failure in refuse_absent(shown, after, matching)}
    return [failure for failure in failures if failure.hunk in still]


def matching_for(section: FilePatch, options: Options) -> Matching:
    """Return how the hunks of `section` are matched: in a reversed patch, exactly (D8)."""
    exactly = Matching(Tier.STRICT, can_choose=False, reversed=True)
    return (exactly if options.reverse else options.matching)._replace(
        ordered=section.ordered,
        path=section.path,
        appends=section.operation is Operation.APPEND,
    )


def _with_notes(placement: Placement, notes: dict[int, tuple[str, ...]]) -> Placement:
    added = notes.get(placement.hunk.ordinal)
    return replace(placement, notes=(*placement.notes, *added)) if added else placement


def _in_section(failure: Failure, section: FilePatch, idle: Sequence[Hunk]) -> Failure:
    return failure._replace(
        idle=tuple(hunk.ordinal for hunk in idle),
        path=section.path,
        hunks=section.hunks_in_text,
        source=section.source,
        section_line=section.number,
    )


class _Located:
    """The hunks of a section, each sought once, with those that are left out of it (D160)."""

    def __init__(
        self,
        hunks: Sequence[Hunk],
        left_out: Sequence[Hunk],
        content: FileContent,
        matching: Matching,
    ) -> None:
        others = [
            hunk
            for hunk in left_out
            if hunk.changes and hunk.replacement is None and not hunk.removed_ranges
        ]
        self._content, self._matching, self._others = content, matching, others
        together = sorted([*hunks, *others], key=lambda hunk: hunk.ordinal)
        self._search = Search(together, content.text, matching)

    def judge(self, hunks: Sequence[Hunk], matching: Matching) -> dict[int, HunkResult]:
        """Judge `hunks` where the whole section has them; by themselves, if not all have a position
        then: one of two versions, or beside one that is wrong. The results are by ordinal."""
        wanted = {hunk.ordinal for hunk in hunks}
        if self._others:
            together = wanted.union(hunk.ordinal for hunk in self._others)
            results = without_overlaps(self._search.judge(matching, together))
            if all(isinstance(result, Placement) for result in results.values()):
                return {at: result for at, result in results.items() if at in wanted}
        return without_overlaps(self._search.judge(matching, wanted))

    def apply(self, hunks: Sequence[Hunk], options: Options) -> EditedFile:
        """Apply `hunks`; more strictly if some are already applied (D38), and without their order
        if that decided where one goes beside one that is refused (D20)."""
        matching = self._matching
        edited = EditedFile(self._content, hunks, matching)
        edited.place(self.judge(hunks, matching))
        if edited.has_applied:
            matching = matching._replace(partly_applied=True)
            edited = self._judge_again(edited, hunks, matching)
        by_order = any(found.evidence is Evidence.HUNK_ORDER for found in edited.placements)
        if (options.partial or options.skip_applied) and edited.failures and by_order:
            rest = [hunk for hunk in hunks if hunk.ordinal not in edited.failures]
            failures = edited.failures
            edited = self._judge_again(edited, rest, matching._replace(ordered=False))
            edited.failures = failures | edited.failures
        return edited

    def _judge_again(
        self, edited: EditedFile, hunks: Sequence[Hunk], matching: Matching
    ) -> EditedFile:
        """Return the file with `hunks` judged again; as it is if that changes nothing."""
        results = self.judge(hunks, matching)
        if all(edited.results.get(at) == result for at, result in results.items()):
            return edited
        again = EditedFile(self._content, hunks, matching)
        again.place(results, again=False)
        return again
