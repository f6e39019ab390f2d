"""Empty lines at the end of a hunk: context, or what separates it from what follows (D464)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from phrases import opening

from git_opatch import Refused, apply_to_text
from git_opatch.model.sentences import Fault

FILE = "[a]\nport = 1\n\n[b]\nport = 1\n[c]\nlast = 3\n"
CHANGE = "@@\n-port = 1\n+port = 2\n"
NEXT = "@@\n-last = 3\n+last = 4\n"


def envelope(*hunks: str) -> str:
    return "*** Begin Patch\n*** Update File: f\n" + "".join(hunks) + "*** End Patch\n"


def unified(*hunks: str) -> str:
    return "--- a/f\n+++ b/f\n" + "".join(hunks)


def refusal(text: str, content: str = FILE) -> str:
    with pytest.raises(Refused) as raised:
        apply_to_text(text, {"f": content, "g": "x\n"})
    return str(raised.value)


def result(text: str, content: str = FILE) -> str:
    return apply_to_text(text, {"f": content, "g": "x\n"})["f"]


@pytest.mark.parametrize("write", [envelope, unified])
@pytest.mark.parametrize(
    "hunks",
    [
        pytest.param([CHANGE, "\n", NEXT], id="between hunks"),
        pytest.param([NEXT, CHANGE, "\n"], id="at the end of the text"),
        pytest.param([CHANGE, "\n\n", NEXT], id="two of them"),
        pytest.param(["@@\n port = 1\n+open = 1\n", "\n", NEXT], id="below an addition"),
        pytest.param(["@@\n-port = 1\n", "\n", NEXT], id="below a deletion"),
    ],
)
def test_an_empty_line_at_the_end_does_not_decide(
    write: Callable[..., str], hunks: list[str]
) -> None:
    content = FILE.replace("\n\n", "\n\n\n")
    assert f"{opening(Fault.AMBIGUOUS.sentence)} 2 positions" in refusal(write(*hunks), content)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            unified(CHANGE, "\n", "--- a/g\n+++ b/g\n@@\n-x\n+y\n"), id="above another file"
        ),
        pytest.param(
            envelope(CHANGE, "\n", "*** Update File: g\n@@\n-x\n+y\n"), id="above a marker"
        ),
        pytest.param(unified(CHANGE, "\n", NEXT).replace("\n", "\r\n"), id="in a text of Windows"),
        pytest.param(unified("@@ -9,9 +9,9 @@\n" + CHANGE[3:], "\n", NEXT), id="wrong counts"),
    ],
)
def test_what_follows_does_not_matter(text: str) -> None:
    assert f"{opening(Fault.AMBIGUOUS.sentence)} 2 positions" in refusal(text)


def test_it_does_not_decide_at_a_loose_tier() -> None:
    content = FILE.replace("port = 1", "port  =  1")
    assert f"{opening(Fault.AMBIGUOUS.sentence)} 2 positions" in refusal(
        unified(CHANGE, "\n", NEXT), content
    )


def test_nor_between_a_loose_and_a_strict_match() -> None:
    content = "[a]\nport  =  1\n\n[b]\nport = 1\n[c]\nlast = 3\n"
    assert f"{opening(Fault.AMBIGUOUS.sentence)} 2 positions" in refusal(
        unified(CHANGE, "\n", NEXT), content
    )


@pytest.mark.parametrize("write", [envelope, unified])
@pytest.mark.parametrize(
    "hunks",
    [
        pytest.param(["@@\n [a]\n-port = 1\n+port = 2\n", "\n", NEXT], id="at one position"),
        pytest.param(["@@ [a]\n-port = 1\n+port = 2\n", "\n", NEXT], id="with an anchor"),
        pytest.param(["@@\n-port = 1\n+port = 2\n \n", NEXT], id="with its space"),
        pytest.param(["@@\n-port = 1\n+port = 2\n\n [b]\n", NEXT], id="above context"),
        pytest.param(["@@ -2,2 +2,2 @@\n-port = 1\n+port = 2\n\n", NEXT], id="that is announced"),
        pytest.param([CHANGE, "\n", "@@\n [b]\n-port = 1\n+port = 1\n+x = 1\n"], id="in order"),
    ],
)
def test_the_hunk_is_placed_where_all_else_decides(
    write: Callable[..., str], hunks: list[str]
) -> None:
    assert result(write(*hunks)).startswith("[a]\nport = 2\n\n[b]\nport = 1\n")


@pytest.mark.parametrize(
    ("content", "after"),
    [
        pytest.param("a\nb\nz\n", "a\nB\nz\n", id="where the file has none"),
        pytest.param("a\nb\n\nz\n", "a\nB\n\nz\n", id="where the file has one"),
        pytest.param("a\nb\n", "a\nB\n", id="at the end of the file"),
    ],
)
def test_the_file_keeps_its_own_blank_lines(content: str, after: str) -> None:
    assert result(unified("@@\n-b\n+B\n", "\n"), content) == after
