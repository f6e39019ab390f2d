"""The cases that the benchmark draws: what its oracle says, and that a seed draws the same ones."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from sandbox import Sandbox

import grammar
from grammar import describe, draw_text, read_changes
from grammar_indents import explained
from grammar_lines import Kind, kind_of
from model import (
    ADDED,
    CONTEXT,
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
from reading import block_of, verdict_of
from scene import Scene, plain_scene, write_scene
from table import is_good
from trial import Outcome, Result, try_all
from twins import with_twin

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


@pytest.mark.parametrize(
    ("depths", "added", "verdict"),
    [
        ([(2, 4), (4, 8)], (6, 12), Verdict.APPLY),  # a ratio alone explains both
        ([(0, 4), (4, 8)], (8, 12), Verdict.APPLY),  # a shift alone does
        ([(2, 4)], (4, 8), Verdict.MAY),  # both do, and differ
        ([(3, 4)], (3, 4), Verdict.MAY),  # context that lost its prefix, or a hunk one space short
        ([(2, 4), (2, 6)], (2, 4), Verdict.APPLY),  # no rule: left to what follows
    ],
)
def test_indentation_is_told_if_every_rule_gives_it(
    depths: list[tuple[int, int]], added: tuple[int, int], verdict: Verdict
) -> None:
    old = [Row(CONTEXT, " " * shown + "a", " " * true + "a") for shown, true in depths]
    new = Row(ADDED, " " * added[0] + "b", " " * added[1] + "b")
    assert explained(Piece((*old, new), 0)) is verdict


@pytest.mark.parametrize(
    ("lines", "stop"),
    [
        (("def a():", "    b", "", "    c", "d"), 4),
        (("int a() {", "  b;", "#if C", "  d;", "}", "int e;"), 5),
        (("def a", "  b", "end", "c"), 3),
        (("class A:", "    b"), 2),
    ],
)
def test_a_block_ends_with_its_indentation(lines: tuple[str, ...], stop: int) -> None:
    assert block_of(lines, 0, prose=False) == range(stop)


def test_a_section_ends_at_the_next_of_its_level() -> None:
    assert block_of(("## a", "b", "### c", "## d"), 0, prose=True) == range(3)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("# Open the file for reading", Kind.PROSE),
        ("self.open(name)", Kind.CODE),
        ("    open the file for reading (if it is there)", Kind.UNCLEAR),
        ("pass", Kind.UNCLEAR),
    ],
)
def test_code_is_told_from_prose(line: str, kind: Kind) -> None:
    assert kind_of(line, _scene(_change(2, "x"))) is kind


def test_a_twin_leaves_the_change_as_it_is() -> None:
    change = _change(2, "        self.open = 1")
    for seed in range(20):
        twin = with_twin(change, Random(seed))
        if twin is not None:
            (edit,) = twin.edits
            made = list(twin.old)
            made[edit.old_start : edit.old_stop] = twin.new[edit.new_start : edit.new_stop]
            assert tuple(made) == twin.new
            assert len(twin.old) > len(change.old)
            return
    pytest.fail("no twin was made")


def test_numbers_and_headings_are_written_as_git_does() -> None:
    scene = plain_scene(_change(2, "        self.open = 1"), 1, Format.UNIFIED, Header.NAMED)
    assert write_scene(scene, Format.UNIFIED) == (
        "diff --git a/reader.py b/reader.py\n--- a/reader.py\n+++ b/reader.py\n"
        "@@ -2,3 +2,3 @@ class Reader:\n"
        "     def start(self):\n-        self.open = True\n+        self.open = 1\n"
        "         return self\n"
    )


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
    assert sum(map(is_good, due)) > 0.95 * len(due) > 45


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
