"""Context does not move, so a block of Python does not lose or get the line that opens it (D94)."""

from __future__ import annotations

import pytest

from git_opatch import Refused, apply_to_text

FILE = "def run():|    a()|    if ok:|        go()|        come()|    b()"


def applied(content: str, hunk: str, start: int) -> str:
    """Return the content after `hunk`, or the fault; a bar is the end of a line."""
    lines = hunk.split("|")
    old, new = (sum(line[:1] in side for line in lines) for side in (" -", " +"))
    header = f"@@ -{start + 1},{old} +{start + 1},{new} @@"
    patch = "\n".join(["--- a/a.py", "+++ b/a.py", header, *lines, ""])
    try:
        after = apply_to_text(patch, {"a.py": content.replace("|", "\n") + "\n"})["a.py"]
    except Refused as refused:
        return " ".join(failure.fault.name for failure in refused.failures)
    return after.removesuffix("\n").replace("\n", "|")


def after(content: str, hunk: str) -> str:
    """Return the content with the hunk's removed lines taken out, and the added ones put in."""
    lines = hunk.split("|")
    old = "|".join(line[1:] for line in lines if line[0] != "+")
    return content.replace(old, "|".join(line[1:] for line in lines if line[0] != "-"))


@pytest.mark.parametrize(
    ("hunk", "start"),
    [
        pytest.param("     a()|-    if ok:|     go()|     come()", 1, id="shown at its new depth"),
        pytest.param("     a()|-    if ok:|         go()", 1, id="shown at its old depth"),
        pytest.param("-    if ok:|-        go()|         come()", 2, id="a part of the block"),
        pytest.param("-    if ok:|+    c()|         go()", 2, id="a line in its place"),
        pytest.param("-    if ok:", 2, id="without context"),
    ],
)
def test_a_block_without_the_line_that_opens_it_is_refused(hunk: str, start: int) -> None:
    assert applied(FILE, hunk, start) in ("BLOCK_CLOSED", "UNREADABLE_LINE")


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
    assert applied(content, hunk, start) in ("BLOCK_CLOSED", "UNREADABLE_LINE")


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
    ],
)
def test_a_line_that_stays_in_a_block_is_applied(content: str, hunk: str, start: int) -> None:
    assert applied(content, hunk, start) == after(content, hunk)


@pytest.mark.parametrize(
    ("hunk", "start"),
    [
        pytest.param("+    while ok:|     b()", 5, id="as deep as what follows"),
        pytest.param("+    for a in b:|     a()", 1, id="above a line that is as deep"),
    ],
)
def test_a_block_without_lines_is_refused(hunk: str, start: int) -> None:
    assert applied(FILE, hunk, start) in ("BLOCK_OPENED", "UNREADABLE_LINE")


@pytest.mark.parametrize(
    ("hunk", "start"),
    [
        pytest.param("-    if ok:|+    if not ok:|         go()", 2, id="another condition"),
        pytest.param("-    if ok:|-        go()|-        come()|     b()", 2, id="all of it"),
        pytest.param("     a()|+    if no:|+        stop()|     if ok:", 1, id="a whole block"),
        pytest.param("     if ok:|-        go()|         come()", 2, id="a line of it"),
        pytest.param("+    x = {1:2}|     b()", 5, id="no line that opens"),
        pytest.param("+    # while it runs|     b()", 5, id="a comment"),
    ],
)
def test_other_changes_are_applied(hunk: str, start: int) -> None:
    assert applied(FILE, hunk, start) == after(FILE, hunk)
