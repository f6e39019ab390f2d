"""Hunks of one file that share context, or show the result of another hunk in it."""

from __future__ import annotations

import pytest
from hunked import edited

from git_opatch.model.options import Matching, Tier
from git_opatch.model.sentences import Fault, Reason

NUMBERS = "one\ntwo\nthree\nfour\n"
SHOWS = "its context shows the result of another hunk"
FIRST = ["-one", "+uno", " two"]


def written(content: str, *hunks: list[str], matching: Matching | None = None) -> str:
    result = edited(content, *hunks, matching=matching)
    assert result.failures == []
    return result.content.text.to_bytes().decode()


def failures(*hunks: list[str]) -> list[tuple[int, Reason]]:
    return [(failure.hunk, failure.reason) for failure in edited(NUMBERS, *hunks).failures]


def test_lines_of_another_hunk_are_preferred_to_a_loose_match_elsewhere() -> None:
    body = "count = 1\nstop(now)\n"
    inner = "other\nNew(call)\ncount = 1\nstop(now)\n"
    first, second = ["-old(call)", "+new(call)"], [" new(call)", "-count = 1", "+count = 2"]
    after = written(f"old(call)\n{body}{inner}", first, [*second, " stop(now)"])
    assert after == f"new(call)\ncount = 2\nstop(now)\n{inner}"
    loose = written(f"old(call)\n{body}{inner}", [*second, " stop(now)"])
    assert loose == f"old(call)\n{body}{inner.replace('1', '2')}"


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize(
    ("hunks", "after"),
    [
        pytest.param(
            [["-one", "+uno", " two"], [" two", "-three", "+tres"]],
            "uno\ntwo\ntres\nfour\n",
            id="a line that stays",
        ),
        pytest.param(
            [FIRST, [" one", " two", "-three", "+tres"]],
            "uno\ntwo\ntres\nfour\n",
            id="a line as it was before the other",
        ),
        pytest.param(
            [FIRST, [" uno", " two", "-three", "+tres"]],
            "uno\ntwo\ntres\nfour\n",
            id="a line as it is after the other",
        ),
        pytest.param(
            [[" one", "+neu", " two"], [" neu", " two", "-three"]],
            "one\nneu\ntwo\nfour\n",
            id="a line that the other adds",
        ),
        pytest.param(
            [["-one", " two"], [" two", "-three", " four"]],
            "two\nfour\n",
            id="a line beside one that the other removes",
        ),
        pytest.param(
            [FIRST, [" uno", "-two", "+dos", " three"], [" uno", " dos", "-three", "+tres"]],
            "uno\ndos\ntres\nfour\n",
            id="a chain of three",
        ),
        pytest.param(
            [["-one", "+uno", " dos"], ["-two", "+dos", " three"]],
            "uno\ndos\nthree\nfour\n",
            id="what a later one does",
        ),
        pytest.param(
            [["-one", "+uno", " dos"], ["-two", "+dos", " tres"], ["-three", "+tres", " four"]],
            "uno\ndos\ntres\nfour\n",
            id="a chain of three, backwards",
        ),
        pytest.param(
            [[" one", "+neu", " two"], [" neu", "+new", " two"]],
            "one\nneu\nnew\ntwo\nthree\nfour\n",
            id="an addition below an added line",
        ),
        pytest.param(
            [[" one", "+", " two"], [" one", " ", " two", "-three"]],
            "one\n\ntwo\nfour\n",
            id="a blank line that the other adds",
        ),
        pytest.param(
            [[" one", "+", "+", " two"], [" ", " ", " two", "-three"]],
            "one\n\n\ntwo\nfour\n",
            id="two blank lines that the other adds",
        ),
        pytest.param(
            [["-one", "+One", " two"], [" One", " two", "-three"]],
            "One\ntwo\nfour\n",
            id="another letter case",
        ),
        pytest.param(
            [["-one", "+  one", " two"], ["   one", "-two", "+  two", " three"]],
            "  one\n  two\nthree\nfour\n",
            id="another indentation",
        ),
    ],
)
def test_context_may_be_shared(hunks: list[list[str]], after: str, tier: Tier) -> None:
    assert written(NUMBERS, *hunks, matching=Matching(tier)) == after


@pytest.mark.parametrize(
    ("hunks", "shows"),
    [
        pytest.param([FIRST, [" uno", " two", "-three"]], {2}, id="the new text"),
        pytest.param([FIRST, [" one", " two", "-three"]], set(), id="the old text"),
        pytest.param([["-one", "+uno", " dos"], ["-two", "+dos"]], {1}, id="of a later one"),
    ],
)
def test_context_from_another_hunk_is_noted(hunks: list[list[str]], shows: set[int]) -> None:
    placements = edited(NUMBERS, *hunks).placements
    assert {
        placement.hunk.ordinal for placement in placements if SHOWS in placement.repairs
    } == shows


@pytest.mark.parametrize(
    "hunks",
    [
        pytest.param([[" one", "+neu", " two"], ["-neu", "+new", " two"]], id="an added line"),
        pytest.param([FIRST, ["-uno", "+eins", " two"]], id="a replaced line"),
        pytest.param([FIRST, ["-uno", " two"]], id="a replaced line, deleted"),
        pytest.param([FIRST, ["-uno", "-two", " three"]], id="a replaced line and the next"),
        pytest.param(
            [[" one", "+neu", "+new", " two"], [" neu", "+nuevo", " new"]], id="between added lines"
        ),
    ],
)
def test_lines_added_by_another_hunk_may_not_be_changed(hunks: list[list[str]]) -> None:
    assert [number for number, _ in failures(*hunks)] == [2]
    assert written(NUMBERS, hunks[0]) == edited(NUMBERS, *hunks).content.text.to_bytes().decode()


@pytest.mark.parametrize(
    "hunks",
    [
        pytest.param([FIRST, ["-one", "+eins", " two"]], id="the same line"),
        pytest.param([FIRST, ["-one", "-two", "+eins"]], id="the same line and the next"),
        pytest.param(
            [[" one", "+neu", " two"], [" one", "+neu"]], id="the same, with less context"
        ),
    ],
)
def test_lines_changed_by_another_hunk_may_not_be_changed(hunks: list[list[str]]) -> None:
    assert failures(*hunks) == [(2, Reason.OVERLAP)]


@pytest.mark.parametrize(
    ("hunk", "after"),
    [
        pytest.param([" one", "+neu", " two"], "one\nneu\ntwo\nthree\nfour\n", id="an addition"),
        pytest.param(["-one", "+uno", " two"], "uno\ntwo\nthree\nfour\n", id="a replacement"),
        pytest.param([" one", "-two"], "one\nthree\nfour\n", id="a deletion"),
    ],
)
def test_a_hunk_that_is_given_twice_is_applied_once(hunk: list[str], after: str) -> None:
    result = edited(NUMBERS, hunk, hunk)
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == after
    assert result.placements[1].notes == ("is hunk 1 again; it is applied once",)
    assert result.notes == []


def test_a_hunk_that_is_given_twice_for_two_positions_is_refused() -> None:
    twice = ["@@ def f():", "-x", "+y"]
    content = "def f():\nx\ndef g():\nx\n"
    assert [failure.hunk for failure in edited(content, twice, twice).failures] == [2]


@pytest.mark.parametrize(
    ("hunks", "failed"),
    [
        pytest.param([FIRST, [" eins", " two", "-three"]], [2], id="a line that no hunk makes"),
        pytest.param([["-six", "+sei", " two"], [" sei", "-three"]], [1, 2], id="a lost hunk's"),
        pytest.param([FIRST, [" uno", " three", "-four"]], [2], id="and leaves out a line"),
    ],
)
def test_missing_context_is_refused(hunks: list[list[str]], failed: list[int]) -> None:
    assert failures(*hunks) == [(number, Reason.NOT_FOUND) for number in failed]


TWINS = "one\nx\ny\nnew\nx\nz\n"
ABOVE = ["-one", "+new", " x"]


def test_lines_that_occur_elsewhere_may_be_new_beside_another_hunk() -> None:
    assert written(TWINS, ABOVE, [" new", " x", "-y", "+z"]) == "new\nx\nz\nnew\nx\nz\n"


@pytest.mark.parametrize(
    ("above", "hunk"),
    [
        pytest.param(["-one", "+neu", " x"], [" new", " x", "-y", "+z"], id="nothing is shown"),
        pytest.param(ABOVE, [" new", " x", "-yy", "+z"], id="more than that differs"),
        pytest.param(ABOVE, [" new", " x", "-Y", "+z"], id="it fits only loosely"),
    ],
)
def test_lines_that_occur_elsewhere_are_already_applied(above: list[str], hunk: list[str]) -> None:
    failures = edited(TWINS, above, hunk).failures
    assert Reason.ALREADY_APPLIED in [failure.reason for failure in failures if failure.hunk == 2]


METHODS = "def f():\n  a\ndef h():\n  b\n"


def test_an_anchor_is_not_found_in_lines_that_other_hunks_add() -> None:
    added = ["   a", "+def g():", "+  n", " def h():"]
    shown = ["@@ def f():", "   n", " def h():", "-  b", "+  c"]
    assert written(METHODS, added, shown) == "def f():\n  a\ndef g():\n  n\ndef h():\n  c\n"


def test_an_anchor_of_another_block_contradicts_beside_another_hunk() -> None:
    content = f"{METHODS}def i():\n  d\n"
    added = ["   b", "+  n", " def i():"]
    shown = ["@@ def f():", "   n", " def i():", "-  d"]
    assert [failure.hunk for failure in edited(content, added, shown).failures] == [2]


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            "x  = 1\ny = 2\n",
            ["-x = 1", "-y = 2", "+x = 1", "+y = 3"],
            "x  = 1\ny = 3\n",
            id="first",
        ),
        pytest.param(
            *("x = 1\ny  = 2\n", ["-X = 1", "-y = 2", "+x = 3", "+y = 2"], "x = 3\ny  = 2\n"),
            id="last",
        ),
        pytest.param(
            "  a\n  B\n  c\n",
            ["-a", "-b", "-c", "+a", "+n", "+b", "+c"],
            "  a\n  n\n  B\n  c\n",
            id="around an added line",
        ),
        pytest.param(
            "\ta\n\tb\n\tc\n",
            ["-a", "-b", "-c", "+a", "+c"],
            "\ta\n\tc\n",
            id="around a deleted line",
        ),
        pytest.param("a  b\nc\n", ["-a b", " c", "+a b"], "c\na b\n", id="not where it is moved"),
    ],
)
def test_a_line_may_be_removed_and_added_again(content: str, lines: list[str], after: str) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    "idle",
    [
        pytest.param([" one", " two"], id="context alone"),
        pytest.param(["-one", "+one", " two"], id="a line restored"),
        pytest.param([" two", " ", " tres"], id="a blank line too many"),
        pytest.param([" two", " tres"], id="what another hunk makes of it"),
        pytest.param([" two", " three"], id="what another hunk changes"),
        pytest.param([" "], id="a blank line"),
    ],
)
def test_a_hunk_that_changes_nothing_is_noted(idle: list[str]) -> None:
    change = [" two", "-three", "+tres"]
    for hunks, number in (([idle, change], 1), ([change, idle], 2)):
        result = edited(NUMBERS, *hunks)
        assert result.failures == []
        assert result.notes == [f"hunk {number} changes nothing"]
        assert result.content.text.to_bytes() == b"one\ntwo\ntres\nfour\n"


@pytest.mark.parametrize(
    "idle",
    [
        pytest.param([" nowhere"], id="a line that does not occur"),
        pytest.param([" one", " new", " two"], id="an added line that lost its prefix"),
        pytest.param(["-five", "+five"], id="a line restored that does not occur"),
    ],
)
def test_a_hunk_that_changes_nothing_and_is_not_in_the_file_is_refused(idle: list[str]) -> None:
    change = [" two", "-three", "+tres"]
    for hunks, number in (([idle, change], 1), ([change, idle], 2)):
        (failure,) = edited(NUMBERS, *hunks).failures
        assert (failure.hunk, failure.reason) == (number, Reason.NOT_FOUND)
        assert failure.fault is Fault.LOST_PREFIX


def test_hunks_without_a_position_do_not_affect_the_others() -> None:
    result = edited(NUMBERS, ["-six", "+sei"], [" three", "-four", "+quattro"])
    assert result.content.text.to_bytes() == b"one\ntwo\nthree\nquattro\n"
    assert [(failure.path, failure.hunk, failure.hunks) for failure in result.failures] == [
        ("notes.txt", 1, 2)
    ]


@pytest.mark.parametrize(
    ("content", "hunks", "after"),
    [
        pytest.param(
            "one\nlast", ([" one", "-last", "+LAST"], ["+more"]), "one\nLAST\nmore", id="replaced"
        ),
        pytest.param("one\nlast", ([" last", "+a"], ["+b"]), "one\nlast\na\nb", id="twice"),
        pytest.param("1\n2\nlast", ([" 2", "-last"], ["+more"]), "1\n2\nmore", id="deleted"),
        pytest.param(
            "\ufeffone\ntwo\n",
            (["+zero", " one"], ["-one", "+ONE"]),
            "\ufeffzero\nONE\ntwo\n",
            id="at a byte-order mark",
        ),
    ],
)
def test_two_hunks_may_be_at_an_end_of_the_file(
    content: str, hunks: tuple[list[str], ...], after: str
) -> None:
    assert written(content, *hunks).rstrip("\n") == after.rstrip("\n")


def test_a_hunk_between_two_that_overlap_is_compared_with_the_kept_one() -> None:
    content = "".join(f"l{number}\n" for number in range(12))
    first = ["-l0", "+x0", *(f" l{number}" for number in range(1, 10)), "-l10", "+x10"]
    result = edited(content, first, ["-l1", "+q"], ["-l5", "+y5"])
    assert [failure.hunk for failure in result.failures] == [2, 3]
    assert [placement.hunk.ordinal for placement in result.placements] == [1]


def test_hunks_are_never_dropped_silently() -> None:
    lines = ["foo1", "bar", "qux", *(f"c{number}" for number in range(106))]
    chain = [[f" d{at}", f"-c{at + 1}", f"+d{at + 1}"] for at in range(60)]
    hunks = [["-foo1", "+Foo1"], [" Foo1", "-bar", "+baz", " qux"], ["-QUX", "+Qux"]]
    hunks += [["-c0", "+d0"], *chain]
    result = edited("".join(f"{line}\n" for line in lines), *hunks)
    reported = {failure.hunk for failure in result.failures} | {
        placement.hunk.ordinal for placement in result.placements
    }
    assert reported == set(range(1, len(hunks) + 1))
