"""A patch within the bounds is read in less than 1.5 GB of memory, however short its lines are.

Measured at a part of the bounds, with the same part of the memory. Beyond a bound a patch is
refused, with the name of the bound (D180).
"""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from parameters import named

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch
from git_opatch.parse import text as bounds

_PART = 400
_MOST = 1_500_000_000 // _PART

_ROWS = Path(__file__).with_name("shapes.jsonl").read_text().splitlines()
TEXTS = {
    row["name"]: (row["begins"], row["repeats"], row["ends"]) for row in map(json.loads, _ROWS)
}
"""What a text begins with, what it has again and again, and how it ends."""


@pytest.fixture
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bounds are a part of what they are."""
    for name in ("MAX_BYTES", "MAX_LINES", "MAX_FILES", "MAX_HUNKS"):
        monkeypatch.setattr(bounds, name, getattr(bounds, name) // _PART)


def _peak(text: bytes) -> int:
    tracemalloc.start()
    try:
        parse_patch(text)
    except ParseError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak


def _largest(before: str, unit: str, after: str) -> str:
    """Return the text with as many units as the bounds on bytes and lines allow."""
    lines = 2 * max(unit.count("\n"), unit.count("\\n"), 1)
    size = bounds.MAX_BYTES - len(before) - len(after) - 1
    count = min(size // len(unit), (bounds.MAX_LINES - 100) // lines)
    return before + unit * count + after


_FEW = ("update", "unified", "search", "FILE_PATCH", "hunks", "operations on lines")
"""The rest is exhaustive."""


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(parts, id=name, marks=() if name in _FEW else pytest.mark.exhaustive)
        for name, parts in TEXTS.items()
    ],
)
@pytest.mark.usefixtures("small_bounds")
def test_the_largest_patch_is_read_in_bounded_memory(parts: tuple[str, str, str]) -> None:
    before, unit, after = parts
    _peak((before + unit + after).encode())  # exclude what is imported and compiled once
    assert _peak(_largest(before, unit, after).encode()) < _MOST


_FILE = "*** Update File: a\n@@\n-a\n+b\n"


def _envelope(sections: str) -> str:
    return f"*** Begin Patch\n{sections}*** End Patch\n"


@named(
    "bound, most, text",
    {
        "bytes": ("MAX_BYTES", 57, _envelope(_FILE)),
        "lines": ("MAX_LINES", 5, _envelope(_FILE)),
        "strings": ("MAX_LINES", 6, "\n" + json.dumps({"patch": _envelope(_FILE)})),
        "files": ("MAX_FILES", 1, _envelope(_FILE * 2)),
        "hunks": ("MAX_HUNKS", 1, _envelope(_FILE + "@@\n-c\n+d\n")),
    },
)
def test_a_patch_beyond_a_bound_is_refused(
    bound: str, most: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, bound, most)
    with pytest.raises(ParseError) as caught:
        parse_patch(text, source="a.patch")
    (diagnostic,) = caught.value.diagnostics
    name = bound.removeprefix("MAX_").lower()
    assert diagnostic.message.startswith(f"the patch has more than {most} {name}")
    assert diagnostic.source == "a.patch"


@pytest.mark.parametrize(
    ("bound", "most"), [("MAX_BYTES", 58), ("MAX_LINES", 6), ("MAX_FILES", 1), ("MAX_HUNKS", 1)]
)
def test_a_patch_at_a_bound_is_read(bound: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _envelope(_FILE)
    assert (len(text), text.count("\n")) == (58, 6)
    monkeypatch.setattr(bounds, bound, most)
    assert len(parse_patch(text).files) == 1


def test_a_recorded_patch_may_have_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_BYTES", "MAX_LINES", "MAX_FILES", "MAX_HUNKS"):
        monkeypatch.setattr(bounds, name, 0)
    assert parse_patch("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", recorded=True).files
