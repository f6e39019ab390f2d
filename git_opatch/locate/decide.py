"""What each reading of a hunk leaves, and whether all that are left leave the same.

It must not prefer a reading: it compares bytes, and those that differ refuse the hunk.

There is no better reading among those of one class: if they leave the same bytes, that is the
answer, however many they are; else the hunk is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from git_opatch.complete.edits import Edit, edits_of
from git_opatch.locate.alignment import ADDED, CONTEXT, REMOVED, unchanged_kept
from git_opatch.locate.doubt import in_file_form
from git_opatch.locate.file_index import FileIndex, is_utf8
from git_opatch.locate.gaps import left_out
from git_opatch.locate.likeness import likeness_of
from git_opatch.locate.placeholder import placeholder_in
from git_opatch.locate.reading import EQUAL, FORM, SPACE, TOLERATED, Differs, Reading, Step
from git_opatch.locate.reindent import indent, is_one_space_off
from git_opatch.locate.sought import Sought
from git_opatch.model.failure import Problem
from git_opatch.model.limits import FEW, NEAR
from git_opatch.model.options import Tier
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.placement import Likeness, Placement, Repair
from git_opatch.model.sentences import Fault

TIERS = {EQUAL: Tier.STRICT, SPACE: Tier.RESILIENT, FORM: Tier.FUZZY, TOLERATED: Tier.FUZZY}
"""The tier of each grade."""
_DOUBLED = re.compile(rb"\+(?:[ \t]{2}|\t|\w)")
"""A line of code behind a second `+`; `+ x` and `++x` may be content."""
_SAID_MORE_EXACTLY = None, Differs.WHITESPACE, Differs.FORM
"""In what lines differ that a report says by another name, such as indentation."""
_BLANK_STAYS = "omits a blank line of the file; what it adds stays next to the line above it"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a reading leaves: its placement, with the lines as they are written.

    `doubt` is why they cannot be meant as they are written; None if they may be.
    """

    placement: Placement
    reading: Reading
    doubt: Problem | None = None


def outcome_of(sought: Sought, reading: Reading, file: FileIndex) -> Outcome:
    """Return what `reading` leaves."""
    meant, doubt, notes = _as_meant(sought, reading, file)
    lines = _with_newlines([_as_located(step, file) for step in meant.steps], reading, file)
    hunk = sought.hunk
    placement = Placement(
        hunk if lines == hunk.lines else replace(hunk, lines=lines),
        reading.start,
        TIERS[reading.level],
        sought.evidence,
        verbatim_endings=_is_verbatim(sought, reading, file),
        likeness=() if reading.level == EQUAL else tuple(_likeness(meant.steps, file)),
        repairs=sought.repairs + _repairs(reading),
        notes=tuple(notes),
        candidate_count=sought.count,
    )
    return Outcome(placement, reading, doubt)


def agreed(
    sought: Sought, file: FileIndex, outcomes: Callable[[Reading], Outcome]
) -> Outcome | None:
    """Return the outcome of all readings of a hunk if they leave the same bytes; None if not."""
    most = 1 if sought.loose else FEW
    if not 0 < len(sought.starts) <= most or sought.others or sought.disagrees:
        return None
    readings = iter(sought.readings)
    first = outcomes(next(readings))
    for reading in readings:
        other = outcomes(reading)
        if first.doubt or other.doubt or not _leave_the_same(first, other, file):
            return None
    return first


def _leave_the_same(first: Outcome, other: Outcome, file: FileIndex) -> bool:
    """Return whether two outcomes leave the same bytes, from the first edit of both to the last."""
    both = [list(edits_of(each.placement, file.text)) for each in (first, other)]
    low = min((edit.start for edits in both for edit in edits), default=0)
    high = max((edit.stop for edits in both for edit in edits), default=0)
    pairs = zip_longest(*(_written(edits, low, high, file) for edits in both))
    return all(a == b for a, b in pairs)


def _written(
    edits: Sequence[Edit], low: int, high: int, file: FileIndex
) -> Iterator[bytes | list[bool]]:
    """Yield what edits make of the lines from `low` to `high`, and how they end the file."""
    lines, row = file.text.lines, low
    for edit in edits:
        yield from map(lines.__getitem__, range(row, edit.start))
        yield from edit.lines
        row = edit.stop
    yield from map(lines.__getitem__, range(row, high))
    yield [edit.newline for edit in edits if edit.stop == len(lines)]


# ---------------------------------------------------------------- the lines as they are written


def _as_meant(
    sought: Sought, reading: Reading, file: FileIndex
) -> tuple[Reading, Problem | None, Sequence[str]]:
    """Return a reading with its added lines as they are written, why that is doubtful, and what is
    to be said of it."""
    meant, doubt, notes = reading, reading.doubt, [*sought.notes]
    if lines := left_out(reading):
        notes.append(f"leaves out {lines} of the file")
    if reading.level > EQUAL:
        meant, shared = in_file_form(reading._replace(steps=unchanged_kept(reading.steps)), file)
        doubt = doubt or shared
        indented = indent(meant, file)
        meant = meant._replace(steps=indented.steps)
        doubt = doubt or indented.doubt
        notes += [indented.note] if indented.note else []
    if reading.moved is not None and not doubt:
        if file.is_document:
            doubt = Problem.of(Fault.BLANK_LINE_OMITTED, at=reading.moved + 1)
        notes.append(_BLANK_STAYS)
    if not doubt and is_one_space_off(meant, file):
        doubt = Problem(Fault.ONE_SPACE_OFF)
    return meant, doubt or _never_written(reading, sought.hunk, file), notes


def _as_located(step: Step, file: FileIndex) -> Line:
    """Return the line of a step; one of context that differs is the file's."""
    if step.row is None or step.line.prefix is not CONTEXT or step.grade == EQUAL:
        return step.line
    return step.line._replace(text=file.lines[step.row])


def _never_written(reading: Reading, hunk: Hunk, file: FileIndex) -> Problem | None:
    """Return which added line is not to be written in any file; None if all may be."""
    added = [step.line.text for step in reading.steps if step.row is None]
    if placeholder := placeholder_in(hunk, file.text, is_document=file.is_document):
        return Problem.of(Fault.PLACEHOLDER, placeholder=placeholder)
    if _is_doubled(reading, added, file):
        return Problem(Fault.DOUBLED_PREFIX)
    come = {is_utf8(text) for text in added if not text.isascii()}
    if come and (stay := file.kept_encodings) and not come <= stay:
        return Problem(Fault.NOT_UTF8 if stay == {True} else Fault.UTF8_IN_OTHER)
    return None


def _is_doubled(reading: Reading, added: Sequence[bytes], file: FileIndex) -> bool:
    """Return whether added lines begin with `+`, as no line near them does: all of them, where
    nothing is removed that would show what a prefix is, or one of code in a hunk that shows some.
    """
    plus = [text.startswith(b"+") for text in added if text.strip()]
    near = file.lines[max(reading.start - NEAR, 0) : reading.stop + NEAR]
    if not any(plus) or any(line.startswith((b"+", b"-")) for line in near):
        return False
    if all(plus) and not any(step.line.prefix is REMOVED for step in reading.steps):
        return True
    shows = reading.start < reading.stop and not file.is_document
    return shows and any(map(_DOUBLED.match, added))


def _with_newlines(lines: Sequence[Line], reading: Reading, file: FileIndex) -> tuple[Line, ...]:
    r"""Ignore `\ No newline` on lines that have one in the file, unless the new last line loses
    it."""
    if all(line.newline for line in lines):
        return tuple(lines)
    old = [line for line in lines if line.prefix is not ADDED]
    is_at_end = reading.stop == len(file.lines)
    if is_at_end and not (file.text.final_newline and old and not old[-1].newline):
        return tuple(lines)
    return tuple(line._replace(newline=True) for line in lines)


def _is_verbatim(sought: Sought, reading: Reading, file: FileIndex) -> bool:
    r"""Return whether the patch's `\r`s are content: its lines end in two ways, as the file's."""
    if reading.level > EQUAL or sought.hunk.uniform_endings:
        return False
    old = ((step.line.text, step.row) for step in reading.steps)
    return not file.text.crlf or all(
        text == file.text.lines[row] for text, row in old if row is not None
    )


def _likeness(steps: Sequence[Step], file: FileIndex) -> Iterator[Likeness]:
    """Yield how each old line is like the file's."""
    for step in steps:
        if step.differs not in _SAID_MORE_EXACTLY:
            yield step.differs.value
        elif step.row is not None:
            found = likeness_of(file.normal(step.line.text), file.lines[step.row])
            yield found or Likeness.TEXT


def _repairs(reading: Reading) -> tuple[Repair, ...]:
    """Return what a reading overlooks, but for how its lines differ."""
    found = (
        (Repair.SURPLUS, reading.surplus),
        (Repair.OMITTED, reading.omitted),
        (Repair.MARKER, reading.is_elided),
    )
    return tuple(each for each, is_there in found if is_there)
