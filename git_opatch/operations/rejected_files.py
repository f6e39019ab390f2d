"""The files of rejected hunks: `--reject`."""

from __future__ import annotations

from collections.abc import Mapping

from git_opatch.git.repository import Repository
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.plan.plan import Plan


def plan_rejects(
    patch: Patch, plan: Plan, repository: Repository, options: Options
) -> dict[str, bytes]:
    """Make the files of rejected hunks, by path. Raises `Refused` if one is in the way."""
    if not options.reject:
        return {}
    from git_opatch.transaction.rejects import guard_rejects, rejects_of

    rejects = rejects_of(patch, plan.failures)
    changed = {change.path for change in plan.completed.changes}
    if obstacles := guard_rejects(repository.require_worktree(), rejects, changed):
        raise Refused([*plan.failures, *obstacles], options)
    return rejects


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

    top = repository.require_worktree()
    if files.guard_rejects(top, rejects, ()):
        return [f"{path}: left as it is" for path in rejects]
    try:
        files.write_rejects(top, rejects)
    except OSError as error:
        return [f"the rejected hunks could not be written: {error.strerror}"]
    return [f"rejected hunks written to {path}" for path in rejects]
