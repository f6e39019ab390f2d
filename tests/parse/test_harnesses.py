"""Each harness in the table has a scenario with its public source, and a row in the manual."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from scenario import read_scenario

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch
from git_opatch.parse.edits import _CELL, _EVERY, _EXPECTED, _HARNESSES, _LISTS, _PATHS

_ROOT = Path(__file__).resolve().parents[2]
_SCENARIOS = [path.read_text() for path in _ROOT.glob("tests/scenarios/string-replace/*.txt")]
_ROWS = [row for row in (_ROOT / "docs/formats.md").read_text().splitlines() if row[:1] == "|"]


@pytest.mark.parametrize("name", _HARNESSES)
def test_a_harness_has_a_scenario_with_its_source(name: str) -> None:
    harness = _HARNESSES[name]
    own = [text for text in _SCENARIOS if text.startswith(f"what: {name}")]
    members = (harness.path, harness.old, harness.new)
    called = [text for text in own if all(f'"{member}"' in text for member in members)]
    assert called, f"no scenario of {name} has a call with {members}"
    assert all(re.search(r"(?m)^source: https://\S+\.\S+", text) for text in called)


@pytest.mark.parametrize("name", _HARNESSES)
def test_a_harness_has_a_row_in_the_manual(name: str) -> None:
    harness = _HARNESSES[name]
    (row,) = (row for row in _ROWS if name in row.split("|")[1] and f"`{harness.old}`" in row)
    members = (harness.path, harness.old, harness.new, harness.every, harness.several)
    assert all(f"`{member}`" in row for member in members if member)


def _calls() -> Iterator[dict[str, object]]:
    for text in _SCENARIOS:
        with suppress(ValueError):
            call = json.loads(read_scenario(text.encode()).texts["given"])
            if isinstance(call, dict):
                yield call


@pytest.mark.parametrize("value", [None, True, 1, -1.5, "x", "1", [], ["x"], {"x": 1}], ids=repr)
def test_any_value_of_any_member_is_read_or_refused(value: object) -> None:
    for call in _calls():
        for name in {*call, *_PATHS, *_EVERY, *_EXPECTED, *_LISTS, *_CELL}:
            with suppress(ParseError):
                parse_patch(json.dumps({**call, name: value}))
