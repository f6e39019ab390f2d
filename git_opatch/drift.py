"""A recorded diff against files that may have changed since: where do its hunks stand now?

In a file that holds just what the record left there, where their numbers say. In any other,
where git's diff between the two says that their lines went, if none of them was touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from git_opatch.blob import Change, Entry
from git_opatch.errors import JournalError, ParseError
from git_opatch.journal import Record
from git_opatch.options import Dialect
from git_opatch.outcome import Failure, Reason, refusal
from git_opatch.parse import parse_patch
from git_opatch.patch import FilePatch, Hunk, Line, Mark, Operation, Patch
from git_opatch.repository import Repository
from git_opatch.reverse import reverse_recorded
from git_opatch.snapshot import Snapshot


def patch_back(record: Record) -> Patch:
    """The patch that takes `record` back where nothing changed since.

    Raises `JournalError` if the recorded diff is damaged.
    """
    source = os.path.relpath(record.file)
    try:
        diff = record.read_diff()
        parsed = parse_patch(diff, dialect=Dialect.UNIFIED, source=source, recorded=True)
    except ParseError as error:
        raise JournalError(f"{source} is damaged: {error}") from None
    return reverse_recorded(parsed)


def follow(
    patch: Patch, record: Record, snapshot: Snapshot, repository: Repository, *, bare: bool
) -> Patch:
    """`patch`, which takes `record` back, with its hunks numbered as the files are now.

    If they are to be `bare`, their context may have changed since: it is left away. Where git has
    no blob of what was left, as after a change of untracked files, the hunks lose their numbers:
    they must be the only ones of their kind in the file.
    """
    left = {change.path: change.new for change in record.changes}
    drifted = [one for one in map(left.get, _changed(left, snapshot)) if one is not None]
    known = repository.read_blobs(repository.present(one.id for one in drifted))

    def followed(section: FilePatch) -> FilePatch:
        path = section.old_path or ""
        there, was = snapshot.blobs.get(path), left.get(path)
        if there is None or (was is not None and was.id == there.entry.id):
            return replace(section, counted=True)
        before = known.get(was.id) if was is not None else None
        if before is None:
            return _renumbered(section, [replace(one, start=None) for one in section.hunks])
        edits = repository.differences(before, there.data)
        hunks = [it for one in section.hunks for it in _bare(one)] if bare else section.hunks
        moved = [replace(one, start=_moved(one, edits)) for one in hunks]
        return replace(_renumbered(section, moved), counted=True)

    return replace(patch, files=tuple(map(followed, patch.files)))


def _changed(left: Mapping[str, Entry | None], snapshot: Snapshot) -> list[str]:
    return [path for path, entry in left.items() if _id(entry) != _id_of(path, snapshot)]


def _renumbered(section: FilePatch, hunks: Sequence[Hunk]) -> FilePatch:
    return replace(section, hunks=tuple(replace(one, new_start=None) for one in hunks))


def _bare(hunk: Hunk) -> Iterator[Hunk]:
    """Each run of lines of `hunk` that are changed, without context."""
    run: list[Line] = []
    at = hunk.start or 0
    for line in (*hunk.lines, None):
        if line is not None and line.mark is not Mark.CONTEXT:
            run.append(line)
            continue
        if run:
            yield replace(hunk, lines=tuple(run), start=at)
        at += sum(one.mark is Mark.REMOVED for one in run) + 1
        run = []


def _moved(hunk: Hunk, edits: Sequence[tuple[range, int]]) -> int | None:
    """None if they were touched, or if lines were added where it only adds some itself."""
    if hunk.start is None:
        return None
    start = hunk.start
    if not hunk.preimage and any(one.start == one.stop == start for one, _ in edits):
        return None
    return followed(start, start + len(hunk.preimage), edits)


def followed(start: int, stop: int, edits: Sequence[tuple[range, int]]) -> int | None:
    """Where lines went; None if one of them, or what lies between, was touched.

    `edits` say which lines became how many others. What was added right before the lines goes
    before them, also if there are none: then `start` is a place between two lines.
    """
    if any(one.start < stop and (one.stop > start or one.start > start) for one, _ in edits):
        return None
    return start + sum(count - len(one) for one, count in edits if one.stop <= start)


def amiss(
    patch: Patch, record: Record, snapshot: Snapshot, changes: Sequence[Change]
) -> Iterator[Failure]:
    """What keeps `changes`, by which `patch` takes `record` back, from being just that.

    Files that hold what was left must come to hold what they held; and one that goes without a
    word on its lines must hold what was left.
    """
    record_of = {change.path: change for change in record.changes}
    planned = {change.path: _id(change.new) for change in changes}
    for section in patch.files:
        paths = [path for path in (section.old_path, section.new_path) if path in record_of]
        as_left = all(_id(record_of[path].new) == _id_of(path, snapshot) for path in paths)
        if not as_left and section.operation is Operation.DELETE and not section.states_content:
            yield refusal(section, Reason.CONTRADICTED, "was changed since it was made")
        for path in paths if as_left else ():
            former = record_of[path].old
            if planned.get(path, _id_of(path, snapshot)) != _id(former):
                what = f"what it held, blob {_id(former)}, is no longer in the repository"
                yield refusal(section, Reason.NOT_REVERSIBLE, what, path=path)


def _id(entry: Entry | None) -> str:
    return entry.id if entry is not None else ""


def _id_of(path: str, snapshot: Snapshot) -> str:
    return _id(snapshot.blobs[path].entry) if path in snapshot.blobs else ""


def replaced(patch: Patch, record: Record) -> list[Failure]:
    """Files that the patch put in place of others, which its text does not know."""
    return [
        Failure(
            Reason.NOT_REVERSIBLE,
            "was put in place of another file, and something changed since; the patch does not "
            "say what the other one held",
            section.new_path or "",
            number=section.number,
            source=section.source,
            advice=f"it was blob {record.before[section.new_path or ''].id}",
        )
        for section in patch.files
        if section.old_path != section.new_path and section.new_path in record.before
    ]
