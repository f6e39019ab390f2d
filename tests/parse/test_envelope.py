"""The `*** Begin Patch` envelope: its sections, and the errors it may have."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from git_opatch.model.errors import ParseError
from git_opatch.model.patch import Anchor, FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.parse import parse_patch

BEGIN, END, FILE = "*** Begin Patch", "*** End Patch", "*** Update File: f"
CHANGE = ("-a", "+b")


def text(*lines: str, ending: str = "\n") -> bytes:
    return "".join(line + ending for line in lines).encode()


def sections(*body: str) -> Sequence[FilePatch]:
    return parse_patch(text(BEGIN, *body, END)).files


def hunks(*body: str) -> Sequence[Hunk]:
    (section,) = sections(FILE, *body)
    assert (section.operation, section.old_path, section.new_path) == (Operation.UPDATE, "f", "f")
    return section.hunks


def hunk_lines(*lines: str) -> tuple[Line, ...]:
    return tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines)


def errors(*lines: str) -> list[tuple[int, str]]:
    with pytest.raises(ParseError) as caught:
        parse_patch(text(*lines))
    assert caught.value.exit_status == 128
    return [(error.line, error.message) for error in caught.value.diagnostics]


ADD = FilePatch(Operation.ADD, None, "n", (Hunk(hunk_lines("+x")),))
DELETE = FilePatch(Operation.DELETE, "d", None, has_content=False)
UPDATE = FilePatch(Operation.UPDATE, "f", "f", (Hunk(hunk_lines(*CHANGE)),))


def test_all_kinds_of_sections_are_read_in_order() -> None:
    assert sections(
        *("*** Add File: n", "+x"),
        "*** Delete File: d",
        *(FILE, "@@", *CHANGE),
        *("*** Update File: a", "*** Move to: sub/b", "@@", *CHANGE),
    ) == (
        ADD,
        DELETE,
        UPDATE,
        FilePatch(Operation.MOVE, "a", "sub/b", (Hunk(hunk_lines(*CHANGE)),)),
    )


@pytest.mark.parametrize(
    "body",
    [
        pytest.param([], id="none"),
        pytest.param(["+"], id="an empty one"),
        pytest.param(["+a", "+", "+ b", "+\tc"], id="an empty one inside, and spaces"),
        pytest.param(["+-a", "++b", "+@@"], id="prefixes as content"),
        pytest.param(["+*** End Patch", "+*** Add File: x", "+*** X"], id="markers as content"),
    ],
)
def test_the_lines_of_a_new_file_are_read(body: list[str]) -> None:
    (section,) = sections("*** Add File: n", *body)
    assert (section.operation, section.old_path, section.new_path) == (Operation.ADD, None, "n")
    assert tuple(line for hunk in section.hunks for line in hunk.lines) == hunk_lines(*body)


def test_a_move_does_not_need_a_hunk() -> None:
    move = FilePatch(Operation.MOVE, "a", "b")
    assert sections("*** Update File: a", "*** Move to: b", "*** Delete File: d") == (move, DELETE)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        pytest.param("a b.txt", "a b.txt", id="spaces"),
        pytest.param("  a  ", "a", id="padding"),
        pytest.param("ü/世.txt", "ü/世.txt", id="Unicode"),
        pytest.param("a'b`c\"", "a'b`c\"", id="quotes inside are part of it"),
        pytest.param("*** x", "*** x", id="what looks like a marker"),
    ],
)
def test_a_path_is_the_rest_of_its_line(written: str, path: str) -> None:
    assert sections(f"*** Delete File: {written}")[0].old_path == path


@pytest.mark.parametrize(
    ("headers", "anchors"),
    [
        pytest.param([], [], id="none at all"),
        pytest.param(["@@"], [], id="a bare one"),
        pytest.param(["@@ "], [], id="a bare one with a space"),
        pytest.param(["@@ def f():"], [b"def f():"], id="an anchor"),
        pytest.param(["@@     def f():"], [b"    def f():"], id="an anchor's indentation"),
        pytest.param(["@@ \tx"], [b"\tx"], id="an anchor's tab"),
        pytest.param(["@@ class A:", "@@ def f():"], [b"class A:", b"def f():"], id="two"),
        pytest.param(["@@ a", "@@ b", "@@ c"], [b"a", b"b", b"c"], id="three"),
        pytest.param(["@@ a", "@@"], [b"a"], id="a bare one after an anchor"),
    ],
)
def test_the_anchors_of_a_hunk_are_read(headers: list[str], anchors: list[bytes]) -> None:
    expected = Hunk(hunk_lines(*CHANGE), tuple(Anchor(anchor) for anchor in anchors))
    assert hunks(*headers, *CHANGE) == (expected,)


def test_numbers_in_an_envelope_are_read_as_in_a_diff() -> None:
    (hunk,) = hunks("@@ -3,2 +4,2 @@ def f():", *CHANGE)
    assert hunk == Hunk(hunk_lines(*CHANGE), (Anchor(b"def f():", weak=True),), 2, 3)


def test_a_header_starts_a_new_hunk() -> None:
    found = hunks(*CHANGE, "@@ x", " c", "+d", "@@", "-e")
    second = Hunk(hunk_lines(" c", "+d"), (Anchor(b"x"),))
    assert found == (Hunk(hunk_lines(*CHANGE)), second, Hunk(hunk_lines("-e")))
    assert [hunk.ordinal for hunk in found] == [1, 2, 3]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param([" a", " ", "  ", "+b"], id="context of nothing and of one space"),
        pytest.param(["-", "+"], id="prefixes alone"),
        pytest.param(["--- a/x", "+++ b/x"], id="headers of a diff"),
        pytest.param([" @@ x", "-@@", "+@@ y"], id="headers of a hunk, marked"),
        pytest.param([" \\ No", "+b"], id="a backslash, marked"),
        pytest.param(["+*** End Patch", "-x"], id="an added end"),
        pytest.param(["-*** End of File", "+*** Begin Patch"], id="a removed end of the file"),
        pytest.param([" *** End Patch", " *** Update File: g", "+x"], id="padded markers"),
        pytest.param([" *** Begin Patch", " *** End of File", "-x"], id="other padded markers"),
        pytest.param(["  *** End Patch", " *** Move to: g", "-x"], id="two spaces, and a move"),
    ],
)
def test_hunk_lines_are_read(body: list[str]) -> None:
    assert hunks("@@", *body) == (Hunk(hunk_lines(*body)),)


def test_an_empty_line_in_a_hunk_is_empty_context() -> None:
    assert hunks("@@", " a", "", "+b") == (Hunk(hunk_lines(" a", " ", "+b")),)
    assert hunks("@@", "", "-a") == (Hunk(hunk_lines(" ", "-a")),)


def test_the_end_of_file_marker_belongs_to_the_hunk_before_it() -> None:
    assert hunks("@@", *CHANGE, "@@", " c", "+d", "*** End of File") == (
        Hunk(hunk_lines(*CHANGE)),
        Hunk(hunk_lines(" c", "+d"), at_end_of_file=True),
    )
    assert hunks("@@ x", "+d", "*** End of File ", "", "@@", *CHANGE) == (
        Hunk(hunk_lines("+d"), (Anchor(b"x"),), at_end_of_file=True),
        Hunk(hunk_lines(*CHANGE)),
    )


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([FILE, "", "@@", *CHANGE], id="before the first hunk"),
        pytest.param([FILE, "", "", *CHANGE], id="before one without header"),
        pytest.param(["", FILE, "@@", *CHANGE], id="before the section"),
        pytest.param([" ", FILE, "@@", *CHANGE], id="a line of spaces"),
        pytest.param(["*** Environment ID: x", FILE, "@@", *CHANGE], id="an environment"),
        pytest.param(["  *** Update File: f  ", "@@", *CHANGE], id="a padded section"),
    ],
)
def test_text_around_a_section_is_skipped(lines: list[str]) -> None:
    assert sections(*lines) == (UPDATE,)


def test_blank_lines_between_sections_are_skipped() -> None:
    body = ["*** Add File: n", "+x", "", "", "*** Delete File: d", "", " *** Delete File: d"]
    assert sections(*body, "") == (ADD, DELETE, DELETE)
    found = sections(FILE, "@@", *CHANGE, "", "*** Delete File: d")
    assert [section.path for section in found] == ["f", "d"]


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        pytest.param(" *** Begin Patch", "*** End Patch ", id="spaces"),
        pytest.param("*** Begin Patch  ", "   *** End Patch", id="the other way round"),
        pytest.param("\t*** Begin Patch", "*** End Patch\t", id="tabs"),
    ],
)
def test_begin_and_end_may_be_padded(begin: str, end: str) -> None:
    assert parse_patch(text(begin, FILE, "@@", *CHANGE, end)).files == (UPDATE,)


def test_several_envelopes_may_have_prose_between_them() -> None:
    first = (BEGIN, "*** Delete File: d", END)
    second = (BEGIN, FILE, "@@", *CHANGE, END)
    found = parse_patch(text("First:", "", *first, "", "- then", "+ this:", *second, "Done.")).files
    assert found == (DELETE, UPDATE)
    assert [section.number for section in found] == [4, 10]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(text(BEGIN, FILE, *CHANGE, END, ending="\r\n"), id="carriage returns"),
        pytest.param(
            text(BEGIN, FILE, *CHANGE, END, ending="\r\n").removesuffix(b"\r\n"),
            id="carriage returns and no final newline",
        ),
        pytest.param(b"\xef\xbb\xbf" + text(BEGIN, FILE, *CHANGE, END), id="a byte-order mark"),
    ],
)
def test_the_wrapper_is_not_content(raw: bytes) -> None:
    assert parse_patch(raw).files == (UPDATE,)


def test_a_carriage_return_of_some_lines_is_content() -> None:
    raw = b"*** Begin Patch\r\n*** Update File: f\r\n-a\r\n+b\n*** End Patch\n"
    lines = (Line(Prefix.REMOVED, b"a\r"), Line(Prefix.ADDED, b"b"))
    expected = FilePatch(Operation.UPDATE, "f", "f", (Hunk(lines, uniform_endings=False),))
    assert parse_patch(raw).files == (expected,)


def test_line_numbers_are_those_of_the_text() -> None:
    lines = ["Hi", BEGIN, "", FILE, "@@ x", "@@ y", " c", *CHANGE]
    lines += ["@@", "+d", "*** Add File: n", "+x", "+y", END]
    (first, second) = parse_patch(text(*lines), source="p").files
    assert (first.number, first.source, second.number, second.source) == (4, "p", 12, "p")
    assert [hunk.number for hunk in first.hunks] == [7, 11]
    assert [line.number for line in first.hunks[0].lines] == [7, 8, 9]
    assert [line.number for line in second.hunks[0].lines] == [13, 14]


@pytest.mark.parametrize(
    ("lines", "number", "message"),
    [
        pytest.param([""], 0, "the input is empty", id="nothing"),
        pytest.param(["Hello.", "+x"], 0, "no patch found", id="prose alone"),
        pytest.param([BEGIN, END], 1, "no section", id="no section"),
        pytest.param([FILE, *CHANGE, END], 1, "no `*** Begin Patch`", id="no begin"),
        pytest.param(["x", END], 2, "no `*** Begin Patch`", id="an end alone"),
        pytest.param(["@@", *CHANGE], 1, "this hunk does not name a file", id="a hunk alone"),
        pytest.param(["x", BEGIN, FILE, *CHANGE], 2, "End Patch` after line 5", id="no end"),
        pytest.param(
            [BEGIN, FILE, *CHANGE, BEGIN, "*** Delete File: d", END],
            *(1, "add a line `*** End Patch` after line 4"),
            id="no end before the next begin",
        ),
    ],
)
def test_malformed_text_is_reported_at_its_line(
    lines: list[str], number: int, message: str
) -> None:
    ((found, reported),) = errors(*lines)
    assert found == number
    assert message in reported


@pytest.mark.parametrize(
    ("body", "number", "message"),
    [
        pytest.param(
            "*** Frob File: f", 2, "`*** Frob File: f` is not a patch marker", id="unknown"
        ),
        pytest.param(
            f"{FILE}\n-a\n*** X", 4, "`*** X` is not a patch marker", id="unknown in an update"
        ),
        pytest.param("*** Add File: n\n+x\n*** X", 4, "`*** X` is no", id="unknown in an add"),
        pytest.param("*** update: f\n-a", 2, "mean `*** Update File: f`?", id="no word file"),
        pytest.param(f"hello\n{FILE}\n-a", 2, "`hello` is not a patch marker", id="prose inside"),
        pytest.param(FILE, 2, "the update has no hunk", id="no hunk"),
        pytest.param(f"{FILE}\n@@ x\n@@", 3, "the hunk has no lines", id="headers alone"),
        pytest.param(f"{FILE}\n-a\n@@", 4, "the hunk has no lines", id="the last hunk empty"),
        pytest.param(f"{FILE}\n@@\n*** End of File", 3, "has no lines", id="only its end"),
        pytest.param(f"{FILE}\n@@@x\n-a", 3, "did you mean `@@ x`", id="no space after @@@"),
        pytest.param(f"{FILE}\nb\n@@\n-a", 3, "write ` b`", id="unmarked before any hunk"),
        pytest.param("*** Add File: n\n+a\nb", 4, "write `+b`", id="unmarked in a new file"),
        pytest.param("*** Add File: n\n a", 3, "write `+ a`", id="context in a new file"),
        pytest.param("*** Delete File: d\n-a", 3, "has no lines", id="lines in a deletion"),
        pytest.param(f"{FILE}\n-a\n*** Move to: g", 4, "before any hunk", id="a late move"),
        pytest.param(f"{FILE}\n+a\n*** End of File\n+b", 5, "add a line `@@`", id="after the end"),
    ],
)
def test_a_malformed_section_is_reported_at_its_line(body: str, number: int, message: str) -> None:
    ((found, reported),) = errors(BEGIN, body, END)
    assert found == number
    assert message in reported


def test_all_errors_are_reported_at_once() -> None:
    body = (FILE, "b", "-a", "*** X", "*** Add File: n", "c", "*** Update File: g")
    assert [line for line, _ in errors(BEGIN, *body, END)] == [3, 5, 7, 8]


def test_at_most_ten_errors_are_reported() -> None:
    body = [f"*** {number}" for number in range(12)]
    assert [line for line, _ in errors(BEGIN, FILE, *body, END)] == list(range(3, 13))


def test_an_error_names_its_source() -> None:
    with pytest.raises(ParseError) as caught:
        parse_patch(text(BEGIN, FILE, "b", END), source="fix.patch")
    assert str(caught.value).startswith("fix.patch:3: `b` does not begin with")


def test_a_hunk_line_without_a_prefix_is_context() -> None:
    (section,) = parse_patch(text(BEGIN, FILE, "@@", "def f():", "-a", "\tb", "+c", END)).files
    (hunk,) = section.hunks
    prefixes = [(line.prefix.value, line.text, line.has_prefix) for line in hunk.lines]
    assert prefixes == [
        (" ", b"def f():", False),
        ("-", b"a", True),
        (" ", b"\tb", False),
        ("+", b"c", True),
    ]
