"""Draw rows in one column, each side that differs in a line of its own: for text, and for `show`.

=  12 -text      both have it, and the patch removes it
file 13  text    only the file has it, or it has this line there
patch 9 -text    only the patch has it there; where else the file has it is behind it
nowhere 9 -text  the file has it nowhere
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from git_opatch.model.failure import name_lines, name_range
from git_opatch.model.json_text import string_line_of
from git_opatch.model.limits import QUOTED, SHOWN
from git_opatch.model.patch import Line, Prefix
from git_opatch.model.picture import AGREES, WORD, Mark, Picture, Row, Shows, elide
from git_opatch.model.text import visible, visible_difference

Spans = Sequence[tuple[str, str]]
"""The pieces of a line, each with its style; empty for none."""
Shown = str | Spans
"""A line to show."""
EXPECTED, FOUND = "red", "green"
_LEAST_ALIKE = 0.5
"""How much alike two lines are, from 0 to 1, for the words that differ to be marked alone."""
_FILE, _PATCH, _NOWHERE = "file", "patch", "nowhere"
_OF_PATCH = (Mark.IN_PATCH, Mark.GOES, Mark.ADDED)
_LABELS = {
    Mark.THERE: "=",
    Mark.IN_FILE: _FILE,
    Mark.IN_PATCH: _PATCH,
    Mark.GOES: "goes",
    Mark.ADDED: "adds",
    Mark.DECIDES: "add",
    Mark.LEFT_OUT: "stays",
}
_DIFFERS = (Mark.OTHER, Mark.TOLERATED)
_STYLES, _NOTE = {"-": "red", "+": "green"}, "yellow"


def plain(line: Shown) -> str:
    """Return the line without its styles."""
    return line if isinstance(line, str) else "".join(text for text, _ in line)


def title(picture: Picture, path: str) -> str:
    """Say which lines are shown, and what they are in."""
    own = picture.own
    if picture.shows is not Shows.PLACE or not own:
        return picture.title
    lines = f"{visible(path)}:{own[0] + 1}" + f"-{own[-1] + 1}" * (own[-1] > own[0])
    said = f"{picture.title}, {lines}" if picture.title else lines
    if inside := picture.inside:
        said += f", in `{visible(inside.text.strip(), QUOTED)}` (line {inside.line + 1})"
    return said


def drawn(rows: Sequence[Row], most: int) -> Iterator[Spans]:
    """Draw at most so many rows."""
    shown = elide(rows, most)
    numbers = [row.position + 1 for row in shown if row.position is not None]
    numbers += [number_of(row.line) for row in shown if row.line]
    width = len(str(max(numbers, default=0)))
    is_far = any(map(_is_nowhere, shown))
    label = len(_NOWHERE) if is_far else len(_PATCH)
    for differs, run in groupby(shown, lambda row: row.mark in _DIFFERS):
        group = [*run]
        yield from (_line(row, label, width) for row in group)
        yield from (_line(row, label, width, is_patch=True) for row in group if differs)


def _line(row: Row, label: int, width: int, *, is_patch: bool = False) -> Spans:
    """Draw one side of a row, with the name of the side, its number there, and the prefix."""
    if row.mark is Mark.OMITTED:
        count = f"{row.size} lines"
        lines = count if row.position is None else name_range(row.position, row.size)
        return [(f"    {'':{label}} {'':{width}}  ({lines} {row.note})", "")]
    line, differs = row.line, row.mark in _DIFFERS
    of_patch = line and (is_patch or (row.mark in _OF_PATCH and row.position is None))
    one, two = sides(row)
    text, note = (one, row.note or _places(row)) if of_patch else (two, row.note * (not differs))
    position = 0 if row.position is None else row.position + 1
    number = (line and number_of(line)) if of_patch else position
    name = _NOWHERE if of_patch and _is_nowhere(row) else _LABELS.get(row.mark, "")
    name = (_PATCH if of_patch else _FILE) if differs else name
    prefix = line.prefix.value if line and (of_patch or row.mark in AGREES) else " "
    style = _STYLES.get(prefix, "") if row.mark in AGREES else ""
    head = f"    {name:>{label}} {number or '':>{width}} {prefix}"
    spans = [(head, ""), *((piece, mark or style) for piece, mark in text)]
    if note:
        return [*spans, (f"   <- {note}", _NOTE)]
    is_blank = not any(piece.strip() for piece, _ in spans[1:])
    return [(head.rstrip(), "")] if is_blank else spans


def sides(row: Row) -> tuple[Spans, Spans]:
    """Return the line of the patch and that of the file, with what differs marked."""
    line, text = row.line, row.text
    if line and text is not None and row.mark in _DIFFERS:
        return marked(line.text, text)
    style = "" if row.mark in AGREES else EXPECTED
    one: Spans = [(visible(line.text), style)] if line else ()
    return one, () if text is None else [(visible(text), FOUND if style else "")]


def _is_nowhere(row: Row) -> bool:
    """Return whether it is an old line of the patch, with a word, that the file has nowhere."""
    line = row.line if row.mark is Mark.IN_PATCH and not row.at else None
    is_old = line is not None and line.prefix is not Prefix.ADDED and line.number
    return bool(line and is_old and WORD.search(line.text))


def _places(row: Row) -> str:
    many = len(row.at) > SHOWN
    return f"on {len(row.at)} lines" if many else name_lines(row.at) if row.at else ""


def number_of(line: Line) -> int:
    """Return the number of a line of the patch; 0 for one of a string."""
    return 0 if string_line_of(line.number) else int(line.number)


def marked(expected: bytes, found: bytes | None) -> tuple[Spans, Spans]:
    """Mark what differs between two lines: words where they are close, else all of them.

    Both are made fit for a terminal; the pieces that are the same have no style.
    """
    from difflib import SequenceMatcher

    shown = visible_difference(expected, expected if found is None else found)
    words: list[list[str]] = [re.findall(r"\w+|\s+|.", line) for line in shown]
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return [(shown[0], EXPECTED)], [(shown[1], FOUND)]
    spans: list[list[tuple[str, str]]] = [[], []]
    for tag, a, b, c, d in matcher.get_opcodes():
        for side, first, last, style in ((0, a, b, EXPECTED), (1, c, d, FOUND)):
            if first < last:
                text = "".join(words[side][first:last])
                spans[side].append((text, "" if tag == "equal" else style))
    return spans[0], spans[1]


def joined(lines: Iterable[Shown]) -> str:
    """Return lines as text."""
    return "\n".join(map(plain, lines))
