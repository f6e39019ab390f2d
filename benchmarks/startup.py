"""Measure the parts of the time of a small `git opatch apply`, and whether the goal is met.

    python benchmarks/startup.py [--runs N]

All commands run in turn, whole processes, on one small hunk; the fastest run of each counts.
A part is the difference to the part before. The goal is 1.3 times `python -c "import typer,
git"`, with Python's own end, and the git processes that apply starts, as git's trace times
them. Help and the version are below: they do not import git.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from speed_inputs import ROWS
from speed_run import Stage, Tool

_PROGRAM = str(Path(sys.executable).with_name("git-opatch"))
_APPLY = ("apply", "../envelope")
_MODULES = {
    "Python": "os",
    "typer": "typer",
    "GitPython, and `git version` twice": "typer, git",
    "the modules of git opatch": "typer, git, git_opatch.cli.main, git_opatch.cli.commands.apply",
}
_HELP = (("apply", "-h"), ("-h",), ("--version",))
_SHARE = 1.3


def main() -> None:
    """Print the parts of the time, and the largest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15, help="of each command")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="opatch-startup-") as directory:
        seconds, git = _measured(Path(directory), runs)
    parts = _parts(seconds, git)
    _print_table({**parts, "**apply, a small hunk**": seconds["apply"]})
    allowed = _SHARE * seconds["typer, git"] + git
    met = "met" if seconds["apply"] <= allowed else "missed"
    print(f"\nThe largest part is {max(parts, key=parts.__getitem__)}.")
    print(f"Goal {allowed:.3f}, apply {seconds['apply']:.3f}: {met}.\n")
    _print_table({f"`{' '.join(words)}`": seconds[" ".join(words)] for words in _HELP})


def _measured(directory: Path, runs: int) -> tuple[dict[str, float], float]:
    """The fastest run of each command, by name, and the least time of all git processes."""
    stage = Stage(next(row for row in ROWS if row.name == "hunk").make(1), directory)
    trace = directory / "trace"
    traced = Tool("traced", ("env", f"GIT_TRACE2_EVENT={trace}", _PROGRAM, *_APPLY))
    found: dict[str, list[float]] = {}
    for _ in range(runs):
        for tool in _tools():
            found.setdefault(tool.name, []).append(stage.run(tool).seconds)
        trace.write_text("")
        stage.run(traced)
        found.setdefault("git", []).append(_of_git(trace))
    fastest = {name: min(seconds) for name, seconds in found.items()}
    return fastest, fastest.pop("git")


def _tools() -> list[Tool]:
    """An import that counts as a part leaves Python as `git opatch` does: at once."""
    parts = [
        Tool(name, (sys.executable, "-c", f"import os, {modules}; os._exit(0)"), leaves="")
        for name, modules in _MODULES.items()
    ]
    whole = Tool("typer, git", (sys.executable, "-c", "import typer, git"), leaves="")
    helps = [Tool(" ".join(words), (_PROGRAM, *words), leaves="") for words in _HELP]
    return [*parts, whole, Tool("apply", (_PROGRAM, *_APPLY)), *helps]


def _of_git(trace: Path) -> float:
    """The seconds that the processes in a trace took, but for those of GitPython's import."""
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    own = {
        event["sid"] for event in events if event["event"] == "start" and "version" in event["argv"]
    }
    return sum(
        float(event["t_abs"])
        for event in events
        if event["event"] == "atexit" and event["sid"] not in own
    )


def _parts(seconds: dict[str, float], git: float) -> dict[str, float]:
    parts, before = dict[str, float](), 0.0
    for name in _MODULES:
        parts[name] = seconds[name] - before
        before = seconds[name]
    parts["git, the other processes"] = git
    parts["the rest: the command line, the patch, the plan, the transaction"] = (
        seconds["apply"] - before - git
    )
    return parts


def _print_table(rows: dict[str, float]) -> None:
    print("| part | seconds |\n| --- | --- |")
    for name, seconds in rows.items():
        print(f"| {name} | {seconds:.3f} |")


if __name__ == "__main__":
    main()
