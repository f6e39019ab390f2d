"""The forms in which lines are compared, ever looser: each is a function from a line to a key.

It must not know a place: two lines are alike if their keys are equal.

    spaced        whitespace, which is spaces and tabs, and the level of a heading
    typographic   signs of typography; in prose letter case and final signs, too
    loosest       the same in any line, and quotes, and what is not seen
    skeleton      letters and digits alone: equal if any of the others is
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_TYPOGRAPHY = {
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x201B, 0x2032), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xAB, 0xBB), '"'),
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " "),
    0x2026: "...",
}
_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0xAD, 0xFE0E, 0xFE0F, 0x2060, 0xFEFF))
_COMMENT = re.compile(
    rb"\s*(?:#+(?=\s|$)(?!\s*(?:include|define|if|el|end|undef|pragma|error)\b)|//|/\*|<!--|\"\"\""
    rb"|(?:\*|--|;+)(?=\s|$))"
)
_HEADING = re.compile(rb"\A#{1,6} +")
_SIGNS = b".,;:!? "
_LONG = 1 << 12
"""No longer line is looked at letter by letter."""
_CACHED = 1 << 14
_NO_WORD = re.compile(r"[\W_]+")
_NO_WORDS = bytes(code for code in range(128) if not chr(code).isalnum() and code != ord("\n"))


@lru_cache(_CACHED)
def spaced(line: bytes, in_prose: bool = False) -> bytes:  # noqa: ARG001 - as all forms
    """The line without what whitespace it has, and any heading at level 1."""
    return _HEADING.sub(b"# ", b" ".join(line.split()))


@lru_cache(_CACHED)
def typographic(line: bytes, in_prose: bool = False) -> bytes:
    """The spaced form in ASCII's signs; of prose, a document or a comment, as `worded`."""
    return worded(line) if in_prose or is_comment(line) else _in_ascii_signs(line)


def worded(line: bytes) -> bytes:
    """The typographic form without letter case and final signs; signs alone stay."""
    form = _in_ascii_signs(line)
    return encoded(decoded(form).lower()).rstrip(_SIGNS) or form


@lru_cache(_CACHED)
def loosest(line: bytes, in_prose: bool = False) -> bytes:  # noqa: ARG001 - as all forms
    """The form that all lines share that may be one."""
    return seen(worded(line)).replace(b"'", b'"')


def skeletons(lines: Sequence[bytes]) -> list[bytes]:
    """Return the letters and digits of each line, without accents and letter case."""
    joined = b"\n".join(lines)
    if joined.isascii():
        return joined.lower().translate(None, _NO_WORDS).split(b"\n") if lines else []
    return [*map(skeleton, lines)]


def skeleton(line: bytes) -> bytes:
    """Return the letters and digits of a line, without accents and letter case."""
    if line.isascii():
        return line.lower().translate(None, _NO_WORDS)
    decomposed = unicodedata.normalize("NFD", decoded(line).lower())
    return encoded(_NO_WORD.sub("", decomposed))


def seen(line: bytes) -> bytes:
    """The line with composed letters, without characters that cannot be seen."""
    if line.isascii() or len(line) > _LONG:
        return line
    return encoded(unicodedata.normalize("NFC", decoded(line).translate(_INVISIBLE)))


def is_comment(line: bytes) -> bool:
    """Return whether a line begins as a comment does in most languages."""
    return _COMMENT.match(line) is not None


def decoded(line: bytes) -> str:
    """Return a line as text; bytes that are not UTF-8 stay what they are in `encoded`."""
    return line.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of a text that was `decoded`."""
    return text.encode("utf-8", "surrogateescape")


def is_utf8(line: bytes) -> bool:
    """Return whether a line is in UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def shown_in_gbk(line: bytes) -> bytes:
    """Return how a console in code page 936 shows a line in UTF-8: a `?` for what it lost."""
    return line.decode("gbk", "replace").replace("\ufffd", "?").encode()


def _in_ascii_signs(line: bytes) -> bytes:
    """The spaced form in the signs of ASCII, without backticks, if it is not made of them."""
    form = spaced(line)
    if not form.isascii():
        form = spaced(encoded(decoded(form).translate(_TYPOGRAPHY)))
    return spaced(form.replace(b"`", b"")) or form
