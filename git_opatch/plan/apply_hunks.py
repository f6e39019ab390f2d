"""Apply one section's hunks to a file's content.

    expand  →  locate  →  edit  →  locate again what shows another's result

Strings to replace and `~` are expanded to lines of the file. The last step repeats: a hunk may show
in its context what another hunk makes of a line (D30), so a hunk that is not found in the file is
located again in the file as the others leave it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from git_opatch.complete.tree import FileContent
from git_opatch.locate import locate_hunks, refuse_absent
from git_opatch.locate.oversized import refuse_oversized
from git_opatch.locate.replacement import expand, refuse_applied
from git_opatch.model.failure import Failure, HunkResult
from git_opatch.model.options import Matching, Options, Tier
from git_opatch.model.patch import FilePatch, Hunk, Operation, Prefix
from git_opatch.model.placement import Evidence, Placement
from git_opatch.model.sentences import Reason
from git_opatch.model.text import Text
from git_opatch.plan.edited_file import EditedFile

_MAX_ROUNDS = 50
"""Hunks that show one another's result in a longer chain than this are refused."""


@dataclass(slots=True, eq=False)
class AppliedHunks:
    """A file's content after a section's hunks, and the outcome of each hunk."""

    content: FileContent
    placements: list[Placement] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def apply_hunks(section: FilePatch, content: FileContent, options: Options) -> AppliedHunks:
    """Apply those hunks of `section` to `content` that can be placed; say why the others cannot."""
    matching = matching_for(section, options)
    hunks, oversized = refuse_oversized(section.hunks, content.text)
    changing: list[Hunk] = []
    idle: list[Hunk] = []
    for hunk in hunks:
        (changing if hunk.changes else idle).append(hunk)
    expanded = expand(changing, content.text)
    left_out, _ = refuse_oversized(section.left_out, content.text)
    edited = _apply_located(expanded.hunks, left_out, content, matching)
    if options.partial or options.skip_applied:
        edited = _without_order(edited, left_out, content)
    replacing = [hunk for hunk in changing if hunk.replacement is not None]
    located = [
        refuse_applied(replacing, failure, content.text) or failure
        for failure in edited.failures.values()
    ]
    lost = _lost_idle(idle, (content.text, edited.content.text), matching)
    failures = [*oversized, *expanded.failures, *located, *lost]
    return AppliedHunks(
        edited.content,
        [_with_notes(found, expanded.notes) for found in edited.placements],
        [_in_section(failure, section) for failure in failures],
        [
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


def _in_section(failure: Failure, section: FilePatch) -> Failure:
    return failure._replace(
        path=section.path,
        hunks=section.hunks_in_text,
        source=section.source,
        section_line=section.number,
    )


def _apply_located(
    hunks: Sequence[Hunk], left_out: Sequence[Hunk], content: FileContent, matching: Matching
) -> EditedFile:
    """Apply hunks where they are located; more strictly if some are already applied (D38)."""
    edited = _apply_in_rounds(hunks, left_out, content, matching)
    if not edited.has_applied:
        return edited
    return _apply_in_rounds(hunks, left_out, content, matching._replace(partly_applied=True))


def _without_order(
    edited: EditedFile, left_out: Sequence[Hunk], content: FileContent
) -> EditedFile:
    """Apply the hunks that are not refused again, if the order of all decided where one goes (D20).

    What is known of the position of a refused hunk is wrong, and so may be what follows from it.
    """
    by_order = any(found.evidence is Evidence.HUNK_ORDER for found in edited.placements)
    if not edited.failures or not by_order:
        return edited
    rest = [hunk for hunk in edited.hunks if hunk.ordinal not in edited.failures]
    matching = edited.matching._replace(ordered=False, partly_applied=edited.has_applied)
    again = _apply_in_rounds(rest, left_out, content, matching)
    again.failures = edited.failures | again.failures
    return again


def _apply_in_rounds(
    hunks: Sequence[Hunk], left_out: Sequence[Hunk], content: FileContent, matching: Matching
) -> EditedFile:
    """Apply the hunks that are found, then, round by round, those that show their result."""
    edited = EditedFile(content, hunks, matching)
    placements = []
    for result in locate_chosen(hunks, left_out, content.text, matching):
        if isinstance(result, Placement):
            placements.append(result)
        else:
            edited.failures[result.hunk] = result
    postponed = _exact_after_others(edited, placements)
    edited.edit([found for found in placements if found.hunk.ordinal not in postponed])
    for _ in range(_MAX_ROUNDS):
        if not edited.edit_again(postponed):
            break
    edited.refuse_the_rest()
    return edited


def locate_chosen(
    hunks: Sequence[Hunk], left_out: Sequence[Hunk], text: Text, matching: Matching
) -> list[HunkResult]:
    """Locate `hunks` where the whole section has them, with those that are `left_out` (D160).

    By themselves, if not all have a position: one of two versions, or beside one that is wrong.
    """
    others = [
        hunk
        for hunk in left_out
        if hunk.changes and hunk.replacement is None and not hunk.removed_ranges
    ]
    together = sorted([*hunks, *others], key=lambda hunk: hunk.ordinal)
    results = locate_hunks(together, text, matching)
    if others and not all(isinstance(result, Placement) for result in results):
        return locate_hunks(hunks, text, matching)
    chosen = {id(hunk) for hunk in hunks}
    return [found for hunk, found in zip(together, results, strict=True) if id(hunk) in chosen]


def _exact_after_others(edited: EditedFile, placements: Sequence[Placement]) -> set[int]:
    """Return the hunks that match loosely, or are unclear, but match exactly once the exact ones
    are applied (D30).

    The lines that differ are those that the others change: they show the others' result.
    """
    exact = [placement for placement in placements if placement.exact]
    loose = {placement.hunk.ordinal for placement in placements if not placement.exact}
    loose |= {at for at, each in edited.failures.items() if each.reason is Reason.UNCLEAR}
    if not exact or not loose:
        return set()
    trial = EditedFile(edited.content, edited.hunks, edited.matching)
    trial.edit(exact)
    strictly = edited.matching._replace(tier=Tier.STRICT, can_choose=False, partly_applied=False)
    results = locate_hunks(
        [hunk for hunk in edited.hunks if hunk.ordinal in loose], trial.content.text, strictly
    )
    found = (result for result in results if isinstance(result, Placement))
    return {placement.hunk.ordinal for placement in found if placement.exact}
