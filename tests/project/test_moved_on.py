"""Files that moved on, and patches sent again: what is drawn, and how it is judged."""

from __future__ import annotations

from random import Random

import pytest

from model import Format, to_bytes
from moved_on import FORMS, Case, Ended, Moved, cases_of, changed, run
from sent_again import Again, Sent, send_twice
from styles import Form

_OLD = (
    "def one(page):",
    "    page.open()",
    "    check(page)",
    "    page.title(1)",
    "    page.end()",
)
_CHANGE = changed("f.py", (*_OLD, "", "END = 1"), 3, 4, ("    page.title(2)",))
_HUNK = FORMS[0].write(_CHANGE)


def _drawn() -> list[Case]:
    return [case for seed in range(20) for case in cases_of("drawn", _CHANGE, Random(seed))]


def test_each_kind_is_drawn_in_each_form() -> None:
    found = {(case.kind, case.form) for case in _drawn()}
    assert found == {(kind, form.name) for kind in ("word", "context", "copy") for form in FORMS}


def test_the_lines_of_a_hunk_are_not_at_its_place_any_more() -> None:
    block = to_bytes(_CHANGE.old)
    for case in _drawn():
        at = case.moved.place.old_start
        assert block not in to_bytes(case.moved.lines)
        assert (case.moved.lines[at] == _CHANGE.old[3]) == (case.kind == "context")
        assert b"    page.title(2)\n" in case.expected


@pytest.mark.parametrize(
    ("lines", "ended"),
    [
        (_CHANGE.old, Ended.RIGHT),
        ((*_CHANGE.old[:3], "    page.title(3)", *_CHANGE.old[4:]), Ended.REFUSED),
        ((*_CHANGE.new[:3], *_CHANGE.new[3:]), Ended.ALREADY),
        (("", *_CHANGE.old), Ended.STRICT),
    ],
)
def test_a_result_is_judged_by_place_and_bytes(lines: tuple[str, ...], ended: Ended) -> None:
    """Where the truth is one line above, what is placed exactly is elsewhere."""
    place = _CHANGE.edits[0]
    expected = to_bytes((*lines[:3], "    page.title(2)", *lines[4:]))
    case = Case("", "f.py", "word", "bare", _HUNK, Moved("word", lines, place), expected)
    assert run(case)[0] is ended


@pytest.mark.parametrize(
    ("old", "start", "form", "again"),
    [
        ("axb", 1, Form("", 1), Again.ALREADY),
        ("axxb", 1, Form("", 0, Format.UNIFIED, FORMS[2].header), Again.REMOVED),
        ("axaxa", 1, Form("", 1), Again.NOT_APPLIED),
    ],
)
def test_what_is_sent_again_is_judged(old: str, start: int, form: Form, again: Again) -> None:
    change = changed("f", tuple(old), start, start + 1, ())
    sent = Sent("small", "", "", "f", to_bytes(change.old), form.write(change))
    assert send_twice(sent)[0] is again
