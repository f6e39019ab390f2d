"""Random sequences of apply, undo, redo and git's own commands agree with a model.

The model has cells instead of lines: each file has a few slots far apart, each with a value, and a
patch changes the values of some. So the model knows without any diff what a patch changed, whether
that is still there, and what an undo must restore (D120). Users write by hand what a patch or an
undo would write, and name other targets: what was undone stays so (D335), in the index and in the
working tree apart (D452).
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from sandbox import Ran, Sandbox

_SEEDS = int(os.environ.get("OPATCH_SEQUENCES", "60"))
_FIRST = int(os.environ.get("OPATCH_FIRST_SEQUENCE", "0"))
_SLOTS = 3
_STEPS = 9

Values = tuple[str, ...]
"""The values of a file: the line at its top, a line that is only context, and its slots."""
Files = dict[str, Values]
_TOP, _CONTEXT, _FIRST_SLOT = 0, 1, 2
_PLACES = {"index": {"cached", "worktree"}, "cached": {"cached"}, "worktree": {"worktree"}}
"""What a target is of: the index, the working tree, or both."""
_NAMES = {"cached": "index", "worktree": "working tree"}
Cells = dict[tuple[str, int], tuple[str, str]]
"""What a step changes: its file and place, the old value and the new one."""


def _text(name: str, values: Values) -> str:
    top, context, *slots = values
    lines = [f"top of {name} {top}"] if top else []
    for number, slot in enumerate(slots):
        begin = f"context {context}" if number == 0 else f"{name} {number} a"
        lines += [begin, *(f"{name} {number} {letter}" for letter in "bcde"), slot]
    return "".join(f"{line}\n" for line in [*lines, *(f"{name} end {i}" for i in range(5))])


def _target(places: set[str]) -> str:
    """The target that has just these places; empty if there are none."""
    return next((target for target, its in _PLACES.items() if its == places), "")


def _blob(name: str, values: Values) -> str:
    data = _text(name, values).encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass(frozen=True)
class Step:
    """What one record did: the values of each cell before and after; a cell of a file is (0, …)."""

    number: int
    action: str  # apply, undo or redo
    patch: int
    target: str
    cells: Cells
    """By file and cell; the values before and after. The cell -1 is the existence of the file."""
    carried: bool = False
    commit: int = 0
    key: int = 0
    """The text of the patch; 0 if it is not to be found by it."""
    head: int = 0
    """The commit of HEAD."""

    def reversed(self, number: int, target: str, carried: bool) -> Step:
        cells = {cell: (new, old) for cell, (old, new) in self.cells.items()}
        action = "redo" if self.action == "undo" else "undo"
        return Step(number, action, self.patch, target, cells, carried)

    @property
    def files(self) -> set[str]:
        return {name for name, _ in self.cells}


@dataclass
class Model:
    """What must be there: HEAD, index and working tree, and the journal."""

    index: Files
    work: Files
    commits: list[tuple[int, Files]] = field(default_factory=list)  # parent, files
    head: int = 0
    branches: dict[str, int] = field(default_factory=dict)
    branch: str = "main"
    steps: list[Step] = field(default_factory=list)

    @property
    def head_files(self) -> Files:
        return self.commits[self.head][1]

    def commit(self) -> None:
        self.commits.append((self.head, dict(self.index)))
        self.head = self.branches[self.branch] = len(self.commits) - 1

    def has_commit(self, commit: int) -> bool:
        return commit in self.ancestors(self.head)

    def ancestors(self, commit: int) -> list[int]:
        """A commit and all before it."""
        return [commit, *(self.ancestors(self.commits[commit][0]) if commit else ())]

    # --- what is there ---------------------------------------------------------------------

    def tree(self, target: str) -> Files:
        return self.work if target == "worktree" else self.index

    @staticmethod
    def value(files: Files, cell: tuple[str, int]) -> str | None:
        name, at = cell
        if at < 0:
            return repr(files[name]) if name in files else ""
        return files[name][at] if name in files else None

    def has(self, step: Step, files: Files) -> bool:
        return all(self.value(files, cell) == new for cell, (_, new) in step.cells.items())

    def there(self, step: Step, target: str | None = None) -> bool:
        return self.has(step, self.tree(target or step.target))

    # --- the states of patches ---------------------------------------------------------------

    def chain(self, patch: int) -> list[Step]:
        return [step for step in self.steps if step.patch == patch]

    def patches(self) -> list[int]:
        """By their last application, the newest first."""
        last = {step.patch: step.number for step in self.steps if step.action != "undo"}
        return sorted(last, key=last.__getitem__, reverse=True)

    def application(self, patch: int, target: str = "index") -> Step:
        """The last step that applied a patch in a part of `target`, or else anywhere."""
        applied = [step for step in self.chain(patch) if step.action != "undo"]
        there = [step for step in applied if _PLACES[step.target] & _PLACES[target]]
        return (there or applied)[-1]

    def undo_in(self, patch: int, place: str) -> Step | None:
        """The undo that was the last step of a patch in a place; None if another one was."""
        about = [step for step in self.chain(patch) if place in _PLACES[step.target]]
        return about[-1] if about and about[-1].action == "undo" else None

    def undone_by_journal(self, patch: int) -> set[str]:
        return {place for place in _PLACES["index"] if self.undo_in(patch, place)}

    def undone(self, patch: int) -> set[str]:
        """Where a patch is undone, and was not brought back by git."""
        return {
            place
            for place in self.undone_by_journal(patch)
            if (undo := self.undo_in(patch, place))
            and not self._back(undo, self.application(patch, place), place)
        }

    def last_applied(self, patch: int) -> Step:
        """The application of a patch where it is not undone."""
        return self.application(patch, _target(self.applied_places(patch) - self.undone(patch)))

    def applied_places(self, patch: int) -> set[str]:
        applied = [step for step in self.chain(patch) if step.action != "undo"]
        return {place for step in applied for place in _PLACES[step.target]}

    def state(self, patch: int, target: str | None = None) -> str:
        """The state where a patch is not undone; what is gone there, and undone elsewhere, is."""
        wanted = _PLACES[target] if target else self.applied_places(patch)
        undone = self.undone(patch) & (wanted if target else _PLACES["index"])
        left, undos = _target(wanted - undone), self.steps_of(patch, undone)
        if left:
            state = self._state_where_applied(patch, left)
            if state != "gone" or not undos:
                return state
        return "reapplied" if self._anew(patch, undos[0][0]) else "undone"

    def partly_undone(self, patch: int) -> str:
        """What the log says of a patch that is undone in one place and not in the other."""
        undone = self.undone(patch)
        if self.state(patch) in ("undone", "reapplied") or not undone:
            return ""
        return f"undone by {self.steps_of(patch, undone)[0][0].number} in the {_NAMES[min(undone)]}"

    def _state_where_applied(self, patch: int, target: str) -> str:
        applied = self.application(patch, target)
        if not self.there(applied, target):
            return self._missing(patch, applied, target)
        if self._again(patch, applied, target):
            return "reapplied"
        if applied.commit and self.has_commit(applied.commit):
            return "committed by us"
        return "committed" if self.committed(applied) else "applied"

    def committed(self, applied: Step) -> bool:
        """Whether HEAD has a step, by a commit from after its patch (D456)."""
        if not self.has(applied, self.head_files) or self.is_before(self.head, applied):
            return False
        before = self.commits[self.chain(applied.patch)[0].head][1]
        return not self.has(applied, before) or any(
            self._made_file(applied, name, commit)
            for commit in self.ancestors(self.head)
            for name in applied.files
        )

    def is_before(self, commit: int, step: Step) -> bool:
        """Whether a commit was in the history when the patch of a step was applied first."""
        return commit in self.ancestors(self.chain(step.patch)[0].head)

    def steps_of(self, patch: int, places: set[str]) -> list[tuple[Step, str]]:
        """The last undo in each of the places, newest first, with all that it is the last of."""
        undos = {place: self.undo_in(patch, place) for place in places}
        return self._grouped({place: step for place, step in undos.items() if step})

    def applications(self, patch: int, places: set[str]) -> list[tuple[Step, str]]:
        """The same of what applied the patch."""
        return self._grouped({place: self.application(patch, place) for place in places})

    @staticmethod
    def _grouped(steps: dict[str, Step]) -> list[tuple[Step, str]]:
        numbers = sorted({step.number for step in steps.values()}, reverse=True)
        return [
            (step, _target({place for place, each in steps.items() if each.number == number}))
            for number in numbers
            for step in [next(each for each in steps.values() if each.number == number)]
        ]

    def _anew(self, patch: int, undo: Step) -> bool:
        """Whether the same text was applied after the undo, and still is."""
        key = self.chain(patch)[0].key
        return any(
            self.chain(other)[0].key == key != 0
            and other != patch
            and (places := self.applied_places(other) - self.undone_by_journal(other))
            and self.application(other).number > undo.number
            and self.there(self.application(other), _target(places))
            for other in self.patches()
        )

    def _back(self, undo: Step, applied: Step, place: str) -> bool:
        """Whether HEAD has the change by a commit from before the undo, and the files have it."""
        if self.there(undo, place) or not self.there(applied, place):
            return False
        if not self.committed(applied):
            return False
        before = set(self.ancestors(undo.head))
        return not any(
            self._has_file(applied, name, self.commits[commit][1])
            and not self._has_file(applied, name, self.commits[self.commits[commit][0]][1])
            for commit in self.ancestors(self.head)
            if commit not in before
            for name in applied.files
        )

    def _has_file(self, step: Step, name: str, files: Files) -> bool:
        cells = {cell: pair for cell, pair in step.cells.items() if cell[0] == name}
        return self.has(replace(step, cells=cells), files)

    found: dict[int, Files] = field(default_factory=dict)
    """What each step found where it was applied."""
    left: dict[int, Files] = field(default_factory=dict)
    """What each step left there."""
    stored: set[tuple[str, Values]] = field(default_factory=set)
    """Every version of a file that was ever in the index."""

    def _again(self, patch: int, applied: Step, target: str) -> bool:
        """Whether a later patch that is applied in all of `target` made the same change again."""
        key = self.chain(patch)[0].key
        return any(
            other != patch
            and _PLACES[target] <= self.applied_places(other) - self.undone_by_journal(other)
            and (
                self.chain(other)[0].key == key != 0
                or self._brought(self.application(other, target), applied)
            )
            and self.application(other, target).number > applied.number
            and self.there(self.application(other, target), target)
            for other in self.patches()
        )

    def _brought(self, later: Step, applied: Step) -> bool:
        """Whether a step found the change of an earlier one gone, and made it again."""
        found = self.found[later.number]
        return later.files >= applied.files and all(
            self.value(found, cell) == old and later.cells.get(cell, ("", ""))[1] == new
            for cell, (old, new) in applied.cells.items()
        )

    def partly_committed(self, step: Step) -> bool:
        """Whether HEAD has a part of a step; of files that git never had, it cannot be told."""
        left, before = self.left[step.number], self.commits[self.chain(step.patch)[0].head][1]
        return not self.is_before(self.head, step) and any(
            self.value(before, (name, at)) != new == self.value(self.head_files, (name, at))
            for (name, at), (_, new) in step.cells.items()
            if at < 0
            or left[name] in (self.head_files.get(name), self.work.get(name))
            or (name, left[name]) in self.stored
        )

    def _missing(self, patch: int, step: Step, target: str) -> str:
        tree = self.tree(target)
        dirty = any(self.work.get(name) != self.index.get(name) for name in step.files)
        if target == "index" and dirty and self.has(step, self.work):
            return "reapplied" if self._again(patch, step, "worktree") else "unstaged"
        lost = all(self._lost(step, name, tree) for name in step.files)
        return "gone" if lost and not self._overwritten(step, tree) else "changed"

    def _overwritten(self, step: Step, tree: Files) -> bool:
        """Whether other lines are in the place of a change that was made, and then changed.

        A commit of the history of HEAD made it, or a later step changed it, and is there.
        """
        if not self._is_known(step, tree) or all(
            self._restored(step, name, tree) for name in step.files
        ):
            return False
        by_patch = any(
            later.number > step.number
            and later.patch != step.patch
            and later.target == step.target
            and name in later.files
            and self._has_file(step, name, self.found[later.number])
            and not self._has_file(step, name, self.left[later.number])
            and self.there(later)
            for name in step.files
            for later in self.steps
        )
        return by_patch or all(
            any(self._made_file(step, name, commit) for commit in self.ancestors(self.head))
            for name in step.files
        )

    def _restored(self, step: Step, name: str, tree: Files) -> bool:
        """Whether the values of a file from before a step are back, or a later one found them."""
        cells = {cell: pair for cell, pair in step.cells.items() if cell[0] == name}
        if all(self.value(tree, cell) == old for cell, (old, _) in cells.items()):
            return True
        return self._found_gone(step, name, cells)

    def _made_file(self, step: Step, name: str, commit: int) -> bool:
        """Whether a commit made the change of a file, which HEAD did not have before the patch."""
        first = self.chain(step.patch)[0]
        if self.is_before(commit, step):
            return False
        is_elsewhere = not self.has_commit(first.head)  # a reset, or another branch
        if is_elsewhere and self._has_file(step, name, self.commits[first.head][1]):
            return False
        parent, files = self.commits[commit]
        before = self.commits[parent][1] if commit else {}
        return self._has_file(step, name, files) and not self._has_file(step, name, before)

    def _is_known(self, step: Step, tree: Files) -> bool:
        """Whether git was ever given the files as the step left them, where they differ now."""
        left, found = self.left[step.number], self.found[step.number]
        return all(
            (name, left[name]) in self.stored
            for name in step.files
            if name in left and tree.get(name) not in (left[name], found.get(name))
        )

    def _lost(self, step: Step, name: str, tree: Files) -> bool:
        """Whether no cell of a file has its new value, and none was changed by hand."""
        cells = {cell: pair for cell, pair in step.cells.items() if cell[0] == name}
        values = {cell: self.value(tree, cell) for cell in cells}
        if tree.get(name) != self.head_files.get(name) and not self._is_known(step, tree):
            # git does not have what was left there, so HEAD's lines cannot be told in its place
            return all(values[cell] == old for cell, (old, _) in cells.items())
        if all(
            values[cell] != new and values[cell] in (old, self.value(self.head_files, cell))
            for cell, (old, new) in cells.items()
        ):
            return True
        there = [values[cell] == new for cell, (_, new) in cells.items()]
        return not all(there) and self._found_gone(step, name, cells)

    def _found_gone(self, step: Step, name: str, cells: Cells) -> bool:
        """Whether a later step found the values of a file from before a step."""
        return any(
            later.number > step.number
            and later.patch != step.patch
            and later.target == step.target
            and name in later.files
            and all(
                self.value(self.found[later.number], cell) == old
                for cell, (old, _) in cells.items()
            )
            for later in self.steps
        )

    # --- what commands do --------------------------------------------------------------------

    def can_write(self, step: Step, target: str, *, carry: bool) -> bool:
        """Whether the files are in a state in which the step's cells can be written."""
        if target != "index":
            return True
        if all(self.work.get(name) == self.index.get(name) for name in step.files):
            return True
        if not carry:
            return False
        dirty = [name for name in step.files if self.work.get(name) != self.index.get(name)]
        if any((name, -1) in step.cells or name not in self.work for name in dirty):
            return False
        old = {cell: pair[0] for cell, pair in step.cells.items()}
        return all(self.value(self.work, cell) == value for cell, value in old.items())

    def write(self, step: Step) -> None:
        self.found[step.number] = dict(self.tree(step.target))
        targets = {"index": (self.index, self.work), "cached": (self.index,)}
        for files in targets.get(step.target, (self.work,)):
            for (name, at), (_, new) in step.cells.items():
                if at >= 0:
                    values = list(files[name])
                    values[at] = new
                    files[name] = tuple(values)
                elif new:
                    files[name] = eval(new)
                else:
                    files.pop(name, None)
        self.left[step.number] = dict(self.tree(step.target))
        self.steps.append(step)

    @property
    def next(self) -> int:
        return len(self.steps) + 1

    def reverse(self, step: Step, target: str) -> bool:
        """Apply a record in reverse, if that is possible."""
        new = replace(step.reversed(self.next, target, step.carried), head=self.head)
        if not self.there(step, target) or not self.can_write(new, target, carry=step.carried):
            return False
        self.write(new)
        return True

    def undo(self, patch: int | None, target: str | None = None) -> bool:
        if patch is not None:
            for step, where in self.steps_to_undo(patch, target):
                if self.state(patch, where) in (
                    "applied",
                    "changed",
                    "committed",
                    "committed by us",
                ):
                    return self.reverse(step, where)
            return False
        steps = [pair for each in self.patches() for pair in self.steps_to_undo(each, target)]
        for step, where in sorted(steps, key=lambda pair: -pair[0].number):
            state = self.state(step.patch, where)
            if self.state(step.patch) == "undone" or state in ("reapplied", "gone"):
                continue
            if state == "applied" and self.partly_committed(step):
                return False
            return state in ("applied", "changed") and self.reverse(step, where)
        return False

    def steps_to_undo(self, patch: int, target: str | None) -> list[tuple[Step, str]]:
        """What can be undone of a patch, and where: not where it is undone already."""
        undone = self.undone(patch)
        if target is None:
            return self.applications(patch, self.applied_places(patch) - undone)
        where = _target(_PLACES[target] - undone)
        return [(self.application(patch, where), where)] if where else []

    def redo(self, patch: int | None, target: str | None = None) -> bool:
        new = max((each.number for each in self.steps if each.action == "apply"), default=0)
        patches, after = (self.patches(), new) if patch is None else ([patch], 0)
        undos = [pair for each in patches for pair in self.steps_of(each, self.undone(each))]
        for undo, where in sorted(undos, key=lambda pair: -pair[0].number):
            if target and not _PLACES[target] & _PLACES[where]:
                continue
            if undo.number > after and self._redoable(undo, where):
                left = self.applied_places(undo.patch) - self.undone(undo.patch)
                wanted = _PLACES[target] - left if target else _PLACES[where]
                return self.reverse(undo, _target(wanted))
        return False

    def _redoable(self, undo: Step, where: str) -> bool:
        """Whether a patch is undone there, and nobody wrote it there again."""
        return self.state(undo.patch, where) == "undone" and not self.there(
            self.application(undo.patch, where), where
        )


class Run:
    """Runs one sequence, in the repository and in the model."""

    def __init__(self, repo: Sandbox, seed: int) -> None:
        self.repo, self.random = repo, random.Random(seed)
        self.log: list[str] = []
        self.values = 0
        self.texts: dict[int, bytes] = {}
        files: Files = {name: ("", "old", *self._slots(name)) for name in ("f", "g", "d")}
        for name, values in files.items():
            repo.write(name, _text(name, values))
        repo.commit()
        repo.git("branch", "side")
        self.model = Model(dict(files), dict(files), [(0, dict(files))])
        self.model.branches = {"main": 0, "side": 0}

    def _slots(self, name: str) -> list[str]:
        return [f"slot {name} {number} 0" for number in range(_SLOTS)]

    def _new(self, name: str, at: int) -> str:
        self.values += 1
        return f"slot {name} {at} {self.values}"

    def run(self, *words: str, feed: bytes = b"") -> Ran:
        ran = self.repo.opatch(*words, feed=feed)
        self.log.append(f"{' '.join(words)} -> {ran.status}\n  {ran.out!r} {ran.err}")
        return ran

    def git(self, *words: str) -> None:
        self.log.append("git " + " ".join(words))
        self.repo.git(*words)

    # --- patches -----------------------------------------------------------------------------

    def _chosen(self, files: Files) -> Cells:
        """Choose cells to change in `files`: some slots of one or two files, or a whole file.

        Some get the value that HEAD has, as after a patch that adds a line, which the next removes.
        """
        kind, head = self.random.random(), self.model.head_files
        if kind < 0.1 and "d" in files:
            return {("d", -1): (repr(files["d"]), "")}
        if kind < 0.1 and "d" in head:
            return {("d", -1): ("", repr(head["d"]))}
        if kind < 0.2:
            self.values += 1
            name = f"n{self.values}"
            return {(name, -1): ("", repr(("", "new", *self._slots(name))))}
        names = self.random.sample(["f", "g"], self.random.choice([1, 1, 2]))
        cells = {}
        for name in (name for name in names if name in files):
            for at in self.random.sample(range(_SLOTS), self.random.choice([1, 1, 2])):
                cell = (name, at + _FIRST_SLOT)
                old, new = files[name][at + _FIRST_SLOT], head[name][at + _FIRST_SLOT]
                if old == new or self.random.random() < 0.6:
                    new = self._new(name, at)
                cells[cell] = (old, new)
        return cells

    @staticmethod
    def _patch(cells: Cells, context: Sequence[str] = ()) -> bytes:
        lines = ["*** Begin Patch"]
        for name in sorted({name for name, _ in cells}):
            mine = {at: pair for (other, at), pair in sorted(cells.items()) if other == name}
            if -1 in mine and mine[-1][1]:
                text = _text(name, eval(mine[-1][1])).splitlines()
                lines += [f"*** Add File: {name}", *(f"+{line}" for line in text)]
            elif -1 in mine:
                lines.append(f"*** Delete File: {name}")
            else:
                lines.append(f"*** Update File: {name}")
                for old, new in mine.values():
                    lines += ["@@", *(f" {line}" for line in context), f"-{old}", f"+{new}"]
        return "".join(f"{line}\n" for line in [*lines, "*** End Patch"]).encode()

    def apply(self) -> None:
        flags = {"--index": 5, "--cached": 1, "--worktree": 2, "--carry": 3, "--commit": 1}
        flag = self.random.choices(list(flags), list(flags.values()))[0]
        target = {"--carry": "index", "--commit": "index"}.get(flag, flag[2:])
        model = self.model
        cells = self._chosen(model.tree(target))
        if not cells:
            return
        patch, number = self._patch(cells), model.next
        key = next((key for key, text in self.texts.items() if text == patch), number)
        self.texts[key] = patch
        step = Step(number, "apply", number, target, cells, flag == "--carry", key=key)
        step = replace(step, head=model.head)
        fits = model.can_write(step, target, carry=flag == "--carry")
        if flag == "--commit":
            fits = fits and model.index == model.head_files
        dirty = any(model.work.get(name) != model.index.get(name) for name in step.files)
        step = replace(step, carried=flag == "--carry" and dirty)
        words = ["--commit", "-m", "m"] if flag == "--commit" else [flag]
        ran = self.run("apply", *words, feed=patch)
        assert (ran.status == 0) == fits
        if fits:
            if flag == "--commit":
                step = replace(step, commit=len(model.commits))
            model.write(step)
            if flag == "--commit":
                model.commit()

    def again(self) -> None:
        """Send the text of an earlier patch again, for any target."""
        firsts = [step for step in self.model.steps if step.key == step.number]
        if not firsts:
            return
        first, model = self.random.choice(firsts), self.model
        if any(at < 0 for _, at in first.cells):
            return  # the journal knows more about these than the text does
        target = self.random.choice(["index", "index", "cached", "worktree"])
        step = replace(first, number=model.next, patch=model.next, target=target, commit=0)
        step = replace(step, carried=False, head=model.head)
        tree = model.tree(target)
        old = all(model.value(tree, cell) == pair[0] for cell, pair in step.cells.items())
        fits = old and model.can_write(step, target, carry=False)
        ran = self.run("apply", f"--{target}", feed=self.texts[first.key])
        assert (ran.status == 0) == fits
        if fits:
            model.write(step)

    def backwards(self) -> None:
        """Apply an earlier patch with -R, in any target."""
        firsts = [step for step in self.model.steps if step.key]
        if not firsts:
            return
        first, model = self.random.choice(firsts), self.model
        if any(at < 0 for _, at in first.cells):
            return
        number, target = model.next, self.random.choice(["index", "index", "cached", "worktree"])
        same = [
            patch
            for patch in model.patches()
            if model.chain(patch)[0].key == first.key
            and not model.undone_by_journal(patch) & _PLACES[target]
        ]
        tree = model.tree(target)
        fits = all(model.value(tree, cell) == pair[1] for cell, pair in first.cells.items())
        if same:
            step = model.application(same[0], target).reversed(number, target, carried=False)
        else:
            cells = {cell: (new, old) for cell, (old, new) in first.cells.items()}
            step = Step(number, "apply", number, target, cells)
        step = replace(step, head=model.head)
        fits = fits and model.can_write(step, target, carry=False)
        ran = self.run("apply", "-R", f"--{target}", feed=self.texts[first.key])
        assert (ran.status == 0) == fits
        if fits:
            model.write(step)

    def merge(self) -> None:
        """Apply a patch for HEAD's version of a file, whose context was changed since."""
        model, at = self.model, _FIRST_SLOT
        there, head = model.index.get("f"), model.head_files.get("f")
        if (
            there is None
            or head is None
            or head[_CONTEXT] == there[_CONTEXT]
            or head[at] != there[at]
        ):
            return
        cells = {("f", at): (there[at], self._new("f", 0))}
        context = [f"context {head[_CONTEXT]}", *(f"f 0 {letter}" for letter in "bcde")]
        self.texts[model.next] = patch = self._patch(cells, context)
        step = Step(model.next, "apply", model.next, "index", cells, key=model.next)
        step = replace(step, head=model.head)
        fits = model.can_write(step, "index", carry=False)
        assert (self.run("apply", "--3way", feed=patch).status == 0) == fits
        if fits:
            model.write(step)

    # --- undo and redo -------------------------------------------------------------------------

    def undo(self) -> None:
        fits = self.model.undo(None)
        assert (self.run("undo").status == 0) == fits

    def redo(self) -> None:
        fits = self.model.redo(None)
        assert (self.run("redo").status == 0) == fits

    def undo_named(self) -> None:
        if patches := self.model.patches():
            patch = self.random.choice(patches)
            fits = self.model.undo(patch)
            assert (self.run("undo", str(patch)).status == 0) == fits

    def redo_named(self) -> None:
        if patches := self.model.patches():
            patch = self.random.choice(patches)
            fits = self.model.redo(patch)
            assert (self.run("redo", str(patch)).status == 0) == fits

    def undo_elsewhere(self) -> None:
        """Undo in a target that is named."""
        target = self.random.choice(["cached", "worktree", "index"])
        patches = self.model.patches()
        patch = self.random.choice(patches) if patches and self.random.random() < 0.5 else None
        words = [f"--{target}", *([str(patch)] if patch else [])]
        fits = self.model.undo(patch, target)
        assert (self.run("undo", *words).status == 0) == fits

    def redo_elsewhere(self) -> None:
        """Redo in a target that is named."""
        target = self.random.choice(["cached", "worktree", "index"])
        patches = self.model.patches()
        patch = self.random.choice(patches) if patches and self.random.random() < 0.5 else None
        words = [f"--{target}", *([str(patch)] if patch else [])]
        fits = self.model.redo(patch, target)
        assert (self.run("redo", *words).status == 0) == fits

    # --- git and the user ------------------------------------------------------------------------

    def edit(self) -> None:
        """Change a file in the working tree: a line at its top, a line of context, or a slot."""
        model = self.model
        name = self.random.choice([name for name in ("f", "g") if name in model.work])
        at = self.random.choice([_TOP, _TOP, _CONTEXT, _FIRST_SLOT, _FIRST_SLOT + 1])
        values = list(model.work[name])
        values[at] = self._new(name, at) + " by the user"
        model.work[name] = tuple(values)
        self.log.append(f"edit {name} {at}")
        self.repo.write(name, _text(name, model.work[name]))

    def imitate(self) -> None:
        """Write by hand what a patch or its undo would write, and perhaps stage it."""
        model = self.model
        if not model.steps:
            return
        step = self.random.choice(model.steps)
        cells = {cell: pair for cell, pair in step.cells.items() if cell[1] >= 0}
        for (name, at), (old, new) in cells.items():
            if model.value(model.work, (name, at)) == old:
                values = list(model.work[name])
                values[at] = new
                model.work[name] = tuple(values)
                self.log.append(f"imitate {step.number}: {name} {at}")
                self.repo.write(name, _text(name, model.work[name]))
        if self.random.random() < 0.6:
            self.stage()

    def stage(self) -> None:
        self.git("add", "-A")
        self.model.index = dict(self.model.work)

    def commit(self) -> None:
        if self.model.index != self.model.head_files:
            self.git("commit", "-q", "-m", "c")
            self.model.commit()

    def commit_file(self) -> None:
        """Commit a file as it is in the working tree, and nothing else."""
        model, name = self.model, self.random.choice(["f", "g"])
        if model.work[name] == model.head_files[name]:
            return
        self.git("commit", "-q", "-m", "c", "--", name)
        model.index[name] = model.work[name]
        model.commits.append((model.head, {**model.head_files, name: model.work[name]}))
        model.head = model.branches[model.branch] = len(model.commits) - 1

    def reset_hard(self) -> None:
        model = self.model
        self.git("reset", "-q", "--hard")
        tracked = {*model.index, *model.head_files}
        rest = {name: values for name, values in model.work.items() if name not in tracked}
        model.index = dict(model.head_files)
        model.work = {**rest, **model.head_files}

    def reset_mixed(self) -> None:
        self.git("reset", "-q")
        self.model.index = dict(self.model.head_files)

    def reset_back(self) -> None:
        """Go back one commit, and discard everything."""
        model = self.model
        if model.head:
            self.reset_hard()
            self.git("reset", "-q", "--hard", "HEAD^")
            rest = {n: v for n, v in model.work.items() if n not in model.index}
            model.head = model.branches[model.branch] = model.commits[model.head][0]
            model.index = dict(model.head_files)
            model.work = {**rest, **model.head_files}

    def switch(self) -> None:
        """Check out the other branch, and discard everything."""
        model = self.model
        self.reset_hard()
        other = "side" if model.branch == "main" else "main"
        files = model.commits[model.branches[other]][1]
        self.git("checkout", "-q", "-f", other)
        rest = {n: v for n, v in model.work.items() if n not in model.index}
        model.branch, model.head = other, model.branches[other]
        model.index, model.work = dict(files), {**rest, **files}

    def restore(self) -> None:
        """Discard what is staged and unstaged in one file."""
        model = self.model
        name = self.random.choice(["f", "g"])
        self.git("checkout", "-q", "HEAD", "--", name)
        model.index[name] = model.work[name] = model.head_files[name]

    # --- the whole -----------------------------------------------------------------------------

    def steps(self) -> Iterator[Callable[[], None]]:
        weights: dict[Callable[[], None], int] = {
            self.apply: 10, self.undo: 7, self.redo: 5, self.undo_named: 3, self.redo_named: 3,
            self.undo_elsewhere: 3, self.redo_elsewhere: 2, self.imitate: 4,
            self.again: 2, self.backwards: 3, self.merge: 2, self.edit: 3, self.stage: 2,
            self.commit: 2, self.commit_file: 2, self.reset_hard: 1, self.reset_mixed: 1,
            self.reset_back: 1, self.switch: 1, self.restore: 1,
        }  # fmt: skip
        yield self.apply
        yield from self.random.choices(list(weights), list(weights.values()), k=_STEPS)

    def check(self) -> None:
        self.model.stored.update(self.model.index.items())
        listed = self.repo.git("ls-files", "-s", "-z").decode().split("\0")[:-1]
        found = {name: about.split()[1] for about, _, name in (e.partition("\t") for e in listed)}
        assert found == {name: _blob(name, values) for name, values in self.model.index.items()}
        files = {path.name: path.read_text() for path in self.repo.path.iterdir() if path.is_file()}
        assert files == {name: _text(name, values) for name, values in self.model.work.items()}

    def check_states(self) -> None:
        ran = self.repo.opatch("log", "--all", "--json")
        found = {each["record"]: each for each in json.loads(ran.out)["records"]}
        assert sorted(found) == [step.number for step in self.model.steps]
        for patch in self.model.patches():
            state = self.model.state(patch).removesuffix(" by us")
            assert found[patch]["state"] == state, (patch, state)
            is_part = state == "applied" and self.model.partly_committed(
                self.model.last_applied(patch)
            )
            assert ("applied, committed in part" in found[patch]["summary"]) == is_part
            partly = self.model.partly_undone(patch)
            assert ("undone by" in found[patch]["summary"]) == bool(partly or state == "undone")
            assert found[patch]["summary"].endswith(partly), (patch, partly)

    def check_advice(self) -> None:
        """Follow what refusals advise: nothing may come a second time."""
        words, seen = "undo", set[str]()
        for _ in range(12):
            ran = self.run(*words.split())
            assert "Redid" not in ran.out.decode()
            pattern = r"(?:git (add -- [^\n;]+) && )?git opatch (undo [^\n`;]+)"
            advised = re.search(pattern, ran.err)
            if not ran.status or not advised:
                return
            assert ran.err not in seen, "a circle"
            seen.add(ran.err)
            stage, words = advised.groups()
            if stage:
                self.repo.git(*stage.split())


def _check_sequence(directory: Path, seed: int) -> None:
    repo = Sandbox(directory).init()
    sequence = Run(repo, seed)
    try:
        for step in sequence.steps():
            step()
            sequence.check()
        sequence.check_states()
        sequence.check_advice()
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n" + "\n".join(sequence.log)) from error


@pytest.mark.parametrize("seed", range(6))
def test_a_random_sequence_agrees_with_the_model(tmp_path: Path, seed: int) -> None:
    _check_sequence(tmp_path, 1_000_000 + seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _SEEDS))
def test_random_sequences_agree_with_the_model(tmp_path: Path, seed: int) -> None:
    _check_sequence(tmp_path, seed)
