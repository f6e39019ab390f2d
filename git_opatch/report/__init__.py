"""Plans, failures and errors to lines for a person. Nothing here decides or prints.

All text that comes from a patch, a file or a path goes through `visible`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from git_opatch.complete import FileSummary
from git_opatch.options import Options, Target
from git_opatch.outcome import Failure, Likeness, Nearest, Placement, Reason
from git_opatch.plan import Placed, Plan
from git_opatch.report.files import placed_by_file
from git_opatch.spent import abbreviated, revert
from git_opatch.text import visible

_MOST_SHOWN = 20
_MOST_COMMITS = 3
_WORDS = {"A": "added", "M": "modified", "D": "deleted", "R": "moved", "C": "copied"}
_DONE = {
    Target.INDEX: "staged",
    Target.CACHED: "staged, in the index alone",
    Target.WORKTREE: "in the working tree, not staged",
}
_NOTHING = {
    False: "nothing to do: all of it is applied already",
    True: "nothing to do: none of it is applied",
}
"""By whether the patch was to be taken back."""
NOTHING_TO_RECOVER = "nothing to recover"
_NOT_THERE = "is not applied here, so there is nothing to take back"
_WHERE = {
    Target.INDEX: "the index",
    Target.CACHED: "the index",
    Target.WORKTREE: "the working tree",
}


def summary(files: Sequence[FileSummary], *, done: bool = True) -> str:
    """What became of how many files: "3 files changed: 1 added, 2 modified"."""
    return title(Counter(file.status for file in files), done=done)


def title(counts: Mapping[str, int], *, done: bool = True) -> str:
    """The same, by git's letters."""
    parts = ", ".join(
        f"{counts[letter]} {word}" for letter, word in _WORDS.items() if letter in counts
    )
    total = sum(counts.values())
    count = f"{total} file{'s' * (total != 1)}"
    return f"{count} changed: {parts}" if done else f"{count} ({parts}); nothing was changed"


def done(target: Target, commits: Sequence[str] = ()) -> str:
    """Where a patch went."""
    if len(commits) > _MOST_COMMITS:
        return f"committed as {len(commits)} commits"
    return f"committed as {', '.join(map(abbreviated, commits))}" if commits else _DONE[target]


def applied(plan: Plan, options: Options, way_back: str) -> str:
    """The one line of a success: what changed, where, and how to take it back."""
    if not plan.completed.changes:
        return nothing_to_do(options)
    what = summary(plan.completed.files)
    back = f". Take it back: {visible(way_back, 1000)}" if way_back else ""
    return f"{what}; {done(options.target, plan.commits)}{back}"


def would_apply(plan: Plan, options: Options, commits: int = 0) -> str:
    """The one line of a check that found nothing wrong; so many commits would be made."""
    if not plan.completed.changes:
        return nothing_to_do(options)
    made = f" and make {commits} commit{'s' * (commits != 1)}" if commits else ""
    files = summary(plan.completed.files, done=False)
    return f"would apply to {_WHERE[options.target]}{made}: {files}"


def not_committed(message: str, again: str, way_back: str) -> Iterator[str]:
    """Why what was applied is not committed; `message` is fit to be seen."""
    yield from f"error: {message}".splitlines()
    yield f"  the change stays staged; to commit it: {visible(again, 1000)}"
    yield f"  to take it back: {visible(way_back, 1000)}"


def unmerged(plan: Plan) -> str:
    """What became of a patch that left files unmerged."""
    count = len(plan.failures)
    left = f"{count} file{'s' * (count > 1)} left with conflicts"
    return f"{left}; the rest of the patch is applied" if plan.completed.changes else left


def nothing_to_do(options: Options) -> str:
    """The one line of a success that changes nothing."""
    return _NOTHING[options.reverse]


def verdict(name: str, said: str) -> str:
    """The one line on a patch, or a command, that was judged by itself."""
    return f"{visible(name)}: {said}"


def details(plan: Plan) -> Iterator[str]:
    """For `show` and `-v`: each file, and each hunk with its place and what told it from others."""
    for file, hunks in placed_by_file(plan):
        old = f"{visible(file.old_path)} => " if file.old_path != file.path else ""
        counts = "binary" if file.binary else f"+{file.added} -{file.removed}"
        yield f"{file.status} {old}{visible(file.path)} ({counts})"
        yield from (f"  {_placed(placed)}" for placed in hunks)


def notes(found: Sequence[str]) -> list[str]:
    """What a user may want to know although nothing is wrong."""
    return [f"note: {visible(note)}" for note in found]


def sentences(found: Sequence[str]) -> list[str]:
    """The same where it is what the user asked for."""
    return [visible(one, 1000) for one in found]


def _placed(placed: Placed) -> str:
    one = placed.placement
    loosely = "".join(f"; {what}" for what in tolerated(one))
    return (
        f"hunk {one.hunk.ordinal} of {len(placed.section.hunks)}: line {one.start + 1}, "
        f"{one.tier.value} ({one.evidence}){loosely}"
    )


def tolerated(placement: Placement) -> list[str]:
    """What was put up with so that a hunk has its place."""
    if not placement.likeness:
        return list(placement.repairs)
    counts = Counter(placement.likeness)
    differ = [
        f"{count} line{'s differ' if count > 1 else ' differs'} in {how.value}"
        for how in Likeness
        if how is not Likeness.EXACT and (count := counts[how])
    ]
    return [*differ, *placement.repairs]


def placed_loosely(plan: Plan, *, chosen_only: bool = False) -> list[str]:
    """A note for each hunk that did not match line for line, or that was a choice."""
    loose = [
        placed
        for placed in plan.placed
        if placed.placement.evidence.startswith("nearest")
        or (tolerated(placed.placement) and not chosen_only)
    ]
    shown = [
        f"note: {visible(placed.section.path)}: {_placed(placed)}" for placed in loose[:_MOST_SHOWN]
    ]
    more = len(loose) - _MOST_SHOWN
    return [*shown, f"note: and {more} more; see -v"] if more > 0 else shown


def passed_over(plan: Plan, options: Options) -> list[str]:
    """A note for each change that is there already."""
    return [
        f"note: {visible(one.path)}: {_hunk(one)}"
        f"{_NOT_THERE if options.reverse else visible(one.message)}; passed over"
        for one in plan.skipped
    ]


def left_out(plan: Plan, options: Options, *, done: bool) -> Iterator[str]:
    """What a partly applied patch could not place."""
    if not plan.failures:
        return
    *lines, last = refusal(plan.failures, options)
    yield from lines
    if plan.conflicts:
        yield unmerged(plan)
    elif plan.completed.changes:
        count = len(plan.failures)
        rest = "is applied" if done else "would apply"
        yield f"{count} problem{'s' * (count > 1)}; the rest of the patch {rest}"
    elif done and options.reject and any(one.hunk for one in plan.failures):
        yield f"{_problems(plan.failures, options)}; nothing but the .rej files was written"
    else:
        yield last


def refusal(failures: Sequence[Failure], options: Options) -> Iterator[str]:
    """All that stands against a patch; the last line says that nothing was changed."""
    for failure in failures[:_MOST_SHOWN]:
        yield from _failure(failure, options)
    if len(failures) > _MOST_SHOWN:
        yield f"and {len(failures) - _MOST_SHOWN} more"
    yield f"{_problems(failures, options)}; nothing was changed"


def _problems(failures: Sequence[Failure], options: Options) -> str:
    if len(failures) > 1:
        return f"{len(failures)} problems"
    return "the patch is not taken back" if options.reverse else "the patch does not apply"


def _failure(failure: Failure, options: Options) -> Iterator[str]:
    message = visible(message_of(failure, options))
    yield f"error: {visible(failure.path) or '(no path)'}: {_hunk(failure)}{message}"
    if failure.nearest:
        yield from _nearest(failure, failure.nearest)
    elif failure.number:
        yield f"  {_in_patch(failure)}"
    for line in advice_of(failure, options):
        yield f"  {visible(line, 1000)}"


def message_of(failure: Failure, options: Options) -> str:
    """What is wrong, after the words that name the hunk. Not fit for a terminal."""
    where = f"`{options.base}`" if options.base else _WHERE[options.target]
    if options.reverse and failure.reason is Reason.ALREADY_APPLIED:
        return _NOT_THERE
    if not _is_lost(failure):
        return failure.message
    if options.reverse:
        return f"is not applied to {where}, or was changed since"
    return f"{failure.message} {where}"


def advice_of(failure: Failure, options: Options) -> list[str]:
    """What to do next, if there is something. Not fit for a terminal."""
    lines = []
    if failure.nearest and failure.nearest.found:
        first, last = failure.nearest.around
        again = "take it back by hand" if options.reverse else "send the hunk again"
        where = f"re-read {failure.path} lines {first}-{last}"
        lines.append(f"{failure.nearest.difference}; {where} and {again}")
    if failure.is_done and _can_skip(options):
        lines.append(f"to pass over it: {options.command_with('--skip-applied')}")
    return [*lines, *failure.advice.splitlines()]


def _can_skip(options: Options) -> bool:
    return options.command.startswith("git opatch apply") and not options.reverse


def _hunk(failure: Failure) -> str:
    return f"hunk {failure.hunk} of {failure.hunks} " if failure.hunk else ""


def _is_lost(failure: Failure) -> bool:
    return failure.message == "does not match"


def _in_patch(failure: Failure) -> str:
    source = f"{visible(failure.source)}, line" if failure.source else "patch line"
    return f"{source} {failure.number}"


def _nearest(failure: Failure, nearest: Nearest) -> Iterator[str]:
    yield f"  {_in_patch(failure)} expects"
    yield f"      {visible(nearest.line.text)}"
    if not nearest.found:
        return
    yield f"  nearest place, {visible(failure.path)}:{nearest.position + 1}"
    width = len(str(nearest.found[-1][0] + 1))
    for number, line in nearest.found:
        yield f"      {number + 1:>{width}}  {visible(line)}".rstrip()


def way_back(options: Options, files: Sequence[str], plan: Plan) -> str:
    """The command that takes an applied patch back.

    Where the journal keeps nothing, only the patch itself can do it: one from standard input
    must be given again, and one that replaced files does not say what they held; what was to be
    committed and is not, must not be committed now.
    """
    if plan.commits:
        return revert(plan.commits)
    if plan.record:
        return f"git opatch undo {plan.record}"
    flag = f" {options.target_flag}" if options.target_flag else ""
    if files and "-" not in files and not (options.overwrite or options.commit or plan.undoes):
        again = options.command.replace(" -R", "", 1) if options.reverse else None
        return (again or options.command_with("-R")).replace(" apply", f" apply{flag}", 1)
    return f"git opatch apply -R{flag}{' --carry' * options.carry} PATCH"
