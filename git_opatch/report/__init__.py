"""Word plans, failures and errors as lines for a person. Nothing here decides or prints.

All text that comes from a patch, a file or a path goes through `visible`, except where a function
says that it is not fit for a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from git_opatch.model.commits import committed_as, revert_command
from git_opatch.model.errors import OpatchError, ParseError
from git_opatch.model.options import Options, Target
from git_opatch.model.text import visible
from git_opatch.plan.plan import NotCommitted, Plan
from git_opatch.report.failures import partial_failures, skipped
from git_opatch.report.placements import details, loose_placements, verdicts

_MAX_CHARACTERS = 1000  # of a command line, or of a note
_MAX_ERROR_CHARACTERS = 2000
_CHANGES = {"A": "added", "M": "modified", "D": "deleted", "R": "moved", "C": "copied"}
_DONE = {
    Target.INDEX: "staged",
    Target.CACHED: "staged, in the index only",
    Target.WORKTREE: "in the working tree, not staged",
}
ONLY_IN = {
    Target.INDEX: "",
    Target.CACHED: ", in the index only",
    Target.WORKTREE: ", in the working tree only",
}
"""What is left out of a target, to follow what was changed."""
_UNDO_OF = {
    "A": "restored",
    "M": "restored",
    "R": "restored",
    "C": "restored",
    "D": "deleted",
    "=": "restored",
}
"""What an undo does to a file, by git's letter for the change."""
_TO_ONLY = {
    Target.INDEX: "",
    Target.CACHED: " to the index only",
    Target.WORKTREE: " to the working tree only",
}
"""What is left out of a target, to follow what would be done."""
NOTHING_TO_RECOVER = "nothing to recover"


def count_changes(counts: Mapping[str, int], *, done: bool = True) -> str:
    """Count changed files by git's letters: "3 files changed: 1 added, 2 modified"."""
    kinds = [(counts[letter], kind) for letter, kind in _CHANGES.items() if letter in counts]
    total = sum(counts.values())
    files = f"{total} file{'s' * (total != 1)}"
    parts = kinds[0][1] if len(kinds) == 1 else ", ".join(f"{n} {kind}" for n, kind in kinds)
    if not done:
        return f"{files} ({parts}); nothing was changed"
    return f"{files} {parts}" if len(kinds) == 1 else f"{files} changed: {parts}"


def destination(plan: Plan, options: Options) -> str:
    """Say where a patch was applied, after what was changed."""
    if plan.commit_names:
        return f"; {committed_as(plan.commit_names)}"
    return f"; {_DONE[options.target]}" if plan.is_staged else ONLY_IN[options.target]


def applied(plan: Plan, options: Options, undo: str) -> str:
    """Say what was changed, where, and the command that undoes it."""
    if not plan.completed.changes:
        return nothing_to_do(options)
    changes = count_changes(Counter(file.status for file in plan.completed.files))
    hint = f". Undo: {visible(undo, _MAX_CHARACTERS)}" if undo else ""
    return f"{changes}{destination(plan, options)}{hint}"


def carried_out(plan: Plan, options: Options, opposite: str) -> str:
    """Say what was changed, and the command that does the opposite."""
    if plan.undoes and plan.completed.changes:
        return undone(plan, options, opposite)
    if plan.redoes and plan.completed.changes:
        return redone(plan, options, opposite)
    return applied(plan, options, opposite)


def undone(plan: Plan, options: Options, redo: str) -> str:
    """Say what an undo changed: "Undid 3 (fix.patch): 2 files restored", and how to redo it."""
    words = Counter(_UNDO_OF[file.status] for file in plan.completed.files)
    counts = {word: words[word] for word in ("restored", "deleted")}
    hint = f". Redo: {visible(redo, _MAX_CHARACTERS)}" if redo else ""
    return f"Undid {_named(plan)}: {_enumerate(counts)}{ONLY_IN[options.target]}{hint}"


def redone(plan: Plan, options: Options, undo: str) -> str:
    """Say what a redo changed: "Redid 3 (fix.patch): 2 files modified", and how to undo it."""
    files = Counter(file.status for file in plan.completed.files)
    counts = {word: files[letter] for letter, word in _CHANGES.items()}
    hint = f". Undo: {visible(undo, _MAX_CHARACTERS)}" if undo else ""
    where = destination(plan, options)
    return f"Redid {_named(plan)}: {_enumerate(counts)}{where}{hint}"


def _named(plan: Plan) -> str:
    """Name the patch that was undone or redone, by its number and its file."""
    record = plan.reverses
    name = f" ({visible(record.name)})" if record and record.name else ""
    return f"{plan.undoes or plan.redoes}{name}"


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
    return f"would apply{_TO_ONLY[options.target]}{and_commit}: {changes}"


def not_committed(error: NotCommitted, undo: str) -> Iterator[str]:
    """Say why what was applied is not committed; the message is already fit for a terminal."""
    yield from f"error: {error}".splitlines()
    yield "  the change stays staged"
    for line in (*error.advice, *([f"to undo it: {undo}"] if undo else [])):
        yield f"  {visible(line, _MAX_CHARACTERS)}"


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


def undo_command(plan: Plan) -> str:
    """Spell the command that undoes what was applied; empty if it is not recorded."""
    if plan.commits:
        return revert_command(plan.commit_names)
    if plan.record and plan.undoes:
        return f"git opatch redo {plan.undoes}"
    return f"git opatch undo {plan.record}" if plan.record else ""


__all__ = [
    "NOTHING_TO_RECOVER",
    "ONLY_IN",
    "carried_out",
    "committed",
    "count_changes",
    "count_good",
    "details",
    "error_line",
    "error_lines",
    "errors",
    "loose_placements",
    "named",
    "not_committed",
    "notes",
    "nothing_to_do",
    "partial_failures",
    "sentences",
    "skipped",
    "undo_command",
    "verdict",
    "verdicts",
    "would_apply",
]
