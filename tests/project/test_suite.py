"""The suite for other engines: nothing is lost in the export, and our own program passes it."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path

import pytest

import suite
from git_opatch import Reason
from suite import Verdict, case_of, content_of, sources

_CASE = case_of(*next(pair for pair in sources() if "refused" not in pair[1].texts))


def test_the_export_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text keeps its bytes, and each case its id; the first line counts them."""
    file = tmp_path / "suite"
    monkeypatch.setattr(sys, "argv", ["suite", "export", str(file), "--every", "50"])
    suite.main()
    head, *cases = map(json.loads, file.read_text().splitlines())
    every = dict(sources())
    assert len(every) > 3000
    assert head == {"suite": suite.NAME, "version": suite.VERSION, "cases": len(cases)}
    assert [case["id"] for case in cases] == list(every)[::50]
    for case in cases:
        scenario = every[case["id"]]
        assert content_of(case["patch"])[1] == scenario.texts["given"]
        for part, tree in (("before", scenario.before), ("after", scenario.after)):
            files = case[part] or {}
            assert {path: content_of(value) for path, value in files.items()} == tree
        assert (case["after"] is None) == ("refused" in scenario.texts)


def test_git_opatch_passes_its_own_suite() -> None:
    for id_, scenario in islice(sources(), 0, None, 20):
        case = case_of(id_, scenario)
        expected = Verdict.REFUSED if case["after"] is None else Verdict.APPLIED
        assert suite.run(suite.OWN, case) is expected, id_


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        (f"{sys.executable} -m git_opatch apply {{patch}}", Verdict.APPLIED),
        ("true {patch}", Verdict.WRONG),
        ("false {text}", Verdict.MISSED),
        ("sh -c 'rm -r *; false'", Verdict.HALF),
    ],
)
def test_a_command_is_judged_by_its_report_and_the_files(command: str, verdict: Verdict) -> None:
    assert suite.run(command, _CASE) is verdict
    if verdict is Verdict.MISSED:
        refused = {**_CASE, "after": None, "refused": [Reason.NOT_FOUND.value]}
        assert suite.run(command, refused) is Verdict.REFUSED
