"""Refuse a hunk that opens or closes a block of Python around context, which cannot move (D94).

Context is never written (D40), so its indentation stays:

    hunk                file                result
    -    if ready:          if ready:           prepare()
         go()                   go()                go()        no Python
         done()             done()              done()

The same holds for a line that opens a block and is added above context that is not deeper.
Elsewhere braces and keywords close a block, so that its indentation changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from git_opatch.model.patch import Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.text import Text, indentation, opens, visible

_PYTHON = (".py", ".pyi", ".pyx")
_OPENS = re.compile(
    rb"(?:if|elif|else|for|while|def|class|with|try|except|finally|async)\b.*:[ \t]*(?:#.*)?\r?"
)


def moved_block(placement: Placement, lines: Sequence[Line], text: Text, path: str) -> str:
    """Say that a block that stays in `text` would have to move; empty if none has to.

    `lines` are those of the hunk, the added ones as they are written; `path` is the file's name.
    """
    if not path.endswith(_PYTHON):
        return ""
    for removed, added, above, below in _runs(placement, lines, text):
        depth = indentation(below)
        opened = added[-1] if added else b""
        if _opens_block(opened) and not _is_deeper(depth, opened):
            new = visible(opened.strip())
            return f"opens a block with `{new}` above lines that would have to move into it"
        last = opened or above
        for at, line in enumerate(removed):
            inside = (*map(indentation, removed[at + 1 :]), depth)
            if (
                _opens_block(line)
                and all(_is_deeper(other, line) for other in inside)
                and _is_deeper(depth, last)
                and not opens(last.partition(b"#")[0])
            ):
                closed = visible(line.strip())
                return f"removes `{closed}` above lines that would have to move out of its block"
    return ""


_Run = tuple[Sequence[bytes], Sequence[bytes], bytes, bytes]
"""What is removed and added, and the lines above and below it; no blank ones."""


def _runs(placement: Placement, lines: Sequence[Line], text: Text) -> Iterator[_Run]:
    """Yield each run of changes that has a line below it."""
    removed: list[bytes] = []
    added: list[bytes] = []
    position = placement.start
    above = next(filter(_is_solid, reversed(text.lines[:position])), b"")
    for line in lines:
        if line.prefix is Prefix.ADDED:
            added += [line.text] if _is_solid(line.text) else []
            continue
        found = text.lines[position]
        position += 1
        if not _is_solid(found):
            continue
        if line.prefix is Prefix.REMOVED:
            removed.append(found)
            continue
        if removed or added:
            yield removed, added, above, found
            removed, added = [], []
        above = found
    below = next(filter(_is_solid, text.lines[position:]), b"")
    if below and (removed or added):
        yield removed, added, above, below


def _is_solid(line: bytes) -> bool:
    return bool(line.strip())


def _opens_block(line: bytes) -> bool:
    return _OPENS.fullmatch(line.lstrip()) is not None


def _is_deeper(depth: bytes, line: bytes) -> bool:
    """Tell whether an indentation is deeper than that of `line`."""
    return depth.startswith(indentation(line)) and depth != indentation(line)
