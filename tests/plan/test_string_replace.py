"""A string replacement does what replacing bytes does, or is refused."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from git_opatch import parse_patch
from git_opatch.complete.tree import FileContent
from git_opatch.locate.owners import AppliedHunks, apply_hunks
from git_opatch.model.blob import Mode
from git_opatch.model.options import Options
from git_opatch.model.selection import parts_of, select
from git_opatch.model.sentences import Reason
from git_opatch.model.text import Text

_PIECES = st.sampled_from(["a", "b", "  ", "\n", "\n\n", "x = 1\n", "f(a)", "def f():\n"])
_TEXTS = st.lists(_PIECES, min_size=1, max_size=12).map("".join)


def _apply(text: bytes, **members: object) -> AppliedHunks:
    patch = parse_patch(json.dumps({"file_path": "f", **members}))
    (section,) = patch.files
    return apply_hunks(section, FileContent(Mode.REGULAR, Text.from_bytes(text)), Options())


def _overlapping(text: bytes, old: bytes) -> int:
    return sum(text.startswith(old, at) for at in range(len(text)))


def _replaced(text: str, old: str, new: str) -> str:
    """Replace `old`; a newline that only the old string ends with stays, unless lines go."""
    lines_go = not new and all(f"\n{text}"[at] == "\n" for at in _occurrences(text, old))
    stays = old.endswith("\n") and not new.endswith("\n") and not lines_go
    return text.replace(old, new + "\n" * stays)


def _occurrences(text: str, old: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(old, at)]


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
        expected = _replaced(text, old.decode(), new)
        assert applied.content.text.to_bytes() == expected.encode()
    else:
        assert applied.content.text.to_bytes() == before


@given(text=_TEXTS, old=_TEXTS, new=_TEXTS)
def test_all_occurrences_are_replaced_as_bytes_are(text: str, old: str, new: str) -> None:
    applied = _apply(text.encode(), old_string=old, new_string=new, replace_all=True)
    wanted = _replaced(text, old, new) if applied.placements else text
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


def test_edits_on_one_line_are_chosen_and_refused_apart() -> None:
    edits = [{"old_string": old, "new_string": "x"} for old in ("a", "b", "c")]
    patch = parse_patch(json.dumps({"file_path": "f", "edits": edits}))
    parts = parts_of(patch)
    assert len({part.key for part in parts}) == 3
    selected = select(patch, [parts[1].id], [])
    assert [hunk.replacement.old for file in selected.patch.files for hunk in file.hunks
            if hunk.replacement] == [b"b"]  # fmt: skip
