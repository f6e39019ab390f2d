"""What models write, to a `Patch`: which family is it, and what does each section ask for?

    text ──open the frames──▶ lines of a patch ──its family──▶ sections

A family is a module with `HINT`, a pattern for the lines that its patches can begin with,
`starts(cursor)`, whether one does begin at the cursor's line, and `parse(cursor)`, which
takes the lines of one patch and gives its sections. A frame is a module with `HINT`, and
`opened(cursor)`, which takes what is framed and gives cursors over its content, or takes what
stands before it and gives none; None, and nothing taken, where no frame begins. Several patches,
of several families and in several frames, may stand in one text, in order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import ModuleType

from git_opatch.errors import Fault, ParseError
from git_opatch.options import Dialect
from git_opatch.parse import blocks, changes, envelope, operations, unified
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.frames import fence, mail, shell
from git_opatch.parse.unified import unread
from git_opatch.patch import Mail, Patch

_FAMILIES: dict[Dialect, ModuleType] = {
    Dialect.ENVELOPE: envelope,
    Dialect.UNIFIED: unified,
    Dialect.SEARCH_REPLACE: blocks,
    Dialect.FILE_CHANGES: changes,
    Dialect.OPERATIONS: operations,
}
_FRAMES: tuple[ModuleType, ...] = (operations, shell, mail)
_MOST_FRAMES = 8
"""A patch that is framed more deeply is not looked for."""

_LOST = rb"@@"
_HINTS = [module.HINT for module in (*_FAMILIES.values(), *_FRAMES, fence, unread)]
# Prose, of which there may be much, is told from patches before it is cut into lines.
_BEGINNING = re.compile(rb"(?m)^[ \t]*(?:" + rb"|".join([_LOST, *_HINTS]) + rb")")


def parse_patch(text: bytes | str, *, dialect: Dialect | None = None, source: str = "") -> Patch:
    """The patch in `text`; prose before, between and after patches is passed over.

    `dialect` is the one family to look for; None is all. `source` is the name of the file that
    the text came from, for messages. Raises `ParseError` with all faults found (ten at most),
    or when there is no patch at all.
    """
    raw = _encoded(text, source) if isinstance(text, str) else text
    families = [_FAMILIES[dialect]] if dialect else list(_FAMILIES.values())
    cursor = Cursor.over(raw, source)
    _read(cursor, families, _MOST_FRAMES)
    if not cursor.sections and not cursor.faults:
        cursor.faults.append(_no_patch(raw, source, dialect))
    if cursor.faults:
        raise ParseError(cursor.faults)
    digest = hashlib.sha256(raw).hexdigest()
    return Patch(tuple(cursor.sections), digest, tuple(_covering(cursor)))


def _covering(cursor: Cursor) -> list[Mail]:
    """The mails that bring a section; a cover letter does not."""
    ends = [*(mail.first for mail in cursor.mails[1:]), len(cursor.sections)]
    return [mail for mail, end in zip(cursor.mails, ends, strict=False) if mail.first < end]


def is_patch(text: bytes | str) -> bool:
    """Whether `text`, after any blank lines, begins with a patch, and with nothing round it."""
    cursor = Cursor.over(_encoded(text, "") if isinstance(text, str) else text)
    cursor.skip_blank()
    return not cursor.at_end and any(one.starts(cursor) for one in _FAMILIES.values())


def _encoded(text: str, source: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        message = "the text holds half a surrogate pair, which is no character"
        raise ParseError([Fault(line, message, source)]) from None


def _read(cursor: Cursor, families: Sequence[ModuleType], depth: int) -> None:
    """Note on the cursor all sections from it on, of these families, in up to `depth` frames."""
    while not cursor.at_end:
        contents = _opened(cursor) if depth else None
        if contents is not None:
            for content in contents:
                _read(content, families, depth - 1)
            continue
        family = next((family for family in families if family.starts(cursor)), None)
        if family is not None:
            found, own = family.parse(cursor), cursor.directory
            cursor.sections += [replace(one, directory=own) for one in found] if own else found
        else:
            _pass_over(cursor)
            cursor.skip_to(_BEGINNING)


def _opened(cursor: Cursor) -> Iterable[Cursor] | None:
    for frame in _FRAMES:
        contents: Iterable[Cursor] | None = frame.opened(cursor)
        if contents is not None:
            return contents
    return None


def _pass_over(cursor: Cursor) -> None:
    """Take a line of prose; what can only be part of a patch is a fault here."""
    if fence.pass_fence(cursor) or unread.refuse(cursor):
        return
    line = cursor.take()
    if envelope.is_marker(line):
        message = "no `*** Begin Patch` before this line; add one"
        cursor.fault(message, cursor.previous, corrected=b"*** Begin Patch")
        cursor.skip_until(envelope.starts_with)
    elif line.startswith(_LOST):
        cursor.fault(
            "a hunk of no file; put `*** Update File: PATH` or `--- a/PATH` and "
            "`+++ b/PATH` before it",
            cursor.previous,
        )
        cursor.skip_until(lambda text: text.startswith((b"diff --git ", b"--- ", b"***")))


def _no_patch(raw: bytes, source: str, dialect: Dialect | None) -> Fault:
    if not raw.strip():
        return Fault(0, "the input is empty: there is no patch to read", source)
    if dialect:
        return Fault(0, f"no patch of the dialect {dialect.value} found", source)
    return Fault(
        0,
        "no patch found: expected a line `*** Begin Patch` or `<FILE_CHANGES>`, `--- a/PATH` and "
        "`+++ b/PATH` below it, or `<<<<<<< SEARCH` below a path",
        source,
    )
