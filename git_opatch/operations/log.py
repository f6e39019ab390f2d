"""Read the journal of a repository: what was applied here, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from git_opatch.git.index import list_index
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import take_snapshot
from git_opatch.journal import PatchHistory, Record, entries, last, read_journal
from git_opatch.model.blob import Entry
from git_opatch.model.errors import JournalError, OpatchError
from git_opatch.model.options import Options, Target
from git_opatch.operations.recover import note_interrupted
from git_opatch.plan.reversal import State, state_by_entries, state_by_merge
from git_opatch.transaction.record import state_dir


class LoggedPatch(NamedTuple):
    """A patch, and what became of it; None if that is not known."""

    history: PatchHistory
    state: State | None = None


def record_of(repository: Repository, number: int | None = None) -> Record:
    """Return the journal's entry with this number, or the newest.

    Raises `JournalError` if there is none, or if it cannot be read.
    """
    home = state_dir(repository)
    journal = read_journal(home)
    journal.require_entries()
    wanted = last(home) if number is None else number
    history = journal.find(wanted)
    return next((each for each in history.records if each.number == wanted), history.record)


def records_of(repository: Repository) -> list[Record]:
    """Return the journal's entries that can be read, newest first."""
    found = (record for _, record in entries(state_dir(repository)))
    return [record for record in found if isinstance(record, Record)]


def notes_on_log(repository: Repository) -> list[str]:
    """Say why the log may not be all that there is to know."""
    notes = note_interrupted(repository)
    if repository.top is None and last(state_dir(repository)):
        notes.append("there is no working tree here, so the states of patches are not known")
    return notes


def logged_patches(
    repository: Repository, number: int | None = None, most: int | None = None
) -> list[LoggedPatch | tuple[int, JournalError]]:
    """Return what became of each patch, newest first, or the error of an entry that is unreadable.

    `number` names one, `most` limits them. Raises `JournalError` if there is none of this number.
    """
    journal = read_journal(state_dir(repository))
    if number is not None and number not in journal.unreadable:
        known = {number: journal.find(number)}
        wanted = [number]
    else:
        known = {history.number: history for history in journal.histories}
        wanted = sorted({*known, *journal.unreadable}, reverse=True)
        wanted = [number] if number is not None else list(islice(wanted, most))
    states = _states(repository, [known[each] for each in wanted if each in known])
    return [
        LoggedPatch(known[each], states.get(known[each].number))
        if each in known
        else (each, journal.unreadable[each])
        for each in wanted
    ]


def _states(repository: Repository, histories: Sequence[PatchHistory]) -> dict[int, State]:
    """Find the state of each patch: in the index, or where only the working tree may have it."""
    states = {each.number: State.UNDONE for each in histories if each.applied is None}
    if repository.top is None:
        return states
    applied = [each for each in histories if each.applied is not None]
    staged = [
        each for each in applied if each.applied is not Target.WORKTREE and not _is_on_disk(each)
    ]
    states |= _states_in(repository, staged, Target.CACHED)
    files = [
        each
        for each in applied
        if each.applied is Target.WORKTREE
        or _is_on_disk(each)
        or (each.applied is Target.INDEX and states.get(each.number) is State.GONE)
    ]
    return states | _states_in(repository, files, Target.WORKTREE)


def _is_on_disk(history: PatchHistory) -> bool:
    """Return whether only the files on disk tell: of a filter's texts, or left with conflicts."""
    return bool(history.record.texts or history.record.unmerged)


def _not_undone(history: PatchHistory, target: Target) -> Record:
    """Return the patch without the files of which an undo is recorded."""
    return history.record.only(history.paths_in(target, undone=False))


def _states_in(
    repository: Repository, histories: Sequence[PatchHistory], target: Target
) -> dict[int, State]:
    """Find the states in one place, with as many processes as patches whose files differ."""
    records = {each.number: _not_undone(each, target) for each in histories}
    paths = {change.path for each in records.values() for change in each.changes}
    if not paths:
        return {}
    now: dict[str, Entry | None]
    if target is Target.WORKTREE:
        try:
            snapshot = take_snapshot(repository, paths, Options(target))
        except OpatchError:  # a filter fails
            return {}
        now = {path: blob.entry for path, blob in snapshot.blobs.items()}
    else:
        listed = list_index(repository, sorted(paths), [])
        now = {each.path: each.entry for each in listed if each.stage == 0}
    states: dict[int, State] = {}
    drifted: list[PatchHistory] = []
    for history in histories:
        state = state_by_entries(records[history.number].located_in(target), now)
        if state is None:
            drifted.append(history)
        else:
            states[history.number] = state
    if drifted and target is not Target.WORKTREE:
        paths = {change.path for each in drifted for change in records[each.number].changes}
        snapshot = take_snapshot(repository, paths, Options(target))
    for history in drifted:
        try:
            located = records[history.number].located_in(target)
            states[history.number] = state_by_merge(located, repository, snapshot)
        except OpatchError:
            continue
    return states
