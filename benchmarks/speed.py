"""Measure `git opatch apply` as a whole process, beside other tools that do the same.

    python benchmarks/speed.py [--rows NAME,...] [--runs N] [--peers NAME,...] [--json OUT]

Prints two tables in Markdown. In the first, all tools run in turn, so that load on the machine
falls on all of them: `floor` is `git apply --index` of the finished diff, `start-up` is Python
and the imports of `git opatch apply`, and the goal is 1.5 floors and the start-up. Ratios are
of the fastest runs, then the median of those of each turn; in brackets is opatch's time over
that tool's. In the second, files and patches are doubled twice: a cost that grows with
them, and not with their product, stays under 2.3 each time. What grows is the processor's
time, which load changes little, without that of the start-up, and the peak of memory. The cost
of `git apply` is such a product, so its growth is shown beside it, and that of `git opatch
convert`, which does all but the writing.

Peers are looked for in PATH: `codex` (the program in npm's @openai/codex), and a `python3` that
has `mpatch` (PyPI), a library without a command. CODEX and MPATCH_PYTHON name other places.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from statistics import median

from peers import MPATCH
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
_PEERS = ("codex", "codex+add", "mpatch")

Samples = dict[str, list[Sample]]
"""The runs of each tool, by its name."""


def main() -> None:
    """Measure what the command line asks for."""
    arguments = _arguments()
    rows = [row for row in ROWS if row.name in arguments.rows]
    with tempfile.TemporaryDirectory(prefix="opatch-speed-") as directory:
        peers = _peers(arguments.peers, Path(directory))
        results = _compare(rows, peers, arguments.runs, Path(directory))
        growth = {} if arguments.no_doubling else _double(rows, arguments.runs, Path(directory))
    if arguments.json:
        _store(Path(arguments.json), {"rows": results, "doubling": growth})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = tuple(row.name for row in ROWS)
    parser.add_argument("--rows", type=_names(names), default=names, help=",".join(names))
    parser.add_argument("--runs", type=int, default=5, help="of each tool on each row")
    parser.add_argument("--peers", type=_names(_PEERS), default=_PEERS, help=",".join(_PEERS))
    parser.add_argument("--no-doubling", action="store_true", help="print the first table alone")
    parser.add_argument("--json", metavar="OUT", help="write every single run to this file, too")
    return parser.parse_args()


def _names(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    def names(text: str) -> tuple[str, ...]:
        chosen = tuple(filter(None, text.split(",")))
        if unknown := set(chosen) - set(known):
            raise argparse.ArgumentTypeError(f"no {min(unknown)} among {','.join(known)}")
        return chosen

    return names


def _peers(wanted: Sequence[str], directory: Path) -> dict[str, Tool | None]:
    """The tools of the names that are wanted; None for one that is not installed."""
    found: dict[str, Tool | None] = dict.fromkeys(wanted)
    codex = shutil.which(os.environ.get("CODEX", "codex"))
    if codex is not None:
        script = directory / "apply_patch"  # the program behaves according to its name
        script.symlink_to(Path(codex).resolve())
        apply = f"'{script}' <../envelope"
        found["codex"] = Tool("codex", ("sh", "-c", f"exec {apply}"), leaves=" M")
        found["codex+add"] = Tool("codex+add", ("sh", "-c", f"{apply} && git add -u"))
    python = os.environ.get("MPATCH_PYTHON", "python3")
    if subprocess.run((python, "-c", "import mpatch"), capture_output=True).returncode == 0:
        found["mpatch"] = Tool("mpatch", (python, "-c", MPATCH, "../invented"), leaves=" M")
    return {name: found[name] for name in wanted}


def _compare(
    rows: Sequence[Row], peers: dict[str, Tool | None], runs: int, directory: Path
) -> dict[str, Samples]:
    """Print the first table, a row as soon as it is measured."""
    _print_heading("row", "opatch", "start-up", "floor", "of the goal", "", *peers)
    results: dict[str, Samples] = {}
    tools = [_START, _FLOOR, _OPATCH, *filter(None, peers.values())]
    for row in rows:
        with _staged(row.make(1), directory) as stage:
            found = results[row.name] = _in_turn({tool.name: (stage, tool) for tool in tools}, runs)
        _print_row(
            row.title,
            *(_seconds(found[name]) for name in ("opatch", "start-up", "floor")),
            *_goal(found),
            *(_beside(found, name) for name in peers),
        )
    return results


@contextmanager
def _staged(case: Case, directory: Path) -> Iterator[Stage]:
    """The case's repository, as long as it is needed."""
    with tempfile.TemporaryDirectory(dir=directory) as place:
        yield Stage(case, Path(place))


def _in_turn(runners: dict[str, tuple[Stage, Tool]], runs: int) -> Samples:
    """Run every tool `runs` times, one after the other; a slow one only once."""
    samples: Samples = {name: [] for name in runners}
    for _ in range(runs):
        for name, (stage, tool) in runners.items():
            if not samples[name] or samples[name][-1].seconds < _SLOW:
                samples[name].append(stage.run(tool))
    return samples


def _goal(found: Samples) -> tuple[str, str]:
    """What part of the allowed time was taken, and whether a success met the goal."""
    allowed = [
        1.5 * floor.seconds + start.seconds
        for floor, start in zip(found["floor"], found["start-up"], strict=True)
    ]
    fastest = _fastest(found["opatch"]) / (
        1.5 * _fastest(found["floor"]) + _fastest(found["start-up"])
    )
    pairs = zip(found["opatch"], allowed, strict=False)
    middle = median(sample.seconds / most for sample, most in pairs)
    applied = all(sample.verdict == "ok" for sample in found["opatch"])
    met = "met" if fastest <= 1 else "missed"
    return f"{fastest:.2f}, {middle:.2f}", met if applied else ""


def _beside(found: Samples, name: str) -> str:
    if name not in found:
        return "absent"
    pairs = list(zip(found["opatch"], found[name], strict=False))
    fastest = _fastest(found["opatch"]) / _fastest(found[name])
    middle = median(own.seconds / other.seconds for own, other in pairs)
    return f"{_seconds(found[name])} ({fastest:.2f}, {middle:.2f})"


def _seconds(samples: Sequence[Sample]) -> str:
    """The fastest run, and how the runs ended if any ended otherwise than well."""
    verdicts = sorted({sample.verdict for sample in samples} - {"ok"})
    time = f"> {LIMIT:.0f}" if verdicts == ["endless"] else f"{_fastest(samples):.3f}"
    return " ".join([time, *verdicts])


def _fastest(samples: Sequence[Sample]) -> float:
    return min(sample.seconds for sample in samples)


def _least_work(samples: Sequence[Sample]) -> float:
    return min(sample.work for sample in samples)


def _double(rows: Sequence[Row], runs: int, directory: Path) -> dict[str, Samples]:
    """Print the second table: the growth from one size to the next."""
    grown = [row for row in rows if row.sizes]
    if grown:
        times = (f"{tool.name} grows by" for tool in (_OPATCH, _CONVERT, _FLOOR))
        _print_heading("doubling", "seconds", *times, "peak, MiB", "peak grows by", "linear")
    results: dict[str, Samples] = {}
    for row in grown:
        results[row.name] = found = _doubled(row, runs, directory)
        _print_row(row.title, *_growth(found, row.sizes))
    return results


def _doubled(row: Row, runs: int, directory: Path) -> Samples:
    with ExitStack() as stack:
        stages = {
            size: stack.enter_context(_staged(row.make(size), directory)) for size in row.sizes
        }
        runners = {
            _sized(tool, size): (stage, tool)
            for size, stage in stages.items()
            for tool in (_OPATCH, _CONVERT, _FLOOR)
        }
        return _in_turn({_START.name: (stages[row.sizes[0]], _START), **runners}, runs)


def _sized(tool: Tool, size: int) -> str:
    return f"{tool.name} {size}"


def _growth(found: Samples, sizes: Sequence[int]) -> tuple[str, ...]:
    """Seconds, growth of the work, peaks, their growth, and whether both are little enough."""
    applied = [found[_sized(_OPATCH, size)] for size in sizes]
    converted = [found[_sized(_CONVERT, size)] for size in sizes]
    by_git = [found[_sized(_FLOOR, size)] for size in sizes]
    start = _least_work(found[_START.name])
    growths = [
        _steps([_least_work(samples) - start for samples in applied]),
        _steps([_least_work(samples) - start for samples in converted]),
        _steps([_least_work(samples) for samples in by_git]),
    ]
    peaks = [min(sample.peak for sample in samples) for samples in applied]
    return (
        ", ".join(map(_seconds, applied)),
        *map(_listed, growths),
        ", ".join(f"{peak:.0f}" for peak in peaks),
        _listed(_steps(peaks)),
        _is_linear(growths[0], growths[1], _steps(peaks)),
    )


def _is_linear(applied: list[float], converted: list[float], peaks: list[float]) -> str:
    if max(applied + peaks) < _MAX_GROWTH:
        return "yes"
    return "but for git apply" if max(converted + peaks) < _MAX_GROWTH else "no"


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


def _store(path: Path, results: dict[str, dict[str, Samples]]) -> None:
    path.write_text(json.dumps(results, default=_plain, indent=1))


def _plain(sample: Sample) -> dict[str, object]:
    return asdict(sample)


if __name__ == "__main__":
    main()
