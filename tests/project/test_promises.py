"""Each promise of the README has tests that exist (docs/safety.md)."""

from __future__ import annotations

import re
from pathlib import Path

_TOP = Path(__file__).parents[2]
_ROW = re.compile(r"^\| (.+) \| (`tests/.+`) \|$", re.MULTILINE)


def _promises() -> str:
    """Return the promises of the README, each on one line, without their headlines and links."""
    readme = (_TOP / "README.md").read_text()
    section = readme.partition("## Why it can be trusted\n")[2].partition("\n\nMeasured")[0]
    lines = section.strip().replace("\n  ", " ").splitlines()
    text = "\n".join(re.sub(r"^- \*\*.*?\*\* ", "", line) for line in lines)
    return re.sub(r" See \[.*?\]\(.*?\)\.", "", text)


def _rows() -> dict[str, list[str]]:
    """Return the table: the tests of each promise."""
    found = _ROW.findall((_TOP / "docs/safety.md").read_text())
    return {promise: re.findall(r"`(tests/.+?)`", tests) for promise, tests in found}


def test_every_promise_has_tests() -> None:
    rows = _rows()
    left = _promises()
    assert rows
    assert all(rows.values())
    for promise in rows:
        assert promise in left, promise
        left = left.replace(promise, "")
    assert left.strip() == ""


def test_every_test_and_scenario_of_a_promise_exists() -> None:
    for name in [name for names in _rows().values() for name in names]:
        file, _, function = name.partition("::")
        assert (_TOP / file).is_file(), name
        assert not function or f"\ndef {function}(" in (_TOP / file).read_text(), name
