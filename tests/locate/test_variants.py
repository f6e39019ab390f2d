"""A slip that goes through all lines of a hunk is undone in the added lines, too (D90, D91)."""

from __future__ import annotations

from typing import Literal
from unicodedata import normalize

import pytest
from hunked import edited

from git_opatch.model.options import Matching, Tier
from git_opatch.model.sentences import Reason


@pytest.mark.parametrize(
    ("content", "hunk", "after"),
    [
        pytest.param(
            "if (a < b)\n  go();\n",
            [" if (a &lt; b)", "-  go();", "+  if (b &lt; c)"],
            "if (a < b)\n  if (b < c)\n",
            id="an entity",
        ),
        pytest.param(
            'x = a && "b" > c\n',
            ["-x = a &amp;&amp; &quot;b&quot; &gt; c", "+x = a &gt; &quot;b&quot;"],
            'x = a > "b"\n',
            id="several",
        ),
        pytest.param(
            "a &lt; & b\n",
            ["-a &amp;lt; &amp; b", "+b &amp;lt; &amp; a"],
            "b &lt; & a\n",
            id="an entity of the file",
        ),
        pytest.param("it's\n", ["-it&#39;s", "+isn&#39;t"], "isn't\n", id="a number"),
        pytest.param(
            'say("x");\n',
            ['-say(\\"x\\");', '+say(\\"y\\");'],
            'say("y");\n',
            id="a string of JSON",
        ),
        pytest.param(
            'say("x\\n");\n',
            ['-say(\\"x\\\\n\\");', '+say(\\"y\\\\n\\");'],
            'say("y\\n");\n',
            id="a string of JSON with a backslash",
        ),
        pytest.param(
            'say("x\\n");\n',
            ['-say(\\"x\\n\\");', '+say(\\"y\\n\\");'],
            'say("y\\n");\n',
            id="quotes alone",
        ),
        pytest.param("echo $A\n", ["-echo \\$A", "+echo \\$B"], "echo $B\n", id="of a shell"),
        pytest.param("a < b\nc\n", [" a &lt; b", "-c"], "a < b\n", id="nothing added"),
    ],
)
def test_what_was_escaped_in_all_lines_is_unescaped(
    content: str, hunk: list[str], after: str
) -> None:
    result = edited(f"top\n{content}end\n", hunk)
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == f"top\n{after}end\n"
    (placement,) = result.placements
    assert placement.repairs[0].startswith("its lines were escaped: ")
    assert not placement.exact


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param("a < b\n", ["-a &lt; b", "+a &amp; b"], id="another entity is added"),
        pytest.param("a < b\n", ["-a &lt; b", "+b < a"], id="one is added as it is"),
        pytest.param("a < b\n<p>\n", [" a &lt; b", "-<p>", "+<a>"], id="one is shown as it is"),
        pytest.param("a < b\n", ["-a &amp;lt; b", "+b &amp;lt; a"], id="escaped twice"),
        pytest.param("A < b\n", ["-a &lt; b", "+b &lt; a"], id="another difference"),
        pytest.param("it's\n", ["-it&#39;s", "+isn&apos;t"], id="two spellings"),
        pytest.param('"x"\n', ['-\\"x\\"', '+\\"y\\\\"'], id="a backslash more"),
        pytest.param('"x"\n', ['-\\"x\\"', '+"y"'], id="quotes as they are"),
    ],
)
def test_what_was_not_escaped_alike_is_not_found(content: str, hunk: list[str]) -> None:
    result = edited(f"top\n{content}end\n", hunk)
    (failure,) = result.failures
    assert failure.reason is Reason.NOT_FOUND
    assert result.content.text.to_bytes().decode() == f"top\n{content}end\n"


def test_what_was_escaped_at_two_positions_is_ambiguous() -> None:
    (failure,) = edited("a < b\nc\na < b\n", ["-a &lt; b", "+b &lt; a"]).failures
    assert (failure.reason, failure.positions) == (Reason.AMBIGUOUS, (0, 2))


def test_lines_that_the_file_has_as_written_keep_their_entities() -> None:
    result = edited("a &lt; b\na < b\n", ["-a &lt; b", "+b &lt; a"])
    assert result.failures == []
    assert result.content.text.to_bytes() == b"b &lt; a\na < b\n"


def test_a_loose_match_of_the_lines_as_written_keeps_their_entities() -> None:
    result = edited("  a &lt; b\na < b\n", ["-a &lt; b", "+b &lt; a"])
    assert result.failures == []
    assert result.content.text.to_bytes() == b"  b &lt; a\na < b\n"


def test_no_variant_where_only_the_loose_tiers_would_have_found_the_hunk() -> None:
    strict = Matching(Tier.STRICT)
    result = edited("  a &lt; b\na < b\n", ["-a &lt; b", "+b &lt; a"], matching=strict)
    assert [failure.reason for failure in result.failures] == [Reason.NOT_FOUND]


def test_an_escaped_change_that_is_there_is_already_applied() -> None:
    result = edited("a < b\nc > d\n", [" a &lt; b", "-x &gt; y", "+c &gt; d"])
    assert [failure.reason for failure in result.failures] == [Reason.ALREADY_APPLIED]


def test_the_anchor_is_unescaped_too() -> None:
    hunk = ["@@ class A&lt;T&gt;:", "-    x = 1", "+    x = 2"]
    content = "class A<T>:\n    x = 1 < 2\nclass B:\n    x = 1 < 2\n"
    result = edited(content, [hunk[0], "-    x = 1 &lt; 2", "+    x = 3"])
    assert result.content.text.to_bytes().decode() == content.replace("x = 1 < 2", "x = 3", 1)
    result = edited("class A<T>:\n    x = 1 < 2\n", [hunk[0], "-    x = 1 &lt; 2", "+    x = 3"])
    assert result.failures == []
    assert result.placements[0].notes == ()


@pytest.mark.parametrize(("in_file", "in_patch"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_accented_letters_in_the_other_form_follow_the_file(
    in_file: Literal["NFC", "NFD"], in_patch: Literal["NFC", "NFD"]
) -> None:
    hunk = [normalize(in_patch, line) for line in (" déjà", "-été", "+forêt")]
    result = edited(normalize(in_file, "déjà\nété\n"), hunk)
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == normalize(in_file, "déjà\nforêt\n")


def test_accented_letters_in_both_forms_are_not_found() -> None:
    hunk = [" déjà", "-" + normalize("NFD", "été"), "+forêt"]
    result = edited(normalize("NFC", "déjà\nété\n"), hunk)
    assert [failure.reason for failure in result.failures] == [Reason.NOT_FOUND]


LISTED = "a\n  b\n\nc\nd\n"


@pytest.mark.parametrize(
    ("hunk", "after"),
    [
        pytest.param([" 2 |   b", " 3 |", "-4 | c", "+4 | e"], "a\n  b\n\ne\nd\n", id="a bar"),
        pytest.param([" 2|  b", " ", "-4|c", "+4|e"], "a\n  b\n\ne\nd\n", id="a bar alone"),
        pytest.param(["     2\t  b", "      3\t", "-     4\tc"], "a\n  b\n\nd\n", id="a tab"),
        pytest.param([" 2:   b", " 3:", "-4: c", "+e"], "a\n  b\n\ne\nd\n", id="old lines alone"),
        pytest.param([" 2:  b", "+3:x", " 3:"], "a\n  b\nx\n\nc\nd\n", id="a colon alone"),
        pytest.param(
            ["   2\u2192  b", "   3\u2192", "-  4\u2192c"], "a\n  b\n\nd\n", id="an arrow"
        ),
        pytest.param(["-4: c", "+4: e", "+5: f"], "a\n  b\n\ne\nf\nd\n", id="one old line"),
        pytest.param([" 14: c", "-15: d"], "a\n  b\n\nc\n", id="all off by as much"),
        pytest.param(["-4: c", "+5: e", " 5: d"], "a\n  b\n\ne\nd\n", id="counted on"),
        pytest.param(["-4: c", "+5: e", "+5: f"], "a\n  b\n\ne\nf\nd\n", id="the same for two"),
    ],
)
def test_copied_line_numbers_are_taken_off(hunk: list[str], after: str) -> None:
    applied = edited(LISTED, hunk)
    assert not applied.failures
    assert applied.content.text.to_bytes().decode() == after
    assert applied.placements[0].repairs == ("its lines had line numbers in front",)


def test_a_copied_number_tells_equal_lines_apart() -> None:
    applied = edited("x\ny\nx\ny\n", [" 3: x", "-4: y", "+4: z"])
    assert applied.content.text.to_bytes() == b"x\ny\nx\nz\n"


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param([" 4: c", "-6: d"], id="the numbers do not count on"),
        pytest.param([" 4: c", "-d"], id="a line without"),
        pytest.param(["-3: c", "+3: e"], id="one old line, another number"),
        pytest.param([" 4: c", "-5: d", "+5: e", "+f"], id="an added line without"),
        pytest.param([" 4: c", "-5: d", "+9: e"], id="an added line with another number"),
        pytest.param([" 4: c", "-5: d", "+3: e"], id="an added line with one before the hunk"),
        pytest.param([" 4: c", "-5: d", "+6: e", "+5: f"], id="added lines that count back"),
        pytest.param([" 4: c", "-5| d"], id="two ways"),
        pytest.param([" 0: c", "-1: d"], id="no line has this number"),
    ],
)
def test_a_number_that_contradicts_is_refused(hunk: list[str]) -> None:
    applied = edited(LISTED, hunk)
    assert [failure.reason for failure in applied.failures] == [Reason.NOT_FOUND]


def test_numbers_that_the_file_has_are_content() -> None:
    content = "1: a\n2: b\n"
    applied = edited(content, ["-2: b", "+2: c"])
    assert applied.content.text.to_bytes() == b"1: a\n2: c\n"
