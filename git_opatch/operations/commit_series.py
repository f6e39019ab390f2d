"""Apply several mails as several commits: all of them, or none.

All mails are planned before anything is written, each in the outcome of the one before. Then one
transaction writes the outcome of them all, and before it is committed, the commits are made on the
branch by `git commit`, each from an index of its own in the directory of the transaction's record.
The real index stays locked and unchanged. If a hook refuses one of them, or this process is killed,
the branch is reset to where it was, and the transaction restores the files: one mechanism for every
failure, which the next run can carry out as well.

So a hook finds the index of its commit in `GIT_INDEX_FILE`, as with `git commit PATH`, HEAD on the
user's branch, and in the working tree the files of the last mail. To apply and commit mail by mail
would show it each mail's files, but to undo finished mails would be to go through files that a hook
may have changed. What hooks did elsewhere (post-commit) is not undone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from git_opatch import journal
from git_opatch.complete import Completed
from git_opatch.git.commit import commit
from git_opatch.git.filtered import FilterError
from git_opatch.git.head import Head, read_head, tree_of
from git_opatch.git.history import abbreviate_commits
from git_opatch.git.hooks import any_is_hook
from git_opatch.git.index import write_tree
from git_opatch.git.output import git_message
from git_opatch.git.repository import Repository
from git_opatch.git.series import change_series, record_series
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.journal import pending_commit
from git_opatch.model.blob import Blob, Change
from git_opatch.model.errors import CommitError, Interrupted, TransactionError
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.paths import parents
from git_opatch.model.refusal import Refused
from git_opatch.model.text import visible
from git_opatch.operations.apply import apply_locked, plan_patch
from git_opatch.operations.commit_command import PlannedCommit
from git_opatch.operations.perform import Session
from git_opatch.plan.patch_paths import named_paths, resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.plan.reapplied import without_sections
from git_opatch.plan.section import plan_sections
from git_opatch.transaction import TransactionRecord, state_dir


class Step(NamedTuple):
    """One commit of a series, and its changes to the one before."""

    part: PlannedCommit
    completed: Completed


def plan_series(
    parts: Sequence[PlannedCommit],
    repository: Repository,
    options: Options,
    skipped: Sequence[Failure],
) -> list[Step]:
    """Plan the commits; a mail whose changes are all already applied makes none.

    `skipped` is what the plan of all mails skips: the journal's record of them all tells it, and no
    mail alone. Raises `Refused` with the failures of the first mail that does not apply.
    """
    sections = [failure for failure in skipped if not failure.hunk]
    top = str(repository.top or "")
    patches = [resolve_paths(part.patch, options.directory, top) for part in parts]
    snapshot = take_snapshot(
        repository, named_paths(Patch.joined(patches, "")), options, texts=True
    )
    for path in sorted(snapshot.filters):
        what = "has a filter, and mails that change it are not committed together"
        raise FilterError(path, f"{what}; apply each mail by itself")
    steps = []
    for part, whole in zip(parts, patches, strict=True):
        patch = whole._replace(files=without_sections(whole.files, sections))
        if not patch.files:
            continue
        plan = plan_sections(patch, snapshot, options, repository.algorithm, {})
        if plan.failures:
            raise Refused(plan.failures, options)
        if plan.completed.changes:
            steps.append(Step(part, plan.completed))
            snapshot = _after(snapshot, plan.completed)
    return steps


def _after(snapshot: Snapshot, completed: Completed) -> Snapshot:
    """Return the base with `completed` applied."""
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
    parts: Sequence[PlannedCommit], patch: Patch, session: Session, *, quiet: bool
) -> Plan:
    """Apply `patch`, whose mails are `parts`, and commit each mail.

    Raises `CommitError` if git refuses one of them.
    """
    repository, options = session.repository, session.options
    whole = plan_patch(patch, repository, options)  # collects the failures of all mails
    if whole.failures:
        raise Refused(whole.failures, options)
    steps = plan_series(parts, repository, options, whole.skipped)
    made: list[str] = []
    notes: list[str] = []

    def make_commits(transaction: TransactionRecord) -> None:
        head = read_head(repository)
        notes[:] = skipped_hooks(repository, options, transaction.changes)
        made.extend(_Series(session, steps, transaction, head, quiet, not notes).commit())

    plan = apply_locked(patch, session, make_commits)
    return with_commits(plan.with_notes(notes), made, repository)


def skipped_hooks(repository: Repository, options: Options, changes: Iterable[Change]) -> list[str]:
    """A note that git commit is to run no hooks, if `changes` are of hooks in the working tree."""
    if options.target is Target.CACHED:
        return []
    if not any_is_hook(repository, [change.path for change in changes]):
        return []
    return ["git commit ran no hooks, because the patch changes hooks; look at them first"]


def with_commits(plan: Plan, commits: Sequence[str], repository: Repository) -> Plan:
    """Return `plan` with `commits`, which are written to its journal record; a note if not."""
    names = abbreviate_commits(repository, commits)
    plan = plan._replace(commits=tuple(commits), commit_names=names)
    if not (plan.record and commits):
        return plan
    try:
        journal.add_commits(state_dir(repository), plan.record, commits)
    except (OSError, ValueError) as error:
        return plan.with_notes([f"the commit could not be added to the journal: {error}"])
    return plan


@dataclass(frozen=True, slots=True)
class _Series:
    """Makes the commits of `steps` before a transaction is committed."""

    session: Session
    steps: Sequence[Step]
    transaction: TransactionRecord
    head: Head
    quiet: bool
    hooks: bool

    def commit(self) -> list[str]:
        """Make the commits; return their ids."""
        trees = self._trees()
        if trees[-1] != write_tree(self.repository, self.transaction.scratch_index):
            raise TransactionError("the mails one by one have another outcome than all at once")
        record_series(self.repository, self.transaction.folder, self.head, trees)
        self._reset_index()
        made = [self._commit_step(index, trees) for index in range(len(trees))]
        pending_commit.begin(self.repository, state_dir(self.repository), self.head, len(made))
        return made

    @property
    def repository(self) -> Repository:
        """The repository of the session."""
        return self.session.repository

    @property
    def _index(self) -> Path:
        return self.transaction.folder / "index"

    def _reset_index(self) -> None:
        """Copy the real index, which is equal to HEAD, to the index of the commits."""
        self._index.unlink(missing_ok=True)
        if self.transaction.index_file.exists():
            shutil.copy2(self.transaction.index_file, self._index)

    def _trees(self) -> list[str]:
        """Write the trees of all commits, before the first one is made."""
        self._reset_index()
        trees = []
        for step in self.steps:
            self._stage(step)
            trees.append(write_tree(self.repository, self._index))
        return trees

    def _stage(self, step: Step) -> None:
        diff = self.transaction.folder / "step"
        diff.write_bytes(step.completed.diff)
        answer = self.repository.apply(diff, ("--cached",), index=self._index)
        if answer.status:
            raise TransactionError(f"git refuses {self._named(step)}: {git_message(answer.errors)}")

    def _commit_step(self, index: int, trees: Sequence[str]) -> str:
        """Commit a step; `trees` are those of all steps. Raises `CommitError`."""
        step = self.steps[index]
        before = read_head(self.repository)
        self._stage(step)
        result = commit(
            self.repository,
            step.part.command,
            self.session.lock,
            index=self._index,
            quiet=self.quiet,
            hooks=self.hooks,
        )
        after = read_head(self.repository)
        if result.status < 0:
            raise Interrupted(f"git commit was interrupted at {self._named(step)}")
        if result.status or after.id == before.id:
            why = git_message(result.words)
            raise CommitError(
                f"git commit refused {self._named(step)}{why and ': '}{why}", exit_status=1
            )
        if (other := tree_of(self.repository, after.id)) != trees[index]:
            change_series(self.transaction.folder, [*trees[:index], other])
            raise CommitError(
                f"a hook changed the commit of {self._named(step)}, and the mails after it may not "
                "fit; apply them one by one",
                exit_status=1,
            )
        return after.id

    def _named(self, step: Step) -> str:
        number = next(n for n, other in enumerate(self.steps, 1) if other is step)
        return f"mail {number} of {len(self.steps)} ({visible(step.part.title, 100)})"
