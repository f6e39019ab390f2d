"""Add to failures what to do next, for files that are missing or left unmerged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from shlex import quote

from git_opatch.git.pathspec import similar_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import is_file
from git_opatch.model.blob import Stages
from git_opatch.model.options import Options, Target
from git_opatch.model.result import Failure, MissingFile, Reason
from git_opatch.plan.plan import Plan

_MOST_ADVISED = 3  # each asks git once
_MOST_COMPARED = 1000
_MOST_SUGGESTED = 3
_PLAIN = re.compile(r"[\w./-]+")


def with_hints(
    failures: Sequence[Failure], repository: Repository, options: Options
) -> list[Failure]:
    """Say of the first few missing files whether they are untracked, or spelled otherwise."""
    advised = (_with_hint(failure, repository, options) for failure in failures[:_MOST_ADVISED])
    return [*advised, *failures[_MOST_ADVISED:]]


def _with_hint(failure: Failure, repository: Repository, options: Options) -> Failure:
    if failure.reason is not Reason.MISSING_FILE or failure.advice:
        return failure
    in_index = options.base is None and options.target is not Target.WORKTREE
    if in_index and repository.top is not None and is_file(repository.top / failure.path):
        return _untracked(failure, options)
    similar = _most_similar(failure.path, similar_paths(repository, failure.path))
    if not similar:
        advice = "check the path; it is relative to the top of the working tree"
        return failure._replace(advice=advice)
    advice = "did you mean " + " or ".join(f"`{path}`" for path in similar) + "?"
    return failure._replace(advice=advice, detail=MissingFile(similar))


def _untracked(failure: Failure, options: Options) -> Failure:
    advice = (
        "`git add` and commit it first"  # what is only added is not in HEAD
        if options.commit  # --worktree stages nothing
        else f"`git add` it first, or patch it as it is: {options.command_with('--worktree')}"
    )
    message = "is not tracked by git"
    return failure._replace(reason=Reason.UNTRACKED, message=message, advice=advice)


def _most_similar(path: str, tracked: Sequence[str]) -> tuple[str, ...]:
    """Return tracked paths with the name of `path` in another directory, else the closest one."""
    name = _name(path)
    same_name = [other for other in tracked if _name(other) == name and other != path]
    closest = same_name[:_MOST_SUGGESTED] or get_close_matches(
        path, tracked[:_MOST_COMPARED], n=1, cutoff=0.8
    )
    return tuple(closest)


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()


def with_next_steps(plan: Plan, options: Options) -> Plan:
    """Say of files that were left unmerged how to go on, and how to go back.

    To go back, the journal record of the rest of the patch must be undone, too, if there is one.
    """
    if plan.conflicts is None:
        return plan
    stages = plan.conflicts.stages
    rest = f" && git opatch undo {plan.record}" if plan.record else ""
    return plan.with_failures(
        failure._replace(advice=_next_steps(failure.path, stages[failure.path], rest, options))
        if failure.path in stages
        else failure
        for failure in plan.failures
    )


def _next_steps(path: str, stages: Stages, rest: str, options: Options) -> str:
    pathspec, ours = quote(_pathspec(path)), stages.ours
    if options.target is Target.CACHED:
        entry = quote(f"{ours.mode.value},{ours.id},{path}")
        back = f"git update-index --cacheinfo {entry}"
    else:
        back = f"git checkout --ours -- {pathspec} && git add -- {pathspec}"
    return (
        f"to go on: resolve the conflicts in {path}, then git add -- {pathspec}\n"
        f"to go back: {back}{rest}"
    )


def _pathspec(path: str) -> str:
    """Return the pathspec for `path` that means the same in every directory."""
    return f":/{path}" if _PLAIN.fullmatch(path) else f":(top,literal){path}"
