"""What models write, to a `Patch`: which family is it, and what does each section ask for?

    text ──open the frames──▶ lines of a patch ──its family──▶ sections

A form is a family or a frame: a package with `HINT`, a pattern for the lines that it can begin
with, and `reading`, which is imported where a line looks like it. A family's has
`starts(cursor)`, whether a patch does begin at the cursor's line, and `parse(cursor)`, which
takes the lines of one patch and notes its sections. A frame's has `opened(cursor)`, which takes
what is framed and gives cursors over its content, or takes what stands before it and gives none;
None, and nothing taken, where no frame begins. Several patches, of several families and in several
frames, may stand in one text, in order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import ModuleType

from git_opatch.errors import Fault, Fix, ParseError
from git_opatch.options import Dialect
from git_opatch.parse import blocks, changes, envelope, operations, unified
from git_opatch.parse.cursor import Cursor
from git_opatch.parse.frames import fence, mail, shell
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
_LOOSE = (unified.HINT, fence.HINT, unified.UNREAD)
"""Hints of what has half of a diff's header, or none of it."""
_FORMS = dict.fromkeys((*_FAMILIES.values(), *_FRAMES))  # one is a family and a frame
_HINTS = [*(form.HINT for form in _FORMS), fence.HINT, unified.UNREAD]
# Prose, of which there may be much, is told from patches before it is cut into lines.
_BEGINNING = rb"(?m)^[ \t]*(?:" + rb"|".join([_LOST, *_HINTS]) + rb")"

_NAMED = (
    rb"[ \t]*(?:"
    + rb"|".join([_LOST, rb"diff --git ", *(hint for hint in _HINTS if hint not in _LOOSE)])
    + rb")"
)
"""What says, in a fence, that more than a diff without names is there."""
_DIFF_BLOCK = rb"(?i)[ \t]*(?:`{3,}|~{3,})[ \t]*(?:u?diff|patch)\b"

_FIRST = rb"\*\*\* Begin Patch|<FILE_CHANGES>|diff --git |--- \S|<<<<<<< SEARCH"
_QUOTED = rb"(?m)^[ \t]*>[> \t]*(?:" + _FIRST + rb")"
_ESCAPED = rb"(?:\*\*\* Begin Patch|<FILE_CHANGES>|<<<<<<< SEARCH|\\n\+\+\+ [^\s\\]+)\\n"


def parse_patch(
    text: bytes | str, *, dialect: Dialect | None = None, source: str = "", recorded: bool = False
) -> Patch:
    """The patch in `text`; prose before, between and after patches is passed over.

    `dialect` is the one family to look for; None is all. `source` is the name of the file that
    the text came from, for messages; `recorded` is whether its blobs are known from elsewhere, so
    that a binary file need not show what it holds. Raises `ParseError` with all faults found (ten
    at most), or when there is no patch at all.
    """
    raw = _encoded(text, source) if isinstance(text, str) else text
    families = [_FAMILIES[dialect]] if dialect else list(_FAMILIES.values())
    cursor = Cursor.over(raw, source)
    cursor.recorded = recorded
    _read(cursor, families, _MOST_FRAMES)
    if not cursor.sections and not cursor.faults:
        cursor.faults.append(_no_patch(raw, source, dialect))
    if cursor.faults:
        raise ParseError(cursor.faults)
    digest = hashlib.sha256(raw).hexdigest()
    return Patch(cursor.sections.values(), digest, tuple(_covering(cursor)))


def _covering(cursor: Cursor) -> list[Mail]:
    """The mails that bring a section; a cover letter does not."""
    ends = [*(mail.first for mail in cursor.mails[1:]), len(cursor.sections)]
    return [mail for mail, end in zip(cursor.mails, ends, strict=False) if mail.first < end]


def is_patch(text: bytes | str) -> bool:
    """Whether `text`, after any blank lines, begins with a patch, and with nothing round it."""
    cursor = Cursor.over(_encoded(text, "") if isinstance(text, str) else text)
    cursor.skip_blank()
    return not cursor.at_end and _starting(cursor, _FAMILIES.values()) is not None


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
        family = _starting(cursor, families)
        if family is not None:
            _reading(family).parse(cursor)
        else:
            _pass_over(cursor, families)
            cursor.skip_to(re.compile(_BEGINNING))


def _opened(cursor: Cursor) -> Iterable[Cursor] | None:
    for frame in _alike(cursor, _FRAMES):
        contents: Iterable[Cursor] | None = _reading(frame).opened(cursor)
        if contents is not None:
            return contents
    return None


def _starting(cursor: Cursor, families: Iterable[ModuleType]) -> ModuleType | None:
    """Which of the families a patch is that begins at the cursor; None if none does."""
    alike = _alike(cursor, families)
    return next((family for family in alike if _reading(family).starts(cursor)), None)


def _alike(cursor: Cursor, forms: Iterable[ModuleType]) -> Iterator[ModuleType]:
    """The forms that what stands at the cursor looks like, as it is framed or without that."""
    start, framed = cursor.lines.offset(cursor.at), cursor.dedent is not None
    for form in forms:
        hint = _hint(form)
        if hint.match(cursor.lines.raw, start) or (framed and hint.match(cursor.line + b"\n")):
            yield form


@cache
def _hint(form: ModuleType) -> re.Pattern[bytes]:
    return re.compile(rb"[ \t\r\f\v]*(?:" + form.HINT + rb")")


# Each takes as long to import as a small patch to read, and a text has one or two.
@cache
def _reading(form: ModuleType) -> ModuleType:
    return import_module(f"{form.__name__}.reading")


def _pass_over(cursor: Cursor, families: Sequence[ModuleType]) -> None:
    """Take a line of prose; what can only be part of a patch of `families` is a fault here."""
    number, line = cursor.number, cursor.line
    diffs, envelopes = unified in families, envelope in families
    if fence.pass_fence(cursor):
        if diffs and cursor.fence and re.match(_DIFF_BLOCK, line):
            _refuse_nameless(cursor, number)
        return
    if diffs and _refuse_unread(cursor):
        return
    is_marker, is_begin = _reading(envelope).is_marker, _reading(envelope).starts_with
    if envelopes and not diffs and _starting(cursor, [unified]):
        cursor.skip_until(lambda line: line[:1] == b"*" and (is_begin(line) or is_marker(line)))
        return
    cursor.take()
    if envelopes and is_marker(line):
        message = "no `*** Begin Patch` before this line; add one"
        begin, fix = b"*** Begin Patch", Fix.INSERT_BEFORE
        cursor.fault(message, number, corrected=begin, fix=fix)
        cursor.skip_until(is_begin)
    elif (diffs or envelopes) and line.startswith(_LOST):
        before = (
            "`--- a/PATH` and `+++ b/PATH`"
            if diffs
            else "`*** Begin Patch` and `*** Update File: PATH`"
        )
        cursor.fault(f"a hunk of no file; put {before} before it", number)
        cursor.skip_until(lambda text: text.startswith((b"diff --git ", b"--- ", b"***")))


def _refuse_unread(cursor: Cursor) -> bool:
    from git_opatch.parse.unified.unread import refuse

    return refuse(cursor)


def _refuse_nameless(cursor: Cursor, number: int) -> None:
    """Take a diff in a fence that does not say of which file it is, which is a fault.

    Nothing is taken where anything in the fence does, or where it holds no change.
    """
    from git_opatch.parse.header import names_at

    ahead, changed = replace(cursor), False
    while not ahead.at_end and not fence.is_fence(ahead, ahead.line):
        if re.match(_NAMED, ahead.line) or names_at(ahead) is not None:
            return
        changed = changed or ahead.line.startswith((b"+", b"-"))
        ahead.take()
    if changed:
        message = (
            "this diff names no file; write `--- a/PATH`, `+++ b/PATH` and `@@` below this line"
        )
        cursor.fault(message, number)
        cursor.at = ahead.at


def _no_patch(raw: bytes, source: str, dialect: Dialect | None) -> Fault:
    if not raw.strip():
        return Fault(0, "the input is empty: there is no patch to read", source)
    if dialect:
        return Fault(0, f"no patch of the dialect {dialect.value} found{_other(raw)}", source)
    return Fault(
        0,
        "no patch found: expected a line `*** Begin Patch` or `<FILE_CHANGES>`, `--- a/PATH` and "
        f"`+++ b/PATH` below it, or `<<<<<<< SEARCH` below a path{_near(raw)}",
        source,
    )


def _other(raw: bytes) -> str:
    """What the text seems to be instead: the first form, of all, that begins in it."""
    cursor, beginning = Cursor.over(raw), re.compile(_BEGINNING)
    cursor.skip_to(beginning)
    while not cursor.at_end:
        if (family := _starting(cursor, _FAMILIES.values())) is not None:
            dialect = next(name for name, one in _FAMILIES.items() if one is family)
            return f"; line {cursor.number} seems to begin one of {dialect.value}"
        cursor.take()
        cursor.skip_to(beginning)
    return ""


def _near(raw: bytes) -> str:
    """What keeps the text from being a patch, if it is nearly one."""
    if match := re.search(_ESCAPED, raw):
        number = raw.count(b"\n", 0, match.start()) + 1
        return f" (line {number} holds `\\n` where a newline belongs)"
    if match := re.search(_QUOTED, raw):
        number = raw.count(b"\n", 0, match.start()) + 1
        return f" (line {number} is quoted by `>`; send the patch without that mark)"
    return ""
