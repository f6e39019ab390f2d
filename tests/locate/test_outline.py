"""Which lines are headings, which names they have, and what they enclose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parameters import named

from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import OutlineKind, heading, heading_at, name_of
from git_opatch.model.text import Text


@named(
    "content, anchor, end",
    {
        "to the next line as deep": ("a\n  b\nc\n", 0, 2),
        "to a shallower line": ("  a\n    b\nc\n", 0, 2),
        "over a blank line": ("a\n  b\n\n  c\nd\n", 0, 4),
        "up to the line after blank lines": ("a\n  b\n \n\nd\n", 0, 4),
        "tabs, and deeper still": ("a\n\tb\n\t\tc\nd\n", 0, 3),
        "to the end": ("a\n  b\n", 0, 2),
        "no block at all": ("a\nb\n", 0, 1),
        "the last line": ("a\n", 0, 1),
    },
)
def test_a_block_ends_before_a_line_that_is_not_deeper(content: str, anchor: int, end: int) -> None:
    assert FileIndex(Text.from_bytes(content.encode()), []).block_end(anchor) == end


@named(
    "line",
    {
        "Python function": "def f(x):",
        "Python coroutine in a class": "    async def f(self):",
        "class": "class A(B):",
        "JavaScript function": "export default function main() {",
        "Go method": "func (s *Server) Run() error {",
        "Rust function": "pub(crate) fn parse(input: &str) -> Ast {",
        "Rust implementation": "impl Parser for Json {",
        "Java method": "    public static void main(String[] args) {",
        "C function at the margin": "int main(int argc, char **argv)",
        "JavaScript method": "  render(props) {",
        "struct": "struct point {",
        "Swift extension": "extension String: Shown {",
        "Kotlin companion": "    companion object {",
        "C# struct": "public readonly struct Point {",
        "C type": "typedef struct point {",
        "Markdown heading": "# Title",
        "a deeper one": "### Part",
        "INI section": "[section]",
        "TOML array": "[[array]]",
        "YAML key": "services:",
    },
)
def test_a_definition_or_a_section_is_a_heading(line: str) -> None:
    assert heading(line.encode())


@named(
    "line",
    {
        "nothing": "",
        "a condition": "    if ready(x) {",
        "the other branch": "else:",
        "the other branch in braces": "} else {",
        "a loop": "    for (i = 0; i < n; i++) {",
        "a loop with a colon": "while True:",
        "try": "try:",
        "a return": "    return f(x)",
        "an assignment": "    x = f(y)",
        "a call": "    f(x);",
        "a brace": "}",
        "a program's first line": "#!/bin/sh",
        "a YAML value": "    name: value",
        "a word that begins like one": "classify = 1",
    },
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
    lines, written = (
        [line.encode() for line in drawn],
        {row for at in changed for row in (at, at + 1)},
    )
    every = [at for at in range(len(lines)) if heading_at(lines, at) is kind and at not in written]
    found = FileIndex(Text(lines), [], written=written).headings(kind, start, stop)
    assert list(found) == [at for at in every if start <= at < stop]
