"""Spoilers of a hunk's layout: lines too many or too few."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hunks import places, with_context
from model import ADDED, BARE, CONTEXT, FileChange, Hunk, Line

_ENDINGS = ("}", "end", "", "})", "};", "# end of file")


def blank_line_at_edge(hunk: Hunk, change: FileChange, rng: Random) -> Hunk | None:
    """A blank line that the file does not have before or after the hunk."""
    stop = hunk.start + len(hunk.before)
    above, below = change.old[: hunk.start][-1:], change.old[stop : stop + 1]
    edges = [at for at, near in ((0, above), (len(hunk.lines), below)) if near != ("",)]
    return with_context(hunk, _blank_line(rng), at=rng.choice(edges)) if edges else None


def blank_line_inside(hunk: Hunk, _: FileChange, rng: Random) -> Hunk | None:
    """A blank line that the file does not have between two lines of context."""
    between = [
        at
        for at in hunk.indexes[1:]
        if all(line.is_context and line.text.strip() for line in hunk.lines[at - 1 : at + 1])
    ]
    return with_context(hunk, _blank_line(rng), at=rng.choice(between)) if between else None


def _blank_line(rng: Random) -> Line:
    """Return a blank line of context, with or without the diff's space."""
    return Line(rng.choice((CONTEXT, BARE)), "")


def dropped_blank_line(hunk: Hunk, change: FileChange, rng: Random) -> Hunk | None:
    """A blank line of context left out, between lines that are not added."""
    return _drop(hunk, change, rng, beside=False)


def dropped_blank_line_beside(hunk: Hunk, change: FileChange, rng: Random) -> Hunk | None:
    """A blank line of context left out right before or after an added one."""
    return _drop(hunk, change, rng, beside=True)


def _drop(hunk: Hunk, change: FileChange, rng: Random, *, beside: bool) -> Hunk | None:
    able = [
        at
        for at in hunk.indexes[1:-1]
        if hunk.lines[at] == Line(CONTEXT, "")
        and beside == any(hunk.lines[near].prefix == ADDED for near in (at - 1, at + 1))
        and not any(hunk.lines[near] == Line(CONTEXT, "") for near in (at - 1, at + 1))
        and all(any(line.prefix != ADDED for line in part) for part in _parts(hunk, at))
    ]
    if not able:
        return None
    above, below = _parts(hunk, rng.choice(able))
    spoiled = hunk.with_lines(*above, *below)
    return None if places(spoiled.before, change.old) else spoiled


def _parts(hunk: Hunk, at: int) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    return hunk.lines[:at], hunk.lines[at + 1 :]


def eof_overhang(hunk: Hunk, change: FileChange, rng: Random) -> Hunk | None:
    """Short lines of context after the last line of the file, where there is none."""
    if hunk.start + len(hunk.before) != len(change.old):
        return None
    written = sum(bool(text.strip()) for text in hunk.before)
    count = min(rng.randint(1, 3), written - 1)  # more of the hunk is present than missing
    if count < 1:
        return None
    extra = [Line(CONTEXT, text) for text in rng.choices(_ENDINGS, k=count)]
    longer = with_context(hunk, *extra, at=len(hunk.lines))
    return replace(longer, at_end=rng.random() < 0.5)
