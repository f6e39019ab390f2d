"""The accuracy benchmark runs, and no case ends wrong or incomplete."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from sandbox import Sandbox

_PROGRAM = Path(__file__).parents[2] / "benchmarks" / "accuracy.py"
_COMMITS = 12


def _python(version: int) -> str:
    """Give methods, each with a limit that changes in a version of its own."""
    methods = []
    for number in range(_COMMITS):
        grown = number < version
        methods.append(
            f"    def step_{number}(self, value):\n"
            f'        """Do step {number}."""\n'
            f"        base_{number} = self.base\n"
            f"        limit_{number} = {number + 10 * grown}\n"
            f"\n"
            + f"        self.seen_{number} = value\n"
            * grown
            + f"        if value > limit_{number}:\n"
            f'            raise ValueError("step {number}: too much")\n'
            f"        return value + base_{number}\n"
        )
    return "class Steps:\n" + "\n".join(methods)


def _tabbed(version: int) -> str:
    """Give blocks indented by tabs; each version rewords another one."""
    blocks = []
    for number in range(_COMMITS):
        word = "again" if number < version else "once"
        blocks.append(
            f"func block{number}(size int) int {{\n"
            f"\ttotal{number} := size\n"
            f"\tfor i{number} := 0; i{number} < size; i{number}++ {{\n"
            f"\t\ttotal{number} += {word}{number}(size)\n"
            f"\t}}\n"
            f"\treturn total{number}\n"
            f"}}\n"
        )
    return "\n".join(blocks)


def _prose(version: int) -> str:
    return "".join(
        f"Chapter {number} is about part{number}, {'as it is' if number < version else 'so far'}.\n"
        for number in range(_COMMITS)
    )


def _history(repo: Sandbox) -> None:
    for version in range(_COMMITS + 1):
        repo.commit(
            {
                "src/steps.py": _python(version),
                "src/blocks.go": _tabbed(version),
                "notes.txt": _prose(version),
            }
        )


def test_no_case_is_wrong_or_incomplete(repo: Sandbox, tmp_path: Path) -> None:
    _history(repo)
    report = tmp_path / "report.json"
    words = ["--repo", str(repo.path), "--per-class", "2", "--in-process", "--json", str(report)]
    done = subprocess.run(
        [sys.executable, str(_PROGRAM), *words], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(report.read_text())
    right = ("exact", "layout", "refused")
    assert not [result for result in results if result["outcome"] not in right]
    refused = [result["outcome"] for result in results if result["wanted"] == "refused"]
    assert refused
    assert set(refused) == {"refused"}
    exact = {
        result["case"].rpartition("-")[0] for result in results if result["outcome"] == "exact"
    }
    assert {"clean-3", "fenced", "operations", "string-replace"} <= exact
