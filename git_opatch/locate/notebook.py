r"""The source of a cell in a Jupyter notebook, as a string to replace in the notebook's text.

It must not change what is around the source.

    "source": [            →  "source": [
     "x = 1\n",                "x = 2\n",
     "x"                       "x"
    ]                         ]

All other bytes of the file stay: the outputs of the cell, and how the JSON is laid out. Source:
nbformat 4, "Cell types"; a cell without an id is `cell-N` for Claude Code, N from 0.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from git_opatch.model.json_text import DECODER, items
from git_opatch.model.patch import Cell

_BY_NUMBER = re.compile(r"cell-(\d{1,9})")


class CellSource(NamedTuple):
    """The JSON of a cell's source: where it is in the file, in bytes, and what it becomes."""

    start: int
    old: bytes
    new: bytes


def find_source(raw: bytes, cell: Cell, source: bytes) -> CellSource | None:
    """Return the source of `cell` in the notebook `raw`; None if it has no such cell of its type.

    `source` is the text that it is to have.
    """
    text = raw.decode("latin-1")
    try:
        start = text.index("{")
        DECODER.raw_decode(text, start)
        cells = _member(text, start, "cells")
        found = cells and _find_cell(text, cells[0], cell)
        span = found and _member(text, found, "source")
        kind = found and _member(text, found, "cell_type")
        if kind and cell.kind not in ("", text[slice(*kind)].strip('"')):
            return None
    except (ValueError, RecursionError):
        return None
    if not span:
        return None
    start, end = span
    is_ascii = text.isascii() and "\\u" in text
    return CellSource(start, raw[start:end], _written(text, start, end, source, is_ascii=is_ascii))


def _member(text: str, at: int, name: str) -> tuple[int, int] | None:
    """Return where the value of the member `name` of the object at `at` begins and ends."""
    if text[at] != "{":
        return None
    return next(((start, end) for key, start, end in items(text, at) if key == name), None)


def _find_cell(text: str, cells: int, cell: Cell) -> int | None:
    """Return the offset of `cell` in the list of cells at `cells`; its id and its number, if it has
    both, must be those of the same one."""
    if text[cells] != "[":
        return None
    starts = [start for _, start, _ in items(text, cells)]
    ids = [_member(text, start, "id") for start in starts]
    names = [span and text[slice(*span)].strip('"') for span in ids]
    by_number = _BY_NUMBER.fullmatch(cell.id)
    numbers = [cell.number] if cell.number is not None else []
    if cell.id in names:
        numbers += [at for at, name in enumerate(names) if name == cell.id]
    elif by_number is not None and not any(names):
        numbers.append(int(by_number[1]))
    elif cell.id:
        return None
    return starts[numbers[0]] if len({*numbers}) == 1 and numbers[0] < len(starts) else None


def _written(text: str, start: int, end: int, source: bytes, *, is_ascii: bool) -> bytes:
    """Write `source` as JSON, in the form and layout of the value from `start` to `end`."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", source.decode("utf-8", "surrogateescape"))
    if text[start] != "[":
        written = json.dumps("".join(lines), ensure_ascii=is_ascii)
        return written.encode("utf-8", "surrogateescape")
    first = next((at for _, at, _ in items(text, start)), None)
    if first is not None:
        before = text[start + 1 : first]
        after = re.search(r"\s*\Z", text[start + 1 : end - 1])
        close = after[0] if after else ""
    else:  # the items are one deeper than the line of the list
        line = text[text.rfind("\n", 0, start) + 1 : start]
        indent = line[: len(line) - len(line.lstrip())]
        before, close = f"\n{indent} ", f"\n{indent}"
    strings = [json.dumps(line, ensure_ascii=is_ascii) for line in lines]
    written = "[" + before + ("," + before).join(strings) + close + "]" if strings else "[]"
    return written.encode("utf-8", "surrogateescape")
