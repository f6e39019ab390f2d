"""Runs of lines are found at all their positions, whatever their line endings."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch.locate import locate_hunks
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.limits import MANY
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.text import Text

A, B, C = b"a", b"b", b""

_lines = st.one_of(
    st.lists(st.sampled_from([A, B, C]), max_size=12),
    st.tuples(st.lists(st.sampled_from([A, B]), max_size=3), st.integers(1, 90)).map(
        lambda drawn: drawn[0] * drawn[1] + [C]
    ),
)
_pattern = st.lists(st.sampled_from([A, B, C, b"other"]), min_size=1, max_size=4)

_STRICT = Matching(Tier.STRICT, can_choose=False)


def places(lines: Sequence[bytes], pattern: Sequence[bytes]) -> list[int]:
    return FileIndex(Text(list(lines)), []).runs(list(pattern))


def slow_places(lines: Sequence[bytes], pattern: Sequence[bytes]) -> list[int]:
    size = len(pattern)
    return [at for at in range(len(lines)) if list(lines[at : at + size]) == list(pattern)]


def found(content: bytes, *lines: bytes, uniform_endings: bool = True) -> Placement | None:
    hunk_lines = tuple(Line(Prefix(line[:1].decode()), line[1:]) for line in lines)
    (verdict,) = locate_hunks(
        [Hunk(hunk_lines, uniform_endings=uniform_endings)], Text.from_bytes(content), _STRICT
    )
    return verdict if isinstance(verdict, Placement) else None


@pytest.mark.parametrize(
    ("lines", "pattern", "expected"),
    [
        pytest.param([A, B, C], [A], [0], id="at the start"),
        pytest.param([A, B, C], [B, C], [1], id="at the end"),
        pytest.param([A, B, C], [A, B, C], [0], id="the whole file"),
        pytest.param([A, B, A, B], [A, B], [0, 2], id="twice"),
        pytest.param([A, A, A], [A, A], [0, 1], id="over itself"),
        pytest.param([A] * 100, [A] * 99, [0, 1], id="over itself, in frequent lines"),
        pytest.param([A, C, B, C], [C], [1, 3], id="an empty line"),
        pytest.param([A] * 100 + [B], [A, B], [99], id="a rare line behind frequent ones"),
        pytest.param([B] + [A] * 100, [B, A, A], [0], id="a rare line before frequent ones"),
        pytest.param([A, B] * 100 + [A, A], [A, A], [200], id="a rare pair of frequent lines"),
    ],
)
def test_all_positions_are_found(
    lines: list[bytes], pattern: list[bytes], expected: list[int]
) -> None:
    assert places(lines, pattern) == expected


@pytest.mark.parametrize(
    ("lines", "pattern"),
    [
        pytest.param([], [A], id="an empty file"),
        pytest.param([A], [A, A], id="a pattern longer than the file"),
        pytest.param([A, B], [B, A], id="the wrong order"),
        pytest.param([A, B, C], [A, C], id="not next to each other"),
        pytest.param([A, B], [B, C], id="past the end"),
        pytest.param([B, A], [C, B], id="before the start"),
        pytest.param([A], [b"A"], id="another letter case"),
        pytest.param([A], [b" a"], id="a space in front"),
        pytest.param([A], [b"a "], id="a space behind"),
        pytest.param([b"\t"], [C], id="a tab for an empty line"),
        pytest.param([b"ab"], [A], id="a part of a line"),
        pytest.param([A] * 100, [A, B], id="one line nowhere beside frequent ones"),
        pytest.param([A, B] * 100, [A, A], id="frequent lines in another order"),
    ],
)
def test_a_missing_pattern_is_not_found(lines: list[bytes], pattern: list[bytes]) -> None:
    assert places(lines, pattern) == []


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
        assert FileIndex(Text(lines), []).places_of(keys) == slow_places(solid, keys)


def test_listing_stops_one_position_past_the_limit() -> None:
    lines = [A] * (MANY + 5)
    assert places(lines, [A, A]) == list(range(MANY + 1))
    assert places(lines[:-5], [A]) == list(range(MANY))


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((b" ", b" a", b"-b"), id="in front"),
        pytest.param((b" a", b" ", b"-b"), id="inside"),
        pytest.param((b" a", b"-b", b"-"), id="removed"),
        pytest.param((b" a", b"-b", b" "), id="at the end"),
        pytest.param((b" a", b"-b", b"  "), id="a line of a space"),
    ],
)
def test_no_line_is_dropped(lines: tuple[bytes, ...]) -> None:
    assert found(b"a\nb\n", *lines) is None


@pytest.mark.parametrize(
    ("content", "lines", "uniform_endings"),
    [
        pytest.param(b"a\r\nb\r\n", (b" a", b"-b"), True, id="only in the file"),
        pytest.param(b"a\r\nb", (b" a", b"-b"), True, id="only in the file, not at its end"),
        pytest.param(b"a\r\nb\r\n", (b" a\r", b"-b\r"), False, id="in both"),
        pytest.param(b"a\r\nb\r\n", (b" a\r", b"-b"), False, id="in some lines of the patch"),
        pytest.param(b"a\r\nb\n", (b" a\r", b"-b"), False, id="as in a mixed file"),
        pytest.param(b"a\nb\n", (b" a", b"-b"), True, id="nowhere"),
    ],
)
def test_a_carriage_return_on_every_line_is_not_content(
    content: bytes, lines: tuple[bytes, ...], uniform_endings: bool
) -> None:
    placement = found(content, *lines, uniform_endings=uniform_endings)
    assert placement is not None
    assert (placement.start, placement.evidence.value) == (0, "unique")


@pytest.mark.parametrize(
    ("content", "lines", "uniform_endings"),
    [
        pytest.param(b"a\r\nb\n", (b" a", b"-b"), True, id="the file has it in some lines"),
        pytest.param(b"a\nb\r\n", (b" a\r", b"-b"), False, id="in other lines"),
        pytest.param(b"a\r\r\nb\r\n", (b" a", b"-b"), True, id="two, of which one is content"),
        pytest.param(b"a\rb\n", (b" a", b"-b"), True, id="no newline after it"),
    ],
)
def test_a_carriage_return_on_some_lines_is_content(
    content: bytes, lines: tuple[bytes, ...], uniform_endings: bool
) -> None:
    assert found(content, *lines, uniform_endings=uniform_endings) is None


@pytest.mark.parametrize(
    ("content", "lines", "start"),
    [
        pytest.param(b"b\nb\r\n", (b"-b\r", b"+c\r"), 1, id="the line that has it"),
        pytest.param(b"b\nb\r\n", (b"-b", b"+c\r"), 0, id="the line that has it not"),
    ],
)
def test_line_endings_are_compared_in_a_mixed_file(
    content: bytes, lines: tuple[bytes, ...], start: int
) -> None:
    placement = found(content, *lines, uniform_endings=False)
    assert placement is not None
    assert placement.start == start


@pytest.mark.parametrize(
    ("content", "lines", "uniform_endings", "kept"),
    [
        pytest.param(b"a\r\nb\r\n", (b" a\r", b"+c"), False, True, id="they match and differ"),
        pytest.param(b"a\r\nb\r\n", (b" a", b"+c\r"), False, False, id="they do not match"),
        pytest.param(b"a\r\nb\r\n", (b" a", b"+c"), True, False, id="all lines end alike"),
        pytest.param(b"a\r\nb\n", (b" a\r", b"+c"), False, True, id="a mixed file"),
    ],
)
def test_line_endings_are_content_where_they_differ_and_match(
    content: bytes, lines: tuple[bytes, ...], uniform_endings: bool, kept: bool
) -> None:
    placement = found(content, *lines, uniform_endings=uniform_endings)
    assert placement is not None
    assert placement.verbatim_endings is kept
