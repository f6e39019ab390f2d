"""Merge files: the only way to bring a change to where something else moved.

| command | base | ours | theirs |
| --- | --- | --- | --- |
| undo | what the patch left | what is there | what was before it |
| redo | what was before the patch | what is there | what it left |
| --carry | the index | the working tree's file | the index as planned |
| --3way | the version that the patch fits | what is there | that version, patched |

Lines are merged by `git merge-file`. All else is a whole value: the mode, the name, a link, a
binary file, a file that is added or deleted. Where base equals ours, it becomes theirs; where base
equals theirs, ours stays; anything else is a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from git_opatch.complete import Completed, complete
from git_opatch.complete.edits import Edit
from git_opatch.complete.tree import FileContent, VirtualTree
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, ChangedFile, Mode
from git_opatch.model.failure import Failure
from git_opatch.model.patch import Line, Prefix
from git_opatch.model.paths import parents
from git_opatch.model.picture import Mark, Picture, Row
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text, is_binary

_MAX_SHOWN = 3  # lines


class Conflict(NamedTuple):
    """Both sides changed the same; `path` is the one that it is about.

    Of lines, `found` are the first ones of ours, which begin at `position`, from 0, and `expected`
    what base has there.
    """

    path: str
    fault: Fault
    position: int | None = None
    found: tuple[bytes, ...] = ()
    expected: tuple[bytes, ...] = ()

    def failure(self, fault: Fault | None = None) -> Failure:
        """Refuse it, as `fault` if that says more."""
        if self.position is None:
            return Failure(fault or self.fault, self.path)
        return Failure(
            fault or self.fault,
            self.path,
            positions=(self.position,),
            pictures=(Picture("does not merge", self._rows(self.position)),),
        )

    def _rows(self, position: int) -> tuple[Row, ...]:
        before = (Line(Prefix.CONTEXT, text) for text in self.expected)
        found = [Row(Mark.IN_FILE, at, text) for at, text in enumerate(self.found, position)]
        return (*found, *(Row(Mark.IN_PATCH, None, None, line, "before") for line in before))


class Merged(NamedTuple):
    """The content that a merge has."""

    mode: Mode
    data: bytes


def merge(repository: Repository, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge the lines of three contents; None if they conflict, or are binary."""
    if base in (ours, theirs) or ours == theirs:
        return theirs if base == ours else ours
    if any(map(is_binary, (base, ours, theirs))):
        return None
    merged = repository.merge_file(base, ours, theirs)
    return None if merged.conflicts else merged.data


def merge_file(
    repository: Repository, base: Blob | None, ours: Blob | None, theirs: Blob | None
) -> Merged | Conflict | None:
    """Merge three versions of a file, each of which may be absent, as may be the outcome."""
    entries = [each.entry if each else None for each in (base, ours, theirs)]
    if entries[0] in entries[1:] or entries[1] == entries[2]:
        outcome = theirs if entries[0] == entries[1] else ours
        return Merged(outcome.entry.mode, outcome.data) if outcome else None
    path = ChangedFile(base, theirs).path
    if ours is None:
        return Conflict(path, Fault.MERGE_GONE)
    if base is None:
        return Conflict(ours.path, Fault.MERGE_IN_THE_WAY)
    if not all(each.entry.mode.is_file for each in (base, ours, theirs) if each):
        return Conflict(ours.path, Fault.MERGE_WHOLE)
    if theirs is None:
        return _conflict(repository, base, ours, None)
    modes = [each.entry.mode for each in (base, ours, theirs)]
    if len(set(modes)) == 3 or (modes[0] not in modes[1:] and modes[1] is not modes[2]):
        return Conflict(ours.path, Fault.MERGE_MODE)
    data = merge(repository, base.data, ours.data, theirs.data)
    if data is None:
        return _conflict(repository, base, ours, theirs)
    return Merged(modes[2] if modes[0] is modes[1] else modes[1], data)


def _conflict(repository: Repository, base: Blob, ours: Blob, theirs: Blob | None) -> Conflict:
    """Find the first lines that both sides changed; None deletes all of them."""
    if any(each.binary for each in (base, ours, theirs) if each):
        return Conflict(ours.path, Fault.MERGE_WHOLE)
    fault = Fault.MERGE_LINES if theirs else Fault.MERGE_WHOLE
    to_ours, to_theirs = repository.differences(
        [(base.data, ours.data), (base.data, theirs.data if theirs else b"")]
    )
    shift = 0
    for lines, count in to_ours:
        touching = (each for each, _ in to_theirs if _touch(lines, each))
        other = next(touching, None)
        if other is not None:
            both = other if theirs else lines
            start, stop = min(lines.start, both.start), max(lines.stop, both.stop)
            at, grown = start + shift, count - len(lines)
            found = ours.text.lines[at : stop + shift + grown][:_MAX_SHOWN]
            expected = base.text.lines[start:stop][:_MAX_SHOWN]
            return Conflict(ours.path, fault, at, tuple(found), tuple(expected))
        shift += count - len(lines)
    return Conflict(ours.path, fault)


def _touch(lines: range, others: range) -> bool:
    """Return whether two ranges of lines overlap, or are next to each other."""
    return lines.start <= others.stop and others.start <= lines.stop


class MergedFiles(NamedTuple):
    """What becomes of files by a merge: paths to remove, and what each changed file will be.

    Those have what is there of them, perhaps under another name, or None if they are new. With
    `conflicts`, nothing may be done.
    """

    removed: tuple[str, ...]
    changed: tuple[tuple[str, Blob | None, Merged], ...]
    conflicts: tuple[Conflict, ...]


def merge_files(
    repository: Repository, pairs: Sequence[ChangedFile], snapshot: Snapshot
) -> MergedFiles:
    """Merge the change of each of `pairs`, from base to theirs, into the files of `snapshot`."""
    leaving = {pair.old_path for pair in pairs if pair.is_renamed}
    conflicts: list[Conflict] = []
    removed: list[str] = []
    changed: list[tuple[str, Blob | None, Merged]] = []
    for pair in pairs:
        ours = _ours(pair, snapshot.blobs, leaving)
        if isinstance(ours, Conflict):
            conflicts.append(ours)
            continue
        merged = merge_file(repository, pair.old, ours, pair.new)
        if isinstance(merged, Conflict):
            conflicts.append(merged)
            continue
        is_there = ours is not None and merged is not None and ours.path == pair.path
        if ours is not None and not is_there:
            removed.append(ours.path)
        if merged and not (ours and is_there and merged == (ours.entry.mode, ours.data)):
            changed.append((pair.path, ours, merged))
    if not conflicts:
        conflicts += _in_the_way(removed, [path for path, _, _ in changed], snapshot)
    return MergedFiles(tuple(removed), tuple(changed), tuple(conflicts))


def complete_merge(repository: Repository, merged: MergedFiles, snapshot: Snapshot) -> Completed:
    """Complete the diff of a merge without conflicts; each file is edited as git's diff has it."""
    tree = VirtualTree(snapshot.blobs)
    for path in merged.removed:
        tree.remove(path)
    texts = [(ours.data, each.data) for _, ours, each in merged.changed if ours is not None]
    ranges = iter(repository.differences(texts))
    for path, ours, (mode, data) in merged.changed:
        tree.put(path, merged_content(mode, data, ours, next(ranges) if ours else ()))
    return complete(tree, repository.algorithm)


def merged_content(
    mode: Mode, data: bytes, ours: Blob | None, ranges: Sequence[tuple[range, int]]
) -> FileContent:
    """Return a merged file: `ranges` are the lines of `ours` that `git diff` replaces in it."""
    text = Text.from_bytes(data)
    return FileContent(mode, text, ours, tuple(_edits(ranges, text)))


def _ours(pair: ChangedFile, now: Mapping[str, Blob], leaving: set[str]) -> Blob | Conflict | None:
    """Return the file that is there of `pair`, under either of its names."""
    ours = now.get(pair.old_path)
    if not pair.is_renamed:
        return ours
    there = now.get(pair.path) if pair.path not in leaving else None
    if ours is not None and there is not None:
        return Conflict(pair.path, Fault.MERGE_IN_THE_WAY)
    if ours is None and there is None:
        return Conflict(pair.old_path, Fault.MERGE_GONE)
    return ours or there


def _edits(ranges: Sequence[tuple[range, int]], text: Text) -> list[Edit]:
    """Return what `git diff` replaces in the lines of a file, which makes `text` of it."""
    edits, shift = [], 0
    for lines, count in ranges:
        start = lines.start + shift
        added = tuple(text.lines[start : start + count])
        newline = text.has_newline(start + count - 1) if count else True
        edits.append(Edit(lines.start, lines.stop, added, newline))
        shift += count - len(lines)
    return edits


def _in_the_way(
    removed: Sequence[str], changed: Sequence[str], snapshot: Snapshot
) -> list[Conflict]:
    """Return a conflict for each path that is a directory, or is below a file, in the end."""
    tree = VirtualTree(snapshot.blobs)
    for path in removed:
        tree.remove(path)
    for path in changed:
        tree.put(path, FileContent(Mode.REGULAR, Text([])))
    return [
        Conflict(path, Fault.MERGE_IN_THE_WAY)
        for path in changed
        if path in snapshot.submodules
        or tree.is_directory(path, snapshot.tracked)
        or any(tree.get(above) or above in snapshot.submodules for above in parents(path))
    ]
