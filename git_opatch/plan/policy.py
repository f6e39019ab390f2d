"""Refuse patches that change forbidden files, or other versions of files than expected (D52).

Pathspecs are matched by git itself (gitglossary(7), "pathspec").
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence, Set

from git_opatch.git.pathspec import matching_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, is_folder
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.policy import PathRule
from git_opatch.model.sentences import Fault


def check_policy(
    patch: Patch, snapshot: Snapshot, repository: Repository, options: Options
) -> list[Failure]:
    """Return all failures by the policy of `options`, stale files first.

    `snapshot` has the patch's paths and the expected ones. Raises `RepositoryError` for an invalid
    pathspec.
    """
    failures = [*_stale(snapshot, options)]
    added = {file.new_path for file in patch.files if file.operation is not Operation.UPDATE}
    existing = added | snapshot.blobs.keys()
    touched = [(path, section) for section in patch.files for path in _touched(section, existing)]
    for rule in options.policy.rules:
        paths = dict(reversed(touched))
        failures += [
            _refuse(paths[path], path, rule, repository)
            for path in _forbidden(paths, repository, rule)
        ]
    most, count = options.policy.max_files, len({path for path, _ in touched})
    if most is not None and count > most.limit:
        values: dict[str, str | bytes | int]
        values = {"count": count, "most": most.limit, "origin": most.origin}
        fault = Fault.TOO_MANY_FILES if most.limit else Fault.NO_FILES
        failures.append(Failure(fault, touched[0][0], values=values))
    return failures


def _forbidden(paths: Collection[str], repository: Repository, rule: PathRule) -> list[str]:
    """Return those of `paths` that a rule forbids. Raises as `forbidden_path` does."""
    matched = matching_paths(repository, paths, rule.pathspecs, rule.directory)
    return [path for path in paths if (path in matched) is not rule.allows]


def forbidden_path(
    paths: Sequence[str], repository: Repository, rules: Sequence[PathRule]
) -> tuple[str, PathRule] | None:
    """Find a path that a rule forbids, and the rule; None if all are allowed.

    Raises `RepositoryError` for an invalid pathspec.
    """
    found = ((path, rule) for rule in rules for path in _forbidden(paths, repository, rule))
    return next(found, None)


def _touched(section: FilePatch, existing: Set[str | None]) -> list[str]:
    """List the paths that a section may change: of two names of a file, those that exist."""
    if section.alternate is None:
        return [*section.names]
    return [path for path in section.names if path in existing] or [section.path]


def _refuse(section: FilePatch, path: str, rule: PathRule, repository: Repository) -> Failure:
    listed = " ".join(rule.pathspecs) + _relative_to(rule, repository)
    fault = Fault.NOT_ALLOWED if rule.allows else Fault.DENIED
    return refusal(section, fault, path=path, origin=rule.origin, pathspecs=listed)


def _relative_to(rule: PathRule, repository: Repository) -> str:
    """Say which directory the pathspecs of a rule count from, if that is not the top."""
    if not (rule.directory and repository.top) or all(each[:1] == ":" for each in rule.pathspecs):
        return ""
    directory = os.path.relpath(os.path.realpath(rule.directory), os.path.realpath(repository.top))
    return "" if directory == "." else f" (relative to {directory}/)"


def _stale(snapshot: Snapshot, options: Options) -> Iterator[Failure]:
    """Return a failure for each file that is not the expected version."""
    for path, wanted in options.policy.expected:
        if found := _other_version(path, wanted, snapshot):
            values = {"wanted": f"blob {wanted}" if wanted else "no file", "found": found}
            yield Failure(Fault.STALE, path, values=values)


def _other_version(path: str, wanted: str, snapshot: Snapshot) -> str:
    """Name what is at `path` in place of the version that is `wanted`; empty if that is there."""
    blob = snapshot.blobs.get(path)
    if path in snapshot.unmerged or path in snapshot.submodules or path in snapshot.folders:
        return "a directory, a submodule or an unmerged file"
    if blob is None and wanted:
        return "none"
    found = snapshot.stored.get(path, blob.entry if blob else None)
    if found is not None and not (wanted and found.id.startswith(wanted)):
        return f"blob {found.id[: max(len(wanted), 12)]}"
    if path in snapshot.changed | snapshot.deleted:
        return "unstaged changes"
    file = snapshot.top / path if snapshot.top else None
    if file and not wanted and os.path.lexists(file) and not is_folder(file):
        return "an untracked one"
    return ""
