"""Compare what this working tree and another revision make of the same cases.

    python benchmarks/compare.py --against main
    python benchmarks/compare.py --against main --sets grammar,late --list
    python benchmarks/compare.py --against main --repo CLONE --repo CLONE --typed CASES --seed 7

The scenarios and cases of the tests hold their own outcomes; these are others. Not words are
compared, but outcomes: whether a patch was applied, the bytes of what is there then,
and otherwise the reasons. Where a rule comes or goes, this says what it changes. The sets are

grammar    drawn by `grammar.py`: one to three slips at once
late       changes of real commits, for later versions of their file, as `travel.py` draws them
typed      diffs that models typed, as `collect_diffs.py` collects them; only with `--typed`
real       what models sent to their clients, as `collect_sessions.py` does; only with `--real`

and the columns

stricter      was applied, and is refused now
looser        was refused, and is applied now
other bytes   what is there afterwards differs
other reason  the reasons differ

Ends with status 1 if any of them is not 0.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import grammar
import model_diffs
import real_patches
import travel
from arguments import names_of, parser_of
from scene import write_scene
from table import counted

_TOP = Path(__file__).resolve().parents[1]
_COLUMNS = ("same", "stricter", "looser", "other bytes", "other reason")

Case = dict[str, Any]
Outcome = Mapping[str, Any]


def main() -> None:
    """Run the cases on both sides, and print what differs."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="compare-") as directory:
        top = Path(directory)
        _extract(options.against, top / "before")
        cases = dict(_write_cases(top / "cases", options))
        outcomes = _outcomes(top, {"before": top / "before", "after": _TOP})
    table = {name: Counter[str]() for name in options.sets}
    for id_, name in cases.items():
        before, after = (outcomes[side][id_] for side in ("before", "after"))
        column = column_of(before, after)
        table[name][column] += 1
        if options.list and column != "same":
            print(f"{id_}: {column}\n  {_short(before)}\n  {_short(after)}")
    rows = {(name,): counts for name, counts in table.items()}
    print(*counted(["set"], _COLUMNS, rows), sep="\n")
    sys.exit(any(counts.total() > counts["same"] for counts in table.values()))


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("--against", required=True, metavar="REV", help="the revision to compare with")
    add("--sets", type=names_of(_SETS), default=list(_SETS), help="some of: " + ",".join(_SETS))
    add("--count", type=int, default=600, metavar="N",
        help="cases of each set that is drawn (600)")  # fmt: skip
    add("--seed", default="1", help="another seed draws other cases")
    add("--repo", type=Path, action="append", help="a repository to draw from (this one)")
    add("--typed", type=Path, metavar="DIR", help="the cases of collect_diffs.py")
    add("--real", type=Path, metavar="DIR", help="the cases of collect_sessions.py")
    add("--list", action="store_true", help="print the cases that differ")
    options = parser.parse_args()
    own = _git("rev-parse", "--path-format=absolute", "--git-common-dir").decode().strip()
    options.repo = options.repo or [Path(own)]
    return options


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=_TOP, check=True, stdout=subprocess.PIPE).stdout


def _extract(revision: str, directory: Path) -> None:
    archive = io.BytesIO(_git("archive", revision, "git_opatch"))
    with tarfile.open(fileobj=archive) as files:
        files.extractall(directory, filter="data")


def _write_cases(path: Path, options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Write the cases of the sets to a file; yield the id and the set of each."""
    with path.open("w", encoding="utf-8") as file:
        for name in options.sets:
            for number, (title, case) in enumerate(_SETS[name](options)):
                id_ = f"{name} {number}: {title}"
                file.write(json.dumps({"id": id_, **case}) + "\n")
                yield id_, name


def _in_memory(files: Mapping[str, bytes], patch: bytes) -> Case:
    texts = {path: data.decode("latin-1") for path, data in files.items()}
    return {"files": texts, "patch": patch.decode("latin-1")}


def _grammar(options: argparse.Namespace) -> Iterator[tuple[str, Case]]:
    changes = grammar.read_changes(options.repo, options.seed)
    for number in range(options.count):
        if drawn := grammar.draw(changes, options.seed, number):
            case, scene = drawn
            text = write_scene(scene, scene.patch_format)
            yield case.kind, _in_memory(case.base, text.encode())


def _late(options: argparse.Namespace) -> Iterator[tuple[str, Case]]:
    found = itertools.chain.from_iterable(
        ((late, at) for at in range(1, len(late.versions)))
        for late in travel.draw(options.repo, options.seed)
    )
    for late, at in itertools.islice(found, options.count):
        title = f"{late.source} {late.change.path}, version {at}"
        yield title, _in_memory({late.change.path: late.versions[at]}, late.text.encode())


def _typed(options: argparse.Namespace) -> Iterator[tuple[str, Case]]:
    return _collected("typed", options.typed, model_diffs.Typed.load)


def _real(options: argparse.Namespace) -> Iterator[tuple[str, Case]]:
    return _collected("real", options.real, real_patches.Real.load)


def _collected(
    name: str, top: Path | None, load: Callable[[Path], model_diffs.Typed | real_patches.Real]
) -> Iterator[tuple[str, Case]]:
    """The cases in the directories below one, if it is named."""
    if top is None:
        print(f"{name}: skipped, since no --{name} names a directory", file=sys.stderr)
        return
    for place in sorted(top.iterdir()):
        case = load(place)
        yield place.name, _in_memory(case.base, case.patch)


_SETS: dict[str, Callable[[argparse.Namespace], Iterator[tuple[str, Case]]]] = {
    "grammar": _grammar,
    "late": _late,
    "typed": _typed,
    "real": _real,
}


def _outcomes(top: Path, sides: Mapping[str, Path]) -> dict[str, dict[str, Outcome]]:
    """Run all cases on both sides at once. Returns the outcomes of each side by the case's id."""
    program = str(Path(__file__).with_name("outcomes.py"))
    running = {}
    for side, tree in sides.items():
        env = {**os.environ, "PYTHONPATH": str(tree)}
        with (top / f"{side}.out").open("wb") as out:
            command = [sys.executable, program, str(top / "cases")]
            running[side] = subprocess.Popen(command, env=env, stdout=out)
    statuses = [run.wait() for run in running.values()]
    if any(statuses):
        raise SystemExit("one side did not run all cases")
    return {
        side: {case["id"]: case for case in map(json.loads, (top / f"{side}.out").open())}
        for side in sides
    }


def column_of(old: Outcome, new: Outcome) -> str:
    """The column of a case."""
    if old["ok"] != new["ok"]:
        return "stricter" if old["ok"] else "looser"
    if old["bytes"] != new["bytes"]:
        return "other bytes"
    return "same" if old["reason"] == new["reason"] else "other reason"


def _short(outcome: Outcome) -> str:
    result = "applied" if outcome["ok"] else "refused"
    return ascii(" ".join([result, *outcome["reason"]]))[1:301]


if __name__ == "__main__":
    main()
