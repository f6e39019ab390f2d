"""The rules that turn an indentation of the patch into that of the file (D41).

It must not see lines: only the pairs of indentation that they show.

style   a tab for so many spaces, or back
shift   a prefix added or cut
ratio   so many spaces for so many spaces
both    a style, then a shift, where nothing simpler explains all pairs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import gcd

Pair = tuple[bytes, bytes]
"""The indentation of a line in the patch, and of the same line in the file."""

IndentRule = Callable[[bytes], bytes | None]
"""Turns the patch's indentation into the file's; None if there is less than it cuts."""

_WIDTHS = (4, 2, 8)


def rules_for(pairs: Sequence[Pair]) -> list[IndentRule]:
    """Return the rules that explain all of `pairs`, the simple ones if there are any.

    A ratio is not combined with a shift: the two explain nearly any depths.
    """
    rules = (*STYLES, *_shifts(pairs), *_ratios(pairs))
    simple = [rule for rule in rules if explains(rule, pairs)]
    return simple or [rule for rule in _shifted_styles(pairs) if explains(rule, pairs)]


def explains(rule: IndentRule, pairs: Sequence[Pair]) -> bool:
    """Return whether the rule gives the file's indentation for each of `pairs`."""
    return all(rule(in_patch) == in_file for in_patch, in_file in pairs)


def _shifted_styles(pairs: Sequence[Pair]) -> Iterator[IndentRule]:
    for style in STYLES:
        changed = [(style(in_patch) or b"", in_file) for in_patch, in_file in pairs]
        for shift in _shifts(changed):
            yield _chained(style, shift)


def _chained(first: IndentRule, second: IndentRule) -> IndentRule:
    return lambda indent: second(first(indent) or b"")


def _spaces_to_tabs(width: int) -> IndentRule:
    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(b" ")
        tabs, spaces = divmod(len(indent) - len(rest), width)
        return b"\t" * tabs + b" " * spaces + rest

    return apply


def _tabs_to_spaces(width: int) -> IndentRule:
    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(b"\t")
        return b" " * (width * (len(indent) - len(rest))) + rest

    return apply


STYLES = (*map(_spaces_to_tabs, _WIDTHS), *map(_tabs_to_spaces, _WIDTHS))


def _shifts(pairs: Sequence[Pair]) -> Iterator[IndentRule]:
    for in_patch, in_file in islice((pair for pair in pairs if pair[0] != pair[1]), 1):
        if in_file.endswith(in_patch):
            yield _adding(in_file[: len(in_file) - len(in_patch)])
        elif in_patch.endswith(in_file):
            yield _cutting(in_patch[: len(in_patch) - len(in_file)])


def _adding(prefix: bytes) -> IndentRule:
    return lambda indent: prefix + indent


def _cutting(prefix: bytes) -> IndentRule:
    return lambda indent: indent.removeprefix(prefix) if indent.startswith(prefix) else None


def _ratios(pairs: Sequence[Pair]) -> Iterator[IndentRule]:
    for in_patch, in_file in islice(
        (pair for pair in pairs if all(pair) and pair[0] != pair[1]), 1
    ):
        if set(in_patch) == set(in_file) and len(set(in_patch)) == 1:
            common = gcd(len(in_patch), len(in_file))
            widths = len(in_patch) // common, len(in_file) // common
            is_whole = all(len(indent) % widths[0] <= _ALIGNED for indent, _ in pairs)
            least = len(in_patch.lstrip(b"\t")) and _ALIGNED
            is_exact = any(a == b and len(a) > least for a, b in pairs)
            if is_whole and not is_exact and max(widths) <= max(_WIDTHS):  # no level is wider
                yield _scaling(*widths, in_patch[:1])


_ALIGNED = 1
"""So many spaces beyond whole levels may be in front of the `*` of a comment."""


def _scaling(in_patch: int, in_file: int, unit: bytes) -> IndentRule:
    """Return the rule that makes `in_file` units of every `in_patch` units."""

    def apply(indent: bytes) -> bytes:
        rest = indent.lstrip(unit)
        levels, odd = divmod(len(indent) - len(rest), in_patch)
        return unit * (levels * in_file + odd) + rest

    return apply
