"""Run the real clients with the hook, and compare what lands with what `git opatch` does.

python benchmarks/clients [--work DIR] [--way NAME] [--without-hook] [-v]

Each client is installed from npm's registry below DIR, with a HOME of its own and a model of ours
on the loopback, which calls `apply_patch` for each patch, as a tool or in a shell.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cases import CASES
from mock_model import MockModel

from clients import WAYS, Session, Way, install

_TOP = Path(__file__).parents[2]
Tree = Mapping[str, tuple[bytes, bool]]
"""The content of each file, and whether it is executable."""


class Outcome(NamedTuple):
    """What became of one patch in a client."""

    answer: str
    """Of the hook: `denied`, `completed`, `let be`, or `not asked`."""
    applies: bool
    """Whether `git opatch` applies the patch."""
    landed: bool
    """Whether the client changed anything."""
    equal: bool
    """Whether the files are those that `git opatch` leaves."""
    told: str

    @property
    def wrongly_denied(self) -> bool:
        """Whether the patch applies, and the client could have made the change."""
        return self.answer == "denied" and self.applies and "cannot make this" not in self.told


def main() -> None:
    """Run each client and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir(), "opatch-clients"))
    parser.add_argument("--way", default="", help="only what has this in its name")
    parser.add_argument("--without-hook", action="store_true", help="what clients do by themselves")
    parser.add_argument("-v", "--verbose", action="store_true", help="each patch, too")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if why := install(options.work):
        print(f"skipped: {why}")
        return
    print("| client, tool | patches | denied | of them wrongly | client cannot | completed "
          "| landed | as git opatch |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with MockModel() as model:
        for way in WAYS:
            if options.way in str(way):
                outcomes = _run(options.work, way, model, hooked=not options.without_hook)
                print(_row(way, outcomes), flush=True)
                if options.verbose:
                    _explain(outcomes)


def _run(work: Path, way: Way, model: MockModel, *, hooked: bool) -> list[Outcome]:
    patches = [case.in_directory(_directory(at)) for at, case in enumerate(CASES)]
    with tempfile.TemporaryDirectory(dir=work) as name:
        session = Session(work, Path(name), way)
        _create(session.tree)
        before, wanted, applies = _read(session.tree), Path(name, "wanted"), []
        wanted.mkdir()
        _create(wanted)
        applies = [_apply(wanted, patch) for patch in patches]
        expected = _read(wanted)
        told = session.run(model, patches, hooked=hooked)
        after, answers = _read(session.tree), session.answers()
    outcomes = []
    for at, result in enumerate(told):
        below = f"{_directory(at)}/"
        was, is_now, should = (_below(tree, below) for tree in (before, after, expected))
        answer = answers.get(_directory(at), "not asked")
        outcomes.append(Outcome(answer, applies[at], was != is_now, is_now == should, result))
    return outcomes


def _directory(at: int) -> str:
    return f"case{at + 1:02}"


def _create(tree: Path) -> None:
    """Create a repository with the files of all cases."""
    for at, case in enumerate(CASES):
        for path, data in {"keep": b"", **case.files}.items():
            file = tree / _directory(at) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "base")):
        subprocess.run(["git", *words], cwd=tree, check=True)


def _apply(tree: Path, patch: str) -> bool:
    """Apply the patch with `git opatch`; whether it applied."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "git_opatch", "apply-patch"],
        cwd=tree,
        input=patch.encode(),
        env={**os.environ, "PYTHONPATH": str(_TOP)},
        capture_output=True,
    )
    return done.returncode == 0


def _read(tree: Path) -> Tree:
    files = [path for path in tree.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {
        path.relative_to(tree).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in files
    }


def _below(tree: Tree, directory: str) -> Tree:
    return {path: file for path, file in tree.items() if path.startswith(directory)}


def _row(way: Way, outcomes: Sequence[Outcome]) -> str:
    denied = [each for each in outcomes if each.answer == "denied"]
    wrongly = sum(each.wrongly_denied for each in denied)
    unable = sum(each.applies for each in denied) - wrongly
    counts = (
        len(outcomes),
        len(denied),
        wrongly,
        unable,
        sum(each.answer == "completed" for each in outcomes),
        sum(each.landed for each in outcomes),
        sum(each.equal for each in outcomes),
    )
    return f"| {way} | {' | '.join(map(str, counts))} |"


def _explain(outcomes: Sequence[Outcome]) -> None:
    for case, outcome in zip(CASES, outcomes, strict=True):
        landed = "landed" if outcome.landed else "nothing landed"
        verdict = "as git opatch" if outcome.equal else "OTHERWISE than git opatch"
        print(f"    {case.name}: {outcome.answer}, {landed}, {verdict}")
        if not outcome.equal or outcome.wrongly_denied:
            print(f"        {outcome.told[:500]!r}")


if __name__ == "__main__":
    main()
