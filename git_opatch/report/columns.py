"""A view of a patch as lines for a terminal: in two columns where there is room, else in one.

All signs are ASCII, and words say what colours do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from git_opatch.model.refusal import Spans
from git_opatch.report.files import DIFF_STYLES
from git_opatch.report.view import FEW_SKIPPED, Certainty, FileView, PartView, PatchView, Place, Row

_STYLES = {
    Certainty.STRICT: ("#", "green"),
    Certainty.TOLERATED: ("~", "yellow"),
    Certainty.APPLIED: ("=", "blue"),
    Certainty.REFUSED: ("!", "bold red"),
}
"""The sign of a part in the map of its file, and its style."""
_BETWEEN = {"like": "~", "unlike": "!"}
_DIM, _MARKED, _NOTE = "bright_black", "reverse", "yellow"
_PATCH = "patch"
_MAP = 40
"""The width of the map of a file."""


def patch_lines(view: PatchView, width: int) -> Iterator[Spans]:
    """Lay out a patch in `width` columns."""
    for message in view.messages:
        yield [(message, "")]
    for number, file in enumerate(view.files):
        yield from [[]] * bool(number)
        yield from heading(file, width)
        for part in file.parts:
            yield []
            yield from part_lines(part, width)


def heading(file: FileView, width: int) -> Iterator[Spans]:
    """Name a file, with a map of its hunks, and why all of it is refused."""
    yield [(f"{file.change} ", ""), (file.path, "bold")]
    if marks := _map(file, min(file.size, _MAP, width - 20)):
        yield [("  [", _DIM), *marks, (f"] {file.size:,} line{'s' * (file.size > 1)}", _DIM)]
    if file.failure:
        yield [("  refused ", "bold red"), (file.failure, "")]
        yield [(f"  {file.advice}", "")]


def _map(file: FileView, width: int) -> list[tuple[str, str]]:
    """Draw where in the file its hunks are: each character is as many lines."""
    drawn = [("-", _DIM)] * max(width, 0)
    for part in file.parts:
        for first, last in (place.lines for place in part.places if place.lines[0]):
            begin, end = (at * len(drawn) // file.size for at in (first - 1, last))
            drawn[begin : max(end, begin + 1)] = [_STYLES[part.certainty]] * max(end - begin, 1)
    return drawn


def part_lines(part: PartView, width: int) -> Iterator[Spans]:
    """Lay out a part with its places in `width` columns."""
    verdict = (part.verdict, _STYLES[part.certainty][1])
    yield [("  ", ""), verdict, (f" {part.name} {part.sentence}".rstrip(), "")]
    for line in (*part.notes, part.advice):
        if line:
            yield [(f"    {line}", "")]
    for place in part.places:
        if place.title and (place.advice or len(part.places) > 1):
            yield [(f"    {place.title}", "bold")]
        if place.rows:
            yield from _place_lines(place, width - 2)
        if place.more:
            yield [(f"    and {place.more:,} more lines", _DIM)]
        if place.advice:
            yield [(f"    if this place is meant: {place.advice}", "")]


def _place_lines(place: Place, width: int) -> Iterator[Spans]:
    """Lay the lines out beside one another if all of them fit, else each once that is the same."""
    number = len(str(max((max(row.number, row.line) for row in place.rows), default=0)))
    left, right = (max(map(_width, side)) for side in zip(*map(_sides, place.rows), strict=True))
    is_pair = any(row.text is not None and row.there is not None for row in place.rows)
    is_wide = is_pair and left + right + 2 * number + 9 <= width
    number = number if is_wide else max(number, len(_PATCH))
    for is_skipped, run in groupby(place.rows, lambda row: row.kind == "skipped"):
        rows = [*run]
        if is_skipped and len(rows) > FEW_SKIPPED:
            yield [(f"{'...':>{number + 2}} {len(rows)} lines that the patch leaves out", _DIM)]
            continue
        for row in rows:
            one, two = _sides(row)
            if is_wide:
                between = f"{' ' * (left - _width(one))} {_BETWEEN.get(row.kind, '|')} "
                head = _side(row, one, row.number, number)
                yield [*head, (between, _DIM), *_side(row, two, row.line, number)]
                continue
            if row.kind in _BETWEEN and one and two:
                yield _side(row, one, _PATCH, number)
            yield _side(row, two if row.kind in _BETWEEN or not one else one, row.line, number)


def _sides(row: Row) -> tuple[Spans, Spans]:
    """Return the lines of the patch and of the file, that one with its note."""
    note = [(f"  <- {row.note}", _NOTE)] if row.note else []
    return row.text or (), [*(row.there or ()), *note]


def _side(row: Row, spans: Spans, number: int | str, width: int) -> list[tuple[str, str]]:
    """Lay out one side of a row; without `spans` it is empty."""
    if not spans:
        return [(" " * (width + 4), "")]
    style = DIFF_STYLES.get(row.prefix, _DIM if row.kind in ("around", "skipped") else "")
    line = [
        (text, mark if mark == _NOTE else f"{style} {_MARKED}".strip() if mark else style)
        for text, mark in spans
    ]
    return [(f"  {number or '':>{width}} ", _DIM), (row.prefix, style), *line]


def _width(spans: Spans) -> int:
    from rich.cells import cell_len

    return sum(cell_len(text) for text, _ in spans)
