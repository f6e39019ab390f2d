"""Render a case as the text of a patch, in the style that a tool reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import formats
import manners
from model import (
    ADDED,
    REMOVED,
    ROOT,
    Case,
    Format,
    Header,
    Hunk,
    Line,
    Section,
    Slip,
    Style,
    Wrapper,
)

BARE_ENVELOPE = Style(Format.ENVELOPE, Header.BARE)
ANCHORED_ENVELOPE = Style(Format.ENVELOPE, Header.ANCHOR)
BARE_DIFF = Style(Format.UNIFIED, Header.BARE)
RIGHT_DIFF = Style(Format.UNIFIED, Header.RIGHT)
INVENTED_DIFF = Style(Format.UNIFIED, Header.INVENTED)

ALL = (BARE_ENVELOPE, ANCHORED_ENVELOPE, BARE_DIFF, RIGHT_DIFF, INVENTED_DIFF)
NUMBERLESS = (BARE_ENVELOPE, BARE_DIFF)
CHANGES = Style(Format.CHANGES, Header.BARE)
BLOCKS = Style(Format.BLOCKS, Header.BARE)
OPERATIONS = Style(Format.OPERATIONS, Header.BARE)
STRINGS = Style(Format.STRINGS, Header.BARE)
_FORMATS = {
    Format.CHANGES: formats.changes,
    Format.BLOCKS: formats.blocks,
    Format.OPERATIONS: formats.operations,
    Format.STRINGS: formats.strings,
}


def wrapped(wrapper: Wrapper) -> tuple[Style, ...]:
    """Return the styles that can be written in this wrapper."""
    able = (BARE_ENVELOPE, ANCHORED_ENVELOPE) if wrapper is Wrapper.HEREDOC else ALL
    return tuple(replace(style, wrapper=wrapper) for style in able)


def slipped(slip: Slip) -> tuple[Style, ...]:
    """Return the styles in which this slip can be made."""
    able = {
        Slip.COUNTS: (RIGHT_DIFF,),
        Slip.PREFIXES: (BARE_DIFF, INVENTED_DIFF),
        Slip.GRAMMAR: (BARE_ENVELOPE, ANCHORED_ENVELOPE, BARE_DIFF, INVENTED_DIFF),
    }
    return tuple(replace(style, slip=slip) for style in able[slip])


def render(case: Case, style: Style) -> str:
    """Return the patch of `case` in this style; the same text each time."""
    rng = Random(case.name + case.commit.id)
    sections = case.draft.sections
    if style.patch_format is Format.ENVELOPE:
        body = [line for section in sections for line in _envelope(section, style)]
        lines = ["*** Begin Patch", *body, "*** End Patch"]
    elif style.patch_format is Format.UNIFIED:
        lines = [line for section in sections for line in _unified(section, style, rng)]
    else:
        lines = list(_FORMATS[style.patch_format](sections))
    written = manners.wrapped(manners.slipped(lines, style.slip, rng), style.wrapper, rng)
    return "".join(line + "\n" for line in written)


def _envelope(section: Section, style: Style) -> Iterator[str]:
    yield f"*** Update File: {section.path}"
    for hunk in section.hunks:
        yield _words(hunk, style)
        yield from (line.prefix + line.text for line in hunk.lines)
        if hunk.at_end:
            yield "*** End of File"


def _unified(section: Section, style: Style, rng: Random) -> Iterator[str]:
    absolute = section.path.startswith(ROOT)
    if style.header is Header.RIGHT and not absolute:  # as git itself writes it
        yield f"diff --git a/{section.path} b/{section.path}"
    yield "--- " + ("" if absolute else "a/") + section.path
    yield "+++ " + ("" if absolute else "b/") + section.path
    drift = 0
    for hunk in section.hunks:
        removed, added = _count(hunk.lines, REMOVED), _count(hunk.lines, ADDED)
        kept = len(hunk.lines) - removed - added
        if style.header is Header.RIGHT:
            yield _numbers(hunk.start, kept + removed, hunk.start + drift, kept + added)
        elif style.header is Header.INVENTED:
            yield _invented(kept + removed, kept + added, rng)
        else:
            yield _words(hunk, style)
        drift += added - removed
        for line in hunk.lines:
            yield line.prefix + line.text
            if not line.newline:
                yield "\\ No newline at end of file"


def _words(hunk: Hunk, style: Style) -> str:
    return f"@@ {hunk.anchor}".rstrip() if style.header is Header.ANCHOR else "@@"


def _count(lines: Sequence[Line], prefix: str) -> int:
    return sum(line.prefix == prefix for line in lines)


def _numbers(start: int, count: int, new_start: int, new_count: int) -> str:
    return (
        f"@@ -{start + (count > 0)},{count} +{max(new_start, 0) + (new_count > 0)},{new_count} @@"
    )


def _invented(count: int, new_count: int, rng: Random) -> str:
    """Return invented numbers: the start is always invented, the counts sometimes."""
    start, slip = rng.randrange(400), rng.choice((0, 0, 1, 2))
    return _numbers(start, count + slip, start + rng.randrange(3), new_count + slip)
