"""What the index gets of files under a filter, whose texts a plan is about (`git.filtered`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from git_opatch.git.converted import (
    FilterError,
    FilterPrograms,
    StoredForms,
    attribute_files,
    filters,
    missing_attribute_files,
)
from git_opatch.git.index import list_index
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Change, Entry
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.sentences import Fault, Hint, Reason
from git_opatch.model.text import visible
from git_opatch.plan.plan import Plan

_MISFITS = (Reason.NOT_FOUND, Reason.BINARY, Reason.CONTRADICTED)


def with_stored_forms(
    plan: Plan, snapshot: Snapshot, repository: Repository, options: Options
) -> Plan:
    """Return `plan` with what `git add` would store of the files under a filter.

    Raises `Refused` if git would store something else of the text that is there, and `FilterError`
    if a filter fails, or is not to be trusted with the new text.
    """
    if options.target is Target.CACHED:
        _require_stored_form(plan, repository, options)
        return plan
    recorded = _recorded_forms(plan, repository)
    changes = [
        each
        for each in plan.completed.changes
        if each.path in snapshot.filters or each.path in recorded
    ]
    if not changes:
        return plan
    _require_attributes(plan, repository, sorted(snapshot.filters))
    with scratch_directory() as directory:
        programs = FilterPrograms(repository, Path(directory))
        misfits = list(_misfits(changes, snapshot, recorded, programs))
        if misfits and options.target is Target.INDEX:
            raise Refused([*plan.failures, *misfits], options)
        stored, blobs, contents = list[Change](), list[bytes](), plan.completed.contents()
        for path, old, new in changes:
            form = recorded.get(path, {}).get(new)
            if form is None and new and new.mode.is_file and path in snapshot.filters:
                oid, data = programs.store(path, snapshot.filters[path], contents[path])
                form = Entry(new.mode, oid)
                blobs.append(data)
            stored.append(Change(path, snapshot.stored.get(path, old), form or new))
    olds = [result.old for result in plan.completed.results]
    blobs += [old.data for old in olds if old and old.path in snapshot.filters]
    return plan._replace(filtered=StoredForms(tuple(stored), tuple(dict.fromkeys(blobs))))


_Recorded = Mapping[str, Mapping[Entry | None, Entry | None]]
"""The stored form of each text that a file had, by the file's path."""


def _recorded_forms(plan: Plan, repository: Repository) -> _Recorded:
    """Return what the index had before and after the record that `plan` reverses.

    So its texts come back without a filter, in the very forms that they had.
    """
    record = plan.reverses
    if record is None or not record.texts:
        return {}
    stored = {change.path: change for change in record.changes}
    there = repository.present(
        entry.id for change in record.changes for entry in change[1:] if entry is not None
    )
    return {
        text.path: {
            entry: form
            for entry, form in zip(text[1:], stored[text.path][1:], strict=True)
            if entry and form and form.id in there
        }
        for text in record.texts
        if text.path in stored
    }


def _require_stored_form(plan: Plan, repository: Repository, options: Options) -> None:
    """Raise `FilterError` for a new file that the index alone would get in another form.

    What is located in the stored form is in that form, but the author of a new file knows the text.
    """
    if plan.reverses or options.reverse:
        return
    results = [result for result in plan.completed.results if result.content]
    paths = {path for each in results for path in (each.path, each.old.path if each.old else "")}
    names = filters(repository, sorted(paths - {""}))
    if not names:
        return
    with scratch_directory() as directory:
        programs = FilterPrograms(repository, Path(directory))
        for result in results:
            is_new = result.old is None or result.old.path not in names
            if result.path in names and is_new and result.content and result.content.mode.is_file:
                name, text = names[result.path], result.content.text.to_bytes()
                if programs.clean(result.path, name, text).data != text:
                    what = f"git would store it in another form, by its filter `{visible(name)}`"
                    raise FilterError(result.path, f"{what}; add it to the working tree, too")


def _misfits(
    changes: Sequence[Change], snapshot: Snapshot, recorded: _Recorded, programs: FilterPrograms
) -> Iterator[Failure]:
    """Refuse the files of which the index has something else than their filters make of them."""
    for path, old, new in changes:
        if path not in snapshot.filters or not (old and new and old.mode.is_file):
            continue
        stored, name = snapshot.stored.get(path), snapshot.filters[path]
        if stored is None or (
            recorded.get(path, {}).get(old) != stored
            and programs.clean(path, name, snapshot.blobs[path].data).id != stored.id
        ):
            yield Failure(Fault.OTHER_FORM, path)


def _require_attributes(plan: Plan, repository: Repository, paths: Sequence[str]) -> None:
    """Raise `FilterError` if what gives `paths` their filters is not there, or is to be changed.

    No filter is run by attributes that the index alone has, nor by those of a patch: with it, git
    may store these files in another form.
    """
    if not paths:
        return
    missing = missing_attribute_files(repository.require_worktree(), paths)
    if listed := list_index(repository, missing, []):
        what = f"{visible(listed[0].path)}, by which it has a filter, is not in the working tree"
        raise FilterError(paths[0], f"{what}; restore that first")
    named = set(attribute_files(paths))
    changed = next((each.path for each in plan.completed.changes if each.path in named), None)
    if changed is not None:
        what = f"the patch changes {visible(changed)}, by which it has a filter"
        raise FilterError(paths[0], f"{what}; apply that change by itself first")


def with_stored_hints(plan: Plan, repository: Repository, options: Options) -> Plan:
    """Say of hunks that do not fit what the index has of a file that this is not its text."""
    paths = sorted({each.path for each in plan.failures if each.reason in _MISFITS and each.path})
    is_text = options.base is None and options.target is not Target.CACHED and not options.converts
    if is_text or not paths:
        return plan
    names = filters(repository, paths)
    return plan.with_failures(
        each.with_hint(Hint.FILTERED, filter=names[each.path])
        if each.path in names and each.reason in _MISFITS
        else each
        for each in plan.failures
    )
