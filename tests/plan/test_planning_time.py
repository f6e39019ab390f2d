"""What multiplies work is planned in linear time, or refused by its size."""

from __future__ import annotations

import pytest
from planning_time import SHAPES, plan

from git_opatch.model.sentences import Fault


@pytest.mark.parametrize("name", SHAPES)
def test_planning_takes_linear_time_or_is_refused(name: str) -> None:
    small = SHAPES[name].size // 4
    once = max(min(plan(name, small)[0] for _ in range(2)), 0.01)
    many, result = plan(name, 8 * small)
    # If the time were quadratic, eight times the patch would take 64 times as long.
    assert many < 30 * once or result == Fault.TOO_MANY_SECTIONS.name


@pytest.mark.parametrize("name", ["sections of a file", "edits of a file in JSON"])
def test_many_sections_of_a_file_are_refused_before_they_are_planned(name: str) -> None:
    assert plan(name, 1000)[1] == "applied"
    seconds, result = plan(name, 4000)
    assert result == Fault.TOO_MANY_SECTIONS.name
    assert seconds < 5
