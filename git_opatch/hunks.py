"""The hunks of one section to the content that they make of a file.

expand `~` ──▶ locate ──▶ follow the indentation ──▶ edit ──▶ locate what showed another's outcome
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from git_opatch.complete.draft import Content
from git_opatch.complete.edits import Edit, edits_of
from git_opatch.complete.form import doubtful_form
from git_opatch.complete.indent import follows
from git_opatch.complete.made import Made, changes_any, in_order, made_by, moved, shows_later
from git_opatch.locate import locate_hunks
from git_opatch.locate.elision import expand
from git_opatch.locate.longer import without_longer
from git_opatch.locate.overlap import overlap
from git_opatch.options import Matching, Options, Tier
from git_opatch.outcome import Failure, Placement, Reason, failure_of
from git_opatch.patch import FilePatch, Hunk
from git_opatch.text import Text

_COUNTED = "counted in this file"
_MOST_ROUNDS = 50
"""Hunks that show one another's outcome in a longer chain than this are refused."""


@dataclass(slots=True, eq=False)
class Edited:
    """What a section's hunks made of a file: `content`, and what is to be said of each hunk."""

    content: Content
    placements: list[Placement] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def edit(section: FilePatch, content: Content, options: Options) -> Edited:
    """`content` with those hunks of `section` that have a place, and the failures of the others.

    A hunk may show in its context what another one makes of a line: what has no place in the
    file as it is gets a second chance in the file as the others leave it.
    """
    matching = matching_of(options)._replace(ordered=section.ordered)
    hunks, failures = without_longer(section.hunks, content.text, matching.fuzz)
    changing: list[Hunk] = []
    idle: list[Hunk] = []
    for hunk in hunks:
        (changing if hunk.changes else idle).append(hunk)
    expanded = expand(changing, content.text)
    edited = Edited(content, failures=[*failures, *expanded.failures])
    edited.notes += [f"hunk {hunk.ordinal} changes nothing" for hunk in idle]
    if section.counted:
        _place_as_counted(expanded.hunks, edited, matching)
    else:
        _place(expanded.hunks, edited, matching)
    edited.placements = [
        replace(one, notes=(*one.notes, *noted)) if noted else one
        for one in edited.placements
        for noted in [expanded.notes.get(one.hunk.ordinal)]
    ]
    edited.failures = [
        one._replace(
            path=section.path,
            hunks=len(section.hunks),
            source=section.source,
            section=section.number,
        )
        for one in edited.failures
    ]
    return edited


def matching_of(options: Options) -> Matching:
    """How hunks are matched. A patch that is taken back must fit exactly.

    Rule: "Reverse" in the project's decisions.
    """
    return Matching(Tier.STRICT, can_loosen=False) if options.reverse else options.matching


def _place(hunks: Sequence[Hunk], edited: Edited, matching: Matching) -> None:
    """Edit with the hunks that have a place, and note why the others have none."""
    found = _placed(hunks, edited.content, matching)
    if any(one.is_done for one in found.failures):
        found = _placed(hunks, edited.content, matching, partly=True)
    edited.content = found.content
    edited.placements += found.placements
    edited.failures += found.failures
    edited.notes += found.notes


def _placed(
    hunks: Sequence[Hunk], content: Content, matching: Matching, *, partly: bool = False
) -> Edited:
    """What the hunks make of `content`; `partly` is whether it has some of them already."""
    verdicts = locate_hunks(hunks, content.text, matching, partly=partly)
    edited = Edited(content, failures=[one for one in verdicts if isinstance(one, Failure)])
    placements = [one for one in verdicts if isinstance(one, Placement)]
    later = _better_after(hunks, placements, content, matching)
    made = _apply([one for one in placements if one.hunk.ordinal not in later], edited, [])
    for _ in range(_MOST_ROUNDS):
        lost, count = _lost(hunks, edited, later), len(edited.placements)
        if not lost:
            break
        made = _place_after(lost, edited, matching, made, partly=partly)
        if len(edited.placements) == count:
            break
    _account_for(hunks, edited)
    return edited


def _place_as_counted(hunks: Sequence[Hunk], edited: Edited, matching: Matching) -> None:
    """Edit with the hunks that stand where their numbers say, byte for byte; the others fail."""
    text = edited.content.text
    there: list[Hunk] = []
    lost: list[Hunk] = []
    for hunk in hunks:
        (there if _is_as_counted(hunk, text) else lost).append(hunk)
    for hunk, one in zip(lost, locate_hunks(lost, text, matching), strict=True):
        edited.failures.append(one if isinstance(one, Failure) else _elsewhere(hunk, one))
    _apply(
        [
            Placement(
                hunk, hunk.start or 0, evidence=_COUNTED, keeps_endings=True, keeps_mark=False
            )
            for hunk in there
        ],
        edited,
        [],
    )


def _is_as_counted(hunk: Hunk, text: Text) -> bool:
    if hunk.start is None or hunk.start + len(hunk.preimage) > len(text.lines):
        return False
    return all(
        line.text == text.lines[at] and line.newline == text.has_newline(at)
        for at, line in enumerate(hunk.preimage, hunk.start)
    )


def _elsewhere(hunk: Hunk, placement: Placement) -> Failure:
    message = (
        "was counted where other lines stand now; its lines stand at line "
        f"{placement.start + 1}, which is another place"
    )
    return failure_of(hunk, Reason.CONTRADICTED, message, places=(placement.start,))


def _account_for(hunks: Sequence[Hunk], edited: Edited) -> None:
    """No hunk is dropped in silence: what has neither a place nor a failure gets one."""
    told = {one.hunk.ordinal for one in edited.placements} | {one.hunk for one in edited.failures}
    edited.failures += [
        overlap(hunk)._replace(advice="it shows what other hunks do; send it after them")
        for hunk in hunks
        if hunk.ordinal not in told
    ]


def _lost(hunks: Sequence[Hunk], edited: Edited, later: set[int]) -> list[Hunk]:
    """The hunks whose lines are nowhere, and those to be placed later that are not yet.

    The lines that one leaves may stand somewhere nevertheless, where it did not put them.
    """
    reasons = (Reason.NOT_FOUND, Reason.ALREADY_APPLIED)
    nowhere = {one.hunk for one in edited.failures if one.reason in reasons}
    placed = {one.hunk.ordinal for one in edited.placements}
    return [hunk for hunk in hunks if hunk.ordinal in (nowhere | later) - placed]


def _better_after(
    hunks: Sequence[Hunk],
    placements: Sequence[Placement],
    content: Content,
    matching: Matching,
) -> set[int]:
    """Those of the `hunks` that match loosely, but exactly after those that match exactly.

    What differs is what the others do: they show its outcome.
    """
    exact = [one for one in placements if one.exact]
    if not exact or len(exact) == len(placements):
        return set()
    trial = Edited(content)
    _apply(exact, trial, [])
    asked = {one.hunk.ordinal for one in placements if not one.exact}
    strictly = matching._replace(tier=Tier.STRICT, fuzz=0, can_loosen=False)
    verdicts = locate_hunks(
        [hunk for hunk in hunks if hunk.ordinal in asked], trial.content.text, strictly
    )
    return {one.hunk.ordinal for one in verdicts if isinstance(one, Placement)}


def _apply(placements: Sequence[Placement], edited: Edited, made: Sequence[Made]) -> list[Made]:
    """Edit at `placements`; gives all that hunks then made, that of before included."""
    placements = sorted(placements, key=lambda one: (one.changed, one.hunk.ordinal))
    text = edited.content.text
    edits: list[Edit] = []
    by: list[int] = []
    for one, follow in zip(placements, follows(placements, text), strict=True):
        doubt = follow.doubt or doubtful_form(one, text)
        if doubt:
            edited.failures.append(_doubtful(one, doubt, text))
            continue
        own = list(edits_of(one, text, follow))
        if not own:
            edited.notes.append(f"hunk {one.hunk.ordinal} changes nothing here")
        edits += own
        by += [one.hunk.ordinal] * len(own)
        noted = replace(one, notes=(*one.notes, follow.note)) if follow.note else one
        edited.placements.append(noted)
    edited.content = edited.content.edited(edits)
    return [*moved(made, edits), *made_by(by, edits)]


def _doubtful(placement: Placement, doubt: str, text: Text) -> Failure:
    first, last = max(placement.start, 1), min(placement.stop + 1, len(text.lines))
    again = "send the hunk again with the file's own text and indentation"
    advice = f"re-read lines {first}-{last} of the file and {again}"
    return failure_of(
        placement.hunk,
        Reason.NO_PLACE,
        doubt,
        advice,
        places=(placement.start,),
        there=placement.found,
    )


def _place_after(
    hunks: Sequence[Hunk],
    edited: Edited,
    matching: Matching,
    made: Sequence[Made],
    *,
    partly: bool,
) -> list[Made]:
    """Place hunks whose context shows lines as the hunks placed before leave them.

    Rule: "Hunks of one file that share context" in the project's decisions: context may be
    what another hunk made, what is changed may not.
    """
    text, matching = edited.content.text, matching._replace(fuzz=0)
    lines = [one.lines for one in made]
    verdicts = locate_hunks(hunks, text, matching, lines, partly=partly)
    exact = partly or any(isinstance(one, Placement) and one.exact for one in verdicts)
    failures = {one.hunk: one for one in edited.failures}
    applied = {one.hunk for one in edited.failures if one.reason is Reason.ALREADY_APPLIED}
    placements = []
    for hunk, one in zip(hunks, verdicts, strict=True):
        if isinstance(one, Failure):
            failures.setdefault(hunk.ordinal, one)
        elif changes_any(one.changed, made):
            failures[hunk.ordinal] = overlap(hunk)
        elif not in_order(hunk.ordinal, one.changed[0], made):
            continue
        elif hunk.ordinal in applied and shows_later(hunk.ordinal, (one.start, one.stop), made):
            continue  # who writes hunks in turn shows what those before made
        elif one.exact or not (exact or hunk.ordinal in applied):
            # what is loose may be exact after what is exact
            failures.pop(hunk.ordinal, None)
            repairs = (*one.repairs, "its context shows what another hunk does")
            placements.append(replace(one, repairs=repairs))
    edited.failures = list(failures.values())
    return _apply(placements, edited, made)
