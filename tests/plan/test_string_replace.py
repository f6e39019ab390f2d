"""A string replacement does what replacing bytes does, or is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch import parse_patch
from git_opatch.complete.tree import FileContent
from git_opatch.model.blob import Mode
from git_opatch.model.options import Options
from git_opatch.model.reverse import reverse
from git_opatch.model.selection import parts_of, select
from git_opatch.model.sentences import Reason
from git_opatch.model.text import Text
from git_opatch.plan.apply_hunks import AppliedHunks, apply_hunks

_PIECES = st.sampled_from(["a", "b", "  ", "\n", "\n\n", "x = 1\n", "f(a)", "def f():\n"])
_TEXTS = st.lists(_PIECES, min_size=1, max_size=12).map("".join)


def _apply(text: bytes, **members: object) -> AppliedHunks:
    patch = parse_patch(json.dumps({"file_path": "f", **members}))
    (section,) = patch.files
    return apply_hunks(section, FileContent(Mode.REGULAR, Text.from_bytes(text)), Options())


def _overlapping(text: bytes, old: bytes) -> int:
    return sum(text.startswith(old, at) for at in range(len(text)))


@given(text=_TEXTS, new=_TEXTS, data=st.data())
def test_one_occurrence_is_replaced_as_bytes_are(text: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    stop = data.draw(st.integers(start + 1, len(text)))
    old, before = text[start:stop].encode(), text.encode()
    applied = _apply(before, old_string=old.decode(), new_string=new)
    if _overlapping(before, old) > 1 and old != new.encode():
        assert [failure.reason for failure in applied.failures] == [Reason.AMBIGUOUS]
        assert len(applied.failures[0].positions) >= 1
    if applied.placements:
        assert applied.content.text.to_bytes() == before.replace(old, new.encode())
    else:
        assert applied.content.text.to_bytes() == before


@given(text=_TEXTS, old=_TEXTS, new=_TEXTS)
def test_all_occurrences_are_replaced_as_bytes_are(text: str, old: str, new: str) -> None:
    applied = _apply(text.encode(), old_string=old, new_string=new, replace_all=True)
    wanted = text.replace(old, new) if applied.placements else text
    assert applied.content.text.to_bytes() == wanted.encode()
    if applied.placements:
        assert f"{text.count(old)} occurrence" in applied.placements[0].notes[0]


@given(text=_TEXTS, new=_TEXTS, data=st.data())
def test_what_was_replaced_is_not_replaced_again(text: str, new: str, data: st.DataObject) -> None:
    """A new string that contains the old one is not doubled by a second run."""
    start = data.draw(st.integers(0, len(text) - 1))
    stop = data.draw(st.integers(start + 1, len(text)))
    members = {"old_string": text[start:stop], "new_string": text[start:stop] + new}
    first = _apply(text.encode(), **members)
    if first.placements:
        second = _apply(first.content.text.to_bytes(), **members)
        assert not second.placements


@given(text=_TEXTS, new=_TEXTS, line=st.integers(0, 8))
def test_lines_are_inserted_below_the_stated_one(text: str, new: str, line: int) -> None:
    applied = _apply(text.encode(), command="insert", insert_line=line, insert_text=new)
    lines = text.removesuffix("\n").split("\n") if text else []
    assert line <= len(lines) or not applied.placements
    if applied.placements:
        added = new.removesuffix("\n").split("\n")
        ended = "\n" if text.endswith("\n") or line == len(lines) else ""
        wanted = "\n".join([*lines[:line], *added, *lines[line:]]) + ended
        assert applied.content.text.to_bytes() == wanted.encode()


@pytest.mark.parametrize(
    ("text", "old", "new", "wanted"),
    [
        pytest.param(b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n", id="file"),
        pytest.param(b"a\nb\nc\n", "a\r\nb", "x\r\ny\r\nz", b"x\ny\nz\nc\n", id="strings"),
        pytest.param(b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n", id="both"),
        pytest.param(b"a\r\nb\nc\n", "b\nc", "x\ny", b"a\r\nx\ny\n", id="mixed"),
        pytest.param(b"\xef\xbb\xbfa\nb\n", "a\n", "x\n", b"\xef\xbb\xbfx\nb\n", id="mark"),
        pytest.param(b"a\nb", "b\n", "x\n", b"a\nx\n", id="no newline at the end"),
        pytest.param(b"a\nb", "\nb", "", b"a", id="the last line removed"),
        pytest.param(b"caf\xe9 x\n", "x", "y", b"caf\xe9 y\n", id="not UTF-8"),
    ],
)
def test_framing_of_lines(text: bytes, old: str, new: str, wanted: bytes) -> None:
    applied = _apply(text, old_string=old, new_string=new)
    assert not applied.failures
    assert applied.content.text.to_bytes() == wanted


@pytest.mark.parametrize(
    ("text", "members", "reason"),
    [
        pytest.param(b"aaa\n", {"old_string": "aa"}, Reason.AMBIGUOUS, id="overlapping"),
        pytest.param(
            b"aaa\n", {"old_string": "aa", "replace_all": True}, Reason.AMBIGUOUS, id="all of them"
        ),
        pytest.param(b"a\nb\n", {"old_string": "a\n"}, Reason.UNCLEAR, id="joins the next line"),
        pytest.param(b"x a  b\n", {"old_string": "a b"}, Reason.NOT_FOUND, id="inside a line"),
        pytest.param(
            b"x\n", {"old_string": "y", "replace_all": True}, Reason.NOT_FOUND, id="none of all"
        ),
        pytest.param(
            b"  a\n  b\n",
            {"old_string": "a\nb", "expected_replacements": 2},
            Reason.NOT_FOUND,
            id="loosely, with a count",
        ),
        pytest.param(
            b"a\n", {"old_string": "a", "expected_replacements": 2}, Reason.CONTRADICTED, id="fewer"
        ),
    ],
)
def test_refusals(text: bytes, members: dict[str, object], reason: Reason) -> None:
    applied = _apply(text, **{"new_string": "n", **members})
    assert [failure.reason for failure in applied.failures] == [reason]
    assert applied.content.text.to_bytes() == text


def test_the_new_string_must_be_no_accident_to_be_already_applied() -> None:
    short = _apply(b"y = 1\n", old_string="x", new_string="y")
    assert [failure.reason for failure in short.failures] == [Reason.NOT_FOUND]
    long = _apply(b"y = timeout_in_seconds()\n", old_string="wait", new_string="timeout_in_seconds")
    assert [failure.reason for failure in long.failures] == [Reason.ALREADY_APPLIED]


def test_a_replacement_is_reversed() -> None:
    (section,) = reverse(
        parse_patch(json.dumps({"path": "f", "old_str": "two", "new_str": "zwei"}))
    ).files
    content = FileContent(Mode.REGULAR, Text.from_bytes(b"one zwei three\n"))
    applied = apply_hunks(section, content, Options(reverse=True))
    assert applied.content.text.to_bytes() == b"one two three\n"


def test_edits_on_one_line_are_chosen_and_refused_apart() -> None:
    edits = [{"old_string": old, "new_string": "x"} for old in ("a", "b", "c")]
    patch = parse_patch(json.dumps({"file_path": "f", "edits": edits}))
    parts = parts_of(patch)
    assert len({part.key for part in parts}) == 3
    selected = select(patch, [parts[1].id], [])
    assert [hunk.replacement.old for file in selected.patch.files for hunk in file.hunks
            if hunk.replacement] == [b"b"]  # fmt: skip
