"""What a refusal says of a hunk whose lines are not in the file."""

from __future__ import annotations

import pytest
from documents import asked
from parameters import named
from phrases import opening, said
from sandbox import Sandbox
from writers import envelope

from git_opatch import Matching, Options, Refused, Tier, apply_to_text, plan_in_memory
from git_opatch.model.sentences import Detail, Difference, Fault, Hint
from git_opatch.report.draw import plain
from git_opatch.report.refusal import failure_lines, refusal_text


def message(content: str, hunk: list[str]) -> str:
    patch = "\n".join(["*** Update File: notes.txt", "@@", *hunk, ""])
    plan = plan_in_memory(envelope(patch.encode()), {"notes.txt": content.encode()})
    assert plan.failures
    return "\n".join(map(plain, failure_lines(plan.failures)))


@named(
    "content, hunk, rows",
    {
        "another line differs": (
            "a\nb\nc\n",
            [" a", "-x", " c"],
            """\
= 1  a
file 2  b
patch 5 -x
= 3  c""",
        ),
        "lines left out below a line that may be another": (
            "a\nx\nb\nx\nc\n",
            [" a", "-x", " c"],
            """\
= 1  a
file 2  x
file 3  b
= 4 -x
= 5  c""",
        ),
        "lines left out above a line that may be another": (
            "a()\nx\ny\nc()\nz\nc()\n",
            [" a()", "-c()"],
            """\
= 1  a()
file 2  x
file 3  y
= 4 -c()
5  z
6  c()""",
        ),
        "a line that could be any": (
            "one\n}\n{\n}\nx\n",
            [" one", " {", "-gone"],
            """\
= 1  one
file 2  }
= 3  {
file 4  }
patch 6 -gone
5  x""",
        ),
        "a blank line that the file has": (
            "one\n\ntwo\n\nend\n",
            [" ", " zwei", " ", "-end", "+fin"],
            """\
1  one
= 2
file 3  two
patch 5  zwei
= 4
= 5 -end""",
        ),
        "a line that the file does not have": (
            "def a(self):\n    self.x = []\n\ndef b(self, y):\n    self.x.go(y)\n",
            [" def b(self, y):", "     # go", "-    self.x.go(y)", "+    pass"],
            """\
2      self.x = []
3
= 4  def b(self, y):
nowhere 5      # go
= 5 -    self.x.go(y)""",
        ),
        "before the file": (
            "b\nc\nd\n",
            [" a", " b", "-c", " d"],
            """\
nowhere 4  a
= 1  b
= 2 -c
= 3  d""",
        ),
        "what is tolerated in context is a difference beside one that is not": (
            "first\nsecond\nthird\n",
            ["   first \u00a0", "-SECOND = 2", " third"],
            """\
file 1  first
file 2  second
patch 4    first \\xa0   <- typography or punctuation differs
patch 5 -SECOND = 2
= 3  third""",
        ),
        "of lines much like the hunk's, the ones that are together": (
            "result = call(this, one)\n" + "x\n" * 40 + "result = call(that, one)\ntry:\n"
            "    done.append(result)\nend\n",
            ["-response = call(that, two)", " try:", "-    done.append(response)"],
            """\
40  x
41  x
file 42  result = call(that, one)
patch  4 -response = call(that, two)
= 43  try:
file 44      done.append(result)
patch  6 -    done.append(response)
45  end""",
        ),
        "of places alike, the one near which all lines are": (
            "x\ny\nreturn\ndef a():\n    z\n    w\nreturn\n",
            [" def a():", " # x", "-return"],
            """\
2  y
3  return
= 4  def a():
nowhere 5  # x   <- like line 1: `x`
file 5      z
file 6      w
= 7 -return""",
        ),
    },
)
def test_a_hunk_is_laid_over_the_file(content: str, hunk: list[str], rows: str) -> None:
    lines = message(content, hunk).splitlines()
    shown = [" ".join(line.split(" ")).strip() for line in lines if line.startswith("    ")]
    assert "\n".join(shown) == rows


def test_lines_that_are_elsewhere_have_their_numbers() -> None:
    content = "def a():\n    one(1)\n    end(1)\n" + "pass\n" * 60 + "    two(2)\n    two(2)\n"
    text = message(content, [" def a():", "-    two(2)", "-    three()", " one(1)", " end(1)"])
    assert "patch 5 -    two(2)   <- lines 64, 65\n" in text
    assert "nowhere 6 -    three()\n" in text


def test_a_line_that_is_nowhere_is_shown_with_one_like_it() -> None:
    content = "def a():\n    one(1)\n    end(1)\n" + "pass\n" * 60 + "    if value is True:\n"
    text = message(content, [" def a():", "-    if value == True:", " one(1)", " end(1)"])
    assert said(Detail.LIKE.sentence, at=64, text="if value is True:") in text


def test_where_fewer_than_half_of_the_lines_are_there_no_look_alike_is_drawn() -> None:
    content = "def first():\n    pass\n\n\ndef second(x):\n    end(x)\n" * 3
    text = message(content, [" ", "-nowhere at all", " end(x)", " neither here", " nor there"])
    assert Detail.CLOSEST.sentence not in text
    assert Detail.OUTLINE.sentence in text
    assert "<- lines 6, 12, 18\n" in text


def test_what_the_anchor_names_comes_before_what_is_alike() -> None:
    content = "def a():\n    x = 1\n\n\ndef b():\n    z = 1\n    w = 1\n"
    patch = "*** Update File: notes.txt\n@@ def a():\n     z = 2\n-    w = 1\n"
    plan = plan_in_memory(envelope(patch.encode()), {"notes.txt": content.encode()})
    text = "\n".join(map(plain, failure_lines(plan.failures)))
    named = text.index(said(Detail.NAMED.sentence, name="def a():", line=1))
    assert named < text.index(Detail.CLOSEST.sentence)
    assert plan.failures[0].advice == said(Fault.NOT_FOUND.advice, reread="lines 1-2")


def test_no_advice_leads_out_of_what_an_anchor_names() -> None:
    """The place elsewhere is only an alternative, behind the anchor's own lines."""
    content = "func A() {\n\ta(1)\n}\n\nfunc B() {\n\tb(2)\n}\n"
    for anchor, at in (("func A() {", 1), ("func B() {", 5)):
        old = "b(2)" if at == 1 else "a(1)"
        patch = f"*** Update File: a.go\n@@ {anchor}\n-\t{old}\n+\tc(3)\n"
        (failure,) = plan_in_memory(envelope(patch.encode()), {"a.go": content.encode()}).failures
        assert failure.hint is Hint.IN_NAMED
        assert failure.pictures[0].own[0] in range(at - 1, at + 1)


def test_the_lines_of_another_file_of_the_patch_are_named() -> None:
    patch = "*** Update File: a\n@@\n-total = sum(x)\n+y\n*** Update File: b\n@@\n-q\n+r\n"
    files = {"a": b"one\ntwo\n", "b": b"q\ntotal = sum(x)\n"}
    text = "\n".join(
        map(plain, failure_lines(plan_in_memory(envelope(patch.encode()), files).failures))
    )
    assert "<- in b:2\n" in text


def test_a_refusal_is_at_most_sixty_lines() -> None:
    content = "".join(f"def f{n}():\n    one({n})\n    two({n})\n\n" for n in range(100))
    hunks = [f"@@\n def f{n}():\n-    three({n})\n     two({n})" for n in range(100)]
    assert len(message(content, hunks).splitlines()) < 60


def test_a_hunk_that_changes_nothing_is_named_beside_one_that_is_refused() -> None:
    text = message("one\ntwo\n", ["-one", "+one", "@@", "-three", "+3"])
    assert said(Detail.IDLE.sentence, path="notes.txt", hunks="hunk 1") in text


def test_added_lines_that_the_file_has_are_named() -> None:
    content = "def a():\n    one(1)\n    two(2)\n    end(1)\n"
    hunk = [" def b():", "+    one(1)", "+    two(2)", "     end(1)"]
    words = {"which": "patch lines 5-6", "lines": "lines 2-3"}
    assert said(Detail.ADDED.sentence, **words) in message(content, hunk)
    assert Detail.ADDED.sentence[-20:] not in message(content, [*hunk[:2], *hunk[3:]])


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
    words = said(Difference.CHARACTER.sentence, column=2, patch="a space", file="U+00A0")
    assert words in refusal_text(refused.value)


def test_whitespace_that_is_not_seen_is_named() -> None:
    with pytest.raises(Refused) as refused:
        apply_to_text(
            envelope(b"*** Update File: f\n@@\n-x \n+y\n"),
            {"f": "x\n"},
            Options(matching=Matching(Tier.STRICT)),
        )
    assert f"patch 4 -x    <- {Difference.WHITESPACE_AT_END.sentence}\n" in refusal_text(
        refused.value
    )


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


def test_reversed_prefixes_are_mentioned() -> None:
    words = "the file has what the hunk adds, and not what it removes"
    assert words in message("a\nnew\nc\n", [" a", "-old", "+new", " x"])
    assert words not in message("a\nold\nc\n", [" a", "-old", "+new", " x"])
    assert words not in message("a\nnew\nc\n", [" a", "-old", "+newer", " x"])


def test_long_lines_are_shown_where_they_differ() -> None:
    long = "word " * 100
    text = message(f"x\n{long}left\ny\n", [" x", f"-{long}right", " y", "+z"])
    there, expected = (line for line in text.splitlines() if "\u2026" in line)
    assert expected.endswith(" word right")
    assert there.endswith(" word left")


def test_a_document_has_the_new_lines_that_are_there_loosely(repo: Sandbox) -> None:
    repo.commit({"f.txt": "line 1\ntwo\n  Two more.\nline 3\n"})
    hunk = b"@@\n line 1\n-line 2\n+two\n+Two more.\n line 3\n"
    repo.write(".git/p", envelope(b"*** Update File: f.txt\n" + hunk))
    (failure,) = asked(repo, "apply", ".git/p")["failures"]
    assert (failure["reason"], failure["candidates"]) == ("already_applied", [2])
    assert (failure["file_line"], failure["patch_line"]) == (3, 7)
    assert [each["mark"] for each in failure["lines"]] == ["there", "there", "other", "there"]


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
    assert failure.picture is not None
    assert failure.picture.first is not None
    assert (failure.number, failure.picture.first.position) == (5, 1)
    note = opening(expected.sentence) * (expected is not Difference.TEXT)
    assert failure.picture.first.note.startswith(note)


@named(
    "content, line, is_part",
    {
        "a part of a line": ("run(timeout = 2)\n", "timeout = 2", True),
        "a part in brackets": ("run((timeout))\n", "(timeout)", True),
        "a part that ends in a word": ("timeout = 25\n", "timeout = 2", False),
        "a part that begins in a word": ("a_timeout = 2\n", "timeout = 2", False),
    },
)
def test_a_part_of_a_line_is_one_of_whole_words(content: str, line: str, is_part: bool) -> None:
    hint = said(Hint.PART_OF_LINE.sentence, line=line, at=1)
    assert (hint in message(content, [f"-{line}", "+x"])) is is_part
