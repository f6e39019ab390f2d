"""Files of rejected hunks (`--reject`): they are written with a patch, and go with its undo."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from pathlib import Path

from git_opatch.git.index import list_index
from git_opatch.git.repository import Repository
from git_opatch.journal import Record, RecordAction, entries
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.paths import pathspec
from git_opatch.model.refusal import Refused
from git_opatch.plan.plan import Plan
from git_opatch.transaction import state_dir


def plan_rejects(
    patch: Patch, plan: Plan, repository: Repository, options: Options
) -> dict[str, bytes]:
    """Make the files of rejected hunks, by path. Raises `Refused` if one is in the way."""
    if not options.reject:
        return {}
    from git_opatch.transaction.rejects import guard_edited, guard_rejects, rejects_of

    rejects = rejects_of(patch, plan.failures)
    changed = {change.path for change in plan.completed.changes}
    top = repository.require_worktree()
    obstacles = guard_rejects(top, list(rejects), changed)
    if obstacles := obstacles or guard_edited(top, _recorded(repository, rejects)):
        raise Refused([*plan.failures, *obstacles], options)
    return rejects


def _recorded(
    repository: Repository, rejects: Mapping[str, bytes]
) -> Mapping[str, Collection[bytes]]:
    """Return what the journal's records have of `rejects`, by path; of those that they have."""
    found: dict[str, set[bytes]] = {}
    for _, record in entries(state_dir(repository)):
        if isinstance(record, Record):
            for path in rejects.keys() & record.rejects.keys():
                found.setdefault(path, set()).add(record.rejects[path])
    return found


def note_unwritten(plan: Plan, options: Options) -> list[str]:
    """Note the files that are refused as a whole, of which `git apply` writes no `.rej`, either."""
    if not options.reject:
        return []
    whole = dict.fromkeys(failure.path for failure in plan.failures if not failure.hunk)
    return [f"{path}: refused as a whole, and in no .rej file" for path in whole]


def write_rejects(repository: Repository, rejects: Mapping[str, bytes]) -> list[str]:
    """Write the files of rejected hunks; return notes."""
    if not rejects:
        return []
    from git_opatch.transaction import rejects as files

    try:
        files.write_rejects(repository.require_worktree(), rejects)
    except OSError as error:
        return [f"the rejected hunks could not be written: {error.strerror}"]
    return [f"rejected hunks written to {path}" for path in rejects]


def settle_rejects(
    repository: Repository, action: RecordAction, rejects: Mapping[str, bytes]
) -> list[str]:
    """Write the files of rejected hunks with a patch, delete them with its undo.

    Its redo restores them. A file that was changed since, or that exists again, is left as it is.
    May be repeated, if it was interrupted. Returns notes.
    """
    if not rejects:
        return []
    from git_opatch.transaction.rejects import guard_rejects, missing_rejects

    top = repository.require_worktree()
    if guard_rejects(top, list(rejects), ()):
        return [f"{path}: left as it is" for path in rejects]
    if action is RecordAction.APPLY:
        return write_rejects(repository, rejects)
    if action is RecordAction.REDO:
        return write_rejects(
            repository, {path: rejects[path] for path in missing_rejects(top, rejects)}
        )
    missing = set(missing_rejects(top, rejects))
    indexed = {entry.path for entry in list_index(repository, sorted(rejects), [])}
    return [
        _delete(top, path, rejects[path], is_tracked=path in indexed)
        for path in rejects
        if path not in missing
    ]


def _delete(top: Path, path: str, content: bytes, *, is_tracked: bool) -> str:
    from git_opatch.transaction.rejects import delete_reject

    try:
        if not delete_reject(top, path, content):
            return f"{path}: was changed since it was written, and is left as it is"
    except OSError as error:
        return f"{path}: could not be deleted: {error.strerror}"
    if not is_tracked:
        return f"{path}: deleted"
    command = f"git rm --cached -- {shlex.quote(pathspec(path))}"
    return f"{path}: deleted; it had been added, and is still in the index; to remove it: {command}"
