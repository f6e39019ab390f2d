r"""Other forms of what a patch says: escaped once too often or too rarely, in another encoding.

It must not place a hunk, nor change only one side: the old and the new text become another form
together.

    in the patch                in the file                 form
    if (a &lt; b)               if (a < b)                  the escapes that the old text shows,
    def f():\n    x = 1         two lines                   read as their characters
    caf\u00e9                   café
    café                        caf\u00e9                   the character written as its escape
    café, in UTF-8              café, in Latin-1            written in the file's encoding
    café, of five characters    café, of four               the other form of Unicode

One hand wrote the old and the new text, so both change alike, and only without loss. Forms are
tried only where the text as it is given is nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Literal

from git_opatch.locate.line_forms import normalized
from git_opatch.model.patch import Hunk, Prefix
from git_opatch.model.placement import Repair

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
_BACKSLASHES = {b"\\\\": b"\\", b'\\"': b'"', b"\\'": b"'", b"\\$": b"$", b"\\`": b"`"}
_CODE = b"\\u"
_CONTROLS = {b"\\n": b"\n", b"\\r": b"\r", b"\\t": b"\t"}
_JSON = {**_CONTROLS, b'\\"': b'"', b"\\\\": b"\\", b"\\/": b"/", _CODE: b""}
_ESCAPES: tuple[Mapping[bytes, bytes], ...] = (_ENTITIES, _BACKSLASHES, _JSON)
_ENCODINGS = {
    "latin-1": Repair.LATIN_1,
    "cp1252": Repair.CP1252,
    "gbk": Repair.GBK,
    "shift_jis": Repair.SHIFT_JIS,
    "euc_kr": Repair.EUC_KR,
}
"""The encodings that files have which are not UTF-8."""
_QUOTES = re.compile(rb"\\?[\"']|\\[nrt]|\\.|\n")


def string_forms(old: bytes, new: bytes, file: bytes) -> Iterator[tuple[bytes, bytes, Repair]]:
    """Yield other forms of a string to replace in `file` and of its replacement."""
    for (old_form, new_form), repair in _forms((old, new), old, new, file):
        yield old_form, new_form, repair


def hunk_forms(hunk: Hunk, file: bytes) -> Iterator[tuple[Hunk, Repair]]:
    """Yield other forms of a hunk for `file`, with its anchors; a line stays one line."""
    anchors = [anchor.text for anchor in hunk.anchors]
    old = b"\n".join([*(line.text for line in hunk.preimage), *anchors])
    new = b"\n".join(line.text for line in hunk.lines if line.prefix is Prefix.ADDED)
    for texts, repair in _forms([*(line.text for line in hunk.lines), *anchors], old, new, file):
        if not any(b"\n" in text for text in texts):
            left = iter(texts)
            lines = tuple([line._replace(text=next(left)) for line in hunk.lines])
            named = tuple([anchor._replace(text=next(left)) for anchor in hunk.anchors])
            yield replace(hunk, lines=lines, anchors=named), repair


def _forms(
    texts: Sequence[bytes], old: bytes, new: bytes, file: bytes
) -> Iterator[tuple[list[bytes], Repair]]:
    """Yield `texts` in other forms; `old`, the text to find, shows which there may be.

    An escape in `new`, the text to write, that `file` has, too, is not one too many.
    """
    for number, escapes in enumerate(_ESCAPES):
        find = _pattern(number)
        shown = find.findall(old)
        if not shown or any(each in file for each in set(find.findall(new))):
            continue
        if unescaped := _unescape(texts, old, escapes, find):
            yield unescaped, Repair.ESCAPED
    for rewrite, repair in () if old.isascii() else _ACCENTED:
        rewritten = [form for text in texts if (form := rewrite(text)) is not None]
        if len(rewritten) == len(texts) and rewritten != list(texts):
            yield rewritten, repair


@cache
def _pattern(number: int) -> re.Pattern[bytes]:
    """Return what finds the escapes of that number in the table."""
    escapes = _ESCAPES[number]
    digits = {_CODE: b"[0-9a-fA-F]{4}"}
    return re.compile(b"|".join(re.escape(each) + digits.get(each, b"") for each in escapes))


def _unescape(
    texts: Sequence[bytes], old: bytes, escapes: Mapping[bytes, bytes], find: re.Pattern[bytes]
) -> list[bytes] | None:
    """Read the escapes that `old` shows as their characters; None if a text has others, or one of
    these characters bare. A newline or tab in quotes may be one of the code, and so may the code
    of a character that ends a string, or that cannot be seen."""
    shown = _kinds(find, old)
    if not shown or not shown <= set(escapes):
        return None
    bare = {escapes[each] for each in shown - {_CODE}}
    for text in texts:
        plain = find.sub(b"", text)
        is_lossy = any(character in plain for character in bare)
        in_quotes = not shown.isdisjoint(_CONTROLS) and _has_control_in_quotes(text)
        if is_lossy or in_quotes or not _kinds(find, text) <= shown:
            return None
    try:
        return [find.sub(partial(_character, escapes), text) for text in texts]
    except UnicodeEncodeError:
        return None


def _kinds(find: re.Pattern[bytes], text: bytes) -> set[bytes]:
    return {_CODE if _is_code(each) else each for each in find.findall(text)}


def _is_code(escape: bytes) -> bool:
    """Return whether an escape is the code of a character that can be seen and ends no string."""
    character = chr(int(escape[len(_CODE) :], 16)) if escape.startswith(_CODE) else ""
    return character.isprintable() and character not in "\"'`\\"


def _character(escapes: Mapping[bytes, bytes], match: re.Match[bytes]) -> bytes:
    return escapes.get(match[0]) or chr(int(match[0][len(_CODE) :], 16)).encode()


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


_Unicode = Literal["NFC", "NFD"]


def _compose(text: bytes, form: _Unicode, other: _Unicode) -> bytes | None:
    composed = normalized(text, form)
    return composed if normalized(composed, other) == text else None


_ACCENTED: tuple[tuple[Callable[[bytes], bytes | None], Repair], ...] = (
    *((partial(_escape, form=form), Repair.ESCAPED_IN_FILE) for form in ("04x", "04X")),
    *((partial(_encode, encoding=each), repair) for each, repair in _ENCODINGS.items()),
    (partial(_compose, form="NFC", other="NFD"), Repair.DECOMPOSED),
    (partial(_compose, form="NFD", other="NFC"), Repair.COMPOSED),
)
"""How a text that is not ASCII is rewritten (None if it cannot be)."""
