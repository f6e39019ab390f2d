"""Find for each run of changed lines of a record whether a version of the file has it (D220).

A run is a group of consecutive changed lines. By git's diff between what the record left and a
version of the file, it is

    there      its new lines are untouched
    gone       in their place are the lines from before the patch, or those that HEAD has there
    changed    anything else

Lines beside the run do not matter, whoever changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from git_opatch.git.repository import Repository
from git_opatch.journal import Record
from git_opatch.model.blob import Blob, Change, Entry
from git_opatch.model.patch import FilePatch, Hunk, Operation
from git_opatch.plan.undo import map_range, map_start, narrowed, undo_patch_of

Version = Mapping[str, Entry | None]
"""The entries of paths, as the index, a commit or a record has them."""
_Edits = list[tuple[range, int]]


class Presence(Enum):
    """How much of a change is there."""

    THERE = "there"
    GONE = "gone"
    CHANGED = "changed"
    """A part of it is there, or its lines were changed."""

    @classmethod
    def of_all(cls, parts: Iterable[Presence]) -> Presence:
        """Combine the presences of the parts of a change."""
        found = set(parts)
        return found.pop() if len(found) == 1 else cls.CHANGED


class UnreadableVersionError(Exception):
    """The repository does not have the content that a record left any more."""


class _Run(NamedTuple):
    """A run, where the record left it, and the lines that its file had there before."""

    hunk: Hunk
    before: range


class Presences:
    """Reads how much of recorded changes versions have; it remembers what it read."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._sections: dict[int, Sequence[FilePatch]] = {}
        self._data: dict[str, bytes | None] = {}
        self._edits: dict[tuple[str, str], _Edits] = {}

    def add_blobs(self, blobs: Iterable[Blob]) -> None:
        """Remember the bytes of blobs that the repository may not have."""
        self._data.update((blob.entry.id, blob.data) for blob in blobs)

    def sections(self, record: Record) -> Sequence[FilePatch]:
        """The sections that undo `record`. Raises `JournalError` if its diff is damaged."""
        if record.number not in self._sections:
            self._sections[record.number] = undo_patch_of(record).files
        return self._sections[record.number]

    def of_section(
        self, record: Record, section: FilePatch, version: Version, head: Version
    ) -> Presence:
        """How much of a section of `record` is in `version`.

        Raises `UnreadableVersionError` if that cannot be known.
        """
        return Presence.of_all(self.of_parts(record, section, version, head))

    def of_parts(
        self, record: Record, section: FilePatch, version: Version, head: Version
    ) -> list[Presence]:
        """The presences of the parts of a section: its runs, and its mode. Raises the same.

        One stands for all, if all are as the record left them, or as it found them.
        """
        changes = changes_of(record, section)
        if all(version.get(change.path) == change.new for change in changes):
            return [Presence.THERE]
        if all(version.get(change.path) == change.old for change in changes):
            return [Presence.GONE]
        if _is_filtered(record, changes):
            return [Presence.CHANGED]
        return [
            part
            for change in changes
            for part in self._of_change(section, change, version.get(change.path), head)
        ]

    def has_run(self, section: FilePatch, entry: Entry) -> bool:
        """Return whether a run of a section, with the lines next to it, is anywhere in a file.

        Raises `UnreadableVersionError`.
        """
        runs = (part for hunk in section.hunks for part in narrowed(hunk, 1))
        images = (b"\n".join(line.text for line in run.preimage) for run in runs)
        return any(b"\n%b\n" % image in b"\n%b\n" % self._read(entry) for image in images if image)

    def fits(self, record: Record, section: FilePatch, version: Version) -> bool:
        """Return whether `version` has what a section of `record` left, and the lines next to it.

        A path that is not in `version` is as the record left it. Raises `UnreadableVersionError`.
        """
        for change in changes_of(record, section):
            path, _, new = change
            now = version.get(path, new)
            if now == new:
                continue
            if now is None or new is None or not section.hunks or _is_filtered(record, [change]):
                return False
            edits = self._differences(new, now)
            parts = (part for hunk in section.hunks for part in narrowed(hunk, 1))
            if any(map_start(part, edits) is None for part in parts):
                return False
        return True

    def gone_hunks(
        self, section: FilePatch, change: Change, now: Entry, context: int
    ) -> list[bool]:
        """Return of each hunk, narrowed to `context`, whether the lines from before it are back.

        The section changes one path. Raises `UnreadableVersionError`.
        """
        _, old, new = change
        if old is None or new is None or not section.hunks:
            return []
        edits = self._differences(new, now)
        return [
            map_start(run.hunk, edits) is None and self._keeps(old, run.before, now)
            for run in _runs(section, context)
        ]

    def _of_change(
        self, section: FilePatch, change: Change, now: Entry | None, head: Version
    ) -> Iterable[Presence]:
        """The presences of the parts of the change of one path."""
        path, old, new = change
        references = [old, head.get(path)]
        if now == new:
            return [Presence.THERE]
        is_whole = new is None or now is None or section.operation is Operation.DELETE
        if is_whole or now is None or new is None:
            return [Presence.GONE if now in references else Presence.CHANGED]
        if not section.hunks or new.mode.is_file != now.mode.is_file:
            return [Presence.GONE if now in references else Presence.CHANGED]
        modes = [] if old is None or old.mode is new.mode else [_of_mode(old, new, now)]
        earlier = self._entry_before(section, change)
        runs = _runs(section)
        return [*modes, *(self._of_run(run, new, now, earlier, head.get(path)) for run in runs)]

    @staticmethod
    def _entry_before(section: FilePatch, change: Change) -> Entry | None:
        """The entry that the runs changed; of a moved file it was at another path."""
        return change.old if section.old_path == section.new_path else None

    def _of_run(
        self, run: _Run, left: Entry, now: Entry, before: Entry | None, head: Entry | None
    ) -> Presence:
        edits = self._differences(left, now)
        if map_start(run.hunk, edits) is not None:
            return Presence.THERE
        if before is not None and self._keeps(before, run.before, now):
            return Presence.GONE
        if head is None or not self._is_readable(head):
            return Presence.CHANGED
        to_head = self._differences(left, head)
        if map_start(run.hunk, to_head) is None:
            lines = _image(run.hunk, to_head)
            if head == now or self._keeps(head, lines, now):
                return Presence.GONE
        return Presence.CHANGED

    def _keeps(self, earlier: Entry, lines: range, now: Entry) -> bool:
        """Return whether `now` still has these lines of an earlier version."""
        if not self._is_readable(earlier):
            return False
        edits = self._differences(earlier, now)
        added = any(old.start == old.stop == lines.start for old, _ in edits)
        return map_range(lines.start, lines.stop, edits) is not None and bool(lines or not added)

    def _differences(self, before: Entry, after: Entry) -> _Edits:
        key = before.id, after.id
        if key not in self._edits:
            old, new = self._read(before), self._read(after)
            self._edits[key] = [] if old == new else self._repository.differences(old, new)
        return self._edits[key]

    def _is_readable(self, entry: Entry) -> bool:
        self._load([entry.id])
        return self._data[entry.id] is not None

    def _read(self, entry: Entry) -> bytes:
        self._load([entry.id])
        data = self._data[entry.id]
        if data is None:
            raise UnreadableVersionError
        return data

    def _load(self, ids: Iterable[str]) -> None:
        unread = [oid for oid in ids if oid not in self._data]
        self._data |= dict.fromkeys(unread)
        self._data |= self._repository.read_blobs(self._repository.present(filter(None, unread)))


def changes_of(record: Record, section: FilePatch) -> list[Change]:
    """The changes that a section of `record` made, or undoes."""
    paths = {section.old_path, section.new_path}
    return [change for change in record.changes if change.path in paths]


def _is_filtered(record: Record, changes: Iterable[Change]) -> bool:
    """Return whether the diff is not of what the index has, so that its lines cannot be there."""
    texts = {change.path for change in record.texts}
    return any(change.path in texts for change in changes)


def _of_mode(old: Entry, new: Entry, now: Entry) -> Presence:
    if now.mode is new.mode:
        return Presence.THERE
    return Presence.GONE if now.mode is old.mode else Presence.CHANGED


def _runs(section: FilePatch, context: int = 0) -> Iterable[_Run]:
    """The runs of a section that undoes a record, whose line numbers are right.

    With `context`, so many lines are around each.
    """
    shift = 0
    for hunk in section.hunks:
        for run in narrowed(hunk, context):
            start = (run.stated_start or 0) + shift
            yield _Run(run, range(start, start + len(run.postimage)))
            shift += len(run.postimage) - len(run.preimage)


def _image(run: Hunk, edits: _Edits) -> range:
    """The lines that replaced those of `run`, which `edits` touch, or were added beside them."""
    start = run.stated_start or 0
    stop = start + len(run.preimage)
    first, last = start, stop
    shift = growth = 0
    for lines, count in edits:
        if lines.stop < start or (lines.stop == start and lines):
            shift += count - len(lines)
        elif lines.start < stop or lines.start == start:
            first, last = min(first, lines.start), max(last, lines.stop)
            growth += count - len(lines)
    return range(first + shift, last + shift + growth)
