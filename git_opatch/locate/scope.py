"""The scope of a line: what is below it, up to where that ends.

It must not know a hunk: it only answers which rows are in the scope of which.

The scope of a heading ends at the next one of its kind that is not deeper, and that of another line
at the next definition, or, if it has a block, at the next line that has one. Where that is not sure
there are two answers: evidence keeps what is surely inside, and a claim refuses what is outside in
any case.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import takewhile

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import (
    OutlineKind,
    depth,
    heading,
    is_certain,
    is_for_the_file,
    keyword_of,
    underline,
)
from git_opatch.model.limits import FEW
from git_opatch.model.text import indentation, opens

_CONTINUES = re.compile(rb"[])}{]|(?:else|elif|elsif|elseif|except|finally|rescue|ensure|catch)\b")
"""What begins a line whose block belongs to that of the line above it."""
_CONTINUED = (b",", b"(", b"&&", b"||")
"""What ends a line that goes on below."""


def inside(rows: Sequence[int], firsts: Sequence[int], file: FileIndex) -> list[int]:
    """Keep those of `rows`, which are in order, that are surely in the scope of one of the lines at
    `firsts`."""
    kept: set[int] = set()
    for at in firsts:
        kept.update(_first_inside(rows[bisect_left(rows, at) :], at, file))
    return sorted(kept)


def _first_inside(rows: Sequence[int], first: int, file: FileIndex) -> Iterator[int]:
    """Yield those of `rows`, none of which is above `first`, that are in its scope: the first."""
    return takewhile(lambda row: in_scope(row, first, file, surely=True), rows)


def encloses(firsts: Sequence[int], start: int, stop: int, file: FileIndex) -> bool:
    """Return whether one of the lines at `firsts` is from `start` to `stop`, or may have that in
    its scope."""
    if any(start <= row < stop for row in firsts):
        return True
    return any(in_scope(start, at, file) for at in [at for at in firsts if at < start][-FEW:])


def in_scope(row: int, first: int, file: FileIndex, *, surely: bool = False) -> bool:
    """Return whether the line at `row` is in the block of that at `first`, or may be, or surely is,
    in its scope."""
    if row < first or row < file.block_end(first):
        return row >= first
    return scope_end(first, row, file, surely=surely) >= row


def scope_end(first: int, stop: int, file: FileIndex, *, surely: bool = False) -> int:
    """Return where the scope of the line at `first` ends, or may end, if that is above `stop`; else
    `stop`. No line is looked at twice."""
    asked = first, surely
    end, is_known = file.scopes.get(asked, (first, False))
    if end < stop and not is_known:
        end = _find_end(first, max(end, first + 1), stop, file, surely=surely)
        file.scopes[asked] = end, end < stop
    return min(end, stop)


def _find_end(first: int, known: int, stop: int, file: FileIndex, *, surely: bool) -> int:
    """Find where a scope ends that goes up to `known` at least; `stop` if that is not above it."""
    lines = file.lines
    line, kind = lines[first], file.heading_at(first)
    if surely and not (kind and is_certain(lines, first, kind) and kind is not OutlineKind.LABEL):
        return next(iter(file.headings(kind, known, stop)), stop) if kind else first
    kind = kind or heading(line.strip())
    if kind is None:
        return next((at for at in range(known, stop) if _ends_line(at, first, file)), stop)
    if is_for_the_file(line) and not _has_block(first, file):
        return stop
    if kind is OutlineKind.LABEL:
        end = file.block_end(first)
        closed = end < len(lines) and heading(lines[end].strip()) is kind
        return end if closed and indentation(lines[end]) == indentation(line) else stop
    most = depth(line, kind)
    for at in range(known, stop):
        text = lines[at].strip()
        if not text or (kind is OutlineKind.DEFINITION and len(indentation(lines[at])) > most):
            continue
        if not is_certain(lines, at, kind) or depth(lines[at], kind) > most:
            continue
        is_plain = kind is OutlineKind.DEFINITION and not keyword_of(lines[at])
        if is_plain and not text.endswith(b"{") and file.prose.includes(at):
            continue
        same = kind is not OutlineKind.UNDERLINED or underline(lines, at) == underline(lines, first)
        if same and not file.is_written(at):
            return at
    return stop


def _ends_line(row: int, first: int, file: FileIndex) -> bool:
    """Return whether the line at `row` ends the scope of that at `first`, which is no heading: a
    definition does, and of a line that has a block the next one that has one."""
    line, other = file.lines[first], file.lines[row]
    deeper = len(indentation(other)) - len(indentation(line))
    if deeper > 0 or not other.strip() or file.is_written(row):
        return False
    has_block = _has_block(first, file)
    if file.heading_at(row) is OutlineKind.DEFINITION:
        return deeper < 0 or (opens(line) and has_block)
    is_whole = not (_CONTINUES.match(other.strip()) or other.rstrip().endswith(_CONTINUED))
    return has_block and is_whole and _has_block(row, file)


def _has_block(first: int, file: FileIndex) -> bool:
    return any(line.strip() for line in file.lines[first + 1 : file.block_end(first)])
