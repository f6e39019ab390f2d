r"""What a hunk claims beside its lines: the end of the file, its newline, that lines are new."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from git_opatch.complete.tree import FileContent
from git_opatch.model.blob import Mode
from git_opatch.model.options import Options
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text
from git_opatch.parse import parse_patch
from git_opatch.plan.apply_hunks import AppliedHunks, apply_hunks

NO_NEWLINE = "\\ No newline at end of file"


def applied(content: str, lines: Sequence[str], header: str = "@@") -> AppliedHunks:
    text = "\n".join(["--- a/f", "+++ b/f", header, *lines, ""])
    (section,) = parse_patch(text.encode()).files
    file = FileContent(Mode.REGULAR, Text.from_bytes(content.encode()))
    return apply_hunks(section, file, Options())


def written(content: str, lines: Sequence[str]) -> tuple[str, int]:
    """Return the content after, and how many notes there are."""
    result = applied(content, lines)
    assert result.failures == []
    notes = [note for placement in result.placements for note in placement.notes]
    return result.content.text.to_bytes().decode(), len(notes)


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        pytest.param(["-a", "+x", " b", NO_NEWLINE], "x\nb\nc\n", id="context above the end"),
        pytest.param(["-a", NO_NEWLINE, "+x", NO_NEWLINE], "x\nb\nc\n", id="both sides above it"),
        pytest.param([" a", "+x", NO_NEWLINE], "a\nx\nb\nc\n", id="an addition above it"),
        pytest.param([" b", "-c", NO_NEWLINE, "+x", NO_NEWLINE], "a\nb\nx\n", id="both sides"),
        pytest.param(["-b", "+x", " c", NO_NEWLINE], "a\nx\nc\n", id="the last line as context"),
        pytest.param([" b", "-c", NO_NEWLINE, "+x"], "a\nb\nx\n", id="the old side alone"),
    ],
)
def test_a_newline_that_the_hunk_does_not_change_stays(lines: list[str], after: str) -> None:
    expected_notes = 1
    assert written("a\nb\nc\n", lines) == (after, expected_notes)
    with_returns = written("a\nb\nc\n".replace("\n", "\r\n"), lines)
    assert with_returns == (after.replace("\n", "\r\n"), expected_notes)


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("a\nb\n", [" a", "-b", "+x", NO_NEWLINE], "a\nx", id="taken away"),
        pytest.param("a\nb\n", [" b", "+x", NO_NEWLINE], "a\nb\nx", id="an addition without one"),
        pytest.param("a\nb", [" a", "-b", NO_NEWLINE, "+x"], "a\nx\n", id="added"),
        pytest.param("a\nb", ["-a", "+x", " b", NO_NEWLINE], "x\nb", id="kept"),
    ],
)
def test_a_newline_that_the_hunk_changes_is_changed(
    content: str, lines: list[str], after: str
) -> None:
    assert written(content, lines) == (after, 0)


def test_a_wrong_end_of_the_file_does_not_choose() -> None:
    (failure,) = applied("a\nb\na\nc\n", ["-a", "+x", NO_NEWLINE]).failures
    assert failure.reason is Reason.AMBIGUOUS


INSERTED = "a\ndef g():\n  call(x)\n  run()\nb\n"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([" a", "+def g():", "+  call(y)", "+  run()"], id="below its context"),
        pytest.param(["+def g():", "+  call(y)", "+  run()", " b"], id="above its context"),
        pytest.param([" a", "+def h():", "+  call(x)", "+  run()"], id="another word"),
        pytest.param([" a", "+def g():", "+  call(y, *z)", "+  run()"], id="words of one line"),
        pytest.param(
            [" a", "+def g():", "+  call(y, *z)", "+  run()"], id="several words of a line"
        ),
    ],
)
def test_an_insertion_is_not_sent_again_with_one_word_edited(lines: list[str]) -> None:
    (failure,) = applied(INSERTED, lines).failures
    assert failure.reason is Reason.CONTRADICTED
    assert (failure.fault, failure.values) == (Fault.PARTLY_APPLIED, {"at": 2})


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([" a", "+def h():", "+  call(y)", "+  run()"], id="two lines differ"),
        pytest.param([" a", "+def h():", "+  call(y, z)", "+  run()"], id="more words differ"),
        pytest.param([" a", "+  call(y)", "+  run()"], id="two lines alone"),
        pytest.param([" a", "+def g():", "+  call(y)", "+  run()", " def g():"], id="both sides"),
    ],
)
def test_what_only_looks_alike_is_inserted(lines: list[str]) -> None:
    added = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
    assert written(INSERTED, lines) == (INSERTED.replace("a\n", f"a\n{added}", 1), 0)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([" a", "+def  g():", "+    call(x)"], id="below its context"),
        pytest.param(["+    call(x)", "+run()", " b"], id="above its context"),
        pytest.param([" a", "+", "+def g():", "+", "+    call(x)"], id="with blank lines"),
    ],
)
def test_an_insertion_is_not_sent_again_with_other_whitespace(lines: list[str]) -> None:
    (failure,) = applied(INSERTED, lines).failures
    assert failure.reason is Reason.CONTRADICTED
    assert failure.fault is Fault.PARTLY_APPLIED


FILE = "import a\nimport b\n\ndef f():\n  x\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FILE.replace("x", "y"), id="a line changed"),
        pytest.param(FILE.replace("import a", "import c"), id="the first line changed"),
        pytest.param("import a\nimport b\n\n# ...\n", id="only its beginning"),
        pytest.param(f"{FILE}\ndef g():\n  y\n", id="lines added at the end"),
    ],
)
def test_a_file_is_not_appended_to_itself(text: str) -> None:
    (failure,) = applied(FILE, [f"+{line}" for line in text.splitlines()]).failures
    assert failure.reason is Reason.CONTRADICTED
    assert failure.fault is Fault.REWRITE


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("# Guide\n\n## Use\na\n", "# The guide\n\nb\n", id="a title"),
        pytest.param("\n## Guide\n\na\n", "# Guide\n\nb\n", id="one of another level"),
        pytest.param("#!/bin/sh\nrun\n", "#!/bin/bash\ngo\n", id="the program of a script"),
        pytest.param("<?php\nrun();\n", "<?php\n\ngo();\n", id="a tag of PHP"),
        pytest.param(
            "// old\nimport a from 'b'\na()\n", "import c from 'b'\nc()\n", id="an import"
        ),
    ],
)
def test_a_file_begins_once(content: str, text: str) -> None:
    (failure,) = applied(content, [f"+{line}" for line in text.splitlines()]).failures
    assert failure.reason is Reason.CONTRADICTED


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("# 2\na\n\n# 1\nb\n", "# 0\nc\n", id="one of several sections"),
        pytest.param("# Guide\na\n", "## Use\nb\n", id="a deeper section"),
        pytest.param("# Guide\na\n", "b\n# Use\n", id="a heading inside"),
        pytest.param("a\n", "# Use\nb\n", id="a file without a title"),
        pytest.param("# import this\na = 1\n", "# so\nb = 1\n", id="comments"),
        pytest.param("from a import b\n", "from c import d\n", id="imports alone"),
        pytest.param("a = 1\n", "import c\nc.d()\n", id="a file without imports"),
        pytest.param("import a\na()\n", "b()\nimport c\n", id="an import below"),
    ],
)
def test_what_may_be_below_the_beginning_is_added(content: str, text: str) -> None:
    assert applied(content, [f"+{line}" for line in text.splitlines()]).failures == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ndef g():\n  y\n", id="another definition"),
        pytest.param("def g():\n  x\n", id="one with a line of the file"),
        pytest.param("import a\n", id="the first line alone"),
    ],
)
def test_lines_are_appended_to_a_file(text: str) -> None:
    assert written(FILE, [f"+{line}" for line in text.splitlines()]) == (FILE + text, 1)


TWINS = "open\nread 1\nclose\nend\nopen\nread\nclose\n"
CHANGE = [" open", "-read", "+write", " close"]


def test_a_number_where_all_lines_are_with_other_whitespace_refuses_a_twin() -> None:
    lines = [f"step {number}" for number in range(8)]
    content = "".join(f"{indent}{line}\n" for indent in ("  ", "") for line in lines)
    change = [*(f" {line}" for line in lines[:-1]), f"-{lines[-1]}", "+last"]
    (failure,) = applied(content, change, "@@ -1,8 +1,8 @@").failures
    assert failure.reason is Reason.CONTRADICTED
    assert (failure.fault, failure.values) == (Fault.OTHER_NUMBER, {"stated": 1})


def test_a_number_where_all_lines_but_one_are_refuses_a_twin() -> None:
    (failure,) = applied(TWINS, CHANGE, "@@ -1,3 +1,3 @@").failures
    assert failure.reason is Reason.CONTRADICTED
    assert (failure.fault, failure.values) == (Fault.OTHER_NUMBER, {"stated": 1})
    beside = [*CHANGE, "@@ -7 +7 @@", "-close", "+shut"]
    assert [failure.hunk for failure in applied(TWINS, beside, "@@ -1,3 +1,3 @@").failures] == [1]


@pytest.mark.parametrize(
    ("content", "header", "below"),
    [
        pytest.param(TWINS, "@@ -5,3 +5,3 @@", [], id="its own line"),
        pytest.param(TWINS, "@@ -2,3 +2,3 @@", [], id="a line with other lines"),
        pytest.param(TWINS, "@@ -99,3 +99,3 @@", [], id="past the end"),
        pytest.param(TWINS, "@@", [], id="no number"),
        pytest.param(TWINS.replace("close\ne", "shut\ne"), "@@ -1,3 +1,3 @@", [], id="two differ"),
        pytest.param(
            TWINS + "late\n", "@@ -1,3 +1,3 @@", ["@@ -4 +4 @@", "-late", "+last"], id="all moved"
        ),
    ],
)
def test_a_number_is_noise_elsewhere(content: str, header: str, below: list[str]) -> None:
    result = applied(content, [*CHANGE, *below], header)
    assert result.failures == []
    assert result.content.text.lines[5] == b"write"


@pytest.mark.parametrize("header", ["@@", "@@ -1,1 +1,2 @@", "@@ import os"])
def test_a_blank_line_alone_does_not_say_where_lines_go(header: str) -> None:
    content = "import os\n\nDEBUG = False\n"
    for hunk in (["+TRACE", " "], [" ", "+TRACE"]):
        (failure,) = applied(content, hunk, header).failures
        assert failure.reason in (Reason.CONTRADICTED, Reason.NOT_FOUND)
        assert "TRACE" not in str(applied(content, hunk, header).content.text)


def test_a_blank_line_at_its_number_does() -> None:
    result = applied("import os\n\nDEBUG = False\n", [" ", "+TRACE"], "@@ -2,1 +2,2 @@")
    assert result.content.text.lines == [b"import os", b"", b"TRACE", b"DEBUG = False"]


_READER = "class Reader:\n  open\n  close\n\n  read\n\nclass Writer:\n  open\n  close\n"
_CLOSE = ["   open", "-  close", "+  shut", " "]


@pytest.mark.parametrize("header", ["@@ -8,3 +8,3 @@", "@@ class Writer:"])
def test_a_blank_line_past_the_end_does_not_decide(header: str) -> None:
    (failure,) = applied(_READER, _CLOSE, "@@").failures
    assert failure.reason is Reason.AMBIGUOUS
    lines = applied(_READER, _CLOSE, header).content.text.lines
    assert lines == [*_READER.encode().splitlines()[:-1], b"  shut"]


def test_lines_below_a_blank_one_past_the_end_are_added_there() -> None:
    content = "func a() {\n}\n\nfunc b() {\n}\n"
    hunk = [" }", " ", "+func c() {", "+}"]
    assert applied(content, hunk, "@@").failures[0].reason is Reason.AMBIGUOUS
    result = applied(content, hunk, "@@ -5,2 +5,4 @@")
    assert result.content.text.to_bytes().decode() == content + "\nfunc c() {\n}\n"


@pytest.mark.parametrize(
    ("content", "anchor", "added"),
    [
        pytest.param("class S:\n  def f():\n    x\n", "  def f():", ["", "  def g():"], id="def"),
        pytest.param("def f():\n  x\n", "def f():", ["def g():", "  y"], id="at the margin"),
        pytest.param("int f()\n{\n  x;\n}\n", "int f()", ["  y;"], id="a brace below"),
        pytest.param("f() {\n  x\n}\n", "f() {", ["g() {", "}"], id="braces"),
    ],
)
def test_added_lines_do_not_tear_what_their_anchor_opens(
    content: str, anchor: str, added: list[str]
) -> None:
    (failure,) = applied(content, [f"+{line}" for line in added], f"@@ {anchor}").failures
    assert failure.reason is Reason.CONTRADICTED
    assert (failure.fault, failure.values) == (Fault.BETWEEN, {"anchor": anchor.encode()})


@pytest.mark.parametrize(
    ("content", "anchor", "added"),
    [
        pytest.param("def f():\n  x\n", "def f():", ["  y"], id="in it"),
        pytest.param("import a\n\nx\n", "import a", ["import b"], id="below a line"),
        pytest.param("f() {\n}\n", "f() {", ["  y"], id="an empty block"),
        pytest.param("f();\n{\n}\n", "f();", ["g();"], id="a block of its own"),
    ],
)
def test_added_lines_go_below_their_anchor(content: str, anchor: str, added: list[str]) -> None:
    result = applied(content, [f"+{line}" for line in added], f"@@ {anchor}")
    assert result.failures == []
    assert result.content.text.lines[1] == added[0].encode()
