"""The lines that `@@` names are found, and the candidates that belong to them."""

from __future__ import annotations

import pytest

from git_opatch import Refused, apply_to_text
from git_opatch.locate.anchors import find, is_below, scoped
from git_opatch.locate.file_index import FileIndex
from git_opatch.locate.outline import heading
from git_opatch.model.patch import Anchor, Hunk
from git_opatch.model.text import Text

CLASSES = """\
class One:
    def start(self):
        go()

    def stop(self):
        halt()

class Two:
    def start(self):
        go()

    def stop(self):
        halt()
"""


def file_index(content: str) -> FileIndex:
    return FileIndex(Text.from_bytes(content.encode()), [])


def kept_by(content: str, anchors: list[str], places: list[int]) -> list[int]:
    hunk = Hunk((), tuple(Anchor(text.encode()) for text in anchors))
    return scoped(places, hunk, file_index(content))


def below(rows: list[int], places: list[int]) -> list[int]:
    file = file_index(CLASSES)
    return [place for place in places if any(is_below(place, row, file) for row in rows)]


@pytest.mark.parametrize(
    ("content", "anchor", "positions", "full"),
    [
        pytest.param("x\nf()\ny\n", "f()", (1,), True, id="a whole line"),
        pytest.param("f()\nx\nf()\n", "f()", (0, 2), True, id="every whole line"),
        pytest.param("  f()\nf()\n", "f()", (1,), True, id="whole before trimmed"),
        pytest.param("x\n\tf() \n", "f()", (1,), True, id="the file's line trimmed"),
        pytest.param("x\nf()\n", "   f()", (1,), True, id="the anchor trimmed"),
        pytest.param("  f()\n\tf()\n", "f()", (0, 1), True, id="every trimmed line"),
        pytest.param("f() {\n  f()\n", "f()", (1,), True, id="trimmed before a part"),
        pytest.param("x\nint f() {\n", "f()", (1,), False, id="a part of a line"),
        pytest.param("f() f()\nx\ng(f())\n", "f()", (0, 2), False, id="every line it is part of"),
        pytest.param("x\r\nf()\r\n", "f()", (1,), True, id="a file of carriage returns"),
    ],
)
def test_an_anchor_is_found_where_it_occurs(
    content: str, anchor: str, positions: tuple[int, ...], full: bool
) -> None:
    found = find(Anchor(anchor.encode()), file_index(content))
    assert (tuple(found.rows), found.whole) == (positions, full)


@pytest.mark.parametrize(
    ("content", "anchor"),
    [
        pytest.param("", "f()", id="an empty file"),
        pytest.param("F()\n", "f()", id="another letter case"),
        pytest.param("f( )\n", "f()", id="a space inside"),
        pytest.param("f(\n)\n", "f()", id="two lines"),
        pytest.param("f\n", "f()", id="the line is a part of the anchor"),
        pytest.param("x\n\ny\n", "  ", id="an anchor of spaces"),
    ],
)
def test_a_missing_anchor_is_not_found(content: str, anchor: str) -> None:
    assert not find(Anchor(anchor.encode()), file_index(content)).rows


@pytest.mark.parametrize(
    ("anchors", "kept"),
    [
        pytest.param(["class Two:", "    def start(self):"], [9], id="its first"),
        pytest.param(["class Two:", "    def stop(self):"], [12], id="its second"),
        pytest.param(["class One:", "def stop(self):"], [5], id="trimmed in a block"),
        pytest.param(["class Two:", "start"], [9], id="a part of a line in a block"),
        pytest.param(["class Two:", "def stop(self):", "halt()"], [12], id="three"),
        pytest.param(["    def stop(self):"], [5, 12], id="one alone narrows nothing"),
        pytest.param(["class Three:", "class Two:", "    def start(self):"], [9], id="one missing"),
        pytest.param(["class Two:", "class Three:"], [9, 12], id="the last one missing"),
    ],
)
def test_several_anchors_narrow_successively(anchors: list[str], kept: list[int]) -> None:
    assert kept_by(CLASSES, anchors, [2, 5, 9, 12]) == kept


@pytest.mark.parametrize(
    ("anchors", "places", "kept"),
    [
        pytest.param([0], [0, 7], [0], id="at the anchor"),
        pytest.param([0], [1, 8], [1], id="right after it, at a heading"),
        pytest.param([1], [2, 9], [2], id="after it"),
        pytest.param([1], [3, 10], [3], id="after it, beyond the call"),
        pytest.param([8], [2, 9], [9], id="after the later one"),
        pytest.param([1, 8], [2, 9], [2, 9], id="after each of two"),
        pytest.param([4], [2, 5, 12], [5], id="between one before and one in another block"),
    ],
)
def test_a_candidate_belongs_to_the_anchor_before_it(
    anchors: list[int], places: list[int], kept: list[int]
) -> None:
    assert below(anchors, places) == kept


@pytest.mark.parametrize(
    ("anchors", "places", "kept"),
    [
        pytest.param([0], [5, 12], [5], id="behind a heading, in the block"),
        pytest.param([7], [5, 12], [12], id="behind a heading, in the later block"),
        pytest.param([0], [2, 5, 9, 12], [2, 5], id="all that are in the block"),
        pytest.param([0, 7], [5, 12], [5, 12], id="in the blocks of both"),
    ],
)
def test_a_candidate_belongs_to_its_block(
    anchors: list[int], places: list[int], kept: list[int]
) -> None:
    assert below(anchors, places) == kept


@pytest.mark.parametrize(
    ("anchors", "places"),
    [
        pytest.param([7], [0, 5], id="before the anchor"),
        pytest.param([1], [5, 12], id="only the first after it, behind a heading"),
        pytest.param([0], [9, 12], id="beyond its block"),
        pytest.param([], [2, 9], id="no anchor"),
        pytest.param([0], [], id="no place"),
    ],
)
def test_no_candidate_belongs_to_a_distant_anchor(anchors: list[int], places: list[int]) -> None:
    assert below(anchors, places) == []


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
    assert file_index(content).block_end(anchor) == end


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


def test_a_section_goes_on_through_those_that_are_in_it() -> None:
    part = "\n## {0}\n\n### Fixes\n\n- a\n\n### Settings\n\n- b\n"
    content = "# Log\n" + part.format("New") + part.format("1.0") + part.format("0.9")
    patch = (
        "*** Begin Patch\n*** Update File: a.md\n@@ ## 1.0\n ### Settings\n \n+- c\n*** End Patch\n"
    )
    head, tail = content.split("## 1.0\n")
    changed = tail.replace("Settings\n\n", "Settings\n\n- c\n", 1)
    expected = f"{head}## 1.0\n{changed}"
    assert apply_to_text(patch, {"a.md": content})["a.md"] == expected
    with pytest.raises(Refused):
        apply_to_text(patch.replace("## 1.0", "# Log"), {"a.md": content})
