"""Build a plan from a patch: forwards, or in reverse (`-R`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from git_opatch.git.converted import filters, smudged
from git_opatch.git.head import committed_entries
from git_opatch.git.pathspec import all_tracked_paths
from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.journal import Record, mentions, read_journal
from git_opatch.model.blob import Blob
from git_opatch.model.errors import JournalError
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.options import Options, Target, ThreeWay, Tier
from git_opatch.model.patch import Patch
from git_opatch.model.sentences import Fault
from git_opatch.plan.filtered_files import with_stored_hints
from git_opatch.plan.other_files import Places, grep_output, with_others
from git_opatch.plan.patch_paths import named_paths, refuse_unsafe
from git_opatch.plan.path_hints import with_directory_note, with_path_hints
from git_opatch.plan.plan import Plan
from git_opatch.plan.policy import check_policy
from git_opatch.plan.quotes import with_quotes
from git_opatch.plan.sections import plan_together
from git_opatch.transaction.guard import guard_parents
from git_opatch.transaction.record import state_dir


def plan_resolved(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch whose paths are resolved; return what preflight checks the plan against, too."""
    plan = _plan_reverse if options.reverse else _plan_patch
    planned, snapshot = plan(with_quotes(patch, repository), repository, options)
    if planned.failures and not options.reverse:
        found = with_others(planned.failures, snapshot.blobs, partial(_grep, repository))
        planned = planned.with_failures(found)
    return planned.with_notes(patch.notes).attempted(options), snapshot


_MOST_SECONDS = 2.0
"""A larger repository is not searched to its end."""


def _grep(repository: Repository, wanted: Sequence[bytes]) -> Places:
    """Look for lines in all files of the repository."""
    words = [word for text in wanted for word in ("-e", os.fsdecode(text))]
    words = ["-nzFI", "--full-name", *words, "--", ":/"]
    return grep_output(repository.run("grep", *words, seconds=_MOST_SECONDS).output, wanted)


def _plan_reverse(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch in reverse: as the undo of its entry, if the journal has one that is applied.

    Else, or with `ThreeWay.MERGE`, its new lines must be there exactly, or in an older version.
    """
    from git_opatch.model.reverse import reverse

    if options.three_way is not ThreeWay.MERGE:
        undone = _undo_of(patch, repository, options)
        if undone is not None:
            return undone
    strict = options.matching._replace(tier=Tier.STRICT)
    return _plan_patch(reverse(patch), repository, replace(options, matching=strict))


def _undo_of(
    patch: Patch, repository: Repository, options: Options
) -> tuple[Plan, Snapshot] | None:
    """Plan the undo of the journal's entry of `patch`; None if it would change nothing."""
    from git_opatch.plan.reversal import plan_reversal

    record = _record_of(patch, repository, options.target)
    with suppress(JournalError):
        if record is not None:
            plan, snapshot = plan_reversal(record, repository, options, redo=False)
            if plan.failures or plan.completed.changes:
                return plan, snapshot
    return None


def _record_of(patch: Patch, repository: Repository, target: Target) -> Record | None:
    """Return the journal's entry of `patch`, on these paths, if it is applied in `target`."""
    if not repository.has_journal or not mentions(home := state_dir(repository), patch.digest):
        return None
    paths = set(named_paths(patch))
    for history in reversed(read_journal(home).histories):
        record = history.record
        same = record.digest == patch.digest and {each.path for each in record.changes} <= paths
        if same and history.applied and target.without(history.applied) is None:
            return record
    return None


def _plan_patch(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch as it is."""
    failures, snapshot = _read_base(patch, repository, options)
    if failures:
        plan = Plan(failures=tuple(failures))
        return with_path_hints(plan, patch, repository, options), snapshot
    restorable = deleted_contents(repository, patch, options.target)
    snapshot = snapshot._replace(restorable=restorable)
    plan = plan_together(patch, snapshot, options, repository.algorithm)
    is_stale = any(failure.fault in (Fault.STALE, Fault.QUOTE_MISSING) for failure in plan.failures)
    if plan.failures and not is_stale and _tries_old_versions(options) and not snapshot.stored:
        from git_opatch.plan.three_way import plan_three_way

        undone = None
        if options.three_way is ThreeWay.MERGE:
            undone = _undo_of(patch, repository, options)
        if undone and undone[0].completed.changes and undone[0].reverses:
            number = undone[0].reverses.number  # a merge would apply it again
            failures = [refusal(each, Fault.RECORD_APPLIED, patch=number) for each in patch.files]
            if options.skip_applied:
                return Plan(skipped=tuple(failures)), snapshot
            return plan.with_failures(failures), snapshot
        plan = plan_three_way(plan, patch, snapshot, repository, options)
    plan = with_path_hints(plan, patch, repository, options)
    plan = with_stored_hints(plan, repository, options)
    return with_directory_note(plan, repository, options), snapshot


def _read_base(
    patch: Patch, repository: Repository, options: Options
) -> tuple[list[Failure], Snapshot]:
    """Read the files that `patch` names, and refuse paths that it may not change."""
    failures, paths = (
        refuse_unsafe(patch, partial(all_tracked_paths, repository)),
        named_paths(patch),
    )
    if not failures and options.target is not Target.CACHED and options.base is None:
        found = guard_parents(repository.require_worktree(), paths)
        failures = [_located_in(patch, failure) for failure in found]
    if failures:
        return failures, Snapshot({})
    wanted = [*paths, *dict(options.policy.expected)]
    snapshot = take_snapshot(repository, wanted, options)
    return check_policy(patch, snapshot, repository, options), snapshot


def _located_in(patch: Patch, failure: Failure) -> Failure:
    """Say which line of the patch names the path of `failure`."""
    for section in patch.files:
        if failure.path in section.names:
            number = section.number
            return failure._replace(number=number, source=section.source, section_line=number)
    return failure


def _tries_old_versions(options: Options) -> bool:
    """Return whether older versions of the files are tried. Git merges in the index only."""
    return options.three_way is not ThreeWay.OFF and options.target is not Target.WORKTREE


def deleted_contents(repository: Repository, patch: Patch, target: Target) -> dict[str, Blob]:
    """Find in HEAD the content of each file that `patch` restores without having it."""
    wanted = [
        section.new_path for section in patch.files if section.new_path and not section.has_content
    ]
    entries = committed_entries(repository, wanted)
    data = repository.read_blobs(entry.id for entry in entries.values())
    contents = {path: data[entry.id] for path, entry in entries.items()}
    if target is not Target.CACHED:
        contents |= smudged(repository, entries, filters(repository, list(entries)))
    return {path: Blob(path, entry, contents[path]) for path, entry in entries.items()}
