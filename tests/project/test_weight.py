"""No package weighs more than the table in docs/architecture.md allows."""

from __future__ import annotations

import pytest
from weight import ARCHITECTURE, ROW, tokens, weigh


def test_no_package_is_above_its_row() -> None:
    limits = {row[0]: float(row[2]) for row in ROW.findall(ARCHITECTURE.read_text())}
    found = weigh()
    assert limits.keys() == found.keys()
    above = {name: count / 1000 for name, count in found.items() if count > limits[name] * 1000}
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
