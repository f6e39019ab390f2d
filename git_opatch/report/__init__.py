"""Word plans, failures and errors as lines for a person. Nothing here decides or prints.

All text that comes from a patch, a file or a path goes through `visible`, except where a function
says that it is not fit for a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from git_opatch.model.errors import OpatchError, ParseError
from git_opatch.model.options import Options, Target
from git_opatch.model.sentences import Notice
from git_opatch.model.text import visible
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.report.draw import Shown
from git_opatch.report.refusal import (
    count_failures,
    failure_lines,
    grouped,
    headline,
    refusal_summary,
)

_MAX_CHARACTERS = 1000  # of a command line, or of a note
_MAX_ERROR_CHARACTERS = 2000
_MAX_COMMITS = 3  # that are named
CHANGES = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "moved",
    "C": "copied",
    "=": "unchanged",
}
"""What is changed, by git's letters; hunks were placed in an unchanged file, and cancel out."""
_UNDONE = {**dict.fromkeys("AMRC=", "restored"), "D": "deleted"}
"""What an undo does to a file, by git's letter for the change."""
_DONE = {
    Target.INDEX: "; staged",
    Target.CACHED: "; staged, in the index only",
    Target.WORKTREE: "; in the working tree, not staged",
}
_ONLY = {Target.CACHED: "the index only", Target.WORKTREE: "the working tree only"}
"""What is changed, where that is not both."""
NOTHING_TO_RECOVER = "nothing to recover"


def count_changes(counts: Mapping[str, int], *, done: bool = True) -> str:
    """Count changed files by git's letters: "3 files changed: 1 added, 2 modified"."""
    kinds = [(counts[letter], kind) for letter, kind in CHANGES.items() if letter in counts]
    total = sum(counts.values())
    files = f"{total} file{'s' * (total != 1)}"
    parts = kinds[0][1] if len(kinds) == 1 else ", ".join(f"{n} {kind}" for n, kind in kinds)
    if not done:
        return f"{files} ({parts}); nothing was changed"
    return f"{files} {parts}" if len(kinds) == 1 else f"{files} changed: {parts}"


def carried_out(plan: Plan, options: Options, opposite: str) -> str:
    """Say what was changed, and where, and the command that does the opposite.

    "2 files changed: 1 added, 1 modified; staged. Undo: git opatch undo 3", or of an undo and a
    redo: "Undid 3 (fix.patch): 1 file restored, 1 deleted. Redo: git opatch redo 3".
    """
    if not plan.completed.changes:
        return nothing_to_do(options)
    letters = Counter(file.status for file in plan.completed.files)
    what, where = count_changes(letters), _DONE[options.target]
    if plan.undoes or plan.redoes:
        record = plan.reverses
        name = f" ({visible(record.name)})" if record and record.name else ""
        verb, words = ("Undid", _UNDONE) if plan.undoes else ("Redid", CHANGES)
        counts = Counter[str]()
        for letter, word in words.items():
            counts[word] += letters[letter]
        what = f"{verb} {plan.undoes or plan.redoes}{name}: {_enumerate(counts)}"
    if plan.commit_names:
        made, names = plan.commit_names, ", ".join(plan.commit_names)
        where = f"; committed as {names if len(made) <= _MAX_COMMITS else f'{len(made)} commits'}"
    elif plan.undoes:
        where = _only(options, ", in ")
    hint = f". {'Redo' if plan.undoes else 'Undo'}: {visible(opposite, _MAX_CHARACTERS)}"
    return f"{what}{where}{hint * bool(opposite)}"


def _enumerate(counts: Mapping[str, int]) -> str:
    """Count files: "1 file modified, 2 deleted"."""
    first, *rest = ((count, word) for word, count in counts.items() if count)
    parts = [f"{first[0]} file{'s' * (first[0] != 1)} {first[1]}"]
    return ", ".join([*parts, *(f"{count} {word}" for count, word in rest)])


def would_apply(plan: Plan, options: Options, commits: int = 0) -> str:
    """Say what a patch would change, and how many commits it would make."""
    if not plan.completed.changes:
        return nothing_to_do(options)
    and_commit = f" and make {commits} commit{'s' * (commits != 1)}" if commits else ""
    changes = count_changes(Counter(file.status for file in plan.completed.files), done=False)
    return f"would apply{_only(options, ' to ')}{and_commit}: {changes}"


def _only(options: Options, before: str) -> str:
    """Say what of both is changed, if one is not; else nothing."""
    return before + _ONLY[options.target] if options.target in _ONLY else ""


def not_committed(error: NotCommitted, undo: str) -> Iterator[str]:
    """Say why what was applied is not committed; the message is already fit for a terminal."""
    yield from f"error: {error}".splitlines()
    yield f"  the change {'stays' if error.is_staged else 'is not'} staged"
    yield from (f"  {visible(line, _MAX_CHARACTERS)}" for line in what_to_do(error, undo))


def what_to_do(error: NotCommitted, undo: str) -> list[str]:
    """Say what to do where git did not commit; `undo` is the command that undoes what is staged."""
    return [*error.advice, *([Notice.TO_UNDO.fill(command=undo)] if undo else [])]


def nothing_to_do(options: Options) -> str:
    """Say that a patch changes nothing, without being wrong."""
    if options.reverse:
        return "nothing to do: the patch is not applied"
    return "nothing to do: the patch is already applied"


def verdict(plan: Plan, options: Options) -> str:
    """Say that a patch which was judged alone would apply."""
    count = len(plan.completed.files)
    return f"would apply ({count} file{'s' * (count != 1)})" if count else nothing_to_do(options)


def count_good(statuses: Sequence[int]) -> str:
    """Say how many of the patches with these exit statuses apply: "20 of 27 patches apply"."""
    good = sum(not status for status in statuses)
    return f"{good} of {len(statuses)} patch{'es apply' if len(statuses) != 1 else ' applies'}"


def named(name: str, verdict: str) -> str:
    """Put the name of the patch, or of the command, before its verdict."""
    return f"{'standard input' if name == '-' else visible(name)}: {verdict}"


def notes(messages: Sequence[str]) -> list[str]:
    """Word what a user may want to know although nothing is wrong."""
    return [f"note: {visible(message)}" for message in messages]


def sentences(messages: Sequence[str]) -> list[str]:
    """Word notes where they are what the user asked for."""
    return [visible(message, _MAX_CHARACTERS) for message in messages]


def error_lines(error: OpatchError) -> Iterator[str]:
    """Word an error that ends a run."""
    if isinstance(error, ParseError):
        yield from errors(error)
        yield "nothing was changed"
        return
    first, *rest = str(error).splitlines() or [""]
    yield error_line(first)
    yield from (visible(line, _MAX_ERROR_CHARACTERS) for line in rest)


def errors(error: OpatchError) -> Iterator[str]:
    """Word everything that is wrong with a patch that cannot be read."""
    problems = error.diagnostics if isinstance(error, ParseError) else [error]
    return (error_line(str(problem)) for problem in problems)


def error_line(message: str) -> str:
    """Word one error."""
    return f"error: {visible(message, _MAX_ERROR_CHARACTERS)}"


def partial_failures(plan: Plan, options: Options, *, done: bool) -> Iterator[Shown]:
    """List what was left out of a patch that was applied in part."""
    if plan.failures:
        yield from failure_lines(plan.failures)
        yield _summary(plan, options, done=done)


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
