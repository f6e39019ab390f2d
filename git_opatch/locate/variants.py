r"""Transformations of a whole hunk: what it says if one slip went through all of its lines.

One hand wrote both sides, so a transformation holds for the added lines, too. Each function below
returns the hunk as it was meant, or None where the hunk shows no such slip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from itertools import groupby
from typing import NamedTuple
from unicodedata import normalize

from git_opatch.locate.forms import hunk_forms
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Hunk, Line, Prefix

CONTEXT, REMOVED, ADDED = Prefix.CONTEXT, Prefix.REMOVED, Prefix.ADDED


class Variant(NamedTuple):
    """A hunk as it may have been meant, and what was undone, in words."""

    hunk: Hunk
    repair: str = ""


def variants_of(hunk: Hunk) -> Iterator[Variant]:
    """Yield the variants of `hunk`, none of which equals it."""
    for undo, repair in SLIPS:
        variant = undo(hunk)
        if variant is not None and variant.lines != hunk.lines:
            yield Variant(variant, repair)
    yield from (Variant(variant, note) for variant, note in hunk_forms(hunk))


def settled(hunk: Hunk) -> Hunk:
    """Return `hunk` with the lines that it removes and adds again as context."""
    lines: list[Line] = []
    for is_context, group in groupby(hunk.lines, key=lambda line: line.prefix is CONTEXT):
        run = list(group)
        lines += run if is_context else _without_both(run)
    return hunk if lines == list(hunk.lines) else replace(hunk, lines=tuple(lines))


def _without_both(run: Sequence[Line]) -> Iterator[Line]:
    old = [line for line in run if line.prefix is REMOVED]
    new = [line for line in run if line.prefix is ADDED]
    gone, come = ([(line.text, line.newline) for line in side] for side in (old, new))
    if len(run) > MANY or set(gone).isdisjoint(come):
        yield from run
        return
    for tag, a, b, c, d in SequenceMatcher(None, gone, come, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (line._replace(prefix=CONTEXT) for line in old[a:b])
        else:
            yield from (*old[a:b], *new[c:d])


def _with_texts(hunk: Hunk, change: Callable[[Line], bytes]) -> Hunk:
    lines = tuple(line._replace(text=change(line)) for line in hunk.lines)
    return replace(hunk, lines=lines)


def _lost_prefixes(hunk: Hunk) -> Hunk | None:
    """Context without prefixes: where some lines show that, the others lost a space of theirs."""
    if not any(line.text.strip() and not line.has_prefix for line in hunk.lines):
        return None
    is_short = [line.prefix is CONTEXT and line.has_prefix and line.text for line in hunk.lines]
    rows = zip(hunk.lines, is_short, strict=True)
    lines = (line._replace(text=b" " + line.text) if short else line for line, short in rows)
    return replace(hunk, lines=tuple(lines))


def _doubled(hunk: Hunk) -> Hunk | None:
    changed = [line for line in hunk.lines if line.prefix is not CONTEXT]
    doubled = all(line.text.startswith(line.prefix.value.encode()) for line in changed)
    if not doubled or all(line.prefix is ADDED for line in changed):
        return None
    return _with_texts(hunk, lambda line: line.text[line.prefix is not CONTEXT :])


def _spaced(hunk: Hunk) -> Hunk | None:
    """A space between the prefix and the text of every changed line, which without it is at an even
    depth: where some lines are and others are not, some had no such space."""
    changed = [line for line in hunk.lines if line.prefix is not CONTEXT and line.text.strip()]
    if all(line.prefix is ADDED for line in changed):
        return None
    if any((len(line.text) - len(line.text.lstrip(b" "))) % 2 == 0 for line in changed):
        return None
    return _with_texts(
        hunk,
        lambda line: line.text if line.prefix is CONTEXT else line.text.removeprefix(b" "),
    )


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


def _unescaped(hunk: Hunk, escapes: Mapping[bytes, bytes]) -> Hunk | None:
    """Undo the escapes that the old lines show, if no line has any of their characters bare."""
    find = re.compile(b"|".join(map(re.escape, escapes)))
    texts = (*(line.text for line in hunk.preimage), *(each.text for each in hunk.anchors))
    shown = {match for text in texts for match in find.findall(text)}
    if not shown or any(not shown.issuperset(find.findall(line.text)) for line in hunk.lines):
        return None
    undo = {escape: escapes[escape] for escape in shown}
    again = {character: escape for escape, character in undo.items()}
    if len(again) < len(undo):
        return None
    there = re.compile(b"|".join(map(re.escape, undo)))
    back = re.compile(b"|".join(map(re.escape, again)))
    return _rewritten(
        hunk,
        lambda text: there.sub(lambda match: undo[match[0]], text),
        lambda text: back.sub(lambda match: again[match[0]], text),
    )


def _normalized(text: bytes, form: str) -> bytes:
    decoded = text.decode("utf-8", "surrogateescape")
    return normalize(form, decoded).encode("utf-8", "surrogateescape")  # type: ignore[arg-type]


def _in_form(hunk: Hunk, form: str, other: str) -> Hunk | None:
    if all(line.text.isascii() for line in hunk.preimage):
        return None
    return _rewritten(hunk, partial(_normalized, form=form), partial(_normalized, form=other))


def _rewritten(
    hunk: Hunk, rewrite: Callable[[bytes], bytes], back: Callable[[bytes], bytes]
) -> Hunk | None:
    """Rewrite all lines and anchors; None if `back` does not give them again."""
    before = [*(line.text for line in hunk.lines), *(anchor.text for anchor in hunk.anchors)]
    if [back(rewrite(text)) for text in before] != before:
        return None
    anchors = tuple(anchor._replace(text=rewrite(anchor.text)) for anchor in hunk.anchors)
    return replace(_with_texts(hunk, lambda line: rewrite(line.text)), anchors=anchors)


_NUMBERED = [
    re.compile(rb"[ \t]*(\d{1,7})" + separator + rb"(.*)", re.DOTALL)
    for separator in (
        *(rb" ?\|", rb" ?\|(?: |$)", rb"\t", rb":", rb":(?: |$)", rb"\xe2\x86\x92"),
        rb"(?: |$)",
    )
]
"""A line with its number, as tools show it: `12 | a`, `12: a`, as `cat -n`."""


def _numbered(hunk: Hunk, pattern: re.Pattern[bytes]) -> Hunk | None:
    """Take off line numbers: all old lines have one and count on; of the added ones, all or none,
    each one that the hunk may have."""
    matches = [pattern.fullmatch(line.text) for line in hunk.lines]
    rows = [
        (line, match, at) for at, (line, match) in enumerate(zip(hunk.lines, matches, strict=True))
    ]
    old = [(line, match) for line, match, _ in rows if line.prefix is not ADDED]
    if any(match is None and line.text.strip() for line, match in old):
        return None
    firsts = {int(match[1]) - at for at, (_, match) in enumerate(old) if match}
    if len(firsts) != 1 or (first := firsts.pop()) < 1:
        return None
    added = [match for line, match, _ in rows if line.prefix is ADDED and line.text.strip()]
    numbers = [int(match[1]) for match in added if match]
    most = first + len(rows)
    if numbers and not (len(numbers) == len(added) and _count_on(numbers, first, most)):
        return None
    lines = ((match and line._replace(text=match[2])) or line for line, match, _ in rows)
    return replace(hunk, lines=tuple(lines), stated_start=first - 1)


def _count_on(numbers: Sequence[int], first: int, most: int) -> bool:
    return numbers == sorted(numbers) and first <= numbers[0] and numbers[-1] <= most


class Slip(NamedTuple):
    """A slip that goes through a whole hunk: how it is undone, and in words."""

    undo: Callable[[Hunk], Hunk | None]
    repair: str


SLIPS = (
    Slip(_lost_prefixes, "its context lacked its prefixes"),
    Slip(_doubled, "its prefixes were doubled: `--` was read as `-` and `++` as `+`"),
    Slip(_spaced, "its changed lines had a space after their prefixes"),
    Slip(partial(_unescaped, escapes=_ENTITIES), "its lines were escaped: `&lt;` was read as `<`"),
    Slip(
        partial(_unescaped, escapes=_BACKSLASHES), 'its lines were escaped: `\\"` was read as `"`'
    ),
    *(
        Slip(partial(_numbered, pattern=each), "its lines had line numbers in front")
        for each in _NUMBERED
    ),
    Slip(partial(_in_form, form="NFC", other="NFD"), "its accented letters were decomposed (NFD)"),
    Slip(partial(_in_form, form="NFD", other="NFC"), "its accented letters were composed (NFC)"),
)
