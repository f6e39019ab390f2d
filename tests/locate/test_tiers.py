"""How loosely two lines may differ at each tier, and which tier decides."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch.locate import locate_hunks
from git_opatch.locate.likeness import likeness_of
from git_opatch.model.failure import Failure
from git_opatch.model.line_forms import key_of, resilient, spaced_once, typographic
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.placement import Likeness, Placement
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text

NO_BREAK = "\u00a0"
# Characters that the tiers treat specially, and letters whose case is special.
_line = st.text(
    st.sampled_from("aB \t#`.:;!?-*'\"\u2019\u201c\u2014\u2026\u00a0\u0130\u00c9\u03a3")
)


def locate(
    content: str, *lines: str, at: str = "", matching: Matching | None = None
) -> Placement | Failure:
    hunk_lines = tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines)
    hunk = Hunk(hunk_lines, (Anchor(at.encode()),) if at else ())
    text = Text.from_bytes(content.encode())
    in_document = (matching or Matching())._replace(path="notes.txt")
    (verdict,) = locate_hunks([hunk], text, in_document)
    return verdict


def placed(content: str, *lines: str, at: str = "") -> tuple[int, Tier]:
    verdict = locate(content, *lines, at=at)
    assert isinstance(verdict, Placement)
    return verdict.start, verdict.tier


def refused(content: str, *lines: str, at: str = "", matching: Matching | None = None) -> Failure:
    verdict = locate(content, *lines, at=at, matching=matching)
    assert isinstance(verdict, Failure)
    return verdict


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("a", "a  ", id="spaces at the end"),
        pytest.param("a", "    a", id="spaces in front"),
        pytest.param("\ta", "        a", id="a tab for spaces in front"),
        pytest.param("a b", "a   b", id="a run of spaces inside"),
        pytest.param("a b", "a\tb", id="a tab inside"),
        pytest.param("", " \t ", id="nothing and spaces"),
        pytest.param("# Title", "### Title", id="headings of two levels"),
        pytest.param("# Title", "######   Title ", id="a heading with more spaces"),
        pytest.param("  ## Title", "# Title", id="a heading with spaces in front"),
    ],
)
def test_resilient_lines_are_the_same(left: str, right: str) -> None:
    assert resilient(left.encode()) == resilient(right.encode())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("a", "b", id="another word"),
        pytest.param("ab", "a b", id="a space and none"),
        pytest.param("f(x)", "f( x )", id="spaces within brackets"),
        pytest.param("a", "A", id="letter case"),
        pytest.param("# Title", "# title", id="the case of a heading"),
        pytest.param("# x = 1", "x = 1", id="a heading and none"),
        pytest.param("#Title", "# Title", id="a mark without its space"),
        pytest.param("####### Title", "# Title", id="a mark too many"),
        pytest.param("# Title #", "# Title", id="a mark at the end"),
        pytest.param("a.", "a", id="punctuation"),
        pytest.param("`a`", "a", id="backticks"),
        pytest.param(f"a{NO_BREAK}b", "a b", id="a space that does not break"),
    ],
)
def test_resilient_lines_differ(left: str, right: str) -> None:
    assert resilient(left.encode()) != resilient(right.encode())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("Hello World", "hello WORLD", id="letter case"),
        pytest.param("caf\u00c9", "CAF\u00e9", id="the case of other letters"),
        pytest.param("call `run` now", "call run now", id="backticks"),
        pytest.param("say \u201ca\u201d", 'say "a"', id="double quotes"),
        pytest.param("don\u2019t", "don't", id="an apostrophe"),
        pytest.param("a \u2013 b \u2014 c", "a - b - c", id="dashes"),
        pytest.param("1 \u2212 2", "1 - 2", id="a minus sign"),
        pytest.param(f"a{NO_BREAK}b", "a b", id="a space that does not break"),
        pytest.param("wait \u2026 there", "wait ... there", id="an ellipsis"),
        pytest.param("A sentence.", "A sentence", id="a full stop"),
        pytest.param("x = 1;", "x = 1", id="a semicolon"),
        pytest.param("one,", "one", id="a comma"),
        pytest.param("else:", "else", id="a colon"),
        pytest.param("'a'", '"a"', id="other quotes"),
        pytest.param("Really?!", "really", id="a question and an exclamation mark"),
        pytest.param("## Title.", "# TITLE", id="a heading with a full stop"),
    ],
)
def test_fuzzy_lines_are_the_same(left: str, right: str) -> None:
    assert key_of(left.encode()) == key_of(right.encode())
    assert resilient(left.encode()) != resilient(right.encode())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("Hello world", "hello there", id="another word"),
        pytest.param("hello", "hallo", id="another letter"),
        pytest.param("b() ||", "b()", id="an operator at the end"),
        pytest.param("f(", "f", id="a bracket at the end"),
        pytest.param("x = y +", "x = y", id="a plus at the end"),
        pytest.param("a *", "a", id="a star at the end"),
        pytest.param("'a'", "a", id="quotes"),
        pytest.param("a == b", "a != b", id="another operator"),
        pytest.param("a.b", "ab", id="punctuation inside"),
        pytest.param(".a", "a", id="punctuation in front"),
        pytest.param("# x = 1", "x = 1", id="a heading and none"),
        pytest.param("x_1", "x-1", id="an underscore"),
        pytest.param("...", "", id="punctuation alone and nothing"),
        pytest.param("```", "", id="backticks alone and nothing"),
        pytest.param(";", ".", id="another punctuation alone"),
    ],
)
def test_fuzzy_lines_differ(left: str, right: str) -> None:
    assert key_of(left.encode()) != key_of(right.encode())


@pytest.mark.parametrize("line", [";", "...", ":", "```", "` . `", NO_BREAK])
def test_a_line_of_punctuation_is_not_a_blank_line(line: str) -> None:
    assert key_of(line.encode()) != b""


def test_undecodable_bytes_are_compared_verbatim() -> None:
    assert key_of(b"A \xff\xfe B.") == key_of(b"a  \xff\xfe b") != key_of(b"a \xfe\xff b")


@given(_line, _line)
def test_each_tier_includes_the_tier_before(left: str, right: str) -> None:
    forms = (bytes, resilient, typographic, key_of)
    same = [form(left.encode()) == form(right.encode()) for form in forms]
    assert same == sorted(same)


@given(_line)
def test_equal_at_one_tier_is_equal_at_the_next(line: str) -> None:
    spaced = f" {line}".replace(" ", " \t ").encode()
    assert resilient(spaced) == resilient(line.encode())
    assert key_of(spaced) == key_of(line.encode())
    assert key_of(f"{line}x.".encode()) == key_of(f"{line}X".encode())


@given(_line)
def test_resilient_normalization_is_idempotent(line: str) -> None:
    assert resilient(resilient(line.encode())) == resilient(line.encode())
    assert key_of(resilient(line.encode())) == key_of(line.encode())


@given(_line.map(lambda line: line.replace("#", "")))
def test_fuzzy_normalization_is_idempotent(line: str) -> None:
    assert key_of(key_of(line.encode())) == key_of(line.encode())


@pytest.mark.parametrize(
    ("line", "found", "expected"),
    [
        pytest.param("  a", "  a", Likeness.EXACT, id="nothing"),
        pytest.param("a", "\ta", Likeness.INDENTATION, id="the indentation"),
        pytest.param("a", "a ", Likeness.WHITESPACE, id="a space at the end"),
        pytest.param("a b", "  a  b", Likeness.WHITESPACE, id="spaces inside and in front"),
        pytest.param("# a", "## a", Likeness.HEADING_LEVEL, id="the level of a heading"),
        pytest.param("a", " A", Likeness.CASE, id="letter case"),
        pytest.param("\u00e9", "\u00c9", Likeness.CASE, id="the case of another letter"),
        pytest.param("a", "A.", Likeness.TEXT, id="punctuation"),
        pytest.param("'a'", "\u2018a\u2019", Likeness.TEXT, id="quotes"),
        pytest.param("a", "`a`", Likeness.TEXT, id="backticks"),
        pytest.param("the end of it", "not the end of it", None, id="the beginning"),
    ],
)
def test_the_difference_between_two_lines_is_named(
    line: str, found: str, expected: Likeness | None
) -> None:
    assert likeness_of(line.encode(), found.encode()) is expected


@pytest.mark.parametrize(
    ("content", "lines", "start", "tier"),
    [
        pytest.param("  a\na\n", ["-a"], 1, Tier.STRICT, id="strict before resilient"),
        pytest.param("A\na\n", ["-a"], 1, Tier.STRICT, id="strict before fuzzy"),
        pytest.param("A\n  a\n", ["-a"], 1, Tier.RESILIENT, id="resilient before fuzzy"),
        pytest.param("# a\nA\n", ["-### a"], 0, Tier.RESILIENT, id="a heading"),
        pytest.param("b\nA.\n", ["-a"], 1, Tier.FUZZY, id="fuzzy"),
        pytest.param("a\nb  c\nd\n", [" a", "-b c", " d"], 0, Tier.RESILIENT, id="a removed line"),
        pytest.param("a\nB;\nc\n", [" a", "-b", " c"], 0, Tier.FUZZY, id="a removed line, fuzzy"),
        pytest.param("a\nB\na\nb \n", ["-a", "-b"], 2, Tier.RESILIENT, id="two lines"),
    ],
)
def test_the_strictest_tier_decides(content: str, lines: list[str], start: int, tier: Tier) -> None:
    assert placed(content, *lines) == (start, tier)


def test_candidates_are_disambiguated_at_the_resilient_tier_only() -> None:
    content = "def one():\n  {}\ndef two():\n  {}\n"
    again = ["-go now", "+go later"]
    exact = content.format("go now", "go now")
    assert placed(exact, *again, at="def two():") == (3, Tier.RESILIENT)
    failure = refused(content.format("Go now", "GO now"), *again, at="def two():")
    assert (failure.fault, failure.positions) == (Fault.AMBIGUOUS_LOOSELY, (1, 3))


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("a\nb\nc\n", [" a", "-x", " c"], id="another word"),
        pytest.param("if a == b:\n", ["-if a != b:"], id="another operator"),
        pytest.param("x = 10\n", ["-x = 1"], id="another number"),
        pytest.param("f(a)\n", ["-f(a, b)"], id="another argument"),
        pytest.param("a\nx\nb\n", [" a", "+n", " b"], id="a line between"),
        pytest.param("GO\nGO\n", ["-ho"], id="another letter"),
    ],
)
def test_stale_text_is_refused_at_every_tier(content: str, lines: list[str], tier: Tier) -> None:
    failure = refused(content, *lines, matching=Matching(tier))
    assert failure.reason is Reason.NOT_FOUND


@pytest.mark.parametrize("seed", range(20))
def test_a_long_line_is_compared_like_a_short_one(seed: int) -> None:
    pieces = random.Random(seed).choices([b"ab", b" ", b"  ", b"\t", b"\v\f", b"\r", b"# "], k=9000)
    line = b"".join(pieces)
    assert len(line) > 8192
    assert spaced_once(line) == b" ".join(line.split())


def test_a_long_line_takes_little_memory() -> None:
    line = b"word  " * 200_000 + b"end"
    tracemalloc.start()
    try:
        form = resilient(line)
        assert tracemalloc.get_traced_memory()[1] < 6 * len(line)
    finally:
        tracemalloc.stop()
    assert form == b"word " * 200_000 + b"end"


def test_a_line_that_is_in_its_form_is_not_copied() -> None:
    line = b"a line"
    assert resilient(line) is line
