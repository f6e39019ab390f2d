"""Why a patch, or a part of it, does not apply, as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.model.options import Options, Target
from git_opatch.model.result import ClosestMatch, Failure, Mismatch, Reason
from git_opatch.model.text import common_length, visible
from git_opatch.plan.plan import Plan

_MOST_SHOWN = 20
_MOST_CHARACTERS = 1000  # of a command line in advice
_NOT_APPLIED = "is not applied here, so there is nothing to undo"
_APPLIED = "is applied already, so there is nothing to redo"
TARGETS = {
    Target.INDEX: "the index",
    Target.CACHED: "the index",
    Target.WORKTREE: "the working tree",
}
"""What hunks are located in."""


def refusal(failures: Sequence[Failure], options: Options) -> Iterator[str]:
    """List all failures, and say that nothing was changed."""
    yield from failure_lines(failures, options)
    yield refusal_summary(failures, options)


def refusal_summary(failures: Sequence[Failure], options: Options) -> str:
    """Say in one line that nothing was changed."""
    return f"{_count(failures, options)}; nothing was changed"


def failure_lines(failures: Sequence[Failure], options: Options) -> Iterator[str]:
    """List the failures, each with what was found and what to do."""
    for failure in failures[:_MOST_SHOWN]:
        yield from _describe(failure, options)
    if len(failures) > _MOST_SHOWN:
        yield f"and {len(failures) - _MOST_SHOWN} more"


def partial_failures(plan: Plan, options: Options, *, done: bool) -> Iterator[str]:
    """List what was left out of a patch that was applied in part."""
    if not plan.failures:
        return
    yield from failure_lines(plan.failures, options)
    if plan.conflicts:
        yield unmerged(plan)
    elif plan.completed.changes:
        count = len(plan.failures)
        rest = "is applied" if done else "would apply"
        yield f"{count} problem{'s' * (count > 1)}; the rest of the patch {rest}"
    elif done and options.reject and any(failure.hunk for failure in plan.failures):
        yield f"{_count(plan.failures, options)}; only the .rej files were written"
    else:
        yield refusal_summary(plan.failures, options)


def unmerged(plan: Plan) -> str:
    """Say that a patch left files unmerged."""
    count = len(plan.failures)
    left = f"{count} file{'s' * (count > 1)} left with conflicts"
    return f"{left}; the rest of the patch is applied" if plan.completed.changes else left


def skipped(plan: Plan, options: Options) -> list[str]:
    """Note each change that is already applied, and was skipped."""
    return [
        f"note: {visible(failure.path)}: {_hunk(failure)}"
        f"{_NOT_APPLIED if options.reverse else visible(failure.message)}; skipped"
        for failure in plan.skipped
    ]


def message_of(failure: Failure, options: Options) -> str:
    """Say what is wrong, to follow the name of the hunk. Not fit for a terminal."""
    if options.reverse and failure.reason is Reason.ALREADY_APPLIED:
        return _APPLIED if options.redoes else _NOT_APPLIED
    if not isinstance(failure.detail, Mismatch):
        return failure.message
    target = f"`{options.base}`" if options.base else TARGETS[options.target]
    if options.redoes:
        return f"does not fit {target} any more, as its lines were changed since it was undone"
    if options.reverse:
        return f"is not applied to {target}, or was changed since"
    return f"{failure.message} {target}"


def advice_of(failure: Failure, options: Options) -> list[str]:
    """Say what to do next. Not fit for a terminal."""
    lines = []
    if failure.nearest and failure.nearest.found:
        first, last = failure.nearest.reread
        action = "undo it by hand" if options.reverse else "send the hunk again"
        action = "redo it by hand" if options.redoes else action
        lines.append(
            f"{failure.nearest.difference}; "
            f"re-read {failure.path} lines {first}-{last} and {action}"
        )
    if failure.already_applied and _can_skip(options):
        lines.append(f"to skip it: {options.command_with('--skip-applied')}")
    return [*lines, *failure.advice.splitlines()]


def _can_skip(options: Options) -> bool:
    return options.command.name == "git opatch apply" and not options.reverse


def _count(failures: Sequence[Failure], options: Options) -> str:
    verdict = "the patch cannot be undone" if options.reverse else "the patch does not apply"
    verdict = "the patch cannot be redone" if options.redoes else verdict
    return f"{verdict} ({len(failures)} problems)" if len(failures) > 1 else verdict


def _describe(failure: Failure, options: Options) -> Iterator[str]:
    message = visible(message_of(failure, options))
    yield f"error: {visible(failure.path) or '(no path)'}: {_hunk(failure)}{message}"
    if failure.nearest:
        yield from _closest_match(failure, failure.nearest)
    elif failure.number:
        yield f"  {_patch_line(failure)}"
    for line in advice_of(failure, options):
        yield f"  {visible(line, _MOST_CHARACTERS)}"


def _hunk(failure: Failure) -> str:
    return f"hunk {failure.hunk} of {failure.hunks} " if failure.hunk else ""


def _patch_line(failure: Failure) -> str:
    source = f"{visible(failure.source)}, line" if failure.source else "patch line"
    return f"{source} {failure.number}"


def _closest_match(failure: Failure, closest: ClosestMatch) -> Iterator[str]:
    """Compare the line of the patch with the file's lines, which are numbered from 1."""
    found = dict(closest.found).get(closest.position, closest.line.text)
    first = _first_shown(closest.line.text, found)
    yield f"  {_patch_line(failure)} expects"
    yield f"      {_from(closest.line.text, first)}"
    if not closest.found:
        return
    yield f"  closest match, {visible(failure.path)}:{closest.position + 1}"
    width = len(str(closest.found[-1][0] + 1))
    for number, line in closest.found:
        shown = _from(line, first) if number == closest.position else visible(line)
        yield f"      {number + 1:>{width}}  {shown}".rstrip()


_MOST_SHARED = 200
"""So many characters that two lines share are shown in front of the first that differs."""


def _first_shown(expected: bytes, found: bytes) -> int:
    """Return the byte that both lines are shown from, so that their difference is visible."""
    shared = common_length(expected, found)
    return max(shared - _MOST_SHARED // 2, 0) if shared > _MOST_SHARED else 0


def _from(line: bytes, first: int) -> str:
    while first and line[first : first + 1] and line[first] & 0xC0 == 0x80:
        first -= 1  # not inside a character
    return "…" + visible(line[first:]) if first else visible(line)
