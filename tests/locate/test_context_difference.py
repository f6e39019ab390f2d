"""One or two context lines may differ where all else matches, at one position alone."""

from __future__ import annotations

import pytest
from hunked import edited

from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.text import Text

CHANGE = ["-retries = 3", "+retries = 4"]
OLD = "retries = 3"


def locate(content: str, *lines: str, path: str = "f.py", tier: Tier = Tier.FUZZY) -> object:
    hunk = Hunk(tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines))
    text = Text.from_bytes(content.encode())
    (result,) = locate_hunks([hunk], text, Matching(tier, path=path))
    return result


def tolerated(content: str, *lines: str) -> str:
    result = locate(content, *lines)
    assert isinstance(result, Placement)
    assert not result.exact
    (repair,) = result.repairs
    return repair.removeprefix("a context line differs in ")


def is_refused(content: str, *lines: str) -> bool:
    return isinstance(locate(content, *lines), Failure)


DIFFERENT = [
    pytest.param('name = "x"', "name = 'x'", "quotes", id="quotes"),
    pytest.param("name = `x`", 'name = "x"', "quotes", id="backticks for quotes"),
    pytest.param(
        *("caf\u00e9 = \u00e9", "cafe\u0301 = \u00e9", "Unicode form or invisible characters"),
        id="NFD",
    ),
    pytest.param(
        *("na\u200bme = x", "name = x", "Unicode form or invisible characters"), id="zero width"
    ),
    pytest.param("name = x  # new", "name = x", "a comment at its end", id="a comment in the file"),
    pytest.param("name = x", "name = x  # here", "a comment at its end", id="one in the patch"),
    pytest.param("name = f(a, b)", "name = f(a, ", "its end, which is cut off", id="cut off"),
    pytest.param("name = f(a, b)", "name = f...", "its end, which is cut off", id="dots"),
    pytest.param("name_of_all = 1", "name_of_al", "its end, which is cut off", id="a word"),
    pytest.param("name = F(x)", "name = f(x)", "letter case or punctuation", id="letter case"),
    pytest.param("name = f(x)", "name = f(x);", "letter case or punctuation", id="punctuation"),
]


@pytest.mark.parametrize(("in_file", "in_patch", "expected"), DIFFERENT)
def test_a_context_line_may_differ(in_file: str, in_patch: str, expected: str) -> None:
    lines = [f" {in_patch}", " b = 1", *CHANGE, " end = 2"]
    assert tolerated(f"{in_file}\nb = 1\n{OLD}\nend = 2\n", *lines) == expected
    below = [" b = 1", *CHANGE, " end = 2", f" {in_patch}"]
    assert tolerated(f"b = 1\n{OLD}\nend = 2\n{in_file}\n", *below) == expected


def test_two_context_lines_may_differ() -> None:
    content = f"name = 'x'\nc = 'y'\n{OLD}\n"
    result = locate(content, ' name = "x"', ' c = "y"', *CHANGE)
    assert isinstance(result, Placement)
    assert result.repairs == ("a context line differs in quotes",) * 2


def test_whitespace_may_differ_in_the_other_lines() -> None:
    content = f"  name = 'x'\n  b = 1\n  {OLD}\n"
    assert tolerated(content, ' name = "x"', " b = 1", *CHANGE) == "quotes"


@pytest.mark.parametrize(
    ("in_file", "in_patch"),
    [
        ("name = 1", "Name = 1"),
        ("name = 1  # one", "name = 1"),
        ("name = 'x'", 'name = "x"'),
    ],
)
def test_what_a_hunk_removes_and_adds_again_may_be_its_change(in_file: str, in_patch: str) -> None:
    assert tolerated(f"{in_file}\n{OLD}\n", f" {in_patch}", *CHANGE)
    for lines in (
        [f"-{in_patch}", CHANGE[0], f"+{in_patch}", CHANGE[1]],
        [f"-{in_patch}", f"+{in_patch}", *CHANGE],
    ):
        assert is_refused(f"{in_file}\n{OLD}\n", *lines)
        assert not is_refused(f"{in_patch}\n{OLD}\n", *lines)


def test_an_added_line_in_the_form_of_the_file_has_not_inherited_another() -> None:
    content = f"caf\u00e9 here\n\u00e9t\u00e9\n{OLD}\n"
    lines = [" cafe\u0301 here", " \u00e9t\u00e9", CHANGE[0]]
    assert tolerated(content, *lines, "+d\u00e9j\u00e0") == DIFFERENT[2].values[2]
    assert is_refused(content, *lines, "+de\u0301ja\u0300")


def test_a_comment_may_end_with_another_one() -> None:
    lines = (" # All of it  # here", *CHANGE)
    assert tolerated(f"# All of it\n{OLD}\n", *lines) == "a comment at its end"
    assert is_refused(f"# All of\n{OLD}\n", *lines)
    behind_code = (" go()  # All of it  # here", *CHANGE)
    assert tolerated(f"go()  # All of it\n{OLD}\n", *behind_code) == "a comment at its end"
    assert is_refused(f"go()  # All\n{OLD}\n", *behind_code)


@pytest.mark.parametrize(
    ("added", "lost"),
    [
        pytest.param("last()", True, id="a line that could have it"),
        pytest.param("if (last) {", False, id="a line that could not"),
        pytest.param("last();", False, id="a line that has it"),
    ],
)
def test_a_sign_that_all_lines_may_lack(added: str, lost: bool) -> None:
    lines = [" go()", " }", f"+{added}", " end of it"]
    result = locate("go();\n}\nend of it\n", *lines, path="a.js")
    assert isinstance(result, Failure if lost else Placement)


@pytest.mark.parametrize("mark", ["#", "//"])
def test_a_comment_in_an_unknown_language_is_between_blanks(mark: str) -> None:
    lines = (" name = x", *CHANGE)
    for path in ("go.mod", "list.txt", "configure"):
        result = locate(f"name = x {mark} here\n{OLD}\n", *lines, path=path)
        assert isinstance(result, Placement)
    for content in (f"name = x{mark} here", f"name = x {mark}here", f"name = y {mark} here"):
        assert isinstance(locate(f"{content}\n{OLD}\n", *lines, path="go.mod"), Failure)


@pytest.mark.parametrize(
    ("in_file", "in_patch", "_"), [case for case in DIFFERENT if case.id != "NFD"]
)
def test_a_removed_line_may_not_differ(in_file: str, in_patch: str, _: str) -> None:
    """Not even in one of these; that all lines are in another Unicode form is a variant (D91)."""
    result = locate(f"{in_file}\nb = 1\nend = 2\n", f"-{in_patch}", " b = 1", " end = 2")
    assert isinstance(result, Failure) or result.tier is Tier.FUZZY  # type: ignore[attr-defined]
    if isinstance(result, Placement):
        assert result.repairs == ()


@pytest.mark.parametrize(
    ("in_file", "in_patch"),
    [
        pytest.param("name = 'x'", 'name = "y"', id="the text within the quotes"),
        pytest.param("name = x + 1", "name = x", id="a line that was extended"),
        pytest.param("name_of = 1", "name", id="a word that was extended"),
        pytest.param("name = load_all", "name = load", id="another name with a word more"),
        pytest.param("name = loadAll", "name = load", id="and written in humps"),
        pytest.param("name = value2", "name = value", id="another name with a number"),
        pytest.param("name = x  # old", "name = x  # new", id="two comments"),
        pytest.param("name = '# x'", "name = '", id="a mark in a string"),
        pytest.param("name = f(a)", "name = g(", id="another function that is cut off"),
        pytest.param("caf\u00e9 = 1", "cafe = 1", id="an accent"),
        pytest.param("name = x", "name == x", id="an operator"),
        pytest.param("name = 1", "name = 10", id="a number"),
        pytest.param("name = f(\n  a)", "name = f( a)", id="two lines as one"),
        pytest.param("name = f(a)", "name = f(\n   a)", id="one line as two"),
        pytest.param("name = f(a\n  b)", "name = f(a, b)", id="line breaks and a comma"),
    ],
)
def test_other_differences_are_refused(in_file: str, in_patch: str) -> None:
    lines = [f" {in_patch}", " b = 1", *CHANGE]
    assert is_refused(f"{in_file}\nb = 1\n{OLD}\n", *lines)


NAME = ' name = "x"'
BODY = f"name = 'x'\nb = 1\n{OLD}\n"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(
            f"name = 'x'\nc = 'y'\nd = 'z'\n{OLD}\n",
            [NAME, ' c = "y"', ' d = "z"', *CHANGE],
            id="three lines differ",
        ),
        pytest.param(f"{BODY}name = `x`\nb = 1\n{OLD}\n", [NAME, " b = 1", *CHANGE], id="a twin"),
        pytest.param(
            f"name = x  # here\nb = 1\n{OLD}\nother = 0\nB = 1;\n{OLD}\n",
            [" name = x", " b = 1", *CHANGE],
            id="a loose twin of the other lines",
        ),
        pytest.param("name = 'x'\n}\n", [NAME, "-}", "+]"], id="nothing but brackets beside it"),
        pytest.param(
            BODY, [NAME, " b = 1", *CHANGE, '+c = "z"'], id="an added line has these quotes"
        ),
        pytest.param(
            f"# caf\u00e9\nb = 1\n{OLD}\n",
            [" # cafe\u0301", " b = 1", *CHANGE, "+# re\u0301sume\u0301", "+# \u00e9"],
            id="an added line has this Unicode form",
        ),
        pytest.param(
            f"na\u200bme\nb = 1\n{OLD}\n",
            [" name", " b = 1", *CHANGE, "+o\u200bther"],
            id="an added line has what cannot be seen",
        ),
        pytest.param(
            f"x = Do()\nb = 1\n{OLD}\n",
            [" x = do()", " b = 1", *CHANGE, "+y = do()"],
            id="an added line has this name",
        ),
        pytest.param(
            f"{OLD}\nb\n", [f" {OLD}", " b,", "+c"], id="a comma that the file lacks, beside it"
        ),
        pytest.param(
            f"{OLD}\nb,\n", [f" {OLD}", " b", "+c"], id="a comma that the patch lacks, beside it"
        ),
        pytest.param(
            f"{OLD}\na,\nb,\n",
            [f" {OLD}", " a,", " b", "+c,"],
            id="a comma that another line keeps",
        ),
        pytest.param(
            "a = 1\nb\nold = 2\n", [" a = 1", " b,", "-old = 2", "+new = 2"], id="beside a change"
        ),
        pytest.param(
            f"{OLD}\nf(a,\n  b)\n", [f" {OLD}", "+c", " f(a"], id="nothing but a sign is cut off"
        ),
        pytest.param(
            f"one\n{OLD}\nlast(a, b)\n",
            [" one", f" {OLD}", " last(a;", "+next"],
            id="an end that is cut off and changed",
        ),
        pytest.param(
            f"name = f(abc, d)\nb = 1\n{OLD}\n",
            [" name = f(abc,", " b = 1", *CHANGE, "+other = f(abc"],
            id="an added line is cut off at the same column",
        ),
    ],
)
def test_what_is_not_certain_is_refused(content: str, lines: list[str]) -> None:
    assert is_refused(content, *lines)


@pytest.mark.parametrize(
    ("in_file", "in_patch"),
    [
        pytest.param("name = 'x'", 'name = "x"', id="quotes"),
        pytest.param("caf\u00e9", "cafe\u0301", id="NFD"),
        pytest.param("name_of", "name\u200b_of", id="what cannot be seen"),
    ],
)
def test_a_line_with_the_same_words_tells_twins_apart(in_file: str, in_patch: str) -> None:
    content = f"other = 0\nb = 1\n{OLD}\n{in_file}\nb = 1\n{OLD}\n"
    result = locate(content, f" {in_patch}", " b = 1", *CHANGE)
    assert isinstance(result, Placement)
    assert result.start == 3


@pytest.mark.parametrize(
    ("in_file", "in_patch"),
    [
        pytest.param("b,  # last.", "b,", id="a comment"),
        pytest.param("b = f('a', 'b'),", "b = f('a',", id="a cut-off end"),
    ],
)
def test_what_cannot_be_inherited_may_be_beside_an_added_line(in_file: str, in_patch: str) -> None:
    assert tolerated(f"{OLD}\n{in_file}\n", f" {OLD}", f" {in_patch}", "+c")


@pytest.mark.parametrize("tier", [Tier.STRICT, Tier.RESILIENT])
def test_only_at_the_loosest_tier(tier: Tier) -> None:
    assert isinstance(locate(BODY, NAME, " b = 1", *CHANGE, tier=tier), Failure)


@pytest.mark.parametrize(
    ("in_file", "in_patch"),
    [
        pytest.param("    name = F(x)", "\tname = f(x)", id="letter case"),
        pytest.param("    name = 'x'", '\tname = "x"', id="quotes"),
        pytest.param("    name = f(\n      a)", "\tname = f( a)", id="line breaks"),
    ],
)
@pytest.mark.parametrize("added", ["    }", "\t}"])
def test_the_indentation_of_a_line_that_differs_is_not_forgotten(
    in_file: str, in_patch: str, added: str
) -> None:
    content = f"b = 1\n{OLD}\n{in_file}\nend = 2\n"
    lines = [" b = 1", f"-{OLD}", f"+{added}", f" {in_patch}", " end = 2"]
    result = edited(content, lines, path="f.py")
    assert result.failures or b"\n    }\n" in result.content.text.to_bytes()


def test_the_blanks_at_the_end_of_a_line_that_differs_are_not_forgotten() -> None:
    lines = [' name = "x"  ', " b = 1  ", f"-{OLD}  ", "+retries = 4  "]
    result = edited(f"name = 'x'\nb = 1\n{OLD}\n", lines, path="f.py")
    assert result.content.text.to_bytes() == b"name = 'x'\nb = 1\nretries = 4\n"
