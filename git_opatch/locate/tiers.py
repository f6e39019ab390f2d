"""The tiers: how loosely two lines are compared (D11).

Two lines match at a tier when their normal forms are equal. Each form is made from the one
before, so what matches at one tier matches at every later one:

    strict       "  ##  Call `run`:"    every byte counts (D12)
    resilient    "# Call `run`:"        whitespace and the heading level do not (D13)
    fuzzy        "# call run"           nor do backticks and typography (D14), nor, in prose, letter
                                        case and final punctuation (D100)

From "Tiered Matching Logic" of the FILE_PATCH strategy, narrowed: the level of a Markdown heading
is ignored only where both lines are headings, and only a sentence's punctuation is loose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from git_opatch.model.options import Tier
from git_opatch.model.placement import Likeness

LEAST_DISTINCTIVE = 10
"""A line or a part of one with so many characters is taken to identify itself (D23)."""
_LONG = 1 << 12
"""Bytes from which on the words of a line, each an object, would take too much memory."""
_SPACES = bytes.maketrans(b"\t\n\v\f\r", b" " * 5)
_MARKDOWN_HEADING = rb"#{1,6} "
_SENTENCE_END = b".,;:!? "
_TYPOGRAPHIC = {
    **dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B, 0x2032], "'"),
    **dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xAB, 0xBB], '"'),
    **dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212], "-"),
    **dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    0x2026: "...",
}
"""Typographic quotes, dashes, spaces and the ellipsis, as ASCII."""


def strict(line: bytes) -> bytes:
    """Return the line itself (D12)."""
    return line


def resilient(line: bytes) -> bytes:
    """Trim the line, reduce runs of whitespace to one space, and every heading to level 1 (D13)."""
    form = b" ".join(line.split()) if len(line) < _LONG else spaced_once(line)
    if form.startswith(b"#") and re.match(_MARKDOWN_HEADING, form):
        return b"# " + form.lstrip(b"#").lstrip()
    return line if form == line else form  # of a large file, two copies are too many


def spaced_once(line: bytes) -> bytes:
    """Trim the line, and reduce runs of whitespace to one space."""
    if len(line) < _LONG:
        return b" ".join(line.split())
    form = line.translate(_SPACES).strip(b" ")
    while b"  " in form:
        form = form.replace(b"  ", b" ")
    return form


def typographic(line: bytes) -> bytes:
    """Reduce the resilient form to ASCII typography, without backticks (D14).

    A line of nothing but backticks keeps them: it is not a blank line.
    """
    form = _ascii(line)
    return _without_backticks(form) or form or resilient(line)


def fuzzy(line: bytes) -> bytes:
    """Reduce the typographic form to lower case, without a sentence's punctuation at its end.

    That much may differ in prose alone (D100): in code, this form only finds what may be meant. A
    line of nothing else keeps its backticks and punctuation: it is not a blank line.
    """
    form = _ascii(line, fold=True)
    return _without_backticks(form).rstrip(_SENTENCE_END) or form or resilient(line)


def _ascii(line: bytes, *, fold: bool = False) -> bytes:
    form = resilient(line)
    if form.isascii():
        return form.lower() if fold else form
    text = form.decode("utf-8", "surrogateescape").translate(_TYPOGRAPHIC)
    return resilient((text.lower() if fold else text).encode("utf-8", "surrogateescape"))


def _without_backticks(form: bytes) -> bytes:
    return resilient(form.replace(b"`", b"")) if b"`" in form else form


NORMAL: Mapping[Tier, Callable[[bytes], bytes]] = {
    Tier.STRICT: strict,
    Tier.RESILIENT: resilient,
    Tier.FUZZY: fuzzy,
}
"""The normal form of a line at each tier, strictest first."""


def likeness(line: bytes, found: bytes) -> Likeness:
    """Classify how a line of the patch differs from the line of the file that it matched."""
    if line == found:
        return Likeness.EXACT
    if line.lstrip() == found.lstrip():
        return Likeness.INDENTATION
    if spaced_once(line) == spaced_once(found):
        return Likeness.WHITESPACE
    in_patch, in_file = resilient(line), resilient(found)
    if in_patch == in_file:
        return Likeness.HEADING_LEVEL
    if in_patch.decode("utf-8", "replace").lower() == in_file.decode("utf-8", "replace").lower():
        return Likeness.CASE
    return Likeness.TEXT if fuzzy(line) == fuzzy(found) else Likeness.CUT
