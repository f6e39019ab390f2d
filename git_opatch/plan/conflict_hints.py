"""Say of files that were left unmerged how to go on, and how to go back."""

from __future__ import annotations

from shlex import quote

from git_opatch.model.blob import Entry, Stages
from git_opatch.model.options import Options, Target
from git_opatch.model.paths import pathspec
from git_opatch.plan.plan import Plan


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
    return f"{resolve(path)}\n{go_back(path, stages.ours, options.target)}{rest}"


def go_back(path: str, ours: Entry, target: Target) -> str:
    """Say how to give an unmerged file our version again, in the target of the patch."""
    if target is Target.CACHED:
        entry = quote(f"{ours.mode.value},{ours.id},{path}")
        return f"to go back: git update-index --cacheinfo {entry}"
    return f"to go back: {restore_ours(path)}"


def resolve(path: str) -> str:
    """Say how to go on with an unmerged file."""
    return f"to go on: resolve the conflicts in {path}, then git add -- {quote(pathspec(path))}"


def restore_ours(path: str) -> str:
    """The command that gives an unmerged file our version again."""
    quoted = quote(pathspec(path))
    return f"git checkout --ours -- {quoted} && git add -- {quoted}"
