"""Several mails as several commits: all of them, or none.

All is planned before anything is written, each mail in what the one before leaves. Then one
transaction writes the outcome of them all, and before it stands the commits are made, on the
branch, by `git commit`, each from an index of its own that lies in the transaction's record. The
real index stays locked and as it was. If a hook refuses one of them, or this process is killed,
the branch is put back to where it was, and the transaction puts back the files: one mechanism for
every failure, which a next run can carry out as well.

So a hook finds the index of its commit in `GIT_INDEX_FILE`, as with `git commit PATH`, HEAD on the
user's branch, and in the working tree the files as the last mail leaves them. The way through the
user's own index and files, step by step, would show it each step's files,
but would have to undo finished steps through files that a hook may have changed. What hooks did
elsewhere (post-commit) is not taken back.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from git_opatch import journal, pending
from git_opatch.apply import Refused, apply_locked, plan_patch
from git_opatch.blob import Blob
from git_opatch.branch import Head, note_series, read_head, tree_of, write_tree
from git_opatch.commit.order import Part
from git_opatch.complete import Completed
from git_opatch.errors import CommitError, Interrupted, TransactionError
from git_opatch.options import Options
from git_opatch.patch import Patch
from git_opatch.paths import parents
from git_opatch.plan import Plan, make_plan, named_paths, resolve_paths
from git_opatch.plumbing import said
from git_opatch.porcelain import commit
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot, take_snapshot
from git_opatch.text import visible
from git_opatch.transaction import Backup, home_of


class Step(NamedTuple):
    """One commit of a series, and what it changes in the one before."""

    part: Part
    completed: Completed


def plan_series(parts: Sequence[Part], repository: Repository, options: Options) -> list[Step]:
    """The commits to be; a mail of which all is there already makes none.

    Raises `Refused` with the failures of the first mail that does not apply.
    """
    top = str(repository.top or "")
    patches = [resolve_paths(part.patch, options.directory, top) for part in parts]
    snapshot = take_snapshot(repository, named_paths(Patch.joined(patches, "")), options)
    steps = []
    for part, patch in zip(parts, patches, strict=True):
        plan = make_plan(patch, snapshot, options, repository.algorithm, {})
        if plan.failures:
            raise Refused(plan.failures)
        if plan.completed.changes:
            steps.append(Step(part, plan.completed))
            snapshot = _after(snapshot, plan.completed)
    return steps


def _after(snapshot: Snapshot, completed: Completed) -> Snapshot:
    """What the base is once that was applied."""
    blobs, tracked, contents = dict(snapshot.blobs), set(snapshot.tracked), completed.contents()
    for change in completed.changes:
        if change.new is None:
            blobs.pop(change.path, None)
            tracked.discard(change.path)
        else:
            blobs[change.path] = Blob(change.path, change.new, contents[change.path])
            tracked.add(change.path)
    folders = frozenset(parent for path in tracked for parent in parents(path))
    return snapshot._replace(blobs=blobs, tracked=frozenset(tracked), folders=folders)


def apply_series(
    parts: Sequence[Part],
    patch: Patch,
    repository: Repository,
    options: Options,
    lock: int,
    name: str,
    quiet: bool,
) -> Plan:
    """Apply `patch`, which `parts` are, and commit each. Raises `CommitError` if one is refused."""
    whole = plan_patch(patch, repository, options)  # tells all failures, of each mail, at once
    if whole.failures:
        raise Refused(whole.failures)
    steps = plan_series(parts, repository, options)
    made: list[str] = []

    def then(backup: Backup) -> None:
        head = read_head(repository)
        made.extend(_Series(repository, steps, backup, head, lock, quiet).commit())

    plan = apply_locked(patch, repository, options, lock, name, then)
    plan.commits = tuple(made)
    write_down(plan, repository)
    return plan


def write_down(plan: Plan, repository: Repository) -> None:
    """Let the journal know the commits of `plan`."""
    try:
        if plan.record and plan.commits:
            journal.committed(home_of(repository), plan.record, plan.commits)
    except (OSError, ValueError) as error:
        plan.notes.append(f"the journal does not know of the commit: {error}")


@dataclass(frozen=True, slots=True)
class _Series:
    """Commits that are made of `steps` while a transaction is under way."""

    repository: Repository
    steps: Sequence[Step]
    backup: Backup
    head: Head
    lock: int
    quiet: bool

    def commit(self) -> list[str]:
        """Make them, and give their ids."""
        trees = self._trees()
        outcome = self.backup.scratch_index
        if trees[-1] != write_tree(self.repository, outcome):
            raise TransactionError("the mails one by one come to something else than all at once")
        note_series(self.backup.folder, self.head, trees)
        self._start()
        made = [self._make(at, trees) for at in range(len(trees))]
        pending.begin(home_of(self.repository), self.head, len(made))
        return made

    @property
    def _index(self) -> Path:
        return self.backup.folder / "index"

    def _start(self) -> None:
        """Let the index of the commits be the real one, which is HEAD's."""
        self._index.unlink(missing_ok=True)
        if self.backup.index.exists():
            shutil.copy2(self.backup.index, self._index)

    def _trees(self) -> list[str]:
        """The trees of the commits; they are known before the first one is made."""
        self._start()
        trees = []
        for step in self.steps:
            self._stage(step)
            trees.append(write_tree(self.repository, self._index))
        return trees

    def _stage(self, step: Step) -> None:
        diff = self.backup.folder / "step"
        diff.write_bytes(step.completed.diff)
        answer = self.repository.apply(diff, ("--cached",), index=self._index)
        if answer.status:
            raise TransactionError(f"git refuses {self._named(step)}: {said(answer.errors)}")

    def _make(self, at: int, trees: Sequence[str]) -> str:
        step = self.steps[at]
        before = read_head(self.repository)
        self._stage(step)
        ended = commit(
            self.repository, step.part.order, self.lock, index=self._index, quiet=self.quiet
        )
        after = read_head(self.repository)
        if ended.status < 0:
            raise Interrupted(f"git commit was interrupted at {self._named(step)}")
        if ended.status or after.id == before.id:
            why = said(ended.words)
            raise CommitError(
                f"git commit refused {self._named(step)}{why and ': '}{why}", exit_status=1
            )
        if (other := tree_of(self.repository, after.id)) != trees[at]:
            note_series(self.backup.folder, self.head, [*trees[:at], other])
            raise CommitError(
                f"a hook changed what is committed of {self._named(step)}, and the mails after it "
                "are for what it says; apply them one by one",
                exit_status=1,
            )
        return after.id

    def _named(self, step: Step) -> str:
        number = next(at for at, one in enumerate(self.steps, 1) if one is step)
        return f"mail {number} of {len(self.steps)} ({visible(step.part.title, 100)})"
