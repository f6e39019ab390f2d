"""Say of a file to delete, which is not tracked, that a patch deleted it in the index only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from git_opatch.git.repository import Repository
from git_opatch.model.blob import Change
from git_opatch.model.errors import OpatchError
from git_opatch.model.options import Options, Target
from git_opatch.model.patch import Patch
from git_opatch.model.result import Attempt, Failure, Reason
from git_opatch.plan.planner import plan_request
from git_opatch.plan.preflight import preflight
from git_opatch.plan.recorded_deletions import Deletion, recorded_deletions


def with_index_deletions(
    failures: Sequence[Failure], patch: Patch, repository: Repository, options: Options
) -> list[Failure]:
    """Return `failures`; those of files that are deleted in the index only name the way out.

    That is the command for the working tree, if it would delete just the files that the recorded
    patch deleted. Another would be refused, so that is the only one.
    """
    deletions = _in_index_only(failures, repository, options)
    if not deletions:
        return [*failures]
    once = replace(options, command=options.command.without("--skip-applied"))
    way = once.command_with("--worktree", "--skip-applied")
    in_worktree = replace(options, target=Target.WORKTREE, skip_applied=True, carry=False)
    if not _deletes(deletions, patch, repository, in_worktree):
        return [*failures]
    attempt = Attempt.of(options)._replace(skip_command="")
    advice = f"to patch the working tree, too: {way}"
    if any(advice in each.advice.splitlines() for each in failures):
        advice = ""  # which the index's other changes have given
    return [_explained(each, deletions, advice)._replace(attempt=attempt) for each in failures]


def _in_index_only(
    failures: Sequence[Failure], repository: Repository, options: Options
) -> Mapping[str, Deletion]:
    """Return what deleted the untracked files of `failures` in the index, and not in a file."""
    paths = {each.path for each in failures if each.reason is Reason.UNTRACKED}
    if not paths or options.target is not Target.INDEX or options.reverse or options.commit:
        return {}
    found = recorded_deletions(repository, paths, Target.CACHED)
    return {path: each for path, each in found.items() if each.target is Target.CACHED}


def _deletes(
    deletions: Mapping[str, Deletion], patch: Patch, repository: Repository, options: Options
) -> bool:
    """Return whether `patch` would be applied, and delete just what was deleted."""
    expected = {Change(path, each.entry, None) for path, each in deletions.items()}
    with suppress(OpatchError):
        plan = preflight(plan_request(patch, repository, options), repository, options)
        return not plan.failures and expected <= set(plan.completed.changes)
    return False


def _explained(failure: Failure, deletions: Mapping[str, Deletion], advice: str) -> Failure:
    deletion = deletions.get(failure.path)
    if deletion is None:
        return failure
    what = f"is not tracked by git: patch {deletion.record.patch} deleted it in the index only"
    return failure._replace(message=what, advice=advice)
