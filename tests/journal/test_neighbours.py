"""The state of a patch follows from its own lines, whatever becomes of those beside them (D220).

Each patch of a sequence changes a line of its own, and all lines are next to one another. So what
became of each patch is known from one line: in the index, and in each commit.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_LINES = 8
_STEPS = 8


class Run:
    """A file whose lines are changed by patches, by hand and by git."""

    def __init__(self, repo: Sandbox, seed: int) -> None:
        self.repo, self.random = repo, random.Random(seed)
        self.index = [f"line {number}" for number in range(_LINES)]
        self._write()
        repo.commit()
        self.commits = [(self._id(), list(self.index))]
        self.patches: dict[int, tuple[int, str, str]] = {}
        """By number: the line, what it was, and what the patch makes of it."""
        self.log: list[str] = []

    def _write(self) -> None:
        self.repo.write("f", "".join(f"{line}\n" for line in self.index))

    def _id(self) -> str:
        return self.repo.git("rev-parse", "HEAD").decode().strip()

    def _free(self) -> list[int]:
        """The lines that no patch changed, or whose patch was lost."""
        return [at for at, line in enumerate(self.index) if line.startswith("line")]

    def apply(self) -> None:
        """Change a line, perhaps just as a patch did that was lost."""
        if not (free := self._free()):
            return
        at = self.random.choice(free)
        old, number = self.index[at], len(self.patches) + 1
        lost = [new for line, was, new in self.patches.values() if (line, was) == (at, old)]
        new = self.random.choice([*lost, f"patch {number}"])
        shown = f" {self.index[at - 1]}\n" if at and self.random.random() < 0.5 else ""
        patch = f"*** Update File: f\n@@\n{shown}-{old}\n+{new}\n".encode()
        ran = self.repo.opatch("apply", feed=envelope(patch))
        assert ran.status == 0, ran.err
        self.patches[number] = at, old, new
        self.index[at] = new

    def edit(self) -> None:
        """Change a line by hand that no patch changed."""
        if free := [at for at in self._free() if at not in {p[0] for p in self.patches.values()}]:
            self.index[self.random.choice(free)] = f"line {self.random.random()}"
            self._write()
            self.repo.git("add", "f")

    def commit(self) -> None:
        if self.index != self.commits[-1][1]:
            self.repo.git("commit", "-q", "-m", "c")
            self.commits.append((self._id(), list(self.index)))

    def reset(self) -> None:
        self.repo.git("reset", "-q", "--hard")
        self.index = list(self.commits[-1][1])

    def steps(self) -> Iterator[str]:
        yield "apply"
        yield from self.random.choices(["apply", "edit", "commit", "reset"], [5, 3, 3, 2], k=_STEPS)

    def expected(self, number: int) -> tuple[str, list[str]]:
        at, _, new = self.patches[number]
        if self.index[at] != new:
            return "gone", []
        if any(self.patches[other][::2] == (at, new) for other in self.patches if other > number):
            return "reapplied", []
        if self.commits[-1][1][at] != new:
            return "applied", []
        first = next(oid for oid, lines in self.commits if lines[at] == new)
        return "committed", [first]

    def check(self) -> None:
        records = json.loads(self.repo.opatch("log", "--json").out)["records"]
        found = {each["record"]: (each["state"], each["commits"]) for each in records}
        assert found == {number: self.expected(number) for number in self.patches}


def _check_sequence(directory: Path, seed: int) -> None:
    run = Run(Sandbox(directory).init(), seed)
    for step in run.steps():
        run.log.append(step)
        getattr(run, step)()
        try:
            run.check()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {run.log} {run.patches}") from error


@pytest.mark.parametrize("seed", range(8))
def test_lines_beside_a_change_do_not_matter(tmp_path: Path, seed: int) -> None:
    _check_sequence(tmp_path, seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(100, 180))
def test_lines_beside_many_changes_do_not_matter(tmp_path: Path, seed: int) -> None:
    _check_sequence(tmp_path, seed)
