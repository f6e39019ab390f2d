"""A view of a patch as lines for a terminal, in one column: what text says, with each part named.

All signs are ASCII, and words say what colours do.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from git_opatch.report.draw import Spans, drawn, title
from git_opatch.report.view import Certainty, FileView, PartView, PatchView

_STYLES = {
    Certainty.STRICT: "green",
    Certainty.TOLERATED: "yellow",
    Certainty.APPLIED: "blue",
    Certainty.REFUSED: "bold red",
}
_MOST_ROWS = 400


def patch_lines(view: PatchView, width: int) -> Iterator[Spans]:
    """Lay out a patch in `width` columns."""
    for message in view.messages:
        yield [(message, "")]
    for number, file in enumerate(view.files):
        yield from [[]] * bool(number)
        yield from heading(file, width)
        for part in file.parts:
            yield []
            yield from part_lines(part, file.path, width)


def heading(file: FileView, width: int) -> Iterator[Spans]:
    """Name a file, and say why all of it is refused."""
    yield [(f"{file.change} ", ""), (file.path, "bold")]
    if file.failure:
        yield from _wrapped(f"refused: {file.failure}", width, "refused", "bold red")
        yield from _wrapped(file.advice, width)


def part_lines(part: PartView, path: str, width: int) -> Iterator[Spans]:
    """Lay out a part of the file at `path` with its pictures in `width` columns."""
    verdict = f"{part.verdict}: {part.name} {part.sentence}"
    yield from _wrapped(verdict, width, part.verdict, _STYLES[part.certainty])
    for picture in part.pictures:
        if picture.title or part.pictures[1:]:
            name = title(picture, path)
            yield from _wrapped(name, width, name, "bold")
        yield from drawn(picture.telling, _MOST_ROWS)
        if picture.advice:
            yield from _wrapped(f"if this place is meant: {picture.advice}", width)
    for line in (*part.notes, part.advice):
        yield from _wrapped(line, width)


def _wrapped(text: str, width: int, label: str = "", style: str = "") -> Iterator[Spans]:
    """Break a sentence between words, none of which is broken; `label` begins it."""
    room = max(width - 4, 1)
    for at, line in enumerate(wrap(text, room, break_long_words=False, break_on_hyphens=False)):
        end = 0 if at else len(label)
        yield [("  " + "  " * bool(at), ""), (line[:end], style), (line[end:], "")]
