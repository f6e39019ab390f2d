"""The rules by which one indentation is told in terms of another.

style   a tab for so many blanks, or back
shift   a prefix added or cut
ratio   so many blanks for so many blanks
both    a style, then a shift, where nothing simpler explains all pairs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import gcd

Pair = tuple[bytes, bytes]
"""The indentation of a line in the patch, and of the same line in the file."""

Rule = Callable[[bytes], bytes | None]
"""Tells the patch's indentation as the file's; None if there is less than it cuts."""

_WIDTHS = (4, 2, 8, 1, 3, 5, 6, 7)


def rules_for(pairs: Sequence[Pair]) -> list[Rule]:
    """The rules that explain all of `pairs`, in the order in which they are preferred."""
    simple = [rule for rule in _simple(pairs) if explains(rule, pairs)]
    return simple or [rule for rule in _both(pairs) if explains(rule, pairs)]


def explains(rule: Rule, pairs: Sequence[Pair]) -> bool:
    """Whether the rule gives the file's indentation for each of `pairs`."""
    return all(rule(patch) == found for patch, found in pairs)


def _simple(pairs: Sequence[Pair]) -> Iterator[Rule]:
    yield from STYLES
    yield from _shifts(pairs)
    yield from _ratios(pairs)


def _both(pairs: Sequence[Pair]) -> Iterator[Rule]:
    """A style and then a shift, for pairs that neither explains alone."""
    for style in STYLES:
        told = [(style(patch) or b"", found) for patch, found in pairs]
        for shift in _shifts(told):
            yield _then(style, shift)


def _then(one: Rule, two: Rule) -> Rule:
    return lambda indent: two(one(indent) or b"")


def _tabs(width: int) -> Rule:
    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(b" ")
        tabs, blanks = divmod(len(indent) - len(rest), width)
        return b"\t" * tabs + b" " * blanks + rest

    return apply


def _blanks(width: int) -> Rule:
    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(b"\t")
        return b" " * (width * (len(indent) - len(rest))) + rest

    return apply


STYLES = (*map(_tabs, _WIDTHS), *map(_blanks, _WIDTHS))


def _shifts(pairs: Sequence[Pair]) -> Iterator[Rule]:
    for patch, found in islice((pair for pair in pairs if pair[0] != pair[1]), 1):
        if found.endswith(patch):
            yield _added(found[: len(found) - len(patch)])
        elif patch.endswith(found):
            yield _cut(patch[: len(patch) - len(found)])


def _added(prefix: bytes) -> Rule:
    return lambda indent: prefix + indent


def _cut(prefix: bytes) -> Rule:
    return lambda indent: indent.removeprefix(prefix) if indent.startswith(prefix) else None


def _ratios(pairs: Sequence[Pair]) -> Iterator[Rule]:
    for patch, found in islice((pair for pair in pairs if all(pair) and pair[0] != pair[1]), 1):
        if set(patch) == set(found) and len(set(patch)) == 1:
            common = gcd(len(patch), len(found))
            widths = len(patch) // common, len(found) // common
            if max(widths) <= max(_WIDTHS):  # no level is wider
                yield _scaled(*widths, patch[:1])


def _scaled(patch: int, found: int, unit: bytes) -> Rule:
    """So many units in the file for so many in the patch."""

    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(unit)
        levels, odd = divmod(len(indent) - len(rest), patch)
        return unit * (levels * found + odd) + rest

    return apply
