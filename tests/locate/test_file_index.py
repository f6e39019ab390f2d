"""Runs of lines are found at all their positions, as by a linear search."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from git_opatch.locate.file_index import FileIndex
from git_opatch.model.limits import MANY
from git_opatch.model.text import Text

A, B, C = b"a", b"b", b""

_lines = st.one_of(
    st.lists(st.sampled_from([A, B, C]), max_size=12),
    st.tuples(st.lists(st.sampled_from([A, B]), max_size=3), st.integers(1, 90)).map(
        lambda drawn: drawn[0] * drawn[1] + [C]
    ),
)
_pattern = st.lists(st.sampled_from([A, B, C, b"other"]), min_size=1, max_size=4)


def places(lines: Sequence[bytes], pattern: Sequence[bytes]) -> list[int]:
    return [*FileIndex(Text(list(lines)), []).runs(pattern)]


def slow_places(lines: Sequence[bytes], pattern: Sequence[bytes]) -> list[int]:
    size = len(pattern)
    return [at for at in range(len(lines)) if list(lines[at : at + size]) == list(pattern)]


@given(_lines, st.lists(_pattern, min_size=1, max_size=3))
def test_the_index_finds_the_same_as_a_linear_search(
    lines: list[bytes], patterns: list[list[bytes]]
) -> None:
    file = FileIndex(Text(lines), [])
    for pattern in patterns:
        assert file.runs(pattern) == slow_places(lines, pattern)


@given(_lines, st.sampled_from([A, B, b"other"]))
def test_lines_that_have_a_text_are_those_of_a_linear_search(
    lines: list[bytes], text: bytes
) -> None:
    found = FileIndex(Text(lines), []).containing(text)
    assert found == [at for at, line in enumerate(lines) if text in line]


@given(_lines, _pattern)
def test_lines_with_keys_are_found_without_the_blank_ones(
    lines: list[bytes], pattern: list[bytes]
) -> None:
    keys, solid = [line for line in pattern if line], [line for line in lines if line]
    if keys:
        assert FileIndex(Text(lines), []).by_key.runs(keys) == slow_places(solid, keys)


def test_listing_stops_one_position_past_the_limit() -> None:
    lines = [A] * (MANY + 5)
    assert places(lines, [A, A]) == list(range(MANY + 1))
    assert places(lines[:-5], [A]) == list(range(MANY))
