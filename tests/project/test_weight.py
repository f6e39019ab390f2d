"""Each module has one row in docs/ledger.md, and the whole weighs what is allowed there."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from weight import LEDGER, SLACK, modules, read_ledger, read_limits, tokens, weigh


def test_each_module_is_in_one_row_of_the_ledger() -> None:
    rows = Counter(module for row in read_ledger() for module in row.modules)
    assert rows == Counter(modules()), "a module is there for one capability"


def test_no_row_is_empty() -> None:
    assert all(row.modules for row in read_ledger())


def test_a_row_that_no_text_from_outside_reaches_says_why_it_stays() -> None:
    text = LEDGER.read_text("utf-8")
    without = re.findall(r"(?m)^\| ([^|`]+) \| `.*?(?:\| - ){6}\|$", text)
    told = text.partition("| --- | --- |\n")[2].partition("\n\n")[0].splitlines()
    assert sorted(without) == sorted(line.split(" | ")[0].strip("| ") for line in told)


def test_the_whole_is_not_above_its_limit() -> None:
    limits = read_limits()
    above = {name: count for name, count in weigh().items() if count > limits[name] * SLACK}
    assert limits.keys() == {"git_opatch/", "tests/", "benchmarks/"}
    assert above == {}, "take something out, or raise the limit in a commit that says why"


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
