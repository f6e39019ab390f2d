"""Apply a patch to files with unstaged changes, which stay unstaged: `--carry` (D10).

The patch was located in the index's version of a file and in the working tree's. Both positions of
a hunk must be the same by git's diff between the versions; then the outcomes differ by the user's
changes, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from git_opatch.complete import Completed, complete_results
from git_opatch.complete.edits import Edit, apply_edits
from git_opatch.complete.tree import FileContent, Result
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Blob
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options
from git_opatch.model.refusal import Refused
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text
from git_opatch.plan.plan import PlacedHunk, Plan
from git_opatch.plan.undo import map_range

_ATTRIBUTES = ".gitattributes"


def plan_unstaged(
    plan: Plan,
    worktree: Plan,
    unstaged: Collection[str],
    repository: Repository,
    options: Options,
) -> Completed:
    """Complete the diff for the working tree, where `plan` is for the index.

    `worktree` is the plan of the same patch for the working tree, `unstaged` are the files with
    unstaged changes. Raises `Refused` if those could not stay as they are.
    """
    failures = [*_refuse_changes(plan, unstaged)]
    failures = failures or [*_worktree_failures(plan, worktree)]
    if failures:
        raise Refused([*plan.failures, *failures], options)
    by_path = {_paths(result): result for result in worktree.completed.results if result.content}
    results = []
    for result in plan.completed.results:
        if result.old is None or result.old.path not in unstaged or result.content is None:
            results.append(result)
        elif result.content.copied:
            content = FileContent(result.content.mode, result.content.text)
            results.append(Result(None, result.path, content))
        else:
            counterpart = by_path.get(_paths(result))
            failures += _contradictions(result, counterpart, plan, repository)
            results.append(counterpart or result)
    if failures:
        raise Refused([*plan.failures, *failures], options)
    return complete_results(results, repository.algorithm)


def deleted_paths(plan: Plan, unstaged: Collection[str]) -> list[str]:
    """Return those of the `unstaged` files that `plan` deletes."""
    deleted = [
        result.old.path for result in plan.completed.results if result.old and not result.content
    ]
    return [path for path in deleted if path in unstaged]


def _refuse_changes(plan: Plan, unstaged: Collection[str]) -> Iterator[Failure]:
    """Refuse to delete a file with unstaged changes, and to change how files are read."""
    yield from (Failure(Fault.UNSTAGED_DELETED, path) for path in deleted_paths(plan, unstaged))
    paths = [change.path for change in plan.completed.changes]
    for path in paths if len(paths) > 1 else ():
        if path.rpartition("/")[2] == _ATTRIBUTES:
            yield Failure(Fault.UNSTAGED_ATTRIBUTES, path)


def _worktree_failures(plan: Plan, worktree: Plan) -> Iterator[Failure]:
    """Return the failures in the working tree that the index does not have.

    A change that is already applied there, and not staged, cannot be skipped.
    """
    in_index = {(failure.source, failure.section_line, failure.hunk) for failure in plan.failures}
    for failure in worktree.failures:
        if (failure.source, failure.section_line, failure.hunk) in in_index:
            continue
        if failure.reason is Reason.NOT_FOUND and failure.closest:
            yield failure._replace(fault=Fault.UNSTAGED_SAME_LINES, closest=None, hint=None)
        elif failure.already_applied:
            yield failure._replace(fault=Fault.APPLIED_IN_WORKTREE)
        else:
            yield failure


def _paths(result: Result) -> tuple[str, str | None]:
    """Return what both versions of a file have in common: its new and its old path."""
    return result.path, result.old.path if result.old else None


class _Contradiction(NamedTuple):
    """What is wrong, and the edit of the index's version that it is about, if it is one."""

    fault: Fault
    edit: Edit | None = None


class _Version(NamedTuple):
    """A version of a file before and after the patch."""

    old: Blob
    content: FileContent

    @classmethod
    def of(cls, result: Result | None) -> _Version | None:
        """Return None for a file that is created or deleted."""
        if result is None or result.old is None or result.content is None:
            return None
        return cls(result.old, result.content)


def _contradictions(
    result: Result,
    counterpart: Result | None,
    plan: Plan,
    repository: Repository,
) -> Iterator[Failure]:
    """Refuse a file whose outcomes in index (`result`) and working tree contradict each other."""
    staged, worktree = _Version.of(result), _Version.of(counterpart)
    if staged is not None and worktree is not None:
        found = _find_contradiction(staged, worktree, repository)
    else:
        found = _Contradiction(Fault.UNSTAGED_OUTCOME)
    if found is None:
        return
    placed = _hunk_of(found.edit, result, plan.placed) if found.edit else None
    hunk = placed.placement.hunk if placed else None
    section = placed.section if placed else None
    yield Failure(
        found.fault,
        result.path,
        hunk=hunk.ordinal if hunk else 0,
        hunks=section.hunks_in_text if section else 0,
        number=hunk.number if hunk else 0,
        source=section.source if section else "",
        section_line=section.number if section else 0,
        positions=(found.edit.start,) if found.edit else (),
    )


def _hunk_of(edit: Edit, result: Result, placed: Sequence[PlacedHunk]) -> PlacedHunk | None:
    """Return the hunk that an edit comes from; None if several sections name the file."""
    path = result.old.path if result.old else result.path
    hunks = [hunk for hunk in placed if path in (hunk.section.path, hunk.section.alternate)]
    if any(hunk.section is not hunks[0].section for hunk in hunks):
        return None
    for hunk in hunks:
        start, stop = hunk.placement.changed
        if start <= edit.start and edit.stop <= stop:
            return hunk
    return None


def _find_contradiction(
    staged: _Version, worktree: _Version, repository: Repository
) -> _Contradiction | None:
    """Say why the outcomes would not differ by the same lines as the versions do."""
    modes = {staged.old.entry.mode, worktree.old.entry.mode}
    if len(modes) > 1 and staged.content.mode is not staged.old.entry.mode:
        return _Contradiction(Fault.UNSTAGED_MODE)
    edits, worktree_edits = staged.content.edits, worktree.content.edits
    if not edits and not worktree_edits:
        return None
    unstaged = repository.differences(staged.old.data, worktree.old.data)
    starts = {edit.start for edit in worktree_edits}
    moved_edits: list[Edit] = []
    for edit in edits:
        moved = _move_edit(edit, starts, unstaged, worktree.old.text)
        if moved is None or moved.start not in starts:
            return _Contradiction(Fault.UNSTAGED_POSITION, edit)
        moved_edits.append(moved)
    if apply_edits(worktree.old.text, moved_edits) == worktree.content.text:
        return None
    triples = zip(edits, moved_edits, worktree_edits, strict=False)
    wrong = (edit for edit, moved, found in triples if moved.lines != found.lines)
    return _Contradiction(Fault.UNSTAGED_LINES, next(wrong, None))


def _move_edit(
    edit: Edit, starts: Collection[int], unstaged: Sequence[tuple[range, int]], text: Text
) -> Edit | None:
    """Move `edit` to the position of its lines in the working tree's `text`.

    Returns None if unstaged changes touch them. Where the patch and the user both add lines, either
    may come first: `starts`, the positions found there, decide.
    """
    start = map_range(edit.start, edit.stop, unstaged)
    if start is None:
        return None
    added = sum(count for lines, count in unstaged if lines.start == lines.stop == edit.start)
    if edit.start == edit.stop and start - added in starts:
        start -= added
    stop = start + edit.stop - edit.start
    if start == stop == len(text.lines) and not text.final_newline:
        return None  # the last line lost its newline, and would get it back
    return edit._replace(start=start, stop=stop)
