"""What a patch that was applied in part leaves out, as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.model.options import Options
from git_opatch.model.result import (
    NOT_APPLIED,
    Failure,
    count_failures,
    failure_lines,
    once_for_each_file,
    refusal_summary,
)
from git_opatch.model.text import visible
from git_opatch.plan.plan import Plan


def refusal_lines(failures: Sequence[Failure]) -> Iterator[str]:
    """List all failures, and say that nothing was changed."""
    yield from failure_lines(failures)
    yield refusal_summary(failures)


def partial_failures(plan: Plan, options: Options, *, done: bool) -> Iterator[str]:
    """List what was left out of a patch that was applied in part."""
    if not plan.failures:
        return
    yield from failure_lines(plan.failures)
    if plan.conflicts:
        yield unmerged(plan, options)
    elif plan.completed.changes:
        count = len(once_for_each_file(plan.failures))
        rest = _of_rest(options, done=done)
        yield f"{count} problem{'s' * (count > 1)}; {rest}"
    elif done and options.reject and any(failure.hunk for failure in plan.failures):
        yield f"{count_failures(plan.failures)}; only the .rej files were written"
    else:
        yield refusal_summary(plan.failures)


def _of_rest(options: Options, *, done: bool = True) -> str:
    """Say that the rest of a patch is applied or undone, or would be."""
    if options.reverse:
        return f"the rest of the patch {'is' if done else 'would be'} undone"
    return f"the rest of the patch {'is applied' if done else 'would apply'}"


def unmerged(plan: Plan, options: Options) -> str:
    """Say that a patch left files unmerged."""
    count = len(plan.failures)
    left = f"{count} file{'s' * (count > 1)} left with conflicts"
    return f"{left}; {_of_rest(options)}" if plan.completed.changes else left


def skipped(plan: Plan, options: Options) -> list[str]:
    """Note each change that is already applied, and was skipped."""
    return [
        f"note: {visible(failure.path)}: {_hunk(failure)}"
        f"{NOT_APPLIED if options.reverse else visible(failure.message)}; skipped"
        for failure in once_for_each_file(plan.skipped)
    ]


def _hunk(failure: Failure) -> str:
    return f"hunk {failure.hunk} of {failure.hunks} " if failure.hunk else ""
