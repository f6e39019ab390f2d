"""Hunks that leave out lines of the file between those that they show."""

from __future__ import annotations

import cProfile

import pytest
from hunked import edited

from git_opatch import apply_to_text
from git_opatch.locate.gaps import stands_for_lines
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Line, Prefix
from git_opatch.model.sentences import Fault, Reason

FILE = """\
import os
import sys


class Reader:
    def open(self):
        self.check()
        self.state = 1
        return self

    def close(self):
        self.check_closed()
        self.state = 2
        return None
"""


def written(*hunks: list[str], content: str = FILE) -> str:
    applied = edited(content, *hunks)
    assert not applied.failures
    return applied.content.text.to_bytes().decode()


def refused(*hunks: list[str], content: str = FILE, matching: Matching | None = None) -> str:
    """Return which lines a hunk may not leave out; else that it does not match."""
    applied = edited(content, *hunks, matching=matching)
    assert [failure.reason for failure in applied.failures] == [Reason.NOT_FOUND]
    assert applied.content.text.to_bytes().decode() == content
    (failure, *_) = applied.failures
    return str(failure.values["left_out"]) if failure.fault is Fault.GAP else "does not match"


OPENED = FILE.replace("self.state = 1", "self.state = 3")
CHANGE = ["-        self.state = 1", "+        self.state = 3"]


@pytest.mark.parametrize(
    "marker",
    [
        pytest.param("...", id="dots"),
        pytest.param("        ...", id="indented dots"),
        pytest.param("    # ...", id="in a comment"),
        pytest.param("// ...", id="in another comment"),
        pytest.param("        # ... existing code ...", id="in words"),
        pytest.param("\u2026", id="an ellipsis"),
    ],
)
def test_lines_left_out_may_be_marked(marker: str) -> None:
    assert written([" class Reader:", f" {marker}", *CHANGE]) == OPENED
    assert written([" class Reader:", f" {marker}", *CHANGE, f" {marker}"]) == OPENED
    assert written([f" {marker}", *CHANGE, f" {marker}", "         return None"]) == OPENED


def test_lines_left_out_need_not_be_marked() -> None:
    applied = edited(FILE, ["     def open(self):", *CHANGE])
    assert applied.content.text.to_bytes().decode() == OPENED
    assert [found.repairs for found in applied.placements] == [("line 7 of the file left out",)]


def test_several_gaps_and_changes() -> None:
    hunk = [
        *(" import os", " ...", " class Reader:", " ...", *CHANGE, " ..."),
        *("         self.check_closed()", "+        self.flush()", " ..."),
        *("-        return None", "+        return 0"),
    ]
    after = OPENED.replace("check_closed()\n", "check_closed()\n        self.flush()\n")
    assert written(hunk) == after.replace("return None", "return 0")


def test_an_added_line_beside_a_marker_is_next_to_its_context() -> None:
    above = [" import sys", "+import re", " ...", "     def close(self):"]
    assert written(above) == FILE.replace("import sys\n", "import sys\nimport re\n")
    below = ["     def open(self):", "         ...", "+        self.log()", "         return self"]
    assert written(below) == FILE.replace(
        "        return self\n", "        self.log()\n        return self\n"
    )


def test_what_is_only_below_the_change_may_be_in_another_block() -> None:
    hunk = ["     def open(self):", "         self.check()", *CHANGE, "         return self"]
    assert written([*hunk, "         return None"]) == OPENED


CALLS = "start()\nif a:\n    b()\n\nif c:\n    d()\n    x = 1\n    e()\n"


def test_pieces_with_context_of_their_own_need_not_be_in_one_block() -> None:
    hunk = ["     b()", "     d()", "-    x = 1", "+    x = 2", "     e()"]
    assert written(hunk, content=CALLS) == CALLS.replace("x = 1", "x = 2")
    message = refused([*hunk[:1], *hunk[2:]], content=CALLS)  # the gap is beside the change
    assert message == "lines 4-6"


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param(["-start()", "+begin()", " if a:", "     d()", "     x = 1"], id="top"),
        pytest.param([" if a:", "     d()", "     x = 1", "-    e()", "+    f()"], id="end"),
    ],
)
def test_a_gap_below_a_line_that_opens_a_block_leads_out_of_it(hunk: list[str]) -> None:
    assert refused(hunk, content=CALLS) == "lines 3-5"
    longer = f"above()\n{CALLS}below()\n"
    assert refused(hunk, content=longer) != "does not match"


@pytest.mark.parametrize("blank", ["", "  "])
def test_below_blank_lines_alone_nothing_says_which_block_it_is(blank: str) -> None:
    message = refused([f"-{blank}", " end()", "+new()"], content=f"{blank}\nstart()\nend()\n")
    assert message == "does not match"


def test_a_heading_that_is_shown_names_what_the_next_piece_is_in() -> None:
    hunk = ["     def open(self):", "         self.check_closed()", "-        self.state = 2"]
    message = refused([*hunk, "+        self.state = 3", "         return None"])
    assert message == "lines 7-11"


def test_an_added_line_may_be_beside_a_gap_that_reads_like_the_context_between() -> None:
    end = "/// end\n/// rest\n"
    content = f"one\n///\n/// old\n///\n{end}---\n{end}"
    hunk = [" one", " ///", "+/// new", " /// end", " /// rest"]
    message = "lines 2-3"
    assert refused(hunk, content=content) == message
    assert refused(hunk, content=content.replace("///\n/// end", "\n/// end")) == "does not match"


def test_a_replacement_beside_a_gap_is_where_the_old_line_was() -> None:
    assert written(["     def open(self):", *CHANGE, "         return self"]) == OPENED
    hunk = ["-import os", "+import io", "         return None"]
    message = refused(hunk)
    assert message == "lines 2-13"


def test_removed_and_added_again_is_context() -> None:
    hunk = ["-    def open(self):", "-        ...", *CHANGE[:1], "-        return self"]
    hunk += ["+    def open(self):", "+        ...", *CHANGE[1:], "+        return self"]
    assert written(hunk) == OPENED


def test_context_alone_may_occur_several_times() -> None:
    content = "if a:\n    go()\n    x = 1\n    y()\n}\nif b:\n    go()\n}\n"
    hunk = ["-    x = 1", "+    x = 2", " ...", " }"]
    assert written(hunk, content=content) == content.replace("x = 1", "x = 2")


def test_the_pieces_must_be_in_the_scope_of_the_anchor() -> None:
    content = FILE + "\n\nclass Writer:\n    def open(self):\n        a()\n        self.state = 1\n"
    hunk = ["     def open(self):", "         ...", *CHANGE]
    assert "self.state = 3" in written(["@@ class Writer:", *hunk], content=content)[len(FILE) :]
    assert refused(hunk, content=content) == "does not match"


def test_context_alone_may_be_beyond_the_scope_of_the_anchor() -> None:
    content = FILE + "\n\ndef last():\n    one()\n    two()\n"
    hunk = ["@@ class Reader:", "         self.state = 2", "-        return None", " ", " "]
    below = [" def last():", "     two()"]
    assert written([*hunk, *below], content=content) == content.replace("        return None\n", "")
    assert refused([*hunk, *below, "+    three()"], content=content) == "does not match"


def test_below_a_gap_is_the_block_of_the_heading_that_the_hunk_begins_with() -> None:
    close = FILE.replace("return None", "return self")
    hunk = ["-        return self", "+        return 0"]
    before, _, after = close.rpartition("return self")
    marked = ["     def close(self):", "         # ...", *hunk]
    assert written(marked, content=close) == f"{before}return 0{after}"
    assert written([marked[0], *hunk], content=close) == f"{before}return 0{after}"
    assert refused([" import sys", " ...", *hunk], content=close) == "does not match"
    assert refused([" class Reader:", " ...", *hunk], content=close) == "does not match"
    twice = f"{close}\n\nclass Writer:\n    def close(self):\n        return self\n"
    assert refused(marked, content=twice) == "does not match"


@pytest.mark.parametrize(
    ("hunk", "why"),
    [
        pytest.param(
            [" import os", "+import re", "     def open(self):"],
            "does not match",
            id="an added line beside a gap without a marker",
        ),
        pytest.param([" import os", " ...", "+import re", " ..."], "does not match", id="adrift"),
        pytest.param([" ...", "+import re"], "does not match", id="nothing but a marker"),
        pytest.param(
            ["-import os", "-class Reader:", "+class Writer:"],
            "does not match",
            id="between removed lines",
        ),
        pytest.param(
            ["-    def open(self):", "-        self.check()", "         return self"],
            "line 8",
            id="the rest of a removed block",
        ),
        pytest.param(
            ["     def open(self):", " ...", "-        self.state = 2", "+        self.state = 3"],
            "lines 7-12",
            id="another method",
        ),
        pytest.param(
            ["     def open(self):", "-        self.state = 2", "+        self.state = 3"],
            "lines 7-12",
            id="another method, without a marker",
        ),
        pytest.param(
            ["         return self", " ...", *CHANGE], "does not match", id="in another order"
        ),
        pytest.param(
            [" import os", " ...", "         self.nowhere()", *CHANGE],
            "does not match",
            id="a line that is nowhere",
        ),
        pytest.param(
            [" import OS", " ...", *CHANGE], "does not match", id="a line that differs in case"
        ),
        pytest.param(
            ["     def open(self):", "-        ...", "-        return self"],
            "does not match",
            id="a marker that is removed",
        ),
    ],
)
def test_what_is_not_certain_is_refused(hunk: list[str], why: str) -> None:
    assert refused(hunk) == why


def test_a_changed_piece_must_be_at_one_position() -> None:
    content = "a\nx\nb\nx\n"
    assert refused([" a", " ...", "-x", "+y"], content=content) == "does not match"


def test_a_short_piece_may_not_be_elsewhere_with_another_indentation() -> None:
    content = "a()\nif b:\n    c()\nc()\n"
    assert refused([" a()", " ...", "-c()", "+d()"], content=content) == "does not match"


def test_a_blank_line_that_is_added_again_is_not_left_out() -> None:
    content = "a = 1\n\nb = 2\n"
    hunk = [" a = 1", " ", "-", "+c = 3", "+"]
    assert refused(hunk, content=content) == "does not match"
    assert refused(["-", "+", "+c = 3", " ", " b = 2"], content=content) == "does not match"
    there = "a = 1\n\n\nb = 2\n"
    assert written(hunk, content=there) == "a = 1\n\nc = 3\n\nb = 2\n"


def test_another_section_is_not_left_out() -> None:
    content = "[start]\ncolour = red\n\n[stop]\nsize = 1\n"
    hunk = [" [start]", " ...", "-size = 1", "+size = 2"]
    assert refused(hunk, content=content) != "does not match"


def test_a_line_that_begins_with_dots_is_no_marker_of_one_that_does() -> None:
    content = ">>> @s\n... class A:\n...     a = 1\n...     b = 2\n"
    hunk = [" >>> @s", " ... class B:", " ...     a = 1", "-...     b = 2"]
    message = refused(hunk, content=content)
    assert message == "line 2"
    there = [*hunk[:1], " ... class A:", *hunk[2:]]
    assert written(there, content=content) == content[:-14]


def test_a_rule_of_a_table_that_is_cut_off_is_not_a_marker() -> None:
    content = "| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    hunk = [" | ----- | --- ...", "-| 1 | 2 |", "+| 1 | 3 |"]
    assert edited(content, hunk, path="a.md").failures != []
    assert not stands_for_lines(Line(Prefix.CONTEXT, b"| ----- | ----- ..."))
    for text in (b"  // ...", b"<!-- ... -->", b"{/* ... */}", b"[...]", b"# (...)"):
        assert stands_for_lines(Line(Prefix.CONTEXT, text))


def test_a_marker_that_the_file_has_is_content() -> None:
    content = "class A:\n    ...\n    x = 1\n\n\nclass B:\n    y = 1\n"
    hunk = [" class A:", "     ...", "-    x = 1", "+    x = 2"]
    assert written(hunk, content=content) == content.replace("x = 1", "x = 2")
    elsewhere = [" class B:", "     ...", "-    y = 1", "+    y = 2"]
    assert refused(elsewhere, content=content) == "does not match"


def test_what_is_added_already_is_not_added_again() -> None:
    hunk = [" import sys", "+import re", " ...", "     def close(self):"]
    content = written(hunk)
    (failure,) = edited(content, hunk).failures
    assert failure.fault is Fault.PARTLY_APPLIED


def test_it_is_not_a_strict_match() -> None:
    hunk = [" class Reader:", " ...", *CHANGE]
    assert refused(hunk, matching=Matching(Tier.STRICT)) == "does not match"


def test_line_endings_are_those_of_the_file() -> None:
    content = FILE.replace("\n", "\r\n")
    assert written([" class Reader:", " ...", *CHANGE], content=content) == OPENED.replace(
        "\n", "\r\n"
    )


def test_many_gaps_take_time_in_proportion() -> None:
    def calls(count: int) -> int:
        rows = [f"key_{at} = 1\nother_{at} = 1\ntail_{at} = 3\n" for at in range(count)]
        hunk = [f" key_{at} = 1\n # ...\n-tail_{at} = 3\n+tail_{at} = 4\n" for at in range(count)]
        patch = f"*** Begin Patch\n*** Update File: a.py\n@@\n{''.join(hunk)}*** End Patch\n"
        profile = cProfile.Profile()
        profile.enable()
        after = apply_to_text(patch, {"a.py": "".join(rows)})["a.py"]
        profile.disable()
        assert after == "".join(rows).replace("= 3", "= 4")
        return sum(entry.callcount for entry in profile.getstats())

    calls(10)
    assert calls(240) < 5 * calls(60)
