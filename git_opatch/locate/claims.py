"""What a hunk claims beside its lines, against the only reading that is left.

It must not choose between readings, nor undo a slip: it only refuses the one that is left, or
notes.

A claim that does not hold refuses the hunk: its only candidate may be a twin of what is meant.
Some are noise in real patches: they are ignored, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

from git_opatch.locate.alignment import ADDED, CONTEXT, shows_context
from git_opatch.locate.anchors import refuted
from git_opatch.locate.decide import Outcome
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.line_forms import resilient
from git_opatch.locate.outline import OutlineKind, heading
from git_opatch.locate.repeats import already_defined, is_rewrite, partly_applied
from git_opatch.locate.sought import Sought
from git_opatch.model.failure import Problem
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, context_around
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault
from git_opatch.model.text import common_length, indentation, opens

_ENTITY = re.compile(rb"&(?:lt|gt|amp|quot|#\d+);")
_DECORATOR = b"@", b"#["
"""What begins a line that belongs to the definition below it."""
_AT_END = 3, 0
"""Lines of context around the last change of a file, as git writes them."""
_NO_NEWLINE = "says that the file has no newline at its end, but it has one; ignored"


def contradictions(
    sought: Sought, outcome: Outcome, file: FileIndex, matching: Matching
) -> Iterator[Problem | str]:
    """Yield which claims of a hunk do not hold for `outcome`: a problem, or a note on one of a kind
    that is noise."""
    hunk, reading = sought.hunk, outcome.reading
    if problem := _blank_alone(sought, outcome):
        yield problem
    if sought.evidence is Evidence.AFTER_ANCHOR and (problem := _torn(hunk, reading.start, file)):
        yield problem
    if hunk.lines[0].prefix is ADDED and (problem := _decorated(hunk, reading.start, file)):
        yield problem
    yield from _not_at_end(sought, outcome, file, matching)
    if problem := misnumbered(hunk, reading.start, file):
        yield problem
    stated, is_bare = hunk.stated_start, hunk.preimage and not shows_context(hunk)
    if is_bare and stated not in (None, reading.start):
        yield f"is not at line {(stated or 0) + 1}, as it says, and shows nothing around it"
    added = b"\n".join(step.line.text for step in reading.steps if step.row is None)
    if (entity := _ENTITY.search(added)) and not _ENTITY.search(file.joined):
        yield f"adds `{entity[0].decode()}`, and the file has no entity; it is written as it is"
    if problem := _cut_off(outcome, hunk, file):
        yield problem
    if not matching.appends and is_rewrite(hunk, file):
        yield Problem(Fault.REWRITE)
    found = (there(reading, file) for there in (partly_applied, already_defined))
    at = next((each for each in found if each is not None), None)
    if at is not None:
        yield Problem.of(Fault.PARTLY_APPLIED, at=at + 1)
    yield from refuted(hunk, reading.start, reading.stop, file)


def _blank_alone(sought: Sought, outcome: Outcome) -> Problem | None:
    old = [step.line for step in outcome.reading.steps if step.row is not None]
    is_blank = all(line.prefix is CONTEXT and not line.text.strip() for line in old)
    is_stated = sought.hunk.stated_start == outcome.reading.start
    return Problem(Fault.ONLY_BLANK_LINES) if old and is_blank and not is_stated else None


def _torn(hunk: Hunk, at: int, file: FileIndex) -> Problem | None:
    """Say that lines right below their anchor would be between it and what it opens."""
    anchor, lines = file.lines[at - 1], file.lines
    added = [indentation(line.text) for line in hunk.lines if line.text.strip()]
    in_patch, depth = indentation(hunk.anchors[-1].text), indentation(anchor)
    below = next((line for line in lines[at:] if line.strip()), b"")
    least = min(added, key=len, default=depth)
    if in_patch != depth:
        moved = depth.removesuffix(in_patch) + least
        near = {depth, indentation(below)}
        may_move = moved in near or len(least) < min(map(len, near))
        is_lost = depth.endswith(in_patch) and may_move
        return Problem(Fault.BELOW_ANCHOR) if is_lost else None
    inside = len(indentation(below)) > len(depth) and opens(anchor) and len(least) <= len(depth)
    header = below.strip() == b"{" and not anchor.rstrip().endswith((b"{", b";", b"}"))
    return Problem.of(Fault.BETWEEN, anchor=anchor) if inside or header else None


def _decorated(hunk: Hunk, at: int, file: FileIndex) -> Problem | None:
    """Say that a definition is added right below the decorator of another one, which the hunk does
    not show."""
    run = takewhile(lambda line: line.prefix is ADDED, hunk.lines)
    added = [line.text for line in run if line.text.strip()]
    above = file.lines[at - 1] if added and at else b""
    if not above.lstrip().startswith(_DECORATOR) or added[-1].lstrip().startswith(_DECORATOR):
        return None
    is_other = heading(added[0]) is OutlineKind.DEFINITION
    is_beside = indentation(added[0]) == indentation(above)
    return Problem.of(Fault.BETWEEN, anchor=above.strip()) if is_other and is_beside else None


def _not_at_end(
    sought: Sought, outcome: Outcome, file: FileIndex, matching: Matching
) -> Iterator[Problem | str]:
    """Yield that a hunk ends above the end that it claims, which is noise where it is alone; or
    that the file has the newline at its end that the hunk denies, which is noise, too."""
    stop, size = outcome.reading.stop, len(file.lines)
    old = sought.hunk.preimage
    if sought.hunk.at_end_of_file and stop != size:
        is_noise = sought.evidence in (Evidence.UNIQUE, Evidence.ANCHOR) and not matching.reversed
        ends = f"its only candidate ends at line {stop} of {size}"
        noise = f"says that it ends the file, but {ends}; ignored"
        yield noise if is_noise else Problem.of(Fault.NOT_AT_END, stop=stop, size=size)
    elif stop != size and _only_adds_at_end(sought.hunk):
        yield Problem.of(Fault.NONE_BELOW, stop=stop, size=size)
    elif stop == size and file.text.final_newline and old and not old[-1].newline:
        yield _NO_NEWLINE


def _only_adds_at_end(hunk: Hunk) -> bool:
    """Return whether a hunk with numbers adds lines as git writes it at the end of a file: it shows
    three lines above and none below (`match_end` of git's apply.c)."""
    if hunk.stated_start is None or hunk.new_start is None:
        return False
    return context_around(hunk.lines) == (len(hunk.preimage), 0) == _AT_END


def misnumbered(hunk: Hunk, start: int, file: FileIndex) -> Problem | None:
    """Say that the file has the hunk where its number says but for a line, which differs, is more
    or is less, or for whitespace; or lines like its own, if it shows no context."""
    stated = hunk.stated_start
    if stated is None or stated == start or not hunk.preimage:
        return None
    written = [file.normal(line.text) for line in hunk.preimage]
    old, there = [line.strip() for line in written], file.lines[stated : stated + len(written)]
    if written == there and not (shows_context(hunk) and len(old) > 1):
        return None  # what is stronger than a number has chosen
    is_apart = abs(stated - start) > 1
    is_near = any(_is_there(old, stated, more, file) for more in ((0, 1, -1) if is_apart else (0,)))
    if not is_near and not shows_context(hunk):
        found = [line.strip() for line in there]
        is_near = len(old) == len(found) and _likeness(old, found) >= _LEAST_ALIKE
        new = [file.normal(line.text) for line in hunk.postimage]
        is_near |= bool(new) and new == file.lines[stated : stated + len(new)]
    return Problem.of(Fault.OTHER_NUMBER, stated=stated + 1) if is_near else None


def _is_there(old: Sequence[bytes], row: int, more: int, file: FileIndex) -> bool:
    """Return whether the file has `old` lines at `row`, all but one, or with one line more."""
    there = [line.strip() for line in file.lines[row : row + len(old) + more]]
    above, below = common_length(old, there), common_length(old[::-1], there[::-1])
    is_whole = len(there) == len(old) + more and above + below >= len(old) - (more < 1)
    same = (*old[:above], *old[max(above, len(old) - below) :])
    return is_whole and sum(map(bool, same)) >= min(len(old), 2)


_LEAST_ALIKE = 0.6
_TOKEN = re.compile(rb"\w+|[^\w\s]")


def _likeness(old: Sequence[bytes], found: Sequence[bytes]) -> float:
    """Return how much of lines is the same, by words and signs: from 0 to 1."""
    ratios = (
        SequenceMatcher(None, _TOKEN.findall(a), _TOKEN.findall(b), autojunk=False).ratio()
        for a, b in zip(old, found, strict=True)
    )
    return sum(ratios) / len(old)


def _cut_off(outcome: Outcome, hunk: Hunk, file: FileIndex) -> Problem | None:
    old = [step.line for step in outcome.reading.steps if step.row is not None]
    if not hunk.unfinished or not old:
        return None
    stop = outcome.reading.stop
    last = file.lines[stop - 1] if stop else b""
    is_whole = resilient(file.normal(old[-1].text)) == resilient(last)
    return None if is_whole else Problem(Fault.CUT_OFF)
