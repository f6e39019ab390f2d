"""What the index gets of files under a filter, whose texts a plan is about (`git.filtered`)."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from git_opatch.complete import Completed, complete_results
from git_opatch.git.attributes import attribute_files, filters_of, missing_attribute_files
from git_opatch.git.filtered import (
    FilterError,
    FilterPrograms,
    StoredForms,
    filters,
    filters_in_tree,
    read_text,
)
from git_opatch.git.index import list_index
from git_opatch.git.repository import Repository
from git_opatch.git.scratch import scratch_directory
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Change, Entry
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options, Target
from git_opatch.model.refusal import Refused
from git_opatch.model.sentences import Fault, Hint, Reason
from git_opatch.model.text import visible
from git_opatch.plan.plan import Plan

_ATTRIBUTES = ".gitattributes"
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
    paths = [change.path for change in changes]
    _require_attributes(repository, sorted(snapshot.filters))
    with scratch_directory() as directory:
        forms = _Forms(plan, snapshot, repository, Path(directory), recorded)
        stored = [forms.of(change) for change in changes]
    if forms.misfits and options.target is Target.INDEX:
        misfits = [Failure(Fault.OTHER_FORM, path) for path in forms.misfits]
        raise Refused([*plan.failures, *misfits], options)
    blobs = [*forms.blobs, *_texts(plan.completed, paths)]
    blobs += _texts(plan.carried, paths) if plan.carried else ()
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
    names = filters(repository, sorted(paths - {""}), in_index=False)
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


def _texts(completed: Completed, paths: Collection[str]) -> Iterable[bytes]:
    """Yield the texts of files before and after."""
    for result in completed.results:
        if result.old is not None and result.old.path in paths:
            yield result.old.data
        if result.content is not None and result.path in paths:
            yield result.content.text.to_bytes()


class _Forms:
    """Finds the stored forms of texts before and after a plan."""

    def __init__(
        self,
        plan: Plan,
        snapshot: Snapshot,
        repository: Repository,
        directory: Path,
        recorded: _Recorded,
    ) -> None:
        self.blobs: list[bytes] = []
        """The contents of the stored forms."""
        self.misfits: list[str] = []
        """The paths of files that git stores in another form than their filters make of them."""
        self._snapshot, self._recorded = snapshot, recorded
        self._contents = plan.completed.contents()
        self._programs = FilterPrograms(repository, directory)
        self._top = _attributes_after(plan, repository, [*snapshot.filters], directory / "top")
        """Where the files of attributes are that the plan leaves, if it changes some."""
        self._after = snapshot.filters
        if self._top:
            index, env = directory / "no-index", {"GIT_WORK_TREE": str(self._top)}
            self._after = filters_of(repository, [*snapshot.filters], index=index, env=env)

    def of(self, change: Change) -> Change:
        """Return what becomes of the stored form where the text changes. Raises `FilterError`."""
        path, old, new = change
        before = self._snapshot.stored.get(path, old)
        if old and new and old.mode.is_file and not self._is_stored_as(change):
            self.misfits.append(path)
        if new is None or not new.mode.is_file:
            return Change(path, before, new)
        return Change(path, before, self._form(path, new))

    def _form(self, path: str, text: Entry) -> Entry:
        if form := self._recorded.get(path, {}).get(text):
            return form
        name, after = self._snapshot.filters.get(path, ""), self._after.get(path, "")
        if after and not name:  # a filter that the patch itself switches on is not run
            return text
        first = f"apply its change of {_ATTRIBUTES} by itself first"
        if after and after != name:
            what = f"the patch changes its filter, from `{visible(name)}` to `{visible(after)}`"
            raise FilterError(path, f"{what}; {first}")
        content, oid = self._contents[path], text.id
        if after:
            stored = self._programs.store(path, name, content)
            self.blobs.append(stored.data)
            oid = stored.id
        if self._top:
            later = None
            with suppress(FilterError):
                later = self._programs.clean(path, after, content, self._top).id
            if later != oid:
                raise FilterError(path, f"the patch changes how git stores it; {first}")
        return Entry(text.mode, oid)

    def _is_stored_as(self, change: Change) -> bool:
        """Return whether the index has what the filter makes of the old text.

        Or that text itself, where the patch takes the filter away.
        """
        path, old = change.path, change.old
        stored = self._snapshot.stored.get(path)
        if stored is None:
            return path not in self._snapshot.filters  # else it has no text
        if self._recorded.get(path, {}).get(old) == stored:
            return True
        if stored == old and not self._after.get(path):
            return True
        name, text = self._snapshot.filters[path], self._snapshot.blobs[path].data
        return self._programs.clean(path, name, text).id == stored.id


def unfiltered_diff(plan: Plan, completed: Completed, repository: Repository) -> bytes:
    """Return the diff of `completed` without the files whose texts are not what the index has."""
    paths = plan.filtered.paths
    if not paths:
        return completed.diff
    others = [
        result
        for result in completed.results
        if paths.isdisjoint((result.path, result.old.path if result.old else result.path))
    ]
    return complete_results(others, repository.algorithm).diff


def _require_attributes(repository: Repository, paths: Sequence[str]) -> None:
    """Raise `FilterError` if attributes are in the index alone: those no filter is run by here."""
    missing = missing_attribute_files(repository.require_worktree(), paths) if paths else []
    if listed := list_index(repository, missing, []):
        what = f"{visible(listed[0].path)}, by which it has a filter, is not in the working tree"
        raise FilterError(paths[0], f"{what}; restore that first")


def _attributes_after(
    plan: Plan, repository: Repository, paths: Sequence[str], top: Path
) -> Path | None:
    """Write the files of attributes that `plan` leaves below `top`, which is returned.

    Nothing is written, and None returned, if it changes none.
    """
    changed = {change.path for change in plan.completed.changes}
    if all(posixpath.basename(path) != _ATTRIBUTES for path in changed):
        return None
    contents = plan.completed.contents()
    top.mkdir()
    for name in attribute_files(paths):
        data = contents.get(name) if name in changed else read_text(repository, name)
        if data is not None:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_bytes(data)
    return top


def locates_texts(options: Options) -> bool:
    """Return whether files under a filter are located in their texts.

    Not for what has no working tree, nor for a diff that git is to apply.
    """
    return options.base is None and options.target is not Target.CACHED and not options.converts


def with_stored_hints(plan: Plan, repository: Repository, options: Options) -> Plan:
    """Say of hunks that do not fit what the index has of a file that this is not its text."""
    paths = sorted({each.path for each in plan.failures if each.reason in _MISFITS and each.path})
    if locates_texts(options) or not paths:
        return plan
    if options.base is not None:
        names = filters_in_tree(repository, options.base, paths)
    else:
        names = filters(repository, paths, in_index=False)
    return plan.with_failures(
        each.with_hint(Hint.FILTERED, filter=names[each.path])
        if each.path in names and each.reason in _MISFITS
        else each
        for each in plan.failures
    )
