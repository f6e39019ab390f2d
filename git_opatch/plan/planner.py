"""Build a plan from a patch, or from a journal record that is to be undone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot, take_snapshot
from git_opatch.journal import Record
from git_opatch.model.blob import Change
from git_opatch.model.errors import JournalError
from git_opatch.model.failure import Failure
from git_opatch.model.options import Options, Target, ThreeWay
from git_opatch.model.patch import Operation, Patch
from git_opatch.model.sentences import Fault, Reason
from git_opatch.plan.deleted_content import content_note, deleted_contents, source_of
from git_opatch.plan.filtered_files import locates_texts, with_stored_hints
from git_opatch.plan.patch_paths import created_paths, named_paths, refuse_unsafe
from git_opatch.plan.path_hints import with_directory_note, with_other_names, with_path_hints
from git_opatch.plan.plan import Plan
from git_opatch.plan.policy import check_policy
from git_opatch.plan.section import plan_sections
from git_opatch.transaction import state_dir
from git_opatch.transaction.guard import guard_parents


class Planned(NamedTuple):
    """A plan, and what preflight checks it against.

    `unstaged` are the files it changes that have unstaged changes, and `worktree` is the plan of
    the same for the working tree, if there are any. `added` are the files that it would add if
    other sections were not refused.
    """

    plan: Plan
    snapshot: Snapshot
    unstaged: tuple[str, ...] = ()
    worktree: Plan | None = None
    added: tuple[Change, ...] = ()


def plan_request(request: Patch | Record, repository: Repository, options: Options) -> Planned:
    """Plan to apply a patch, whose paths are resolved, or to undo a record.

    Where files have unstaged changes, it is planned for the working tree, too.
    """
    plan, snapshot = _plan_for(request, repository, options)
    if plan.is_refused(options):
        return Planned(plan, snapshot, added=_added_by_rest(request, plan, repository, options))
    unstaged = _unstaged_files(plan, snapshot, options)
    if not unstaged:
        return Planned(plan, snapshot)
    in_worktree = replace(options, target=Target.WORKTREE, carry=True)
    return Planned(plan, snapshot, unstaged, _plan_for(request, repository, in_worktree)[0])


def _plan_for(
    request: Patch | Record, repository: Repository, options: Options
) -> tuple[Plan, Snapshot]:
    if isinstance(request, Record):
        return plan_undo(request, repository, options)
    return plan_resolved(request, repository, options)


def _unstaged_files(plan: Plan, snapshot: Snapshot, options: Options) -> tuple[str, ...]:
    if options.target is not Target.INDEX:
        return ()
    changed = {result.old.path for result in plan.written.results if result.old is not None}
    return tuple(sorted(changed & (snapshot.changed - snapshot.deleted)))


def _added_by_rest(
    request: Patch | Record, plan: Plan, repository: Repository, options: Options
) -> tuple[Change, ...]:
    """Return the files that the sections of a patch add that are not refused themselves."""
    if isinstance(request, Record) or options.reverse or options.target is Target.CACHED:
        return ()
    from git_opatch.plan.reapplied import without_sections

    rest = without_sections(request.files, plan.failures)
    adding = tuple(section for section in rest if section.operation is Operation.ADD)
    return _plan_patch(Patch(adding), repository, options)[0].completed.changes if adding else ()


def plan_resolved(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch whose paths are resolved, forwards or in reverse."""
    plan = _plan_reverse if options.reverse else _plan_forward
    planned, snapshot = plan(patch, repository, options)
    if _asks_worktree(planned, options):
        from git_opatch.plan.applied_in_index import refuse_index_only

        def plan_with(others: Options) -> Plan:
            return _plan_forward(patch, repository, others)[0]

        planned = refuse_index_only(planned, patch, snapshot, repository, options, plan_with)
    return planned.attempted(options), snapshot


def _asks_worktree(plan: Plan, options: Options) -> bool:
    """Return whether what is already applied must be in the working tree, too."""
    is_both = options.target is Target.INDEX and options.base is None and not options.reverse
    return is_both and any(each.already_applied for each in (*plan.failures, *plan.skipped))


def _plan_forward(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch; ask the journal whether it was applied before, also where it fits (D455)."""
    plan, snapshot = _plan_patch(patch, repository, options)
    applied = _applied_before(patch, plan, snapshot, repository, options)
    if not applied:
        return plan, snapshot
    from git_opatch.plan.reapplied import prefer_recorded, without_sections

    if not (options.skip_applied or options.partial):
        failures = tuple(prefer_recorded(patch, plan.failures, applied))
        return plan._replace(failures=failures, conflicts=None), snapshot
    rest = without_sections(patch.files, applied)
    plan = _plan_patch(Patch(rest, patch.digest), repository, options)[0] if rest else Plan()
    if options.skip_applied:
        return plan._replace(skipped=(*plan.skipped, *applied)), snapshot
    return plan.with_failures([*applied, *plan.failures]), snapshot


def _applied_before(
    patch: Patch, plan: Plan, snapshot: Snapshot, repository: Repository, options: Options
) -> list[Failure]:
    """Return a failure for each section that the journal knows to be applied."""
    if not repository.has_journal:
        return []
    record = _record_of(patch, repository, options.target)
    applied: list[Failure] = []
    if record is not None and record.target in (options.target, Target.INDEX):
        from git_opatch.plan.reapplied import recorded_sections

        applied = recorded_sections(patch, record.located_in(options.target), snapshot, plan)
    if any(failure.reason is Reason.MISSING_FILE for failure in plan.failures):
        from git_opatch.plan.reapplied import without_sections
        from git_opatch.plan.reapplied_deletions import deleted_before

        rest = Patch(without_sections(patch.files, applied))
        applied += deleted_before(rest, snapshot, plan, repository, options)
    return applied


def _plan_reverse(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch in reverse: by its journal record if that fits, else by its text."""
    from git_opatch.plan.undo import refuse_overwritten

    record = _record_of(patch, repository, options.target)
    undo = Plan()
    if record is not None:
        with suppress(JournalError):
            undo, snapshot = plan_undo(record, repository, options)
            is_exact = _restores(undo, record.located_in(options.target)) or bool(undo.skipped)
            if not undo.failures and (is_exact or _carries_in_worktree(options)):
                return undo.with_notes(_restored_by(record, undo, patch)), snapshot
    source = record or _record_of_whole(patch, repository, options.target)
    plan, snapshot = _plan_text_in_reverse(patch, repository, options, source)
    if record is not None and not plan.failures:
        failures = refuse_overwritten(patch, record)
        plan = Plan(failures=tuple(failures)) if failures else plan
        if plan.completed.changes and set(plan.completed.changes) == set(undo.completed.changes):
            plan = plan._replace(reverses=record)  # by its text, and to the same effect
    if plan.failures:
        plan = _say_if_undone(plan, patch, repository, options, record.number if record else 0)
    return plan, snapshot


def _plan_text_in_reverse(
    patch: Patch, repository: Repository, options: Options, record: Record | None
) -> tuple[Plan, Snapshot]:
    """Plan a patch in reverse by its text; `record` is the journal's of it, or of its whole."""
    from git_opatch.model.reverse import reverse

    plan, snapshot = _plan_patch(reverse(patch), repository, options, record)
    if not plan.failures:
        return plan, snapshot
    from git_opatch.plan.absent_files import mark_absent
    from git_opatch.plan.reapplied import without_sections

    plan = plan.with_failures(mark_absent(plan.failures, repository, options, record))
    absent = [failure for failure in plan.failures if failure.already_applied]
    if not options.skip_applied or not absent:
        return plan, snapshot
    plan = Plan()
    if rest := without_sections(patch.files, absent):
        part = reverse(Patch(rest, patch.digest))
        plan, snapshot = _plan_patch(part, repository, options, record)
    return plan._replace(skipped=(*plan.skipped, *absent)), snapshot


def _restored_by(record: Record, undo: Plan, patch: Patch) -> list[str]:
    """Name the files that `undo` restores, whose content `patch` does not have."""
    restored = {change.path for change in undo.completed.changes if change.old is None}
    return [
        content_note(section.path, source_of(record))
        for section in patch.files
        if section.path in restored and not section.has_content
    ]


def _say_if_undone(
    plan: Plan, patch: Patch, repository: Repository, options: Options, applied: int
) -> Plan:
    """Say of what is not there that it is undone, by a record that is newer than `applied`."""
    undo = _undo_of(patch, repository, options.target)
    if undo is None or undo.number < applied:
        return plan
    return plan.with_failures(
        failure._replace(fault=Fault.NOT_APPLIED, closest=None, hint=None)
        if failure.reason in (Reason.NOT_FOUND, Reason.MISSING_FILE)
        else failure
        for failure in plan.failures
    )


def _undo_of(patch: Patch, repository: Repository, target: Target) -> Record | None:
    """Return the journal's undo of `patch` in a part of `target`, if it is undone there."""
    if not repository.has_journal:
        return None
    from git_opatch.journal.patch_history import find_undone

    return find_undone(state_dir(repository), patch.digest, named_paths(patch), target)


def _record_of(patch: Patch, repository: Repository, target: Target) -> Record | None:
    """Return the journal's record of `patch`, if it was applied here and is not undone there."""
    if not repository.has_journal:
        return None
    from git_opatch.journal.patch_history import find_applied

    return find_applied(state_dir(repository), patch.digest, named_paths(patch), target)


def _record_of_whole(patch: Patch, repository: Repository, target: Target) -> Record | None:
    """Return the same of the whole patch, if `patch` is a part of one."""
    if not repository.has_journal:
        return None
    from git_opatch.journal.patch_history import find_applied

    home, paths = state_dir(repository), named_paths(patch)
    return find_applied(home, patch.whole_digest, paths, target, of_part=True)


def _restores(plan: Plan, record: Record) -> bool:
    """Return whether `plan` restores exactly what was there before `record`."""
    inverse = {Change(change.path, change.new, change.old) for change in record.changes}
    return set(plan.completed.changes) == inverse


def plan_undo(record: Record, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan to undo a journal record. Raises `JournalError` if its diff is damaged.

    Where its lines cannot be undone with all of their context, they are with the next line on each
    side: what is farther away may have changed since, as for `git merge` (D340).
    """
    from git_opatch.plan.undo import refuse_filtered, undo_patch_of

    located = record.located_in(options.target)
    patch = undo_patch_of(record)
    failures, snapshot = _read_base(patch, repository, options)
    failures += [*refuse_filtered(record, options)]
    plan = Plan(failures=tuple(failures))
    if not failures:
        plan = _undo_in(snapshot, patch, located, repository, options)
        plan = with_path_hints(plan, repository, options)
    return plan._replace(reverses=record).attempted(options, record=record.patch), snapshot


def _undo_in(
    snapshot: Snapshot, patch: Patch, record: Record, repository: Repository, options: Options
) -> Plan:
    """Plan to undo `record` by `patch`. A refusal is about the lines that must be as they were."""
    from git_opatch.plan.undo import drift, rebase_hunks, verify_undo

    deleted = deleted_contents(repository, patch, record, options.target)
    edits = drift(record, snapshot, repository)
    all_of_it = replace(options, skip_applied=False)

    def plan_as_is(rebased: Patch) -> Plan:
        return plan_sections(rebased, snapshot, all_of_it, repository.algorithm, deleted)

    narrow = 0 if _carries_in_worktree(options) else 1
    for context in (narrow,) if narrow == 0 else (None, narrow):
        rebased = rebase_hunks(patch, record, snapshot, edits, context=context)
        plan = plan_as_is(rebased)
        if not plan.failures:
            break
    undone: tuple[Failure, ...] = ()
    if plan.failures and options.skip_applied:
        from git_opatch.plan.undone_parts import UndoneParts

        parts = UndoneParts(record, snapshot, repository, options)
        rest, undone = parts.left_out_of(rebased, patch, narrow)
        if undone and rest.files:
            rebased, plan = rest, plan_as_is(rest)
    if plan.failures:
        return plan
    changed = verify_undo(rebased, record, snapshot, plan.completed.changes)
    # the notes only say that the content comes from this record
    return plan._replace(failures=tuple(changed), notes=(), skipped=undone)


def _carries_in_worktree(options: Options) -> bool:
    """Return whether the plan is for files with unstaged changes, which are kept."""
    return options.carry and options.target is Target.WORKTREE


def _plan_patch(
    patch: Patch, repository: Repository, options: Options, record: Record | None = None
) -> tuple[Plan, Snapshot]:
    """Plan a patch as it is; `record` is the journal's of it, or of its whole, if it is undone."""
    failures, snapshot = _read_base(patch, repository, options)
    created = created_paths(patch)
    if failures:
        plan = Plan(failures=tuple(failures))
        return with_path_hints(plan, repository, options, created), snapshot
    deleted = deleted_contents(repository, patch, record, options.target)
    plan = plan_sections(patch, snapshot, options, repository.algorithm, deleted)
    if plan.failures and _tries_old_versions(options) and not snapshot.stored:
        from git_opatch.plan.three_way import plan_three_way

        plan = plan_three_way(plan, patch, snapshot, repository, options, deleted)
    plan = with_path_hints(plan, repository, options, created)
    plan = with_other_names(plan, patch, repository, options)
    plan = with_stored_hints(plan, repository, options)
    return with_directory_note(plan, repository, options), snapshot


def _read_base(
    patch: Patch, repository: Repository, options: Options
) -> tuple[list[Failure], Snapshot]:
    """Read the files that `patch` names, and refuse paths that it may not change."""
    failures, paths = refuse_unsafe(patch), named_paths(patch)
    if not failures and options.target is not Target.CACHED and options.base is None:
        found = guard_parents(repository.require_worktree(), paths)
        failures = [_located_in(patch, failure) for failure in found]
    if failures:
        return failures, Snapshot({})
    wanted = [*paths, *options.policy.expected_paths]
    snapshot = take_snapshot(repository, wanted, options, texts=locates_texts(options))
    return check_policy(patch, snapshot, repository, options), snapshot


def _located_in(patch: Patch, failure: Failure) -> Failure:
    """Say which line of the patch names the path of `failure`."""
    for section in patch.files:
        if failure.path in (section.path, section.old_path, section.new_path):
            number = section.number
            return failure._replace(number=number, source=section.source, section_line=number)
    return failure


def _tries_old_versions(options: Options) -> bool:
    """Return whether older versions of the files are tried. Git merges in the index only."""
    return options.three_way is not ThreeWay.OFF and options.target is not Target.WORKTREE
