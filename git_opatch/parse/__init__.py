"""Parse the text of a patch as models write it: any format, in any wrapper, between prose.

    text    := (prose | wrapper | patch)*
    patch   := of one format: envelope, unified diff, …     (a module each, see `formats`)
    wrapper := shell call | mail | JSON | indentation, around a text

Markdown fences are part of the prose. Patches of several formats may be in one text, in order.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

from git_opatch.model.arguments import require_type
from git_opatch.model.errors import Diagnostic, ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import Hunk, Mail, Patch, Prefix, counted
from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import (
    MARKS,
    OPENING,
    PATCH,
    beginning,
    find_format,
    find_patch,
    glued_end,
    parser_of,
    unwrap,
)
from git_opatch.parse.prose import skip_prose
from git_opatch.parse.scanner import Found, Lines, Scanner, numbers_in_string

_MAX_WRAPPERS = 8
"""A patch in more wrappers than this is not found."""

_PROBE, _MIN_PROBE = 32, 4
_ESCAPED = rb"(?:" + MARKS + rb"|\\n\+\+\+ [^\s\\]+)\\n"
_ESCAPED_LINE = re.compile(rb"(?m)^[ \t]*((?:" + OPENING + rb"|--- [^\s\\]+)[^\n]*\\n[^\n]*)$")
_COLOUR = re.compile(rb"\x1b\[[\d;]*[mK]")
_COLOURED = re.compile(rb"(?m)^(?:\x1b\[[\d;]*[mK])+" + PATCH)
_CARET = b"^M"
_CARET_NOTE = "`^M`, as programs show a carriage return, was left out at the ends of lines"
_ESCAPED_NOTE = r"the text was escaped: `\n` was read as a newline"
_NEAR_MISSES = (
    (Malformed.ESCAPED_NEWLINES, _ESCAPED),
    (Malformed.HEADER_IN_ONE_LINE, rb"(?m)^--- [^\n]+\+\+\+ [^\n]+"),
    (Malformed.EMPTY_CALL, rb'"(?:arguments|input|tool_input)"\s*+:\s*+"?\{\s*\}'),
    (Malformed.QUOTED, rb"(?m)^[ \t]*>[> \t]*" + OPENING),
    (Malformed.IMAGE, rb"\A(?:\x89PNG|\xff\xd8\xff|GIF8)|\bdata:image/"),
    (Malformed.BINARY_STUB, rb"(?m)^Binary files [^\n]+ differ$"),
    (
        Malformed.HASHLINES,
        rb"(?m)^(?:SWAP|DEL|INS\.(?:PRE|POST|HEAD|TAIL)|REM|MV)\b[ \t\d.=]*:?|^\[[^\]\n]+#\w+\]$"
        rb"|\"name_path\"|^[ \t]*<(?:str_replace|remove_str|insert|create_file)\s[^>\n]*?path=",
    ),
)
"""What a text without a patch may be, by a line that shows it."""


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
    if patch_format is not None:
        require_type("patch_format", patch_format, Format)
    raw = _encode(text, source) if isinstance(text, str) else _from_utf16(text)
    scanner = Scanner.from_bytes(raw, source, recorded=recorded)
    found = scanner.found
    found.formats = [patch_format] if patch_format else found.formats
    _parse_text(scanner, _MAX_WRAPPERS)
    if not found.sections and not found.diagnostics:
        _parse_escaped(scanner)
    if not found.sections and not recorded and _COLOURED.search(raw):
        patch = parse_patch(_COLOUR.sub(b"", raw), patch_format=patch_format, source=source)
        return patch._replace(notes=(*patch.notes, "the colours of a terminal were left out"))
    if found.drafts and not found.sections and not found.diagnostics:
        found.diagnostics.append(Diagnostic(found.drafts[0], Malformed.ONLY_DRAFT, {}, source))
    if not found.sections and not found.diagnostics:
        found.diagnostics.append(_diagnose_no_patch(raw, source, patch_format))
    if not recorded:
        _report_glued(scanner)
        if _CARET + b"\n" in raw:
            _leave_out_carets(found)
    if found.diagnostics:
        raise ParseError(found.diagnostics)
    digest = hashlib.sha256(raw).hexdigest()
    ends = [*(mail.first for mail in found.mails[1:]), len(found.sections)]
    mails = zip(found.mails, ends, strict=False)  # a cover letter has no section
    with_patch: tuple[Mail, ...] = tuple(mail for mail, end in mails if mail.first < end)
    notes = [f"the patch in the draft at line {number} was skipped" for number in found.drafts]
    return Patch(counted(found.sections), digest, with_patch, notes=(*notes, *found.notes))


def patch_of(patch: Patch | bytes | str) -> Patch:
    """Return `patch`, which may be its text. Raises as `parse_patch` does."""
    return patch if isinstance(patch, Patch) else parse_patch(patch)


def is_patch(text: bytes | str) -> bool:
    """Return whether `text`, after any blank lines, begins with a patch, without a wrapper."""
    scanner = Scanner.from_bytes(_encode(text, "") if isinstance(text, str) else text)
    scanner.skip_blank_lines()
    return not scanner.at_end and find_format(scanner) is not None


def _parse_text(scanner: Scanner, depth: int) -> None:
    """Add all sections from the scanner on, in at most `depth` wrappers."""
    while not scanner.at_end:
        contents = unwrap(scanner) if depth else None
        if contents is not None:
            for content in contents:
                _parse_text(content, depth - 1)
        elif (found := find_format(scanner, scanner.found.formats)) is not None:
            parser_of(found).parse(scanner)
        else:
            skip_prose(scanner)
            scanner.skip_to(beginning())


def _report_glued(scanner: Scanner) -> None:
    """Report a last line that is added, and has the end of the patch, or of the answer, behind it.

    Where another line of the hunk has that, too, it is content.
    """
    for section in scanner.found.sections:
        lines = section.hunks[-1].lines if section.hunks else ()
        if not lines or lines[-1].prefix is not Prefix.ADDED or section.hunks[-1].replacement:
            continue
        text, number = lines[-1].text, lines[-1].number
        match = glued_end(text)
        if match and not any(match[1] in line.text for line in lines[:-1]):
            prefix = b"+" * (b"+" + text in scanner.lines.raw)
            corrected = prefix + text[: match.start()]
            scanner.error(Malformed.GLUED, number, corrected=corrected, text=text, end=match[1])


def _parse_escaped(scanner: Scanner) -> None:
    r"""Add the sections of a patch that is on one line, as in a JSON string without its quotes.

    Nothing else of the text can be a patch. All of it was escaped alike, so it is read as `json`
    reads a string; a note says so.
    """
    raw = scanner.lines.raw
    match = _ESCAPED_LINE.search(raw) if b"\\n" in raw else None
    if match is None or len(_ESCAPED_LINE.findall(raw)) > 1:
        return
    try:
        text = json.loads(b'"' + match[1].rstrip(b"\r") + b'"', strict=False).encode()
    except ValueError:
        return
    number = scanner.lines.number(scanner.lines.at_offset(match.start()))
    lines = Lines(text, numbers_in_string(number, match.start(), "the text"))
    _parse_text(scanner.nested(lines), _MAX_WRAPPERS)
    if scanner.found.sections:
        scanner.found.notes.append(_ESCAPED_NOTE)


def _leave_out_carets(found: Found) -> None:
    """Remove `^M` at the ends of the lines of each hunk whose changed lines all end so: the line
    endings are the file's."""
    before = [*found.sections]
    for at, section in enumerate(before):
        hunks = tuple(map(_without_carets, section.hunks))
        found.sections[at] = section._replace(hunks=hunks)
    if found.sections != before:
        found.notes.append(_CARET_NOTE)


def _without_carets(hunk: Hunk) -> Hunk:
    changed = [line for line in hunk.lines if line.prefix is not Prefix.CONTEXT]
    if not changed or not all(line.text.endswith(_CARET) for line in changed):
        return hunk
    lines = [line._replace(text=line.text.removesuffix(_CARET)) for line in hunk.lines]
    return replace(hunk, lines=tuple(lines))


def _encode(text: str, source: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ParseError([Diagnostic(line, Malformed.HALF_PAIR_IN_TEXT, {}, source)]) from None


def _from_utf16(raw: bytes) -> bytes:
    """Return UTF-16 text, as PowerShell's `>` writes it, in UTF-8; other bytes as they are.

    Without a byte-order mark it is UTF-16 if every second byte at its beginning is NUL, which no
    text in UTF-8 has.
    """
    if b"\0" not in raw[:_PROBE] and raw[:1] not in (b"\xff", b"\xfe"):
        return raw  # and no codec is imported
    for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        mark, half = "\ufeff".encode(encoding), raw[first:_PROBE:2]
        if raw.startswith(mark) or (len(half) >= _MIN_PROBE and not half.strip(b"\0")):
            try:
                return raw.removeprefix(mark).decode(encoding).encode()
            except UnicodeError:
                break
    return raw


def _diagnose_no_patch(raw: bytes, source: str, patch_format: Format | None) -> Diagnostic:
    """Say that there is no patch, and what the text seems to be instead."""
    if not raw.strip():
        return Diagnostic(0, Malformed.EMPTY_INPUT, {}, source)
    if patch_format:
        values: dict[str, object] = {"format": patch_format.value}
        scanner = Scanner.from_bytes(raw, recorded=True)
        if (found := find_patch(scanner)) is not None:
            values |= {"first": scanner.number, "other": found.value}
            return Diagnostic(0, Malformed.OTHER_FORMAT, values, source)
        return Diagnostic(0, Malformed.NO_PATCH_OF_FORMAT, values, source)
    for fault, pattern in _NEAR_MISSES:
        if match := re.search(pattern, raw):
            values = {"first": raw.count(b"\n", 0, match.start()) + 1}
            return Diagnostic(0, fault, values, source)
    return Diagnostic(0, Malformed.NO_OBJECT if _is_json(raw) else Malformed.NO_PATCH, {}, source)


def _is_json(raw: bytes) -> bool:
    """Return whether the text is an object or an array in JSON."""
    try:
        return isinstance(json.loads(raw), (dict, list))
    except (ValueError, RecursionError):
        return False
