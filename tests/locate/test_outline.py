"""Which lines are headings, which names they have, and what they enclose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import OutlineKind, heading, heading_at, name_of
from git_opatch.model.text import Text


@pytest.mark.parametrize(
    ("content", "anchor", "end"),
    [
        pytest.param("a\n  b\nc\n", 0, 2, id="to the next line as deep"),
        pytest.param("  a\n    b\nc\n", 0, 2, id="to a shallower line"),
        pytest.param("a\n  b\n\n  c\nd\n", 0, 4, id="over a blank line"),
        pytest.param("a\n  b\n \n\nd\n", 0, 4, id="up to the line after blank lines"),
        pytest.param("a\n\tb\n\t\tc\nd\n", 0, 3, id="tabs, and deeper still"),
        pytest.param("a\n  b\n", 0, 2, id="to the end"),
        pytest.param("a\nb\n", 0, 1, id="no block at all"),
        pytest.param("a\n", 0, 1, id="the last line"),
    ],
)
def test_a_block_ends_before_a_line_that_is_not_deeper(content: str, anchor: int, end: int) -> None:
    assert FileIndex(Text.from_bytes(content.encode()), []).block_end(anchor) == end


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("def f(x):", id="Python function"),
        pytest.param("    async def f(self):", id="Python coroutine in a class"),
        pytest.param("class A(B):", id="class"),
        pytest.param("export default function main() {", id="JavaScript function"),
        pytest.param("func (s *Server) Run() error {", id="Go method"),
        pytest.param("pub(crate) fn parse(input: &str) -> Ast {", id="Rust function"),
        pytest.param("impl Parser for Json {", id="Rust implementation"),
        pytest.param("    public static void main(String[] args) {", id="Java method"),
        pytest.param("int main(int argc, char **argv)", id="C function at the margin"),
        pytest.param("  render(props) {", id="JavaScript method"),
        pytest.param("struct point {", id="struct"),
        pytest.param("extension String: Shown {", id="Swift extension"),
        pytest.param("    companion object {", id="Kotlin companion"),
        pytest.param("public readonly struct Point {", id="C# struct"),
        pytest.param("typedef struct point {", id="C type"),
        pytest.param("# Title", id="Markdown heading"),
        pytest.param("### Part", id="a deeper one"),
        pytest.param("[section]", id="INI section"),
        pytest.param("[[array]]", id="TOML array"),
        pytest.param("services:", id="YAML key"),
    ],
)
def test_a_definition_or_a_section_is_a_heading(line: str) -> None:
    assert heading(line.encode())


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("", id="nothing"),
        pytest.param("    if ready(x) {", id="a condition"),
        pytest.param("else:", id="the other branch"),
        pytest.param("} else {", id="the other branch in braces"),
        pytest.param("    for (i = 0; i < n; i++) {", id="a loop"),
        pytest.param("while True:", id="a loop with a colon"),
        pytest.param("try:", id="try"),
        pytest.param("    return f(x)", id="a return"),
        pytest.param("    x = f(y)", id="an assignment"),
        pytest.param("    f(x);", id="a call"),
        pytest.param("}", id="a brace"),
        pytest.param("#!/bin/sh", id="a program's first line"),
        pytest.param("    name: value", id="a YAML value"),
        pytest.param("classify = 1", id="a word that begins like one"),
    ],
)
def test_other_lines_are_not_headings(line: str) -> None:
    assert not heading(line.encode())


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"static const struct key vi[] = {", b"vi"),
        (b"int sizes[2][2] = {", b"sizes"),
        (b"struct key *first = {", b"first"),
        (b"const options = {", b"options"),
    ],
)
def test_a_table_is_a_definition(line: bytes, name: bytes) -> None:
    assert heading(line) is OutlineKind.DEFINITION
    found = name_of(line)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "line",
    [
        b"\tint sizes[] = {",
        b"options = {",
        b"int size = 1;",
        b"int sizes[] = { 1, 2 };",
        b"if (a == b) {",
        b"return a == {",
        b"the text says x = 1",
    ],
)
def test_other_lines_are_none(line: bytes) -> None:
    assert heading(line) is None


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
