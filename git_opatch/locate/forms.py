r"""Other forms of what a patch says: escaped once too often or too rarely, in another encoding.

    old string in the patch     in the file                 form
    def f():\n    x = 1         two lines                   `\n` read as a newline
    caf\u00e9                   café                        the escape read as its character
    café                        caf\u00e9                   the character written as its escape
    café, in UTF-8              café, in Latin-1            written in the file's encoding

One hand wrote the old and the new text, so both change alike. Forms are tried only where the text
as it is given is nowhere; one must match byte for byte, and at one position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from git_opatch.model.patch import Hunk

_ENCODINGS = {
    "latin-1": "Latin-1",
    "cp1252": "Windows-1252",
    "gbk": "GBK",
    "shift_jis": "Shift-JIS",
    "euc_kr": "EUC-KR",
}
"""The encodings that files have which are not UTF-8, and how notes name them."""
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|([nrt\"\\/]))")
_CHARACTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_QUOTES = re.compile(rb"\\?[\"']|\\[nrt]|\\.|\n")

Form = tuple[Callable[[bytes], bytes | None], str]
"""How a text is rewritten (None if it cannot be), and the note."""


def string_forms(old: bytes, new: bytes) -> Iterator[tuple[bytes, bytes, str]]:
    """Yield other forms of a string to replace and of its replacement, each with a note."""
    for rewritten, note in _forms((old, new), old, lines=True):
        yield rewritten[0], rewritten[1], note


def hunk_forms(hunk: Hunk) -> Iterator[tuple[Hunk, str]]:
    """Yield other forms of a hunk, each with a note."""
    texts = [line.text for line in hunk.lines]
    old = b"\n".join(line.text for line in hunk.preimage)
    for rewritten, note in _forms(texts, old, lines=False):
        lines = [line._replace(text=text) for line, text in zip(hunk.lines, rewritten, strict=True)]
        yield replace(hunk, lines=tuple(lines)), note


def _forms(texts: Sequence[bytes], old: bytes, *, lines: bool) -> Iterator[tuple[list[bytes], str]]:
    """Yield `texts` in other forms; `old`, the text to find, shows which there may be."""
    forms: list[Form] = []
    if escapes := {match[0][:2] for match in _ESCAPE.finditer(old)}:
        note = 'its text was escaped: `\\n`, `\\t`, `\\"` or `\\uXXXX` was read as its character'
        forms.append((partial(_unescape, escapes=escapes, lines=lines), note))
    if not old.isascii():
        note = "its characters were written as the escapes `\\uXXXX` of the file"
        forms += [(partial(_escape, form=form), note) for form in ("04x", "04X")]
        for encoding, name in _ENCODINGS.items():
            note = f"its text was written in {name}, as the file is"
            forms.append((partial(_encode, encoding=encoding), note))
    for rewrite, note in forms:
        rewritten = [rewrite(text) for text in texts]
        if None not in rewritten and rewritten != list(texts):
            yield [text for text in rewritten if text is not None], note


def _unescape(text: bytes, escapes: set[bytes], *, lines: bool) -> bytes | None:
    """Unescape `text` once; None if not all of it was escaped as the old text is.

    A newline or tab in quotes may be one of the code. A newline inside a line of a hunk would make
    two lines of it.
    """
    found = {match[0][:2] for match in _ESCAPE.finditer(text)}
    if not found <= escapes or (b"\\n" in found and not lines):
        return None
    plain = _ESCAPE.sub(b"", text)
    if any(_CHARACTERS.get(each[1:], each[1:]) in plain for each in escapes - {b"\\u"}):
        return None
    if _has_control_in_quotes(text):
        return None
    try:
        return _ESCAPE.sub(_character, text)
    except UnicodeEncodeError:
        return None


def _has_control_in_quotes(text: bytes) -> bool:
    """Return whether `text` has the escape of a newline or a tab between two quotes of a line."""
    quote = b""
    for token in _QUOTES.findall(text):
        if token[-1:] in (b'"', b"'"):
            quote = b"" if quote == token[-1:] else quote or token[-1:]
        elif token == b"\n":
            quote = b""
        elif quote and token[1:] in (b"n", b"r", b"t"):
            return True
    return False


def _character(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return chr(int(escape[1], 16)).encode()
    return _CHARACTERS.get(escape[2], escape[2])


def _escape(text: bytes, form: str) -> bytes | None:
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return None
    if any(ord(character) > 0xFFFF for character in decoded):
        return None
    return re.sub(r"[^\x00-\x7f]", lambda match: f"\\u{ord(match[0]):{form}}", decoded).encode()


def _encode(text: bytes, encoding: str) -> bytes | None:
    try:
        return text.decode().encode(encoding)
    except UnicodeError:
        return None
