"""Context does not move, so a block of Python does not lose or get the line that opens it (D94)."""

from __future__ import annotations

import pytest

from git_opatch.complete.moved_block import moved_block
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.text import Text

FILE = "def run():|    a()|    if ok:|        go()|        come()|    b()"


def moved(content: str, hunk: str, path: str = "a.py", start: int = 0) -> str:
    """Return the fault of `hunk` and its line; empty for none. A bar is the end of a line."""
    lines = [Line(Prefix(line[:1]), line[1:].encode()) for line in hunk.split("|")]
    text = Text(content.encode().split(b"|"))
    problem = moved_block(Placement(Hunk(tuple(lines)), start), lines, text, path)
    return f"{problem.fault.name} {problem.values['line']!r}" if problem else ""


@pytest.mark.parametrize(
    ("hunk", "start"),
    [
        pytest.param("     a()|-    if ok:|     go()|     come()", 1, id="shown at its new depth"),
        pytest.param("     a()|-    if ok:|         go()", 1, id="shown at its old depth"),
        pytest.param("-    if ok:|-        go()|         come()", 2, id="a part of the block"),
        pytest.param("-    if ok:  # now|+    c()|         go()", 2, id="a line in its place"),
        pytest.param("-    if ok:", 2, id="without context"),
    ],
)
def test_a_block_without_the_line_that_opens_it_is_refused(hunk: str, start: int) -> None:
    assert moved(FILE, hunk, start=start).startswith("BLOCK_CLOSED b'    if ok:")


NESTED = "def run():|    if ok:|        go()|    if no:|        stop()|    b()|c()"


@pytest.mark.parametrize(
    ("content", "hunk", "start"),
    [
        pytest.param(
            NESTED,
            "         go()|-    if no:|     stop()|     b()",
            2,
            id="the block above takes it",
        ),
        pytest.param(
            NESTED, " def run():|-    if ok:|     go()|     if no:", 0, id="the definition takes it"
        ),
        pytest.param(
            NESTED,
            " def run():|-    if ok:|         go()|     if no:",
            0,
            id="what follows does not fit",
        ),
        pytest.param(NESTED, " def run():|-    if ok:|         go()", 0, id="which is not shown"),
        pytest.param(
            "try:|    if a:|        b()|except E:|    c()",
            " try:|-    if a:|     b()| except E:",
            0,
            id="nothing else is in the block",
        ),
        pytest.param(
            "def run(a,|        b):|    if ok:|        go()|    else:|        stop()",
            "         b):|-    if ok:|     go()|     else:",
            1,
            id="a definition of two lines takes it",
        ),
        pytest.param(
            "match x:|    case 1:|        go()|    case _:|        stop()",
            " match x:|-    case 1:|         go()|     case _:",
            0,
            id="a case",
        ),
    ],
)
def test_a_line_that_is_shown_out_of_its_block_is_refused(
    content: str, hunk: str, start: int
) -> None:
    assert moved(content, hunk, start=start).startswith("BLOCK_CLOSED")


@pytest.mark.parametrize(
    ("content", "hunk", "start"),
    [
        pytest.param(
            NESTED,
            "         go()|-    if no:|         stop()|     b()",
            2,
            id="two blocks made one",
        ),
        pytest.param(
            "for a in b:|    if a:|        c()|d()",
            " for a in b:|-    if a:|         c()| d()",
            0,
            id="nothing else is in the block",
        ),
        pytest.param(
            "for a in b:|    if a:|        c()|    e()|d()",
            " for a in b:|-    if a:|         c()|-    e()| d()",
            0,
            id="what follows goes, too",
        ),
        pytest.param(
            "def run(a,|        b):|    if ok:|        go()|c()",
            "         b):|-    if ok:|         go()| c()",
            1,
            id="nothing else is in a definition of two lines",
        ),
        pytest.param(
            NESTED,
            " if ok:|     go()|-if no:|+    if so:|     stop()",
            1,
            id="all of it shown less deep",
        ),
    ],
)
def test_a_line_that_stays_in_a_block_is_applied(content: str, hunk: str, start: int) -> None:
    assert moved(content, hunk, start=start) == ""


@pytest.mark.parametrize(
    ("hunk", "start"),
    [
        pytest.param("     a()|+    while ok:|     b()", 4, id="as deep as what follows"),
        pytest.param("+    for a in b:|         a()", 1, id="shown deeper than it is"),
        pytest.param("+    try:", 5, id="without context"),
    ],
)
def test_a_block_without_lines_is_refused(hunk: str, start: int) -> None:
    assert moved(FILE, hunk, start=start).startswith("BLOCK_OPENED")


@pytest.mark.parametrize(
    ("hunk", "start"),
    [
        pytest.param("-    if ok:|+    if not ok:|         go()", 2, id="another condition"),
        pytest.param("-    if ok:|-        go()|-        come()|     b()", 2, id="all of it"),
        pytest.param("-    if ok:|+    go(|         go()", 2, id="a line that goes on"),
        pytest.param("     a()|+    if no:|+        stop()|     if ok:", 1, id="a whole block"),
        pytest.param("+    if no:|+|         go()", 3, id="above deeper lines"),
        pytest.param("     if ok:|-        go()|         come()", 2, id="a line of it"),
        pytest.param("+    if x else:y|     b()", 5, id="no line that opens"),
        pytest.param("+    # while it runs|     b()", 5, id="a comment"),
    ],
)
def test_other_changes_are_applied(hunk: str, start: int) -> None:
    assert moved(FILE, hunk, start=start) == ""


def test_other_languages_are_not_looked_at() -> None:
    hunk = "-    if ok:|         go()"
    assert moved(FILE, hunk, start=2) != ""
    for path in ("a.rb", "a.yml", "a", ""):
        assert moved(FILE, hunk, path, start=2) == ""
