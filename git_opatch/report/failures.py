"""What a patch that was applied in part leaves out, as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator

from git_opatch.model.options import Options
from git_opatch.model.refusal import (
    Spans,
    count_failures,
    failure_lines,
    grouped,
    headline,
    refusal_summary,
)
from git_opatch.plan.plan import Plan


def partial_failures(plan: Plan, options: Options, *, done: bool) -> Iterator[Spans]:
    """List what was left out of a patch that was applied in part."""
    if plan.failures:
        yield from failure_lines(plan.failures)
        yield [(_summary(plan, options, done=done), "")]


def _summary(plan: Plan, options: Options, *, done: bool) -> str:
    if plan.conflicts:
        return unmerged(plan, options)
    if plan.completed.changes:
        count = len(grouped(plan.failures))
        return f"{count} problem{'s' * (count > 1)}; {_of_rest(options, done=done)}"
    if done and options.reject and any(failure.hunk for failure in plan.failures):
        return f"{count_failures(plan.failures, options)}; only the .rej files were written"
    return refusal_summary(plan.failures, options)


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


def skipped(plan: Plan) -> list[str]:
    """Note the changes that are already applied, and were skipped: those of a file once."""
    groups = grouped(plan.skipped)
    return [f"note: {headline(group[0], len(group) - 1)}; skipped" for group in groups]
