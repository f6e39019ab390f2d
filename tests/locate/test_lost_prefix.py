"""Context that lost its prefix, in another unit of indentation than the file."""

from __future__ import annotations

import pytest
from hunked import edited

FILE = "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\tgo()\n\t\treturn 1\n"


def stripped(hunk: list[str]) -> list[str]:
    """Take the prefix off the context, as a parser then reads it."""
    return [f" {line[2:]}" if line.startswith("  ") else line for line in hunk]


HUNK = ["     def f(self):", "         if x:", "-            go()", "+            run()"]
HUNK += ["+            if y:", "+                z()", "         return 1"]


@pytest.mark.parametrize("unit", ["\t", "  "])
def test_the_added_lines_follow_the_file(unit: str) -> None:
    content = FILE.replace("\t", unit)
    after = FILE.replace("go()\n", "run()\n\t\t\tif y:\n\t\t\t\tz()\n").replace("\t", unit)
    for hunk in (HUNK, stripped(HUNK)):
        applied = edited(content, hunk)
        assert not applied.failures
        assert applied.content.text.to_bytes().decode() == after
