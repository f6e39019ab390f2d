"""Measure how exactly patches are applied that are written as language models write them.

The cases are made from the history of real repositories: each is a commit, written in one of
the formats that models use, in a wrapper, or with errors of the format. A tool is judged by the
files that it leaves, byte for byte, and by what it reports. Spoiled lines, indentation and hunks
are drawn by `grammar.py`.

    python benchmarks/accuracy.py --repo CLONE --repo CLONE ...
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import table
from history import read_history
from kinds import KINDS, draw
from model import Case
from peers import TOOLS, Setup, Tool, find_tool
from trial import Result, try_case

AT_ONCE = 2  # trials; each is a separate process
OWN = "opatch"


def main() -> None:
    """Draw the cases, try them, and print the tables."""
    options = _options()
    tools = _find(options)
    results = _try_all(_draw(options), tools, in_process=options.in_process)
    _report(results)
    if options.json:
        options.json.write_text(json.dumps(list(map(table.record, results)), indent=1), "utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add = parser.add_argument
    add("--repo", type=Path, action="append", required=True, help="a repository to draw from")
    add("--per-class", type=int, default=40, metavar="N", help="cases of each class (40)")
    add("--seed", default="1", help="another seed draws other cases")
    add(
        "--tools",
        type=_names(TOOLS),
        default=["opatch"],
        help="all, or some of: " + ",".join(TOOLS),
    )
    add(
        "--classes",
        type=_names(KINDS),
        default=list(KINDS),
        help="all, or some of: " + ",".join(KINDS),
    )
    add("--json", type=Path, help="write every outcome to this file")
    add("--in-process", action="store_true", help="let opatch plan without git: much faster")
    add("--python", action="append", default=[sys.executable], help="a Python that has peers")
    add("--codex", default="codex", help="the native codex program")
    return parser.parse_args()


def _names(known: Iterable[str]) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        names = list(known) if text == "all" else text.split(",")
        unknown = set(names) - set(known)
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
        return names

    return split


def _draw(options: argparse.Namespace) -> list[Case]:
    """Return the cases of all requested classes."""
    histories = [read_history(path, options.seed) for path in options.repo]
    cases: list[Case] = []
    for name in options.classes:
        drawn = draw(name, histories, options.per_class, options.seed)
        if len(drawn) < options.per_class:
            _say(f"{name}: only {len(drawn)} cases found")
        cases += drawn
    return cases


def _find(options: argparse.Namespace) -> list[Tool]:
    """Return the requested tools that are installed."""
    setup = Setup(options.python, options.codex)
    found: list[Tool] = []
    for name in options.tools:
        tool = find_tool(name, setup)
        _say(f"{name}: {tool.given if tool else 'missing'}")
        found += [tool] if tool else []
    return found


def _try_all(cases: Sequence[Case], tools: Iterable[Tool], *, in_process: bool) -> list[Result]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [
            pool.submit(try_case, case, tool, in_process=in_process)
            for tool in tools
            for case in cases
            if tool.suits(case)
        ]
        return [job.result() for job in jobs]


def _report(results: Sequence[Result]) -> None:
    _say("", *table.table("tool", results, lambda result: [result.tool]))
    for tool in dict.fromkeys(result.tool for result in results):
        own = [result for result in results if result.tool == tool]
        _say("", *table.table(tool, own, lambda result: [result.case.kind]))
    _say("", *table.reasons([result for result in results if result.tool == OWN]))


def _say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
