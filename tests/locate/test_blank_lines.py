"""Blank lines that only the patch or only the file has."""

from __future__ import annotations

import pytest

from git_opatch.complete.edits import apply_edits, edits_of
from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text

_STRICT = Matching(Tier.STRICT, can_choose=False)


def locate(content: str, lines: list[str], matching: Matching | None = None) -> Placement | Failure:
    hunk = Hunk(tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines))
    (verdict,) = locate_hunks([hunk], Text.from_bytes(content.encode()), matching or Matching())
    return verdict


def placed(content: str, lines: list[str]) -> Placement:
    verdict = locate(content, lines)
    assert isinstance(verdict, Placement)
    return verdict


def written(content: str, lines: list[str]) -> str:
    text = Text.from_bytes(content.encode())
    return apply_edits(text, list(edits_of(placed(content, lines), text))).to_bytes().decode()


def refused(content: str, lines: list[str], matching: Matching | None = None) -> Failure:
    verdict = locate(content, lines, matching)
    assert isinstance(verdict, Failure)
    return verdict


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            *("x\na\nb\ny\n", [" ", " a", "-b", "+B", " y"], "x\na\nB\ny\n"), id="at the start"
        ),
        pytest.param(
            *("a\nb\ny\n", [" ", " ", " a", "-b", "+B"], "a\nB\ny\n"), id="two at the start"
        ),
        pytest.param(
            *("x\n\na\nb\n", [" ", " ", " a", "-b", "+B"], "x\n\na\nB\n"),
            id="one of two at the start",
        ),
        pytest.param(*("x\na\nb\ny\n", [" a", "-b", "+B", " "], "x\na\nB\ny\n"), id="at the end"),
        pytest.param(
            *("  a\n  b\n  y\n", [" a", " b", "-y", " "], "  a\n  b\n"),
            id="at the end of a loose match",
        ),
        pytest.param(
            *("a\nb\ny\n", [" ", " a", "-b", "+B", " ", " "], "a\nB\ny\n"), id="at both ends"
        ),
        pytest.param(
            *("a\nb\n", ["-a", "+A", " b", " ", " "], "A\nb\n"), id="past the end of the file"
        ),
    ],
)
def test_a_blank_line_around_the_hunk_is_dropped(
    content: str, lines: list[str], after: str
) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            *("a\nb\nc\n", ["-a", "+A", " ", " b", "-c"], "A\n\nb\n"), id="after an added line"
        ),
        pytest.param(
            *("a\nb\nc\n", [" a", " ", "+n", " b", "-c"], "a\n\nn\nb\n"), id="before an added line"
        ),
        pytest.param(
            *("a\nd\n", [" a", "+n", " ", "+m", " d"], "a\nn\n\nm\nd\n"), id="between added lines"
        ),
    ],
)
def test_a_blank_line_beside_an_added_one_is_added(
    content: str, lines: list[str], after: str
) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            *("a\nb\nc\n", [" a", " ", " b", "-c", "+C"], "a\nb\nC\n"), id="between context lines"
        ),
        pytest.param(*("a\nb\nc\n", [" a", " ", " ", " b", "-c", "+C"], "a\nb\nC\n"), id="twice"),
        pytest.param(
            *("a\n\nb\nc\n", [" a", " ", " ", " b", "-c", "+C"], "a\n\nb\nC\n"),
            id="one more than the file has",
        ),
        pytest.param(
            *("a\nb\nc\nd\n", [" a", " ", " b", " ", " c", "-d"], "a\nb\nc\n"), id="in two gaps"
        ),
        pytest.param(
            *("a\nb\nc\n", ["-a", " ", "-b", "+B", " c"], "B\nc\n"), id="between removed lines"
        ),
        pytest.param(
            *("a\nb\nc\n", [" a", " ", "-b", "+B", " c"], "a\nB\nc\n"), id="above a removed line"
        ),
        pytest.param(
            *("  a\n  b\n  c\n", [" a", " ", " b", "-c"], "  a\n  b\n"), id="of a loose match"
        ),
    ],
)
def test_a_blank_line_of_context_is_not_written(content: str, lines: list[str], after: str) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            *("a\n\nb\nc\nd\n", [" a", " b", "-c", "+C"], "a\n\nb\nC\nd\n"), id="between context"
        ),
        pytest.param(
            *("a\n\n\nb\nc\n", [" a", " b", "-c", "+C"], "a\n\n\nb\nC\n"), id="two of them"
        ),
        pytest.param(
            *("a\n\n\nb\nc\n", [" a", " ", " b", "-c", "+C"], "a\n\n\nb\nC\n"), id="one of two"
        ),
        pytest.param("a\n\nb\n", [" a", "-b", "+B"], "a\n\nB\n", id="before a replaced line"),
        pytest.param("a\n\nb\nc\n", ["-a", "-b", " c"], "\nc\n", id="between deleted lines"),
        pytest.param("a\n\nb\n", ["-a", " b"], "\nb\n", id="after a deleted line"),
        pytest.param(
            *("a\n \t\nb\nc\n", [" a", " b", "-c", "+C"], "a\n \t\nb\nC\n"), id="a line of spaces"
        ),
    ],
)
def test_a_blank_line_that_was_left_out_is_kept(content: str, lines: list[str], after: str) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            "a\n\nb\n", ["-a", "+A", " b"], "A\n\nb\n", id="after the line that was replaced"
        ),
        pytest.param(
            *("a\n\n\nb\n", ["-a", "+A", " ", " b"], "A\n\n\nb\n"), id="one of two after it"
        ),
        pytest.param(
            *("a\n\n\nb\n", [" a", "+", " b"], "a\n\n\n\nb\n"), id="another number of blank lines"
        ),
    ],
)
def test_a_blank_line_left_out_where_nothing_depends_on_it_is_kept(
    content: str, lines: list[str], after: str
) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("a\n\nb\n", [" a", "+n", " b"], "a\nn\n\nb\n", id="between"),
        pytest.param("a\n\nb\n", ["-a", "+A", "+n", " b"], "A\nn\n\nb\n", id="in place of fewer"),
        pytest.param("a\n\n\nb\n", [" a", "+n", " ", " b"], "a\nn\n\n\nb\n", id="one of two"),
        pytest.param(
            *("a\n\nb\n", [" a", "+n", "+", " b"], "a\n\nn\n\nb\n"), id="with one of its own below"
        ),
        pytest.param(
            *("a\n\nb\n", [" a", "+", "+n", " b"], "a\n\nn\n\nb\n"), id="with one of its own above"
        ),
        pytest.param(
            *("a\n\nb\n\nc\n", [" a", " b", "+n", " c"], "a\n\nb\nn\n\nc\n"), id="two left out"
        ),
    ],
)
def test_an_added_block_beside_a_blank_line_stays_next_to_the_line_above_it(
    content: str, lines: list[str], after: str
) -> None:
    assert written(content, lines) == after
    assert "next to the line above it" in placed(content, lines).notes[0]


def test_in_a_document_a_blank_line_beside_an_addition_matters() -> None:
    failure = refused("a\n\nb\n", [" a", "+n", " b"], Matching(path="a.md"))
    assert failure.reason is Reason.UNCLEAR


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\n\nb\n", [" a", "+B", "-b"], id="before a replaced line"),
        pytest.param("a\n\nb\n", [" a", "+", " b"], id="a blank line that may be the file's"),
        pytest.param("a\n\nb\nc\n", [" a", "+", " b", "-c"], id="the same beside a change"),
        pytest.param("a\n\n\nb\n", [" a", " ", "+", " b"], id="the last of several"),
        pytest.param("a\n\nb\n", ["-a", "+A", "-b", "+B"], id="between replaced lines"),
        pytest.param("a\n\nb\nc\n", ["-a", "-b", "+n", " c"], id="within a run of changes"),
        pytest.param("a\n\nb\nc\n", ["-a", "+a", " b", "-c"], id="in place of itself"),
    ],
)
def test_a_blank_line_left_out_beside_an_addition_is_refused(
    content: str, lines: list[str]
) -> None:
    failure = refused(content, lines)
    assert failure.fault is Fault.BLANK_LINE_OMITTED


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nb\n", [" a", "-", " b"], id="inside"),
        pytest.param("a\nb\n", ["-", " a", " b"], id="at the start"),
        pytest.param("a\nb\nc\n", [" a", " b", "-", " c"], id="further down"),
        pytest.param("a\nb\n", [" a", "-b", "-"], id="at the end"),
        pytest.param("a\n\nb\n", [" a", "-", "-", " b"], id="two where the file has one"),
        pytest.param("a\n\nb\n", ["-a", "-", "-b", "-"], id="one more after a removed one"),
    ],
)
def test_a_removed_blank_line_must_exist(content: str, lines: list[str]) -> None:
    assert refused(content, lines).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("a\n\nb\n", [" a", "-", " b"], "a\nb\n", id="inside"),
        pytest.param("  a\n\n  b\n", [" a", "-", " b"], "  a\n  b\n", id="in a loose match"),
        pytest.param("\t\n  a\n  b\n", ["-", " a", "-b"], "  a\n", id="a line of spaces"),
        pytest.param("a\n\nb\n", [" a", "-b", " "], "a\n\n", id="kept beside a removed line"),
    ],
)
def test_a_removed_blank_line_that_exists_is_removed(
    content: str, lines: list[str], after: str
) -> None:
    assert written(content, lines) == after


REPLACE = ["-b", "+B"]


@pytest.mark.parametrize(
    ("content", "lines", "start"),
    [
        pytest.param("  a\n\n  b\nx\n  a\n  b\n", [" a", *REPLACE], 4, id="nothing left out"),
        pytest.param("  a\n  b\nx\n  a\n\n  b\n", [" a", " ", *REPLACE], 3, id="nothing too many"),
        pytest.param("x\n  a\n  b\n\n  a\n  b\n", [" ", " a", *REPLACE], 3, id="nothing dropped"),
    ],
)
def test_a_candidate_without_repair_is_preferred(
    content: str, lines: list[str], start: int
) -> None:
    found = placed(content, lines)
    assert (found.start, found.tier, found.repairs) == (start, Tier.RESILIENT, ())


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\n\n\nb\nx\na\n\nb\n", [" a", *REPLACE], id="fewer left out"),
        pytest.param("a\nb\nx\na\n\nb\n", [" a", " ", " ", *REPLACE], id="fewer too many"),
        pytest.param("x\na\nb\ny\n\na\nb\n", [" ", " ", " a", *REPLACE], id="fewer in front"),
        pytest.param("\na\n\nb\nx\na\nb\n", [" ", " a", *REPLACE], id="in front and inside"),
        pytest.param("a\nb\n\nx\na\nb\n", [" a", *REPLACE, " ", " "], id="past the end"),
    ],
)
def test_the_number_of_blank_lines_that_differ_decides_nothing(
    content: str, lines: list[str]
) -> None:
    assert refused(content, lines).reason is Reason.AMBIGUOUS


def test_candidates_that_fit_equally_are_ambiguous() -> None:
    failure = refused("a\n\nb\nx\na\n\nb\n", [" a", *REPLACE])
    assert (failure.reason, failure.positions) == (Reason.AMBIGUOUS, (0, 4))


@pytest.mark.parametrize(
    ("content", "lines", "repair"),
    [
        pytest.param(
            *("a\nb\nc\n", [" a", " ", " b", "-c"], "1 blank line of the patch not in the file"),
            id="too many",
        ),
        pytest.param(
            *("a\n\n\nb\nc\n", [" a", " b", "-c"], "2 blank lines of the file left out"),
            id="left out",
        ),
    ],
)
def test_repairs_are_reported(content: str, lines: list[str], repair: str) -> None:
    assert placed(content, lines).repairs == (repair,)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nb\n", [" ", " a", "-b"], id="at the start"),
        pytest.param("a\nb\nc\n", [" a", " ", " b", "-c"], id="inside"),
        pytest.param("a\n\nb\nc\n", [" a", " b", "-c"], id="left out"),
        pytest.param("a\n\nb\n", [" a", "+n", " b"], id="left out beside an addition"),
        pytest.param("a\n \nb\n", [" a", " ", "-b"], id="a line of spaces"),
        pytest.param("a\nb\n", [" a", "-b", " "], id="at the end"),
    ],
)
def test_blank_lines_are_not_repaired_at_the_strict_tier(content: str, lines: list[str]) -> None:
    assert refused(content, lines, _STRICT).reason is Reason.NOT_FOUND


def test_blank_lines_past_the_end_of_the_file_count_as_present() -> None:
    """A candidate with one of the two is no better than the end with none."""
    content = "x\n);\n}\n\nmiddle\nx\n);\n}\n"
    hunk = [" x", " );", " }", "+new", " ", " "]
    assert refused(content, hunk).positions == (0, 5)
    assert placed("x\n);\n}\n\nmiddle\nx\n}\n", hunk).start == 0
