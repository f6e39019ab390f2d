"""Leave out of an undo the parts of a patch that are as before it already (D460)."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.journal import Record
from git_opatch.model.blob import Change
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import FilePatch, Patch
from git_opatch.model.sentences import Fault
from git_opatch.plan.change_presence import Presences, UnreadableVersionError, changes_of
from git_opatch.plan.reapplied import is_as_left
from git_opatch.plan.renamed_files import renamed_files


class UndoneParts(NamedTuple):
    """Finds the parts of `record` that are as before it: whole sections, and hunks of others.

    Where both are to be changed, what is as before in the index and not in the working tree is not,
    nor is a file that has another name now.
    """

    record: Record
    snapshot: Snapshot
    repository: Repository
    options: Options

    def left_out_of(
        self, rebased: Patch, patch: Patch, context: int
    ) -> tuple[Patch, tuple[Failure, ...]]:
        """Return `rebased` without those parts, and a failure for each.

        It is `patch`, which undoes the record, for the files as they are now, with so many lines of
        context.
        """
        files: list[FilePatch] = []
        undone: list[Failure] = []
        for recorded, section in zip(patch.files, rebased.files, strict=True):
            if self._is_undone(section):
                undone.append(refusal(section, Fault.NOT_APPLIED))
                continue
            ordinals = self._undone_hunks(recorded, context)
            undone += [
                refusal(section, Fault.NOT_APPLIED)._replace(hunk=ordinal) for ordinal in ordinals
            ]
            left = tuple(hunk for hunk in section.hunks if hunk.ordinal not in ordinals)
            files.append(section._replace(hunks=left, hunk_count=len(section.hunks)))
        return patch._replace(files=tuple(files)), tuple(undone)

    def _is_undone(self, section: FilePatch) -> bool:
        changes = changes_of(self.record, section)
        paths = [change.path for change in changes]
        as_before = (Change(path, new, old) for path, old, new in changes)
        if not all(is_as_left(each, self.snapshot) for each in as_before):
            return False
        if self._is_in_worktree(paths):
            return False
        return not renamed_files(self.record, self.repository).keys() & paths

    def _undone_hunks(self, section: FilePatch, context: int) -> list[int]:
        """Return the ordinals of the hunks, narrowed to `context`, that are as before."""
        (change, *others) = changes_of(self.record, section)
        blob = self.snapshot.blobs.get(change.path)
        if others or blob is None or self._is_in_worktree([change.path]):
            return []
        presences = Presences(self.repository)
        presences.add_blobs(self.snapshot.blobs.values())
        with suppress(UnreadableVersionError):
            gone = presences.gone_hunks(section, change, blob.entry, context)
            return [ordinal for ordinal, is_gone in enumerate(gone, 1) if is_gone]
        return []

    def _is_in_worktree(self, paths: list[str]) -> bool:
        """Return whether the working tree, if it is changed, too, has something else at a path."""
        if self.options.target is not Target.INDEX:
            return False
        top = self.repository.require_worktree()
        return any(
            path in self.snapshot.changed
            or (path not in self.snapshot.blobs and os.path.lexists(top / path))
            for path in paths
        )
