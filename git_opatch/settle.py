"""One section of a patch against the draft: what it asks for is done there, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from git_opatch.blob import Blob, Mode
from git_opatch.complete import Completed, Conflicts
from git_opatch.complete.draft import Content, Draft, new_content, restored_content
from git_opatch.hunks import edit
from git_opatch.options import Options, Target
from git_opatch.outcome import Failure, Placement, Reason, not_reversible, refusal
from git_opatch.patch import FilePatch, Operation
from git_opatch.paths import parents
from git_opatch.snapshot import Snapshot

Former = Mapping[str, tuple[Blob, str]]
"""What deleted files held, by path, and where that was found."""


class Placed(NamedTuple):
    """A hunk's placement, with the section that it belongs to."""

    section: FilePatch
    placement: Placement


@dataclass(slots=True)
class Plan:
    """What a patch does: the completed diff, or the failures that stand against it."""

    completed: Completed = field(default_factory=lambda: Completed(b"", (), ()))
    placed: list[Placed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    record: int = 0
    """The number of its record in the journal, once it is applied; 0 if there is none."""
    skipped: list[Failure] = field(default_factory=list)
    """What is there already, and was passed over."""
    undoes: int = 0
    """The number of the journal's record that this takes back; 0 if none."""
    carried: Completed | None = None
    """What becomes of the working tree, where its files have changes that are not staged."""
    commits: tuple[str, ...] = ()
    """The ids of the commits that were made of it, oldest first."""
    conflicts: Conflicts | None = None
    """Files to be left unmerged: `failures` name them, and all else of the plan is without them."""

    @property
    def written(self) -> Completed:
        """What git is to write."""
        return self.conflicts.whole if self.conflicts else self.completed


class Planner(NamedTuple):
    """Settles sections one after the other; `plan` takes notes and placements."""

    draft: Draft
    snapshot: Snapshot
    options: Options
    former: Former
    plan: Plan

    def settle(self, section: FilePatch) -> list[Failure]:
        """Let the draft be as `section` asks; else the failures, and the draft as it was."""
        if Mode.GITLINK in (section.old_mode, section.new_mode):
            return [refusal(section, Reason.NOT_A_FILE, "is a submodule; a patch cannot set one")]
        if self.options.reverse and (lost := [hunk for hunk in section.hunks if hunk.elisions]):
            what = "removed lines that the patch does not show (`~`), so they cannot be put back"
            return [not_reversible(section, lost[0], what)]
        if section.operation is Operation.APPEND:
            return self._append(section)
        if section.operation is Operation.ADD:
            return list(self._add(section))
        path = self._existing(section)
        content = self.draft.get(path)
        if content is None:
            return self._without_applied([self._moved(section) or self._missing(section, path)])
        if section.operation is Operation.DELETE:
            return list(self._delete(section, path, content))
        return list(self._update(section, path, content))

    def _append(self, section: FilePatch) -> list[Failure]:
        """An update of the file that is there, else a new one.

        Rule: "Append File" of the FILE_CHANGES format. A file that holds just what was appended
        may have been made so, or have been empty.
        """
        content = self.draft.get(section.path)
        if content is None and not self.options.reverse:
            return self.settle(replace(section, operation=Operation.ADD))
        if content is not None and content.mode is Mode.SYMLINK:
            what = "is a symbolic link; name the file that it points to"
            return [refusal(section, Reason.NOT_A_FILE, what)]
        (hunk,) = section.hunks
        if content and self.options.reverse and len(content.text.lines) == len(hunk.lines):
            what = (
                "is all that the file has, and the patch does not say whether it was there before"
            )
            return [not_reversible(section, hunk, what)]
        return self.settle(replace(section, operation=Operation.UPDATE))

    def _moved(self, section: FilePatch) -> Failure | None:
        """Says that a move is done, if the new path has what all its hunks make of the file."""
        content = self.draft.get(section.new_path or "")
        if section.operation is not Operation.MOVE or content is None or not section.hunks:
            return None
        failures = edit(section, content, self.options).failures
        done = [one for one in failures if one.reason is Reason.ALREADY_APPLIED]
        if not done or len(done) < sum(hunk.changes for hunk in section.hunks):
            return None
        what = f"already applied: it was moved to `{section.new_path}`"
        return refusal(section, Reason.ALREADY_APPLIED, what)

    def _existing(self, section: FilePatch) -> str:
        """The old path, or the second name that the headers gave if only that one is there."""
        path, other = section.path, section.alternate
        if other is not None and self.draft.get(path) is None and self.draft.get(other):
            return other
        return path

    def _add(self, section: FilePatch) -> Iterator[Failure]:
        path = section.new_path or ""
        if section.states_content:
            before = self.snapshot.blobs.get(path)
            content = new_content(section, before.entry.mode if before else None)
        else:
            found = self.former.get(path)
            if found is None:
                yield refusal(
                    section,
                    Reason.NOT_REVERSIBLE,
                    "the patch does not say what the deleted file held, and neither the "
                    "journal nor HEAD has it",
                )
                return
            content = restored_content(found[0])
            self.plan.notes.append(f"{path}: content taken from {found[1]}")
        if section.states_content and content.text.binary:
            yield refusal(section, Reason.BINARY, "the new lines hold a NUL: no text has one")
            return
        obstacle = self._obstacle(section, path, content)
        if obstacle:
            yield from self._without_applied([obstacle])
        else:
            self.draft.put(path, content)

    def _obstacle(self, section: FilePatch, path: str, content: Content) -> Failure | None:
        """What stands where a file is to be created, if anything does."""
        present = self.draft.get(path)
        if present is not None and not self.options.overwrite:
            if present.text == content.text and present.mode.is_file == content.mode.is_file:
                what = "already applied: the file exists with just this content"
                return refusal(section, Reason.ALREADY_APPLIED, what, path=path)
            return refusal(
                section,
                Reason.FILE_EXISTS,
                "the file exists already",
                path=path,
                advice="send an update of it, or use --overwrite to replace it",
            )
        if path in self.snapshot.submodules | self.snapshot.unmerged | self.snapshot.intended:
            return self._missing(section, path)
        tracked = self.snapshot.tracked if path in self.snapshot.folders else ()
        if self.draft.is_folder(path, tracked):
            return refusal(section, Reason.NOT_A_FILE, "is a directory; name a file", path=path)
        for parent in parents(path):
            if parent in self.snapshot.submodules:
                message = f"`{parent}` is a submodule; its files belong to another repository"
                return refusal(section, Reason.UNSAFE_PATH, message, path=path)
            there = self.draft.get(parent)
            if there is not None or parent in self.snapshot.unmerged | self.snapshot.intended:
                what = "a symbolic link" if there and there.mode is Mode.SYMLINK else "a file"
                message = f"`{parent}` is {what}, so nothing can be created below it"
                return refusal(section, Reason.UNSAFE_PATH, message, path=path)
        return None

    def _missing(self, section: FilePatch, path: str) -> Failure:
        """Why there is no file to change at `path`."""
        for reason, message, holds in (
            (Reason.UNMERGED, "unmerged; resolve the conflict first", self.snapshot.unmerged),
            (Reason.UNTRACKED, "only intended to be added (git add -N); `git add` it first, or use "
             "--worktree", self.snapshot.intended),
            (Reason.NOT_A_FILE, "a submodule; patch it in its own repository",
             self.snapshot.submodules),
            (Reason.NOT_A_FILE, "a directory; name the files in it", self.snapshot.folders),
        ):  # fmt: skip
            if path in holds:
                return refusal(section, reason, f"is {message}", path=path)
        if path in self.draft.base:
            what, advice = "is gone after an earlier section", "say all of a file in one section"
            return refusal(section, Reason.MISSING_FILE, what, path=path, advice=advice)
        return refusal(section, Reason.MISSING_FILE, f"is not in {self._where()}", path=path)

    def _where(self) -> str:
        if self.options.base is not None:
            return f"`{self.options.base}`"
        if self.options.target is Target.WORKTREE:
            return "the working tree"
        return "the index"

    def _delete(self, section: FilePatch, path: str, content: Content) -> Iterator[Failure]:
        if section.states_content:
            failures, left = self._edited(section, content)
            if not failures and left.text.lines:
                count = len(left.text.lines)
                failures = [
                    refusal(
                        section,
                        Reason.NOT_FOUND,
                        f"has {count} lines that the patch does not delete",
                        advice="re-read the file and send the patch again",
                    )
                ]
            if failures:
                yield from failures
                return
        self.draft.remove(path)

    def _update(self, section: FilePatch, path: str, content: Content) -> Iterator[Failure]:
        target = path if section.operation is Operation.UPDATE else section.new_path or path
        if section.operation is Operation.COPY and self.options.reverse:
            message = "a copy cannot be taken back from its text; delete the file instead"
            yield refusal(section, Reason.NOT_REVERSIBLE, message)
            return
        before = content
        failures, content = self._edited(section, content)
        refused = bool(failures) and content is before
        if target != path:
            if section.operation is not Operation.COPY:
                self.draft.remove(path)  # it may be in the way of its own new path
            obstacle = self._obstacle(section, target, content)
            failures += [obstacle] if obstacle else []
            refused = refused or obstacle is not None
        yield from failures
        if refused:
            self.draft.put(path, before)
            return
        if section.new_mode is not None:
            content = content._replace(mode=section.new_mode)
        if section.operation is Operation.COPY:
            content = content._replace(copied=True)
        self.draft.put(target, content)

    def _edited(self, section: FilePatch, content: Content) -> tuple[list[Failure], Content]:
        """`content` with the section's hunks, and the failures of those that have no place."""
        if content.text.binary and any(hunk.changes for hunk in section.hunks):
            return [refusal(section, Reason.BINARY, "is binary; its lines cannot change")], content
        if self.options.reverse and not section.counted and content.text.lines:
            changing = (hunk for hunk in section.hunks if hunk.changes)
            lost = [hunk for hunk in changing if not (hunk.preimage or hunk.at_end_of_file)]
            if lost:
                what = "removes lines without any context, so there is no telling where they stood"
                return [not_reversible(section, lost[0], what)], content
        edited = edit(section, content, self.options)
        self.plan.notes += [f"{section.path}: {note}" for note in edited.notes]
        failures = self._without_applied(edited.failures)
        if failures and not (self.options.partial and edited.placements):
            return failures, content
        if edited.placements and edited.content.text.binary:
            what = "the new lines hold a NUL: no text has one"
            return [refusal(section, Reason.BINARY, what)], content
        self._report(section, edited.placements)
        return failures, edited.content

    def _without_applied(self, failures: Sequence[Failure]) -> list[Failure]:
        """`failures` without what is there already, if that is to be passed over."""
        if not self.options.skip_applied:
            return list(failures)
        done = [one for one in failures if one.is_done]
        self.plan.skipped += done
        return [one for one in failures if one not in done]

    def _report(self, section: FilePatch, placements: list[Placement]) -> None:
        self.plan.placed += [Placed(section, one) for one in placements]
        self.plan.notes += [
            f"{section.path}: hunk {one.hunk.ordinal}: {note}"
            for one in placements
            for note in one.notes
        ]
