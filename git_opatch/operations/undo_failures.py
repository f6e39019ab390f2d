"""Say why a record cannot be reversed, and what to do: its hunks cannot be sent again.

The journal and the files tell more than the plan: which later patch changed the lines, that only
lines beside them were changed, or where a file was moved to.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname
from typing import NamedTuple

from git_opatch.git.head import commit_id, staged_changes
from git_opatch.git.history import abbreviate_commits
from git_opatch.git.repository import Repository
from git_opatch.journal import Record, RecordAction
from git_opatch.journal.patch_history import PatchHistory, Step
from git_opatch.model.commits import committed_as, revert_command, way_to_revert
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Operation
from git_opatch.model.result import LOCATED_IN, Failure, Mismatch, Reason
from git_opatch.plan.path_hints import way_to_restore
from git_opatch.plan.record_state import RecordState, RecordStates
from git_opatch.plan.renamed_files import renamed_files
from git_opatch.plan.undo import undo_patch_of

_IN_THE_WAY = {Reason.UNSTAGED, Reason.SKIPPED, Reason.IN_THE_WAY, Reason.UNTRACKED}
"""Reasons that are about the working tree, not about the patch."""


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


def explain(
    failures: Sequence[Failure], step: Step, states: RecordStates, repository: Repository
) -> list[Failure]:
    """Say of each failure to reverse `step` what it comes from, and what to do."""
    is_missing = any(failure.reason is Reason.MISSING_FILE for failure in failures)
    renamed = renamed_files(step.record, repository) if is_missing else {}
    explainer = _Explainer(step.record, step.target, states, repository, renamed)
    explained = [
        explainer.explain_unstaged(failure)
        if failure.reason in _IN_THE_WAY
        else explainer.explain(failure)
        for failure in map(explainer.in_place, failures)
    ]
    return list(_each_advice_once(explained))


def _each_advice_once(failures: Sequence[Failure]) -> Iterator[Failure]:
    """Yield the failures; an advice that several have is below the last of them."""
    for number, failure in enumerate(failures, 1):
        is_repeated = any(failure.advice == later.advice for later in failures[number:])
        yield failure._replace(advice="") if is_repeated else failure


@dataclass(frozen=True)
class _Explainer:
    record: Record
    target: Target
    states: RecordStates
    repository: Repository
    renamed: Mapping[str, str]
    """The new names of its files that were renamed since, by their old ones."""

    def in_place(self, failure: Failure) -> Failure:
        """Let a failure name the index if the working tree has another version of its file."""
        if failure.attempt is None or self.target is not Target.INDEX:
            return failure
        is_other = bool(self.states.unstaged([failure.path]))
        return failure._replace(attempt=failure.attempt._replace(names_base=is_other))

    def explain(self, failure: Failure) -> Failure:
        if later := self.states.changed_by(self.record, failure.path, self.target):
            return self._after_patch(failure, later)
        if self._is_redo and (
            earlier := self.states.needed_by(self.record, failure.path, self.target)
        ):
            return self._before_patch(failure, earlier)
        if failure.reason is Reason.MISSING_FILE:
            return self._missing(failure)
        if failure.reason is Reason.FILE_EXISTS:
            tool = "" if self.target is Target.WORKTREE else ", with `git mv`"
            return failure._replace(advice=f"move it away first{tool}\n{self._seen}")
        detail = failure.detail
        if isinstance(detail, Mismatch) and self.states.is_there(self.record, self.target):
            detail = detail._replace(beside=True)
        return failure._replace(detail=detail, advice=self._seen)

    def explain_unstaged(self, failure: Failure) -> Failure:
        """Say of a file whose unstaged changes are those back to before the patch that they are."""
        is_file_changed = failure.reason is Reason.UNSTAGED and self.target is Target.INDEX
        if not (is_file_changed and self.states.is_gone_from_file(self.record, failure.path)):
            return failure
        before = f"patch {self.record.patch}" if not self._is_redo else "its undo"
        what = f"has its change in the index only; the working tree is as before {before}"
        return failure._replace(message=what)

    @property
    def _seen(self) -> str:
        return f"what was applied: git opatch log -p {self.record.patch}"

    def _after_patch(self, failure: Failure, later: PatchHistory) -> Failure:
        """Name the later patch that must be undone first, and how."""
        applied = later.application_in(self.target) or later.records[-1]
        what = f"patch {later.number} {_what_became_of(failure.path, applied)}"
        state = self.states.of(later)
        first = f"git opatch undo {later.number}"
        if state.commits:
            commits = Commits(self.states, self.repository).of(applied, state)
            what, first = f"{what}, and is {committed_as(commits)}", revert_command(commits)
        undo = "the undo of " if self._is_redo else ""
        message = f"is not as {undo}patch {self.record.patch} left it: {what}"
        return failure._replace(message=message, advice=f"first: {first}", detail=None)

    def _before_patch(self, failure: Failure, earlier: PatchHistory) -> Failure:
        """Name the earlier patch that must be redone first."""
        made = f"patch {self.record.patch} changed what patch {earlier.number} made"
        message = f"does not fit yet: {made}, which is undone"
        first = f"first: git opatch redo {earlier.number}"
        return failure._replace(message=message, advice=first, detail=None)

    def _missing(self, failure: Failure) -> Failure:
        """Say that a file was deleted or renamed since, and how to restore one that was deleted."""
        since = f"since patch {self.record.patch} was {'undone' if self._is_redo else 'applied'}"
        if new := self.renamed.get(failure.path):
            advice = "\n".join(self._ways_back)
            return failure._replace(message=f"was renamed to {new} {since}", advice=advice)
        what = f"is not in {LOCATED_IN[self.target]}; it was deleted or renamed {since}"
        restore = way_to_restore(failure.path, self.repository, Options(self.target))
        advice = "\n".join(filter(None, (restore, self._seen)))
        return failure._replace(message=what, advice=advice)

    @cached_property
    def _ways_back(self) -> Sequence[str]:
        """What reverses the patch in all files that were renamed."""
        if not self.states.is_there(self.record, self.target, self.renamed):
            return [self._seen]
        commits = Commits(self.states, self.repository)
        # git would call an added file that was renamed a conflict: renamed, and deleted
        added = {change.path for change in self.record.changes if change.old is None}
        made = () if self._is_redo or added & self.renamed.keys() else commits.of(self.record)
        ways = []
        if made and not commits.kept_from_revert(list(self.renamed.values())):
            ways.append(way_to_revert(f"all of {' '.join(made)}", made))
        return [*ways, f"to {'redo' if self._is_redo else 'undo'} it: {self._rename_back()}"]

    def _rename_back(self) -> str:
        """Spell the commands that rename files back and try again, for the current directory."""
        top = self.repository.require_worktree()
        folders = {os.path.relpath(top / dirname(path)) for path in self.renamed}
        missing = sorted(folder for folder in folders if not os.path.isdir(folder))
        commands = [shlex.join(["mkdir", "-p", *missing])] if missing else []
        for path, new in self.renamed.items():
            old, now = (os.path.relpath(top / each) for each in (path, new))
            commands.append(shlex.join(["git", "mv", "--", now, old]))
        verb = "redo" if self._is_redo else "undo"
        return " && ".join([*commands, f"git opatch {verb} {self.record.patch}"])

    @property
    def _is_redo(self) -> bool:
        return self.record.action is RecordAction.UNDO


def _what_became_of(path: str, later: Record) -> str:
    """Say what a later record did to the file at `path`."""
    for section in undo_patch_of(later).files:  # in reverse: its old path is the new one
        if section.operation is Operation.MOVE and section.new_path == path:
            return f"moved {path} to {section.old_path}"
    return "changed the file after that"
