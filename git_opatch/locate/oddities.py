"""What is odd in a hunk itself, whatever the file has: sentences for the one who corrects it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from git_opatch.locate.file import File
from git_opatch.locate.reading import ADDED, REMOVED, is_blank
from git_opatch.model.failure import name_range
from git_opatch.model.json_text import string_line_of
from git_opatch.model.limits import QUOTED, SHOWN
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.picture import WORD
from git_opatch.model.sentences import Detail
from git_opatch.model.text import visible

_CARETS = re.compile(rb"\s*\^[\^\s~]*")
_LEAST = 2
"""So many added lines with words, in a row, that the file has are no accident."""


def oddities(hunk: Hunk, file: File) -> Iterator[str]:
    """Say what is odd in a hunk that is refused, the most telling first."""
    fences = (line for line in hunk.lines if line.text.startswith(b"```"))
    carets = (line for line in hunk.preimage if _CARETS.fullmatch(line.text))
    for detail, lines in ((Detail.FENCE, fences), (Detail.CARETS, carets)):
        line = next(lines, None)
        if line and line.text not in file.exact:
            yield detail.fill(which=numbers([line]))
    same = [
        one
        for one, other in pairwise(hunk.lines)
        if one.text == other.text and (one.prefix, other.prefix) == (REMOVED, ADDED)
    ]
    if same:
        yield Detail.SAME_LINE.fill(which=numbers(same))
    yield from [*_there_already(hunk, file)][:_LEAST]
    if hunk.unfinished:
        yield Detail.CUT_OFF.fill(line=hunk.lines[-1].text.strip())


def _there_already(hunk: Hunk, file: File) -> Iterator[str]:
    """Name the runs of added lines that the file has, in a row and once."""
    gone = {line.text for line in hunk.lines if line.prefix is REMOVED}
    for prefix, run in groupby(hunk.lines, lambda line: line.prefix):
        lines = [line for line in run if prefix is ADDED and line.text not in gone]
        telling = [line for line in lines if not is_blank(line) and WORD.search(line.text)]
        rows = file.runs(lines) if len(telling) >= _LEAST else []
        if len(rows) == 1:
            there = name_range(rows[0], len(lines))
            yield Detail.ADDED.fill(which=numbers(lines), lines=there)


def numbers(lines: Sequence[Line]) -> str:
    """Name lines of the patch: "patch lines 9, 12-14", or by their text."""
    if string_line_of(lines[0].number):
        return ", ".join(f"`{visible(line.text.strip(), QUOTED)}`" for line in lines[:SHOWN])
    apart = groupby(enumerate(int(line.number) for line in lines), lambda each: each[1] - each[0])
    runs = [[number for _, number in run] for _, run in apart]
    named = [f"{run[0]}-{run[-1]}" if run[1:] else str(run[0]) for run in runs]
    return f"patch line{'s' * (len(lines) > 1)} {', '.join(named[: 2 * SHOWN])}"
