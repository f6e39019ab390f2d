"""Undo and redo recorded patches (D120).

`undo` without a number takes the patch that was applied last and is still applied; `redo` the one
that was undone last, if nothing new was applied since. Neither does the work of the other: an undo
never applies a patch.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from git_opatch.git.filtered import FilterError
from git_opatch.git.head import unfinished_operation
from git_opatch.git.index import unmerged_stages
from git_opatch.git.repository import Repository
from git_opatch.journal import Record, RecordAction, unknown
from git_opatch.journal.patch_history import Journal, PatchHistory, Step, read_journal
from git_opatch.model.arguments import typed
from git_opatch.model.blob import Entry
from git_opatch.model.commits import committed_as, way_to_revert
from git_opatch.model.errors import JournalError, NotAppliedError, UndoneError
from git_opatch.model.failure import LOCATED_IN, Failure
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import pathspec
from git_opatch.model.refusal import Refused
from git_opatch.operations.perform import Session, perform
from git_opatch.operations.post_hook import run_post_hook
from git_opatch.operations.recover import recovered
from git_opatch.operations.undo_failures import Commits
from git_opatch.plan.conflict_hints import go_back, resolve, restore_ours
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_request
from git_opatch.plan.preflight import preflight
from git_opatch.plan.record_state import RecordState, RecordStates, State
from git_opatch.plan.renamed_files import renamed_files
from git_opatch.transaction import after_commit, deferred_signals, state_dir

OptionsFor = Callable[[Record], Options]
"""The options with which a record is reversed; the target is chosen here."""

_ONLY = {
    Target.INDEX: "",
    Target.CACHED: ", in the index only",
    Target.WORKTREE: ", in the working tree only",
}
_STILL = {Target.CACHED: "still staged", Target.WORKTREE: "still in the working tree"}
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


@typed(record=Record, repository=Repository, options=Options)
def undo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Undo the patch that `record` is about, in the target of `options`, where it is not undone.

    Its hunks must be where they were left, or where git's diff says that they moved since. The undo
    is recorded. Raises as `apply_patch` does, and `JournalError` if the record is damaged, or if
    the patch is not applied any more.
    """
    return _plan_of(undo(record.number, repository, lambda _: options, options.target))


@typed(record=Record, repository=Repository, options=Options)
def redo_patch(record: Record, repository: Repository, options: Options) -> Plan:
    """Apply again the patch that `record` is about, which was undone. Raises as `undo_patch`."""
    return _plan_of(redo(record.number, repository, lambda _: options, options.target))


def _plan_of(reversal: Reversal) -> Plan:
    if reversal.failures:
        refused = Refused(reversal.failures, reversal.options)
        for note in reversal.recovered:
            refused.add_note(note)
        raise refused
    return reversal.plan


def undo(
    number: int | None,
    repository: Repository,
    options_for: OptionsFor,
    target: Target | None = None,
) -> Reversal:
    """Undo the patch with this number, or the last one that is still applied.

    In `target`, or else where the patch was applied last (D452).
    """
    return _reverse(number, repository, options_for, target, RecordAction.UNDO)


def redo(
    number: int | None,
    repository: Repository,
    options_for: OptionsFor,
    target: Target | None = None,
) -> Reversal:
    """Redo the patch with this number, or the one that was undone last.

    In `target`, or else where the patch was undone last (D452).
    """
    return _reverse(number, repository, options_for, target, RecordAction.REDO)


def _reverse(
    number: int | None,
    repository: Repository,
    options_for: OptionsFor,
    target: Target | None,
    action: RecordAction,
) -> Reversal:
    """Choose a record, and apply its diff in reverse, as a whole or not at all."""
    repository.require_worktree()
    with recovered(repository) as (lock, notes):
        journal = read_journal(state_dir(repository))
        chooser = _Chooser(journal, repository, options_for, target)
        choice = chooser.to_undo(number) if action is RecordAction.UNDO else chooser.to_redo(number)
        record = choice.record
        options = replace(options_for(record), target=choice.target)
        try:
            plan = preflight(plan_request(record, repository, options), repository, options)
        except Refused as refused:
            failures = refused.failures
            return Reversal(record, options, failures=failures, recovered=tuple(notes))
        notes += [*choice.notes, *chooser.notes_on_rest(choice, plan)]
        notes += chooser.notes_on_conflicts(record)
        with deferred_signals():
            plan = perform(plan, Session(repository, options, lock, record.name))
    with after_commit():
        plan = plan.with_notes(run_post_hook(plan, repository), first=notes)
    return Reversal(record, options, plan)


class _Choice(NamedTuple):
    """The record to reverse, where, and notes on it and on those that were skipped."""

    record: Record
    target: Target
    notes: tuple[str, ...] = ()


class _Elsewhere(NamedTuple):
    """A place where a patch, or a part of it, can be undone besides another."""

    target: Target
    number: int
    is_part: bool = False

    @property
    def command(self) -> str:
        skip = "--skip-undone " * self.is_part
        return f"git opatch undo --{self.target.value} {skip}{self.number}"


class _Chooser:
    """Chooses the record to reverse, or says why there is none and what to do."""

    def __init__(
        self,
        journal: Journal,
        repository: Repository,
        options_for: OptionsFor,
        target: Target | None,
    ) -> None:
        self._journal = journal
        self._repository = repository
        self._options_for = options_for
        self._named = target
        self._states = RecordStates(journal, repository)
        self._commits = Commits(self._states, repository)

    def to_undo(self, number: int | None) -> _Choice:
        """Raises `JournalError`, with the command that works, if there is one."""
        if number is None:
            return self._last_applied()
        history = self._find(number)
        if what := _undo_named(history, number):
            raise UndoneError(f"{what}{self._next(history)}")
        steps = self._steps_to_undo(history)
        for step in steps:
            state = self._states.of(history, step.target)
            if state.state is State.COMMITTED or state.is_partly_committed:
                return _Choice(*step, (self._committed_note(history, state, step.target),))
            if state.state in (State.APPLIED, State.CHANGED) or self._is_renamed(
                step.record, state
            ):
                return _Choice(*step, self._left(history, step))
        where = steps[0].target if steps else self._named
        raise self._not_undoable(history, self._states.of(history, where))

    def to_redo(self, number: int | None) -> _Choice:
        """Raises `JournalError`, with the command that works, if there is one."""
        if number is None:
            return self._last_undone()
        history = self._find(number)
        for step in self._steps_to_redo(history):
            if self._is_redoable(history, step):
                return self._redo_of(history, step)
        error = self._not_redoable(history)
        what = _undo_named(history, number)
        raise type(error)(f"{what}; {error}" if what else str(error))

    def _is_renamed(self, record: Record, state: RecordState) -> bool:
        """Return whether a change is gone from its path because the file has another name now.

        Then its undo is refused with that name, as that of a file that was renamed before a commit.
        """
        return state.state is State.GONE and bool(renamed_files(record, self._repository))

    def _way_to_undo_rest(self, step: Step) -> str:
        """Give the command that undoes what is left of a patch, where that would work.

        If it would not in both the index and the working tree, it may in one of them.
        """
        record, target = step
        if record.action is RecordAction.UNDO:
            return ""
        carry = self._options_for(record).carry
        flags = [f"--{self._named.value}"] if self._named else []
        flags += ["--carry"] * carry
        ways = [(flags, target, carry)]
        if target is Target.INDEX:
            ways += [([f"--{place.value}"], place, False) for place in target.places]
        for flags, place, is_carried in ways:
            if self._fits(record, place, carry=is_carried, skip_undone=True):
                words = ["git opatch undo", *flags, "--skip-undone", str(record.patch)]
                where = "" if place is target else _ONLY[place]
                return f"to undo the rest{where}: {' '.join(words)}"
        return ""

    def _way_to_undo_left(self, history: PatchHistory, state: RecordState) -> str:
        """Give the command that undoes what the working tree has of a patch that the index lost."""
        record = history.application
        if record is None or not state.is_left_in_files:
            return ""
        return self._way_to_undo_rest(Step(record, Target.INDEX))

    def notes_on_rest(self, choice: _Choice, plan: Plan) -> Iterator[str]:
        """Say that the rest of a patch, without what is undone already, is committed."""
        record, target, _ = choice
        history = self._journal.find(record.patch)
        if history is None or not plan.undoes or not plan.skipped or target is Target.WORKTREE:
            return
        state = self._states.of(history, target)
        is_staged = self._states.are_staged([change.path for change in plan.completed.changes])
        is_changed = state.state is State.CHANGED and not is_staged
        if is_changed and self._states.is_partly_committed(record):
            is_part = not self._commits_of(history, state)
            yield self._committed_note(history, state._replace(is_partly_committed=is_part), target)

    def notes_on_conflicts(self, record: Record) -> Iterator[str]:
        """Say which conflicts of a patch its undo leaves, and how to undo them, too."""
        for path, ours in self._own_conflicts(record).items():
            yield f"{path}: is still unmerged; {go_back(path, ours, record.target)}"

    def _steps_to_undo(self, history: PatchHistory) -> list[Step]:
        """List what can be undone of a patch: what it is undone in already is left out."""
        if self._named is None:
            return history.applications(self._states.applied_in(history))
        left = self._named.without(self._states.undone_in(history))
        record = history.application_in(left) if left else None
        return [Step(record, left)] if left and record else []

    def _steps_to_redo(self, history: PatchHistory) -> list[Step]:
        """List the undos of a patch that can be redone, the last first."""
        steps = history.undos(self._states.undone_in(history))
        return [step for step in steps if not self._named or step.target.overlaps(self._named)]

    def _last_applied(self) -> _Choice:
        """Walk back from the patch that was applied last to one that is still applied."""
        self._require_records()
        self._states.read_ahead(each for each in self._journal.histories if each.undone)
        skipped: list[str] = []
        elsewhere: list[PatchHistory] = []
        for history, step in self._newest(self._steps_to_undo):
            record = step.record
            self._require_readable(record.number)
            whole, state = self._states.of(history), self._states.of(history, step.target)
            if whole.state is State.UNDONE or state.state is State.REAPPLIED:
                continue
            if self._way_to_undo_left(history, state):
                raise self._not_undoable(history, state)
            if state.state is State.GONE:
                reason = _gone(history, state)
                if whole.state is State.GONE and reason not in skipped:
                    if len(skipped) < _MAX_SKIPPED and self._is_renamed(record, state):
                        return _Choice(*step)
                    skipped.append(reason)
                elif whole.state is not State.GONE:
                    elsewhere.append(history)
                continue
            self._require_merged(record)
            if state.state is State.UNSTAGED:
                raise self._not_undoable(history, state)
            if state.state is State.COMMITTED or state.is_partly_committed:
                raise self._committed_last(history, state, step, skipped)
            notes = [f"{reason}; skipped" for reason in skipped]
            return _Choice(*step, (*notes, *self._left(history, step)))
        self._require_readable(0)
        self._require_merged(None)
        raise self._nothing_to_undo(skipped, elsewhere)

    def _nothing_to_undo(
        self, skipped: Sequence[str], elsewhere: Sequence[PatchHistory]
    ) -> JournalError:
        """Say whether all patches are undone, or some are not applied, or not where it was asked.

        `elsewhere` are those, the last first.
        """
        if skipped or elsewhere:
            ways = (self._way_elsewhere(history) for history in elsewhere[:_MAX_SKIPPED])
            details = [*skipped[:_MAX_SKIPPED], *islice(filter(None, ways), 1)]
            what = f"nothing to undo: no recorded patch is applied{self._in_place}"
            return NotAppliedError(_lines(what, details))
        redoable = any(self._redoable(self._journal.last_new))
        redo = "; to redo the last: git opatch redo" if redoable else ""
        what = f"nothing to undo: every recorded patch is undone{self._in_place}"
        return UndoneError(f"{what}{redo}")

    @property
    def _place(self) -> Target | None:
        """The one place that the user named; None if both are meant, or none was named."""
        return None if self._named is Target.INDEX else self._named

    @property
    def _in_place(self) -> str:
        return f" in {LOCATED_IN[self._place]}" if self._place else ""

    def _way_elsewhere(self, history: PatchHistory) -> str:
        """Give the command that undoes a patch in the place that was not named; else empty."""
        rest = self._elsewhere(history, self._place) if self._place else None
        if rest is None:
            return ""
        where = LOCATED_IN[rest.target]
        return f"patch {history.number} is applied in {where}; to undo it there: {rest.command}"

    def _newest(
        self, steps_of: Callable[[PatchHistory], list[Step]]
    ) -> list[tuple[PatchHistory, Step]]:
        """List the steps of all patches, the last first."""
        steps = [(each, step) for each in self._journal.histories for step in steps_of(each)]
        return sorted(steps, key=lambda pair: pair[1].record.number, reverse=True)

    def _left(self, history: PatchHistory, step: Step) -> tuple[str, ...]:
        """Say where the patch is still applied after an undo, such as by `git add` (D336)."""
        rest = self._elsewhere(history, step.target)
        if rest is None or self._named not in (None, step.record.target):
            return ()
        part = "a part of " * rest.is_part
        what = f"{part}the change of patch {history.number} is {_STILL[rest.target]}"
        return (f"{what}; to undo it there: {rest.command}",)

    def _elsewhere(self, history: PatchHistory, target: Target) -> _Elsewhere | None:
        """Return where the patch is besides `target`, if git opatch or `git add` brought it, and
        the undo of it there works."""
        rest = Target.INDEX.without(target)
        if rest is None or history.is_undone_in(rest):
            return None
        record = history.application_in(rest)
        if record is None or history.target is None:
            return None
        is_staged = rest is Target.CACHED and not self._states.is_older(record)
        is_meant = history.target.overlaps(rest)
        if not (is_staged or is_meant):
            return None
        if self._fits(record, rest):
            return _Elsewhere(rest, history.number)
        plan = self._plan_reversal(record, rest, skip_undone=True)
        paths = [change.path for change in plan.completed.changes] if plan else []
        is_ours = is_meant or self._states.are_staged(paths)
        return _Elsewhere(rest, history.number, is_part=True) if paths and is_ours else None

    def _last_undone(self) -> _Choice:
        self._require_records()
        self._states.read_ahead(each for each in self._journal.histories if each.undone)
        for history, step in self._redoable(self._journal.last_new):
            return self._redo_of(history, step)
        for history, _ in self._redoable():
            raise NotAppliedError(
                "nothing to redo: another patch was applied after the last undo\n"
                f"  to redo a patch all the same: git opatch redo {history.number}"
            )
        for history, step in self._newest(self._steps_to_redo):
            if self._states.of(history, step.target).state is State.UNDONE:
                raise self._there_again(history)
        raise self._nothing_to_redo()

    def _nothing_to_redo(self) -> NotAppliedError:
        """Say that no patch is undone where it was asked, and the command for one that is."""
        undone = ((history, self._states.undone_in(history)) for history in self._journal.undone())
        ways = (
            f"patch {history.number} is undone in {LOCATED_IN[place]}; to redo it there: "
            f"git opatch redo --{place.value} {history.number}"
            for history, place in undone
            if place and self._place and not place.overlaps(self._place)
        )
        what = f"nothing to redo: no recorded patch is undone{self._in_place}"
        return NotAppliedError(_lines(what, [*islice(ways, 1)]))

    def _redoable(self, after: int = 0) -> Iterator[tuple[PatchHistory, Step]]:
        """Yield the undos after a record that can be redone, the last first."""
        for history, step in self._newest(self._steps_to_redo):
            if step.record.number > after:
                self._require_readable(step.record.number)
                if self._is_redoable(history, step):
                    yield history, step

    def _is_redoable(self, history: PatchHistory, step: Step) -> bool:
        is_undone = self._states.of(history, step.target).state is State.UNDONE
        return is_undone and not self._has_lines(history, step.target)

    def _redo_of(self, history: PatchHistory, step: Step) -> _Choice:
        """Redo an undo where it was made, or in the target that the user chose."""
        if self._named is None:
            return _Choice(*step, self._still_undone(history, step))
        left = self._named.without(self._states.applied_in(history))
        return _Choice(step.record, left or step.target)

    def _still_undone(self, history: PatchHistory, redone: Step) -> tuple[str, ...]:
        """Say where the patch is still undone after a redo, as after an undo in two steps."""
        return tuple(
            f"patch {history.number} is still undone in {LOCATED_IN[step.target]}; to redo it "
            f"there: git opatch redo --{step.target.value} {history.number}"
            for step in self._steps_to_redo(history)
            if step != redone and self._is_redoable(history, step) and self._fits(*step)
        )

    def _has_lines(self, history: PatchHistory, target: Target) -> bool:
        """Return whether the lines of a patch are in `target`."""
        applied = history.application_in(target)
        if applied is None or all(change.old == change.new for change in applied.changes):
            return False  # what a filter takes out is not seen in the index
        return self._states.is_there(applied, target)

    @staticmethod
    def _there_again(history: PatchHistory) -> NotAppliedError:
        (undo, *_) = history.undos(history.undone)
        return NotAppliedError(
            f"patch {history.number} is undone by {undo.record.number}, but its lines are there "
            "again, by hand or by another patch, so there is nothing to redo"
        )

    def _find(self, number: int) -> PatchHistory:
        self._require_records()
        for unreadable, error in self._journal.unreadable:
            if unreadable == number:
                raise error
        history = self._journal.find(number)
        if history is None:
            numbers = [each.number for known in self._journal.histories for each in known.records]
            numbers += [unreadable for unreadable, _ in self._journal.unreadable]
            raise unknown(number, numbers)
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
        """Raise `JournalError` if a merge, which is in no record, came last.

        `record` would be undone. If there is none, only the conflicts of an apply are in the way:
        those of a git command are not for an undo, and there would be nothing after them.
        """
        known = self._own_conflicts(record) if record else {}
        if others := unmerged_stages(self._repository).keys() - known.keys():
            path = min(others)
            ways = [resolve(path)]
            operation = unfinished_operation(self._repository)
            if operation and record is None:
                return
            if operation is None:
                ways.append(f"to go back: {restore_ours(path)}")
            if record and not others & {change.path for change in record.changes}:
                undo = f"git opatch undo {record.patch}"
                ways.append(f"to undo patch {record.patch} all the same: {undo}")
            what = f"{path} is unmerged; conflicts are not recorded, so they have no undo or redo"
            if operation:  # whose conflicts these are
                what = f"{path} is unmerged in a {operation.name} that is not finished"
            raise JournalError(_lines(what, ways))

    def _own_conflicts(self, record: Record) -> dict[str, Entry]:
        """Return our version of each file that a patch left unmerged, and that still is as it left
        it."""
        ids = record.unmerged
        unmerged = unmerged_stages(self._repository) if ids else {}
        return {
            path: stages[2]
            for path, stages in unmerged.items()
            if path in ids
            and len(stages) == 3
            and ids[path] in ((), tuple(each.id for each in stages.values()))
        }

    def _committed_note(self, history: PatchHistory, state: RecordState, target: Target) -> str:
        """Say of a committed patch what is done with it, and how to stage its undo."""
        commits = self._commits_of(history, state)
        what = f"patch {history.number} is {_committed_as(commits, state)}"
        if target is not Target.WORKTREE:
            undo = "the undo of that part" if state.is_partly_committed else "its undo"
            return f"{what}; this stages {undo}"
        what += "; this undoes it in the working tree only"
        if history.is_undone_in(Target.CACHED):
            return what
        return f"{what}; to stage its undo: git opatch undo --cached {history.number}"

    def _committed_last(
        self, history: PatchHistory, state: RecordState, step: Step, skipped: Sequence[str]
    ) -> UndoneError:
        """Say that the last patch that is still applied is committed, and what can be done."""
        number = history.number
        commits = self._commits_of(history, state)
        committed = _committed_as(commits, state)
        what = f"patch {number} is {committed}"
        if skipped:
            what = f"the last patch that is still applied is {number}, and it is {committed}"
        ways = []
        paths = [change.path for change in step.record.changes]
        in_the_way = self._commits.kept_from_revert(paths)
        if commits and not in_the_way:
            # a commit that the patch was found in may have more than the patch
            all_of = f"patch {number}" if state.commits else f"all of {' '.join(commits)}"
            ways.append(way_to_revert(all_of, commits))
        elif commits:
            ways.append(f"{in_the_way}, so `git revert` would be refused")
        ways.append(self._way_to_undo(history, step))
        return UndoneError(_lines(what, [*skipped[:_MAX_SKIPPED], *ways]))

    def _way_to_undo(self, history: PatchHistory, step: Step) -> str:
        """Give the command that undoes a committed patch, of those that could."""
        number, undone = history.number, self._states.undone_in(history)
        is_staged = undone is not None and undone.overlaps(Target.CACHED)
        in_index = ("--index",) if step.target is Target.WORKTREE and not is_staged else ()
        for flags, target, carry in (
            (in_index, Target.INDEX if in_index else step.target, False),
            ((*in_index, "--carry"), Target.INDEX, True),
            (("--cached",), Target.CACHED, False),
        ):
            if (left := target.without(undone)) is None:
                continue
            if self._fits(step.record, left, carry=carry):
                command = " ".join(["git opatch undo", *flags, str(number)])
                what = "undo" if left is Target.WORKTREE else "stage the undo of"
                return f"to {what} patch {number}{_ONLY[left]}: {command}"
        return f"its undo would be refused; to see why: git opatch undo {number}"

    def _fits(
        self,
        record: Record,
        target: Target,
        *,
        carry: bool | None = None,
        skip_undone: bool = False,
    ) -> bool:
        """Return whether a record can be reversed in a target, as the command would (D352)."""
        plan = self._plan_reversal(record, target, carry=carry, skip_undone=skip_undone)
        return plan is not None

    def _plan_reversal(
        self,
        record: Record,
        target: Target,
        *,
        carry: bool | None = None,
        skip_undone: bool = False,
    ) -> Plan | None:
        """Plan to reverse a record in a target; None if that is refused.

        With `skip_undone`, without what is undone of it already; with `carry` as the user gave it,
        unless it is given.
        """
        options = self._options_for(record)
        carry = options.carry if carry is None else carry
        skip = skip_undone or options.skip_applied
        options = replace(options, target=target, carry=carry, skip_applied=skip)
        with suppress(Refused, FilterError):
            planned = plan_request(record, self._repository, options)
            plan = preflight(planned, self._repository, options)
            return plan if plan.skipped or not skip_undone else None
        return None

    def _commits_of(self, history: PatchHistory, state: RecordState) -> tuple[str, ...]:
        """Return the commits that made the change, abbreviated, oldest first, if they are known."""
        return self._commits.of(history.application, state) if history.application else ()

    def _not_undoable(self, history: PatchHistory, state: RecordState) -> JournalError:
        number = history.number
        if state.state is State.UNDONE:
            return self._already_undone(history)
        if state.state is State.REAPPLIED:
            return UndoneError(
                f"patch {number} was applied again, as {state.by}; to undo that: git opatch undo "
                f"{state.by}"
            )
        if state.state is State.UNSTAGED and state.to_stage:
            add = shlex.join(["git", "add", "--", *map(pathspec, state.to_stage)])
            return NotAppliedError(
                f"patch {number} is staged in part only: the working tree has all of it\n"
                f"  to stage the rest, and undo it: {add} && git opatch undo {number}"
            )
        if state.state is State.UNSTAGED:
            was_staged = history.target is not None and history.target.overlaps(Target.CACHED)
            any_more = " any more" if was_staged else ""
            return NotAppliedError(
                f"patch {number} is not staged{any_more}: its change is in the working tree only\n"
                f"  to undo it there: git opatch undo --worktree {number}"
            )
        if self._place:
            place = "" if LOCATED_IN[self._place] in state.why else self._in_place
            what = f"patch {number} is not applied{place}: {state.why}"
            way = self._way_elsewhere(history)
            return NotAppliedError(_lines(what, [way] if way else []))
        rest = self._way_to_undo_left(history, state)
        return NotAppliedError(_lines(_gone(history, state), [rest] if rest else []))

    def _already_undone(self, history: PatchHistory) -> UndoneError:
        number, undone = history.number, self._states.undone_in(history)
        if undone is None or history.target is None:
            return UndoneError(f"patch {number} is already undone")
        if self._has_lines(history, undone):
            return UndoneError(
                f"patch {number} is already undone; its lines are there again, by hand or by "
                "another patch, so they are left\n"
                f"  to see them: git opatch log -p {number}"
            )
        where = _ONLY[undone] if history.target.without(undone) else ""
        what = f"patch {number} is already undone{where}"
        redo = f"to apply it again: git opatch redo {number}"
        if rest := self._elsewhere(history, undone):
            there = f"to undo it in {LOCATED_IN[rest.target]}, too: {rest.command}"
            return UndoneError(_lines(what, [there, redo]))
        return UndoneError(f"{what}; {redo}")

    def _not_redoable(self, history: PatchHistory) -> JournalError:
        number, undone = history.number, self._states.undone_in(history)
        state = self._states.of(history, undone)
        if undone and state.state is State.UNDONE:
            if self._steps_to_redo(history):
                return self._there_again(history)
            where = f"patch {number} is undone in {LOCATED_IN[undone]} only"
            return NotAppliedError(f"{where}; to redo it there: git opatch redo {number}")
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
        if state.state in (State.APPLIED, State.COMMITTED):
            return f", which is applied; to undo that: git opatch undo {history.number}"
        return f"; what became of that: git opatch log {history.number}"


def _undo_named(history: PatchHistory, number: int) -> str:
    """Say what is undone by the record with this number; empty if it is not an undo."""
    undos = {each.number for each in history.records if each.action is RecordAction.UNDO}
    return f"{number} is an undo of patch {history.number}" if number in undos else ""


def _committed_as(commits: Sequence[str], state: RecordState) -> str:
    """Name the commits that made a change, if they are known."""
    if state.is_partly_committed:
        return "committed in part"
    return committed_as(commits) if commits else "committed"


def _gone(history: PatchHistory, state: RecordState) -> str:
    return f"patch {history.number} is no longer applied: {state.why}"


def _apply_again(history: PatchHistory) -> str:
    """Spell the command that applies a patch anew; its file is named if it is still there."""
    first = history.records[0]
    file = shlex.quote(first.name) if os.path.isfile(first.name) else "PATCH"
    return f"{first.command or 'git opatch apply'} {file}"


def _lines(message: str, details: Sequence[str]) -> str:
    """Join a message and the lines below it."""
    return "\n  ".join([message, *details])
