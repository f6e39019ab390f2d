"""What a hunk says of its place beside its lines: each claim holds, or does not, or is silent.

It must not look at the lines of a hunk. A claim that holds at some of several places chooses among
them, the strongest first; one that does not hold at the place that is left refuses.

    the end of the file   anchors and headings   hunks of context alone   the order   numbers
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from math import inf
from pathlib import PurePosixPath

from git_opatch.locate.file import File
from git_opatch.locate.heads import claims_definition, declares, is_definition, is_prose, names_in
from git_opatch.locate.reading import ADDED, CONTEXT, Reading, Sought, Span
from git_opatch.model.failure import Problem
from git_opatch.model.options import Ambiguous, Matching
from git_opatch.model.patch import Anchor
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault
from git_opatch.model.text import visible

_CODE_NAME = re.compile(rb"(?<![\w.$-])(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*)\b")
_NEAR, _MOST_NEAR = 20, 5
"""A number that nothing confirms does not choose among more places so near to it."""
_FAR = 2_000
"""Git's heading is not looked for in lines that are farther above."""
_FARTHEST = 100
"""`--ambiguous nearest` takes no loose match that is farther away (FILE_PATCH)."""
_NOT_AT_END = "says that it ends the file, but it does not; ignored"


def in_anchors(reading: Reading, anchors: Sequence[Anchor], file: File) -> bool:
    """Return whether a reading is below or in what the anchors name, or shows it."""
    scopes = file.heads.scopes(tuple(anchors))
    return any(_is_in(reading, row, stop) for row, stop in scopes)


def _held(sought: Sought, scopes: Sequence[tuple[int, int]]) -> list[int]:
    """List the indexes of the readings that are in one of the scopes."""
    readings, held = sought.readings, set[int]()
    for row, stop in scopes:
        near = readings.starting_in(row - readings.size, stop)
        held.update(at for at in near if _is_in(readings[at], row, stop))
    return sorted(held)


def _is_in(reading: Reading, row: int, stop: int) -> bool:
    shown = reading.start <= row < max(reading.stop, reading.start + 1)
    return shown or any(row < at <= stop for at in (reading.start, reading.changed[0]))


# ---------------------------------------------------------------- to choose among several


def narrow(
    all_sought: Sequence[Sought], markers: Collection[int], file: File, matching: Matching
) -> None:
    """Remove the readings that the claims of hunks, which are in the order of the patch, are
    against; `markers` are the ordinals of those that change nothing."""
    for sought in all_sought:
        if len(sought.readings) > 1:
            _by_own_claims(sought, file)
    for marker, sought in pairwise(all_sought) if markers else ():
        if marker.hunk.ordinal in markers:
            _by_marker(sought, marker, file)
    if matching.ordered:
        _by_order([each for each in all_sought if _is_in_order(each)], markers)
    if not matching.partly_applied:
        _by_number([each for each in all_sought if each.hunk.ordinal not in markers], file)
    if matching.ambiguous is Ambiguous.NEAREST:
        _nearest(all_sought)


def _is_in_order(sought: Sought) -> bool:
    """Return whether the order of the hunks says something of one: it has old lines, and all places
    of them are known."""
    return bool(sought.readings and sought.hunk.preimage) and not sought.readings.is_cut


def _by_own_claims(sought: Sought, file: File) -> None:
    """Keep what ends where the file does, if the hunk says so; what has the most lines exactly; and
    what is under its anchors, unless a heading and a number disagree."""
    hunk = sought.hunk
    if hunk.at_end_of_file:
        size, readings = len(file.lines), sought.readings
        last = readings.starting_in(size - readings.size, size)
        at_end = [at for at in last if readings[at].stop == size]
        sought.keep(at_end, Evidence.END_OF_FILE)
    if sought.readings[0].level:
        exact = [_exact_lines(reading, file) for reading in sought.readings]
        most = max(exact)
        sought.keep([at for at, count in enumerate(exact) if count == most], Evidence.UNIQUE)
    if hunk.anchors and hunk.preimage:
        held = _held(sought, file.heads.scopes(hunk.anchors))
        stated = sought.readings.starting_at(hunk.stated_start)
        if hunk.strong or not stated or stated[0] in held:
            sought.keep(held, Evidence.ANCHOR)


def _exact_lines(reading: Reading, file: File) -> int:
    return sum(row is not None and line.text == file.lines[row] for line, row in reading.steps)


def _by_marker(sought: Sought, marker: Sought, file: File) -> None:
    """Keep what is below, or in, the last line of a hunk of context alone that has something below
    it: such a hunk says where the next one is. Added lines alone are not laid at the end of a file
    that goes on below it."""
    hunk = sought.hunk
    is_appended = not (hunk.preimage or hunk.strong or hunk.at_end_of_file)
    if is_appended and marker.readings and marker.readings[-1].stop < len(file.lines):
        sought.problem = Problem(Fault.ONLY_BELOW_CONTEXT)
    if marker.only is None or len(sought.readings) < 2:
        return
    for row in reversed(range(marker.only.start, marker.only.stop)):
        if file.is_solid(row) and (held := _held(sought, [(row, file.heads.end(row))])):
            sought.keep(held, Evidence.ANCHOR)
            return


def _by_order(all_sought: Sequence[Sought], markers: Collection[int]) -> None:
    """Take the only place that the order of the hunks leaves: as early as the others allow, and as
    late. Hunks that have one place must be in order, and so must their numbers."""
    if all(len(each.readings) == 1 for each in all_sought):
        return
    spans = [_Spans(each, each.hunk.ordinal in markers) for each in all_sought]
    only = [each[0] for each in spans if len(each) == 1]
    stated = [each.hunk.stated_start for each in all_sought]
    numbers = [number for number in stated if number is not None]
    if numbers != sorted(numbers) or any(a[1] > b[0] for a, b in pairwise(only)):
        return
    early, late = _as_early(spans), _as_late(spans)
    if early is None or late is None:
        return
    for sought, first, last in zip(all_sought, early, late, strict=True):
        if first == last:
            sought.keep([first], Evidence.HUNK_ORDER)


class _Spans(Sequence[Span]):
    """The rows that the readings of a hunk change; one that changes nothing is where it begins."""

    def __init__(self, sought: Sought, is_marker: bool) -> None:
        self._readings, self._is_marker = sought.readings, is_marker

    def __len__(self) -> int:
        return len(self._readings)

    def __getitem__(self, at: int) -> Span:  # type: ignore[override]
        start = self._readings.starts[at]
        return (start, start, start) if self._is_marker else self._readings.span(at)


def _as_early(all_spans: Sequence[_Spans]) -> list[int] | None:
    """Choose the first span of each hunk that is after the one before; None if there is none."""
    chosen: list[int] = []
    limit, begun = -1, -1
    for spans in all_spans:
        at = bisect_left(spans, limit, key=lambda span: span[0])
        at += at < len(spans) and spans[at][2] == begun
        if at >= len(spans):
            return None
        chosen.append(at)
        _, limit, begun = spans[at]
    return chosen


def _as_late(all_spans: Sequence[_Spans]) -> list[int] | None:
    """Choose the last span of each hunk that is before the one after; None if there is none."""
    chosen: list[int] = []
    limit: float = inf
    begun = -1
    for spans in reversed(all_spans):
        at = bisect_right(spans, limit, key=lambda span: span[1]) - 1
        at -= at >= 0 and spans[at][2] == begun
        if at < 0:
            return None
        chosen.append(at)
        limit, _, begun = spans[at]
    return chosen[::-1]


def _by_number(all_sought: Sequence[Sought], file: File) -> None:
    """Take the stated line, where no hunk of the file is elsewhere than its own says, and the
    second numbers count on; among many near it only if a hunk, or its heading, confirms it."""
    if all(len(each.readings) < 2 for each in all_sought) or not _counts_on(all_sought):
        return
    numbered = [each for each in all_sought if each.hunk.stated_start is not None]
    sure = [each for each in numbered if each.only and each.hunk.preimage]
    if any(each.readings[0].start != each.hunk.stated_start for each in sure):
        return
    for sought in numbered:
        stated, anchors = sought.hunk.stated_start or 0, sought.hunk.anchors
        at = sought.readings.starting_at(stated)
        if not at or len(sought.readings) < 2:
            continue
        held = _held(sought, file.heads.scopes(anchors))
        near = len(sought.readings.starting_in(stated - _NEAR, stated + _NEAR))
        if at[0] in held or (not held and (near <= _MOST_NEAR or sure)):
            sought.keep(at, Evidence.STATED_LINE)


def _counts_on(all_sought: Sequence[Sought]) -> bool:
    """Return whether the second number of each hunk is the first, and what those before add."""
    grown = 0
    for hunk in (each.hunk for each in all_sought):
        is_stated = hunk.stated_start is not None and hunk.preimage and hunk.postimage
        if is_stated and hunk.new_start not in (None, (hunk.stated_start or 0) + grown):
            return False
        grown += len(hunk.postimage) - len(hunk.preimage)
    return True


def _nearest(all_sought: Sequence[Sought]) -> None:
    """Take the place nearest to the number, or to the hunk before, though others may be meant."""
    expected = 0
    for sought in all_sought:
        stated = sought.hunk.stated_start
        aim = expected if stated is None else stated
        starts, count = sought.readings.starts, len(sought.readings)
        after = bisect_left(starts, aim)
        beside = range(max(after - 1, 0), min(after + 1, count)) if count > 1 else ()
        best = min(beside, key=_distance_from(aim, starts), default=None)
        is_near = best is not None and abs(starts[best] - aim) <= _FARTHEST
        if best is not None and (is_near or not sought.readings[best].level):
            sought.readings, sought.count = sought.readings.only([best]), count
            sought.rivals, sought.evidence = (), Evidence.NEAREST
        expected = sought.only.stop if sought.only else expected


def _distance_from(aim: int, starts: Sequence[int]) -> Callable[[int], tuple[int, bool]]:
    return lambda at: (abs(starts[at] - aim), starts[at] < aim)


# ---------------------------------------------------------------- to refuse the one that is left


def refuted(
    sought: Sought, reading: Reading, file: File, matching: Matching
) -> Iterator[Problem | str]:
    """Yield the claims that do not hold for the reading that is left; those that are noise as
    notes."""
    hunk, size = sought.hunk, len(file.lines)
    if hunk.at_end_of_file and reading.stop != size:
        is_noise = sought.evidence in (Evidence.UNIQUE, Evidence.ANCHOR) and not matching.reversed
        yield (
            _NOT_AT_END if is_noise else Problem.of(Fault.NOT_AT_END, stop=reading.stop, size=size)
        )
    weak = [anchor for anchor in hunk.anchors if anchor.weak]
    shown = _shown_definition(reading, file) if weak else None
    if shown is not None:
        weak = [anchor for anchor in weak if _is_in_block(anchor, reading, shown, file)]
    for anchors in (hunk.strong, weak) if hunk.anchors else ():
        for anchor in anchors:
            yield from _absent(anchor, file)
        held = [each for each in anchors if _is_claim(each, reading, file)]
        if held and not _holds(reading, held, file) and not _is_written(held[-1], file):
            yield _elsewhere(held[-1], file.heads.named(held[-1])[0])


def _is_claim(anchor: Anchor, reading: Reading, file: File) -> bool:
    """Return whether an anchor says that the place is in what it names: a head, a definition, and
    what git's heading is; a line at or below the place, if it is all of it."""
    rows = file.heads.named(anchor)
    if not rows or (not anchor.weak and _is_mentioned(anchor, file)):
        return False
    row = rows[0]
    if file.heads.rank(row) or declares(file.lines[row]):
        return True
    if row < reading.stop:
        return anchor.weak
    return not anchor.weak and file.lines[row].strip() == anchor.text.strip()


def _absent(anchor: Anchor, file: File) -> Iterator[Problem | str]:
    """Yield what an anchor that names nothing says: a definition, or a name of code, that the file
    does not have is a claim; anything else is noise."""
    heads, text = file.heads, anchor.text.strip()
    if not text or heads.named(anchor) or text in file.patched or _is_mentioned(anchor, file):
        return
    if rows := heads.referred(anchor):
        yield _elsewhere(anchor, rows[-1])
    elif (
        claims_definition(text)
        or heads.has_parts_like(text)
        or any(_is_unknown(name, file) for name in _CODE_NAME.findall(text))
    ):
        yield Problem.of(Fault.ANCHOR_MISSING, kind=_kind(anchor), anchor=text)
    elif not anchor.weak:
        yield f"the anchor `{visible(text)}` is not in the file"


def _is_unknown(name: bytes, file: File) -> bool:
    """Return whether neither the file nor the patch has a name of code, nor the file's own."""
    own = PurePosixPath(file.path).name.encode("utf-8", "surrogateescape")
    return name not in file.joined and name not in file.patched and name not in own


def _elsewhere(anchor: Anchor, row: int) -> Problem:
    kind, text = _kind(anchor), anchor.text
    return Problem.of(Fault.ANCHOR_ELSEWHERE, kind=kind, anchor=text, name=text, at=row + 1)


def _kind(anchor: Anchor) -> str:
    return "heading" if anchor.weak else "anchor"


def _holds(reading: Reading, anchors: Sequence[Anchor], file: File) -> bool:
    """Return whether a reading is in its anchors, or right above what they name: its comment, its
    decorators and attributes belong to a definition."""
    if in_anchors(reading, anchors, file) or _is_written_by_git(anchors[-1], reading, file):
        return True
    named = file.heads.named(anchors[-1])
    return any(_is_above(reading, row, file) for row in named if row >= reading.changed[1])


def _is_written_by_git(anchor: Anchor, reading: Reading, file: File) -> bool:
    """Return whether a heading is what git writes above the place, whatever it is: the last line
    above it that begins with a letter."""
    start = next((row for _, row in reading.steps if row is not None), 0)
    above = (file.lines[row] for row in range(start - 1, max(start - _FAR, 0) - 1, -1))
    last = next(filter(_BEGINS_WITH_LETTER.match, above), b"")
    return anchor.weak and bool(last) and last.startswith(anchor.text.strip())


def _is_above(reading: Reading, row: int, file: File) -> bool:
    between = file.lines[reading.changed[0] : row]
    return len(between) <= _NEAR and bool(between) and all(map(_belongs_below, between))


_BEGINS_WITH_LETTER = re.compile(rb"[A-Za-z_$]")
_BELONGS_BELOW = re.compile(rb"\s*(?:@|#|//|/?\*|--|;|<!--|\"\"\"|'''|\[|%)")


def _belongs_below(line: bytes) -> bool:
    return _BELONGS_BELOW.match(line) is not None


def _shown_definition(reading: Reading, file: File) -> int | None:
    """Return the row of a definition at the margin that a hunk shows above its first change: a
    heading then names the one before, which says nothing of this place."""
    for line, row in reading.steps:
        if line.prefix is not CONTEXT or row is None:
            return None
        if re.match(rb"[A-Za-z_$@]", file.lines[row]) and is_definition(line.text):
            return row
    return None


def _is_in_block(anchor: Anchor, reading: Reading, row: int, file: File) -> bool:
    """Return whether an anchor names a line below a reading, in the block that begins at `row`."""
    return any(reading.stop <= at < file.heads.end(row) for at in file.heads.named(anchor)[:1])


def _is_written(anchor: Anchor, file: File) -> bool:
    """Return whether the patch itself adds the line that an anchor names."""
    text = anchor.text.strip()
    lines = (line for hunk in file.hunks for line in hunk.lines if line.prefix is ADDED)
    return any(line.text.strip().startswith(text) for line in lines)


def _is_mentioned(anchor: Anchor, file: File) -> bool:
    """Return whether the patch itself has a name that a sentence, or a qualified name, refers to:
    it speaks of what the hunk has, and the hunk need not be in it."""
    text = b" ".join(anchor.text.split())
    if not is_prose(text) and b"." not in text:
        return False
    names = names_in(text)
    return any(re.search(rb"(?<!\w)%b(?!\w)" % re.escape(name), file.patched) for name in names)
