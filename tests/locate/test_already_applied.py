"""A change that is already applied is distinguished from one that is not, at every tier."""

from __future__ import annotations

import pytest

from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Reason
from git_opatch.model.text import Text

_STRICT = Matching(Tier.STRICT, can_choose=False)


def locate(content: str, lines: list[str], matching: Matching | None = None) -> Placement | Failure:
    hunk = Hunk(tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines))
    in_document = (matching or Matching())._replace(path="notes.txt")
    (verdict,) = locate_hunks([hunk], Text.from_bytes(content.encode()), in_document)
    return verdict


def refused(content: str, lines: list[str], matching: Matching | None = None) -> Failure:
    verdict = locate(content, lines, matching)
    assert isinstance(verdict, Failure)
    return verdict


def first_new(lines: list[str]) -> int:
    """Return which line of the postimage is the first that is added."""
    kept = [line for line in lines if line[0] != "-"]
    return next(at for at, line in enumerate(kept) if line[0] == "+")


ADDED = [
    pytest.param("n\na\nb\n", ["+n", " a", " b"], id="added at the start"),
    pytest.param("a\nn\nb\n", [" a", "+n", " b"], id="added in the middle"),
    pytest.param("a\nb\nn\n", [" a", " b", "+n"], id="added at the end"),
    pytest.param("a\nn\nm\nb\n", [" a", "+n", "+m", " b"], id="two lines added"),
    pytest.param("a\nn\nb\nm\n", [" a", "+n", " b", "+m"], id="added at two places"),
    pytest.param("a\n\nn\nb\n", [" a", "+", "+n", " b"], id="added with a blank line"),
    pytest.param("a\nn\nc\n", [" a", "-b", "+n", " c"], id="replaced"),
    pytest.param("n\nm\nc\n", ["-b", "+n", "+m", " c"], id="replaced by two"),
    pytest.param("n\n", ["-b", "+n"], id="replaced without context"),
]


@pytest.mark.parametrize(("content", "lines"), ADDED)
def test_an_applied_change_is_detected(content: str, lines: list[str]) -> None:
    for matching in (Matching(), _STRICT):
        failure = refused(f"x\n{content}y\n", lines, matching)
        first = 1 + first_new(lines)
        assert (failure.reason, failure.positions) == (Reason.ALREADY_APPLIED, (first,))


@pytest.mark.parametrize(("content", "lines"), ADDED)
def test_an_applied_change_is_detected_with_another_indentation(
    content: str, lines: list[str]
) -> None:
    shifted = "".join(f"  {line}" if line.strip() else line for line in content.splitlines(True))
    failure = refused(f"x\n{shifted}y\n", lines)
    first = 1 + first_new(lines)
    assert (failure.reason, failure.positions) == (Reason.ALREADY_APPLIED, (first,))
    assert refused(f"x\n{shifted}y\n", lines, _STRICT).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(("content", "lines"), ADDED)
def test_an_applied_change_is_detected_in_another_letter_case(
    content: str, lines: list[str]
) -> None:
    failure = refused(f"x\n{content.upper()}y\n", lines)
    first = 1 + first_new(lines)
    assert (failure.reason, failure.positions) == (Reason.ALREADY_APPLIED, (first,))
    assert refused(f"x\n{content.upper()}y\n", lines, _STRICT).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\n\nb\n", [" a", "+"], id="a blank line at the end"),
        pytest.param("a\n\n\nb\n", [" a", "+", "+"], id="two blank lines at the end"),
        pytest.param("\na\nb\n", ["+", " a", " b"], id="a blank line that begins the file"),
        pytest.param("A b\n", ["-a b", "+A b"], id="letter case alone"),
        pytest.param("x\nCall(a)\ny\n", [" x", "-call(a)", "+Call(a)", " y"], id="case in context"),
        pytest.param("    go\n", ["-go", "+    go"], id="indentation alone"),
        pytest.param("## a\n", ["-# a", "+## a"], id="the level of a heading alone"),
        pytest.param("a.\n", ["-a", "+a."], id="punctuation alone"),
        pytest.param("f( a )\n", ["-f(  a )", "+f( a )"], id="spaces alone"),
        pytest.param("  b\n  a\n  n\n  b\nx\n", [" b", " a", "+n", " b"], id="over a loose place"),
    ],
)
def test_a_change_applied_twice_is_detected(content: str, lines: list[str]) -> None:
    failure = refused(content, lines)
    first = first_new(lines)
    assert (failure.reason, failure.positions) == (Reason.ALREADY_APPLIED, (first,))


@pytest.mark.parametrize(
    ("content", "lines", "line"),
    [
        pytest.param("a\nn\nb\n", [" a", "+n", " b"], 2, id="below its context"),
        pytest.param("a\nb\nn\n", ["-x", " a", " b", "+n"], 3, id="far below what it removes"),
        pytest.param("a\nb\nn\n", ["-a", "-b", "-m", "+a", "+b", "+n"], 3, id="a block again"),
    ],
)
def test_the_line_that_is_named_is_the_first_new_one(
    content: str, lines: list[str], line: int
) -> None:
    failure = refused(content, lines)
    assert (failure.reason, failure.candidates) == (Reason.ALREADY_APPLIED, (line,))


def test_of_a_hunk_that_only_deletes_the_line_below_is_named_or_the_last_one() -> None:
    undo = _STRICT._replace(reversed=True)
    assert refused("a\nb\nc\n", [" a", "-n", " b", " c"], undo).positions == (1,)
    assert refused("a\nb\n", [" a", " b", "-n"], undo).positions == (1,)


@pytest.mark.parametrize(
    ("content", "lines", "start", "tier"),
    [
        pytest.param("a\nc\nb\nc\n", ["-b", " c"], 2, Tier.STRICT, id="a deletion"),
        pytest.param(
            "b\nb\nc\n", ["-b", " b", " c"], 0, Tier.STRICT, id="a deletion of one of two"
        ),
        pytest.param("  b\n  x\n", ["-b", " x"], 0, Tier.RESILIENT, id="a loose deletion"),
        pytest.param("  Foo\n", ["-foo", "+FOO"], 0, Tier.FUZZY, id="a loose change of case"),
        pytest.param("FOO (a)\n", ["-foo (a)", "+Foo (a)"], 0, Tier.FUZZY, id="another case"),
        pytest.param("\tgo\n", ["-go", "+    go"], 0, Tier.RESILIENT, id="another indentation"),
        pytest.param(
            "a\nb\nx\na\nn\nb\n", [" a", "+n", " b"], 0, Tier.STRICT, id="a twin elsewhere"
        ),
        pytest.param("n\na\nx\n", [" a", "+n", " x"], 1, Tier.STRICT, id="the line before"),
        pytest.param("b\nx\nn\n", ["-b", "+n"], 0, Tier.STRICT, id="the new line elsewhere"),
        pytest.param("a\nb\n", [" a", "+", " b"], 0, Tier.STRICT, id="a blank line inside"),
        pytest.param("a\n\nb\n", [" a", "+", " ", " b"], 0, Tier.STRICT, id="one more blank line"),
        pytest.param("a\nb\n", [" a", "+"], 0, Tier.STRICT, id="no blank line at the end"),
        pytest.param("a\n", ["+", " a"], 0, Tier.STRICT, id="no blank line begins the file"),
        pytest.param("x\n\na\n", ["+", " a"], 2, Tier.STRICT, id="a blank line inside, above"),
        pytest.param("\n\na\n", ["+", " a"], 2, Tier.STRICT, id="one more of two blank lines"),
    ],
)
def test_a_change_that_is_not_applied(
    content: str, lines: list[str], start: int, tier: Tier
) -> None:
    verdict = locate(content, lines)
    assert isinstance(verdict, Placement)
    assert (verdict.start, verdict.tier) == (start, tier)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("}\n}\n", [" }", "-b", " }"], id="brackets are together everywhere"),
        pytest.param("a\nc\na\nc\n", [" a", "-b", " c"], id="what is left is there twice"),
        pytest.param("a\nd\nc\n", [" a", "-b", " c"], id="something is between"),
        pytest.param("a\nc\nd\n", [" a", " c", "-b"], id="something is below"),
        pytest.param(
            "a\nB\na\nc\n", [" a", "-x", "-a", " c"], id="what it removes ends as what is above"
        ),
        pytest.param("n\nx\nn\n", ["-b", "+n"], id="the new lines occur twice"),
        pytest.param("  n\nx\n  n\n", ["-b", "+n"], id="the new lines occur twice, loosely"),
        pytest.param("a\nn\n", [" a", "-b", "+n", " c"], id="a line after it is missing"),
        pytest.param("a\nm\n", [" a", "-b", "+n"], id="another new line"),
        pytest.param("a\n\n", [" a", "-b", "+"], id="only a blank line is new"),
    ],
)
def test_a_change_that_may_be_applied_is_not_found(content: str, lines: list[str]) -> None:
    assert refused(content, lines).reason is Reason.NOT_FOUND


WHOLE = "import os\n\nx = 1\ny = 2\nz = 3\n"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["+import os", "+x = 1", "+y = 9"], id="it begins with two lines of the file"),
        pytest.param(["+import os", "+", "+a = 1", "+z = 3"], id="it begins and ends as the file"),
        pytest.param(["+import re", "+x = 1", "+y = 2", "+z = 3"], id="half of its lines"),
        pytest.param(["+import os", "+a = 1"], id="it begins as the file"),
    ],
)
def test_a_file_as_added_lines_is_refused(lines: list[str]) -> None:
    assert isinstance(locate(WHOLE, lines), Failure)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["+a = 1", "+z = 3"], id="it ends as the file"),
        pytest.param(["+import os"], id="one line of it"),
        pytest.param(["+a = 1", "+b = 2", "+z = 3"], id="one line of it among others"),
    ],
)
def test_some_lines_of_a_file_may_be_added_again(lines: list[str]) -> None:
    assert isinstance(locate(WHOLE, lines), Placement)


def test_signs_alone_do_not_begin_a_file_again() -> None:
    content = "/*\n x\n */\nint a;\nint f() {\n  a;\n}\n"
    assert isinstance(locate(content, ["+/*", "+ new", "+ */", "+int g() {", "+}"]), Placement)


@pytest.mark.parametrize(
    ("content", "lines", "line"),
    [
        pytest.param("x\na\nc\ny\n", [" a", "-b", " c"], 3, id="between two lines"),
        pytest.param("a\nc\n", [" a", " c", "-b"], 2, id="at the end of the file"),
        pytest.param("a\nc\nd\n", ["-b", " a", " c"], 1, id="at its beginning"),
        pytest.param("b\nx\na\nc\n", [" a", "-b", " c"], 4, id="the removed line elsewhere"),
    ],
)
def test_a_removal_that_is_made_is_applied(content: str, lines: list[str], line: int) -> None:
    failure = refused(content, lines)
    assert failure.reason is Reason.ALREADY_APPLIED
    assert failure.positions == (line - 1,)
