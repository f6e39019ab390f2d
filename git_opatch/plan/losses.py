"""Refuse to lose content that nothing else has, where nothing is recorded (D461)."""

from __future__ import annotations

from collections.abc import Iterator

from git_opatch.git.head import committed_entries
from git_opatch.git.repository import Repository
from git_opatch.model.blob import Change
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options
from git_opatch.model.sentences import Fault
from git_opatch.plan.plan import Plan


def refuse_losses(plan: Plan, repository: Repository, options: Options) -> list[Failure]:
    """Refuse files that are deleted or replaced, and whose content would be nowhere any more.

    It is in the journal, if there is one, in `HEAD`, or in a patch that shows all of it.
    """
    if options.journal_size or plan.reverses:
        return []
    lost = [*_unshown(plan)]
    kept = committed_entries(repository, [change.path for change in lost])
    return [
        Failure(Fault.CONTENT_WOULD_BE_LOST, change.path)
        for change in lost
        if kept.get(change.path) != change.old
    ]


def _unshown(plan: Plan) -> Iterator[Change]:
    """Yield the changes of files whose old content is not in the patch, nor in the result."""
    shown = {
        placed.section.old_path
        for placed in plan.placed
        if not any(hunk.removed_ranges for hunk in placed.section.hunks)
    } | plan.merged
    written = {change.new.id for change in plan.completed.changes if change.new}
    for change in plan.completed.changes:
        if change.old and change.path not in shown and change.old.id not in written:
            yield change
