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
_FILES = {"f": ("100644", "a\nb\nc\n")}


def _outcomes(tmp_path: Path, *cases: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run the cases with the package that is tested."""
    file = tmp_path / "cases"
    file.write_text("".join(json.dumps({"id": "x", **case}) + "\n" for case in cases))
    ran = subprocess.run(
        [sys.executable, str(_TOP / "benchmarks/outcomes.py"), str(file)],
        capture_output=True, env={**os.environ, "PYTHONPATH": str(_TOP)}, timeout=120,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, b"")
    return [json.loads(line)["steps"] for line in ran.stdout.splitlines()]


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
    assert placed == [{"ok": True, "bytes": [["f", "100644", blob.strip()]], "reason": []}]
    assert stale == [{"ok": False, "bytes": [], "reason": ["not_found: f, hunk 1"]}]
    assert cut == [{"ok": False, "bytes": [], "reason": ["malformed: line 1"]}]


def test_steps_are_run_in_a_repository(tmp_path: Path) -> None:
    apply, undo = [["apply", "--json"], _PATCH], [["undo", "--json"], ""]
    unknown = [["apply", "--no-such-option"], _PATCH]
    case = {"files": _FILES, "steps": [apply, apply, undo, unknown, apply]}
    first, again, undone, usage, third = steps = _outcomes(tmp_path, case)[0]
    assert [each["ok"] for each in steps] == [True, False, True, False, True]
    assert "already_applied: f, hunk 1, line 4" in again["reason"]
    assert "usage" in usage["reason"]
    assert again["bytes"] == first["bytes"] == third["bytes"]
    assert undone["bytes"] == usage["bytes"] != first["bytes"]


def _step(result: object, *reasons: str) -> dict[str, Any]:
    return {"ok": not reasons, "bytes": result, "reason": [*reasons]}


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (_step("a"), _step("a"), "same"),
        (_step("a"), _step("", "not_found"), "stricter"),
        (_step("", "not_found"), _step("a"), "looser"),
        (_step("a"), _step("b"), "other bytes"),
        (_step("", "not_found"), _step("", "ambiguous"), "other reason"),
        (_step("a"), _step("", "usage"), "given up"),
    ],
)
def test_a_difference_has_a_name(old: dict[str, Any], new: dict[str, Any], column: str) -> None:
    assert column_of([_step("s"), old], [_step("s"), new]) == (column, int(column != "same"))
