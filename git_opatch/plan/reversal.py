"""Undo or redo a patch of the journal by merging, and find out whether its change is there.

    undone     the journal says so
    applied    its undo merges, and changes something
    gone       its undo merges, and changes nothing
    changed    its undo does not merge

A move is one file: its lines are merged, and its name goes back with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum

from git_opatch.complete import Completed, complete_results
from git_opatch.git.index import unmerged_stages
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.journal import Record, RecordAction
from git_opatch.model.blob import Blob, Change, ChangedFile, Entry
from git_opatch.model.errors import JournalError, ParseError
from git_opatch.model.failure import Failure
from git_opatch.model.options import Format, Options, Target
from git_opatch.model.patch import Operation
from git_opatch.model.sentences import Fault, Notice
from git_opatch.plan.merge import complete_merge, merge_files
from git_opatch.plan.plan import Plan
from git_opatch.transaction.guard import guard_parents


class State(Enum):
    """What became of a patch."""

    APPLIED = "applied"
    UNDONE = "undone"
    GONE = "gone"
    CHANGED = "changed"


def plan_reversal(
    record: Record, repository: Repository, options: Options, *, redo: bool
) -> tuple[Plan, Snapshot]:
    """Plan to undo or redo the patch of `record` in the target of `options`.

    The plan has no changes if that is done already. Raises `JournalError` if what the files were
    is not known any more.
    """
    located = record.located_in(options.target)
    paths = [change.path for change in record.changes]
    failures: list[Failure] = []
    snapshot = Snapshot({})
    if options.target is not Target.CACHED:
        failures = guard_parents(repository.require_worktree(), paths)
    if not failures:
        snapshot = take_snapshot(repository, paths, replace(options, converts=False))
        failures = list(_refuse_files(located, snapshot, repository, options, redo=redo))
    plan = Plan(failures=tuple(failures))
    if not failures:
        plan = _merge(located, snapshot, repository, redo=redo)
    action = RecordAction.REDO if redo else RecordAction.UNDO
    plan = plan._replace(reverses=record, action=action)
    return plan.attempted(options, record=record.patch), snapshot


def _merge(record: Record, snapshot: Snapshot, repository: Repository, *, redo: bool) -> Plan:
    """Merge all files of `record`; those with its conflicts as they are in the working tree."""
    pairs = pairs_of(record, repository, snapshot.blobs, redo=redo)
    in_conflict = [pair for pair in pairs if pair.path in snapshot.unmerged]
    clean = [pair for pair in pairs if pair not in in_conflict]
    merged = merge_files(repository, clean, snapshot)
    plan = Plan(failures=tuple(each.failure() for each in merged.conflicts))
    if merged.conflicts:
        return plan
    completed = complete_merge(repository, merged, snapshot)
    _store_binary(completed, repository)
    if not in_conflict:
        return plan._replace(completed=completed)
    settled = {pair.path: pair.new.entry for pair in in_conflict if pair.new}
    files = Snapshot({pair.path: pair.old for pair in in_conflict if pair.old})
    reset = complete_merge(repository, merge_files(repository, in_conflict, files), files)
    whole = complete_results([*completed.results, *reset.results], repository.algorithm)
    return plan._replace(completed=completed, carried=whole, settled=settled)


def _refuse_files(
    record: Record, snapshot: Snapshot, repository: Repository, options: Options, *, redo: bool
) -> Iterator[Failure]:
    """Refuse unmerged files, but for those that are as `record` left them in both places, and to
    undo in the index alone what was located in the text of a file under a filter."""
    unmerged = [change.path for change in record.changes if change.path in snapshot.unmerged]
    own = [path for path in unmerged if path in record.unmerged]
    if own and options.target is not Target.WORKTREE and not redo:
        stages = unmerged_stages(repository)
        left = {change.path: change.new for change in record.changes}
        there = left
        if options.target is not Target.CACHED:
            blobs = take_snapshot(repository, own, Options(Target.WORKTREE, converts=True)).blobs
            there = {path: blob.entry for path, blob in blobs.items()}
        for path in own:
            ids = tuple(stages[path][stage].id for stage in sorted(stages[path]))
            if ids == record.unmerged[path] and there.get(path) == left[path]:
                unmerged.remove(path)
    for path in unmerged:
        yield Failure(Fault.UNMERGED, path)
    for path in record.unmerged if redo else ():
        yield Failure(Fault.LEFT_WITH_CONFLICTS, path)
    for path in snapshot.intended.intersection(change.path for change in record.changes):
        yield Failure(Fault.INTENDED, path)
    for change in record.texts if options.target is Target.CACHED else ():
        yield Failure(Fault.CHANGED_ON_DISK, change.path)


def _store_binary(completed: Completed, repository: Repository) -> None:
    """Let git have the binary files to be written: its diff names them by their ids alone."""
    for result in completed.results:
        if result.content is not None and result.content.text.binary:
            repository.store_blob(result.content.text.to_bytes())


def state_by_entries(record: Record, now: Mapping[str, Entry | None]) -> State | None:
    """Return the state of a patch that is not undone by its files' entries alone, if they tell."""
    after = {change.path: change.new for change in record.changes}
    before = {change.path: change.old for change in record.changes}
    if record.action is RecordAction.UNDO:
        before, after = after, before
    there = {path: now.get(path) for path in after}
    return State.APPLIED if there == after else State.GONE if there == before else None


def state_by_merge(record: Record, repository: Repository, snapshot: Snapshot) -> State:
    """Return the state of a patch that is not undone, in `snapshot`. Raises `JournalError`."""
    pairs = pairs_of(record, repository, snapshot.blobs, redo=False)
    merged = merge_files(repository, pairs, snapshot)
    if merged.conflicts:
        return State.CHANGED
    return State.APPLIED if merged.changed or merged.removed else State.GONE


def pairs_of(
    record: Record, repository: Repository, now: Mapping[str, Blob], *, redo: bool
) -> list[ChangedFile]:
    """Return each file as it is in base and theirs of an undo, or a redo, of `record`.

    Raises `JournalError` if a content is neither kept nor in git.
    """
    contents = {blob.entry.id: blob.data for blob in now.values()} | record.read_contents()
    wanted = {each.id: each_of.path for each_of in record.changes for each in _entries(each_of)}
    if missing := wanted.keys() - contents.keys():
        contents |= repository.read_blobs(repository.present(missing))
    if missing := wanted.keys() - contents.keys():
        lost = min(missing)
        values = {"number": record.number, "path": wanted[lost], "blob": lost}
        raise JournalError(Notice.CONTENT_LOST.fill(**values))

    def blob(path: str, entry: Entry | None) -> Blob | None:
        return Blob(path, entry, contents[entry.id]) if entry else None

    moves = moved_paths(record)
    new = {change.path: blob(change.path, change.new) for change in record.changes}
    pairs = [
        ChangedFile(blob(path, old), new[moves.get(path, path)])
        for path, old, _ in record.changes
        if path in moves or path not in moves.values()
    ]
    is_forward = redo is not (record.action is RecordAction.UNDO)
    return pairs if is_forward else [ChangedFile(pair.new, pair.old) for pair in pairs]


def _entries(change: Change) -> list[Entry]:
    return [each for each in (change.old, change.new) if each is not None]


def moved_paths(record: Record) -> dict[str, str]:
    """Return the new path of each file that `record` moved, by its old one.

    Raises `JournalError` if its diff is damaged.
    """
    if "R" not in record.files:
        return {}
    from git_opatch.parse import parse_patch  # takes longer than a small undo

    try:
        patch = parse_patch(record.read_diff(), patch_format=Format.UNIFIED, recorded=True)
    except ParseError as error:
        raise JournalError(Notice.DAMAGED.fill(file=record.file, why=error)) from None
    return {
        section.old_path or "": section.new_path or ""
        for section in patch.files
        if section.operation is Operation.MOVE
    }
