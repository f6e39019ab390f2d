"""Refuse a hunk that opens or closes a block of Python around context, which cannot move (D94).

Context is never written (D40), so its indentation stays:

    hunk                file                result
    -    if ready:          if ready:           prepare()
         go()                   go()                go()        no Python
         done()             done()              done()

The same holds for a line that opens a block and is added above context that is not deeper, and
for a line that the patch shows out of the block that it is in, though another one could take it in.
Elsewhere braces and keywords close a block, so that its indentation changes nothing
(`complete/structure.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from git_opatch.model.failure import Problem
from git_opatch.model.patch import Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text, indentation, opens

_PYTHON = (".py", ".pyi", ".pyx")
_OPENS = (
    rb"(?:if|elif|else|for|while|def|class|with|try|except|finally|async|match|case)\b.*:"
    rb"[ \t]*(?:#.*)?\r?"
)


class _Pair(NamedTuple):
    """An old line as the patch and as the file has it."""

    in_patch: bytes
    in_file: bytes


class _ChangeRun(NamedTuple):
    """What is removed and added, and the lines of the file above and below it; no blank ones."""

    removed: Sequence[_Pair]
    added: Sequence[bytes]
    above: bytes
    below: _Pair
    stop: int
    """The position in the file from which on lines may follow that one."""
    gone: Set[int]
    """The positions of the lines that the hunk removes."""
    text: Text


def moved_block(
    placement: Placement, lines: Sequence[Line], text: Text, path: str
) -> Problem | None:
    """Say that a block that stays in `text` would have to move; None if none has to.

    `lines` are those of the hunk, the added ones as they are written; `path` is the file's name.
    """
    if not path.endswith(_PYTHON):
        return None
    for run in _runs(placement, lines, text):
        opened = run.added[-1] if run.added else b""
        if _opens_block(opened) and not _is_deeper(run.below.in_file, opened):
            return Problem.of(Fault.BLOCK_OPENED, line=opened)
        for at, line in enumerate(run.removed):
            if _loses_block(run, at, opened or run.above):
                return Problem.of(Fault.BLOCK_CLOSED, line=line.in_file)
    return None


def _loses_block(run: _ChangeRun, at: int, last: bytes) -> bool:
    """Return whether the removed line at `at` opens a block of which lines stay, below `last`.

    A line that opens a block, right above, gets these lines, if nothing follows in the block that
    is gone. But a patch that shows them no deeper than the removed line says that they move. The
    line above may be the last of several that open a block, and deeper; an added one is not.
    """
    line, below = run.removed[at], run.below
    inside = (*run.removed[at + 1 :], below)
    if not _opens_block(line.in_file) or not all(
        _is_deeper(other.in_file, line.in_file) for other in inside
    ):
        return False
    is_shown_out = not _is_deeper(below.in_patch, line.in_patch)
    if not opens(last.partition(b"#")[0]):
        return is_shown_out or _is_deeper(below.in_file, last)
    if last is not run.above and not _is_deeper(line.in_file, last):
        return False
    following = _next_kept(run, line.in_file)
    goes_on = bool(following) and indentation(following) == indentation(line.in_file)
    return is_shown_out or goes_on


def _next_kept(run: _ChangeRun, line: bytes) -> bytes:
    """Return the next line below the run that stays and is not deeper than `line`."""
    kept = (run.text.lines[at] for at in range(run.stop, len(run.text.lines)) if at not in run.gone)
    return next((other for other in kept if _is_solid(other) and not _is_deeper(other, line)), b"")


def _runs(placement: Placement, lines: Sequence[Line], text: Text) -> Iterator[_ChangeRun]:
    """Yield each run of changes that has a line below it."""
    removed: list[_Pair] = []
    added: list[bytes] = []
    old = (line.prefix for line in lines if line.prefix is not Prefix.ADDED)
    gone = {at for at, prefix in enumerate(old, placement.start) if prefix is Prefix.REMOVED}
    position = placement.start
    above = next(filter(_is_solid, reversed(text.lines[:position])), b"")
    for line in lines:
        if line.prefix is Prefix.ADDED:
            added += [line.text] if _is_solid(line.text) else []
            continue
        found = _Pair(line.text, text.lines[position])
        position += 1
        if not _is_solid(found.in_file):
            continue
        if line.prefix is Prefix.REMOVED:
            removed.append(found)
            continue
        if removed or added:
            yield _ChangeRun(removed, added, above, found, position, gone, text)
            removed, added = [], []
        above = found.in_file
    below = next(filter(_is_solid, text.lines[position:]), b"")
    if below and (removed or added):
        yield _ChangeRun(removed, added, above, _Pair(below, below), position, gone, text)


def _is_solid(line: bytes) -> bool:
    return bool(line.strip())


def _opens_block(line: bytes) -> bool:
    return re.fullmatch(_OPENS, line.lstrip()) is not None


def _is_deeper(line: bytes, other: bytes) -> bool:
    """Return whether `line` is indented deeper than `other`."""
    depth = indentation(line)
    return depth.startswith(indentation(other)) and depth != indentation(other)
