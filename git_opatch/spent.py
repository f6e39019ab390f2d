"""Records of the journal that cannot be taken back any more, and what to do instead."""

from __future__ import annotations

from git_opatch import journal
from git_opatch.errors import TakenBackError
from git_opatch.journal import Record
from git_opatch.repository import Repository
from git_opatch.transaction import home_of


def refuse_spent(record: Record, repository: Repository) -> None:
    """Raises `TakenBackError` for a record that was taken back already."""
    if by := journal.taken_back_by(home_of(repository), record.number):
        raise TakenBackError(
            f"record {record.number} was taken back already, by record {by}; "
            f"to apply it again: git opatch undo {by}"
        )
