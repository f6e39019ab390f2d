"""A case to the text of a patch, in the dialect that a tool reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import forms
import manners
from model import (
    ADDED,
    REMOVED,
    ROOT,
    Case,
    Dialect,
    Form,
    Frame,
    Header,
    Hunk,
    Line,
    Section,
    Slip,
)

BARE_ENVELOPE = Dialect(Form.ENVELOPE, Header.BARE)
ANCHORED_ENVELOPE = Dialect(Form.ENVELOPE, Header.ANCHOR)
BARE_DIFF = Dialect(Form.UNIFIED, Header.BARE)
RIGHT_DIFF = Dialect(Form.UNIFIED, Header.RIGHT)
INVENTED_DIFF = Dialect(Form.UNIFIED, Header.INVENTED)

ALL = (BARE_ENVELOPE, ANCHORED_ENVELOPE, BARE_DIFF, RIGHT_DIFF, INVENTED_DIFF)
NUMBERLESS = (BARE_ENVELOPE, BARE_DIFF)
CHANGES = Dialect(Form.CHANGES, Header.BARE)
BLOCKS = Dialect(Form.BLOCKS, Header.BARE)
OPERATIONS = Dialect(Form.OPERATIONS, Header.BARE)
_FORMS = {
    Form.CHANGES: forms.changes,
    Form.BLOCKS: forms.blocks,
    Form.OPERATIONS: forms.operations,
}


def framed(frame: Frame) -> tuple[Dialect, ...]:
    """The dialects that are written in such a frame."""
    able = (BARE_ENVELOPE, ANCHORED_ENVELOPE) if frame is Frame.HEREDOC else ALL
    return tuple(replace(dialect, frame=frame) for dialect in able)


def slipped(slip: Slip) -> tuple[Dialect, ...]:
    """The dialects in which such a slip can be made."""
    able = {
        Slip.COUNTS: (RIGHT_DIFF,),
        Slip.PREFIXES: (BARE_DIFF, INVENTED_DIFF),
        Slip.GRAMMAR: (BARE_ENVELOPE, ANCHORED_ENVELOPE, BARE_DIFF, INVENTED_DIFF),
    }
    return tuple(replace(dialect, slip=slip) for dialect in able[slip])


def render(case: Case, dialect: Dialect) -> str:
    """The patch of `case` in this dialect; the same text each time."""
    rng = Random(case.name + case.commit.id)
    sections = case.draft.sections
    if dialect.form is Form.ENVELOPE:
        body = [line for one in sections for line in _envelope(one, dialect)]
        lines = ["*** Begin Patch", *body, "*** End Patch"]
    elif dialect.form is Form.UNIFIED:
        lines = [line for one in sections for line in _unified(one, dialect, rng)]
    else:
        lines = list(_FORMS[dialect.form](sections))
    written = manners.framed(manners.slipped(lines, dialect.slip, rng), dialect.frame, rng)
    return "".join(line + "\n" for line in written)


def _envelope(section: Section, dialect: Dialect) -> Iterator[str]:
    yield f"*** Update File: {section.path}"
    for hunk in section.hunks:
        yield _words(hunk, dialect)
        yield from (line.mark + line.text for line in hunk.lines)
        if hunk.at_end:
            yield "*** End of File"


def _unified(section: Section, dialect: Dialect, rng: Random) -> Iterator[str]:
    absolute = section.path.startswith(ROOT)
    if dialect.header is Header.RIGHT and not absolute:  # as git itself writes it
        yield f"diff --git a/{section.path} b/{section.path}"
    yield "--- " + ("" if absolute else "a/") + section.path
    yield "+++ " + ("" if absolute else "b/") + section.path
    drift = 0
    for hunk in section.hunks:
        removed, added = _count(hunk.lines, REMOVED), _count(hunk.lines, ADDED)
        kept = len(hunk.lines) - removed - added
        if dialect.header is Header.RIGHT:
            yield _numbers(hunk.start, kept + removed, hunk.start + drift, kept + added)
        elif dialect.header is Header.INVENTED:
            yield _invented(kept + removed, kept + added, rng)
        else:
            yield _words(hunk, dialect)
        drift += added - removed
        for line in hunk.lines:
            yield line.mark + line.text
            if not line.newline:
                yield "\\ No newline at end of file"


def _words(hunk: Hunk, dialect: Dialect) -> str:
    return f"@@ {hunk.anchor}".rstrip() if dialect.header is Header.ANCHOR else "@@"


def _count(lines: Sequence[Line], mark: str) -> int:
    return sum(line.mark == mark for line in lines)


def _numbers(start: int, count: int, new_start: int, new_count: int) -> str:
    return (
        f"@@ -{start + (count > 0)},{count} +{max(new_start, 0) + (new_count > 0)},{new_count} @@"
    )


def _invented(count: int, new_count: int, rng: Random) -> str:
    """Numbers as models make them up: the start always, the counts now and then."""
    start, slip = rng.randrange(400), rng.choice((0, 0, 1, 2))
    return _numbers(start, count + slip, start + rng.randrange(3), new_count + slip)
