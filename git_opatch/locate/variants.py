r"""Variants of a whole hunk: what it may say if one slip went through all of its lines.

    hunk                          variant
     if (a &lt; b)                 if (a < b)
    -  go(&quot;x&quot;);          -  go("x");
    +  go(&quot;y&quot;);          +  go("y");

One hand wrote all lines of a hunk, so a variant changes the added lines as it changes the others
(D90). Variants are tried where the hunk as it is written was found nowhere, at any tier. A variant
must match strictly and at one position, and all that do must say the same.

To add a variant, write a function that returns the hunk as it was meant, or None where the hunk
shows no such slip, and list it in `SLIPS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Literal, NamedTuple
from unicodedata import normalize

from git_opatch.locate.forms import hunk_forms
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix

_Form = Literal["NFC", "NFD"]


class Variant(NamedTuple):
    """A hunk as it may have been meant, and what was repaired, in words."""

    hunk: Hunk
    repair: str


class Slip(NamedTuple):
    """What may have happened to all lines of a hunk; `undo` returns None if it did not."""

    undo: Callable[[Hunk], Hunk | None]
    repair: str


def variants_of(hunk: Hunk) -> Iterator[Variant]:
    """Yield the variants of `hunk`, none of which equals it."""
    for undo, repair in SLIPS:
        variant = undo(hunk)
        if variant is not None:
            yield Variant(variant, repair)
    yield from (Variant(variant, note) for variant, note in hunk_forms(hunk))


def with_single_prefixes(hunk: Hunk) -> Hunk | None:
    """Take one prefix off every removed and added line, if all have it twice (D34).

    `--old` and `++new` become `-old` and `+new`. None if some line has only one. Without a removed
    line both readings match at the same positions.
    """
    changed = [line for line in hunk.lines if line.prefix is not Prefix.CONTEXT]
    doubled = all(line.text.startswith(line.prefix.value.encode()) for line in changed)
    if not doubled or all(line.prefix is Prefix.ADDED for line in changed):
        return None
    lines = (
        line if line.prefix is Prefix.CONTEXT else line._replace(text=line.text[1:])
        for line in hunk.lines
    )
    return replace(hunk, lines=tuple(lines))


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
"""The escapes of strings in JSON and in programs, and of quotes and heredocs in shells."""


def unescaped(hunk: Hunk, escapes: Mapping[bytes, bytes]) -> Hunk | None:
    """Undo `escapes` in all lines of `hunk`, if it shows that they were escaped alike (D91).

    The lines to find, and the anchors, show which escapes were made. None if they show none, if an
    added line has one more, or if a line has a character as it is that others have escaped.
    """
    shown = _found((*hunk.preimage, *hunk.anchors), escapes)
    if not shown or _found(hunk.lines, escapes) - shown:
        return None
    undo = {escape: escapes[escape] for escape in shown}
    again = {character: escape for escape, character in undo.items()}
    if len(again) < len(undo):
        return None
    return _rewritten(hunk, partial(_substituted, table=undo), partial(_substituted, table=again))


def in_form(hunk: Hunk, form: _Form, other: _Form) -> Hunk | None:
    """Write the accented letters of `hunk` in another form, if all of them are in one (D91)."""
    if all(line.text.isascii() for line in hunk.preimage):
        return None
    return _rewritten(hunk, partial(_normalized, form=form), partial(_normalized, form=other))


def _normalized(text: bytes, form: _Form) -> bytes:
    decoded = text.decode("utf-8", "surrogateescape")
    return normalize(form, decoded).encode("utf-8", "surrogateescape")


def _rewritten(
    hunk: Hunk, rewrite: Callable[[bytes], bytes], back: Callable[[bytes], bytes]
) -> Hunk | None:
    """Rewrite all lines and anchors of `hunk`; None if `back` does not give them again."""
    before = [*(line.text for line in hunk.lines), *(anchor.text for anchor in hunk.anchors)]
    texts = [*map(rewrite, before)]
    if texts == before or [*map(back, texts)] != before:
        return None
    rewritten = iter(texts)
    lines = tuple(line._replace(text=next(rewritten)) for line in hunk.lines)
    anchors = tuple(anchor._replace(text=next(rewritten)) for anchor in hunk.anchors)
    return replace(hunk, lines=lines, anchors=anchors)


_NUMBERED = {
    separator: re.compile(rb"[ \t]*(\d{1,7})" + pattern + rb"(.*)", re.DOTALL)
    for separator, pattern in {
        "|": rb" ?\|",
        "| ": rb" ?\|(?: |$)",
        "tab": rb"\t",
        ":": rb":",
        ": ": rb":(?: |$)",
        "\u2192": rb"\xe2\x86\x92",
    }.items()
}
"""A line with its number, as tools show it: `12 | a`, `12<tab>a`, `12: a`, `12\u2192a`."""


def without_line_numbers(hunk: Hunk, separator: str) -> Hunk | None:
    """Take the line numbers off all lines of `hunk`, which were copied from a listing (D110).

    All old lines that are not blank must have one, and count on from the first; of the added lines,
    all or none, which count on from the old ones. The first number is the hunk's stated line.
    """
    pattern = _NUMBERED[separator]
    matches = [pattern.fullmatch(line.text) for line in hunk.lines]
    numbers = [int(match[1]) if match else None for match in matches]
    first = _first_number(hunk.lines, numbers)
    if first is None or not _added_count_on(hunk.lines, numbers, first):
        return None
    lines = (
        line._replace(text=match[2]) if match else line
        for line, match in zip(hunk.lines, matches, strict=True)
    )
    return replace(hunk, lines=tuple(lines), stated_start=first - 1)


def _first_number(lines: Sequence[Line], numbers: Sequence[int | None]) -> int | None:
    """Return the number of the first old line, by the numbers of all that are not blank."""
    old = [
        (line, number)
        for line, number in zip(lines, numbers, strict=True)
        if line.prefix is not Prefix.ADDED
    ]
    if any(number is None and line.text.strip() for line, number in old):
        return None
    firsts = {number - offset for offset, (_, number) in enumerate(old) if number is not None}
    return next(iter(firsts)) if len(firsts) == 1 and min(firsts) > 0 else None


def _added_count_on(lines: Sequence[Line], numbers: Sequence[int | None], first: int) -> bool:
    """Return whether the added lines have no numbers, or all have one that the hunk may have.

    Writers count them as new lines, as old ones, or on from the line above (D110). So a number is
    one of the hunk's, and none goes back in a run.
    """
    added = [
        number is not None
        for line, number in zip(lines, numbers, strict=True)
        if line.prefix is Prefix.ADDED and line.text.strip()
    ]
    if not any(added):
        return True
    least = first
    for line, number in zip(lines, numbers, strict=True):
        if line.prefix is not Prefix.ADDED:
            least = first
        elif number is not None:
            if not least <= number <= first + len(lines):
                return False
            least = number
    return all(added)


def _found(lines: Iterable[Line | Anchor], escapes: Mapping[bytes, bytes]) -> set[bytes]:
    """Return those of `escapes` that are in `lines`."""
    pattern = _any_of(tuple(escapes))
    return {match for line in lines for match in pattern.findall(line.text)}


def _substituted(text: bytes, table: Mapping[bytes, bytes]) -> bytes:
    return _any_of(tuple(table)).sub(lambda match: table[match[0]], text)


@cache
def _any_of(texts: tuple[bytes, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(map(re.escape, texts)))


SLIPS = (
    Slip(
        with_single_prefixes,
        "its prefixes were doubled: `--` was read as `-` and `++` as `+`",
    ),
    Slip(partial(unescaped, escapes=_ENTITIES), "its lines were escaped: `&lt;` was read as `<`"),
    Slip(
        partial(unescaped, escapes=_BACKSLASHES),
        'its lines were escaped: `\\"` was read as `"`',
    ),
    *(
        Slip(
            partial(without_line_numbers, separator=separator),
            "its lines had line numbers in front",
        )
        for separator in _NUMBERED
    ),
    Slip(
        partial(in_form, form="NFC", other="NFD"),
        "its accented letters were decomposed (NFD)",
    ),
    Slip(
        partial(in_form, form="NFD", other="NFC"),
        "its accented letters were composed (NFC)",
    ),
)
"""The slips that may go through all lines of a hunk, and how each is undone."""
