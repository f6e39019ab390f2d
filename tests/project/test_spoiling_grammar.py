"""The cases that the benchmark draws: what its oracle says, and that a seed draws the same ones."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from sandbox import Sandbox

import grammar
from grammar import describe, draw_text, read_changes
from model import (
    ADDED,
    REMOVED,
    Edit,
    FileChange,
    Format,
    Head,
    Header,
    Piece,
    Row,
    Verdict,
)
from peers import OWN
from reading import verdict_of
from scene import Scene, plain_scene
from table import is_good
from trial import Outcome, Result, try_all

_OLD = (
    *("class Reader:", "    def start(self):", "        self.open = True", "        return self"),
    *(
        "",
        "    def close(self):",
        "        self.open = False",
        "        return self",
        "",
        "END = 1",
    ),
)


def _change(at: int, new: str, old: tuple[str, ...] = _OLD) -> FileChange:
    lines = (*old[:at], new, *old[at + 1 :])
    return FileChange("reader.py", old, lines, (Edit(at, at + 1, at, at + 1),))


def _scene(change: FileChange, context: int = 1, head: Header = Header.BARE) -> Scene:
    return plain_scene(change, context, Format.ENVELOPE, head)


def test_a_hunk_that_occurs_once_must_apply() -> None:
    scene = _scene(_change(2, "        self.open = 1"))
    assert verdict_of(scene.pieces[0], scene) is Verdict.APPLY


def test_a_hunk_that_occurs_twice_may_be_refused() -> None:
    old = (*_OLD, *_OLD[1:4])
    scene = _scene(_change(2, "        self.open = 1", old))
    assert verdict_of(scene.pieces[0], scene) is Verdict.MAY


def test_an_anchor_tells_twins_apart() -> None:
    old = (*_OLD[:4], "", "    def stop(self):", *_OLD[2:4], *_OLD[4:])
    scene = _scene(_change(3, "        return None", old), head=Header.NAMED)
    assert scene.pieces[0].head == Head(anchors=("def start(self):",))
    piece = Piece(scene.pieces[0].rows[:3], 2, scene.pieces[0].head)
    assert verdict_of(piece, scene) is Verdict.APPLY
    assert verdict_of(Piece(piece.rows, 2), scene) is Verdict.MAY


def test_a_hunk_that_says_another_position_is_no_case() -> None:
    change = _change(2, "        self.open = 1")
    rows = (Row(REMOVED, _OLD[6], _OLD[2]), Row(ADDED, "x", "x"))
    assert verdict_of(Piece(rows, 2), _scene(change)) is None


def test_a_tolerance_needs_all_else_exact() -> None:
    scene = _scene(_change(2, "        self.open = 1"))
    piece = scene.pieces[0].with_text(0, "    def start(self):  # unchanged")
    assert verdict_of(piece.changed(tolerance=True), scene) is Verdict.APPLY
    assert verdict_of(piece.changed(tolerance=True).changed(), scene) is Verdict.MAY


def _history(repo: Sandbox) -> None:
    for version in range(12):
        methods = (
            f"    def step_{number}(self, value):\n"
            f"        base_{number} = self.base\n"
            f"        limit_{number} = {number + 10 * (number < version)}\n"
            f"        return value + base_{number} * limit_{number}\n"
            for number in range(12)
        )
        repo.commit({"src/steps.py": "class Steps:\n" + "\n".join(methods)})


def _results(repo: Sandbox, seed: str, count: int) -> list[Result]:
    changes = read_changes([Path(repo.path)], seed)
    return try_all(partial(draw_text, changes, seed), count, [OWN], jobs=1)


def _texts(repo: Sandbox, seed: str, count: int) -> list[str]:
    changes = read_changes([Path(repo.path)], seed)
    drawn = (draw_text(changes, seed, number) for number in range(count))
    return [write(OWN) for _, write in filter(None, drawn)]


def test_a_seed_draws_the_same_cases(repo: Sandbox) -> None:
    _history(repo)
    first, again, other = (_texts(repo, seed, 40) for seed in ("1", "1", "2"))
    assert len(first) > 15
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    "seed", ["3", *(pytest.param(each, marks=pytest.mark.exhaustive) for each in "456789")]
)
def test_a_spoiled_patch_gives_the_true_change_or_a_refusal(tmp_path: Path, seed: str) -> None:
    """Of what may be placed, one may be wrong: two slips of whitespace that look like none."""
    repo = Sandbox(tmp_path / "drawn").init()  # the name counts among what the seed draws from
    _history(repo)
    results = _results(repo, seed, 3 * len(grammar.TRANSFORMS))
    applied = [result for result in results if result.outcome is not Outcome.REFUSED]
    wrong = [result for result in applied if not is_good(result)]
    must = [describe(result) for result in wrong if result.case.verdict is not Verdict.MAY]
    assert (must, len(wrong) < 2) == ([], True)
    due = [result for result in results if result.case.verdict is Verdict.APPLY]
    assert len(due) > 40
    assert sum(map(is_good, due)) > 0.95 * len(due)


def _rows(
    program: ModuleType, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> list[list[str]]:
    """The cells of the tables that a program prints."""
    monkeypatch.setattr(sys, "argv", [program.__name__, *words])
    with redirect_stdout(io.StringIO()) as out:
        program.main()
    lines = (line for line in out.getvalue().splitlines() if line.startswith("| "))
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


def test_the_command_prints_how_many_cases_ended_how(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    _history(repo)
    results = _results(repo, "1", 12)
    _, _, (_, count, *ended), *_ = _rows(grammar, [str(repo.path), "--cases", "12"], monkeypatch)
    assert int(count) == sum(map(int, filter(None, ended))) == len(results) > 0
