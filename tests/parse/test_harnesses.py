"""Each harness in the table has a scenario with its public source, and a row in the manual."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from harness_table import harnesses
from scenario import read_scenario

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch
from git_opatch.parse.roles import normal

_HARNESSES = {name: roles for name, roles in harnesses().items() if name != "any"}
_IN_MANUAL = ("path", "old", "new", "every", "several")
_ROOT = Path(__file__).resolve().parents[2]
_SCENARIOS = [path.read_text() for path in _ROOT.glob("tests/scenarios/string-replace/*.txt")]
_ROWS = [row for row in (_ROOT / "docs/formats.md").read_text().splitlines() if row[:1] == "|"]


@pytest.mark.parametrize("name", _HARNESSES)
def test_a_harness_has_a_scenario_with_its_source(name: str) -> None:
    roles = _HARNESSES[name]
    own = [text for text in _SCENARIOS if text.startswith(f"what: {name}")]
    members = [roles[role][0] for role in ("path", "old", "new") if role in roles]
    called = [text for text in own if all(f'"{member}"' in text for member in members)]
    assert called, f"no scenario of {name} has a call with {members}"
    assert all(re.search(r"(?m)^source: https://\S+\.\S+", text) for text in called)


@pytest.mark.parametrize("name", _HARNESSES)
def test_a_harness_has_a_row_in_the_manual(name: str) -> None:
    roles = _HARNESSES[name]
    rows = [row for row in _ROWS if name in row.split("|")[1]]
    members = [name for role in _IN_MANUAL for name in roles.get(role, ())]
    missing = [name for name in members if not any(f"`{name}`" in row for row in rows)]
    assert rows, f"docs/formats.md has no row of {name}"
    assert not missing


def _calls() -> Iterator[dict[str, object]]:
    for text in _SCENARIOS:
        with suppress(ValueError):
            call = json.loads(read_scenario(text.encode()).texts["given"])
            if isinstance(call, dict):
                yield call


@pytest.mark.parametrize("value", [None, True, 1, -1.5, "x", "1", [], ["x"], {"x": 1}], ids=repr)
def test_any_value_of_any_member_is_read_or_refused(value: object) -> None:
    """Each call with each of its own members, and each thirtieth call with each known name."""
    rows = harnesses().values()
    names = sorted({normal(name) for row in rows for written in row.values() for name in written})
    calls = list(_calls())
    members = [(call, name) for call in calls for name in call]
    members += [(call, name) for at, name in enumerate(names) for call in calls[at % 30 :: 30]]
    for call, name in members:
        with suppress(ParseError):
            parse_patch(json.dumps({**call, name: value}))
