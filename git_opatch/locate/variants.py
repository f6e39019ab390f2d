"""Transformations of a whole hunk: what it says if one slip went through all of its lines.

It must not look at the file, nor undo a slip in some of the lines alone.

One hand wrote both sides, so a transformation holds for the added lines, too. Each function below
returns the hunk as it was meant, or None where the hunk shows no such slip. Those in the text of
the lines alone, such as escapes, are `forms`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from git_opatch.locate.forms import hunk_forms
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Repair

CONTEXT, REMOVED, ADDED = Prefix.CONTEXT, Prefix.REMOVED, Prefix.ADDED


Variant = tuple[Hunk, Repair]
"""A hunk as it may have been meant, and what was undone."""


def variants_of(hunk: Hunk, file: bytes) -> Iterator[Variant]:
    """Yield the variants of `hunk` for `file`, none of which equals it."""
    for undo, repair in _SLIPS:
        variant = undo(hunk)
        if variant is not None and variant.lines != hunk.lines:
            yield variant, repair
    yield from hunk_forms(hunk, file)


def _with_texts(hunk: Hunk, change: Callable[[Line], bytes]) -> Hunk:
    lines = tuple(line._replace(text=change(line)) for line in hunk.lines)
    return replace(hunk, lines=lines)


def _lost_prefixes(hunk: Hunk) -> Hunk | None:
    """Context without prefixes: where some lines show that, the others lost a space of theirs."""
    if not any(line.text.strip() and not line.has_prefix for line in hunk.lines):
        return None
    return _with_texts(hunk, lambda line: b" " + line.text if _may_be_short(line) else line.text)


def _may_be_short(line: Line) -> bool:
    return line.prefix is CONTEXT and line.has_prefix and line.text != b""


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
    rows = [(line, pattern.fullmatch(line.text)) for line in hunk.lines]
    old = [(line, match) for line, match in rows if line.prefix is not ADDED]
    if any(match is None and line.text.strip() for line, match in old):
        return None
    firsts = {int(match[1]) - at for at, (_, match) in enumerate(old) if match}
    if len(firsts) != 1 or (first := firsts.pop()) < 1:
        return None
    added = [match for line, match in rows if line.prefix is ADDED and line.text.strip()]
    numbers = [int(match[1]) for match in added if match]
    most = first + len(rows)
    if numbers and not (len(numbers) == len(added) and _count_on(numbers, first, most)):
        return None
    lines = tuple([line._replace(text=match[2]) if match else line for line, match in rows])
    return replace(hunk, lines=lines, stated_start=first - 1)


def _count_on(numbers: Sequence[int], first: int, most: int) -> bool:
    return numbers == sorted(numbers) and first <= numbers[0] and numbers[-1] <= most


_SLIPS: tuple[tuple[Callable[[Hunk], Hunk | None], Repair], ...] = (
    (_lost_prefixes, Repair.LOST_PREFIXES),
    (_doubled, Repair.DOUBLED_PREFIXES),
    (_spaced, Repair.SPACED_PREFIXES),
    *((partial(_numbered, pattern=each), Repair.NUMBERED) for each in _NUMBERED),
)
