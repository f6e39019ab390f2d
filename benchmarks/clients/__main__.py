"""Run the real clients with the hook, and compare what lands with what `git opatch` does.

python benchmarks/clients [--work DIR] [--way NAME] [--without-hook] [-v]

Each client is installed from npm's registry below DIR, with a HOME of its own and a model of ours
on the loopback, which calls `apply_patch` for each patch, as a tool or in a shell.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cases import CASES, EDITS, NOT_PLACED, PLACED
from mock_model import MockModel
from trials import TRIALS, Trial

sys.path.append(str(Path(__file__).parents[1]))

from clients import EDIT_WAYS, WAYS, EditWay, Session, Way, install
from trees import git, read_tree, write_tree

_TOP = Path(__file__).parents[2]
_ADVICE = re.compile(r"cannot make this change; run in a shell, with the same patch: (.*?) <<'EOF'")
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
    advised: bool = False
    """Whether the files are those after the command that a denial names was run, too."""

    @property
    def wrongly_denied(self) -> bool:
        """Whether the patch applies, and the client could have made the change."""
        return self.answer == "denied" and self.applies and not self.advice

    @property
    def refused_by_client(self) -> bool:
        """Whether the patch applies, and the client refused it before it asked any hook."""
        return self.answer == "not asked" and self.applies and not self.landed

    @property
    def advice(self) -> str:
        """The command to run where the client's tool cannot make the change; empty if none."""
        found = _ADVICE.search(self.told)
        return found[1] if found else ""


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
    print("| client, tool | patches | denied | of them wrongly | client cannot | client refuses "
          "| completed | landed | as git opatch | with the advised command |")  # fmt: skip
    print("| --- |" + " --- |" * 9)
    with MockModel() as model:
        for way in WAYS:
            if options.way in str(way):
                outcomes = _run(options.work, way, model, hooked=not options.without_hook)
                print(_row(way, outcomes), flush=True)
                if options.verbose:
                    _explain(outcomes)
        _print_edits(options.work, options.way, model, verbose=options.verbose)
        if not options.without_hook:
            print("\n| client | what | as it should |\n| --- | --- | --- |")
            for trial in TRIALS:
                if options.way in trial.client:
                    print(f"| {trial.client} | {trial.name} | {_try(options.work, trial, model)} |")


def _run(work: Path, way: Way, model: MockModel, *, hooked: bool) -> list[Outcome]:
    patches = [case.in_directory(_directory(at)) for at, case in enumerate(CASES)]
    with tempfile.TemporaryDirectory(dir=work) as name:
        session = Session(work, Path(name), way.client)
        _create(session.tree)
        before, wanted, applies = read_modes(session.tree), Path(name, "wanted"), []
        wanted.mkdir()
        _create(wanted)
        applies = [_apply(wanted, patch) for patch in patches]
        expected = read_modes(wanted)
        if hooked:
            session.install()
        told = session.run(model, [[way.call(patch)] for patch in patches])
        outcomes = _outcomes(session, (before, expected), applies, told)
        if advised := [at for at, outcome in enumerate(outcomes) if outcome.advice]:
            shell = next(each for each in WAYS if each.client == way.client and each.in_shell)
            session.run(model, [[shell.call(patches[at], outcomes[at].advice)] for at in advised])
            again = _outcomes(session, (before, expected), applies, told)
            outcomes = [
                outcome._replace(advised=after.equal)
                for outcome, after in zip(outcomes, again, strict=True)
            ]
    return outcomes


def _outcomes(
    session: Session, trees: tuple[Tree, Tree], applies: Sequence[bool], told: Sequence[str]
) -> list[Outcome]:
    """Compare the files with `trees`, those before and those of `git opatch`."""
    after, answers, outcomes = read_modes(session.tree), session.answers(), []
    for at, result in enumerate(told):
        below = f"{_directory(at)}/"
        was, should, is_now = (_below(tree, below) for tree in (*trees, after))
        answer, equal = answers.get(_directory(at), "not asked"), is_now == should
        outcomes.append(Outcome(answer, applies[at], was != is_now, equal, result, equal))
    return outcomes


def _print_edits(work: Path, only: str, model: MockModel, *, verbose: bool) -> None:
    """Print the table of all tools that replace a string, with the hook and without it."""
    print(
        "\n| client, tool | hook | landed as meant | otherwise | not certain, landed | hook asked |"
    )
    print("| --- |" + " --- |" * 5)
    for way in EDIT_WAYS:
        if only in str(way):
            for hooked in (False, True) if way.read else (False,):
                print(_run_edits(work, way, model, hooked=hooked, verbose=verbose), flush=True)


def _run_edits(work: Path, way: EditWay, model: MockModel, hooked: bool, verbose: bool) -> str:
    """Make all edits with a tool; return the row that counts what landed."""
    with tempfile.TemporaryDirectory(dir=work) as name:
        session = Session(work, Path(name), way.client)
        paths = [f"{_directory(at)}/f" for at in range(len(EDITS))]
        files = {path: edit.data for path, edit in zip(paths, EDITS, strict=True)}
        _commit(session.tree, files)
        if hooked:
            session.install()
        steps = [
            [call]
            for path, edit in zip(paths, EDITS, strict=True)
            for call in way.calls(path, edit.old, edit.new, every=edit.every)
        ]
        session.run(model, steps)
        after = [(session.tree / path).read_bytes() for path in paths]
        asked = len(session.answers())
    landed = otherwise = wrong = 0
    for edit, data in zip(EDITS, after, strict=True):
        landed += data == edit.wanted
        otherwise += edit in PLACED and data not in (edit.wanted, edit.data)
        wrong += edit in NOT_PLACED and data != edit.data
        if verbose and data not in (edit.data, edit.wanted):
            print(f"    {edit.name}: {data!r}")
    counts = f"{landed} of {len(PLACED)} | {otherwise} | {wrong} of {len(NOT_PLACED)} | {asked}"
    return f"| {way} | {'yes' if hooked else 'no'} | {counts} |"


def _try(work: Path, trial: Trial, model: MockModel) -> str:
    """Make the calls of `trial` and say whether the files are as they should be, or why not."""
    with tempfile.TemporaryDirectory(dir=work) as name:
        session = Session(work, Path(name), trial.client)
        _commit(session.tree, trial.files)
        for key, value in trial.settings.items():
            subprocess.run(["git", "config", key, value], cwd=session.tree, check=True)
        session.install()
        told = session.run(model, trial.steps)
        files = read_tree(session.tree)
    missing = [text for text in trial.told if text not in "".join(told)]
    if files == trial.wanted and not missing:
        return "yes"
    return f"NO: {files} {missing} {told}"


def _directory(at: int) -> str:
    return f"case{at + 1:02}"


def _create(tree: Path) -> None:
    """Create a repository with the files of all cases."""
    files = {
        f"{_directory(at)}/{path}": data
        for at, case in enumerate(CASES)
        for path, data in {"keep": b"", **case.files}.items()
    }
    _commit(tree, files)


def _commit(tree: Path, files: Mapping[str, bytes]) -> None:
    write_tree(tree, files)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        git(tree, *words)


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


def read_modes(tree: Path) -> Tree:
    """Read all files but those of git, and whether each is executable."""
    files = read_tree(tree).items()
    return {path: (data, bool((tree / path).stat().st_mode & 0o100)) for path, data in files}


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
        sum(each.refused_by_client for each in outcomes),
        sum(each.answer == "completed" for each in outcomes),
        sum(each.landed for each in outcomes),
        sum(each.equal for each in outcomes),
        sum(each.advised for each in outcomes),
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
