"""Draw sequences of what people do with patches: apply, edit, commit, undo, redo.

A sequence is steps as `outcomes.py` runs them. It is drawn without running anything, so that it is
the same for every revision: what the files have by then is only assumed, and where that is wrong,
a patch is refused, or merged, as it is when somebody else was there.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

_NAMES = ("one.py", "two.txt", "sub/three.py")
_STEPS = 14
_OPTIONS: tuple[list[str], ...] = (
    *([],) * 6, ["--cached"], ["--worktree"], ["--carry"], ["--carry"], ["--3way"], ["--partial"],
    ["--skip-applied"], ["-R"], ["--commit", "-m", "patch"],
)  # fmt: skip
_PLACES: tuple[list[str], ...] = (*([],) * 4, ["--cached"], ["--worktree"])

Step = list[Any]
Content = tuple[str, ...] | None
"""The lines of a file; None if there is none."""


@dataclass
class _Desk:
    """What the files have, as far as the one who draws knows."""

    rng: Random
    files: dict[str, Content]
    patches: list[str] = field(default_factory=list)
    earlier: list[dict[str, Content]] = field(default_factory=list)


def draw_sequence(rng: Random) -> tuple[dict[str, Content], list[Step]]:
    """Return files, and the steps that begin with them."""
    files: dict[str, Content] = {name: _lines(rng) for name in _NAMES}
    desk = _Desk(rng, dict(files))
    makers = (_apply,) * 5 + (_undo,) * 3 + (_redo,) * 2 + (_edit,) * 2 + (_again, _git)
    return files, [step for _ in range(_STEPS) for step in rng.choice(makers)(desk)]


def _lines(rng: Random) -> tuple[str, ...]:
    """Blocks that look alike, so that lines alone do not always tell where something is."""
    return tuple(
        line
        for name in rng.sample("abcdefgh", 5)
        for line in (f"def {name}():", f"    value = {rng.randrange(3)}", "    return value", "")
    )


def _changed(rng: Random, lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines with one to three changes."""
    for _ in range(rng.randint(1, 3)):
        at, number = rng.randrange(len(lines) + 1), rng.randrange(1000)
        stop = at + rng.choice((0, 1, 1, 2))
        new = [f"    step_{number + each}()" for each in range(rng.randrange(3))]
        lines = (*lines[:at], *new, *lines[stop:])
    return lines


def _apply(desk: _Desk) -> Iterator[Step]:
    rng, before = desk.rng, dict(desk.files)
    for name in rng.sample(_NAMES, rng.choice((1, 1, 2))):
        lines = desk.files[name]
        kept = lines is not None and rng.random() < 0.85
        desk.files[name] = (
            _changed(rng, lines) if lines and kept else None if lines else _lines(rng)
        )
    patch = _diff(rng, before, desk.files)
    desk.patches.append(patch)
    desk.earlier.append(before)
    yield ["opatch", ["apply", "--json", *rng.choice(_OPTIONS)], patch]


def _diff(rng: Random, before: Mapping[str, Content], after: Mapping[str, Content]) -> str:
    text, context = "", rng.choice((1, 3, 3))
    for name in before:
        old, new = before[name], after[name]
        source, target = f"a/{name}" if old else "/dev/null", f"b/{name}" if new else "/dev/null"
        lines = difflib.unified_diff(old or (), new or (), source, target, n=context, lineterm="")
        text += "".join(line + "\n" for line in lines)
    return re.sub(r"(?m)^@@ .*", "@@", text) if rng.random() < 0.3 and "/dev" not in text else text


def _again(desk: _Desk) -> Iterator[Step]:
    if desk.patches:
        options = desk.rng.choice(_OPTIONS)
        yield ["opatch", ["apply", "--json", *options], desk.rng.choice(desk.patches)]


def _undo(desk: _Desk) -> Iterator[Step]:
    if desk.earlier:
        desk.files = dict(desk.earlier.pop())
    yield _reversal(desk, "undo")


def _redo(desk: _Desk) -> Iterator[Step]:
    yield _reversal(desk, "redo")


def _reversal(desk: _Desk, command: str) -> Step:
    number = desk.rng.randint(1, len(desk.patches) + 1)
    which = [str(number)] if desk.rng.random() < 0.4 else []
    return ["opatch", [command, "--json", *desk.rng.choice(_PLACES), *which], ""]


def _edit(desk: _Desk) -> Iterator[Step]:
    name = desk.rng.choice(_NAMES)
    lines = desk.files[name] = _changed(desk.rng, desk.files[name] or _lines(desk.rng))
    yield ["write", name, "".join(line + "\n" for line in lines)]


def _git(desk: _Desk) -> Iterator[Step]:
    words = ("add -A", "commit -qam mine", "commit -qm mine", "reset -q --hard", "reset -q")
    yield ["git", desk.rng.choice(words).split()]
