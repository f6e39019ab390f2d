"""Prefixes that are written twice: `--x` for `-x`, where the literal reading does not match."""

from __future__ import annotations

import pytest
from sandbox import Sandbox

from git_opatch import apply_to_text
from git_opatch.complete.edits import apply_edits, edits_of
from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Reason
from git_opatch.model.text import Text

FILE = "a\nx = 1\nb\n"


def locate(content: str, lines: list[str], tier: Tier = Tier.FUZZY) -> Placement | Failure:
    hunk = Hunk(tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines))
    text = Text.from_bytes(content.encode())
    (verdict,) = locate_hunks([hunk], text, Matching(tier, path="notes.txt"))
    return verdict


def written(content: str, lines: list[str], tier: Tier = Tier.FUZZY) -> str:
    verdict = locate(content, lines, tier)
    assert isinstance(verdict, Placement)
    text = Text.from_bytes(content.encode())
    return apply_edits(text, list(edits_of(verdict, text))).to_bytes().decode()


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(FILE, ["--x = 1", "++x = 2"], "a\nx = 2\nb\n", id="a line for another"),
        pytest.param(FILE, [" a", "--x = 1", "++y", " b"], "a\ny\nb\n", id="with context"),
        pytest.param(FILE, ["--x = 1"], "a\nb\n", id="a line removed"),
        pytest.param(FILE, ["--x = 1", "++", "++c"], "a\n\nc\nb\n", id="an empty line added"),
        pytest.param(" p\nq\n", ["-- p", "++ r"], " r\nq\n", id="a space after the prefixes"),
        pytest.param("-p\nq\n", ["---p", "++r"], "r\nq\n", id="a mark that is content"),
        pytest.param("-- p\nq\n", ["---- p", "++-- r"], "-- r\nq\n", id="a comment in SQL"),
        pytest.param("i\nq\n", ["--i", "+++i;"], "+i;\nq\n", id="what is added has one more"),
    ],
)
def test_doubled_prefixes_are_read_as_single(content: str, lines: list[str], after: str) -> None:
    for tier in Tier:
        verdict = locate(content, lines, tier)
        assert isinstance(verdict, Placement)
        assert (verdict.tier, verdict.exact) == (Tier.STRICT, False)
        assert verdict.repairs == (
            "its prefixes were doubled: `--` was read as `-` and `++` as `+`",
        )
        assert written(content, lines, tier) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("- p\nq\n", ["-- p", "+- r"], "- r\nq\n", id="an item of a list"),
        pytest.param("- p\n p\n", ["-- p", "++ r"], "+ r\n p\n", id="both readings match"),
        pytest.param("-- p\n- p\n", ["--- p", "++- r"], "+- r\n- p\n", id="a comment in SQL"),
        pytest.param("--i;\ni;\n", ["---i;", "+++i;"], "++i;\ni;\n", id="a decrement"),
        pytest.param("+w\na\nb\n", [" a", "++x"], "+w\na\n+x\nb\n", id="only added lines"),
        pytest.param("+a\n", ["++x"], "+a\n+x\n", id="no line to find"),
        pytest.param("-  p\n p\n", ["-- p", "++ r"], "+ r\n p\n", id="other spaces"),
        pytest.param("- P\n p\n", ["-- p", "++ r"], "+ r\n p\n", id="another letter case"),
    ],
)
def test_a_literal_reading_that_matches_is_preferred(
    content: str, lines: list[str], after: str
) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize("content", ["\t- p\n p\n", "- P\n p\n"])
def test_a_literal_reading_at_a_looser_tier_is_respected(content: str) -> None:
    verdict = locate(content, ["-- p", "++ r"], Tier.STRICT)
    assert isinstance(verdict, Failure)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(FILE, ["--x = 1", "+y"], id="only what is removed"),
        pytest.param(FILE, ["-x = 2", "++x = 1"], id="only what is added"),
        pytest.param(FILE, ["--x = 1", "++y", "+"], id="an empty line has one mark"),
        pytest.param(FILE, ["--x = 1", "--b", "-c"], id="one of several"),
        pytest.param(FILE, ["-+x = 1", "+-y"], id="the other mark"),
        pytest.param(FILE, [" c", "--x = 1", "++y"], id="context that does not match"),
        pytest.param("P\n", ["--p", "++r"], id="another letter case"),
        pytest.param("p;\n", ["--p", "++r"], id="punctuation"),
        pytest.param("p\n", ["--p", "++r", " e"], id="context past the end"),
    ],
)
def test_prefixes_that_are_not_reduced(content: str, lines: list[str]) -> None:
    for tier in Tier:
        verdict = locate(content, lines, tier)
        assert isinstance(verdict, Failure)
        assert verdict.reason is Reason.NOT_FOUND


@pytest.mark.parametrize(
    ("content", "lines", "reason"),
    [
        pytest.param("p\nq\np\n", ["--p", "++r"], Reason.AMBIGUOUS, id="two places"),
        pytest.param("p\n\nq\n", ["--p", "--q", "++r"], Reason.UNCLEAR, id="a blank line left out"),
    ],
)
def test_what_is_not_certain_without_doubled_prefixes_is_refused(
    content: str, lines: list[str], reason: Reason
) -> None:
    verdict = locate(content, lines)
    assert isinstance(verdict, Failure)
    assert verdict.reason is reason


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("p\n", ["-- p", "++ r"], "r\n", id="a space that the file lacks"),
        pytest.param("\tp\n", ["--p", "++r"], "\tr\n", id="indented otherwise"),
    ],
)
def test_whitespace_may_differ_besides(content: str, lines: list[str], after: str) -> None:
    assert written(content, lines) == after


def test_an_anchor_chooses_between_two_candidates() -> None:
    lines = (Line(Prefix.REMOVED, b"-p"), Line(Prefix.ADDED, b"+r"))
    text = Text.from_bytes(b"def f():\np\ndef g():\np\n")
    (verdict,) = locate_hunks([Hunk(lines, (Anchor(b"def g():"),))], text)
    assert isinstance(verdict, Placement)
    assert verdict.start == 3


def test_a_change_already_applied_without_doubled_prefixes_is_detected() -> None:
    verdict = locate("a\ny\nb\n", [" a", "--x = 1", "++y", " b"])
    assert isinstance(verdict, Failure)
    assert (verdict.reason, verdict.positions) == (Reason.ALREADY_APPLIED, (1,))


def test_other_hunks_of_the_file_are_read_independently() -> None:
    first = Hunk((Line(Prefix.REMOVED, b"-p"), Line(Prefix.ADDED, b"+r")), ordinal=1)
    second = Hunk((Line(Prefix.REMOVED, b"- q"), Line(Prefix.ADDED, b"+ s")), ordinal=2)
    text = Text.from_bytes(b"p\n- q\n")
    found = locate_hunks([first, second], text)
    edits = [
        edit
        for verdict in found
        if isinstance(verdict, Placement)
        for edit in edits_of(verdict, text)
    ]
    assert apply_edits(text, edits).to_bytes() == b"r\n+ s\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_doubled_patch_is_applied_and_undone(repo: Sandbox, ending: str) -> None:
    before = f"a{ending}x = 1{ending}b{ending}"
    repo.commit({"f": before})
    lines = ("*** Begin Patch", "*** Update File: f", "@@", "--x = 1", "++x = 2", "*** End Patch")
    text = "\n".join(lines).encode()
    ran = repo.opatch("apply", feed=text)
    assert ran.status == 0
    assert "f: hunk 1 of 1: line 2, strict (unique); its prefixes were doubled" in ran.err
    assert repo.read("f") == before.replace("1", "2").encode()
    assert repo.opatch("apply", feed=text).status == 1
    assert repo.opatch("apply", "-R", feed=text).status == 0
    assert repo.read("f") == before.encode()


def test_doubled_prefixes_in_one_hunk_may_be_below_another_hunk_that_comes_later() -> None:
    hunks = "@@\n a = 1\n--b = 2\n++b = 3\n c = 9\n@@\n c = 3\n-d = 4\n+d = 5\n e = 6\n"
    patch = f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"
    content = "c = 3\nd = 4\ne = 6\na = 1\nb = 2\nc = 9\n"
    after = content.replace("d = 4", "d = 5").replace("b = 2", "b = 3")
    assert apply_to_text(patch, {"f": content}) == {"f": after}
