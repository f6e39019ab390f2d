"""What a hunk shows that a file contradicts which moved on: whoever was at its place first.

It must not choose: it refuses the one reading that is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise

from git_opatch.locate.file import File
from git_opatch.locate.forms import spaced
from git_opatch.locate.reading import (
    ADDED,
    Reading,
    Sought,
    has_word,
    shows_context,
)
from git_opatch.model.failure import Problem
from git_opatch.model.options import Matching
from git_opatch.model.patch import Hunk, added_lines, context_around
from git_opatch.model.placement import Evidence
from git_opatch.model.sentences import Fault
from git_opatch.model.text import common_length, indentation

_TOKEN = re.compile(rb"\w+|[^\w\s]")
_ALIKE = 0.6
"""How much alike lines without context must be to be another version of one another."""
_LEAST = 10
"""A line of so many characters, which is nowhere else, is known by itself."""
_AT_END = 3, 0
"""Lines of context around the last change of a file, as git writes them."""
_DECORATOR = b"@", b"#["
_DECORATED = re.compile(rb"\s*(?:def|class|async|fn|pub|function|public)\b")
_GOES_ON = b":", b"{", b"(", b","
_IMPORT = re.compile(rb"(?:import|from|package|#include|using|use|require|namespace)\b")
_BEGINS_FILE = b"#!", b"<?php", b"<?xml", b"<!doctype"


def contradicted(
    sought: Sought, reading: Reading, file: File, matching: Matching
) -> Iterator[Problem]:
    """Yield what of the hunk the file contradicts."""
    hunk, start, stop = sought.hunk, reading.start, reading.stop
    if problem := misnumbered(hunk, start, file):
        yield problem
    old = hunk.preimage
    if old and hunk.stated_start != start and not any(line.text.strip(b" \t") for line in old):
        yield Problem(Fault.ONLY_BLANK_LINES)
    if _ends_file(hunk) and stop != len(file.lines):
        yield Problem.of(Fault.NONE_BELOW, stop=stop, size=len(file.lines))
    if hunk.unfinished and old and spaced(old[-1].text) != spaced(file.lines[stop - 1]):
        yield Problem(Fault.CUT_OFF)
    yield from _torn(sought, start, file)
    if not (matching.appends or old) and _is_again(hunk, file):
        yield Problem(Fault.REWRITE)
    at = next(_written_twice(reading, file), None)
    if at is not None:
        yield Problem.of(Fault.PARTLY_APPLIED, at=at + 1)


def _ends_file(hunk: Hunk) -> bool:
    """Return whether a hunk adds below three lines of context, as git does at a file's end."""
    if hunk.stated_start is None or hunk.new_start is None:
        return False
    return context_around(hunk.lines) == _AT_END == (len(hunk.preimage), 0)


# ---------------------------------------------------------------- the stated place


def misnumbered(hunk: Hunk, start: int, file: File) -> Problem | None:
    """Say that the file has the hunk where its number says but for a line, that differs, is more or
    is less, or for whitespace; without context, lines like its own, or its new ones."""
    stated = hunk.stated_start
    if stated is None or stated == start or not hunk.preimage:
        return None
    texts, shows = file.texts(hunk.preimage), shows_context(hunk)
    at_stated = file.lines[stated : stated + len(texts)]
    if texts == at_stated and not (shows and len(texts) > 1):
        return None
    changes = (0, 1, -1) if abs(stated - start) > 1 else (0,)
    is_near = any(
        _is_near(texts, file.lines[stated : stated + len(texts) + more], more) for more in changes
    )
    if is_near or (not shows and _is_version(hunk, texts, at_stated, file)):
        return Problem.of(Fault.OTHER_NUMBER, stated=stated + 1)
    return None


def _is_near(texts: Sequence[bytes], lines: Sequence[bytes], more: int) -> bool:
    """Return whether lines of the file are those of a hunk but for one that differs, or is `more`
    or less."""
    old, new = [text.strip() for text in texts], [line.strip() for line in lines]
    above, below = common_length(old, new), common_length(old[::-1], new[::-1])
    same = [*old[:above], *old[max(above, len(old) - below) :]]
    is_whole = len(new) == len(old) + more and above + below >= len(old) - (more < 1)
    return is_whole and sum(map(bool, same)) >= max(min(sum(map(bool, old)), 2), 1)


def _is_version(hunk: Hunk, texts: Sequence[bytes], lines: Sequence[bytes], file: File) -> bool:
    """Return whether lines at the stated place are much like those of a hunk, or its new ones."""
    pairs = [(_TOKEN.findall(a), _TOKEN.findall(b)) for a, b in zip(texts, lines, strict=False)]
    alike = sum(SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in pairs)
    new, stated = file.texts(hunk.postimage), hunk.stated_start or 0
    is_new = bool(new) and new == file.lines[stated : stated + len(new)]
    return alike >= _ALIKE * len(texts) or is_new


# ---------------------------------------------------------------- beside the place


def _torn(sought: Sought, start: int, file: File) -> Iterator[Problem]:
    """Yield that added lines would be between a head, or a decorator, and what belongs to it."""
    hunk, above = sought.hunk, file.lines[start - 1] if start else b""
    added = [text for text in added_lines(hunk.lines) if text.strip()]
    if not added or not start:
        return
    depth = len(indentation(above))
    if hunk.lines[0].prefix is ADDED and above.lstrip().startswith(_DECORATOR):
        is_decorator = added[-1].lstrip().startswith(_DECORATOR)
        if not is_decorator and len(indentation(added[0])) == depth and _DECORATED.match(added[0]):
            yield Problem.of(Fault.BETWEEN, anchor=above.strip())
    if sought.evidence is Evidence.AFTER_ANCHOR:
        least = min(len(indentation(text)) for text in added)
        below = file.lines[start].strip() if start < len(file.lines) else b""
        is_open = below == b"{" and not above.rstrip().endswith(b";")
        goes_on = above.rstrip().endswith(_GOES_ON) or is_open
        follows = 0 < least == len(indentation(file.lines[start])) if below else False
        if len(indentation(hunk.anchors[-1].text)) < depth > least and not follows:
            yield Problem(Fault.BELOW_ANCHOR)
        elif goes_on and file.heads.opens(start - 1) and (least <= depth or is_open):
            yield Problem.of(Fault.BETWEEN, anchor=above)


def _is_again(hunk: Hunk, file: File) -> bool:
    """Return whether added lines alone are the file again."""
    added = [text for line in hunk.lines if (text := line.text.strip())]
    lines = [text for line in file.lines if (text := line.strip())]
    if not added or not lines:
        return False
    distinct, several = set(lines), len(added) > 1
    shared = 2 * len(distinct.intersection(added))
    imports = [_IMPORT.match(line) is not None for line in added]
    begins = added[0].lower().startswith(_BEGINS_FILE)
    again = several and added[0] == lines[0] and has_word(added[:1])
    both = imports[0] and not all(imports) and any(map(_IMPORT.match, lines))
    return (
        begins or again or both or shared > len(distinct) or (several and shared == len(distinct))
    )


def _written_twice(reading: Reading, file: File) -> Iterator[int]:
    """Yield where lines that a hunk adds are already: right beside their place, where it does not
    show them; nearly all of them, on a side where it shows nothing; or a whole definition."""
    steps, at, row = reading.steps, 0, reading.start
    shown = {step.row for step in steps} - reading.left_out
    for is_added, group in groupby(steps, key=lambda step: step.row is None):
        run = list(group)
        at += len(run)
        if not is_added:
            row = (run[-1].row or 0) + 1
            continue
        lines = file.texts([step.line for step in run])
        if not any(line.strip() for line in lines):
            continue
        for begin in (row - len(lines), row):
            here = range(begin, begin + len(lines))
            is_there = begin >= 0 and file.lines[begin : begin + len(lines)] == lines
            if is_there and not shown.issuperset(here):
                yield begin
        if at == len(run):
            yield from _nearly(lines, row - 1, -1, file)
        if at == len(steps):
            yield from _nearly(lines, row, 1, file)
        yield from _defined(lines, file)


def _defined(lines: Sequence[bytes], file: File) -> Sequence[int]:
    """Return where a file of code has, line by line, a definition at the margin that is added."""
    if file.is_document:
        return ()
    solid = [at for at, line in enumerate(lines) if line.strip()]
    begins = (
        a
        for a, b in pairwise(solid)
        if lines[b][:1] in (b" ", b"\t") and re.match(rb"[A-Za-z_@]", lines[a])
    )
    head = next(begins, None)
    if head is None or lines[head] in file.removed:
        return ()
    return file.exact.runs(lines[head : solid[-1] + 1])[:1]


def _nearly(lines: Sequence[bytes], row: int, step: int, file: File) -> Iterator[int]:
    """Yield where nearly all of `lines` are beside `row`, above or below it by `step`, or one that
    is nowhere else."""
    solid = [spaced(line) for line in lines if line.strip()]
    near: list[int] = []
    while 0 <= row < len(file.lines) and len(near) < len(solid):
        near += [row] if file.is_solid(row) else []
        row += step
    if not near:
        return
    beside = [spaced(file.lines[at]) for at in sorted(near)]
    same = [a for a, b in zip(solid, beside, strict=False) if a == b]
    most = max(1, len(lines) // 4) if len(lines) > 2 else 0
    if len(beside) == len(solid) <= len(same) + most and has_word(same):
        yield min(near)
    likely, text = solid if step > 0 else solid[:-1], file.lines[near[0]]
    is_known = len(text.strip()) >= _LEAST and file.exact.count(text) == 1
    if is_known and text not in file.removed and spaced(text) in likely:
        yield near[0]
