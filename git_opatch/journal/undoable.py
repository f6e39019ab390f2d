"""Refuse to undo journal records that were undone or committed, and say what to do instead."""

from __future__ import annotations

from git_opatch import journal
from git_opatch.git.head import is_in_history
from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.commits import revert_command
from git_opatch.model.errors import UndoneError
from git_opatch.model.options import Target
from git_opatch.transaction import state_dir

_ONLY = {
    Target.INDEX: "",
    Target.CACHED: ", in the index only",
    Target.WORKTREE: ", in the working tree only",
}


def refuse_if_undone(record: Record, repository: Repository) -> None:
    """Raise `UndoneError` for a record that was undone already, or that was committed.

    Commits that are not in HEAD's history, after a reset or on another branch, are ignored.
    """
    home = state_dir(repository)
    if by := journal.undone_by(home, record.number):
        where = _ONLY[journal.get(home, by).target] if record.target is Target.INDEX else ""
        raise UndoneError(
            f"record {record.number} is already undone{where}, by record {by}; "
            f"to apply it again: git opatch undo {by}"
        )
    if record.commits and is_in_history(repository, record.commits[-1]):
        raise UndoneError(
            f"record {record.number} was committed; to undo it: {revert_command(record.commits)}"
        )
