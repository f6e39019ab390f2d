"""Read the journal of a repository: the records of what was applied here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from git_opatch.git.repository import Repository
from git_opatch.journal import Record, RecordAction, entries, get
from git_opatch.journal.patch_history import Journal, PatchHistory, read_journal
from git_opatch.model.errors import JournalError, OpatchError
from git_opatch.plan.record_state import LoggedRecord, RecordState, RecordStates, State
from git_opatch.transaction import state_dir


def record_of(repository: Repository, number: int | None = None) -> Record:
    """Return the journal's record with this number, or the newest.

    Raises `JournalError` if there is none, or if it cannot be read.
    """
    return get(state_dir(repository), number)


def records_of(repository: Repository) -> list[Record]:
    """Return the journal's records that can be read, newest first."""
    found = (record for _, record in entries(state_dir(repository)))
    return [record for record in found if isinstance(record, Record)]


def logged_records(
    repository: Repository, number: int | None = None, most: int | None = None
) -> Iterator[LoggedRecord | tuple[int, JournalError]]:
    """Yield what became of each record, newest first, or the error of one that cannot be read.

    `number` names one, `most` limits them. Raises `JournalError` if there is none of this number.
    """
    home = state_dir(repository)
    journal = read_journal(home)
    wanted = [get(home, number).number] if number is not None else _newest(journal, most)
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
        self._commits: dict[int, str] | None = None
        self._records = [record for each in histories for record in each.records]
        if repository.top is not None and histories:
            self._states = RecordStates(journal, repository)
            self._states.read_ahead(histories)

    def describe(self, history: PatchHistory, record: Record) -> LoggedRecord:
        after = history.after(record.number)
        state = self._state(history) if record.action is RecordAction.APPLY else None
        committed = state is not None and state.state is State.COMMITTED and not state.commits
        commit = self._commit_of(record) if committed else ""
        by = state.by if state else after.number if after else 0
        return LoggedRecord(record, state, by, commit)

    def _state(self, history: PatchHistory) -> RecordState | None:
        try:
            return self._states.of(history) if self._states else None
        except OpatchError:
            return None

    def _commit_of(self, record: Record) -> str:
        """Look for the commit that the user made of a patch; all are looked for at once."""
        if self._commits is None and self._states is not None:
            self._commits = self._states.commits_of(self._records)
        return (self._commits or {}).get(record.number, "")


def _newest(journal: Journal, most: int | None) -> list[int]:
    numbers = [record.number for history in journal.histories for record in history.records]
    numbers += [number for number, _ in journal.unreadable]
    return list(islice(sorted(numbers, reverse=True), most))
