"""What a refusal shows: the hunk laid over the file where it fits best, and what would tell places apart.

It must not decide anything: it is for the one who corrects the patch.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from git_opatch.locate.claims import in_anchors
from git_opatch.locate.difference import difference, squeezed
from git_opatch.locate.file import File
from git_opatch.locate.forms import spaced, typographic
from git_opatch.locate.gaps import stands_for_lines
from git_opatch.locate.heads import rows_with
from git_opatch.locate.loose import tolerance
from git_opatch.locate.reading import (
    ADDED,
    CONTEXT,
    REMOVED,
    Reading,
    Sought,
    is_blank,
    one_for_one,
)
from git_opatch.model.extent import (
    Elsewhere,
    Enclosing,
    Extent,
    ExtentLine,
    Mark,
    Means,
    Named,
    Suggestion,
)
from git_opatch.model.failure import Failure, Problem, failure_of
from git_opatch.model.limits import MANY, NEAR, SHOWN
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk
from git_opatch.model.sentences import Difference, Fault, Hint, Reason
from git_opatch.model.text import indentation

_AROUND, _REACH, _ALIKE, _NEAR_START = 2, 12, 0.6, 20
_WORD = re.compile(rb"[\w\x80-\xff]")
_LONG = re.compile(rb"\w{4,}")


# ---------------------------------------------------------------- nowhere


def explain(sought: Sought, file: File, matching: Matching) -> Failure:
    """Refuse a hunk that is nowhere: show the closest match, and where else its lines are."""
    hunk = sought.hunk
    pairs = _closest(hunk, file)
    laid = list(_laid(hunk, pairs, file, loosely=matching.tier is not Tier.STRICT)) if pairs else []
    extent = framed(laid, file) if laid else Extent()
    extent = _with_places(extent._replace(first=_first(laid, file, hunk)), hunk, file)
    few, total = len(extent.nowhere), extent.total
    problem = Problem(Fault.NOT_FOUND if extent.lines else Fault.NOTHING_FOUND)
    if few < total and (total < 2 * few or not extent.lines):
        problem = Problem.of(Fault.HARDLY_FOUND, few=few, total=total)
    return _with_hint(failure_of(hunk, problem, extent=extent), hunk, extent, file, matching)


def _closest(hunk: Hunk, file: File) -> list[tuple[int | None, int | None]]:
    """Pair old lines with those of the file where most of them are, or are much alike; the rare
    ones say where."""
    keys = [squeezed(text) for text in file.texts(hunk.preimage)]
    index, votes = file.squeezed, defaultdict[int, float](float)
    for at, key in enumerate(keys):
        rows = index.rows(key) if key else ()
        weight = 3 if _WORD.search(key) else 1
        if not rows and _WORD.search(key):
            rows, weight = _like(hunk.preimage[at].text, file)[:SHOWN], 2
        for row in rows[:MANY]:
            votes[row - at] += weight / (1 + (len(rows) > SHOWN))
    if not votes or max(votes.values()) < 2:
        rows = [row + 1 for anchor in hunk.anchors for row in file.heads.named(anchor)[:1]]
        return [
            (at, rows[0] + at) for at in range(len(keys)) if rows and rows[0] + at < len(file.lines)
        ]
    near = {start: sum(votes.get(start + by, 0) for by in (-2, -1, 1, 2)) / 4 for start in votes}
    stated = hunk.stated_start
    best = max(votes, key=lambda start: (votes[start] + near[start], start == stated, -start))
    low, high = max(best - _NEAR_START, 0), best + len(keys) + _NEAR_START
    there = index.keys[low:high]
    opcodes = SequenceMatcher(None, keys, there, autojunk=False).get_opcodes()
    pairs: list[tuple[int | None, int | None]] = []
    for tag, i, j, k, m in opcodes:
        if i == j and (i == 0 or i == len(keys)):
            continue  # lines of the file before and after the hunk
        if tag == "insert":
            pairs += [(None, low + row) for row in range(k, m)]
            continue
        if tag != "equal" and (i == 0 or j == len(keys)):
            k, m = (max(m - (j - i), k), m) if i == 0 else (k, min(k + j - i, m))
        same = min(j - i, m - k)
        pairs += [(i + at, low + k + at) for at in range(same)]
        pairs += [(at, None) for at in range(i + same, j)]
        pairs += [(None, low + row) for row in range(k + same, m)]
    return pairs


def _like(text: bytes, file: File) -> list[int]:
    """List lines much like `text`: they have one of its longest words, which is rare."""
    if text not in file.like:
        file.like[text] = _alike(text, file) if len(file.like) < MANY else []
    return file.like[text]


def _few_rows(text: bytes, most: int, file: File) -> list[int]:
    rows = rows_with(text, file.joined)
    return rows if len(rows) <= most else []


def _alike(text: bytes, file: File) -> list[int]:
    words = sorted(set(_LONG.findall(text)), key=len, reverse=True)[:SHOWN]
    rows = {row for word in words for row in _few_rows(word, NEAR, file)}
    alike = {
        row: SequenceMatcher(None, text.strip(), file.lines[row].strip()).ratio() for row in rows
    }
    return sorted((row for row in rows if alike[row] >= _ALIKE), key=lambda row: -alike[row])


def _laid(
    hunk: Hunk, pairs: Sequence[tuple[int | None, int | None]], file: File, *, loosely: bool
) -> Iterator[ExtentLine]:
    changes = [False, *(line.prefix is not CONTEXT for line in hunk.lines), False]
    near = [
        any(changes[at : at + 3]) for at, line in enumerate(hunk.lines) if line.prefix is not ADDED
    ]
    for at, row in pairs:
        line = None if at is None else hunk.preimage[at]
        if line is None or at is None:
            yield ExtentLine(Mark.IN_FILE, row, file.lines[row or 0])
        elif row is None:
            yield ExtentLine(Mark.IN_PATCH, line=line, is_near=near[at])
        else:
            (text,), found = file.texts([line]), file.lines[row]
            same = text == found or (
                loosely
                and typographic(text, file.is_document) == typographic(found, file.is_document)
            )
            same = same or (
                loosely
                and line.prefix is CONTEXT
                and tolerance(spaced(text), spaced(found)) is not None
            )
            if same:
                yield ExtentLine(Mark.THERE, row, found, line, is_near=near[at])
                continue
            what, values = difference(text, found)
            yield ExtentLine(Mark.OTHER, row, found, line, what, values, is_near=near[at])


def _first(laid: Sequence[ExtentLine], file: File, hunk: Hunk) -> ExtentLine:
    """Return the first difference, with the line of the patch and the position beside it."""
    at = next((at for at, each in enumerate(laid) if each.mark is not Mark.THERE), None)
    if at is None:
        return ExtentLine(Mark.IN_PATCH, line=hunk.preimage[0])
    first = laid[at]
    run = [each for each, _ in zip(laid[at:], range(MANY), strict=False)]
    count = next((n for n, each in enumerate(run) if each.mark is not first.mark), len(run))
    if first.mark is Mark.IN_FILE:
        last = f"-{(first.position or 0) + count}" * (count > 1)
        between = {"between": f"line{'s' * (count > 1)} {(first.position or 0) + 1}{last}"}
        line = next((each.line for each in run if each.line), None)
        return first._replace(line=line, difference=Difference.LEFT_OUT, values=between)
    if first.mark is Mark.IN_PATCH:
        below = next((each.position for each in run if each.position is not None), len(file.lines))
        text = file.lines[below] if below < len(file.lines) else None
        return ExtentLine(first.mark, below, text, first.line, Difference.SURPLUS, {"count": count})
    return first


def framed(laid: Sequence[ExtentLine], file: File) -> Extent:
    """Return the extent of lines that are laid, with those around them, and what it is in."""
    own = [each.position for each in laid if each.position is not None]
    rows = (
        (
            range(max(own[0] - _AROUND, 0), own[0]),
            range(own[-1] + 1, min(own[-1] + 1 + _AROUND, len(file.lines))),
        )
        if own
        else ((), ())
    )
    above, below = (
        [ExtentLine(Mark.AROUND, row, file.lines[row]) for row in side] for side in rows
    )
    inside = next(iter(enclosing(own[:1], file)), None)
    return Extent((*above, *laid, *below)[:MANY], inside=inside)


def of_reading(reading: Reading, file: File) -> Extent:
    """Return the extent of a hunk that has a place."""
    changes = [False, *(line.prefix is not CONTEXT for line, _ in reading.steps), False]
    laid = [
        ExtentLine(Mark.THERE, row, file.lines[row], line, is_near=any(changes[at : at + 3]))
        for at, (line, row) in enumerate(reading.steps)
        if row is not None
    ]
    return framed(laid, file)


def _with_places(extent: Extent, hunk: Hunk, file: File) -> Extent:
    """Add which old lines are nowhere, where the others are, its anchor, and what is there already."""
    old = [line for line in hunk.preimage if not is_blank(line)]
    there = {id(each.line) for each in extent.lines if each.mark is Mark.THERE}
    rows = {id(line): file.squeezed.rows(squeezed(file.texts([line])[0])) for line in old}
    shown = set(extent.positions)
    elsewhere = []
    for line in (x for x in old if id(x) not in there and _WORD.search(x.text)):
        found = rows[id(line)]
        like = [] if found else _like(line.text, file)
        if 0 < len(found) <= NEAR:
            elsewhere.append(Elsewhere(line, tuple(found[: SHOWN + 1])))
        elif like and shown.isdisjoint(like):
            elsewhere.append(Elsewhere(line, (like[0],), file.lines[like[0]]))
    names = [(each, file.heads.named(each)) for each in hunk.anchors[-1:]]
    first = one_for_one(hunk, min(shown, default=0))
    apart = next(
        (
            Named(each.text, tuple(at[: SHOWN + 1]))
            for each, at in names
            if at and not in_anchors(first, [each], file)
        ),
        None,
    )
    added = []
    for prefix, run in groupby(hunk.lines, lambda line: line.prefix):
        lines = [line for line in run if prefix is ADDED]
        at = file.runs(lines) if sum(not is_blank(x) for x in lines) > 1 else []
        added += (
            [Elsewhere(lines[0], tuple(range(at[0], at[0] + len(lines))))] if len(at) == 1 else []
        )
    nowhere = tuple(line for line in old if id(line) not in there and not rows[id(line)])
    return extent._replace(
        nowhere=nowhere,
        elsewhere=tuple(elsewhere[:SHOWN]),
        named=apart,
        added=tuple(added),
        total=len(old),
    )


def _with_hint(
    failure: Failure, hunk: Hunk, extent: Extent, file: File, matching: Matching
) -> Failure:
    """Add what the hunk itself tells of why it is not found."""
    line = extent.first.line if extent.first and extent.first.line else hunk.preimage[0]
    omitting = next(filter(stands_for_lines, hunk.preimage), None)
    pairs = zip(hunk.lines, hunk.lines[1:], strict=False)
    lost = [each.text.strip() for each in extent.nowhere[:1] if extent.total == 1]
    rows = _few_rows(lost[0], 1, file) if lost else []
    sides = [
        {
            text in file.exact
            for x in hunk.lines
            if x.prefix is side and not is_blank(x)
            for text in file.texts([x])
        }
        for side in (REMOVED, ADDED)
    ]
    if omitting:
        return failure.with_hint(Hint.OMITS, at=omitting.number, line=omitting.text)
    if not line.has_prefix:
        return failure.with_hint(Hint.NO_PREFIX)
    if line.prefix is CONTEXT and any(a.prefix is REMOVED and b == line for a, b in pairs):
        return failure.with_hint(Hint.MAY_REPLACE)
    if hunk.unfinished:
        return failure.with_hint(Hint.UNFINISHED)
    if len(rows) == 1:
        return failure.with_hint(Hint.PART_OF_LINE, line=lost[0], at=rows[0] + 1)
    if sides == [{False}, {True}] and not matching.reversed:
        return failure.with_hint(Hint.REVERSED)
    if extent.named and extent.lines and not matching.reversed:
        return failure.with_hint(Hint.NOT_IN_NAMED, at=extent.named.positions[0] + 1)
    return failure


# ---------------------------------------------------------------- several places, or one that is refused


def refuse(sought: Sought, problem: Problem | Fault, file: File, matching: Matching) -> Failure:
    """Refuse a hunk that has readings: list their positions, and what tells them apart."""
    starts = sorted(
        {*(each.start for each in sought.readings), *(at for at in sought.rivals if at >= 0)}
    )
    fault = problem.fault if isinstance(problem, Problem) else problem
    extent = of_reading(sought.readings[0], file)
    told: tuple[Suggestion, ...] = ()
    inside = enclosing(starts, file) if fault.reason is Reason.AMBIGUOUS else ()
    if fault is Fault.AMBIGUOUS:
        missing = [each.text for each in sought.hunk.strong if not file.heads.named(each)]
        fault = Fault.AMBIGUOUS if matching.ordered else Fault.AMBIGUOUS_BLOCK
        if len(starts) == 1:
            fault = Fault.SEVERAL_READINGS
        elif sought.alone or sought.rivals:
            fault = Fault.AMBIGUOUS_LOOSELY
        elif missing and matching.ordered:
            fault = Fault.AMBIGUOUS_ANCHOR
        count = f"more than {MANY}" if len(starts) > MANY else len(starts)
        problem = Problem.of(fault, count=count, anchor=missing[0] if missing else b"")
        told = tuple(_tell_apart(starts, len(sought.hunk.preimage), file, matching))
    elif fault in (Fault.ANCHOR_MISSING, Fault.ANCHOR_ELSEWHERE) and extent.inside:
        told = (Suggestion(Means.ANCHOR, extent.inside.text.strip()),)
    return failure_of(
        sought.hunk,
        problem,
        positions=tuple(starts[:MANY]),
        extent=extent,
        enclosing=inside,
        suggestions=told,
    )


def enclosing(positions: Sequence[int], file: File) -> tuple[Enclosing, ...]:
    """Name the head that the first of `positions` are below and in."""
    found = []
    for position in positions[:SHOWN]:
        row = next(_heads(position, file), None)
        found += [] if row is None else [Enclosing(position, row, file.lines[row])]
    return tuple(found)


def _heads(position: int, file: File) -> Iterator[int]:
    """Yield the heads around a line, the innermost first; at the margin, the title above it."""
    depth = len(indentation(file.lines[position])) if position < len(file.lines) else 0
    for row in range(position - 1, max(position - MANY, 0) - 1, -1):
        line = file.lines[row]
        head = (
            file.heads.rank(row)
            if line.strip() and (len(indentation(line)) < depth or not depth)
            else None
        )
        if head and (head[0] or head[1] < depth):
            yield row
            if head[0]:
                return
            depth = head[1]


def _tell_apart(
    positions: Sequence[int], size: int, file: File, matching: Matching
) -> Iterator[Suggestion]:
    """Suggest for each position the nearest head that no other is in, else the nearest line."""
    if len(positions) > NEAR:
        return
    names = {at: [file.lines[row].strip() for row in _heads(at, file)] for at in positions[:SHOWN]}
    for at in names:
        others = {name for other in names if other != at for name in names[other]}
        own = next((name for name in names[at] if name not in others), None)
        if own and matching.ordered and len(positions) <= SHOWN:
            yield Suggestion(Means.ANCHOR, own, at)
            continue
        for distance, (means, by) in (
            (d, each)
            for d in range(1, _REACH)
            for each in ((Means.ABOVE, -d), (Means.BELOW, size + d - 1))
        ):
            beside = [
                file.lines[x + by].split() if 0 <= x + by < len(file.lines) else None
                for x in (at, *(x for x in positions if x != at))
            ]
            if beside[0] and beside[0] not in beside[1:]:
                yield Suggestion(means, file.lines[at + by], at, distance)
                break
