"""Read the journal of a repository: the records of what was applied here."""

from __future__ import annotations

from git_opatch.git.repository import Repository
from git_opatch.journal import Record, entries, get
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
