"""Unified diffs, with and without numbers, by git and by those who write like git."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from git_opatch.model.blob import Mode
from git_opatch.model.errors import ParseError
from git_opatch.model.patch import Anchor, FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.parse import parse_patch

GIT = "diff --git a/f b/f"
NAMES = ("--- a/f", "+++ b/f")
CHANGE = ("-a", "+b")
WEAK = (Anchor(b"f():", weak=True),)
NO_NEWLINE = "\\ No newline at end of file"


def files(*lines: str) -> Sequence[FilePatch]:
    return parse_patch("".join(line + "\n" for line in lines)).files


def hunks(*lines: str) -> Sequence[Hunk]:
    (section,) = files(*NAMES, *lines)
    assert section == FilePatch(Operation.UPDATE, "f", "f", section.hunks)
    return section.hunks


def hunk_lines(*lines: str) -> tuple[Line, ...]:
    return tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines)


BASE_85 = ("literal 6", "NcmZQzU|?imU|?imU|?imU|", "IcmZPo000310RR91", "")
ONE_HUNK = (Hunk(hunk_lines(*CHANGE)),)


def errors(*lines: str) -> list[tuple[int, str]]:
    with pytest.raises(ParseError) as caught:
        files(*lines)
    return [(error.line, error.message) for error in caught.value.diagnostics]


def updated(path: str) -> FilePatch:
    return FilePatch(Operation.UPDATE, path, path, ONE_HUNK)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        pytest.param("@@", Hunk(()), id="bare"),
        pytest.param("@@ ", Hunk(()), id="bare with a space"),
        pytest.param("@@ def f():", Hunk((), (Anchor(b"def f():"),)), id="an anchor"),
        pytest.param("@@ -3,2 +4,2 @@", Hunk((), (), 2, 3), id="numbers"),
        pytest.param("@@ -3 +4 @@", Hunk((), (), 2, 3), id="counts of one left out"),
        pytest.param("@@ -1,2 +1,3 @@ f():", Hunk((), WEAK, 0, 0), id="a heading"),
        pytest.param("@@ -0,0 +1,2 @@", Hunk((), (), 0, 0), id="a new file"),
        pytest.param("@@ -1,2 +0,0 @@", Hunk((), (), 0, 0), id="an emptied file"),
        pytest.param("@@ -5,0 +6,2 @@", Hunk((), (), 5, 5), id="an empty old range"),
        pytest.param("@@ -5,2 +4,0 @@", Hunk((), (), 4, 4), id="an empty new range"),
        pytest.param("@@ -7,99 +1,0 @@", Hunk((), (), 6, 1), id="counts that cannot be"),
    ],
)
def test_hunk_headers_are_read(header: str, expected: Hunk) -> None:
    (hunk,) = hunks(header, *CHANGE)
    assert hunk == Hunk(
        hunk_lines(*CHANGE), expected.anchors, expected.stated_start, expected.new_start
    )


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        pytest.param("a/f", "b/f", "f", id="prefixes"),
        pytest.param("a/x/y.c", "b/x/y.c", "x/y.c", id="prefixes and directories"),
        pytest.param("f", "f", "f", id="no prefixes"),
        pytest.param("a/f", "a/f", "a/f", id="one directory twice is not a prefix"),
        pytest.param("a/a/f", "b/a/f", "a/f", id="a directory named like a prefix"),
        pytest.param("i/f", "w/f", "f", id="index and working tree"),
        pytest.param("c/f", "i/f", "f", id="commit and index"),
        pytest.param("c/f", "w/f", "f", id="commit and working tree"),
        pytest.param("o/f", "w/f", "f", id="object and working tree"),
        pytest.param("src/f", "src/f", "src/f", id="a directory is not a prefix"),
        pytest.param("a/x y\t", "b/x y\t", "x y", id="spaces, with git's tab"),
        pytest.param("a/x y", "b/x y", "x y", id="spaces, without it"),
        pytest.param("a/f\t2024-01-02 03:04:05.0 +0000", "b/f\t2024", "f", id="time stamps"),
        pytest.param('"a/\\303\\274\\t"', '"b/\\303\\274\\t"', "ü\t", id="quotes and octal"),
        pytest.param('"a/q\\"\\\\"', '"b/q\\"\\\\"', 'q"\\', id="quotes in quotes"),
        pytest.param('"a/\\001"\t2024', '"b/\\001"\t2024', "\x01", id="quotes and a time stamp"),
        pytest.param("a/ü", "b/ü", "ü", id="Unicode without quotes"),
    ],
)
def test_the_file_name_is_read_from_both_names(old: str, new: str, path: str) -> None:
    assert files(f"--- {old}", f"+++ {new}", "@@", *CHANGE) == (updated(path),)


def test_a_file_keeps_its_two_names() -> None:
    (section,) = files("--- before.c", "+++ after.c", "@@", *CHANGE)
    assert (section.operation, section.path) == (Operation.UPDATE, "before.c")
    assert section.alternate == "after.c"


@pytest.mark.parametrize(
    ("old", "new", "may_move"),
    [
        ("a/f.py", "b/g.py", True),
        ("a/src/f.py", "b/lib/f.py", True),
        ('"a/\\303\\274"', '"b/u"', True),
        ("a/f.py", "b/f.py", False),
        ("a/f.py.orig", "b/f.py", False),
        ("a/f.py", "b/f.py.new", False),
        ("f.py", "g.py", False),
        ("old/f.py", "new/f.py", False),
        ("a/f.py", "c/g.py", False),
    ],
)
def test_two_names_of_git_may_be_a_move(old: str, new: str, may_move: bool) -> None:
    (section,) = files(f"--- {old}", f"+++ {new}", "@@", *CHANGE)
    assert (section.operation, section.may_move) == (Operation.UPDATE, may_move)


def test_dev_null_is_not_a_file() -> None:
    assert files("--- /dev/null", "+++ b/n", "@@ -0,0 +1,2 @@", "+a", "+b") == (
        FilePatch(Operation.ADD, None, "n", (Hunk(hunk_lines("+a", "+b"), (), 0, 0),)),
    )
    assert files("--- a/o", "+++ /dev/null", "@@", "-a", "-b") == (
        FilePatch(Operation.DELETE, "o", None, (Hunk(hunk_lines("-a", "-b")),)),
    )
    cached = ("diff --git c/n i/n", "new file mode 100644", "--- /dev/null", "+++ i/n")
    assert [file.new_path for file in files(*cached, "@@ -0,0 +1,2 @@", "+a", "+b")] == ["n"]
    assert files("--- dev/null", "+++ dev/null", "@@", *CHANGE) == (updated("dev/null"),)


@pytest.mark.parametrize(
    ("names", "header", "expected"),
    [
        pytest.param(
            *("a/f b/f", ["new file mode 100644", "index 0000000..e69de29"]),
            FilePatch(Operation.ADD, None, "f", new_mode=Mode.REGULAR),
            id="an empty new file",
        ),
        pytest.param(
            *("a/f b/f", ["deleted file mode 100755", "index e69de29..0000000"]),
            FilePatch(Operation.DELETE, "f", None, old_mode=Mode.EXECUTABLE),
            id="an empty file deleted",
        ),
        pytest.param(
            *("a/x y b/x y", ["old mode 100644", "new mode 100755"]),
            FilePatch(Operation.UPDATE, "x y", "x y", (), Mode.REGULAR, Mode.EXECUTABLE),
            id="a mode change, of a name with a space",
        ),
        pytest.param(
            *('"a/\\303\\274" "b/\\303\\274"', ["old mode 100644", "new mode 120000"]),
            FilePatch(Operation.UPDATE, "ü", "ü", (), Mode.REGULAR, Mode.SYMLINK),
            id="a mode change, of a quoted name",
        ),
        pytest.param(
            *("a/o b/n", ["similarity index 100%", "rename from o", "rename to n"]),
            FilePatch(Operation.MOVE, "o", "n"),
            id="a rename",
        ),
        pytest.param(
            *('a/o "b/\\303\\274"', ["rename from o", 'rename to "\\303\\274"']),
            FilePatch(Operation.MOVE, "o", "ü"),
            id="a rename to a quoted name",
        ),
        pytest.param(
            *("a/o o b/n n", ["rename from o o", "rename to n n", "index 1..2 100644"]),
            FilePatch(Operation.MOVE, "o o", "n n"),
            id="a rename, of names with spaces",
        ),
        pytest.param(
            *("a/o b/n", ["rename from o", "rename to n", "--- a/o", "+++ b/n", "@@", *CHANGE]),
            FilePatch(Operation.MOVE, "o", "n", ONE_HUNK),
            id="a rename with an edit",
        ),
        pytest.param(
            *("a/o b/n", ["copy from o", "copy to n", "--- a/o", "+++ b/n", "@@", *CHANGE]),
            FilePatch(Operation.COPY, "o", "n", ONE_HUNK),
            id="a copy with an edit",
        ),
        pytest.param(
            "a/f b/f",
            ["old mode 100644", "new mode 100755", "index 1..2", *NAMES, "@@", *CHANGE],
            FilePatch(Operation.UPDATE, "f", "f", ONE_HUNK, Mode.REGULAR, Mode.EXECUTABLE),
            id="a mode change with an edit",
        ),
        pytest.param(
            *("a/f b/f", ["dissimilarity index 90%", "index 1..2 100644", *NAMES, "@@", *CHANGE]),
            FilePatch(Operation.UPDATE, "f", "f", ONE_HUNK),
            id="a rewrite",
        ),
        pytest.param(
            *("a/f b/f", ["deleted file mode 100644", "Binary files a/f and /dev/null differ"]),
            FilePatch(Operation.DELETE, "f", None, (), Mode.REGULAR, has_content=False),
            id="a binary file deleted",
        ),
        pytest.param(
            *("a/f b/f", ["index 1..2 100644", "Binary files a/f and b/f differ"]),
            FilePatch(Operation.UPDATE, "f", "f", has_content=False, is_binary=True),
            id="a binary file changed",
        ),
        pytest.param(
            *("a/f b/f", ["GIT binary patch", *BASE_85, "delta 1", "IcmZPo000310RR91", ""]),
            FilePatch(Operation.UPDATE, "f", "f", is_binary=True),
            id="a binary patch",
        ),
    ],
)
def test_extended_headers_are_read(names: str, header: list[str], expected: FilePatch) -> None:
    after = ("diff --git a/z b/z", "--- a/z", "+++ b/z", "@@", *CHANGE)
    assert files(f"diff --git {names}", *header, *after) == (expected, updated("z"))


@pytest.mark.parametrize("after", [("*** Begin Patch",), ("-- ", "2.39"), ("```",), ("Prose.",)])
def test_a_binary_patch_ends_where_its_data_ends(after: tuple[str, ...]) -> None:
    section = ("*** Delete File: z", "*** End Patch") if "*** Begin Patch" in after else ()
    sections = files(
        GIT, "GIT binary patch", *BASE_85, "literal 0", "HcmV?d00001", "", *after, *section
    )
    assert [each.path for each in sections] == ["f", "z"][: 1 + bool(section)]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        pytest.param([" a", "", "+b"], [" a", " ", "+b"], id="an empty line is empty context"),
        pytest.param(["-", "+", "  "], ["-", "+", "  "], id="prefixes alone"),
        pytest.param([" @@ x", "-@@", "+@@"], [" @@ x", "-@@", "+@@"], id="marked headers"),
        pytest.param(["--- x", "+++ y", " c"], ["--- x", "+++ y", " c"], id="dashes and plusses"),
        pytest.param(["--- a/g", "+++ b/g"], ["--- a/g", "+++ b/g"], id="a header without hunk"),
        pytest.param(["--- a/g", " c"], ["--- a/g", " c"], id="half a header"),
        pytest.param(["-- ", "+2.39"], ["-- ", "+2.39"], id="what looks like a signature"),
        pytest.param([" *** End Patch", "+x"], [" *** End Patch", "+x"], id="another's markers"),
    ],
)
def test_hunk_lines_are_read(body: list[str], lines: list[str]) -> None:
    assert hunks("@@", *body) == (Hunk(hunk_lines(*lines)),)


def test_counts_are_not_trusted() -> None:
    (first, second) = hunks("@@ -1,9 +1,1 @@", *CHANGE, " c", "@@ -3,1 +3,0 @@", " d", "+e")
    assert (first.lines, second.lines) == (hunk_lines(*CHANGE, " c"), hunk_lines(" d", "+e"))
    (three,) = hunks("@@ -1 +1 @@", *CHANGE, "", " c", "--", "+- d")
    assert three.lines == hunk_lines(*CHANGE, " ", " c", "--", "+- d")
    assert len(files(*NAMES, "@@ -1,9 +1,9 @@", *CHANGE, "--- a/g", "+++ b/g", "@@", "-c")) == 2


def test_the_no_newline_marker_belongs_to_the_line_before() -> None:
    removed = Line(Prefix.REMOVED, b"a", newline=False)
    added = Line(Prefix.ADDED, b"b", newline=False)
    both = Hunk((removed, added), at_end_of_file=True)
    assert hunks("@@", "-a", NO_NEWLINE, "+b", NO_NEWLINE) == (both,)
    gained = Hunk((removed, Line(Prefix.ADDED, b"b")), at_end_of_file=True)
    assert hunks("@@", "-a", NO_NEWLINE, "+b") == (gained,)
    assert hunks("@@", "-a", "+b", "\\ Kein Zeilenumbruch am Dateiende.")[0].lines[1] == added


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(["--- a/g", "+++ b/g"], id="names alone"),
        pytest.param(["diff --git a/g b/g", "--- a/g", "+++ b/g"], id="git's header"),
        pytest.param(["--- g", "+++ g"], id="no prefixes"),
    ],
)
def test_a_header_starts_another_file(second: list[str]) -> None:
    assert files(*NAMES, "@@", *CHANGE, *second, "@@", *CHANGE) == (updated("f"), updated("g"))


def test_a_file_without_a_diff_git_line_may_follow_one_that_has_it() -> None:
    second = ("--- a/g", "+++ b/g")
    found = files(GIT, *NAMES, "@@", *CHANGE, *second, "@@", *CHANGE)
    assert found == (updated("f"), updated("g"))


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(["-- ", "2.39.5", ""], id="git's signature"),
        pytest.param(["--", "2.39.5"], id="a signature that lost its space"),
        pytest.param(["", "From 1234 Mon Sep 17 00:00:00 2001", "Subject: x"], id="a mail"),
        pytest.param(["", "That is all."], id="prose"),
        pytest.param(["", ""], id="blank lines"),
    ],
)
def test_text_may_follow_numbered_hunks(after: list[str]) -> None:
    expected = (Hunk(hunk_lines(" c", *CHANGE), (), 0, 0),)
    numbered = ("@@ -1,2 +1,2 @@", " c", *CHANGE)
    assert hunks(*numbered, *after) == expected
    second = ("diff --git a/g b/g", "--- a/g", "+++ b/g", "@@", *CHANGE)
    more = files(*NAMES, *numbered, *after, *second)
    assert [section.hunks for section in more] == [expected, ONE_HUNK]


def test_prose_before_and_between_files_is_skipped() -> None:
    intro = ("Here it is:", "---", "", " f | 2 +-", "")
    found = files(*intro, *NAMES, "@@", *CHANGE, "", "Then:", "", "--- a/g", "+++ b/g", "@@", "-x")
    assert [(section.path, section.number) for section in found] == [("f", 6), ("g", 14)]
    assert [hunk.lines[:2] for section in found for hunk in section.hunks] == [
        hunk_lines(*CHANGE),
        hunk_lines("-x"),
    ]


def test_line_numbers_are_those_of_the_text() -> None:
    ((first, second),) = [
        found.hunks for found in files("", *NAMES, "@@", *CHANGE, "@@ x", " c", "-d")
    ]
    assert [(hunk.ordinal, hunk.number) for hunk in (first, second)] == [(1, 5), (2, 8)]
    assert [line.number for line in (*first.lines, *second.lines)] == [5, 6, 8, 9]


@pytest.mark.parametrize(
    ("lines", "number", "message"),
    [
        pytest.param([*NAMES], 1, "`--- a/f` has no hunk", id="names alone"),
        pytest.param([*NAMES, *CHANGE], 1, "add `@@`", id="lines without a header"),
        pytest.param([GIT, "index 1..2"], 1, "has no hunk", id="only an index"),
        pytest.param([*NAMES, "@@", "@@"], 3, "the hunk has no lines", id="headers alone"),
        pytest.param([*NAMES, "@@", *CHANGE, "@@"], 6, "no lines", id="the last hunk empty"),
        pytest.param(
            ["--- a/f", *CHANGE, "@@", *CHANGE], 4, "this hunk does not name a file", id="no names"
        ),
        pytest.param([*NAMES, "@@@x", *CHANGE], 3, "did you mean `@@ x`", id="no space after @@@"),
        pytest.param([*NAMES, "@@", NO_NEWLINE, "-a"], 4, "no line above", id="no line to lack"),
        pytest.param([GIT, "new mode 777", "x"], 2, "`777` is not a mode", id="not a mode"),
    ],
)
def test_a_malformed_diff_is_reported_at_its_line(
    lines: list[str], number: int, message: str
) -> None:
    ((found, reported),) = errors(*lines)
    assert found == number
    assert message in reported


def test_all_errors_are_reported_at_once() -> None:
    body = ("@@@x", "-a", "@@y", " b", "@@")
    assert [line for line, _ in errors(*NAMES, *body)] == [3, 5, 7]


@pytest.mark.parametrize(
    ("lines", "unmarked"),
    [
        pytest.param(["@@", " c", "d", "-a"], {"d"}, id="inside"),
        pytest.param(["@@", *CHANGE, "d"], {"d"}, id="at last"),
        pytest.param(["@@", "-a", "", "d", "+b"], {"d"}, id="after a blank line"),
        pytest.param(["@@ -1 +1 @@", *CHANGE, "d", "-e"], {"d"}, id="more than is announced"),
        pytest.param(["@@", *CHANGE, "", "That is all."], set(), id="prose after a blank line"),
        pytest.param(
            *(["@@ -1 +1,4 @@", *CHANGE, "", "d", " e"], {"d"}),
            id="after a blank line, where more is announced",
        ),
        pytest.param(["@@ -1 +1 @@", *CHANGE, "That is all."], set(), id="prose after all lines"),
    ],
)
def test_a_line_without_a_prefix_is_context(lines: list[str], unmarked: set[str]) -> None:
    (section,) = parse_patch("\n".join([*NAMES, *lines, ""]).encode()).files
    found = [line for hunk in section.hunks for line in hunk.lines if not line.has_prefix]
    assert {line.text.decode() for line in found} == unmarked
    assert all(line.prefix is Prefix.CONTEXT for line in found)


def test_lines_below_a_blank_line_in_a_fence_are_not_prose() -> None:
    lines = ["```diff", *NAMES, "@@", *CHANGE, "", "d", " e", "```", "", "That is all.", ""]
    (section,) = parse_patch("\n".join(lines).encode()).files
    assert [line.text for line in section.hunks[0].lines[-3:]] == [b"", b"d", b"e"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("index 0123abc..4567def 100644", ("0123abc", "4567def")),
        ("index 0123abc..4567def", ("0123abc", "4567def")),
        (f"index {'a' * 40}..{'b' * 40} 100755", ("a" * 40, "b" * 40)),
        (f"index {'a' * 64}..{'b' * 64}", ("a" * 64, "b" * 64)),
        ("index abc..def 100644", ("", "")),
        ("index 0123abc,89abcde..4567def", ("", "")),
        ("index HEAD:f..4567def 100644", ("", "")),
        (f"index {'a' * 65}..{'b' * 65}", ("", "")),
    ],
)
def test_an_index_line_names_the_blobs(line: str, expected: tuple[str, str]) -> None:
    (section,) = files(GIT, line, *NAMES, "@@", *CHANGE)
    assert section.blobs == expected
    assert section == updated("f")


@pytest.mark.parametrize(("count", "refused"), [(100, False), (101, True), (5000, True)])
def test_the_number_of_headers_before_a_hunk_is_limited(count: int, refused: bool) -> None:
    text = "\n".join(["--- a/f", "+++ b/f", *["@@ def f():"] * count, "-a", "+b", ""])
    if not refused:
        assert len(parse_patch(text).files[0].hunks[0].anchors) == count
        return
    with pytest.raises(ParseError) as raised:
        parse_patch(text)
    (error,) = raised.value.diagnostics
    assert error.line == 2 + 101
    assert "more than 100 `@@` lines before one hunk" in error.message


COUNTED = ("@@ -1,2 +1,2 @@", " x", *CHANGE)
LIST = ("", "+ adds what was asked for", "- removes nothing else")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((*NAMES, *COUNTED, *LIST), id="by the counts"),
        pytest.param((*NAMES, "@@", *CHANGE, *LIST), id="without counts"),
        pytest.param((*NAMES, "@@", *CHANGE, *LIST, "", "Bye."), id="prose below it"),
        pytest.param((*NAMES, "@@", *CHANGE, *LIST, *NAMES, "@@", *CHANGE), id="a diff below it"),
    ],
)
def test_what_may_be_a_list_below_a_diff_is_refused(lines: Sequence[str]) -> None:
    with pytest.raises(ParseError) as caught:
        files(*lines)
    assert caught.value.diagnostics[0].line == lines.index(LIST[1]) + 1


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("```diff", *NAMES, "@@", *CHANGE, *LIST, "```"), id="in a fence"),
        pytest.param((*NAMES, "@@ -1,9 +1,9 @@", *CHANGE, *LIST), id="more lines are announced"),
        pytest.param((*NAMES, "@@", "  one deep", *CHANGE, *LIST), id="as deep as others"),
        pytest.param((*NAMES, "@@", *CHANGE, "", "+adds", "+  two"), id="not one space deep"),
        pytest.param((*NAMES, "@@", *CHANGE, *LIST, " c"), id="context below"),
    ],
)
def test_lines_below_a_blank_line_that_are_no_list_belong_to_the_hunk(lines: Sequence[str]) -> None:
    (section,) = files(*lines)
    (hunk,) = section.hunks
    assert len([line for line in hunk.lines if line.prefix is Prefix.ADDED]) >= 2
