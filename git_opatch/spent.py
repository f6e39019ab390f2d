"""Records of the journal that cannot be taken back any more, and what to do instead."""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch import journal
from git_opatch.branch import is_in_history
from git_opatch.errors import TakenBackError
from git_opatch.journal import Record
from git_opatch.options import Target
from git_opatch.repository import Repository
from git_opatch.transaction import home_of

_ALONE = {
    Target.INDEX: "",
    Target.CACHED: ", in the index alone",
    Target.WORKTREE: ", in the working tree alone",
}
_SHORT = 12
_MOST_NAMED = 10


def refuse_spent(record: Record, repository: Repository) -> None:
    """Raises `TakenBackError` for a record that was taken back already, or was committed.

    A commit that HEAD does not have, since it was reset or another branch is there, counts for
    nothing.
    """
    home = home_of(repository)
    if by := journal.taken_back_by(home, record.number):
        where = _ALONE[journal.get(home, by).target] if record.target is Target.INDEX else ""
        raise TakenBackError(
            f"record {record.number} was taken back already{where}, by record {by}; "
            f"to apply it again: git opatch undo {by}"
        )
    if record.commits and is_in_history(repository, record.commits[-1]):
        raise TakenBackError(
            f"record {record.number} was committed; take it back: {revert(record.commits)}"
        )


def revert(commits: Sequence[str]) -> str:
    """The command that takes back `commits`, which are in order, oldest first."""
    first, last = commits[0], commits[-1]
    if len(commits) > _MOST_NAMED:
        return f"git revert {abbreviated(first)}^..{abbreviated(last)}"
    return " ".join(["git revert", *map(abbreviated, reversed(commits))])


def abbreviated(commit: str) -> str:
    """As much of an id as is sure to be the only one."""
    return commit[:_SHORT]
