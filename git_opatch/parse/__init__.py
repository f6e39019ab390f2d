"""Parse the text of a patch as models write it: any format, in any wrapper, between prose.

    text    := (prose | wrapper | patch)*
    patch   := of one format: envelope, unified diff, …     (a package each, see `formats`)
    wrapper := shell call | mail | JSON string, around a text       (`wrappers`, see `formats`)

Markdown fences are part of the prose. Patches of several formats may be in one text, in order.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Sequence
from types import NoneType

from git_opatch.model.arguments import typed
from git_opatch.model.errors import Diagnostic, ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import Mail, Patch, counted
from git_opatch.parse.between_patches import skip_prose
from git_opatch.parse.formats import (
    FORMATS,
    MARKS,
    NO_BEGINNING,
    NO_OBJECT,
    OPENING,
    beginning,
    find_format,
    parser_of,
    unwrap,
)
from git_opatch.parse.scanner import Scanner

_MAX_WRAPPERS = 8
"""A patch in more wrappers than this is not found."""

_LE, _BE = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_PROBE, _MIN_PROBE = 32, 4
_QUOTED = rb"(?m)^[ \t]*>[> \t]*" + OPENING
_ESCAPED = rb"(?:" + MARKS + rb"|\\n\+\+\+ [^\s\\]+)\\n"


@typed(patch_format=(Format, NoneType))
def parse_patch(
    text: bytes | str,
    *,
    patch_format: Format | None = None,
    source: str = "",
    recorded: bool = False,
) -> Patch:
    """Parse the patch in `text`; prose before, between and after patches is skipped.

    `patch_format` is the only format to look for; None means all. `source` is the name of the
    file that the text is from, for messages. `recorded` says that its blobs are known from
    elsewhere, so that a binary file may be without content, and the text of any size. Raises
    `ParseError` with all errors (ten at most), if there is no patch, or if it is too large (D180),
    and `TypeError` if `text` is neither `str` nor `bytes`.
    """
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"the text of a patch must be str or bytes, not {type(text).__name__}")
    raw = _encode(text, source) if isinstance(text, str) else _from_utf16(text)
    formats = [patch_format] if patch_format else list(FORMATS)
    scanner = Scanner.from_bytes(raw, source, recorded=recorded)
    _parse_text(scanner, formats, _MAX_WRAPPERS)
    if not scanner.sections and not scanner.diagnostics:
        scanner.diagnostics.append(_diagnose_no_patch(raw, source, patch_format))
    if scanner.diagnostics:
        raise ParseError(scanner.diagnostics)
    digest = hashlib.sha256(raw).hexdigest()
    return Patch(counted(scanner.sections), digest, _mails_with_patch(scanner))


def patch_of(patch: Patch | bytes | str) -> Patch:
    """Return `patch`, which may be its text. Raises as `parse_patch` does."""
    return patch if isinstance(patch, Patch) else parse_patch(patch)


def is_patch(text: bytes | str) -> bool:
    """Return whether `text`, after any blank lines, begins with a patch, without a wrapper."""
    scanner = Scanner.from_bytes(_encode(text, "") if isinstance(text, str) else text)
    scanner.skip_blank_lines()
    return not scanner.at_end and find_format(scanner, FORMATS) is not None


def _parse_text(scanner: Scanner, formats: Sequence[Format], depth: int) -> None:
    """Add all sections from the scanner on, in at most `depth` wrappers."""
    while not scanner.at_end:
        contents = unwrap(scanner) if depth else None
        if contents is not None:
            for content in contents:
                _parse_text(content, formats, depth - 1)
        elif (found := find_format(scanner, formats)) is not None:
            parser_of(found).parse(scanner)
        elif scanner.lines.made_for is not None:
            return
        else:
            skip_prose(scanner, formats)
            scanner.skip_to(beginning())


def _mails_with_patch(scanner: Scanner) -> tuple[Mail, ...]:
    """Return the mails that have a section, and so not a cover letter."""
    ends = [*(mail.first for mail in scanner.mails[1:]), len(scanner.sections)]
    mails = zip(scanner.mails, ends, strict=False)
    return tuple(mail for mail, end in mails if mail.first < end)


def _encode(text: str, source: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        message = "the text has half a surrogate pair, which is not a character"
        raise ParseError([Diagnostic(line, message, source)]) from None


def _from_utf16(raw: bytes) -> bytes:
    """Return UTF-16 text, as PowerShell's `>` writes it, in UTF-8; other bytes as they are.

    Without a byte-order mark it is UTF-16 if every second byte at its beginning is NUL, which no
    text in UTF-8 has.
    """
    beginning = raw[:_PROBE]
    is_le, is_be = (_is_nul(beginning[start::2]) for start in (1, 0))
    mark = _LE if is_le or raw.startswith(_LE) else _BE if is_be or raw.startswith(_BE) else b""
    if not mark:
        return raw
    try:
        return raw.removeprefix(mark).decode("utf-16-le" if mark == _LE else "utf-16-be").encode()
    except UnicodeError:
        return raw


def _is_nul(half: bytes) -> bool:
    return len(half) >= _MIN_PROBE and not half.strip(b"\0")


def _diagnose_no_patch(raw: bytes, source: str, patch_format: Format | None) -> Diagnostic:
    if not raw.strip():
        message = "the input is empty: there is no patch to read"
    elif patch_format:
        message = f"no patch of the format {patch_format.value} found{_find_other_format(raw)}"
    else:
        message = f"no patch found{_find_near_miss(raw) or NO_BEGINNING}"
    return Diagnostic(0, message, source)


def _find_other_format(raw: bytes) -> str:
    """Say which other format the text seems to have."""
    scanner = Scanner.from_bytes(raw)
    scanner.skip_to(beginning())
    while not scanner.at_end:
        if (found := find_format(scanner, FORMATS)) is not None:
            return f"; line {scanner.number} seems to begin one of {found.value}"
        scanner.take()
        scanner.skip_to(beginning())
    return ""


def _find_near_miss(raw: bytes) -> str:
    """Say why the text is not a patch, if it is nearly one."""
    if match := re.search(_ESCAPED, raw):
        number = raw.count(b"\n", 0, match.start()) + 1
        return f" (line {number} has `\\n` instead of a newline)"
    if match := re.search(_QUOTED, raw):
        number = raw.count(b"\n", 0, match.start()) + 1
        return f" (line {number} is quoted by `>`; send the patch without that prefix)"
    return NO_OBJECT if _is_json(raw) else ""


def _is_json(raw: bytes) -> bool:
    """Return whether the text is an object or an array in JSON."""
    if not raw.lstrip().startswith((b"{", b"[")):
        return False
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True
