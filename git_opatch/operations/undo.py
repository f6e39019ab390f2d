"""Undo and redo recorded patches.

`undo` without a number takes the patch that was applied last, is still there and is not committed
(D521); `redo` the one that was undone last, if nothing new was applied since. What is there is
found out by merging (`plan.reversal`): all of a patch is undone, or nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from git_opatch.git.head import moved_since
from git_opatch.git.pathspec import matching_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.journal import Journal, PatchHistory, Record, read_journal
from git_opatch.model.errors import (
    JournalError,
    NotAppliedError,
    OpatchError,
    RepositoryError,
    UndoneError,
)
from git_opatch.model.failure import LOCATED_IN, Failure, Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.sentences import Hint, Notice, Reason
from git_opatch.operations.perform import Session, finish, perform
from git_opatch.operations.recover import recovered
from git_opatch.plan.plan import Plan
from git_opatch.plan.policy import forbidden_path
from git_opatch.plan.preflight import preflight
from git_opatch.plan.reversal import State, moved_paths, plan_reversal, state_by_merge
from git_opatch.transaction.lock import deferred_signals
from git_opatch.transaction.record import state_dir

_MAX_NAMED = 10


class ChosenFiles(NamedTuple):
    """The files of a patch that are to be undone or redone, as in `directory`; all if empty."""

    pathspecs: Sequence[str] = ()
    directory: str = ""

    def of(self, record: Record, repository: Repository) -> Set[str]:
        """Return those that `record` changes, a moved one by both names; none if one is not."""
        paths = {change.path for change in record.changes}
        if not self.pathspecs:
            return paths
        matched = matching_paths(repository, paths, self.pathspecs, self.directory)
        return _with_moves(matched, record)


_ALL = ChosenFiles()


class _Step(NamedTuple):
    """A patch that is to be undone or redone, where, and the plan of it.

    `record` is its entry with the files that this is about.
    """

    history: PatchHistory
    record: Record
    options: Options
    plan: Plan
    snapshot: Snapshot

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.plan.failures or self.plan.completed.changes or self.plan.settled)


def undo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Undo the patch that `record` is about, in the target of `options`, where it is not undone.

    The undo is recorded. Raises as `apply_patch` does, and `JournalError` if the entry cannot be
    read, or if the patch is not applied any more.
    """
    options = replace(options, redoes=False)
    return reverse(record.number, repository, options, options.target)[0]


def redo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Apply again the patch that `record` is about, which was undone. Raises as `undo_patch`."""
    options = replace(options, redoes=True)
    return reverse(record.number, repository, options, options.target)[0]


def reverse(
    number: int | None,
    repository: Repository,
    options: Options,
    target: Target | None = None,
    files: ChosenFiles = _ALL,
) -> tuple[Plan, Options]:
    """Undo the patch with this number, or the last one that is still there, or `files` of it.

    If `options.redoes`, apply it again, or the one that was undone last. In `target`, or else where
    it was applied, or undone. Returns what was carried out, and the options with that place. Raises
    `Refused`, also with such options, and `JournalError`.
    """
    repository.require_worktree()
    reversal = _Reversal(repository, options, target, files)
    plan, options = recovered(
        repository, lambda lock, recovery: reversal.carry_out(number, lock, recovery.notes)
    )
    return finish(plan, repository), options


class _Reversal(NamedTuple):
    """An undo, or a redo; `target` is where, if the user says so."""

    repository: Repository
    options: Options
    target: Target | None
    files: ChosenFiles

    def carry_out(
        self, number: int | None, lock: int, notes: Sequence[str]
    ) -> tuple[Plan, Options]:
        """Choose a patch, and undo or redo all of it, or nothing."""
        journal = read_journal(state_dir(self.repository))
        journal.require_entries()
        if number is None:
            step, more = self._last(journal)
        else:
            step, more = self._named(journal.find(number), number), []
        options = step.options
        try:
            plan = preflight(step.plan, step.snapshot, self.repository, options)
        except Refused as refused:
            raise self._with_advice(refused, step, journal) from None
        is_staged = number is not None and options.target is not Target.WORKTREE
        if is_staged and self._is_committed(step.record):
            more = [Notice.UNDO_STAGED.fill(patch=step.history.number)]
        session = Session(self.repository, options, lock, step.history.record.name)
        with deferred_signals():
            plan = perform(plan, session)
        return plan.with_notes([], first=[*notes, *more]), options

    def _named(self, history: PatchHistory, number: int) -> _Step:
        """Plan the patch that the user named. Raises `JournalError` if there is nothing to do."""
        patch = history.number
        if number != patch and not self.options.redoes:
            raise UndoneError(Notice.NOT_A_PATCH.fill(number=number, patch=patch))
        place = self._place(history)
        if place is None and self.options.redoes:
            raise NotAppliedError(self._why_not_undone(history))
        if place is None:
            was_undone = history.undone is not None
            notice = Notice.ALREADY_UNDONE if was_undone else Notice.NOT_APPLIED
            raise UndoneError(notice.fill(patch=patch, where=self._where))
        step = self._step(history, place)
        if step is None:
            raise NotAppliedError(Notice.NOT_AT_PATHS.fill(verb=self._verb, patch=patch))
        if step.is_done:
            raise NotAppliedError(self._done([history]))
        return step

    def _why_not_undone(self, history: PatchHistory) -> str:
        """Say that there is nothing to redo; of a change that is not there, what applies it."""
        patch, step = history.number, None
        if history.applied and not self.files.pathspecs:
            undo = self._replace(options=replace(self.options, redoes=False))
            with suppress(OpatchError):
                step = undo._step(history, history.applied)
        if step is None or not step.is_done:
            return Notice.NOT_UNDONE.fill(patch=patch, where=self._where)
        command = shlex.join(["git", "opatch", "apply", str(history.record.file)])
        return Notice.NOT_UNDONE_AND_GONE.fill(patch=patch, command=command)

    def _last(self, journal: Journal) -> tuple[_Step, list[str]]:
        """Plan the last patch that can be undone, or redone; with a note on those that are gone."""
        gone: list[PatchHistory] = []
        last = {patch.last(undo=self.options.redoes): patch for patch in journal.histories}
        for number in sorted({*last, *journal.unreadable} - {0}, reverse=True):
            history = last.get(number)
            if history is None:
                raise journal.unreadable[number]
            if self.options.redoes and number < journal.last_new:
                break
            place = self._place(history)
            step = self._step(history, place) if place else None
            if step and not step.is_done:
                if self._is_committed(step.record):
                    raise UndoneError(Notice.COMMITTED.fill(patch=history.number))
                return step, [Notice.SKIPPED.fill(gone=self._done(gone))] if gone else []
            if step:
                gone.append(history)
        if gone:
            done = self._done(gone)
            raise NotAppliedError(Notice.NOTHING_LEFT.fill(verb=self._verb, gone=done))
        if self.options.redoes:
            raise NotAppliedError(Notice.NOTHING_TO_REDO.fill(where=self._where))
        raise UndoneError(Notice.ALL_UNDONE.fill(where=self._where))

    def _place(self, history: PatchHistory) -> Target | None:
        """Return where to undo or redo a patch; None if it is done there."""
        undone, applied = history.undone, history.applied
        if self.options.redoes:
            undone = history.undone_in_part
            return undone.shared_with(self.target or undone) if undone else None
        if self.target is None:
            return applied
        return self.target.without(undone) if applied or undone else None

    def _step(self, history: PatchHistory, place: Target) -> _Step | None:
        """Plan a patch in `place`; where the index is done, in the working tree alone.

        Only files that are not done, and are asked for; None if there are none. Raises
        `JournalError` if the policy forbids one of the patch's files.
        """
        whole, redoes = history.record, self.options.redoes
        changed = [change.path for change in whole.changes]
        if forbidden := forbidden_path(changed, self.repository, self.options.policy.rules):
            path, rule = forbidden
            raise JournalError(f"patch {whole.patch} changes {path}: not allowed by {rule.origin}")
        rest = history.paths_in(place, undone=redoes)
        paths = self.files.of(whole, self.repository) & rest
        if not paths and (self.files.pathspecs or changed):
            return None
        record = whole.only(paths)
        carry = self.options.carry or any(record.carried for record in history.records)
        for target in (place, Target.WORKTREE):
            options = replace(self.options, target=target, carry=carry)
            plan, snapshot = plan_reversal(record, self.repository, options, redo=redoes)
            step = _Step(history, record, options, plan, snapshot)
            if place is not Target.INDEX or not step.is_done:
                break
        if left := rest - paths:
            count = len(left - moved_paths(whole).keys())
            words = {"s": "s" * (count == 1), "state": "undone" if redoes else "applied"}
            note = Notice.STAYS.fill(count=count, patch=history.number, **words)
            step = step._replace(plan=plan._replace(only=tuple(sorted(paths))).with_notes([note]))
        return step

    def _is_committed(self, record: Record) -> bool:
        """Return whether HEAD has the change of `record`, and has moved since it was applied."""
        if self.options.redoes or not moved_since(self.repository, record.file, record.time):
            return False
        with suppress(RepositoryError, JournalError):  # no commit yet; nothing knows what it had
            paths = [change.path for change in record.changes]
            head = take_snapshot(self.repository, paths, Options(base="HEAD"))
            return state_by_merge(record, self.repository, head) is State.APPLIED
        return False

    def _with_advice(self, refused: Refused, step: _Step, journal: Journal) -> Refused:
        """Name later patches that are in the way, and how the files that merge are undone."""
        failures = [self._with_later(each, step.history, journal) for each in refused.failures]
        advised = Refused(failures, step.options)
        merging = {change.path for change in step.record.changes}
        merging -= _with_moves({failure.path for failure in failures}, step.record)
        if merging and all(failure.reason is Reason.CONFLICT for failure in failures):
            start = self.files.directory or "."
            named = [os.path.relpath(path, start) for path in sorted(merging)[:_MAX_NAMED]]
            words = ["git", "opatch", self._verb, str(step.history.number), "--", *named]
            note = Notice.OTHERS_MERGE.fill(verb=self._verb, command=shlex.join(words))
            advised.add_note(note)
        return advised

    def _with_later(self, failure: Failure, history: PatchHistory, journal: Journal) -> Failure:
        """Name the last later patch that is still applied and changed the file of a conflict."""
        if self.options.redoes or failure.reason is not Reason.CONFLICT:
            return failure
        later = [
            other.number
            for other in journal.histories
            if other.number > history.number
            and other.applied
            and failure.path in other.paths_in(other.applied, undone=False)
        ]
        return failure.with_hint(Hint.LATER_PATCH, later=later[-1]) if later else failure

    @property
    def _verb(self) -> str:
        return "redo" if self.options.redoes else "undo"

    @property
    def _where(self) -> str:
        target = self.target or Target.INDEX
        place = "" if target is Target.INDEX else f" in {LOCATED_IN[target]}"
        return place + " at these paths" * bool(self.files.pathspecs)

    def _done(self, histories: Sequence[PatchHistory]) -> str:
        """Say of patches that what is to be done is as it would be."""
        numbers = ", ".join(str(history.number) for history in histories)
        patches = f"patch{'es' * (len(histories) > 1)} {numbers}"
        notice = Notice.THERE_AGAIN if self.options.redoes else Notice.GONE
        return notice.fill(patches=patches, where=self._where)


def _with_moves(paths: Set[str], record: Record) -> Set[str]:
    """Return `paths`, and the other name of each file that `record` moved."""
    pairs = [{*pair} for pair in moved_paths(record).items()]
    return {*paths}.union(*(pair for pair in pairs if not pair.isdisjoint(paths)))
