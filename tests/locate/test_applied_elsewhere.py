"""A patch that is partly applied and sent again: its hunks may not be applied to a twin.

Each file has the block `a`, `x`, `b` where a hunk changes it, and once more elsewhere.
"""

from __future__ import annotations

import hunked
import pytest

from git_opatch.model.options import Matching, Tier
from git_opatch.model.sentences import Fault, Reason
from git_opatch.plan.apply_hunks import AppliedHunks

HEAD = ["-one", "+uno"]
TAIL = ["-nine", "+nove"]
CHANGE = [" a", "-x", "+y", " b"]
DELETE = [" a", "-x", " b"]


def edited(
    content: str,
    *hunks: list[str],
    at: str = "",
    start: int | None = None,
    matching: Matching | None = None,
) -> AppliedHunks:
    """Edit `content` with `hunks`; the second has anchor `at` and line `start`, from 0."""
    headers = [f"@@ {at}"] if at else []
    headers += [] if start is None else [f"@@ -{start + 1},9 @@"]
    stated = [[*headers, *hunk] if number == 1 else hunk for number, hunk in enumerate(hunks)]
    return hunked.edited(content.replace(" ", "\n"), *stated, matching=matching)


def failed(result: AppliedHunks) -> dict[int, Reason]:
    return {failure.hunk: failure.reason for failure in result.failures}


@pytest.mark.parametrize(
    ("content", "hunks"),
    [
        pytest.param("uno a y b a x b ", [HEAD, CHANGE], id="the twin comes after"),
        pytest.param("a x b uno a y b ", [HEAD, CHANGE], id="the twin comes before"),
        pytest.param("a x b nove a y b ", [TAIL, CHANGE], id="others come after it, too"),
        pytest.param("a x b uno a b ", [HEAD, DELETE], id="a deletion, out of order"),
        pytest.param("uno A y b A x b ", [HEAD, CHANGE], id="both are loose"),
    ],
)
def test_a_twin_is_not_changed_where_other_hunks_are_applied(
    content: str, hunks: list[list[str]]
) -> None:
    result = edited(content, *hunks)
    assert failed(result) == {1: Reason.ALREADY_APPLIED, 2: Reason.CONTRADICTED}
    assert result.content.text.to_bytes() == content.replace(" ", "\n").encode()
    assert result.failures[1].fault in (Fault.TWIN_APPLIED, Fault.OUT_OF_ORDER)


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param("  a|  b|x|  a|  n|  b|", [" a", "+n", " b"], id="whitespace"),
        pytest.param("# A1|# B1|x|# A1|n|# B1|", [" # a1", "+n", " # b1"], id="letter case"),
        pytest.param(
            "first = 'x'|second = 1|x|first = 'x'|second = 2|",
            [' first = "x"', "-second = 1", "+second = 2"],
            id="quotes in context",
        ),
    ],
)
def test_of_two_readings_that_are_loose_neither_is_taken(content: str, hunk: list[str]) -> None:
    text = content.replace("|", "\n")
    result = hunked.edited(text, hunk)
    assert failed(result) == {1: Reason.CONTRADICTED}
    assert result.failures[0].fault is Fault.TWIN_APPLIED


@pytest.mark.parametrize(
    ("content", "hunks", "after"),
    [
        pytest.param("uno a x b ", [HEAD, CHANGE], "uno a y b ", id="there is not a twin"),
        pytest.param("uno a x b ", [HEAD, DELETE], "uno a b ", id="a deletion in order"),
        pytest.param("a x b nove ", [CHANGE, TAIL], "a y b nove ", id="it comes first"),
        pytest.param("uno a x b a z b ", [HEAD, CHANGE], "uno a y b a z b ", id="another change"),
    ],
)
def test_hunks_that_are_not_applied_are_located_beside_applied_ones(
    content: str, hunks: list[list[str]], after: str
) -> None:
    result = edited(content, *hunks)
    assert list(failed(result).values()) == [Reason.ALREADY_APPLIED]
    assert result.content.text.to_bytes() == after.replace(" ", "\n").encode()


@pytest.mark.parametrize(
    ("result", "fault", "values"),
    [
        pytest.param(
            edited("one a y z b a x w b ", HEAD, [" a", "-x", "-w", "+y", "+z", " b"], start=1),
            Fault.TWIN_APPLIED,
            {"at": 3, "old": 7},
            id="the number",
        ),
        pytest.param(
            edited("one k: a b j: a x b ", HEAD, DELETE, at="k:"),
            Fault.TWIN_APPLIED,
            {"at": 4, "old": 7},
            id="the anchor",
        ),
        pytest.param(
            edited("uno a y b a x b ", HEAD, CHANGE),
            Fault.TWIN_APPLIED,
            {"at": 3, "old": 6},
            id="other hunks",
        ),
        pytest.param(
            edited("a x b uno ", HEAD, CHANGE),
            Fault.OUT_OF_ORDER,
            {},
            id="other hunks and the order",
        ),
        pytest.param(
            edited("a x b one a y b ", HEAD, CHANGE),
            Fault.TWIN_APPLIED,
            {"at": 6, "old": 2},
            id="the order",
        ),
    ],
)
def test_the_refusal_says_what_suggests_another_position(
    result: AppliedHunks, fault: Fault, values: dict[str, int]
) -> None:
    assert (result.failures[-1].fault, result.failures[-1].values) == (fault, values)


def test_a_deletion_is_not_made_out_of_order_where_its_context_is_in_order() -> None:
    assert failed(edited("a x b one a b ", HEAD, DELETE)) == {2: Reason.CONTRADICTED}


@pytest.mark.parametrize("tier", Tier)
def test_a_twin_is_not_changed_out_of_order(tier: Tier) -> None:
    before, after = "a x b one a y b ", "a y b nine a x b "
    for content, hunks, number in ((before, [HEAD, CHANGE], 2), (after, [CHANGE, TAIL], 1)):
        result = edited(content, *hunks, matching=Matching(tier))
        assert failed(result) == {number: Reason.CONTRADICTED}
        assert result.failures[0].fault is Fault.TWIN_APPLIED


@pytest.mark.parametrize(
    ("content", "hunks", "after"),
    [
        pytest.param("one a y b a x b ", [HEAD, CHANGE], "uno a y b a y b ", id="in order"),
        pytest.param("a x b one a z b ", [HEAD, CHANGE], "a y b uno a z b ", id="no new lines"),
        pytest.param("a x b a y b one ", [HEAD, CHANGE], "a y b a y b uno ", id="both before it"),
        pytest.param("a x b one b ", [HEAD, ["-x", " b"]], "a b uno b ", id="one line is kept"),
        pytest.param("a x b a y b ", [CHANGE], "a y b a y b ", id="a hunk alone"),
    ],
)
def test_lines_that_occur_elsewhere_are_not_evidence_alone(
    content: str, hunks: list[list[str]], after: str
) -> None:
    result = edited(content, *hunks)
    assert result.failures == []
    assert result.content.text.to_bytes() == after.replace(" ", "\n").encode()


def test_a_hunk_may_name_its_position_out_of_order() -> None:
    content = "f(){ a x b one g(){ a y b "
    assert failed(edited(content, HEAD, CHANGE)) == {2: Reason.CONTRADICTED}
    assert failed(edited(content, HEAD, CHANGE, at="f(){")) == {}
    assert failed(edited(content, HEAD, CHANGE, start=1)) == {}
    assert failed(edited(content, HEAD, CHANGE, start=2)) == {2: Reason.CONTRADICTED}


@pytest.mark.parametrize("first", [HEAD, ["-uno", "+due"]])
def test_an_anchor_decides_between_a_candidate_and_its_twin(first: list[str]) -> None:
    content = "uno f(){ a y b g(){ a x b "
    partly = failed(edited(content, first)) != {}
    assert failed(edited(content, first, CHANGE, at="f(){"))[2] is Reason.ALREADY_APPLIED
    assert 2 not in failed(edited(content, first, CHANGE, at="g(){"))
    assert (2 in failed(edited(content, first, CHANGE))) == partly


def test_a_deletion_is_not_repeated_where_the_number_shows_it_is_applied() -> None:
    content = "one a b a x b "
    assert failed(edited(content, HEAD, DELETE, start=1)) == {2: Reason.CONTRADICTED}
    assert failed(edited(content, HEAD, DELETE, start=2)) == {}


def test_a_stale_number_does_not_choose_between_twins() -> None:
    content = "uno a x b a x b "
    assert failed(edited(content, HEAD, CHANGE, start=1))[2] is Reason.AMBIGUOUS
    assert failed(edited("one a x b a x b ", HEAD, CHANGE, start=1)) == {}


def test_an_applied_hunk_is_not_evidence_for_a_later_hunk() -> None:
    first, second = [" open", "+log", " close"], [" open", "-write", "+close", " end"]
    result = edited("open log close open write end ", first, second)
    assert failed(result) == {1: Reason.ALREADY_APPLIED}
    assert result.content.text.to_bytes() == b"open\nlog\nclose\nopen\nclose\nend\n"


def test_a_hunk_that_shows_another_hunk_is_in_order_with_it() -> None:
    chain = [[" n", "+m", " z"], [" a", "+n"]]
    assert failed(edited("a z ", *chain)) == {1: Reason.NOT_FOUND}
    assert failed(edited("a z ", *reversed(chain))) == {}


@pytest.mark.parametrize("start", [1, 4])
def test_a_twin_is_not_changed_where_the_number_shows_the_change_is_applied(start: int) -> None:
    content = "one a y b a x b "
    failures = failed(edited(content, HEAD, CHANGE, start=start))
    assert failures == ({2: Reason.CONTRADICTED} if start == 1 else {})


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("n a x b ", ["+n", " a", "-x", "+y", " b"], id="at its beginning"),
        pytest.param("a x b n ", [" a", "-x", "+y", " b", "+n"], id="at its end"),
        pytest.param("b n b x ", [" b", "+n", "+b", "-x", "+y"], id="as its block slides up"),
        pytest.param("q a x n x ", ["-q", " a", "+x", "+n", " x"], id="as its block slides down"),
    ],
)
def test_a_partly_applied_hunk_is_refused(content: str, lines: list[str]) -> None:
    assert failed(edited(content, lines)) == {1: Reason.CONTRADICTED}


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("m a x b ", ["+n", " a", "-x", "+y", " b"], "m n a y b ", id="another line"),
        pytest.param("a n x b ", [" a", " n", "+n", "-x", " b"], "a n n b ", id="it is shown"),
        pytest.param("n q a x ", ["+n", " a", "-x"], "n q n a ", id="not right beside it"),
        pytest.param("n a x b ", ["+n", "+n", " a", "-x"], "n n n a b ", id="one of two"),
    ],
)
def test_a_hunk_that_adds_missing_lines_is_applied(
    content: str, lines: list[str], after: str
) -> None:
    result = edited(content, lines)
    assert result.failures == []
    assert result.content.text.to_bytes() == after.replace(" ", "\n").encode()


FIELDS = "class A:\n    name: str\n    first_field = 2\n    other_field = 3\n"
ADDED = ["+    first_field = 2", "+    second_field = 3", "+    third_field = 4"]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(FIELDS, ["     name: str", *ADDED], id="the first below"),
        pytest.param(
            FIELDS.replace("first_field = 2", "third_field = 4"),
            ["     name: str", *ADDED],
            id="the last below",
        ),
        pytest.param(
            FIELDS.replace("    first", "\n    first"),
            ["     name: str", *ADDED],
            id="a blank line",
        ),
        pytest.param(FIELDS, [*ADDED, "     other_field = 3"], id="the first above"),
        pytest.param(
            FIELDS, ["-    name: str", "+    name = 1", *ADDED], id="in place of another line"
        ),
    ],
)
def test_one_of_several_added_lines_that_is_there_refuses(content: str, lines: list[str]) -> None:
    assert failed(hunked.edited(content, lines)) == {1: Reason.CONTRADICTED}


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(FIELDS, ["     name: str", *ADDED, "     first_field = 2"], id="it is shown"),
        pytest.param(
            FIELDS + "    first_field = 2\n", ["     name: str", *ADDED], id="it is there twice"
        ),
        pytest.param(
            FIELDS.replace("first_field = 2", "x = 1\n    first_field = 2"),
            ["     name: str", *ADDED],
            id="it is not next to it",
        ),
        pytest.param(
            "a = 1\n@property\nb = 2\n", [" a = 1", "+@property", "+c = 3"], id="it says little"
        ),
        pytest.param(
            FIELDS.replace("first_field = 2", "third_field = 4"),
            [*ADDED, "     other_field = 3"],
            id="the last above, as blocks end alike",
        ),
    ],
)
def test_a_line_that_may_be_meant_twice_does_not_refuse(content: str, lines: list[str]) -> None:
    assert failed(hunked.edited(content, lines)) == {}


def test_a_line_that_the_patch_removes_there_is_moved() -> None:
    moved = ["-    first_field = 2", "     other_field = 3"]
    assert failed(hunked.edited(FIELDS, ["     name: str", *ADDED], moved)) == {}


def test_a_hunk_that_shows_another_hunk_must_match_exactly_where_others_are_applied() -> None:
    chain = [["-two", "+due", " three"], [" due", "-three ", "+tre"]]
    assert edited("one two three four ", *chain).failures == []
    assert failed(edited("uno two three four ", HEAD, *chain)) == {
        1: Reason.ALREADY_APPLIED,
        3: Reason.NOT_FOUND,
    }


def test_a_blank_line_of_the_file_is_kept_beside_many_other_hunks() -> None:
    values = [f"v{number}" for number in range(1, 9)]
    hunks = [[f"-{value}", f"+new {value}"] for value in values[1::2]]
    content = "\n".join(["k", "a", "", "b", "c", *values, ""])
    result = hunked.edited(content, *hunks, [" a", " b", "-c"])
    assert result.failures == []
    assert (
        result.content.text.to_bytes()
        == b"k\na\n\nb\nv1\nnew v2\nv3\nnew v4\nv5\nnew v6\nv7\nnew v8\n"
    )


@pytest.mark.parametrize(
    ("content", "hunk", "is_placed"),
    [
        pytest.param("a x b q a b ", DELETE, False, id="together elsewhere"),
        pytest.param("a x b q a b q a b ", DELETE, True, id="together in two places"),
        pytest.param("a x b a b ", [" a", "-x", "-b", "-a", " b"], True, id="in its own place"),
    ],
)
def test_a_removal_alone_is_not_made_where_its_context_is_together_elsewhere(
    content: str, hunk: list[str], is_placed: bool
) -> None:
    failures = failed(edited(content, hunk))
    assert failures == ({} if is_placed else {1: Reason.CONTRADICTED})


def test_a_removal_is_made_where_its_number_or_another_hunk_says() -> None:
    content = "a x b q a b nine "
    assert failed(edited(content, DELETE, TAIL)) == {}
    assert failed(edited("one a x b q a b ", HEAD, DELETE, start=1)) == {}
