"""What is read of a file only where a hunk asks for it is what reading all of it would find."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch.locate.anchor import is_in_scope, scope_end
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.headings import Headings
from git_opatch.locate.outline import OutlineKind, heading_at
from git_opatch.model.options import Tier
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.text import Text

_HEADINGS = (
    "def f():|  def g():|class A:|# Title|## Part|Title|=====||x = 1|key:|[table]|static int|"
    "compare(int a,|    int b)|{|void f(int a) {|}|const f = (a) => {|f = function () {|== wiki|"
    "return f(a) {|if (a) {"
)
_heading_line = st.sampled_from(_HEADINGS.split("|"))
_tricky = st.text(st.sampled_from("aB \t#`.:!?'\u2019\u2026\u00a0\u0130\u212a"), max_size=8)
_some_lines = st.lists(_tricky, min_size=1, max_size=4).filter(
    lambda lines: any(line.encode().strip() for line in lines)
)


def encoded(lines: Sequence[str]) -> list[bytes]:
    return [line.encode() for line in lines]


@given(
    st.lists(_heading_line, max_size=80),
    st.lists(st.integers(0, 80), max_size=2),
    st.sampled_from(OutlineKind),
    st.integers(0, 80),
    st.integers(0, 90),
)
def test_headings_are_those_of_the_whole_file(
    drawn: list[str], changed: list[int], kind: OutlineKind, start: int, stop: int
) -> None:
    lines, written = encoded(drawn), [range(at, at + 2) for at in changed]
    headings = Headings(lines, written)
    every = [
        at
        for at in range(len(lines))
        if heading_at(lines, at) is kind and not any(at in each for each in written)
    ]
    assert list(headings.between(kind, start, stop)) == [at for at in every if start <= at < stop]
    assert headings.first(kind, start) == next((at for at in every if at >= start), len(lines))
    assert list(headings.of(kind)) == every


@given(
    st.lists(_heading_line, min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 45)), max_size=8),
)
def test_a_scope_read_in_parts_ends_where_it_ends(
    drawn: list[str], asked: list[tuple[int, int]]
) -> None:
    index, whole = (FileIndex(Text(encoded(drawn)), []) for _ in range(2))
    for first, position in asked:
        heading = first % len(drawn)
        is_inside = scope_end(heading, whole) >= position
        assert is_in_scope(position, heading, index) == is_inside
        if position % 5 == 0:
            assert scope_end(heading, index) == scope_end(heading, whole)


@pytest.mark.parametrize("tier", [Tier.RESILIENT, Tier.FUZZY])
@given(st.lists(_tricky, max_size=12), _some_lines, st.booleans())
def test_a_loose_search_finds_what_the_normal_forms_of_all_lines_find(
    tier: Tier, drawn: list[str], sought: list[str], repeat: bool
) -> None:
    lines = tuple(Line(Prefix.CONTEXT, line.encode()) for line in sought)
    text = Text(encoded([*drawn, *(line.swapcase() for line in sought), *sought * repeat]))
    slow = FileIndex(text, [Hunk(lines)]).view(tier).find_line_by_line(lines)
    assert list(FileIndex(text, [Hunk(lines)]).find_at_tier(lines, tier)) == slow


def test_a_word_on_many_lines_is_searched_for_in_the_normal_forms() -> None:
    lines = tuple(Line(Prefix.CONTEXT, line) for line in (b"end ", b"end"))
    index = FileIndex(Text([b"end"] * 1500), [Hunk(lines)])
    assert list(index.find_at_tier(lines, Tier.RESILIENT)) == list(range(1499))


@pytest.mark.parametrize("count", [1, 9])
def test_variants_of_hunks_are_found_and_their_anchors(count: int) -> None:
    hunk = Hunk((Line(Prefix.CONTEXT, b"a &lt; b"),), (Anchor(b"if (c &lt; d)"),))
    index = FileIndex(Text([b"  if (c < d)", b"a < b", b"e"]), [hunk] * count)
    assert index.find([Line(Prefix.CONTEXT, b"a < b")]) == [1]
    assert list(index.trimmed_to(b"if (c < d)")) == [0]
    assert list(index.trimmed_to(b"if (c &lt; d)")) == []
