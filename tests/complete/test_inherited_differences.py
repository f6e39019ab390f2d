"""What one hand did to the old lines, and the added ones repeat, is undone or refused (D45)."""

from __future__ import annotations

import pytest
from hunked import edited

from git_opatch.model.sentences import Fault, Reason

LONG = "word " * 300


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param('  "v": "1",\n', ['-  "v": "1"', '+  "v": "2"'], id="a comma"),
        pytest.param("def f(a):\n", ["-def f(a)", "+def f(a, b)"], id="a colon"),
        pytest.param("x = a.\n", ["-x = a", "+x = b", "+y"], id="one of two lines"),
        pytest.param("x LIMIT\n", ["-x limit", "+x limit 5"], id="letter case"),
        pytest.param("say `x` now\n", ["-say x now", "+say x then"], id="backticks"),
        pytest.param("say x now\n", ["-say `x` now", "+say `x` then"], id="backticks too many"),
        pytest.param(
            'say "x" now\n', ["-say “x” now", "+say “x”, \u2018y\u2019"], id="other quotes, too"
        ),
        pytest.param('say "x" now\n', ["-say “x” now", '+say “x” "y"'], id="quotes of both kinds"),
        pytest.param(
            'say "x"\n“y”\n', ["-say “x”", " “y”", "+say “z”"], id="quotes that the file has"
        ),
        pytest.param("say “x” now\n", ['-say "x" now', '+say "x" then'], id="quotes of the file"),
        pytest.param("x: 1\n", ["-\u00a0x: 1", "+\u00a0x: 2"], id="a space that does not break"),
        pytest.param("## In\n", ["-# In", "+## Inn"], id="a heading as deep as in the file"),
        pytest.param("### In\n#### B\n", ["-# In", " ### B", "+# C"], id="two levels"),
        pytest.param("## In\n", ["-# In", "+# Inn", "+###### So"], id="a heading too deep"),
        pytest.param("x;\n", ["-x", "+other()", "+words()"], id="all lines, without their end"),
        pytest.param("X\ny\n", ["-x", " y", "+x"], id="a line that is moved"),
        pytest.param('f("a b")\n', ['-f("a  b")', '+f("a  b", 1)'], id="blanks in a string"),
        pytest.param("f('a  b')\n", ["-f('a b')", "+g('a b')"], id="blanks lost in a string"),
        pytest.param('f("a  b")\n', [' f("a b")', '+g("a b")'], id="a string shown in context"),
    ],
)
def test_an_added_line_that_keeps_a_misquoted_difference_is_refused(
    content: str, hunk: list[str]
) -> None:
    result = edited(f"a\n{content}b\n", [" a", *hunk, " b"])
    (failure,) = result.failures
    assert failure.reason is Reason.UNCLEAR
    assert result.content.text.to_bytes().decode() == f"a\n{content}b\n"


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param([" See below", "-It is.", "+It was", "+then."], id="another keeps its sign"),
        pytest.param([" See below", "-    a()", "+    b()"], id="code that replaces code"),
    ],
)
def test_in_prose_a_lost_sign_is_a_slip_beside_one_that_is_kept(hunk: list[str]) -> None:
    content = "See below:\nIt is.\n" if "It is" in hunk[1] else "See below:\n    a()\n"
    result = edited(content, hunk, path="README.md")
    assert result.failures == []


def test_an_added_line_may_end_as_the_line_that_it_replaces() -> None:
    content = "# All is well.\n#\n# the lines of it\n"
    result = edited(
        content, [" # All is well", " #", "-# the lines of it", "+# many lines of it"], path="a.py"
    )
    assert result.failures == []
    result = edited(
        content, [" # All is well", " #", "-# the lines of it", "+# This is another"], path="a.py"
    )
    assert [failure.reason for failure in result.failures] == [Reason.UNCLEAR]


@pytest.mark.parametrize(
    ("content", "hunk", "after"),
    [
        pytest.param('"v": "1",\n', ['-"v": "1"', '+"v": "2",'], '"v": "2",\n', id="a comma"),
        pytest.param("x LIMIT\n", ["-x limit", "+x LIMIT 5"], "x LIMIT 5\n", id="letter case"),
        pytest.param("x LIMIT\n", ["-x limit", "+x all"], "x all\n", id="a word that goes"),
        pytest.param("### In\n", ["-## In", "+## Inn"], "### Inn\n", id="a heading"),
        pytest.param(
            "## In\n", ["-# In", "+# Inn", "+## So"], "## Inn\n### So\n", id="headings below it"
        ),
        pytest.param(
            "# A\n## B\n", [" ## A", "-### B", "+### C"], "# A\n## C\n", id="as deep as one of two"
        ),
        pytest.param("## In\n", ["-  # In", "+  # Inn"], "## Inn\n", id="an indented heading"),
        pytest.param("#### In\n", ["-##### In", "+##### Inn"], "#### Inn\n", id="a higher heading"),
        pytest.param(
            "say 'x'\n", ["-say \u2018x\u2019", "+say \u2018y\u2019"], "say 'y'\n", id="quotes"
        ),
        pytest.param("x - y\n", ["-x \u2013 y", "+y \u2013 x"], "y - x\n", id="a dash"),
        pytest.param("X\n", ["-x", f"+{LONG}"], f"{LONG}\n", id="a long line"),
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


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param("a,\nb\n", [" a", " b,", "+c"], id="a comma is elsewhere"),
        pytest.param("go();\nx\n", [" go()", "+come()", " x"], id="a semicolon"),
        pytest.param("x\n", [" x,", "+c,"], id="a comma too many"),
        pytest.param("Limit.\nx\n", [" limit", "-x", "+limit"], id="a word"),
        pytest.param("say `x`\nb\n", [" say x", "+run x", " b"], id="backticks"),
        pytest.param("say x\nb\n", [" say `x`", "+run `x`", " b"], id="backticks too many"),
        pytest.param("# Do it.\nb\n", [" # Do it", "+# Do that", " b"], id="a sentence"),
        pytest.param("“x”\nb\n", [' "x"', '+"y"', " b"], id="quotes of the file"),
    ],
)
def test_a_habit_of_the_old_lines_that_an_added_line_repeats_is_refused(
    content: str, hunk: list[str]
) -> None:
    result = edited(f"top\n{content}end\n", hunk)
    (failure,) = result.failures
    assert failure.fault is Fault.INHERITED
    assert result.content.text.to_bytes().decode() == f"top\n{content}end\n"


@pytest.mark.parametrize(
    ("content", "hunk", "after"),
    [
        pytest.param("a;\nb;\n", [" a", " b;", "+c"], "a;\nb;\nc\n", id="another keeps it"),
        pytest.param("a;\nb\n", [" a", "+c;", " b"], "a;\nc;\nb\n", id="an added line has it"),
        pytest.param("a;\nb\n", [" a", "+if x {", " b"], "a;\nif x {\nb\n", id="a line opens"),
        pytest.param("Limit\nx\n", [" limit", "-x", "+y"], "Limit\ny\n", id="another word"),
        pytest.param("# A\nb\n", [" # a", "+x.a()", " b"], "# A\nx.a()\nb\n", id="code"),
        pytest.param("# A.\nb\n", [" # A", "+x = 1", " b"], "# A.\nx = 1\nb\n", id="no sentence"),
        pytest.param("`x`, `y`\nb\n", [" x, `y`", "+x z", " b"], "`x`, `y`\nx z\nb\n", id="a slip"),
        pytest.param("say x\nb\n", [" say `x`", "+`y` z", " b"], "say x\n`y` z\nb\n", id="others"),
        pytest.param('"x"\nb\n', [" “x”", "+“y”", " b"], '"x"\n"y"\nb\n', id="signs are undone"),
    ],
)
def test_a_slip_in_context_does_not_matter(content: str, hunk: list[str], after: str) -> None:
    result = edited(content, hunk)
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == after


@pytest.mark.parametrize(
    ("content", "hunk", "after"),
    [
        pytest.param('f("a b")\n', ['-f("a  b")', '+f("c")'], 'f("c")\n', id="another string"),
        pytest.param(
            'f("a b")\n', ['-f("a  b")', '+f("a b", 1)'], 'f("a b", 1)\n', id="the file's"
        ),
        pytest.param('f(1,  "a")\n', ['-f(1, "a")', '+g("a")'], 'g("a")\n', id="blanks outside"),
        pytest.param("it's  a't\n", ["-it's a't", "+it's a't x"], "it's a't x\n", id="apostrophes"),
    ],
)
def test_blanks_in_a_string_matter_only_where_they_are_added(
    content: str, hunk: list[str], after: str
) -> None:
    result = edited(f"a\n{content}b\n", [" a", *hunk, " b"])
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == f"a\n{after}b\n"


@pytest.mark.parametrize(
    ("content", "hunk", "after"),
    [
        pytest.param("x = 1\n", [" a ", "-x = 1 ", "+x = 2 ", " b "], "x = 2\n", id="all lines"),
        pytest.param("x\n", [" a\t", "-x\t", "+y\t", "+", " b\t"], "y\n\n", id="a tab"),
        pytest.param("x\n", [" a ", "-x ", "+y ", "+z", " b "], "y \nz\n", id="not all added"),
        pytest.param("x\n", [" a ", "-x  ", "+y\t", " b "], "y\n", id="other blanks"),
        pytest.param(
            *("x\n", [" a  ", "-x  ", "+y    ", "+z  ", " b  "], "y  \nz\n"),
            id="those of all alone",
        ),
        pytest.param("x\n", [" a  ", "-x  ", "+y  ", "+    ", " b  "], "y\n    \n", id="a blank"),
        pytest.param("x\n", [" a  ", "-x  ", "+y  ", "+  ", " b  "], "y\n\n", id="as all others"),
        pytest.param("x \n", [" a ", "-x ", "+y ", " b "], "y \n", id="the file has some"),
        pytest.param("x \n", [" a  ", "-x   ", "+y  ", " b  "], "y\n", id="the file has fewer"),
        pytest.param("x\n", [" a", "-x", "+y ", " b"], "y \n", id="the added line alone"),
    ],
)
def test_blanks_at_the_end_of_all_lines_are_not_added(
    content: str, hunk: list[str], after: str
) -> None:
    result = edited(f"a\n{content}b\n", hunk)
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == f"a\n{after}b\n"


def test_blanks_in_a_quoted_text_that_is_changed_are_in_doubt() -> None:
    (failure,) = edited('x = "a b"\n', ['-x = "a  b"', '+x = "a  c"']).failures
    assert failure.reason is Reason.UNCLEAR
    written = edited('x = f(1,  "a b")\n', ['-x = f(1, "a b")', '+x = f(1, "a c")'])
    assert written.failures == []


def test_blanks_at_the_end_of_some_lines_are_in_doubt() -> None:
    (failure,) = edited("a\nx\nb\n", [" a", "-x ", "+y ", " b"]).failures
    assert failure.fault is Fault.WHITESPACE_AT_END


def test_blanks_that_all_added_lines_have_more_of_are_in_doubt() -> None:
    (failure,) = edited("a\nx\nb\n", [" a  ", "-x  ", "+y    ", " b  "]).failures
    assert failure.fault is Fault.WHITESPACE_AT_END


def test_a_full_stop_too_many_is_no_habit_of_lines_that_have_none() -> None:
    content = "# All is\nx {\n"
    hunk = [" # All is.", "-x {", "+# Not all is", "+# well."]
    assert edited(content, hunk, path="a.py").failures == []
    (failure,) = edited(content, [*hunk[:2], *hunk[3:]], path="a.py").failures
    assert failure.reason is Reason.UNCLEAR


def test_a_first_word_in_another_case_is_inherited_by_a_first_word_alone() -> None:
    content = "# In time\nx()\n"
    kept = edited(content, [" # in time", "-x()", "+# So in order"], path="a.py")
    assert kept.failures == []
    (failure,) = edited(content, [" # in time", "-x()", "+# in order"], path="a.py").failures
    assert failure.reason is Reason.UNCLEAR


def test_a_quote_says_nothing_of_a_dash() -> None:
    result = edited('x = "a"\ny\n', [" x = \u201ca\u201d", "-y", "+# a \u2014 b"])
    assert result.failures == []
    (failure,) = edited('x = "a"\ny\n', [" x = \u201ca\u201d", "-y", "+# \u2018b\u2019"]).failures
    assert failure.reason is Reason.UNCLEAR
