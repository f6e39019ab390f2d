"""Undo and redo recorded patches.

`undo` without a number takes the patch that was applied last, is still there and is not committed
(D521); `redo` the one that was undone last, if nothing new was applied since. What is there is
found out by merging (`plan.reversal`): all of a patch is undone, or nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
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
from git_opatch.operations.perform import Session, perform
from git_opatch.operations.post_hook import finish
from git_opatch.operations.recover import recovered
from git_opatch.plan.plan import Plan
from git_opatch.plan.preflight import preflight
from git_opatch.plan.reversal import State, moved_paths, plan_reversal, state_by_merge
from git_opatch.transaction.lock import deferred_signals
from git_opatch.transaction.record import state_dir

OptionsFor = Callable[[Record], Options]
"""The options with which a patch is undone or redone; the target is chosen here."""


class Reversal(NamedTuple):
    """What came of an undo or a redo: `plan` was carried out, or nothing, for `failures`."""

    record: Record
    options: Options
    plan: Plan = Plan()
    failures: Sequence[Failure] = ()
    recovered: tuple[str, ...] = ()
    """With `failures`: notes on what was recovered before; otherwise the plan has them."""


class Paths(NamedTuple):
    """The files of a patch that are to be undone or redone, as in `directory`; all if empty."""

    pathspecs: Sequence[str] = ()
    directory: str = ""

    def of(self, record: Record, repository: Repository) -> frozenset[str]:
        """Return those that `record` changes, a moved one by both names; none if one is not."""
        paths = frozenset(change.path for change in record.changes)
        if not self.pathspecs:
            return paths
        matched = matching_paths(repository, paths, self.pathspecs, self.directory)
        for old, new in moved_paths(record).items():
            if not matched.isdisjoint((old, new)):
                matched |= {old, new}
        return frozenset(matched)


_ALL = Paths()
_MAX_NAMED = 10


class _Step(NamedTuple):
    """A patch that is to be undone or redone, where, and the plan of it.

    `record` is its entry with the files that this is about.
    """

    history: PatchHistory
    record: Record
    options: Options
    plan: Plan
    snapshot: Snapshot


def undo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Undo the patch that `record` is about, in the target of `options`, where it is not undone.

    The undo is recorded. Raises as `apply_patch` does, and `JournalError` if the entry cannot be
    read, or if the patch is not applied any more.
    """
    return _reverse(record, repository, options, redoes=False)


def redo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Apply again the patch that `record` is about, which was undone. Raises as `undo_patch`."""
    return _reverse(record, repository, options, redoes=True)


def _reverse(record: Record, repository: Repository, options: Options, *, redoes: bool) -> Plan:
    number, target = record.number, options.target
    reversal = reverse(number, repository, lambda _: options, target, redoes=redoes)
    if reversal.failures:
        refused = Refused(reversal.failures, reversal.options)
        for note in reversal.recovered:
            refused.add_note(note)
        raise refused
    return reversal.plan


def reverse(
    number: int | None,
    repository: Repository,
    options_for: OptionsFor,
    target: Target | None = None,
    paths: Paths = _ALL,
    *,
    redoes: bool,
) -> Reversal:
    """Undo the patch with this number, or the last one that is still there, or its files `paths`.

    If `redoes`, apply it again, or the one that was undone last. In `target`, or else where it was
    applied, or undone. Raises `JournalError`.
    """
    return _Run(repository, options_for, target, paths, redoes).reverse(number)


class _Run(NamedTuple):
    """An undo, or a redo; `target` is where, if the user says so."""

    repository: Repository
    options_for: OptionsFor
    target: Target | None
    paths: Paths
    redoes: bool

    def reverse(self, number: int | None) -> Reversal:
        """Choose a patch, and undo or redo all of it, or nothing."""
        self.repository.require_worktree()
        done = recovered(self.repository, lambda lock, notes: self._reverse(number, lock, notes))
        return done if done.failures else done._replace(plan=finish(done.plan, self.repository))

    def _reverse(self, number: int | None, lock: int, notes: Sequence[str]) -> Reversal:
        journal = read_journal(state_dir(self.repository))
        journal.require_entries()
        if number is None:
            step, more = self._last(journal)
        else:
            step, more = self._named(journal.find(number), number), []
        record, options = step.history.record, step.options
        try:
            plan = preflight(step.plan, step.snapshot, self.repository, options)
        except Refused as refused:
            failures = [self._with_later(each, step.history, journal) for each in refused.failures]
            others = self._others(step, failures)
            return Reversal(record, options, failures=failures, recovered=(*notes, *others))
        notes = [*notes, *more]
        is_staged = number is not None and options.target is not Target.WORKTREE
        if is_staged and self._is_committed(step.record):
            notes.append(Notice.UNDO_STAGED.fill(patch=step.history.number))
        with deferred_signals():
            plan = perform(plan, Session(self.repository, options, lock, record.name))
        return Reversal(record, options, plan.with_notes([], first=notes))

    def _named(self, history: PatchHistory, number: int) -> _Step:
        """Plan the patch that the user named. Raises `JournalError` if there is nothing to do."""
        patch = history.number
        if number != patch and not self.redoes:
            raise UndoneError(Notice.NOT_A_PATCH.fill(number=number, patch=patch))
        place = self._place(history)
        if place is None and self.redoes:
            raise NotAppliedError(self._why_not_undone(history))
        if place is None:
            was_undone = history.undone is not None
            notice = Notice.ALREADY_UNDONE if was_undone else Notice.NOT_APPLIED
            raise UndoneError(notice.fill(patch=patch, where=self._where))
        step = self._step(history, place)
        if step is None:
            raise NotAppliedError(Notice.NOT_AT_PATHS.fill(verb=self._verb, patch=patch))
        if _is_done(step.plan):
            raise NotAppliedError(self._done([history]))
        return step

    def _why_not_undone(self, history: PatchHistory) -> str:
        """Say that there is nothing to redo; of a change that is not there, what applies it."""
        patch, record = history.number, history.record
        step, undo = None, self._replace(redoes=False)
        with suppress(OpatchError):
            step = undo._step(history, history.applied) if history.applied else None
        if self.paths.pathspecs or step is None or not _is_done(step.plan):
            return Notice.NOT_UNDONE.fill(patch=patch, where=self._where)
        command = shlex.join(["git", "opatch", "apply", str(record.file)])
        return Notice.NOT_UNDONE_AND_GONE.fill(patch=patch, command=command)

    def _last(self, journal: Journal) -> tuple[_Step, list[str]]:
        """Plan the last patch that can be undone, or redone; with a note on those that are gone."""
        gone: list[PatchHistory] = []
        for number, history in self._newest(journal):
            if history is None:
                raise journal.unreadable[number]
            if self.redoes and number < journal.last_new:
                break
            place = self._place(history)
            step = self._step(history, place) if place else None
            if step and not _is_done(step.plan):
                if self._is_committed(step.record):
                    raise UndoneError(Notice.COMMITTED.fill(patch=history.number))
                return step, [Notice.SKIPPED.fill(gone=self._done(gone))] if gone else []
            if step:
                gone.append(history)
        if gone:
            done = self._done(gone)
            raise NotAppliedError(Notice.NOTHING_LEFT.fill(verb=self._verb, gone=done))
        if self.redoes:
            raise NotAppliedError(Notice.NOTHING_TO_REDO.fill(where=self._where))
        raise UndoneError(Notice.ALL_UNDONE.fill(where=self._where))

    def _newest(self, journal: Journal) -> Iterator[tuple[int, PatchHistory | None]]:
        """Yield the patches, those applied or undone last first; none for unreadable entries."""
        last = {each.last(undo=self.redoes): each for each in journal.histories}
        for number in sorted({*last, *journal.unreadable} - {0}, reverse=True):
            yield number, last.get(number)

    def _place(self, history: PatchHistory) -> Target | None:
        """Return where to undo or redo a patch; None if it is done there."""
        undone, applied = history.undone, history.applied
        if self.redoes:
            undone = history.undone_in_part
            return undone.shared_with(self.target or undone) if undone else None
        if self.target is None:
            return applied
        return self.target.without(undone) if applied or undone else None

    def _step(self, history: PatchHistory, place: Target) -> _Step | None:
        """Plan a patch in `place`; where the index is done, in the working tree alone.

        Only files that are not done, and are asked for; None if there are none.
        """
        options = self.options_for(history.record)
        rest = history.paths_in(place, undone=self.redoes)
        paths = self.paths.of(history.record, self.repository) & rest
        if not paths and (self.paths.pathspecs or history.record.changes):
            return None
        record = history.record.only(paths)
        carry = options.carry or any(record.carried for record in history.records)
        for target in (place, Target.WORKTREE):
            options = replace(options, target=target, carry=carry)
            plan, snapshot = plan_reversal(record, self.repository, options, redo=self.redoes)
            if place is not Target.INDEX or not _is_done(plan):
                break
        if paths < rest:
            moves, state = moved_paths(history.record), "undone" if self.redoes else "applied"
            count = len({moves.get(path, path) for path in rest - paths})
            number, s = history.number, "s" * (count == 1)
            stay = Notice.STAYS.fill(count=count, patch=number, s=s, state=state)
            plan = plan._replace(only=tuple(sorted(paths))).with_notes([stay])
        return _Step(history, record, options, plan, snapshot)

    def _is_committed(self, record: Record) -> bool:
        """Return whether HEAD has the change of `record`, and has moved since it was applied."""
        if self.redoes or not moved_since(self.repository, record.file, record.time):
            return False
        with suppress(RepositoryError, JournalError):  # no commit yet; nothing knows what it had
            paths = [change.path for change in record.changes]
            head = take_snapshot(self.repository, paths, Options(base="HEAD"))
            return state_by_merge(record, self.repository, head) is State.APPLIED
        return False

    def _with_later(self, failure: Failure, history: PatchHistory, journal: Journal) -> Failure:
        """Name the last later patch that is still applied and changed the file of a conflict."""
        if self.redoes or failure.reason is not Reason.CONFLICT:
            return failure
        later = [
            each.number
            for each in journal.histories
            if each.number > history.number
            and each.applied
            and failure.path in each.paths_in(each.applied, undone=False)
        ]
        return failure.with_hint(Hint.LATER_PATCH, later=later[-1]) if later else failure

    def _others(self, step: _Step, failures: Sequence[Failure]) -> list[str]:
        """Say how the files of the patch that merge are undone without those that do not."""
        moves, refused = moved_paths(step.record), {each.path for each in failures}
        moves |= {new: old for old, new in moves.items()}
        paths = sorted(change.path for change in step.record.changes)
        others = [path for path in paths if refused.isdisjoint((path, moves.get(path, path)))]
        if not others or not all(each.reason is Reason.CONFLICT for each in failures):
            return []
        named = [os.path.relpath(path, self.paths.directory or ".") for path in others[:_MAX_NAMED]]
        words = ["git", "opatch", self._verb, str(step.history.number), "--", *named]
        return [Notice.OTHERS_MERGE.fill(verb=self._verb, command=shlex.join(words))]

    @property
    def _verb(self) -> str:
        return "redo" if self.redoes else "undo"

    @property
    def _where(self) -> str:
        target = self.target or Target.INDEX
        place = "" if target is Target.INDEX else f" in {LOCATED_IN[target]}"
        return place + " at these paths" * bool(self.paths.pathspecs)

    def _done(self, histories: Sequence[PatchHistory]) -> str:
        """Say of patches that what is to be done is as it would be."""
        numbers = ", ".join(str(history.number) for history in histories)
        patches = f"patch{'es' * (len(histories) > 1)} {numbers}"
        notice = Notice.THERE_AGAIN if self.redoes else Notice.GONE
        return notice.fill(patches=patches, where=self._where)


def _is_done(plan: Plan) -> bool:
    return not (plan.failures or plan.completed.changes or plan.settled)
