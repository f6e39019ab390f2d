"""The forms in which lines are compared, each looser than the one before."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parameters import named

from git_opatch.locate.likeness import likeness_of
from git_opatch.locate.line_forms import key_of, resilient, spaced_once, typographic
from git_opatch.model.placement import Likeness

# Characters that the tiers treat specially, and letters whose case is special.
_line = st.text(
    st.sampled_from("aB \t#`.:;!?-*'\"\u2019\u201c\u2014\u2026\u00a0\u0130\u00c9\u03a3")
)


@given(_line, _line)
def test_each_tier_includes_the_tier_before(left: str, right: str) -> None:
    forms = (bytes, resilient, typographic, key_of)
    same = [form(left.encode()) == form(right.encode()) for form in forms]
    assert same == sorted(same)


@given(_line)
def test_equal_at_one_tier_is_equal_at_the_next(line: str) -> None:
    spaced = f" {line}".replace(" ", " \t ").encode()
    assert resilient(spaced) == resilient(line.encode())
    assert key_of(spaced) == key_of(line.encode())
    assert key_of(f"{line}x.".encode()) == key_of(f"{line}X".encode())


@given(_line)
def test_resilient_normalization_is_idempotent(line: str) -> None:
    assert resilient(resilient(line.encode())) == resilient(line.encode())
    assert key_of(resilient(line.encode())) == key_of(line.encode())


@given(_line.map(lambda line: line.replace("#", "")))
def test_fuzzy_normalization_is_idempotent(line: str) -> None:
    assert key_of(key_of(line.encode())) == key_of(line.encode())


@named(
    "line, found, expected",
    {
        "nothing": ("  a", "  a", Likeness.EXACT),
        "the indentation": ("a", "\ta", Likeness.INDENTATION),
        "a space at the end": ("a", "a ", Likeness.WHITESPACE),
        "spaces inside and in front": ("a b", "  a  b", Likeness.WHITESPACE),
        "the level of a heading": ("# a", "## a", Likeness.HEADING_LEVEL),
        "letter case": ("a", " A", Likeness.CASE),
        "the case of another letter": ("\u00e9", "\u00c9", Likeness.CASE),
        "punctuation": ("a", "A.", Likeness.TEXT),
        "quotes": ("'a'", "\u2018a\u2019", Likeness.TEXT),
        "backticks": ("a", "`a`", Likeness.TEXT),
        "the beginning": ("the end of it", "not the end of it", None),
    },
)
def test_the_difference_between_two_lines_is_named(
    line: str, found: str, expected: Likeness | None
) -> None:
    assert likeness_of(line.encode(), found.encode()) is expected


@pytest.mark.parametrize("seed", range(5))
def test_a_long_line_is_compared_like_a_short_one(seed: int) -> None:
    pieces = random.Random(seed).choices([b"ab", b" ", b"  ", b"\t", b"\v\f", b"\r", b"# "], k=9000)
    line = b"".join(pieces)
    assert len(line) > 8192
    assert spaced_once(line) == b" ".join(line.split())


def test_a_long_line_takes_little_memory() -> None:
    line = b"word  " * 200_000 + b"end"
    tracemalloc.start()
    try:
        form = resilient(line)
        assert tracemalloc.get_traced_memory()[1] < 6 * len(line)
    finally:
        tracemalloc.stop()
    assert form == b"word " * 200_000 + b"end"


def test_a_line_that_is_in_its_form_is_not_copied() -> None:
    line = b"a line"
    assert resilient(line) is line
