"""Measure `git opatch apply` as a whole process, beside other tools that do the same.

    python benchmarks/speed.py [--rows NAME,...] [--runs N] [--peers NAME,...] [--no-doubling]

Prints two tables in Markdown. In the first, all tools run in turn, so that load on the machine
falls on all of them: `floor` is `git apply --index` of the finished diff, `start-up` is Python
and the imports of `git opatch apply`, and the goal is 1.5 floors and the start-up. All are the
fastest of the runs. In the second, files and patches are doubled twice: a cost that grows with
them, and not with their product, stays under 2.3 each time. What grows is the processor's
time, which load changes little, without that of the start-up, and the peak of memory. The cost
of `git apply` is such a product, so its growth is shown beside it, and that of `git opatch
convert`, which does all but the writing.

Peers are `codex` (the program in npm's @openai/codex) and `mpatch` (a library on PyPI); --codex and
--python say where they are.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path

import peers
from arguments import names_of, parser_of
from speed_inputs import ROWS, Case, Row
from speed_run import LIMIT, Sample, Stage, Tool

_MAX_GROWTH = 2.3
_SLOW = 10.0  # seconds
_PROGRAM = str(Path(sys.executable).with_name("git-opatch"))
_OPATCH = Tool("opatch", (_PROGRAM, "apply", "../envelope"))
_CONVERT = Tool("convert", (_PROGRAM, "convert", "-o", os.devnull, "../envelope"), leaves="")
_IMPORTS = "import git, git_opatch.cli.main, git_opatch.cli.commands.apply"
_START = Tool("start-up", (sys.executable, "-c", _IMPORTS), leaves="")
_FLOOR = Tool("floor", ("git", "apply", "--index", "../finished"))
_PEERS = ("codex", "mpatch")

Samples = Mapping[str, list[Sample]]
"""The runs of each tool, by its name."""


def main() -> None:
    """Measure what the command line asks for."""
    arguments = _arguments()
    rows = [row for row in ROWS if row.name in arguments.rows]
    with tempfile.TemporaryDirectory(prefix="opatch-speed-") as directory:
        _compare(rows, _peers(arguments, Path(directory)), arguments.runs, Path(directory))
        if not arguments.no_doubling:
            _double(rows, arguments.runs, Path(directory))


def _arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    names = tuple(row.name for row in ROWS)
    parser.add_argument("--rows", type=names_of(names), default=names, help=",".join(names))
    parser.add_argument("--runs", type=int, default=5, help="of each tool on each row")
    parser.add_argument("--peers", type=names_of(_PEERS), default=_PEERS, help=",".join(_PEERS))
    parser.add_argument("--no-doubling", action="store_true", help="print the first table alone")
    peers.add_options(parser)
    return parser.parse_args()


def _peers(arguments: argparse.Namespace, directory: Path) -> Iterator[Tool]:
    """The tools of the names that are wanted and that are installed."""
    for tool in peers.find_tools(arguments.peers, arguments):
        command = (*tool.start, "../invented")
        if tool.name == "codex":
            script = directory / "apply_patch"  # the program behaves according to its name
            script.symlink_to(Path(shutil.which(tool.start[0]) or "").resolve())
            command = ("sh", "-c", f"exec '{script}' <../envelope")
        yield Tool(tool.name, command, leaves=" M")


def _compare(rows: Sequence[Row], others: Iterable[Tool], runs: int, directory: Path) -> None:
    """Print the first table, a row as soon as it is measured."""
    tools = [_OPATCH, _START, _FLOOR, *others]
    _print_heading("row", *(tool.name for tool in tools), "of the goal", "")
    for row in rows:
        with _staged(row.make(1), directory) as stage:
            found = _in_turn({tool.name: (stage, tool) for tool in tools}, runs)
        _print_row(row.title, *map(_seconds, found.values()), *_goal(found))


@contextmanager
def _staged(case: Case, directory: Path) -> Iterator[Stage]:
    """The case's repository, as long as it is needed."""
    with tempfile.TemporaryDirectory(dir=directory) as place:
        yield Stage(case, Path(place))


def _in_turn(runners: Mapping[str, tuple[Stage, Tool]], runs: int) -> Samples:
    """Run every tool `runs` times, one after the other; a slow one only once."""
    samples: Samples = {name: [] for name in runners}
    for _ in range(runs):
        for name, (stage, tool) in runners.items():
            if not samples[name] or samples[name][-1].seconds < _SLOW:
                samples[name].append(stage.run(tool))
    return samples


def _goal(found: Samples) -> tuple[str, str]:
    """What part of the allowed time was taken, and whether a success met the goal."""
    allowed = 1.5 * _fastest(found["floor"]) + _fastest(found["start-up"])
    part = _fastest(found["opatch"]) / allowed
    applied = all(sample.verdict == "ok" for sample in found["opatch"])
    return f"{part:.2f}", ("met" if part <= 1 else "missed") if applied else ""


def _seconds(samples: Sequence[Sample]) -> str:
    """The fastest run, and how the runs ended if any ended otherwise than well."""
    verdicts = sorted({sample.verdict for sample in samples} - {"ok"})
    time = f"> {LIMIT:.0f}" if verdicts == ["endless"] else f"{_fastest(samples):.3f}"
    return " ".join([time, *verdicts])


def _fastest(samples: Sequence[Sample]) -> float:
    return min(sample.seconds for sample in samples)


def _least_work(samples: Sequence[Sample]) -> float:
    return min(sample.work for sample in samples)


def _double(rows: Sequence[Row], runs: int, directory: Path) -> None:
    """Print the second table: the growth from one size to the next."""
    tools = (_OPATCH, _CONVERT, _FLOOR)
    times = (f"{tool.name} grows by" for tool in tools)
    _print_heading("doubling", "seconds", *times, "peak, MiB", "peak grows by", "linear")
    for row in (row for row in rows if row.sizes):
        with ExitStack() as stack:
            stages = [stack.enter_context(_staged(row.make(size), directory)) for size in row.sizes]
            runners = {
                f"{tool.name} {at}": (stage, tool)
                for at, stage in enumerate(stages)
                for tool in tools
            }
            found = _in_turn({_START.name: (stages[0], _START), **runners}, runs)
        _print_row(row.title, *_growth(found, len(stages)))


def _growth(found: Samples, sizes: int) -> Iterator[str]:
    """Seconds, growth of the work, peaks, their growth, and whether both are little enough."""
    applied = [found[f"{_OPATCH.name} {at}"] for at in range(sizes)]
    start = _least_work(found[_START.name])
    growths = [
        _steps([_least_work(found[f"{tool.name} {at}"]) - base for at in range(sizes)])
        for tool, base in ((_OPATCH, start), (_CONVERT, start), (_FLOOR, 0))
    ]
    peaks = [min(sample.peak for sample in samples) for samples in applied]
    yield ", ".join(map(_seconds, applied))
    yield from map(_listed, growths)
    yield ", ".join(f"{peak:.0f}" for peak in peaks)
    yield _listed(_steps(peaks))
    own, converted, _ = (max(growth + _steps(peaks)) < _MAX_GROWTH for growth in growths)
    yield "yes" if own else "but for git apply" if converted else "no"


def _steps(values: Sequence[float]) -> list[float]:
    return [after / before for before, after in pairwise(values)]


def _listed(growths: Sequence[float]) -> str:
    return ", ".join(f"{growth:.2f}" for growth in growths)


def _print_heading(*cells: str) -> None:
    sys.stdout.write("\n")
    _print_row(*cells)
    _print_row(*["---"] * len(cells))


def _print_row(*cells: str) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
