"""Why a path cannot be changed, or cannot be created."""

from __future__ import annotations

import os
import posixpath
from typing import NamedTuple

from git_opatch.complete.tree import FileContent, VirtualTree
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Mode
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation
from git_opatch.model.paths import parents
from git_opatch.model.result import NOT_APPLIED, Failure, MissingFile, Reason, refusal


class PathFailures(NamedTuple):
    """Checks paths of sections against `tree`, which began as the files of `snapshot`."""

    tree: VirtualTree
    snapshot: Snapshot
    options: Options

    def missing(self, section: FilePatch, path: str) -> Failure:
        """Return why there is no file to change at `path`."""
        snapshot = self.snapshot
        for reason, message, paths in (
            (Reason.UNMERGED, "unmerged; resolve the conflict first", snapshot.unmerged),
            (Reason.NOT_A_FILE, "a submodule; patch it in its own repository",
             snapshot.submodules),
            (Reason.NOT_A_FILE, "a directory; name the files in it", snapshot.folders),
        ):  # fmt: skip
            if path in paths:
                return refusal(section, reason, f"is {message}", path=path)
        if path in snapshot.intended:
            what, advice = "is only intended to be added (git add -N)", ways_to_add(self.options)
            return refusal(section, Reason.UNTRACKED, what, path=path, advice=advice)
        if path in self.tree.base:
            what = "was deleted or moved by an earlier section"
            advice = "put all changes of a file into one section"
            return refusal(section, Reason.MISSING_FILE, what, path=path, advice=advice)
        if not self.options.reverse:
            what = f"is not in {snapshot.name}"
            return refusal(section, Reason.MISSING_FILE, what, path=path)
        what = f"its change {NOT_APPLIED}; the file is not in {snapshot.name}"
        failure = refusal(section, Reason.MISSING_FILE, what, path=path)
        is_added = section.operation is Operation.DELETE  # so that no other file can be meant
        return failure._replace(detail=MissingFile(())) if is_added else failure

    def link(self, section: FilePatch, content: FileContent) -> Failure:
        """Return why lines are not found in a symbolic link, which is `content`."""
        target = os.fsdecode(content.text.to_bytes())
        file = posixpath.normpath(posixpath.join(posixpath.dirname(section.path), target))
        advice = "its only line is where it points to"
        if not file.startswith(("../", "/")):
            advice = f"to change the file that it points to, name it: `{file}`"
        what = f"is a symbolic link to `{target}`, and has none of these lines"
        return refusal(section, Reason.NOT_A_FILE, what, advice=advice)

    def obstacle(self, section: FilePatch, path: str, content: FileContent) -> Failure | None:
        """Return why `content` cannot be created at `path`; None if it can."""
        snapshot = self.snapshot
        existing = self.tree.get(path)
        if existing is not None and path not in self.tree.base:
            what = "is already added by an earlier section"
            advice = "put all changes of a file into one section"
            return refusal(section, Reason.FILE_EXISTS, what, path=path, advice=advice)
        if existing is not None and not self.options.overwrite:
            is_copied = section.operation in (Operation.MOVE, Operation.COPY)
            advice = "name another path" if is_copied else "send an update instead"
            if section.fills:
                advice = (
                    "what is searched for is empty, which makes a new file; search for its lines"
                )
            elif self.options.matching.can_choose:
                advice += f"\nor, to replace the file: {self.options.way_with('--overwrite')}"
            return _exists(section, path, existing, content, advice)
        if path in snapshot.submodules | snapshot.unmerged | snapshot.intended:
            return self.missing(section, path)
        tracked = snapshot.tracked if path in snapshot.folders else ()
        if self.tree.is_directory(path, tracked):
            return refusal(section, Reason.NOT_A_FILE, "is a directory; name a file", path=path)
        messages = (self._not_a_directory(parent) for parent in parents(path))
        message = next(filter(None, messages), "")
        return refusal(section, Reason.UNSAFE_PATH, message, path=path) if message else None

    def _not_a_directory(self, parent: str) -> str:
        """Say why `parent` cannot have files below it; empty if it can."""
        snapshot = self.snapshot
        if parent in snapshot.submodules:
            return f"`{parent}` is a submodule; its files belong to another repository"
        file = self.tree.get(parent)
        if file is None and parent not in snapshot.unmerged | snapshot.intended:
            return ""
        kind = "a symbolic link" if file and file.mode is Mode.SYMLINK else "a file"
        return f"`{parent}` is {kind}, so nothing can be created below it"


def ways_to_add(options: Options, add: str = "git add") -> str:
    """Say what to do with a file that is not in the index; `add` is what adds it."""
    if options.commit:  # what is only added is not in HEAD, and --worktree stages nothing
        return f"`{add}` and commit it first"
    return f"`{add}` it first, or patch it as it is: {options.command_with('--worktree')}"


def _exists(
    section: FilePatch, path: str, existing: FileContent, content: FileContent, advice: str
) -> Failure:
    what = "the file already exists"
    if existing.text == content.text and existing.mode.is_file == content.mode.is_file:
        if section.operation is not Operation.MOVE:
            what = "already applied: the file exists with exactly this content"
            return refusal(section, Reason.ALREADY_APPLIED, what, path=path)
        what = f"already has what the move would give it, and `{section.old_path}` still exists"
    return refusal(section, Reason.FILE_EXISTS, what, path=path, advice=advice)
