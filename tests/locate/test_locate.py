"""Each hunk of a file gets one position, or a failure with its reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_opatch.locate import locate_hunks
from git_opatch.model.errors import Kind
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text

_STRICT = Matching(Tier.STRICT, can_choose=False)


def hunk(*lines: str, at: str = "", start: int | None = None, end: bool = False) -> Hunk:
    return Hunk(
        tuple(
            Line(Prefix(line[:1]), line[1:].encode(), number=number)
            for number, line in enumerate(lines, 10)
        ),
        (Anchor(at.encode()),) if at else (),
        start,
        at_end_of_file=end,
        number=10,
    )


def locate(content: str, *hunks: Hunk) -> list[Placement | Failure]:
    numbered = [replace(hunk, ordinal=number) for number, hunk in enumerate(hunks, 1)]
    return locate_hunks(numbered, Text.from_bytes(content.encode()), _STRICT)


def placed(content: str, *hunks: Hunk) -> list[tuple[int, str]]:
    verdicts = locate(content, *hunks)
    assert not [verdict for verdict in verdicts if isinstance(verdict, Failure)]
    return [
        (verdict.start, verdict.evidence.value)
        for verdict in verdicts
        if isinstance(verdict, Placement)
    ]


def refused(content: str, *hunks: Hunk) -> Failure:
    (failure,) = [result for result in locate(content, *hunks) if isinstance(result, Failure)]
    assert failure.kind is Kind.MATCH
    return failure


@pytest.mark.parametrize(
    ("content", "lines", "start"),
    [
        pytest.param("a\nb\nc\n", ["-a", "+x"], 0, id="the first line"),
        pytest.param("a\nb\nc\n", [" b", "-c"], 1, id="the last line"),
        pytest.param("a\nb\nc", ["-c", "+x"], 2, id="a last line without its newline"),
        pytest.param("a\nb\n", ["-a", "-b"], 0, id="the whole file"),
        pytest.param("a\n\n\nb\n", [" ", " ", "+x", " b"], 1, id="blank lines"),
        pytest.param("a\n  a\n\ta\n", ["-  a"], 1, id="by its spaces"),
        pytest.param("A\na\n", ["-a", "+x"], 1, id="by its letter case"),
        pytest.param("a\n\x0c\nb\n", ["-\x0c"], 1, id="a form feed"),
        pytest.param("\ufeffa\nb\n", [" b", "+x"], 1, id="after a byte-order mark"),
    ],
)
def test_the_only_candidate_is_chosen(content: str, lines: list[str], start: int) -> None:
    assert placed(content, hunk(*lines)) == [(start, "unique")]


@pytest.mark.parametrize(
    ("content", "lines", "position", "number", "found"),
    [
        pytest.param(
            *("a\nb\nc\nd\ne\n", [" b", " c", "-x", "+y", " e"], 3, 12),
            *(((2, b"c"), (3, b"d"), (4, b"e")),),
            id="one line differs",
        ),
        pytest.param(
            *("a\nb\nc\n", ["-a", "-x"], 1, 11, ((0, b"a"), (1, b"b"), (2, b"c"))),
            id="the last line of the hunk differs",
        ),
        pytest.param("a\n  b\n", [" a", "-b"], 1, 11, ((0, b"a"), (1, b"  b")), id="spaces differ"),
        pytest.param("x\nB\n", ["-b"], 1, 10, ((0, b"x"), (1, b"B")), id="letter case differs"),
        pytest.param("a\nb\n", [" a", " b", "-c", "+d"], 2, 12, ((1, b"b"),), id="past the end"),
        pytest.param(
            *("a\nb\nx\na\nb\nc\ny\n", [" a", " b", " c", "-d"], 6, 13, ((5, b"c"), (6, b"y"))),
            id="where most of its lines occur",
        ),
    ],
)
def test_a_hunk_that_is_not_found_has_a_nearest_position(
    content: str, lines: list[str], position: int, number: int, found: tuple[tuple[int, bytes], ...]
) -> None:
    failure = refused(content, hunk(*lines))
    assert failure.reason is Reason.NOT_FOUND
    assert failure.positions == ()
    assert failure.closest is not None
    assert (failure.closest.position, failure.closest.around) == (position, found)
    assert (failure.closest.line.number, failure.number) == (number, number)


def test_the_nearest_position_is_at_the_most_similar_line() -> None:
    filler = "".join(f"{number}\n" for number in range(998))
    failure = refused(f"{filler}total = one\n", hunk("-total = two", "+x"))
    assert failure.closest is not None
    assert failure.closest.position == 998
    longer = refused(f"{filler}total = one\n\n\n", hunk("-total = two", "+x"))
    assert longer.fault is Fault.NOTHING_FOUND


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("", ["-a"], id="an empty file"),
        pytest.param("b\n", ["-a", "+b c"], id="no line in common"),
        pytest.param("b\n", ["-a", "+\t"], id="nothing but a space is added"),
    ],
)
def test_a_hunk_may_have_no_nearest_position(content: str, lines: list[str]) -> None:
    failure = refused(content, hunk(*lines))
    assert failure.fault is Fault.NOTHING_FOUND


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nx\nb\n", [" a", "-b"], id="a line between"),
        pytest.param("a \nb\n", ["-a", " b"], id="a space at the end"),
        pytest.param("a\tb\n", ["-a b"], id="a tab for a space"),
        pytest.param("a\n\tb\n", [" a", "-    b"], id="a tab for an indentation"),
        pytest.param("a\n \nb\n", [" a", " ", "-b"], id="a line of spaces for an empty one"),
        pytest.param("f(x)\n", ["-f(x);"], id="punctuation"),
        pytest.param("say “a”\n", ['-say "a"'], id="typographic quotes"),
        pytest.param("a\r\nb\n", [" a", "-b"], id="a carriage return of some lines"),
        pytest.param("a\nb\n", [" ", " a", "-b"], id="an empty line in front"),
        pytest.param("a\nb\n", [" a", "-b", "-"], id="an empty line removed at the end"),
        pytest.param("a\nb\n", [" a", "-b", "  "], id="a line of a space at the end"),
    ],
)
def test_lines_match_exactly_or_not_at_all(content: str, lines: list[str]) -> None:
    assert refused(content, hunk(*lines)).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("content", "places", "count"),
    [
        pytest.param("x\na\nx\n", (0, 2), 2, id="two places"),
        pytest.param("x\n" * 7, tuple(range(7)), 7, id="seven"),
        pytest.param("x\n" * 1500, tuple(range(1000)), 1500, id="more than are listed"),
    ],
)
def test_several_candidates_are_refused(content: str, places: tuple[int, ...], count: int) -> None:
    failure = refused(content, hunk("-x", "+y"))
    assert (failure.fault, failure.positions) == (Fault.AMBIGUOUS, places)
    assert failure.values["count"] == (count if count <= 1000 else "more than 1000")


X, A, B = hunk("-x", "+y"), hunk("-a", "+A"), hunk("-b", "+B")
ORDER = "order of the hunks"


@pytest.mark.parametrize(
    ("content", "hunks", "expected"),
    [
        pytest.param("x\na\nx\n", [A, X], [(1, "unique"), (2, ORDER)], id="after one"),
        pytest.param("x\na\nx\n", [X, A], [(0, ORDER), (1, "unique")], id="before one"),
        pytest.param(
            *("x\na\nx\nb\nx\n", [A, X, B], [(1, "unique"), (2, ORDER), (3, "unique")]),
            id="between two",
        ),
        pytest.param("x\nx\n", [X, X], [(0, ORDER), (1, ORDER)], id="as many as places"),
        pytest.param("a\nb\n", [B, A], [(1, "unique"), (0, "unique")], id="unique out of order"),
    ],
)
def test_the_order_of_the_hunks_decides(
    content: str, hunks: list[Hunk], expected: list[tuple[int, str]]
) -> None:
    assert placed(content, *hunks) == expected


@pytest.mark.parametrize(
    ("content", "hunks"),
    [
        pytest.param("x\na\nx\nb\nx\n", [B, X, A], id="unique ones out of order"),
        pytest.param("x\na\nx\nx\n", [A, X], id="two places left"),
        pytest.param("x\na\nb\nx\n", [A, X, B], id="none left"),
        pytest.param("x\nx\nx\na\n", [X, A], id="all of them before the next hunk"),
    ],
)
def test_the_order_does_not_always_decide(content: str, hunks: list[Hunk]) -> None:
    assert refused(content, *hunks).reason is Reason.AMBIGUOUS


ADDED = ("+n", "+m")


@pytest.mark.parametrize(
    ("content", "patch_hunk", "expected"),
    [
        pytest.param("f\na\n", hunk(*ADDED), (2, "end of file"), id="no anchor"),
        pytest.param("", hunk(*ADDED), (0, "end of file"), id="an empty file"),
        pytest.param("", hunk(*ADDED, start=0), (0, "end of file"), id="an empty file, numbers"),
        pytest.param("f\na\n", hunk(*ADDED, at="f"), (1, "after its anchor"), id="an anchor"),
        pytest.param("f \na\n", hunk(*ADDED, at="f"), (1, "after its anchor"), id="trimmed"),
        pytest.param("f\na\n", hunk(*ADDED, at="f", start=7), (1, "after its anchor"), id="both"),
        pytest.param("f\na\n", hunk(*ADDED, at="f", end=True), (2, "end of file"), id="the end"),
        pytest.param(
            "f\nf\n",
            hunk(*ADDED, at="f", end=True),
            (2, "end of file"),
            id="the end and an anchor twice",
        ),
    ],
)
def test_added_lines_alone_are_placed(
    content: str, patch_hunk: Hunk, expected: tuple[int, str]
) -> None:
    assert placed(content, patch_hunk) == [expected]


@pytest.mark.parametrize(
    ("content", "patch_hunk", "reason"),
    [
        pytest.param("f\na\n", hunk(*ADDED, start=1), Reason.UNCLEAR, id="numbers alone"),
        pytest.param("f\na\n", hunk(*ADDED, at="g"), Reason.UNCLEAR, id="an anchor nowhere"),
        pytest.param("f\na\nf\n", hunk(*ADDED, at="f"), Reason.AMBIGUOUS, id="an anchor twice"),
    ],
)
def test_added_lines_without_a_position_are_refused(
    content: str, patch_hunk: Hunk, reason: Reason
) -> None:
    assert refused(content, patch_hunk).reason is reason


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nn\nb\n", [" a", "+n", " b"], id="an insertion"),
        pytest.param("a\nn\n", [" a", "+n"], id="an insertion with context before it"),
        pytest.param("a\nn\nb\n", ["+n", " b"], id="an insertion with context after it"),
        pytest.param("f\nn\n", ["+n"], id="lines at the end of the file"),
        pytest.param("a\nB\nc\n", [" a", "-b", "+B", " c"], id="a replacement"),
        pytest.param("x\nB\nC\n", ["-b", "+B", "+C"], id="a replacement without context"),
    ],
)
def test_an_applied_change_is_detected(content: str, lines: list[str]) -> None:
    failure = refused(content, hunk(*lines))
    assert failure.fault is Fault.ALREADY_APPLIED


def test_lines_that_occur_after_their_anchor_are_already_applied() -> None:
    failure = refused("a\nf\nn\nm\nb\n", hunk(*ADDED, at="f"))
    assert (failure.reason, failure.positions) == (Reason.ALREADY_APPLIED, (2,))


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nb\nn\n", [" a", "+n", " b"], id="the line occurs elsewhere"),
        pytest.param("n\na\nb\n", [" a", "+n", " b"], id="the line occurs before it"),
        pytest.param("a\n\nb\n", [" a", "+", " "], id="a blank line says nothing"),
        pytest.param("a\nb\n", ["-b"], id="a deletion says nothing"),
    ],
)
def test_a_change_that_is_not_applied_is_not_found(content: str, lines: list[str]) -> None:
    assert placed(content, hunk(*lines))[0][1] == "unique"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("B\na\nB\n", ["-b", "+B"], id="the new lines occur twice"),
        pytest.param("a\n\n", [" a", "-b", "+", " c"], id="only a blank line is new"),
    ],
)
def test_a_change_that_may_be_applied_is_not_found(content: str, lines: list[str]) -> None:
    assert refused(content, hunk(*lines)).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(hunk("-b", "+B"), hunk("-b", "+X"), id="the same line"),
        pytest.param(hunk("-b", "+B"), hunk(" a", "-b", "+B"), id="the same, with more context"),
        pytest.param(hunk("-a", "-b", "-c"), hunk("-c", "-d"), id="one line of several"),
        pytest.param(hunk("-a", "-b", "-c"), hunk(" a", "-b", "+B"), id="within the other"),
        pytest.param(hunk("-b", "-c"), hunk(" b", "+n", " c"), id="an insertion in a deletion"),
    ],
)
def test_changes_may_not_overlap(first: Hunk, second: Hunk) -> None:
    failure = refused("a\nb\nc\nd\n", first, second)
    assert (failure.fault, failure.hunk, failure.other) == (Fault.OVERLAP, 2, 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(hunk(" a", "+n"), hunk(" a", "+m"), id="both below a line"),
        pytest.param(hunk(" a", "+n", " b"), hunk(" a", "+m", " b"), id="both between two"),
        pytest.param(hunk("+n", " b"), hunk("+m", " b"), id="both above a line"),
        pytest.param(hunk("+n", " b"), hunk("+m", " b", " c"), id="both above, more context"),
        pytest.param(hunk("+n", " b"), hunk(" a", "+m"), id="above a line, then below one"),
        pytest.param(hunk(" a", "+n"), hunk(" a", "+m", " b"), id="the second shows both"),
        pytest.param(
            hunk(" a", "+n", "+o", "+p"), hunk("+m", "+o", "+p", " b"), id="versions of one"
        ),
    ],
)
def test_the_order_of_additions_at_one_position_may_be_unknown(first: Hunk, second: Hunk) -> None:
    failure = refused("a\nb\nc\nd\n", first, second)
    assert (failure.fault, failure.hunk, failure.other) == (Fault.SAME_POSITION, 2, 1)


@pytest.mark.parametrize(
    ("first", "second", "starts"),
    [
        pytest.param(hunk(" a", "+n"), hunk("+m", " b"), (0, 1), id="below a line, then above one"),
        pytest.param(hunk("+n", " b"), hunk(" b", "+m"), (1, 1), id="around one line"),
        pytest.param(hunk(" d", "+n"), hunk("+m"), (3, 4), id="both at the end"),
    ],
)
def test_additions_at_one_position_may_follow_each_other(
    first: Hunk, second: Hunk, starts: tuple[int, int]
) -> None:
    assert [start for start, _ in placed("a\nb\nc\nd\n", first, second)] == list(starts)


@pytest.mark.parametrize(
    ("first", "second", "starts"),
    [
        pytest.param(hunk("-b", "+B", " c"), hunk(" c", "-d"), (1, 2), id="one line of context"),
        pytest.param(hunk("-b", " c", " d"), hunk(" b", "-c"), (1, 1), id="context that changes"),
        pytest.param(hunk("-b", "+B"), hunk("-c", "+C"), (1, 2), id="neighbours"),
        pytest.param(hunk(" a", "+n"), hunk("-b", "+B"), (0, 1), id="an insertion before a change"),
        pytest.param(hunk("-b", "+B"), hunk(" b", "+n"), (1, 1), id="an insertion after a change"),
    ],
)
def test_context_may_overlap(first: Hunk, second: Hunk, starts: tuple[int, int]) -> None:
    assert [start for start, _ in placed("a\nb\nc\nd\n", first, second)] == list(starts)


def test_a_failure_names_its_hunk() -> None:
    verdicts = locate("a\nb\n", hunk("-a", "+x"), hunk("-c", "+y"), hunk("-b", "+z"))
    assert [type(verdict) for verdict in verdicts] == [Placement, Failure, Placement]
    assert isinstance(verdicts[1], Failure)
    assert (verdicts[1].hunk, verdicts[1].number) == (2, 10)
