"""Letter case and final punctuation may differ in prose, and not in code."""

from __future__ import annotations

import pytest

from git_opatch.locate import locate_hunks
from git_opatch.locate.prose import Prose
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Difference, Reason
from git_opatch.model.text import Text

STRICT = Tier.STRICT
FUZZY = Tier.FUZZY


def locate(path: str, content: str, *lines: str) -> Placement | Failure:
    hunk = Hunk(tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines))
    text = Text.from_bytes(content.encode())
    (result,) = locate_hunks([hunk], text, Matching(path=path))
    return result


@pytest.mark.parametrize(
    ("in_file", "removed"),
    [
        pytest.param("foo()", "foo()?", id="a question mark of Rust"),
        pytest.param("user.save", "user.save!", id="a method of Ruby"),
        pytest.param("x = Do(y)", "x = do(y)", id="the case of a function"),
        pytest.param("A = 1", "a = 1", id="the case of a name"),
        pytest.param("a,", "a", id="a comma of the file"),
        pytest.param("a", "a,", id="a comma of the patch"),
        pytest.param("a;", "a", id="a semicolon"),
        pytest.param("else:", "else", id="a colon"),
        pytest.param("for Key in keys", "for key in keys", id="words that read like a sentence"),
        pytest.param("x = 'Foo'", "x = 'foo'", id="a string"),
        pytest.param("a // B", "a // b", id="a division of Python"),
        pytest.param("x = '# A'", "x = '# a'", id="a mark in a string"),
        pytest.param("#!/bin/Sh", "#!/bin/sh", id="the interpreter"),
        pytest.param("A()  # b", "a()  # b", id="the code before a comment"),
    ],
)
def test_code_is_not_prose(in_file: str, removed: str) -> None:
    result = locate("f.py", f"{in_file}\nb = 2\n", f"-{removed}", "+c", " b = 2")
    assert isinstance(result, Failure)
    assert result.reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("path", "in_file", "removed"),
    [
        pytest.param("f.py", "# A note.", "# a note", id="a comment of Python"),
        pytest.param("f.py", "x = 1  # A note.", "x = 1  # a note", id="a comment after code"),
        pytest.param("f.py", "x = '#'  # A", "x = '#'  # a", id="a mark in a string before it"),
        pytest.param("f.go", "\tf() // A note.", "\tf() // a note", id="a comment of Go"),
        pytest.param("f.c", "/* A note. */", "/* a note. */", id="a comment of C"),
        pytest.param("f.sql", "-- A note.", "-- a note", id="a comment of SQL"),
        pytest.param("f.lisp", ";; A note.", ";; a note", id="a comment of Lisp"),
        pytest.param("f.html", "<!-- A note -->", "<!-- a note -->", id="a comment of HTML"),
        pytest.param("Makefile", "# A note", "# a note", id="a Makefile"),
        pytest.param("README", "A note.", "a note", id="a document"),
        pytest.param("docs/a.rst", "A note!", "a note", id="a document of another kind"),
        pytest.param("unknown.abc", "# A note.", "# a note", id="a comment of no known language"),
        pytest.param("f.py", "x = \u201ca\u201d", 'x = "a"', id="quotes in code"),
        pytest.param("f.py", "x \u2013 1", "x - 1", id="a dash in code"),
        pytest.param("f.py", "x\u00a0= 1", "x = 1", id="a space that does not break, in code"),
    ],
)
def test_prose_and_typography_may_differ(path: str, in_file: str, removed: str) -> None:
    result = locate(path, f"{in_file}\nb = 2\n", f"-{removed}", " b = 2")
    assert isinstance(result, Placement)
    assert (result.start, result.tier) == (0, FUZZY)


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        pytest.param("a.md", "Text\n```\ncode\n```\nText\n", {0, 4}, id="a block of code"),
        pytest.param("a.md", "~~~~\n```\n~~~~\nText\n", {3}, id="a fence inside another"),
        pytest.param("a.md", "Text\n    x.y(z)\n", {0}, id="an indented block of code"),
        pytest.param("a.md", "- One\n    and two words\n", {0, 1}, id="an item of a list"),
        pytest.param("a.js", "/**\n * One\n */\ncode()\n", {0, 1, 2}, id="a block comment"),
        pytest.param("a.js", "/* one */ code()\n", set(), id="code after a block comment"),
        pytest.param("a.js", "code() /* one\ntwo */\n", set(), id="one that begins after code"),
        pytest.param("a.py", '"""One."""\nx\n', {0}, id="a docstring of a module"),
        pytest.param("a.py", 'def f():\n  """One\n  two\n  """\n', {1, 2, 3}, id="of a function"),
        pytest.param("a.py", 'x = f(\n  """ONE\n  two\n"""\n)\n', set(), id="another string"),
        pytest.param("a.py", 'x = """\nSELECT a\n"""\n', set(), id="a string that is assigned"),
        pytest.param("a.rb", '"""\nx\n', set(), id="another language"),
        pytest.param("CMakeLists.txt", "set(A)\n", set(), id="a program that ends in .txt"),
        pytest.param("dev-requirements.txt", "Flask\n", set(), id="a list of requirements"),
        pytest.param("", "Text\n", set(), id="no name"),
    ],
)
def test_whole_lines_of_prose(path: str, content: str, expected: set[int]) -> None:
    lines = content.encode().splitlines()
    prose = Prose(path, lines)
    assert {at for at in range(len(lines)) if prose.includes(at)} == expected


def test_a_line_of_code_that_differs_makes_a_match_in_prose_ambiguous() -> None:
    content = "# stop it.\nx\n# Stop it\n"
    result = locate("f.py", content, "-# stop it", "+y")
    assert isinstance(result, Failure)
    assert (result.reason, result.positions) == (Reason.AMBIGUOUS, (0, 2))
    other = locate("f.go", "stop.\n// x\nStop\n", "-stop", "+y")
    assert isinstance(other, Failure)
    assert other.reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("in_file", "removed", "difference"),
    [
        pytest.param("Do(x)", "do(x)", Difference.CASE, id="letter case"),
        pytest.param("a,", "a", Difference.SIGNS, id="punctuation"),
    ],
)
def test_the_refusal_says_what_differs(in_file: str, removed: str, difference: Difference) -> None:
    result = locate("f.py", f"{in_file}\nb\n", f"-{removed}", "+c", " b")
    assert isinstance(result, Failure)
    closest = result.closest
    assert closest is not None
    assert (closest.position, closest.difference, closest.reread) == (0, difference, (1, 2))


@pytest.mark.parametrize("name", ["install", "README"])
def test_a_script_is_no_document_whatever_its_name_is(name: str) -> None:
    lines = ("-version=1.0,", "+version=2.0", " go")
    script = locate(name, "#!/bin/sh\n# Set it up.\nversion=1.0\ngo\n", *lines)
    assert isinstance(script, Failure)
    comment = locate(name, "#!/bin/sh\n# Set it up.\nversion=1.0\n", " # set it up", "-version=1.0")
    assert isinstance(comment, Placement)
    assert isinstance(locate(name, "Set it up.\nIt is well\n", "-set it up"), Placement)
