"""Refuse patches that change what they may not, or that were written for other versions of files.

Forbidden files and expected versions, by the user (D52; pathspecs are matched by git itself,
gitglossary(7)); hashes that a call states; content that would be lost (D461).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import suppress

from git_opatch.git.head import committed_entries
from git_opatch.git.pathspec import matching_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, is_folder
from git_opatch.model.blob import Change
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Operation, Patch
from git_opatch.model.policy import PathRule
from git_opatch.model.sentences import Fault
from git_opatch.model.text import visible
from git_opatch.plan.plan import Plan


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


def refuse_stale(patch: Patch, snapshot: Snapshot) -> Iterator[Failure]:
    """Yield a failure for each hash in `patch` that is not one of the file in `snapshot`.

    It may be the id of the file's blob, or a hash of its bytes, as git stores them or on disk; the
    beginning is enough.
    """
    for section in patch.files:
        for name, wanted in section.guards:
            hashes = [*_hashes(section, snapshot)]
            if not any(found.startswith(wanted.lower()) for found in hashes):
                found = f"blob {hashes[-1][:12]}, SHA-256 {hashes[0][:12]}" if hashes else "none"
                stated = f"`{visible(name, 40)}` {wanted[:12]}"
                yield refusal(section, Fault.STALE, wanted=stated, found=found)


def _hashes(section: FilePatch, snapshot: Snapshot) -> Iterator[str]:
    """Yield the hashes of the file that `section` changes; none if there is no such file.

    A file with unstaged changes is what is on disk, since that is what its author saw.
    """
    names = (section.path, section.alternate or "")
    blob = next((snapshot.blobs[name] for name in names if name in snapshot.blobs), None)
    if blob is None:
        return
    versions = []
    if snapshot.top and blob.entry.mode.is_file:
        with suppress(OSError):
            versions.append((snapshot.top / blob.path).read_bytes())
    is_unchanged = not snapshot.top or blob.path not in snapshot.changed | snapshot.deleted
    if is_unchanged:
        versions.append(blob.data)
    for data in versions:
        yield from (hashlib.new(kind, data).hexdigest() for kind in ("sha256", "sha1", "md5"))
    if is_unchanged:
        yield from (entry.id for entry in (snapshot.stored.get(blob.path), blob.entry) if entry)


def refuse_losses(plan: Plan, repository: Repository, options: Options) -> list[Failure]:
    """Refuse files that are deleted or replaced, and whose content would be nowhere any more.

    It is in the journal, if there is one, in `HEAD`, or in a patch that shows all of it.
    """
    if options.journal_size or plan.reverses:
        return []
    lost = [*_unshown(plan)]
    kept = committed_entries(repository, [change.path for change in lost])
    return [
        Failure(Fault.CONTENT_WOULD_BE_LOST, change.path)
        for change in lost
        if kept.get(change.path) != change.old
    ]


def _unshown(plan: Plan) -> Iterator[Change]:
    """Yield the changes of files whose old content is not in the patch, nor in the result."""
    shown = {
        placed.section.old_path
        for placed in plan.placed
        if not any(hunk.removed_ranges for hunk in placed.section.hunks)
    } | plan.merged
    written = {change.new.id for change in plan.completed.changes if change.new}
    for change in plan.completed.changes:
        if change.old and change.path not in shown and change.old.id not in written:
            yield change
