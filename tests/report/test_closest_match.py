"""What a refusal says of a hunk whose lines are not in the file."""

from __future__ import annotations

import pytest
from documents import asked
from parameters import named
from phrases import said
from sandbox import Sandbox
from writers import envelope

from git_opatch import Matching, Options, Refused, Tier, apply_to_text, plan_in_memory
from git_opatch.model.sentences import Detail, Difference, Hint
from git_opatch.report.refusal import failure_lines, plain, refusal_text


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
= 2 -x
file 3  b
file 4  x
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
file 3  {
patch 5  {
patch 6 -gone
4  }
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
patch 5      # go
= 5 -    self.x.go(y)""",
        ),
        "before the file": (
            "b\nc\nd\n",
            [" a", " b", "-c", " d"],
            f"""\
patch 4  a   ({Difference.FILE_BEGINS.sentence})
= 1  b
= 2 -c
= 3  d""",
        ),
        "other whitespace in new lines that are there loosely": (
            "x\n  Hello\ny\n",
            ["-hello", "+Hello"],
            f"""\
1  x
file 2    Hello
patch 5 +Hello   ({Difference.WHITESPACE.sentence})
3  y""",
        ),
        "what is tolerated is not a difference": (
            "first\nsecond\nthird\n",
            ["   first \u00a0", "-SECOND = 2", " third"],
            """\
= 1  first
file 2  second
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
file 5      z
file 6      w
patch 5  # x
= 7 -return""",
        ),
    },
)
def test_a_hunk_is_laid_over_the_file(content: str, hunk: list[str], rows: str) -> None:
    lines = message(content, hunk).splitlines()
    shown = [" ".join(line.split(" ")).strip() for line in lines if line.startswith("    ")]
    assert "\n".join(shown) == rows


def test_lines_that_are_the_same_are_left_out_of_a_large_hunk() -> None:
    content = "".join(f"a {number}\n" for number in range(60))
    changed = {5: "-a 5", 30: " b 30", 31: " b 31", 32: " b 32"}
    text = message(content, [changed.get(n, f" a {n}") for n in range(60)])
    assert said(Detail.SAME.sentence, lines="lines 1-3") in text
    assert "file 31  a 30\n" in text
    assert said(Detail.SAME.sentence, lines="lines 35-60") in text
    assert len(text.splitlines()) < 26


def test_a_message_of_many_hunks_has_a_line_for_the_later_ones() -> None:
    content = "".join(f"def f{n}():\n    one({n})\n    two({n})\n\n" for n in range(100))
    hunks = [f"@@\n def f{n}():\n-    three({n})\n     two({n})" for n in range(100)]
    lines = message(content, hunks).splitlines()
    assert len(lines) < 60
    assert sum(line.startswith("  closest match") for line in lines) == 5
    assert lines[-1].startswith("and ")


def test_a_hunk_that_changes_nothing_is_named_beside_one_that_is_refused() -> None:
    text = message("one\ntwo\n", ["-one", "+one", "@@", "-three", "+3"])
    assert said(Detail.IDLE.sentence, path="notes.txt", hunk="hunk 1") in text


def test_lines_that_are_elsewhere_are_named() -> None:
    content = "def a():\n    one(1)\n    end(1)\n" + "pass\n" * 60 + "    two(2)\n    two(2)\n"
    text = message(content, [" def a():", "-    two(2)", "-    three()", " one(1)", " end(1)"])
    words = {"which": "patch line 5", "line": "two(2)", "lines": "lines 64, 65"}
    assert said(Detail.ELSEWHERE.sentence, **words) in text
    assert said(Detail.NOWHERE.sentence, which="patch line 6") in text


def test_a_line_that_is_nowhere_is_named_with_one_like_it() -> None:
    content = "def a():\n    one(1)\n    end(1)\n" + "pass\n" * 60 + "    if value is True:\n"
    hunk = [" def a():", "-    if value == True:", " one(1)", " end(1)"]
    words = {"which": "patch line 5", "line": "if value == True:", "lines": "line 64"}
    text = message(content, hunk)
    assert said(Detail.LIKE.sentence, **words, text="if value is True:") in text
    assert "          63  pass\n          64      if value is True:\n" in text


def test_added_lines_that_the_file_has_are_named() -> None:
    content = "def a():\n    one(1)\n    two(2)\n    end(1)\n"
    hunk = [" def b():", "+    one(1)", "+    two(2)", "     end(1)"]
    words = {"which": "patch line 5", "lines": "lines 2-3"}
    assert said(Detail.ADDED.sentence, **words) in message(content, hunk)
    assert Detail.ADDED.sentence[-20:] not in message(content, [*hunk[:2], *hunk[3:]])


def test_a_place_that_shares_only_blank_lines_is_not_shown() -> None:
    content = "one\n\n}\n" * 60
    text = message(content, [" ", "-nowhere at all", " }", " neither here"])
    assert "closest" not in text
    assert said(Detail.NOWHERE.sentence, which="`nowhere at all`, `neither here`") in text


def test_the_definition_of_the_lines_and_that_of_the_anchor_are_named() -> None:
    content = f"class A:\n    def a():\n        x\n\n\nclass B:\n    def a():\n{'        y' * 2}\n"
    patch = (
        "*** Update File: notes.txt\n@@ class A:\n@@ def a():\n         z\n-        v\n         w\n"
    )
    content += "        z\n        w\n"
    plan = plan_in_memory(envelope(patch.encode()), {"notes.txt": content.encode()})
    text = "\n".join(map(plain, failure_lines(plan.failures)))
    assert "notes.txt:9-10, in `def a():` (line 7)\n" in text
    assert said(Detail.NOT_IN_NAMED.sentence, name="class A:", lines="line 1") in text
    assert said(Hint.NOT_IN_NAMED.sentence, reread="lines 7-10", at=1) in text


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
    assert f"patch 4 -x    ({Difference.WHITESPACE_AT_END.sentence})\n" in refusal_text(
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
    words = "the file has its added lines, and not those that it removes"
    assert words in message("a\nnew\nc\n", [" a", "-old", "+new", " x"])
    assert words not in message("a\nold\nc\n", [" a", "-old", "+new", " x"])
    assert words not in message("a\nnew\nc\n", [" a", "-old", "+newer", " x"])


def test_long_lines_are_shown_where_they_differ() -> None:
    long = "word " * 100
    text = message(f"x\n{long}left\n", [f"-{long}right", "+z"])
    found, expected, *_ = (line for line in text.splitlines() if "\u2026" in line)
    assert expected.endswith(" word right")
    assert found.endswith(" word left")


_LINES = [f"line {number}" for number in range(9)]
_CONTENT = "".join(f"{line}\n" for line in _LINES)


def _hunk_with(*changed: int) -> list[str]:
    lines = [f" other {n}" if n in changed else f" {line}" for n, line in enumerate(_LINES)]
    return [*lines, "+new"]


def test_a_document_has_each_line_that_differs(repo: Sandbox) -> None:
    repo.commit({"f": _CONTENT})
    text = "\n".join(["@@", *_hunk_with(2, 5)])
    repo.write(".git/p", envelope(f"*** Update File: f\n{text}\n".encode()))
    (failure,) = asked(repo, "apply", ".git/p")["failures"]
    assert (failure["file_line"], failure["expected"], failure["found"]) == (3, "other 2", "line 2")
    others = [each for each in failure["lines"] if each["mark"] == "other"]
    assert [(each["line"], each["text"], each["patch"]["text"]) for each in others] == [
        (3, "line 2", "other 2"),
        (6, "line 5", "other 5"),
    ]
    assert [line["patch_line"] for line in failure["nowhere"]] == [6, 9]


def test_a_document_has_what_is_elsewhere_and_what_is_named(repo: Sandbox) -> None:
    """The lines around both are those of the file, as in the message."""
    code = "def f():\n    one = 1\n    two = 2\n\n\ndef g():\n    three = 3\n    four = 4\n"
    repo.commit({"f.py": code})
    hunk = b"@@ def f():\n-    three = 3\n+    three = 5\n     nowhere = 1\n"
    repo.write(".git/p", envelope(b"*** Update File: f.py\n" + hunk))
    (failure,) = asked(repo, "apply", ".git/p")["failures"]
    rows = code.splitlines()
    told = [*failure["elsewhere"], *filter(None, [failure["named"]])]
    assert [(each["text"], each["lines"]) for each in told] == [("def f():", [1])]
    around = [(line["line"], line["text"]) for each in told for line in each["around"]]
    assert around
    assert all(rows[line - 1] == text for line, text in around)


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
    assert failure.extent is not None
    assert failure.extent.first is not None
    assert (failure.number, failure.extent.first.position) == (5, 1)
    assert failure.extent.first.difference is expected


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
