"""Measure `git opatch apply` as a whole process, beside other tools that do the same.

    python benchmarks/speed.py [--rows NAME,...] [--runs N] [--peers NAME,...]

Prints a table in Markdown. All tools run in turn, so that load on the machine falls on all of them:
`floor` is `git apply --index` of the finished diff, `start-up` is Python and the imports of
`git opatch apply`, and the goal is 1.5 floors and the start-up. All are the fastest of the runs.

Peers are `codex` (the program in npm's @openai/codex) and `mpatch` (a library on PyPI); --codex and
--python say where they are.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import peers
from arguments import names_of, parser_of
from speed_inputs import ROWS, Case, Row
from speed_run import LIMIT, Sample, Stage, Tool

_SLOW = 10.0  # seconds
_PROGRAM = str(Path(sys.executable).with_name("git-opatch"))
_OPATCH = Tool("opatch", (_PROGRAM, "apply", "../envelope"))
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


def _arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    names = tuple(row.name for row in ROWS)
    parser.add_argument("--rows", type=names_of(names), default=names, help=",".join(names))
    parser.add_argument("--runs", type=int, default=5, help="of each tool on each row")
    parser.add_argument("--peers", type=names_of(_PEERS), default=_PEERS, help=",".join(_PEERS))
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
        with _staged(row.make(), directory) as stage:
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


def _print_heading(*cells: str) -> None:
    sys.stdout.write("\n")
    _print_row(*cells)
    _print_row(*["---"] * len(cells))


def _print_row(*cells: str) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
