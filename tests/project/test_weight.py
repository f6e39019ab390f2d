"""The whole and each package weigh at most what the table in docs/architecture.md allows."""

from __future__ import annotations

import pytest
from weight import SLACK, WHOLE, read_limits, tokens, weigh


def test_no_package_is_above_its_row() -> None:
    limits, found = read_limits(), weigh()
    assert limits.keys() == found.keys()
    allowed = {name: limit if name == WHOLE else limit * SLACK for name, limit in limits.items()}
    above = {name: count for name, count in found.items() if count > allowed[name]}
    assert above == {}, "take something out, or raise the row in a commit that says why"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("a = 1\n", 3),
        ("# a comment\n\na = 1  # another\n", 3),
        ('"""A docstring."""\n\na = "text"\n"""Of a."""\n', 3),
        ('def f() -> str:\n    """Do."""\n    return "x"\n', 9),
        ('x = [\n    "kept",\n    "kept",\n]\n', 8),
    ],
)
def test_tokens_are_those_of_code(source: str, count: int) -> None:
    assert tokens(source) == count
