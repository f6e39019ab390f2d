"""Undo and redo recorded patches (D120).

`undo` without a number takes the patch that was applied last and is still applied; `redo` the one
that was undone last, if nothing new was applied since. Neither does the work of the other: an undo
never applies a patch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from git_opatch.git.index import unmerged_paths
from git_opatch.git.repository import Repository
from git_opatch.journal import Action, Record
from git_opatch.journal.patch_history import Journal, PatchHistory, read_journal
from git_opatch.model.commits import revert_command
from git_opatch.model.errors import JournalError, NotAppliedError, UndoneError
from git_opatch.model.options import Options, Target
from git_opatch.model.result import Failure, Reason, Refused
from git_opatch.model.text import visible
from git_opatch.operations.perform import Session, perform
from git_opatch.operations.post_hook import run_post_hook
from git_opatch.operations.recover import recovered
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_request
from git_opatch.plan.preflight import preflight
from git_opatch.plan.record_state import RecordState, RecordStates, State
from git_opatch.transaction import deferred_signals, state_dir

OptionsFor = Callable[[Record], Options]
"""The options with which a record is reversed."""

_ONLY = {
    Target.INDEX: "",
    Target.CACHED: ", in the index only",
    Target.WORKTREE: ", in the working tree only",
}
_IN_THE_WAY = {Reason.UNSTAGED, Reason.SKIPPED, Reason.IN_THE_WAY, Reason.UNTRACKED}
"""Reasons that are about the working tree, not about the patch."""
_MOST_SKIPPED = 3


class Reversal(NamedTuple):
    """What came of an undo or a redo: `plan` was carried out, or nothing, for `failures`.

    `record` is the one whose diff is applied in reverse.
    """

    record: Record
    options: Options
    plan: Plan = Plan()
    failures: Sequence[Failure] = ()
    recovered: tuple[str, ...] = ()
    """With `failures`: notes on what was recovered before; otherwise the plan has them."""


def undo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Undo the patch that `record` is about, in the target of `options`.

    Its hunks must be where they were left, or where git's diff says that they moved since. The undo
    is recorded. Raises as `apply_patch` does, and `JournalError` if the record is damaged, or if
    the patch is not applied any more.
    """
    return _plan_of(undo(record.number, repository, lambda _: options))


def redo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Apply again the patch that `record` is about, which was undone. Raises as `undo_patch`."""
    return _plan_of(redo(record.number, repository, lambda _: options))


def _plan_of(reversal: Reversal) -> Plan:
    if reversal.failures:
        refused = Refused(reversal.failures)
        for note in reversal.recovered:
            refused.add_note(note)
        raise refused
    return reversal.plan


def undo(number: int | None, repository: Repository, options_for: OptionsFor) -> Reversal:
    """Undo the patch with this number, or the last one that is still applied."""
    return _reverse(number, repository, options_for, Action.UNDO)


def redo(number: int | None, repository: Repository, options_for: OptionsFor) -> Reversal:
    """Redo the patch with this number, or the one that was undone last."""
    return _reverse(number, repository, options_for, Action.REDO)


def _reverse(
    number: int | None, repository: Repository, options_for: OptionsFor, action: Action
) -> Reversal:
    """Choose a record, and apply its diff in reverse, as a whole or not at all."""
    repository.require_worktree()
    with recovered(repository) as (lock, notes):
        journal = read_journal(state_dir(repository))
        chooser = _Chooser(journal, repository, options_for)
        choice = chooser.to_undo(number) if action is Action.UNDO else chooser.to_redo(number)
        record, options = choice.record, options_for(choice.record)
        try:
            plan = preflight(plan_request(record, repository, options), repository, options)
        except Refused as refused:
            failures = chooser.advise(refused.failures, record)
            return Reversal(record, options, failures=failures, recovered=tuple(notes))
        with deferred_signals():
            plan = perform(plan, Session(repository, options, lock, record.name))
    plan = plan.with_notes(run_post_hook(plan, repository), first=[*notes, *choice.notes])
    return Reversal(record, options, plan)


class _Choice(NamedTuple):
    """The record to reverse, and notes on those that were skipped."""

    record: Record
    notes: tuple[str, ...] = ()


class _Chooser:
    """Chooses the record to reverse, or says why there is none and what to do."""

    def __init__(self, journal: Journal, repository: Repository, options_for: OptionsFor) -> None:
        self._journal = journal
        self._repository = repository
        self._options_for = options_for
        self._states = RecordStates(journal, repository)

    def to_undo(self, number: int | None) -> _Choice:
        """Raises `JournalError`, with the command that works, if there is one."""
        if number is None:
            return self._last_applied()
        history = self._find(number)
        named = next((each for each in history.records if each.number == number), None)
        if named is not None and named.action is Action.UNDO:
            raise UndoneError(
                f"record {number} is an undo of record {history.number}{self._next(history)}"
            )
        record = history.application
        state = self._state_in_target(history)
        if record is None or state.state not in (State.APPLIED, State.COMMITTED, State.CHANGED):
            raise self._not_undoable(history, state)
        self._refuse_committed(history, state)
        return _Choice(record)

    def to_redo(self, number: int | None) -> _Choice:
        """Raises `JournalError`, with the command that works, if there is one."""
        if number is None:
            return self._last_undone()
        history = self._find(number)
        state = self._states.of(history)
        if history.undo is not None and state.state is State.UNDONE:
            return _Choice(history.undo)
        raise self._not_redoable(history, state)

    def advise(self, failures: Sequence[Failure], record: Record) -> list[Failure]:
        """Replace the advice of `failures` to reverse `record`: its hunks cannot be sent again."""
        return [
            failure
            if failure.reason in _IN_THE_WAY
            else failure._replace(advice=self._advice(failure.path, record))
            for failure in failures
        ]

    def _last_applied(self) -> _Choice:
        """Walk back from the patch that was applied last to one that is still applied."""
        self._refuse_empty()
        skipped: list[str] = []
        for history in self._journal.undo_order():
            record = history.application
            if record is None:
                continue
            self._refuse_unreadable(record.number)
            state = self._states.of(history)
            if state.state in (State.UNDONE, State.REAPPLIED):
                continue
            if state.state is State.GONE:
                skipped.append(_gone(history, state))
                continue
            self._refuse_unmerged(record)
            if state.state is State.UNSTAGED:
                raise self._not_undoable(history, state)
            self._refuse_committed(history, state)
            if skipped and self._states.is_committed(record):
                last = f"the last patch that is still applied is {history.number}"
                advice = (
                    f"{last}, and it is committed; to undo it: git opatch undo {history.number}"
                )
                raise NotAppliedError("\n".join([*skipped[:_MOST_SKIPPED], advice]))
            return _Choice(record, tuple(f"{reason}; skipped" for reason in skipped))
        self._refuse_unreadable(0)
        self._refuse_unmerged(None)
        if skipped:
            none = "no other recorded patch is applied"
            raise NotAppliedError("\n".join([*skipped[:_MOST_SKIPPED], none]))
        redo = "; to redo the last: git opatch redo" if self._redoable() else ""
        raise UndoneError(f"nothing to undo: every recorded patch is undone{redo}")

    def _last_undone(self) -> _Choice:
        self._refuse_empty()
        for history in self._journal.redo_order():
            if history.undo is not None:
                self._refuse_unreadable(history.undo.number)
                if self._states.of(history).state is State.UNDONE:
                    return _Choice(history.undo)
        for history in self._journal.undone():
            if self._states.of(history).state is State.UNDONE:
                raise NotAppliedError(
                    "nothing to redo: another patch was applied after the last undo\n"
                    f"to redo a patch all the same: git opatch redo {history.number}"
                )
        raise NotAppliedError("nothing to redo: no recorded patch is undone")

    def _redoable(self) -> bool:
        return any(
            self._states.of(history).state is State.UNDONE for history in self._journal.redo_order()
        )

    def _state_in_target(self, history: PatchHistory) -> RecordState:
        """Return the state in the target that the user chose, or else in the record's own."""
        applied = history.application
        return self._states.of(history, self._options_for(applied).target if applied else None)

    def _find(self, number: int) -> PatchHistory:
        self._refuse_empty()
        for unreadable, error in self._journal.unreadable:
            if unreadable == number:
                raise error
        history = self._journal.find(number)
        if history is None:
            numbers = [each.number for known in self._journal.histories for each in known.records]
            numbers += [unreadable for unreadable, _ in self._journal.unreadable]
            raise JournalError(
                f"there is no record {number}; `git opatch log` shows those from {min(numbers)} to "
                f"{max(numbers)}"
            )
        return history

    def _refuse_empty(self) -> None:
        if not self._journal.histories and not self._journal.unreadable:
            raise JournalError("nothing is recorded here: no patch was applied, or none is kept")

    def _refuse_unreadable(self, number: int) -> None:
        """Raise the error of a record that is newer than `number` and cannot be read."""
        for unreadable, error in self._journal.unreadable:
            if unreadable > number:
                raise error

    def _refuse_unmerged(self, record: Record | None) -> None:
        """Raise `JournalError` if a merge, which is in no record, came last."""
        known = record.unmerged if record else ()
        if others := set(unmerged_paths(self._repository)) - set(known):
            name = f", or name the record: git opatch undo {record.patch}" if record else ""
            raise JournalError(
                f"files are unmerged, and not by what was recorded last: {visible(min(others))}\n"
                f"resolve or restore them first{name}"
            )

    def _refuse_committed(self, history: PatchHistory, state: RecordState) -> None:
        if state.commits:
            raise UndoneError(
                f"record {history.number} was committed; to undo it: "
                f"{revert_command(state.commits)}"
            )

    def _not_undoable(self, history: PatchHistory, state: RecordState) -> JournalError:
        number = history.number
        if state.state is State.UNDONE:
            undo = history.undo
            is_part = undo is not None and _target_of(history) is Target.INDEX
            where = _ONLY[undo.target] if undo is not None and is_part else ""
            return UndoneError(
                f"record {number} is already undone{where}, by record {state.by}; to apply it "
                f"again: git opatch redo {number}"
            )
        if state.state is State.REAPPLIED:
            return UndoneError(
                f"record {number} was applied again, as record {state.by}; to undo that: git "
                f"opatch undo {state.by}"
            )
        if state.state is State.UNSTAGED:
            return NotAppliedError(
                f"record {number} is not staged any more: its change is in the working tree only\n"
                f"to undo it there: git opatch undo --worktree {number}"
            )
        return NotAppliedError(_gone(history, state))

    def _not_redoable(self, history: PatchHistory, state: RecordState) -> JournalError:
        number = history.number
        if state.state is State.GONE:
            return NotAppliedError(
                f"{_gone(history, state)}\nit was not undone by git opatch, so it cannot be redone"
            )
        return NotAppliedError(f"record {number} is not undone, so there is nothing to redo")

    def _next(self, history: PatchHistory) -> str:
        """Say what can be done with the patch that the user named by an undo of it."""
        state = self._states.of(history)
        if state.state is State.UNDONE:
            return f"; to apply that again: git opatch redo {history.number}"
        if state.state in (State.APPLIED, State.COMMITTED) and not state.commits:
            return f", which is applied; to undo that: git opatch undo {history.number}"
        return ""

    def _advice(self, path: str, record: Record) -> str:
        """Say what to do about `path`, where `record` cannot be reversed."""
        for history in self._journal.applied():
            later = history.application
            if later is None or later.number <= record.number or history.number == record.patch:
                continue
            if path not in {change.path for change in later.changes}:
                continue
            state = self._states.of(history)
            changed = f"record {history.number} changed the file after that"
            if state.commits:
                return f"{changed}, and was committed; first: {revert_command(state.commits)}"
            if state.state in (State.APPLIED, State.COMMITTED):
                return f"{changed}; first: git opatch undo {history.number}"
        return f"what was applied: git opatch log -p {record.number}"


def _target_of(history: PatchHistory) -> Target:
    record = history.application or history.last
    return record.target


def _gone(history: PatchHistory, state: RecordState) -> str:
    return f"record {history.number} is no longer applied: {state.why}"
