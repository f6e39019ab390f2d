"""What a refusal says of a hunk whose lines are not in the file."""

from __future__ import annotations

import pytest
from documents import asked
from parameters import named
from phrases import opening, said
from sandbox import Sandbox
from writers import envelope

from git_opatch import Matching, Options, Refused, Tier, apply_to_text, plan_in_memory
from git_opatch.model.refusal import failure_lines, plain
from git_opatch.model.sentences import Difference


def message(content: str, hunk: list[str]) -> str:
    patch = "\n".join(["*** Update File: notes.txt", "@@", *hunk, ""])
    plan = plan_in_memory(envelope(patch.encode()), {"notes.txt": content.encode()})
    assert plan.failures
    return "\n".join(plain(failure_lines(plan.failures)))


@named(
    "content, hunk, words",
    {
        "another line differs": (
            "a\nb\nc\n",
            [" a", "-x", " c"],
            ":2; the text differs\n      1  a\n      2  b\n      3  c\n",
        ),
        "lines left out below a line that may be another": (
            "a\nx\nb\nx\nc\n",
            [" a", "-x", " c"],
            said(Difference.LEFT_OUT.sentence, between="lines 3-4"),
        ),
        "lines left out": (
            "a\nb\nq\nr\nc\nd\n",
            [" a", " b", "+n", " c", " d"],
            said(Difference.LEFT_OUT.sentence, between="lines 3-4"),
        ),
        "lines left out above a line that may be another": (
            "a()\nx\ny\nc()\nz\nc()\n",
            [" a()", "-c()"],
            said(Difference.LEFT_OUT.sentence, between="lines 2-3"),
        ),
        "lines left out above another difference": (
            "one\ntwo\nthree\nfour\n",
            [" one", " four", "-gone"],
            said(Difference.LEFT_OUT.sentence, between="lines 2-3"),
        ),
        "a line that could be any": (
            "one\n}\n{\n}\nx\n",
            [" one", " {", "-gone"],
            ":2; the text differs\n      1  one\n      2  }\n      3  {\n",
        ),
    },
)
def test_the_first_difference_is_where_lines_were_left_out(
    content: str, hunk: list[str], words: str
) -> None:
    assert words in message(content, hunk)


_METHODS = """\
class Cart:
    def a(self):
        self.x = []

    def b(self, y):
        self.x.go(y)
"""


@named(
    "hunk, expected, words",
    {
        "one line": (
            [" def b(self, y):", "     # go", "-    self.x.go(y)"],
            "    # go",
            "does not have 1 of the patch's lines",
        ),
        "two lines": (
            [" def b(self, y):", "     if not y:", "         return", "-    self.x.go(y)"],
            "    if not y:",
            "does not have 2 of the patch's lines",
        ),
        "removed lines": (
            [" def b(self, y):", "-    if not y:", "-        return", "     self.x.go(y)"],
            "    if not y:",
            "does not have 2 of the patch's lines",
        ),
        "the first of two": (
            [" def a(self):", "     # x", "     self.x = []", " ", "     # b", "-def b(self, y):"],
            "    # x",
            "does not have 1 of the patch's lines",
        ),
    },
)
def test_lines_that_the_file_does_not_have_are_named(
    hunk: list[str], expected: str, words: str
) -> None:
    deeper = [f"{line[0]}    {line[1:]}" if line[1:] else line for line in hunk]
    text = message(_METHODS, [*deeper, "+    pass"])
    assert f"expects\n          {expected}\n" in text
    assert words in text


def test_what_differs_below_lines_that_the_file_does_not_have_is_shown() -> None:
    hunk = [" a 1", " more", " a 2", " a 3", " b 4", " a 5", "-a 6"]
    text = message("a 1\na 2\na 3\na 4\na 5\na 6\n", hunk)
    assert "expects\n      more\n" in text
    assert "expects\n      b 4\n  notes.txt:4 has\n      a 4\n" in text


@named(
    "found, expected, words",
    {
        "no width": (
            "fo\u200bo",
            "foo",
            said(Difference.CHARACTER.sentence, column=3, patch="U+006F (o)", file="U+200B"),
        ),
        "Cyrillic": (
            "f\u043eo",
            "foo",
            said(Difference.CHARACTER.sentence, column=2, patch="U+006F (o)", file="U+043E"),
        ),
        "another normal form": (
            "cafe\u0301",
            "caf\u00e9",
            said(Difference.CHARACTER.sentence, column=4, patch="U+00E9 (é)", file="U+0065 (e)"),
        ),
    },
)
def test_characters_that_look_alike_are_named(found: str, expected: str, words: str) -> None:
    assert words in message(f"x\n{found}\ny\n", [" x", f"-{expected}", " nowhere"])


def test_an_unusual_space_is_named_at_the_strict_tier() -> None:
    with pytest.raises(Refused) as refused:
        apply_to_text(
            envelope(b"*** Update File: f\n@@\n x\n-a b\n"),
            {"f": "x\na\u00a0b\ny\n"},
            Options(matching=Matching(Tier.STRICT)),
        )
    assert said(Difference.CHARACTER.sentence, column=2, patch="a space", file="U+00A0") in str(
        refused.value
    )


@pytest.mark.parametrize("tolerated", ["first  ", "  first", "first \u00a0"])
def test_what_is_tolerated_is_not_called_the_difference(tolerated: str) -> None:
    text = message("first\nsecond\nthird\n", [f" {tolerated}", "-SECOND = 2", " third"])
    assert "expects\n      SECOND = 2\n" in text
    assert ":2; the text differs\n" in text


def test_whitespace_that_is_not_seen_is_named() -> None:
    with pytest.raises(Refused) as refused:
        apply_to_text(
            envelope(b"*** Update File: f\n@@\n-x \n+y\n"),
            {"f": "x\n"},
            Options(matching=Matching(Tier.STRICT)),
        )
    assert f"f:1; {Difference.WHITESPACE_AT_END.sentence}\n" in str(refused.value)


_GREET = 'import sys\n\n\ndef greet(name):\n    """Greet."""\n\n    return "Hello " + name\n'


@named(
    "above",
    {
        "one": [" "],
        "two": [" ", " "],
        "spaces": ["     ", " "],
        "below a line": [" import sys", " ", " "],
    },
)
@pytest.mark.parametrize("between", [" ", "     "])
def test_a_blank_line_that_the_file_has_is_not_the_difference(
    above: list[str], between: str
) -> None:
    hunk = [*above, " def greet(name):", '     """Greet."""', between, '-    return "Hi " + name']
    text = message(_GREET, [*hunk, '+    return "Hey " + name'])
    assert (
        'expects\n          return "Hi " + name\n  closest match, notes.txt:7; the text differs\n'
        in text
    )
    assert text.count("expects") == 1


def test_below_a_blank_line_that_the_file_has_the_line_that_differs_is_shown() -> None:
    text = message("one\n\ntwo\n\nend\n", [" ", " zwei", " ", "-end", "+fin"])
    assert "expects\n      zwei\n  closest match, notes.txt:3; the text differs\n" in text


def test_a_hunk_that_begins_before_the_file_says_so() -> None:
    text = message("b\nc\nd\n", [" a", " b", "-c", " d"])
    assert "expects\n      a\n  closest match, notes.txt:1; the file begins after this" in text


@named(
    "found, expected",
    {
        "another letter": ("caf\u00e9", "cafe"),
        "another Cyrillic letter": ("f\u043eo", "fao"),
        "ASCII": ("bar", "baz"),
    },
)
def test_characters_that_do_not_look_alike_are_not_named(found: str, expected: str) -> None:
    assert "U+" not in message(f"x\n{found}\ny\n", [" x", f"-{expected}", " nowhere"])


def test_of_places_alike_the_one_near_which_all_lines_are_is_shown() -> None:
    content = "x\ny\nreturn\ndef a():\n    z\n    w\nreturn\n"
    shown = message(content, [" def a():", " # x", "-return"])
    assert ":5; the text differs\n      4  def a():\n      5      z\n" in shown


def test_reversed_prefixes_are_mentioned() -> None:
    words = f"{opening(Difference.LEFT_OUT.sentence)} the added lines and not the removed ones"
    assert words in message("a\nnew\nc\n", [" a", "-old", "+new", " x"])
    assert words not in message("a\nold\nc\n", [" a", "-old", "+new", " x"])
    assert words not in message("a\nnew\nc\n", [" a", "-old", "+newer", " x"])


def test_long_lines_are_shown_where_they_differ() -> None:
    long = "word " * 100
    text = message(f"x\n{long}left\n", [f"-{long}right", "+z"])
    expected, found = (line for line in text.splitlines() if "\u2026" in line)
    assert expected.endswith(" word right")
    assert found.endswith(" word left")


def test_a_loose_match_of_the_new_lines_shows_both() -> None:
    text = message("x\n  Hello\ny\n", ["-hello", "+Hello"])
    assert "adds\n      Hello\n  closest match, notes.txt:2; " in text
    assert "\n      1  x\n      2    Hello\n" in text


def test_of_a_loose_match_the_line_that_differs_is_shown() -> None:
    text = message("one\nline ten.\nend\n", [" one", "-line 10.", "+Line TEN.", " end"])
    where = f"closest match, notes.txt:2; {Difference.CASE.sentence}\n"
    assert f"adds\n      Line TEN.\n  {where}" in text
    kept = message("One\n  b\n", [" one", "-a", "+  b"])
    assert "expects\n      one\n  closest match, notes.txt:1; " in kept


_LINES = [f"line {number}" for number in range(9)]
_CONTENT = "".join(f"{line}\n" for line in _LINES)


def _hunk_with(*changed: int) -> list[str]:
    lines = [f" other {n}" if n in changed else f" {line}" for n, line in enumerate(_LINES)]
    return [*lines, "+new"]


def test_each_line_that_differs_is_shown() -> None:
    text = message(_CONTENT, _hunk_with(2, 5))
    assert ":3; the text differs\n      2  line 1\n      3  line 2\n      4  line 3\n" in text
    assert "expects\n      other 5\n  notes.txt:6 has\n      line 5\n" in text
    assert text.count("expects") == 2


def test_only_some_lines_that_differ_are_shown() -> None:
    content = "".join(f"a {number}\n" for number in range(20))
    lines = [f" b {n}" if 3 <= n < 10 else f" a {n}" for n in range(20)]
    text = message(content, [*lines, "+new"])
    assert text.count("expects") == 5
    assert "\n      a 7\n  and 2 more lines differ\n" in text


def test_lines_are_not_compared_where_most_of_them_differ() -> None:
    assert message(_CONTENT, _hunk_with(1, 3, 5, 7, 8)).count("expects") == 1


def test_lines_left_out_are_not_called_different() -> None:
    assert message("a\nx\nb\nx\nc\n", [" a", "-x", " c"]).count("expects") == 1


def test_what_is_tolerated_is_not_shown_as_a_difference() -> None:
    lines = _hunk_with(2, 5)
    lines[7] += "  "
    assert message(_CONTENT, lines).count("expects") == 2
    assert message(_CONTENT, lines).count("line 7") == 0


def test_a_document_has_each_line_that_differs(repo: Sandbox) -> None:
    repo.commit({"f": _CONTENT})
    text = "\n".join(["@@", *_hunk_with(2, 5)])
    repo.write(".git/p", envelope(f"*** Update File: f\n{text}\n".encode()))
    (failure,) = asked(repo, "apply", ".git/p")["failures"]
    assert (failure["file_line"], failure["expected"], failure["found"]) == (3, "other 2", "line 2")
    assert failure["other_differences"] == [
        {"patch_line": 9, "file_line": 6, "expected": "other 5", "found": "line 5"}
    ]


def test_a_document_has_the_first_new_line_and_the_one_that_differs(repo: Sandbox) -> None:
    hunk = b"@@\n line 1\n-line 2\n+two\n+Two more.\n line 3\n"
    for content, line, differs in (
        ("line 1\ntwo\nTwo more.\nline 3\n", 2, 2),
        ("line 1\ntwo\ntwo more.\nline 3\n", 2, 3),
    ):
        repo.commit({"f.txt": content})
        repo.write(".git/p", envelope(b"*** Update File: f.txt\n" + hunk))
        (failure,) = asked(repo, "apply", ".git/p")["failures"]
        assert (failure["reason"], failure["candidates"]) == ("already_applied", [line])
        assert failure["file_line"] == differs


@named(
    "content, hunk, expected",
    {
        "spaces": ("a\nb  c\nc\n", b" a\n-b c\n", Difference.CHARACTER),
        "a space": ("a\nb c\nc\n", b" a\n-bc\n", Difference.WHITESPACE),
        "letter case": ("a\nBee\nc\n", b" a\n-bee\n", Difference.CASE),
        "endings": ("a\nbee\r\nc\n", b" a\n-bee\n", Difference.LINE_ENDINGS),
        "text": ("a\nbee\nc\n", b" a\n-boo\n", Difference.TEXT),
        "bom": ("a\nbee\nc\n", b" a\n-\xef\xbb\xbfbee\n", Difference.BYTE_ORDER_MARK),
    },
)
def test_a_refusal_knows_the_difference(content: str, hunk: bytes, expected: Difference) -> None:
    patch, strict = (
        envelope(b"*** Update File: f\n@@\n" + hunk),
        Options(matching=Matching(Tier.STRICT)),
    )
    with pytest.raises(Refused) as refused:
        apply_to_text(patch, {"f": content}, strict)
    (failure,) = refused.value.failures
    assert failure.closest is not None
    assert (failure.number, failure.closest.position) == (5, 1)
    assert failure.closest.difference is expected
