"""Headings are read in parts of a file, and left out where another hunk wrote them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import OutlineKind, heading_at
from git_opatch.model.text import Text

_HEADINGS = (
    "def f():|  def g():|class A:|# Title|## Part|Title|=====||x = 1|key:|[table]|static int|"
    "compare(int a,|    int b)|{|void f(int a) {|}|const f = (a) => {|f = function () {|== wiki|"
    "return f(a) {|if (a) {"
)
_heading_line = st.sampled_from(_HEADINGS.split("|"))


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
    lines, written = [line.encode() for line in drawn], [range(at, at + 2) for at in changed]
    every = [
        at
        for at in range(len(lines))
        if heading_at(lines, at) is kind and not any(at in each for each in written)
    ]
    found = FileIndex(Text(lines), [], written=written).headings(kind, start, stop)
    assert list(found) == [at for at in every if start <= at < stop]
