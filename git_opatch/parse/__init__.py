"""Read the text of a patch as models write it: any format, in any wrapper, between prose.

    text    := (prose | wrapper | patch)*
    patch   := of one format: envelope, unified diff, …      (rows of the table in `grammar`)
    wrapper := draft | JSON | call | indentation | shell | mail, around a text

Markdown fences are part of the prose. Patches of several formats may be in one text, in order.
"""

from __future__ import annotations

import hashlib
import json
import re

from git_opatch.model.errors import Diagnostic, ParseError
from git_opatch.model.options import Format, require_type
from git_opatch.model.patch import Patch, Prefix, counted
from git_opatch.model.sentences import Malformed
from git_opatch.parse import grammar
from git_opatch.parse.names import names_at
from git_opatch.parse.text import Scanner, in_string

_ESCAPED = re.compile(rb"(?m)^[ \t]*((?:" + grammar.OPENS + rb"|--- [^\s\\]+)[^\n]*\\n[^\n]*)$")
_NEAR_MISSES = (
    (Malformed.ESCAPED_NEWLINES, rb"(?:" + grammar.MARKS + rb"|\\n\+\+\+ [^\s\\]+)\\n"),
    (Malformed.HEADER_IN_ONE_LINE, rb"(?m)^--- [^\n]+\+\+\+ [^\n]+"),
    (Malformed.EMPTY_CALL, rb'"(?:arguments|input|tool_input)"\s*+:\s*+"?\{\s*\}'),
    (Malformed.QUOTED, rb"(?m)^[ \t]*>[> \t]*(?:" + grammar.OPENS + rb")"),
    (Malformed.IMAGE, rb"\A(?:\x89PNG|\xff\xd8\xff|GIF8)|\bdata:image/"),
    (Malformed.BINARY_STUB, rb"(?m)^Binary files [^\n]+ differ$"),
    (
        Malformed.HASHLINES,
        rb"(?m)^(?:SWAP|DEL|INS\.(?:PRE|POST|HEAD|TAIL)|REM|MV)\b[ \t\d.=]*:?|^\[[^\]\n]+#\w+\]$"
        rb"|\"name_path\"|^[ \t]*<(?:str_replace|remove_str|insert|create_file)\s[^>\n]*?path=",
    ),
)
"""What a text without a patch may be, by a line that shows it."""
_MAX_UNREAD = 10
_DIFF_FENCE = re.compile(rb"(?i)[ \t]*(?:`{3,}|~{3,})[ \t]*(?:u?diff|patch)\b")


def parse_patch(
    text: bytes | str,
    *,
    patch_format: Format | None = None,
    source: str = "",
    recorded: bool = False,
    wrapped: bool = True,
) -> Patch:
    """Parse the patch in `text`; prose before, between and after patches is skipped.

    `patch_format` is the only format to look for; None means all. `source` is the name of the
    file that the text is from, for messages. Unless it is `wrapped`, a patch in something else,
    such as an indented one, is prose. `recorded` says that its blobs are known from
    elsewhere, so that a binary file may be without content, and the text of any size. Raises
    `ParseError` with all errors (ten at most), if there is no patch, or if it is too large (D180),
    and `TypeError` if `text` is neither `str` nor `bytes`.
    """
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"the text of a patch must be str or bytes, not {type(text).__name__}")
    if patch_format is not None:
        require_type("patch_format", patch_format, Format)
    raw = _encode(text, source) if isinstance(text, str) else _from_utf16(text)
    scanner = Scanner.over(raw, source, recorded=recorded)
    scanner.depth *= wrapped
    contents = scanner.contents
    contents.formats = [patch_format] if patch_format else contents.formats
    read(scanner)
    if not contents.sections and not contents.diagnostics:
        _read_escaped(scanner)
    if not contents.sections and not contents.diagnostics:
        draft = [Diagnostic(number, Malformed.ONLY_DRAFT, {}, source) for number in contents.drafts]
        contents.diagnostics += draft[:1] or [_diagnose(scanner, raw, source, patch_format)]
    if not recorded:
        _report_glued(scanner)
        for number, line in contents.unread if contents.sections else ():
            scanner.error(Malformed.BEHIND_TEXT, number, text=line)
    if contents.diagnostics:
        raise ParseError(contents.diagnostics)
    notes = [f"the patch in the draft at line {number} was skipped" for number in contents.drafts]
    digest = hashlib.sha256(raw).hexdigest()
    return Patch(counted(contents.sections), digest, notes=(*notes, *contents.notes))


def patch_of(patch: Patch | bytes | str) -> Patch:
    """Return `patch`, which may be its text. Raises as `parse_patch` does."""
    return patch if isinstance(patch, Patch) else parse_patch(patch)


def is_patch(text: bytes | str) -> bool:
    """Return whether `text`, after any blank lines, begins with a patch, without a wrapper."""
    scanner = Scanner.over(_encode(text, "") if isinstance(text, str) else text)
    scanner.skip_blank_lines()
    return scanner.more and grammar.find_format(scanner) is not None


def read(scanner: Scanner) -> None:
    """Add all sections from the scanner on."""
    while scanner.more:
        if scanner.depth and grammar.read_wrapper(scanner):
            continue
        if name := grammar.find_format(scanner, scanner.contents.formats):
            grammar.parse(scanner, name)
        else:
            first = scanner.at
            _skip_prose(scanner)
            scanner.seek(grammar.beginning())
            _collect_unread(scanner, first)


def _collect_unread(scanner: Scanner, first: int) -> None:
    """Keep the lines of prose, from position `first` on, that have a change behind other text."""
    contents, text = scanner.contents, scanner.text
    for match in grammar.UNREAD.finditer(text.raw, text.starts[first], text.starts[scanner.at]):
        if len(contents.unread) < _MAX_UNREAD:
            at = text.position(match.start())
            contents.unread.append((scanner.number_at(at), scanner.lines[at]))


def _skip_prose(scanner: Scanner) -> None:
    """Take a line of prose; part of a patch of a format that is looked for is an error."""
    number, line, contents = scanner.number, scanner.line, scanner.contents
    has_unified, has_envelope = (
        Format.UNIFIED in contents.formats,
        Format.ENVELOPE in contents.formats,
    )
    envelope, unified = grammar.load("envelope"), grammar.load("unified")
    if grammar.NO_BREAK.match(line):
        corrected = line.replace(b"\xc2\xa0", b" ")
        scanner.error(Malformed.NO_BREAK_SPACE, corrected=corrected)
        is_marker = line.startswith(b"*")
        scanner.at += 1
        scanner.skip_until(grammar.is_end if is_marker else grammar.LINES.match)
        scanner.at += scanner.more and is_marker
    elif grammar.skip_fence(scanner):
        if has_unified and scanner.fence and _DIFF_FENCE.match(line):
            _read_nameless_diff(scanner, number)
    elif has_unified and unified.report_unsupported(scanner):
        pass
    elif has_envelope and not has_unified and grammar.find_format(scanner, [Format.UNIFIED]):
        scanner.skip_until(lambda line: grammar.is_begin(line) or envelope.is_marker(line))
    elif has_envelope and envelope.report_stray(scanner):
        pass
    else:
        scanner.at += 1
        if (has_unified or has_envelope) and line.startswith(b"@@"):
            fault = Malformed.NO_FILE if has_unified else Malformed.NO_FILE_OF_ENVELOPE
            scanner.error(fault, number)
            scanner.skip_until(grammar.LINES.match)


def _read_nameless_diff(scanner: Scanner, number: int) -> None:
    """Take a diff in a fence that does not name its file: it is for the file that is named above,
    as a block is; else it is an error."""
    ahead, lines = scanner.copy(), list[bytes]()
    while ahead.more and not grammar.is_fence(ahead, ahead.line):
        is_hunk = ahead.line.startswith(b"@@")
        is_half = ahead.line.startswith((b"--- ", b"+++ ")) and ahead.peek().startswith(b"@@")
        if is_half or (grammar.named().match(ahead.line) and not is_hunk) or names_at(ahead):
            return
        lines.append(ahead.line)
        ahead.at += 1
    if any(line.startswith((b"+", b"-")) for line in lines):
        path = grammar.load("blocks").path_above(scanner)
        if not path and any(line.startswith(b"@@") for line in lines):
            return
        first, scanner.at = scanner.at, ahead.at
        if not path:
            scanner.error(Malformed.NO_NAMES, number)
            return
        header = b"--- %b\n+++ %b\n" % (path, path) + b"@@\n" * (not lines[0].startswith(b"@@"))
        count, numbers = header.count(b"\n"), scanner.from_(first)
        text = header + b"".join(line + b"\n" for line in lines)
        read(scanner.nested(text, lambda at: numbers(max(at - count, 0))))


def glued_end(line: bytes) -> re.Match[bytes] | None:
    """Find the end of a patch, or of an answer, that is glued to the text of a line."""
    match = grammar.GLUED.search(line, max(len(line) - 400, 0))
    return None if match and match[1] == b"</s>" and b"<s>" in line else match


def _report_glued(scanner: Scanner) -> None:
    """Report a last line that is added, and has the end of the patch, or of the answer, behind it.

    Where another line of the hunk has that, too, it is content.
    """
    for section in scanner.contents.sections:
        hunk = section.hunks[-1] if section.hunks else None
        if not hunk or not hunk.lines or hunk.replacement:
            continue
        prefix, text, _, number, _ = hunk.lines[-1]
        match = glued_end(text) if prefix is Prefix.ADDED else None
        if match and not any(match[1] in line.text for line in hunk.lines[:-1]):
            plus = b"+" * (b"+" + text in scanner.text.raw)
            corrected = plus + text[: match.start()]
            scanner.error(Malformed.GLUED, number, corrected=corrected, text=text, end=match[1])


def _read_escaped(scanner: Scanner) -> None:
    """Add the sections of a patch that is on one line, as in a JSON string without its quotes."""
    raw, text = scanner.text.raw, scanner.text
    matches = [*_ESCAPED.finditer(raw)] if b"\\n" in raw else []
    if len(matches) != 1:
        return
    start, line = matches[0].start(), matches[0][1].rstrip(b"\r")
    try:
        value = json.loads(b'"' + line + b'"', strict=False).encode()
    except ValueError:
        return
    number = text.number(text.position(start))
    read(scanner.nested(value, in_string(number, start, "the text")))
    if scanner.contents.sections:
        scanner.contents.notes.append(r"the text was escaped: `\n` was read as a newline")


def _encode(text: str, source: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ParseError([Diagnostic(line, Malformed.HALF_PAIR_IN_TEXT, {}, source)]) from None


def _from_utf16(raw: bytes) -> bytes:
    """Return UTF-16 text, as PowerShell's `>` writes it, in UTF-8; other bytes as they are."""
    try:
        is_wide = (encoding := json.detect_encoding(raw)).startswith("utf-16")
        return raw.decode(encoding).removeprefix("\ufeff").encode() if is_wide else raw
    except UnicodeError:
        return raw


def _diagnose(scanner: Scanner, raw: bytes, source: str, patch_format: Format | None) -> Diagnostic:
    """Say that there is no patch, and what the text seems to be instead."""
    fault, values = Malformed.NO_PATCH, dict[str, object]()
    if not raw.strip():
        fault = Malformed.EMPTY_INPUT
    elif patch_format:
        fault, values = Malformed.NO_PATCH_OF_FORMAT, {"format": patch_format.value}
        other = Scanner.over(raw, recorded=True)
        if actual := grammar.find_patch(other):
            fault = Malformed.OTHER_FORMAT
            values |= {"first": other.number, "other": actual.value}
    else:
        for near, pattern in _NEAR_MISSES:
            if match := re.search(pattern, raw):
                fault, values = near, {"first": raw.count(b"\n", 0, match.start()) + 1}
                break
        else:
            if _is_json(raw):
                skipped = scanner.contents.notes[:1]
                fault = Malformed.ONLY_SKIPPED if skipped else Malformed.NO_OBJECT
                values = {"why": "".join(skipped)}
    return Diagnostic(0, fault, values, source)


def _is_json(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), (dict, list))
    except (ValueError, RecursionError):
        return False
