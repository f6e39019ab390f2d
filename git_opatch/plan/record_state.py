"""Is the change of a recorded patch still there? By the index or the files, not by a flag (D120).

The journal knows what git opatch did last. A reset, a commit, a checkout or an editor may have done
more since: so a record counts as applied as long as it could be undone, its lines where git's diff
says that they are now.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import Enum
from typing import NamedTuple

from git_opatch.git.head import is_in_history
from git_opatch.git.history import list_history
from git_opatch.git.index import list_index
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.journal import Action, Record
from git_opatch.journal.patch_history import Journal, PatchHistory
from git_opatch.model.blob import Change, Entry, Mode
from git_opatch.model.errors import RepositoryError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch
from git_opatch.model.result import Failure
from git_opatch.plan.plan import Plan
from git_opatch.plan.planner import plan_undo
from git_opatch.plan.undo import undo_patch_of

_UNCLEAR = Entry(Mode.GITLINK, "")
"""Stands for an index entry that no record left so: unmerged, or only intended to be added."""
_MOST_COMMITS = 1000


class State(Enum):
    """What became of a patch."""

    APPLIED = "applied"
    COMMITTED = "committed"
    UNDONE = "undone"
    REAPPLIED = "reapplied"
    """It was applied again, as a later record, to which the change belongs now."""
    UNSTAGED = "unstaged"
    """Only the working tree has the change any more, not the index."""
    CHANGED = "changed"
    """A part of it is there, or its lines were changed."""
    GONE = "gone"


class RecordState(NamedTuple):
    """The state of a patch; `by` is the record that undid it, or that applied it again."""

    state: State
    by: int = 0
    commits: tuple[str, ...] = ()
    """The commits that `--commit` made of it, oldest first."""
    why: str = ""
    """Why it is gone: what a file has, or does not have."""


class LoggedRecord(NamedTuple):
    """A record, and what became of it."""

    record: Record
    state: RecordState | None = None
    """That of the patch; None for an undo or a redo of it, and where it cannot be told."""
    reversed_by: int = 0
    """The record that undid or redid just this one; 0 if none."""
    commit: str = ""
    """The commit that gave the files what the record left; empty if none was found."""


class RecordStates:
    """Reads the states of the patches of a journal; it remembers what it read."""

    def __init__(self, journal: Journal, repository: Repository) -> None:
        self._journal = journal
        self._repository = repository
        self._entries: dict[str, Entry | None] = {}
        self._head: dict[str, Entry | None] = {}
        self._plans: dict[tuple[int, Target, str | None], tuple[Plan, Snapshot]] = {}

    def read_ahead(self, histories: Iterable[PatchHistory]) -> None:
        """Read at once what the states of `histories` depend on."""
        paths = {change.path for each in histories for r in each.records for change in r.changes}
        self._read_index(sorted(paths))
        self._read_head(sorted(paths))

    def of(self, history: PatchHistory, target: Target | None = None) -> RecordState:
        """Return the state of a patch, in its own target or in another one.

        Raises `JournalError` if its diff is damaged, and `RepositoryError`.
        """
        undo, applied = history.undo, history.application
        if undo is not None and (
            applied is None or self._is_there(undo) or not self._is_there(applied, target)
        ):
            return RecordState(State.UNDONE, undo.number)
        if applied is None:
            raise AssertionError("a history has an undo or an application")
        if not self._is_there(applied, target):
            return self._missing(applied, target or applied.target)
        if again := self._applied_again(history, applied):
            return RecordState(State.REAPPLIED, again)
        if applied.commits and is_in_history(self._repository, applied.commits[-1]):
            return RecordState(State.COMMITTED, commits=applied.commits)
        if self._equals(applied, self._read_head([change.path for change in applied.changes])):
            return RecordState(State.COMMITTED)
        return RecordState(State.APPLIED)

    def is_committed(self, record: Record) -> bool:
        """Whether HEAD has the change of `record`, where its lines are now."""
        with suppress(RepositoryError):  # no HEAD yet
            return not self._plan(record, Target.CACHED, base="HEAD")[0].failures
        return False

    def commits_of(self, records: Sequence[Record]) -> dict[int, str]:
        """Find the commits that gave the files the content that `records` left, by record."""
        wanted = {change.path for record in records for change in record.changes}
        newest: dict[tuple[str, str], tuple[int, str]] = {}
        if wanted:
            listed = list_history(self._repository, sorted(wanted), "HEAD", _MOST_COMMITS)
            for path, _, blob, commit, age in listed:
                oid = blob if blob.strip("0") else ""
                newest.setdefault((path, oid), (age or 0, commit))
        found: dict[int, str] = {}
        for record in records:
            made = [newest.get((change.path, _id(change.new))) for change in record.changes]
            if made and all(made):
                found[record.number] = min(commit for commit in made if commit)[1]
        return found

    def _is_there(self, record: Record, target: Target | None = None) -> bool:
        target = target or record.target
        if target is not Target.WORKTREE:
            entries = self._read_index([change.path for change in record.changes])
            if self._equals(record, entries):
                return True
            if all(entries[change.path] == change.old for change in record.changes):
                return False
        return not self._plan(record, target)[0].failures

    @staticmethod
    def _equals(record: Record, entries: dict[str, Entry | None]) -> bool:
        return all(entries.get(change.path) == change.new for change in record.changes)

    def _plan(
        self, record: Record, target: Target, base: str | None = None
    ) -> tuple[Plan, Snapshot]:
        key = (record.number, target, base)
        if key not in self._plans:
            options = Options(target, reverse=True, base=base)
            self._plans[key] = plan_undo(record, self._repository, options)
        return self._plans[key]

    def _missing(self, record: Record, target: Target) -> RecordState:
        """Tell a change that is gone from one that was changed."""
        plan, snapshot = self._plan(record, target)
        if target is Target.INDEX and self._is_unstaged(record, snapshot):
            return RecordState(State.UNSTAGED)
        if not self._is_gone(record, plan.failures, snapshot):
            return RecordState(State.CHANGED)
        different = [
            change for change in record.changes if _current(change.path, snapshot) != change.new
        ]
        return RecordState(State.GONE, why=_describe(different or record.changes, snapshot))

    def _is_unstaged(self, record: Record, snapshot: Snapshot) -> bool:
        top, paths = self._repository.require_worktree(), [each.path for each in record.changes]
        unstaged = snapshot.changed | snapshot.deleted
        if not any(
            path in unstaged or (path not in snapshot.tracked and os.path.lexists(top / path))
            for path in paths
        ):
            return False
        return not self._plan(record, Target.WORKTREE)[0].failures

    def _is_gone(self, record: Record, failures: Sequence[Failure], snapshot: Snapshot) -> bool:
        """Whether no part of a change is there, and nobody changed its lines.

        That is certain where a file is as it was before, as HEAD has it, or where all the lines
        that the patch replaced are there again.
        """
        recorded = {change.path: change for change in record.changes}
        head = self._read_head(list(recorded))
        for section in undo_patch_of(record).files:
            paths = {path for path in (section.old_path, section.new_path) if path in recorded}
            current = {path: _current(path, snapshot) for path in paths}
            if all(entry == recorded[path].old for path, entry in current.items()):
                continue
            if not _refuses_all(section, failures):
                return False
            restored = all(entry == head[path] for path, entry in current.items())
            if not restored and not all(
                failure.already_applied for failure in _failures_of(section, failures)
            ):
                return False
        return True

    def _applied_again(self, history: PatchHistory, applied: Record) -> int:
        """Return the later record of the very same patch, if that is applied, too; else 0."""
        digest = _digest(history)
        for other in self._journal.applied():
            again = other.application
            if again is None or again.number <= applied.number:
                break
            same = digest and _digest(other) == digest and again.target is applied.target
            if same and other.number != history.number and self._is_there(again):
                return other.number
        return 0

    def _read_index(self, paths: Sequence[str]) -> dict[str, Entry | None]:
        unread = [path for path in paths if path not in self._entries]
        self._entries |= dict.fromkeys(unread)
        wanted = set(unread)
        for entry in list_index(self._repository, unread, []):
            if entry.path in wanted:
                clear = entry.stage == 0 and entry.tag != "A"
                self._entries[entry.path] = entry.entry if clear else _UNCLEAR
        return self._entries

    def _read_head(self, paths: Sequence[str]) -> dict[str, Entry | None]:
        unread = [path for path in paths if path not in self._head]
        self._head |= dict.fromkeys(unread)
        if unread:
            with suppress(RepositoryError):  # no HEAD yet
                self._head |= self._repository.list_tree("HEAD", unread)
        return self._head


def _failures_of(section: FilePatch, failures: Sequence[Failure]) -> list[Failure]:
    return [failure for failure in failures if failure.where.section == section.number]


def _refuses_all(section: FilePatch, failures: Sequence[Failure]) -> bool:
    """Whether no hunk of `section` fits."""
    refused = {failure.where.hunk for failure in _failures_of(section, failures)}
    return 0 in refused or (
        bool(refused) and refused >= {hunk.ordinal for hunk in section.hunks if hunk.changes}
    )


def _digest(history: PatchHistory) -> str:
    first = history.records[0]
    return first.digest if first.action is Action.APPLY else ""


def _current(path: str, snapshot: Snapshot) -> Entry | None:
    return snapshot.blobs[path].entry if path in snapshot.blobs else None


def _id(entry: Entry | None) -> str:
    return entry.id if entry else ""


def _describe(changes: Sequence[Change], snapshot: Snapshot) -> str:
    """Say what the first of the files has, or does not have."""
    path, _, new = changes[0]
    if new is None:
        what = f"{path} exists again"
    elif path in snapshot.blobs:
        what = f"{path} does not contain its lines"
    else:
        what = f"{path} does not exist"
    more = len(changes) - 1
    return f"{what} (and {more} more file{'s' * (more > 1)})" if more else what
