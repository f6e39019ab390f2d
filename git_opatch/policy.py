"""What a patch may not do here, whatever it says: touch other files, or other versions of them.

Pathspecs are matched by git itself (gitglossary(7), "pathspec").
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Set

from git_opatch.options import Options, Rule, Target
from git_opatch.outcome import Failure, Reason, refusal
from git_opatch.patch import FilePatch, Operation, Patch
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot, is_folder


def refuse_by_policy(
    patch: Patch, snapshot: Snapshot, repository: Repository, options: Options
) -> list[Failure]:
    """What the policy of `options` has against `patch`: all of it, stale files first.

    `snapshot` has the patch's paths and the expected ones. Raises `RepositoryError` for what
    is no pathspec.
    """
    failures = [*_stale(snapshot, repository, options)]
    added = {one.new_path for one in patch.files if one.operation is not Operation.UPDATE}
    there = added | snapshot.blobs.keys()
    touched = [(path, section) for section in patch.files for path in _touched(section, there)]
    for rule in options.policy.rules:
        found = repository.matched((path for path, _ in touched), rule.pathspecs, rule.directory)
        failures += [
            _forbidden(section, path, rule)
            for path, section in dict(reversed(touched)).items()
            if (path in found) is not rule.allows
        ]
    return failures


def _touched(section: FilePatch, there: Set[str | None]) -> list[str]:
    """The paths that a section may change: of two names of a file those that are there."""
    if section.alternate is not None:
        both = (section.path, section.alternate)
        return [path for path in both if path in there] or [section.path]
    return [path for path in (section.old_path, section.new_path) if path is not None]


def _forbidden(section: FilePatch, path: str, rule: Rule) -> Failure:
    listed = " ".join(rule.pathspecs)
    if rule.allows:
        what, advice = "may not be touched here", f"allowed are ({rule.said}): {listed}"
        return refusal(section, Reason.NOT_ALLOWED, what, path=path, advice=advice)
    what, advice = "must not be touched here", f"denied are ({rule.said}): {listed}"
    return refusal(section, Reason.DENIED, what, path=path, advice=advice)


def _stale(snapshot: Snapshot, repository: Repository, options: Options) -> Iterator[Failure]:
    """A failure for each file that is another version than the expected one."""
    for path, wanted in options.policy.expected:
        what = _difference(path, wanted, snapshot, repository, options)
        if what:
            advice = "read it again, and write the patch for what is there now"
            yield Failure(Reason.STALE, f"is stale: {what}", path, advice=advice)


def _difference(
    path: str, wanted: str, snapshot: Snapshot, repository: Repository, options: Options
) -> str:
    """In what a file is not the version that is `wanted`; empty if it is."""
    there = options.target is Target.INDEX and options.base is None and repository.top is not None
    blob = snapshot.blobs.get(path)
    if path in snapshot.unmerged or path in snapshot.submodules or path in snapshot.folders:
        return f"{_expected(wanted)}, and a folder, a submodule or an unmerged file is there"
    if blob is None and wanted:
        return f"{_expected(wanted)}, and there is none"
    if blob is not None and not (wanted and blob.entry.id.startswith(wanted)):
        return f"{_expected(wanted)}, and it is blob {blob.entry.id[: max(len(wanted), 12)]}"
    if there and path in snapshot.changed | snapshot.deleted:
        return f"{_expected(wanted)}, and it has changes that are not staged"
    if there and not wanted and _is_there(path, repository):
        return f"{_expected(wanted)}, and an untracked one is there"
    return ""


def _is_there(path: str, repository: Repository) -> bool:
    where = repository.require_worktree() / path
    return os.path.lexists(where) and not is_folder(where)


def _expected(wanted: str) -> str:
    return f"blob {wanted} was expected" if wanted else "no file was expected"
