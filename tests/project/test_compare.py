"""The comparison of two revisions sees what became of a case, and says how that differs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compare import column_of

_TOP = Path(__file__).parents[2]
_PATCH = "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+B\n*** End Patch\n"


def _outcomes(tmp_path: Path, *cases: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the cases with the package that is tested."""
    file = tmp_path / "cases"
    file.write_text("".join(json.dumps({"id": "x", **case}) + "\n" for case in cases))
    ran = subprocess.run(
        [sys.executable, str(_TOP / "benchmarks/outcomes.py"), str(file)],
        capture_output=True, env={**os.environ, "PYTHONPATH": str(_TOP)}, timeout=120,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, b"")
    outcomes = list(map(json.loads, ran.stdout.splitlines()))
    assert [outcome.pop("id") for outcome in outcomes] == ["x"] * len(cases)
    return outcomes


def test_a_plan_has_its_bytes_or_its_reasons(tmp_path: Path) -> None:
    placed, stale, cut = _outcomes(
        tmp_path,
        {"files": {"f": "a\nb\nc\n"}, "patch": _PATCH},
        {"files": {"f": "x\n"}, "patch": _PATCH},
        {"files": {"f": "a\nb\nc\n"}, "patch": _PATCH.replace("*** End Patch\n", "")},
    )
    blob = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"a\nB\nc\n", capture_output=True, check=True
    ).stdout.decode()
    assert placed == {"ok": True, "bytes": [["f", "100644", blob.strip()]], "reason": []}
    assert stale == {"ok": False, "bytes": [], "reason": ["not_found: f, hunk 1"]}
    assert cut == {"ok": False, "bytes": [], "reason": ["malformed: line 1"]}


def _outcome(result: object, *reasons: str) -> dict[str, Any]:
    return {"ok": not reasons, "bytes": result, "reason": [*reasons]}


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (_outcome("a"), _outcome("a"), "same"),
        (_outcome("a"), _outcome("", "not_found"), "stricter"),
        (_outcome("", "not_found"), _outcome("a"), "looser"),
        (_outcome("a"), _outcome("b"), "other bytes"),
        (_outcome("", "not_found"), _outcome("", "ambiguous"), "other reason"),
    ],
)
def test_a_difference_has_a_name(old: dict[str, Any], new: dict[str, Any], column: str) -> None:
    assert column_of(old, new) == column
