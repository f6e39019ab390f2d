"""What a hunk claims beside its lines, against the only reading that is left.

A claim that does not hold refuses the hunk: its only candidate may be a twin of what is meant.
Some are noise in real patches: they are ignored, with a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from git_opatch.locate.alignment import CONTEXT
from git_opatch.locate.anchors import refuted
from git_opatch.locate.applied import is_rewrite, partly_applied
from git_opatch.locate.decide import Outcome
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.search import Sought
from git_opatch.model.failure import Problem
from git_opatch.model.line_forms import resilient
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault
from git_opatch.model.text import indentation, opens

_NO_NEWLINE = "says that the file has no newline at its end, but it has one; ignored"


def contradictions(
    sought: Sought, outcome: Outcome, file: FileIndex, matching: Matching, *, is_moved: bool
) -> Iterator[Problem | str]:
    """Yield which claims of a hunk do not hold for `outcome`: a problem, or a note on one of a kind
    that is noise.

    `is_moved` is whether another hunk of the file is elsewhere than its number says: then numbers
    say nothing.
    """
    hunk, reading = sought.hunk, outcome.reading
    if problem := _blank_alone(sought, outcome):
        yield problem
    if sought.evidence is Evidence.AFTER_ANCHOR and (problem := _torn(hunk, reading.start, file)):
        yield problem
    yield from _not_at_end(sought, outcome, file, matching)
    if not is_moved and (problem := _misnumbered(hunk, reading.start, file)):
        yield problem
    if problem := _cut_off(outcome, hunk, file):
        yield problem
    if not matching.appends and is_rewrite(hunk, file):
        yield Problem(Fault.REWRITE)
    at = partly_applied(reading, file)
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
    elif stop == size and file.text.final_newline and old and not old[-1].newline:
        yield _NO_NEWLINE


def _misnumbered(hunk: Hunk, start: int, file: FileIndex) -> Problem | None:
    """Say that the file has the hunk where its number says but for one line, or for whitespace."""
    stated = hunk.stated_start
    if stated is None or stated == start:
        return None
    found = file.lines[stated : stated + len(hunk.preimage)]
    if len(found) < len(hunk.preimage):
        return None
    lines = (file.normal(line.text).strip() for line in hunk.preimage)
    pairs = [(a, b.strip()) for a, b in zip(lines, found, strict=True)]
    same = sum(bool(a) and a == b for a, b in pairs)
    differ = sum(a != b for a, b in pairs)
    if differ > 1 or same < 2:
        return None
    return Problem.of(Fault.OTHER_NUMBER, stated=stated + 1)


def _cut_off(outcome: Outcome, hunk: Hunk, file: FileIndex) -> Problem | None:
    old = [step.line for step in outcome.reading.steps if step.row is not None]
    if not hunk.unfinished or not old:
        return None
    stop = outcome.reading.stop
    last = file.lines[stop - 1] if stop else b""
    is_whole = resilient(file.normal(old[-1].text)) == resilient(last)
    return None if is_whole else Problem(Fault.CUT_OFF)
