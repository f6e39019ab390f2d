"""A way in which lines may differ has its doubt, its tier and its words."""

from __future__ import annotations

from pathlib import Path

from git_opatch.locate.applied import FORMS
from git_opatch.locate.decide import TIERS
from git_opatch.locate.doubt import DOUBTS
from git_opatch.locate.reading import ALIKE, TOLERATED, Differs, Grade

_WORDS = (Path(__file__).parents[2] / "docs/json.md").read_text()


def test_what_an_added_line_must_not_repeat_is_said_for_each_way_to_differ() -> None:
    assert DOUBTS.keys() == {None, *Differs}


def test_each_grade_of_a_reading_has_a_tier() -> None:
    assert TIERS.keys() == set(Grade) - {ALIKE}


def test_new_lines_are_compared_at_each_grade_that_a_removed_line_may_have() -> None:
    assert FORMS.keys() == set(Grade) - {TOLERATED, ALIKE}


def test_each_way_to_differ_has_words_that_the_page_lists() -> None:
    missing = [each.name for each in Differs if each.value.value not in _WORDS]
    assert missing == []
