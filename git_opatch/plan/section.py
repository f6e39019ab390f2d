"""Plan one section of a patch in the tree that those before it left (D6, D7, D31, D49)."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping, Sequence
from dataclasses import replace

from git_opatch.complete.tree import FileContent, VirtualTree, new_content, restored_content
from git_opatch.git.snapshot import Snapshot
from git_opatch.locate.never import placeholder_in
from git_opatch.locate.overlap import EarlierSections
from git_opatch.locate.owners import AppliedHunks, apply_hunks
from git_opatch.model.blob import Mode
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation
from git_opatch.model.paths import is_document
from git_opatch.model.picture import Mark, Picture, Row
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Hint, Reason
from git_opatch.model.text import Text
from git_opatch.plan.patch_paths import PathFailures
from git_opatch.plan.plan import PlacedHunk


def _placeholder_in_new(section: FilePatch, path: str) -> bytes:
    """Return a line of a new file that stands for code; a document may show one."""
    if is_document(path):
        return b""
    found = (placeholder_in(hunk, Text([]), is_document=False) for hunk in section.hunks)
    return next(filter(None, found), b"")


def _creates(section: FilePatch, options: Options) -> bool:
    """Return whether a section creates its file if that is missing: one that appends, or an update
    by its header (D144)."""
    if section.operation is Operation.APPEND:
        return not options.reverse
    hunks = section.hunks if section.operation is Operation.UPDATE else ()
    return len(hunks) == 1 and hunks[0].of_new_file and not hunks[0].preimage


def _refuse_append(section: FilePatch, content: FileContent, options: Options) -> Failure | None:
    """Refuse to append to a link, and the reverse where the file has nothing else: it may have been
    created by the patch, or have been empty."""
    if section.operation is not Operation.APPEND:
        return None
    if content.mode is Mode.SYMLINK:
        return refusal(section, Fault.APPEND_TO_LINK)
    (hunk,) = section.hunks
    if options.reverse and len(content.text.lines) == len(hunk.lines):
        return refusal(section, Fault.ALL_OF_THE_FILE, hunk=hunk)
    return None


class SectionPlanner:
    """Plans one section after the other in `tree`, and collects placements, notes and skips.

    Each method returns the failures of its section. A section that fails leaves `tree` as it was,
    except that with `Options.partial` those of its hunks that fit are applied.
    """

    def __init__(
        self,
        tree: VirtualTree,
        snapshot: Snapshot,
        options: Options,
        merged: Mapping[str, FileContent],
    ) -> None:
        self.tree = tree
        self.snapshot = snapshot
        self.options = options
        self.merged = merged
        self.placed: list[PlacedHunk] = []
        self.notes: list[str] = []
        self.skipped: list[Failure] = []
        self._earlier: dict[str, EarlierSections] = {}
        """The sections that changed a file, by its paths."""
        self._paths = PathFailures(tree, snapshot, options)
        self._done: list[FilePatch] = []
        """The sections that added, deleted or moved a file."""
        self._tried: dict[str, AppliedHunks] = {}
        """What the hunks of the present section make of the files that its names may mean."""

    def plan_section(self, section: FilePatch) -> list[Failure]:
        """Apply `section` to the tree; return its failures."""
        self._tried = {}
        if failure := _refuse_kind(section, self.options):
            return [failure]
        if section.operation is Operation.ADD:
            return self._add(section)
        named = self._with_one_name(section)
        if isinstance(named, Failure):
            return [named]
        section, path = named, named.path
        content = self.tree.get(path)
        if content is None and _creates(section, self.options):
            return self._add(section._replace(operation=Operation.ADD))
        if content is None:
            if self._repeats(section):
                return []
            failure = self._already_moved(section) or self._paths.missing(section, path)
            return self._skip_applied([failure])
        if section.operation is Operation.DELETE:
            return self._delete(section, path, content)
        if failure := _refuse_append(section, content, self.options):
            return [failure]
        return self._update(section, path, content)

    def _with_one_name(self, section: FilePatch) -> FilePatch | Failure:
        """Return `section` with the one of its header's two names that is meant, or refuse (D31).

        That is the one that exists; of two that do, the one that its hunks fit, or are in.
        """
        names = [name for name in (section.path, section.alternate) if self.tree.get(name or "")]
        if section.alternate is None or not names:
            return section
        if section.may_move and names == [section.path]:
            return refusal(section, Fault.UNCLEAR_MOVE, new_path=section.alternate)
        named = [section._replace(old_path=name, new_path=name, alternate=None) for name in names]
        if len(named) == 1:
            return named[0]
        fitting = [each for each in named if self._fits(each)]
        if len(fitting) != 1:
            fault = Fault.FITS_BOTH_NAMES if fitting else Fault.FITS_NO_NAME
            return refusal(section, fault, alternate=section.alternate)
        other = next(name for name in names if name != fitting[0].path)
        note = f"the patch also names `{other}`, which its hunks do not fit"
        self.notes.append(f"{fitting[0].path}: {note}")
        return fitting[0]

    def _fits(self, section: FilePatch) -> bool:
        """Return whether the hunks of an update all fit its file, or are applied to it already."""
        content = self.tree.get(section.path)
        if content is None or content.text.binary:
            return False
        failures = self._applied(section, content).failures
        return all(failure.already_applied for failure in failures)

    def _applied(
        self, section: FilePatch, content: FileContent, earlier: EarlierSections | None = None
    ) -> AppliedHunks:
        """Apply the hunks of a section to a file that it may mean, once."""
        if earlier and earlier.sections:
            return apply_hunks(section, content, self.options, earlier)
        if section.path not in self._tried:
            self._tried[section.path] = apply_hunks(section, content, self.options)
        return self._tried[section.path]

    def _already_moved(self, section: FilePatch) -> Failure | None:
        """Return a failure if the new path has the outcome of all hunks of a move; of one without
        hunks, where what is applied is skipped and nothing else says why the file is not there."""
        content = self.tree.get(section.new_path or "")
        if section.operation is not Operation.MOVE or content is None:
            return None
        failures = apply_hunks(section, content, self.options).failures
        applied = [failure for failure in failures if failure.reason is Reason.ALREADY_APPLIED]
        if len(applied) < sum(hunk.changes for hunk in section.hunks):
            return None
        missing = self._paths.missing(section, section.path).fault
        is_plain = self.options.skip_applied and missing is Fault.MISSING_FILE
        if not (applied or is_plain):
            return None
        return refusal(section, Fault.MOVE_APPLIED, new_path=section.new_path or "")

    def _add(self, section: FilePatch) -> list[Failure]:
        path = section.new_path or ""
        content = self._added_content(section, path)
        if isinstance(content, Failure):
            return [content]
        before = self.tree.get(path)
        if before and section.fills and before.mode.is_file and not before.text.lines:
            filled = section._replace(operation=Operation.UPDATE, old_path=path)
            return self._update(filled, path, before)
        if obstacle := self._paths.obstacle(section, path, content):
            is_there = self.tree.get(path) == content and self._repeats(section)
            return [] if is_there else self._skip_applied([obstacle])
        self.tree.put(path, content)
        is_as_before = before is not None and before[:2] == content[:2]  # mode and text
        if not (section.has_content or is_as_before):
            self.notes.append(f"{path}: content taken from HEAD")
        self._done.append(section)
        return []

    def _added_content(self, section: FilePatch, path: str) -> FileContent | Failure:
        if section.has_content:
            if (shown := _placeholder_in_new(section, path)) and not self.options.reverse:
                return refusal(section, Fault.PLACEHOLDER_IN_NEW, placeholder=shown)
            before = self.snapshot.blobs.get(path)
            content = new_content(section, before.entry.mode if before else None)
            return refusal(section, Fault.NUL_ADDED) if content.text.binary else content
        if path not in self.snapshot.restorable:
            return refusal(section, Fault.DELETED_CONTENT_LOST)
        return restored_content(self.snapshot.restorable[path])

    def _delete(self, section: FilePatch, path: str, content: FileContent) -> list[Failure]:
        """Delete a file. One whose lines the patch shows must have no others.

        So that its lines end where the file does need not be asked of them, too.
        """
        failures: list[Failure] = []
        if section.has_content:
            hunks = tuple(replace(hunk, at_end_of_file=False) for hunk in section.hunks)
            failures, rest = self._edit(section._replace(hunks=hunks), content)
            if not failures and rest.text.lines:
                failures = [self._not_all(section, content, rest)]
        if not failures:
            self.tree.remove(path)
            self._done.append(section)
        return failures

    def _not_all(self, section: FilePatch, content: FileContent, rest: FileContent) -> Failure:
        """Refuse to delete a file that has the lines of `rest` besides those of the patch."""
        fault = Fault.MORE_LINES_THAN_ADDED if self.options.reverse else Fault.LEFT_OVER_LINES
        failure, line, at = refusal(section, fault), rest.text.lines[0], 0
        for edit in sorted(rest.edits, key=lambda edit: edit.start):
            if edit.start > at:
                break
            at = edit.stop
        if content.text.lines[at : at + 1] != [line]:
            return failure
        picture = Picture("left over", (Row(Mark.IN_FILE, at, line),))
        return failure._replace(positions=(at,), pictures=(picture,))

    def _update(self, section: FilePatch, path: str, before: FileContent) -> list[Failure]:
        """Change a file's lines or its mode, and move or copy it."""
        target = path if section.operation is Operation.UPDATE else section.new_path or path
        if section.operation is Operation.COPY and self.options.reverse:
            return [refusal(section, Fault.COPY_NOT_REVERSIBLE)]
        failures, content = self._edit(section, before)
        is_refused = bool(failures) and content is before
        if target != path:
            if section.operation is not Operation.COPY:
                self.tree.remove(path)  # it may be in the way of its own new path
            if obstacle := self._paths.obstacle(section, target, content):
                failures, is_refused = [*failures, obstacle], True
        if is_refused:
            self.tree.put(path, before)
            return failures
        if section.new_mode is not None:
            content = content._replace(mode=section.new_mode)
        if section.operation is Operation.COPY:  # of a text, unless the index has another form
            content = content._replace(copied=path not in self.snapshot.filters)
        self.tree.put(target, content)
        self._done.append(section)
        return failures

    def _edit(self, section: FilePatch, content: FileContent) -> tuple[list[Failure], FileContent]:
        """Apply the hunks of `section` to `content`.

        Returns the failures, and the new content: the very same `content` if none is applied.
        """
        if section.path in self.merged:
            return [], self.merged[section.path]
        if content.text.binary and any(hunk.changes for hunk in section.hunks):
            is_utf_16 = content.text.to_bytes().startswith((BOM_UTF16_LE, BOM_UTF16_BE))
            return [refusal(section, Fault.UTF_16 if is_utf_16 else Fault.BINARY)], content
        if failure := self._without_context(section, content):
            return [failure], content
        earlier = self._earlier_of(section)
        is_judged = not self.options.reverse and section.operation is not Operation.APPEND
        applied = self._applied(section, content, earlier if is_judged else None)
        self.notes += [f"{section.path}: {note}" for note in applied.notes]
        failures = self._skip_applied(applied.failures)
        if content.mode is Mode.SYMLINK and any(f.reason is Reason.NOT_FOUND for f in failures):
            target = os.fsdecode(content.text.to_bytes())
            failures = [refusal(section, Fault.SYMBOLIC_LINK, target=target)]
        if any(not line.text.isascii() for hunk in section.hunks for line in hunk.preimage):
            failures = [_with_encoding(failure, content) for failure in failures]
        if failures and not (self.options.partial and applied.placements):
            return failures, content
        if applied.placements and applied.content.text.binary:
            return [refusal(section, Fault.NUL_ADDED)], content
        self._collect(section, applied.placements)
        earlier.sections.append(section)
        return failures, applied.content

    def _earlier_of(self, section: FilePatch) -> EarlierSections:
        """Return the sections that changed the file before, by any of its names."""
        known = (self._earlier.get(path) for path in section.names)
        earlier = next(filter(None, known), None) or EarlierSections()
        self._earlier |= dict.fromkeys(section.names, earlier)
        return earlier

    def _repeats(self, section: FilePatch) -> bool:
        """Return whether an equal section has added, deleted or moved the file already (D102)."""
        if self.options.reverse or section.operation in (Operation.UPDATE, Operation.APPEND):
            return False
        same = next((other for other in self._done if other == section), None)
        if same is None:
            return False
        what = f"is in the patch again, as at line {same.number}; it is applied once"
        self.notes.append(f"{section.path}: {what}")
        return True

    def _without_context(self, section: FilePatch, content: FileContent) -> Failure | None:
        """Refuse the reverse of a hunk that restores lines and shows no line beside them."""
        if not self.options.reverse or not content.text.lines:
            return None
        for hunk in section.hunks:
            if hunk.changes and not (hunk.preimage or hunk.at_end_of_file):
                return refusal(section, Fault.REMOVED_WITHOUT_CONTEXT, hunk=hunk)
        return None

    def _skip_applied(self, failures: Sequence[Failure]) -> list[Failure]:
        """Return `failures`; with `Options.skip_applied`, without what is already applied."""
        if not self.options.skip_applied:
            return list(failures)
        self.skipped += [failure for failure in failures if failure.already_applied]
        return [failure for failure in failures if not failure.already_applied]

    def _collect(self, section: FilePatch, placements: Sequence[Placement]) -> None:
        for placement in placements:
            self.placed.append(PlacedHunk(section, placement))
            hunk = f"{section.path}: hunk {placement.hunk.ordinal}"
            self.notes += [f"{hunk}: {note}" for note in placement.notes]


def _refuse_kind(section: FilePatch, options: Options) -> Failure | None:
    """Refuse what no file can make possible: a kind of change, or the reverse of one."""
    if Mode.GITLINK in (section.old_mode, section.new_mode):
        return refusal(section, Fault.SUBMODULE_CHANGE)
    if section.is_binary:
        return refusal(section, Fault.BINARY_CHANGE)
    if not options.reverse:
        return None
    for hunk in section.hunks:
        if hunk.removed_ranges:
            return refusal(section, Fault.REMOVED_UNSEEN, hunk=hunk)
        if hunk.replacement and hunk.replacement.every:
            return refusal(section, Fault.REPLACED_EVERYWHERE, hunk=hunk)
    return None


def _with_encoding(failure: Failure, content: FileContent) -> Failure:
    """Say of a hunk with other characters than ASCII that its file is not UTF-8, if it is not."""
    if failure.reason is not Reason.NOT_FOUND or failure.hint is not None:
        return failure
    try:
        content.text.to_bytes().decode()
    except UnicodeDecodeError:
        return failure.with_hint(Hint.NOT_UTF_8)
    return failure
