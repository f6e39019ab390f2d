"""Lines truncated at the start, context past the end of the file, and ignored outer context."""

from __future__ import annotations

import pytest

from git_opatch.complete.edits import apply_edits, edits_of
from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.placement import Likeness, Placement
from git_opatch.model.sentences import Hint, Reason
from git_opatch.model.text import Text

CALL = "result = compute(alpha, beta)\nx = 1\ny = 2\n"
CHANGE = ["-x = 1", "+x = 3"]
LONG = "alpha = compute(beta)"


def locate(content: str, lines: list[str], matching: Matching | None = None) -> Placement | Failure:
    hunk = Hunk(tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines))
    in_document = (matching or Matching())._replace(path="notes.txt")
    (verdict,) = locate_hunks([hunk], Text.from_bytes(content.encode()), in_document)
    return verdict


def placed(content: str, lines: list[str]) -> Placement:
    verdict = locate(content, lines)
    assert isinstance(verdict, Placement)
    return verdict


def written(content: str, lines: list[str]) -> str:
    text, placement = Text.from_bytes(content.encode()), placed(content, lines)
    return apply_edits(text, list(edits_of(placement, text))).to_bytes().decode()


def refused(content: str, lines: list[str], matching: Matching | None = None) -> Failure:
    verdict = locate(content, lines, matching)
    assert isinstance(verdict, Failure)
    return verdict


@pytest.mark.parametrize(
    ("whole", "line"),
    [
        pytest.param("result = compute(alpha, beta)", "compute(alpha, beta)", id="a call"),
        pytest.param(
            "    result = compute(a, b)", "        compute(a, b)", id="indented otherwise"
        ),
        pytest.param("Zabcdefghij", "abcdefghij", id="ten characters"),
        pytest.param("1abcdefghij", "abcdefghij", id="a digit is missing"),
        pytest.param("\u00c4abcdefghij", "abcdefghij", id="another letter is missing"),
        pytest.param("x" + "\u00e9" * 10, "\u00e9" * 10, id="ten characters of two bytes"),
        pytest.param("result = compute(a,  b)", "compute(a, b)", id="spaces inside differ"),
    ],
)
def test_a_long_line_may_be_truncated_at_the_start(whole: str, line: str) -> None:
    content = f"{whole}\nx = 1\n"
    assert written(content, [f" {line}", *CHANGE]) == f"{whole}\nx = 3\n"
    assert placed(content, [f" {line}", *CHANGE]).likeness == (Likeness.CUT, Likeness.EXACT)


@pytest.mark.parametrize(
    ("whole", "line"),
    [
        pytest.param("Zabcdefghi", "abcdefghi", id="nine characters"),
        pytest.param("Z abcdefghi", "    abcdefghi", id="nine characters after trimming"),
        pytest.param("x" + "\u00e9" * 9, "\u00e9" * 9, id="nine characters of two bytes"),
        pytest.param("{'identity': 1", "'identity': 1", id="a bracket is missing"),
        pytest.param("// a whole comment", "a whole comment", id="a comment mark is missing"),
        pytest.param("Result = Compute(a, b);", "compute(A, B)", id="letter case differs"),
        pytest.param("- a whole item", "a whole item", id="a list mark is missing"),
        pytest.param("!is_allowed(user)", "is_allowed(user)", id="an operator is missing"),
        pytest.param("compute(alpha, beta) + 1", "compute(alpha, beta)", id="cut at the end"),
        pytest.param("r = compute(alpha, beta)", "compute(alpha, gamma)", id="another word"),
        pytest.param(
            "compute(alpha, beta)", "r = compute(alpha, beta)", id="the file's line is cut"
        ),
    ],
)
def test_a_line_that_is_not_truncated_at_the_start(whole: str, line: str) -> None:
    assert refused(f"{whole}\nx = 1\n", [f" {line}", *CHANGE]).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["-compute(alpha, beta)", "+compute()", " x = 1"], id="a removed line"),
        pytest.param([" compute(alpha, beta)", "+n"], id="no line in full"),
        pytest.param([" compute(alpha, beta)", " ", "+n"], id="only a blank line in full"),
        pytest.param([" compute(alpha, beta)", "-x = 2"], id="a line that differs"),
    ],
)
def test_a_truncated_line_needs_a_complete_line_beside_it(lines: list[str]) -> None:
    assert refused(CALL, lines).reason is Reason.NOT_FOUND


def test_a_truncated_line_beside_one_that_occurs_hundreds_of_times() -> None:
    blocks = "".join(f"result_{number} = compute({number})\n}}\n" for number in range(400))
    after = blocks.replace("(300)\n}\n", "(300)\n}\nn\n")
    assert written(blocks, [" _300 = compute(300)", " }", "+n"]) == after
    assert refused(blocks, [" _300 = compute(3)", " }", "+n"]).reason is Reason.NOT_FOUND


def test_a_truncated_line_does_not_match_at_a_stricter_tier() -> None:
    lines = [" compute(alpha, beta)", *CHANGE]
    assert placed(CALL, lines).tier is Tier.FUZZY
    assert refused(CALL, lines, Matching(Tier.RESILIENT)).reason is Reason.NOT_FOUND
    assert refused(CALL, lines, Matching(Tier.STRICT)).reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("  compute(alpha, beta)", id="resilient"),
        pytest.param("Compute(alpha, beta);", id="fuzzy"),
        pytest.param("compute(alpha, beta)\n", id="with a blank line left out"),
    ],
)
def test_a_complete_line_is_preferred_to_a_truncated_one(other: str) -> None:
    assert placed(f"{CALL}{other}\nx = 1\n", [" compute(alpha, beta)", *CHANGE]).start == 3


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(f"x\n{LONG}\nbeta\n", [f" {LONG}", "-beta", "+n", " end"], id="a line"),
        pytest.param(f"{LONG}\nbeta\n", [f" {LONG}", "-beta", "+n", " 1", " 2", " 3"], id="three"),
        pytest.param(
            f"{LONG}\nbeta\n", [f" {LONG}", "-beta", "+n", " ", " end"], id="after a blank line"
        ),
        pytest.param(
            f"beta\n{LONG}\n", [" beta", f"-{LONG}", "+n", " end"], id="a long removed line"
        ),
        pytest.param(
            f"end\n{LONG}\nb\n", [f" {LONG}", "-b", "+n", " end"], id="short, and elsewhere"
        ),
        pytest.param(f"{LONG}\nb\n", [f" {LONG}", "-b", "+n", " a long line"], id="nowhere"),
        pytest.param(
            "x\nbeta\n", [" x", "-beta", "+n", " end"], id="the whole file of short lines"
        ),
        pytest.param(
            "x\nif\nend\n", [" if", "-end", "+n", " done"], id="two short lines as written"
        ),
        pytest.param("beta\n", ["-beta", "+n", " end"], id="the whole file of one line"),
    ],
)
def test_context_past_the_end_of_the_file_is_dropped(content: str, lines: list[str]) -> None:
    kept = content.splitlines(keepends=True)[:-1]
    assert written(content, lines) == "".join(kept) + "n\n"
    assert "past the end of the file" in placed(content, lines).repairs[-1]


@pytest.mark.parametrize("end", ["end", "}", "# the end"])
def test_context_past_the_end_may_come_after_an_added_line(end: str) -> None:
    assert written(f"{LONG}\nb\n", [f" {LONG}", " b", "+c", f" {end}"]) == f"{LONG}\nb\nc\n"


def test_a_line_without_a_prefix_after_an_added_one_may_be_added() -> None:
    lines = tuple(Line(Prefix(prefix), b"abc"[at : at + 1]) for at, prefix in enumerate("  +"))
    for has_prefix, kind in ((True, Placement), (False, Failure)):
        hunk = Hunk((*lines, Line(Prefix.CONTEXT, b"end", has_prefix=has_prefix)))
        (verdict,) = locate_hunks([hunk], Text([b"a", b"b"]))
        assert isinstance(verdict, kind)


@pytest.mark.parametrize("context", [[" new"], [" new", " old"]])
@pytest.mark.parametrize("after", ["", "c\n"])
def test_a_line_below_a_removed_one_may_have_lost_its_sign(after: str, context: list[str]) -> None:
    failure = refused(f"{LONG}\nb\n{after}", [f" {LONG}", "-b", *context])
    assert failure.reason is Reason.NOT_FOUND
    assert failure.hint is Hint.MAY_REPLACE


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(
            f"{LONG}\nb\n", [f" {LONG}", "-b", "+n", " 1", " 2", " 3", " 4"], id="four lines"
        ),
        pytest.param(f"{LONG}\nb\n", [f" {LONG}", "-b", "-end"], id="a removed line"),
        pytest.param(f"{LONG}\nb\n", [f" {LONG}", "-b", "-end", " x"], id="a removed one before"),
        pytest.param(
            f"{LONG}\nb\n", [f" {LONG}", "-b", "+n", " end", "+x"], id="an addition after it"
        ),
        pytest.param(
            *(f"a long line\n{LONG}\nb\n", [f" {LONG}", "-b", "+n", " a long line"]),
            id="long, and elsewhere",
        ),
        pytest.param(
            f"x = 1\n{LONG}\nb\n", [f" {LONG}", "-b", "+n", " x = 1"], id="short, elsewhere"
        ),
        pytest.param(
            "x\n  if\nend\n", [" if", "-end", "+n", " done"], id="short lines, not as written"
        ),
        pytest.param(f"x\n{LONG}\n", [f"-{LONG}", "+n", " end"], id="carried by one long line"),
        pytest.param("x\nend\n", ["-end", "+n", " done"], id="carried by one short line"),
        pytest.param(f"{LONG}\nb\nx\n", [f" {LONG}", "-b", "+n", " end"], id="in the middle"),
        pytest.param(f"{LONG}\nc\n", [f" {LONG}", "-b", "+n", " end"], id="another line differs"),
        pytest.param(f"{LONG}\nB\n", [f" {LONG}", "-b", "+n", " end"], id="in its letter case"),
        pytest.param("a\n\t}\n}\n", [" \t}", " }", "+n", " gone"], id="closers carry nothing"),
        pytest.param(f"{LONG}\n}}\n", [f" {LONG}", "-}", "+n", " }"], id="a line once more"),
        pytest.param(f"{LONG}\nb\n", [f" {LONG}", " b", "+c", "   d"], id="deeper than one added"),
        pytest.param(f"{LONG}\nb\n", [f" {LONG}", "-b", "+c: [", " ]"], id="what one added opens"),
        pytest.param(f"{LONG}\nb\n", [f" {LONG}", "-b", "+c,", " d"], id="what one added joins"),
    ],
)
def test_context_past_the_end_that_is_not_dropped(content: str, lines: list[str]) -> None:
    assert refused(content, lines).reason is Reason.NOT_FOUND


def test_context_past_the_end_is_not_dropped_at_the_strict_tier() -> None:
    lines = [f" {LONG}", "-beta", "+n", " end"]
    failure = refused(f"{LONG}\nbeta\n", lines, Matching(Tier.STRICT))
    assert failure.reason is Reason.NOT_FOUND
