"""The tiers: how a line is compared, each a function on top of the one before.

Two lines match at a tier when their normal forms are equal; as each form is made from the
one before, what matches at one tier matches at every later one. Rules: "Tiered Matching
Logic" of the FILE_PATCH strategy, as the project's decisions narrow it: heading marks count
for nothing only where both lines are headings, a sentence's punctuation alone is loose, and
typography is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from git_opatch.options import Tier
from git_opatch.outcome import Likeness

_HEADING = re.compile(rb"#{1,6} ")
_SENTENCE = b".,;:!? "
_TYPOGRAPHIC = {
    **dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B, 0x2032], "'"),
    **dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xAB, 0xBB], '"'),
    **dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212], "-"),
    **dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    0x2026: "...",
}
"""Typographic quotes, dashes and blanks, and the ellipsis, to ASCII."""


def strict(line: bytes) -> bytes:
    """The line itself, character for character."""
    return line


def resilient(line: bytes) -> bytes:
    """Without blanks at its ends, runs of blanks as one, a heading of any level as one level."""
    form = b" ".join(line.split())
    if form.startswith(b"#") and _HEADING.match(form):
        return b"# " + form.lstrip(b"#").lstrip()
    return form


def fuzzy(line: bytes) -> bytes:
    """The resilient form in lower case, typography as ASCII, without backticks and without
    a sentence's punctuation at its end.

    A line of nothing else keeps its backticks and punctuation: it is no blank line.
    """
    form = resilient(line)
    if form.isascii():
        form = before = form.lower()
    else:
        text = form.decode("utf-8", "surrogateescape").translate(_TYPOGRAPHIC).lower()
        form = before = resilient(text.encode("utf-8", "surrogateescape"))
    if b"`" in form:
        form = resilient(form.replace(b"`", b""))
    return form.rstrip(_SENTENCE) or before or resilient(line)


NORMAL: Mapping[Tier, Callable[[bytes], bytes]] = {
    Tier.STRICT: strict,
    Tier.RESILIENT: resilient,
    Tier.FUZZY: fuzzy,
}
"""The normal form of a line at each tier, strictest first."""


def likeness(line: bytes, found: bytes) -> Likeness:
    """What differs between a line of the patch and the line of the file that it stands for."""
    if line == found:
        return Likeness.EXACT
    if line.lstrip() == found.lstrip():
        return Likeness.INDENTATION
    if line.split() == found.split():
        return Likeness.BLANKS
    one, two = resilient(line), resilient(found)
    if one == two:
        return Likeness.HEADING
    if one.decode("utf-8", "replace").lower() == two.decode("utf-8", "replace").lower():
        return Likeness.CASE
    return Likeness.TEXT if fuzzy(line) == fuzzy(found) else Likeness.CUT
