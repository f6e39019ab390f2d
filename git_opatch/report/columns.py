"""A view of a patch as lines for a terminal: in two columns where there is room, else in one.

All signs are ASCII, and words say what colours do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from textwrap import wrap

from git_opatch.report.files import DIFF_STYLES
from git_opatch.report.refusal import Spans
from git_opatch.report.view import FEW_SKIPPED, Certainty, FileView, PartView, PatchView, Place, Row

_STYLES = {
    Certainty.STRICT: "green",
    Certainty.TOLERATED: "yellow",
    Certainty.APPLIED: "blue",
    Certainty.REFUSED: "bold red",
}
_BETWEEN = {"like": "~", "unlike": "!"}
_DIM, _MARKED, _NOTE = "bright_black", "reverse", "yellow"
_PATCH = "patch"


def patch_lines(view: PatchView, width: int) -> Iterator[Spans]:
    """Lay out a patch in `width` columns."""
    for message in view.messages:
        yield [(message, "")]
    for number, file in enumerate(view.files):
        yield from [[]] * bool(number)
        yield from _heading(file, width)
        for part in file.parts:
            yield []
            yield from _part_lines(part, width)


def _heading(file: FileView, width: int) -> Iterator[Spans]:
    """Name a file, and say why all of it is refused."""
    yield [(f"{file.change} ", ""), (file.path, "bold")]
    if file.failure:
        yield from _wrapped(f"refused: {file.failure}", width, "  ", "refused", "bold red")
        yield from _wrapped(file.advice, width, "  ")


def _part_lines(part: PartView, width: int) -> Iterator[Spans]:
    """Lay out a part with its places in `width` columns."""
    verdict = f"{part.verdict}: {part.name} {part.sentence}"
    yield from _wrapped(verdict, width, "  ", part.verdict, _STYLES[part.certainty])
    for line in (*part.notes, part.advice):
        yield from _wrapped(line, width)
    for place in part.places:
        if place.advice or len(part.places) > 1:
            yield from _wrapped(place.title, width, label=place.title, style="bold")
        if place.rows:
            yield from _place_lines(place, width - 2)
        if place.more:
            yield [(f"    and {place.more:,} more lines", _DIM)]
        if place.advice:
            yield from _wrapped(f"if this place is meant: {place.advice}", width)


def _wrapped(
    text: str, width: int, indent: str = "    ", label: str = "", style: str = ""
) -> Iterator[Spans]:
    """Break a sentence between words, none of which is broken; `label` begins it."""
    room = max(width - len(indent) - 2, 1)
    for at, line in enumerate(wrap(text, room, break_long_words=False, break_on_hyphens=False)):
        end = 0 if at else len(label)
        yield [(indent + "  " * bool(at), ""), (line[:end], style), (line[end:], "")]


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
            line = _side(row, two if row.kind in _BETWEEN or not one else one, row.line, number)
            if row.note and _width(line) > width:
                yield line[:-1]
                line = [(" " * (number + 2), ""), line[-1]]
            yield line


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
