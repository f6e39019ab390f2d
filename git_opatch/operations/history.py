"""Read the journal of a repository: the records of what was applied here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from git_opatch.git.history import abbreviate_commits
from git_opatch.git.repository import Repository
from git_opatch.journal import Record, RecordAction, entries, get, last
from git_opatch.journal.patch_history import Journal, PatchHistory, read_journal
from git_opatch.model.arguments import typed
from git_opatch.model.errors import JournalError, OpatchError
from git_opatch.operations.recover import note_interrupted
from git_opatch.plan.record_state import LoggedRecord, RecordState, RecordStates, State
from git_opatch.transaction import state_dir


@typed(repository=Repository)
def record_of(repository: Repository, number: int | None = None) -> Record:
    """Return the journal's record with this number, or the newest.

    Raises `JournalError` if there is none, or if it cannot be read.
    """
    return get(state_dir(repository), number)


@typed(repository=Repository)
def records_of(repository: Repository) -> list[Record]:
    """Return the journal's records that can be read, newest first."""
    found = (record for _, record in entries(state_dir(repository)))
    return [record for record in found if isinstance(record, Record)]


def notes_on_log(repository: Repository) -> list[str]:
    """Say why the log may not be all that there is to know."""
    notes = note_interrupted(repository)
    if repository.top is None and last(state_dir(repository)):
        notes.append("there is no working tree here, so the states of patches are not known")
    return notes


def logged_records(
    repository: Repository,
    number: int | None = None,
    most: int | None = None,
    *,
    reversals: bool = False,
) -> Iterator[LoggedRecord | tuple[int, JournalError]]:
    """Yield what became of each patch, newest first, or the error of a record that is unreadable.

    `number` names one record, `most` limits them, and with `reversals` undos and redos are records
    of their own. Raises `JournalError` if there is none of this number.
    """
    home = state_dir(repository)
    journal = read_journal(home)
    if number is not None:
        wanted = [get(home, number).number]
    else:
        wanted = _newest(journal, most, reversals=reversals)
    errors = dict(journal.unreadable)
    known = {record.number: (h, record) for h in journal.histories for record in h.records}
    log = _Log(repository, journal, [known[each][0] for each in wanted if each in known])
    for each in wanted:
        yield (each, errors[each]) if each in errors else log.describe(*known[each])


class _Log:
    """Finds out what became of records; without a working tree, only the journal tells."""

    def __init__(
        self, repository: Repository, journal: Journal, histories: Sequence[PatchHistory]
    ) -> None:
        self._states: RecordStates | None = None
        self._repository = repository
        self._commits: dict[int, tuple[str, ...]] | None = None
        self._names: dict[str, str] = {}
        self._records = [record for each in histories for record in each.records]
        if repository.top is not None and histories:
            self._states = RecordStates(journal, repository)
            self._states.read_ahead(histories)

    def describe(self, history: PatchHistory, record: Record) -> LoggedRecord:
        state = self._state(history) if record.action is RecordAction.APPLY else None
        by = state.by if state else history.after(record)
        if state is None or state.state is not State.COMMITTED:
            return LoggedRecord(record, state, by)
        commits = state.commits or self._commit_of(record)
        return LoggedRecord(record, state, by, commits, self._abbreviated(commits))

    def _state(self, history: PatchHistory) -> RecordState | None:
        try:
            return self._states.of(history) if self._states else None
        except OpatchError:
            return None

    def _commit_of(self, record: Record) -> tuple[str, ...]:
        """Look for the commits that the user made of a patch; of all patches at once."""
        if self._commits is None and self._states is not None:
            self._commits = self._states.commits_of(self._records)
        return (self._commits or {}).get(record.number, ())

    def _abbreviated(self, commits: Sequence[str]) -> tuple[str, ...]:
        """Abbreviate `commits`, and with them all that may be asked for next."""
        if not self._names.keys() >= set(commits):
            known = {each for record in self._records for each in record.commits}
            known.update(commits, *(self._commits or {}).values())
            wanted = sorted(known)
            names = abbreviate_commits(self._repository, wanted)
            self._names = dict(zip(wanted, names, strict=True))
        return tuple(self._names[each] for each in commits)


def _newest(journal: Journal, most: int | None, *, reversals: bool) -> list[int]:
    """List the newest; a patch whose own record is not kept is there by its newest one (D223)."""
    numbers = [number for number, _ in journal.unreadable]
    for history in journal.histories:
        records = [record.number for record in history.records]
        own = history.number if history.number in records else records[-1]
        numbers += records if reversals else [own]
    return list(islice(sorted(numbers, reverse=True), most))
