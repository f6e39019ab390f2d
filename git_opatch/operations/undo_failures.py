"""The commits that made the change of a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from git_opatch.git.head import commit_id, staged_changes
from git_opatch.git.history import abbreviate_commits
from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.plan.record_state import RecordState, RecordStates


class Commits(NamedTuple):
    """The commits that made the change of a record, and what `git revert` would say to them."""

    states: RecordStates
    repository: Repository

    def of(self, record: Record, state: RecordState | None = None) -> tuple[str, ...]:
        """Return the commits of a record, abbreviated, oldest first, if they are known."""
        known = state.commits if state else ()
        found = known or self.states.commits_of([record]).get(record.number, ())
        return abbreviate_commits(self.repository, found)

    def kept_from_revert(self, paths: Sequence[str]) -> str:
        """Say what keeps `git revert` from undoing a commit of `paths`; empty if nothing does."""
        if path := self.states.unstaged(paths, tracked=True):
            return f"{path} has unstaged changes"
        if path := self.states.unstaged(paths):
            return f"{path} is in the working tree, and is not tracked"
        if staged := staged_changes(self.repository, commit_id(self.repository, "HEAD")):
            return f"{staged[0].path} has staged changes"
        return ""
