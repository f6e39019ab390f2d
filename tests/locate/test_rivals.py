"""A short hunk that matches exactly may be meant elsewhere; the evidence that decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Reason
from git_opatch.model.text import Text

RUBY = "def a\n  if b\n    c\n  end\nend\n"
SCRIPT = "f(() => {\n  g(() => {\n    h();\n  })\n})\n"


def hunk(*lines: str, at: str = "", start: int | None = None, new: int | None = None) -> Hunk:
    hunk_lines = tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines)
    return Hunk(hunk_lines, (Anchor(at.encode()),) if at else (), start, new)


def locate(content: str, *hunks: Hunk, tier: Tier = Tier.FUZZY) -> list[Placement | Failure]:
    last = len(hunks)
    numbered = [
        replace(hunk, ordinal=number, is_last=number == last)
        for number, hunk in enumerate(hunks, 1)
    ]
    return locate_hunks(numbered, Text.from_bytes(content.encode()), Matching(tier))


def placed(content: str, *hunks: Hunk, tier: Tier = Tier.FUZZY) -> list[tuple[int, str]]:
    verdicts = locate(content, *hunks, tier=tier)
    assert not [verdict for verdict in verdicts if isinstance(verdict, Failure)]
    return [
        (verdict.start, verdict.evidence.value)
        for verdict in verdicts
        if isinstance(verdict, Placement)
    ]


def ambiguous(content: str, *hunks: Hunk) -> tuple[int, ...]:
    (failure,) = [result for result in locate(content, *hunks) if isinstance(result, Failure)]
    assert failure.reason is Reason.AMBIGUOUS
    return failure.positions


@pytest.mark.parametrize(
    ("content", "lines", "places"),
    [
        pytest.param(RUBY, [" end", "+new"], (3, 4), id="a word"),
        pytest.param(SCRIPT, [" })", "+new"], (3, 4), id="brackets"),
        pytest.param(RUBY, ["+new", " end"], (3, 4), id="an addition before it"),
        pytest.param("  }\n  end\nx\n}\nend\n", [" }", " end", "+new"], (0, 3), id="two closers"),
        pytest.param("}\nx\n\t}\n", [" }", "+new"], (0, 2), id="deeper by a tab"),
        pytest.param("  }\nx\n    }\n", ["   }", "+  new"], (0, 2), id="twice as deep"),
        pytest.param("    }\nx\n\t}\n", ["     }", "+    new"], (0, 2), id="a tab for four spaces"),
        pytest.param("  }\n  x\n}\nx\n", [" }", "-x", "+new"], (0, 2), id="a line removed"),
    ],
)
def test_a_short_addition_that_may_be_meant_elsewhere_is_ambiguous(
    content: str, lines: list[str], places: tuple[int, ...]
) -> None:
    assert ambiguous(content, hunk(*lines)) == places
    assert len(placed(content, hunk(*lines), tier=Tier.STRICT)) == 1


@pytest.mark.parametrize(
    ("content", "lines", "start"),
    [
        pytest.param("end\nx\nEND\n", [" end", "+new"], 0, id="another letter case"),
        pytest.param("  a\nx\n  a \n", ["   a", "+new"], 0, id="a space at the end"),
        pytest.param("a\n  \nb\na\n\nb\n", [" a", " ", "-b"], 3, id="a line of spaces"),
        pytest.param("  end\nx\nend\n", ["-end", "+new"], 2, id="it has no context"),
        pytest.param("}\nx\n};\n", [" }", "+new"], 0, id="another punctuation"),
        pytest.param("END\nX\nend\nx\n", [" end", "-x", "+new"], 2, id="it removes a line"),
        pytest.param("    }\n  }\nx\n}\n}\n", [" }", " }", "+new"], 3, id="two shifts"),
        pytest.param("  }\nx\n      }\n", ["   }", "+  new"], 0, id="three times as deep"),
        pytest.param("   }\nx\n\t}\n", ["    }", "+   new"], 0, id="a tab for three spaces"),
        pytest.param(
            *("  d\n  c\n  b\n  a\nx\nd\nc\nb\na\n", [" d", " c", " b", " a", "+new"], 5),
            id="four lines",
        ),
        pytest.param(
            *("A\nB\nC\nD\nx\na\nb\nc\nd\n", [" a", " b", " c", " d", "+n"], 5),
            id="four words",
        ),
    ],
)
def test_a_hunk_with_enough_context_is_unique(content: str, lines: list[str], start: int) -> None:
    assert placed(content, hunk(*lines)) == [(start, "unique")]


def test_an_anchor_does_not_exclude_a_loose_rival() -> None:
    content = "def a\n  if b\n  end\nend\n\ndef c\nend\n"
    assert ambiguous(content, hunk(" end", "+new")) == (2, 3, 6)
    assert placed(content, hunk(" end", "+new", at="def c")) == [(6, "anchor")]


def test_a_loose_rival_is_never_chosen() -> None:
    content = "end\nx\ndef a\n  if b\n  end\n"
    assert ambiguous(content, hunk(" end", "+new", at="def a")) == (0, 4)


ASSIGN = ["     alpha = f(1)", "-    y = 2", "+    y = 3"]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(
            *("alpha = f(1)\n y = 2\nz\n  alpha = f(1)\n  y = 2\n", [" alpha = f(1)", "-y = 2"]),
            id="the other lost a prefix",
        ),
        pytest.param(
            *(
                "  alpha = f(1)\n y = 2\nz\n    alpha = f(1)\n    y = 2\n",
                ["   alpha = f(1)", "-  y = 2"],
            ),
            id="the other is twice as deep",
        ),
        pytest.param(
            *(
                "    alpha = f(1)\n y = 2\nz\n\talpha = f(1)\n\ty = 2\n",
                ["     alpha = f(1)", "-    y = 2"],
            ),
            id="the other has tabs",
        ),
        pytest.param(
            *("alpha = f(1)\ny  = 2\nz\nalpha  = f(1)\ny = 2\n", [" alpha = f(1)", "-y = 2"]),
            id="as many match exactly",
        ),
        pytest.param(
            *("alpha  = f(1)\ny  = 2\nz\nalpha  = f(1)\ny  = 2\n", [" alpha = f(1)", "-y = 2"]),
            id="none matches exactly",
        ),
        pytest.param(
            "    alpha = f(1)\n    y  = 2\nz\n    alpha  = f(1)\n    y  = 2\n",
            ASSIGN,
            id="one does",
        ),
    ],
)
def test_lines_that_match_exactly_do_not_decide(content: str, lines: list[str]) -> None:
    assert ambiguous(content, hunk(*lines)) == (0, 3)


TWICE = "h\nx\na\nx\nb\n"
X = ["-x", "+y"]


@pytest.mark.parametrize(
    "hunks",
    [
        pytest.param([hunk(*X, start=3)], id="no number in the new file"),
        pytest.param([hunk(*X, start=3, new=3)], id="the same number in both"),
        pytest.param([hunk(" h", "+i", start=0, new=0), hunk(*X, start=3, new=4)], id="one added"),
        pytest.param([hunk("-h", start=0, new=0), hunk(*X, start=3, new=2)], id="one removed"),
        pytest.param([hunk(*X, start=3, new=3), hunk("-b", "+c", start=4, new=4)], id="one after"),
        pytest.param([hunk(*X, start=3, new=3), hunk("-b", "+c")], id="another without numbers"),
    ],
)
def test_a_credible_number_decides(hunks: list[Hunk]) -> None:
    assert (3, "stated line number") in placed(TWICE, *hunks)


@pytest.mark.parametrize(
    "hunks",
    [
        pytest.param([hunk(*X, start=3, new=5)], id="the new number of the first hunk differs"),
        pytest.param([hunk(" h", "+i", start=0, new=0), hunk(*X, start=3, new=3)], id="not grown"),
        pytest.param([hunk("-h", "+i", start=0, new=0), hunk(*X, start=3, new=4)], id="grown"),
        pytest.param([hunk("-h", start=1, new=1), hunk(*X, start=3, new=2)], id="one is elsewhere"),
        pytest.param(
            [hunk(*X, start=3, new=3), hunk("-b", start=9, new=9)], id="one after is not there"
        ),
        pytest.param([hunk(*X, start=2, new=2)], id="no place is there"),
    ],
)
def test_a_number_that_is_not_credible_does_not_decide(hunks: list[Hunk]) -> None:
    assert ambiguous(TWICE, *hunks) == (1, 3)
