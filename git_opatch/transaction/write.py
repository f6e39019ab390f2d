"""Let git make the new files and the new index, all beside the real ones, and verify them."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.attributes import (
    missing_attribute_files,
    unconverted,
    values_of,
    without_filters,
)
from git_opatch.git.converted import stored_aside
from git_opatch.git.filtered import read_text
from git_opatch.git.index import (
    ScratchIndex,
    check_out_aside,
    list_index,
    set_entries,
    set_flag,
    set_unmerged,
    store_worktree,
)
from git_opatch.git.integrity import loose_object
from git_opatch.git.output import GitResult, git_message
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import is_folder
from git_opatch.git.stamp import Stamp
from git_opatch.model.blob import Change, Entry, Mode, Stages, blob_id
from git_opatch.model.errors import RepositoryError, TransactionError
from git_opatch.model.options import Target
from git_opatch.model.paths import is_attributes_file, parents
from git_opatch.model.text import Text, visible
from git_opatch.transaction.files import PublishedFiles, read_stamps
from git_opatch.transaction.lock import link_or_copy
from git_opatch.transaction.record import ChangeSet, TransactionRecord, lock_index, lock_of

_PROBE_SIZE = 1 << 16
"""More than what a full disk may have left in its last block."""


class Written(NamedTuple):
    """What `write` has done."""

    files: PublishedFiles
    unfiltered: Mapping[str, str]
    """The filters that were not run, by path, because the patch itself switches them on."""


def write(
    repository: Repository, change_set: ChangeSet, record: TransactionRecord, lock: int
) -> Written:
    """Let git make the outcome of the recorded diff, and put the files in their places.

    Git's processes inherit `lock`. The real index is locked, and not changed. Raises
    `TransactionError` if the outcome is not as planned, `BusyError` if the index is locked; what
    was written by then is left for `restore`.
    """
    if record.target is Target.WORKTREE or record.carried:
        stamps = read_stamps(repository.require_worktree(), record.written)
    else:
        stamps = dict(change_set.stamps)
    stored = [repository.store_blob(data) for data in change_set.filtered.blobs]
    scratch, plain = None, dict[str, tuple[Mode, Text]]()
    if record.target is not Target.WORKTREE:
        scratch, plain = _write_index(repository, change_set, record, lock)
    unfiltered: dict[str, str] = {}
    files = PublishedFiles(record)
    if record.written:
        source = scratch
        if source is None or record.carried:
            source, plain = _worktree_index(repository, change_set, record, lock)
        plain |= _filtered_files(record, change_set)
        plain |= _converted_files(record, change_set)
        files.write_new(plain)
        others = [change.path for change in record.written if change.new]
        others = [path for path in others if path not in plain]
        unfiltered = _write_aside(repository, record, others, source, lock)
        if record.carried:
            _keep_permissions(record, stamps)
        files.record_new()
    if scratch is not None:
        _keep_flags(repository, change_set, scratch.file)
        _unmerge(repository, change_set.unmerged, scratch.file)
    repository.sync(_prepared(repository, record, stored))
    if record.written:
        files.publish(repository.require_worktree(), stamps, repository.sync)
    return Written(files, unfiltered)


def _write_index(
    repository: Repository, change_set: ChangeSet, record: TransactionRecord, lock: int
) -> tuple[ScratchIndex, dict[str, tuple[Mode, Text]]]:
    """Let git write the new index beside the real one; return it, and the files it has as they are.

    Git applies the diff to the texts of files under a filter, whose stored forms then replace them.
    """
    index = ScratchIndex(_scratch_index(record), {})
    _enter_texts(repository, record, record.changes, index)
    unfiltering = _without_new_filters(repository, record.changes)
    _apply(repository, record.diff, index._replace(env=unfiltering), lock)
    plain = dict[str, tuple[Mode, Text]]()
    if record.written and not record.carried:
        plain = _verified(repository, record, change_set, index)
    else:
        _verify(record.changes, _entries(repository, record.changes, index))
    if record.stored:
        set_entries(repository, {change.path: change.new for change in record.stored}, index)
    return index, plain


def _without_new_filters(
    repository: Repository, changes: Sequence[Change], others: Sequence[tuple[str, str]] = ()
) -> dict[str, str]:
    """The environment in which git writes the index without any filter, if attributes change.

    Git looks into files whose times do not tell whether they changed, by the attributes of the
    index that it writes. Without the filter it may take one for changed; it looks again (D132).
    The environment has the settings `others`, too.
    """
    return without_filters(repository.filters() if _changes_attributes(changes) else (), others)


def _prepared(
    repository: Repository, record: TransactionRecord, stored: Sequence[str]
) -> Iterator[str | Path]:
    """All that was made before any file is replaced: files, index, blobs and those `stored`."""
    yield from (record.folder, record.stamps, record.index_file.parent, record.scratch_index)
    written = [change.path for change in record.written if change.new]
    above = {parent for path in written for parent in parents(path)}
    new, objects = str(record.new), str(repository.objects)
    yield from (f"{new}/{path}" for path in ("", *above, *written))
    made = [change.new.id for change in record.changes if change.new]
    ids = [*stored, *(made if record.target is not Target.WORKTREE else ())]
    if ids:
        yield objects
    for oid in ids:
        blob = loose_object(objects, oid)
        yield from (blob.rpartition("/")[0], blob)


def _enter_texts(
    repository: Repository,
    record: TransactionRecord,
    changes: Sequence[Change],
    index: ScratchIndex,
) -> None:
    """Give `index` the texts of files under a filter, which the diff is for, as their blobs."""
    filtered = record.filtered
    if texts := {each.path: each.old for each in changes if each.old and each.path in filtered}:
        set_entries(repository, texts, index)


def _filtered_files(
    record: TransactionRecord, change_set: ChangeSet
) -> dict[str, tuple[Mode, Text]]:
    """The new files under a filter: their texts, of which only what the diff says is changed."""
    filtered, contents = record.filtered, (change_set.carried or change_set.completed).texts
    return {
        change.path: (change.new.mode, contents[change.path])
        for change in record.written
        if change.new and change.new.mode.is_file and change.path in filtered
    }


def _converted_files(
    record: TransactionRecord, change_set: ChangeSet
) -> dict[str, tuple[Mode, Text]]:
    """The new files that git converts, with the bytes that they keep on disk."""
    contents = {path: each.new for path, each in change_set.on_disk.items()}
    return {
        change.path: (change.new.mode, Text.from_bytes(data))
        for change in record.written
        if change.new and (data := contents.get(change.path)) is not None
    }


def _scratch_index(record: TransactionRecord) -> Path:
    """Lock the index, and copy it for git to write."""
    lock_index(record.index_file, record.token)
    index = record.scratch_index
    for leftover in (index, lock_of(index)):
        leftover.unlink(missing_ok=True)
    if record.index_file.exists():
        link_or_copy(record.index_file, index)
    return index


def _worktree_index(
    repository: Repository, change_set: ChangeSet, record: TransactionRecord, lock: int
) -> tuple[ScratchIndex, dict[str, tuple[Mode, Text]]]:
    """An index of the working tree's files, with the diff applied; and those it has as they are.

    Their blobs need not be in the repository. Raises `TransactionError` if one of the files has
    changed since the plan.
    """
    record.work.mkdir()
    top = repository.require_worktree()
    paths = [  # without a directory that becomes a file, which has no entry
        change.path for change in record.written if change.old or not is_folder(top / change.path)
    ]
    wanted = set(paths)
    hidden = [entry for entry in list_index(repository, paths, []) if entry.path in wanted]
    source = store_worktree(repository, paths, record.work, hidden=hidden)
    _require_bytes(repository, change_set)
    if record.stored:
        _require_texts(repository, record)
        _enter_texts(repository, record, record.written, source)
    entries = _entries(repository, record.written, source)
    changed = [change.path for change in record.written if entries.get(change.path) != change.old]
    if changed:
        raise TransactionError(f"{visible(changed[0])} was changed meanwhile; run it again")
    # plain `git apply`, which does not look at an index here, would not run the monitor
    no_monitor = [("core.fsmonitor", "false")]
    alone = source.env | _without_new_filters(repository, record.written, no_monitor)
    _apply(repository, record.written_diff, source._replace(env=alone), lock)
    return source, _verified(repository, record, change_set, source)


def _require_bytes(repository: Repository, change_set: ChangeSet) -> None:
    """Raise `TransactionError` if the bytes of a file that git converts have changed."""
    for path, (old, _) in change_set.on_disk.items():
        if old is not None and read_text(repository, path) != old:
            raise TransactionError(f"{visible(path)} was changed meanwhile; run it again")


def _require_texts(repository: Repository, record: TransactionRecord) -> None:
    """Raise `TransactionError` if a file under a filter has changed since the plan."""
    filtered = record.filtered
    for path, old, _ in record.written:
        if path in filtered and old and old.mode.is_file:
            text = read_text(repository, path)
            if text is None or blob_id(text, repository.algorithm) != old.id:
                raise TransactionError(f"{visible(path)} was changed meanwhile; run it again")


def _verified(
    repository: Repository, record: TransactionRecord, change_set: ChangeSet, index: ScratchIndex
) -> dict[str, tuple[Mode, Text]]:
    """Verify the new index; return the files to be written as they are in it.

    That are those which git would write so, by attributes and settings; and those that it may not
    convert, if it would store them so. To write these ourselves takes less than half as long: git
    reads its index, and each object, again (D451).
    """
    candidates = _candidates(record, change_set)
    attributes = []
    if candidates and not repository.converts_line_endings():
        attributes = missing_attribute_files(repository.require_worktree(), candidates)
    entries = _entries(repository, record.written, index, attributes)
    _verify(record.written, entries)
    plain = set[str]()
    if candidates and not any(name in entries for name in attributes):
        plain |= {*unconverted(repository, list(candidates), record.folder / "no-index")}
    others = candidates.keys() & set(change_set.unconverted) - plain
    if texts := {path: candidates[path][1].to_bytes() for path in sorted(others)}:
        aside = record.folder / "aside"
        env = {**repository.scratch_objects(record.folder), **index.env}
        stored = stored_aside(repository, texts, aside, ScratchIndex(index.file, env))
        plain |= {path for path, entry in stored.items() if entry.id == entries[path].id}
    return {path: candidates[path] for path in candidates if path in plain}


def _candidates(record: TransactionRecord, change_set: ChangeSet) -> dict[str, tuple[Mode, Text]]:
    """The new files that may be written as their blobs are: no links, and by known attributes."""
    if _changes_attributes(record.written):
        return {}
    contents = (change_set.carried or change_set.completed).texts
    others = record.filtered | change_set.on_disk.keys()
    return {
        change.path: (change.new.mode, contents[change.path])
        for change in record.written
        if change.new and change.new.mode.is_file and change.path not in others
    }


def _changes_attributes(changes: Sequence[Change]) -> bool:
    return any(is_attributes_file(change.path) for change in changes)


def _write_aside(
    repository: Repository,
    record: TransactionRecord,
    paths: Sequence[str],
    source: ScratchIndex,
    lock: int,
) -> dict[str, str]:
    """Let git write new files into the record; return the filters that were not run.

    If the patch changes `.gitattributes`, the files of the index are written by the new
    attributes. But a filter that only these switch on is not run: plain `git apply`, which writes
    by the old ones, would not run it, and a patch must not start a program (D132).
    """
    if not paths:
        return {}
    env = dict(source.env)
    switched: dict[str, str] = {}
    if _changes_attributes(record.written):
        if record.target is Target.INDEX:
            empty = record.folder / "empty"  # without files there, git reads those of the index
            empty.mkdir()
            env["GIT_WORK_TREE"] = str(empty)
        before = values_of(repository, "filter", paths)
        after = values_of(repository, "filter", paths, index=source.file, env=env)
        switched = {path: name for path, name in after.items() if name and name != before.get(path)}
    ordinary = [path for path in paths if path not in switched]
    others = {**env, **without_filters(set(switched.values()))}
    for some, its_env in ((ordinary, env), (list(switched), others)):
        if some:
            result = check_out_aside(
                repository, some, record.new, index=source.file, env=its_env, keep=(lock,)
            )
            _check_result(result, "git could not write the files", record.folder)
    return switched


def _keep_permissions(record: TransactionRecord, stamps: Mapping[str, Stamp]) -> None:
    """Give files the permissions that git does not record, where the mode is not to change."""
    for change in record.carried:
        old, new, stamp = change.old, change.new, stamps.get(change.path)
        if old and new and stamp and old.mode is new.mode and new.mode.is_file:
            os.chmod(record.new / change.path, stat.S_IMODE(stamp.mode))


def _unmerge(repository: Repository, unmerged: Mapping[str, Stages], index: Path) -> None:
    """Give `index` the three stages of each path, in place of the content with conflict markers."""
    try:
        set_unmerged(repository, unmerged, index)
    except RepositoryError as error:
        raise TransactionError(f"git could not write the unmerged index:\n{error}") from None


def _apply(repository: Repository, diff: Path, index: ScratchIndex, lock: int) -> None:
    result = repository.apply(diff, ("--cached",), index=index.file, env=index.env, keep=(lock,))
    _check_result(result, "git could not apply the completed diff", index.file.parent)


def _check_result(result: GitResult, what: str, directory: Path) -> None:
    """Raise `TransactionError` if git, which wrote in `directory`, failed."""
    if result.killed:
        raise TransactionError("git was killed while it wrote")
    if result.status:
        why = _why_unwritable(directory)
        reason = f" ({why})" if why and why not in result.errors else ""
        raise TransactionError(f"{what}{reason}:\n{git_message(result.errors)}")


def _why_unwritable(directory: Path) -> str:
    """Why nothing can be written in `directory`; empty if it can.

    Where a write fails, git does not always say why. What it has written by then is still there, so
    a full disk is still full.
    """
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(bytes(_PROBE_SIZE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or ""
    return ""


def _verify(changes: Sequence[Change], entries: Mapping[str, Entry]) -> None:
    """Check that git wrote what was planned: it moves hunks silently if a file has changed."""
    wrong = [change.path for change in changes if entries.get(change.path) != change.new]
    if wrong:
        raise TransactionError(
            f"{visible(wrong[0])} differs from the plan: the repository was changed meanwhile, or "
            "an attribute makes git store the file in another form"
        )


def _entries(
    repository: Repository,
    changes: Sequence[Change],
    index: ScratchIndex,
    others: Sequence[str] = (),
) -> dict[str, Entry]:
    """The entries of `index` at the paths of `changes`, and at `others`."""
    paths = [*(change.path for change in changes), *others]
    listed = list_index(repository, paths, [], index=index.file)
    return {entry.path: entry.entry for entry in listed}


def _keep_flags(repository: Repository, change_set: ChangeSet, index: Path) -> None:
    """Set the bits again that `git apply` clears in the entries that it writes."""
    flags, changes = change_set.flags, change_set.completed.changes
    written = [change.path for change in changes if change.new and change.path in flags]
    skipped = [path for path in written if flags[path] in "Ss"]
    unchanged = [path for path in written if flags[path].islower()]
    if skipped:
        set_flag(repository, "--skip-worktree", skipped, index=index)
    if unchanged:
        set_flag(repository, "--assume-unchanged", unchanged, index=index)
