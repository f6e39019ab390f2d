"""The user chooses how loosely hunks are matched, and every report shows the result."""

from __future__ import annotations

import shutil

import pytest
from phrases import opening, said
from sandbox import Ran, Sandbox
from writers import envelope

from git_opatch import Matching, Options, Refused, Tier, apply_to_text
from git_opatch.model.sentences import Difference, Fault

_CODE = "def one():\n    a = 1\n    b = 2\n    return a + b\n\n\ndef two():\n    a = 1\n    c = 3\n"
_NARROW = b" def one():\n-  a = 1\n+  a = 10\n   b = 2\n"  # two spaces for four
_NO_BREAK = b" def\xc2\xa0one():\n-    a = 1\n+    a = 10\n"
_TWICE = b"-    a = 1\n+    a = 10\n"  # lines 2 and 8


def _patch(hunk: bytes) -> bytes:
    return envelope(b"*** Update File: f.py\n@@\n" + hunk)


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f.py": _CODE})
    return repo


def _check_output(ran: Ran, status: int, *expected: str) -> None:
    assert ran.status == status, ran
    for text in expected:
        assert text in ran.out.decode() + ran.err, ran


def _check_refusal(repo: Sandbox, words: tuple[str, ...], patch: bytes, *expected: str) -> None:
    before = repo.state()
    ran = repo.opatch(*words, feed=patch)
    _check_output(ran, 1, *expected, "nothing was changed")
    assert (ran.out, repo.state()) == (b"", before)


@pytest.mark.parametrize(
    ("hunk", "loosest", "refused"),
    [
        pytest.param(_NARROW, "resilient", ["strict"], id="indentation"),
        pytest.param(_NO_BREAK, "fuzzy", ["strict", "resilient"], id="typography"),
    ],
)
@pytest.mark.parametrize("command", ["apply", "convert"])
def test_the_match_option_sets_the_loosest_tier(
    base: Sandbox, command: str, hunk: bytes, loosest: str, refused: list[str]
) -> None:
    for tier in refused:
        _check_refusal(base, (command, "--match", tier), _patch(hunk), "f.py: hunk 1 of 1 ")
    ran = base.opatch(command, "--match", loosest, feed=_patch(hunk))
    assert ran.status == 0, ran.err
    if command == "convert":
        assert b"\n-    a = 1\n+    a = 10\n" in ran.out
    else:
        assert base.read("f.py") == _CODE.replace("1\n", "10\n", 1).encode()


@pytest.mark.parametrize("command", ["apply", "convert"])
def test_match_can_be_configured_and_the_option_overrides_it(base: Sandbox, command: str) -> None:
    base.git("config", "opatch.match", "strict")
    _check_refusal(base, (command,), _patch(_NARROW), opening(Fault.NOT_FOUND.sentence))
    base.git("config", "opatch.match", "fuzzy")
    _check_refusal(
        base, (command, "--match", "strict"), _patch(_NARROW), opening(Fault.NOT_FOUND.sentence)
    )
    base.git("config", "opatch.match", "strict")
    assert base.opatch(command, "--match", "resilient", feed=_patch(_NARROW)).status == 0


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("opatch.match", "opatch.match is `odd`; use strict, resilient or fuzzy"),
        ("opatch.ambiguous", "opatch.ambiguous is `odd`; use refuse or nearest"),
        (
            "opatch.proximity",
            "opatch.proximity is not a setting any more: the limit is 100 lines; unset it",
        ),
    ],
)
@pytest.mark.parametrize("command", ["apply", "convert"])
def test_an_invalid_configuration_is_refused(
    base: Sandbox, command: str, key: str, expected: str
) -> None:
    base.git("config", key, "odd")
    ran = base.opatch(command, feed=_patch(_NARROW))
    assert (ran.status, ran.out, ran.err) == (129, b"", f"error: {expected}\n")


@pytest.mark.parametrize(("option", "value"), [("--match", "odd"), ("--ambiguous", "odd")])
@pytest.mark.parametrize("command", ["apply", "convert"])
def test_an_invalid_option_is_refused(base: Sandbox, command: str, option: str, value: str) -> None:
    before = base.state()
    ran = base.opatch(command, option, value, feed=_patch(_NARROW))
    _check_output(ran, 129, f"{option}: `{value}`")
    assert (ran.out, base.state()) == (b"", before)


@pytest.mark.parametrize("command", ["apply", "convert"])
def test_an_ambiguous_hunk_is_refused_unless_nearest_is_set(base: Sandbox, command: str) -> None:
    fits = f"hunk 1 of 1 {said(Fault.AMBIGUOUS.sentence, count=2, lines='lines 2, 8')}"
    _check_refusal(base, (command,), _patch(_TWICE), fits)
    _check_refusal(base, (command, "--ambiguous", "refuse"), _patch(_TWICE), fits)
    base.git("config", "opatch.ambiguous", "nearest")
    _check_refusal(base, (command, "--ambiguous", "refuse"), _patch(_TWICE), fits)
    ran = base.opatch(command, feed=_patch(_TWICE))
    assert ran.status == 0, ran.err
    base.git("config", "opatch.ambiguous", "refuse")
    base.git("reset", "--quiet", "--hard")
    again = base.opatch(command, "--ambiguous", "nearest", feed=_patch(_TWICE))
    assert (again.status, again.out.partition(b";")[0]) == (0, ran.out.partition(b";")[0])


def test_the_nearest_candidate_is_used_and_reported(base: Sandbox) -> None:
    ran = base.opatch("apply", "-v", "--ambiguous", "nearest", feed=_patch(_TWICE))
    _check_output(ran, 0, "hunk 1 of 1: line 2, strict (nearest of 2 candidates")
    assert base.read("f.py") == _CODE.replace("1\n", "10\n", 1).encode()


def test_nearest_counts_from_the_hunk_before(repo: Sandbox) -> None:
    repo.commit({"f.py": "x\n" + "gap\n" * 3 + "mark\n" + "x\n" + "gap\n" * 5 + "x\n"})
    hunk = b"-mark\n+MARK\n@@\n-x\n+y\n"
    ran = repo.opatch("apply", "-v", "--ambiguous", "nearest", feed=_patch(hunk))
    _check_output(ran, 0, "hunk 2 of 2: line 6, strict (nearest of 3 candidates")
    assert repo.read("f.py") == b"x\ngap\ngap\ngap\nMARK\ny\ngap\ngap\ngap\ngap\ngap\nx\n"


def test_nearest_counts_from_the_stated_line(repo: Sandbox) -> None:
    repo.commit({"f.py": ("gap\n" * 9 + "x\n") * 3})
    patch = b"--- a/f.py\n+++ b/f.py\n@@ -22 +22 @@\n-x\n+y\n"
    ran = repo.opatch("apply", "-v", "--ambiguous", "nearest", feed=patch)
    _check_output(ran, 0, "hunk 1 of 1: line 20, strict (nearest of 3 candidates")
    assert (
        repo.read("f.py") == b"gap\n" * 9 + b"x\n" + b"gap\n" * 9 + b"y\n" + b"gap\n" * 9 + b"x\n"
    )


@pytest.mark.parametrize(("above", "status"), [(100, 0), (101, 1)])
def test_loose_matches_are_limited(repo: Sandbox, above: int, status: int) -> None:
    """Without a hunk before, lines are counted from the start of the file."""
    block = "    x  =  1\n"
    repo.commit({"f.py": "fill\n" * above + block + "gap\n" * 300 + block})
    hunk = b"-    x = 1\n+    x = 3\n"
    ran = repo.opatch("apply", "-v", "--ambiguous", "nearest", feed=_patch(hunk))
    expected = (
        f"line {above + 1}, resilient (nearest of 2 candidates"
        if status == 0
        else f"{opening(Fault.AMBIGUOUS.sentence)} 2 positions"
    )
    _check_output(ran, status, expected)


def test_strict_matches_are_not_limited(repo: Sandbox) -> None:
    repo.commit({"f.py": "fill\n" * 300 + "x\n" + "gap\n" * 300 + "x\n"})
    ran = repo.opatch("apply", "-v", "--ambiguous", "nearest", feed=_patch(b"-x\n+y\n"))
    _check_output(ran, 0, "line 301, strict (nearest of 2 candidates")


@pytest.mark.parametrize("command", ["apply", "convert"])
def test_hooks_ignore_nearest(base: Sandbox, command: str) -> None:
    env = {"PRE_COMMIT": "1"}
    before = base.state()
    words = (command, "--ambiguous", "nearest")
    _check_output(base.opatch(*words, feed=_patch(_TWICE), env=env), 129, "not allowed in hooks")
    base.git("config", "opatch.ambiguous", "nearest")
    _check_output(base.opatch(command, feed=_patch(_TWICE), env=env), 129, "not allowed in hooks")
    assert base.state() == before
    words = (command, "--ambiguous", "refuse")
    assert base.opatch(*words, feed=_patch(_TWICE), env=env).status == 1
    assert base.opatch(*words, feed=_patch(_NARROW), env=env).status == 0


@pytest.mark.parametrize(
    ("content", "hunk", "expected"),
    [
        pytest.param("one\ntwo\n", b" one\n-two\n", "strict (unique)", id="nothing"),
        pytest.param("one\n    two\n    six\n", b" one\n-  two\n   six\n",
                     "resilient (unique); 2 lines differ in indentation", id="indentation"),
        pytest.param("one\ntwo  six\n", b" one\n-two six\n",
                     "resilient (unique); 1 line differs in whitespace", id="spaces"),
        pytest.param("## one\ntwo\n", b" # one\n-two\n",
                     "resilient (unique); 1 line differs in heading level", id="heading"),
        pytest.param("# One\ntwo\n", b" # one\n-two\n",
                     "fuzzy (unique); 1 line differs in letter case", id="letter case"),
        pytest.param("# one.\ntwo\n", b" # one\n-two\n",
                     "fuzzy (unique); 1 line differs in typography or punctuation", id="point"),
        pytest.param("  one\n  two  six\n", b" one\n-  two six\n", "resilient (unique); "
                     "1 line differs in indentation; 1 line differs in whitespace", id="two kinds"),
        pytest.param("one\ntwo\none\nsix\ntwo\n", b"-two\n+ten\n*** End of File\n",
                     "line 5, strict (end of file)", id="evidence"),
    ],
)  # fmt: skip
def test_the_match_of_a_hunk_is_reported(
    repo: Sandbox, content: str, hunk: bytes, expected: str
) -> None:
    """Report every hunk with -v; without it, note only those that match loosely."""
    repo.commit({"f.py": content})
    ran = repo.opatch("apply", "-v", "--check", feed=_patch(hunk))
    _check_output(ran, 0, expected + "\n")
    assert "hunk 1 of 1: line " in ran.out.decode()
    ran = repo.opatch("apply", "--check", feed=_patch(hunk))
    assert ("note: f.py: hunk 1 of 1: line 1, " in ran.err) == ("strict" not in expected)


@pytest.mark.parametrize(
    ("content", "hunk", "expected"),
    [
        pytest.param("a\nb  c\nc\n", b" a\n-b c\n", Difference.CHARACTER, id="spaces"),
        pytest.param("a\nb c\nc\n", b" a\n-bc\n", Difference.WHITESPACE, id="a space"),
        pytest.param("a\nBee\nc\n", b" a\n-bee\n", Difference.CASE, id="letter case"),
        pytest.param("a\nbee\r\nc\n", b" a\n-bee\n", Difference.LINE_ENDINGS, id="endings"),
        pytest.param(
            "a\nbee\nc\n", b" a\n-\xef\xbb\xbfbee\n", Difference.BYTE_ORDER_MARK, id="bom"
        ),
        pytest.param("a\nbee\nc\n", b" a\n-boo\n", Difference.TEXT, id="text"),
    ],
)
def test_a_refusal_knows_the_difference(content: str, hunk: bytes, expected: Difference) -> None:
    options = Options(matching=Matching(Tier.STRICT))
    with pytest.raises(Refused) as raised:
        apply_to_text(_patch(hunk), {"f.py": content}, options)
    (failure,) = raised.value.failures
    assert failure.closest is not None
    assert (failure.number, failure.closest.position) == (5, 1)
    assert [at for at, _ in failure.closest.around] == [0, 1, 2]
    assert failure.closest.difference is expected


def test_no_report_of_a_hunk_is_longer_than_fifteen_lines(repo: Sandbox) -> None:
    repo.commit({"f.py": "".join(f"line {number}\n" for number in range(400))})
    lines = "".join(f" line {number}\n" for number in range(100, 300))
    hunk = f"@@ def nowhere():\n@@ nor here\n line none\n{lines}-stale\n".encode()
    ran = repo.opatch("apply", feed=envelope(b"*** Update File: f.py\n" + 3 * hunk))
    assert ran.status == 1
    reports = ran.err.split("error: f.py: ")[1:]
    assert len(reports) == 3
    assert all(len(report.splitlines()) <= 15 for report in reports)


def test_reverse_is_never_matched_loosely(base: Sandbox) -> None:
    before = base.read("f.py")
    assert base.opatch("apply", feed=_patch(_NARROW)).status == 0
    shutil.rmtree(base.path / ".git/opatch/journal")  # it records what exactly was done
    base.git("config", "opatch.match", "fuzzy")
    for command in ("apply", "convert"):
        for words in ((), ("--match", "fuzzy"), ("--match", "resilient")):
            _check_refusal(base, (command, "-R", *words), _patch(_NARROW), "f.py: hunk 1 of 1 ")
            ran = base.opatch(command, "-R", *words, feed=_patch(_NARROW))
            assert "--match" not in ran.err
    assert base.opatch("apply", "-R", feed=_patch(_NARROW.replace(b"  ", b"    "))).status == 0
    assert base.read("f.py") == before
