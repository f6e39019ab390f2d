"""The `<FILE_CHANGES>` container: its directives, and the errors it may have."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import pytest

from git_opatch.model.errors import ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import Anchor, FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.parse import parse_patch

BEGIN, END = "<FILE_CHANGES>", "</FILE_CHANGES>"
NEW, PATCH, APPEND = (f'<FILE_{name} file_path="f">' for name in ("NEW", "PATCH", "APPEND"))
END_NEW, END_PATCH, END_APPEND = "</FILE_NEW>", "</FILE_PATCH>", "</FILE_APPEND>"
DELETE = '<FILE_DELETE file_path="d" />'
CHANGE = ("-a", "+b")


def text(*lines: str, ending: str = "\n") -> bytes:
    return "".join(line + ending for line in lines).encode()


def sections(*body: str) -> Sequence[FilePatch]:
    return parse_patch(text(BEGIN, *body, END)).files


def hunk_lines(*lines: str) -> tuple[Line, ...]:
    return tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines)


def new_lines(*content: str) -> list[str]:
    """Return the lines of the file that FILE_NEW creates from `content`."""
    (section,) = sections(NEW, *content, END_NEW)
    return [line.text.decode() for hunk in section.hunks for line in hunk.lines]


def hunks(*content: str) -> Sequence[Hunk]:
    (section,) = sections(PATCH, *content, END_PATCH)
    assert (section.operation, section.old_path, section.new_path) == (Operation.UPDATE, "f", "f")
    return section.hunks


def errors(*lines: str) -> list[tuple[int, str]]:
    with pytest.raises(ParseError) as caught:
        parse_patch(text(*lines))
    return [(error.line, error.message) for error in caught.value.diagnostics]


DELETED = FilePatch(Operation.DELETE, "d", None, has_content=False)
UPDATED = FilePatch(Operation.UPDATE, "f", "f", (Hunk(hunk_lines(*CHANGE)),))


def test_all_directives_are_read_in_order() -> None:
    assert sections(
        *(NEW, "x", END_NEW),
        *(PATCH, "@@", *CHANGE, END_PATCH),
        *(APPEND, "", "y", END_APPEND),
        '<FILE_COPY from_path="a" to_path="sub/b" />',
        '<FILE_RENAME from_path="a" to_path="c" />',
        DELETE,
    ) == (
        FilePatch(Operation.ADD, None, "f", (Hunk(hunk_lines("+x")),)),
        UPDATED,
        FilePatch(Operation.APPEND, "f", "f", (Hunk(hunk_lines("+", "+y"), at_end_of_file=True),)),
        FilePatch(Operation.COPY, "a", "sub/b"),
        FilePatch(Operation.MOVE, "a", "c"),
        DELETED,
    )


@pytest.mark.parametrize(
    "tag",
    [
        pytest.param("<FILE_DELETE file_path='d' />", id="single quotes"),
        pytest.param('<FILE_DELETE file_path="d"/>', id="no space"),
        pytest.param('< FILE_DELETE   file_path = "d"  / >', id="spaces everywhere"),
        pytest.param('\t<FILE_DELETE\tfile_path="d" />  ', id="tabs, and padding"),
        pytest.param('<FILE_DELETE file_path=" d " />', id="a padded path"),
        pytest.param('<FILE_DELETE file_path="d"></FILE_DELETE>', id="an end on its line"),
        pytest.param('<FILE_DELETE file_path="d">\n\n</FILE_DELETE>', id="an end below"),
    ],
)
def test_tags_may_be_written_loosely(tag: str) -> None:
    assert sections(tag) == (DELETED,)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        pytest.param('"a b/ü.txt"', "a b/ü.txt", id="spaces and Unicode"),
        pytest.param('"a&amp;b"', "a&amp;b", id="nothing is unescaped"),
        pytest.param("'say \"hi\"'", 'say "hi"', id="the other quotes"),
        pytest.param('"it\'s"', "it's", id="an apostrophe"),
        pytest.param('"a>b/>"', "a>b/>", id="what ends a tag"),
    ],
)
def test_a_path_is_the_text_between_quotes(written: str, path: str) -> None:
    assert sections(f"<FILE_DELETE file_path={written} />")[0].old_path == path


@pytest.mark.parametrize(
    "content",
    [
        pytest.param([], id="nothing"),
        pytest.param(["", "a", "", ""], id="blank lines at the ends"),
        pytest.param(["a &amp; b", "&lt;FILE_NEW&gt;", "<b>"], id="what XML would unescape"),
        pytest.param(["+a", "-b", "@@", "~", "*** Begin Patch"], id="marks of patches"),
        pytest.param(["  </FILE_NEW>", " <FILE_PATCH>"], id="tags that are indented"),
        pytest.param(["x</FILE_NEW>y", "</FILE_NEW> ends it"], id="tags beside text"),
        pytest.param(["<FILE_NEWS>", "</FILE_NEW_>", "<file_new>"], id="what is not a tag"),
        pytest.param(["a", "```", "b", "```"], id="a fence that is not the first line"),
        pytest.param(["```sh", "a", "```", "b"], id="a fence that does not reach the end"),
        pytest.param(["```sh", "a", "```", "b", "```sh", "c", "```"], id="two code blocks"),
    ],
)
def test_content_is_taken_verbatim(content: list[str]) -> None:
    assert new_lines(*content) == content


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        pytest.param("```", "```", id="three marks"),
        pytest.param("```rust", "```", id="a language"),
        pytest.param("````md", "````  ", id="four marks, and padding"),
        pytest.param("~~~", "~~~~", id="tildes"),
    ],
)
def test_a_fence_around_the_content_is_a_wrapper(opening: str, closing: str) -> None:
    content = ["", "a &amp; b", " c", ""]
    assert new_lines(opening, *content, closing) == content
    assert hunks("", opening, "@@", *CHANGE, closing, "") == UPDATED.hunks
    code = APPEND.replace('"f"', '"f.py"')
    (section,) = sections(code, opening, *content, closing, END_APPEND)
    assert [line.text.decode() for line in section.hunks[0].lines] == content


def test_a_document_in_a_fence_keeps_its_code_blocks() -> None:
    document = ["# Title", "```sh", "make", "```", "more"]
    assert new_lines("```md", *document, "```") == document
    assert new_lines("````", *document, "````") == document
    assert new_lines("~~~", *document, "~~~") == document


def test_a_fence_may_contain_paired_tags() -> None:
    quoted = [BEGIN, NEW, "x", END_NEW, DELETE, END]
    assert new_lines("```xml", *quoted, "```") == quoted
    assert new_lines("````md", "Write", "```xml", *quoted, "```", "````") == [
        *("Write", "```xml", *quoted, "```")
    ]


@pytest.mark.parametrize(
    ("content", "number"),
    [
        pytest.param(["```", "a", "```", "b", "```", "c", "```"], 3, id="bare fences"),
        pytest.param(["", "```rust", "a", "```"], 4, id="a blank line before it"),
        pytest.param(["```rust", "a", "```", ""], 3, id="a blank line after it"),
        pytest.param(["a", "```"], 4, id="no first fence"),
        pytest.param(["````", "a", "```"], 3, id="too short a second one"),
        pytest.param(["```", "a", "~~~"], 3, id="another mark"),
    ],
)
def test_a_fence_that_may_be_content_is_refused(content: list[str], number: int) -> None:
    ((found, message),) = errors(BEGIN, NEW, *content, END_NEW, END)
    assert found == number
    assert "fence" in message


@pytest.mark.parametrize("opening", ["```", "```rust", "~~~~ py"])
def test_a_fence_that_the_tag_ends_is_a_wrapper(opening: str) -> None:
    (file,) = parse_patch(text(BEGIN, NEW, opening, "a", "  b", END_NEW, END)).files
    assert [line.text for line in file.hunks[0].lines] == [b"a", b"  b"]
    (file,) = parse_patch(text(BEGIN, PATCH, opening, "@@", *CHANGE, "", END_PATCH, END)).files
    assert (
        file.hunks == parse_patch(text(BEGIN, PATCH, "@@", *CHANGE, END_PATCH, END)).files[0].hunks
    )


@pytest.mark.parametrize("name", ["README.md", "docs/x.markdown", "A.MDX"])
@pytest.mark.parametrize("word", ["", "sh", "text"])
def test_a_new_document_that_begins_with_a_fence_is_refused(name: str, word: str) -> None:
    tag = f'<FILE_NEW file_path="{name}">'
    ((number, message),) = errors(tag, f"```{word}", "make", END_NEW)
    assert (number, "whether this fence is content" in message) == (2, True)


@pytest.mark.parametrize("name", ["README.md", "docs/x.markdown", "A.MDX"])
@pytest.mark.parametrize("word", ["", "sh", "text"])
def test_a_new_document_that_is_one_code_block_is_refused(name: str, word: str) -> None:
    tag = f'<FILE_NEW file_path="{name}">'
    ((number, message),) = errors(tag, f"```{word}", "make", "```", END_NEW)
    assert (number, "put a longer one, `````" in message) == (2, True)


@pytest.mark.parametrize("opening", ["```md", "```markdown", "```MD", "````"])
def test_a_fence_labelled_markdown_is_a_wrapper(opening: str) -> None:
    marker = opening.rstrip("markdownMD")
    held = ["make"] if len(marker) == 3 else ["```sh", "make", "```"]
    written = text('<FILE_NEW file_path="README.md">', opening, *held, marker, END_NEW)
    (section,) = parse_patch(written).files
    assert section.hunks[0].lines == hunk_lines(*(f"+{line}" for line in held))


@pytest.mark.parametrize("name", ["a.py", "Makefile", "a.txt", "README", ".md", "b.rst", "a.md.j2"])
def test_a_fence_around_a_file_that_is_not_markdown_is_a_wrapper(name: str) -> None:
    tag = f'<FILE_NEW file_path="{name}">'
    (section,) = parse_patch(text(tag, "```", "make", "```", END_NEW)).files
    assert section.hunks[0].lines == hunk_lines("+make")


def test_a_code_block_alone_in_a_document_is_refused() -> None:
    tag = '<FILE_APPEND file_path="README.md">'
    ((number, message),) = errors(tag, "```sh", "make", "```", END_APPEND)
    assert (number, "put a longer one, `````" in message) == (2, True)
    (section,) = parse_patch(text(tag, "````", "```sh", "make", "```", "````", END_APPEND)).files
    assert section.hunks[0].lines == hunk_lines("+```sh", "+make", "+```")
    (section,) = parse_patch(text(tag, "```md", "make", "```", END_APPEND)).files
    assert section.hunks[0].lines == hunk_lines("+make")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        pytest.param([NEW, "x"], 4, id="the end forgotten before a directive"),
        pytest.param([DELETE], 4, id="the same before one without content"),
        pytest.param([BEGIN, DELETE, END], 4, id="a container as content"),
        pytest.param(["```", "x", "```", "", NEW, "y"], 8, id="after a fence"),
        pytest.param(["```", NEW, "x", "```"], 6, id="half a pair in a fence"),
        pytest.param(["```", END_NEW, NEW, "```"], 6, id="a pair the wrong way round"),
    ],
)
def test_tags_as_content_are_refused(content: list[str], line: int) -> None:
    found = errors(BEGIN, NEW, "a", *content, END_NEW, END)
    assert min(number for number, _ in found) <= line


def test_a_duplicated_closing_tag_is_refused() -> None:
    found = errors(BEGIN, NEW, "a", END_NEW, "b", END_NEW, END)
    assert [(number, "does not end anything" in message) for number, message in found] == [
        (6, True)
    ]


@pytest.mark.parametrize(
    ("lines", "number", "message"),
    [
        pytest.param([NEW, "x"], 1, "add a line `</FILE_NEW>` after line 2", id="no end"),
        pytest.param(
            [BEGIN, NEW, "x", "", DELETE, END], 2, "`</FILE_NEW>` after line 3", id="blank lines"
        ),
        pytest.param([BEGIN, PATCH, "@@", "-a", END], 2, "after line 4", id="before the end"),
        pytest.param([BEGIN, DELETE], 1, "add a line `</FILE_CHANGES>` after line 2", id="cut off"),
        pytest.param([BEGIN, DELETE, "", "Done."], 1, "after line 2", id="prose after it"),
        pytest.param([BEGIN, NEW, "x</FILE_NEW>", END], 2, "has no end", id="beside text"),
        pytest.param([BEGIN, NEW, "x", "  </FILE_NEW>", END], 2, "has no end", id="indented"),
        pytest.param(
            [BEGIN, NEW, "x", END_PATCH, END], 2, "add a line `</FILE_NEW>`", id="another's"
        ),
        pytest.param([BEGIN, '<FILE_DELETE file_path="d">', END], 2, "has no end", id="no /"),
        pytest.param([BEGIN, END], 1, "no directive", id="nothing in it"),
        pytest.param([END], 1, "`</FILE_CHANGES>` does not end anything", id="an end alone"),
        pytest.param(
            ["x", END_NEW], 2, "`</FILE_NEW>` does not end anything", id="a directive's end alone"
        ),
        pytest.param(
            [BEGIN, DELETE, "@@", *CHANGE, END], 3, "not in a directive", id="a hunk alone"
        ),
        pytest.param([BEGIN, DELETE, "+b", "-a", END], 3, "not in a directive", id="a line alone"),
        pytest.param(
            [BEGIN, DELETE, "*** Begin Patch", "*** Delete File: x", "*** End Patch", END],
            *(3, "not in a directive"),
            id="an envelope",
        ),
        pytest.param([BEGIN, APPEND, END_APPEND, END], 2, "nothing to append", id="append nothing"),
        pytest.param([BEGIN, PATCH, END_PATCH, END], 2, "has no hunk", id="no hunk"),
        pytest.param(
            [BEGIN, PATCH, "b", "@@", *CHANGE, END_PATCH, END], 3, "write ` b`", id="mark"
        ),
        pytest.param(
            ["  <FILE_NEW file_path='f'>", "    x", "  </FILE_NEW>"],
            1,
            "indented by 2",
            id="quoted",
        ),
        pytest.param(['<FILE_RENAME from_path="a" to_path="a" />'], 1, "are equal", id="to itself"),
    ],
)
def test_malformed_text_is_reported_at_its_line(
    lines: list[str], number: int, message: str
) -> None:
    ((found, reported),) = errors(*lines)
    assert found == number
    assert message in reported


@pytest.mark.parametrize(
    "tag",
    [
        pytest.param("<FILE_NEW>", id="no path"),
        pytest.param('<FILE_NEW file_path="">', id="an empty path"),
        pytest.param('<FILE_NEW path="x">', id="another attribute"),
        pytest.param('<FILE_NEW file_path="x" mode="1">', id="one more attribute"),
        pytest.param('<FILE_NEW file_path="x" file_path="y">', id="one twice"),
        pytest.param("<FILE_NEW file_path=x>", id="no quotes"),
        pytest.param("<FILE_NEW file_path=“x”>", id="typography"),
        pytest.param('<FILE_NEW file_path="x"', id="no bracket"),
        pytest.param('<FILE_NEW file_path="x>', id="half the quotes"),
        pytest.param('<FILE_NEW file_path="x"> y', id="text beside it"),
        pytest.param('<file_new file_path="x">', id="small letters"),
        pytest.param('<FILE_CREATE file_path="x">', id="create"),
        pytest.param('<FILE_MOVE from="a" to="b" />', id="move"),
        pytest.param('<FILE_COPY from_path="a" />', id="half"),
        pytest.param('<FILE_NEW\u00a0file_path="x">', id="an odd space"),
        pytest.param('<FILE_FROB file_path="x" />', id="nothing known"),
        pytest.param("<EDIT>", id="no directive at all"),
    ],
)
def test_a_wrong_tag_is_refused_at_its_line(tag: str) -> None:
    name = tag[1:].split()[0].rstrip(">")
    content = [] if tag.endswith("/>") else ["x", f"</{name}>"]
    assert errors(BEGIN, "", tag, *content, DELETE, END)[0][0] == 3


def test_truncated_text_lacks_both_closing_tags() -> None:
    (first, second) = errors(BEGIN, NEW, "x")
    assert (first[0], "`</FILE_NEW>` after line 3" in first[1]) == (2, True)
    assert (second[0], "`</FILE_CHANGES>` after line 3" in second[1]) == (1, True)


def test_a_wrong_tag_is_one_error() -> None:
    body = ("<FILE_NEW>", "@@", "x", END_NEW, '<FILE_UPDATE file_path="f">', "@@", "-a", END_PATCH)
    assert [number for number, _ in errors(BEGIN, *body, DELETE, "</FILE_NEW>", END)] == [
        2,
        6,
        9,
        11,
    ]


def test_prose_around_and_between_directives_is_skipped() -> None:
    lines = ["Sure, here:", "", BEGIN, "First,", "", DELETE, "- then", "+ this:", PATCH, "@@"]
    lines += [*CHANGE, END_PATCH, "<!-- done -->", END, "That was it."]
    found = parse_patch(text(*lines)).files
    assert found == (DELETED, UPDATED)
    assert [section.number for section in found] == [6, 9]


def test_a_container_may_be_in_a_fence() -> None:
    body = (BEGIN, NEW, "```rust", "x", "```", END_NEW, DELETE, END)
    plain = parse_patch(text(*body)).files
    assert parse_patch(text("So:", "```xml", *body, "```", "Bye.")).files == plain
    indented = [f"   {line}" for line in ("```xml", *body, "```")]
    assert parse_patch(text("1. So:", *indented)).files == plain


def test_a_directive_without_a_container_is_refused() -> None:
    lines = ("Here:", DELETE, "and", PATCH, "@@", *CHANGE, END_PATCH, "Done.")
    assert parse_patch(text(*lines)).files == (DELETED, UPDATED)
    assert errors("Use", "<FILE_NEW>", "for that.")[0][0] == 2


def test_prose_that_mentions_tags_is_not_a_patch() -> None:
    prose = ("Write `<FILE_NEW>` or", "`</FILE_NEW>` inside <FILE_CHANGES> and </FILE_CHANGES>.")
    assert errors(*prose)[0][0] == 0
    assert parse_patch(text(*prose, DELETE)).files == (DELETED,)


def test_several_containers_and_formats_may_be_combined() -> None:
    envelope = ("*** Begin Patch", "*** Update File: f", *CHANGE, "*** End Patch")
    mixed = text(BEGIN, DELETE, END, *envelope, BEGIN, DELETE, END)
    assert parse_patch(mixed).files == (DELETED, UPDATED, DELETED)


def test_only_the_named_format_is_read() -> None:
    diff = ("--- a/f", "+++ b/f", "@@", *CHANGE)
    only = parse_patch(text(DELETE, "and", *diff[:2]), patch_format=Format.FILE_CHANGES)
    assert only.files == (DELETED,)
    assert parse_patch(text(DELETE, *diff), patch_format=Format.UNIFIED).files == (UPDATED,)


def test_tags_in_other_formats_are_content() -> None:
    body = ("*** Update File: f", f" {BEGIN}", f"+{DELETE}", END_NEW)
    (section,) = parse_patch(text("*** Begin Patch", *body, "*** End Patch")).files
    assert [line.text.decode() for line in section.hunks[0].lines] == [BEGIN, DELETE, END_NEW]


def test_carriage_returns_of_the_text_are_not_content() -> None:
    lines = (BEGIN, NEW, "```", "x", "```", END_NEW, PATCH, "@@", *CHANGE, "", END_PATCH, END)
    assert parse_patch(text(*lines, ending="\r\n")).files == sections(*lines[1:-1])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(["@@", *CHANGE], id="a bare header"),
        pytest.param([*CHANGE], id="no header"),
        pytest.param(["", "@@", *CHANGE, "", ""], id="blank lines around it"),
        pytest.param(["--- a/f", "+++ b/f", "@@", *CHANGE], id="names"),
        pytest.param(["--- f", "+++ f", "@@", *CHANGE], id="names without prefixes"),
        pytest.param(["--- a/src/f", "+++ b/src/f", "", "@@", *CHANGE], id="longer names"),
        pytest.param(
            ["diff --git a/f b/f", "index 12..34 100644", "--- a/f", "+++ b/f", "@@", *CHANGE],
            id="the header of a diff",
        ),
        pytest.param(["*** Begin Patch", "@@", *CHANGE, "*** End Patch"], id="a wrapper"),
        pytest.param(["*** Begin Patch", "*** Update File: f", "@@", *CHANGE], id="its beginning"),
        pytest.param(["@@", *CHANGE, "", "*** End Patch", ""], id="its end"),
        pytest.param(["```", "*** Begin Patch", "@@", *CHANGE, "*** End Patch", "```"], id="both"),
    ],
)
def test_text_around_hunks_is_skipped(content: list[str]) -> None:
    assert hunks(*content) == UPDATED.hunks


def test_the_hunks_of_a_patch_are_read() -> None:
    found = hunks("@@", " x", *CHANGE, "", "@@ def f():", "+c", "", " ", "@@", "-d", "", "+e")
    anchor = (Anchor(b"def f():"),)
    assert found == (
        Hunk(hunk_lines(" x", *CHANGE)),
        Hunk(hunk_lines("+c", " ", " "), anchor),
        Hunk(hunk_lines("-d", " ", "+e")),
    )
    assert hunks("@@ -3,2 +4,2 @@", *CHANGE) == (Hunk(hunk_lines(*CHANGE), (), 2, 3),)
    at_end = Hunk(hunk_lines(*CHANGE), at_end_of_file=True)
    assert hunks("@@", *CHANGE, "*** End of File", "") == (at_end,)


def test_two_patches_of_a_file_are_sections_in_order() -> None:
    found = sections(PATCH, "@@", *CHANGE, END_PATCH, PATCH, "@@", "-b", "+c", END_PATCH)
    assert found == (
        UPDATED,
        FilePatch(Operation.UPDATE, "f", "f", (Hunk(hunk_lines("-b", "+c")),)),
    )
    again = hunks("--- a/f", "+++ b/f", "@@", *CHANGE, "--- a/f", "+++ b/f", "@@", "-b", "+c")
    assert again == tuple(hunk for section in found for hunk in section.hunks)


def test_tags_and_names_with_a_prefix_are_hunk_lines() -> None:
    body = ("@@", "+</FILE_PATCH>", " </FILE_PATCH>", "-<FILE_NEW>", "--- a/g", "+++ b/g", "-~")
    assert hunks(*body) == (Hunk(hunk_lines(*body[1:])),)


@pytest.mark.parametrize(
    ("content", "number", "message"),
    [
        pytest.param(["--- a/g", "+++ b/g", "@@"], 3, "a different file", id="other names"),
        pytest.param(["--- /dev/null", "+++ b/f", "@@"], 3, "a different file", id="a new file"),
        pytest.param(
            ["--- a/ff", "+++ b/ff", "@@"], 3, "a different file", id="a name that ends so"
        ),
        pytest.param(["*** Update File: g", "@@"], 3, "a different file", id="another update"),
        pytest.param(
            ["diff --git a/f b/f", "old mode 100644", "new mode 100755"], 3, "lines", id="a mode"
        ),
        pytest.param(["@@@"], 3, "did you mean `@@`", id="three signs"),
    ],
)
def test_malformed_content_is_reported_at_its_line(
    content: list[str], number: int, message: str
) -> None:
    ((found, reported),) = errors(BEGIN, PATCH, *content, *CHANGE, END_PATCH, END)
    assert found == number
    assert message in reported


def test_removed_lines_may_be_elided() -> None:
    assert hunks("@@", " x", "-a", "~", "-b", "~  ", "-c", "+d") == (
        Hunk(hunk_lines(" x", "-a", "-b", "-c", "+d"), removed_ranges=(2, 3)),
    )


@pytest.mark.parametrize(
    ("body", "number"),
    [
        pytest.param(["~", "-a"], 4, id="first"),
        pytest.param(["-a", "~"], 5, id="last"),
        pytest.param([" a", "~", "-b"], 5, id="after context"),
        pytest.param(["-a", "~", " b"], 5, id="before context"),
        pytest.param(["-a", "+x", "~", "-b"], 6, id="after an added line"),
        pytest.param(["-a", "~", "+x", "-b"], 5, id="before an added line"),
        pytest.param(["-a", "", "~", "-b"], 6, id="after a blank line"),
    ],
)
def test_an_elision_must_be_between_removed_lines(body: list[str], number: int) -> None:
    ((found, reported),) = errors(BEGIN, PATCH, "@@", *body, END_PATCH, END)
    assert (found, "between two removed lines" in reported) == (number, True)


def test_other_formats_have_no_elision() -> None:
    lines = ("*** Begin Patch", "*** Update File: f", "-a", "~", "-b", "*** End Patch")
    (hunk,) = parse_patch(text(*lines)).files[0].hunks
    assert hunk.removed_ranges == ()
    assert [line.text for line in hunk.lines] == [b"a", b"~", b"b"]


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(f"{DELETE}\n", id="directives"),
        pytest.param(f"{NEW}\n", id="tags without end"),
        pytest.param(f"{NEW}\n```x\n", id="fences without end"),
        pytest.param(f"{NEW}\n```\nx\n{END_NEW}\n", id="fences without end in directives"),
        pytest.param(f"{PATCH}\n@@\n-a\n~\n-b\n{END_PATCH}\n", id="removed_ranges"),
        pytest.param('<FILE_NEW a="b" ', id="attributes on one line"),
        pytest.param("<FILE_NEW " + "a" * 30, id="a long word"),
        pytest.param("\n", id="blank lines"),
        pytest.param("@@\n", id="hunk headers"),
    ],
)
@pytest.mark.parametrize("small", [250, pytest.param(1500, marks=pytest.mark.exhaustive)])
def test_reading_takes_linear_time(unit: str, small: int) -> None:
    def seconds(count: int) -> float:
        raw = (BEGIN + "\n" + unit * count + END + "\n").encode()
        best = 60.0
        for _ in range(2):
            start = time.process_time()
            with suppress(ParseError):
                parse_patch(raw)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(small * 8) < 40 * seconds(small) + 0.05


def test_truncated_text_is_never_taken_as_complete() -> None:
    body = (BEGIN, NEW, "```", "x", "```", END_NEW, PATCH, "@@", *CHANGE, END_PATCH, DELETE, END)
    raw = text(*body)
    assert len(parse_patch(raw[:-1]).files) == 3
    for size in range(len(raw) - 1):
        with pytest.raises(ParseError):
            parse_patch(raw[:size])
