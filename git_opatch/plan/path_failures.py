"""Why a path cannot be changed, or cannot be created."""

from __future__ import annotations

from typing import NamedTuple

from git_opatch.complete.tree import FileContent, VirtualTree
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation
from git_opatch.model.paths import parents
from git_opatch.model.sentences import Fault


class PathFailures(NamedTuple):
    """Checks paths of sections against `tree`, which began as the files of `snapshot`."""

    tree: VirtualTree
    snapshot: Snapshot
    options: Options

    def missing(self, section: FilePatch, path: str) -> Failure:
        """Return why there is no file to change at `path`."""
        snapshot = self.snapshot
        for fault, paths in (
            (Fault.UNMERGED, snapshot.unmerged),
            (Fault.SUBMODULE, snapshot.submodules),
            (Fault.DIRECTORY, snapshot.folders),
            (Fault.INTENDED, snapshot.intended),
            (Fault.GONE_EARLIER, self.tree.base),
        ):
            if path in paths:
                return refusal(section, fault, path=path)
        fault = Fault.MISSING_FILE
        if self.options.reverse:
            is_added = section.operation is Operation.DELETE  # so that no other file can be meant
            fault = Fault.ADDED_FILE_NOT_APPLIED if is_added else Fault.FILE_NOT_APPLIED
        elif self.options.skip_applied and section.operation is Operation.DELETE:
            fault = Fault.DELETION_APPLIED  # else a wrong path looks the same
        return refusal(section, fault, path=path, base=snapshot.name)

    def obstacle(self, section: FilePatch, path: str, content: FileContent) -> Failure | None:
        """Return why `content` cannot be created at `path`; None if it can."""
        snapshot = self.snapshot
        existing = self.tree.get(path)
        if existing is not None and path not in self.tree.base:
            return refusal(section, Fault.ADDED_EARLIER, path=path)
        if existing is not None and not self.options.overwrite:
            return _exists(section, path, existing, content)
        if path in snapshot.submodules | snapshot.unmerged | snapshot.intended:
            return self.missing(section, path)
        tracked = snapshot.tracked if path in snapshot.folders else ()
        if self.tree.is_directory(path, tracked):
            return refusal(section, Fault.DIRECTORY, path=path)
        for parent in parents(path):
            if fault := self._not_a_directory(parent):
                return refusal(section, fault, path=path, parent=parent)
        return None

    def _not_a_directory(self, parent: str) -> Fault | None:
        """Return why `parent` cannot have files below it; None if it can."""
        snapshot = self.snapshot
        if parent in snapshot.submodules:
            return Fault.BELOW_SUBMODULE
        is_file = parent in snapshot.unmerged | snapshot.intended or self.tree.get(parent)
        return Fault.BELOW_FILE if is_file else None


def _exists(section: FilePatch, path: str, existing: FileContent, content: FileContent) -> Failure:
    """Refuse to create the file at `path`, which exists, with `content`."""
    if existing.text == content.text and existing.mode.is_file == content.mode.is_file:
        if section.operation is not Operation.MOVE:
            return refusal(section, Fault.FILE_APPLIED, path=path)
        old_path = section.old_path or ""
        return refusal(section, Fault.MOVED_IN_PART, path=path, old_path=old_path)
    is_copied = section.operation in (Operation.MOVE, Operation.COPY)
    fault = Fault.TARGET_EXISTS if is_copied else Fault.FILE_EXISTS
    return refusal(section, Fault.EMPTY_SEARCH if section.fills else fault, path=path)
