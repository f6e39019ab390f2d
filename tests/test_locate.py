"""A file's hunks to one place each, or to a failure that says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_opatch.errors import Kind
from git_opatch.locate import locate_hunks
from git_opatch.options import Matching, Tier
from git_opatch.outcome import Failure, Placement, Reason
from git_opatch.patch import Anchor, Hunk, Line, Mark
from git_opatch.text import Text

_STRICT = Matching(Tier.STRICT, can_loosen=False)


def hunk(*lines: str, at: str = "", start: int | None = None, end: bool = False) -> Hunk:
    return Hunk(
        tuple(
            Line(Mark(line[:1]), line[1:].encode(), number=number)
            for number, line in enumerate(lines, 10)
        ),
        (Anchor(at.encode()),) if at else (),
        start,
        at_end_of_file=end,
        number=10,
    )


def locate(content: str, *hunks: Hunk) -> list[Placement | Failure]:
    numbered = [replace(one, ordinal=number) for number, one in enumerate(hunks, 1)]
    return locate_hunks(numbered, Text.from_bytes(content.encode()), _STRICT)


def placed(content: str, *hunks: Hunk) -> list[tuple[int, str]]:
    verdicts = locate(content, *hunks)
    assert not [one for one in verdicts if isinstance(one, Failure)]
    return [(one.start, one.evidence) for one in verdicts if isinstance(one, Placement)]


def refused(content: str, *hunks: Hunk) -> Failure:
    (failure,) = [one for one in locate(content, *hunks) if isinstance(one, Failure)]
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
        pytest.param("a\n  a\n\ta\n", ["-  a"], 1, id="by its blanks"),
        pytest.param("A\na\n", ["-a", "+x"], 1, id="by its letter case"),
        pytest.param("a\n\x0c\nb\n", ["-\x0c"], 1, id="a form feed"),
        pytest.param("\ufeffa\nb\n", [" b", "+x"], 1, id="after a byte-order mark"),
    ],
)
def test_the_only_place(content: str, lines: list[str], start: int) -> None:
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
        pytest.param("a\n  b\n", [" a", "-b"], 1, 11, ((0, b"a"), (1, b"  b")), id="blanks differ"),
        pytest.param("x\nB\n", ["-b"], 1, 10, ((0, b"x"), (1, b"B")), id="letter case differs"),
        pytest.param("a\nb\n", [" a", " b", "-c"], 2, 12, ((1, b"b"),), id="past the end"),
        pytest.param(
            *("a\nb\nx\na\nb\nc\ny\n", [" a", " b", " c", "-d"], 6, 13, ((5, b"c"), (6, b"y"))),
            id="where most of its lines stand",
        ),
    ],
)
def test_nowhere_but_near(
    content: str, lines: list[str], position: int, number: int, found: tuple[tuple[int, bytes], ...]
) -> None:
    failure = refused(content, hunk(*lines))
    assert failure.reason is Reason.NOT_FOUND
    assert failure.places == ()
    assert failure.nearest is not None
    assert (failure.nearest.position, failure.nearest.found) == (position, found)
    assert (failure.nearest.line.number, failure.number) == (number, number)


def test_the_line_most_like_one_of_its_own_is_near() -> None:
    filler = "".join(f"{number}\n" for number in range(998))
    failure = refused(f"{filler}total = one\n", hunk("-total = two", "+x"))
    assert failure.nearest is not None
    assert failure.nearest.position == 998
    longer = refused(f"{filler}total = one\n\n\n", hunk("-total = two", "+x"))
    assert "none of its lines is in the file" in longer.advice


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("", ["-a"], id="an empty file"),
        pytest.param("b\n", ["-a", "+b c"], id="no line in common"),
        pytest.param("b\n", ["-a", "+\t"], id="nothing but a blank is added"),
    ],
)
def test_nowhere_at_all(content: str, lines: list[str]) -> None:
    failure = refused(content, hunk(*lines))
    assert failure.reason is Reason.NOT_FOUND
    assert "none of its lines is in the file" in failure.advice


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nx\nb\n", [" a", "-b"], id="a line between"),
        pytest.param("a \nb\n", ["-a", " b"], id="a blank at the end"),
        pytest.param("a\tb\n", ["-a b"], id="a tab for a blank"),
        pytest.param("a\n\tb\n", [" a", "-    b"], id="a tab for an indentation"),
        pytest.param("a\n \nb\n", [" a", " ", "-b"], id="a line of blanks for an empty one"),
        pytest.param("f(x)\n", ["-f(x);"], id="punctuation"),
        pytest.param("say “a”\n", ['-say "a"'], id="typographic quotes"),
        pytest.param("a\r\nb\n", [" a", "-b"], id="a carriage return of some lines"),
        pytest.param("a\nb\n", [" ", " a", "-b"], id="an empty line in front"),
        pytest.param("a\nb\n", [" a", "-b", "-"], id="an empty line removed at the end"),
        pytest.param("a\nb\n", [" a", "-b", "  "], id="a line of a blank at the end"),
    ],
)
def test_lines_match_exactly_or_not_at_all(content: str, lines: list[str]) -> None:
    assert refused(content, hunk(*lines)).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("content", "places", "message"),
    [
        pytest.param("x\na\nx\n", (0, 2), "fits 2 places: lines 1, 3", id="two places"),
        pytest.param("x\n" * 5, (0, 1, 2, 3, 4), "5 places: lines 1, 2, 3, 4, 5", id="five"),
        pytest.param("x\n" * 7, tuple(range(7)), "7 places: lines 1, 2, 3, 4, 5, …", id="seven"),
        pytest.param("x\n" * 1500, tuple(range(1000)), "1500 places", id="more than are listed"),
    ],
)
def test_several_places_are_refused(content: str, places: tuple[int, ...], message: str) -> None:
    failure = refused(content, hunk("-x", "+y"))
    assert (failure.reason, failure.places) == (Reason.AMBIGUOUS, places)
    assert message in failure.message


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
def test_the_order_of_the_hunks(
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
def test_the_order_does_not_always_tell(content: str, hunks: list[Hunk]) -> None:
    assert refused(content, *hunks).reason is Reason.AMBIGUOUS


ADDED = ("+n", "+m")


@pytest.mark.parametrize(
    ("content", "one", "expected"),
    [
        pytest.param("f\na\n", hunk(*ADDED), (2, "end of file"), id="no anchor"),
        pytest.param("", hunk(*ADDED), (0, "end of file"), id="an empty file"),
        pytest.param("", hunk(*ADDED, start=0), (0, "end of file"), id="an empty file, numbers"),
        pytest.param("f\na\n", hunk(*ADDED, at="f"), (1, "after its anchor"), id="an anchor"),
        pytest.param("  f\na\n", hunk(*ADDED, at="f"), (1, "after its anchor"), id="trimmed"),
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
def test_added_lines_alone(content: str, one: Hunk, expected: tuple[int, str]) -> None:
    assert placed(content, one) == [expected]


@pytest.mark.parametrize(
    ("content", "one", "reason"),
    [
        pytest.param("f\na\n", hunk(*ADDED, start=1), Reason.NO_PLACE, id="numbers alone"),
        pytest.param("f\na\n", hunk(*ADDED, at="g"), Reason.NO_PLACE, id="an anchor nowhere"),
        pytest.param("f\na\nf\n", hunk(*ADDED, at="f"), Reason.AMBIGUOUS, id="an anchor twice"),
    ],
)
def test_added_lines_without_a_place(content: str, one: Hunk, reason: Reason) -> None:
    assert refused(content, one).reason is reason


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
def test_a_change_that_is_there_already(content: str, lines: list[str]) -> None:
    failure = refused(content, hunk(*lines))
    assert failure.reason is Reason.ALREADY_APPLIED
    assert "already applied" in failure.message


def test_lines_that_stand_after_their_anchor_already() -> None:
    failure = refused("a\nf\nn\nm\nb\n", hunk(*ADDED, at="f"))
    assert (failure.reason, failure.places) == (Reason.ALREADY_APPLIED, (2,))


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nb\nn\n", [" a", "+n", " b"], id="the line stands elsewhere"),
        pytest.param("n\na\nb\n", [" a", "+n", " b"], id="the line stands before it"),
        pytest.param("a\n\nb\n", [" a", "+", " "], id="a blank line says nothing"),
        pytest.param("a\nb\n", ["-b"], id="a deletion says nothing"),
    ],
)
def test_a_change_that_is_not_there(content: str, lines: list[str]) -> None:
    assert placed(content, hunk(*lines))[0][1] == "unique"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nc\n", [" a", "-b", " c"], id="a deletion"),
        pytest.param("B\na\nB\n", ["-b", "+B"], id="the new lines stand twice"),
        pytest.param("a\n\n", [" a", "-b", "+", " c"], id="only a blank line is new"),
    ],
)
def test_a_change_that_may_be_there_is_not_found(content: str, lines: list[str]) -> None:
    assert refused(content, hunk(*lines)).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param(hunk("-b", "+B"), hunk("-b", "+X"), id="the same line"),
        pytest.param(hunk("-b", "+B"), hunk("-b", "+B"), id="the same change"),
        pytest.param(hunk(" a", "+n"), hunk(" a", "+n"), id="the same insertion"),
        pytest.param(hunk("-a", "-b", "-c"), hunk("-c", "-d"), id="one line of several"),
        pytest.param(hunk("-a", "-b", "-c"), hunk(" a", "-b", "+B"), id="within the other"),
        pytest.param(hunk("-b", "-c"), hunk(" b", "+n", " c"), id="an insertion in a deletion"),
    ],
)
def test_changes_may_not_overlap(one: Hunk, two: Hunk) -> None:
    failure = refused("a\nb\nc\nd\n", one, two)
    assert (failure.reason, failure.hunk) == (Reason.OVERLAP, 2)
    assert "the same lines as hunk 1" in failure.message


@pytest.mark.parametrize(
    ("one", "two", "starts"),
    [
        pytest.param(hunk("-b", "+B", " c"), hunk(" c", "-d"), (1, 2), id="one line of context"),
        pytest.param(hunk("-b", " c", " d"), hunk(" b", "-c"), (1, 1), id="context that changes"),
        pytest.param(hunk("-b", "+B"), hunk("-c", "+C"), (1, 2), id="neighbours"),
        pytest.param(hunk(" a", "+n"), hunk("-b", "+B"), (0, 1), id="an insertion before a change"),
        pytest.param(hunk("-b", "+B"), hunk(" b", "+n"), (1, 1), id="an insertion after a change"),
    ],
)
def test_context_may_overlap(one: Hunk, two: Hunk, starts: tuple[int, int]) -> None:
    assert [start for start, _ in placed("a\nb\nc\nd\n", one, two)] == list(starts)


def test_a_failure_names_its_hunk() -> None:
    verdicts = locate("a\nb\n", hunk("-a", "+x"), hunk("-c", "+y"), hunk("-b", "+z"))
    assert [type(one) for one in verdicts] == [Placement, Failure, Placement]
    assert isinstance(verdicts[1], Failure)
    assert (verdicts[1].hunk, verdicts[1].number) == (2, 10)
