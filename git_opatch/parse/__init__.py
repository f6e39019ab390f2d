"""What models write, to a `Patch`: which family is it, and what does each section ask for?

A family is a module with two functions: `starts(cursor)`, whether its patch begins at
the cursor's line, and `parse(cursor)`, which takes the lines of one patch and gives its
sections. Several patches, also of several families, may stand in one text, in order.
"""

from __future__ import annotations

import hashlib
import re

from git_opatch.errors import Fault, ParseError
from git_opatch.parse import envelope, unified
from git_opatch.parse.frame import Cursor
from git_opatch.patch import FilePatch, Patch

_FAMILIES = (envelope, unified)

# Noise, of which there may be much, is told from patches before it is cut into lines.
_BEGINNING = re.compile(rb"(?m)^(?:@@|--- |diff --git |[ \t]*\*+ ?[ABDEMUabdemu])|\A\xef\xbb\xbf")


def parse_patch(text: bytes | str, *, source: str = "") -> Patch:
    """The patch in `text`; prose before, between and after patches is passed over.

    `source` is the name of the file that the text came from, for messages. Raises
    `ParseError` with all faults found (ten at most), or when there is no patch at all.
    """
    raw = _encoded(text, source) if isinstance(text, str) else text
    if not _BEGINNING.search(raw):
        raise ParseError([_no_patch(raw, source)])
    cursor = Cursor.over(raw, source)
    files: list[FilePatch] = []
    while not cursor.at_end:
        family = next((family for family in _FAMILIES if family.starts(cursor)), None)
        if family is None:
            _pass_over(cursor)
        else:
            files += family.parse(cursor)
    if not files and not cursor.faults:
        cursor.faults.append(_no_patch(raw, source))
    if cursor.faults:
        raise ParseError(cursor.faults)
    return Patch(tuple(files), hashlib.sha256(raw).hexdigest())


def _encoded(text: str, source: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        message = "the text holds half a surrogate pair, which is no character"
        raise ParseError([Fault(line, message, source)]) from None


def _pass_over(cursor: Cursor) -> None:
    """Take a line of prose; what can only be part of a patch is a fault here."""
    line = cursor.take()
    if envelope.is_like_begin(line):
        cursor.fault("a patch begins with a line that is just `*** Begin Patch`", cursor.number - 1)
        cursor.skip_until(lambda text: text.strip() in (envelope.BEGIN, envelope.END))
    elif envelope.is_marker(line):
        cursor.fault("no `*** Begin Patch` before this line; add one", cursor.number - 1)
        cursor.skip_until(lambda text: text.strip() == envelope.BEGIN)
    elif line.startswith(b"@@"):
        cursor.fault(
            "a hunk of no file; put `*** Update File: PATH` or `--- a/PATH` and "
            "`+++ b/PATH` before it",
            cursor.number - 1,
        )
        cursor.skip_until(lambda text: text.startswith((b"diff --git ", b"--- ", b"***")))


def _no_patch(raw: bytes, source: str) -> Fault:
    if not raw.strip():
        return Fault(0, "the input is empty: there is no patch to read", source)
    return Fault(
        0,
        "no patch found: expected a line `*** Begin Patch`, or `--- a/PATH` followed by "
        "`+++ b/PATH`",
        source,
    )
