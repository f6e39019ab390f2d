"""Random sequences of apply, undo, redo and git's own commands, judged by `git merge-file`.

The model has each patch as what its files were before and after, by path, and where it is applied.
What an undo or a redo must do is merged from that into what is there, file by file, by the test.
"""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from killed import kill_before_call
from sandbox import Ran, Sandbox
from writers import envelope

_SEEDS = int(os.environ.get("OPATCH_SEQUENCES", "40"))
_FIRST = int(os.environ.get("OPATCH_FIRST_SEQUENCE", "0"))
_STEPS = 9

_BY_HAND = [*["edit"] * 4, *["add"] * 2, "commit", "amend", "mv", "rm", "stash", "pop", "reset",
            "hard", "branch", "checkout", "old", "old"]  # fmt: skip

Files = dict[str, bytes]
File = tuple[str, bytes] | None
"""The path and the content of a file; None if there is none."""
_INDEX, _CACHED, _WORKTREE = "index", "cached", "worktree"
_BOTH = (_CACHED, _WORKTREE)


class ConflictError(Exception):
    """The two sides do not merge."""


@dataclass
class Patch:
    """An applied patch: its files before and after, and where it is applied, by place."""

    number: int
    pairs: list[tuple[File, File]]
    carried: bool
    """Whether files had unstaged changes, so that its undo and redo are carried, too."""
    moves: int = 0
    """How often HEAD had moved when it was applied."""
    applied: dict[str, bool] = field(default_factory=dict)
    last: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def places(self, *, applied: bool) -> list[str]:
        return [place for place in _BOTH if self.applied.get(place) is applied]


class World:
    """A repository, and what must be in it."""

    def __init__(self, path: Path, seed: int) -> None:
        self.repo = Sandbox(path / str(seed)).init()
        self.random = random.Random(seed)
        self.patches: list[Patch] = []
        self.entries = self.lines = 0
        self.scratch = path
        self.before: tuple[Files, Files] = ({}, {})
        self.repo.commit({name: b"".join(self.line() for _ in range(9)) for name in "ab"})

    def line(self) -> bytes:
        self.lines += 1
        return b"line %d\n" % self.lines

    def index(self) -> Files:
        return {path: data for path, (_, data) in self.repo.index().items()}

    def work(self) -> Files:
        return {path: data for path, (_, data) in self.repo.files().items()}

    # --- the judge -------------------------------------------------------------------------

    def lines_merged(self, base: bytes, ours: bytes, theirs: bytes) -> bytes:
        names = [self.scratch / name for name in ("ours", "base", "theirs")]
        for name, data in zip(names, (ours, base, theirs), strict=True):
            name.write_bytes(data)
        ran = self.repo.program("git", "merge-file", "-p", "-q", *map(str, names))
        if ran.status:
            raise ConflictError
        return ran.out

    def merged(self, pairs: list[tuple[File, File]], files: Files) -> Files:
        """Bring the change of each pair into `files`."""
        now = dict(files)
        for base, theirs in pairs:
            source, path = (base or theirs or ("",))[0], (theirs or base or ("",))[0]
            if source != path and (source in files) == (path in files):
                raise ConflictError
            old = source if source in files else path
            ours = files.get(old)
            sides = [each[1] if each else None for each in (base, theirs)]
            if sides[0] == ours:
                data = sides[1]
            elif sides[0] == sides[1] or ours == sides[1]:
                data = ours
            elif ours is None or None in sides:
                raise ConflictError
            else:
                data = self.lines_merged(sides[0] or b"", ours, sides[1] or b"")
            now.pop(old, None)
            if data is not None:
                now[path] = data
        return now

    def carried(
        self, index: Files, after: Files, work: Files, pairs: list[tuple[File, File]], carry: bool
    ) -> Files:
        """Return the working tree after what is done to the index is done there, too."""
        changed = {path for path in {*index, *after} if index.get(path) != after.get(path)}
        if all(work.get(path) == index.get(path) for path in changed):
            return {**{p: d for p, d in work.items() if p not in changed},
                    **{p: d for p, d in after.items() if p in changed}}  # fmt: skip
        if not carry or any((path in index) != (path in work) for path in changed):
            raise ConflictError
        if any(
            path in index and work[path] != index[path]
            for path in changed - after.keys()
            if not any(base and theirs and base[0] == path for base, theirs in pairs)
        ):
            raise ConflictError  # fmt: skip
        planned: list[tuple[File, File]] = []
        for base, theirs in pairs:
            paths = [each[0] for each in (base, theirs) if each]
            old = next((path for path in paths if path in index and path in changed), None)
            new = next((path for path in paths[::-1] if path in after and path in changed), None)
            if old or new:
                planned.append((
                    (old, index[old]) if old else None, (new, after[new]) if new else None
                ))  # fmt: skip
        return self.merged(planned, work)

    def expect(
        self, patch: Patch, places: list[str], *, redo: bool, carry: bool
    ) -> tuple[Files, Files, list[str]] | None:
        """Return index and working tree after an undo, and which of `places` it is about.

        None if there is nothing to do. Raises `ConflictError` if it must be refused.
        """
        index, work = self.index(), self.work()
        pairs = patch.pairs if redo else [(new, old) for old, new in patch.pairs]
        if _CACHED in places:
            after = self.merged(pairs, index)
            if after != index:
                if _WORKTREE in places:
                    work = self.carried(index, after, work, pairs, carry)
                return after, work, places
        if _WORKTREE in places:
            after = self.merged(pairs, work)
            return (index, after, [_WORKTREE]) if after != work else None
        return None

    # --- the steps -------------------------------------------------------------------------

    def opatch(self, words: list[str], feed: bytes = b"") -> Ran:
        """Run a command, or kill it before its commit point, or after it, and recover."""
        if self.random.random() < 0.9:
            return self.repo.opatch(*words, feed=feed)
        call = self.random.choice(
            [("os.link", "a"), ("os.rename", "/commit"), ("os.rename", ".json")]
        )
        try:
            kill_before_call(self.repo, *call, *words, feed=feed)
        except AssertionError:
            return Ran(-1, b"", "")  # it made no such call: what came of it is not known
        self.repo.opatch("recover")
        return Ran(-1, b"", "")

    def apply(self) -> None:
        target = self.random.choice([_INDEX, _INDEX, _CACHED, _WORKTREE])
        index, work = self.index(), self.work()
        files = work if target == _WORKTREE else index
        sections, pairs = self.sections(files)
        places = [place for place in _BOTH if target in (_INDEX, place)]
        carry = target == _INDEX and self.random.random() < 0.5
        try:
            after = self.merged(pairs, files)
            new_work = after if target == _WORKTREE else work
            if target == _INDEX:
                new_work = self.carried(index, after, work, pairs, carry)
            expected = (index if target == _WORKTREE else after, new_work)
        except ConflictError:
            expected = None
        words = ["apply", f"--{target}", *["--carry"] * carry]
        words = [each for each in words if not (carry and each == "--index")]
        done = self.check(self.opatch(words, envelope(*sections)), expected)
        if done:
            patch = Patch(self.entries, pairs, self.was_carried(), self.moves())
            self.patches.append(patch)
            patch.applied = dict.fromkeys(places, True)
            patch.last[True] = self.entries

    def sections(self, files: Files) -> tuple[list[bytes], list[tuple[File, File]]]:
        """Make the sections of a patch of one or two of the files, or of a new one."""
        sections, pairs = [], list[tuple[File, File]]()
        for path in self.random.sample(
            sorted(files), min(len(files), self.random.choice([1, 1, 2]))
        ):
            before, kind = files[path], self.random.random()
            lines = before.splitlines(keepends=True)
            name, other = path.encode(), f"{self.random.choice('cde')}{self.lines}"
            if kind < 0.1 or not lines:
                sections.append(b"*** Delete File: %b\n" % name)
                pairs.append(((path, before), None))
                continue
            at, new = self.random.randrange(len(lines)), self.line()
            after = b"".join([*lines[:at], new, *lines[at + 1 :]])
            move = b"*** Move to: %b\n" % other.encode() if kind < 0.25 else b""
            sections.append(b"*** Update File: %b\n%b@@\n-%b+%b" % (name, move, lines[at], new))
            pairs.append(((path, before), (other if move else path, after)))
        if self.random.random() < 0.2 or not sections:
            path, data = f"new{self.lines}", self.line() + self.line()
            added = b"".join(b"+" + line for line in data.splitlines(keepends=True))
            sections.append(b"*** Add File: %b\n%b" % (path.encode(), added))
            pairs.append((None, (path, data)))
        return sections, pairs

    def reverse(self) -> None:
        """Undo or redo the last patch, or one by its number, perhaps in another place."""
        redo = self.random.random() < 0.4
        named = self.random.choice([None, None, None, _INDEX, _CACHED, _WORKTREE])
        carry = named is None and self.random.random() < 0.3
        words = ["redo" if redo else "undo", *[f"--{named}"] * bool(named), *["--carry"] * carry]
        named = _INDEX if carry else named
        chosen = self.random.random() < 0.5 and self.patches
        wanted = [self.random.choice(self.patches)] if chosen else self.newest(redo)
        words += [str(wanted[0].number)] if chosen else []
        expected, patch, places = None, None, list[str]()
        for patch in wanted:
            places = self.places(patch, redo, named)
            try:
                expected = self.expect(patch, places, redo=redo, carry=carry or patch.carried)
            except ConflictError:
                break
            if expected:
                is_kept = redo or chosen or not self.is_committed(patch)
                expected = expected if is_kept else None
                break
        if self.check(self.opatch(words), expected and expected[:2]) and patch and expected:
            patch.applied |= dict.fromkeys(expected[2], redo)
            patch.last[redo] = self.entries
            patch.carried |= self.was_carried()

    def moves(self) -> int:
        return self.repo.read(".git/logs/HEAD").count(b"\n")

    def is_committed(self, patch: Patch) -> bool:
        """Return whether HEAD has what a patch changed, and moved since it was applied."""
        listed = self.repo.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split(b"\0")[:-1]
        head = {
            path.decode(): self.repo.git("cat-file", "blob", b"HEAD:" + path) for path in listed
        }
        try:
            undone = self.merged([(new, old) for old, new in patch.pairs], head)
        except ConflictError:
            return False
        return undone != head and self.moves() > patch.moves

    def was_carried(self) -> bool:
        entry = self.repo.read(f".git/opatch/journal/{self.entries}.json")
        return bool(json.loads(entry)["carried"])

    def newest(self, redo: bool) -> list[Patch]:
        new = max((patch.number for patch in self.patches), default=0)
        known = [each for each in self.patches if not redo or each.last[False] > new]
        return sorted(known, key=lambda each: each.last[not redo], reverse=True)

    def places(self, patch: Patch, redo: bool, named: str | None) -> list[str]:
        asked = [place for place in _BOTH if named in (None, _INDEX, place)]
        if redo or named is None:
            return [place for place in patch.places(applied=not redo) if place in asked]
        return [place for place in asked if patch.applied.get(place) is not False]

    def check(self, ran: Ran, expected: tuple[Files, Files] | None) -> bool:
        """Compare what a command did with what it must do; return whether it did it."""
        seen = (self.index(), self.work())
        numbers = [
            int(path.stem) for path in (self.repo.path / ".git/opatch/journal").glob("*.json")
        ]
        done = max(numbers, default=0) > self.entries
        self.entries = max(numbers, default=0)
        if ran.status == -1:
            assert seen == (expected if done else self.before)
        elif expected is None:
            assert (bool(ran.status), done, seen) == (True, False, self.before), ran
        else:
            assert (ran.status, done, *seen) == (0, True, *expected), ran.err
        return done

    def by_hand(self) -> None:
        """Do what a user does: edit, add, commit, rename, look elsewhere, go back."""
        work, index = self.work(), self.index()
        path = self.random.choice(sorted(work) or [""])
        kind = self.random.choice(_BY_HAND)
        if kind == "edit" and path:
            lines = work[path].splitlines(keepends=True)
            at = self.random.randrange(len(lines) + 1)
            lines[at : at + self.random.choice([0, 1, 1])] = [self.line()] * self.random.choice(
                [0, 1]
            )
            self.repo.write(path, b"".join(lines))
        elif kind == "old" and self.patches:  # the change is taken back, or made again, by hand
            old, new = self.random.choice(self.random.choice(self.patches).pairs)
            with suppress(ConflictError):
                after = self.merged([self.random.choice([(old, new), (new, old)])], work)
                for name in {*work, *after}:
                    if name not in after:
                        (self.repo.path / name).unlink()
                    elif work.get(name) != after[name]:
                        self.repo.write(name, after[name])
        elif kind == "mv" and path in index:
            self.repo.run("git", "mv", path, f"moved{self.lines}")
        elif kind == "rm" and path:
            (self.repo.path / path).unlink()
        else:
            words = {
                "add": ["add", "-A"],
                "commit": ["commit", "-q", "-a", "-m", "c"],
                "amend": ["commit", "-q", "--amend", "--allow-empty", "-m", "c"],
                "stash": ["stash", "-q"],
                "pop": ["stash", "pop", "-q"],
                "reset": ["reset", "-q"],
                "hard": ["reset", "-q", "--hard"],
                "branch": ["checkout", "-q", "-B", "other", "HEAD^"],
                "checkout": ["checkout", "-q", "main"],
            }
            self.repo.run("git", *words.get(kind, ["status"]))
            if self.repo.git("ls-files", "--unmerged"):
                self.repo.git("reset", "-q", "--hard")

    def check_log(self) -> None:
        """Compare the states that `log` says with what an undo would do."""
        logged = json.loads(self.repo.opatch("log", "--json").out)["records"]
        states = {each["record"]: each["state"] for each in logged}
        assert states == {patch.number: self.state(patch) for patch in self.patches}

    def state(self, patch: Patch) -> str:
        places, pairs = patch.places(applied=True), [(new, old) for old, new in patch.pairs]
        trees = {_CACHED: self.index(), _WORKTREE: self.work()}
        for place in places:
            try:
                if self.merged(pairs, trees[place]) != trees[place]:
                    return "applied"
            except ConflictError:
                return "changed"
        return "gone" if places else "undone"

    def step(self) -> None:
        self.before = (self.index(), self.work())
        if not self.patches:
            self.apply()
            return
        self.random.choice([self.apply, self.reverse, self.reverse, self.by_hand, self.by_hand])()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _SEEDS))
def test_every_step_is_a_merge(tmp_path: Path, seed: int) -> None:
    world = World(tmp_path, seed)
    for _ in range(_STEPS):
        world.step()
    world.check_log()
    world.repo.fsck()
