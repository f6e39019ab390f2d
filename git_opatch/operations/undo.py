"""Undo and redo recorded patches (D120).

`undo` without a number takes the patch that was applied last and is still applied; `redo` the one
that was undone last, if nothing new was applied since. Neither does the work of the other: an undo
never applies a patch.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from git_opatch.git.head import read_head, staged_changes, unfinished_operation
from git_opatch.git.history import abbreviate_commits
from git_opatch.git.index import unmerged_paths
from git_opatch.git.repository import Repository
from git_opatch.journal import Record, RecordAction
from git_opatch.journal.patch_history import Journal, PatchHistory, read_journal
from git_opatch.model.commits import committed_as, revert_command
from git_opatch.model.errors import JournalError, NotAppliedError, UndoneError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Operation
from git_opatch.model.result import Failure, Reason, Refused
from git_opatch.operations.perform import Session, perform
from git_opatch.operations.post_hook import run_post_hook
from git_opatch.operations.recover import recovered
from git_opatch.plan.conflict_hints import resolve, restore_ours
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_request
from git_opatch.plan.preflight import preflight
from git_opatch.plan.record_state import RecordState, RecordStates, State
from git_opatch.plan.undo import undo_patch_of
from git_opatch.transaction import after_commit, deferred_signals, state_dir

OptionsFor = Callable[[Record], Options]
"""The options with which a record is reversed."""

_ONLY = {
    Target.INDEX: "",
    Target.CACHED: ", in the index only",
    Target.WORKTREE: ", in the working tree only",
}
_REST = {Target.CACHED: Target.WORKTREE, Target.WORKTREE: Target.CACHED}
"""What an undo of one target leaves as it is."""
_THERE = {Target.CACHED: " in the index, too", Target.WORKTREE: " in the working tree, too"}
_IN_THE_WAY = {Reason.UNSTAGED, Reason.SKIPPED, Reason.IN_THE_WAY, Reason.UNTRACKED}
"""Reasons that are about the working tree, not about the patch."""
_MAX_SKIPPED = 3


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
        refused = Refused(reversal.failures, reversal.options)
        for note in reversal.recovered:
            refused.add_note(note)
        raise refused
    return reversal.plan


def undo(number: int | None, repository: Repository, options_for: OptionsFor) -> Reversal:
    """Undo the patch with this number, or the last one that is still applied."""
    return _reverse(number, repository, options_for, RecordAction.UNDO)


def redo(number: int | None, repository: Repository, options_for: OptionsFor) -> Reversal:
    """Redo the patch with this number, or the one that was undone last."""
    return _reverse(number, repository, options_for, RecordAction.REDO)


def _reverse(
    number: int | None, repository: Repository, options_for: OptionsFor, action: RecordAction
) -> Reversal:
    """Choose a record, and apply its diff in reverse, as a whole or not at all."""
    repository.require_worktree()
    with recovered(repository) as (lock, notes):
        journal = read_journal(state_dir(repository))
        chooser = _Chooser(journal, repository, options_for)
        choice = chooser.to_undo(number) if action is RecordAction.UNDO else chooser.to_redo(number)
        record, options = choice.record, options_for(choice.record)
        try:
            plan = preflight(plan_request(record, repository, options), repository, options)
        except Refused as refused:
            failures = chooser.advise(refused.failures, record)
            return Reversal(record, options, failures=failures, recovered=tuple(notes))
        with deferred_signals():
            plan = perform(plan, Session(repository, options, lock, record.name))
    with after_commit():
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
        if named is not None and named.action is RecordAction.UNDO:
            raise UndoneError(f"{number} is an undo of patch {history.number}{self._next(history)}")
        record = history.application
        state = self._state_in_target(history)
        if record is None or state.state not in (State.APPLIED, State.COMMITTED, State.CHANGED):
            raise self._not_undoable(history, state)
        if state.state is State.COMMITTED:
            where = _committed_as(self._commits_of(history, state))
            what = "this stages its undo"
            if self._options_for(record).target is Target.WORKTREE:
                what = "this undoes it in the working tree only"
                what += f"; to stage its undo: git opatch undo --cached {number}"
            return _Choice(record, (f"patch {number} is {where}; {what}",))
        return _Choice(record, self._left(history, record))

    def to_redo(self, number: int | None) -> _Choice:
        """Raises `JournalError`, with the command that works, if there is one."""
        if number is None:
            return self._last_undone()
        history = self._find(number)
        state = self._redo_state(history)
        if history.undo is not None and state.state is State.UNDONE:
            if not self._has_lines(history, history.undo.target):
                return _Choice(history.undo)
            raise self._there_again(history)
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
        self._require_records()
        skipped: list[str] = []
        for history in self._journal.undo_order():
            record = history.application
            if record is None:
                continue
            self._require_readable(record.number)
            if history.undo is not None and self._states.of(history).state is State.UNDONE:
                continue
            state = self._state_in_target(history)
            if state.state in (State.UNDONE, State.REAPPLIED):
                continue
            if state.state is State.GONE:
                skipped.append(_gone(history, state))
                continue
            self._require_merged(record)
            if state.state is State.UNSTAGED:
                raise self._not_undoable(history, state)
            if state.state is State.COMMITTED:
                raise self._committed_last(history, state, skipped)
            notes = [f"{reason}; skipped" for reason in skipped]
            return _Choice(record, (*notes, *self._left(history, record)))
        self._require_readable(0)
        self._require_merged(None)
        if skipped:
            raise NotAppliedError(
                _lines("nothing to undo: no recorded patch is applied", skipped[:_MAX_SKIPPED])
            )
        redoable = any(map(self._is_redoable, self._journal.redo_order()))
        redo = "; to redo the last: git opatch redo" if redoable else ""
        raise UndoneError(f"nothing to undo: every recorded patch is undone{redo}")

    def _left(self, history: PatchHistory, record: Record) -> tuple[str, ...]:
        """Say that `git add` staged what was applied to the working tree only (D336)."""
        targets = {record.target, self._options_for(record).target}
        if targets != {Target.WORKTREE} or history.is_undone_in(Target.CACHED):
            return ()
        if not self._states.is_there(record, Target.CACHED):
            return ()
        number = history.number
        command = f"git opatch undo --cached {number}"
        return (f"the change of patch {number} is still staged; to undo it there: {command}",)

    def _last_undone(self) -> _Choice:
        self._require_records()
        for history in self._journal.redo_order():
            if history.undo is not None:
                self._require_readable(history.undo.number)
                if self._is_redoable(history):
                    return _Choice(history.undo)
        undone = [each for each in self._journal.undone() if self._is_undone(each)]
        for history in undone:
            if self._is_redoable(history):
                raise NotAppliedError(
                    "nothing to redo: another patch was applied after the last undo\n"
                    f"  to redo a patch all the same: git opatch redo {history.number}"
                )
        if undone:
            raise self._there_again(undone[0])
        raise NotAppliedError("nothing to redo: no recorded patch is undone")

    def _is_undone(self, history: PatchHistory) -> bool:
        return self._redo_state(history).state is State.UNDONE

    def _is_redoable(self, history: PatchHistory) -> bool:
        undo = history.undo
        return (
            undo is not None
            and self._is_undone(history)
            and not self._has_lines(history, undo.target)
        )

    def _redo_state(self, history: PatchHistory) -> RecordState:
        """Return the state where the patch was undone last."""
        return self._states.of(history, history.undo.target if history.undo else None)

    def _has_lines(self, history: PatchHistory, target: Target | None = None) -> bool:
        """Return whether the lines of an undone patch are there all the same, from somebody
        else."""
        applied = history.application
        return applied is not None and self._states.is_there(applied, target)

    @staticmethod
    def _there_again(history: PatchHistory) -> NotAppliedError:
        return NotAppliedError(
            f"patch {history.number} is undone by {history.last.number}, but its lines are there "
            "again, and not by git opatch; so there is nothing to redo"
        )

    def _state_in_target(self, history: PatchHistory) -> RecordState:
        """Return the state in the target that the user chose, or else in the record's own."""
        applied = history.application
        return self._states.of(history, self._options_for(applied).target if applied else None)

    def _find(self, number: int) -> PatchHistory:
        self._require_records()
        for unreadable, error in self._journal.unreadable:
            if unreadable == number:
                raise error
        history = self._journal.find(number)
        if history is None:
            numbers = [each.number for known in self._journal.histories for each in known.records]
            numbers += [unreadable for unreadable, _ in self._journal.unreadable]
            raise JournalError(
                f"there is no patch {number}; `git opatch log --all` shows {min(numbers)} to "
                f"{max(numbers)}"
            )
        return history

    def _require_records(self) -> None:
        if not self._journal.histories and not self._journal.unreadable:
            self._require_merged(None)
            raise JournalError("nothing is recorded here: no patch was applied, or none is kept")

    def _require_readable(self, number: int) -> None:
        """Raise the error of a record that is newer than `number` and cannot be read."""
        for unreadable, error in self._journal.unreadable:
            if unreadable > number:
                raise error

    def _require_merged(self, record: Record | None) -> None:
        """Raise `JournalError` if a merge, which is in no record, came last."""
        known = record.unmerged if record else ()
        if others := set(unmerged_paths(self._repository)) - set(known):
            path = min(others)
            ways = [resolve(path)]
            operation = unfinished_operation(self._repository)
            if operation is None:
                ways.append(f"to go back: {restore_ours(path)}")
            if record and not others & {change.path for change in record.changes}:
                undo = f"git opatch undo {record.patch}"
                ways.append(f"to undo patch {record.patch} all the same: {undo}")
            what = f"{path} is unmerged; a merge with conflicts is not recorded, so it has no undo"
            if operation:  # whose conflicts these are
                command = f"git {operation.command} --abort"
                what = f"{path} is unmerged in a {operation.name} that is not finished"
                ways.append(f"to end the {operation.name} without it: {command}")
            raise JournalError(_lines(what, ways))

    def _committed_last(
        self, history: PatchHistory, state: RecordState, skipped: Sequence[str]
    ) -> UndoneError:
        """Say that the last patch that is still applied is committed, and what can be done."""
        number = history.number
        commits = self._commits_of(history, state)
        committed = _committed_as(commits)
        what = f"patch {number} is {committed}"
        if skipped:
            what = f"the last patch that is still applied is {number}, and it is {committed}"
        ways = []
        in_the_way = self._kept_from_revert(history.application or history.last)
        if commits and not in_the_way:
            # a commit that the patch was found in may have more than the patch
            all_of = f"patch {number}" if state.commits else f"all of {' '.join(commits)}"
            ways.append(f"to revert {all_of} in a commit: {revert_command(commits)}")
        elif commits:
            ways.append(f"{in_the_way}, so `git revert` would be refused")
        ways.append(self._way_to_undo(history))
        return UndoneError(_lines(what, [*skipped[:_MAX_SKIPPED], *ways]))

    def _kept_from_revert(self, record: Record) -> str:
        """Say what keeps `git revert` from undoing a commit of `record`; empty if nothing does."""
        if path := self._states.unstaged(record):
            return f"{path} has unstaged changes"
        if staged := staged_changes(self._repository, read_head(self._repository)):
            return f"{staged[0].path} has staged changes"
        return ""

    def _way_to_undo(self, history: PatchHistory) -> str:
        """Give the command that stages the undo of a committed patch, of those that could."""
        number, record = history.number, history.application or history.last
        options = self._options_for(record)
        in_index: tuple[str, ...] = ()
        if options.target is Target.WORKTREE:
            options, in_index = replace(options, target=Target.INDEX), ("--index",)
        for flags, tried in (
            (in_index, options),
            ((*in_index, "--carry"), replace(options, carry=True)),
            (("--cached",), replace(options, target=Target.CACHED)),
        ):
            with suppress(Refused):
                preflight(plan_request(record, self._repository, tried), self._repository, tried)
                command = " ".join(["git opatch undo", *flags, str(number)])
                where = _ONLY[tried.target]
                return f"to stage the undo of patch {number}{where}: {command}"
        return f"its undo would be refused; to see why: git opatch undo {number}"

    def _commits_of(self, history: PatchHistory, state: RecordState) -> tuple[str, ...]:
        """Return the commits that made the change, abbreviated, oldest first, if they are known."""
        applied = history.application
        found = {} if state.commits or applied is None else self._states.commits_of([applied])
        return self._abbreviated(state.commits or next(iter(found.values()), ()))

    def _abbreviated(self, commits: Sequence[str]) -> tuple[str, ...]:
        return abbreviate_commits(self._repository, commits)

    def _not_undoable(self, history: PatchHistory, state: RecordState) -> JournalError:
        number = history.number
        if state.state is State.UNDONE:
            return self._already_undone(history)
        if state.state is State.REAPPLIED:
            return UndoneError(
                f"patch {number} was applied again, as {state.by}; to undo that: git opatch undo "
                f"{state.by}"
            )
        if state.state is State.UNSTAGED:
            return NotAppliedError(
                f"patch {number} is not staged any more: its change is in the working tree only\n"
                f"  to undo it there: git opatch undo --worktree {number}"
            )
        return NotAppliedError(_gone(history, state))

    def _already_undone(self, history: PatchHistory) -> UndoneError:
        number, undo, applied = history.number, history.undo, history.application
        if undo is None or applied is None:
            return UndoneError(f"patch {number} is already undone")
        if self._has_lines(history, undo.target):
            return UndoneError(
                f"patch {number} is already undone; its lines are there again, but not by git "
                "opatch, so they are left\n"
                f"  to see them: git opatch log -p {number}"
            )
        is_part = applied.target is Target.INDEX
        rest = _REST.get(undo.target) if is_part else None
        if rest and history.is_undone_in(rest):
            is_part = False
        elif rest and self._has_lines(history, rest):
            return UndoneError(
                f"patch {number} is already undone{_ONLY[undo.target]}\n"
                f"  to undo it{_THERE[rest]}: git opatch undo --{rest.value} {number}\n"
                f"  to apply it again: git opatch redo {number}"
            )
        where = _ONLY[undo.target] if is_part else ""
        return UndoneError(
            f"patch {number} is already undone{where}; to apply it again: git opatch redo {number}"
        )

    def _not_redoable(self, history: PatchHistory, state: RecordState) -> JournalError:
        number = history.number
        if state.state is State.GONE:
            return NotAppliedError(
                f"{_gone(history, state)}\n"
                "  it was not undone by git opatch, so it cannot be redone; to apply it again: "
                f"{_apply_again(history)}"
            )
        if state.state is State.REAPPLIED:
            return NotAppliedError(
                f"patch {number} was applied again, as {state.by}, so there is nothing to redo"
            )
        return NotAppliedError(f"patch {number} is not undone, so there is nothing to redo")

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
            changed = f"patch {history.number} {_what_became_of(path, later)}"
            if state.commits:
                revert = revert_command(self._abbreviated(state.commits))
                return f"{changed}, and was committed; first: {revert}"
            if state.state in (State.APPLIED, State.COMMITTED):
                return f"{changed}; first: git opatch undo {history.number}"
        return f"what was applied: git opatch log -p {record.patch}"


def _what_became_of(path: str, later: Record) -> str:
    """Say what a later record did to the file at `path`."""
    for section in undo_patch_of(later).files:  # in reverse: its old path is the new one
        if section.operation is Operation.MOVE and section.new_path == path:
            return f"moved {path} to {section.old_path}"
    return "changed the file after that"


def _target_of(history: PatchHistory) -> Target:
    record = history.application or history.last
    return record.target


def _committed_as(commits: Sequence[str]) -> str:
    """Name the commits that made a change, if they are known."""
    return committed_as(commits) if commits else "committed"


def _gone(history: PatchHistory, state: RecordState) -> str:
    return f"patch {history.number} is no longer applied: {state.why}"


def _apply_again(history: PatchHistory) -> str:
    """Spell the command that applies a patch anew; its file is named if it is still there."""
    name = history.records[0].name
    return f"git opatch apply {shlex.quote(name) if os.path.isfile(name) else 'PATCH'}"


def _lines(message: str, details: Sequence[str]) -> str:
    """Join a message and the lines below it."""
    return "\n  ".join([message, *details])
