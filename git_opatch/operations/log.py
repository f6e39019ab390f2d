"""Read the journal of a repository: what was applied here, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
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
    known = {history.number: history for history in journal.histories}
    wanted = sorted({*known, *journal.unreadable}, reverse=True)[:most]
    if number is not None:
        known = {number: journal.find(number)} if number not in journal.unreadable else {}
        wanted = [number]
    states = _states(repository, [known[number] for number in wanted if number in known])
    return [
        LoggedPatch(known[number], states.get(known[number].number))
        if number in known
        else (number, journal.unreadable[number])
        for number in wanted
    ]


def _states(repository: Repository, histories: Sequence[PatchHistory]) -> dict[int, State]:
    """Find the state of each patch: in the index, or where only the working tree may have it."""
    states = {patch.number: State.UNDONE for patch in histories if patch.applied is None}
    if repository.top is None:
        return states
    applied = [patch for patch in histories if patch.applied is not None]
    files = [patch for patch in applied if patch.applied is Target.WORKTREE or _is_on_disk(patch)]
    staged = [patch for patch in applied if patch not in files]
    states |= _states_in(repository, staged, Target.CACHED)
    files += [
        patch
        for patch in staged
        if patch.applied is Target.INDEX and states.get(patch.number) is State.GONE
    ]
    return states | _states_in(repository, files, Target.WORKTREE)


def _is_on_disk(history: PatchHistory) -> bool:
    """Return whether only the files on disk tell: of a filter's texts, or left with conflicts."""
    return bool(history.record.texts or history.record.unmerged)


def _states_in(
    repository: Repository, histories: Sequence[PatchHistory], target: Target
) -> dict[int, State]:
    """Find the states in one place, with as many processes as patches whose files differ.

    Of the index, only files that differ are read.
    """
    records = {  # without the files of which an undo is recorded
        patch.number: patch.record.only(patch.paths_in(target, undone=False)).located_in(target)
        for patch in histories
    }
    states: dict[int, State] = {}
    if not (paths := _paths_of(records.values())):
        return states
    with suppress(OpatchError):  # a filter fails, or a file is not among git's objects
        entries = _entries(repository, paths, target)
        for number, record in records.items():
            if state := state_by_entries(record, entries):
                states[number] = state
        drifted = {number: record for number, record in records.items() if number not in states}
        if drifted:
            snapshot = take_snapshot(repository, _paths_of(drifted.values()), Options(target))
        for number, record in drifted.items():
            with suppress(OpatchError):
                states[number] = state_by_merge(record, repository, snapshot)
    return states


def _paths_of(records: Iterable[Record]) -> set[str]:
    return {change.path for record in records for change in record.changes}


def _entries(repository: Repository, paths: Set[str], target: Target) -> dict[str, Entry | None]:
    """Return what the index, or the working tree, has at `paths`."""
    if target is Target.WORKTREE:
        blobs = take_snapshot(repository, paths, Options(target)).blobs
        return {path: blob.entry for path, blob in blobs.items()}
    listed = list_index(repository, sorted(paths), [])
    return {file.path: file.entry for file in listed if file.stage == 0}
