r"""Slips that go through all lines of a hunk, or through both strings of a replacement.

It must not look for a place. One hand wrote the old and the new lines, so both are undone alike,
and only without loss. A slip is tried where the text as given is nowhere; all slips that fit must
say the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from git_opatch.locate.file import File
from git_opatch.locate.forms import shown_in_gbk
from git_opatch.locate.reading import ADDED, CONTEXT
from git_opatch.model.patch import Hunk, Line
from git_opatch.model.placement import Repair

Slip = tuple[Hunk, Repair]
"""A hunk with a slip undone, and which."""
_NUMBER = rb"[ \t]*(\d{1,7})"
_NUMBERED = [
    re.compile(_NUMBER + sign + rb"(.*)", re.DOTALL)
    for sign in (
        rb" ?\|",
        rb" ?\|(?: |$)",
        rb"\t",
        rb":",
        rb":(?: |$)",
        rb"\xe2\x86\x92",
        rb"(?: |$)",
    )
]
_ENTITIES = {
    b"&lt;": b"<",
    b"&gt;": b">",
    b"&quot;": b'"',
    b"&#34;": b'"',
    b"&apos;": b"'",
    b"&#39;": b"'",
    b"&#x27;": b"'",
    b"&amp;": b"&",
}
_SIGNS = {b"\\\\": b"\\", b'\\"': b'"', b"\\'": b"'", b"\\$": b"$", b"\\`": b"`"}
_JSON = {
    b"\\n": b"\n",
    b"\\r": b"\r",
    b"\\t": b"\t",
    b'\\"': b'"',
    b"\\\\": b"\\",
    b"\\/": b"/",
}
_ENCODINGS = {"latin-1": Repair.LATIN_1, "gbk": Repair.GBK}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CODE = re.compile(rb"\\u[0-9a-fA-F]{4}")
_IN_STRING = re.compile(rb"([\"'])(?:(?!\1).)*\\[nrt](?:(?!\1).)*\1")
_BLANKS = rb"(?:\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
"""No-break, em and other blanks, which are neither a space nor a tab."""
_BLANK = re.compile(_BLANKS)
_INDENTED = re.compile(rb"[ \t]*" + _BLANKS + rb"(?:[ \t]|" + _BLANKS + rb")*")


def slips_of(hunk: Hunk, file: File) -> Iterator[Slip]:
    """Yield the hunk with each slip undone that it shows."""
    yield from _of_prefixes(hunk)
    for pattern in _NUMBERED:
        if numbered := _numbered(hunk, pattern):
            yield numbered, Repair.NUMBERED
    yield from _of_blanks(hunk)
    texts = [line.text for line in hunk.lines]
    old = b"\n".join(line.text for line in hunk.preimage)
    new = b"\n".join(line.text for line in hunk.lines if line.prefix is ADDED)
    for forms, repair in forms_of(texts, old, new, file.joined):
        if forms != texts and not any(b"\n" in text for text in forms):
            yield _with_texts(hunk, forms), repair
    if not old.isascii() and (shown := _as_shown(hunk, file)):
        yield _with_texts(hunk, shown), Repair.CONSOLE


def _with_texts(hunk: Hunk, texts: Sequence[bytes]) -> Hunk:
    pairs = zip(hunk.lines, texts, strict=True)
    return replace(hunk, lines=tuple([line._replace(text=text) for line, text in pairs]))


def _changed(hunk: Hunk, change: Callable[[Line], bytes]) -> Hunk:
    return _with_texts(hunk, [change(line) for line in hunk.lines])


# ---------------------------------------------------------------- prefixes, numbers, blanks


def _of_prefixes(hunk: Hunk) -> Iterator[Slip]:
    """Undo that context lacks its prefixes, or that prefixes are doubled."""
    if any(line.text.strip() and not line.has_prefix for line in hunk.lines):
        yield _changed(hunk, _shifted), Repair.LOST_PREFIXES
    changed = [line for line in hunk.lines if line.prefix is not CONTEXT and line.text.strip()]
    if all(line.prefix is ADDED for line in changed):
        return
    if all(line.text.startswith(line.prefix.value.encode()) for line in changed):
        yield (
            _changed(hunk, lambda line: line.text[line.prefix is not CONTEXT :]),
            (Repair.DOUBLED_PREFIXES),
        )


def _shifted(line: Line) -> bytes:
    """Give a line of context back the blank that was taken for its prefix."""
    is_shifted = line.prefix is CONTEXT and line.has_prefix and line.text != b""
    return b" " * is_shifted + line.text


def _numbered(hunk: Hunk, pattern: re.Pattern[bytes]) -> Hunk | None:
    """Take off line numbers that all old lines have, and that count on."""
    rows = [(line, pattern.fullmatch(line.text)) for line in hunk.lines]
    old = [(line, match) for line, match in rows if line.prefix is not ADDED]
    new = [match for line, match in rows if line.prefix is ADDED and line.text.strip()]
    firsts = {int(match[1]) - at for at, (_, match) in enumerate(old) if match}
    if len(firsts) != 1 or any(not match and line.text.strip() for line, match in old):
        return None
    numbers, (first,) = [int(match[1]) for match in new if match], firsts
    last = first + len(rows)
    counts_on = numbers == sorted(numbers) and all(first <= each <= last for each in numbers)
    if first < 1 or (numbers and not (len(numbers) == len(new) and counts_on)):
        return None
    bare = _with_texts(hunk, [match[2] if match else line.text for line, match in rows])
    return replace(bare, stated_start=first - 1)


def _of_blanks(hunk: Hunk) -> Iterator[Slip]:
    """Read blanks that are neither spaces nor tabs as spaces: those that lines are indented by, and
    all of them; where both fit, they must say the same."""
    if any(_INDENTED.match(line.text) for line in hunk.preimage):
        yield _changed(hunk, _indented_by_spaces), Repair.BLANKS
        yield _changed(hunk, lambda line: _BLANK.sub(b" ", line.text)), Repair.BLANKS


def _indented_by_spaces(line: Line) -> bytes:
    indented = _INDENTED.match(line.text)
    return _BLANK.sub(b" ", indented[0]) + line.text[indented.end() :] if indented else line.text


# ---------------------------------------------------------------- escapes, encodings


def forms_of(
    texts: Sequence[bytes], old: bytes, new: bytes, file: bytes
) -> Iterator[tuple[list[bytes], Repair]]:
    """Yield `texts` unescaped, escaped, in Latin-1 or GBK; `old` shows which escapes there may be,
    and what `new` and the file have is not one too many."""
    yield from _unescaped(texts, old, new, file)
    if old.isascii():
        return
    with suppress(UnicodeError):
        decoded = [text.decode() for text in texts]
        for width in ("04x", "04X"):
            escape = _escape_as(width)
            yield [_NOT_ASCII.sub(escape, x).encode() for x in decoded], Repair.ESCAPED_IN_FILE
    for encoding, repair in _ENCODINGS.items():
        with suppress(UnicodeError):
            yield [text.decode().encode(encoding) for text in texts], repair


def _unescaped(
    texts: Sequence[bytes], old: bytes, new: bytes, file: bytes
) -> Iterator[tuple[list[bytes], Repair]]:
    """Yield texts with entities, or with backslashes, as their characters."""
    for escapes in (_ENTITIES, _SIGNS, _JSON):
        code = rb"|\\u[0-9a-fA-F]{4}" if escapes is _JSON else b""
        find = re.compile(b"|".join(map(re.escape, escapes)) + code)
        shown = set(find.findall(old))
        if not shown or any(escape in file for escape in set(find.findall(new))):
            continue
        if all(_is_lossless(text, shown, escapes, find) for text in texts):
            character = _character_of(escapes)
            try:
                yield [find.sub(character, text) for text in texts], Repair.ESCAPED
            except UnicodeEncodeError:  # the code of half a character
                continue


def _is_lossless(
    text: bytes, shown: set[bytes], escapes: Mapping[bytes, bytes], find: re.Pattern[bytes]
) -> bool:
    """Return whether a text has no other escape, none of the characters bare, and no escape of a
    newline or of a code that may be one of the code's own strings."""
    plain, own = find.sub(b"", text), set(find.findall(text))
    codes = {escape for escape in own if _CODE.fullmatch(escape)}
    is_bare = any(escapes[escape] in plain for escape in shown & set(escapes))
    in_quotes = escapes is _JSON and _IN_STRING.search(text)
    return not (is_bare or in_quotes) and all(map(_is_letter, codes)) and own - codes <= shown


def _is_letter(code: bytes) -> bool:
    character = chr(int(code[2:], 16))
    return character.isprintable() and character not in "\"'`\\"


def _character_of(escapes: Mapping[bytes, bytes]) -> Callable[[re.Match[bytes]], bytes]:
    def character(match: re.Match[bytes]) -> bytes:
        escape = match[0]
        return escapes[escape] if escape in escapes else chr(int(escape[2:], 16)).encode()

    return character


def _escape_as(width: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"\\u{ord(match[0]):{width}}"


def _as_shown(hunk: Hunk, file: File) -> list[bytes] | None:
    """Return the lines of a hunk that a console in GBK showed, bytes lost, as the file has them;
    None if a line may be another one, or an added line lost bytes."""
    texts: list[bytes] = []
    for line in hunk.lines:
        text = line.text
        meant = [text] if text.isascii() and line.prefix is ADDED else file.shown.get(text, [])
        if not meant and (line.prefix is ADDED or text.isascii()):
            meant = [text] if text.isascii() else _back_from_gbk(text)
        if len(meant) != 1:
            return None
        texts += meant
    return texts


def _back_from_gbk(text: bytes) -> list[bytes]:
    try:
        back = text.decode().encode("gbk")
        return [back] if shown_in_gbk(back) == text and back.decode() else []
    except UnicodeError:
        return []
