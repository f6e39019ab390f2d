"""Undo a recorded diff in files that may have changed since (D55).

In a file that is as the record left it, hunks are where their numbers say. In any other, they are
where their lines moved to by git's diff between the two, if none of them was touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.journal import Record
from git_opatch.model.blob import Change, Entry
from git_opatch.model.errors import JournalError, ParseError
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Format, Options, Target
from git_opatch.model.patch import FilePatch, Hunk, Operation, Patch, Prefix
from git_opatch.model.reverse import reverse_recorded
from git_opatch.model.sentences import Fault
from git_opatch.parse import parse_patch


def undo_patch_of(record: Record) -> Patch:
    """Return the patch that undoes `record` where nothing changed since.

    Raises `JournalError` if the recorded diff is damaged.
    """
    source = os.path.relpath(record.file)
    try:
        diff = record.read_diff()
        parsed = parse_patch(diff, patch_format=Format.UNIFIED, source=source, recorded=True)
    except ParseError as error:
        raise JournalError(f"{source} is damaged: {error}") from None
    return reverse_recorded(parsed)


Edits = Sequence[tuple[range, int]]
"""What changed in a file: lines, and how many replaced them."""


def drift(record: Record, snapshot: Snapshot, repository: Repository) -> Mapping[str, Edits]:
    """Find what changed since `record` in each file, by git's diff.

    A file is left out if it is not there, is as the record left it, or git does not have that blob.
    """
    left = {change.path: change.new for change in record.changes}
    drifted = {path: left[path] for path in _changed_paths(left, snapshot)}
    known = repository.read_blobs(
        repository.present(entry.id for entry in drifted.values() if entry)
    )
    return {
        path: repository.differences(known[entry.id], snapshot.blobs[path].data)
        for path, entry in drifted.items()
        if entry is not None and entry.id in known and path in snapshot.blobs
    }


def rebase_hunks(
    patch: Patch,
    record: Record,
    snapshot: Snapshot,
    edits: Mapping[str, Edits],
    *,
    context: int | None = None,
) -> Patch:
    """Number the hunks of `patch`, which undoes `record`, for the files as they are now.

    `edits` is what changed since in each file (`drift`). With `context`, hunks keep that many lines
    of context, and more may have changed since. Where git does not have the blob that the record
    left, as after a change of untracked files, hunks lose their numbers: then they must be the only
    match in the file.
    """
    left = {change.path: change.new for change in record.changes}

    def rebase_section(section: FilePatch) -> FilePatch:
        path = section.old_path or ""
        blob, entry = snapshot.blobs.get(path), left.get(path)
        if blob is None or (entry is not None and entry.id == blob.entry.id):
            return section._replace(exact_positions=True)
        if path not in edits:
            return _renumber(section, [replace(hunk, stated_start=None) for hunk in section.hunks])
        hunks: Sequence[Hunk] = section.hunks
        if context is not None:
            hunks = [part for hunk in hunks for part in narrowed(hunk, context)]
        moved = [
            replace(hunk, stated_start=map_start(hunk, edits[path]), ordinal=ordinal)
            for ordinal, hunk in enumerate(hunks, 1)
        ]
        return _renumber(section, moved)._replace(exact_positions=True)

    return patch._replace(files=tuple(map(rebase_section, patch.files)))


def _changed_paths(left: Mapping[str, Entry | None], snapshot: Snapshot) -> list[str]:
    return [path for path, entry in left.items() if _id(entry) != _current_id(path, snapshot)]


def _renumber(section: FilePatch, hunks: Sequence[Hunk]) -> FilePatch:
    return section._replace(hunks=tuple(replace(hunk, new_start=None) for hunk in hunks))


def narrowed(hunk: Hunk, context: int) -> Iterator[Hunk]:
    """Split `hunk` into its runs of changed lines, with up to `context` lines around each.

    Runs that would share a line of context stay together.
    """
    changed = [index for index, line in enumerate(hunk.lines) if line.prefix is not Prefix.CONTEXT]
    start = 0
    for number, index in enumerate(changed, 1):
        end = changed[number] if number < len(changed) else len(hunk.lines)
        between = end - index - 1
        if end < len(hunk.lines) and (not between or between < 2 * context):
            continue
        first = max(changed[start] - context, 0)
        above = sum(line.prefix is not Prefix.ADDED for line in hunk.lines[:first])
        lines = tuple(hunk.lines[first : index + 1 + context])
        yield replace(hunk, lines=lines, stated_start=(hunk.stated_start or 0) + above)
        start = number


def map_start(hunk: Hunk, edits: Sequence[tuple[range, int]]) -> int | None:
    """Return where the lines of `hunk` moved to.

    None if they were touched, or if it only adds lines and others were added at the same position.
    """
    if hunk.stated_start is None:
        return None
    start = hunk.stated_start
    if not hunk.preimage and any(lines.start == lines.stop == start for lines, _ in edits):
        return None
    return map_range(start, start + len(hunk.preimage), edits)


def map_range(start: int, stop: int, edits: Sequence[tuple[range, int]]) -> int | None:
    """Return the new position of the lines from `start` to `stop`; None if one was touched.

    Each of `edits` is a range of lines, and how many lines replaced them. Lines that were added
    right before `start` come before the range, also if it is empty.
    """
    if any(
        lines.start < stop and (lines.stop > start or lines.start > start) for lines, _ in edits
    ):
        return None
    return start + sum(count - len(lines) for lines, count in edits if lines.stop <= start)


def verify_undo(
    patch: Patch, record: Record, snapshot: Snapshot, changes: Sequence[Change]
) -> Iterator[Failure]:
    """Check that `changes`, by which `patch` undoes `record`, restore what was there before.

    Files that are as the record left them must become what they were before it; and a file that is
    deleted by its name alone must be as the record left it.
    """
    recorded = {change.path: change for change in record.changes}
    planned = {change.path: _id(change.new) for change in changes}
    for section in patch.files:
        paths = [path for path in (section.old_path, section.new_path) if path in recorded]
        as_left = all(_id(recorded[path].new) == _current_id(path, snapshot) for path in paths)
        if not as_left and section.operation is Operation.DELETE and not section.has_content:
            yield refusal(section, Fault.CHANGED_SINCE_CREATED)
        for path in paths if as_left else ():
            before = recorded[path].old
            if planned.get(path, _current_id(path, snapshot)) != _id(before):
                yield refusal(section, Fault.EARLIER_CONTENT_LOST, path=path, blob=_id(before))


def refuse_filtered(record: Record, options: Options) -> Iterator[Failure]:
    """Refuse to undo in the index alone what was located in the text of a file under a filter."""
    if options.target is Target.CACHED:
        yield from (Failure(Fault.CHANGED_ON_DISK, change.path) for change in record.texts)


def _id(entry: Entry | None) -> str:
    return entry.id if entry is not None else ""


def _current_id(path: str, snapshot: Snapshot) -> str:
    return _id(snapshot.blobs[path].entry) if path in snapshot.blobs else ""


def refuse_overwritten(patch: Patch, record: Record) -> list[Failure]:
    """Refuse files that replaced others, whose content the patch does not have."""
    return [
        Failure(
            Fault.REPLACED_FILE_LOST,
            section.new_path or "",
            number=section.number,
            source=section.source,
            values={"blob": record.before[section.new_path or ""].id},
        )
        for section in patch.files
        if section.old_path != section.new_path and section.new_path in record.before
    ]
