"""Envelopes written loosely by models, and text that is not an envelope."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

import pytest
from sandbox import Sandbox

from git_opatch.model.blob import Mode
from git_opatch.model.errors import Diagnostic, ParseError
from git_opatch.model.patch import Anchor, FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.parse import parse_patch

BEGIN, END, FILE = "*** Begin Patch", "*** End Patch", "*** Update File: f"
CHANGE = ("-a", "+b")


def parsed(*lines: str) -> Sequence[FilePatch]:
    return parse_patch("".join(line + "\n" for line in lines)).files


def sections(*body: str) -> Sequence[FilePatch]:
    return parsed(BEGIN, *body, END)


def errors(*body: str) -> list[Diagnostic]:
    with pytest.raises(ParseError) as caught:
        sections(*body)
    return list(caught.value.diagnostics)


def hunk_lines(*lines: str) -> tuple[Line, ...]:
    return tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines)


HUNK = (Hunk(hunk_lines(*CHANGE)),)
UPDATE = FilePatch(Operation.UPDATE, "f", "f", HUNK)
ADD = FilePatch(Operation.ADD, None, "n", (Hunk(hunk_lines("+x")),))
DELETE = FilePatch(Operation.DELETE, "d", None, has_content=False)


SPELLINGS = [
    pytest.param("*** Begin Patch ***", "*** End Patch ***", id="closed"),
    pytest.param("***\x0bBegin Patch", END, id="another space in it"),
    pytest.param("***Begin Patch", "***End Patch", id="no space"),
    pytest.param("*** BEGIN PATCH", "*** end patch", id="letter case"),
    pytest.param("*** begin patch:", "*** End of Patch", id="a colon, and of"),
    pytest.param("****  Begin  Patch", "** End Patch **", id="other numbers of stars"),
]


@pytest.mark.parametrize(
    ("begin", "end"),
    [*SPELLINGS, pytest.param("\x0c*** Begin Patch", END, id="a form feed before it")],
)
def test_begin_and_end_may_be_written_loosely(begin: str, end: str) -> None:
    assert parsed(begin, FILE, "@@", *CHANGE, end, "", "Done.") == (UPDATE,)


@pytest.mark.parametrize(("begin", "end"), SPELLINGS)
def test_every_spelling_is_read_in_every_wrapper(begin: str, end: str) -> None:
    text = "\n".join((begin, FILE, "@@", *CHANGE, end, ""))
    for wrapped in (
        f"Do:\n\n{text}\nDone.\n",
        f"```\n{text}```\n",
        "1. So:\n\n" + textwrap.indent(text, "   "),
        "1. So:\n\n" + textwrap.indent(text, "   ") + "2. Done.\n",
        f"apply_patch <<'EOF'\n{text}EOF\n",
        f"apply_patch <<'EOF'\n{text}",
        f"<<'EOF'\n{text}EOF\n",
        f"apply_patch '{text}'\n",
        json.dumps(text),
        json.dumps({"patch": text}),
        json.dumps({"command": ["apply_patch", text]}),
    ):
        assert parse_patch(wrapped).files == (UPDATE,), wrapped


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("*** Begin Patching", id="another word"),
        pytest.param("*** Begin Patch now", id="more words"),
        pytest.param("* Begin Patch", id="an item of a list"),
        pytest.param("*** The Begin Patch", id="a word before"),
        pytest.param("Begin Patch", id="no stars"),
    ],
)
def test_lines_that_do_not_begin_an_envelope(line: str) -> None:
    with pytest.raises(ParseError, match="no patch found"):
        parsed(line, "Some prose.")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(" *** End Patch ***", id="padded"),
        pytest.param("+***End Patch", id="added"),
        pytest.param("-*** END PATCH", id="removed"),
    ],
)
def test_an_end_marker_may_be_a_hunk_line(line: str) -> None:
    (section,) = sections(FILE, "@@", *CHANGE, line)
    assert section.hunks == (Hunk(hunk_lines(*CHANGE, line)),)


@pytest.mark.parametrize("line", ["*** End Patched", "* End Patch", "*** Ending the Patch"])
def test_lines_that_do_not_end_an_envelope(line: str) -> None:
    with pytest.raises(ParseError, match="has no end"):
        parsed(BEGIN, "*** Add File: n", "+x", line)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["***Update File: f", *CHANGE], UPDATE, id="no space after the stars"),
        pytest.param(["*** Update File:f", *CHANGE], UPDATE, id="no space after the colon"),
        pytest.param(["*** update file : f", *CHANGE], UPDATE, id="letter case, a space more"),
        pytest.param(["*** Update File f", *CHANGE], UPDATE, id="no colon"),
        pytest.param(["*** UPDATE FILE: f ***", *CHANGE], UPDATE, id="closed"),
        pytest.param(["*** Update File f ***", *CHANGE], UPDATE, id="no colon, and closed"),
        pytest.param(["*** Update File: `f`", *CHANGE], UPDATE, id="backticks"),
        pytest.param(['*** Update File: "f"', *CHANGE], UPDATE, id="quotes"),
        pytest.param(['*** Update File: "f" ***', *CHANGE], UPDATE, id="quotes, and closed"),
        pytest.param(["*** Update File `f`", *CHANGE], UPDATE, id="backticks for a colon"),
        pytest.param(["*** Modify File: f", *CHANGE], UPDATE, id="modify"),
        pytest.param(["*** Edit File: f", *CHANGE], UPDATE, id="edit"),
        pytest.param(["*** Change File: f", *CHANGE], UPDATE, id="change"),
        pytest.param(["*** Create File: n", "+x"], ADD, id="create"),
        pytest.param(["*** New File: n", "+x"], ADD, id="new"),
        pytest.param(["***add file: n", "+x"], ADD, id="add"),
        pytest.param(["*** Remove File: d"], DELETE, id="remove"),
        pytest.param(["***delete file d ***"], DELETE, id="delete"),
    ],
)
def test_a_marker_may_be_written_loosely(lines: list[str], expected: FilePatch) -> None:
    assert sections(*lines) == (expected,)
    assert sections("*** Add File: n", "+x", *lines, "*** Delete File: d") == (
        *(ADD, expected, DELETE),
    )
    assert sections(FILE, "@@", *CHANGE, *lines) == (UPDATE, expected)


@pytest.mark.parametrize(
    "marker",
    [
        "*** Move to: g",
        "*** Move To: g",
        "***move to g",
        "*** Rename to: g",
        "*** Rename File to: `g`",
        "*** MOVE FILE TO: g ***",
        " *** Move to: g",
    ],
)
def test_a_move_may_be_written_loosely(marker: str) -> None:
    assert sections(FILE, marker, "@@", *CHANGE) == (FilePatch(Operation.MOVE, "f", "g", HUNK),)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        pytest.param("a`", "a`", id="one backtick"),
        pytest.param('`a"', '`a"', id="marks that differ"),
        pytest.param("a***", "a***", id="stars without a space"),
        pytest.param("a *", "a *", id="one star"),
        pytest.param("a **", "a **", id="two stars"),
        pytest.param("*** x", "*** x", id="stars in front"),
        pytest.param("``", "``", id="nothing in backticks"),
        pytest.param("a `b`", "a `b`", id="a word in backticks"),
        pytest.param("`a b`", "a b", id="spaces in backticks"),
    ],
)
def test_a_path_keeps_unpaired_quotes_and_stars(written: str, path: str) -> None:
    assert sections(f"*** Delete File: {written}")[0].old_path == path


@pytest.mark.parametrize(
    "line",
    [
        " *** Update File: g",
        " ***Update File: g",
        "+*** Create File: g",
        "-*** Remove File g",
        " *** Rename to: g",
        " *** rename file to: g",
    ],
)
def test_a_marker_may_be_a_hunk_line(line: str) -> None:
    for first in ([], ["@@"]):
        (section,) = sections(FILE, *first, *CHANGE, line)
        assert section.hunks == (Hunk(hunk_lines(*CHANGE, line)),)


def test_a_loosely_written_padded_move_is_context() -> None:
    (section,) = sections(FILE, " *** Rename to: g", *CHANGE)
    assert section == FilePatch(
        Operation.UPDATE, "f", "f", (Hunk(hunk_lines(" *** Rename to: g", *CHANGE)),)
    )


@pytest.mark.parametrize(
    ("line", "corrected"),
    [
        pytest.param("*** Update: g", "*** Update File: g", id="no word file"),
        pytest.param("*** Create g", "*** Add File: g", id="no word file and no colon"),
        pytest.param("*** New file handling here", "*** Add File: handling here", id="a sentence"),
        pytest.param("*** Files: g", "", id="another word"),
        pytest.param("*** Updated File: g", "", id="another form of the word"),
        pytest.param("***", "", id="stars alone"),
        pytest.param("*** g", "", id="a path alone"),
        pytest.param("***************", "", id="a rule"),
    ],
)
def test_a_line_of_stars_that_is_not_a_marker_is_refused(line: str, corrected: str) -> None:
    for body in ([FILE, "@@", *CHANGE, line], ["*** Add File: n", "+x", line], [line]):
        (error,) = errors(*body)
        assert error.line == len(body) + 1
        assert error.message.startswith(f"`{line}` is not a patch marker; ")
        assert error.corrected == corrected
        assert (f"did you mean `{corrected}`?" in error.message) == bool(corrected)


def test_a_marker_without_a_path_is_refused() -> None:
    (error,) = errors("*** Update File:", "@@", *CHANGE)
    assert (error.line, error.message) == (
        *(2, "this marker does not name a file; write `*** Update File: PATH`"),
    )
    assert [error.line for error in errors(FILE, "*** Move to:  ", *CHANGE)] == [3]


def test_a_marker_outside_an_envelope_is_refused() -> None:
    with pytest.raises(ParseError) as caught:
        parsed("***Create File: n", "+x", END)
    (error,) = caught.value.diagnostics
    assert (error.line, error.corrected) == (1, "*** Begin Patch")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        pytest.param("@@ ... @@", Hunk(()), id="dots"),
        pytest.param("@@ … @@", Hunk(()), id="an ellipsis"),
        pytest.param("@@...@@", Hunk(()), id="dots and no spaces"),
        pytest.param("@@ @@", Hunk(()), id="nothing"),
        pytest.param("@@@@", Hunk(()), id="nothing at all"),
        pytest.param("@@ ... @@ def f():", Hunk((), (Anchor(b"def f():", True),)), id="a heading"),
        pytest.param("@@ -3,2 +4,2 @@", Hunk((), (), 2, 3), id="numbers"),
        pytest.param("@@ -3,2 +4,2", Hunk((), (), 2, 3), id="numbers, not closed"),
        pytest.param("@@-3,2 +4,2@@", Hunk((), (), 2, 3), id="numbers without spaces"),
        pytest.param("@@ -3 @@", Hunk((), (), 2), id="one number"),
        pytest.param("@@ -3,2 @@ f()", Hunk((), (Anchor(b"f()", True),), 2), id="one, a heading"),
        pytest.param("@@ def f(): @@", Hunk((), (Anchor(b"def f():"),)), id="an anchor, closed"),
        pytest.param("@@  f() @@ ", Hunk((), (Anchor(b" f()"),)), id="closed and padded"),
        pytest.param("@@x", Hunk((), (Anchor(b"x"),)), id="no space after it"),
        pytest.param("@@[x] @@", Hunk((), (Anchor(b"[x]"),)), id="no space after it, closed"),
        pytest.param("@@ x@@", Hunk((), (Anchor(b"x@@"),)), id="no space before it"),
        pytest.param("@@ @@n = 0", Hunk((), (Anchor(b"@@n = 0"),)), id="an anchor in Ruby"),
        pytest.param("@@ a @@ b", Hunk((), (Anchor(b"a @@ b"),)), id="inside an anchor"),
        pytest.param("@@ -3", Hunk((), (Anchor(b"-3"),)), id="a number that is an anchor"),
        pytest.param("@@ -x +y @@", Hunk((), (Anchor(b"-x +y"),)), id="no numbers"),
        pytest.param("@@ ...", Hunk((), (Anchor(b"..."),)), id="dots that are an anchor"),
    ],
)
def test_hunk_headers_are_read(header: str, expected: Hunk) -> None:
    names = ("--- a/f", "+++ b/f")
    for (section,) in (sections(FILE, header, *CHANGE), parsed(*names, header, *CHANGE)):
        assert section.hunks == (
            Hunk(hunk_lines(*CHANGE), expected.anchors, expected.stated_start, expected.new_start),
        )


@pytest.mark.parametrize(
    ("header", "corrected"),
    [
        pytest.param("@@@", "@@", id="one too many"),
        pytest.param("@@@f()", "@@ f()", id="no space, and one too many"),
        pytest.param("@@@ f() @@@", "@@ f()", id="three and text"),
        pytest.param("@@@ -1 -1 +1 @@@", "", id="of a merge"),
    ],
)
def test_a_malformed_hunk_header_is_refused(header: str, corrected: str) -> None:
    (error,) = errors(FILE, header, *CHANGE)
    assert (error.line, error.corrected) == (3, corrected)
    assert corrected in error.message


GIT = "diff --git a/f b/f"
NAMES = ("--- a/f", "+++ b/f")


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(NAMES, id="names"),
        pytest.param(("--- f", "+++ f"), id="names without prefixes"),
        pytest.param(("--- a/f", "+++ f"), id="one prefix"),
        pytest.param(("--- a/f\t2024-01-02 03:04:05", "+++ b/f\t2024"), id="time stamps"),
        pytest.param((GIT, *NAMES), id="git's line"),
        pytest.param((GIT, "index 12ab..34cd 100644", *NAMES), id="ids"),
        pytest.param(("index 12ab..34cd 100644", *NAMES), id="ids alone"),
        pytest.param((GIT,), id="git's line alone"),
    ],
)
def test_a_header_may_repeat_the_file_name(header: tuple[str, ...]) -> None:
    numbered = Hunk(hunk_lines(*CHANGE), (), 0, 0)
    assert sections(FILE, *header, "@@ -1 +1 @@", *CHANGE) == (
        FilePatch(Operation.UPDATE, "f", "f", (numbered,)),
    )
    assert sections(FILE, *header, *CHANGE) == (UPDATE,)


def test_a_header_may_repeat_a_move_an_addition_or_a_deletion() -> None:
    move = FilePatch(Operation.MOVE, "f", "g", HUNK)
    assert sections(FILE, "*** Move to: g", "--- a/f", "+++ b/g", "@@", *CHANGE) == (move,)
    names = ("rename from f", "rename to g", "--- a/f", "+++ b/g")
    assert sections(FILE, "*** Move to: g", "diff --git a/f b/g", *names, *CHANGE) == (move,)
    new = ("--- /dev/null", "+++ b/n")
    for header in (("@@",), ("@@ -0,0 +1 @@",), new, (*new, "@@ -0,0 +1 @@")):
        assert sections("*** Add File: n", *header, "+x") == (ADD,)
    assert sections("*** Delete File: d", "--- a/d", "+++ /dev/null") == (DELETE,)
    git = ("diff --git a/n b/n", "new file mode 100755", *new)
    (found,) = sections("*** Add File: n", *git, "+x")
    assert found.new_mode is Mode.EXECUTABLE


@pytest.mark.parametrize(
    ("body", "number"),
    [
        pytest.param([FILE, "--- a/g", "+++ b/g", "@@", *CHANGE], 3, id="another file"),
        pytest.param([FILE, "--- a/f", "+++ b/g", "@@", *CHANGE], 3, id="another new file"),
        pytest.param([FILE, "--- /dev/null", "+++ b/f", "@@", "+x"], 3, id="no old file"),
        pytest.param([FILE, "diff --git a/g b/g", "@@", *CHANGE], 3, id="another in git's line"),
        pytest.param(
            [FILE, "diff --git a/f b/g", "rename from f", "rename to g", *CHANGE],
            *(3,),
            id="a move that the marker lacks",
        ),
        pytest.param(["*** Add File: n", "--- /dev/null", "+++ b/m", "+x"], 3, id="added"),
    ],
)
def test_a_header_of_another_file_is_refused(body: list[str], number: int) -> None:
    (error,) = errors(*body)
    assert error.line == number
    assert "names a different file than the marker above it" in error.message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(["@@", "--- a/f", "+++ b/f"], id="after the hunk's header"),
        pytest.param([" c", "--- a/f", "+++ b/f"], id="after a line"),
        pytest.param(["--- a/f", " c"], id="half a header"),
        pytest.param(["--- a/f", "", "+++ b/f"], id="a line between"),
    ],
)
def test_dashes_and_plus_signs_may_be_hunk_lines(body: list[str]) -> None:
    (section,) = sections(FILE, *body)
    lines = [line or " " for line in body if line != "@@"]
    assert section.hunks == (Hunk(hunk_lines(*lines)),)


def test_a_binary_header_in_an_envelope_is_refused() -> None:
    (error,) = errors(FILE, GIT, "GIT binary patch", "literal 0")
    assert (error.line, "binary" in error.message) == (3, True)


@pytest.mark.parametrize(
    ("header", "corrected"),
    [
        pytest.param(NAMES, "*** Update File: f", id="an update"),
        pytest.param(("--- /dev/null", "+++ b/f"), "*** Add File: f", id="an addition"),
        pytest.param(("--- a/f", "+++ /dev/null"), "*** Delete File: f", id="a deletion"),
        pytest.param((GIT, *NAMES), "*** Update File: f", id="git's line"),
    ],
)
def test_a_header_instead_of_a_marker_is_refused(header: tuple[str, ...], corrected: str) -> None:
    (error,) = errors(*header, "@@", *CHANGE)
    assert (error.line, error.corrected) == (2, corrected)


def test_consecutive_lines_of_a_new_file_without_plus_are_one_error() -> None:
    found = errors("*** Add File: n", "+a", "b", "", "c", "+d", "", "+e", " f", "*** Add File: m")
    assert [(error.line, error.corrected) for error in found] == [(4, "+b"), (8, "+"), (10, "+ f")]
    assert "write `+b`, and so on up to line 6" in found[0].message
    assert found[2].message.endswith("write `+ f`")


def test_lines_before_any_hunk_are_one_error() -> None:
    (error,) = errors(FILE, "def f():", "pass", "", "x = 1")
    assert (error.line, error.corrected) == (3, " def f():")
    assert error.message.endswith("write ` def f():`, and so on up to line 6")
    (error,) = errors(FILE, "def f():", "x", *CHANGE)
    assert error.message.endswith("and so on up to line 4")


def test_lines_after_the_end_of_the_file_are_one_error() -> None:
    (error,) = errors(FILE, "@@", *CHANGE, "*** End of File", "+b", "+c", "@@", *CHANGE)
    assert (error.line, error.corrected) == (7, "@@")


@pytest.mark.parametrize(
    "line", ["*** End of file", "***End of File", "*** END OF FILE ***", "*** end of file:"]
)
def test_the_end_of_file_marker_may_be_written_loosely(line: str) -> None:
    (section,) = sections(FILE, "@@", *CHANGE, line)
    assert section.hunks == (Hunk(hunk_lines(*CHANGE), at_end_of_file=True),)
    (section,) = sections(FILE, "@@", *CHANGE, f" {line}")
    assert section.hunks == (Hunk(hunk_lines(*CHANGE, f" {line}")),)


def test_a_missing_end_shows_the_line_to_add() -> None:
    with pytest.raises(ParseError) as caught:
        parsed("***begin patch", FILE, "@@", *CHANGE)
    (error,) = caught.value.diagnostics
    assert (error.line, error.corrected) == (1, "*** End Patch")
    assert "add a line `*** End Patch` after line 5" in error.message


def test_a_corrected_line_is_not_shortened() -> None:
    long = "x" * 1000
    (error,) = errors("*** Add File: n", long)
    assert error.corrected == f"+{long}"
    assert len(error.message) < 500


def test_the_patch_applies_in_a_repository(repo: Sandbox) -> None:
    repo.commit({"f": "def f():\n    a\n\ndef g():\n    a\n", "d": "x\n", "o": "p\nq\n"})
    text = [
        "***BEGIN PATCH ***",
        "***Modify file `f`",
        *("diff --git a/f b/f", "--- a/f", "+++ b/f", "@@ def g(): @@", "-    a", "+    b"),
        *("*** Create File: n ***", "@@ -0,0 +1 @@", "+new"),
        "*** Remove File d",
        *("*** Edit File: o", "*** Rename File to: sub/o", "@@ ... @@", " p", "-q", "+r"),
        "***End Patch",
    ]
    ran = repo.opatch("apply", feed="\n".join(text).encode())
    assert (ran.status, ran.err) == (0, "")
    contents = {name: content for name, (_, content) in repo.files().items()}
    assert contents == {
        "f": b"def f():\n    a\n\ndef g():\n    b\n",
        "n": b"new\n",
        "sub/o": b"p\nr\n",
    }


def test_added_lines_below_a_heading_alone_have_no_position(repo: Sandbox) -> None:
    repo.commit({"f": "def f():\n    a\n"})
    text = "\n".join([BEGIN, FILE, "@@ ... @@ def f():", "+    b", END])
    ran = repo.opatch("apply", feed=text.encode())
    assert ran.status == 1
    assert "a heading, which does not say where they go" in ran.err
