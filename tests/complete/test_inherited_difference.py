"""A difference between a removed line and the file may not be repeated by an added line."""

from __future__ import annotations

import pytest
from hunked import edited

from git_opatch.model.result import Reason

LONG = "word " * 300


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param('  "v": "1",\n', ['-  "v": "1"', '+  "v": "2"'], id="a comma"),
        pytest.param("def f(a):\n", ["-def f(a)", "+def f(a, b)"], id="a colon"),
        pytest.param("x = a.\n", ["-x = a", "+x = b", "+y"], id="one of two lines"),
        pytest.param("x LIMIT\n", ["-x limit", "+x limit 5"], id="letter case"),
        pytest.param("### Install\n", ["-## Install", "+## Installation"], id="a heading"),
        pytest.param("say `x` now\n", ["-say x now", "+say x then"], id="backticks"),
        pytest.param("say x now\n", ["-say `x` now", "+say `x` then"], id="backticks too many"),
        pytest.param('say "x" now\n', ["-say “x” now", "+say “x” then"], id="quotes"),
        pytest.param("say “x” now\n", ['-say "x" now', '+say "x" then'], id="quotes of the file"),
        pytest.param("x: 1\n", ["-\u00a0x: 1", "+\u00a0x: 2"], id="a space that does not break"),
        pytest.param("X\n", ["-x", f"+{LONG}"], id="a line too long to tell"),
        pytest.param("x;\n", ["-x", "+other()", "+words()"], id="all lines, without their end"),
        pytest.param("X\ny\n", ["-x", " y", "+x"], id="a line that is moved"),
    ],
)
def test_an_added_line_that_keeps_a_misquoted_difference_is_refused(
    content: str, hunk: list[str]
) -> None:
    result = edited(f"a\n{content}b\n", [" a", *hunk, " b"])
    (failure,) = result.failures
    assert failure.reason is Reason.UNCLEAR
    assert "its intended text is unclear" in failure.message
    assert failure.advice.startswith("re-read lines 1-")
    assert result.content.text.to_bytes().decode() == f"a\n{content}b\n"


@pytest.mark.parametrize(
    ("content", "hunk", "after"),
    [
        pytest.param('"v": "1",\n', ['-"v": "1"', '+"v": "2",'], '"v": "2",\n', id="a comma"),
        pytest.param("x LIMIT\n", ["-x limit", "+x LIMIT 5"], "x LIMIT 5\n", id="letter case"),
        pytest.param("x LIMIT\n", ["-x limit", "+x all"], "x all\n", id="a word that goes"),
        pytest.param("### In\n", ["-## In", "+### Inn"], "### Inn\n", id="a heading"),
        pytest.param("# In\n", ["-## In", "+Inn"], "Inn\n", id="a heading no more"),
        pytest.param("`x` now\n", ["-x now", "+`x` then"], "`x` then\n", id="backticks"),
        pytest.param("x  =  1\n", ["-x = 1", "+x = 2"], "x = 2\n", id="spaces alone"),
        pytest.param("X\n", ["-x", "+other", "+words"], "other\nwords\n", id="no such line"),
        pytest.param("x;\n", ["-x", "+y;", "+z;"], "y;\nz;\n", id="all lines, with their end"),
        pytest.param("X.\n", ["-x"], "", id="nothing added"),
        pytest.param("x = 1;\n", ["-x = 1;", "+x = 2"], "x = 2\n", id="as the file has it"),
    ],
)
def test_an_added_line_written_as_in_the_file_is_placed(
    content: str, hunk: list[str], after: str
) -> None:
    result = edited(f"A\n{content}b\n", [" a", *hunk, " b"])
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == f"A\n{after}b\n"


def test_misquoted_context_does_not_matter() -> None:
    result = edited("Limit.\nx\n", [" limit", "-x", "+limit"])
    assert result.failures == []
    assert result.content.text.to_bytes() == b"Limit.\nlimit\n"
