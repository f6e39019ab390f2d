"""How lines are compared: their forms, ever looser.

It must not know which form is allowed where.

resilient    without what whitespace they have, and any heading at level 1
typographic  in the typography of ASCII, without backticks
worded       without letter case, and without the signs that end a sentence: for prose
key          the loosest: lines that are one under any grade but a cut have one key
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Literal

_LONG = 1 << 12
_SPACES = bytes.maketrans(b"\t\n\v\f\r", b" " * 5)
_HEADING = re.compile(rb"#{1,6} ")
_ELLIPSIS = re.compile(rb"\s*(?:\.\.\.|\xe2\x80\xa6)\Z")
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
SENTENCE_END = b".,;:!? "
_TYPOGRAPHIC = {
    **dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B, 0x2032], "'"),
    **dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xAB, 0xBB], '"'),
    **dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212], "-"),
    **dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    0x2026: "...",
}
_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0xAD, 0xFE0E, 0xFE0F, 0x2060, 0xFEFF])
_MOST_MARKS = 100
_MANY_WIDE = re.compile(rf"[^\x00-\x7f]{{{_MOST_MARKS}}}")


def spaced_once(line: bytes) -> bytes:
    """Trim the line, and reduce runs of whitespace to one space."""
    if len(line) < _LONG:
        form = b" ".join(line.split())
        return line if form == line else form
    form = line.translate(_SPACES).strip(b" ")
    while b"  " in form:
        form = form.replace(b"  ", b" ")
    return form


def resilient(line: bytes) -> bytes:
    """The line without what whitespace it has, and any heading at level 1."""
    form = spaced_once(line)
    if form.startswith(b"#") and _HEADING.match(form):
        return b"# " + form.lstrip(b"#").lstrip()
    return form


def typographic(line: bytes) -> bytes:
    """The resilient form in the typography of ASCII, without backticks unless it has only these."""
    form = resilient(line)
    if not form.isascii():
        text = form.decode("utf-8", "surrogateescape").translate(_TYPOGRAPHIC)
        form = resilient(text.encode("utf-8", "surrogateescape")) or form
    return (resilient(form.replace(b"`", b"")) if b"`" in form else form) or form


def without_invisible(line: bytes) -> bytes:
    """Return a line without characters that cannot be seen."""
    if line.isascii():
        return line
    text = line.decode("utf-8", "surrogateescape").translate(_INVISIBLE)
    return text.encode("utf-8", "surrogateescape")


def composed(line: bytes) -> bytes:
    """Return a line without invisible characters, and with accented letters as one."""
    return normalized(without_invisible(line), "NFC")


def decomposed(line: bytes) -> bytes:
    """Return a line with accented letters as a letter and its accent."""
    return normalized(line, "NFD")


def normalized(line: bytes, form: Literal["NFC", "NFD"]) -> bytes:
    """Return a line with accented letters in that form of Unicode."""
    if line.isascii():
        return line
    text = line.decode("utf-8", "surrogateescape")
    return normalize(form, text).encode("utf-8", "surrogateescape")


def normalize(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """Return `text` in that form of Unicode; as it is if a letter has very many marks.

    To sort marks takes time that is quadratic in how many there are.
    """
    if _MANY_WIDE.search(text):
        runs = groupby(text, lambda character: unicodedata.combining(character) > 0)
        if any(marks and sum(1 for _ in run) > _MOST_MARKS for marks, run in runs):
            return text
    return unicodedata.normalize(form, text)


def without_dots(line: bytes) -> bytes:
    """Return a line without the dots at its end, which say that it goes on."""
    return _ELLIPSIS.sub(b"", line)


def shows_cut(line: bytes) -> bool:
    """Return whether a line shows that it goes on: by dots, an open bracket or quote."""
    opened = any(line.count(a) > line.count(b) for a, b in _BRACKETS)
    return opened or line.count(b'"') % 2 > 0 or without_dots(line) != line


def worded(line: bytes) -> bytes:
    """The typographic form without letter case, and without the signs that end a sentence."""
    form = typographic(line)
    loose = form.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")
    return loose.rstrip(SENTENCE_END) or form


@lru_cache(16_384)
def key_of(line: bytes) -> bytes:
    """The loosest form: lines that are one under any grade but a cut have one key. Empty: blank."""
    if len(line) < _LONG and line.isascii() and b"`" not in line and b"#" not in line:
        form = b" ".join(line.split())  # the most common case, in short
        return form.lower().replace(b"'", b'"').rstrip(SENTENCE_END) or form
    return composed(worded(line)).replace(b"'", b'"') or resilient(line)
